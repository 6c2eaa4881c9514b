/* The common properties of MountainCar and MountainCarContinuous. Private. */
#pragma once

#include "mountain-car-kernel.h"

/**
 * ReelMountainCarTrack:
 * @physics: for the kernels; `goal-velocity` is in it
 * @reset_low: `reset-low`
 * @reset_high: `reset-high`
 *
 * A part of the instances of both.
 */
typedef struct
{
  ReelMountainCarPhysics physics;
  double reset_low;
  double reset_high;
} ReelMountainCarTrack;

/**
 * reel_mountain_car_add_properties:
 * @klass: one of the classes, in its class_init
 * @track: offset of its #ReelMountainCarTrack
 */
void reel_mountain_car_add_properties (ReelObjectClass *klass, gsize track);

/**
 * reel_mountain_car_prepare:
 * @track: what was told
 * @reward: of every step, in the one that rewards all alike
 * @rules: (out): what follows
 * @bounds: (out): likewise
 * @error: VALUE where nothing lies between `reset-low` and `reset-high`
 *
 * Returns: whether @track is one
 */
gboolean reel_mountain_car_prepare (const ReelMountainCarTrack *track, float reward,
                                    ReelClassicRules *rules, ReelClassicBounds *bounds,
                                    GError **error);
