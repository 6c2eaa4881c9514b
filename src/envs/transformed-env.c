#include "transformed-env.h"

#include <string.h>

#include "../specs/kinds/env-spec.h"
#include "../transforms/lane-plan.h"
#include "../transforms/observation-norm.h"
#include "../transforms/transform-private.h"
#include "chain-results.h"
#include "chain-states.h"
#include "env-lanes.h"
#include "env-private.h"
#include "observation-stats.h"

/* Bytes of the leaves of the lanes that a step takes through the whole chain at a time: they stay
 * in the second-level cache. */
#define STEP_CHUNK (256 << 10)

struct _ReelTransformedEnv
{
  ReelEnv parent_instance;

  ReelEnv *base;
  ReelCompose *transform;
  GPtrArray *parts; /* of ReelEnv: where lanes of @base are unlike, those of it behind copies of the
                     * chain; else NULL */

  /* Leaves of steps and resets. Columns of those that the env shows are of the caller; the rest
   * has memory here. */
  ReelLanePlan *plan;
  gint64 chunk;            /* lanes that a step does together */
  guint8 **scratch;        /* by leaf; NULL where the caller's */
  guint *base_observation; /* the leaf of each observation of the base */
  guint *observation;      /* of each observation that is shown */
  guint n_base_observations, n_observations;
  ReelChainResults results;
  ReelChainStates states;
  guint *done_action; /* the leaf of each action of the base */

  /* Leaves of actions, from those that are shown to those of the base. */
  ReelLanePlan *actions;
  guint8 **action_scratch;
  guint *action, *base_action;
  guint n_actions, n_base_actions;
};

G_DEFINE_FINAL_TYPE (ReelTransformedEnv, reel_transformed_env, REEL_TYPE_ENV)

static const ReelLaneSource base_source;

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

/* list_unrepeated: what is shown that depends on more than the episode. */
static void
list_unrepeated (ReelTransformedEnv *self)
{
  g_autoptr (GStrvBuilder) keys = g_strv_builder_new ();

  for (guint i = 0; i < self->n_observations; i++)
    if (!reel_lane_plan_repeats (self->plan, self->observation[i]))
      g_strv_builder_add (keys, reel_lane_plan_get_leaf (self->plan, self->observation[i])->path);
  reel_chain_results_list_unrepeated (&self->results, keys);
  reel_env_get_private (REEL_ENV (self))->unrepeated = g_strv_builder_end (keys);
}

/* Observations that the base takes over from step to step are taken over here, too. */
static void
mark_carried (ReelTransformedEnv *self)
{
  for (guint i = 0; i < self->n_base_observations; i++)
    {
      guint leaf = self->base_observation[i];

      if (reel_env_carries (self->base, reel_lane_plan_get_leaf (self->plan, leaf)->path))
        reel_lane_plan_carry (self->plan, leaf);
    }
}

static GStrv
list_carried (const ReelTransformedEnv *self)
{
  g_autoptr (GStrvBuilder) paths = g_strv_builder_new ();

  for (guint i = 0; i < self->n_observations; i++)
    {
      const ReelLaneLeaf *leaf = reel_lane_plan_get_leaf (self->plan, self->observation[i]);

      if (leaf->carried)
        g_strv_builder_add (paths, leaf->path);
    }
  return g_strv_builder_end (paths);
}

/* define_base: the leaves of the base. */
static void
define_base (ReelTransformedEnv *self)
{
  if (reel_env_outlasts_episodes (self->base))
    reel_lane_plan_outlast_episodes (self->plan);
  self->done_action = define_actions (self->plan, reel_env_get_action_spec (self->base));
  self->base_observation = define_all (self->plan, reel_env_get_observation_spec (self->base),
                                       REEL_LANE_OBSERVATION, &self->n_base_observations);
  mark_carried (self);
  reel_chain_results_define (&self->results, self->base, self->plan);
  reel_lane_plan_set_source (self->plan, &base_source, self, *self->results.base_rewards,
                             *self->results.base_flags);
}

