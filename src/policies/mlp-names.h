/* The tensors of a network by their names, in the order of its layers. Private. */
#pragma once

#include "../core/tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * ReelMlpName:
 * @stem: what its tensors begin with, `actor.2.`
 * @tail: what those of a recurrent layer end in, `_l0`, or nothing; %NULL for a linear one
 *
 * A layer: `STEMweight` and `STEMbias`, or `STEMweight_ihTAIL`, `STEMbias_ihTAIL`,
 * `STEMweight_hhTAIL` and `STEMbias_hhTAIL`.
 */
typedef struct
{
  char *stem;
  char *tail;
} ReelMlpName;

/**
 * reel_mlp_names_new:
 * @path: where the tensors come from, for messages
 * @tensors: tensors
 * @prefix: (nullable): what the names begin with
 * @parts: (nullable): the first words of names behind @prefix, in the order of the network; %NULL
 *   where names sort so
 * @error: VALUE naming a tensor that belongs to no layer or to none of @parts; KEY where there is
 *   no layer
 *
 * Numbers in names are compared by value.
 *
 * Returns: (transfer full) (element-type ReelMlpName): the layers, in order
 */
GArray *reel_mlp_names_new (const char *path, const ReelTensordict *tensors, const char *prefix,
                            const char *const *parts, GError **error);

/**
 * reel_mlp_name_get:
 * @self: a layer
 * @tensors: tensors, whose names may have `/` where those of @self have `.`, or the reverse
 * @what: `weight` or `bias`; of a recurrent layer with `_ih` or `_hh`
 * @name: (out) (transfer full): its name
 *
 * Returns: (transfer none) (nullable): the tensor
 */
const ReelTensor *reel_mlp_name_get (const ReelMlpName *self, const ReelTensordict *tensors,
                                     const char *what, char **name);

G_END_DECLS
