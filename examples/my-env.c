/* An environment as a plugin: collect --plugin ./my-env.so --env MyEnv. */
#include <reel/reel.h>

/* A ball on a line: a push left or right, and the nearer to the middle, the better. */
typedef struct
{
  ReelPcg64 rng;
  double position, velocity;
} Lane;

struct _MyEnv
{
  ReelEnv parent_instance;
  double push;
};

G_DECLARE_FINAL_TYPE (MyEnv, my_env, MY, ENV, ReelEnv)
G_DEFINE_FINAL_TYPE (MyEnv, my_env, REEL_TYPE_ENV)

/* Specs of one lane, and room for the state of all lanes. */
static gboolean
setup (ReelEnv *env, GError **error)
{
  ReelSpec *observation =
      reel_spec_new_from_text ("composite:observation=(unbounded:dtype=float32,shape=[2])", error);
  ReelSpec *action = reel_spec_new_from_text (
      "composite:action=(bounded:low=-1,high=1,dtype=float32,shape=[1])", error);

  reel_env_take_specs (env, observation, action);
  return observation && action && reel_env_make_lanes (env, sizeof (Lane), error);
}

static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
  reel_pcg64_seed (&((Lane *) reel_env_get_lane (env, lane))->rng, words, n_words);
}

static void
observe (const Lane *lane, gint64 index, guint8 *const *observation)
{
  float *values = (float *) observation[0] + 2 * index;

  values[0] = (float) lane->position;
  values[1] = (float) lane->velocity;
}

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  for (gsize i = 0; i < n; i++)
    {
      Lane *lane = reel_env_get_lane (env, lanes[i]);
      lane->position = reel_pcg64_uniform (&lane->rng, -1, 1);
      lane->velocity = 0;
      observe (lane, lanes[i], observation);
    }
}

/* The base counts steps and sets `truncated` and `done`. */
static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  const float *action = (const float *) io->action[0];

  for (gint64 i = begin; i < end; i++)
    {
      Lane *lane = reel_env_get_lane (env, i);
      lane->velocity += ((MyEnv *) env)->push * CLAMP (action[i], -1, 1);
      lane->position += lane->velocity;
      observe (lane, i, io->observation);
      io->reward[i] = (float) -ABS (lane->position);
      io->terminated[i] = ABS (lane->position) > 2;
    }
}

static void
my_env_class_init (MyEnvClass *klass)
{
  static const ReelId ids[] = { { "MyEnv-v0", "max-episode-steps=50", "a ball on a line" }, { 0 } };
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  reel_object_class_add_double (REEL_OBJECT_CLASS (klass), "push", G_STRUCT_OFFSET (MyEnv, push), 0,
                                1, 0.1, NULL, "change of velocity in a step",
                                REEL_PROPERTY_CONSTRUCT_ONLY);
  env_class->source = "this file";
  env_class->setup = setup;
  env_class->seed = seed;
  env_class->reset = reset;
  env_class->step = step;
}

static void
my_env_init (MyEnv *self G_GNUC_UNUSED)
{
}

REEL_PLUGIN (REEL_PLUGIN_CLASS (MyEnv, my_env));
