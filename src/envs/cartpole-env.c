/* A pole on a cart, pushed left or right: Gymnasium's CartPole-v0 and -v1. */

#include <float.h>
#include <math.h>
#include <string.h>

#include "../core/memory.h"
#include "../core/random.h"
#include "cartpole-kernel.h"
#include "env.h"

typedef enum
{
  MATH_PORTABLE,
  MATH_LIBM,
} Math;

typedef enum
{
  EULER,
  SEMI_IMPLICIT_EULER,
} Integrator;

struct _ReelCartpoleEnv
{
  ReelEnv parent_instance;

  double gravity, mass_cart, mass_pole, length, force_mag, tau, theta_threshold, x_threshold;
  double reset_low, reset_high;
  gboolean sutton_barto_reward;
  int integrator;
  int math;

  ReelMemory *memory;
  ReelCartpoleLanes lanes;
  ReelCartpolePhysics physics;
  const ReelCartpoleKernels *kernels;
};

#define REEL_TYPE_CARTPOLE_ENV (reel_cartpole_env_get_type ())
G_DECLARE_FINAL_TYPE (ReelCartpoleEnv, reel_cartpole_env, REEL, CARTPOLE_ENV, ReelEnv)
G_DEFINE_FINAL_TYPE (ReelCartpoleEnv, reel_cartpole_env, REEL_TYPE_ENV)

static const ReelId ids[] = {
  { "CartPole-v0", "max-episode-steps=200", "balance a pole on a cart; 200 steps" },
  { "CartPole-v1", "max-episode-steps=500", "balance a pole on a cart; 500 steps" },
  { NULL, NULL, NULL },
};

static const char *const maths[] = { "portable", "libm", NULL };
static const char *const integrators[] = { "euler", "semi-implicit-euler", NULL };

/* ---- construction ---- */

static gboolean
make_specs (ReelCartpoleEnv *self, GError **error)
{
  const gint64 four[] = { 4 }, two[] = { 2 };
  const double infinity = (double) INFINITY;
  const double high[] = { 2 * self->x_threshold, infinity, 2 * self->theta_threshold, infinity };
  const double low[] = { -high[0], -infinity, -high[2], -infinity };
  const char *const observation_key[] = { "observation" }, *const action_key[] = { "action" };
  gboolean one_hot = reel_env_get_action_encoding (REEL_ENV (self)) == REEL_ACTION_ONE_HOT;
  g_autoptr (ReelSpec) observation =
      reel_bounded_spec_new (REEL_DTYPE_FLOAT32, 1, four, low, 4, high, 4, error);

  if (observation == NULL)
    return FALSE;

  g_autoptr (ReelSpec) action =
      one_hot ? reel_one_hot_spec_new (2, REEL_DTYPE_INT64, 1, two, error)
              : reel_categorical_spec_new (2, REEL_DTYPE_INT64, 0, NULL, error);

  if (action == NULL)
    return FALSE;

  g_autoptr (ReelSpec) observations =
      reel_composite_spec_new (0, NULL, observation_key, &observation, 1, error);

  if (observations == NULL)
    return FALSE;

  ReelSpec *actions = reel_composite_spec_new (0, NULL, action_key, &action, 1, error);

  if (actions == NULL)
    return FALSE;
  reel_env_take_specs (REEL_ENV (self), g_steal_pointer (&observations), actions);
  return TRUE;
}

static gboolean
make_lanes (ReelCartpoleEnv *self, GError **error)
{
  gsize lanes = (gsize) reel_env_get_num_envs (REEL_ENV (self));
  gsize blocks = (lanes + REEL_CARTPOLE_BLOCK - 1) / REEL_CARTPOLE_BLOCK;
  gsize block_bytes = blocks * sizeof (ReelCartpoleBlock);
  gsize stream_bytes = lanes * sizeof (ReelCartpoleStream);

  self->memory = reel_memory_new (block_bytes + stream_bytes + blocks * sizeof (guint64), error);
  if (self->memory == NULL)
    return FALSE;

  guint8 *data = reel_memory_get_data (self->memory, NULL);

  self->lanes = (ReelCartpoleLanes){
    .blocks = (ReelCartpoleBlock *) data,
    .streams = (ReelCartpoleStream *) (data + block_bytes),
    .ended = (guint64 *) (data + block_bytes + stream_bytes),
  };
  return TRUE;
}

