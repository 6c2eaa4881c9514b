specsincludedir = $(reelincludedir)/specs
specsinclude_HEADERS = \
	src/specs/choice-spec.h \
	src/specs/composite-values.h \
	src/specs/env-spec.h \
	src/specs/non-tensor-spec.h \
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
	src/specs/binary-spec.c \
	src/specs/bounded-spec.c \
	src/specs/bounded-spec.h \
	src/specs/bounds.c \
	src/specs/bounds.h \
	src/specs/bounds-kernel.h \
	src/specs/categorical-spec.c \
	src/specs/choice-non-tensors.c \
	src/specs/choice-private.h \
	src/specs/choice-spec.c \
	src/specs/choice-tensors.c \
	src/specs/class-enumerate.c \
	src/specs/class-forms.c \
	src/specs/class-integers.c \
	src/specs/class-one-hot.c \
	src/specs/class-spec.c \
	src/specs/class-spec.h \
	src/specs/class-text.c \
	src/specs/class-vectors.c \
	src/specs/composite-check.c \
	src/specs/composite-encode.c \
	src/specs/composite-enumerate.c \
	src/specs/composite-form.c \
	src/specs/composite-spec.c \
	src/specs/composite-spec.h \
	src/specs/composite-values.c \
	src/specs/element.c \
	src/specs/element.h \
	src/specs/env-spec.c \
	src/specs/mask.c \
	src/specs/mask.h \
	src/specs/multi-categorical-spec.c \
	src/specs/multi-one-hot-spec.c \
	src/specs/non-tensor-spec.c \
	src/specs/normal.c \
	src/specs/normal.h \
	src/specs/one-hot-kernel.h \
	src/specs/one-hot-spec.c \
	src/specs/parameter.c \
	src/specs/parameter.h \
	src/specs/plain.c \
	src/specs/plain.h \
	src/specs/spec.c \
	src/specs/spec-attributes.c \
	src/specs/spec-change.c \
	src/specs/spec-change.h \
	src/specs/spec-classes.c \
	src/specs/spec-consolidate.c \
	src/specs/spec-describe.c \
	src/specs/spec-encode.c \
	src/specs/spec-form.c \
	src/specs/spec-form.h \
	src/specs/spec-format.c \
	src/specs/spec-index.c \
	src/specs/spec-keys.c \
	src/specs/spec-kind.h \
	src/specs/spec-shape.c \
	src/specs/spec-stack.c \
	src/specs/spec-text.c \
	src/specs/spec-values.c \
	src/specs/stacked-change.c \
	src/specs/stacked-spec.c \
	src/specs/stacked-spec.h \
	src/specs/stacked-values.c \
	src/specs/unbounded-spec.c \
	$(NULL)

reel_kernels += \
	src/specs/bounds-kernel.c \
	src/specs/one-hot-kernel.c \
	$(NULL)
