/* The bounds of elements, and what is between them: what boxes and kinds of integers share.
 * Private.
 */
#pragma once

#include "../../core/math/random.h"
#include "../../core/tensor/tensor.h"
#include "../element.h"

G_BEGIN_DECLS

/* The bounds of one element; the exact ones of integers beside the nearest doubles. */
typedef struct
{
  double low, high;
  ReelInteger integer_low, integer_high;
  /* The greatest float that may be drawn: below high, but where low is high. */
  double top;
} ReelBound;

/**
 * ReelBounds:
 * @dtype: type of the elements
 * @period: element e has the bounds e modulo @period
 * @bounds: (array length=period): they
 * @tile: a multiple of @period, large enough for a kernel's inner loop
 * @lows: (array length=tile): lows of that many elements, of @dtype
 * @highs: (array length=tile): highs, likewise
 * @spans: (array length=tile) (nullable): high − low of floats where all are finite; of float32
 *   2^−24 of it
 * @starts: (array length=tile) (nullable): their lows as doubles
 * @tops: (array length=tile) (nullable): their `top`, of @dtype
 *
 * A plain struct of its owner's.
 */
typedef struct
{
  ReelDtype dtype;
  gint64 period;
  ReelBound *bounds;
  gint64 tile;
  guint8 *lows;
  guint8 *highs;
  double *spans;
  double *starts;
  guint8 *tops;
} ReelBounds;

/**
 * reel_bounds_init:
 * @bounds: (out caller-allocates): what to fill, zeroed
 * @low: lows of a type that is not complex, without NaN
 * @high: highs of the same type and shape
 * @error: VALUE where a low is above its high; NO_SPACE
 *
 * Returns: whether it is filled; if not it is to be cleared all the same
 */
gboolean reel_bounds_init (ReelBounds *bounds, const ReelTensor *low, const ReelTensor *high,
                           GError **error);

/**
 * reel_bounds_clear:
 * @bounds: filled or zeroed
 */
void reel_bounds_clear (ReelBounds *bounds);

/**
 * reel_bounds_draw:
 * @bounds: bounds
 * @key: key of the step
 * @first: number of the first element, a multiple of the period
 * @n: how many
 * @values: (out caller-allocates): room for @n elements
 *
 * The slot `draw` of a box.
 */
void reel_bounds_draw (const ReelBounds *bounds, ReelRandomKey key, gint64 first, gint64 n,
                       guint8 *values);

/**
 * reel_bounds_find_outside:
 * @bounds: bounds
 * @values: elements of their type, from a multiple of the period on
 * @n_values: how many
 * @why: (out): set where one is outside
 *
 * Returns: the number of the first that is outside, or −1
 */
gint64 reel_bounds_find_outside (const ReelBounds *bounds, const guint8 *values, gint64 n_values,
                                 char **why);

/**
 * reel_bounds_project:
 * @bounds: bounds
 * @dtype: type of @values
 * @values: elements, from a multiple of the period on
 * @n_values: how many
 * @to: type of @projected
 * @projected: (out caller-allocates): room for as many elements
 *
 * Converts and clamps; a NaN that is not cast to an integer stays.
 */
void reel_bounds_project (const ReelBounds *bounds, ReelDtype dtype, const guint8 *values,
                          gint64 n_values, ReelDtype to, guint8 *projected);

/**
 * reel_bounds_format:
 * @bounds: bounds
 * @i: number of an element
 * @low: whether of its low
 *
 * Returns: (transfer full): the bound in decimal
 */
char *reel_bounds_format (const ReelBounds *bounds, gint64 i, gboolean low);

G_END_DECLS
