samplersincludedir = $(buffersincludedir)/samplers
samplersinclude_HEADERS = \
	src/buffers/samplers/sampler.h \
	src/buffers/samplers/scheduler.h \
	src/buffers/samplers/slice-sampler.h \
	src/buffers/samplers/trajectory-index.h \
	$(NULL)

reel_sources += \
	src/buffers/samplers/callback-scheduler.c \
	src/buffers/samplers/consuming-sampler.h \
	src/buffers/samplers/episode-marks.c \
	src/buffers/samplers/episode-marks.h \
	src/buffers/samplers/pass-list.c \
	src/buffers/samplers/pass-list.h \
	src/buffers/samplers/priorities.c \
	src/buffers/samplers/priorities.h \
	src/buffers/samplers/priorities-follow.c \
	src/buffers/samplers/priorities-private.h \
	src/buffers/samplers/priorities-state.c \
	src/buffers/samplers/priority-updates.c \
	src/buffers/samplers/priorities-weights.c \
	src/buffers/samplers/priority-kernel.h \
	src/buffers/samplers/priority-sampler.c \
	src/buffers/samplers/priority-sampler.h \
	src/buffers/samplers/priority-tree.c \
	src/buffers/samplers/priority-tree.h \
	src/buffers/samplers/priority-tree-kernel.h \
	src/buffers/samplers/range-queue.c \
	src/buffers/samplers/range-queue.h \
	src/buffers/samplers/reduction.c \
	src/buffers/samplers/reduction.h \
	src/buffers/samplers/row-queue.c \
	src/buffers/samplers/row-queue.h \
	src/buffers/samplers/sampler.c \
	src/buffers/samplers/sampler-private.h \
	src/buffers/samplers/scheduler.c \
	src/buffers/samplers/slices.c \
	src/buffers/samplers/slices.h \
	src/buffers/samplers/trajectory-index.c \
	$(NULL)

reel_classes += \
	src/buffers/samplers/consuming-sampler.c \
	src/buffers/samplers/linear-scheduler.c \
	src/buffers/samplers/prioritized-sampler.c \
	src/buffers/samplers/prioritized-slice-sampler.c \
	src/buffers/samplers/random-sampler.c \
	src/buffers/samplers/sequence-sampler.c \
	src/buffers/samplers/slice-sampler.c \
	src/buffers/samplers/slice-without-replacement-sampler.c \
	src/buffers/samplers/staleness-aware-sampler.c \
	src/buffers/samplers/step-scheduler.c \
	src/buffers/samplers/without-replacement-sampler.c \
	$(NULL)

reel_kernels += \
	src/buffers/samplers/priority-kernel.c \
	src/buffers/samplers/priority-tree-kernel.c \
	$(NULL)
