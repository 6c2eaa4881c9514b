#include "serial-env.h"

#include "../core/system/workers.h"
#include "../specs/operations/spec-widen.h"
#include "../specs/spec-kind.h"
#include "../specs/spec-text.h"
#include "env-lanes.h"
#include "env-private.h"

struct _ReelSerialEnv
{
  ReelEnv parent_instance;

  GStrv texts;
  GPtrArray *envs;       /* of ReelEnv */
  ReelSpec *observation; /* of a lane of any of them */

  gsize *observation_bytes, *action_bytes; /* of a lane, by leaf */
  gsize n_observations, n_actions;
  gsize n_groups;
  gint64 *n_agents;    /* by group */
  gsize *result_bytes; /* as `results` of ReelEnvIO */
  gsize n_results;
};

G_DEFINE_FINAL_TYPE (ReelSerialEnv, reel_serial_env, REEL_TYPE_ENV)

/* ---- setup ---- */

/* make_envs: those of the texts; the lanes of the whole are dealt out among them. */
static gboolean
make_envs (ReelSerialEnv *self, gint64 n_lanes, GError **error)
{
  g_autoptr (GPtrArray) pairs = reel_env_share_properties (REEL_ENV (self));
  gint n = (gint) g_strv_length (self->texts);

  for (gint i = 0; i < n; i++)
    {
      gint64 begin, end;
      ReelEnv *env;

      reel_workers_partition (MAX (n_lanes, n), 1, i, n, &begin, &end);
      env = reel_env_new_part (self->texts[i], end - begin, pairs, error);
      if (env == NULL)
        {
          g_prefix_error (error, "environment %d of serial: ", i);
          return FALSE;
        }
      g_ptr_array_add (self->envs, env);
    }
  return TRUE;
}

/* ---- specs ---- */

typedef const ReelSpec *(*GetSpec) (ReelEnv *);

static const struct
{
  const char *name;
  GetSpec get;
} specs[] = {
  { "observation", reel_env_get_observation_spec },
  { "action", reel_env_get_action_spec },
  { "reward", reel_env_get_reward_spec },
  { "done", reel_env_get_done_spec },
  { "state", reel_env_get_state_spec },
};

static char *
describe_difference (const char *name, guint i, const ReelSpec *spec, const ReelSpec *first)
{
  g_autofree char *wanted = reel_spec_to_text (first), *found = reel_spec_to_text (spec);

  return g_strdup_printf ("the %s of environment 0 is %s, that of environment %u is %s", name,
                          wanted, i, found);
}

/* Takes up what env @i observes; %FALSE where its specs differ in more than the bounds of
 * observations. */
static gboolean
is_like_first (ReelSerialEnv *self, guint i, char **difference)
{
  ReelEnv *first = self->envs->pdata[0], *env = self->envs->pdata[i];
  ReelSpec *wide = reel_spec_widen (self->observation, reel_env_get_observation_spec (env));

  for (gsize k = wide != NULL; k < G_N_ELEMENTS (specs); k++)
    {
      const ReelSpec *a = specs[k].get (first), *b = specs[k].get (env);

      if (reel_spec_equal (a, b))
        continue;
      *difference = describe_difference (specs[k].name, i, b, a);
      break;
    }
  if (wide != NULL)
    {
      reel_spec_unref (self->observation);
      self->observation = wide;
    }
  return *difference == NULL;
}

/* The first difference of the specs; %NULL where all lanes are alike, and @observation is of all.
 */
static char *
compare_specs (ReelSerialEnv *self)
{
  char *difference = NULL;

  self->observation = reel_spec_ref (reel_env_get_observation_spec (self->envs->pdata[0]));
  for (guint i = 0; i < self->envs->len; i++)
    {
      ReelEnv *env = self->envs->pdata[i];

      if (reel_env_is_mixed (env))
        return g_strdup (reel_env_get_private (env)->mixed->difference);
      if (!is_like_first (self, i, &difference))
        return difference;
    }
  return NULL;
}

static gsize *
measure (const ReelSpec *spec, gsize *n)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (spec);
  gsize *bytes;

  *n = g_strv_length (paths);
  bytes = g_new (gsize, *n + 1);
  for (gsize i = 0; i < *n; i++)
    bytes[i] = reel_spec_row_bytes (reel_spec_get (spec, paths[i], NULL));
  return bytes;
}

static void
measure_results (ReelSerialEnv *self)
{
  const ReelEnvResults *results = &reel_env_get_private (REEL_ENV (self))->results;

  self->n_results = results->n_rewards + results->n_flags;
  self->result_bytes = g_new (gsize, self->n_results + 1);
  for (gsize i = 0; i < self->n_results; i++)
    self->result_bytes[i] = results->list[i].row_bytes;
}

/* choose_multiple: ranges of lanes that threads may step. Lanes that depend on one another are not
 * torn; for the rest, a multiple that does not fit all envs is left out. */
