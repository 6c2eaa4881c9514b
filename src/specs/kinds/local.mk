reel_sources += \
	src/specs/kinds/binary-spec.c \
	src/specs/kinds/bounded-spec.c \
	src/specs/kinds/bounded-spec.h \
	src/specs/kinds/bounds.c \
	src/specs/kinds/bounds.h \
	src/specs/kinds/bounds-kernel.h \
	src/specs/kinds/categorical-spec.c \
	src/specs/kinds/choice-non-tensors.c \
	src/specs/kinds/choice-private.h \
	src/specs/kinds/choice-spec.c \
	src/specs/kinds/choice-tensors.c \
	src/specs/kinds/class-enumerate.c \
	src/specs/kinds/class-forms.c \
	src/specs/kinds/class-integers.c \
	src/specs/kinds/class-one-hot.c \
	src/specs/kinds/class-spec.c \
	src/specs/kinds/class-spec.h \
	src/specs/kinds/class-text.c \
	src/specs/kinds/class-vectors.c \
	src/specs/kinds/composite-check.c \
	src/specs/kinds/composite-encode.c \
	src/specs/kinds/composite-enumerate.c \
	src/specs/kinds/composite-form.c \
	src/specs/kinds/composite-spec.c \
	src/specs/kinds/composite-spec.h \
	src/specs/kinds/composite-values.c \
	src/specs/kinds/env-spec.c \
	src/specs/kinds/mask.c \
	src/specs/kinds/mask.h \
	src/specs/kinds/multi-categorical-spec.c \
	src/specs/kinds/multi-one-hot-spec.c \
	src/specs/kinds/non-tensor-spec.c \
	src/specs/kinds/normal.c \
	src/specs/kinds/normal.h \
	src/specs/kinds/one-hot-kernel.h \
	src/specs/kinds/one-hot-spec.c \
	src/specs/kinds/stacked-change.c \
	src/specs/kinds/stacked-spec.c \
	src/specs/kinds/stacked-spec.h \
	src/specs/kinds/stacked-values.c \
	src/specs/kinds/unbounded-spec.c \
	$(NULL)

reel_kernels += \
	src/specs/kinds/bounds-kernel.c \
	src/specs/kinds/one-hot-kernel.c \
	$(NULL)

specskindsincludedir = $(reelincludedir)/specs/kinds
specskindsinclude_HEADERS = \
	src/specs/kinds/choice-spec.h \
	src/specs/kinds/composite-values.h \
	src/specs/kinds/env-spec.h \
	src/specs/kinds/non-tensor-spec.h \
	$(NULL)
