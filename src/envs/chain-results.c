#include "chain-results.h"

#include <string.h>

#include "../core/tensor/dtype.h"
#include "../specs/kinds/env-spec.h"
#include "../specs/spec-keys.h"
#include "env-private.h"

#define N_FLAGS REEL_ENV_N_FLAGS

/* ---- before the chain ---- */

static guint
define (ReelLanePlan *plan, const ReelSpec *specs, const char *path, ReelLaneRole role)
{
  const ReelSpec *leaf = reel_spec_get (specs, path, NULL);
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (leaf, &ndim);

  return reel_lane_plan_define (plan, path, role, reel_spec_get_dtype (leaf), ndim, shape);
}

/* define_one: a reward or flag that counts for the lane, without a key where it is not shown. */
static guint
define_one (ReelLanePlan *plan, const char *path, gboolean shown, ReelLaneRole role)
{
  static const gint64 one[] = { 1 };

  return reel_lane_plan_define (plan, shown ? path : NULL, role,
                                role == REEL_LANE_REWARD ? REEL_DTYPE_FLOAT32 : REEL_DTYPE_BOOL, 1,
                                one);
}

static void
define_of_group (ReelChainResults *self, guint g)
{
  gint64 n_agents;
  const char *key = reel_env_get_group (self->base, g - 1, &n_agents);
  g_autofree char *reward = g_strconcat (key, "/reward", NULL);

  self->base_rewards[g] =
      define (self->plan, reel_env_get_reward_spec (self->base), reward, REEL_LANE_REWARD);
  for (guint i = 0; i < N_FLAGS; i++)
    {
      g_autofree char *flag = g_strconcat (key, "/", reel_env_flag_names[i], NULL);

      self->base_flags[N_FLAGS * g + i] =
          define (self->plan, reel_env_get_done_spec (self->base), flag, REEL_LANE_FLAG);
    }
}

void
reel_chain_results_define (ReelChainResults *self, ReelEnv *base_env, ReelLanePlan *plan)
{
  const ReelEnvResults *base = &reel_env_get_private (base_env)->results;

  self->base = base_env;
  self->plan = plan;
  self->n_rewards = 1 + (guint) reel_env_get_n_groups (base_env);
  self->base_rewards = g_new (guint, self->n_rewards);
  self->rewards = g_new (guint, self->n_rewards);
  self->base_flags = g_new (guint, N_FLAGS * self->n_rewards);
  self->flags = g_new (guint, N_FLAGS * self->n_rewards);
  self->base_rewards[0] = define_one (self->plan, "reward", base->shows_reward, REEL_LANE_REWARD);
  for (guint i = 0; i < N_FLAGS; i++)
    self->base_flags[i] =
        define_one (self->plan, reel_env_flag_names[i], base->shows_flag[i], REEL_LANE_FLAG);
  for (guint g = 1; g < self->n_rewards; g++)
    define_of_group (self, g);
  self->n_base_results = (guint) (base->n_rewards + base->n_flags);
  self->base_results = g_new (guint, self->n_base_results + 1);
  for (guint i = 0; i < self->n_base_results; i++)
    self->base_results[i] =
        i < base->n_rewards
            ? define (self->plan, base->reward, base->list[i].path, REEL_LANE_REWARD)
            : define (self->plan, base->done, base->list[i].path, REEL_LANE_FLAG);
}

/* ---- behind it ---- */

/* find_of_group: the leaf that has the key of @before at the end of the chain. */
static gboolean
find_of_group (const ReelChainResults *self, const char *path, guint before, guint *after,
               GError **error)
{
  gint leaf = reel_lane_plan_find (self->plan, path);
  const ReelLaneLeaf *was = reel_lane_plan_get_leaf (self->plan, before);
  const ReelLaneLeaf *is = leaf < 0 ? NULL : reel_lane_plan_get_leaf (self->plan, (guint) leaf);

  if (is && is->dtype == was->dtype && is->row_bytes == was->row_bytes)
    {
      *after = (guint) leaf;
      return TRUE;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "a transform %s \"%s\": rewards and done flags of a group of agents keep their keys "
               "and types; transform them in the buffer",
               is ? "changes the type of" : "takes away", path);
  return FALSE;
}

static gboolean
find_groups (ReelChainResults *self, GError **error)
{
  gint64 n_agents;

  for (guint g = 1; g < self->n_rewards; g++)
    {
      const char *key = reel_env_get_group (self->base, g - 1, &n_agents);
      g_autofree char *reward = g_strconcat (key, "/reward", NULL);

      if (!find_of_group (self, reward, self->base_rewards[g], &self->rewards[g], error))
        return FALSE;
      for (guint i = N_FLAGS * g; i < N_FLAGS * (g + 1); i++)
        {
          g_autofree char *flag = g_strconcat (key, "/", reel_env_flag_names[i % N_FLAGS], NULL);

          if (!find_of_group (self, flag, self->base_flags[i], &self->flags[i], error))
            return FALSE;
        }
    }
  return TRUE;
}

