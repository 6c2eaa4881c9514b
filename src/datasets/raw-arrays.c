#include "raw-arrays.h"

#include "../core/object/error.h"
#include "../core/tensor/form.h"
#include "../core/tensordict/tensordict.h"

#include <string.h>

#define MOST_NAMES 12 /* that an error lists */

const ReelArrayInfo *
reel_raw_find (const GArray *arrays, const char *name)
{
  for (guint i = 0; i < arrays->len; i++)
    if (strcmp (g_array_index (arrays, ReelArrayInfo, i).name, name) == 0)
      return &g_array_index (arrays, ReelArrayInfo, i);
  return NULL;
}

static char *
list_names (const GArray *arrays)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < arrays->len && i < MOST_NAMES; i++)
    g_string_append_printf (names, "%s\"%s\"", i ? ", " : "",
                            g_array_index (arrays, ReelArrayInfo, i).name);
  g_string_append (names, arrays->len == 0 ? "nothing" : arrays->len > MOST_NAMES ? ", …" : "");
  return g_string_free (g_steal_pointer (&names), FALSE);
}

const ReelArrayInfo *
reel_raw_require (const GArray *arrays, const char *name, GError **error)
{
  const ReelArrayInfo *array = reel_raw_find (arrays, name);
  g_autofree char *names = array ? NULL : list_names (arrays);

  if (!array)
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "there is no \"%s\", but %s", name, names);
  return array;
}

/* `float32 [8, 4]` */
static char *
describe (const ReelArrayInfo *array)
{
  g_autoptr (GString) text =
      g_string_new (array->dtype < 0 ? "text" : reel_dtype_name ((ReelDtype) array->dtype));

  g_string_append (text, " [");

  for (gint d = 0; d < array->ndim; d++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, d ? ", " : "", array->shape[d]);
  g_string_append_c (text, ']');
  return g_string_free (g_steal_pointer (&text), FALSE);
}

gboolean
reel_raw_check_rows (const ReelArrayInfo *array, gint64 n_rows, const ReelArrayInfo *like,
                     GError **error)
{
  g_autofree char *is = describe (array), *other = describe (like);

  if (array->dtype < 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                 "\"%s\" contains text or other values; numbers or bools are expected",
                 array->name);
  else if (array->ndim < 1 || array->shape[0] != n_rows)
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                 "\"%s\" is %s; %" G_GINT64_FORMAT " rows are expected, as \"%s\" is %s",
                 array->name, is, n_rows, like->name, other);
  else
    return TRUE;
  return FALSE;
}

gboolean
reel_raw_check_alike (const ReelArrayInfo *array, const ReelArrayInfo *like, GError **error)
{
  g_autofree char *is = describe (array), *other = describe (like);

  if (array->dtype == like->dtype && array->ndim == like->ndim
      && memcmp (array->shape + 1, like->shape + 1,
                 (gsize) (array->ndim - 1) * sizeof *array->shape)
             == 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "\"%s\" is %s; rows are expected as those of \"%s\", which is %s", array->name, is,
               like->name, other);
  return FALSE;
}

gboolean
reel_raw_check_column (const ReelArrayInfo *array, GError **error)
{
  g_autofree char *is = describe (array);

  if (array->dtype >= 0 && !reel_dtype_is_complex ((ReelDtype) array->dtype)
      && (array->ndim == 1 || (array->ndim == 2 && array->shape[1] == 1)))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "\"%s\" is %s; one number a row is expected, [%" G_GINT64_FORMAT "]", array->name,
               is, array->ndim > 0 ? array->shape[0] : 0);
  return FALSE;
}

char *
reel_raw_key (const char *name)
{
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);

  for (gsize i = 0; parts[i]; i++)
    {
      char *part = parts[i];

      parts[i] = reel_path_escape (part);
      g_free (part);
    }
  return g_strjoinv ("/", parts);
}

char *
reel_raw_find_key (const ReelRawName *known, const char *name, int *use)
{
  const gsize length = strcspn (name, "/");

  *use = 0;
  for (; known->name; known++)
    if (strncmp (name, known->name, length) == 0 && known->name[length] == '\0')
      {
        g_autofree char *below = name[length] ? reel_raw_key (name + length + 1) : NULL;

        *use = known->use;
        return below ? g_strconcat (known->key, "/", below, NULL) : g_strdup (known->key);
      }
  return reel_raw_key (name);
}
