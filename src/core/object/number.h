/* Numbers as people write them: 1000, 1e6, 1M, 1_000_000, 2.5k. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * reel_parse_double:
 * @text: a number; `inf` and `-inf` too
 * @value: (out): the nearest double
 *
 * The counterpart of reel_parse_int64() for reals.
 *
 * Returns: whether @text was a number; NaN is none
 */
gboolean reel_parse_double (const char *text, double *value);

/**
 * reel_format_double:
 * @value: any double
 *
 * Returns: (transfer full): decimal text of 15 to 17 digits that reads back as the same double:
 *   `300`, `0.1`, `1e-07`
 */
char *reel_format_double (double value);

/**
 * reel_range_int64:
 * @low: smallest value
 * @high: largest value
 * @unit: (nullable): unit
 *
 * Returns: (transfer full) (nullable): `1 to 9 rows`, `at least 1 rows`, or %NULL for all of int64
 */
char *reel_range_int64 (gint64 low, gint64 high, const char *unit);

/**
 * reel_range_double:
 * @low: smallest value
 * @high: largest value
 * @unit: (nullable): unit
 *
 * Returns: (transfer full) (nullable): `0 to 1e+06 m/s^2`, `at least 0`, `above 0` where @low is
 *   %G_MINDOUBLE, or %NULL for no bound
 */
char *reel_range_double (double low, double high, const char *unit);

G_END_DECLS
