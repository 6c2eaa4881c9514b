/* The loops over lanes that the tasks of classic control share: a task gives the arithmetic of two
 * vectors of lanes, side by side, so that each fills the other's waits. For kernel sources alone.
 */
#pragma once

#include "../../core/math/pcg64-vector.h"
#include "../../core/math/sine-kernel.h"
#include "../../core/math/vector.h"
#include "classic-env.h"

#define REEL_PAIR 2
#define REEL_PAIR_LANES (REEL_PAIR * REEL_SIMD_WIDTH)
#define REEL_EACH for (gint u = 0; u < REEL_PAIR; u++)

/* The result of a step: rows to store, a reward where the task has its own, and bit l is whether
 * lane l terminated. */
typedef struct
{
  ReelF64s observed[REEL_PAIR][REEL_CLASSIC_MOST];
  ReelF64s reward[REEL_PAIR];
  guint64 out;
} ReelClassicOutcome;

/* The state of two vectors of lanes, a column after the other. */
typedef ReelF64s ReelClassicPair[REEL_PAIR];

/* A task, known to the compiler. decode makes of the actions of REEL_PAIR_LANES lanes what advance
 * takes; advance steps them, out included; observe says what is seen of a state and derives the
 * columns past those that are kept. Without observe it is the state that is seen. */
typedef struct
{
  ReelClassicShape shape;
  void (*decode) (gconstpointer physics, gconstpointer action, gboolean one_hot, ReelF64s *decoded);
  void (*advance) (gconstpointer physics, ReelClassicPair *state, const ReelF64s *action,
                   ReelClassicOutcome *outcome);
  void (*observe) (ReelClassicPair *state, ReelF64s (*observed)[REEL_CLASSIC_MOST]);
} ReelClassicTask;

/* ---- actions ---- */

REEL_VECTOR_INLINE void
reel_classic_decode_float (gconstpointer physics, gconstpointer action, gboolean one_hot,
                           ReelF64s *decoded)
{
  const float *values = action;

  REEL_EACH decoded[u] = reel_f64s_load_floats (values + u * REEL_SIMD_WIDTH);
}

/* −1, 0 and 1 for the first, the second and the third of three. */
REEL_VECTOR_INLINE void
reel_classic_decode_three (gconstpointer physics, gconstpointer action, gboolean one_hot,
                           ReelF64s *decoded)
{
  const gint64 *values = action;
  const ReelF64s minus = reel_f64s_all (-1), none = reel_f64s_all (0), plus = reel_f64s_all (1);
  ReelChoice second[REEL_PAIR], third[REEL_PAIR];

  if (one_hot)
    REEL_EACH
    {
      second[u] = reel_i64s_has (reel_i64s_load_third (values + 3 * u * REEL_SIMD_WIDTH, 1), -1);
      third[u] = reel_i64s_has (reel_i64s_load_third (values + 3 * u * REEL_SIMD_WIDTH, 2), -1);
    }
  else
    REEL_EACH
    {
      second[u] = reel_i64s_is (reel_i64s_load (values + u * REEL_SIMD_WIDTH), 1);
      third[u] = reel_i64s_greater (reel_i64s_load (values + u * REEL_SIMD_WIDTH), 1);
    }
  REEL_EACH decoded[u] =
      reel_f64s_choose (third[u], plus, reel_f64s_choose (second[u], none, minus));
}

/* ---- steps ---- */

/* Angles less whole turns, in [−π, π] to rounding. */
REEL_VECTOR_INLINE ReelF64s
reel_classic_wrap (ReelF64s theta)
{
  const double shift = 0x1.8p52;
  ReelF64s turns = (theta * 0x1.45f306dc9c883p-3 + shift) - shift;

  return theta - turns * 0x1.921fb54442d18p+2;
}

REEL_VECTOR_INLINE gsize
reel_classic_action_bytes (const ReelClassicTask *task, gboolean one_hot)
{
  gint n = task->shape.n_actions;

  return n == 0 ? sizeof (float) : one_hot ? (gsize) n * sizeof (gint64) : sizeof (gint64);
}

