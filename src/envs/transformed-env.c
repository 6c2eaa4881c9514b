#include "transformed-env.h"

#include <string.h>

#include "../specs/kinds/env-spec.h"
#include "../specs/spec-keys.h"
#include "../transforms/lane-plan.h"
#include "../transforms/observation-norm.h"
#include "../transforms/transform-private.h"
#include "env-lanes.h"
#include "env-private.h"
#include "observation-stats.h"

#define N_FLAGS 3

/* Lanes that a reset works on at a time; the list of them is on the stack. */
#define RESET_CHUNK 1024

struct _ReelTransformedEnv
{
  ReelEnv parent_instance;

  ReelEnv *base;
  ReelCompose *transform;

  /* Leaves of steps and resets. Columns of those that the env shows are of the caller; the rest
   * has memory here. */
  ReelLanePlan *plan;
  guint8 **scratch;        /* by leaf; NULL where the caller's */
  guint *base_observation; /* the leaf of each observation of the base */
  guint *observation;      /* of each observation that is shown */
  guint n_base_observations, n_observations;
  guint *base_rewards, *rewards; /* of the lane, then of each group */
  guint *base_flags, *flags; /* done, terminated and truncated of the lane, then of each group */
  guint *done_action;        /* the leaf of each action of the base */
  guint n_rewards;

  /* Leaves of actions, from those that are shown to those of the base. */
  ReelLanePlan *actions;
  guint8 **action_scratch;
  guint *action, *base_action;
  guint n_actions, n_base_actions;
};

G_DEFINE_FINAL_TYPE (ReelTransformedEnv, reel_transformed_env, REEL_TYPE_ENV)

/* ---- plans ---- */

static void
report_fault (gpointer self, gint64 lane, const char *what)
{
  reel_env_report_fault (REEL_ENV (self), lane, what);
}

static guint
define (ReelLanePlan *plan, const ReelSpec *specs, const char *path, ReelLaneRole role)
{
  const ReelSpec *leaf = reel_spec_get (specs, path, NULL);
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (leaf, &ndim);

  return reel_lane_plan_define (plan, path, role, reel_spec_get_dtype (leaf), ndim, shape);
}

/* define_all: a leaf for each of @specs, in their order. */
static guint *
define_all (ReelLanePlan *plan, const ReelSpec *specs, ReelLaneRole role, guint *n)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (specs);
  guint *leaves;

  *n = g_strv_length (paths);
  leaves = g_new (guint, *n + 1);
  for (guint i = 0; i < *n; i++)
    leaves[i] = define (plan, specs, paths[i], role);
  return leaves;
}

/* The rewards, and the flags, of the lane and of each group. */
static void
define_results (ReelTransformedEnv *self, gboolean flags, guint *leaves)
{
  static const char *const names[] = { "done", "terminated", "truncated" };
  const ReelSpec *specs =
      flags ? reel_env_get_done_spec (self->base) : reel_env_get_reward_spec (self->base);
  ReelLaneRole role = flags ? REEL_LANE_FLAG : REEL_LANE_REWARD;
  gint64 n_agents;

  for (guint g = 0; g < self->n_rewards; g++)
    for (guint i = 0; i < (flags ? N_FLAGS : 1); i++)
      {
        const char *name = flags ? names[i] : "reward";
        g_autofree char *path =
            g == 0
                ? g_strdup (name)
                : g_strconcat (reel_env_get_group (self->base, g - 1, &n_agents), "/", name, NULL);

        *leaves++ = define (self->plan, specs, path, role);
      }
}

/* find_results: the leaves that have the keys of @before at the end of the chain. */
static gboolean
find_results (ReelTransformedEnv *self, char *const *paths, guint n, const guint *before,
              guint *after, GError **error)
{
  for (guint i = 0; i < n; i++)
    {
      gint leaf = reel_lane_plan_find (self->plan, paths[i]);
      const ReelLaneLeaf *was = reel_lane_plan_get_leaf (self->plan, before[i]);
      const ReelLaneLeaf *is = leaf < 0 ? NULL : reel_lane_plan_get_leaf (self->plan, (guint) leaf);

      if (!is || is->dtype != was->dtype || is->row_bytes != was->row_bytes)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "a transform %s \"%s\": rewards and done flags of an environment keep their "
                       "keys and types; transform them in the buffer",
                       is ? "changes the type of" : "takes away", paths[i]);
          return FALSE;
        }
      after[i] = (guint) leaf;
    }
  return TRUE;
}

