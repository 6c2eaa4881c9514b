#include "cartpole-kernel.h"

#include "../core/sine-kernel.h"
#include "../core/vector.h"

/* Two vectors go side by side: each fills the other's waits. */
#define PAIR 2
#define EACH for (gint u = 0; u < PAIR; u++)
#define PAIR_LANES (PAIR * REEL_LANES)

/* Equations of motion: Florian, "Correct equations for the dynamics of the cart-pole system"
 * (2007), without friction, as Gymnasium's cartpole.py has them. push is the force over the mass.
 */
REEL_VECTOR_INLINE void
accelerate (const ReelCartpolePhysics *physics, const ReelF64s *push, const ReelF64s *theta,
            const ReelF64s *theta_dot, ReelF64s *x_acc, ReelF64s *theta_acc)
{
  ReelF64s sine[PAIR], cosine[PAIR], force[PAIR];

  reel_sine_cosine_pair (theta, sine, cosine);
  EACH force[u] = push[u] + physics->swing * (theta_dot[u] * theta_dot[u]) * sine[u];
  EACH theta_acc[u] = (physics->gravity * sine[u] - cosine[u] * force[u])
                      / (physics->lever - physics->drag * (cosine[u] * cosine[u]));
  EACH x_acc[u] = force[u] - physics->swing * cosine[u] * theta_acc[u];
}

typedef struct
{
  ReelF64s x[PAIR], x_dot[PAIR], theta[PAIR], theta_dot[PAIR];
} State;

REEL_VECTOR_INLINE void
load (State *state, const ReelCartpoleBlock *block, gint i)
{
  EACH state->theta[u] = reel_f64s_load (block->theta + i + u * REEL_LANES);
  EACH state->theta_dot[u] = reel_f64s_load (block->theta_dot + i + u * REEL_LANES);
  EACH state->x[u] = reel_f64s_load (block->x + i + u * REEL_LANES);
  EACH state->x_dot[u] = reel_f64s_load (block->x_dot + i + u * REEL_LANES);
}

REEL_VECTOR_INLINE void
store (const State *state, ReelCartpoleBlock *block, gint i)
{
  EACH reel_f64s_store (block->x + i + u * REEL_LANES, state->x[u]);
  EACH reel_f64s_store (block->x_dot + i + u * REEL_LANES, state->x_dot[u]);
  EACH reel_f64s_store (block->theta + i + u * REEL_LANES, state->theta[u]);
  EACH reel_f64s_store (block->theta_dot + i + u * REEL_LANES, state->theta_dot[u]);
}

REEL_VECTOR_INLINE void
store_rows (const State *state, float *first, float *second)
{
  EACH reel_f64s_store_rows4 (first + 4 * u * REEL_LANES,
                              second != NULL ? second + 4 * u * REEL_LANES : NULL, state->x[u],
                              state->x_dot[u], state->theta[u], state->theta_dot[u]);
}

/* One Euler step; left is set in the lanes that are pushed to the left. */
REEL_VECTOR_INLINE void
advance (const ReelCartpolePhysics *physics, State *state, const ReelI64s *left)
{
  const ReelI64s right = (ReelI64s) reel_f64s_all (physics->push);
  const double tau = physics->tau;
  ReelF64s push[PAIR], x_acc[PAIR], theta_acc[PAIR];

  EACH push[u] = (ReelF64s) (right ^ (left[u] & G_MININT64));
  accelerate (physics, push, state->theta, state->theta_dot, x_acc, theta_acc);
  if (G_UNLIKELY (physics->semi_implicit))
    {
      EACH state->x_dot[u] += tau * x_acc[u];
      EACH state->theta_dot[u] += tau * theta_acc[u];
      EACH state->x[u] += tau * state->x_dot[u];
      EACH state->theta[u] += tau * state->theta_dot[u];
      return;
    }
  EACH state->x[u] += tau * state->x_dot[u];
  EACH state->theta[u] += tau * state->theta_dot[u];
  EACH state->x_dot[u] += tau * x_acc[u];
  EACH state->theta_dot[u] += tau * theta_acc[u];
}

