/* The base of classic control: lanes in tiles of 64, steps by kernels or exactly as Gymnasium,
 * states and pictures. */
#include "classic-env.h"

#include <math.h>
#include <string.h>

#include "../../core/tensor/memory.h"
#include "../../core/math/random.h"

typedef enum
{
  MATH_PORTABLE,
  MATH_LIBM,
} Math;

typedef struct
{
  int math;
  ReelMemory *memory;
  ReelClassicLanes lanes;
  ReelClassicRules rules;
  const ReelClassicKernels *kernels;
} ReelClassicEnvPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelClassicEnv, reel_classic_env, REEL_TYPE_ENV)

#define PRIVATE(self)                                                                              \
  ((ReelClassicEnvPrivate *) reel_classic_env_get_instance_private ((ReelClassicEnv *) (self)))

static const char *const maths[] = { "portable", "libm", NULL };

/* ---- construction ---- */

static ReelSpec *
wrap (const char *key, ReelSpec *leaf, GError **error)
{
  g_autoptr (ReelSpec) owned = leaf;

  return owned != NULL ? reel_composite_spec_new (0, NULL, &key, &owned, 1, error) : NULL;
}

static ReelSpec *
make_action_spec (ReelEnv *env, const ReelClassicBounds *bounds, GError **error)
{
  const gint64 n = REEL_CLASSIC_ENV_GET_CLASS (env)->shape.n_actions, one = 1;
  const double low = -bounds->action;

  if (n == 0)
    return reel_bounded_spec_new (REEL_DTYPE_FLOAT32, 1, &one, &low, 1, &bounds->action, 1, error);
  if (reel_env_get_action_encoding (env) == REEL_ACTION_ONE_HOT)
    return reel_one_hot_spec_new (n, REEL_DTYPE_INT64, 1, &n, error);
  return reel_categorical_spec_new (n, REEL_DTYPE_INT64, 0, NULL, error);
}

static gboolean
make_specs (ReelEnv *env, const ReelClassicBounds *bounds, GError **error)
{
  const gint64 n = REEL_CLASSIC_ENV_GET_CLASS (env)->shape.n_observed;
  g_autoptr (ReelSpec) observation =
      wrap ("observation",
            reel_bounded_spec_new (REEL_DTYPE_FLOAT32, 1, &n, bounds->low, (gsize) n, bounds->high,
                                   (gsize) n, error),
            error);

  if (observation == NULL)
    return FALSE;

  ReelSpec *action = wrap ("action", make_action_spec (env, bounds, error), error);

  if (action == NULL)
    return FALSE;
  reel_env_take_specs (env, g_steal_pointer (&observation), action);
  return TRUE;
}

static gboolean
make_lanes (ReelEnv *env, GError **error)
{
  ReelClassicEnvPrivate *priv = PRIVATE (env);
  gsize lanes = (gsize) reel_env_get_num_envs (env);
  gsize blocks = (lanes + REEL_CLASSIC_TILE - 1) / REEL_CLASSIC_TILE;
  gsize state = REEL_CLASSIC_TILE * (gsize) REEL_CLASSIC_ENV_GET_CLASS (env)->shape.n_state;
  gsize block_bytes = blocks * state * sizeof (double);
  gsize stream_bytes = lanes * sizeof (ReelClassicStream);

  priv->memory = reel_memory_new (block_bytes + stream_bytes + lanes, error);
  if (priv->memory == NULL)
    return FALSE;

  guint8 *data = reel_memory_get_data (priv->memory, NULL);

  priv->lanes = (ReelClassicLanes){
    .blocks = (double *) (gpointer) data,
    .streams = (ReelClassicStream *) (gpointer) (data + block_bytes),
    .ended = data + block_bytes + stream_bytes,
  };
  return TRUE;
}

