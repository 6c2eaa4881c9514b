#include "table-names.h"

#include <string.h>

gboolean
reel_table_is_of_step (const char *path)
{
  static const char *const names[] = { "reward", "done", "terminated", "truncated", NULL };
  const char *slash = strrchr (path, '/');

  return g_strv_contains (names, slash ? slash + 1 : path);
}

void
reel_table_put_name (GString *text, const char *path, gint ndim, const gint64 *shape,
                     gint64 element)
{
  g_autoptr (GString) name = g_string_new (path);
  gboolean is_single = ndim == 0 || (ndim == 1 && shape[0] == 1 && reel_table_is_of_step (path));
  gint64 rest = 1;

  for (gint d = 0; d < ndim; d++)
    rest *= shape[d];
  for (gint d = 0; d < ndim && !is_single; d++)
    {
      rest /= shape[d];
      g_string_append_printf (name, "[%" G_GINT64_FORMAT "]", element / rest % shape[d]);
    }
  if (!strpbrk (name->str, ",\"\r\n"))
    {
      g_string_append (text, name->str);
      return;
    }
  g_string_replace (name, "\"", "\"\"", 0);
  g_string_append_printf (text, "\"%s\"", name->str);
}

/* A number of a place, at its bracket; −1 where there is none. */
static gint64
parse_number (const char **at)
{
  char *end;
  guint64 number;

  if (**at != '[' || !g_ascii_isdigit ((*at)[1]))
    return -1;
  number = g_ascii_strtoull (*at + 1, &end, 10);
  if (*end != ']' || number >= G_MAXINT32)
    return -1;
  *at = end + 1;
  return (gint64) number;
}

char *
reel_table_parse_name (const char *name, gint *ndim, gint64 *place)
{
  const char *at = name + strcspn (name, "[");
  g_autofree char *key = g_strndup (name, (gsize) (at - name));

  for (*ndim = 0; *at; ++*ndim)
    if (*ndim == REEL_MAX_NDIM - 1 || (place[*ndim] = parse_number (&at)) < 0)
      return NULL;
  return *key ? g_steal_pointer (&key) : NULL;
}
