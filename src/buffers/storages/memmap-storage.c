/* A storage in TorchRL's memory-mapped files. */
#include "../../core/system/background.h"
#include "../../core/system/directories.h"
#include "../../core/system/drafts.h"
#include "../../core/system/exit-directories.h"
#include "../../core/system/files.h"
#include "../../core/system/mapping.h"
#include "../../core/tensordict-files/memmap-format.h"
#include "../../core/tensordict-files/tree-files.h"
#include "../../core/tensordict/tree-private.h"
#include "ring.h"
#include "storage-private.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES (8 << 20)  /* what the background populates at a time */
#define AHEAD_BYTES (64 << 20) /* how far before the cursor it is sent */
#define DEADLINE (60 * G_USEC_PER_SEC)

/* The work of the background thread; it may outlive the storage. */
typedef struct
{
  ReelTensordict *data;
  ReelColumn *columns;
  guint n_columns;
  gint64 n_slots;
  gint64 first; /* the slot at which it began: those before it were written earlier */
  char *path;
} Pages;

struct _ReelMemmapStorage
{
  ReelStorage parent_instance;

  char *scratch_dir;
  gboolean existsok;
  gboolean auto_cleanup;
  ReelExitDirectory *temporary; /* what goes away with the storage, NULL for nothing */
  gboolean made;                /* whether its files were made, not found */
  char **stood; /* what was in scratch-dir before them, NULL where it was not there */

  ReelBackground *background; /* from the first block of the first pass to its end */
  Pages *pages;
  gint64 ahead; /* steps */
};

G_DECLARE_FINAL_TYPE (ReelMemmapStorage, reel_memmap_storage, REEL, MEMMAP_STORAGE, ReelStorage)
G_DEFINE_FINAL_TYPE (ReelMemmapStorage, reel_memmap_storage, REEL_TYPE_STORAGE)

/* ---- files ---- */

/* Nothing on disk has a name while the storage lives, so nothing is left behind. */
static ReelTensordict *
allocate_unnamed (ReelTensordict *layout, GError **error)
{
  g_autofree char *beside = g_build_filename (g_get_tmp_dir (), "reel-storage", NULL);
  g_auto (ReelDraft) files = REEL_DRAFT_NONE;

  return reel_draft_begin (&files, beside, error)
             ? reel_tensordict_save_like (layout, files.path, error)
             : NULL;
}

static gboolean
check_same_layout (const ReelTensordict *found, const ReelTensordict *layout, const char *path,
                   GError **error)
{
  g_auto (GStrv) keys = reel_tensordict_list_leaves (layout);
  g_auto (GStrv) found_keys = reel_tensordict_list_leaves (found);
  gboolean same = g_strv_length (keys) == g_strv_length (found_keys);

  for (gsize i = 0; same && keys[i]; i++)
    {
      const ReelTensor *is = reel_tensordict_get_tensor (found, keys[i], NULL);
      const ReelTensor *wanted = reel_tensordict_get_tensor (layout, keys[i], NULL);

      same = is && is->dtype == wanted->dtype && is->ndim == wanted->ndim
             && memcmp (is->shape, wanted->shape, (gsize) is->ndim * sizeof *is->shape) == 0;
    }
  if (!same)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s: the files there have other keys, dtypes or shapes than the data", path);
  return same;
}

/* The rows of a run are written by whoever has the lock of its ring, and loads what it counts. */
static gboolean
check_no_run (const char *path, GError **error)
{
  char *real = realpath (path, NULL);
  g_autofree char *run = real ? g_path_get_dirname (real) : NULL;
  g_autofree char *ring = run ? g_build_filename (run, REEL_RING_FILE, NULL) : NULL;
  ReelPathKind kind = REEL_PATH_MISSING;

  free (real);
  if (ring && !reel_path_query (ring, &kind, NULL, error))
    return FALSE;
  if (kind == REEL_PATH_MISSING)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "%s: cannot write the rows of the run %s: load the run before the first write, or "
               "choose another scratch-dir",
               path, run);
  return FALSE;
}

static ReelTensordict *
use_existing (ReelTensordict *layout, const char *path, GError **error)
{
  gboolean is_tree = reel_tensordict_is_tree (layout);
  gint64 length;
  g_autoptr (ReelTensordict) data = NULL;

  if (!check_no_run (path, error))
    return NULL;
  data = is_tree ? reel_tree_load (path, layout, REEL_LOAD_SHARED, &length, error)
                 : reel_tensordict_load (path, REEL_LOAD_SHARED, error);

  if (!data || !check_same_layout (data, layout, path, error)
      || (is_tree
          && !reel_tensordict_set_batch_size (data, layout->ndim, layout->batch_size, error)))
    return NULL;
  return g_steal_pointer (&data);
}

