/* The text grammar of specs: kind[:name=value{,name=value}]. */
#include "../spec-text.h"

#include <string.h>

#include "../../core/object/number.h"
#include "../../core/object/text.h"
#include "../spec-form.h"

/* Characters that end a word or an unquoted key; see reel_text_quote(). */
#define SPECIAL ",|'[]()="

/* A place in a message shows this many bytes of the text. */
#define MAX_SHOWN 24

char *
reel_spec_format_place (const char *text, gsize at)
{
  gsize length = strlen (text + at);
  gsize shown = MIN (length, MAX_SHOWN);
  g_autofree char *begin = g_utf8_make_valid (text, (gssize) at);
  g_autofree char *excerpt = g_utf8_make_valid (text + at, (gssize) shown);

  if (length == 0)
    return g_strdup ("at the end: ");
  return g_strdup_printf ("character %ld, at \"%s%s\": ", g_utf8_strlen (begin, -1) + 1, excerpt,
                          shown < length ? "…" : "");
}

/* ---- text to form ---- */

typedef struct
{
  const char *text;
  const char *at;
  GHashTable *places;
  gint depth;
  GError **error;
} Parser;

static json_t *parse_spec (Parser *parser);
static json_t *parse_value (Parser *parser);

static gpointer
fail (const Parser *parser, const char *at, const char *message)
{
  g_autofree char *place = reel_spec_format_place (parser->text, (gsize) (at - parser->text));

  g_set_error (parser->error, REEL_ERROR, REEL_ERROR_VALUE, "%s%s", place, message);
  return NULL;
}

static void
skip_blanks (Parser *parser)
{
  while (g_ascii_isspace (*parser->at))
    parser->at++;
}

/* Goes past @c and the blanks behind it, if it is there. */
static gboolean
take (Parser *parser, char c)
{
  if (*parser->at != c)
    return FALSE;
  parser->at++;
  skip_blanks (parser);
  return TRUE;
}

static json_t *
keep_place (Parser *parser, json_t *value, const char *at)
{
  g_hash_table_insert (parser->places, value, GSIZE_TO_POINTER ((gsize) (at - parser->text) + 1));
  return value;
}

/* The text before the next of @end, without the blanks around it. */
static char *
take_until (Parser *parser, const char *end)
{
  const char *begin = parser->at;

  parser->at += strcspn (begin, end);
  return g_strchomp (g_strndup (begin, (gsize) (parser->at - begin)));
}

/* From a quote to the one that is not doubled. */
static char *
take_quoted (Parser *parser)
{
  const char *begin = parser->at;
  g_autoptr (GString) string = g_string_new (NULL);

  for (parser->at++; *parser->at; parser->at++)
    {
      if (*parser->at == '\'' && *++parser->at != '\'')
        {
          skip_blanks (parser);
          return g_string_free (g_steal_pointer (&string), FALSE);
        }
      g_string_append_c (string, *parser->at);
    }
  return fail (parser, begin, "a ' without its other half");
}

/* `(spec)`, or `()`, which is null. */
static json_t *
parse_inner (Parser *parser)
{
  const char *begin = parser->at;
  g_autoptr (json_t) value = NULL;

  take (parser, '(');
  if (take (parser, ')'))
    return json_null ();
  value = parse_spec (parser);
  if (!value)
    return NULL;
  return take (parser, ')') ? g_steal_pointer (&value)
                            : fail (parser, begin, "a ( without its other half");
}

static json_t *
parse_list (Parser *parser)
{
  const char *begin = parser->at;
  g_autoptr (json_t) list = keep_place (parser, json_array (), begin);

  take (parser, '[');
  for (gboolean more = *parser->at != ']'; more; more = take (parser, ','))
    {
      json_t *item = parse_value (parser);

      if (!item)
        return NULL;
      json_array_append_new (list, item);
    }
  return take (parser, ']') ? g_steal_pointer (&list)
                            : fail (parser, begin, "a [ without its other half");
}

