/* Writes the JSON files of a checkpoint, and counts its rows as TorchRL does. */
#include "checkpoint-files.h"

#include "../../core/system/directories.h"
#include "../../core/object/error.h"
#include "../../core/system/files.h"
#include "../../core/tensordict-files/memmap-format.h"
#include "../../core/tensordict-files/save-plan.h"
#include "../../core/tensordict/tree-private.h"
#include "checkpoint-writer.h"

#include <string.h>

/* TorchRL keeps len, cursor and write count in C ints. */
static gint64
clamp (gint64 value, gboolean *clamped)
{
  if (value <= G_MAXINT32)
    return value;
  *clamped = TRUE;
  return G_MAXINT32;
}

void
reel_checkpoint_count (const ReelCheckpointPlace *place, gint64 capacity, gint64 lanes,
                       ReelCheckpointCounts *counts)
{
  gint64 first = MAX (place->begin, place->end - capacity);
  /* TorchRL knows rings from slot 0 on and full ones: steps that begin
   * elsewhere are those of a full one. */
  gint64 steps = first % capacity == 0 ? place->end - first : capacity;

  *counts = (ReelCheckpointCounts){ 0 };
  counts->len = steps * lanes;
  if (counts->len > G_MAXINT32)
    {
      counts->clamped = TRUE;
      counts->len = G_MAXINT32 / lanes * lanes;
    }
  counts->cursor = clamp (place->end % capacity, &counts->clamped);
  counts->write_count = clamp (place->write_count, &counts->clamped);
}

ReelTornSlots
reel_checkpoint_find_torn (gint64 begin, gint64 end, gint64 capacity)
{
  if (end - begin >= capacity || begin % capacity == 0)
    return (ReelTornSlots){ 0 };
  /* A claim raised begin and nothing was published: the slots from that
   * of end to that of begin are torn. */
  return (ReelTornSlots){ end % capacity, begin + capacity - end };
}

static char *
json_text (json_t *value)
{
  char *text = reel_json_to_string (value, REEL_JSON_SPACED);

  json_decref (value);
  return text;
}

/* @path: what comes before the names, NULL for nothing */
typedef struct
{
  const char *path;
  ReelFileContent files[5];
  gsize n;
} FileList;

static void
add_bytes (FileList *list, const char *name, char *bytes, gsize length)
{
  ReelFileContent *file = &list->files[list->n++];

  file->path = list->path ? reel_checkpoint_part (list->path, name) : g_strdup (name);
  file->data = bytes;
  file->length = length;
}

static void
clear_list (FileList *list)
{
  for (gsize i = 0; i < list->n; i++)
    {
      g_free ((char *) list->files[i].path);
      g_free ((char *) list->files[i].data);
    }
}

static void
add_file (FileList *list, const char *name, char *text)
{
  add_bytes (list, name, text, strlen (text));
}

/* @directory: where the list has the writer's files */
static void
add_writer (FileList *list, const char *directory, const ReelCheckpointCounts *counts,
            const ReelTensordict *state)
{
  json_t *root = json_pack ("{s:I, s:I}", "cursor", (json_int_t) counts->cursor, "write_count",
                            (json_int_t) counts->write_count);
  const ReelTensor *leaf;
  const char *file = reel_checkpoint_find_writer_leaf (state, &leaf);
  g_autofree char *name = file ? g_build_filename (directory, file, NULL) : NULL;
  g_autofree char *metadata = g_build_filename (directory, "metadata.json", NULL);

  reel_checkpoint_describe_writer (root, state);
  if (file)
    add_bytes (list, name, g_memdup2 (leaf->data, reel_tensor_nbytes (leaf)),
               reel_tensor_nbytes (leaf));
  add_file (list, metadata, json_text (root));
}

static json_t *
count_or_null (gint64 count)
{
  return count > 0 ? json_integer (count) : json_null ();
}

/* The text of storage_metadata.json. */
static char *
describe_storage (const ReelTensordict *data, gint64 len, GError **error)
{
  g_autoptr (ReelSavePlan) plan = NULL;

  if (!reel_tensordict_is_tree (data))
    return json_text (
        json_pack ("{s:{}, s:b, s:I}", "metadata", "is_pytree", 0, "len", (json_int_t) len));
  plan = reel_save_plan_new_tree (data, len, error);
  return plan ? g_strdup (reel_save_plan_file (plan, plan->n_leaves)->text) : NULL;
}

/* All files but the sidecar, which contains their checksums. */
static gboolean
add_checksums (json_t *checksums, const char *path, const FileList *list, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  ReelFileContent fresh[G_N_ELEMENTS (list->files)];
  const ReelChecksumsScope scope = { path, !json_object_get (checksums, "leaves"), fresh, list->n,
                                     json_object_get (checksums, "files") };
  gint64 block = json_integer_value (json_object_get (checksums, "block"));
  json_t *files;

  for (gsize i = 0; i < list->n; i++)
    {
      const char *name = list->files[i].path;

      fresh[i] = list->files[i];
      fresh[i].path = list->path ? g_strdup (name) : reel_checkpoint_part (path, name);
      g_ptr_array_add (names, (char *) fresh[i].path);
    }
  files = reel_checksums_of_files (&scope, block, error);
  return files && json_object_set_new (checksums, "files", files) == 0;
}

