#include "lane-oracle.h"

#include <math.h>
#include <string.h>

#define MAX_LEAVES 4

typedef struct
{
  ReelEnv *env;
  ReelPolicy *policy;
  gint64 n_lanes;
  ReelTensordict *steps;
  ReelTensordict *after; /* one step: what a step at the end hands on */
  char **actions;
  char **observations;
  char **outputs;
  char **state;
} Oracle;

/* at: step t, lane 0 of a key, with room for a step's work where t is past the end. */
static guint8 *
at (Oracle *self, const char *prefix, const char *key, gint64 t)
{
  g_autofree char *path = g_strconcat (prefix, key, NULL);
  ReelTensor *tensor = reel_tensordict_get_tensor (self->steps, path, NULL);

  g_assert_nonnull (tensor);
  if (t == tensor->shape[0])
    return reel_tensordict_get_tensor (self->after, path, NULL)->data;
  return tensor->data + t * tensor->strides[0];
}

static void
all_at (Oracle *self, const char *prefix, char **keys, gint64 t, guint8 **pointers)
{
  for (guint i = 0; keys[i]; i++)
    pointers[i] = at (self, prefix, keys[i], t);
}

static gsize
row_bytes (Oracle *self, const char *key)
{
  return reel_tensor_nbytes (reel_tensordict_get_tensor (self->after, key, NULL)) / self->n_lanes;
}

static void
act (Oracle *self, gint64 t, gint64 lane)
{
  guint8 *action[MAX_LEAVES], *observation[MAX_LEAVES], *output[MAX_LEAVES], *state[MAX_LEAVES],
      *next_state[MAX_LEAVES];
  const ReelPolicyIO io = {
    .observation = (const guint8 *const *) observation,
    .state = (const guint8 *const *) state,
    .action = action,
    .output = output,
    .next_state = next_state,
  };

  all_at (self, "", self->actions, t, action);
  all_at (self, "", self->observations, t, observation);
  all_at (self, "", self->outputs, t, output);
  all_at (self, "", self->state, t, state);
  all_at (self, "next/", self->state, t, next_state);
  g_assert_true (reel_policy_act (self->policy, t, lane, lane + 1, &io, NULL));
}

static gboolean
step (Oracle *self, gint64 t, gint64 lane)
{
  guint8 *action[MAX_LEAVES], *observation[MAX_LEAVES];
  const ReelEnvIO io = {
    .action = (const guint8 *const *) action,
    .observation = observation,
    .reward = (float *) at (self, "next/", "reward", t),
    .terminated = at (self, "next/", "terminated", t),
    .truncated = at (self, "next/", "truncated", t),
    .done = at (self, "next/", "done", t),
  };

  all_at (self, "", self->actions, t, action);
  all_at (self, "next/", self->observations, t, observation);
  return reel_env_step_lanes (self->env, lane, lane + 1, &io) == 1;
}

/* hand_on_state: zeros where an episode begins. */
static void
hand_on_state (Oracle *self, gint64 t, gint64 lane, gboolean done)
{
  guint8 *root[MAX_LEAVES], *next[MAX_LEAVES];

  all_at (self, "", self->state, t + 1, root);
  all_at (self, "next/", self->state, t, next);
  for (guint i = 0; self->state[i]; i++)
    for (gsize bytes = row_bytes (self, self->state[i]), k = 0; k < bytes; k++)
      root[i][lane * bytes + k] = done ? 0 : next[i][lane * bytes + k];
}

static void
hand_on (Oracle *self, gint64 t, gint64 lane, gboolean done)
{
  guint8 *root[MAX_LEAVES], *next[MAX_LEAVES];

  all_at (self, "", self->observations, t + 1, root);
  all_at (self, "next/", self->observations, t, next);
  for (guint i = 0; self->observations[i]; i++)
    {
      gsize bytes = row_bytes (self, self->observations[i]);
      memcpy (root[i] + lane * bytes, next[i] + lane * bytes, bytes);
    }
  if (done)
    reel_env_reset_lanes (self->env, lane, lane + 1, NULL, root);
}

static void
count_episode (ReelCollectorStats *stats, gint64 length, double total)
{
  stats->episodes++;
  stats->length_sum += length;
  stats->return_sum += total;
  stats->return_min = MIN (stats->return_min, total);
  stats->return_max = MAX (stats->return_max, total);
}

static void
collect_lane (Oracle *self, gint64 lane, gint64 n_steps, ReelCollectorStats *stats)
{
  guint8 *root[MAX_LEAVES];
  gint64 id = lane, length = 0;
  double total = 0;

  all_at (self, "", self->observations, 0, root);
  reel_env_reset_lanes (self->env, lane, lane + 1, NULL, root);
  for (gint64 t = 0; t < n_steps; t++)
    {
      act (self, t, lane);
      gboolean done = step (self, t, lane);
      ((gint64 *) at (self, "collector/", "traj_ids", t))[lane] = id;
      total += ((float *) at (self, "next/", "reward", t))[lane];
      length++;
      hand_on (self, t, lane, done);
      hand_on_state (self, t, lane, done);
      if (!done)
        continue;
      count_episode (stats, length, total);
      id += self->n_lanes;
      length = 0;
      total = 0;
    }
}

