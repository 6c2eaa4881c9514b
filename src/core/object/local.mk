coreobjectincludedir = $(reelincludedir)/core/object
coreobjectinclude_HEADERS = \
	src/core/object/error.h \
	src/core/object/macros.h \
	src/core/object/object.h \
	$(NULL)

reel_sources += \
	src/core/object/closest-word.c \
	src/core/object/error.c \
	src/core/object/number.c \
	src/core/object/number.h \
	src/core/object/object.c \
	src/core/object/object-text.c \
	src/core/object/property.c \
	src/core/object/property.h \
	src/core/object/property-text.c \
	src/core/object/registry.c \
	src/core/object/registry.h \
	src/core/object/settings.c \
	src/core/object/settings.h \
	src/core/object/text.c \
	src/core/object/text.h \
	$(NULL)
