/* The base of datasets: where they are, what is imported, and the buffer over it. */
#include "dataset.h"

#include "../buffers/checkpoints/buffer-files.h"
#include "../core/formats/json.h"
#include "../core/object/error.h"
#include "../core/object/registry.h"
#include "../core/system/directories.h"
#include "../core/system/drafts.h"
#include "../core/system/files.h"
#include "../core/tensordict-files/tensordict-files.h"
#include "dataset-place.h"
#include "episode-split.h"
#include "source-files.h"

#include <string.h>

#define SPLIT_SUFFIX "_split"
#define UNSPLIT ".unsplit" /* in a draft: the rows that are going to be split */

enum
{
  IF_MISSING,
  NEVER,
  FORCE
};

typedef struct
{
  char *dataset_id;
  char *root;
  char *path;
  char *from;
  int download;
  gboolean split_trajs;
  gint64 batch_size;
  ReelSampler *sampler;
  ReelTransform *transform;
  char *data_path_root;
  char *data_path;
  ReelReplayBuffer *buffer;
} ReelDatasetPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelDataset, reel_dataset, REEL_TYPE_OBJECT)

static ReelDatasetPrivate *
get_private (ReelDataset *self)
{
  return reel_dataset_get_instance_private (self);
}

/* ---- which one ---- */

/* An id is a path below the root, and leads nowhere else. */
static gboolean
check_is_path (const char *id, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (id, "/", -1);
  gboolean safe = TRUE;

  for (gsize i = 0; parts[i]; i++)
    safe &= *parts[i] && !g_str_equal (parts[i], ".") && !g_str_equal (parts[i], "..");
  if (safe)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "\"%s\" cannot be the id of a dataset", id);
  return FALSE;
}

static gboolean
check_id (ReelDataset *self, GError **error)
{
  const char *id = get_private (self)->dataset_id;
  ReelDatasetClass *klass = REEL_DATASET_GET_CLASS (self);
  g_auto (GStrv) ids = klass->any_id ? NULL : klass->list (NULL, error);

  if (klass->any_id)
    return TRUE;
  if (!ids)
    return FALSE;
  if (g_strv_contains ((const char *const *) ids, id))
    return TRUE;
  const char *closest = reel_closest_word (id, (const char *const *) ids);
  g_autofree char *meant = closest ? g_strdup_printf ("; did you mean \"%s\"?", closest) : NULL;
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "%s has no dataset \"%s\"%s",
               reel_object_get_id (REEL_OBJECT (self)), id, meant ? meant : "");
  return FALSE;
}

/* ---- where ---- */

static char *
dup_root (const char *folder)
{
  const char *all = g_getenv ("REEL_DATASETS");

  return all && *all ? g_build_filename (all, folder, NULL)
                     : g_build_filename (g_get_user_cache_dir (), "reel", folder, NULL);
}

/* Where the raw files of a class are, unless they are named. */
static char *
dup_url (const char *folder)
{
  const char *all = g_getenv ("REEL_DATASETS_URL");

  return all && *all ? g_strconcat (all, g_str_has_suffix (all, "/") ? "" : "/", folder, NULL)
                     : NULL;
}

static void
find_paths (ReelDataset *self)
{
  ReelDatasetPrivate *private = get_private (self);
  g_autofree char *root =
      private->root ? g_strdup (private->root) : dup_root (REEL_DATASET_GET_CLASS (self)->folder);

  private->data_path_root = private->path ? reel_path_without_end_slashes (private->path)
                                          : g_build_filename (root, private->dataset_id, NULL);
  private->data_path = private->split_trajs && !private->path
                           ? g_strconcat (private->data_path_root, SPLIT_SUFFIX, NULL)
                           : g_strdup (private->data_path_root);
}

/* ---- import ---- */

static gboolean
split_imported (ReelDataset *self, const char *unsplit, const char *directory, GError **error)
{
  return reel_episodes_split (unsplit, directory, REEL_DATASET_GET_CLASS (self)->force_split_end,
                              error);
}

