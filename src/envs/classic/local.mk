reel_sources += \
	src/envs/classic/acrobot-drawing.c \
	src/envs/classic/acrobot-kernel.h \
	src/envs/classic/cartpole-drawing.c \
	src/envs/classic/cartpole-kernel.h \
	src/envs/classic/classic-drawing.h \
	src/envs/classic/classic-env.c \
	src/envs/classic/classic-env.h \
	src/envs/classic/classic-kernel.h \
	src/envs/classic/mountain-car.c \
	src/envs/classic/mountain-car.h \
	src/envs/classic/mountain-car-drawing.c \
	src/envs/classic/mountain-car-kernel.h \
	src/envs/classic/pendulum-drawing.c \
	src/envs/classic/pendulum-kernel.h \
	$(NULL)

reel_classes += \
	src/envs/classic/acrobot-env.c \
	src/envs/classic/cartpole-env.c \
	src/envs/classic/mountain-car-continuous-env.c \
	src/envs/classic/mountain-car-env.c \
	src/envs/classic/pendulum-env.c \
	$(NULL)

reel_kernels += \
	src/envs/classic/acrobot-kernel.c \
	src/envs/classic/cartpole-kernel.c \
	src/envs/classic/mountain-car-kernel.c \
	src/envs/classic/pendulum-kernel.c \
	$(NULL)
