/* Properties to text and back. */
#include "property.h"

#include <string.h>

#include "number.h"
#include "text.h"

/* "a, b or c" */
static char *
join_words (const char *const *words)
{
  GString *joined = g_string_new (words[0]);

  for (guint i = 1; words[i]; i++)
    g_string_append_printf (joined, "%s%s", words[i + 1] ? ", " : " or ", words[i]);
  return g_string_free (joined, FALSE);
}

/* The form of a number without bounds. */
static char *
range_or_any (char *range, const char *any, const char *unit)
{
  if (range)
    return range;
  return unit ? g_strdup_printf ("%s of %s", any, unit) : g_strdup (any);
}

char *
reel_property_range (GParamSpec *pspec)
{
  const ReelProperty *property = reel_property_get (pspec);

  switch (property->kind)
    {
    case REEL_PROPERTY_BOOL: return g_strdup ("true or false");
    case REEL_PROPERTY_INT64:
      return range_or_any (reel_range_int64 (G_PARAM_SPEC_INT64 (pspec)->minimum,
                                             G_PARAM_SPEC_INT64 (pspec)->maximum, property->unit),
                           "any whole number", property->unit);
    case REEL_PROPERTY_DOUBLE:
      return range_or_any (reel_range_double (G_PARAM_SPEC_DOUBLE (pspec)->minimum,
                                              G_PARAM_SPEC_DOUBLE (pspec)->maximum, property->unit),
                           "any number", property->unit);
    case REEL_PROPERTY_STRING: return g_strdup ("a word or 'quoted'");
    case REEL_PROPERTY_PATH: return g_strdup ("the name of a file or directory");
    case REEL_PROPERTY_TEXT: return g_strdup ("(text)");
    case REEL_PROPERTY_ENUM: return join_words (property->words);
    case REEL_PROPERTY_LIST: return g_strdup ("[numbers]");
    case REEL_PROPERTY_WORDS: return g_strdup ("[words]");
    case REEL_PROPERTY_OBJECT: break;
    }

  g_autoptr (GTypeClass) base = g_type_class_ref (pspec->value_type);
  return g_strdup_printf ("(%s)", REEL_OBJECT_CLASS (base)->kind);
}

static gboolean
refuse (GParamSpec *pspec, const char *text, GError **error)
{
  g_autofree char *range = reel_property_range (pspec);
  const char *const *words = reel_property_get (pspec)->words;
  const char *meant = words ? reel_closest_word (text, words) : NULL;

  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s cannot be \"%s\": it must be %s%s%s%s",
               pspec->name, text, range, meant ? "; did you mean \"" : "", meant ? meant : "",
               meant ? "\"?" : "");
  return FALSE;
}

static gboolean
parse_bool (GParamSpec *pspec, const char *text, GValue *value, GError **error)
{
  static const char *const words[] = { "false", "true", "no", "yes", "off", "on", "0", "1", NULL };

  for (guint i = 0; words[i]; i++)
    if (g_ascii_strcasecmp (text, words[i]) == 0)
      {
        g_value_set_boolean (value, i % 2);
        return TRUE;
      }
  return refuse (pspec, text, error);
}

static gboolean
parse_int64 (GParamSpec *pspec, const char *text, GValue *value, GError **error)
{
  GParamSpecInt64 *limits = G_PARAM_SPEC_INT64 (pspec);
  const char *unit = reel_property_get (pspec)->unit;
  g_autoptr (GError) reason = NULL;
  gint64 number;

  if (reel_parse_int64 (text, limits->minimum, limits->maximum, &number, &reason))
    {
      g_value_set_int64 (value, number);
      return TRUE;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s %s%s%s", pspec->name, reason->message,
               unit ? " " : "", unit ? unit : "");
  return FALSE;
}

static gboolean
parse_double (GParamSpec *pspec, const char *text, GValue *value, GError **error)
{
  GParamSpecDouble *limits = G_PARAM_SPEC_DOUBLE (pspec);
  g_autofree char *range = reel_property_range (pspec);
  const char *number_of = g_str_has_prefix (range, "any number") ? "" : "a number, ";
  double number;

  if (!reel_parse_double (text, &number))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s cannot be \"%s\": it must be %s%s",
                 pspec->name, text, number_of, range);
  else if (number < limits->minimum || number > limits->maximum)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s cannot be %s: it must be %s", pspec->name,
                 text, range);
  else
    {
      g_value_set_double (value, number);
      return TRUE;
    }
  return FALSE;
}

static gboolean
parse_string (GParamSpec *pspec, const char *text, gboolean literal, GValue *value, GError **error)
{
  g_autofree char *string = literal ? g_strdup (text) : reel_text_unquote (text, error);

  if (!string)
    {
      g_prefix_error (error, "%s ", pspec->name);
      return FALSE;
    }
  g_value_take_string (value, g_steal_pointer (&string));
  return TRUE;
}

/* Brackets are balanced, or whoever cut them out would have said so. */
static gboolean
parse_text (GParamSpec *pspec, const char *text, gboolean literal, GValue *value, GError **error)
{
  char *inside = literal ? NULL : reel_text_unwrap (text, '(', ')');

  if (!inside)
    return parse_string (pspec, text, literal, value, error);
  g_value_take_string (value, inside);
  return TRUE;
}

static gboolean
parse_enum (GParamSpec *pspec, const char *text, GValue *value, GError **error)
{
  const char *const *words = reel_property_get (pspec)->words;

  for (int i = 0; words[i]; i++)
    if (g_ascii_strcasecmp (text, words[i]) == 0)
      {
        g_value_set_int (value, i);
        return TRUE;
      }
  return refuse (pspec, text, error);
}

