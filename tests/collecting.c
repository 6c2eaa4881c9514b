#include "collecting.h"

#include <string.h>

gpointer
collecting_make (GType base, const char *text)
{
  g_autoptr (GError) error = NULL;
  gpointer object = reel_object_new_from_text (base, text, &error, NULL);

  g_assert_no_error (error);
  return object;
}

char *
collecting_text (const char *id, gint64 frames, gint64 total, gint64 threads)
{
  const char *shape = strstr (id, "ulti") ? "cat-results=lanes," : "";

  return g_strdup_printf ("%s:%sframes-per-batch=%d,total-frames=%d,threads=%d", id, shape,
                          (int) frames, (int) total, (int) threads);
}

ReelReplayBuffer *
collecting_make_buffer (const char *storage, gint64 capacity, gint ndim)
{
  g_autofree char *text = g_strdup_printf ("%s%ccapacity=%d,ndim=%d", storage,
                                           strchr (storage, ':') ? ',' : ':', (int) capacity, ndim);
  g_autoptr (ReelStorage) the_storage = collecting_make (REEL_TYPE_STORAGE, text);

  return reel_replay_buffer_new (the_storage, NULL, NULL, 0, NULL);
}

ReelCollector *
collecting_make_collector (const char *text, const char *env, const char *policy,
                           ReelReplayBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) the_env = collecting_make (REEL_TYPE_ENV, env);
  g_autoptr (ReelPolicy) the_policy = collecting_make (REEL_TYPE_POLICY, policy);
  ReelCollector *collector = reel_collector_new (text, the_env, the_policy, buffer, &error);

  g_assert_no_error (error);
  return collector;
}

gint64
collecting_next (ReelCollector *collector, ReelTensordict **batch)
{
  g_autoptr (GError) error = NULL;
  gint64 rows = reel_collector_next (collector, batch, &error);

  g_assert_no_error (error);
  return rows;
}

ReelTensordict *
collecting_collect (const char *env, gint64 lanes, gint64 steps, gint64 threads)
{
  g_autofree char *text = collecting_text ("sync", lanes * steps, lanes * steps, threads);
  g_autoptr (ReelCollector) collector = collecting_make_collector (text, env, "random", NULL);
  ReelTensordict *batch = NULL;

  collecting_next (collector, &batch);
  return reel_tensordict_clone (batch, TRUE, NULL);
}
