#include "categorical-spec.h"

#include <math.h>

#include "element.h"

/* Values drawn at a time. */
#define CHUNK 256

typedef struct
{
  ReelSpec head;

  gint64 n;
} CategoricalSpec;

gboolean
reel_categorical_spec_check (const char *word, gint64 n, ReelDtype dtype, gint64 highest,
                             GError **error)
{
  ReelInteger low, high;

  if (n < 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a %s spec cannot have %" G_GINT64_FORMAT " values: it must have at least 1",
                   word, n);
      return FALSE;
    }
  if (!reel_element_is_integer (dtype))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a %s spec cannot be %s: it must be bool or an integer type", word,
                   reel_dtype_name (dtype));
      return FALSE;
    }
  reel_element_limits (dtype, &low, &high);
  if (highest > high)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a %s spec of %" G_GINT64_FORMAT
                   " values cannot be %s: it must hold %" G_GINT64_FORMAT,
                   word, n, reel_dtype_name (dtype), highest);
      return FALSE;
    }
  return TRUE;
}

ReelSpec *
reel_categorical_spec_new (gint64 n, ReelDtype dtype, gint ndim, const gint64 *shape,
                           GError **error)
{
  CategoricalSpec *self;

  if (!reel_categorical_spec_check ("categorical", n, dtype, n - 1, error))
    return NULL;
  self = reel_spec_alloc (&reel_categorical_spec_kind, dtype, ndim, shape, error);
  if (self)
    self->n = n;
  return (ReelSpec *) self;
}

static gint64
get_n (const ReelSpec *spec)
{
  return ((const CategoricalSpec *) spec)->n;
}

static gboolean
expand (const ReelSpec *spec, ReelSpec *copy, GError **error)
{
  ((CategoricalSpec *) copy)->n = get_n (spec);
  return TRUE;
}

gboolean
reel_categorical_spec_equal (const ReelSpec *spec, const ReelSpec *other)
{
  gboolean comparable =
      other->kind == &reel_categorical_spec_kind || other->kind == &reel_binary_spec_kind;

  return comparable && reel_spec_get_n (spec) == reel_spec_get_n (other);
}

void
reel_categorical_spec_draw_rows (const ReelSpec *spec, ReelRandomKey key, gint64 first, gint64 n,
                                 guint8 *rows)
{
  gint64 begin = first * spec->numel;
  gint64 end = begin + n * spec->numel;
  gsize size = reel_dtype_size (spec->dtype);
  gint64 values[CHUNK];

  if (spec->dtype == REEL_DTYPE_INT64)
    {
      reel_random_fill_below (key, begin, end - begin, reel_spec_get_n (spec), (gint64 *) rows);
      return;
    }
  for (gint64 at = begin; at < end; at += CHUNK)
    {
      gint64 n_values = MIN (CHUNK, end - at);

      reel_random_fill_below (key, at, n_values, reel_spec_get_n (spec), values);
      for (gint64 i = 0; i < n_values; i++, rows += size)
        reel_element_store_integer (spec->dtype, rows, values[i]);
    }
}

gint64
reel_categorical_spec_find_outside (const ReelSpec *spec, const guint8 *values, gint64 n_values,
                                    char **why)
{
  gint64 n = reel_spec_get_n (spec);

  for (gint64 i = 0; i < n_values; i++, values += reel_dtype_size (spec->dtype))
    {
      ReelInteger value = reel_element_load_integer (spec->dtype, values);

      if (value < 0 || value >= n)
        {
          g_autofree char *text = reel_element_format (spec->dtype, values);
          *why = g_strdup_printf ("is %s, not in 0 to %" G_GINT64_FORMAT, text, n - 1);
          return i;
        }
    }
  return -1;
}

/* What can hold the result stays what it is, as PyTorch's clamp leaves it. */
ReelDtype
reel_categorical_spec_project_dtype (const ReelSpec *spec, ReelDtype dtype)
{
  return dtype == REEL_DTYPE_BOOL || reel_dtype_is_complex (dtype) ? spec->dtype : dtype;
}

void
reel_categorical_spec_project (const ReelSpec *spec, ReelDtype dtype, const guint8 *values,
                               gint64 n_values, guint8 *projected)
{
  ReelDtype to = reel_categorical_spec_project_dtype (spec, dtype);
  gint64 last = reel_spec_get_n (spec) - 1;

  for (gint64 i = 0; i < n_values; i++)
    {
      reel_element_cast (dtype, values, to, projected);
      if (reel_element_is_integer (to))
        {
          ReelInteger value = reel_element_load_integer (to, projected);
          reel_element_store_integer (to, projected, CLAMP (value, 0, last));
        }
      else
        {
          double value = rint (reel_dtype_load_double (to, projected));
          reel_dtype_store_double (to, projected, CLAMP (value, 0, (double) last));
        }
      values += reel_dtype_size (dtype);
      projected += reel_dtype_size (to);
    }
}

static const char *
get_class_name (const ReelSpec *spec)
{
  return "Categorical";
}

static void
to_text (const ReelSpec *spec, GString *text)
{
  g_string_append_printf (text, ",n=%" G_GINT64_FORMAT, get_n (spec));
}

const ReelSpecKind reel_categorical_spec_kind = {
  .word = "categorical",
  .size = sizeof (CategoricalSpec),
  .default_dtype = REEL_DTYPE_INT64,
  .expand = expand,
  .equal = reel_categorical_spec_equal,
  .get_n = get_n,
  .get_class_name = get_class_name,
  .draw_rows = reel_categorical_spec_draw_rows,
  .find_outside = reel_categorical_spec_find_outside,
  .project_dtype = reel_categorical_spec_project_dtype,
  .project = reel_categorical_spec_project,
  .to_text = to_text,
};
