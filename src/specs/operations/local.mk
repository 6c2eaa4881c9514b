reel_sources += \
	src/specs/operations/action-mask.c \
	src/specs/operations/action-mask.h \
	src/specs/operations/plain.c \
	src/specs/operations/plain.h \
	src/specs/operations/spec-attributes.c \
	src/specs/operations/spec-change.c \
	src/specs/operations/spec-classes.c \
	src/specs/operations/spec-consolidate.c \
	src/specs/operations/spec-encode.c \
	src/specs/operations/spec-index.c \
	src/specs/operations/spec-keys.c \
	src/specs/operations/spec-shape.c \
	src/specs/operations/spec-stack.c \
	src/specs/operations/spec-values.c \
	src/specs/operations/spec-widen.c \
	src/specs/operations/spec-widen.h \
	$(NULL)