static void
choose_multiple (ReelSerialEnv *self)
{
  gint64 lanes = reel_env_get_num_envs (self->envs->pdata[0]);
  gint64 multiple = reel_env_get_lane_multiple (self->envs->pdata[0]);
  gboolean fits = lanes % multiple == 0, joined = FALSE;

  for (guint i = 0; i < self->envs->len; i++)
    {
      fits &= reel_env_get_num_envs (self->envs->pdata[i]) == lanes
              && reel_env_get_lane_multiple (self->envs->pdata[i]) == multiple;
      joined |= reel_env_joins_lanes (self->envs->pdata[i]);
    }
  if (!fits)
    multiple = joined ? reel_env_get_num_envs (REEL_ENV (self)) : 1;
  if (self->envs->len > 1)
    reel_env_take_lane_multiple (REEL_ENV (self), multiple);
}

/* The observations of all in the place of those of the first. */
static void
take_observation (ReelSerialEnv *self)
{
  ReelEnvPrivate *priv = reel_env_get_private (REEL_ENV (self));

  reel_spec_unref (priv->observation_spec);
  priv->observation_spec = reel_spec_ref (self->observation);
}

static gboolean
setup (ReelEnv *env, GError **error)
{
  ReelSerialEnv *self = REEL_SERIAL_ENV (env);
  ReelEnv *first = self->envs->pdata[0];

  self->observation_bytes = measure (reel_env_get_observation_spec (first), &self->n_observations);
  self->action_bytes = measure (reel_env_get_action_spec (first), &self->n_actions);
  self->n_groups = reel_env_get_n_groups (first);
  self->n_agents = g_new (gint64, self->n_groups + 1);
  for (gsize i = 0; i < self->n_groups; i++)
    reel_env_get_group (first, i, &self->n_agents[i]);
  if (!reel_env_take_part_specs (env, first, error))
    return FALSE;
  take_observation (self);
  measure_results (self);
  choose_multiple (self);
  return TRUE;
}

/* ---- lanes: those of a part are further on in every column ---- */

static void
shift (guint8 *const *columns, const gsize *bytes, gsize n, gint64 lanes, guint8 **shifted)
{
  for (gsize i = 0; i < n; i++)
    shifted[i] = columns[i] + (gsize) lanes * bytes[i];
}

static void
reset_part (ReelSerialEnv *self, const ReelEnvPart *part, const gint64 *lanes, gsize n,
            guint8 *const *observation)
{
  guint8 **columns = g_newa (guint8 *, self->n_observations + 1);
  gint64 few[REEL_ENV_RESET_CHUNK];
  g_autofree gint64 *many = n > REEL_ENV_RESET_CHUNK ? g_new (gint64, n) : NULL;
  gint64 *own = many ? many : few;

  shift (observation, self->observation_bytes, self->n_observations, part->first, columns);
  for (gsize i = 0; i < n; i++)
    own[i] = lanes[i] - part->first;
  reel_env_reset_listed (part->env, own, n, columns);
}

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  for (gsize from = 0, to; from < n; from = to)
    {
      const ReelEnvPart *part = reel_env_find_part (env, lanes[from]);

      for (to = from + 1; to < n && lanes[to] < part->after;)
        to++;
      reset_part (REEL_SERIAL_ENV (env), part, lanes + from, to - from, observation);
    }
}

static ReelEnvGroupStep
shift_group (const ReelEnvGroupStep *group, gint64 n_agents)
{
  return (ReelEnvGroupStep){
    .reward = group->reward + n_agents,
    .terminated = group->terminated + n_agents,
    .truncated = group->truncated + n_agents,
    .done = group->done + n_agents,
  };
}

/* step_part: the lanes [begin, end), which are all of @part. */
static void
step_part (ReelSerialEnv *self, const ReelEnvPart *part, gint64 begin, gint64 end,
           const ReelEnvIO *io)
{
  gint64 first = part->first;
  guint8 **observation = g_newa (guint8 *, self->n_observations + 1);
  guint8 **carry = g_newa (guint8 *, self->n_observations + 1);
  guint8 **action = g_newa (guint8 *, self->n_actions + 1);
  ReelEnvGroupStep *groups = g_newa (ReelEnvGroupStep, self->n_groups + 1);
  guint8 **results = g_newa (guint8 *, self->n_results + 1);
  const ReelEnvStates *states = &reel_env_get_private (REEL_ENV (self))->states;
  guint8 **state = g_newa (guint8 *, states->n + 1);

  shift (io->observation, self->observation_bytes, self->n_observations, first, observation);
  if (io->carry)
    shift (io->carry, self->observation_bytes, self->n_observations, first, carry);
  shift ((guint8 *const *) io->action, self->action_bytes, self->n_actions, first, action);
  shift (io->results, self->result_bytes, self->n_results, first, results);
  shift ((guint8 *const *) io->state, states->row_bytes, states->n, first, state);
  for (gsize i = 0; i < self->n_groups; i++)
    groups[i] = shift_group (&io->groups[i], first * self->n_agents[i]);

  const ReelEnvIO own = {
    .action = (const guint8 *const *) action,
    .observation = observation,
    .carry = io->carry ? carry : NULL,
    .reward = io->reward + first,
    .terminated = io->terminated + first,
    .truncated = io->truncated + first,
    .done = io->done + first,
    .groups = groups,
    .results = results,
    .state = (const guint8 *const *) state,
  };

  reel_env_step_lanes (part->env, begin - first, end - first, &own);
}

