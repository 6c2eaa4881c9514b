#include "skipped-resets.h"

#include "../src/envs/env-private.h"
#include "env-steps.h"

#include <string.h>

/* Observations of a reset, and the states of all lanes behind it. */
typedef struct
{
  ReelEnv *env;
  ReelTensordict *root;
  char **paths;
  guint8 **observation;
  GByteArray *bytes;
} Lanes;

static void
open_lanes (Lanes *self, const char *text, guint32 seed)
{
  self->env = env_steps_open (text);
  self->root = env_steps_reset (self->env);
  self->paths = reel_spec_list_leaves (reel_env_get_observation_spec (self->env));
  self->observation = g_new (guint8 *, g_strv_length (self->paths) + 1);
  for (guint i = 0; self->paths[i]; i++)
    self->observation[i] = reel_tensordict_get_tensor (self->root, self->paths[i], NULL)->data;
  self->bytes = g_byte_array_new ();
  reel_env_seed (self->env, (const guint32[]){ seed, 1 }, 2);
}

static void
close_lanes (Lanes *self)
{
  g_byte_array_unref (self->bytes);
  g_free (self->observation);
  g_strfreev (self->paths);
  reel_tensordict_unref (self->root);
  g_object_unref (self->env);
}

static void
look (Lanes *self)
{
  gsize size = reel_env_get_state_size (self->env);

  g_byte_array_set_size (self->bytes, 0);
  for (gint64 lane = 0; size > 0 && lane < reel_env_get_num_envs (self->env); lane++)
    {
      g_byte_array_set_size (self->bytes, self->bytes->len + (guint) size);
      reel_env_get_state (self->env, lane, self->bytes->data + self->bytes->len - size);
    }
  for (guint i = 0; self->paths[i]; i++)
    {
      const ReelTensor *shown = reel_tensordict_get_tensor (self->root, self->paths[i], NULL);

      g_byte_array_append (self->bytes, shown->data, (guint) reel_tensor_nbytes (shown));
    }
}

static void
assert_same (Lanes *one, Lanes *other)
{
  look (one);
  look (other);
  g_assert_cmpmem (one->bytes->data, one->bytes->len, other->bytes->data, other->bytes->len);
}

static gint64
count (gint64 n, gint64 lane)
{
  return lane % 3 == 0 ? n : lane % 3 == 1 ? 0 : 2 * n + 1;
}

static void
do_resets (Lanes *self, gint64 n)
{
  gint64 n_lanes = reel_env_get_num_envs (self->env);
  g_autofree guint8 *mask = g_malloc ((gsize) n_lanes);

  for (gint64 k = 0; k <= 2 * n + 1; k++)
    {
      for (gint64 lane = 0; lane < n_lanes; lane++)
        mask[lane] = k <= count (n, lane);
      reel_env_reset_lanes (self->env, 0, n_lanes, mask, self->observation);
    }
}

/* A lane can where the others can, and no reset, of lane 1, is the same as none. */
static gboolean
skip_resets (Lanes *self, gint64 n)
{
  gboolean can = reel_env_skip_resets (self->env, 0, count (n, 0));

  for (gint64 lane = 1; lane < reel_env_get_num_envs (self->env); lane++)
    g_assert_true (reel_env_skip_resets (self->env, lane, count (n, lane)) == can);
  return can;
}

static gboolean
check (const char *text, gint64 n)
{
  Lanes skipped, done;
  gboolean can;

  open_lanes (&skipped, text, (guint32) n);
  open_lanes (&done, text, (guint32) n);
  assert_same (&skipped, &done);
  can = skip_resets (&skipped, n);
  if (can)
    {
      reel_env_reset_lanes (skipped.env, 0, reel_env_get_num_envs (skipped.env), NULL,
                            skipped.observation);
      do_resets (&done, n);
    }
  assert_same (&skipped, &done);
  close_lanes (&skipped);
  close_lanes (&done);
  return can;
}

gboolean
skipped_resets_check (const char *text, gint64 most)
{
  gboolean can = check (text, 0);

  for (gint64 n = 1; can && n <= most; n++)
    g_assert_true (check (text, n));
  for (gint64 i = 0; can && i < 2; i++)
    g_assert_true (check (text, most + reel_random_below (reel_random_key (5, i), 0, 20 * most)));
  return can;
}
