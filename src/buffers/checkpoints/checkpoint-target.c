/* The place of a checkpoint or a dataset: checked, then taken by one rename. */
#include "buffer-files.h"

#include "../../core/system/directories.h"
#include "../../core/system/drafts.h"
#include "../../core/object/error.h"
#include "../../core/system/files.h"
#include "foreign-files.h"
#include "../../core/tensordict-files/memmap-format.h"
#include "../storages/ring.h"

/* Sets an error where @directory has one of the files @marks, of a @noun that contains @path. */
static gboolean
check_unmarked (const char *path, const char *directory, const char *const *marks, const char *noun,
                GError **error)
{
  for (gsize i = 0; marks[i]; i++)
    {
      g_autofree char *mark = g_build_filename (directory, marks[i], NULL);
      ReelPathKind kind;

      if (!reel_path_query (mark, &kind, NULL, error))
        return FALSE;
      if (kind == REEL_PATH_MISSING)
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "cannot replace %s: %s is a %s, and contains it; choose another path", path,
                   directory, noun);
      return FALSE;
    }
  return TRUE;
}

/* The checksums of a checkpoint, and its writer, know its parts as they are. */
static gboolean
check_part (const char *path, GError **error)
{
  static const char *const marks[] = { "buffer_metadata.json", REEL_SIDECAR_FILE, REEL_RING_FILE,
                                       NULL };
  g_autofree char *parent = g_path_get_dirname (path);

  return check_unmarked (path, parent, marks, "checkpoint", error)
         && reel_part_check_foreign (path, error);
}

/* The rows of a nested tensordict, of a checkpoint too, are as those of a dataset. */
static gboolean
check_dataset (const char *path, GError **error)
{
  static const char *const marks[] = { REEL_MEMMAP_METADATA, NULL };
  g_autofree char *parent = g_path_get_dirname (path);

  return check_unmarked (path, parent, marks, "directory of rows", error)
         && reel_dataset_check_foreign (path, error);
}

/* A kind of directory that a dump makes. */
typedef struct
{
  const char *noun;
  const char *const *marks; /* files of which it has one, and no other directory has */
  gboolean (*check) (const char *path, GError **error); /* whether all there belongs to it */
} Kind;

static const char *const checkpoint_marks[] = {
  "buffer_metadata.json", "storage/storage_metadata.json",
  "storage/meta.json",    "storage/data_indices.json",
  REEL_SIDECAR_FILE,      NULL
};
static const Kind checkpoints = { "checkpoint", checkpoint_marks, reel_checkpoint_check_foreign };

static const char *const part_marks[] = { "storage_metadata.json",   REEL_CHECKPOINT_H5_FILE,
                                          "data_indices.json",       "sampler_metadata.json",
                                          "consuming_sampler.pt",    "metadata.json",
                                          "_sample_list.memmap",     "_sample_list/meta.json",
                                          "consumer_version.memmap", NULL };
static const Kind parts = { "storage, sampler or writer", part_marks, check_part };

static const char *const dataset_marks[] = { REEL_DATASET_FILE, NULL };
static const Kind datasets = { "dataset", dataset_marks, check_dataset };

/* 1 when @path holds what @kind says, −1 on failure. */
static gint
is_of_kind (const Kind *kind, const char *path, GError **error)
{
  for (gsize i = 0; kind->marks[i]; i++)
    {
      g_autofree char *mark = g_build_filename (path, kind->marks[i], NULL);
      ReelPathKind found;

      if (!reel_path_query (mark, &found, NULL, error))
        return -1;
      if (found == REEL_PATH_FILE)
        return 1;
    }
  return 0;
}

/* A writer goes on in the directory that it opened: nobody may take that away from it. The lock
 * lasts until @fd is closed; −1 where there is no ring. */
static gboolean
lock_ring (const char *path, int *fd, GError **error)
{
  g_autofree char *ring = g_build_filename (path, REEL_RING_FILE, NULL);
  ReelPathKind kind;
  gboolean taken;

  *fd = -1;
  if (!reel_path_query (ring, &kind, NULL, error))
    return FALSE;
  if (kind != REEL_PATH_FILE)
    return TRUE;
  *fd = reel_file_open (ring, TRUE, error);
  if (*fd < 0 || !reel_file_lock (*fd, ring, &taken, error))
    return FALSE;
  if (!taken)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "%s: a run that is still being written is there; end it first, or choose another "
                 "path",
                 path);
  return taken;
}

