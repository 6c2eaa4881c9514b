# The programs, at the root of the build folder.
bin_PROGRAMS = \
	collect \
	render \
	replay \
	$(NULL)

# What the programs are made of, for them and for tests: a program links what it calls.
noinst_LTLIBRARIES += libreel-apps.la
libreel_apps_la_SOURCES = \
	apps/audit.c \
	apps/audit.h \
	apps/audit-risk.c \
	apps/audit-rows.c \
	apps/audit-slices.c \
	apps/audit-windows.c \
	apps/buffer-episodes.c \
	apps/buffer-episodes.h \
	apps/bus-error.c \
	apps/bus-error.h \
	apps/chi-square.c \
	apps/chi-square.h \
	apps/class-list.c \
	apps/class-list.h \
	apps/class-words.c \
	apps/class-words.h \
	apps/column-stats.c \
	apps/column-stats.h \
	apps/convert-ensemble.c \
	apps/convert-ensemble.h \
	apps/draft.c \
	apps/draft.h \
	apps/env-list.c \
	apps/env-list.h \
	apps/env-specs.c \
	apps/env-specs.h \
	apps/episode-line.c \
	apps/episode-line.h \
	apps/episode-list.c \
	apps/episode-list.h \
	apps/episode-log.c \
	apps/episode-log.h \
	apps/episode-stats.c \
	apps/episode-stats.h \
	apps/episodes.c \
	apps/episodes.h \
	apps/escaped-text.c \
	apps/escaped-text.h \
	apps/film.h \
	apps/film-gif.c \
	apps/film-mp4.c \
	apps/film-png.c \
	apps/found-buffers.c \
	apps/found-buffers.h \
	apps/frames.c \
	apps/frames.h \
	apps/free-memory.c \
	apps/free-memory.h \
	apps/info.h \
	apps/info-ensemble.c \
	apps/info-python.c \
	apps/interrupt.c \
	apps/interrupt.h \
	apps/json-values.c \
	apps/json-values.h \
	apps/option-help.c \
	apps/option-help.h \
	apps/options.c \
	apps/options.h \
	apps/overlay.c \
	apps/overlay.h \
	apps/palette.c \
	apps/palette.h \
	apps/played-episodes.c \
	apps/player.c \
	apps/player.h \
	apps/progress.c \
	apps/progress.h \
	apps/row-diff.c \
	apps/row-diff.h \
	apps/saved-batches.c \
	apps/saved-batches.h \
	apps/show.c \
	apps/show.h \
	apps/source.c \
	apps/source.h \
	apps/source-sampler.c \
	apps/source-sampler.h \
	apps/step-record.c \
	apps/step-record.h \
	apps/stored-episodes.c \
	apps/stored-frames.c \
	apps/stored-frames.h \
	apps/stored-pixels.c \
	apps/stored-pixels.h \
	apps/terminal.c \
	apps/terminal.h \
	apps/text-table.c \
	apps/text-table.h \
	$(NULL)
libreel_apps_la_LIBADD = $(GIF_LIBS) -lm

collect_SOURCES = \
	apps/collect.c \
	apps/collect.h \
	apps/collect-check.c \
	apps/collect-files.c \
	apps/collect-plan.c \
	apps/collect-report.c \
	apps/collect-resume.c \
	apps/collect-run.c \
	$(NULL)
collect_LDADD = libreel-apps.la libreel-static.la

render_SOURCES = \
	apps/render.c \
	apps/render.h \
	apps/render-doctor.c \
	apps/render-files.c \
	apps/render-window.c \
	$(NULL)
render_CFLAGS = $(AM_CFLAGS) $(SDL_CFLAGS)
render_LDADD = libreel-apps.la libreel-static.la $(SDL_LIBS) -lm

replay_SOURCES = \
	apps/replay.c \
	apps/replay.h \
	apps/replay-audit.c \
	apps/replay-check.c \
	apps/replay-classes.c \
	apps/replay-convert.c \
	apps/replay-diff.c \
	apps/replay-episodes.c \
	apps/replay-fsck.c \
	apps/replay-info.c \
	apps/replay-ls.c \
	apps/replay-merge.c \
	apps/replay-rows.c \
	apps/replay-sample.c \
	apps/replay-spec.c \
	apps/replay-values.c \
	apps/replay-values.h \
	$(NULL)
replay_LDADD = libreel-apps.la libreel-static.la

dist_man_MANS = \
	docs/man/collect.1 \
	docs/man/render.1 \
	docs/man/replay.1 \
	$(NULL)

# bash looks for a file of the command's name.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = docs/completion/reel.bash
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = docs/completion/_reel

install-data-hook:
	cd '$(DESTDIR)$(bashcompletiondir)' && for program in $(bin_PROGRAMS); do \
	  rm -f $$program && $(LN_S) reel.bash $$program || exit 1; done

uninstall-hook:
	cd '$(DESTDIR)$(bashcompletiondir)' && rm -f $(bin_PROGRAMS)