static void
derive_physics (ReelCartpoleEnv *self)
{
  double total_mass = self->mass_pole + self->mass_cart;

  self->physics = (ReelCartpolePhysics){
    .push = self->force_mag / total_mass,
    .swing = self->mass_pole * self->length / total_mass,
    .gravity = self->gravity,
    .lever = self->length * (4.0 / 3.0),
    .drag = self->length * self->mass_pole / total_mass,
    .tau = self->tau,
    .x_limit = self->x_threshold,
    .theta_limit = self->theta_threshold,
    .low = self->reset_low,
    .width = self->reset_high - self->reset_low,
    .semi_implicit = self->integrator == SEMI_IMPLICIT_EULER,
    .sutton_barto = self->sutton_barto_reward,
  };
}

static gboolean
setup (ReelEnv *env, GError **error)
{
  ReelCartpoleEnv *self = REEL_CARTPOLE_ENV (env);
  ReelIsa isa;

  if (self->reset_low > self->reset_high)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "reset-low=%g is above reset-high=%g: a reset draws between them",
                   self->reset_low, self->reset_high);
      return FALSE;
    }
  if (!reel_isa_choose (&isa, error))
    return FALSE;
  self->kernels = REEL_KERNEL_PICK (reel_cartpole_kernels, isa);
  derive_physics (self);
  return make_lanes (self, error) && make_specs (self, error);
}

static void
finalize (GObject *object)
{
  g_clear_pointer (&REEL_CARTPOLE_ENV (object)->memory, reel_memory_unref);
  G_OBJECT_CLASS (reel_cartpole_env_parent_class)->finalize (object);
}

/* ---- lanes ---- */

static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
  ReelPcg64 rng;

  reel_pcg64_seed (&rng, words, n_words);
  REEL_CARTPOLE_ENV (env)->lanes.streams[lane] = (ReelCartpoleStream){
    .state = REEL_UINT128 (rng.state_high, rng.state_low),
    .inc = REEL_UINT128 (rng.inc_high, rng.inc_low),
  };
}

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  ReelCartpoleEnv *self = REEL_CARTPOLE_ENV (env);

  self->kernels->reset (&self->physics, &self->lanes, lanes, n, (float *) observation[0]);
}

/* Gymnasium's own order of operations, on the C library's sine and cosine. */
static gboolean
step_as_gymnasium (const ReelCartpoleEnv *self, ReelCartpoleBlock *block, gint i, gboolean right)
{
  double force = right ? self->force_mag : -self->force_mag;
  double total_mass = self->mass_pole + self->mass_cart;
  double polemass_length = self->mass_pole * self->length;
  double x_dot = block->x_dot[i], theta_dot = block->theta_dot[i];
  double c = cos (block->theta[i]), s = sin (block->theta[i]);
  double temp = (force + polemass_length * (theta_dot * theta_dot) * s) / total_mass;
  double theta_acc = (self->gravity * s - c * temp)
                     / (self->length * (4.0 / 3.0 - self->mass_pole * (c * c) / total_mass));
  double x_acc = temp - polemass_length * theta_acc * c / total_mass;
  gboolean new_first = self->integrator == SEMI_IMPLICIT_EULER;

  block->x_dot[i] = x_dot + self->tau * x_acc;
  block->theta_dot[i] = theta_dot + self->tau * theta_acc;
  block->x[i] += self->tau * (new_first ? block->x_dot[i] : x_dot);
  block->theta[i] += self->tau * (new_first ? block->theta_dot[i] : theta_dot);
  return fabs (block->x[i]) > self->x_threshold || fabs (block->theta[i]) > self->theta_threshold;
}

