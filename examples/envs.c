/* An environment of one's own, with two agents: checked, rolled out, stepped, and collected. */
#include <reel/reel.h>

#include <stdio.h>
#include <string.h>

/* Where the agents may be: places of a line. */
#define PLACES 7

typedef struct
{
  ReelPcg64 rng;
  gint64 agents[2], prey;
} Lane;

typedef struct
{
  ReelEnv parent_instance;
} ReelPursuitEnv;

typedef struct
{
  ReelEnvClass parent_class;
} ReelPursuitEnvClass;

GType reel_pursuit_env_get_type (void);
G_DEFINE_TYPE (ReelPursuitEnv, reel_pursuit_env, REEL_TYPE_ENV)

/* Specs in text, the group of agents, and room for all lanes. */
static gboolean
setup (ReelEnv *env, GError **error)
{
  ReelSpec *observation = reel_spec_new_from_text (
      "composite:agents=(composite:action_mask=(binary:dtype=bool,shape=[2,3])),"
      "distance=(unbounded:dtype=int64,shape=[2])",
      error);
  ReelSpec *action = reel_spec_new_from_text (
      "composite:agents=(composite:action=(categorical:n=3,shape=[2]))", error);

  reel_env_add_group (env, "agents", 2);
  reel_env_take_specs (env, observation, action);
  return observation != NULL && action != NULL && reel_env_make_lanes (env, sizeof (Lane), error);
}

static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
  Lane *at = reel_env_get_lane (env, lane);

  reel_pcg64_seed (&at->rng, words, n_words);
}

/* Leaves come in the order of the specs: the mask, then the distances. */
static void
observe (const Lane *lane, gint64 index, guint8 *const *observation)
{
  guint8 *mask = observation[0] + index * 6;
  gint64 *distance = (gint64 *) observation[1] + index * 2;

  for (gint i = 0; i < 2; i++)
    {
      mask[3 * i] = lane->agents[i] > 0;
      mask[3 * i + 1] = TRUE;
      mask[3 * i + 2] = lane->agents[i] < PLACES - 1;
      distance[i] = lane->prey - lane->agents[i];
    }
}

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  for (gsize i = 0; i < n; i++)
    {
      Lane *lane = reel_env_get_lane (env, lanes[i]);

      lane->agents[0] = 0;
      lane->agents[1] = PLACES - 1;
      lane->prey = 1 + (gint64) reel_pcg64_below (&lane->rng, PLACES - 2);
      observe (lane, lanes[i], observation);
    }
}

/* An agent that is there has ended; the lane has when both are. */
static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  for (gint64 i = begin; i < end; i++)
    {
      Lane *lane = reel_env_get_lane (env, i);
      const gint64 *action = (const gint64 *) io->action[0] + 2 * i;
      gboolean all = TRUE;

      for (gint k = 0; k < 2; k++)
        {
          if (lane->agents[k] != lane->prey)
            lane->agents[k] = CLAMP (lane->agents[k] + action[k] - 1, 0, PLACES - 1);
          gboolean there = lane->agents[k] == lane->prey;
          io->groups[0].terminated[2 * i + k] = there;
          io->groups[0].reward[2 * i + k] = there ? 1 : -1;
          all = all && there;
        }
      observe (lane, i, io->observation);
      io->reward[i] = all ? 1 : -1;
      io->terminated[i] = all;
    }
}

static void
reel_pursuit_env_class_init (ReelPursuitEnvClass *klass)
{
  static const ReelId ids[] = {
    { "Pursuit-v0", "max-episode-steps=20", "two agents, one place" },
    { NULL, NULL, NULL },
  };
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  env_class->source = "this file";
  env_class->setup = setup;
  env_class->seed = seed;
  env_class->reset = reset;
  env_class->step = step;
}

static void
reel_pursuit_env_init (ReelPursuitEnv *self G_GNUC_UNUSED)
{
}