gboolean
reel_checkpoint_write_json (const char *path, const ReelHeldDirectory *held,
                            const ReelCheckpointFiles *files, gboolean whole, gboolean durable,
                            GError **error)
{
  const ReelSidecar *sidecar = files->sidecar;
  const ReelCheckpointPlace place = { sidecar->begin, sidecar->end, sidecar->write_count };
  ReelCheckpointCounts counts;
  FileList list = { .path = held ? NULL : path };
  gboolean written;
  char *storage;

  reel_checkpoint_count (&place, sidecar->shape[0], reel_sidecar_get_lanes (sidecar), &counts);
  storage = files->data ? describe_storage (files->data, counts.len, error) : NULL;
  if (files->data && !storage)
    return FALSE;
  if (whole && !reel_checkpoint_is_member (path))
    add_file (
        &list, "buffer_metadata.json",
        json_text (json_pack ("{s:o, s:o}", "batch_size", count_or_null (files->batch_size),
                              "consume_after_n_samples", count_or_null (files->max_sample_count))));
  if (storage)
    add_file (&list, "storage/" REEL_TREE_METADATA, storage);
  if (reel_tensordict_contains (files->writer, "_cursor"))
    add_writer (&list, "writer", &counts, files->writer);
  /* The sidecar last: once it says that the directory was closed, the others are as they stay. */
  written = !sidecar->checksums
            || add_checksums (sidecar->checksums, held ? reel_held_directory_get_path (held) : path,
                              &list, error);
  add_file (&list, REEL_SIDECAR_FILE, reel_sidecar_to_text (sidecar));
  written = written
            && (held ? reel_held_directory_write (held, list.files, list.n, error)
                     : reel_files_write_atomic (list.files, list.n, durable, error));
  clear_list (&list);
  return written;
}

gboolean
reel_checkpoint_write_writer_files (const char *path, const ReelTensordict *state, GError **error)
{
  ReelCheckpointCounts counts = { 0 };
  FileList list = { NULL };
  gboolean written;

  counts.cursor = *(const gint64 *) reel_tensordict_get_tensor (state, "_cursor", NULL)->data;
  counts.write_count =
      clamp (*(const gint64 *) reel_tensordict_get_tensor (state, "_write_count", NULL)->data,
             &counts.clamped);
  add_writer (&list, path, &counts, state);
  written = reel_files_write_atomic (list.files, list.n, FALSE, error);
  clear_list (&list);
  return written;
}

gboolean
reel_checkpoint_write_length (const char *path, const ReelTensordict *data, gint64 length,
                              gboolean durable, GError **error)
{
  char *text = describe_storage (data, length, error);
  FileList list = { .path = NULL };
  g_autofree char *name = g_build_filename (path, REEL_TREE_METADATA, NULL);
  gboolean written;

  if (!text)
    return FALSE;
  add_file (&list, name, text);
  written = reel_files_write_atomic (list.files, list.n, durable, error);
  clear_list (&list);
  return written;
}

/* Every file and directory below @path, and @path itself. */
static gboolean
list_tree (const char *path, GPtrArray *files, GPtrArray *directories, GError **error)
{
  g_auto (GStrv) names = reel_directory_list (path, error);

  for (gsize i = 0; names && names[i]; i++)
    {
      g_autofree char *below = g_build_filename (path, names[i], NULL);
      ReelPathKind kind;

      if (!reel_path_query (below, &kind, NULL, error)
          || (kind == REEL_PATH_DIRECTORY && !list_tree (below, files, directories, error)))
        return FALSE;
      if (kind == REEL_PATH_FILE)
        g_ptr_array_add (files, g_steal_pointer (&below));
    }
  g_ptr_array_add (directories, g_strdup (path));
  return names != NULL;
}

GPtrArray *
reel_checkpoint_list_leaves (const char *path, GError **error)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) directories = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *storage = reel_checkpoint_part (path, "storage");

  if (!list_tree (storage, files, directories, error))
    return NULL;
  for (guint i = files->len; i > 0; i--)
    if (!g_str_has_suffix (files->pdata[i - 1], ".memmap"))
      g_ptr_array_remove_index (files, i - 1);
  return g_steal_pointer (&files);
}

gboolean
reel_checkpoint_sync_tree (const char *path, GError **error)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) directories = g_ptr_array_new_with_free_func (g_free);
  g_autofree ReelFileHandle *handles = NULL;

  if (!list_tree (path, files, directories, error))
    return FALSE;
  handles = g_new (ReelFileHandle, files->len);
  for (guint i = 0; i < files->len; i++)
    handles[i] = (ReelFileHandle){ files->pdata[i], -1 };
  return reel_files_sync (handles, files->len, (const char *const *) directories->pdata,
                          directories->len, error);
}

gboolean
reel_checkpoint_check_inside (const char *path, GError **error)
{
  static const char *const parts[] = {
    "storage",      "writer",          "storage/storage_metadata.json", "writer/metadata.json",
    REEL_RING_FILE, REEL_SIDECAR_FILE,
  };

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *part = g_build_filename (path, parts[i], NULL);

      if (!reel_path_check_inside (part, path, error))
        return FALSE;
    }
  return TRUE;
}
