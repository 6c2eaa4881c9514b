#include "mock-envs.h"

#include <string.h>

#define SIZE 7

GType reel_mock_env_get_type (void);
GType reel_mock_serial_env_get_type (void);
GType reel_vec_mock_env_get_type (void);

/* A lane of either kind. */
typedef struct
{
  gint64 counter; /* MockSerial: what is observed; the others: which episode it is */
  gint64 max_val;
  float position[SIZE];
} Lane;

typedef struct
{
  ReelEnv parent_instance;
} ReelMockEnv;

typedef struct
{
  ReelEnvClass parent_class;
} ReelMockEnvClass;

G_DEFINE_ABSTRACT_TYPE (ReelMockEnv, reel_mock_env, REEL_TYPE_ENV)

static Lane *
lane_of (ReelEnv *env, gint64 lane)
{
  return reel_env_get_lane (env, lane);
}

static gboolean
take_specs (ReelEnv *env, gint64 observation_size, ReelSpec *action, GError **error)
{
  const char *const observation_keys[] = { "observation" }, *const action_keys[] = { "action" };
  g_autoptr (ReelSpec) seen =
      reel_unbounded_spec_new (REEL_DTYPE_FLOAT32, 1, &observation_size, NULL);

  reel_env_take_specs (env, reel_composite_spec_new (0, NULL, observation_keys, &seen, 1, NULL),
                       reel_composite_spec_new (0, NULL, action_keys, &action, 1, NULL));
  reel_spec_unref (action);
  return reel_env_make_lanes (env, sizeof (Lane), error);
}

static void
reel_mock_env_class_init (ReelMockEnvClass *klass)
{
}

static void
reel_mock_env_init (ReelMockEnv *self)
{
}

/* ---- MockSerialEnv: counts its steps from a number that the seed says, whatever is done ---- */

typedef ReelMockEnv ReelMockSerialEnv;
typedef ReelMockEnvClass ReelMockSerialEnvClass;
G_DEFINE_TYPE (ReelMockSerialEnv, reel_mock_serial_env, reel_mock_env_get_type ())

static gboolean
serial_setup (ReelEnv *env, GError **error)
{
  const gint64 one = 1;

  return take_specs (env, 1, reel_unbounded_spec_new (REEL_DTYPE_FLOAT32, 1, &one, NULL), error);
}

static void
serial_seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
  lane_of (env, lane)->counter = words[0] % 17;
}

static void
serial_reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  for (gsize i = 0; i < n; i++)
    {
      Lane *lane = lane_of (env, lanes[i]);

      lane->max_val = MAX (lane->counter + 100, lane->counter * 2);
      ((float *) (gpointer) observation[0])[lanes[i]] = (float) lane->counter;
    }
}

static void
serial_step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  for (gint64 i = begin; i < end; i++)
    {
      Lane *lane = lane_of (env, i);
      float seen = (float) ++lane->counter;

      ((float *) (gpointer) io->observation[0])[i] = seen;
      io->reward[i] = seen;
      io->terminated[i] = lane->counter >= lane->max_val;
    }
}

static void
reel_mock_serial_env_class_init (ReelMockSerialEnvClass *klass)
{
  static const ReelId ids[] = { { "MockSerial-v0", NULL, "counts its steps" }, { NULL } };
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  env_class->setup = serial_setup;
  env_class->seed = serial_seed;
  env_class->reset = serial_reset;
  env_class->step = serial_step;
}

static void
reel_mock_serial_env_init (ReelMockSerialEnv *self)
{
}

/* ---- vectors that actions move ---- */

typedef ReelMockEnv ReelVecMockEnv;
typedef ReelMockEnvClass ReelVecMockEnvClass;
G_DEFINE_TYPE (ReelVecMockEnv, reel_vec_mock_env, reel_mock_env_get_type ())

static gboolean
vec_setup (ReelEnv *env, GError **error)
{
  const gint64 size = SIZE;
  const double low = -1, high = 1;
  gboolean discrete = g_str_has_prefix (reel_object_get_id (REEL_OBJECT (env)), "Discrete");

  return take_specs (
      env, SIZE,
      discrete ? reel_one_hot_spec_new (SIZE, REEL_DTYPE_INT64, 1, &size, NULL)
               : reel_bounded_spec_new (REEL_DTYPE_FLOAT32, 1, &size, &low, 1, &high, 1, NULL),
      error);
}

static void
vec_seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
  *lane_of (env, lane) = (Lane){ .counter = words[0] % 1000 };
}

static void
vec_observe (const Lane *lane, gint64 index, guint8 *const *observation)
{
  memcpy (observation[0] + index * (gint64) sizeof lane->position, lane->position,
          sizeof lane->position);
}

static void
vec_reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  for (gsize i = 0; i < n; i++)
    {
      Lane *lane = lane_of (env, lanes[i]);

      lane->counter++;
      for (gint k = 0; k < SIZE; k++)
        lane->position[k] = reel_random_float (reel_random_key (lane->counter, k), 0);
      vec_observe (lane, lanes[i], observation);
    }
}

static void
vec_step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  const ReelSpec *spec = reel_spec_get (reel_env_get_action_spec (env), "action", NULL);
  ReelDtype dtype = reel_spec_get_dtype (spec);
  gsize size = reel_dtype_size (dtype);

  for (gint64 i = begin; i < end; i++)
    {
      Lane *lane = lane_of (env, i);
      gboolean far = FALSE;

      for (gint64 k = 0; k < SIZE; k++)
        {
          const guint8 *action = io->action[0] + (gsize) (i * SIZE + k) * size;

          lane->position[k] += (float) reel_dtype_load_double (dtype, action) / 8;
          far = far || lane->position[k] > 2 || lane->position[k] < -1;
        }
      vec_observe (lane, i, io->observation);
      io->reward[i] = far;
      io->terminated[i] = far;
    }
}

static void
reel_vec_mock_env_class_init (ReelVecMockEnvClass *klass)
{
  static const ReelId ids[] = {
    { "ContinuousActionVecMock-v0", NULL, "seven numbers that actions move" },
    { "DiscreteActionVecMock-v0", NULL, "seven numbers, of which an action moves one" },
    { NULL },
  };
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  env_class->setup = vec_setup;
  env_class->seed = vec_seed;
  env_class->reset = vec_reset;
  env_class->step = vec_step;
}

static void
reel_vec_mock_env_init (ReelVecMockEnv *self)
{
}

void
mock_envs_init (void)
{
  g_type_ensure (reel_mock_serial_env_get_type ());
  g_type_ensure (reel_vec_mock_env_get_type ());
}