static gboolean
import_and_split (ReelDataset *self, const char *from, const char *directory, GError **error)
{
  g_autofree char *unsplit = g_build_filename (directory, UNSPLIT, NULL);

  return reel_directory_make (unsplit, error)
         && REEL_DATASET_GET_CLASS (self)->import (self, from, unsplit, error)
         && split_imported (self, unsplit, directory, error)
         && reel_directory_remove (unsplit, error);
}

/* Rows to be split may be there without the raw files. */
static gboolean
find_unsplit (ReelDataset *self, gboolean *there, GError **error)
{
  ReelDatasetPrivate *private = get_private (self);
  ReelPathKind kind = REEL_PATH_MISSING;

  if (private->download != FORCE && private->split_trajs && !private->path
      && !reel_path_query (private->data_path_root, &kind, NULL, error))
    return FALSE;
  *there = kind == REEL_PATH_DIRECTORY;
  return TRUE;
}

/* Rows that were imported before are split as they are. */
static gboolean
fill_from (ReelDataset *self, const char *directory, gpointer from, GError **error)
{
  gboolean there;

  if (!get_private (self)->split_trajs)
    return REEL_DATASET_GET_CLASS (self)->import (self, from, directory, error);
  if (!find_unsplit (self, &there, error))
    return FALSE;
  return there ? split_imported (self, get_private (self)->data_path_root, directory, error)
               : import_and_split (self, from, directory, error);
}

/* The raw files are not replaced, whatever they are. */
static gboolean
check_source (const char *from, const char *path, GError **error)
{
  ReelPathKind kind;

  if (!reel_path_query (path, &kind, NULL, error))
    return FALSE;
  if (kind == REEL_PATH_MISSING || !reel_path_check_inside (from, path, NULL))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "the raw files, %s, are in %s, which it would replace; choose another path", from,
               path);
  return FALSE;
}

/* Says what the rows are: a directory without it is not replaced. */
static gboolean
sign (ReelDataset *self, const char *directory, GError **error)
{
  g_autofree char *path = g_build_filename (directory, REEL_DATASET_FILE, NULL), *text = NULL;
  g_autoptr (json_t) record =
      json_pack ("{s:s, s:s}", "class", reel_object_get_id (REEL_OBJECT (self)), "dataset_id",
                 get_private (self)->dataset_id);

  if (!record)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "\"%s\" is not UTF-8",
                   get_private (self)->dataset_id);
      return FALSE;
    }
  text = reel_json_to_string (record, REEL_JSON_SPACED);
  return reel_file_write_atomic (path, text, strlen (text), FALSE, error);
}

gboolean
reel_dataset_place (ReelDataset *self, const char *path, ReelCheckpointFlags flags,
                    ReelDatasetFill fill, gpointer data, GError **error)
{
  g_auto (ReelDraft) draft = REEL_DRAFT_NONE;
  g_autofree char *parent = g_path_get_dirname (path);

  return reel_dataset_check_target (path, flags, error)
         && reel_directory_make_durable (parent, error) && reel_draft_begin (&draft, path, error)
         && fill (self, draft.path, data, error) && sign (self, draft.path, error)
         && reel_checkpoint_sync_tree (draft.path, error)
         && reel_dataset_put_in_place (&draft, flags, error);
}

static gboolean
import (ReelDataset *self, const char *from, GError **error)
{
  const char *path = get_private (self)->data_path;
  ReelCheckpointFlags flags =
      get_private (self)->download == FORCE ? REEL_CHECKPOINT_FORCE : REEL_CHECKPOINT_DEFAULT;

  return reel_dataset_check_target (path, flags, error)
         && (!from || check_source (from, path, error))
         && reel_dataset_place (self, path, flags, fill_from, (gpointer) from, error);
}

static gboolean
provide (ReelDataset *self, const char *from, GError **error)
{
  ReelDatasetPrivate *private = get_private (self);
  ReelPathKind kind;
  gboolean unsplit;

  if (!reel_path_query (private->data_path, &kind, NULL, error)
      || !find_unsplit (self, &unsplit, error))
    return FALSE;
  if (kind == REEL_PATH_DIRECTORY && private->download != FORCE)
    return TRUE;
  if (private->download == NEVER || (!from && !unsplit))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   private->download == NEVER
                       ? "there is no dataset at %s, and download=never imports none"
                       : "there is no dataset at %s: say from=DIRECTORY, which has the raw files",
                   private->data_path);
      return FALSE;
    }
  if (import (self, from, error))
    return TRUE;
  if (private->from && reel_source_is_remote (private->from))
    g_prefix_error (error, "cannot import %s from %s: ", private->dataset_id, private->from);
  else
    g_prefix_error (error, "cannot import %s: ", private->dataset_id);
  return FALSE;
}

