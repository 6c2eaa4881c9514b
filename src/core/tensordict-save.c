#include "directories.h"
#include "files.h"
#include "mapping.h"
#include "memmap-format.h"
#include "tensordict-private.h"

#include <string.h>

/* Calls @func for every tensordict with its directory, children before their parents. */
typedef gboolean (*LevelFunc) (const ReelTensordict *td, const char *directory, gpointer user_data,
                               GError **error);

static gboolean
for_each_level (const ReelTensordict *td, const char *directory, LevelFunc func, gpointer user_data,
                GError **error)
{
  const ReelTensordictEntry *entry;

  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    if (entry->child)
      {
        g_autofree char *name = reel_memmap_encode_key (entry->key);
        g_autofree char *path = g_build_filename (directory, name, NULL);
        if (!for_each_level (entry->child, path, func, user_data, error))
          return FALSE;
      }
  return func (td, directory, user_data, error);
}

static char *
leaf_path (const char *directory, const char *key)
{
  g_autofree char *encoded = reel_memmap_encode_key (key);
  g_autofree char *name = g_strconcat (encoded, REEL_MEMMAP_SUFFIX, NULL);

  return g_build_filename (directory, name, NULL);
}

static gint64
count_bytes (const ReelTensordict *td)
{
  const ReelTensordictEntry *entry;
  gint64 bytes = 0;

  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    bytes +=
        entry->tensor ? (gint64) reel_tensor_nbytes (entry->tensor) : count_bytes (entry->child);
  return bytes;
}

static gboolean
make_directory (const ReelTensordict *td, const char *directory, gpointer user_data, GError **error)
{
  return reel_directory_make (directory, error);
}

/* ---- save ---- */

/* What is to be written, all in one go, and what keeps it alive until then. */
typedef struct
{
  GArray *leaves; /* of ReelFileContent */
  GArray *metadata;
  GPtrArray *strings;
  GPtrArray *tensors;
} Plan;

static void
plan_file (Plan *plan, GArray *files, char *path, gconstpointer data, gsize length)
{
  const ReelFileContent content = { path, data, length };

  g_array_append_val (files, content);
  g_ptr_array_add (plan->strings, path);
}

static gboolean
plan_level (const ReelTensordict *td, const char *directory, gpointer user_data, GError **error)
{
  Plan *plan = user_data;
  const ReelTensordictEntry *entry;

  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    {
      if (!entry->tensor || reel_tensor_numel (entry->tensor) == 0)
        continue;
      ReelTensor *dense = reel_tensor_contiguous (entry->tensor, error);
      if (!dense)
        return FALSE;
      g_ptr_array_add (plan->tensors, dense);
      plan_file (plan, plan->leaves, leaf_path (directory, entry->key), dense->data,
                 reel_tensor_nbytes (dense));
    }
  char *text = reel_memmap_describe (td);
  g_ptr_array_add (plan->strings, text);
  plan_file (plan, plan->metadata, g_build_filename (directory, REEL_MEMMAP_METADATA, NULL), text,
             strlen (text));
  return TRUE;
}

/* Leaves first, then the metadata from the bottom up: the root's stands for the whole. */
static gboolean
write_plan (const ReelTensordict *td, const char *path, GError **error)
{
  g_autoptr (GArray) leaves = g_array_new (FALSE, FALSE, sizeof (ReelFileContent));
  g_autoptr (GArray) metadata = g_array_new (FALSE, FALSE, sizeof (ReelFileContent));
  g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) tensors =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);
  Plan plan = { leaves, metadata, strings, tensors };

  if (!for_each_level (td, path, plan_level, &plan, error))
    return FALSE;
  g_array_append_vals (leaves, metadata->data, metadata->len);
  return reel_files_write_atomic ((const ReelFileContent *) leaves->data, leaves->len, TRUE, error);
}

