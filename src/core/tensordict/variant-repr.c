/* GVariants as Python prints them. */
#include "variant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

/* The fewest digits that read back as the same double, then Python's choice of notation. */
static void
append_double (GString *text, double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  gint precision = 0;

  if (!isfinite (value))
    {
      g_string_append (text, isnan (value) ? "nan" : value < 0 ? "-inf" : "inf");
      return;
    }
  do
    g_ascii_formatd (digits, sizeof digits,
                     (char[]){ '%', '.', precision / 10 + '0', precision % 10 + '0', 'e', '\0' },
                     value);
  while (g_ascii_strtod (digits, NULL) != value && precision++ < 17);

  gint exponent = atoi (strchr (digits, 'e') + 1);
  if (exponent < -4 || exponent >= 16)
    g_string_append (text, digits);
  else
    {
      gint decimals = MAX (precision - exponent, 0);
      g_ascii_formatd (digits, sizeof digits,
                       (char[]){ '%', '.', decimals / 10 + '0', decimals % 10 + '0', 'f', '\0' },
                       value);
      g_string_append_printf (text, "%s%s", digits, decimals == 0 ? ".0" : "");
    }
}

/* ---- strings ---- */

static gboolean
is_printable (gunichar c)
{
  switch (g_unichar_type (c))
    {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT:
    case G_UNICODE_SURROGATE:
    case G_UNICODE_PRIVATE_USE:
    case G_UNICODE_UNASSIGNED:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR: return FALSE;
    case G_UNICODE_SPACE_SEPARATOR: return c == ' ';
    default: return TRUE;
    }
}

static void
append_character (GString *text, gunichar c, char quote)
{
  if (c == '\n' || c == '\r' || c == '\t')
    g_string_append (text, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
  else if (c == '\\' || c == (guchar) quote)
    g_string_append_printf (text, "\\%c", (char) c);
  else if (is_printable (c))
    g_string_append_unichar (text, c);
  else
    g_string_append_printf (text, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
}

static void
append_string (GString *text, const char *string)
{
  char quote = strchr (string, '\'') && !strchr (string, '"') ? '"' : '\'';

  g_string_append_c (text, quote);
  for (; *string; string = g_utf8_next_char (string))
    append_character (text, g_utf8_get_char (string), quote);
  g_string_append_c (text, quote);
}

/* ---- containers ---- */

static void
append_dict (GString *text, GVariant *value)
{
  GVariantIter iter;
  const char *key, *separator = "";
  GVariant *member;

  g_string_append_c (text, '{');
  g_variant_iter_init (&iter, value);
  while (g_variant_iter_loop (&iter, "{&sv}", &key, &member))
    {
      g_string_append (text, separator);
      append_string (text, key);
      g_string_append (text, ": ");
      reel_variant_append_repr (text, member);
      separator = ", ";
    }
  g_string_append_c (text, '}');
}

static void
append_items (GString *text, GVariant *value, char open, char close)
{
  gsize n = g_variant_n_children (value);

  g_string_append_c (text, open);
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GVariant) item = g_variant_get_child_value (value, i);
      g_string_append (text, i == 0 ? "" : ", ");
      reel_variant_append_repr (text, item);
    }
  if (n == 1 && open == '(')
    g_string_append_c (text, ',');
  g_string_append_c (text, close);
}

void
reel_variant_append_repr (GString *text, GVariant *value)
{
  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_STRING: append_string (text, g_variant_get_string (value, NULL)); break;
    case G_VARIANT_CLASS_INT64:
      g_string_append_printf (text, "%" G_GINT64_FORMAT, g_variant_get_int64 (value));
      break;
    case G_VARIANT_CLASS_DOUBLE: append_double (text, g_variant_get_double (value)); break;
    case G_VARIANT_CLASS_BOOLEAN:
      g_string_append (text, g_variant_get_boolean (value) ? "True" : "False");
      break;
    case G_VARIANT_CLASS_MAYBE: g_string_append (text, "None"); break;
    case G_VARIANT_CLASS_VARIANT:
      {
        g_autoptr (GVariant) inner = g_variant_get_variant (value);
        reel_variant_append_repr (text, inner);
        break;
      }
    case G_VARIANT_CLASS_TUPLE: append_items (text, value, '(', ')'); break;
    default:
      if (g_variant_is_of_type (value, G_VARIANT_TYPE_DICTIONARY))
        append_dict (text, value);
      else
        append_items (text, value, '[', ']');
    }
}

void
reel_variant_append_str (GString *text, GVariant *value)
{
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    g_string_append (text, g_variant_get_string (value, NULL));
  else
    reel_variant_append_repr (text, value);
}