static gboolean
setup (ReelEnv *env, GError **error)
{
  ReelClassicEnvPrivate *priv = PRIVATE (env);
  ReelClassicEnvClass *klass = REEL_CLASSIC_ENV_GET_CLASS (env);
  ReelClassicBounds bounds = { 0 };
  ReelIsa isa;

  if (!klass->prepare (REEL_CLASSIC_ENV (env), &priv->rules, &bounds, error)
      || !reel_isa_choose (&isa, error))
    return FALSE;
  priv->kernels = klass->kernels[isa];
  return make_lanes (env, error) && make_specs (env, &bounds, error);
}

static void
finalize (GObject *object)
{
  g_clear_pointer (&PRIVATE (object)->memory, reel_memory_unref);
  G_OBJECT_CLASS (reel_classic_env_parent_class)->finalize (object);
}

/* ---- lanes ---- */

/* Where a lane's first double lies; the others follow REEL_CLASSIC_TILE apart. */
static double *
locate (ReelEnv *env, gint64 lane)
{
  gint64 n_state = REEL_CLASSIC_ENV_GET_CLASS (env)->shape.n_state;

  return PRIVATE (env)->lanes.blocks + lane / REEL_CLASSIC_TILE * REEL_CLASSIC_TILE * n_state
         + lane % REEL_CLASSIC_TILE;
}

static void
load (ReelEnv *env, gint64 lane, double *state, gint n)
{
  const double *from = locate (env, lane);

  for (gint s = 0; s < n; s++)
    state[s] = from[s * REEL_CLASSIC_TILE];
}

static void
store (ReelEnv *env, gint64 lane, const double *state, gint n)
{
  double *to = locate (env, lane);

  for (gint s = 0; s < n; s++)
    to[s * REEL_CLASSIC_TILE] = state[s];
}

static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
  ReelPcg64 rng;

  reel_pcg64_seed (&rng, words, n_words);
  PRIVATE (env)->lanes.streams[lane] = (ReelClassicStream){
    .state = REEL_UINT128 (rng.state_high, rng.state_low),
    .inc = REEL_UINT128 (rng.inc_high, rng.inc_low),
  };
}

static gboolean
skip_resets (ReelEnv *env, gint64 lane, gint64 n)
{
  ReelClassicStream *stream = &PRIVATE (env)->lanes.streams[lane];
  ReelUint128 n_drawn = (ReelUint128) REEL_CLASSIC_ENV_GET_CLASS (env)->shape.n_drawn;

  stream->state = reel_pcg64_jump (stream->state, stream->inc, (ReelUint128) n * n_drawn);
  return TRUE;
}

/* ---- as Gymnasium, bit for bit ---- */

static void
observe_exactly (ReelEnv *env, gboolean first, const double *state, float *observation)
{
  ReelClassicEnvClass *klass = REEL_CLASSIC_ENV_GET_CLASS (env);

  if (klass->observe_exactly)
    klass->observe_exactly (REEL_CLASSIC_ENV (env), first, state, observation);
  else
    for (gint i = 0; i < klass->shape.n_observed; i++)
      observation[i] = (float) state[i];
}

/* The action of a lane: the force itself, or the number of a discrete one. */
static double
read_action (const ReelClassicColumns *columns, gint n_actions, gint64 lane)
{
  const gint64 *action = columns->action;
  gint number = 0;

  if (n_actions == 0)
    return ((const float *) columns->action)[lane];
  if (!columns->one_hot)
    return (double) CLAMP (action[lane], 0, n_actions - 1);
  for (gint i = 1; i < n_actions; i++)
    if (action[lane * n_actions + i] != 0)
      number = i;
  return number;
}

