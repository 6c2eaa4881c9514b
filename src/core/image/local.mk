coreimageincludedir = $(reelincludedir)/core/image
coreimageinclude_HEADERS = \
	src/core/image/image.h \
	src/core/image/image-draw.h \
	src/core/image/plot.h \
	$(NULL)

reel_sources += \
	src/core/image/canvas.c \
	src/core/image/canvas.h \
	src/core/image/canvas-cover.c \
	src/core/image/canvas-curve.c \
	src/core/image/canvas-exact.c \
	src/core/image/canvas-private.h \
	src/core/image/image-draw.c \
	src/core/image/image-text.c \
	src/core/image/plot.c \
	src/core/image/plot-axes.c \
	src/core/image/plot-private.h \
	$(NULL)

# The one file that sees libpng.
noinst_LTLIBRARIES += libreel-png.la
libreel_png_la_SOURCES = src/core/image/image.c
libreel_png_la_CFLAGS = $(AM_CFLAGS) $(PNG_CFLAGS)
libreel_png_la_LIBADD = $(PNG_LIBS)
reel_libraries += libreel-png.la

# The one file that sees libjpeg.
noinst_LTLIBRARIES += libreel-jpeg.la
libreel_jpeg_la_SOURCES = src/core/image/image-jpeg.c
libreel_jpeg_la_CFLAGS = $(AM_CFLAGS) $(JPEG_CFLAGS)
libreel_jpeg_la_LIBADD = $(JPEG_LIBS)
reel_libraries += libreel-jpeg.la
