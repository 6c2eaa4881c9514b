#include "bounded-spec.h"

#include <math.h>

#include "../core/number.h"
#include "../core/pcg64.h"
#include "element.h"
#include "normal.h"

/* Words drawn at a time. */
#define CHUNK 256

/* The bounds of one element; the exact ones of integers beside the nearest doubles. */
typedef struct
{
  double low, high;
  ReelInteger integer_low, integer_high;
  /* The greatest float that may be drawn: below high, but where low is high. */
  double top;
} Bound;

typedef struct
{
  ReelSpec head;

  /* Element e has bound e modulo n_bounds. */
  gint64 n_bounds;
  Bound *bounds;
} BoundedSpec;

static const Bound *
get_bound (const ReelSpec *spec, gint64 element)
{
  const BoundedSpec *self = (const BoundedSpec *) spec;

  return &self->bounds[self->n_bounds == 1 ? 0 : element % self->n_bounds];
}

/* ---- making one ---- */

static gboolean
refuse (double value, ReelDtype dtype, GError **error)
{
  g_autofree char *text = reel_format_double (value);

  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "a bound cannot be %s: it must be a value of %s", text, reel_dtype_name (dtype));
  return FALSE;
}

/* The limits of 64-bit integers round up to a power of two, which stands for them, as ±∞ do. */
static gboolean
to_integer (double value, ReelDtype dtype, ReelInteger *bound, GError **error)
{
  ReelInteger low, high;

  reel_element_limits (dtype, &low, &high);
  if (isinf (value))
    *bound = value < 0 ? low : high;
  else if (value != floor (value) || value < (double) low || value > (double) high)
    return refuse (value, dtype, error);
  else
    *bound = MIN ((ReelInteger) value, high);
  return TRUE;
}

static double
round_to (double value, ReelDtype dtype)
{
  guint64 element = 0;

  reel_dtype_store_double (dtype, &element, value);
  return reel_dtype_load_double (dtype, &element);
}

static double
predecessor (double value, ReelDtype dtype)
{
  guint64 element = 0;

  reel_dtype_store_double (dtype, &element, value);
  reel_element_predecessor (dtype, &element);
  return reel_dtype_load_double (dtype, &element);
}

static gboolean
init_bound (Bound *bound, ReelDtype dtype, double low, double high, GError **error)
{
  if (isnan (low) || isnan (high))
    return refuse (NAN, dtype, error);
  if (low > high)
    {
      g_autofree char *least = reel_format_double (low);
      g_autofree char *most = reel_format_double (high);
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "a low of %s is above its high of %s",
                   least, most);
      return FALSE;
    }
  if (reel_element_is_integer (dtype))
    {
      bound->low = low;
      bound->high = high;
      return to_integer (low, dtype, &bound->integer_low, error)
             && to_integer (high, dtype, &bound->integer_high, error);
    }

  bound->low = round_to (low, dtype);
  bound->high = round_to (high, dtype);
  bound->top = bound->high;
  if (bound->low < bound->high && isfinite (bound->high))
    bound->top = predecessor (bound->high, dtype);
  return TRUE;
}

static gboolean
init_bounds (BoundedSpec *self, const double *low, gsize n_low, const double *high, gsize n_high,
             GError **error)
{
  gsize numel = (gsize) self->head.numel;

  if ((n_low != 1 && n_low != numel) || (n_high != 1 && n_high != numel))
    {
      g_autofree char *shape = reel_spec_format_shape (self->head.ndim, self->head.shape, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "%" G_GSIZE_FORMAT " lows and %" G_GSIZE_FORMAT
                   " highs do not fit shape %s: give one, or one an element",
                   n_low, n_high, shape);
      return FALSE;
    }
  self->n_bounds = (gint64) MAX (n_low, n_high);
  self->bounds = g_new0 (Bound, self->n_bounds);
  for (gint64 i = 0; i < self->n_bounds; i++)
    if (!init_bound (&self->bounds[i], self->head.dtype, low[n_low == 1 ? 0 : i],
                     high[n_high == 1 ? 0 : i], error))
      return FALSE;
  return TRUE;
}

