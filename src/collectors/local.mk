collectorsincludedir = $(reelincludedir)/collectors
collectorsinclude_HEADERS = \
	src/collectors/collector.h \
	src/collectors/recorded-states.h \
	$(NULL)

reel_sources += \
	src/collectors/collector.c \
	src/collectors/collector-background.c \
	src/collectors/collector-background.h \
	src/collectors/collector-checks.c \
	src/collectors/collector-checks.h \
	src/collectors/collector-fields.h \
	src/collectors/collector-next.c \
	src/collectors/collector-private.h \
	src/collectors/collector-state.c \
	src/collectors/episode-player.c \
	src/collectors/episode-player.h \
	src/collectors/finished-batch.c \
	src/collectors/finished-batch.h \
	src/collectors/finished-episodes.c \
	src/collectors/finished-episodes.h \
	src/collectors/lane-episodes.c \
	src/collectors/lane-episodes.h \
	src/collectors/lane-numbers.c \
	src/collectors/lane-numbers.h \
	src/collectors/lane-shares.c \
	src/collectors/lane-shares.h \
	src/collectors/multi-async-private.h \
	src/collectors/multi-async-states.c \
	src/collectors/multi-collector.c \
	src/collectors/multi-collector.h \
	src/collectors/multi-sync-batch.c \
	src/collectors/multi-sync-private.h \
	src/collectors/lane-state.h \
	src/collectors/rollout-worker.c \
	src/collectors/rollout-worker.h \
	src/collectors/recorded-states.c \
	src/collectors/resumed-lanes.c \
	src/collectors/resumed-lanes.h \
	src/collectors/run-record.c \
	src/collectors/run-start.c \
	src/collectors/run-start.h \
	src/collectors/saved-lanes.c \
	src/collectors/saved-lanes.h \
	src/collectors/step-block.c \
	src/collectors/step-block.h \
	src/collectors/ted-columns.c \
	src/collectors/ted-columns.h \
	src/collectors/ted-kernel.h \
	src/collectors/whole-trajectories.c \
	src/collectors/whole-trajectories.h \
	src/collectors/worker-crew.c \
	src/collectors/worker-crew.h \
	$(NULL)

reel_classes += \
	src/collectors/multi-async-collector.c \
	src/collectors/multi-sync-collector.c \
	src/collectors/recorded-policy.c \
	src/collectors/sync-collector.c \
	$(NULL)

reel_kernels += \
	src/collectors/ted-kernel.c \
	$(NULL)
