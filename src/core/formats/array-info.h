/* An array in a file: its name, type and shape. Private to the library. */
#pragma once

#include "../tensor/tensor.h"

G_BEGIN_DECLS

/**
 * ReelArrayInfo:
 * @name: its path in the file, components joined by `/`
 * @dtype: the type of its elements, −1 for what no tensor has: text, references
 * @ndim: dimensions
 * @shape: extents
 *
 * An array of a file.
 */
typedef struct
{
  char *name;
  gint dtype;
  gint ndim;
  gint64 shape[REEL_MAX_NDIM];
} ReelArrayInfo;

/**
 * reel_array_infos_new:
 *
 * Returns: (transfer full) (element-type ReelArrayInfo): an empty array, which frees the names
 */
GArray *reel_array_infos_new (void);

G_END_DECLS
