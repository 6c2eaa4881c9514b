#include "three-buffers.h"

ReelReplayBuffer *
three_new_member (gint b, const char *sampler_text, gint64 n)
{
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=8", NULL, NULL);
  g_autofree char *seed = g_strdup_printf ("%d", b);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, sampler_text, NULL, "seed", seed, NULL);
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, sampler, NULL, 0, NULL);

  if (n > 0)
    counted_extend (buffer, 1, n, b * APART);
  return buffer;
}

Three
three_new (const char *sampler, const ReelEnsembleOptions *options)
{
  Three three;
  g_autoptr (GError) error = NULL;

  for (gint b = 0; b < 3; b++)
    three.buffers[b] = three_new_member (b, sampler, 6);
  three.ensemble = reel_replay_buffer_ensemble_new (three.buffers, 3, options, &error);
  g_assert_no_error (error);
  return three;
}

void
three_clear (Three *three)
{
  g_object_unref (three->ensemble);
  for (gint b = 0; b < 3; b++)
    g_object_unref (three->buffers[b]);
}

gint64
three_get (const ReelTensordict *batch, const char *key, gint64 part, gint64 row)
{
  const ReelTensor *tensor = reel_tensordict_get_tensor ((ReelTensordict *) batch, key, NULL);

  g_assert_nonnull (tensor);
  return *(const gint64 *) (tensor->data + part * tensor->strides[0] + row * tensor->strides[1]);
}

void
three_assert_batch (const ReelTensordict *batch, gint64 n_parts, gint64 n)
{
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (batch, &ndim);

  g_assert_cmpint (ndim, ==, 2);
  g_assert_cmpint (size[0], ==, n_parts);
  g_assert_cmpint (size[1], ==, n);
  for (gint64 part = 0; part < n_parts; part++)
    for (gint64 row = 0; row < n; row++)
      counted_assert_row (batch, (gint64[]){ part, row },
                          three_get (batch, "index/buffer_ids", part, row) * APART
                              + three_get (batch, "index/index", part, row));
}
