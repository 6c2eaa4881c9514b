#include "bounds.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "../../core/math/pcg64.h"
#include "bounds-kernel.h"
#include "normal.h"
#include "../parameter.h"

/* Words drawn at a time. */
#define CHUNK 256
/* Elements of a tile, at least. */
#define TILE 512
/* Elements of a tile that is made longer than its period, at most. */
#define MOST_TILE (1 << 16)
#define LINE 64

static const ReelBoundsKernels *
kernels (void)
{
  static const ReelBoundsKernels *_Atomic chosen;
  const ReelBoundsKernels *table = atomic_load_explicit (&chosen, memory_order_relaxed);

  if (G_UNLIKELY (table == NULL))
    {
      ReelIsa isa;

      reel_isa_choose (&isa, NULL);
      table = REEL_KERNEL_PICK (reel_bounds_kernels, isa);
      atomic_store_explicit (&chosen, table, memory_order_relaxed);
    }
  return table;
}

static const ReelBound *
get_bound (const ReelBounds *bounds, gint64 element)
{
  return &bounds->bounds[bounds->period == 1 ? 0 : element % bounds->period];
}

/* ---- making them ---- */

static double
predecessor (double value, ReelDtype dtype)
{
  guint64 element = 0;

  reel_dtype_store_double (dtype, &element, value);
  reel_element_predecessor (dtype, &element);
  return reel_dtype_load_double (dtype, &element);
}

static gboolean
init_bound (ReelBound *bound, ReelDtype dtype, const guint8 *low, const guint8 *high,
            GError **error)
{
  bound->low = reel_dtype_load_double (dtype, low);
  bound->high = reel_dtype_load_double (dtype, high);
  bound->top = bound->high;
  if (reel_element_is_integer (dtype))
    {
      bound->integer_low = reel_element_load_integer (dtype, low);
      bound->integer_high = reel_element_load_integer (dtype, high);
    }
  else if (bound->low < bound->high && isfinite (bound->high))
    bound->top = predecessor (bound->high, dtype);

  if (bound->low > bound->high || bound->integer_low > bound->integer_high)
    {
      g_autofree char *least = reel_element_format (dtype, low);
      g_autofree char *most = reel_element_format (dtype, high);
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "a low of %s is above its high of %s",
                   least, most);
      return FALSE;
    }
  return TRUE;
}

static gboolean
all_elements_are_one (const ReelTensor *tensor)
{
  gsize size = reel_dtype_size (tensor->dtype);

  for (gint64 i = 1; i < reel_tensor_numel (tensor); i++)
    if (memcmp (tensor->data, tensor->data + (gsize) i * size, size) != 0)
      return FALSE;
  return TRUE;
}

static gboolean
no_space (gint64 n, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
               "no memory for the bounds of %" G_GINT64_FORMAT " elements", n);
  return FALSE;
}

static void
repeat (guint8 *tile, gint64 n_tile, const ReelTensor *tail, gint64 period)
{
  gsize bytes = (gsize) period * reel_dtype_size (tail->dtype);

  for (gint64 at = 0; at < n_tile; at += period, tile += bytes)
    memcpy (tile, tail->data, bytes);
}

/* Whole periods, and where that is not too much whole blocks. */
static gint64
choose_tile (gint64 period)
{
  gint64 common = period & -period;
  gint64 blocks = REEL_BOUNDS_BLOCK / MIN (common, REEL_BOUNDS_BLOCK);
  gint64 n = MAX (1, (TILE + period - 1) / period);

  if (period > MOST_TILE / REEL_BOUNDS_BLOCK)
    return period * n;
  return period * ((n + blocks - 1) / blocks * blocks);
}

/* new_tile: for so many bytes an element, from a cache line's begin on; a vector that lies across
 * two lines takes twice the time. NULL where there is no memory; free() frees it. */
