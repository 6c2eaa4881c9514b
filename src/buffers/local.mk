buffersincludedir = $(reelincludedir)/buffers
buffersinclude_HEADERS = \
	src/buffers/buffer-index.h \
	src/buffers/hindsight-transform.h \
	src/buffers/replay-buffer.h \
	src/buffers/stacked-frames.h \
	$(NULL)

reel_sources += \
	src/buffers/batch.c \
	src/buffers/batch.h \
	src/buffers/buffer-home.h \
	src/buffers/buffer-index.c \
	src/buffers/buffer-priority.c \
	src/buffers/buffer-sample.c \
	src/buffers/buffer-sample.h \
	src/buffers/buffer-stream.c \
	src/buffers/buffer-stream.h \
	src/buffers/buffer-transform.c \
	src/buffers/buffer-transform.h \
	src/buffers/buffer-write.c \
	src/buffers/cold-rows.c \
	src/buffers/cold-rows.h \
	src/buffers/lane-rows.c \
	src/buffers/lane-rows.h \
	src/buffers/prefetch.c \
	src/buffers/prefetch.h \
	src/buffers/replay-buffer-private.h \
	src/buffers/replay-buffer.c \
	src/buffers/replay-read.c \
	src/buffers/sampling.c \
	src/buffers/sampling.h \
	src/buffers/sampling-info.c \
	src/buffers/stacked-frames.c \
	$(NULL)

reel_classes += \
	src/buffers/hindsight-transform.c \
	$(NULL)
