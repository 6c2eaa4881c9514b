/* A lazy stack of three elements, which can be dense or ragged, and what looks at such. */
#pragma once

#include "filled-tensors.h"

/* Element @i, in row-major order, of the int64 tensor @path, stacked where it must be. */
gint64 int_at (ReelTensordict *td, const char *path, gint64 i);

/* Three elements of batch size [2, 2] along dimension 1; `a` says element, row and column, a digit
 * each. With `x`, which has 1, 2 and 3 columns, or without. */
ReelTensordict *new_three_elements (gboolean with_x);

/* The result of an index as Python writes it. */
ReelTensordict *index_text (ReelTensordict *td, const char *text);
