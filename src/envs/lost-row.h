/* Observations that were lost. Private. */
#pragma once

#include "../core/tensor/dtype.h"

G_BEGIN_DECLS

/**
 * reel_write_lost_row:
 * @dtype: of the leaf
 * @row: (out): a row of it
 * @bytes: of the row
 *
 * Writes that there is nothing: NaN, −1 for whole numbers with a sign, 0 for the rest.
 */
void reel_write_lost_row (ReelDtype dtype, guint8 *row, gsize bytes);

G_END_DECLS
