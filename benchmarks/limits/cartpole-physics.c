#include "store-rows.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 64

typedef unsigned __int128 uint128;

typedef struct
{
  double x[BLOCK], x_dot[BLOCK], theta[BLOCK], theta_dot[BLOCK];
} Block;

typedef struct
{
  uint128 state, inc;
} Stream;

struct _LimitCartpolePhysics
{
  Block *blocks;
  Stream *streams;
  uint64_t *words; /* one a lane: its pushes */
  int64_t *lanes;  /* those to reset, with room for four more */
  int64_t n_blocks;
  int64_t step;
  uint64_t random;
};

static uint64_t
mix (uint64_t z)
{
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static LimitCartpolePhysics *
open_physics (int64_t lanes, uint64_t seed)
{
  LimitCartpolePhysics *self = malloc (sizeof *self);

  self->n_blocks = lanes / BLOCK;
  self->blocks = aligned_alloc (64, (size_t) self->n_blocks * sizeof *self->blocks);
  memset (self->blocks, 0, (size_t) self->n_blocks * sizeof *self->blocks);
  self->lanes = malloc ((size_t) (lanes + 4) * sizeof *self->lanes);
  self->words = malloc ((size_t) lanes * sizeof *self->words);
  self->streams = malloc ((size_t) lanes * sizeof *self->streams);
  for (int64_t lane = 0; lane < lanes; lane++)
    {
      uint64_t word = mix (seed + (uint64_t) lane * 0x9e3779b97f4a7c15);

      self->streams[lane].state = (uint128) word << 64 | mix (word);
      self->streams[lane].inc = (uint128) mix (~word) << 64 | (2 * (uint64_t) lane + 1);
    }
  self->random = seed;
  self->step = 0;
  return self;
}

static void
close_physics (LimitCartpolePhysics *self)
{
  free (self->blocks);
  free (self->streams);
  free (self->words);
  free (self->lanes);
  free (self);
}

/* One Euler step of 64 lanes; sine and cosine by polynomials that reach past 12 degrees, constants
 * already divided by the total mass. A lane is pushed to the right where bit shift of its word is
 * set. */
static __attribute__ ((noinline)) void
step_block (Block *block, const uint64_t *restrict words, int shift, uint8_t *restrict out)
{
  const double push = 10.0 / 1.1, swing = 0.05 / 1.1, lever = 0.5 * 4.0 / 3.0, drag = 0.05 / 1.1;
  const double tau = 0.02;
  double *restrict xs = block->x, *restrict x_dots = block->x_dot;
  double *restrict thetas = block->theta, *restrict theta_dots = block->theta_dot;
  int64_t outside[BLOCK];

  for (int i = 0; i < BLOCK; i++)
    {
      double theta = thetas[i], theta_dot = theta_dots[i], z = theta * theta;
      double sine = theta
                    + theta * z
                          * (-0x1.555555555552fp-3
                             + z
                                   * (0x1.11111110ad309p-7
                                      + z * (-0x1.a019f78c8085cp-13 + z * 0x1.718af08482864p-19)));
      double cosine = 1.0 - 0.5 * z
                      + z * z
                            * (0x1.5555555555548p-5
                               + z
                                     * (-0x1.6c16c16bd42a5p-10
                                        + z * (0x1.a019fae83b39ep-16 - z * 0x1.27ad740e81a6bp-22)));
      double pushed = words[i] >> shift & 1 ? push : -push;
      double force = pushed + swing * (theta_dot * theta_dot) * sine;
      double theta_acc = (9.8 * sine - cosine * force) / (lever - drag * (cosine * cosine));
      double x_acc = force - swing * cosine * theta_acc;
      double x = xs[i] + tau * x_dots[i];

      theta += tau * theta_dot;
      xs[i] = x;
      x_dots[i] += tau * x_acc;
      thetas[i] = theta;
      theta_dots[i] = theta_dot + tau * theta_acc;
      outside[i] = (__builtin_fabs (x) > 2.4) | (__builtin_fabs (theta) > 0.20943951023931953);
    }
  for (int i = 0; i < BLOCK; i++)
    out[i] = (uint8_t) outside[i];
}

static inline uint128
advance (uint128 state, uint128 inc)
{
  const uint128 multiplier = (uint128) 0x2360ed051fc65da4 << 64 | 0x4385df649fccf645;

  return state * multiplier + inc;
}

static inline double
start (uint128 state)
{
  uint64_t folded = (uint64_t) (state >> 64) ^ (uint64_t) state;
  unsigned rotation = (unsigned) (state >> 122);
  uint64_t word = folded >> rotation | folded << (-rotation & 63);

  return -0.05 + 0.1 * ((double) (int64_t) (word >> 11) * 0x1p-53);
}

static inline void
reset (Block *block, Stream *stream, int i)
{
  uint128 inc = stream->inc, first = advance (stream->state, inc), second = advance (first, inc);
  uint128 third = advance (second, inc), fourth = advance (third, inc);

  stream->state = fourth;
  block->x[i] = start (first);
  block->x_dot[i] = start (second);
  block->theta[i] = start (third);
  block->theta_dot[i] = start (fourth);
}

/* Lists the lanes of a block that are out of bounds; the first four places are written without
 * asking, since their number cannot be predicted. Returns how many. */
static int
list_block (const uint8_t *out, int64_t first, int64_t *lanes)
{
  uint64_t bits = 0;
  int n;

  for (int k = 0; k < 8; k++)
    {
      uint64_t word;

      memcpy (&word, out + 8 * k, sizeof word);
      bits |= word * 0x0102040810204080 >> 56 << (8 * k);
    }
  n = __builtin_popcountll (bits);
  for (int k = 0; k < 4 || k < n; k++, bits &= bits - 1)
    lanes[k] = first + __builtin_ctzll (bits | 1ull << 63);
  return n;
}

/* Pushes for 64 steps. */
static void
draw_words (LimitCartpolePhysics *self)
{
  for (int64_t lane = 0; lane < self->n_blocks * BLOCK; lane++)
    self->words[lane] = mix (self->random += 0x9e3779b97f4a7c15);
}

static int64_t
run_physics (LimitCartpolePhysics *self, const LimitRing *ring, int64_t n_steps)
{
  int64_t episodes = 0;

  for (int64_t t = 0; t < n_steps; t++)
    {
      int64_t n = 0, row = self->step++ % ring->steps * self->n_blocks * BLOCK;

      if ((t & 63) == 0)
        draw_words (self);
      for (int64_t b = 0; b < self->n_blocks; b++)
        {
          uint8_t out[BLOCK];

          step_block (&self->blocks[b], self->words + b * BLOCK, (int) (t & 63), out);
          limit_store_rows (ring, row + b * BLOCK, BLOCK, self->blocks[b].x);
          n += list_block (out, b * BLOCK, self->lanes + n);
        }
      for (int64_t k = 0; k < n; k++)
        reset (&self->blocks[self->lanes[k] / BLOCK], &self->streams[self->lanes[k]],
               (int) (self->lanes[k] % BLOCK));
      episodes += n;
    }
  return episodes;
}

const LimitCartpolePhysicsLoop LIMIT_NAME (limit_cartpole_physics) = { open_physics, close_physics,
                                                                       run_physics };