static void
step_exactly (ReelEnv *env, gint64 begin, gint64 end, const ReelClassicColumns *columns)
{
  ReelClassicEnvPrivate *priv = PRIVATE (env);
  ReelClassicEnvClass *klass = REEL_CLASSIC_ENV_GET_CLASS (env);
  const ReelClassicShape *shape = &klass->shape;
  gsize row = (gsize) shape->n_observed;

  for (gint64 lane = begin; lane < end; lane++)
    {
      guint8 *ended = &priv->lanes.ended[lane];
      double state[REEL_CLASSIC_MOST], action = read_action (columns, shape->n_actions, lane);
      float *observation = columns->observation + row * (gsize) lane, reward;
      gboolean first = reel_env_get_elapsed (env, lane) == 0;

      load (env, lane, state, shape->n_kept);
      gboolean terminated =
          klass->step_exactly (REEL_CLASSIC_ENV (env), first, state, action, &reward);
      store (env, lane, state, shape->n_kept);
      observe_exactly (env, FALSE, state, observation);
      if (columns->carry != NULL)
        memcpy (columns->carry + row * (gsize) lane, observation, row * sizeof *observation);
      columns->reward[lane] = shape->own_reward ? reward
                              : !terminated     ? priv->rules.alive
                              : *ended          ? priv->rules.terminated
                                                : priv->rules.terminating;
      columns->terminated[lane] = (guint8) terminated;
      *ended |= (guint8) terminated;
    }
}

/* ---- steps ---- */

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  ReelClassicEnvPrivate *priv = PRIVATE (env);
  const ReelClassicShape *shape = &REEL_CLASSIC_ENV_GET_CLASS (env)->shape;
  float *rows = (float *) (gpointer) observation[0];

  priv->kernels->reset (&priv->rules, &priv->lanes, lanes, n, rows);
  for (gsize i = 0; i < n && priv->math == MATH_LIBM; i++)
    {
      double state[REEL_CLASSIC_MOST];

      load (env, lanes[i], state, shape->n_kept);
      observe_exactly (env, TRUE, state, rows + lanes[i] * shape->n_observed);
    }
}

static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  ReelClassicEnvPrivate *priv = PRIVATE (env);
  const ReelClassicColumns columns = {
    .action = io->action[0],
    .one_hot = reel_env_get_action_encoding (env) == REEL_ACTION_ONE_HOT,
    .observation = (float *) (gpointer) io->observation[0],
    .carry = io->carry != NULL ? (float *) (gpointer) io->carry[0] : NULL,
    .reward = io->reward,
    .terminated = io->terminated,
  };

  if (priv->math == MATH_LIBM)
    step_exactly (env, begin, end, &columns);
  else
    priv->kernels->step (&priv->rules, &priv->lanes, begin, end, &columns);
}

/* ---- state: what is kept of the physics, the stream, whether the episode has terminated ---- */

static gsize
state_size (ReelEnv *env)
{
  return sizeof (double) * (gsize) REEL_CLASSIC_ENV_GET_CLASS (env)->shape.n_kept
         + 5 * sizeof (guint64);
}

static void
get_state (ReelEnv *env, gint64 lane, gpointer state)
{
  const ReelClassicLanes *lanes = &PRIVATE (env)->lanes;
  const ReelClassicStream *stream = &lanes->streams[lane];
  gint n = REEL_CLASSIC_ENV_GET_CLASS (env)->shape.n_kept;
  double physics[REEL_CLASSIC_MOST];
  const guint64 rest[5] = {
    (guint64) (stream->state >> 64), (guint64) stream->state, (guint64) (stream->inc >> 64),
    (guint64) stream->inc,           lanes->ended[lane],
  };

  load (env, lane, physics, n);
  memcpy (state, physics, (gsize) n * sizeof *physics);
  memcpy ((guint8 *) state + (gsize) n * sizeof *physics, rest, sizeof rest);
}

static void
set_state (ReelEnv *env, gint64 lane, gconstpointer state)
{
  ReelClassicEnvPrivate *priv = PRIVATE (env);
  gint n = REEL_CLASSIC_ENV_GET_CLASS (env)->shape.n_kept;
  double physics[REEL_CLASSIC_MOST];
  guint64 rest[5];

  memcpy (physics, state, (gsize) n * sizeof *physics);
  memcpy (rest, (const guint8 *) state + (gsize) n * sizeof *physics, sizeof rest);
  store (env, lane, physics, n);
  /* Columns past those that are kept follow from them. */
  priv->kernels->derive (&priv->lanes, lane);
  priv->lanes.streams[lane] = (ReelClassicStream){
    .state = REEL_UINT128 (rest[0], rest[1]),
    .inc = REEL_UINT128 (rest[2], rest[3]),
  };
  priv->lanes.ended[lane] = rest[4] & 1;
}

