/* A pendulum that a weak motor has to swing up: Gymnasium's Pendulum-v1. */

#include <float.h>
#include <math.h>

#include "classic-drawing.h"
#include "pendulum-kernel.h"

struct _ReelPendulumEnv
{
  ReelClassicEnv parent_instance;

  double g, x_init, y_init;
  ReelPendulumPhysics physics;
};

G_DECLARE_FINAL_TYPE (ReelPendulumEnv, reel_pendulum_env, REEL, PENDULUM_ENV, ReelClassicEnv)
G_DEFINE_FINAL_TYPE (ReelPendulumEnv, reel_pendulum_env, REEL_TYPE_CLASSIC_ENV)

static const ReelId ids[] = {
  { "Pendulum-v1", "max-episode-steps=200", "swing a pendulum up and hold it; 200 steps" },
  { NULL, NULL, NULL },
};

/* Angular acceleration at the horizontal, rad/s^2: 3 g / (2 l). */
static double
pull (const ReelPendulumEnv *self)
{
  return 3 * self->g / (2 * 1.0);
}

static gboolean
prepare (ReelClassicEnv *env, ReelClassicRules *rules, ReelClassicBounds *bounds, GError **error)
{
  ReelPendulumEnv *self = REEL_PENDULUM_ENV (env);

  self->physics.fall = pull (self) * REEL_PENDULUM_TAU;
  *rules = (ReelClassicRules){
    .physics = &self->physics,
    .low = { -self->x_init, -self->y_init },
    .width = { self->x_init - -self->x_init, self->y_init - -self->y_init },
  };
  *bounds = (ReelClassicBounds){
    .low = { -1, -1, -REEL_PENDULUM_SPEED },
    .high = { 1, 1, REEL_PENDULUM_SPEED },
    .action = REEL_PENDULUM_TORQUE,
  };
  return TRUE;
}

/* ---- Gymnasium's own order of operations; NaN passes as it does there ---- */

static double
clip (double x, double limit)
{
  return x > limit ? limit : x < -limit ? -limit : x;
}

/* ((x + π) mod 2π) − π, modulo as Python has it. */
static double
wrap (double x)
{
  double rest = fmod (x + G_PI, 2 * G_PI);

  return (rest < 0 ? rest + 2 * G_PI : rest) - G_PI;
}

/* NumPy keeps what is made of the float32 torque alone in float32. */
static gboolean
step_exactly (ReelClassicEnv *env, gboolean first, double *state, double action, float *reward)
{
  static const volatile float two = 2;
  const float torque = (float) clip (action, REEL_PENDULUM_TORQUE);
  const float effort = 0.001f * powf (torque, two), push = 3.0f * torque;
  const double theta = state[0], speed = state[1];
  double cost =
      reel_classic_square (wrap (theta)) + 0.1 * reel_classic_square (speed) + (double) effort;
  double fall = pull (REEL_PENDULUM_ENV (env));

  state[1] =
      clip (speed + (fall * sin (theta) + (double) push) * REEL_PENDULUM_TAU, REEL_PENDULUM_SPEED);
  state[0] = theta + state[1] * REEL_PENDULUM_TAU;
  state[2] = torque;
  *reward = (float) -cost;
  return FALSE;
}

static void
observe_exactly (ReelClassicEnv *env, gboolean first, const double *state, float *observation)
{
  observation[0] = (float) cos (state[0]);
  observation[1] = (float) sin (state[0]);
  observation[2] = (float) state[1];
}

/* An observation does not tell the torque. */
static void
recall (ReelClassicEnv *env, const float *observation, double *state)
{
  state[0] = atan2 (observation[1], observation[0]);
  state[1] = observation[2];
  state[2] = 0;
}

static void
draw (ReelClassicEnv *env, const ReelCanvas *canvas, gboolean first, const double *state)
{
  reel_draw_pendulum (canvas, state[0], state[2]);
}

/* ---- class ---- */

static const char *const observation_names[] = { "cos angle", "sin angle", "angular velocity",
                                                 NULL };

static void
reel_pendulum_env_class_init (ReelPendulumEnvClass *klass)
{
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelClassicEnvClass *classic_class = REEL_CLASSIC_ENV_CLASS (klass);

  object_class->ids = ids;
  REEL_ENV_CLASS (klass)->source = "Gymnasium 1.4.0, classic_control/pendulum.py";
  classic_class->shape = (ReelClassicShape) REEL_PENDULUM_SHAPE;
  REEL_CLASSIC_TAKE_KERNELS (classic_class, reel_pendulum_kernels);
  classic_class->prepare = prepare;
  classic_class->step_exactly = step_exactly;
  classic_class->observe_exactly = observe_exactly;
  classic_class->recall = recall;
  classic_class->draw = draw;
  REEL_ENV_CLASS (klass)->observation_names = observation_names;
  REEL_ENV_CLASS (klass)->frame_width = REEL_PENDULUM_SIDE;
  REEL_ENV_CLASS (klass)->frame_height = REEL_PENDULUM_SIDE;
  REEL_ENV_CLASS (klass)->frame_rate = 30;
  reel_classic_env_class_add_constant (object_class, "g", G_STRUCT_OFFSET (ReelPendulumEnv, g),
                                       -DBL_MAX, DBL_MAX, 10.0, "m/s^2", "gravity, downwards");
  reel_classic_env_class_add_constant (object_class, "x-init",
                                       G_STRUCT_OFFSET (ReelPendulumEnv, x_init), 0, 1e6, G_PI,
                                       "rad", "a reset draws the angle between -x-init and x-init");
  reel_classic_env_class_add_constant (
      object_class, "y-init", G_STRUCT_OFFSET (ReelPendulumEnv, y_init), 0, REEL_PENDULUM_SPEED,
      1.0, "rad/s", "a reset draws the angular velocity between -y-init and y-init");
}

static void
reel_pendulum_env_init (ReelPendulumEnv *self)
{
}
