coremathincludedir = $(reelincludedir)/core/math
coremathinclude_HEADERS = \
	src/core/math/random.h \
	$(NULL)

reel_sources += \
	src/core/math/exp-kernel.h \
	src/core/math/isa.c \
	src/core/math/isa.h \
	src/core/math/pcg64.h \
	src/core/math/pcg64-vector.h \
	src/core/math/power-kernel.h \
	src/core/math/random.c \
	src/core/math/random-kernel.h \
	src/core/math/sine-kernel.h \
	src/core/math/vector.h \
	src/core/math/ziggurat.c \
	src/core/math/ziggurat-tables.h \
	$(NULL)

reel_kernels += \
	src/core/math/exp-kernel.c \
	src/core/math/power-kernel.c \
	src/core/math/random-kernel.c \
	$(NULL)
