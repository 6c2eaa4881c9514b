reel_sources += \
	src/specs/text/spec-describe.c \
	src/specs/text/spec-form.c \
	src/specs/text/spec-format.c \
	src/specs/text/spec-text.c \
	$(NULL)
