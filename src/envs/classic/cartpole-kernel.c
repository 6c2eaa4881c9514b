/* The step of CartPole, a pair of vectors of lanes at a time. */
#include "cartpole-kernel.h"

#include "classic-kernel.h"

/* Equations of motion: Florian, "Correct equations for the dynamics of the cart-pole system"
 * (2007), without friction, as Gymnasium's cartpole.py has them. The result is the change
 * of the velocities: push, swing and gravity are told per step, with @tau in them.
 */
REEL_VECTOR_INLINE void
accelerate (const ReelCartpolePhysics *physics, const ReelF64s *push, const ReelF64s *theta,
            const ReelF64s *theta_dot, ReelF64s *x_gain, ReelF64s *theta_gain)
{
  ReelF64s sine[REEL_PAIR], cosine[REEL_PAIR], force[REEL_PAIR];

  reel_sine_cosine_pair (theta, sine, cosine);
  REEL_EACH force[u] = push[u] + physics->whirl * (theta_dot[u] * theta_dot[u]) * sine[u];
  REEL_EACH theta_gain[u] = (physics->fall * sine[u] - cosine[u] * force[u])
                            / (physics->lever - physics->drag * (cosine[u] * cosine[u]));
  REEL_EACH x_gain[u] = force[u] - physics->swing * cosine[u] * theta_gain[u];
}

/* The push itself: −push where the action is 0. */
REEL_VECTOR_INLINE void
decode (gconstpointer constants, gconstpointer action, gboolean one_hot, ReelF64s *push)
{
  const ReelCartpolePhysics *physics = constants;
  const gint64 *values = action;
  const ReelF64s right = reel_f64s_all (physics->push);
  ReelChoice left[REEL_PAIR];

  if (one_hot)
    REEL_EACH left[u] = reel_i64s_is (reel_i64s_load_odd (values + 2 * u * REEL_SIMD_WIDTH), 0);
  else
    REEL_EACH left[u] = reel_i64s_less (reel_i64s_load (values + u * REEL_SIMD_WIDTH), 1);
  REEL_EACH push[u] = reel_f64s_negate_if (left[u], right);
}

/* One Euler step. */
REEL_VECTOR_INLINE void
advance (gconstpointer constants, ReelClassicPair *state, const ReelF64s *push,
         ReelClassicOutcome *outcome)
{
  const ReelCartpolePhysics *physics = constants;
  const double tau = physics->tau;
  ReelF64s *x = state[0], *x_dot = state[1], *theta = state[2], *theta_dot = state[3];
  ReelF64s x_gain[REEL_PAIR], theta_gain[REEL_PAIR];

  accelerate (physics, push, theta, theta_dot, x_gain, theta_gain);
  if (G_UNLIKELY (physics->semi_implicit))
    {
      REEL_EACH x_dot[u] += x_gain[u];
      REEL_EACH theta_dot[u] += theta_gain[u];
      REEL_EACH x[u] += tau * x_dot[u];
      REEL_EACH theta[u] += tau * theta_dot[u];
    }
  else
    {
      REEL_EACH x[u] += tau * x_dot[u];
      REEL_EACH theta[u] += tau * theta_dot[u];
      REEL_EACH x_dot[u] += x_gain[u];
      REEL_EACH theta_dot[u] += theta_gain[u];
    }
  outcome->out = 0;
  REEL_EACH outcome->out |=
      (guint64) reel_f64s_either_beyond (x[u], physics->x_limit, theta[u], physics->theta_limit)
      << (u * REEL_SIMD_WIDTH);
}

static const ReelClassicTask task = {
  .shape = REEL_CARTPOLE_SHAPE,
  .decode = decode,
  .advance = advance,
};

REEL_CLASSIC_KERNELS (reel_cartpole_kernels, ReelCartpolePhysics, task);
