reel_sources += \
	src/specs/child/child-columns.c \
	src/specs/child/child-columns.h \
	src/specs/child/child-talk.c \
	src/specs/child/child-talk.h \
	$(NULL)