/* ---- the buffer ---- */

static gboolean
append_transform (ReelDataset *self, ReelTransform *transform, GError **error)
{
  return reel_replay_buffer_append_transform (get_private (self)->buffer, transform, FALSE, error);
}

static gboolean
append_transforms (ReelDataset *self, GError **error)
{
  ReelDatasetClass *klass = REEL_DATASET_GET_CLASS (self);
  g_autofree char *text = klass->dup_transform ? klass->dup_transform (self) : NULL;
  g_autoptr (ReelTransform) first =
      text ? reel_object_new_from_text (REEL_TYPE_TRANSFORM, text, error, NULL) : NULL;

  if (text && (!first || !append_transform (self, first, error)))
    return FALSE;
  return !get_private (self)->transform
         || append_transform (self, get_private (self)->transform, error);
}

/* A class may draw in a way of its own where none is named. */
static gboolean
choose_sampler (ReelDataset *self, GError **error)
{
  ReelDatasetPrivate *private = get_private (self);
  const char *text = REEL_DATASET_GET_CLASS (self)->default_sampler;

  if (!private->sampler && text)
  private->sampler = reel_object_new_from_text (REEL_TYPE_SAMPLER, text, error, NULL);
  return private->sampler || !text;
}

static gboolean
open_buffer (ReelDataset *self, GError **error)
{
  ReelDatasetPrivate *private = get_private (self);
  g_auto (GStrv) left_out = NULL; /* text */
  g_autoptr (ReelTensordict) rows = reel_tensordict_load_partial (
      private->data_path, REEL_LOAD_READ_ONLY | REEL_LOAD_TENSORS, &left_out, error);
  g_autoptr (ReelStorage) storage = rows ? reel_storage_new_from_data (rows, -1, 1, error) : NULL;
  g_autoptr (ReelWriter) writer =
      storage ? reel_object_new_from_text (REEL_TYPE_WRITER, "immutable", error, NULL) : NULL;

  if (!writer || !choose_sampler (self, error))
    return FALSE;
  private->buffer =
      reel_replay_buffer_new (storage, private->sampler, writer, private->batch_size, error);
  return private->buffer && append_transforms (self, error);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelDataset *self = REEL_DATASET (object);
  ReelDatasetPrivate *private = get_private (self);
  g_autofree char *from = NULL;

  if (!REEL_OBJECT_CLASS (reel_dataset_parent_class)->build (object, error))
    return FALSE;
  if (!private->dataset_id || !*private->dataset_id)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "dataset-id must name a dataset, as in %s:ID", reel_object_get_id (object));
      return FALSE;
    }
  if (!private->from)
  private->from = dup_url (REEL_DATASET_GET_CLASS (self)->folder);
  if (private->from
      && !(from = reel_source_resolve (private->from, private->download == FORCE, error)))
    return FALSE;
  if (!check_is_path (private->dataset_id, error) || !check_id (self, error))
    return FALSE;
  find_paths (self);
  return provide (self, from, error) && open_buffer (self, error);
}

static void
finalize (GObject *object)
{
  ReelDatasetPrivate *private = get_private (REEL_DATASET (object));

  g_clear_object (&private->buffer);
  g_free (private->data_path_root);
  g_free (private->data_path);
  G_OBJECT_CLASS (reel_dataset_parent_class)->finalize (object);
}

/* ---- the class ---- */

static const char *const of_hdf5[] = { "d4rl",    "D4RLExperienceReplay",
                                       "minari",  "MinariExperienceReplay",
                                       "roboset", "RobosetExperienceReplay",
                                       NULL };

static const ReelOptional hdf5 = {
  .names = of_hdf5,
  .library = "HDF5",
  .remedy = "install libhdf5-dev and configure without --without-hdf5",
};