ReelSpec *
reel_bounded_spec_new (ReelDtype dtype, gint ndim, const gint64 *shape, const double *low,
                       gsize n_low, const double *high, gsize n_high, GError **error)
{
  BoundedSpec *self;

  if (reel_dtype_is_complex (dtype))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a bounded spec cannot be %s: complex numbers have no order",
                   reel_dtype_name (dtype));
      return NULL;
    }
  self = reel_spec_alloc (&reel_bounded_spec_kind, dtype, ndim, shape, error);
  if (self && !init_bounds (self, low, n_low, high, n_high, error))
    {
      reel_spec_unref (&self->head);
      return NULL;
    }
  return (ReelSpec *) self;
}

static void
clear (ReelSpec *spec)
{
  g_free (((BoundedSpec *) spec)->bounds);
}

static gint64
get_period (const ReelSpec *spec)
{
  return ((const BoundedSpec *) spec)->n_bounds;
}

static void
take (const ReelSpec *spec, ReelSpec *copy, const gint64 *places, gint64 n_places)
{
  const BoundedSpec *from = (const BoundedSpec *) spec;
  BoundedSpec *to = (BoundedSpec *) copy;

  to->n_bounds = places ? n_places : from->n_bounds;
  to->bounds = g_new0 (Bound, to->n_bounds);
  for (gint64 i = 0; i < to->n_bounds; i++)
    to->bounds[i] = from->bounds[places ? places[i] : i];
}

/* ---- comparing ---- */

static gboolean
equal_bound (const Bound *a, const Bound *b)
{
  return a->low == b->low && a->high == b->high && a->integer_low == b->integer_low
         && a->integer_high == b->integer_high;
}

gboolean
reel_bounded_spec_is_full (const ReelSpec *spec)
{
  gboolean integer = reel_element_is_integer (spec->dtype);
  double greatest = integer ? INFINITY : predecessor (INFINITY, spec->dtype);
  ReelInteger low = 0, high = 0;

  if (integer)
    reel_element_limits (spec->dtype, &low, &high);
  for (gint64 i = 0; i < spec->numel; i++)
    {
      const Bound *bound = get_bound (spec, i);

      if (bound->integer_low != low || bound->integer_high != high)
        return FALSE;
      if (!integer && (bound->low != -greatest || bound->high != greatest))
        return FALSE;
    }
  return TRUE;
}

static gboolean
equal (const ReelSpec *spec, const ReelSpec *other)
{
  if (other->kind == &reel_unbounded_spec_kind)
    return reel_bounded_spec_is_full (spec);
  if (other->kind != &reel_bounded_spec_kind)
    return FALSE;
  for (gint64 i = 0; i < spec->numel; i++)
    if (!equal_bound (get_bound (spec, i), get_bound (other, i)))
      return FALSE;
  return TRUE;
}

/* ---- random values ---- */

static ReelInteger
draw_integer (const Bound *bound, guint64 word)
{
  ReelUint128 count = (ReelUint128) (bound->integer_high - bound->integer_low) + 1;

  return bound->integer_low
         + (ReelInteger) (count > G_MAXUINT64 ? word : (ReelUint128) word * count >> 64);
}

/* low + u (high − low), where the difference may be beyond the greatest double. */
static double
draw_between (const Bound *bound, double u)
{
  double span = bound->high - bound->low;

  if (span <= G_MAXDOUBLE)
    return bound->low + u * span;
  return 2 * (bound->low / 2 + u * (bound->high / 2 - bound->low / 2));
}

static double
draw_float (const Bound *bound, ReelDtype dtype, guint64 word)
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
draw_element (const Bound *bound, ReelDtype dtype, guint64 word, guint8 *element)
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

/* What draw_element () gives, for the actions of most environments: float32 between two bounds. */
static void
draw_floats (const Bound *bound, ReelRandomKey key, gint64 first, gint64 n, float *values)
{
  double span = bound->high - bound->low;
  float top = (float) bound->top;

  reel_random_fill_floats (key, first, n, values);
  for (gint64 i = 0; i < n; i++)
    {
      float value = (float) (bound->low + values[i] * span);
      values[i] = MIN (value, top);
    }
}

