/* A car in a valley, whose motor is too weak for the slope: Gymnasium's MountainCar-v0. */

#include <math.h>

#include "classic-drawing.h"
#include "mountain-car.h"

struct _ReelMountainCarEnv
{
  ReelClassicEnv parent_instance;

  ReelMountainCarTrack track;
};

G_DECLARE_FINAL_TYPE (ReelMountainCarEnv, reel_mountain_car_env, REEL, MOUNTAIN_CAR_ENV,
                      ReelClassicEnv)
G_DEFINE_FINAL_TYPE (ReelMountainCarEnv, reel_mountain_car_env, REEL_TYPE_CLASSIC_ENV)

static const ReelId ids[] = {
  { "MountainCar-v0", "max-episode-steps=200",
    "drive out of a valley with a weak motor; 200 steps" },
  { NULL, NULL, NULL },
};

static gboolean
prepare (ReelClassicEnv *env, ReelClassicRules *rules, ReelClassicBounds *bounds, GError **error)
{
  return reel_mountain_car_prepare (&REEL_MOUNTAIN_CAR_ENV (env)->track, -1, rules, bounds, error);
}

/* Gymnasium's own order of operations. */
static gboolean
step_exactly (ReelClassicEnv *env, gboolean first, double *state, double action, float *reward)
{
  double position = state[0], velocity = state[1];

  velocity +=
      (action - 1) * REEL_MOUNTAIN_CAR_FORCE + cos (3 * position) * -REEL_MOUNTAIN_CAR_GRAVITY;
  velocity = CLAMP (velocity, -REEL_MOUNTAIN_CAR_SPEED, REEL_MOUNTAIN_CAR_SPEED);
  position += velocity;
  position = CLAMP (position, REEL_MOUNTAIN_CAR_LEFT, REEL_MOUNTAIN_CAR_RIGHT);
  if (position == REEL_MOUNTAIN_CAR_LEFT && velocity < 0)
    velocity = 0;
  state[0] = position;
  state[1] = velocity;
  return position >= REEL_MOUNTAIN_CAR_GOAL
         && velocity >= REEL_MOUNTAIN_CAR_ENV (env)->track.physics.goal_velocity;
}

static void
draw (ReelClassicEnv *env, const ReelCanvas *canvas, gboolean first, const double *state)
{
  reel_draw_mountain_car (canvas, state[0], REEL_MOUNTAIN_CAR_GOAL, FALSE);
}

static const char *const observation_names[] = { "position", "velocity", NULL };

static void
reel_mountain_car_env_class_init (ReelMountainCarEnvClass *klass)
{
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelClassicEnvClass *classic_class = REEL_CLASSIC_ENV_CLASS (klass);

  object_class->ids = ids;
  REEL_ENV_CLASS (klass)->source = "Gymnasium 1.4.0, classic_control/mountain_car.py";
  classic_class->shape = (ReelClassicShape) REEL_MOUNTAIN_CAR_SHAPE;
  REEL_CLASSIC_TAKE_KERNELS (classic_class, reel_mountain_car_kernels);
  classic_class->prepare = prepare;
  classic_class->step_exactly = step_exactly;
  classic_class->draw = draw;
  REEL_ENV_CLASS (klass)->observation_names = observation_names;
  REEL_ENV_CLASS (klass)->frame_width = REEL_MOUNTAIN_CAR_WIDTH;
  REEL_ENV_CLASS (klass)->frame_height = REEL_MOUNTAIN_CAR_HEIGHT;
  REEL_ENV_CLASS (klass)->frame_rate = 30;
  reel_mountain_car_add_properties (object_class, G_STRUCT_OFFSET (ReelMountainCarEnv, track));
}

static void
reel_mountain_car_env_init (ReelMountainCarEnv *self)
{
}
