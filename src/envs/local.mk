envsincludedir = $(reelincludedir)/envs
envsinclude_HEADERS = \
	src/envs/env.h \
	src/envs/env-check.h \
	src/envs/env-policy.h \
	src/envs/env-rollout.h \
	src/envs/env-step.h \
	src/envs/env-vector.h \
	src/envs/observation-stats.h \
	src/envs/serial-env.h \
	src/envs/single-lane.h \
	src/envs/transformed-env.h \
	$(NULL)

reel_sources += \
	src/envs/chain-results.c \
	src/envs/chain-results.h \
	src/envs/chain-states.c \
	src/envs/chain-states.h \
	src/envs/env.c \
	src/envs/env-action.c \
	src/envs/env-autoreset.c \
	src/envs/env-autoreset.h \
	src/envs/env-check.c \
	src/envs/env-fake.c \
	src/envs/env-faults.c \
	src/envs/env-frames.c \
	src/envs/env-groups.c \
	src/envs/env-groups.h \
	src/envs/env-io.c \
	src/envs/env-lane-mask.c \
	src/envs/env-lane-mask.h \
	src/envs/env-lanes.c \
	src/envs/env-lanes.h \
	src/envs/env-leaves.c \
	src/envs/env-leaves.h \
	src/envs/env-parts.c \
	src/envs/env-pixels.c \
	src/envs/env-pixels.h \
	src/envs/env-policy.c \
	src/envs/env-private.h \
	src/envs/env-recording.c \
	src/envs/env-recording.h \
	src/envs/env-reset.c \
	src/envs/env-results.c \
	src/envs/env-results.h \
	src/envs/env-rollout.c \
	src/envs/env-state.c \
	src/envs/env-states.c \
	src/envs/env-states.h \
	src/envs/env-step.c \
	src/envs/env-vector.c \
	src/envs/lane-clock.h \
	src/envs/lane-kernel.h \
	src/envs/lost-row.c \
	src/envs/lost-row.h \
	src/envs/mixed-env.c \
	src/envs/mixed-env.h \
	src/envs/mixed-rows.c \
	src/envs/mixed-rows.h \
	src/envs/observation-stats.c \
	src/envs/single-lane.c \
	src/envs/transformed-env.c \
	$(NULL)

reel_kernels += \
	src/envs/lane-kernel.c \
	$(NULL)

reel_classes += \
	src/envs/serial-env.c \
	$(NULL)
