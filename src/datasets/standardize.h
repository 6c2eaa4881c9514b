/* Columns of a table with mean 0 and variance 1, as scikit-learn computes them. Private to the
 * library. */
#pragma once

#include "../core/tensor/tensor.h"

G_BEGIN_DECLS

/**
 * reel_standardize:
 * @table: mapped, float64 `[rows, columns]`, contiguous
 * @n_columns: how many of its first columns
 *
 * Subtracts the mean of a column and divides by its standard deviation, that of all rows; columns
 * of one value become 0. To the bit what StandardScaler (scikit-learn 1.9) makes of a table of
 * pandas, whose columns are contiguous: sums are those of NumPy, pairwise. Reads the table three
 * times, and holds some of its rows.
 */
void reel_standardize (const ReelTensor *table, gint64 n_columns);

G_END_DECLS
