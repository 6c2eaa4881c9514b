/* The state of a sampler below `sampler`, in the files of TorchRL's. */
#include "checkpoint-files.h"

#include "../../core/system/directories.h"
#include "../../core/system/drafts.h"
#include "../../core/system/files.h"
#include "../samplers/sampler-private.h"
#include "../../core/tensordict/state-values.h"

void
reel_checkpoint_warn_not_taken (const char *path, const char *what, GPtrArray *warnings)
{
  g_ptr_array_add (warnings,
                   g_strdup_printf ("%s: holds %s, which are not taken over", path, what));
}

static char *
state_path (const char *path)
{
  return reel_checkpoint_part (path, "sampler");
}

ReelTensordict *
reel_checkpoint_read_sampler_files (const char *path, const char *form, GError **error)
{
  g_autoptr (ReelTensordict) mapped = NULL;

  if (!form)
    return reel_tensordict_new (0, NULL);
  if (g_str_equal (form, "prioritized"))
    return reel_checkpoint_read_priorities (path, error);
  if (g_str_equal (form, "consuming"))
    return reel_checkpoint_read_consuming (path, error);
  mapped = reel_tensordict_load (path, REEL_LOAD_READ_ONLY, error);
  return mapped ? reel_tensordict_clone (mapped, FALSE, error) : NULL;
}

static gboolean
add_stream (const ReelCheckpoint *self, ReelTensordict *state, GError **error)
{
  const gint64 stream = self->sidecar ? self->sidecar->stream : -1;

  return stream < 0
         || reel_state_set (state, REEL_STREAM_KEY, REEL_DTYPE_INT64, 0, 1, &stream, error);
}

gboolean
reel_checkpoint_read_sampler (ReelCheckpoint *self, ReelSampler *sampler, ReelTensordict **state,
                              GError **error)
{
  const char *form = reel_sampler_get_state_form (sampler);
  g_autofree char *directory = state_path (self->path);

  *state = NULL;
  if (g_strcmp0 (form, self->kind.sampler_state ? self->kind.sampler : NULL) == 0)
    {
      *state = reel_checkpoint_read_sampler_files (directory, form, error);
      return *state && add_stream (self, *state, error);
    }
  if (self->kind.sampler_state)
    reel_checkpoint_warn_not_taken (self->path, self->kind.sampler_state, self->warnings);
  if (form)
    g_ptr_array_add (self->warnings,
                     g_strdup_printf ("%s: holds no state of a %s sampler, which begins anew",
                                      self->path, form));
  return TRUE;
}

static gboolean
write_state (const char *path, const char *form, const ReelTensordict *state, GError **error)
{
  if (g_str_equal (form, "prioritized"))
    return reel_checkpoint_write_priorities (path, state, error);
  if (g_str_equal (form, "consuming"))
    return reel_checkpoint_write_consuming (path, state, error);
  return reel_tensordict_save (state, path, REEL_SAVE_DEFAULT, error);
}

/* Of a member of an ensemble that has no memory: what was never drawn from can be said, and TorchRL
 * wants it. */
static gboolean
knows_without_rows (const char *form)
{
  return g_str_equal (form, "without-replacement") || g_str_equal (form, "consuming");
}

gboolean
reel_checkpoint_write_sampler_files (const char *path, ReelSampler *sampler, ReelStorage *storage,
                                     GError **error)
{
  const char *form = reel_sampler_get_state_form (sampler);
  g_autoptr (ReelTensordict) state = NULL;

  if (!form || (!reel_storage_is_allocated (storage) && !knows_without_rows (form)))
    return TRUE;
  state = reel_storage_is_allocated (storage)
              ? reel_sampler_dup_state (sampler, storage, error)
              : REEL_SAMPLER_GET_CLASS (sampler)->dup_state (sampler, storage, error);
  if (!state
      || (reel_tensordict_contains (state, REEL_STREAM_KEY)
          && !reel_tensordict_remove (state, REEL_STREAM_KEY, error)))
    return FALSE;
  return write_state (path, form, state, error);
}

/* Beside what is there, which it replaces in one step. Without a state that is an empty directory,
 * which says the same as none. */
gboolean
reel_checkpoint_write_sampler (const char *path, ReelSampler *sampler, ReelStorage *storage,
                               gboolean durable, GError **error)
{
  gboolean has_state = reel_sampler_get_state_form (sampler) != NULL;
  g_autofree char *directory = state_path (path), *leftover = NULL;
  g_auto (ReelDraft) draft = REEL_DRAFT_NONE;
  ReelPathKind kind;

  if (!reel_path_query (directory, &kind, NULL, error))
    return FALSE;
  if (!has_state && kind == REEL_PATH_MISSING)
    return TRUE;
  if (!reel_draft_begin (&draft, directory, error)
      || !reel_checkpoint_write_sampler_files (draft.path, sampler, storage, error)
      || (durable && !reel_checkpoint_sync_tree (draft.path, error))
      || !reel_draft_hold (&draft, error))
    return FALSE;
  return (draft.held < 0 ? reel_draft_install (&draft, durable, error)
                         : reel_draft_replace (&draft, NULL, durable, &leftover, error))
         && (has_state || reel_directory_remove (directory, error));
}
