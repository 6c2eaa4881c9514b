#include <math.h>
#include <string.h>

#include "categorical-spec.h"
#include "element.h"

/* Vectors drawn at a time. */
#define CHUNK 256

typedef struct
{
  ReelSpec head;

  gint64 n;
  gint64 n_vectors;
} OneHotSpec;

ReelSpec *
reel_one_hot_spec_new (gint64 n, ReelDtype dtype, gint ndim, const gint64 *shape, GError **error)
{
  OneHotSpec *self;

  if (!reel_categorical_spec_check ("one-hot", n, dtype, 1, error))
    return NULL;
  self = reel_spec_alloc (&reel_one_hot_spec_kind, dtype, ndim, shape, error);
  if (!self)
    return NULL;
  self->n = n;
  self->n_vectors = self->head.numel / n;
  if (ndim > 0 && shape[ndim - 1] == n)
    return &self->head;

  g_autofree char *text = reel_spec_format_shape (ndim, shape, ", ");
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "a one-hot spec of %" G_GINT64_FORMAT " values cannot have shape %s: its last "
               "extent must be %" G_GINT64_FORMAT,
               n, text, n);
  reel_spec_unref (&self->head);
  return NULL;
}

static gint64
get_n (const ReelSpec *spec)
{
  return ((const OneHotSpec *) spec)->n;
}

static gboolean
expand (const ReelSpec *spec, ReelSpec *copy, GError **error)
{
  OneHotSpec *self = (OneHotSpec *) copy;

  self->n = get_n (spec);
  self->n_vectors = copy->numel / self->n;
  return TRUE;
}

static gboolean
equal (const ReelSpec *spec, const ReelSpec *other)
{
  return other->kind == &reel_one_hot_spec_kind && get_n (spec) == get_n (other);
}

/* A vector is drawn from the index that counts vectors. */
static void
draw_rows (const ReelSpec *spec, ReelRandomKey key, gint64 first, gint64 n, guint8 *rows)
{
  gint64 width = get_n (spec);
  gint64 begin = first * ((const OneHotSpec *) spec)->n_vectors;
  gint64 end = begin + n * ((const OneHotSpec *) spec)->n_vectors;
  gsize size = reel_dtype_size (spec->dtype);
  gint64 hot[CHUNK];

  if (spec->dtype == REEL_DTYPE_INT64)
    {
      reel_random_fill_one_hot (key, begin, end - begin, width, (gint64 *) rows);
      return;
    }
  memset (rows, 0, (gsize) n * reel_spec_row_bytes (spec));
  for (gint64 at = begin; at < end; at += CHUNK)
    {
      gint64 n_vectors = MIN (CHUNK, end - at);

      reel_random_fill_below (key, at, n_vectors, width, hot);
      for (gint64 i = 0; i < n_vectors; i++, rows += (gsize) width * size)
        reel_element_store_integer (spec->dtype, rows + (gsize) hot[i] * size, 1);
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

static ReelDtype
project_dtype (const ReelSpec *spec, ReelDtype dtype)
{
  return spec->dtype;
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

static const char *
get_class_name (const ReelSpec *spec)
{
  return "OneHot";
}

static void
to_text (const ReelSpec *spec, GString *text)
{
  g_string_append_printf (text, ",n=%" G_GINT64_FORMAT, get_n (spec));
}

const ReelSpecKind reel_one_hot_spec_kind = {
  .word = "one-hot",
  .size = sizeof (OneHotSpec),
  .default_dtype = REEL_DTYPE_BOOL,
  .exact_shape = TRUE,
  .expand = expand,
  .equal = equal,
  .get_n = get_n,
  .get_class_name = get_class_name,
  .draw_rows = draw_rows,
  .find_outside = find_outside,
  .project_dtype = project_dtype,
  .project = project,
  .to_text = to_text,
};
