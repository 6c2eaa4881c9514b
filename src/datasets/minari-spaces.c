/* Spaces in the words of Minari's serialization.py. */
#include "minari-spaces.h"

#include "../core/object/number.h"

#include <math.h>
#include <string.h>

/* ---- numbers ---- */

static gboolean
is_real (ReelDtype dtype)
{
  return dtype == REEL_DTYPE_FLOAT16 || dtype == REEL_DTYPE_FLOAT32 || dtype == REEL_DTYPE_FLOAT64;
}

/* The bounds of all elements of a type. */
static const char *
find_limit (ReelDtype dtype, gboolean high)
{
  switch (dtype)
    {
    case REEL_DTYPE_INT8: return high ? "127" : "-128";
    case REEL_DTYPE_INT16: return high ? "32767" : "-32768";
    case REEL_DTYPE_INT32: return high ? "2147483647" : "-2147483648";
    case REEL_DTYPE_INT64: return high ? "9223372036854775807" : "-9223372036854775808";
    case REEL_DTYPE_UINT8: return high ? "255" : "0";
    case REEL_DTYPE_UINT16: return high ? "65535" : "0";
    case REEL_DTYPE_UINT32: return high ? "4294967295" : "0";
    case REEL_DTYPE_UINT64: return high ? "18446744073709551615" : "0";
    default: return high ? "Infinity" : "-Infinity";
    }
}

static void
put_real (GString *text, double value)
{
  g_autofree char *number = reel_format_double (value);

  if (isinf (value))
    g_string_append (text, value < 0 ? "-Infinity" : "Infinity");
  else
    g_string_append_printf (text, "%s%s", number, strpbrk (number, ".e") ? "" : ".0");
}

/* A bound of a spec: a number, or a text such as `-inf`. */
static void
put_bound (GString *text, const json_t *bound, ReelDtype dtype, gboolean high)
{
  const char *word = json_string_value (bound);
  double value;

  if (is_real (dtype) && (json_is_number (bound) || (word && reel_parse_double (word, &value))))
    put_real (text, word ? value : json_number_value (bound));
  else if (json_is_integer (bound))
    g_string_append_printf (text, "%" JSON_INTEGER_FORMAT, json_integer_value (bound));
  else if (word && *word && strspn (word, "-0123456789") == strlen (word))
    g_string_append (text, word);
  else
    g_string_append (text, find_limit (dtype, high));
}

/* ---- boxes ---- */

/* The dimensions of nested lists. */
static gint
count_depth (const json_t *bound)
{
  gint depth = 0;

  for (; json_is_array (bound); depth++)
    bound = json_array_get (bound, 0);
  return depth;
}

/* A bound without the first dimensions is the same along them. */
static void
put_bounds (GString *text, const json_t *bound, ReelDtype dtype, gboolean high, gint ndim,
            const gint64 *shape)
{
  gboolean descends = ndim > 0 && count_depth (bound) == ndim;

  if (ndim == 0)
    {
      put_bound (text, bound, dtype, high);
      return;
    }
  g_string_append_c (text, '[');
  for (gint64 i = 0; i < shape[0]; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      put_bounds (text, descends ? json_array_get (bound, (gsize) i) : bound, dtype, high, ndim - 1,
                  shape + 1);
    }
  g_string_append_c (text, ']');
}

static void
put_shape (GString *text, gint ndim, const gint64 *shape)
{
  g_string_append_c (text, '[');
  for (gint d = 0; d < ndim; d++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, d > 0 ? ", " : "", shape[d]);
  g_string_append_c (text, ']');
}

static ReelMinariForm
put_box (GString *text, const json_t *spec, ReelDtype dtype, gint ndim, const gint64 *shape)
{
  g_string_append_printf (
      text, "{\"type\": \"Box\", \"dtype\": \"%s\", \"shape\": ", reel_dtype_name (dtype));
  put_shape (text, ndim, shape);
  g_string_append (text, ", \"low\": ");
  put_bounds (text, json_object_get (spec, "low"), dtype, FALSE, ndim, shape);
  g_string_append (text, ", \"high\": ");
  put_bounds (text, json_object_get (spec, "high"), dtype, TRUE, ndim, shape);
  g_string_append_c (text, '}');
  return REEL_MINARI_AS_IS;
}

/* ---- classes ---- */

static ReelMinariForm
put_discrete (GString *text, gint64 n, ReelMinariForm form)
{
  g_string_append_printf (text,
                          "{\"type\": \"Discrete\", \"dtype\": \"int64\", \"start\": 0, "
                          "\"n\": %" G_GINT64_FORMAT "}",
                          n);
  return form;
}

/* @sizes: a number for each class, or NULL where all have @n. */
static ReelMinariForm
put_multi_discrete (GString *text, gint64 n_parts, const json_t *sizes, gint64 n)
{
  g_string_append (text, "{\"type\": \"MultiDiscrete\", \"dtype\": \"int64\", \"nvec\": [");
  for (gint64 i = 0; i < n_parts; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "",
                            sizes ? (gint64) json_integer_value (json_array_get (sizes, (gsize) i))
                                  : n);
  g_string_append (text, "], \"start\": [");
  for (gint64 i = 0; i < n_parts; i++)
    g_string_append (text, i > 0 ? ", 0" : "0");
  g_string_append (text, "]}");
  return REEL_MINARI_INTEGER;
}

static ReelMinariForm
put_bits (GString *text, gint ndim, const gint64 *shape)
{
  if (ndim == 0)
    return put_discrete (text, 2, REEL_MINARI_INTEGER);
  g_string_append (text, "{\"type\": \"MultiBinary\", \"n\": ");
  if (ndim == 1)
    g_string_append_printf (text, "%" G_GINT64_FORMAT, shape[0]);
  else
    put_shape (text, ndim, shape);
  g_string_append_c (text, '}');
  return REEL_MINARI_BITS;
}

ReelMinariForm
reel_minari_space_put (GString *text, const json_t *spec, ReelDtype dtype, gint ndim,
                       const gint64 *shape, gint64 n_classes)
{
  const char *kind = json_string_value (json_object_get (spec, "kind"));
  const json_t *sizes = json_object_get (spec, "nvec");
  const gint64 n = json_integer_value (json_object_get (spec, "n"));

  if (g_strcmp0 (kind, "one-hot") == 0 && ndim == 1 && shape[0] == n)
    return put_discrete (text, n, REEL_MINARI_CLASS);
  if (g_strcmp0 (kind, "categorical") == 0 && n > 0 && ndim < 2)
    return ndim == 0 ? put_discrete (text, n, REEL_MINARI_INTEGER)
                     : put_multi_discrete (text, shape[0], NULL, n);
  if (g_strcmp0 (kind, "multi-categorical") == 0 && ndim == 1
      && json_array_size (sizes) == (gsize) shape[0] && count_depth (sizes) == 1)
    return put_multi_discrete (text, shape[0], sizes, 0);
  if (g_strcmp0 (kind, "binary") == 0 || dtype == REEL_DTYPE_BOOL)
    return put_bits (text, ndim, shape);
  if (n_classes > 0 && ndim == 0 && !spec)
    return put_discrete (text, n_classes, REEL_MINARI_INTEGER);
  return put_box (text, spec, dtype, ndim, shape);
}