static char **
list_paths (const ReelLanePlan *plan, const guint *leaves, guint n)
{
  char **paths = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    paths[i] = g_strdup (reel_lane_plan_get_leaf (plan, leaves[i])->path);
  return paths;
}

static guint *
find_all (ReelLanePlan *plan, const ReelSpec *specs, guint *n, GError **error)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (specs);
  g_autofree guint *leaves = NULL;

  *n = g_strv_length (paths);
  leaves = g_new (guint, *n + 1);
  for (guint i = 0; i < *n; i++)
    {
      gint leaf = reel_lane_plan_require (plan, paths[i], error);

      if (leaf < 0)
        return NULL;
      leaves[i] = (guint) leaf;
    }
  return g_steal_pointer (&leaves);
}

/* make_scratch: memory for each leaf that is not @shown. */
static guint8 **
make_scratch (const ReelLanePlan *plan, const gboolean *shown)
{
  guint n = reel_lane_plan_get_n_leaves (plan);
  guint8 **scratch = g_new0 (guint8 *, n + 1);
  gsize lanes = (gsize) reel_lane_plan_get_n_lanes (plan);

  for (guint i = 0; i < n; i++)
    if (!shown[i])
      scratch[i] =
          g_aligned_alloc0 (MAX (lanes * reel_lane_plan_get_leaf (plan, i)->row_bytes, 1), 1, 64);
  return scratch;
}

static void
mark (gboolean *shown, const guint *leaves, guint n)
{
  for (guint i = 0; i < n; i++)
    shown[leaves[i]] = TRUE;
}

static guint *
define_actions (ReelLanePlan *plan, const ReelSpec *specs)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (specs);
  guint n = g_strv_length (paths);
  guint *leaves = g_new (guint, n + 1);

  for (guint i = 0; i < n; i++)
    leaves[i] = reel_lane_plan_define_action (plan, reel_spec_get (specs, paths[i], NULL));
  return leaves;
}

/* bind_outputs: the plan of steps and resets, whose leaves the chain's specs name in the end. */
static gboolean
bind_outputs (ReelTransformedEnv *self, const ReelSpec *observation, GError **error)
{
  guint n_flags = N_FLAGS * self->n_rewards;
  g_auto (GStrv) rewards = NULL, flags = NULL;
  g_autofree gboolean *shown = NULL;

  self->done_action = define_actions (self->plan, reel_env_get_action_spec (self->base));
  self->base_observation = define_all (self->plan, reel_env_get_observation_spec (self->base),
                                       REEL_LANE_OBSERVATION, &self->n_base_observations);
  define_results (self, FALSE, self->base_rewards);
  define_results (self, TRUE, self->base_flags);
  rewards = list_paths (self->plan, self->base_rewards, self->n_rewards);
  flags = list_paths (self->plan, self->base_flags, n_flags);
  if (!reel_transform_bind (REEL_TRANSFORM (self->transform), self->plan, error))
    return FALSE;
  self->observation = find_all (self->plan, observation, &self->n_observations, error);
  if (!self->observation
      || !find_results (self, rewards, self->n_rewards, self->base_rewards, self->rewards, error)
      || !find_results (self, flags, n_flags, self->base_flags, self->flags, error))
    return FALSE;

  shown = g_new0 (gboolean, reel_lane_plan_get_n_leaves (self->plan));
  mark (shown, self->observation, self->n_observations);
  if (!reel_lane_plan_steps_at_resets (self->plan))
    {
      mark (shown, self->rewards, self->n_rewards);
      mark (shown, self->flags, n_flags);
    }
  self->scratch = make_scratch (self->plan, shown);
  return TRUE;
}

static gboolean
bind_actions (ReelTransformedEnv *self, const ReelSpec *action, GError **error)
{
  g_autofree gboolean *shown = NULL;

  self->action = define_all (self->actions, action, REEL_LANE_ACTION, &self->n_actions);
  if (!reel_transform_bind_inverse (REEL_TRANSFORM (self->transform), self->actions, error))
    return FALSE;
  self->base_action =
      find_all (self->actions, reel_env_get_action_spec (self->base), &self->n_base_actions, error);
  if (!self->base_action)
    return FALSE;
  shown = g_new0 (gboolean, reel_lane_plan_get_n_leaves (self->actions));
  mark (shown, self->action, self->n_actions);
  self->action_scratch = make_scratch (self->actions, shown);
  return TRUE;
}