static gpointer
new_tile (const ReelBounds *bounds, gsize size)
{
  gpointer tile = NULL;
  gsize bytes;

  if (!g_size_checked_mul (&bytes, (gsize) bounds->tile, size)
      || posix_memalign (&tile, LINE, bytes) != 0)
    return NULL;
  return tile;
}

static gboolean
init_tile (ReelBounds *bounds, const ReelTensor *low, const ReelTensor *high)
{
  gsize size = reel_dtype_size (bounds->dtype);

  bounds->tile = choose_tile (bounds->period);
  bounds->lows = new_tile (bounds, size);
  bounds->highs = new_tile (bounds, size);
  if (!bounds->lows || !bounds->highs)
    return FALSE;
  repeat (bounds->lows, bounds->tile, low, bounds->period);
  repeat (bounds->highs, bounds->tile, high, bounds->period);
  return TRUE;
}

/* Whether numbers in [0, 1) need but be scaled to be between all bounds. */
static gboolean
can_scale (const ReelBounds *bounds)
{
  if (bounds->dtype != REEL_DTYPE_FLOAT32 && bounds->dtype != REEL_DTYPE_FLOAT64)
    return FALSE;
  for (gint64 i = 0; i < bounds->period; i++)
    if (!isfinite (bounds->bounds[i].high - bounds->bounds[i].low))
      return FALSE;
  return TRUE;
}

static gboolean
init_scale (ReelBounds *bounds)
{
  gsize n = (gsize) bounds->tile;
  double unit = bounds->dtype == REEL_DTYPE_FLOAT32 ? 0x1p-24 : 1;

  bounds->starts = new_tile (bounds, sizeof *bounds->starts);
  bounds->spans = new_tile (bounds, sizeof *bounds->spans);
  bounds->tops = new_tile (bounds, reel_dtype_size (bounds->dtype));
  if (!bounds->starts || !bounds->spans || !bounds->tops)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      const ReelBound *bound = get_bound (bounds, (gint64) i);

      bounds->starts[i] = bound->low;
      bounds->spans[i] = (bound->high - bound->low) * unit;
      reel_dtype_store_double (bounds->dtype, bounds->tops + i * reel_dtype_size (bounds->dtype),
                               bound->top);
    }
  return TRUE;
}

static gboolean
init_bounds (ReelBounds *bounds, const ReelTensor *low, const ReelTensor *high, GError **error)
{
  gsize size = reel_dtype_size (bounds->dtype);

  bounds->bounds = g_try_new0 (ReelBound, bounds->period);
  if (!bounds->bounds && bounds->period > 0)
    return no_space (bounds->period, error);
  for (gsize i = 0; i < (gsize) bounds->period; i++)
    if (!init_bound (&bounds->bounds[i], bounds->dtype, low->data + i * size, high->data + i * size,
                     error))
      return FALSE;
  return TRUE;
}

gboolean
reel_bounds_init (ReelBounds *bounds, const ReelTensor *low, const ReelTensor *high, GError **error)
{
  gint skip = MIN (reel_parameter_n_repeated (low, low->ndim),
                   reel_parameter_n_repeated (high, high->ndim));
  g_autoptr (ReelTensor) lows = reel_parameter_tail (low, skip, error);
  g_autoptr (ReelTensor) highs = lows ? reel_parameter_tail (high, skip, error) : NULL;

  if (!highs)
    return FALSE;
  bounds->dtype = low->dtype;
  bounds->period = reel_tensor_numel (lows);
  if (bounds->period > 1 && all_elements_are_one (lows) && all_elements_are_one (highs))
    bounds->period = 1;
  if (!init_bounds (bounds, lows, highs, error))
    return FALSE;
  if (bounds->period > 0 && !init_tile (bounds, lows, highs))
    return no_space (bounds->tile, error);
  if (bounds->period > 0 && can_scale (bounds) && !init_scale (bounds))
    return no_space (bounds->tile, error);
  return TRUE;
}

