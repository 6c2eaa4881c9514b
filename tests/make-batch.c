#include "make-batch.h"

ReelSampler *
make_sampler (const char *text)
{
  g_autoptr (GError) error = NULL;
  ReelSampler *sampler = reel_object_new_from_text (REEL_TYPE_SAMPLER, text, &error, NULL);

  g_assert_no_error (error);
  return sampler;
}

ReelReplayBuffer *
make_buffer (const char *storage, const char *sampler, const char *writer, gint64 batch_size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelStorage) the_storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, storage, &error, NULL);
  g_autoptr (ReelSampler) the_sampler = sampler ? make_sampler (sampler) : NULL;
  g_autoptr (ReelWriter) the_writer =
      writer ? reel_object_new_from_text (REEL_TYPE_WRITER, writer, &error, NULL) : NULL;
  ReelReplayBuffer *buffer;

  g_assert_no_error (error);
  buffer = reel_replay_buffer_new (the_storage, the_sampler, the_writer, batch_size, &error);
  g_assert_no_error (error);
  return buffer;
}

ReelTensordict *
make_batch (ReelReplayBuffer *buffer, ReelSampler *sampler, gint64 n)
{
  ReelTensordict *batch = NULL;
  g_autoptr (GError) error = NULL;

  if (sampler)
    reel_replay_buffer_sample_with (buffer, sampler, n, &batch, &error);
  else
    reel_replay_buffer_sample (buffer, n, &batch, &error);
  g_assert_no_error (error);
  return batch;
}

void
assert_batch_refused (ReelReplayBuffer *buffer, ReelSampler *sampler, gint64 n, ReelError code,
                      const char *message)
{
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_replay_buffer_sample_with (buffer, sampler, n, &batch, &error));
  g_assert_error (error, REEL_ERROR, (gint) code);
  if (!g_pattern_match_simple (message, error->message))
    g_error ("\"%s\" is not \"%s\"", error->message, message);
}

gint64
batch_rows (const ReelTensordict *batch)
{
  gint ndim;

  return reel_tensordict_get_batch_size (batch, &ndim)[0];
}

const guint8 *
batch_bools (const ReelTensordict *batch, const char *path)
{
  return reel_tensordict_get_tensor (batch, path, NULL)->data;
}

const gint64 *
batch_int64s (const ReelTensordict *batch, const char *path)
{
  return (const gint64 *) reel_tensordict_get_tensor (batch, path, NULL)->data;
}