/* Where the state of the block of a lane lies. */
REEL_VECTOR_INLINE double *
reel_classic_block (const ReelClassicTask *task, const ReelClassicLanes *lanes, gint64 lane)
{
  return lanes->blocks + lane / REEL_CLASSIC_TILE * REEL_CLASSIC_TILE * task->shape.n_state;
}

REEL_VECTOR_INLINE void
reel_classic_load (const ReelClassicTask *task, const double *block, gint i, ReelClassicPair *state)
{
  for (gint s = 0; s < task->shape.n_state; s++)
    REEL_EACH state[s][u] =
        reel_f64s_load (block + s * REEL_CLASSIC_TILE + i + u * REEL_SIMD_WIDTH);
}

REEL_VECTOR_INLINE void
reel_classic_store (const ReelClassicTask *task, double *block, gint i,
                    const ReelClassicPair *state)
{
  for (gint s = 0; s < task->shape.n_state; s++)
    REEL_EACH reel_f64s_store (block + s * REEL_CLASSIC_TILE + i + u * REEL_SIMD_WIDTH,
                               state[s][u]);
}

/* Rewards of the rules: those of steps that terminate differ, and are few. */
REEL_VECTOR_INLINE void
reel_classic_reward (const ReelClassicRules *rules, guint64 out, guint64 ended, guint64 live,
                     float *reward)
{
  const float alive = rules->alive;
  guint64 first = rules->terminating != alive ? out & ~ended : 0;
  guint64 again = rules->terminated != alive ? out & ended : 0;

  if (live == G_MAXUINT64)
    for (gint i = 0; i < REEL_CLASSIC_TILE; i++)
      reward[i] = alive;
  else
    for (; live != 0; live &= live - 1)
      reward[__builtin_ctzll (live)] = alive;
  for (; first != 0; first &= first - 1)
    reward[__builtin_ctzll (first)] = rules->terminating;
  for (; again != 0; again &= again - 1)
    reward[__builtin_ctzll (again)] = rules->terminated;
}

/* The pair of vectors that begins with lane i of a block: rows and rewards to where they are told.
 * Returns which terminated. */
REEL_VECTOR_INLINE guint64
reel_classic_step_pair (const ReelClassicTask *task, gconstpointer physics, ReelClassicPair *state,
                        const ReelF64s *action, double *block, gint i, float *observation,
                        float *carry, float *reward)
{
  const gint n = task->shape.n_observed;
  ReelClassicOutcome outcome;

  task->advance (physics, state, action, &outcome);
  if (block != NULL)
    reel_classic_store (task, block, i, state);
  if (task->observe == NULL)
    for (gint c = 0; c < n; c++)
      REEL_EACH outcome.observed[u][c] = state[c][u];
  REEL_EACH reel_f64s_store_rows (observation + n * u * REEL_SIMD_WIDTH,
                                  carry != NULL ? carry + n * u * REEL_SIMD_WIDTH : NULL,
                                  outcome.observed[u], n);
  if (task->shape.own_reward)
    REEL_EACH reel_f64s_store_floats (reward + u * REEL_SIMD_WIDTH, outcome.reward[u]);
  return outcome.out;
}

