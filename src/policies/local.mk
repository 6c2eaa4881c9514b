policiesincludedir = $(reelincludedir)/policies
policiesinclude_HEADERS = \
	src/policies/policy.h \
	$(NULL)

reel_sources += \
	src/policies/callback-policy.c \
	src/policies/mlp-cell.c \
	src/policies/mlp-cell.h \
	src/policies/callback-share.c \
	src/policies/callback-share.h \
	src/policies/mlp-head.c \
	src/policies/mlp-head.h \
	src/policies/mlp-kernel.h \
	src/policies/mlp-names.c \
	src/policies/mlp-names.h \
	src/policies/mlp-network.c \
	src/policies/mlp-network.h \
	src/policies/policy.c \
	src/policies/policy-leaves.c \
	src/policies/policy-leaves.h \
	src/policies/shared-weights.c \
	src/policies/shared-weights.h \
	src/policies/weights-board.c \
	src/policies/weights-board.h \
	src/policies/weights-file.c \
	src/policies/weights-file.h \
	src/policies/policy-share.h \
	src/policies/policy-weights.h \
	$(NULL)

reel_classes += \
	src/policies/constant-policy.c \
	src/policies/exec-policy.c \
	src/policies/lane-range-policy.c \
	src/policies/mlp-policy.c \
	src/policies/random-policy.c \
	$(NULL)

reel_kernels += \
	src/policies/mlp-kernel.c \
	$(NULL)
