/* Samplers of slices of trajectories: what their properties cannot hold. */
#pragma once

#include "sampler.h"

G_BEGIN_DECLS

/**
 * reel_slice_sampler_set_marks:
 * @self: a sampler of slices that has not drawn yet, with `cache-values` and without keys
 * @trajectories: (nullable) (transfer none): numbers of trajectories, one for each
 *   slot of the storage, `[steps, lanes…]`
 * @ends: (nullable) (transfer none): or bools, true where a step is the last of its trajectory
 * @error: TYPE when @self draws no slices; RUNTIME for both tensors, beside keys, without
 *   `cache-values`. A size that does not fit the storage is said when it draws
 *
 * Says where trajectories are instead of columns of the storage: TorchRL's arguments `trajectories`
 * and `ends`. The tensors are read as rows are written, and must not change.
 *
 * Returns: whether they will be used
 */
REEL_API
gboolean reel_slice_sampler_set_marks (ReelSampler *self, ReelTensor *trajectories,
                                       ReelTensor *ends, GError **error);

G_END_DECLS