static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  for (gint64 from = begin; from < end;)
    {
      const ReelEnvPart *part = reel_env_find_part (env, from);
      gint64 to = MIN (end, part->after);

      step_part (REEL_SERIAL_ENV (env), part, from, to, io);
      from = to;
    }
}

/* ---- the object ---- */

/* list_texts: those that make the envs again, with their lanes. */
static GStrv
list_texts (const ReelSerialEnv *self)
{
  GStrv texts = g_new0 (char *, self->envs->len + 1);

  for (guint i = 0; i < self->envs->len; i++)
    texts[i] = reel_object_to_text (self->envs->pdata[i]);
  return texts;
}

static gboolean
take_envs (ReelSerialEnv *self, GError **error)
{
  ReelEnv *env = REEL_ENV (self), *const *envs = (ReelEnv *const *) self->envs->pdata;
  g_autofree char *difference = compare_specs (self);

  if (difference != NULL)
    return reel_env_mix (env, envs, self->envs->len, difference, NULL, error);
  reel_env_take_parts (env, envs, self->envs->len);
  return TRUE;
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelSerialEnv *self = REEL_SERIAL_ENV (object);
  gint64 n_lanes = reel_env_get_num_envs (REEL_ENV (object));

  if (self->envs->len == 0 && self->texts && !make_envs (self, n_lanes, error))
    return FALSE;
  if (self->envs->len == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "serial wants environments, as in "
                           "serial:envs=['CartPole','CartPole:max-episode-steps=20']");
      return FALSE;
    }
  g_strfreev (self->texts);
  self->texts = list_texts (self);
  if (!take_envs (self, error))
    return FALSE;
  return REEL_OBJECT_CLASS (reel_serial_env_parent_class)->build (object, error);
}

static void
finalize (GObject *object)
{
  ReelSerialEnv *self = REEL_SERIAL_ENV (object);

  g_ptr_array_unref (self->envs);
  g_clear_pointer (&self->observation, reel_spec_unref);
  g_free (self->observation_bytes);
  g_free (self->action_bytes);
  g_free (self->n_agents);
  g_free (self->result_bytes);
  G_OBJECT_CLASS (reel_serial_env_parent_class)->finalize (object);
}

static void
reel_serial_env_class_init (ReelSerialEnvClass *klass)
{
  static const ReelId ids[] = {
    { "serial", NULL, "environments side by side" },
    { "SerialEnv", NULL, "environments side by side, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  object_class->build = build;
  reel_object_class_add_words (object_class, "envs", G_STRUCT_OFFSET (ReelSerialEnv, texts),
                               "texts of the environments, in the order of their lanes",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  env_class->source = "the environments that it is made of";
  env_class->writes_carry = TRUE;
  env_class->writes_flags = TRUE;
  env_class->setup = setup;
  env_class->reset = reset;
  env_class->step = step;
  env_class->seed = reel_env_seed_part_lane;
  env_class->state_size = reel_env_get_part_state_size;
  env_class->get_state = reel_env_get_part_state;
  env_class->set_state = reel_env_set_part_state;
}

static void
reel_serial_env_init (ReelSerialEnv *self)
{
  self->envs = g_ptr_array_new_with_free_func (g_object_unref);
}

ReelEnv *
reel_serial_env_new (ReelEnv *const *envs, guint n, GError **error)
{
  g_autoptr (ReelSerialEnv) self = NULL;

  g_return_val_if_fail (n > 0, NULL);

  self = g_object_new (REEL_TYPE_SERIAL_ENV, "id", "serial", NULL);
  for (guint i = 0; i < n; i++)
    {
      g_return_val_if_fail (REEL_IS_ENV (envs[i]), NULL);
      g_ptr_array_add (self->envs, g_object_ref (envs[i]));
    }
  if (!g_initable_init (G_INITABLE (self), NULL, error))
    return NULL;
  return REEL_ENV (g_steal_pointer (&self));
}

guint
reel_serial_env_get_n_envs (ReelSerialEnv *self)
{
  g_return_val_if_fail (REEL_IS_SERIAL_ENV (self), 0);
  return self->envs->len;
}

ReelEnv *
reel_serial_env_get_env (ReelSerialEnv *self, guint i, gint64 *first)
{
  g_return_val_if_fail (REEL_IS_SERIAL_ENV (self), NULL);
  g_return_val_if_fail (i < self->envs->len, NULL);

  if (first)
    {
      *first = 0;
      for (guint k = 0; k < i; k++)
        *first += reel_env_get_num_envs (self->envs->pdata[k]);
    }
  return self->envs->pdata[i];
}
