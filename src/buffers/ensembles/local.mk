ensemblesincludedir = $(buffersincludedir)/ensembles
ensemblesinclude_HEADERS = \
	src/buffers/ensembles/ensemble-files.h \
	src/buffers/ensembles/offline-to-online-buffer.h \
	src/buffers/ensembles/replay-buffer-ensemble.h \
	src/buffers/ensembles/verify.h \
	$(NULL)

reel_sources += \
	src/buffers/ensembles/ensemble-batch.c \
	src/buffers/ensembles/ensemble-batch.h \
	src/buffers/ensembles/ensemble-files.c \
	src/buffers/ensembles/ensemble-flatten.c \
	src/buffers/ensembles/ensemble-index.c \
	src/buffers/ensembles/ensemble-info.c \
	src/buffers/ensembles/ensemble-members.c \
	src/buffers/ensembles/ensemble-members.h \
	src/buffers/ensembles/ensemble-prefetch.c \
	src/buffers/ensembles/ensemble-private.h \
	src/buffers/ensembles/ensemble-sample.c \
	src/buffers/ensembles/ensemble-state.c \
	src/buffers/ensembles/ensemble-write.c \
	src/buffers/ensembles/replay-buffer-ensemble.c \
	src/buffers/ensembles/verify.c \
	$(NULL)

reel_classes += \
	src/buffers/ensembles/offline-to-online-buffer.c \
	$(NULL)
