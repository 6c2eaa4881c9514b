#include "convert-ensemble.h"
#include "info.h"
#include "replay-directories.h"
#include "replay.h"

void
converted_member_clear (ConvertedMember *member)
{
  g_free (member->path);
}

gboolean
convert_check_ended (ReelReplayBufferEnsemble *ensemble, const char *path, GError **error)
{
  for (gint64 i = 0; i < reel_replay_buffer_ensemble_get_length (ensemble); i++)
    {
      g_autofree char *below = info_member_path (path, i);
      gpointer member = reel_replay_buffer_ensemble_get (ensemble, i, NULL);

      if (!(REEL_IS_REPLAY_BUFFER (member) ? replay_check_ended (member, below, error)
                                           : convert_check_ended (member, below, error)))
        return FALSE;
    }
  return TRUE;
}

/* The rows of a buffer, as they are or in order. */
static ReelReplayBuffer *
convert_rows (ReelReplayBuffer *buffer, const Conversion *conversion, ReelOrderedDump *ring,
              GError **error)
{
  *ring = conversion->ring;
  if (conversion->in_order && reel_replay_buffer_get_length (buffer) > 0)
    return reel_replay_buffer_copy_in_order (buffer, ring, error);
  ring->capacity = reel_replay_buffer_get_capacity (buffer);
  ring->length = reel_replay_buffer_get_length (buffer);
  ring->ndim = reel_storage_get_ndim (reel_replay_buffer_get_storage (buffer));
  return g_object_ref (buffer);
}

static ReelReplayBuffer *
convert_buffer (ReelReplayBuffer *buffer, const char *path, const Conversion *conversion,
                GArray *members, GError **error)
{
  ConvertedMember member = { 0 };

  if (!replay_check_ended (buffer, path, error))
    return NULL;
  ReelReplayBuffer *converted = convert_rows (buffer, conversion, &member.ring, error);
  if (!converted)
    {
      g_prefix_error (error, "%s: ", path);
      return NULL;
    }
  if (conversion->checkpointer)
    reel_replay_buffer_set_checkpointer (converted, conversion->checkpointer);
  member.path = g_strdup (path);
  g_array_append_val (members, member);
  return converted;
}

ReelReplayBufferEnsemble *
convert_ensemble (ReelReplayBufferEnsemble *ensemble, const char *path,
                  const Conversion *conversion, GArray *members, GError **error)
{
  g_autoptr (GPtrArray) converted = g_ptr_array_new_with_free_func (g_object_unref);
  gint64 n = reel_replay_buffer_ensemble_get_length (ensemble);
  ReelEnsembleOptions how;

  for (gint64 i = 0; i < n; i++)
    {
      g_autofree char *below = info_member_path (path, i);
      gpointer member = reel_replay_buffer_ensemble_get (ensemble, i, NULL);
      gpointer copy = REEL_IS_REPLAY_BUFFER (member)
                          ? (gpointer) convert_buffer (member, below, conversion, members, error)
                          : convert_ensemble (member, below, conversion, members, error);
      if (!copy)
        return NULL;
      g_ptr_array_add (converted, copy);
    }
  reel_replay_buffer_ensemble_get_options (ensemble, &how);
  how.transform = NULL;
  return reel_replay_buffer_ensemble_new_mixed ((GObject *const *) converted->pdata, converted->len,
                                                &how, error);
}
