writersincludedir = $(buffersincludedir)/writers
writersinclude_HEADERS = \
	src/buffers/writers/writer.h \
	$(NULL)

reel_sources += \
	src/buffers/writers/max-value-writer.h \
	src/buffers/writers/rank-heap.c \
	src/buffers/writers/rank-heap.h \
	src/buffers/writers/round-robin-writer.h \
	src/buffers/writers/writer.c \
	src/buffers/writers/writer-private.h \
	$(NULL)

reel_classes += \
	src/buffers/writers/immutable-writer.c \
	src/buffers/writers/max-value-writer.c \
	src/buffers/writers/round-robin-writer.c \
	src/buffers/writers/tensordict-round-robin-writer.c \
	$(NULL)
