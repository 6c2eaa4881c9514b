envsprocessincludedir = $(reelincludedir)/envs/process
envsprocessinclude_HEADERS = \
	src/envs/process/parallel-env.h \
	$(NULL)

reel_sources += \
	src/envs/process/async-lanes.c \
	src/envs/process/async-lanes.h \
	src/envs/process/async-steps.c \
	src/envs/process/exec-columns.c \
	src/envs/process/exec-columns.h \
	src/envs/process/process-lanes.c \
	src/envs/process/process-lanes.h \
	src/envs/process/shared-lanes.c \
	src/envs/process/shared-lanes.h \
	$(NULL)

reel_classes += \
	src/envs/process/exec-env.c \
	src/envs/process/parallel-env.c \
	$(NULL)
