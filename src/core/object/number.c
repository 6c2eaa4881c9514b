#include "number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"

/* Copies a run of digits without the underscores between them. */
static const char *
copy_digits (const char *at, GString *out)
{
  if (!g_ascii_isdigit (*at))
    return at;
  for (;; at++)
    {
      if (g_ascii_isdigit (*at))
        g_string_append_c (out, *at);
      else if (*at != '_' || !g_ascii_isdigit (at[1]))
        return at;
    }
}

static const char *
suffix_exponent (char suffix)
{
  switch (suffix)
    {
    case 'k':
    case 'K': return "e3";
    case 'M': return "e6";
    case 'G': return "e9";
    case 'T': return "e12";
    default: return NULL;
    }
}

/* Rewrites `text` as [-]digits[.digits][e[sign]digits]; NULL when it is no number. */
static char *
canonical (const char *text)
{
  g_autoptr (GString) out = g_string_new (NULL);
  const char *at = text;
  gsize digits;

  if (*at == '-')
    g_string_append_c (out, '-');
  if (*at == '-' || *at == '+')
    at++;

  digits = out->len;
  at = copy_digits (at, out);
  if (*at == '.')
    {
      g_string_append_c (out, '.');
      at = copy_digits (at + 1, out);
      digits++;
    }
  if (out->len == digits)
    return NULL;

  if (suffix_exponent (*at))
    g_string_append (out, suffix_exponent (*at++));
  else if (*at == 'e' || *at == 'E')
    {
      g_string_append_c (out, 'e');
      at++;
      if (*at == '-' || *at == '+')
        g_string_append_c (out, *at++);
      if (!g_ascii_isdigit (*at))
        return NULL;
      at = copy_digits (at, out);
    }

  return *at == '\0' ? g_strdup (out->str) : NULL;
}

gboolean
reel_parse_double (const char *text, double *value)
{
  const char *infinite = text + (*text == '-' || *text == '+');
  g_autofree char *number = canonical (text);

  if (g_ascii_strcasecmp (infinite, "inf") == 0)
    *value = *text == '-' ? -INFINITY : INFINITY;
  else if (number)
    *value = g_ascii_strtod (number, NULL);
  else
    return FALSE;
  return TRUE;
}

typedef enum
{
  WHOLE,
  NOT_WHOLE,
  TOO_LARGE,
} Wholeness;

/* The magnitude of a canonical number, exactly. */
static Wholeness
whole_magnitude (const char *number, guint64 *magnitude)
{
  const char *e = strchr (number, 'e');
  gint64 exponent = e ? g_ascii_strtoll (e + 1, NULL, 10) : 0;
  g_autoptr (GString) digits = g_string_new (NULL);
  gboolean fraction = FALSE;

  *magnitude = 0;
  exponent = CLAMP (exponent, -G_MAXINT32, G_MAXINT32);
  for (const char *at = number + (*number == '-'); *at && *at != 'e'; at++)
    {
      if (*at == '.')
        fraction = TRUE;
      else if (*at != '0' || digits->len > 0)
        g_string_append_c (digits, *at);
      exponent -= fraction && *at != '.';
    }
  for (; digits->len > 0 && digits->str[digits->len - 1] == '0'; exponent++)
    g_string_truncate (digits, digits->len - 1);

  if (digits->len == 0)
    return WHOLE;
  if (exponent < 0)
    return NOT_WHOLE;
  if (digits->len + exponent > 19)
    return TOO_LARGE;
  for (; exponent > 0; exponent--)
    g_string_append_c (digits, '0');
  *magnitude = g_ascii_strtoull (digits->str, NULL, 10);
  return WHOLE;
}

gboolean
reel_parse_int64 (const char *text, gint64 low, gint64 high, gint64 *value, GError **error)
{
  g_autofree char *number = canonical (text);
  g_autofree char *range = reel_range_int64 (low, high, NULL);
  gboolean negative = number && *number == '-';
  guint64 magnitude = 0;
  Wholeness whole = number ? whole_magnitude (number, &magnitude) : NOT_WHOLE;
  gint64 signed_value = negative ? (gint64) -magnitude : (gint64) magnitude;

  if (whole == NOT_WHOLE)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "cannot be \"%s\": it must be a whole number%s%s", text, range ? ", " : "",
                   range ? range : "");
      return FALSE;
    }
  if (whole == TOO_LARGE || magnitude > (guint64) G_MAXINT64 + negative || signed_value < low
      || signed_value > high)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "cannot be %s: it must be %s", text,
                   range ? range : "a whole number of 64 bits");
      return FALSE;
    }

  *value = signed_value;
  return TRUE;
}

char *
reel_format_double (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (isinf (value))
    return g_strdup (value < 0 ? "-inf" : "inf");
  for (int digits = 15; digits <= 17; digits++)
    {
      char format[8];
      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, value);
      if (g_ascii_strtod (text, NULL) == value)
        break;
    }
  return g_strdup (text);
}

static char *
range (const char *low, const char *high, const char *unit)
{
  const char *space = unit ? " " : "";

  unit = unit ? unit : "";
  if (low && high)
    return g_strdup_printf ("%s to %s%s%s", low, high, space, unit);
  if (low)
    return g_strdup_printf ("at least %s%s%s", low, space, unit);
  if (high)
    return g_strdup_printf ("at most %s%s%s", high, space, unit);
  return NULL;
}

char *
reel_range_int64 (gint64 low, gint64 high, const char *unit)
{
  g_autofree char *least = g_strdup_printf ("%" G_GINT64_FORMAT, low);
  g_autofree char *most = g_strdup_printf ("%" G_GINT64_FORMAT, high);

  return range (low == G_MININT64 ? NULL : least, high == G_MAXINT64 ? NULL : most, unit);
}

char *
reel_range_double (double low, double high, const char *unit)
{
  char least[G_ASCII_DTOSTR_BUF_SIZE];
  char most[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *limit = NULL;

  g_ascii_formatd (least, sizeof least, "%g", low);
  g_ascii_formatd (most, sizeof most, "%g", high);
  if (low != G_MINDOUBLE)
    return range (low <= -G_MAXDOUBLE ? NULL : least, high >= G_MAXDOUBLE ? NULL : most, unit);

  limit = high >= G_MAXDOUBLE ? g_strdup ("") : g_strconcat (", at most ", most, NULL);
  return g_strdup_printf ("above 0%s%s%s", limit, unit ? " " : "", unit ? unit : "");
}