static void
step_libm (ReelCartpoleEnv *self, gint64 begin, gint64 end, const ReelCartpoleColumns *columns)
{
  for (gint64 lane = begin; lane < end; lane++)
    {
      ReelCartpoleBlock *block = &self->lanes.blocks[lane / REEL_CARTPOLE_BLOCK];
      guint64 *ended = &self->lanes.ended[lane / REEL_CARTPOLE_BLOCK];
      gint i = (gint) (lane % REEL_CARTPOLE_BLOCK);
      gboolean right =
          columns->one_hot ? columns->action[2 * lane + 1] != 0 : columns->action[lane] == 1;
      gboolean terminated = step_as_gymnasium (self, block, i, right);
      gboolean again = terminated && (*ended >> i & 1);
      const float row[4] = { (float) block->x[i], (float) block->x_dot[i], (float) block->theta[i],
                             (float) block->theta_dot[i] };

      memcpy (columns->observation + 4 * lane, row, sizeof row);
      if (columns->carry != NULL)
        memcpy (columns->carry + 4 * lane, row, sizeof row);
      if (self->sutton_barto_reward)
        columns->reward[lane] = terminated ? -1.0f : 0.0f;
      else
        columns->reward[lane] = again ? 0.0f : 1.0f;
      columns->terminated[lane] = terminated;
      *ended |= (guint64) terminated << i;
    }
}

static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvStep *io)
{
  ReelCartpoleEnv *self = REEL_CARTPOLE_ENV (env);
  const ReelCartpoleColumns columns = {
    .action = (const gint64 *) io->action[0],
    .one_hot = reel_env_get_action_encoding (env) == REEL_ACTION_ONE_HOT,
    .observation = (float *) io->observation[0],
    .carry = io->carry != NULL ? (float *) io->carry[0] : NULL,
    .reward = io->reward,
    .terminated = io->terminated,
  };

  if (self->math == MATH_LIBM)
    step_libm (self, begin, end, &columns);
  else
    self->kernels->step (&self->physics, &self->lanes, begin, end, &columns);
}

/* ---- state ---- */

typedef struct
{
  double x, x_dot, theta, theta_dot;
  guint64 state_high, state_low, inc_high, inc_low;
  guint64 ended;
} LaneState;

static gsize
state_size (ReelEnv *env)
{
  return sizeof (LaneState);
}

static void
get_state (ReelEnv *env, gint64 lane, gpointer state)
{
  ReelCartpoleLanes *lanes = &REEL_CARTPOLE_ENV (env)->lanes;
  const ReelCartpoleBlock *block = &lanes->blocks[lane / REEL_CARTPOLE_BLOCK];
  const ReelCartpoleStream *stream = &lanes->streams[lane];
  gint i = (gint) (lane % REEL_CARTPOLE_BLOCK);
  const LaneState saved = {
    .x = block->x[i],
    .x_dot = block->x_dot[i],
    .theta = block->theta[i],
    .theta_dot = block->theta_dot[i],
    .state_high = (guint64) (stream->state >> 64),
    .state_low = (guint64) stream->state,
    .inc_high = (guint64) (stream->inc >> 64),
    .inc_low = (guint64) stream->inc,
    .ended = lanes->ended[lane / REEL_CARTPOLE_BLOCK] >> i & 1,
  };

  memcpy (state, &saved, sizeof saved);
}