static json_t *
parse_word (Parser *parser)
{
  const char *begin = parser->at;
  g_autofree char *word = take_until (parser, SPECIAL);

  if (*word == '\0')
    return fail (parser, begin,
                 "expected a value here: a number, a word, 'quoted', [v,…] or (spec)");
  return keep_place (parser, reel_spec_form_from_word (word), begin);
}

static json_t *
parse_quoted (Parser *parser)
{
  const char *begin = parser->at;
  g_autofree char *string = take_quoted (parser);

  return string ? keep_place (parser, json_string_nocheck (string), begin) : NULL;
}

static json_t *
parse_value (Parser *parser)
{
  const char *begin = parser->at;
  json_t *value;

  if (++parser->depth > REEL_SPEC_MAX_DEPTH)
    return fail (parser, begin,
                 "more than " G_STRINGIFY (REEL_SPEC_MAX_DEPTH) " values within each other");
  switch (*parser->at)
    {
    case '(': value = parse_inner (parser); break;
    case '[': value = parse_list (parser); break;
    case '\'': value = parse_quoted (parser); break;
    default: value = parse_word (parser); break;
    }
  parser->depth--;
  return value;
}

/* A spec in parentheses is an entry, under a key; anything else a parameter, under a name. */
static gboolean
add (Parser *parser, json_t *form, const char *name, gboolean entry, json_t *value,
     const char *begin)
{
  json_t *target = form;

  if (entry)
    {
      target = json_object_get (form, REEL_SPEC_FORM_SPECS);
      if (!target)
        json_object_set_new (form, REEL_SPEC_FORM_SPECS, target = json_object ());
    }
  else if (g_str_equal (name, REEL_SPEC_FORM_KIND) || g_str_equal (name, REEL_SPEC_FORM_SPECS))
    return fail (parser, begin, "no parameter has this name") != NULL;
  if (json_object_get (target, name))
    return fail (parser, begin, "this is repeated") != NULL;
  if (!entry)
    keep_place (parser, value, begin);
  json_object_set_nocheck (target, name, value);
  return TRUE;
}

static gboolean
parse_parameter (Parser *parser, json_t *form)
{
  const char *begin = parser->at;
  g_autofree char *name = *begin == '\'' ? take_quoted (parser) : take_until (parser, SPECIAL);
  g_autoptr (json_t) value = NULL;
  gboolean entry;

  if (!name)
    return FALSE;
  if (!take (parser, '='))
    return fail (parser, begin, "expected name=value here") != NULL;
  entry = *parser->at == '(';
  value = parse_value (parser);
  if (!value)
    return FALSE;
  if (!entry)
    g_strdelimit (name, "_", '-');
  return add (parser, form, name, entry, value, begin);
}

static json_t *
parse_spec (Parser *parser)
{
  const char *begin = parser->at;
  g_autofree char *word = take_until (parser, SPECIAL ":");
  g_autoptr (json_t) form = keep_place (parser, json_object (), begin);

  if (*word == '\0')
    return fail (parser, begin, "expected a spec here, such as bounded:low=-1,high=1,shape=[3]");
  json_object_set_new_nocheck (form, REEL_SPEC_FORM_KIND, json_string_nocheck (word));
  if (!take (parser, ':') || *parser->at == '\0' || *parser->at == ')')
    return g_steal_pointer (&form);
  do
    if (!parse_parameter (parser, form))
      return NULL;
  while (take (parser, ','));
  return g_steal_pointer (&form);
}

static json_t *
parse_form (const char *text, GHashTable *places, GError **error)
{
  Parser parser = { .text = text, .at = text, .places = places, .error = error };
  g_autoptr (json_t) form = NULL;

  skip_blanks (&parser);
  form = parse_spec (&parser);
  if (!form || *parser.at == '\0')
    return g_steal_pointer (&form);
  return fail (&parser, parser.at, "expected nothing here");
}

