/* The step of Acrobot, a pair of vectors of lanes at a time. */
#include "acrobot-kernel.h"

#include "classic-kernel.h"

/* A vector of lanes: angles, then speeds. */
typedef ReelF64s State[4];

/* How fast a state changes. Equations of motion: Sutton and Barto, "Reinforcement learning",
 * chapter 11, as Gymnasium's acrobot.py has them, for links of mass, length and inertia 1; both
 * fractions are over d1. */
REEL_VECTOR_INLINE void
change (const ReelAcrobotPhysics *physics, const ReelF64s *state, ReelF64s torque, ReelF64s *rate)
{
  const ReelF64s speed1 = state[2], speed2 = state[3];
  ReelF64s sine1, cosine1, sine2, cosine2;

  reel_sine_cosine_bounded (state[0], &sine1, &cosine1);
  reel_sine_cosine_bounded (state[1], &sine2, &cosine2);

  ReelF64s d1 = 3.5 + cosine2, d2 = 1.25 + 0.5 * cosine2;
  ReelF64s phi2 = 0.5 * REEL_ACROBOT_GRAVITY * (sine1 * cosine2 + cosine1 * sine2);
  ReelF64s phi1 =
      (1.5 * REEL_ACROBOT_GRAVITY) * sine1 + phi2 - sine2 * speed2 * (0.5 * speed2 + speed1);
  ReelF64s pull = torque - physics->coupling * (speed1 * speed1) * sine2 - phi2;

  rate[0] = speed1;
  rate[1] = speed2;
  rate[3] = (d1 * pull + d2 * phi1) / (1.25 * d1 - d2 * d2);
  rate[2] = -(d2 * rate[3] + phi1) / d1;
}

/* One step of the classical Runge-Kutta method. */
REEL_VECTOR_INLINE void
integrate (const ReelAcrobotPhysics *physics, ReelF64s *state, ReelF64s torque)
{
  const double reach[3] = { REEL_ACROBOT_TAU / 2, REEL_ACROBOT_TAU / 2, REEL_ACROBOT_TAU };
  State rate, sum, at;

  change (physics, state, torque, rate);
  for (gint s = 0; s < 4; s++)
    sum[s] = rate[s];
  for (gint stage = 0; stage < 3; stage++)
    {
      for (gint s = 0; s < 4; s++)
        at[s] = state[s] + reach[stage] * rate[s];
      change (physics, at, torque, rate);
      for (gint s = 0; s < 4; s++)
        sum[s] = sum[s] + (stage < 2 ? 2.0 : 1.0) * rate[s];
    }
  for (gint s = 0; s < 4; s++)
    state[s] = state[s] + (REEL_ACROBOT_TAU / 6.0) * sum[s];
}

REEL_VECTOR_INLINE void
observe (ReelClassicPair *state, ReelF64s (*observed)[REEL_CLASSIC_MOST])
{
  REEL_EACH
  {
    reel_sine_cosine_bounded (state[0][u], &observed[u][1], &observed[u][0]);
    reel_sine_cosine_bounded (state[1][u], &observed[u][3], &observed[u][2]);
    observed[u][4] = state[2][u];
    observed[u][5] = state[3][u];
  }
}

/* Bit l is whether the tip of lane l is a link's length above the first joint. */
REEL_VECTOR_INLINE guint64
is_high (ReelF64s (*observed)[REEL_CLASSIC_MOST])
{
  guint64 high = 0;

  REEL_EACH
  {
    const ReelF64s *seen = observed[u];
    ReelF64s height = -seen[0] - (seen[0] * seen[2] - seen[1] * seen[3]);

    high |= (guint64) reel_mask_bits (height > 1.0) << (u * REEL_SIMD_WIDTH);
  }
  return high;
}

REEL_VECTOR_INLINE void
advance (gconstpointer constants, ReelClassicPair *state, const ReelF64s *action,
         ReelClassicOutcome *outcome)
{
  REEL_EACH
  {
    State lane = { state[0][u], state[1][u], state[2][u], state[3][u] };

    integrate (constants, lane, action[u]);
    state[0][u] = reel_classic_wrap (lane[0]);
    state[1][u] = reel_classic_wrap (lane[1]);
    state[2][u] = reel_f64s_clip (lane[2], -REEL_ACROBOT_SPEED_1, REEL_ACROBOT_SPEED_1);
    state[3][u] = reel_f64s_clip (lane[3], -REEL_ACROBOT_SPEED_2, REEL_ACROBOT_SPEED_2);
  }
  observe (state, outcome->observed);
  outcome->out = is_high (outcome->observed);
}

static const ReelClassicTask task = {
  .shape = REEL_ACROBOT_SHAPE,
  .decode = reel_classic_decode_three,
  .advance = advance,
  .observe = observe,
};

REEL_CLASSIC_KERNELS (reel_acrobot_kernels, ReelAcrobotPhysics, task);
