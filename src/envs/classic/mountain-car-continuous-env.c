/* The car in the valley with a motor of any strength up to a weak one: Gymnasium's
 * MountainCarContinuous-v0. */

#include <math.h>

#include "classic-drawing.h"
#include "mountain-car.h"

struct _ReelMountainCarContinuousEnv
{
  ReelClassicEnv parent_instance;

  ReelMountainCarTrack track;
};

G_DECLARE_FINAL_TYPE (ReelMountainCarContinuousEnv, reel_mountain_car_continuous_env, REEL,
                      MOUNTAIN_CAR_CONTINUOUS_ENV, ReelClassicEnv)
G_DEFINE_FINAL_TYPE (ReelMountainCarContinuousEnv, reel_mountain_car_continuous_env,
                     REEL_TYPE_CLASSIC_ENV)

static const ReelId ids[] = {
  { "MountainCarContinuous-v0", "max-episode-steps=999",
    "drive out of a valley, sparing the motor; 999 steps" },
  { NULL, NULL, NULL },
};

static gboolean
prepare (ReelClassicEnv *env, ReelClassicRules *rules, ReelClassicBounds *bounds, GError **error)
{
  return reel_mountain_car_prepare (&REEL_MOUNTAIN_CAR_CONTINUOUS_ENV (env)->track, 0, rules,
                                    bounds, error);
}

/* ---- Gymnasium's own order of operations ---- */

/* The force of an action less gravity. An action in its range is a float32, and so is all that it
 * is added to; one that was clipped is a double. */
static double
accelerate (double action, double cosine)
{
  const double pull = REEL_MOUNTAIN_CAR_GRAVITY * cosine;

  if (action < -1 || action > 1)
    return CLAMP (action, -1, 1) * REEL_MOUNTAIN_CAR_CONTINUOUS_FORCE - pull;
  return (float) action * (float) REEL_MOUNTAIN_CAR_CONTINUOUS_FORCE - (float) pull;
}

/* From a state that a reset drew, in double. */
static gboolean
step_first (double *position, double *velocity, double action, double goal_velocity)
{
  *velocity += accelerate (action, cos (3 * *position));
  *velocity = CLAMP (*velocity, -REEL_MOUNTAIN_CAR_SPEED, REEL_MOUNTAIN_CAR_SPEED);
  *position += *velocity;
  *position = CLAMP (*position, REEL_MOUNTAIN_CAR_LEFT, REEL_MOUNTAIN_CAR_RIGHT);
  if (*position == REEL_MOUNTAIN_CAR_LEFT && *velocity < 0)
    *velocity = 0;
  return *position >= REEL_MOUNTAIN_CAR_CONTINUOUS_GOAL && *velocity >= goal_velocity;
}

/* From one that a step left, in float32; a speed that was clipped is compared as a double. */
static gboolean
step_later (double *position, double *velocity, double action, double goal_velocity)
{
  const float left = (float) REEL_MOUNTAIN_CAR_LEFT, right = (float) REEL_MOUNTAIN_CAR_RIGHT;
  const float top = (float) REEL_MOUNTAIN_CAR_SPEED;
  float x = (float) *position, v = (float) *velocity;
  gboolean fast;

  v += (float) accelerate (action, cos ((double) (3 * x)));
  fast = v >= (float) goal_velocity;
  if (v > top || v < -top)
    {
      fast = copysign (REEL_MOUNTAIN_CAR_SPEED, (double) v) >= goal_velocity;
      v = copysignf (top, v);
    }
  x += v;
  x = CLAMP (x, left, right);
  if (x == left && v < 0)
    v = 0;
  *position = (double) x;
  *velocity = (double) v;
  return x >= (float) REEL_MOUNTAIN_CAR_CONTINUOUS_GOAL && fast;
}

static gboolean
step_exactly (ReelClassicEnv *env, gboolean first, double *state, double action, float *reward)
{
  double goal_velocity = REEL_MOUNTAIN_CAR_CONTINUOUS_ENV (env)->track.physics.goal_velocity;
  gboolean terminated = first ? step_first (&state[0], &state[1], action, goal_velocity)
                              : step_later (&state[0], &state[1], action, goal_velocity);

  state[0] = (double) (float) state[0];
  state[1] = (double) (float) state[1];
  *reward = (float) ((terminated ? 100.0 : 0.0) - reel_classic_square (action) * 0.1);
  return terminated;
}

static void
draw (ReelClassicEnv *env, const ReelCanvas *canvas, gboolean first, const double *state)
{
  reel_draw_mountain_car (canvas, state[0], REEL_MOUNTAIN_CAR_CONTINUOUS_GOAL, !first);
}

/* ---- class ---- */

static const char *const observation_names[] = { "position", "velocity", NULL };

static void
reel_mountain_car_continuous_env_class_init (ReelMountainCarContinuousEnvClass *klass)
{
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelClassicEnvClass *classic_class = REEL_CLASSIC_ENV_CLASS (klass);

  object_class->ids = ids;
  REEL_ENV_CLASS (klass)->source = "Gymnasium 1.4.0, classic_control/continuous_mountain_car.py";
  classic_class->shape = (ReelClassicShape) REEL_MOUNTAIN_CAR_CONTINUOUS_SHAPE;
  REEL_CLASSIC_TAKE_KERNELS (classic_class, reel_mountain_car_continuous_kernels);
  classic_class->prepare = prepare;
  classic_class->step_exactly = step_exactly;
  classic_class->draw = draw;
  REEL_ENV_CLASS (klass)->observation_names = observation_names;
  REEL_ENV_CLASS (klass)->frame_width = REEL_MOUNTAIN_CAR_WIDTH;
  REEL_ENV_CLASS (klass)->frame_height = REEL_MOUNTAIN_CAR_HEIGHT;
  REEL_ENV_CLASS (klass)->frame_rate = 30;
  reel_mountain_car_add_properties (object_class,
                                    G_STRUCT_OFFSET (ReelMountainCarContinuousEnv, track));
}

static void
reel_mountain_car_continuous_env_init (ReelMountainCarContinuousEnv *self)
{
}
