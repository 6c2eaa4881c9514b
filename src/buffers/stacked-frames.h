/* Buffers that store single frames and show stacks of them. */
#pragma once

#include "../transforms/transform.h"
#include "samplers/sampler.h"

G_BEGIN_DECLS

/**
 * reel_cat_frames_make_transform_and_sampler:
 * @frames: a `cat-frames` as it serves an env; it stays as it is
 * @arguments: (nullable): further arguments of the sampler, such as `traj-key=episode`
 * @transform: (out) (transfer full): what a buffer is to be given: for each in-key the stack, also
 *   that of `next`; of a batch one row for each slice
 * @sampler: (out) (transfer full): slices of as many rows as a stack has frames
 * @error: TYPE for another transform; VALUE for one that joins frames of the future or on write;
 *   as reel_object_new_from_text() for @arguments
 *
 * TorchRL's `CatFrames.make_rb_transform_and_sampler()`. The buffer stores the frames alone: rows
 * that contain stacks too, as an env behind @frames gives them, are written without those, unless
 * their keys are those of the frames. A sample of n rows draws n slices. Trajectories that are
 * shorter than a stack are not drawn, but with `strict-length=false`.
 *
 * Returns: whether both were made
 */
REEL_API
gboolean reel_cat_frames_make_transform_and_sampler (ReelTransform *frames, const char *arguments,
                                                     ReelTransform **transform,
                                                     ReelSampler **sampler, GError **error);

G_END_DECLS
