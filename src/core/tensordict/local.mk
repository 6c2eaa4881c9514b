coretensordictincludedir = $(reelincludedir)/core/tensordict
coretensordictinclude_HEADERS = \
	src/core/tensordict/lazy-stack.h \
	src/core/tensordict/non-tensor.h \
	src/core/tensordict/record.h \
	src/core/tensordict/shape.h \
	src/core/tensordict/tensordict.h \
	src/core/tensordict/tensordict-apply.h \
	src/core/tensordict/tensordict-compare.h \
	src/core/tensordict/tensordict-index.h \
	src/core/tensordict/tensordict-keys.h \
	src/core/tensordict/tensordict-update.h \
	src/core/tensordict/tree.h \
	$(NULL)

reel_sources += \
	src/core/tensordict/component-print.c \
	src/core/tensordict/component-print.h \
	src/core/tensordict/lazy-stack.c \
	src/core/tensordict/lazy-stack-index.c \
	src/core/tensordict/lazy-stack-private.h \
	src/core/tensordict/lazy-stack-shape.c \
	src/core/tensordict/non-tensor.c \
	src/core/tensordict/non-tensor-print.c \
	src/core/tensordict/non-tensor-private.h \
	src/core/tensordict/path.c \
	src/core/tensordict/ragged.c \
	src/core/tensordict/ragged.h \
	src/core/tensordict/record.c \
	src/core/tensordict/shape-copies.c \
	src/core/tensordict/shape-operation.h \
	src/core/tensordict/shape-views.c \
	src/core/tensordict/state-values.c \
	src/core/tensordict/state-values.h \
	src/core/tensordict/take.c \
	src/core/tensordict/take.h \
	src/core/tensordict/tensor-shape.c \
	src/core/tensordict/tensor-take.c \
	src/core/tensordict/tensor-view.c \
	src/core/tensordict/tensordict.c \
	src/core/tensordict/tensordict-apply.c \
	src/core/tensordict/tensordict-batch.c \
	src/core/tensordict/tensordict-class.c \
	src/core/tensordict/tensordict-combine.c \
	src/core/tensordict/tensordict-compare.c \
	src/core/tensordict/tensordict-equal.c \
	src/core/tensordict/tensordict-index.c \
	src/core/tensordict/tensordict-keys.c \
	src/core/tensordict/tensordict-lock.c \
	src/core/tensordict/tensordict-lookup.c \
	src/core/tensordict/tensordict-names.c \
	src/core/tensordict/tensordict-print.c \
	src/core/tensordict/tensordict-private.h \
	src/core/tensordict/tensordict-rename.c \
	src/core/tensordict/tensordict-set.c \
	src/core/tensordict/tensordict-shape.c \
	src/core/tensordict/tensordict-stack.c \
	src/core/tensordict/tensordict-update.c \
	src/core/tensordict/tensordict-value.c \
	src/core/tensordict/tensordict-walk.c \
	src/core/tensordict/tree.c \
	src/core/tensordict/tree-private.h \
	src/core/tensordict/variant.c \
	src/core/tensordict/variant.h \
	src/core/tensordict/variant-json.c \
	src/core/tensordict/variant-repr.c \
	$(NULL)