static void
add_rows (ReelObjectClass *klass)
{
  reel_object_class_add_string (klass, "dataset-id",
                                (gsize) G_PRIVATE_OFFSET (ReelDataset, dataset_id), NULL,
                                "which of the datasets of the class", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (
      klass, "batch-size", (gsize) G_PRIVATE_OFFSET (ReelDataset, batch_size), 0, G_MAXINT64, 0,
      "rows", "rows of a batch, 0 for no default", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_object (
      klass, "sampler", (gsize) G_PRIVATE_OFFSET (ReelDataset, sampler), REEL_TYPE_SAMPLER,
      "which rows a batch is made of; random without one", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_object (
      klass, "transform", (gsize) G_PRIVATE_OFFSET (ReelDataset, transform), REEL_TYPE_TRANSFORM,
      "transforms of the rows that are read", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (
      klass, "split-trajs", (gsize) G_PRIVATE_OFFSET (ReelDataset, split_trajs), FALSE,
      "a row for each trajectory, padded at its end", REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
add_files (ReelObjectClass *klass)
{
  static const char *const words[] = { "if-missing", "never", "force", NULL };

  reel_object_class_add_path (klass, "root", (gsize) G_PRIVATE_OFFSET (ReelDataset, root), NULL,
                              "directory that has a directory for each dataset of the class",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_path (klass, "path", (gsize) G_PRIVATE_OFFSET (ReelDataset, path), NULL,
                              "directory of the dataset, in the place of one below root",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_path (
      klass, "from", (gsize) G_PRIVATE_OFFSET (ReelDataset, from), NULL,
      "the raw files, laid out as the publisher has them: a directory, or a file://, http://, "
      "https:// or hf:// URL",
      REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_enum (
      klass, "download", (gsize) G_PRIVATE_OFFSET (ReelDataset, download), words, IF_MISSING,
      "when the raw files are imported; force replaces a dataset alone, and "
      "fetches files of a server again",
      REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_dataset_class_init (ReelDatasetClass *klass)
{
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->kind = "dataset";
  object_class->optional = &hdf5;
  object_class->positional = "dataset-id";
  object_class->build = build;
  add_rows (object_class);
  add_files (object_class);
}

static void
reel_dataset_init (ReelDataset *self)
{
}

/* ---- calls ---- */

const char *
reel_dataset_get_dataset_id (ReelDataset *self)
{
  return get_private (self)->dataset_id;
}

ReelReplayBuffer *
reel_dataset_get_buffer (ReelDataset *self)
{
  return get_private (self)->buffer;
}

const char *
reel_dataset_get_data_path_root (ReelDataset *self)
{
  return get_private (self)->data_path_root;
}

const char *
reel_dataset_get_data_path (ReelDataset *self)
{
  return get_private (self)->data_path;
}

gboolean
reel_dataset_delete (ReelDataset *self, GError **error)
{
  g_return_val_if_fail (REEL_IS_DATASET (self), FALSE);
  return reel_directory_remove (get_private (self)->data_path, error);
}

void
reel_dataset_watch_downloads (ReelDatasetDownloadFunc func, gpointer data)
{
  reel_source_watch (func, data);
}

static ReelDatasetClass *
find_class (const char *id, GError **error)
{
  const ReelId *found;
  GType type = reel_registry_find (REEL_TYPE_DATASET, id, &found, error);

  return type == G_TYPE_INVALID ? NULL : g_type_class_ref (type);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

char **
reel_dataset_list_available (const char *id, const char *from, GError **error)
{
  ReelDatasetClass *klass = find_class (id, error);
  g_autofree char *directory = klass && from ? reel_source_resolve (from, TRUE, error) : NULL;
  char **ids = klass && (directory || !from) ? klass->list (directory, error) : NULL;

  if (ids)
    qsort (ids, g_strv_length (ids), sizeof *ids, compare);
  if (klass)
    g_type_class_unref (klass);
  return ids;
}

char *
reel_dataset_dup_root (const char *id, GError **error)
{
  ReelDatasetClass *klass = find_class (id, error);
  char *root = klass ? dup_root (klass->folder) : NULL;

  if (klass)
    g_type_class_unref (klass);
  return root;
}