static ReelSpec *
make_specs (ReelTransformedEnv *self, GError **error)
{
  g_autoptr (ReelSpec) bare = reel_env_spec_new (
      reel_env_get_observation_spec (self->base), reel_env_get_action_spec (self->base),
      reel_env_get_reward_spec (self->base), reel_env_get_done_spec (self->base), error);

  return bare ? reel_transform_env_spec (REEL_TRANSFORM (self->transform), bare, error) : NULL;
}

/* check_kept: whether a part of the specs has the keys that that of the base has. */
static gboolean
check_kept (const ReelSpec *part, const ReelSpec *base, GError **error)
{
  g_auto (GStrv) keys = reel_spec_list_leaves (part);

  for (char **key = keys; *key; key++)
    if (!reel_spec_contains (base, *key))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                     "a transform adds \"%s\" to the rewards or done flags of the environment, "
                     "which keep their keys; transform them in the buffer",
                     *key);
        return FALSE;
      }
  return TRUE;
}

/* ---- the env behind the chain ---- */

static void
reset_base (gpointer data, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  const ReelTransformedEnv *self = data;
  guint8 **observation = g_newa (guint8 *, self->n_base_observations + 1);
  gint64 listed[RESET_CHUNK];

  for (guint i = 0; i < self->n_base_observations; i++)
    observation[i] = columns[self->base_observation[i]];
  for (gsize at = 0; at < n; at += RESET_CHUNK)
    {
      gsize n_listed = MIN (n - at, RESET_CHUNK);

      memcpy (listed, lanes + at, n_listed * sizeof *listed);
      reel_env_reset_listed (self->base, listed, n_listed, observation);
    }
}

static ReelEnvGroupStep
see_group (const ReelTransformedEnv *self, guint8 *const *columns, guint g)
{
  return (ReelEnvGroupStep){
    .reward = (float *) (gpointer) columns[self->base_rewards[g]],
    .done = columns[self->base_flags[N_FLAGS * g]],
    .terminated = columns[self->base_flags[N_FLAGS * g + 1]],
    .truncated = columns[self->base_flags[N_FLAGS * g + 2]],
  };
}

static void
step_base (gpointer data, guint8 *const *columns, gint64 begin, gint64 end)
{
  const ReelTransformedEnv *self = data;
  guint8 **observation = g_newa (guint8 *, self->n_base_observations + 1);
  const guint8 **action = g_newa (const guint8 *, self->n_base_actions + 1);
  ReelEnvGroupStep *results = g_newa (ReelEnvGroupStep, self->n_rewards);

  for (guint i = 0; i < self->n_base_observations; i++)
    observation[i] = columns[self->base_observation[i]];
  for (guint i = 0; i < self->n_base_actions; i++)
    action[i] = columns[self->done_action[i]];
  for (guint g = 0; g < self->n_rewards; g++)
    results[g] = see_group (self, columns, g);

  const ReelEnvIO io = {
    .action = action,
    .observation = observation,
    .reward = results[0].reward,
    .terminated = results[0].terminated,
    .truncated = results[0].truncated,
    .done = results[0].done,
    .groups = results + 1,
  };

  reel_env_step_lanes (self->base, begin, end, &io);
}

static const ReelLaneSource base_source = { step_base, reset_base };

/* ---- setup ---- */