/* find_counted: the leaf that is shown at @path, or the one that took the place of @before. */
static guint
find_counted (const ReelChainResults *self, const char *path, gboolean shown, guint before)
{
  gint leaf = shown ? reel_lane_plan_find (self->plan, path) : -1;

  return leaf >= 0 ? (guint) leaf : reel_lane_plan_follow (self->plan, before);
}

gboolean
reel_chain_results_find (ReelChainResults *self, const ReelEnvResults *shown, GError **error)
{
  self->shown = shown;
  self->rewards[0] = find_counted (self, "reward", shown->shows_reward, self->base_rewards[0]);
  for (guint i = 0; i < N_FLAGS; i++)
    self->flags[i] =
        find_counted (self, reel_env_flag_names[i], shown->shows_flag[i], self->base_flags[i]);
  self->n_results = (guint) (shown->n_rewards + shown->n_flags);
  self->results = g_new (guint, self->n_results + 1);
  for (guint i = 0; i < self->n_results; i++)
    {
      gint leaf = reel_lane_plan_require (self->plan, shown->list[i].path, error);

      if (leaf < 0)
        return FALSE;
      self->results[i] = (guint) leaf;
    }
  return find_groups (self, error);
}

static void
mark (gboolean *shown, const guint *leaves, guint n)
{
  for (guint i = 0; i < n; i++)
    shown[leaves[i]] = TRUE;
}

void
reel_chain_results_mark (const ReelChainResults *self, gboolean *shown)
{
  const ReelEnvResults *results = self->shown;

  mark (shown, self->results, self->n_results);
  if (results->shows_reward)
    mark (shown, self->rewards, 1);
  for (guint i = 0; i < N_FLAGS; i++)
    if (results->shows_flag[i])
      mark (shown, &self->flags[i], 1);
  mark (shown, self->rewards + 1, self->n_rewards - 1);
  mark (shown, self->flags + N_FLAGS, N_FLAGS * (self->n_rewards - 1));
}

static void
append_unrepeated (const ReelChainResults *self, guint leaf, const char *path, GStrvBuilder *keys)
{
  if (!reel_lane_plan_repeats (self->plan, leaf))
    g_strv_builder_add (keys, path ? path : reel_lane_plan_get_leaf (self->plan, leaf)->path);
}

void
reel_chain_results_list_unrepeated (const ReelChainResults *self, GStrvBuilder *keys)
{
  append_unrepeated (self, self->rewards[0], "reward", keys);
  for (guint i = 0; i < N_FLAGS; i++)
    append_unrepeated (self, self->flags[i], reel_env_flag_names[i], keys);
  for (guint i = 1; i < self->n_rewards; i++)
    append_unrepeated (self, self->rewards[i], NULL, keys);
  for (guint i = N_FLAGS; i < N_FLAGS * self->n_rewards; i++)
    append_unrepeated (self, self->flags[i], NULL, keys);
  for (guint i = 0; i < self->n_results; i++)
    append_unrepeated (self, self->results[i], self->shown->list[i].path, keys);
}

/* ---- specs at the end of the chain ---- */

/* remove_groups: @specs without the leaves @names of the groups of agents. */
static gboolean
remove_groups (const ReelChainResults *self, ReelSpec **specs, const char *const *names,
               guint n_names, GError **error)
{
  gint64 n_agents;

  for (guint g = 1; g < self->n_rewards; g++)
    for (guint i = 0; i < n_names; i++)
      {
        g_autofree char *path =
            g_strconcat (reel_env_get_group (self->base, g - 1, &n_agents), "/", names[i], NULL);
        ReelSpec *rest =
            reel_spec_contains (*specs, path) ? reel_spec_remove (*specs, path, error) : *specs;

        if (rest == NULL)
          return FALSE;
        if (rest != *specs)
          reel_spec_unref (*specs);
        *specs = rest;
      }
  return TRUE;
}

/* move_known: rewards that are known at resets, too, to the observations. */
static gboolean
move_known (const ReelChainResults *self, ReelSpec **rewards, ReelSpec **observation,
            GError **error)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (*rewards);

  for (char **path = paths; *path; path++)
    {
      gint leaf = reel_lane_plan_find (self->plan, *path);
      ReelSpec *rest, *more;

      if (leaf < 0
          || reel_lane_plan_get_leaf (self->plan, (guint) leaf)->role != REEL_LANE_OBSERVATION)
        continue;
      more = reel_spec_set (*observation, *path, reel_spec_get (*rewards, *path, NULL), error);
      rest = more ? reel_spec_remove (*rewards, *path, error) : NULL;
      if (rest == NULL)
        {
          g_clear_pointer (&more, reel_spec_unref);
          return FALSE;
        }
      reel_spec_unref (*observation);
      reel_spec_unref (*rewards);
      *observation = more;
      *rewards = rest;
    }
  return TRUE;
}

