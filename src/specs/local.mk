specsincludedir = $(reelincludedir)/specs
specsinclude_HEADERS = \
	src/specs/spec.h \
	src/specs/spec-attributes.h \
	src/specs/spec-classes.h \
	src/specs/spec-keys.h \
	src/specs/spec-shape.h \
	src/specs/spec-stack.h \
	src/specs/spec-text.h \
	src/specs/spec-values.h \
	$(NULL)

reel_sources += \
	src/specs/element.c \
	src/specs/element.h \
	src/specs/parameter.c \
	src/specs/parameter.h \
	src/specs/spec.c \
	src/specs/spec-change.h \
	src/specs/spec-form.h \
	src/specs/spec-kind.h \
	$(NULL)
