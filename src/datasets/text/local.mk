textincludedir = $(reelincludedir)/datasets/text
textinclude_HEADERS = \
	src/datasets/text/kl-controller.h \
	src/datasets/text/rollout-from-model.h \
	src/datasets/text/text-dataset.h \
	src/datasets/text/text-model.h \
	src/datasets/text/text-records.h \
	src/datasets/text/tokenize.h \
	src/datasets/text/tokenizer.h \
	$(NULL)

reel_sources += \
	src/datasets/text/added-tokens.c \
	src/datasets/text/added-tokens.h \
	src/datasets/text/char-class.c \
	src/datasets/text/char-class.h \
	src/datasets/text/generate.c \
	src/datasets/text/generate.h \
	src/datasets/text/kl-controller.c \
	src/datasets/text/merge-table.c \
	src/datasets/text/merge-table.h \
	src/datasets/text/ngram-tree.c \
	src/datasets/text/ngram-tree.h \
	src/datasets/text/prompt-rows.c \
	src/datasets/text/prompt-rows.h \
	src/datasets/text/rollout-steps.c \
	src/datasets/text/rollout-steps.h \
	src/datasets/text/text-dataset.c \
	src/datasets/text/text-model.c \
	src/datasets/text/text-records.c \
	src/datasets/text/text-rows.c \
	src/datasets/text/text-rows.h \
	src/datasets/text/token-draw.c \
	src/datasets/text/token-draw.h \
	src/datasets/text/token-stream.c \
	src/datasets/text/token-table.c \
	src/datasets/text/token-table.h \
	src/datasets/text/tokenize.c \
	src/datasets/text/tokenizer.c \
	src/datasets/text/tokenizer-decode.c \
	src/datasets/text/tokenizer-file.c \
	src/datasets/text/tokenizer-private.h \
	src/datasets/text/unicode-runs.c \
	src/datasets/text/word-cache.c \
	src/datasets/text/word-cache.h \
	src/datasets/text/word-merger.c \
	src/datasets/text/word-merger.h \
	src/datasets/text/word-scanner.c \
	src/datasets/text/word-scanner.h \
	$(NULL)

reel_classes += \
	src/datasets/text/adaptive-kl-controller.c \
	src/datasets/text/constant-kl-controller.c \
	src/datasets/text/exec-model.c \
	src/datasets/text/ngram-model.c \
	src/datasets/text/rollout-from-model.c \
	$(NULL)