ReelSpec *
reel_chain_results_settle_specs (const ReelChainResults *self, ReelEnv *env, const ReelSpec *specs,
                                 GError **error)
{
  static const char *const reward[] = { "reward" };
  g_autoptr (ReelSpec) observation =
      reel_spec_ref ((ReelSpec *) reel_env_spec_get_part (specs, "observation"));
  g_autoptr (ReelSpec) rewards =
      reel_spec_ref ((ReelSpec *) reel_env_spec_get_part (specs, "reward"));
  g_autoptr (ReelSpec) flags = reel_spec_ref ((ReelSpec *) reel_env_spec_get_part (specs, "done"));

  if (!remove_groups (self, &rewards, reward, G_N_ELEMENTS (reward), error)
      || !remove_groups (self, &flags, reel_env_flag_names, N_FLAGS, error)
      || !move_known (self, &rewards, &observation, error)
      || !reel_env_take_results (env, g_steal_pointer (&rewards), g_steal_pointer (&flags), error))
    return NULL;
  return g_steal_pointer (&observation);
}

/* ---- columns ---- */

static ReelEnvGroupStep
see_group (const ReelChainResults *self, guint8 *const *columns, guint g)
{
  return (ReelEnvGroupStep){
    .reward = (float *) (gpointer) columns[self->base_rewards[g]],
    .done = columns[self->base_flags[N_FLAGS * g]],
    .terminated = columns[self->base_flags[N_FLAGS * g + 1]],
    .truncated = columns[self->base_flags[N_FLAGS * g + 2]],
  };
}

ReelEnvIO
reel_chain_results_point_base (const ReelChainResults *self, guint8 *const *columns,
                               ReelEnvGroupStep *steps, guint8 **results)
{
  for (guint g = 0; g < self->n_rewards; g++)
    steps[g] = see_group (self, columns, g);
  for (guint i = 0; i < self->n_base_results; i++)
    results[i] = columns[self->base_results[i]];
  return (ReelEnvIO){
    .reward = steps[0].reward,
    .terminated = steps[0].terminated,
    .truncated = steps[0].truncated,
    .done = steps[0].done,
    .groups = steps + 1,
    .results = results,
  };
}

void
reel_chain_results_point (const ReelChainResults *self, guint8 **columns, const ReelEnvIO *io)
{
  const ReelEnvResults *shown = self->shown;
  guint8 *const flags[N_FLAGS] = { io->done, io->terminated, io->truncated };

  for (guint i = 0; i < self->n_results; i++)
    columns[self->results[i]] = io->results[i];
  if (shown->shows_reward)
    columns[self->rewards[0]] = (guint8 *) io->reward;
  for (guint i = 0; i < N_FLAGS; i++)
    if (shown->shows_flag[i])
      columns[self->flags[i]] = flags[i];
  for (guint g = 1; g < self->n_rewards; g++)
    {
      const ReelEnvGroupStep *group = &io->groups[g - 1];

      columns[self->rewards[g]] = (guint8 *) group->reward;
      columns[self->flags[N_FLAGS * g]] = group->done;
      columns[self->flags[N_FLAGS * g + 1]] = group->terminated;
      columns[self->flags[N_FLAGS * g + 2]] = group->truncated;
    }
}

/* sum_reward: a reward of any type and shape as the number that counts: the sum of its elements. */
static void
sum_reward (const ReelLaneLeaf *leaf, const guint8 *column, gint64 begin, gint64 end, float *reward)
{
  gsize size = reel_dtype_size (leaf->dtype), n = leaf->row_bytes / size;

  for (gint64 lane = begin; lane < end; lane++)
    {
      const guint8 *row = column + (gsize) lane * leaf->row_bytes;
      double sum = 0;

      for (gsize i = 0; i < n; i++)
        sum += reel_dtype_load_double (leaf->dtype, row + i * size);
      reward[lane] = (float) sum;
    }
}

void
reel_chain_results_give_counted (const ReelChainResults *self, guint8 *const *columns, gint64 begin,
                                 gint64 end, const ReelEnvIO *io)
{
  const ReelEnvResults *shown = self->shown;
  guint8 *const flags[N_FLAGS] = { io->done, io->terminated, io->truncated };

  if (!shown->shows_reward)
    sum_reward (reel_lane_plan_get_leaf (self->plan, self->rewards[0]), columns[self->rewards[0]],
                begin, end, io->reward);
  for (guint i = 0; i < N_FLAGS; i++)
    if (!shown->shows_flag[i])
      memcpy (flags[i] + begin, columns[self->flags[i]] + begin, (gsize) (end - begin));
}

void
reel_chain_results_clear (ReelChainResults *self)
{
  g_free (self->base_rewards);
  g_free (self->rewards);
  g_free (self->base_flags);
  g_free (self->flags);
  g_free (self->base_results);
  g_free (self->results);
}