static gboolean
parse_list (GParamSpec *pspec, const char *text, GValue *value, GError **error)
{
  g_autofree char *inside = reel_text_unwrap (text, '[', ']');
  g_auto (GStrv) items = reel_text_split (inside ? inside : text, ',', error);
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; items && items[i]; i++)
    {
      double number;
      if (!reel_parse_double (items[i], &number))
        return refuse (pspec, text, error);
      g_array_append_val (list, number);
    }
  if (!items)
    return FALSE;
  g_value_take_boxed (value, g_steal_pointer (&list));
  return TRUE;
}

static gboolean
parse_words (GParamSpec *pspec, const char *text, GValue *value, GError **error)
{
  g_autofree char *inside = reel_text_unwrap (text, '[', ']');
  g_auto (GStrv) items = reel_text_split (inside ? inside : text, ',', error);

  for (guint i = 0; items && items[i]; i++)
    {
      char *word = reel_text_unquote (items[i], error);

      if (!word)
        {
          g_prefix_error (error, "%s ", pspec->name);
          return FALSE;
        }
      g_free (items[i]);
      items[i] = word;
    }
  g_value_take_boxed (value, g_steal_pointer (&items));
  return g_value_get_boxed (value) != NULL;
}

static gboolean
parse_object (GParamSpec *pspec, const char *text, GValue *value, GError **error)
{
  g_autofree char *inside = reel_text_unwrap (text, '(', ')');
  GObject *object;

  if (inside && *inside == '\0')
    return TRUE;
  object = reel_object_new_from_text (pspec->value_type, inside ? inside : text, error, NULL);
  if (!object)
    {
      g_prefix_error (error, "%s: ", pspec->name);
      return FALSE;
    }
  g_value_take_object (value, object);
  return TRUE;
}

static gboolean
parse (GParamSpec *pspec, const char *text, gboolean literal, GValue *value, GError **error)
{
  switch (reel_property_get (pspec)->kind)
    {
    case REEL_PROPERTY_BOOL: return parse_bool (pspec, text, value, error);
    case REEL_PROPERTY_INT64: return parse_int64 (pspec, text, value, error);
    case REEL_PROPERTY_DOUBLE: return parse_double (pspec, text, value, error);
    case REEL_PROPERTY_STRING:
    case REEL_PROPERTY_PATH: return parse_string (pspec, text, literal, value, error);
    case REEL_PROPERTY_TEXT: return parse_text (pspec, text, literal, value, error);
    case REEL_PROPERTY_ENUM: return parse_enum (pspec, text, value, error);
    case REEL_PROPERTY_LIST: return parse_list (pspec, text, value, error);
    case REEL_PROPERTY_WORDS: return parse_words (pspec, text, value, error);
    case REEL_PROPERTY_OBJECT: return parse_object (pspec, text, value, error);
    }
  g_return_val_if_reached (FALSE);
}

gboolean
reel_property_parse (GParamSpec *pspec, const char *text, gboolean literal, GValue *value,
                     GError **error)
{
  g_value_init (value, pspec->value_type);
  if (parse (pspec, text, literal, value, error))
    return TRUE;
  g_value_unset (value);
  return FALSE;
}

static char *
format_list (GArray *list)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; list && i < list->len; i++)
    {
      g_autofree char *number = reel_format_double (g_array_index (list, double, i));
      g_string_append_printf (text, "%s%s", i > 0 ? "," : "", number);
    }
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

static char *
format_words (char *const *words)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; words && words[i]; i++)
    {
      g_autofree char *word = reel_text_quote (words[i]);
      g_string_append_printf (text, "%s%s", i > 0 ? "," : "", word);
    }
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

static char *
format_object (ReelObject *object)
{
  g_autofree char *inside = object ? reel_object_to_text (object) : g_strdup ("");

  return g_strdup_printf ("(%s)", inside);
}

/* In brackets where they would be cut out as they are. */
static char *
format_text (const char *text)
{
  g_auto (GStrv) pieces = reel_text_split (text ? text : "", ',', NULL);
  g_autofree char *inside = g_strdup_printf ("(%s)", text ? text : "");
  g_autofree char *seen = reel_text_unwrap (inside, '(', ')');

  return pieces && g_strcmp0 (seen, text ? text : "") == 0 ? g_steal_pointer (&inside)
                                                           : reel_text_quote (text);
}

char *
reel_property_format (GParamSpec *pspec, const GValue *value)
{
  const ReelProperty *property = reel_property_get (pspec);
  const char *string;

  switch (property->kind)
    {
    case REEL_PROPERTY_BOOL: return g_strdup (g_value_get_boolean (value) ? "true" : "false");
    case REEL_PROPERTY_INT64:
      return g_strdup_printf ("%" G_GINT64_FORMAT, g_value_get_int64 (value));
    case REEL_PROPERTY_DOUBLE: return reel_format_double (g_value_get_double (value));
    case REEL_PROPERTY_STRING:
    case REEL_PROPERTY_PATH:
      string = g_value_get_string (value);
      return reel_text_quote (string ? string : "");
    case REEL_PROPERTY_TEXT: return format_text (g_value_get_string (value));
    case REEL_PROPERTY_ENUM: return g_strdup (property->words[g_value_get_int (value)]);
    case REEL_PROPERTY_LIST: return format_list (g_value_get_boxed (value));
    case REEL_PROPERTY_WORDS: return format_words (g_value_get_boxed (value));
    case REEL_PROPERTY_OBJECT: return format_object (g_value_get_object (value));
    }
  g_return_val_if_reached (NULL);
}
