policiesincludedir = $(reelincludedir)/policies
policiesinclude_HEADERS = \
	src/policies/policy.h \
	$(NULL)

reel_sources += \
	src/policies/action-mask.c \
	src/policies/action-mask.h \
	src/policies/callback-policy.c \
	src/policies/policy.c \
	$(NULL)

reel_classes += \
	src/policies/random-policy.c \
	$(NULL)