/* Bit l is whether lane l is out of bounds. */
REEL_VECTOR_INLINE guint64
outside (const ReelCartpolePhysics *physics, const State *state)
{
  guint64 out = 0;

  EACH out |= (guint64) (reel_f64s_beyond (state->x[u], physics->x_limit)
                         | reel_f64s_beyond (state->theta[u], physics->theta_limit))
              << (u * REEL_LANES);
  return out;
}

/* What the lanes that are out of bounds get; the others get all the same. */
static void
punish (const ReelCartpolePhysics *physics, guint64 out, guint64 ended, float *reward)
{
  guint64 which = physics->sutton_barto ? out : out & ended;
  float value = physics->sutton_barto ? -1.0f : 0.0f;

  for (; which != 0; which &= which - 1)
    reward[__builtin_ctzll (which)] = value;
}

/* The 64 lanes of a block. */
REEL_VECTOR_INLINE void
step_block (const ReelCartpolePhysics *physics, const ReelCartpoleLanes *lanes, gint64 first,
            const ReelCartpoleColumns *columns, gboolean one_hot)
{
  const float alive = physics->sutton_barto ? 0.0f : 1.0f;
  const gint64 *action = columns->action + (one_hot ? 2 : 1) * first;
  ReelCartpoleBlock *block = &lanes->blocks[first / REEL_CARTPOLE_BLOCK];
  guint64 *ended = &lanes->ended[first / REEL_CARTPOLE_BLOCK];
  float *observation = columns->observation + 4 * first;
  float *carry = columns->carry != NULL ? columns->carry + 4 * first : NULL;
  float *reward = columns->reward + first;
  guint64 out = 0;

  for (gint i = 0; i < REEL_CARTPOLE_BLOCK; i += PAIR_LANES)
    {
      ReelI64s left[PAIR];
      State state;

      load (&state, block, i);
      if (one_hot)
        EACH left[u] = reel_i64s_load_odd (action + 2 * (i + u * REEL_LANES)) == 0;
      else
        EACH left[u] = reel_i64s_load (action + i + u * REEL_LANES) != 1;
      advance (physics, &state, left);
      store (&state, block, i);
      out |= outside (physics, &state) << i;
      store_rows (&state, observation + 4 * i, carry != NULL ? carry + 4 * i : NULL);
    }
  for (gint i = 0; i < REEL_CARTPOLE_BLOCK; i++)
    reward[i] = alive;
  punish (physics, out, *ended, reward);
  reel_bits_to_bytes (out, columns->terminated + first);
  *ended |= out;
}

/* Lanes i to i + PAIR_LANES of a block, but only those whose bit is set in live; the others keep
 * their state, and nothing of theirs is read or written in the columns. */
static guint64
step_some (const ReelCartpolePhysics *physics, ReelCartpoleBlock *block, gint i, guint64 live,
           guint64 left, float *rows)
{
  ReelI64s mask[PAIR], pushed[PAIR];
  State state, old;

  EACH mask[u] = reel_bits_mask (live >> (i + u * REEL_LANES));
  EACH pushed[u] = reel_bits_mask (left >> (i + u * REEL_LANES));
  load (&state, block, i);
  old = state;
  advance (physics, &state, pushed);
  store_rows (&state, rows, NULL);
  EACH state.x[u] = reel_f64s_select (mask[u], state.x[u], old.x[u]);
  EACH state.x_dot[u] = reel_f64s_select (mask[u], state.x_dot[u], old.x_dot[u]);
  EACH state.theta[u] = reel_f64s_select (mask[u], state.theta[u], old.theta[u]);
  EACH state.theta_dot[u] = reel_f64s_select (mask[u], state.theta_dot[u], old.theta_dot[u]);
  store (&state, block, i);
  return outside (physics, &state) << i & live;
}

