/* The reader of weights. Private. */
#pragma once

#include "../core/tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * reel_weights_file_load:
 * @path: a `.safetensors` file, or a tensordict as reel_tensordict_load() takes it
 * @error: IO where nothing is there; else as the readers
 *
 * Returns: (transfer full): its tensors, to be read; those of a directory show what others write
 */
ReelTensordict *reel_weights_file_load (const char *path, GError **error);

G_END_DECLS