static gboolean
setup (ReelEnv *env, GError **error)
{
  ReelTransformedEnv *self = REEL_TRANSFORMED_ENV (env);
  ReelEnvPrivate *priv = reel_env_get_private (env);
  g_autoptr (ReelSpec) specs = make_specs (self, error);
  const ReelSpec *observation, *action;
  gint64 n_agents;

  if (specs == NULL
      || !check_kept (reel_env_spec_get_part (specs, "reward"),
                      reel_env_get_reward_spec (self->base), error)
      || !check_kept (reel_env_spec_get_part (specs, "done"), reel_env_get_done_spec (self->base),
                      error))
    return FALSE;
  observation = reel_env_spec_get_part (specs, "observation");
  action = reel_env_spec_get_part (specs, "action");
  self->n_rewards = 1 + (guint) reel_env_get_n_groups (self->base);
  self->base_rewards = g_new (guint, self->n_rewards);
  self->rewards = g_new (guint, self->n_rewards);
  self->base_flags = g_new (guint, N_FLAGS * self->n_rewards);
  self->flags = g_new (guint, N_FLAGS * self->n_rewards);
  self->plan = reel_lane_plan_new (priv->num_envs, report_fault, self);
  reel_lane_plan_set_source (self->plan, &base_source, self);
  self->actions = reel_lane_plan_new (priv->num_envs, report_fault, self);
  if (!bind_outputs (self, observation, error) || !bind_actions (self, action, error))
    return FALSE;
  for (gsize g = 0; g < reel_env_get_n_groups (self->base); g++)
    {
      const char *key = reel_env_get_group (self->base, g, &n_agents);

      reel_env_add_group (env, key, n_agents);
    }
  if (reel_lane_plan_has_joined_lanes (self->plan)
      || reel_lane_plan_has_joined_lanes (self->actions))
    reel_env_take_lane_multiple (env, priv->num_envs);
  reel_env_take_specs (env, reel_spec_ref (observation), reel_spec_ref (action));
  return TRUE;
}

/* ---- lanes ---- */

/* Where the leaves of a call are: those of the caller, and scratch. */
static void
point (guint8 **columns, guint8 *const *scratch, guint n_leaves, const guint *shown, guint n_shown,
       guint8 *const *given)
{
  memcpy (columns, scratch, n_leaves * sizeof *columns);
  for (guint i = 0; i < n_shown; i++)
    columns[shown[i]] = given[i];
}

static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
  ReelTransformedEnv *self = REEL_TRANSFORMED_ENV (env);

  reel_env_seed_lane (self->base, lane, words, n_words);
  reel_lane_plan_seed (self->plan, lane, words, n_words);
}

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  ReelTransformedEnv *self = REEL_TRANSFORMED_ENV (env);
  guint n_leaves = reel_lane_plan_get_n_leaves (self->plan);
  guint8 **columns = g_newa (guint8 *, n_leaves);

  point (columns, self->scratch, n_leaves, self->observation, self->n_observations, observation);
  reel_lane_plan_reset (self->plan, columns, lanes, n);
}

/* The actions of the base: those of the caller where no transform changes them. */
static void
invert_actions (ReelTransformedEnv *self, gint64 begin, gint64 end, const ReelEnvIO *io,
                guint8 **columns)
{
  guint n_leaves = reel_lane_plan_get_n_leaves (self->actions);
  guint8 **actions = g_newa (guint8 *, n_leaves + 1);

  point (actions, self->action_scratch, n_leaves, self->action, self->n_actions,
         (guint8 *const *) io->action);
  reel_lane_plan_step (self->actions, actions, begin, end);
  for (guint i = 0; i < self->n_base_actions; i++)
    columns[self->done_action[i]] = actions[self->base_action[i]];
}

static void
point_results (ReelTransformedEnv *self, guint8 **columns, const ReelEnvIO *io)
{
  columns[self->rewards[0]] = (guint8 *) io->reward;
  columns[self->flags[0]] = io->done;
  columns[self->flags[1]] = io->terminated;
  columns[self->flags[2]] = io->truncated;
  for (guint g = 1; g < self->n_rewards; g++)
    {
      const ReelEnvGroupStep *group = &io->groups[g - 1];

      columns[self->rewards[g]] = (guint8 *) group->reward;
      columns[self->flags[N_FLAGS * g]] = group->done;
      columns[self->flags[N_FLAGS * g + 1]] = group->terminated;
      columns[self->flags[N_FLAGS * g + 2]] = group->truncated;
    }
}

static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  ReelTransformedEnv *self = REEL_TRANSFORMED_ENV (env);
  guint n_leaves = reel_lane_plan_get_n_leaves (self->plan);
  guint8 **columns = g_newa (guint8 *, n_leaves);

  point (columns, self->scratch, n_leaves, self->observation, self->n_observations,
         io->observation);
  point_results (self, columns, io);
  invert_actions (self, begin, end, io, columns);
  reel_lane_plan_step (self->plan, columns, begin, end);
}

