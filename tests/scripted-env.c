#include "scripted-env.h"

#include <string.h>

GType reel_scripted_env_get_type (void);
GType reel_scripted_next_env_get_type (void);
GType reel_scripted_same_env_get_type (void);

typedef struct
{
  guint32 terminated, truncated;
  gint64 n_steps;
  gint64 seen[2];
  gboolean ended;
} Lane;

typedef struct
{
  ReelEnv parent_instance;
} ReelScriptedEnv;

typedef struct
{
  ReelEnvClass parent_class;
} ReelScriptedEnvClass;

G_DEFINE_TYPE (ReelScriptedEnv, reel_scripted_env, REEL_TYPE_ENV)

static Lane *
lane_of (ReelEnv *env, gint64 lane)
{
  return reel_env_get_lane (env, lane);
}

void
scripted_env_tell (ReelEnv *env, gint64 lane, guint32 terminated, guint32 truncated)
{
  lane_of (env, lane)->terminated = terminated;
  lane_of (env, lane)->truncated = truncated;
}

static gboolean
setup (ReelEnv *env, GError **error)
{
  const gint64 two = 2, one = 1;
  const char *const observation_keys[] = { "observation" }, *const action_keys[] = { "action" };
  g_autoptr (ReelSpec) seen = reel_unbounded_spec_new (REEL_DTYPE_INT64, 1, &two, error);
  g_autoptr (ReelSpec) action = reel_binary_spec_new (REEL_DTYPE_INT8, 1, &one, error);

  reel_env_take_specs (env, reel_composite_spec_new (0, NULL, observation_keys, &seen, 1, error),
                       reel_composite_spec_new (0, NULL, action_keys, &action, 1, error));
  return reel_env_make_lanes (env, sizeof (Lane), error);
}

static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
  Lane *self = lane_of (env, lane);

  *self = (Lane){ .terminated = self->terminated, .truncated = self->truncated, .seen = { -1 } };
}

static void
observe (const Lane *lane, gint64 index, guint8 *const *observation)
{
  memcpy (observation[0] + index * (gint64) sizeof lane->seen, lane->seen, sizeof lane->seen);
}

static void
begin_episode (Lane *lane)
{
  lane->seen[0]++;
  lane->seen[1] = 0;
  lane->ended = FALSE;
}

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  for (gsize i = 0; i < n; i++)
    {
      begin_episode (lane_of (env, lanes[i]));
      observe (lane_of (env, lanes[i]), lanes[i], observation);
    }
}

static void
advance (Lane *lane, gint64 i, const ReelEnvIO *io, gboolean truncates)
{
  gint64 k = lane->n_steps++;

  lane->seen[1]++;
  observe (lane, i, io->observation);
  io->reward[i] = (float) lane->n_steps;
  io->terminated[i] = lane->terminated >> k & 1;
  if (truncates)
    io->truncated[i] = lane->truncated >> k & 1;
  lane->ended = truncates && (io->terminated[i] || io->truncated[i]);
}

static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  for (gint64 i = begin; i < end; i++)
    advance (lane_of (env, i), i, io, FALSE);
}

static void
reel_scripted_env_class_init (ReelScriptedEnvClass *klass)
{
  static const ReelId ids[] = { { "Scripted-v0", NULL, "ends as it is told" }, { NULL } };
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  env_class->setup = setup;
  env_class->seed = seed;
  env_class->reset = reset;
  env_class->step = step;
}

static void
reel_scripted_env_init (ReelScriptedEnv *self)
{
}

/* ---- those that reset themselves ---- */

typedef ReelScriptedEnv ReelScriptedNextEnv, ReelScriptedSameEnv;
typedef ReelScriptedEnvClass ReelScriptedNextEnvClass, ReelScriptedSameEnvClass;
G_DEFINE_TYPE (ReelScriptedNextEnv, reel_scripted_next_env, reel_scripted_env_get_type ())
G_DEFINE_TYPE (ReelScriptedSameEnv, reel_scripted_same_env, reel_scripted_env_get_type ())

static void
step_next (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  for (gint64 i = begin; i < end; i++)
    {
      Lane *lane = lane_of (env, i);

      if (!lane->ended)
        {
          advance (lane, i, io, TRUE);
          continue;
        }
      begin_episode (lane);
      observe (lane, i, io->observation);
      io->reward[i] = 0;
      io->terminated[i] = io->truncated[i] = FALSE;
    }
}

static void
step_same (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  for (gint64 i = begin; i < end; i++)
    {
      Lane *lane = lane_of (env, i);

      advance (lane, i, io, TRUE);
      if (!lane->ended)
        continue;
      begin_episode (lane);
      observe (lane, i, io->observation);
    }
}

static void
reel_scripted_next_env_class_init (ReelScriptedNextEnvClass *klass)
{
  static const ReelId ids[] = { { "ScriptedNext-v0", NULL, "resets itself" }, { NULL } };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_ENV_CLASS (klass)->step = step_next;
  REEL_ENV_CLASS (klass)->autoreset = REEL_AUTORESET_NEXT_STEP;
}

static void
reel_scripted_next_env_init (ReelScriptedNextEnv *self)
{
}

static void
reel_scripted_same_env_class_init (ReelScriptedSameEnvClass *klass)
{
  static const ReelId ids[] = { { "ScriptedSame-v0", NULL, "resets itself" }, { NULL } };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_ENV_CLASS (klass)->step = step_same;
  REEL_ENV_CLASS (klass)->autoreset = REEL_AUTORESET_SAME_STEP;
}

static void
reel_scripted_same_env_init (ReelScriptedSameEnv *self)
{
}

void
scripted_envs_init (void)
{
  g_type_ensure (reel_scripted_env_get_type ());
  g_type_ensure (reel_scripted_next_env_get_type ());
  g_type_ensure (reel_scripted_same_env_get_type ());
}
