#include "buffer-files.h"

#include "../../core/directories.h"
#include "../../core/error.h"
#include "../../core/files.h"
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

/* A writer renews the JSON files by their path: it would spoil what takes its place. A ring that
 * cannot be read has no writer. */
static gboolean
check_no_writer (const char *path, GError **error)
{
  g_autofree char *name = g_build_filename (path, REEL_RING_FILE, NULL);
  g_autoptr (GError) failure = NULL;
  g_autoptr (ReelRing) ring = NULL;
  ReelPathKind kind;
  gint written;

  if (!reel_path_query (name, &kind, NULL, error))
    return FALSE;
  if (kind != REEL_PATH_FILE)
    return TRUE;
  ring = reel_ring_open (name, REEL_RING_FOLLOW, &failure);
  if (!ring && g_error_matches (failure, REEL_ERROR, REEL_ERROR_DAMAGED))
    return TRUE;
  if (!ring)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  written = reel_ring_is_written (ring, error);
  if (written > 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "%s: a run that is still being written stands there; end it first, or choose "
                 "another path",
                 path);
  return written == 0;
}

gboolean
reel_checkpoint_check_target (const char *path, ReelCheckpointFlags flags, GError **error)
{
  g_auto (GStrv) names = NULL;
  ReelPathKind kind;
  gint known;

  if (!reel_path_query (path, &kind, NULL, error))
    return FALSE;
  if (kind == REEL_PATH_MISSING)
    return TRUE;
  if (kind != REEL_PATH_DIRECTORY)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "%s: something stands there that is no directory; choose another path", path);
      return FALSE;
    }
  names = reel_directory_list (path, error);
  if (!names || !names[0])
    return names != NULL;
  known = is_checkpoint (path, error);
  if (known < 0)
    return FALSE;
  if (known && flags & REEL_CHECKPOINT_FORCE)
    return check_no_writer (path, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               known ? "%s: a checkpoint stands there; choose another path, or ask to replace it"
                     : "%s: a directory stands there that is no checkpoint; choose another path",
               path);
  return FALSE;
}

gboolean
reel_checkpoint_put_in_place (const char *temporary, const char *path, GPtrArray *warnings,
                              GError **error)
{
  g_autofree char *leftover = NULL;
  ReelPathKind kind;

  if (!reel_path_query (path, &kind, NULL, error))
    return FALSE;
  if (kind == REEL_PATH_MISSING)
    return reel_directory_install (temporary, path, TRUE, error);
  if (!reel_directory_replace (temporary, path, TRUE, &leftover, error))
    return FALSE;
  if (leftover)
    g_ptr_array_add (
        warnings,
        g_strdup_printf ("%s: what stood at %s before; it could not be removed", leftover, path));
  return TRUE;
}