/* The 64 lanes of a block. */
REEL_VECTOR_INLINE void
reel_classic_step_block (const ReelClassicTask *task, const ReelClassicRules *rules,
                         gconstpointer physics, const ReelClassicLanes *lanes, gint64 first,
                         const ReelClassicColumns *columns, gboolean one_hot)
{
  const gint n = task->shape.n_observed;
  const gsize action_bytes = reel_classic_action_bytes (task, one_hot);
  const guint8 *action = (const guint8 *) columns->action + action_bytes * (gsize) first;
  double *block = reel_classic_block (task, lanes, first);
  guint64 ended = reel_bytes_to_bits (lanes->ended + first), out = 0;
  float *observation = columns->observation + n * first;
  float *carry = columns->carry != NULL ? columns->carry + n * first : NULL;
  float *reward = columns->reward + first;

  for (gint i = 0; i < REEL_CLASSIC_TILE; i += REEL_PAIR_LANES)
    {
      ReelClassicPair state[REEL_CLASSIC_MOST];
      ReelF64s decoded[REEL_PAIR];

      reel_classic_load (task, block, i, state);
      task->decode (physics, action + action_bytes * (gsize) i, one_hot, decoded);
      out |= reel_classic_step_pair (task, physics, state, decoded, block, i, observation + n * i,
                                     carry != NULL ? carry + n * i : NULL, reward + i)
             << i;
    }
  if (!task->shape.own_reward)
    reel_classic_reward (rules, out, ended, G_MAXUINT64, reward);
  reel_bits_to_bytes (out, columns->terminated + first);
  reel_bits_to_bytes (ended | out, lanes->ended + first);
}

/* Whole blocks, one after the other: what all of them need is in registers once. */
REEL_VECTOR_INLINE void
reel_classic_step_blocks (const ReelClassicTask *task, const ReelClassicRules *rules,
                          gconstpointer physics, const ReelClassicLanes *lanes, gint64 first,
                          gint64 stop, const ReelClassicColumns *columns)
{
  if (columns->one_hot)
    for (; first < stop; first += REEL_CLASSIC_TILE)
      reel_classic_step_block (task, rules, physics, lanes, first, columns, TRUE);
  else
    for (; first < stop; first += REEL_CLASSIC_TILE)
      reel_classic_step_block (task, rules, physics, lanes, first, columns, FALSE);
}

/* Lanes start to stop of the pair that begins with lane i of a block; nothing of the others is read
 * or written, for other threads may be at them. */
REEL_VECTOR_INLINE guint64
reel_classic_step_some (const ReelClassicTask *task, gconstpointer physics, double *block, gint i,
                        gint start, gint stop, gint64 base, const ReelClassicColumns *columns)
{
  const gint n = task->shape.n_observed, count = stop - start, skipped = start - i;
  const gsize action_bytes = reel_classic_action_bytes (task, columns->one_hot);
  const guint64 live = G_MAXUINT64 >> (64 - count) << skipped;
  const gsize at = (gsize) (base + start), row = (gsize) n * sizeof (float);
  guint8 actions[REEL_PAIR_LANES * REEL_CLASSIC_MOST * sizeof (gint64)] = { 0 };
  float rows[REEL_PAIR_LANES * REEL_CLASSIC_MOST], rewards[REEL_PAIR_LANES];
  double apart[REEL_CLASSIC_MOST * REEL_CLASSIC_TILE];
  ReelClassicPair state[REEL_CLASSIC_MOST];
  ReelF64s decoded[REEL_PAIR];

  memcpy (actions + action_bytes * (gsize) skipped,
          (const guint8 *) columns->action + action_bytes * at, action_bytes * (gsize) count);
  task->decode (physics, actions, columns->one_hot, decoded);
  for (gint s = 0; s < task->shape.n_state; s++)
    {
      double *column = apart + s * REEL_CLASSIC_TILE;

      REEL_EACH reel_f64s_store (column + u * REEL_SIMD_WIDTH, reel_f64s_all (0));
      memcpy (column + skipped, block + s * REEL_CLASSIC_TILE + start,
              (gsize) count * sizeof *column);
    }
  reel_classic_load (task, apart, 0, state);

  guint64 out =
      reel_classic_step_pair (task, physics, state, decoded, apart, 0, rows, NULL, rewards) & live;

  for (gint s = 0; s < task->shape.n_state; s++)
    memcpy (block + s * REEL_CLASSIC_TILE + start, apart + s * REEL_CLASSIC_TILE + skipped,
            (gsize) count * sizeof *apart);
  memcpy (columns->observation + (gsize) n * at, rows + n * skipped, row * (gsize) count);
  if (columns->carry != NULL)
    memcpy (columns->carry + (gsize) n * at, rows + n * skipped, row * (gsize) count);
  if (task->shape.own_reward)
    memcpy (columns->reward + at, rewards + skipped, (gsize) count * sizeof *rewards);
  return out << i;
}

