coretrajectoryincludedir = $(reelincludedir)/core/trajectory
coretrajectoryinclude_HEADERS = \
	src/core/trajectory/ted.h \
	$(NULL)

reel_sources += \
	src/core/trajectory/episode-bounds.c \
	src/core/trajectory/episode-bounds-kernel.h \
	src/core/trajectory/find-trajectories.c \
	src/core/trajectory/reward-to-go.c \
	src/core/trajectory/split-trajectories.c \
	src/core/trajectory/step-mdp.c \
	$(NULL)

reel_kernels += \
	src/core/trajectory/episode-bounds-kernel.c \
	$(NULL)
