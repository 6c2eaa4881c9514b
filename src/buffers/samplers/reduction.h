/* How several priorities of a row become one. Private. */
#pragma once

#include "../../core/object/error.h"

G_BEGIN_DECLS

/**
 * ReelReduceFunc:
 * @values: (array length=n): some reals, which may be brought into another order
 * @n: how many, at least 1
 *
 * Returns: one for all; NaN where there is one among them
 */
typedef double (*ReelReduceFunc) (double *values, gint64 n);

/**
 * reel_find_reduction:
 * @name: `max`, `min`, `mean`, `median` (of two in the middle the lower) or `sum`
 * @error: NOT_IMPLEMENTED for another name
 *
 * Returns: the function, %NULL on failure
 */
ReelReduceFunc reel_find_reduction (const char *name, GError **error);

G_END_DECLS
