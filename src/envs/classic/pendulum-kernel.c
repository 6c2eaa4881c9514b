/* The step of Gymnasium's pendulum.py for mass and length 1, a pair of
 * vectors of lanes at a time. */
#include "pendulum-kernel.h"

#include "classic-kernel.h"

/* Beyond every angle that a step leaves: what a step derives of an angle, and what is derived when
 * the state is set to it, are the same bits. */
#define MOST_STEPPED 4.0

/* The observation of angles that are known to be at most REEL_SINE_WIDE. */
REEL_VECTOR_INLINE void
show (const ReelF64s *theta, ReelClassicPair *state, ReelF64s (*observed)[REEL_CLASSIC_MOST])
{
  REEL_EACH
  {
    reel_sine_cosine_bounded (theta[u], &observed[u][1], &observed[u][0]);
    observed[u][2] = state[1][u];
    /* The next step begins with the sine that this observation ends with. */
    state[3][u] = observed[u][1];
  }
}

REEL_VECTOR_INLINE void
observe (ReelClassicPair *state, ReelF64s (*observed)[REEL_CLASSIC_MOST])
{
  ReelF64s theta[REEL_PAIR];

  REEL_EACH theta[u] = reel_f64s_select (reel_f64s_abs (state[0][u]) > MOST_STEPPED,
                                         reel_classic_wrap (state[0][u]), state[0][u]);
  show (theta, state, observed);
}

REEL_VECTOR_INLINE void
advance (gconstpointer constants, ReelClassicPair *state, const ReelF64s *action,
         ReelClassicOutcome *outcome)
{
  const ReelPendulumPhysics *physics = constants;
  ReelF64s *theta = state[0], *theta_dot = state[1], *sine = state[3];

  REEL_EACH
  {
    ReelF64s torque = reel_f64s_clip (action[u], -REEL_PENDULUM_TORQUE, REEL_PENDULUM_TORQUE);
    ReelF64s away = reel_classic_wrap (theta[u]), speed = theta_dot[u];

    outcome->reward[u] = -(away * away + 0.1 * (speed * speed) + 0.001 * (torque * torque));
    speed = speed + (physics->fall * sine[u] + 3.0 * REEL_PENDULUM_TAU * torque);
    theta_dot[u] = reel_f64s_clip (speed, -REEL_PENDULUM_SPEED, REEL_PENDULUM_SPEED);
    theta[u] = away + theta_dot[u] * REEL_PENDULUM_TAU;
    /* Pictures show the last torque. */
    state[2][u] = torque;
  }
  show (theta, state, outcome->observed);
  outcome->out = 0;
}

static const ReelClassicTask task = {
  .shape = REEL_PENDULUM_SHAPE,
  .decode = reel_classic_decode_float,
  .advance = advance,
  .observe = observe,
};

REEL_CLASSIC_KERNELS (reel_pendulum_kernels, ReelPendulumPhysics, task);