static void
set_state (ReelEnv *env, gint64 lane, gconstpointer state)
{
  ReelCartpoleLanes *lanes = &REEL_CARTPOLE_ENV (env)->lanes;
  ReelCartpoleBlock *block = &lanes->blocks[lane / REEL_CARTPOLE_BLOCK];
  guint64 *ended = &lanes->ended[lane / REEL_CARTPOLE_BLOCK];
  gint i = (gint) (lane % REEL_CARTPOLE_BLOCK);
  LaneState saved;

  memcpy (&saved, state, sizeof saved);
  block->x[i] = saved.x;
  block->x_dot[i] = saved.x_dot;
  block->theta[i] = saved.theta;
  block->theta_dot[i] = saved.theta_dot;
  lanes->streams[lane] = (ReelCartpoleStream){
    .state = REEL_UINT128 (saved.state_high, saved.state_low),
    .inc = REEL_UINT128 (saved.inc_high, saved.inc_low),
  };
  *ended = (*ended & ~(1ull << i)) | (saved.ended & 1) << i;
}

/* ---- class ---- */

static void
add_constant (ReelObjectClass *klass, const char *name, gsize offset, double low, double initial,
              const char *unit, const char *blurb)
{
  reel_object_class_add_double (klass, name, offset, low, DBL_MAX, initial, unit, blurb,
                                REEL_PROPERTY_CONSTRUCT_ONLY);
}

#define FIELD(name) G_STRUCT_OFFSET (ReelCartpoleEnv, name)

static void
add_properties (ReelObjectClass *klass)
{
  reel_object_class_add_bool (klass, "sutton-barto-reward", FIELD (sutton_barto_reward), FALSE,
                              "reward 0, and -1 where terminated, instead of 1",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  add_constant (klass, "reset-low", FIELD (reset_low), -DBL_MAX, -0.05, NULL,
                "least value of a component of the first state");
  add_constant (klass, "reset-high", FIELD (reset_high), -DBL_MAX, 0.05, NULL,
                "upper end of a component of the first state");
  add_constant (klass, "gravity", FIELD (gravity), -DBL_MAX, 9.8, "m/s^2", "downwards");
  add_constant (klass, "mass-cart", FIELD (mass_cart), DBL_MIN, 1.0, "kg", "mass of the cart");
  add_constant (klass, "mass-pole", FIELD (mass_pole), 0, 0.1, "kg", "mass of the pole");
  add_constant (klass, "length", FIELD (length), DBL_MIN, 0.5, "m", "half the length of the pole");
  add_constant (klass, "force-mag", FIELD (force_mag), -DBL_MAX, 10.0, "N",
                "force of an action; 1 pushes to the right");
  add_constant (klass, "tau", FIELD (tau), DBL_MIN, 0.02, "s", "time between steps");
  reel_object_class_add_enum (klass, "kinematics-integrator", FIELD (integrator), integrators,
                              EULER, "how a step integrates", REEL_PROPERTY_CONSTRUCT_ONLY);
  add_constant (klass, "theta-threshold", FIELD (theta_threshold), 0, 12 * 2 * G_PI / 360, "rad",
                "pole angle beyond which an episode terminates");
  add_constant (klass, "x-threshold", FIELD (x_threshold), 0, 2.4, "m",
                "cart position beyond which an episode terminates");
  reel_object_class_add_enum (
      klass, "math", FIELD (math), maths, MATH_PORTABLE,
      "portable: vectors, the same bits everywhere; libm: as Gymnasium, bit "
      "for bit, on the C library's sine and cosine",
      REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_cartpole_env_class_init (ReelCartpoleEnvClass *klass)
{
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  REEL_OBJECT_CLASS (klass)->ids = ids;
  env_class->lane_multiple = REEL_CARTPOLE_BLOCK;
  env_class->writes_carry = TRUE;
  env_class->setup = setup;
  env_class->seed = seed;
  env_class->reset = reset;
  env_class->step = step;
  env_class->state_size = state_size;
  env_class->get_state = get_state;
  env_class->set_state = set_state;
  add_properties (REEL_OBJECT_CLASS (klass));
}

static void
reel_cartpole_env_init (ReelCartpoleEnv *self)
{
}
