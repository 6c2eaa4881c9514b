/* Values of classes as integers. */
#include <math.h>

#include "class-spec.h"

/* Values drawn at a time. */
#define CHUNK 256

static void
draw_masked (const ReelClassSpec *self, ReelRandomKey key, gint64 first, gint64 n, guint8 *values)
{
  ReelDtype dtype = self->head.dtype;

  for (gint64 i = first; i < first + n; i++, values += reel_dtype_size (dtype))
    {
      gint64 n_allowed;
      const gint64 *allowed = reel_mask_get (&self->mask, i, &n_allowed);

      reel_element_store_integer (dtype, values, allowed[reel_random_below (key, i, n_allowed)]);
    }
}

static void
draw_below (ReelDtype dtype, gint64 n_choices, ReelRandomKey key, gint64 first, gint64 n,
            guint8 *values)
{
  gint64 end = first + n;
  gint64 choices[CHUNK];

  if (dtype == REEL_DTYPE_INT64)
    {
      reel_random_fill_below (key, first, n, n_choices, (gint64 *) (gpointer) values);
      return;
    }
  for (gint64 at = first; at < end; at += CHUNK)
    {
      gint64 n_drawn = MIN (CHUNK, end - at);

      reel_random_fill_below (key, at, n_drawn, n_choices, choices);
      for (gint64 i = 0; i < n_drawn; i++, values += reel_dtype_size (dtype))
        reel_element_store_integer (dtype, values, choices[i]);
    }
}

void
reel_class_integers_draw (const ReelSpec *spec, ReelRandomKey key, gint64 first, gint64 n,
                          guint8 *values)
{
  const ReelClassSpec *self = reel_class_spec (spec);

  if (self->mask.n_rows > 0)
    draw_masked (self, key, first, n, values);
  else if (self->n != 0)
    draw_below (spec->dtype, self->sizes[0], key, first, n, values);
  else
    reel_bounds_draw (&self->bounds, key, first, n, values);
}

static char *
explain (const ReelClassSpec *self, gint64 i, const guint8 *value)
{
  g_autofree char *text = reel_element_format (self->head.dtype, value);
  g_autofree char *last = reel_bounds_format (&self->bounds, i, FALSE);

  return g_strdup_printf ("is %s, not in 0 to %s", text, last);
}

/* The first of @n values, classes all, that the mask forbids. */
static gint64
find_forbidden (const ReelClassSpec *self, const guint8 *values, gint64 n, char **why)
{
  for (gint64 i = 0; i < n; i++, values += reel_dtype_size (self->head.dtype))
    {
      gint64 class = (gint64) reel_element_load_integer (self->head.dtype, values);

      if (reel_mask_nearest (&self->mask, i, class) != class)
        {
          *why = g_strdup_printf ("is %" G_GINT64_FORMAT ", which the mask forbids", class);
          return i;
        }
    }
  return -1;
}

gint64
reel_class_integers_find_outside (const ReelSpec *spec, const guint8 *values, gint64 n_values,
                                  char **why)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  g_autofree char *limit = NULL;
  gint64 outside = reel_bounds_find_outside (&self->bounds, values, n_values, &limit);
  gint64 forbidden = -1;

  if (self->mask.n_rows > 0)
    forbidden = find_forbidden (self, values, outside < 0 ? n_values : outside, why);
  if (forbidden >= 0 || outside < 0)
    return forbidden;
  *why = explain (self, outside, values + (gsize) outside * reel_dtype_size (spec->dtype));
  return outside;
}

ReelDtype
reel_class_integers_project_dtype (const ReelSpec *spec, ReelDtype dtype)
{
  gboolean own = dtype == REEL_DTYPE_BOOL || reel_dtype_is_complex (dtype);

  return own || spec->kind == &reel_multi_categorical_spec_kind ? spec->dtype : dtype;
}

/* The nearest class of component @i to an integer that may be none. */
static gint64
nearest (const ReelClassSpec *self, gint64 i, ReelInteger value)
{
  const ReelBound *bound = &self->bounds.bounds[i % self->bounds.period];
  gint64 class = (gint64) CLAMP (value, bound->integer_low, bound->integer_high);

  return self->mask.n_rows > 0 ? reel_mask_nearest (&self->mask, i, class) : class;
}

static void
project_element (const ReelClassSpec *self, gint64 i, ReelDtype from, const guint8 *value,
                 ReelDtype to, guint8 *projected)
{
  double real;

  if (reel_element_is_integer (from) && reel_element_is_integer (to))
    {
      reel_element_store_integer (to, projected,
                                  nearest (self, i, reel_element_load_integer (from, value)));
      return;
    }
  reel_element_cast (from, value, REEL_DTYPE_FLOAT64, &real);
  if (isnan (real) && reel_dtype_is_float (to))
    {
      reel_dtype_store_double (to, projected, real);
      return;
    }
  real = isnan (real) ? 0 : CLAMP (rint (real), -0x1p64, 0x1p64);
  reel_dtype_store_double (to, projected, (double) nearest (self, i, (ReelInteger) real));
}

void
reel_class_integers_project (const ReelSpec *spec, ReelDtype dtype, const guint8 *values,
                             gint64 n_values, guint8 *projected)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  ReelDtype to = reel_class_integers_project_dtype (spec, dtype);

  if (self->mask.n_rows == 0 && dtype == spec->dtype)
    {
      reel_bounds_project (&self->bounds, dtype, values, n_values, to, projected);
      return;
    }
  for (gint64 i = 0; i < n_values; i++)
    project_element (self, i, dtype, values + (gsize) i * reel_dtype_size (dtype), to,
                     projected + (gsize) i * reel_dtype_size (to));
}
