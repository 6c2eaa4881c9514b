#include "wander-env.h"

#include <math.h>

typedef struct
{
  ReelPcg64 rng;
  gint64 draws;
} Lane;

typedef struct
{
  ReelEnv parent_instance;
} WanderEnv;

typedef struct
{
  ReelEnvClass parent_class;
} WanderEnvClass;

G_DEFINE_TYPE (WanderEnv, wander_env, REEL_TYPE_ENV)

float
wander_place (float place, float action)
{
  return place * 0.75f + action;
}

static gboolean
setup (ReelEnv *env, GError **error)
{
  ReelSpec *observation = reel_spec_new_from_text (
      "composite:draws=(unbounded:dtype=int64,shape=[1]),place=(unbounded:shape=[2])", error);
  ReelSpec *action =
      reel_spec_new_from_text ("composite:action=(bounded:low=-1,high=1,shape=[1])", error);
  ReelSpec *none = reel_composite_spec_new (0, NULL, NULL, NULL, 0, error);
  ReelSpec *flags = reel_spec_new_from_text (
      "composite:end=(composite:done=(categorical:n=2,dtype=bool,shape=[1]),"
      "terminated=(categorical:n=2,dtype=bool,shape=[1]))",
      error);

  g_assert_true (observation && action && none && flags);
  reel_env_take_specs (env, observation, action);
  reel_env_take_state (env, (const char *const[]){ "place", NULL });
  return reel_env_take_results (env, none, flags, error)
         && reel_env_make_lanes (env, sizeof (Lane), error);
}

static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
  Lane *at = reel_env_get_lane (env, lane);

  reel_pcg64_seed (&at->rng, words, n_words);
  at->draws = 0;
}

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  for (gsize i = 0; i < n; i++)
    {
      Lane *lane = reel_env_get_lane (env, lanes[i]);
      float *place = (float *) (gpointer) observation[1] + 2 * lanes[i];

      lane->draws++;
      place[0] = (float) reel_pcg64_below (&lane->rng, 16) / 16;
      place[1] = -(float) reel_pcg64_below (&lane->rng, 16) / 16;
      ((gint64 *) (gpointer) observation[0])[lanes[i]] = lane->draws;
    }
}

static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  for (gint64 i = begin; i < end; i++)
    {
      const float *from = (const float *) (gconstpointer) io->state[0] + 2 * i;
      float *to = (float *) (gpointer) io->observation[1] + 2 * i;
      float action = ((const float *) (gconstpointer) io->action[0])[i];

      to[0] = wander_place (from[0], action);
      to[1] = wander_place (from[1], action);
      ((gint64 *) (gpointer) io->observation[0])[i] = ((Lane *) reel_env_get_lane (env, i))->draws;
      io->reward[i] = 0;
      io->terminated[i] = fabsf (to[0] + to[1]) > 2;
      io->results[0][i] = io->results[1][i] = io->terminated[i];
    }
}

static void
wander_env_class_init (WanderEnvClass *klass)
{
  static const ReelId ids[] = {
    { "Wander-v0", "max-episode-steps=9", "a place that a row says" },
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
wander_env_init (WanderEnv *self)
{
}
