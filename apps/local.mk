# The programs, at the root of the build folder.
bin_PROGRAMS = \
	collect \
	render \
	replay \
	$(NULL)
if BLAS
bin_PROGRAMS += learn
endif

# The parts of the programs, for them and for tests: a program links the parts that it calls.
noinst_LTLIBRARIES += libreel-apps.la
libreel_apps_la_SOURCES = \
	apps/replay/audit.c \
	apps/replay/audit.h \
	apps/replay/audit-risk.c \
	apps/replay/audit-rows.c \
	apps/replay/audit-slices.c \
	apps/replay/audit-tally.c \
	apps/replay/audit-windows.c \
	apps/episodes/buffer-episodes.c \
	apps/episodes/buffer-episodes.h \
	apps/common/bus-error.c \
	apps/common/bus-error.h \
	apps/replay/chi-square.c \
	apps/replay/chi-square.h \
	apps/common/class-arguments.c \
	apps/common/class-arguments.h \
	apps/common/class-list.c \
	apps/common/class-list.h \
	apps/common/class-words.c \
	apps/common/class-words.h \
	apps/replay/column-stats.c \
	apps/replay/column-stats.h \
	apps/replay/convert-ensemble.c \
	apps/replay/convert-ensemble.h \
	apps/replay/replay-directories.c \
	apps/replay/replay-directories.h \
	apps/replay/replay-values.c \
	apps/replay/replay-values.h \
	apps/common/deadline.c \
	apps/common/deadline.h \
	apps/common/draft.c \
	apps/common/draft.h \
	apps/common/env-list.c \
	apps/common/env-list.h \
	apps/common/env-specs.c \
	apps/common/env-specs.h \
	apps/episodes/episode-line.c \
	apps/episodes/episode-line.h \
	apps/episodes/episode-cuts.c \
	apps/episodes/episode-cuts.h \
	apps/episodes/episode-list.c \
	apps/episodes/episode-list.h \
	apps/episodes/episode-pieces.c \
	apps/episodes/episode-pieces.h \
	apps/episodes/episode-log.c \
	apps/episodes/episode-log.h \
	apps/episodes/episode-stats.c \
	apps/episodes/episode-stats.h \
	apps/episodes/step-rows.c \
	apps/episodes/step-rows.h \
	apps/render/episodes.c \
	apps/render/episodes.h \
	apps/common/escaped-text.c \
	apps/common/escaped-text.h \
	apps/render/film.h \
	apps/render/film-gif.c \
	apps/render/film-mp4.c \
	apps/render/film-png.c \
	apps/replay/found-buffers.c \
	apps/replay/found-buffers.h \
	apps/render/frames.c \
	apps/render/frames.h \
	apps/common/free-memory.c \
	apps/common/free-memory.h \
	apps/replay/info.h \
	apps/replay/info-buffer.c \
	apps/replay/info-ensemble.c \
	apps/replay/info-python.c \
	apps/common/interrupt.c \
	apps/common/interrupt.h \
	apps/common/json-values.c \
	apps/common/json-values.h \
	apps/common/option-file.c \
	apps/common/option-file.h \
	apps/common/option-help.c \
	apps/common/option-help.h \
	apps/common/option-names.c \
	apps/common/option-names.h \
	apps/common/options.c \
	apps/common/options.h \
	apps/render/overlay.c \
	apps/render/overlay.h \
	apps/render/palette.c \
	apps/render/palette.h \
	apps/render/played-episodes.c \
	apps/render/player.c \
	apps/render/player.h \
	apps/common/progress.c \
	apps/common/progress.h \
	apps/replay/row-diff.c \
	apps/replay/row-diff.h \
	apps/render/render.h \
	apps/render/render-files.c \
	apps/common/row-transform.c \
	apps/common/row-transform.h \
	apps/common/saved-batches.c \
	apps/common/saved-batches.h \
	apps/common/run-plugins.c \
	apps/common/run-plugins.h \
	apps/render/show.c \
	apps/render/show.h \
	apps/replay/source.c \
	apps/replay/source.h \
	apps/replay/source-sampler.c \
	apps/replay/source-sampler.h \
	apps/render/step-record.c \
	apps/render/step-record.h \
	apps/render/stored-episodes.c \
	apps/render/stored-frames.c \
	apps/render/stored-frames.h \
	apps/render/stored-pixels.c \
	apps/render/stored-pixels.h \
	apps/common/terminal.c \
	apps/common/terminal.h \
	apps/common/text-table.c \
	apps/common/text-table.h \
	apps/common/usage-error.c \
	apps/common/usage-error.h \
	$(NULL)
libreel_apps_la_LIBADD = $(GIF_LIBS) -lm

# Plugins find the whole library in the program that loads them.
program_ldflags = $(AM_LDFLAGS) -export-dynamic -Wl,--whole-archive,.libs/libreel-static.a,--no-whole-archive

