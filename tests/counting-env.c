#include "counting-env.h"

#include <string.h>

typedef struct
{
  GArray *max_steps;
  gint64 start_val;
  gint64 agents; /* 0 for the lane alone */
  gint64 width;  /* counts of a lane */
} ReelCountingEnvPrivate;

G_DEFINE_TYPE_WITH_PRIVATE (ReelCountingEnv, reel_counting_env, REEL_TYPE_ENV)

#define PRIVATE(env)                                                                               \
  ((ReelCountingEnvPrivate *) reel_counting_env_get_instance_private (REEL_COUNTING_ENV (env)))

/* One leaf, below `data` where there are agents. */
static ReelSpec *
make_spec (const ReelCountingEnvPrivate *self, const char *key, const ReelSpec *leaf)
{
  g_autofree char *path = g_strconcat (self->agents > 0 ? "data/" : "", key, NULL);
  g_autoptr (ReelSpec) empty = reel_composite_spec_new (0, NULL, NULL, NULL, 0, NULL);

  return reel_spec_set (empty, path, leaf, NULL);
}

static gboolean
setup (ReelEnv *env, GError **error)
{
  ReelCountingEnvPrivate *self = PRIVATE (env);
  gint64 lanes = reel_env_get_num_envs (env);
  gint64 shape[] = { MAX (self->agents, 1), 1 };
  gint ndim = self->agents > 0 ? 2 : 1;
  const gint64 *sizes = shape + 2 - ndim;

  if (self->max_steps != NULL && self->max_steps->len != 1 && self->max_steps->len != lanes)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "max-steps has %u numbers, and must have one, or one a lane",
                   self->max_steps->len);
      return FALSE;
    }

  g_autoptr (ReelSpec) count = reel_unbounded_spec_new (REEL_DTYPE_INT32, ndim, sizes, error);
  g_autoptr (ReelSpec) action = reel_binary_spec_new (REEL_DTYPE_INT8, ndim, sizes, error);

  self->width = shape[0];
  if (self->agents > 0)
    reel_env_add_group (env, "data", self->agents);
  reel_env_take_specs (env, make_spec (self, self->agents > 0 ? "states" : "observation", count),
                       make_spec (self, "action", action));
  return reel_env_make_lanes (env, (gsize) self->width * sizeof (gint32), error);
}

static gint64
get_limit (const ReelCountingEnvPrivate *self, gint64 lane)
{
  if (self->max_steps == NULL)
    return 5;
  return (gint64) g_array_index (self->max_steps, double, self->max_steps->len > 1 ? lane : 0);
}

static void
begin (ReelEnv *env, gint64 lane, guint8 *const *observation)
{
  const ReelCountingEnvPrivate *self = PRIVATE (env);
  gint32 *count = reel_env_get_lane (env, lane);

  for (gint64 i = 0; i < self->width; i++)
    count[i] = (gint32) self->start_val;
  memcpy (observation[0] + lane * self->width * 4, count, (gsize) self->width * 4);
}

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  for (gsize i = 0; i < n; i++)
    begin (env, lanes[i], observation);
}

/* Each agent ends by itself, the lane with the last of them. */
static void
step_lane (ReelEnv *env, gint64 lane, const ReelEnvIO *io)
{
  const ReelCountingEnvPrivate *self = PRIVATE (env);
  gint64 n = self->width, limit = get_limit (self, lane);
  gint32 *count = reel_env_get_lane (env, lane);
  gboolean all = TRUE;

  for (gint64 i = 0; i < n; i++)
    {
      gboolean ended;

      count[i] += (gint8) io->action[0][lane * n + i];
      ended = count[i] > limit;
      all = all && ended;
      if (self->agents == 0)
        continue;
      io->groups[0].reward[lane * n + i] = (float) i;
      io->groups[0].terminated[lane * n + i] = ended;
    }
  memcpy (io->observation[0] + lane * n * 4, count, (gsize) n * 4);
  io->reward[lane] = 0;
  io->terminated[lane] = all;
}

static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  for (gint64 lane = begin; lane < end; lane++)
    step_lane (env, lane, io);
}

/* Nothing is random. */
static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
}

static void
finalize (GObject *object)
{
  ReelCountingEnvPrivate *self = PRIVATE (object);

  g_clear_pointer (&self->max_steps, g_array_unref);
  G_OBJECT_CLASS (reel_counting_env_parent_class)->finalize (object);
}

static void
reel_counting_env_class_init (ReelCountingEnvClass *klass)
{
  static const ReelId ids[] = {
    { "Counting-v0", NULL, "actions are counted" },
    { "NestedCounting-v0", "agents=1", "agents count, below data" },
    { NULL, NULL, NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  reel_object_class_add_list (
      object_class, "max-steps", (gsize) G_PRIVATE_OFFSET (ReelCountingEnv, max_steps),
      "counts above it end an episode; 5 where it is empty", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (object_class, "start-val",
                               (gsize) G_PRIVATE_OFFSET (ReelCountingEnv, start_val), -1000, 1000,
                               0, NULL, "where counts begin", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (
      object_class, "agents", (gsize) G_PRIVATE_OFFSET (ReelCountingEnv, agents), 0, 100, 0, NULL,
      "that count below data; 0 for the lane itself", REEL_PROPERTY_CONSTRUCT_ONLY);
  env_class->setup = setup;
  env_class->reset = reset;
  env_class->step = step;
  env_class->seed = seed;
}

static void
reel_counting_env_init (ReelCountingEnv *self)
{
}

/* ---- one that resets itself ---- */

typedef ReelCountingEnv ReelAutoResettingCountingEnv;
typedef ReelCountingEnvClass ReelAutoResettingCountingEnvClass;

G_DEFINE_TYPE (ReelAutoResettingCountingEnv, reel_auto_resetting_counting_env,
               REEL_TYPE_COUNTING_ENV)

static void
step_and_reset (ReelEnv *env, gint64 first, gint64 end, const ReelEnvIO *io)
{
  step (env, first, end, io);
  for (gint64 lane = first; lane < end; lane++)
    if (io->terminated[lane])
      begin (env, lane, io->observation);
}

static void
reel_auto_resetting_counting_env_class_init (ReelAutoResettingCountingEnvClass *klass)
{
  static const ReelId ids[] = {
    { "AutoResettingCounting-v0", NULL, "begins again where it ends" },
    { NULL, NULL, NULL },
  };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_ENV_CLASS (klass)->step = step_and_reset;
  REEL_ENV_CLASS (klass)->autoreset = REEL_AUTORESET_SAME_STEP;
}

static void
reel_auto_resetting_counting_env_init (ReelAutoResettingCountingEnv *self)
{
}
