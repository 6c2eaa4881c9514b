/* The properties and bounds that both kinds of MountainCar have. */
#include "mountain-car.h"

#include <float.h>

void
reel_mountain_car_add_properties (ReelObjectClass *klass, gsize track)
{
  const double left = REEL_MOUNTAIN_CAR_LEFT, right = REEL_MOUNTAIN_CAR_RIGHT;

  reel_classic_env_class_add_constant (
      klass, "goal-velocity", track + G_STRUCT_OFFSET (ReelMountainCarTrack, physics.goal_velocity),
      -DBL_MAX, DBL_MAX, 0, NULL, "least velocity at the goal");
  reel_classic_env_class_add_constant (klass, "reset-low",
                                       track + G_STRUCT_OFFSET (ReelMountainCarTrack, reset_low),
                                       left, right, -0.6, NULL, "least first position");
  reel_classic_env_class_add_constant (klass, "reset-high",
                                       track + G_STRUCT_OFFSET (ReelMountainCarTrack, reset_high),
                                       left, right, -0.4, NULL, "upper end of the first position");
}

gboolean
reel_mountain_car_prepare (const ReelMountainCarTrack *track, float reward, ReelClassicRules *rules,
                           ReelClassicBounds *bounds, GError **error)
{
  *rules = (ReelClassicRules){
    .physics = &track->physics,
    .alive = reward,
    .terminating = reward,
    .terminated = reward,
  };
  *bounds = (ReelClassicBounds){
    .low = { REEL_MOUNTAIN_CAR_LEFT, -REEL_MOUNTAIN_CAR_SPEED },
    .high = { REEL_MOUNTAIN_CAR_RIGHT, REEL_MOUNTAIN_CAR_SPEED },
    .action = 1,
  };
  return reel_classic_rules_draw (rules, 1, track->reset_low, track->reset_high, error);
}
