envsincludedir = $(reelincludedir)/envs
envsinclude_HEADERS = \
	src/envs/env.h \
	src/envs/env-check.h \
	src/envs/env-rollout.h \
	src/envs/env-step.h \
	src/envs/env-vector.h \
	src/envs/gl.h \
	src/envs/lane-step.h \
	$(NULL)

reel_sources += \
	src/envs/acrobot-drawing.c \
	src/envs/acrobot-kernel.h \
	src/envs/cartpole-drawing.c \
	src/envs/cartpole-kernel.h \
	src/envs/classic-drawing.h \
	src/envs/classic-env.c \
	src/envs/classic-env.h \
	src/envs/classic-kernel.h \
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
	src/envs/env-pixels.c \
	src/envs/env-pixels.h \
	src/envs/env-private.h \
	src/envs/env-recording.c \
	src/envs/env-recording.h \
	src/envs/env-reset.c \
	src/envs/env-rollout.c \
	src/envs/env-state.c \
	src/envs/env-step.c \
	src/envs/env-vector.c \
	src/envs/gl.c \
	src/envs/gl-context.h \
	src/envs/gl-driver.h \
	src/envs/gl-egl.c \
	src/envs/gl-osmesa.c \
	src/envs/gl-read-back.c \
	src/envs/lane-clock.h \
	src/envs/lane-kernel.h \
	src/envs/lane-step.c \
	src/envs/mountain-car.c \
	src/envs/mountain-car.h \
	src/envs/mountain-car-drawing.c \
	src/envs/mountain-car-kernel.h \
	src/envs/pendulum-drawing.c \
	src/envs/pendulum-kernel.h \
	$(NULL)

reel_classes += \
	src/envs/acrobot-env.c \
	src/envs/cartpole-env.c \
	src/envs/mountain-car-continuous-env.c \
	src/envs/mountain-car-env.c \
	src/envs/pendulum-env.c \
	$(NULL)

reel_kernels += \
	src/envs/acrobot-kernel.c \
	src/envs/cartpole-kernel.c \
	src/envs/lane-kernel.c \
	src/envs/mountain-car-kernel.c \
	src/envs/pendulum-kernel.c \
	$(NULL)

# The models of MuJoCo's tasks: installed, and written into the library.
reel_models = \
	src/envs/models/ant.xml \
	src/envs/models/half-cheetah.xml \
	src/envs/models/hopper.xml \
	src/envs/models/humanoid-standup.xml \
	src/envs/models/humanoid.xml \
	src/envs/models/inverted-double-pendulum.xml \
	src/envs/models/inverted-pendulum.xml \
	src/envs/models/pusher-v4.xml \
	src/envs/models/pusher.xml \
	src/envs/models/reacher.xml \
	src/envs/models/swimmer.xml \
	src/envs/models/walker2d-v4.xml \
	src/envs/models/walker2d.xml \
	$(NULL)
modeldir = $(pkgdatadir)/models
dist_model_DATA = $(reel_models)
src/mujoco-models.inc: $(reel_models) Makefile
	$(AM_V_GEN)$(MKDIR_P) src && for file in $(reel_models); do \
	  echo "$$file" | sed -e 's|.*/||' -e 's|\.xml$$||' -e 's|.*|{ "&",|'; \
	  sed -e 's|["\\]|\\&|g' -e 's|.*|"&\\n"|' $(srcdir)/$$file; echo '},'; done > $@
BUILT_SOURCES += src/mujoco-models.inc

# The family that sees MuJoCo.
if MUJOCO
noinst_LTLIBRARIES += libreel-mujoco.la
reel_mujoco_classes = \
	src/envs/ant-env.c \
	src/envs/half-cheetah-env.c \
	src/envs/hopper-env.c \
	src/envs/humanoid-env.c \
	src/envs/humanoid-standup-env.c \
	src/envs/inverted-double-pendulum-env.c \
	src/envs/inverted-pendulum-env.c \
	src/envs/mujoco-file-env.c \
	src/envs/pusher-env.c \
	src/envs/reacher-env.c \
	src/envs/swimmer-env.c \
	src/envs/walker2d-env.c \
	$(NULL)
libreel_mujoco_la_SOURCES = \
	src/envs/mujoco-arguments.c \
	src/envs/mujoco-arguments.h \
	src/envs/mujoco-contacts.c \
	src/envs/mujoco-contacts.h \
	src/envs/mujoco-env.c \
	src/envs/mujoco-env.h \
	src/envs/mujoco-frames.c \
	src/envs/mujoco-frames.h \
	src/envs/mujoco-guard.c \
	src/envs/mujoco-guard.h \
	src/envs/mujoco-model.c \
	src/envs/mujoco-model.h \
	src/envs/mujoco-painter.c \
	src/envs/mujoco-painter.h \
	src/envs/mujoco-pool.c \
	src/envs/mujoco-pool.h \
	src/envs/mujoco-run.c \
	src/envs/mujoco-run.h \
	src/envs/mujoco-specs.c \
	src/envs/mujoco-specs.h \
	src/envs/mujoco-state.c \
	src/envs/mujoco-state.h \
	src/envs/mujoco-terms.c \
	src/envs/mujoco-terms.h \
	src/envs/mujoco-view.c \
	src/envs/mujoco-view.h \
	$(reel_mujoco_classes)
nodist_libreel_mujoco_la_SOURCES = src/mujoco-models.inc
libreel_mujoco_la_CFLAGS = $(AM_CFLAGS) $(MUJOCO_CFLAGS)
libreel_mujoco_la_LIBADD = $(MUJOCO_LIBS)
$(libreel_mujoco_la_OBJECTS): src/mujoco-models.inc
reel_libraries += libreel-mujoco.la
endif
