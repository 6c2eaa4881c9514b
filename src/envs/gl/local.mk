reel_sources += \
	src/envs/gl/gl.c \
	src/envs/gl/gl-context.h \
	src/envs/gl/gl-driver.h \
	src/envs/gl/gl-egl.c \
	src/envs/gl/gl-library.c \
	src/envs/gl/gl-osmesa.c \
	src/envs/gl/gl-read-back.c \
	$(NULL)

envsglincludedir = $(reelincludedir)/envs/gl
envsglinclude_HEADERS = \
	src/envs/gl/gl.h \
	$(NULL)
