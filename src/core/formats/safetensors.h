/* Weights as Hugging Face's safetensors stores them, read. */
#pragma once

#include "../tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * reel_safetensors_load:
 * @path: a `.safetensors` file
 * @error: DAMAGED naming the file, the tensor, found and expected: a header that is longer than the
 *   file or no JSON, a tensor whose bytes are not as many as its dtype and shape need, tensors that
 *   overlap or leave a gap, bytes behind the last; NOT_IMPLEMENTED for a dtype that tensors lack,
 *   such as F8_E4M3; KEY for a name that cannot be a key; IO, NO_SPACE
 *
 * Reads a whole file. `__metadata__` is left out. Source: the format of safetensors 0.4: eight
 * bytes of length, little-endian, so many bytes of JSON, then the elements.
 *
 * Returns: (transfer full): a tensordict `[]` of the tensors, by their names: `0.weight` is one
 * key, and a `/` nests
 */
REEL_API
ReelTensordict *reel_safetensors_load (const char *path, GError **error);

G_END_DECLS
