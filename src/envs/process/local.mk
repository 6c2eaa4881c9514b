reel_sources += \
	src/envs/process/child-columns.c \
	src/envs/process/child-columns.h \
	$(NULL)

reel_classes += \
	src/envs/process/exec-env.c \
	$(NULL)