void
reel_bounds_clear (ReelBounds *bounds)
{
  g_free (bounds->bounds);
  free (bounds->lows);
  free (bounds->highs);
  free (bounds->starts);
  free (bounds->spans);
  free (bounds->tops);
}

/* ---- random values ---- */

static ReelInteger
draw_integer (const ReelBound *bound, guint64 word)
{
  ReelUint128 count = (ReelUint128) (bound->integer_high - bound->integer_low) + 1;

  return bound->integer_low
         + (ReelInteger) (count > G_MAXUINT64 ? word : (ReelUint128) word * count >> 64);
}

/* low + u (high − low), where the difference may be beyond the greatest double. */
static double
draw_between (const ReelBound *bound, double u)
{
  double span = bound->high - bound->low;

  if (span <= G_MAXDOUBLE)
    return bound->low + u * span;
  return 2 * (bound->low / 2 + u * (bound->high / 2 - bound->low / 2));
}

static double
draw_float (const ReelBound *bound, ReelDtype dtype, guint64 word)
{
  gboolean from = isfinite (bound->low);
  gboolean to = isfinite (bound->high);

  if (from && to)
    return draw_between (bound, dtype == REEL_DTYPE_FLOAT64 ? (double) (word >> 11) * 0x1p-53
                                                            : (double) (word >> 40) * 0x1p-24);
  if (from)
    return bound->low + fabs (reel_normal_from_word (word));
  if (to)
    return bound->high - fabs (reel_normal_from_word (word));
  /* Both sides may be the same infinity. */
  return bound->low < bound->high ? reel_normal_from_word (word) : bound->low;
}

static void
draw_element (const ReelBound *bound, ReelDtype dtype, guint64 word, guint8 *element)
{
  if (reel_element_is_integer (dtype))
    {
      reel_element_store_integer (dtype, element, draw_integer (bound, word));
      return;
    }
  reel_dtype_store_double (dtype, element, draw_float (bound, dtype, word));
  if (reel_dtype_load_double (dtype, element) > bound->top)
    reel_dtype_store_double (dtype, element, bound->top);
}

/* The values of draw_element (), a tile at a time: drawn, then scaled in the cache. */
static void
draw_doubles (const ReelBounds *bounds, ReelRandomKey key, gint64 first, gint64 n, double *values)
{
  for (gint64 at = 0; at < n; at += bounds->tile)
    {
      gint64 n_drawn = MIN (bounds->tile, n - at);

      reel_random_fill_doubles (key, first + at, n_drawn, values + at);
      kernels ()->scale_doubles (values + at, n_drawn, bounds->starts, bounds->spans,
                                 (const double *) (gconstpointer) bounds->tops);
    }
}

static void
draw_scaled (const ReelBounds *bounds, ReelRandomKey key, gint64 first, gint64 n, guint8 *values)
{
  ReelFloatScale scale = { bounds->tile, bounds->starts, bounds->spans,
                           (const float *) (gconstpointer) bounds->tops };

  if (bounds->dtype == REEL_DTYPE_FLOAT32)
    kernels ()->draw_floats (key, first, n, &scale, (float *) (gpointer) values);
  else
    draw_doubles (bounds, key, first, n, (double *) (gpointer) values);
}

void
reel_bounds_draw (const ReelBounds *bounds, ReelRandomKey key, gint64 first, gint64 n,
                  guint8 *values)
{
  gint64 end = first + n;
  gsize size = reel_dtype_size (bounds->dtype);
  guint64 words[CHUNK];

  if (bounds->spans)
    {
      draw_scaled (bounds, key, first, n, values);
      return;
    }
  for (gint64 at = first; at < end; at += CHUNK)
    {
      gint64 n_words = MIN (CHUNK, end - at);

      reel_random_fill_words (key, at, n_words, words);
      for (gint64 i = 0; i < n_words; i++, values += size)
        draw_element (get_bound (bounds, at + i), bounds->dtype, words[i], values);
    }
}

/* ---- inside and outside ---- */