collect_SOURCES = \
	apps/collect/collect.c \
	apps/collect/collect.h \
	apps/collect/collect-actions.c \
	apps/collect/collect-check.c \
	apps/collect/collect-apart.c \
	apps/collect/collect-apart.h \
	apps/collect/collect-checkpoint.c \
	apps/collect/collect-collector.c \
	apps/collect/collect-config.c \
	apps/collect/collect-estimate.c \
	apps/collect/collect-files.c \
	apps/collect/collect-pace.c \
	apps/collect/collect-parents.c \
	apps/collect/collect-parents.h \
	apps/collect/collect-plan.c \
	apps/collect/collect-ranks.c \
	apps/collect/collect-ranks.h \
	apps/collect/collect-report.c \
	apps/collect/collect-resume.c \
	apps/collect/collect-run.c \
	apps/collect/collect-share.c \
	apps/collect/collect-share.h \
	apps/collect/collect-specs.c \
	apps/collect/collect-storage.c \
	$(NULL)
collect_LDFLAGS = $(program_ldflags)
collect_LDADD = libreel-apps.la libreel-static.la

render_SOURCES = \
	apps/render/render.c \
	apps/render/render-doctor.c \
	apps/render/render-window.c \
	$(NULL)
render_CFLAGS = $(AM_CFLAGS) $(SDL_CFLAGS)
render_LDFLAGS = $(program_ldflags)
render_LDADD = libreel-apps.la libreel-static.la $(SDL_LIBS) -lm

replay_SOURCES = \
	apps/replay/replay.c \
	apps/replay/replay.h \
	apps/replay/replay-audit.c \
	apps/replay/replay-check.c \
	apps/replay/replay-classes.c \
	apps/replay/replay-convert.c \
	apps/replay/replay-datasets.c \
	apps/replay/replay-diff.c \
	apps/replay/replay-episodes.c \
	apps/replay/replay-export.c \
	apps/replay/replay-preprocess.c \
	apps/replay/replay-fsck.c \
	apps/replay/replay-import.c \
	apps/replay/replay-info.c \
	apps/replay/replay-ls.c \
	apps/replay/replay-merge.c \
	apps/replay/replay-rollout.c \
	apps/replay/replay-rows.c \
	apps/replay/replay-sample.c \
	apps/replay/replay-spec.c \
	apps/replay/replay-tokenize.c \
	$(NULL)
replay_LDFLAGS = $(program_ldflags)
replay_LDADD = libreel-apps.la libreel-static.la

# The learners, for the program and for tests. Their loops are as fast as those of kernels, of any instruction set.
if BLAS
noinst_LTLIBRARIES += libreel-learn.la
libreel_learn_la_SOURCES = \
	apps/learn/acting.c \
	apps/learn/acting.h \
	apps/learn/bc.c \
	apps/learn/chart.c \
	apps/learn/chart.h \
	apps/learn/checkpoint.c \
	apps/learn/class-values.c \
	apps/learn/class-values.h \
	apps/learn/config.c \
	apps/learn/convolution.c \
	apps/learn/convolution.h \
	apps/learn/cql.c \
	apps/learn/critics.c \
	apps/learn/critics.h \
	apps/learn/data.c \
	apps/learn/dqn.c \
	apps/learn/event-file.c \
	apps/learn/event-file.h \
	apps/learn/exploration.c \
	apps/learn/exploration.h \
	apps/learn/export.c \
	apps/learn/export.h \
	apps/learn/iql.c \
	apps/learn/learner.c \
	apps/learn/learner.h \
	apps/learn/losses.c \
	apps/learn/losses.h \
	apps/learn/lstm.c \
	apps/learn/lstm.h \
	apps/learn/network.c \
	apps/learn/network.h \
	apps/learn/normalization.c \
	apps/learn/normalization.h \
	apps/learn/parameters.c \
	apps/learn/parameters.h \
	apps/learn/pen.h \
	apps/learn/pen-png.c \
	apps/learn/pen-svg.c \
	apps/learn/plan.c \
	apps/learn/plan.h \
	apps/learn/ppo.c \
	apps/learn/r2d2.c \
	apps/learn/run.c \
	apps/learn/run.h \
	apps/learn/run-facts.c \
	apps/learn/run-facts.h \
	apps/learn/run-files.c \
	apps/learn/run-files.h \
	apps/learn/run-groups.c \
	apps/learn/run-groups.h \
	apps/learn/sac.c \
	apps/learn/saved-run.c \
	apps/learn/saved-run.h \
	apps/learn/spaces.c \
	apps/learn/spaces.h \
	apps/learn/state-list.c \
	apps/learn/state-list.h \
	apps/learn/td3.c \
	apps/learn/td3.h \
	apps/learn/td3-bc.c \
	apps/learn/videos.c \
	apps/learn/videos.h \
	$(NULL)
libreel_learn_la_CFLAGS = $(AM_CFLAGS) -O3 -fno-math-errno
libreel_learn_la_LIBADD = libreel-apps.la $(CBLAS_LIBS) -lm
endif
learn_SOURCES = \
	apps/learn/learn.c \
	apps/learn/learn-list.c \
	apps/learn/learn-list.h \
	apps/learn/learn-plot.c \
	apps/learn/learn-plot.h \
	apps/learn/learn-show.c \
	apps/learn/learn-show.h \
	$(NULL)
learn_LDFLAGS = $(program_ldflags)
learn_LDADD = libreel-learn.la libreel-apps.la libreel-static.la

dist_man_MANS = \
	docs/man/collect.1 \
	docs/man/render.1 \
	docs/man/replay.1 \
	$(NULL)
if BLAS
dist_man_MANS += docs/man/learn.1
endif
EXTRA_DIST += docs/man/learn.1

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
