#include "sampler-state.h"

#include "golden-buffer.h"
#include "scratch.h"

ReelReplayBuffer *
sampler_state_new_buffer (const char *storage_text, const char *sampler_text, gint64 batch_size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, storage_text, NULL, NULL);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, sampler_text, &error, NULL);
  ReelReplayBuffer *buffer = NULL;

  g_assert_no_error (error);
  buffer = reel_replay_buffer_new (storage, sampler, NULL, batch_size, &error);
  g_assert_no_error (error);
  return buffer;
}

ReelReplayBuffer *
sampler_state_new_like (const json_t *expect, const char *storage_kind, const char *sampler)
{
  const json_t *size = json_object_get (json_object_get (expect, "storage"), "max_size");
  g_autofree char *text = g_strdup_printf ("%s:capacity=%" JSON_INTEGER_FORMAT, storage_kind,
                                           json_integer_value (size));

  return sampler_state_new_buffer (text, sampler, 3);
}

ReelTensordict *
sampler_state_get (ReelReplayBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *state = reel_sampler_dup_state (reel_replay_buffer_get_sampler (buffer),
                                                  reel_replay_buffer_get_storage (buffer), &error);

  g_assert_no_error (error);
  return state;
}

void
sampler_state_open_golden (const char *name, SamplerStateGolden *golden)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) warnings = NULL;

  golden->expect = golden_expect (name);
  golden->dump = golden_copy (name);
  golden->before = tree_digest (golden->dump);
  golden->buffer = reel_replay_buffer_open (golden->dump, REEL_OPEN_DEFAULT, &error);
  g_assert_no_error (error);
  golden_assert_content (golden->expect, golden->buffer);
  warnings = reel_replay_buffer_dup_warnings (golden->buffer);
  g_assert_cmpuint (g_strv_length (warnings), ==, 0);
}

void
sampler_state_close_golden (SamplerStateGolden *golden)
{
  g_autofree char *after = tree_digest (golden->dump);

  g_assert_cmpstr (golden->before, ==, after);
  g_object_unref (golden->buffer);
  json_decref (golden->expect);
  g_free (golden->before);
  g_free (golden->dump);
}

void
sampler_state_copy_by_files (ReelReplayBuffer *from, ReelReplayBuffer *to)
{
  g_autofree char *path = scratch_path ("dump");
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_dumps (from, path, REEL_CHECKPOINT_FORCE, &error);
  g_assert_no_error (error);
  reel_replay_buffer_loads (to, path, &error);
  g_assert_no_error (error);
}

void
sampler_state_copy_by_memory (ReelReplayBuffer *from, ReelReplayBuffer *to)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) state = reel_replay_buffer_dup_state (from, &error);

  g_assert_no_error (error);
  reel_replay_buffer_set_state (to, state, &error);
  g_assert_no_error (error);
}

void
sampler_state_draw (ReelReplayBuffer *buffer, ReelTensordict **batch)
{
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_sample (buffer, 0, batch, &error);
  g_assert_no_error (error);
}
