transformsincludedir = $(reelincludedir)/transforms
transformsinclude_HEADERS = \
	src/transforms/compose.h \
	src/transforms/multi-step.h \
	src/transforms/transform.h \
	$(NULL)

reel_sources += \
	src/transforms/callback-transform.c \
	src/transforms/frame-windows.c \
	src/transforms/frame-windows.h \
	src/transforms/image-kernel.h \
	src/transforms/image-layout.c \
	src/transforms/image-layout.h \
	src/transforms/image-lines.c \
	src/transforms/image-lines.h \
	src/transforms/image-resize.c \
	src/transforms/image-resize.h \
	src/transforms/image-spec.c \
	src/transforms/image-spec.h \
	src/transforms/multi-step.c \
	src/transforms/multi-step-kernel.h \
	src/transforms/resampling.c \
	src/transforms/resampling.h \
	src/transforms/transform.c \
	src/transforms/transform-keys.c \
	src/transforms/transform-private.h \
	src/transforms/transform-spec.c \
	$(NULL)

reel_classes += \
	src/transforms/cat-frames.c \
	src/transforms/cat-tensors.c \
	src/transforms/compose.c \
	src/transforms/exclude-transform.c \
	src/transforms/gray-scale.c \
	src/transforms/invert-transform.c \
	src/transforms/multi-step-transform.c \
	src/transforms/random-crop-tensordict.c \
	src/transforms/rename-transform.c \
	src/transforms/resize.c \
	src/transforms/select-transform.c \
	src/transforms/to-tensor-image.c \
	$(NULL)

reel_kernels += \
	src/transforms/image-kernel.c \
	src/transforms/multi-step-kernel.c \
	$(NULL)