/* Registration by name, and a check that the class behaves as an env must. */
static ReelEnv *
open_env (GError **error)
{
  g_type_ensure (reel_pursuit_env_get_type ());
  g_autoptr (ReelEnv) env =
      reel_object_new_from_text (REEL_TYPE_ENV, "Pursuit:num-envs=3", error, NULL);

  if (!env || !reel_env_check (env, error))
    return NULL;
  puts ("Pursuit keeps what it promises");
  return g_steal_pointer (&env);
}

/* A policy in a function: both agents go where the prey is. */
static ReelTensordict *
pursue (ReelTensordict *td, gpointer env, GError **error)
{
  g_autoptr (ReelTensordict) acted = reel_env_rand_action (env, td, error);

  if (!acted)
    return NULL;
  const gint64 *distance = (const gint64 *) reel_tensordict_get_tensor (td, "distance", NULL)->data;
  gint64 *action = (gint64 *) reel_tensordict_get_tensor (td, "agents/action", NULL)->data;
  for (gint i = 0; i < 3 * 2; i++)
    action[i] = 1 + (distance[i] > 0) - (distance[i] < 0);
  return g_steal_pointer (&acted);
}

/* Episodes as one tensordict, `[lanes, steps]`: until every lane was done once. */
static gboolean
roll_out (ReelEnv *env, GError **error)
{
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_ALL_DONE,
                                       .act = pursue,
                                       .act_data = env };
  reel_env_set_seed (env, 1, REEL_SEEDING_LANES);
  g_autoptr (ReelTensordict) td = reel_env_rollout (env, 100, &options, error);

  if (!td)
    return FALSE;
  g_autofree char *text = reel_tensordict_to_string (td);
  return puts (text) >= 0;
}

/* Step by step: lanes that are done begin anew, the others go on. */
static gboolean
step_on (ReelEnv *env, GError **error)
{
  g_autoptr (ReelTensordict) td = reel_env_reset (env, NULL, error);
  gint ends = 0;

  for (gint t = 0; td && t < 1000; t++)
    {
      g_autoptr (ReelTensordict) acted = reel_env_rand_action (env, td, error);
      ReelTensordict *next = acted ? reel_env_step_and_maybe_reset (env, td, error) : NULL;
      if (!next)
        return FALSE;
      const guint8 *done = reel_tensordict_get_tensor (td, "next/done", NULL)->data;
      for (gint lane = 0; lane < 3; lane++)
        ends += done[lane];
      reel_tensordict_unref (td);
      td = next;
    }
  return td && printf ("%d episodes in 3000 random steps\n", ends) > 0;
}

/* The same by columns, by as many threads as there are, into a buffer. */
static gboolean
collect (ReelEnv *env, GError **error)
{
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=3000,ndim=2", error, NULL);
  g_autoptr (ReelReplayBuffer) buffer =
      storage ? reel_replay_buffer_new (storage, NULL, NULL, 0, error) : NULL;
  g_autoptr (ReelPolicy) policy =
      reel_object_new_from_text (REEL_TYPE_POLICY, "random", error, NULL);
  g_autoptr (ReelCollector) collector =
      buffer ? reel_collector_new ("sync:total-frames=3000", env, policy, buffer, error) : NULL;
  ReelCollectorStats stats;

  while (collector && reel_collector_next (collector, NULL, error) > 0)
    ;
  if (!collector || (error && *error))
    return FALSE;
  reel_collector_get_stats (collector, &stats);
  return printf ("%d rows in the buffer, %d episodes\n",
                 (int) reel_replay_buffer_get_length (buffer), (int) stats.episodes)
         > 0;
}

int
main (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelEnv) env = NULL;

  reel_init ();
  env = open_env (&error);
  if (env && roll_out (env, &error) && step_on (env, &error) && collect (env, &error))
    return 0;
  fprintf (stderr, "%s\n", error->message);
  return 1;
}
