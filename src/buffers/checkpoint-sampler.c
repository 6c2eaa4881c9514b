/* The state of a sampler below `sampler`, in the files of TorchRL's. */
#include "checkpoint-files.h"

#include "../core/directories.h"

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

gboolean
reel_checkpoint_read_sampler (ReelCheckpoint *self, ReelSampler *sampler, ReelTensordict **state,
                              GError **error)
{
  const char *form = reel_sampler_get_state_form (sampler);
  g_autofree char *path = state_path (self->path);

  *state = NULL;
  if (form && g_str_equal (form, self->kind.sampler))
    {
      *state = g_str_equal (form, "prioritized")
                   ? reel_checkpoint_read_priorities (path, error)
                   : reel_tensordict_load (path, REEL_LOAD_READ_ONLY, error);
      return *state != NULL;
    }
  if (self->kind.sampler_state)
    reel_checkpoint_warn_not_taken (self->path, self->kind.sampler_state, self->warnings);
  if (form)
    g_ptr_array_add (self->warnings,
                     g_strdup_printf ("%s: holds no state of a %s sampler, which begins anew",
                                      self->path, form));
  return TRUE;
}

gboolean
reel_checkpoint_write_sampler (const char *path, ReelSampler *sampler, ReelStorage *storage,
                               GError **error)
{
  const char *form = reel_sampler_get_state_form (sampler);
  g_autofree char *directory = state_path (path);
  g_autoptr (ReelTensordict) state = NULL;

  if (!form)
    return reel_directory_remove (directory, error);
  state = reel_sampler_get_state (sampler, storage, error);
  if (state && g_str_equal (form, "prioritized"))
    return reel_checkpoint_write_priorities (directory, state, error);
  return state && reel_tensordict_save (state, directory, REEL_SAVE_DEFAULT, error);
}