/* The directories whose names are not durable until their parents are synced. */
static GPtrArray *
list_parents_to_sync (const char *path)
{
  GPtrArray *parents = g_ptr_array_new_with_free_func (g_free);
  ReelPathKind kind = REEL_PATH_MISSING;
  g_autofree char *at = g_strdup (path);

  while (kind == REEL_PATH_MISSING && reel_path_query (at, &kind, NULL, NULL)
         && kind == REEL_PATH_MISSING)
    {
      char *parent = g_path_get_dirname (at);
      g_ptr_array_add (parents, g_strdup (parent));
      g_free (at);
      at = parent;
    }
  return parents;
}

gboolean
reel_tensordict_save (const ReelTensordict *td, const char *path, GError **error)
{
  g_autoptr (GPtrArray) parents = list_parents_to_sync (path);

  if (!reel_memmap_check_keys (td, error)
      || !reel_directory_check_space (path, count_bytes (td), error)
      || !for_each_level (td, path, make_directory, NULL, error) || !write_plan (td, path, error))
    return FALSE;
  for (guint i = 0; i < parents->len; i++)
    if (!reel_directory_sync (parents->pdata[i], error))
      return FALSE;
  return TRUE;
}

/* ---- new ---- */

static ReelMemory *
create_file (const char *path, gint64 size, GError **error)
{
  int fd = reel_file_create (path, size, error);
  if (fd < 0)
    return NULL;
  g_autoptr (ReelMemory) memory = reel_memmap_map (path, fd, REEL_MAP_WRITE, size, error);
  if (!reel_file_close (fd, path, memory ? error : NULL) || !memory)
    return NULL;
  return g_steal_pointer (&memory);
}

static ReelTensor *
create_leaf (const ReelTensor *like, const char *path, GError **error)
{
  gint64 size = (gint64) reel_tensor_nbytes (like);
  g_autoptr (ReelMemory) memory =
      size > 0 ? create_file (path, size, error)
               : reel_memory_new_wrapped (REEL_MEMORY_FILE, NULL, 0, NULL, NULL);

  if (!memory)
    return NULL;
  return reel_tensor_new_from_memory (memory, 0, like->dtype, like->ndim, like->shape, NULL, error);
}

static ReelTensordict *
create_level (const ReelTensordict *like, const char *directory, GError **error)
{
  gint ndim;
  const gint64 *batch_size = reel_tensordict_get_batch_size (like, &ndim);
  g_autoptr (ReelTensordict) td = reel_tensordict_new (ndim, batch_size);
  const ReelTensordictEntry *entry;

  for (guint i = 0; (entry = reel_tensordict_get_entry (like, i)); i++)
    {
      g_autofree char *name = reel_memmap_encode_key (entry->key);
      g_autofree char *path = entry->tensor ? leaf_path (directory, entry->key)
                                            : g_build_filename (directory, name, NULL);
      ReelTensordictValue value = {
        .tensor = entry->tensor ? create_leaf (entry->tensor, path, error) : NULL,
        .child = entry->child ? create_level (entry->child, path, error) : NULL,
      };
      if (!reel_tensordict_value_is_set (&value))
        return NULL;
      reel_tensordict_append_like (td, entry, value);
    }
  return g_steal_pointer (&td);
}

static gboolean
write_metadata (const ReelTensordict *td, const char *directory, gpointer user_data, GError **error)
{
  g_autofree char *path = g_build_filename (directory, REEL_MEMMAP_METADATA, NULL);
  g_autofree char *text = reel_memmap_describe (td);

  return reel_file_write_atomic (path, text, strlen (text), FALSE, error);
}

ReelTensordict *
reel_tensordict_save_like (const ReelTensordict *like, const char *path, GError **error)
{
  if (!reel_memmap_check_keys (like, error)
      || !reel_directory_check_space (path, count_bytes (like), error)
      || !for_each_level (like, path, make_directory, NULL, error))
    return NULL;
  g_autoptr (ReelTensordict) td = create_level (like, path, error);
  if (!td || !for_each_level (like, path, write_metadata, NULL, error))
    return NULL;
  reel_tensordict_set_device (td, "cpu", NULL);
  reel_tensordict_lock (td);
  return g_steal_pointer (&td);
}
