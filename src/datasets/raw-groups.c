#include "raw-groups.h"

#include "../core/object/error.h"

#include <string.h>

#define MOST_DIGITS 18

/* −1 where it is none. */
static gint64
read_number (const char *name, gsize length, const char *prefix)
{
  const gsize begin = strlen (prefix);
  gint64 number = 0;

  if (!g_str_has_prefix (name, prefix) || length <= begin || length > begin + MOST_DIGITS)
    return -1;
  for (gsize at = begin; at < length; at++)
    {
      if (!g_ascii_isdigit (name[at]))
        return -1;
      number = 10 * number + (name[at] - '0');
    }
  return number;
}

static gboolean
add_array (GArray *groups, const ReelArrayInfo *array, const char *prefix, GError **error)
{
  const gsize length = strcspn (array->name, "/");
  const gint64 number = array->name[length] ? read_number (array->name, length, prefix) : -1;
  ReelRawGroup *last = groups->len ? &g_array_index (groups, ReelRawGroup, groups->len - 1) : NULL;

  if (number < 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                   "\"%s\" is not in a group such as \"%s0\", which is expected", array->name,
                   prefix);
      return FALSE;
    }
  if (last && last->number == number && last->prefix == length + 1)
    last->n_arrays++;
  else
    {
      const ReelRawGroup group = {
        .number = number, .arrays = array, .n_arrays = 1, .prefix = length + 1
      };

      g_array_append_val (groups, group);
    }
  return TRUE;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const ReelRawGroup *one = a, *other = b;

  return one->number < other->number ? -1 : one->number > other->number;
}

GArray *
reel_raw_groups_find (const GArray *arrays, const char *prefix, GError **error)
{
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (ReelRawGroup));

  for (guint i = 0; i < arrays->len; i++)
    if (!add_array (groups, &g_array_index (arrays, ReelArrayInfo, i), prefix, error))
      return NULL;
  g_array_sort (groups, compare);
  return g_steal_pointer (&groups);
}

const char *
reel_raw_group_name (const ReelRawGroup *self, guint i)
{
  return self->arrays[i].name + self->prefix;
}

const ReelArrayInfo *
reel_raw_group_require (const ReelRawGroup *self, const char *name, GError **error)
{
  const gsize length = strlen (name);

  for (guint i = 0; i < self->n_arrays; i++)
    {
      const char *below = reel_raw_group_name (self, i);

      if (g_str_has_prefix (below, name) && strchr ("/", below[length]))
        return &self->arrays[i];
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "there is no \"%.*s%s\"", (int) self->prefix,
               self->arrays->name, name);
  return NULL;
}

/* Rows of another type are converted. */
static gboolean
check_rows (const ReelArrayInfo *array, const ReelArrayInfo *like, gboolean any_type,
            GError **error)
{
  ReelArrayInfo converted = *array;

  if (any_type && !reel_dtype_is_complex ((ReelDtype) array->dtype)
      && !reel_dtype_is_complex ((ReelDtype) like->dtype))
    converted.dtype = like->dtype;
  return reel_raw_check_alike (&converted, like, error);
}

static char *
describe (const ReelRawGroup *self, const char *file, const char *array)
{
  g_autofree char *name =
      self->prefix ? g_strdup_printf ("\"%.*s\"", (int) self->prefix - 1, self->arrays->name)
                   : g_strdup (file);

  return array ? g_strdup_printf ("%s has \"%s\"", name, array)
               : g_strdup_printf ("%s has nothing", name);
}

gboolean
reel_raw_group_check_alike (const ReelRawGroup *self, const ReelRawGroup *first, gboolean any_type,
                            GError **error)
{
  for (guint i = 0; i < MAX (self->n_arrays, first->n_arrays); i++)
    {
      const char *is = i < self->n_arrays ? reel_raw_group_name (self, i) : NULL;
      const char *like = i < first->n_arrays ? reel_raw_group_name (first, i) : NULL;

      if (g_strcmp0 (is, like) != 0)
        {
          g_autofree char *what = describe (self, "it", is),
                          *other = describe (first, "the first file", like);

          g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s where %s", what, other);
          return FALSE;
        }
      if (!check_rows (&self->arrays[i], &first->arrays[i], any_type, error))
        return FALSE;
    }
  return TRUE;
}