static ReelTensordict *
allocate_named (ReelMemmapStorage *self, ReelTensordict *layout, GError **error)
{
  const char *path = self->scratch_dir;
  g_autofree char *metadata = g_build_filename (
      path, reel_tensordict_is_tree (layout) ? REEL_TREE_METADATA : "meta.json", NULL);
  ReelPathKind directory, described;
  ReelTensordict *data;

  self->made = FALSE;
  if (!reel_path_query (path, &directory, NULL, error)
      || !reel_path_query (metadata, &described, NULL, error))
    return NULL;
  if (described == REEL_PATH_MISSING)
    {
      g_clear_pointer (&self->stood, g_strfreev);
      if (directory == REEL_PATH_DIRECTORY && !(self->stood = reel_directory_list (path, error)))
        return NULL;
      /* The directory may hold files of the user: deallocate() removes
       * only those that are not in `stood`. */
      self->made = TRUE;
      data = reel_tensordict_save_like (layout, path, error);
      if (!data && directory == REEL_PATH_MISSING)
        reel_directory_remove (path, NULL);
      return data;
    }
  if (self->existsok)
    return use_existing (layout, path, error);
  g_set_error (
      error, REEL_ERROR, REEL_ERROR_RUNTIME,
      "The file %s already exists. Choose another scratch-dir, or say existsok=true to use "
      "the files that are there",
      metadata);
  return NULL;
}

static ReelTensordict *
allocate (ReelStorage *storage, ReelTensordict *layout, GError **error)
{
  ReelMemmapStorage *self = REEL_MEMMAP_STORAGE (storage);
  ReelTensordict *data;

  if (!self->scratch_dir)
    return allocate_unnamed (layout, error);
  data = allocate_named (self, layout, error);
  if (data && self->auto_cleanup && !self->temporary)
    self->temporary = reel_exit_directory_new (self->scratch_dir);
  return data;
}

static void
deallocate (ReelStorage *storage)
{
  ReelMemmapStorage *self = REEL_MEMMAP_STORAGE (storage);
  g_auto (GStrv) names = self->made ? reel_directory_list (self->scratch_dir, NULL) : NULL;
  gboolean removed;

  for (gsize i = 0; names && names[i]; i++)
    {
      g_autofree char *path = g_build_filename (self->scratch_dir, names[i], NULL);

      if (!self->stood || !g_strv_contains ((const char *const *) self->stood, names[i]))
        reel_directory_remove (path, NULL);
    }
  if (self->made && !self->stood)
    reel_directory_remove (self->scratch_dir, NULL);
  if (self->temporary && !self->stood)
    reel_exit_directory_remove (g_steal_pointer (&self->temporary), &removed, NULL);
  self->made = FALSE;
}

/* Mappings outlive the names of their files. */
static gboolean
cleanup (ReelStorage *storage, GError **error)
{
  ReelMemmapStorage *self = REEL_MEMMAP_STORAGE (storage);
  gboolean removed = FALSE;

  if (!self->temporary && self->scratch_dir)
    self->temporary = reel_exit_directory_new (self->scratch_dir);
  return self->temporary
         && reel_exit_directory_remove (g_steal_pointer (&self->temporary), &removed, error)
         && removed;
}

void
reel_memmap_storage_set_directory (ReelStorage *storage, const char *path)
{
  ReelMemmapStorage *self = REEL_MEMMAP_STORAGE (storage);

  g_free (self->scratch_dir);
  self->scratch_dir = g_strdup (path);
  self->auto_cleanup = FALSE; /* a checkpoint is there to stay */
}

const char *
reel_memmap_storage_get_directory (ReelStorage *storage)
{
  return REEL_MEMMAP_STORAGE (storage)->scratch_dir;
}

/* ---- the first pass ---- */

static ReelMapping
map_column (const Pages *pages, guint i)
{
  const ReelColumn *column = &pages->columns[i];

  return (ReelMapping){ column->data, column->step_bytes * (gsize) pages->n_slots };
}

/* Offsets count from the first slot. */
static gboolean
populate (gpointer data, gint64 begin, gint64 end, GError **error)
{
  Pages *pages = data;

  for (guint i = 0; i < pages->n_columns; i++)
    {
      ReelMapping mapping = map_column (pages, i);
      gsize step_bytes = pages->columns[i].step_bytes;

      if (!reel_mapping_populate (&mapping, pages->path,
                                  (gsize) (pages->first + begin) * step_bytes,
                                  (gsize) (pages->first + end) * step_bytes, error))
        return FALSE;
    }
  return TRUE;
}

static void
free_pages (Pages *pages)
{
  reel_tensordict_unref (pages->data);
  g_free (pages->columns);
  g_free (pages->path);
  g_free (pages);
}

