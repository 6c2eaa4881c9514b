#include "text.h"

#include <string.h>

#include "error.h"

/* Each level of what is written in brackets is read by a call of its own. */
#define MOST_LEVELS 64

static char
other_half (char open)
{
  return open == '[' ? ']' : open == '(' ? ')' : '\0';
}

static gboolean
refuse (const char *text, char missing, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "\"%s\" has a %c without its other half", text,
               missing);
  return FALSE;
}

static gboolean
refuse_depth (const char *text, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "\"%s\" has brackets more than %d deep", text,
               MOST_LEVELS);
  return FALSE;
}

/* Moves `at` to the next separator outside of everything, or to the end. */
static gboolean
find_separator (const char *text, char separator, const char **at, GError **error)
{
  g_autoptr (GString) closers = g_string_new (NULL);

  for (; **at && (closers->len > 0 || **at != separator); (*at)++)
    {
      if (**at == '\'')
        {
          *at = strchr (*at + 1, '\'');
          if (!*at)
            return refuse (text, '\'', error);
        }
      else if (other_half (**at))
        {
          if (closers->len == MOST_LEVELS)
            return refuse_depth (text, error);
          g_string_append_c (closers, other_half (**at));
        }
      else if (**at == ']' || **at == ')')
        {
          if (closers->len == 0 || closers->str[closers->len - 1] != **at)
            return refuse (text, **at, error);
          g_string_truncate (closers, closers->len - 1);
        }
    }

  if (closers->len > 0)
    return refuse (text, closers->str[closers->len - 1] == ']' ? '[' : '(', error);
  return TRUE;
}

char **
reel_text_split (const char *text, char separator, GError **error)
{
  g_autoptr (GPtrArray) pieces = g_ptr_array_new_with_free_func (g_free);
  const char *at = text;
  const char *begin = text;

  while (find_separator (text, separator, &at, error))
    {
      g_ptr_array_add (pieces, g_strstrip (g_strndup (begin, at - begin)));
      if (*at == '\0')
        {
          if (pieces->len == 1 && *(char *) pieces->pdata[0] == '\0')
            g_ptr_array_set_size (pieces, 0);
          g_ptr_array_add (pieces, NULL);
          return (char **) g_ptr_array_free (g_steal_pointer (&pieces), FALSE);
        }
      begin = ++at;
    }

  return NULL;
}

char *
reel_text_cut (const char *text, char separator, char **tail)
{
  const char *at = strchr (text, separator);

  *tail = at ? g_strstrip (g_strdup (at + 1)) : NULL;
  return g_strstrip (at ? g_strndup (text, at - text) : g_strdup (text));
}

char *
reel_text_unwrap (const char *value, char open, char close)
{
  gsize length = strlen (value);

  if (length < 2 || value[0] != open || value[length - 1] != close)
    return NULL;
  return g_strstrip (g_strndup (value + 1, length - 2));
}

char *
reel_text_unquote (const char *value, GError **error)
{
  gsize length = strlen (value);
  g_autoptr (GString) string = g_string_new (NULL);

  if (*value != '\'')
    {
      if (!strpbrk (value, ",|'[]()"))
        return g_strdup (value);
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "cannot be %s: it must be a word or 'quoted'", value);
      return NULL;
    }

  for (const char *at = value + 1; at < value + length; at++)
    {
      if (*at == '\'' && at == value + length - 1)
        return g_string_free (g_steal_pointer (&string), FALSE);
      if (*at == '\'' && *++at != '\'')
        break;
      g_string_append_c (string, *at);
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "cannot be %s: something follows the quote",
               value);
  return NULL;
}

char *
reel_text_quote (const char *string)
{
  gsize length = strlen (string);
  gboolean blank_edge =
      length == 0 || g_ascii_isspace (string[0]) || g_ascii_isspace (string[length - 1]);

  if (!blank_edge && !strpbrk (string, ",|'[]()="))
    return g_strdup (string);

  g_autoptr (GString) quoted = g_string_new (string);
  g_string_replace (quoted, "'", "''", 0);
  return g_strdup_printf ("'%s'", quoted->str);
}