/* Lanes of one block that are not all of it. */
REEL_VECTOR_INLINE void
reel_classic_step_part (const ReelClassicTask *task, const ReelClassicRules *rules,
                        gconstpointer physics, const ReelClassicLanes *lanes, gint64 first, gint n,
                        const ReelClassicColumns *columns)
{
  const gint start = (gint) (first % REEL_CLASSIC_TILE), stop = start + n;
  const guint64 live = G_MAXUINT64 >> (64 - n) << start;
  const gint64 base = first - start;
  guint64 ended = 0, out = 0;
  double *block = reel_classic_block (task, lanes, first);

  for (gint i = start / REEL_PAIR_LANES * REEL_PAIR_LANES; i < stop; i += REEL_PAIR_LANES)
    out |= reel_classic_step_some (task, physics, block, i, MAX (i, start),
                                   MIN (i + REEL_PAIR_LANES, stop), base, columns);
  for (gint i = start; i < stop; i++)
    ended |= (guint64) lanes->ended[base + i] << i;
  if (!task->shape.own_reward)
    reel_classic_reward (rules, out, ended, live, columns->reward + base);
  for (gint i = start; i < stop; i++)
    {
      columns->terminated[base + i] = out >> i & 1;
      lanes->ended[base + i] |= out >> i & 1;
    }
}

/* A table's step; physics is a copy on the stack, which no store can change. */
REEL_VECTOR_INLINE void
reel_classic_step (const ReelClassicTask *task, const ReelClassicRules *rules,
                   gconstpointer physics, const ReelClassicLanes *lanes, gint64 begin, gint64 end,
                   const ReelClassicColumns *columns)
{
  while (begin < end)
    {
      gint64 n = MIN (REEL_CLASSIC_TILE - begin % REEL_CLASSIC_TILE, end - begin);

      if (n < REEL_CLASSIC_TILE)
        reel_classic_step_part (task, rules, physics, lanes, begin, (gint) n, columns);
      else
        {
          n = (end - begin) / REEL_CLASSIC_TILE * REEL_CLASSIC_TILE;
          reel_classic_step_blocks (task, rules, physics, lanes, begin, begin + n, columns);
        }
      begin += n;
    }
}

/* ---- resets ---- */

/* Lanes that begin together: whole pairs of vectors. */
#define REEL_CLASSIC_PICKED 64

/* Lanes from anywhere, side by side: the lower and upper halves of their streams' states and
 * increments, the columns of their state, and rows of what is seen of it. */
typedef struct
{
  guint64 streams[4][REEL_CLASSIC_PICKED];
  double state[REEL_CLASSIC_MOST][REEL_CLASSIC_PICKED];
  float rows[REEL_CLASSIC_PICKED * REEL_CLASSIC_MOST];
} ReelClassicPicked;

/* Where the first double of a lane lies; the others follow REEL_CLASSIC_TILE apart. */
REEL_VECTOR_INLINE double *
reel_classic_lane (const ReelClassicTask *task, const ReelClassicLanes *lanes, gint64 lane)
{
  return reel_classic_block (task, lanes, lane) + lane % REEL_CLASSIC_TILE;
}

/* Takes the streams of n lanes. Returns how many that makes with copies of the last one, which fill
 * a pair of vectors. */
REEL_VECTOR_INLINE gint
reel_classic_pick (const ReelClassicLanes *lanes, const gint64 *which, gint n,
                   ReelClassicPicked *picked)
{
  const gint whole = (n + REEL_PAIR_LANES - 1) / REEL_PAIR_LANES * REEL_PAIR_LANES;

  for (gint k = 0; k < whole; k++)
    {
      const ReelClassicStream *stream = &lanes->streams[which[MIN (k, n - 1)]];

      picked->streams[0][k] = (guint64) stream->state;
      picked->streams[1][k] = (guint64) (stream->state >> 64);
      picked->streams[2][k] = (guint64) stream->inc;
      picked->streams[3][k] = (guint64) (stream->inc >> 64);
    }
  return whole;
}