static ReelTensordict *
make_steps (ReelTensordict *after, gint64 n_steps)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (after);
  ReelTensordict *steps = reel_tensordict_new (1, &n_steps);

  for (char **leaf = leaves; *leaf; leaf++)
    {
      const ReelTensor *one = reel_tensordict_get_tensor (after, *leaf, NULL);
      gint64 shape[REEL_MAX_NDIM] = { n_steps };
      memcpy (shape + 1, one->shape, one->ndim * sizeof *shape);
      g_autoptr (ReelTensor) all = reel_tensor_new (one->dtype, one->ndim + 1, shape, NULL);
      g_assert_true (reel_tensordict_set_tensor (steps, *leaf, all, NULL));
    }
  return steps;
}

static ReelTensordict *
collect (ReelEnv *env, ReelPolicy *policy, gint64 n_steps, ReelCollectorStats *stats)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_env_bind_policy (env, policy, &error));
  g_autoptr (ReelTensordict) after = reel_collector_make_layout (env, policy, &error);
  g_assert_no_error (error);
  g_auto (GStrv) actions = reel_spec_list_leaves (reel_env_get_action_spec (env));
  g_auto (GStrv) observations = reel_spec_list_leaves (reel_env_get_observation_spec (env));
  g_auto (GStrv) outputs = reel_spec_list_leaves (reel_policy_get_output_spec (policy));
  g_auto (GStrv) state = reel_spec_list_leaves (reel_policy_get_state_spec (policy));
  Oracle self = {
    env,
    policy,
    reel_env_get_num_envs (env),
    make_steps (after, n_steps),
    after,
    actions,
    observations,
    outputs,
    state,
  };

  *stats = (ReelCollectorStats){
    .frames = n_steps * self.n_lanes,
    .batches = 1,
    .return_min = INFINITY,
    .return_max = -INFINITY,
  };
  for (gint64 lane = 0; lane < self.n_lanes; lane++)
    collect_lane (&self, lane, n_steps, stats);
  return self.steps;
}

ReelTensordict *
lane_oracle_collect_with (const char *env, ReelPolicy *policy, gint64 n_steps,
                          ReelCollectorStats *stats)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) the_env = reel_object_new_from_text (REEL_TYPE_ENV, env, &error, NULL);

  g_assert_no_error (error);
  return collect (the_env, policy, n_steps, stats);
}

ReelTensordict *
lane_oracle_collect (const char *env, const char *policy, gint64 n_steps, ReelCollectorStats *stats)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelPolicy) the_policy =
      reel_object_new_from_text (REEL_TYPE_POLICY, policy, &error, NULL);

  g_assert_no_error (error);
  return lane_oracle_collect_with (env, the_policy, n_steps, stats);
}

/* assert_leaf: lane l, step t of @values lies l × @lane_bytes + t × @step_bytes from its start. */
static void
assert_leaf (const char *path, const ReelTensor *steps, gint64 first, const guint8 *values,
             gint64 n_steps, gint64 step_bytes, gint64 lanes, gint64 lane_bytes)
{
  gsize bytes = reel_tensor_nbytes (steps) / steps->shape[0] / lanes;

  for (gint64 t = 0; t < n_steps; t++)
    for (gint64 lane = 0; lane < lanes; lane++)
      {
        const guint8 *expected = steps->data + (first + t) * steps->strides[0] + lane * bytes;
        if (memcmp (values + t * step_bytes + lane * lane_bytes, expected, bytes) != 0)
          g_error ("%s differs at lane %d, step %d", path, (int) lane, (int) (first + t));
      }
}

static void
assert_feature (const ReelTensor *a, gint a_batch, const ReelTensor *b, gint b_batch)
{
  g_assert_cmpint (a->dtype, ==, b->dtype);
  g_assert_cmpint (a->ndim - a_batch, ==, b->ndim - b_batch);
  for (gint i = 0; i < a->ndim - a_batch; i++)
    g_assert_cmpint (a->shape[a_batch + i], ==, b->shape[b_batch + i]);
}

void
lane_oracle_assert_rows (ReelTensordict *steps, gint64 first, ReelTensordict *batch)
{
  g_auto (GStrv) expected = reel_tensordict_list_leaves (steps);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (batch);
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (batch, &ndim);

  g_assert_cmpstrv (leaves, expected);
  for (char **leaf = leaves; *leaf; leaf++)
    {
      const ReelTensor *ours = reel_tensordict_get_tensor (batch, *leaf, NULL);
      const ReelTensor *theirs = reel_tensordict_get_tensor (steps, *leaf, NULL);
      assert_feature (ours, ndim, theirs, ndim);
      assert_leaf (*leaf, theirs, first, ours->data, size[ndim - 1], ours->strides[ndim - 1],
                   ndim == 2 ? size[0] : 1, ndim == 2 ? ours->strides[0] : 0);
    }
}

void
lane_oracle_assert_flat_rows (ReelTensordict *steps, gint64 first, gint64 lanes,
                              ReelTensordict *rows)
{
  g_auto (GStrv) expected = reel_tensordict_list_leaves (steps);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (rows);
  gint64 n_steps = reel_tensordict_numel (rows) / lanes;

  g_assert_cmpstrv (leaves, expected);
  for (char **leaf = leaves; *leaf; leaf++)
    {
      const ReelTensor *ours = reel_tensordict_get_tensor (rows, *leaf, NULL);
      const ReelTensor *theirs = reel_tensordict_get_tensor (steps, *leaf, NULL);
      assert_feature (ours, 1, theirs, lanes > 1 ? 2 : 1);
      assert_leaf (*leaf, theirs, first, ours->data, n_steps, lanes * ours->strides[0], lanes,
                   ours->strides[0]);
    }
}
