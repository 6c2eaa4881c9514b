#include "buffer-files.h"

#include "../../core/directories.h"
#include "../../core/drafts.h"
#include "../../core/error.h"
#include "../../core/files.h"
#include "foreign-files.h"
#include "../storages/ring.h"

/* 1 when one of the files is there that only checkpoints have, −1 on failure. */
static gint
is_checkpoint (const char *path, GError **error)
{
  static const char *const marks[] = { "buffer_metadata.json", "storage/storage_metadata.json",
                                       "storage/meta.json", "storage/data_indices.json",
                                       REEL_SIDECAR_FILE };

  for (gsize i = 0; i < G_N_ELEMENTS (marks); i++)
    {
      g_autofree char *mark = g_build_filename (path, marks[i], NULL);
      ReelPathKind kind;

      if (!reel_path_query (mark, &kind, NULL, error))
        return -1;
      if (kind == REEL_PATH_FILE)
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
refuse (const char *path, gboolean known, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               known ? "%s: a checkpoint is there; choose another path, or ask to replace it"
                     : "%s: a directory is there that is no checkpoint; choose another path",
               path);
  return FALSE;
}

/* Whether what is there may be replaced. Its writer's lock is taken, for unlock_ring(). */
static gboolean
check_replaceable (const char *path, gboolean force, int *lock, GError **error)
{
  gint known = is_checkpoint (path, error);

  *lock = -1;
  if (known < 0)
    return FALSE;
  if (!known || !force)
    return refuse (path, known, error);
  return lock_ring (path, lock, error) && reel_checkpoint_check_foreign (path, error);
}

/* 1 where nothing is in the directory, −1 on failure. */
static gint
is_empty (const char *path, GError **error)
{
  g_auto (GStrv) names = reel_directory_list (path, error);

  return names ? !names[0] : -1;
}

gboolean
reel_checkpoint_check_target (const char *path, ReelCheckpointFlags flags, GError **error)
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
                   "%s: something is there that is no directory; choose another path", path);
      return FALSE;
    }
  empty = is_empty (path, error);
  if (empty != 0)
    return empty > 0;
  replaceable = check_replaceable (path, (flags & REEL_CHECKPOINT_FORCE) != 0, &lock, error);
  unlock_ring (lock);
  return replaceable;
}

/* Locked until it is gone: a writer that opens it meanwhile is refused. */
static gboolean
replace (ReelDraft *draft, GPtrArray *warnings, GError **error)
{
  g_autofree char *leftover = NULL;
  gboolean replaced;
  int lock;

  replaced = check_replaceable (draft->target, TRUE, &lock, error)
             && reel_draft_replace (draft, reel_checkpoint_check_foreign, TRUE, &leftover, error);
  unlock_ring (lock);
  if (leftover)
    g_ptr_array_add (warnings, g_strdup_printf ("%s: could not be removed; it is what was at %s "
                                                "before",
                                                leftover, draft->target));
  return replaced;
}

gboolean
reel_checkpoint_put_in_place (ReelDraft *draft, ReelCheckpointFlags flags, GPtrArray *warnings,
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
  return empty ? reel_draft_install (draft, TRUE, error) : replace (draft, warnings, error);
}