static void
draw (const ReelSpec *spec, ReelRandomKey key, gint64 first, gint64 n, guint8 *values)
{
  const BoundedSpec *self = (const BoundedSpec *) spec;
  gint64 end = first + n;
  gsize size = reel_dtype_size (spec->dtype);
  guint64 words[CHUNK];

  if (spec->dtype == REEL_DTYPE_FLOAT32 && self->n_bounds == 1 && isfinite (self->bounds->low)
      && isfinite (self->bounds->high))
    {
      draw_floats (self->bounds, key, first, n, (float *) (gpointer) values);
      return;
    }
  for (gint64 at = first; at < end; at += CHUNK)
    {
      gint64 n_words = MIN (CHUNK, end - at);

      reel_random_fill_words (key, at, n_words, words);
      for (gint64 i = 0; i < n_words; i++, values += size)
        draw_element (get_bound (spec, at + i), spec->dtype, words[i], values);
    }
}

/* ---- inside and outside ---- */

/* −1 below, 0 inside, 1 above; NaN is above. */
static int
find_side (const Bound *bound, ReelDtype dtype, const guint8 *element)
{
  if (reel_element_is_integer (dtype))
    {
      ReelInteger value = reel_element_load_integer (dtype, element);
      return value < bound->integer_low ? -1 : value > bound->integer_high;
    }

  double value = reel_dtype_load_double (dtype, element);
  return value < bound->low ? -1 : !(value <= bound->high);
}

static char *
format_bound (const Bound *bound, ReelDtype dtype, gboolean low)
{
  guint64 element = 0;

  if (reel_element_is_integer (dtype))
    reel_element_store_integer (dtype, &element, low ? bound->integer_low : bound->integer_high);
  else
    reel_dtype_store_double (dtype, &element, low ? bound->low : bound->high);
  return reel_element_format (dtype, &element);
}

static char *
explain (const Bound *bound, ReelDtype dtype, const guint8 *element, int side)
{
  g_autofree char *value = reel_element_format (dtype, element);
  g_autofree char *limit = format_bound (bound, dtype, side < 0);

  return g_strdup_printf ("is %s, not %s %s", value, side < 0 ? "at least" : "at most", limit);
}

static gint64
find_outside (const ReelSpec *spec, const guint8 *values, gint64 n_values, char **why)
{
  gsize size = reel_dtype_size (spec->dtype);

  for (gint64 i = 0; i < n_values; i++, values += size)
    {
      const Bound *bound = get_bound (spec, i);
      int side = find_side (bound, spec->dtype, values);

      if (side != 0)
        {
          *why = explain (bound, spec->dtype, values, side);
          return i;
        }
    }
  return -1;
}

/* Floats stay what they are, as PyTorch's clamp leaves them. */
static ReelDtype
project_dtype (const ReelSpec *spec, ReelDtype dtype)
{
  return reel_dtype_is_float (dtype) ? dtype : spec->dtype;
}

static void
project_element (const Bound *bound, ReelDtype from, const guint8 *value, ReelDtype to,
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

static void
project (const ReelSpec *spec, ReelDtype dtype, const guint8 *values, gint64 n_values,
         guint8 *projected)
{
  ReelDtype to = project_dtype (spec, dtype);

  for (gint64 i = 0; i < n_values; i++)
    project_element (get_bound (spec, i), dtype, values + (gsize) i * reel_dtype_size (dtype), to,
                     projected + (gsize) i * reel_dtype_size (to));
}

/* ---- text ---- */

static void
append_bounds (const BoundedSpec *self, gboolean low, GString *text)
{
  gboolean list = self->n_bounds != 1;

  g_string_append_printf (text, ",%s=%s", low ? "low" : "high", list ? "[" : "");
  for (gint64 i = 0; i < self->n_bounds; i++)
    {
      g_autofree char *value = format_bound (&self->bounds[i], self->head.dtype, low);
      g_string_append_printf (text, "%s%s", i > 0 ? "," : "", value);
    }
  g_string_append (text, list ? "]" : "");
}

static void
to_text (const ReelSpec *spec, GString *text)
{
  append_bounds ((const BoundedSpec *) spec, TRUE, text);
  append_bounds ((const BoundedSpec *) spec, FALSE, text);
}

const ReelSpecKind reel_bounded_spec_kind = {
  .word = "bounded",
  .class_name = "BoundedDiscrete",
  .class_name_of_reals = "BoundedContinuous",
  .size = sizeof (BoundedSpec),
  .default_dtype = REEL_DTYPE_FLOAT32,
  .exact_shape = TRUE,
  .clear = clear,
  .get_period = get_period,
  .take = take,
  .equal = equal,
  .draw = draw,
  .find_outside = find_outside,
  .project_dtype = project_dtype,
  .project = project,
  .to_text = to_text,
};