#if REEL_SIMD_WIDTH == 8
/* Draws the columns of REEL_SIMD_WIDTH lanes, beginning with the one at k. */
REEL_VECTOR_INLINE void
reel_classic_draw (const ReelClassicTask *task, const ReelClassicRules *rules, gint k,
                   ReelClassicPicked *picked)
{
  ReelU128s state, inc;

  memcpy (&state.low, picked->streams[0] + k, sizeof state.low);
  memcpy (&state.high, picked->streams[1] + k, sizeof state.high);
  memcpy (&inc.low, picked->streams[2] + k, sizeof inc.low);
  memcpy (&inc.high, picked->streams[3] + k, sizeof inc.high);
  for (gint d = 0; d < task->shape.n_drawn; d++)
    {
      state = reel_pcg64_advance_all (state, inc);
      reel_f64s_store (picked->state[d] + k,
                       rules->low[d] + rules->width[d] * reel_pcg64_output_doubles (state));
    }
  memcpy (picked->streams[0] + k, &state.low, sizeof state.low);
  memcpy (picked->streams[1] + k, &state.high, sizeof state.high);
}
#else
REEL_VECTOR_INLINE void
reel_classic_draw (const ReelClassicTask *task, const ReelClassicRules *rules, gint k,
                   ReelClassicPicked *picked)
{
  for (gint lane = k; lane < k + REEL_SIMD_WIDTH; lane++)
    {
      ReelUint128 state = REEL_UINT128 (picked->streams[1][lane], picked->streams[0][lane]);
      ReelUint128 inc = REEL_UINT128 (picked->streams[3][lane], picked->streams[2][lane]);

      for (gint d = 0; d < task->shape.n_drawn; d++)
        {
          state = reel_pcg64_advance (state, inc);
          picked->state[d][lane] =
              rules->low[d] + rules->width[d] * reel_pcg64_output_double (state);
        }
      picked->streams[0][lane] = (guint64) state;
      picked->streams[1][lane] = (guint64) (state >> 64);
    }
}
#endif

/* The first state of REEL_SIMD_WIDTH lanes, in the columns that are kept. */
REEL_VECTOR_INLINE void
reel_classic_fill (const ReelClassicTask *task, const ReelClassicRules *rules, gint k,
                   ReelClassicPicked *picked)
{
  reel_classic_draw (task, rules, k, picked);
  for (gint d = 0; d < task->shape.n_drawn && G_UNLIKELY (rules->round_draws); d++)
    for (gint lane = k; lane < k + REEL_SIMD_WIDTH; lane++)
      picked->state[d][lane] = (float) picked->state[d][lane];
  for (gint s = task->shape.n_drawn; s < task->shape.n_kept; s++)
    reel_f64s_store (picked->state[s] + k, reel_f64s_all (0));
}

/* The observation of a pair of vectors of lanes, and values derived from their state. */
REEL_VECTOR_INLINE void
reel_classic_look (const ReelClassicTask *task, gint k, ReelClassicPicked *picked)
{
  const gint n = task->shape.n_observed;
  ReelF64s observed[REEL_PAIR][REEL_CLASSIC_MOST];
  ReelClassicPair state[REEL_CLASSIC_MOST];

  for (gint s = 0; s < task->shape.n_kept; s++)
    REEL_EACH state[s][u] = reel_f64s_load (picked->state[s] + k + u * REEL_SIMD_WIDTH);
  if (task->observe != NULL)
    task->observe (state, observed);
  else
    for (gint c = 0; c < n; c++)
      REEL_EACH observed[u][c] = state[c][u];
  for (gint s = task->shape.n_kept; s < task->shape.n_state; s++)
    REEL_EACH reel_f64s_store (picked->state[s] + k + u * REEL_SIMD_WIDTH, state[s][u]);
  REEL_EACH reel_f64s_store_rows (picked->rows + n * (k + u * REEL_SIMD_WIDTH), NULL, observed[u],
                                  n);
}