ReelSpec *
reel_spec_new_from_text (const char *text, GError **error)
{
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);
  g_autoptr (json_t) form = NULL;

  g_return_val_if_fail (text, NULL);

  form = parse_form (text, places, error);
  return form ? reel_spec_read_form (form, &(ReelSpecSource){ text, places }, error) : NULL;
}

/* ---- form to text ---- */

static void append_form (const json_t *form, GString *text);
static void append_list (const json_t *list, GString *text);

/* A string that would be read as a number is quoted too. */
static void
append_string (const char *string, GString *text)
{
  g_autoptr (json_t) read = reel_spec_form_from_word (string);
  g_autofree char *word = reel_text_quote (string);

  if (json_is_string (read) || *word == '\'')
    g_string_append (text, word);
  else
    g_string_append_printf (text, "'%s'", string);
}

static void
append_value (const json_t *value, GString *text)
{
  g_autofree char *real = NULL;

  switch (json_typeof (value))
    {
    case JSON_OBJECT:
      g_string_append_c (text, '(');
      append_form (value, text);
      g_string_append_c (text, ')');
      break;
    case JSON_ARRAY: append_list (value, text); break;
    case JSON_STRING: append_string (json_string_value (value), text); break;
    case JSON_INTEGER:
      g_string_append_printf (text, "%" JSON_INTEGER_FORMAT, json_integer_value (value));
      break;
    case JSON_REAL:
      real = reel_format_double (json_real_value (value));
      g_string_append (text, real);
      break;
    case JSON_TRUE: g_string_append (text, "true"); break;
    case JSON_FALSE: g_string_append (text, "false"); break;
    case JSON_NULL: g_string_append (text, "()"); break;
    }
}

static void
append_list (const json_t *list, GString *text)
{
  g_string_append_c (text, '[');
  for (gsize i = 0; i < json_array_size (list); i++)
    {
      if (i > 0)
        g_string_append_c (text, ',');
      append_value (json_array_get (list, i), text);
    }
  g_string_append_c (text, ']');
}

static void
append_members (json_t *members, GString *text)
{
  const char *name;
  json_t *value;

  json_object_foreach (members, name, value)
  {
    g_autofree char *word = reel_text_quote (name);

    g_string_append_printf (text, ",%s=", word);
    append_value (value, text);
  }
}

/* The meaning of the kind's word alone. */
static gboolean
is_usual (const ReelSpecKind *kind, const char *name, const json_t *value)
{
  if (g_str_equal (name, REEL_SPEC_FORM_DTYPE))
    return g_str_equal (json_string_value (value), reel_dtype_name (kind->default_dtype));
  return g_str_equal (name, REEL_SPEC_FORM_SHAPE) && json_array_size (value) == 0
         && kind != &reel_non_tensor_spec_kind;
}

static void
append_form (const json_t *form, GString *text)
{
  const char *word = json_string_value (json_object_get (form, REEL_SPEC_FORM_KIND));
  const ReelSpecKind *kind = reel_spec_find_kind (word, NULL);
  gsize colon;
  const char *name;
  json_t *value;

  g_string_append (text, word);
  colon = text->len;
  json_object_foreach ((json_t *) form, name, value)
  {
    if (g_str_equal (name, REEL_SPEC_FORM_SPECS))
      append_members (value, text);
    else if (!g_str_equal (name, REEL_SPEC_FORM_KIND) && !is_usual (kind, name, value))
      {
        g_string_append_printf (text, ",%s=", name);
        append_value (value, text);
      }
  }
  if (text->len > colon)
    text->str[colon] = ':';
}

char *
reel_spec_to_text (const ReelSpec *spec)
{
  g_autoptr (json_t) form = NULL;
  GString *text;

  g_return_val_if_fail (spec, NULL);

  form = reel_spec_describe (spec);
  text = g_string_new (NULL);
  append_form (form, text);
  return g_string_free (text, FALSE);
}
