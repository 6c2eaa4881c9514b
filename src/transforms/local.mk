transformsincludedir = $(reelincludedir)/transforms
transformsinclude_HEADERS = \
	src/transforms/compose.h \
	src/transforms/multi-step.h \
	src/transforms/transform.h \
	src/transforms/vec-norm.h \
	$(NULL)

reel_sources += \
	src/transforms/affine.c \
	src/transforms/affine.h \
	src/transforms/callback-transform.c \
	src/transforms/cat-frames.h \
	src/transforms/crop-window.c \
	src/transforms/crop-window.h \
	src/transforms/episode-rewards.c \
	src/transforms/episode-rewards.h \
	src/transforms/exclude-transform.h \
	src/transforms/frame-stack.c \
	src/transforms/frame-stack.h \
	src/transforms/frame-windows.c \
	src/transforms/frame-windows.h \
	src/transforms/image-kernel.h \
	src/transforms/image-layout.c \
	src/transforms/image-layout.h \
	src/transforms/image-lines.c \
	src/transforms/image-lines.h \
	src/transforms/image-pass.c \
	src/transforms/image-pass.h \
	src/transforms/image-resize.c \
	src/transforms/image-resize.h \
	src/transforms/image-spec.c \
	src/transforms/image-spec.h \
	src/transforms/join.c \
	src/transforms/join.h \
	src/transforms/lane-join.c \
	src/transforms/lane-join.h \
	src/transforms/lane-plan.c \
	src/transforms/lane-plan.h \
	src/transforms/lane-works.c \
	src/transforms/link-kernel.h \
	src/transforms/multi-step.c \
	src/transforms/multi-step-kernel.h \
	src/transforms/observation-norm.h \
	src/transforms/pointwise.c \
	src/transforms/pointwise.h \
	src/transforms/pointwise-kernel.h \
	src/transforms/resampling.c \
	src/transforms/resampling.h \
	src/transforms/reshape.c \
	src/transforms/reshape.h \
	src/transforms/running-norm.c \
	src/transforms/running-norm.h \
	src/transforms/running-norm-kernel.h \
	src/transforms/transform.c \
	src/transforms/transform-keys.c \
	src/transforms/transform-private.h \
	src/transforms/transform-spec.c \
	$(NULL)

reel_classes += \
	src/transforms/action-discretizer.c \
	src/transforms/binarize-reward.c \
	src/transforms/cat-frames.c \
	src/transforms/cat-tensors.c \
	src/transforms/center-crop.c \
	src/transforms/clip-transform.c \
	src/transforms/compose.c \
	src/transforms/crop.c \
	src/transforms/densify-reward.c \
	src/transforms/dtype-cast.c \
	src/transforms/exclude-transform.c \
	src/transforms/finite-check.c \
	src/transforms/flatten-observation.c \
	src/transforms/frame-skip.c \
	src/transforms/gray-scale.c \
	src/transforms/init-tracker.c \
	src/transforms/invert-transform.c \
	src/transforms/linearise-rewards.c \
	src/transforms/multi-step-transform.c \
	src/transforms/next-state.c \
	src/transforms/noop-reset.c \
	src/transforms/observation-norm.c \
	src/transforms/permute-transform.c \
	src/transforms/random-crop-tensordict.c \
	src/transforms/rename-transform.c \
	src/transforms/resize.c \
	src/transforms/reward-clipping.c \
	src/transforms/reward-scaling.c \
	src/transforms/reward-sum.c \
	src/transforms/reward-to-go-transform.c \
	src/transforms/select-transform.c \
	src/transforms/sign-transform.c \
	src/transforms/squeeze-transform.c \
	src/transforms/stack-transform.c \
	src/transforms/step-counter.c \
	src/transforms/target-return.c \
	src/transforms/time-max-pool.c \
	src/transforms/to-tensor-image.c \
	src/transforms/traj-counter.c \
	src/transforms/unsqueeze-transform.c \
	src/transforms/vec-norm.c \
	src/transforms/vec-norm-v2.c \
	$(NULL)

reel_kernels += \
	src/transforms/image-kernel.c \
	src/transforms/link-kernel.c \
	src/transforms/multi-step-kernel.c \
	src/transforms/pointwise-kernel.c \
	src/transforms/running-norm-kernel.c \
	$(NULL)
