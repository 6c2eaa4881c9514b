coretensorincludedir = $(reelincludedir)/core/tensor
coretensorinclude_HEADERS = \
	src/core/tensor/dtype.h \
	src/core/tensor/index.h \
	src/core/tensor/memory.h \
	src/core/tensor/tensor.h \
	$(NULL)

reel_sources += \
	src/core/tensor/convert-kernel.h \
	src/core/tensor/dtype.c \
	src/core/tensor/form.c \
	src/core/tensor/form.h \
	src/core/tensor/half.h \
	src/core/tensor/index.c \
	src/core/tensor/index-plan.c \
	src/core/tensor/index-plan.h \
	src/core/tensor/mapped-memory.c \
	src/core/tensor/mapped-memory.h \
	src/core/tensor/memory.c \
	src/core/tensor/shared-memory.c \
	src/core/tensor/shared-memory.h \
	src/core/tensor/select.c \
	src/core/tensor/select-kernel.h \
	src/core/tensor/tensor.c \
	src/core/tensor/tensor-compare.c \
	src/core/tensor/tensor-compare.h \
	src/core/tensor/tensor-copy.c \
	src/core/tensor/tensor-index.c \
	src/core/tensor/tensor-print.c \
	src/core/tensor/tensor-private.h \
	$(NULL)

reel_kernels += \
	src/core/tensor/convert-kernel.c \
	src/core/tensor/select-kernel.c \
	$(NULL)