/* ---- pictures ---- */

static void
render (ReelEnv *env, gint64 lane, gint64 width, gint64 height, guint8 *pixels)
{
  const ReelEnvClass *env_class = REEL_ENV_GET_CLASS (env);
  const ReelClassicEnvClass *klass = REEL_CLASSIC_ENV_GET_CLASS (env);
  const ReelCanvas canvas = {
    .pixels = pixels,
    .width = width,
    .height = height,
    .world_width = env_class->frame_width,
    .world_height = env_class->frame_height,
  };
  double state[REEL_CLASSIC_MOST];

  load (env, lane, state, klass->shape.n_kept);
  klass->draw (REEL_CLASSIC_ENV (env), &canvas, reel_env_get_elapsed (env, lane) == 0, state);
}

static void
show (ReelEnv *env, gint64 lane, const guint8 *const *observation)
{
  const ReelClassicEnvClass *klass = REEL_CLASSIC_ENV_GET_CLASS (env);
  float observed[REEL_CLASSIC_MOST];
  double state[REEL_CLASSIC_MOST];

  memcpy (observed, observation[0], (gsize) klass->shape.n_observed * sizeof *observed);
  if (klass->recall)
    klass->recall (REEL_CLASSIC_ENV (env), observed, state);
  else
    for (gint i = 0; i < klass->shape.n_kept; i++)
      state[i] = observed[i];
  store (env, lane, state, klass->shape.n_kept);
  PRIVATE (env)->kernels->derive (&PRIVATE (env)->lanes, lane);
}

/* ---- for the tasks ---- */

void
reel_classic_env_class_add_constant (ReelObjectClass *klass, const char *name, gsize offset,
                                     double low, double high, double initial, const char *unit,
                                     const char *blurb)
{
  reel_object_class_add_double (klass, name, offset, low, high, initial, unit, blurb,
                                REEL_PROPERTY_CONSTRUCT_ONLY);
}

gboolean
reel_classic_rules_draw (ReelClassicRules *rules, gint n, double low, double high, GError **error)
{
  if (low > high)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "reset-low=%g is above reset-high=%g: a reset draws between them", low, high);
      return FALSE;
    }
  if (!isfinite (high - low))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "reset-low=%g and reset-high=%g are further apart than a double can be", low,
                   high);
      return FALSE;
    }
  for (gint i = 0; i < n; i++)
    {
      rules->low[i] = low;
      rules->width[i] = high - low;
    }
  return TRUE;
}

double
reel_classic_square (double x)
{
  /* Python's x ** 2 calls pow(). Of a constant exponent the compiler would make a product. */
  static const volatile double two = 2;

  return pow (x, two);
}

/* ---- class ---- */

static void
reel_classic_env_class_init (ReelClassicEnvClass *klass)
{
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  env_class->lane_multiple = REEL_CLASSIC_TILE;
  env_class->writes_carry = TRUE;
  env_class->setup = setup;
  env_class->seed = seed;
  env_class->skip_resets = skip_resets;
  env_class->reset = reset;
  env_class->step = step;
  env_class->state_size = state_size;
  env_class->get_state = get_state;
  env_class->set_state = set_state;
  env_class->render = render;
  env_class->show = show;
  reel_object_class_add_enum (
      REEL_OBJECT_CLASS (klass), "math", (gsize) G_PRIVATE_OFFSET (ReelClassicEnv, math), maths,
      MATH_PORTABLE,
      "portable: vectors, the same bits everywhere; libm: as Gymnasium, bit for bit, on the C "
      "library's sine and cosine",
      REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_classic_env_init (ReelClassicEnv *self)
{
}