/* find_outputs: leaves of the chain's end, and memory for the others. */
static gboolean
find_outputs (ReelTransformedEnv *self, const ReelSpec *observation, GError **error)
{
  g_autofree gboolean *shown = g_new0 (gboolean, reel_lane_plan_get_n_leaves (self->plan));

  self->observation = find_all (self->plan, observation, &self->n_observations, error);
  if (!self->observation
      || !reel_chain_results_find (&self->results, &reel_env_get_private (REEL_ENV (self))->results,
                                   error))
    return FALSE;
  if (reel_lane_plan_outlasts_episodes (self->plan))
    list_unrepeated (self);
  reel_env_take_carried (REEL_ENV (self), list_carried (self));
  mark (shown, self->observation, self->n_observations);
  if (!reel_lane_plan_steps_at_resets (self->plan))
    reel_chain_results_mark (&self->results, shown);
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
  g_autoptr (ReelSpec) whole =
      bare ? reel_env_spec_set_state (bare, reel_env_get_state_spec (self->base), error) : NULL;

  return whole ? reel_transform_env_spec (REEL_TRANSFORM (self->transform), whole, error) : NULL;
}

/* ---- the env behind the chain ---- */

static void
reset_base (gpointer data, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  const ReelTransformedEnv *self = data;
  guint8 **observation = g_newa (guint8 *, self->n_base_observations + 1);
  gint64 few[REEL_ENV_RESET_CHUNK];
  g_autofree gint64 *many = n > REEL_ENV_RESET_CHUNK ? g_new (gint64, n) : NULL;
  gint64 *listed = many ? many : few;

  for (guint i = 0; i < self->n_base_observations; i++)
    observation[i] = columns[self->base_observation[i]];
  memcpy (listed, lanes, n * sizeof *listed);
  reel_env_reset_listed (self->base, listed, n, observation);
  for (gsize i = 0; self->states.base->n > 0 && i < n; i++)
    reel_chain_states_keep (&self->states, columns, lanes[i]);
}

static void
step_base (gpointer data, guint8 *const *columns, gint64 begin, gint64 end)
{
  const ReelTransformedEnv *self = data;
  guint8 **observation = g_newa (guint8 *, self->n_base_observations + 1);
  const guint8 **action = g_newa (const guint8 *, self->n_base_actions + 1);
  ReelEnvGroupStep *steps = g_newa (ReelEnvGroupStep, self->results.n_rewards);
  guint8 **results = g_newa (guint8 *, self->results.n_base_results + 1);
  ReelEnvIO io = reel_chain_results_point_base (&self->results, columns, steps, results);

  for (guint i = 0; i < self->n_base_observations; i++)
    observation[i] = columns[self->base_observation[i]];
  for (guint i = 0; i < self->n_base_actions; i++)
    action[i] = columns[self->done_action[i]];
  io.action = action;
  io.observation = observation;
  io.state = (const guint8 *const *) self->states.rows;
  reel_env_step_lanes (self->base, begin, end, &io);
  for (gint64 lane = begin; self->states.base->n > 0 && lane < end; lane++)
    reel_chain_states_keep (&self->states, columns, lane);
}

static const ReelLaneSource base_source = { step_base, reset_base };

/* ---- setup ---- */

/* Lanes of a simulator go through the chain piece by piece. Those of several envs, or of another
 * process, are stepped together, and so are those that depend on one another. */
static gint64
choose_chunk (ReelTransformedEnv *self)
{
  gint64 n = reel_env_get_num_envs (self->base), multiple = reel_env_get_lane_multiple (self->base);
  gsize row = 1;

  for (guint i = 0; i < reel_lane_plan_get_n_leaves (self->plan); i++)
    row += reel_lane_plan_get_leaf (self->plan, i)->row_bytes;
  if (reel_env_get_private (self->base)->n_parts > 0
      || reel_lane_plan_has_joined_lanes (self->plan))
    return n;
  return MAX ((gint64) (STEP_CHUNK / row) / multiple, 1) * multiple;
}

