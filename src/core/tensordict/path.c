/* Paths of keys, such as `next/reward`. */
#include "tensordict-private.h"

#include <string.h>

#define SLASH "%2F"
#define PERCENT "%25"

char *
reel_path_escape (const char *key)
{
  GString *escaped = g_string_new (NULL);

  if (key[0] == '\0')
    g_string_append_c (escaped, '%');
  for (; *key; key++)
    if (*key == '/')
      g_string_append (escaped, SLASH);
    else if (*key == '%')
      g_string_append (escaped, PERCENT);
    else
      g_string_append_c (escaped, *key);
  return g_string_free (escaped, FALSE);
}

/* The key that one component stands for, or %NULL when it is none: there is one way to write it. */
static char *
unescape (const char *component, gsize length)
{
  g_autoptr (GString) key = g_string_sized_new (length);

  if (length == 0)
    return NULL;
  if (length == 1 && component[0] == '%')
    return g_strdup ("");
  for (gsize i = 0; i < length; i++)
    {
      gboolean slash = length - i >= 3 && strncmp (component + i, SLASH, 3) == 0;
      gboolean percent = length - i >= 3 && strncmp (component + i, PERCENT, 3) == 0;
      if (component[i] == '%' && !slash && !percent)
        return NULL;
      g_string_append_c (key, slash ? '/' : component[i]);
      i += slash || percent ? 2 : 0;
    }
  return g_string_free (g_steal_pointer (&key), FALSE);
}

char **
reel_path_split (const char *path, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func (g_free);
  const char *end;

  for (const char *begin = path;; begin = end + 1)
    {
      end = strchrnul (begin, '/');
      char *key = unescape (begin, end - begin);
      if (!key)
        {
          g_set_error (
              error, REEL_ERROR, REEL_ERROR_KEY,
              "\"%s\" is not a path of keys: write %s for \"/\" in a key, %s for \"%%\" and "
              "%% for the empty key",
              path, SLASH, PERCENT);
          return NULL;
        }
      g_ptr_array_add (keys, key);
      if (*end == '\0')
        break;
    }
  g_ptr_array_add (keys, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&keys), FALSE);
}
