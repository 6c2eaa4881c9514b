/* An env of two leaves each way, one of them nested, whose every byte is a plain function of its
 * lane, its seed, its steps and what it was told: nothing to get right but where bytes go. */
#include "twin-env.h"

#include <string.h>

typedef struct
{
  guint64 seed;
  gint64 episode;
  gint64 step;
  double position;
} Lane;

struct _ReelTwinEnv
{
  ReelEnv parent_instance;
};

G_DEFINE_FINAL_TYPE (ReelTwinEnv, reel_twin_env, REEL_TYPE_ENV)

static guint64
mix (guint64 z)
{
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static ReelSpec *
make_observation_spec (void)
{
  const gint64 three = 3, two = 2;
  g_autoptr (ReelSpec) pixels = reel_unbounded_spec_new (REEL_DTYPE_UINT8, 1, &three, NULL);
  g_autoptr (ReelSpec) position = reel_unbounded_spec_new (REEL_DTYPE_FLOAT64, 1, &two, NULL);
  ReelSpec *position_leaf[] = { position };
  const char *position_key[] = { "position" };
  g_autoptr (ReelSpec) sensors =
      reel_composite_spec_new (0, NULL, position_key, position_leaf, 1, NULL);
  const char *keys[] = { "pixels", "sensors" };
  ReelSpec *specs[] = { pixels, sensors };

  return reel_composite_spec_new (0, NULL, keys, specs, 2, NULL);
}

static ReelSpec *
make_action_spec (void)
{
  const gint64 three = 3;
  const double low = -1, high = 1;
  g_autoptr (ReelSpec) choice = reel_categorical_spec_new (5, REEL_DTYPE_INT64, 0, NULL, NULL);
  g_autoptr (ReelSpec) force =
      reel_bounded_spec_new (REEL_DTYPE_FLOAT32, 1, &three, &low, 1, &high, 1, NULL);
  const char *keys[] = { "choice", "force" };
  ReelSpec *specs[] = { choice, force };

  return reel_composite_spec_new (0, NULL, keys, specs, 2, NULL);
}

static gboolean
setup (ReelEnv *env, GError **error)
{
  reel_env_take_specs (env, make_observation_spec (), make_action_spec ());
  return reel_env_make_lanes (env, sizeof (Lane), error);
}

static void
observe (const Lane *lane, gint64 index, guint8 *const *observation)
{
  guint64 word = mix (lane->seed + lane->episode * 1000003u + lane->step);
  double position[2] = { lane->position, lane->step };

  memcpy (observation[0] + index * 3, &word, 3);
  memcpy (observation[1] + index * sizeof position, position, sizeof position);
}

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  for (gsize i = 0; i < n; i++)
    {
      Lane *lane = reel_env_get_lane (env, lanes[i]);
      lane->episode++;
      lane->step = 0;
      lane->position = (double) (mix (lane->seed ^ (guint64) lane->episode) % 1000);
      observe (lane, lanes[i], observation);
    }
}

static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  for (gint64 i = begin; i < end; i++)
    {
      Lane *lane = reel_env_get_lane (env, i);
      gint64 choice;
      float force[3];
      memcpy (&choice, io->action[0] + i * sizeof choice, sizeof choice);
      memcpy (force, io->action[1] + i * sizeof force, sizeof force);

      lane->step++;
      lane->position += (double) choice + force[0] * force[1] - force[2];
      observe (lane, i, io->observation);
      io->reward[i] = (float) choice + 0.25f * force[0];
      io->terminated[i] = mix (lane->seed + (guint64) lane->step * 77 + (guint64) choice) % 9 == 0;
    }
}

static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
  guint64 value = 0;

  for (gsize i = 0; i < n_words; i++)
    value = mix (value + words[i] + 1);
  *(Lane *) reel_env_get_lane (env, lane) = (Lane){ .seed = value };
}

static const ReelId ids[] = {
  { "Twin-v0", NULL, "two leaves each way" },
  { NULL, NULL, NULL },
};

static void
reel_twin_env_class_init (ReelTwinEnvClass *klass)
{
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  env_class->setup = setup;
  env_class->reset = reset;
  env_class->step = step;
  env_class->seed = seed;
}

static void
reel_twin_env_init (ReelTwinEnv *self)
{
}
