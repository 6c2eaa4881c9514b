#include "buffer-parts.h"

ReelReplayBuffer *
buffer_parts_new (const char *storage_text, const char *sampler_text, const char *writer_text,
                  gint64 batch_size, gint64 prefetch)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, storage_text, NULL, NULL);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, sampler_text, &error, NULL);
  g_autoptr (ReelWriter) writer = NULL;
  g_autoptr (ReelReplayBuffer) buffer = NULL;

  g_assert_no_error (error);
  writer = reel_object_new_from_text (REEL_TYPE_WRITER, writer_text, &error, NULL);
  g_assert_no_error (error);
  buffer = storage ? reel_replay_buffer_new (storage, sampler, writer, batch_size, NULL) : NULL;
  if (!buffer || (prefetch > 0 && !reel_replay_buffer_set_prefetch (buffer, prefetch, NULL)))
    return NULL;
  return g_steal_pointer (&buffer);
}

ReelTensordict *
buffer_parts_get_state (ReelReplayBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *state = reel_replay_buffer_dup_state (buffer, &error);

  g_assert_no_error (error);
  return state;
}