/* Has n lanes begin with what was picked for them. */
REEL_VECTOR_INLINE void
reel_classic_put (const ReelClassicTask *task, const ReelClassicLanes *lanes, const gint64 *which,
                  gint n, const ReelClassicPicked *picked, float *observation)
{
  const gint n_observed = task->shape.n_observed;
  ReelClassicStream *streams = lanes->streams;
  guint8 *ended = lanes->ended;

  for (gint k = 0; k < n; k++)
    {
      const gint64 lane = which[k];
      double *to = reel_classic_lane (task, lanes, lane);

      streams[lane].state = REEL_UINT128 (picked->streams[1][k], picked->streams[0][k]);
      for (gint s = 0; s < task->shape.n_state; s++)
        to[s * REEL_CLASSIC_TILE] = picked->state[s][k];
      memcpy (observation + n_observed * lane, picked->rows + n_observed * k,
              (gsize) n_observed * sizeof *observation);
      ended[lane] = FALSE;
    }
}

/* A table's reset. */
REEL_VECTOR_INLINE void
reel_classic_reset (const ReelClassicTask *task, const ReelClassicRules *rules,
                    const ReelClassicLanes *lanes, const gint64 *which, gsize n, float *observation)
{
  const ReelClassicRules constants = *rules;
  ReelClassicPicked picked;

  for (gsize first = 0; first < n; first += REEL_CLASSIC_PICKED)
    {
      const gint count = (gint) MIN (n - first, REEL_CLASSIC_PICKED);
      const gint whole = reel_classic_pick (lanes, which + first, count, &picked);

      for (gint k = 0; k < whole; k += REEL_SIMD_WIDTH)
        reel_classic_fill (task, &constants, k, &picked);
      for (gint k = 0; k < whole; k += REEL_PAIR_LANES)
        reel_classic_look (task, k, &picked);
      reel_classic_put (task, lanes, which + first, count, &picked, observation);
    }
}

/* A table's derive. */
REEL_VECTOR_INLINE void
reel_classic_derive (const ReelClassicTask *task, const ReelClassicLanes *lanes, gint64 lane)
{
  double *state = reel_classic_lane (task, lanes, lane);
  ReelClassicPicked picked;

  for (gint s = 0; s < task->shape.n_kept; s++)
    {
      REEL_EACH reel_f64s_store (picked.state[s] + u * REEL_SIMD_WIDTH, reel_f64s_all (0));
      picked.state[s][0] = state[s * REEL_CLASSIC_TILE];
    }
  reel_classic_look (task, 0, &picked);
  for (gint s = task->shape.n_kept; s < task->shape.n_state; s++)
    state[s * REEL_CLASSIC_TILE] = picked.state[s][0];
}

/* Defines the table @x of a task whose constants are a @Physics. */
#define REEL_CLASSIC_KERNELS(x, Physics, task)                                                     \
  static void x##_step (const ReelClassicRules *rules, const ReelClassicLanes *lanes,              \
                        gint64 begin, gint64 end, const ReelClassicColumns *columns)               \
  {                                                                                                \
    const Physics physics = *(const Physics *) rules->physics;                                     \
                                                                                                   \
    reel_classic_step (&(task), rules, &physics, lanes, begin, end, columns);                      \
  }                                                                                                \
  static void x##_reset (const ReelClassicRules *rules, const ReelClassicLanes *lanes,             \
                         const gint64 *which, gsize n, float *observation)                         \
  {                                                                                                \
    reel_classic_reset (&(task), rules, lanes, which, n, observation);                             \
  }                                                                                                \
  static void x##_derive (const ReelClassicLanes *lanes, gint64 lane)                              \
  {                                                                                                \
    reel_classic_derive (&(task), lanes, lane);                                                    \
  }                                                                                                \
  const ReelClassicKernels REEL_KERNEL_NAME (x) = {                                                \
    .step = x##_step,                                                                              \
    .reset = x##_reset,                                                                            \
    .derive = x##_derive,                                                                          \
  }