/* ---- states: of the base, then of the chain ---- */

static gsize
state_size (ReelEnv *env)
{
  ReelTransformedEnv *self = REEL_TRANSFORMED_ENV (env);

  return reel_env_get_state_size (self->base) + reel_lane_plan_get_state_size (self->plan);
}

static void
get_state (ReelEnv *env, gint64 lane, gpointer state)
{
  ReelTransformedEnv *self = REEL_TRANSFORMED_ENV (env);

  reel_env_get_state (self->base, lane, state);
  reel_lane_plan_get_state (self->plan, lane,
                            (guint8 *) state + reel_env_get_state_size (self->base));
}

static void
set_state (ReelEnv *env, gint64 lane, gconstpointer state)
{
  ReelTransformedEnv *self = REEL_TRANSFORMED_ENV (env);

  reel_env_set_state (self->base, lane, state);
  reel_lane_plan_set_state (self->plan, lane,
                            (const guint8 *) state + reel_env_get_state_size (self->base));
}

/* ---- the object ---- */

static char *
to_text (ReelObject *object)
{
  ReelTransformedEnv *self = REEL_TRANSFORMED_ENV (object);
  g_autofree char *env = reel_object_to_text (REEL_OBJECT (self->base));
  g_autofree char *chain = reel_object_to_text (REEL_OBJECT (self->transform));

  return g_strconcat (env, "|", chain, NULL);
}

static void
free_scratch (ReelLanePlan *plan, guint8 **scratch)
{
  for (guint i = 0; scratch && i < reel_lane_plan_get_n_leaves (plan); i++)
    g_aligned_free (scratch[i]);
  g_free (scratch);
  reel_lane_plan_free (plan);
}

static void
finalize (GObject *object)
{
  ReelTransformedEnv *self = REEL_TRANSFORMED_ENV (object);

  free_scratch (self->plan, self->scratch);
  free_scratch (self->actions, self->action_scratch);
  g_free (self->base_observation);
  g_free (self->observation);
  g_free (self->base_rewards);
  g_free (self->rewards);
  g_free (self->base_flags);
  g_free (self->flags);
  g_free (self->done_action);
  g_free (self->action);
  g_free (self->base_action);
  if (self->transform)
    reel_transform_set_parent (REEL_TRANSFORM (self->transform), NULL, NULL);
  g_clear_object (&self->transform);
  g_clear_object (&self->base);
  G_OBJECT_CLASS (reel_transformed_env_parent_class)->finalize (object);
}

static void
reel_transformed_env_class_init (ReelTransformedEnvClass *klass)
{
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  REEL_OBJECT_CLASS (klass)->to_text = to_text;
  env_class->source = "an environment and a chain of transforms";
  env_class->writes_flags = TRUE;
  env_class->setup = setup;
  env_class->reset = reset;
  env_class->step = step;
  env_class->seed = seed;
  env_class->state_size = state_size;
  env_class->get_state = get_state;
  env_class->set_state = set_state;
}

static void
reel_transformed_env_init (ReelTransformedEnv *self)
{
}

/* append_all: the transforms of @from, cloned where they have a parent. */
static gboolean
append_clones (ReelCompose *chain, ReelCompose *from, GError **error)
{
  for (gint i = 0; i < (gint) reel_compose_get_length (from); i++)
    {
      g_autoptr (ReelTransform) clone =
          reel_transform_clone (reel_compose_get (from, i, NULL), error);

      if (clone == NULL || !reel_compose_append (chain, clone, error))
        return FALSE;
    }
  return TRUE;
}

/* list_links: all transforms of @chain, and of the chains in it. */
static void
list_links (ReelCompose *chain, GPtrArray *links)
{
  for (gint i = 0; i < (gint) reel_compose_get_length (chain); i++)
    {
      ReelTransform *link = reel_compose_get (chain, i, NULL);

      if (REEL_IS_COMPOSE (link))
        list_links (REEL_COMPOSE (link), links);
      else
        g_ptr_array_add (links, link);
    }
}

