#include "element.h"

#include <math.h>
#include <string.h>

#include "../core/object/number.h"

gboolean
reel_element_is_integer (ReelDtype dtype)
{
  return !reel_dtype_is_float (dtype) && !reel_dtype_is_complex (dtype);
}

static gboolean
is_signed (ReelDtype dtype)
{
  return dtype == REEL_DTYPE_INT8 || dtype == REEL_DTYPE_INT16 || dtype == REEL_DTYPE_INT32
         || dtype == REEL_DTYPE_INT64;
}

void
reel_element_limits (ReelDtype dtype, ReelInteger *low, ReelInteger *high)
{
  int bits = dtype == REEL_DTYPE_BOOL ? 1 : (int) reel_dtype_size (dtype) * 8;
  ReelInteger count = (ReelInteger) 1 << bits;

  *low = is_signed (dtype) ? -count / 2 : 0;
  *high = *low + count - 1;
}

ReelInteger
reel_element_load_integer (ReelDtype dtype, gconstpointer element)
{
  gsize size = reel_dtype_size (dtype);
  int unused = 64 - (int) size * 8;
  guint64 word = 0;

  memcpy (&word, element, size);
  if (dtype == REEL_DTYPE_BOOL)
    return word != 0;
  return is_signed (dtype) ? (ReelInteger) ((gint64) (word << unused) >> unused)
                           : (ReelInteger) word;
}

void
reel_element_store_integer (ReelDtype dtype, gpointer element, ReelInteger value)
{
  guint64 word = dtype == REEL_DTYPE_BOOL ? value != 0 : (guint64) value;

  memcpy (element, &word, reel_dtype_size (dtype));
}

static ReelDtype
part (ReelDtype dtype)
{
  switch (dtype)
    {
    case REEL_DTYPE_COMPLEX32: return REEL_DTYPE_FLOAT16;
    case REEL_DTYPE_COMPLEX64: return REEL_DTYPE_FLOAT32;
    case REEL_DTYPE_COMPLEX128: return REEL_DTYPE_FLOAT64;
    default: return dtype;
    }
}

void
reel_element_cast (ReelDtype from, gconstpointer source, ReelDtype to, gpointer target)
{
  ReelDtype from_part = part (from);
  ReelDtype to_part = part (to);
  gsize from_size = reel_dtype_size (from_part);
  double imaginary = 0;

  if (reel_element_is_integer (from) && reel_element_is_integer (to))
    reel_element_store_integer (to, target, reel_element_load_integer (from, source));
  else
    reel_dtype_store_double (to_part, target, reel_dtype_load_double (from_part, source));

  if (!reel_dtype_is_complex (to))
    return;
  if (reel_dtype_is_complex (from))
    imaginary = reel_dtype_load_double (from_part, (const guint8 *) source + from_size);
  reel_dtype_store_double (to_part, (guint8 *) target + reel_dtype_size (to_part), imaginary);
}

void
reel_element_predecessor (ReelDtype dtype, gpointer element)
{
  gsize size = reel_dtype_size (dtype);
  guint64 sign = G_GUINT64_CONSTANT (1) << (size * 8 - 1);
  guint64 bits = 0;

  memcpy (&bits, element, size);
  if ((bits & ~sign) == 0)
    bits = sign | 1;
  else if (bits & sign)
    bits++;
  else
    bits--;
  memcpy (element, &bits, size);
}

/* 6 digits, or as many more as the dtype needs to read the same element. */
static char *
format_float (ReelDtype dtype, gconstpointer element)
{
  double value = reel_dtype_load_double (dtype, element);
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  guint64 back;

  if (dtype == REEL_DTYPE_FLOAT64 || !isfinite (value))
    return reel_format_double (value);
  for (int digits = 6; digits <= 9; digits++)
    {
      char format[8];
      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, value);
      reel_dtype_store_double (dtype, &back, g_ascii_strtod (text, NULL));
      if (memcmp (&back, element, reel_dtype_size (dtype)) == 0)
        break;
    }
  return g_strdup (text);
}

char *
reel_element_format (ReelDtype dtype, gconstpointer element)
{
  ReelInteger value;

  if (!reel_element_is_integer (dtype))
    return format_float (dtype, element);
  value = reel_element_load_integer (dtype, element);
  if (value > G_MAXINT64)
    return g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64) value);
  return g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) value);
}
