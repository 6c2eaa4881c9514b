ranksincludedir = $(reelincludedir)/ranks
ranksinclude_HEADERS = \
	src/ranks/ranks.h \
	src/ranks/remote-buffer.h \
	$(NULL)

reel_sources += \
	src/ranks/buffer-call.h \
	src/ranks/mpi-library.c \
	src/ranks/mpi-library.h \
	src/ranks/rank-collecting.c \
	src/ranks/rank-collecting.h \
	src/ranks/rank-lanes.c \
	src/ranks/rank-lanes.h \
	src/ranks/rank-messages.c \
	src/ranks/rank-peer.c \
	src/ranks/rank-peer.h \
	src/ranks/rank-tensordict.c \
	src/ranks/rank-tensordict.h \
	src/ranks/rank-watch.c \
	src/ranks/rank-watch.h \
	src/ranks/ranks-agreement.c \
	src/ranks/ranks-asking.c \
	src/ranks/ranks-async.c \
	src/ranks/ranks-collector-private.h \
	src/ranks/ranks-place.c \
	src/ranks/ranks.c \
	src/ranks/ranks-private.h \
	src/ranks/ranks-results.c \
	src/ranks/ranks-service.c \
	src/ranks/ranks-shares.c \
	src/ranks/ranks-state.c \
	src/ranks/ranks-sync.c \
	src/ranks/remote-buffer.c \
	$(NULL)

reel_classes += \
	src/ranks/ranks-collector.c \
	$(NULL)
