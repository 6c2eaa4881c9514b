# The models of MuJoCo's tasks: installed, and written into the library.
reel_models = \
	src/envs/models/ant.xml \
	src/envs/models/half-cheetah.xml \
	src/envs/models/hopper.xml \
	src/envs/models/humanoid.xml \
	src/envs/models/humanoid-standup.xml \
	src/envs/models/inverted-double-pendulum.xml \
	src/envs/models/inverted-pendulum.xml \
	src/envs/models/pusher.xml \
	src/envs/models/pusher-v4.xml \
	src/envs/models/reacher.xml \
	src/envs/models/swimmer.xml \
	src/envs/models/walker2d.xml \
	src/envs/models/walker2d-v4.xml \
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
	src/envs/mujoco/ant-env.c \
	src/envs/mujoco/half-cheetah-env.c \
	src/envs/mujoco/hopper-env.c \
	src/envs/mujoco/humanoid-env.c \
	src/envs/mujoco/humanoid-standup-env.c \
	src/envs/mujoco/inverted-double-pendulum-env.c \
	src/envs/mujoco/inverted-pendulum-env.c \
	src/envs/mujoco/mujoco-file-env.c \
	src/envs/mujoco/pusher-env.c \
	src/envs/mujoco/reacher-env.c \
	src/envs/mujoco/swimmer-env.c \
	src/envs/mujoco/walker2d-env.c \
	$(NULL)
libreel_mujoco_la_SOURCES = \
	src/envs/mujoco/mujoco-arguments.c \
	src/envs/mujoco/mujoco-arguments.h \
	src/envs/mujoco/mujoco-contacts.c \
	src/envs/mujoco/mujoco-contacts.h \
	src/envs/mujoco/mujoco-env.c \
	src/envs/mujoco/mujoco-env.h \
	src/envs/mujoco/mujoco-frames.c \
	src/envs/mujoco/mujoco-frames.h \
	src/envs/mujoco/mujoco-guard.c \
	src/envs/mujoco/mujoco-guard.h \
	src/envs/mujoco/mujoco-model.c \
	src/envs/mujoco/mujoco-model.h \
	src/envs/mujoco/mujoco-painter.c \
	src/envs/mujoco/mujoco-painter.h \
	src/envs/mujoco/mujoco-pool.c \
	src/envs/mujoco/mujoco-pool.h \
	src/envs/mujoco/mujoco-run.c \
	src/envs/mujoco/mujoco-run.h \
	src/envs/mujoco/mujoco-specs.c \
	src/envs/mujoco/mujoco-specs.h \
	src/envs/mujoco/mujoco-state.c \
	src/envs/mujoco/mujoco-state.h \
	src/envs/mujoco/mujoco-terms.c \
	src/envs/mujoco/mujoco-terms.h \
	src/envs/mujoco/mujoco-view.c \
	src/envs/mujoco/mujoco-view.h \
	$(reel_mujoco_classes)
nodist_libreel_mujoco_la_SOURCES = src/mujoco-models.inc
libreel_mujoco_la_CFLAGS = $(AM_CFLAGS) $(MUJOCO_CFLAGS)
libreel_mujoco_la_LIBADD = $(MUJOCO_LIBS)
$(libreel_mujoco_la_OBJECTS): src/mujoco-models.inc
reel_libraries += libreel-mujoco.la
endif