static void
take_groups (ReelTransformedEnv *self)
{
  gint64 n_agents;

  for (gsize g = 0; g < reel_env_get_n_groups (self->base); g++)
    {
      const char *key = reel_env_get_group (self->base, g, &n_agents);

      reel_env_add_group (REEL_ENV (self), key, n_agents);
    }
}

static void
make_plans (ReelTransformedEnv *self)
{
  gint64 n_lanes = reel_env_get_num_envs (self->base);

  self->plan = reel_lane_plan_new (n_lanes, report_fault, self);
  self->actions = reel_lane_plan_new (n_lanes, report_fault, self);
  define_base (self);
}

static gboolean
setup (ReelEnv *env, GError **error)
{
  ReelTransformedEnv *self = REEL_TRANSFORMED_ENV (env);
  g_autoptr (ReelSpec) specs = make_specs (self, error);
  g_autoptr (ReelSpec) observation = NULL;
  g_auto (GStrv) keys = NULL;
  const ReelSpec *action;

  if (specs == NULL)
    return FALSE;
  action = reel_env_spec_get_part (specs, "action");
  make_plans (self);
  if (!reel_transform_bind (REEL_TRANSFORM (self->transform), self->plan, error))
    return FALSE;
  observation = reel_chain_results_settle_specs (&self->results, env, specs, error);
  if (observation == NULL || !find_outputs (self, observation, error)
      || !bind_actions (self, action, error))
    return FALSE;
  self->chunk = choose_chunk (self);
  take_groups (self);
  keys = reel_chain_states_init (&self->states, &reel_env_get_private (self->base)->states,
                                 self->base_observation, self->plan);
  reel_env_take_state (env, (const char *const *) keys);
  if (reel_lane_plan_has_joined_lanes (self->plan)
      || reel_lane_plan_has_joined_lanes (self->actions))
    reel_env_take_lane_multiple (env, reel_env_get_num_envs (env));
  reel_env_take_specs (env, g_steal_pointer (&observation), reel_spec_ref ((ReelSpec *) action));
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

/* Works that draw, step or remember at resets must do them. */
static gboolean
skip_resets (ReelEnv *env, gint64 lane, gint64 n)
{
  ReelTransformedEnv *self = REEL_TRANSFORMED_ENV (env);

  return !reel_lane_plan_draws (self->plan) && !reel_lane_plan_steps_at_resets (self->plan)
         && !reel_lane_plan_outlasts_episodes (self->plan)
         && reel_env_skip_resets (self->base, lane, n);
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

/* The observation is the root of the next step, too. */
static void
carry_observation (const ReelTransformedEnv *self, const ReelEnvIO *io, gint64 begin, gint64 end)
{
  for (guint i = 0; io->carry != NULL && i < self->n_observations; i++)
    {
      gsize row = reel_lane_plan_get_leaf (self->plan, self->observation[i])->row_bytes;
      gsize at = (gsize) begin * row;

      memcpy (io->carry[i] + at, io->observation[i] + at, (gsize) (end - begin) * row);
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
  reel_chain_results_point (&self->results, columns, io);
  invert_actions (self, begin, end, io, columns);
  reel_chain_states_take (&self->states, begin, end, io);
  for (gint64 lane = begin, next; lane < end; lane = next)
    {
      next = MIN (lane - lane % self->chunk + self->chunk, end);
      reel_lane_plan_step (self->plan, columns, lane, next);
      reel_chain_results_give_counted (&self->results, columns, lane, next, io);
      carry_observation (self, io, lane, next);
    }
}

/* ---- states: of the base, observations that its steps read, then of the chain ---- */

static gsize
state_size (ReelEnv *env)
{
  ReelTransformedEnv *self = REEL_TRANSFORMED_ENV (env);

  return reel_env_get_state_size (self->base) + reel_chain_states_get_size (&self->states)
         + reel_lane_plan_get_state_size (self->plan);
}

static void
get_state (ReelEnv *env, gint64 lane, gpointer state)
{
  ReelTransformedEnv *self = REEL_TRANSFORMED_ENV (env);
  guint8 *at = state;

  reel_env_get_state (self->base, lane, at);
  at += reel_env_get_state_size (self->base);
  reel_chain_states_save (&self->states, lane, at);
  at += reel_chain_states_get_size (&self->states);
  reel_lane_plan_get_state (self->plan, lane, at);
}

static void
set_state (ReelEnv *env, gint64 lane, gconstpointer state)
{
  ReelTransformedEnv *self = REEL_TRANSFORMED_ENV (env);
  const guint8 *at = state;

  reel_env_set_state (self->base, lane, at);
  at += reel_env_get_state_size (self->base);
  reel_chain_states_restore (&self->states, lane, at);
  at += reel_chain_states_get_size (&self->states);
  reel_lane_plan_set_state (self->plan, lane, at);
}

/* ---- unlike lanes: each part of the base is behind a copy of the chain ---- */

/* Refuses a chain whose state would be shared by lanes of several parts. */
static gboolean
check_apart (ReelTransformedEnv *self, GError **error)
{
  if (!reel_lane_plan_has_joined_lanes (self->plan)
      && !reel_lane_plan_has_joined_lanes (self->actions))
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "the lanes have unlike specs and would share the state of a transform, such "
                       "as the statistics of vec-norm: put it behind each of the environments");
  return FALSE;
}

static ReelEnv *
new_part (ReelTransformedEnv *self, ReelEnv *env, GError **error)
{
  g_autoptr (ReelTransform) chain = reel_transform_clone (REEL_TRANSFORM (self->transform), error);
  g_autoptr (ReelEnv) part = chain ? reel_transformed_env_new (env, chain, error) : NULL;

  return part && check_apart (REEL_TRANSFORMED_ENV (part), error) ? g_steal_pointer (&part) : NULL;
}

static gboolean
mix_parts (ReelTransformedEnv *self, GError **error)
{
  const ReelEnvPrivate *inner = reel_env_get_private (self->base);

  self->parts = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < inner->n_parts; i++)
    {
      ReelEnv *part = new_part (self, inner->parts[i].env, error);

      if (part == NULL)
        {
          g_prefix_error (error, "environment %u of %u: ", i, inner->n_parts);
          return FALSE;
        }
      g_ptr_array_add (self->parts, part);
    }
  return reel_env_mix (REEL_ENV (self), (ReelEnv *const *) self->parts->pdata, self->parts->len,
                       inner->mixed->difference, inner->mixed->workers, error);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelTransformedEnv *self = REEL_TRANSFORMED_ENV (object);

  if (!reel_env_is_mixed (self->base))
    reel_env_take_parts (REEL_ENV (self), &self->base, 1);
  else if (!mix_parts (self, error))
    return FALSE;
  return REEL_OBJECT_CLASS (reel_transformed_env_parent_class)->build (object, error);
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

  g_clear_pointer (&self->parts, g_ptr_array_unref);
  free_scratch (self->plan, self->scratch);
  free_scratch (self->actions, self->action_scratch);
  reel_chain_results_clear (&self->results);
  reel_chain_states_clear (&self->states);
  g_free (self->base_observation);
  g_free (self->observation);
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
  REEL_OBJECT_CLASS (klass)->build = build;
  env_class->source = "an environment and a chain of transforms";
  env_class->writes_flags = TRUE;
  env_class->writes_carry = TRUE;
  env_class->setup = setup;
  env_class->reset = reset;
  env_class->step = step;
  env_class->seed = seed;
  env_class->skip_resets = skip_resets;
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