/* Lanes of one block that are not all of it. */
static void
step_part (const ReelCartpolePhysics *physics, const ReelCartpoleLanes *lanes, gint64 first, gint n,
           const ReelCartpoleColumns *columns)
{
  ReelCartpoleBlock *block = &lanes->blocks[first / REEL_CARTPOLE_BLOCK];
  const gint start = (gint) (first % REEL_CARTPOLE_BLOCK), stop = start + n;
  const guint64 live = G_MAXUINT64 >> (64 - n) << start;
  guint64 *ended = &lanes->ended[first / REEL_CARTPOLE_BLOCK];
  const gint64 base = first - start;
  float rows[4 * PAIR_LANES];
  guint64 left = 0, out = 0;

  for (gint i = start; i < stop; i++)
    left |= (guint64) (columns->one_hot ? columns->action[2 * (base + i) + 1] == 0
                                        : columns->action[base + i] != 1)
            << i;
  for (gint i = start / PAIR_LANES * PAIR_LANES; i < stop; i += PAIR_LANES)
    {
      out |= step_some (physics, block, i, live, left, rows);
      for (gint lane = MAX (i, start); lane < MIN (i + PAIR_LANES, stop); lane++)
        {
          memcpy (columns->observation + 4 * (base + lane), rows + 4 * (lane - i), 16);
          if (columns->carry != NULL)
            memcpy (columns->carry + 4 * (base + lane), rows + 4 * (lane - i), 16);
        }
    }
  for (gint i = start; i < stop; i++)
    {
      columns->reward[base + i] = physics->sutton_barto ? 0.0f : 1.0f;
      columns->terminated[base + i] = out >> i & 1;
    }
  punish (physics, out, *ended, columns->reward + base);
  *ended |= out;
}

static void
step (const ReelCartpolePhysics *physics, const ReelCartpoleLanes *lanes, gint64 begin, gint64 end,
      const ReelCartpoleColumns *columns)
{
  const ReelCartpolePhysics constants = *physics;

  while (begin < end)
    {
      gint64 n = MIN (REEL_CARTPOLE_BLOCK - begin % REEL_CARTPOLE_BLOCK, end - begin);

      if (n < REEL_CARTPOLE_BLOCK)
        step_part (&constants, lanes, begin, (gint) n, columns);
      else if (columns->one_hot)
        step_block (&constants, lanes, begin, columns, TRUE);
      else
        step_block (&constants, lanes, begin, columns, FALSE);
      begin += n;
    }
}

static void
reset (const ReelCartpolePhysics *physics, const ReelCartpoleLanes *lanes, const gint64 *which,
       gsize n, float *observation)
{
  const double low = physics->low, width = physics->width;

  for (gsize k = 0; k < n; k++)
    {
      gint64 lane = which[k];
      ReelCartpoleStream *stream = &lanes->streams[lane];
      ReelCartpoleBlock *block = &lanes->blocks[lane / REEL_CARTPOLE_BLOCK];
      gint i = (gint) (lane % REEL_CARTPOLE_BLOCK);
      ReelUint128 state[4];
      double drawn[4];

      state[0] = reel_pcg64_advance (stream->state, stream->inc);
      for (gint d = 1; d < 4; d++)
        state[d] = reel_pcg64_advance (state[d - 1], stream->inc);
      stream->state = state[3];
      for (gint d = 0; d < 4; d++)
        {
          drawn[d] = low + width * reel_pcg64_output_double (state[d]);
          observation[4 * lane + d] = (float) drawn[d];
        }
      block->x[i] = drawn[0];
      block->x_dot[i] = drawn[1];
      block->theta[i] = drawn[2];
      block->theta_dot[i] = drawn[3];
      lanes->ended[lane / REEL_CARTPOLE_BLOCK] &= ~(1ull << i);
    }
}

const ReelCartpoleKernels REEL_KERNEL_NAME (reel_cartpole_kernels) = {
  .step = step,
  .reset = reset,
};
