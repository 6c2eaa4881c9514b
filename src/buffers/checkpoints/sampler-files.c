/* A sampler alone in a directory. */
#include "part-files.h"

#include "../../core/system/directories.h"
#include "../../core/object/error.h"
#include "../../core/system/files.h"
#include "../samplers/sampler-private.h"
#include "buffer-files.h"
#include "checkpoint-fingerprint.h"

/* ---- writing ---- */

/* 1 where files were written, 0 where the sampler has none, −1 on failure. */
static gint
fill (ReelSampler *self, ReelStorage *storage, const char *path, GError **error)
{
  g_auto (GStrv) names = NULL;

  if (!reel_checkpoint_write_sampler_files (path, self, storage, error))
    return -1;
  names = reel_directory_list (path, error);
  if (!names)
    return -1;
  if (names[0] || !reel_sampler_get_state_form (self))
    return names[0] != NULL;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "cannot save the sampler: its storage has no rows yet");
  return -1;
}

gboolean
reel_sampler_dumps (ReelSampler *self, ReelStorage *storage, const char *path,
                    ReelCheckpointFlags flags, GError **error)
{
  g_auto (ReelDraft) draft = REEL_DRAFT_NONE;
  gint filled;

  g_return_val_if_fail (REEL_IS_SAMPLER (self) && REEL_IS_STORAGE (storage) && path, FALSE);
  if (!reel_part_check_target (path, flags, error) || !reel_draft_begin (&draft, path, error))
    return FALSE;
  filled = fill (self, storage, draft.path, error);
  return filled >= 0 && reel_checkpoint_sync_tree (draft.path, error)
         && reel_part_put_in_place (&draft, flags, error)
         && (filled > 0 || reel_directory_remove (path, error));
}

/* ---- reading ---- */

static gboolean
check_form (const char *path, const char *form, GError **error)
{
  const char *id = "random", *what = "no state of a sampler";
  ReelPathKind kind;

  if (!reel_path_query (path, &kind, NULL, error))
    return FALSE;
  if (kind == REEL_PATH_MISSING)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "%s: there is no such directory", path);
      return FALSE;
    }
  if (!reel_checkpoint_find_sampler (path, &id, &what, error))
    return FALSE;
  if (g_str_equal (id, form))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "cannot load %s: it contains %s, a %s sampler expected", path, what, form);
  return FALSE;
}

static gboolean
prepare (ReelSamplerState *read, ReelSampler *self, ReelStorage *storage, const char *path,
         GError **error)
{
  const char *form = reel_sampler_get_state_form (self);
  g_autoptr (ReelTensordict) state = NULL;

  if (!check_form (path, form, error))
    return FALSE;
  state = reel_checkpoint_read_sampler_files (path, form, error);
  if (!state)
    return FALSE;
  if (reel_sampler_read_state (self, reel_storage_get_capacity (storage), state, read, error)
      && reel_sampler_state_bind (read, storage, error))
    return TRUE;
  g_prefix_error (error, "%s: ", path);
  return FALSE;
}

gboolean
reel_sampler_loads (ReelSampler *self, ReelStorage *storage, const char *path, GError **error)
{
  g_return_val_if_fail (REEL_IS_SAMPLER (self) && REEL_IS_STORAGE (storage) && path, FALSE);
  if (!reel_sampler_get_state_form (self))
    return TRUE;
  for (gint attempt = 0; attempt < REEL_CHECKPOINT_ATTEMPTS; attempt++)
    {
      g_auto (ReelSamplerState) read = { 0 };
      g_autoptr (ReelCheckpointFingerprint) look = reel_checkpoint_fingerprint_new (path);
      g_autoptr (GError) failure = NULL;
      gboolean ready = prepare (&read, self, storage, path, &failure);

      if (reel_checkpoint_fingerprint_differs (look))
        continue;
      if (ready)
        reel_sampler_state_take (&read, storage);
      else
        g_propagate_error (error, g_steal_pointer (&failure));
      return ready;
    }
  reel_checkpoint_set_unsteady (path, error);
  return FALSE;
}