static gboolean
start_background (ReelMemmapStorage *self, gint64 first, GError **error)
{
  ReelStorage *storage = REEL_STORAGE (self);
  Pages *pages = g_new0 (Pages, 1);
  const ReelColumn *columns = reel_storage_get_columns (storage, &pages->n_columns);
  gsize step_bytes = 0;

  for (guint i = 0; i < pages->n_columns; i++)
    step_bytes += columns[i].step_bytes;
  step_bytes = MAX (step_bytes, 1);
  pages->n_slots = reel_storage_get_capacity (storage) / reel_storage_get_lanes (storage);
  pages->first = first;
  /* The reference keeps the files mapped for a thread that outlives the storage. */
  pages->data = reel_tensordict_ref (reel_storage_get_data (storage));
  pages->columns = g_memdup2 (columns, pages->n_columns * sizeof *columns);
  pages->path = g_strdup (self->scratch_dir ? self->scratch_dir : "a storage without a directory");
  for (guint i = 0; i < pages->n_columns; i++)
    {
      ReelMapping mapping = map_column (pages, i);

      reel_mapping_want_huge_pages (&mapping);
    }
  self->ahead = MAX (1, AHEAD_BYTES / (gint64) step_bytes);
  self->background = reel_background_new (
      "reel-populate", MAX (1, CHUNK_BYTES / (gint64) step_bytes), populate, pages, error);
  if (self->background)
    self->pages = pages;
  else
    free_pages (pages);
  return self->background != NULL;
}

/* A thread that does not end keeps what it works on. */
static void
stop_background (ReelMemmapStorage *self)
{
  if (self->background && reel_background_free (self->background, DEADLINE, NULL))
    free_pages (self->pages);
  self->background = NULL;
  self->pages = NULL;
}

/* Pages are made present and writable ahead of the cursor: a fault a page costs more than the rows
 * in it, and on a full disk it would be a SIGBUS. Those of rows that are there already stay as they
 * are, for to make them writable makes them dirty: a run of 1 GB that is resumed would be written
 * again. A storage that was emptied begins anew. */
static gboolean
prepare (ReelStorage *storage, gint64 first, gint64 n, GError **error)
{
  ReelMemmapStorage *self = REEL_MEMMAP_STORAGE (storage);
  gint64 end = first + n;

  if (self->background && first < self->pages->first)
    stop_background (self);
  if (!self->background && !start_background (self, first, error))
    return FALSE;

  gint64 begin = self->pages->first;

  /* Goals are multiples of `ahead`: the thread is sent one to two of them beyond the block. */
  reel_background_request (
      self->background, MIN (self->pages->n_slots, (end / self->ahead + 2) * self->ahead) - begin);
  if (reel_background_done (self->background) < end - begin
      && !reel_background_wait (self->background, end - begin, DEADLINE, error))
    return FALSE;
  /* All pages were made present: later passes have nothing to wait for. */
  if (end == self->pages->n_slots)
    stop_background (self);
  return TRUE;
}

static void
dispose (GObject *object)
{
  ReelMemmapStorage *self = REEL_MEMMAP_STORAGE (object);

  stop_background (self);
  if (self->temporary)
    cleanup (REEL_STORAGE (self), NULL);
  g_clear_pointer (&self->stood, g_strfreev);
  G_OBJECT_CLASS (reel_memmap_storage_parent_class)->dispose (object);
}

static void
reel_memmap_storage_class_init (ReelMemmapStorageClass *klass)
{
  static const ReelId ids[] = {
    { "memmap", NULL, "in memory-mapped files" },
    { "LazyMemmapStorage", NULL, "in memory-mapped files, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = dispose;
  object_class->ids = ids;
  reel_object_class_add_path (object_class, "scratch-dir",
                              G_STRUCT_OFFSET (ReelMemmapStorage, scratch_dir), NULL,
                              "where the files go; without one, they have no names and vanish",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (object_class, "auto-cleanup",
                              G_STRUCT_OFFSET (ReelMemmapStorage, auto_cleanup), FALSE,
                              "remove scratch-dir with the storage, or at the end of the process",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (
      object_class, "existsok", G_STRUCT_OFFSET (ReelMemmapStorage, existsok), FALSE,
      "use files that are there already, as they are", REEL_PROPERTY_CONSTRUCT_ONLY);
  REEL_STORAGE_CLASS (klass)->peer_name = "LazyMemmapStorage";
  REEL_STORAGE_CLASS (klass)->shares_rows = TRUE;
  REEL_STORAGE_CLASS (klass)->allocate = allocate;
  REEL_STORAGE_CLASS (klass)->deallocate = deallocate;
  REEL_STORAGE_CLASS (klass)->prepare = prepare;
  REEL_STORAGE_CLASS (klass)->cleanup = cleanup;
}

static void
reel_memmap_storage_init (ReelMemmapStorage *self)
{
}
