/* The codes by which NumPy names types of elements, without their order of bytes: f4 for float32.
 * Private to the library. */
#pragma once

#include "../tensor/tensor.h"

G_BEGIN_DECLS

/**
 * reel_numpy_find_type:
 * @code: such as `f4`
 *
 * Returns: the #ReelDtype, or −1 for a type that no tensor has
 */
gint reel_numpy_find_type (const char *code);

/**
 * reel_numpy_get_code:
 * @dtype: a type
 *
 * Returns: (nullable): its code; %NULL for a type that NumPy lacks
 */
const char *reel_numpy_get_code (ReelDtype dtype);

G_END_DECLS
