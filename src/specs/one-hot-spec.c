#include <math.h>
#include <string.h>

#include "discrete.h"
#include "element.h"
#include "spec-form.h"

/* Vectors drawn at a time. */
#define CHUNK 256

static gint64
get_n (const ReelSpec *spec)
{
  return spec->shape[spec->ndim - 1];
}

ReelSpec *
reel_one_hot_spec_new (gint64 n, ReelDtype dtype, gint ndim, const gint64 *shape, GError **error)
{
  ReelSpec *self;

  if (!reel_discrete_check ("one-hot", n, dtype, 1, error))
    return NULL;
  self = reel_spec_alloc (&reel_one_hot_spec_kind, dtype, ndim, shape, error);
  if (!self || (ndim > 0 && get_n (self) == n))
    return self;

  g_autofree char *text = reel_spec_format_shape (ndim, shape, ", ");
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "a one-hot spec of %" G_GINT64_FORMAT " values cannot have shape %s: its last "
               "extent must be %" G_GINT64_FORMAT,
               n, text, n);
  reel_spec_unref (self);
  return NULL;
}

static gboolean
equal (const ReelSpec *spec, const ReelSpec *other)
{
  return other->kind == &reel_one_hot_spec_kind;
}

/* A vector is drawn from the index that counts vectors. */
static void
draw (const ReelSpec *spec, ReelRandomKey key, gint64 first, gint64 n, guint8 *values)
{
  gint64 width = get_n (spec);
  gint64 begin = first / width;
  gint64 end = begin + n / width;
  gsize size = reel_dtype_size (spec->dtype);
  gint64 hot[CHUNK];

  if (spec->dtype == REEL_DTYPE_INT64)
    {
      reel_random_fill_one_hot (key, begin, end - begin, width, (gint64 *) values);
      return;
    }
  memset (values, 0, (gsize) n * size);
  for (gint64 at = begin; at < end; at += CHUNK)
    {
      gint64 n_vectors = MIN (CHUNK, end - at);

      reel_random_fill_below (key, at, n_vectors, width, hot);
      for (gint64 i = 0; i < n_vectors; i++, values += (gsize) width * size)
        reel_element_store_integer (spec->dtype, values + (gsize) hot[i] * size, 1);
    }
}

/* As TorchRL: the sum counts, whatever makes it up. */
static gint64
find_outside (const ReelSpec *spec, const guint8 *values, gint64 n_values, char **why)
{
  gint64 width = get_n (spec);

  for (gint64 vector = 0; vector < n_values; vector += width)
    {
      gint64 sum = 0;

      for (gint64 i = 0; i < width; i++, values += reel_dtype_size (spec->dtype))
        sum = (gint64) ((guint64) sum + (guint64) reel_element_load_integer (spec->dtype, values));
      if (sum != 1)
        {
          *why = g_strdup_printf ("begins a vector that sums to %" G_GINT64_FORMAT ", not 1", sum);
          return vector;
        }
    }
  return -1;
}

/* NaN is above nothing and below everything. */
static gboolean
is_above (ReelDtype dtype, const guint8 *a, const guint8 *b)
{
  if (reel_element_is_integer (dtype))
    return reel_element_load_integer (dtype, a) > reel_element_load_integer (dtype, b);

  double x, y;
  reel_element_cast (dtype, a, REEL_DTYPE_FLOAT64, &x);
  reel_element_cast (dtype, b, REEL_DTYPE_FLOAT64, &y);
  return x > y || (isnan (y) && !isnan (x));
}

/* TorchRL draws a class at random, weighted by the values; the greatest of them is the likeliest.
 */
static void
project (const ReelSpec *spec, ReelDtype dtype, const guint8 *values, gint64 n_values,
         guint8 *projected)
{
  gint64 width = get_n (spec);
  gsize from = reel_dtype_size (dtype);
  gsize to = reel_dtype_size (spec->dtype);

  for (gint64 vector = 0; vector < n_values; vector += width)
    {
      const guint8 *at = values + (gsize) vector * from;
      gint64 greatest = 0;

      for (gint64 i = 1; i < width; i++)
        if (is_above (dtype, at + (gsize) i * from, at + (gsize) greatest * from))
          greatest = i;
      for (gint64 i = 0; i < width; i++)
        reel_element_store_integer (spec->dtype, projected + (gsize) (vector + i) * to,
                                    i == greatest);
    }
}

static ReelSpec *
from_form (ReelSpecForm *form, GError **error)
{
  gint64 n;

  if (!reel_spec_form_get_int64 (form, "n", &n, error))
    return NULL;
  return form->has_shape ? reel_one_hot_spec_new (n, form->dtype, form->ndim, form->shape, error)
                         : reel_one_hot_spec_new (n, form->dtype, 1, &n, error);
}

static const ReelSpecName other_names[] = {
  { "OneHot", REEL_DTYPE_BOOL },
  { "OneHotDiscreteTensorSpec", REEL_DTYPE_BOOL },
  { NULL },
};

const ReelSpecKind reel_one_hot_spec_kind = {
  .word = "one-hot",
  .other_names = other_names,
  .parameter_names = reel_discrete_parameter_names,
  .class_name = "OneHot",
  .size = sizeof (ReelSpec),
  .default_dtype = REEL_DTYPE_BOOL,
  .last = REEL_SPEC_LAST_FIXED,
  .equal = equal,
  .get_n = get_n,
  .draw = draw,
  .find_outside = find_outside,
  .project = project,
  .describe = reel_discrete_describe,
  .from_form = from_form,
};
