/* Weights in a directory that another process writes: a mapped tensordict with a version. Private.
 */
#pragma once

#include "../core/tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * REEL_SHARED_VERSION:
 *
 * The key of the version.
 */
#define REEL_SHARED_VERSION "version"

/**
 * reel_shared_weights_is_shared:
 * @tensors: a tensordict
 *
 * Returns: whether it has the leaf `version`, an int64, beside its tensors
 */
gboolean reel_shared_weights_is_shared (const ReelTensordict *tensors);

/**
 * reel_shared_weights_get_version:
 * @tensors: mapped weights that are shared
 *
 * The leaf `version`: it is odd while the weights are written, and even once they are whole. Reads
 * of tensors that came before it are complete, later ones have not begun. Any thread.
 *
 * Returns: the number
 */
gint64 reel_shared_weights_get_version (const ReelTensordict *tensors);

G_END_DECLS
