/* The steps of Gymnasium's mountain_car.py and continuous_mountain_car.py, a pair of vectors of
 * lanes at a time. */
#include "mountain-car-kernel.h"

#include "classic-kernel.h"

/* Moves the car; the left end stops it. Bit l is whether lane l is at the goal. */
REEL_VECTOR_INLINE guint64
move (const ReelMountainCarPhysics *physics, ReelClassicPair *state, const ReelF64s *push,
      double goal)
{
  const ReelF64s still = reel_f64s_all (0);
  guint64 there = 0;

  REEL_EACH
  {
    ReelF64s velocity = state[1][u], position = state[0][u], sine, cosine;

    reel_sine_cosine_bounded (3.0 * position, &sine, &cosine);
    velocity = velocity + (push[u] - REEL_MOUNTAIN_CAR_GRAVITY * cosine);
    velocity = reel_f64s_clip (velocity, -REEL_MOUNTAIN_CAR_SPEED, REEL_MOUNTAIN_CAR_SPEED);
    position =
        reel_f64s_clip (position + velocity, REEL_MOUNTAIN_CAR_LEFT, REEL_MOUNTAIN_CAR_RIGHT);
    velocity = reel_f64s_choose (reel_f64s_equal (position, reel_f64s_all (REEL_MOUNTAIN_CAR_LEFT))
                                     & reel_f64s_less (velocity, still),
                                 still, velocity);
    state[0][u] = position;
    state[1][u] = velocity;
    there |= (guint64) reel_choice_bits (
                 reel_f64s_at_least (position, reel_f64s_all (goal))
                 & reel_f64s_at_least (velocity, reel_f64s_all (physics->goal_velocity)))
             << (u * REEL_SIMD_WIDTH);
  }
  return there;
}

REEL_VECTOR_INLINE void
advance (gconstpointer constants, ReelClassicPair *state, const ReelF64s *action,
         ReelClassicOutcome *outcome)
{
  ReelF64s push[REEL_PAIR];

  REEL_EACH push[u] = action[u] * REEL_MOUNTAIN_CAR_FORCE;
  outcome->out = move (constants, state, push, REEL_MOUNTAIN_CAR_GOAL);
}

REEL_VECTOR_INLINE void
advance_continuous (gconstpointer constants, ReelClassicPair *state, const ReelF64s *action,
                    ReelClassicOutcome *outcome)
{
  const ReelF64s prize = reel_f64s_all (100), none = reel_f64s_all (0);
  ReelF64s push[REEL_PAIR];

  REEL_EACH push[u] = reel_f64s_clip (action[u], -1, 1) * REEL_MOUNTAIN_CAR_CONTINUOUS_FORCE;
  outcome->out = move (constants, state, push, REEL_MOUNTAIN_CAR_CONTINUOUS_GOAL);
  REEL_EACH
  {
    ReelI64s there = reel_bits_mask (outcome->out >> (u * REEL_SIMD_WIDTH));

    /* Gymnasium charges for the action as it is given, not as it is clipped. */
    outcome->reward[u] = reel_f64s_select (there, prize, none) - 0.1 * (action[u] * action[u]);
  }
}

static const ReelClassicTask task = {
  .shape = REEL_MOUNTAIN_CAR_SHAPE,
  .decode = reel_classic_decode_three,
  .advance = advance,
};

static const ReelClassicTask continuous = {
  .shape = REEL_MOUNTAIN_CAR_CONTINUOUS_SHAPE,
  .decode = reel_classic_decode_float,
  .advance = advance_continuous,
};

REEL_CLASSIC_KERNELS (reel_mountain_car_kernels, ReelMountainCarPhysics, task);
REEL_CLASSIC_KERNELS (reel_mountain_car_continuous_kernels, ReelMountainCarPhysics, continuous);
