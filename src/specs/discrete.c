#include "discrete.h"

#include <math.h>

#include "element.h"

/* Values drawn at a time. */
#define CHUNK 256

gboolean
reel_discrete_check (const char *word, gint64 n, ReelDtype dtype, gint64 highest, GError **error)
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

gboolean
reel_discrete_equal (const ReelSpec *spec, const ReelSpec *other)
{
  gboolean comparable =
      other->kind == &reel_categorical_spec_kind || other->kind == &reel_binary_spec_kind;

  return comparable && reel_spec_get_n (spec) == reel_spec_get_n (other);
}

void
reel_discrete_draw (const ReelSpec *spec, ReelRandomKey key, gint64 first, gint64 n, guint8 *values)
{
  gint64 end = first + n;
  gint64 n_choices = reel_spec_get_n (spec);
  gint64 choices[CHUNK];

  if (spec->dtype == REEL_DTYPE_INT64)
    {
      reel_random_fill_below (key, first, n, n_choices, (gint64 *) values);
      return;
    }
  for (gint64 at = first; at < end; at += CHUNK)
    {
      gint64 n_drawn = MIN (CHUNK, end - at);

      reel_random_fill_below (key, at, n_drawn, n_choices, choices);
      for (gint64 i = 0; i < n_drawn; i++, values += reel_dtype_size (spec->dtype))
        reel_element_store_integer (spec->dtype, values, choices[i]);
    }
}

gint64
reel_discrete_find_outside (const ReelSpec *spec, const guint8 *values, gint64 n_values, char **why)
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

ReelDtype
reel_discrete_project_dtype (const ReelSpec *spec, ReelDtype dtype)
{
  return dtype == REEL_DTYPE_BOOL || reel_dtype_is_complex (dtype) ? spec->dtype : dtype;
}

void
reel_discrete_project (const ReelSpec *spec, ReelDtype dtype, const guint8 *values, gint64 n_values,
                       guint8 *projected)
{
  ReelDtype to = reel_discrete_project_dtype (spec, dtype);
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

const char *const reel_discrete_parameter_names[] = { "n", NULL };

void
reel_discrete_describe (const ReelSpec *spec, json_t *form)
{
  json_object_set_new (form, "n", json_integer (reel_spec_get_n (spec)));
}