static void
unlock_ring (int fd)
{
  if (fd >= 0)
    reel_file_close (fd, REEL_RING_FILE, NULL); /* nothing was written */
}

static gboolean
refuse (const Kind *kind, const char *path, gboolean known, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               known ? "%s: a %s is there; choose another path, or replace it by --force "
                       "(REEL_CHECKPOINT_FORCE in C)"
                     : "%s: the directory is not a %s; choose another path",
               path, kind->noun);
  return FALSE;
}

/* Whether what is there may be replaced. Its writer's lock is taken, for unlock_ring(). */
static gboolean
check_replaceable (const Kind *kind, const char *path, gboolean force, int *lock, GError **error)
{
  gint known = is_of_kind (kind, path, error);

  *lock = -1;
  if (known < 0)
    return FALSE;
  if (!known || !force)
    return refuse (kind, path, known, error);
  return lock_ring (path, lock, error) && kind->check (path, error);
}

/* 1 where nothing is in the directory, −1 on failure. */
static gint
is_empty (const char *path, GError **error)
{
  g_auto (GStrv) names = reel_directory_list (path, error);

  return names ? !names[0] : -1;
}

static gboolean
check_target (const Kind *target, const char *path, ReelCheckpointFlags flags, GError **error)
{
  ReelPathKind kind;
  gboolean replaceable;
  gint empty;
  int lock;

  if (!reel_path_query (path, &kind, NULL, error))
    return FALSE;
  if (kind == REEL_PATH_MISSING)
    return TRUE;
  if (kind != REEL_PATH_DIRECTORY)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "%s: exists and is not a directory; choose another path", path);
      return FALSE;
    }
  /* An empty directory is replaced by the rename itself, forced or not. */
  empty = is_empty (path, error);
  if (empty != 0)
    return empty > 0;
  replaceable =
      check_replaceable (target, path, (flags & REEL_CHECKPOINT_FORCE) != 0, &lock, error);
  unlock_ring (lock);
  return replaceable;
}

gboolean
reel_checkpoint_check_target (const char *path, ReelCheckpointFlags flags, GError **error)
{
  return check_target (&checkpoints, path, flags, error);
}

gboolean
reel_part_check_target (const char *path, ReelCheckpointFlags flags, GError **error)
{
  return check_target (&parts, path, flags, error);
}

gboolean
reel_dataset_check_target (const char *path, ReelCheckpointFlags flags, GError **error)
{
  return check_target (&datasets, path, flags, error);
}

/* Locked until it is gone: a writer that opens it meanwhile is refused. */
static gboolean
replace (const Kind *kind, ReelDraft *draft, char **leftover, GError **error)
{
  gboolean replaced;
  int lock;

  replaced = check_replaceable (kind, draft->target, TRUE, &lock, error)
             && reel_draft_replace (draft, kind->check, TRUE, leftover, error);
  unlock_ring (lock);
  return replaced;
}

static gboolean
put_in_place (const Kind *kind, ReelDraft *draft, ReelCheckpointFlags flags, char **leftover,
              GError **error)
{
  gint empty = 1;

  if (flags & REEL_CHECKPOINT_FORCE)
    {
      if (!reel_draft_hold (draft, error))
        return FALSE;
      if (draft->held >= 0)
        empty = is_empty (draft->target, error);
      if (empty < 0)
        return FALSE;
    }
  return empty ? reel_draft_install (draft, TRUE, error) : replace (kind, draft, leftover, error);
}

gboolean
reel_checkpoint_put_in_place (ReelDraft *draft, ReelCheckpointFlags flags, GPtrArray *warnings,
                              GError **error)
{
  g_autofree char *leftover = NULL;
  gboolean placed = put_in_place (&checkpoints, draft, flags, &leftover, error);

  if (leftover)
    g_ptr_array_add (warnings, g_strdup_printf ("%s: cannot remove it; it was at %s before",
                                                leftover, draft->target));
  return placed;
}

gboolean
reel_part_put_in_place (ReelDraft *draft, ReelCheckpointFlags flags, GError **error)
{
  g_autofree char *leftover = NULL;

  return put_in_place (&parts, draft, flags, &leftover, error);
}

gboolean
reel_dataset_put_in_place (ReelDraft *draft, ReelCheckpointFlags flags, GError **error)
{
  g_autofree char *leftover = NULL;

  return put_in_place (&datasets, draft, flags, &leftover, error);
}