/* make_copy: another env like @base, seen through clones of the first @n of @links. */
static ReelEnv *
make_copy (ReelEnv *base, const GPtrArray *links, guint n, GError **error)
{
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (base));
  g_autoptr (ReelEnv) copy = reel_object_new_from_text (REEL_TYPE_ENV, text, error, NULL);
  g_autoptr (ReelCompose) chain = reel_compose_new ();

  for (guint i = 0; copy && i < n; i++)
    {
      g_autoptr (ReelTransform) clone = reel_transform_clone (links->pdata[i], error);

      if (clone == NULL || !reel_compose_append (chain, clone, error))
        return NULL;
    }
  return copy ? reel_transformed_env_new (copy, REEL_TRANSFORM (chain), error) : NULL;
}

/* learn_norms: has each observation norm that wants to learn its numbers from all lanes of a copy,
 * so that the env itself begins as its text says, which contains the numbers from now on. */
static gboolean
learn_norms (ReelEnv *base, ReelCompose *chain, GError **error)
{
  static const gint dims[] = { 0, 1 };
  gsize n_dims = reel_env_get_num_envs (base) > 1 ? 2 : 1;
  g_autoptr (GPtrArray) links = g_ptr_array_new ();

  list_links (chain, links);
  for (guint i = 0; i < links->len; i++)
    {
      gint64 frames = reel_observation_norm_get_init_frames (links->pdata[i]);
      const ReelStatsOptions options = { .num_iter = frames,
                                         .reduce_dims = dims,
                                         .n_reduce_dims = n_dims,
                                         .cat_dim = &dims[n_dims - 1] };
      g_autoptr (ReelEnv) copy = frames > 0 ? make_copy (base, links, i, error) : NULL;

      if (frames > 0
          && (!copy || !reel_observation_norm_init_stats (links->pdata[i], copy, &options, error)))
        {
          g_prefix_error (error,
                          "observation-norm cannot learn from %" G_GINT64_FORMAT
                          " frames of a copy of the env: ",
                          frames);
          return FALSE;
        }
    }
  return TRUE;
}

ReelEnv *
reel_transformed_env_new (ReelEnv *env, ReelTransform *transform, GError **error)
{
  g_autoptr (ReelTransformedEnv) self = NULL;
  g_autoptr (ReelCompose) chain = reel_compose_new ();
  ReelEnv *base = env;

  g_return_val_if_fail (REEL_IS_ENV (env), NULL);
  g_return_val_if_fail (REEL_IS_TRANSFORM (transform), NULL);

  if (REEL_IS_TRANSFORMED_ENV (env))
    {
      base = REEL_TRANSFORMED_ENV (env)->base;
      if (!append_clones (chain, REEL_TRANSFORMED_ENV (env)->transform, error))
        return NULL;
    }
  if (!reel_compose_append (chain, transform, error) || !learn_norms (base, chain, error))
    return NULL;

  const ReelEnvPrivate *inner = reel_env_get_private (base);

  self = g_object_new (REEL_TYPE_TRANSFORMED_ENV, "id", reel_object_get_id (REEL_OBJECT (base)),
                       "num-envs", inner->num_envs, "seed", inner->seed, "action-encoding",
                       inner->action_encoding, NULL);
  self->base = g_object_ref (base);
  self->transform = g_steal_pointer (&chain);
  reel_env_take_parts (REEL_ENV (self), &base, 1);
  reel_transform_set_parent (REEL_TRANSFORM (self->transform), G_OBJECT (self), NULL);
  if (!g_initable_init (G_INITABLE (self), NULL, error))
    return NULL;
  return REEL_ENV (g_steal_pointer (&self));
}

ReelEnv *
reel_transformed_env_get_base (ReelTransformedEnv *self)
{
  g_return_val_if_fail (REEL_IS_TRANSFORMED_ENV (self), NULL);
  return self->base;
}

ReelCompose *
reel_transformed_env_get_transform (ReelTransformedEnv *self)
{
  g_return_val_if_fail (REEL_IS_TRANSFORMED_ENV (self), NULL);
  return self->transform;
}

gpointer
reel_env_transform_text (gpointer env, const char *chain, GError **error)
{
  g_autoptr (ReelTransform) transform =
      reel_object_new_from_text (REEL_TYPE_TRANSFORM, chain, error, NULL);

  return transform ? reel_transformed_env_new (env, transform, error) : NULL;
}