/* −1 below, 0 inside, 1 above; NaN is above. */
static int
find_side (const ReelBound *bound, ReelDtype dtype, const guint8 *element)
{
  if (reel_element_is_integer (dtype))
    {
      ReelInteger value = reel_element_load_integer (dtype, element);
      return value < bound->integer_low ? -1 : value > bound->integer_high;
    }

  double value = reel_dtype_load_double (dtype, element);
  return value < bound->low ? -1 : !(value <= bound->high);
}

char *
reel_bounds_format (const ReelBounds *bounds, gint64 i, gboolean low)
{
  const ReelBound *bound = get_bound (bounds, i);
  guint64 element = 0;

  if (reel_element_is_integer (bounds->dtype))
    reel_element_store_integer (bounds->dtype, &element,
                                low ? bound->integer_low : bound->integer_high);
  else
    reel_dtype_store_double (bounds->dtype, &element, low ? bound->low : bound->high);
  return reel_element_format (bounds->dtype, &element);
}

static char *
explain (const ReelBounds *bounds, gint64 i, const guint8 *element, int side)
{
  g_autofree char *value = reel_element_format (bounds->dtype, element);
  g_autofree char *limit = reel_bounds_format (bounds, i, side < 0);

  return g_strdup_printf ("is %s, not %s %s", value, side < 0 ? "at least" : "at most", limit);
}

/* Flags, which have no kernel: a bool is 0 or 1 whatever its byte. */
static gboolean
takes_every_flag (const ReelBounds *bounds)
{
  for (gint64 i = 0; bounds->dtype == REEL_DTYPE_BOOL && i < bounds->period; i++)
    if (bounds->bounds[i].integer_low > 0 || bounds->bounds[i].integer_high < 1)
      return FALSE;
  return bounds->dtype == REEL_DTYPE_BOOL;
}

gint64
reel_bounds_find_outside (const ReelBounds *bounds, const guint8 *values, gint64 n_values,
                          char **why)
{
  gsize size = reel_dtype_size (bounds->dtype);
  gint64 i = 0;

  if (n_values == 0 || takes_every_flag (bounds))
    return -1;
  if (kernels ()->count_inside[bounds->dtype])
    i = kernels ()->count_inside[bounds->dtype](values, n_values, bounds->lows, bounds->highs,
                                                bounds->tile);
  for (; i < n_values; i++)
    {
      const guint8 *element = values + (gsize) i * size;
      int side = find_side (get_bound (bounds, i), bounds->dtype, element);

      if (side != 0)
        {
          *why = explain (bounds, i, element, side);
          return i;
        }
    }
  return -1;
}

static void
project_element (const ReelBound *bound, ReelDtype from, const guint8 *value, ReelDtype to,
                 guint8 *projected)
{
  if (reel_element_is_integer (from) && reel_element_is_integer (to))
    {
      ReelInteger integer = reel_element_load_integer (from, value);
      reel_element_store_integer (to, projected,
                                  CLAMP (integer, bound->integer_low, bound->integer_high));
      return;
    }

  reel_element_cast (from, value, to, projected);
  double real = reel_dtype_load_double (to, projected);
  if (real < bound->low || real > bound->high)
    reel_dtype_store_double (to, projected, real < bound->low ? bound->low : bound->high);
}

void
reel_bounds_project (const ReelBounds *bounds, ReelDtype dtype, const guint8 *values,
                     gint64 n_values, ReelDtype to, guint8 *projected)
{
  if (n_values > 0 && dtype == to && dtype == bounds->dtype && kernels ()->clamp[dtype])
    {
      kernels ()->clamp[dtype](values, n_values, bounds->lows, bounds->highs, bounds->tile,
                               projected);
      return;
    }
  for (gint64 i = 0; i < n_values; i++)
    project_element (get_bound (bounds, i), dtype, values + (gsize) i * reel_dtype_size (dtype), to,
                     projected + (gsize) i * reel_dtype_size (to));
}
