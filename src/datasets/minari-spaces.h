/* Spaces of Gymnasium as Minari writes them, for keys whose specs are known and for others. Private
 * to the library. */
#pragma once

#include "../core/tensor/tensor.h"

#include <jansson.h>

G_BEGIN_DECLS

/**
 * ReelMinariForm:
 * @REEL_MINARI_AS_IS: as they are
 * @REEL_MINARI_INTEGER: as int64
 * @REEL_MINARI_BITS: as int8
 * @REEL_MINARI_CLASS: a one-hot vector as the number of its class, int64
 *
 * How elements of a space are stored.
 */
typedef enum
{
  REEL_MINARI_AS_IS,
  REEL_MINARI_INTEGER,
  REEL_MINARI_BITS,
  REEL_MINARI_CLASS,
} ReelMinariForm;

/**
 * reel_minari_space_put:
 * @text: gets the space: `{"type": "Box", ...}`
 * @spec: (nullable): the spec of the key, as reel_spec_to_json() describes it
 * @dtype: type of its elements
 * @ndim: dimensions of a row
 * @shape: (array length=ndim): extents of a row
 * @n_classes: numbers that it may be, from 0 on, where that is known of a single integer; else 0
 *
 * Returns: how rows of the key are stored
 */
ReelMinariForm reel_minari_space_put (GString *text, const json_t *spec, ReelDtype dtype, gint ndim,
                                      const gint64 *shape, gint64 n_classes);

G_END_DECLS
