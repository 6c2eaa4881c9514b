policiesincludedir = $(reelincludedir)/policies
policiesinclude_HEADERS = \
	src/policies/policy.h \
	$(NULL)

reel_sources += \
	src/policies/action-mask.c \
	src/policies/action-mask.h \
	src/policies/callback-policy.c \
	src/policies/policy.c \
	src/policies/policy-leaves.c \
	src/policies/policy-leaves.h \
	$(NULL)

reel_classes += \
	src/policies/constant-policy.c \
	src/policies/random-policy.c \
	$(NULL)
