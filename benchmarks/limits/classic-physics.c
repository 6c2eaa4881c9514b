#include "store-rows.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 64
#define PI 0x1.921fb54442d18p+1

#define INLINE static inline __attribute__ ((always_inline))

typedef unsigned __int128 uint128;
/* Up to four columns of state of 64 lanes. */
typedef struct
{
  double state[4][BLOCK];
} Block;

typedef struct
{
  uint128 state, inc;
} Stream;

/* A step of 64 lanes with random actions; sets a byte a lane where an episode ended. */
typedef void (*Step) (Block *block, uint64_t counter, uint8_t *out);

struct _LimitClassicPhysics
{
  Block *blocks;
  Stream *streams;
  int64_t n_blocks;
  int64_t step;
  int64_t steps_of_episode;
  uint64_t random;
  int n_drawn;
  double low[4], width[4];
  Step advance;
};

/* ---- arithmetic ---- */

INLINE double
clip (double x, double limit)
{
  return x > limit ? limit : x < -limit ? -limit : x;
}

INLINE double
wrap (double theta)
{
  const double shift = 0x1.8p52;
  double turns = (theta * (0.5 / PI) + shift) - shift;

  return theta - turns * (2 * PI);
}

INLINE int64_t
bits_of (double x)
{
  int64_t bits;

  memcpy (&bits, &x, sizeof bits);
  return bits;
}

INLINE double
of_bits (int64_t bits)
{
  double x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

/* By two polynomials after a reduction to a quarter turn. */
INLINE void
sine_cosine (double theta, double *sine, double *cosine)
{
  const double shift = 0x1.8p52;
  double shifted = theta * (2 / PI) + shift, turns = shifted - shift;
  int64_t quadrant = bits_of (shifted);
  double t = (theta - turns * 0x1.921fb544p+0) - turns * 0x1.0b4611a626331p-34, z = t * t;
  double s = t
             + t * z
                   * (-0x1.5555555555555p-3
                      + z
                            * (0x1.1111111110bb2p-7
                               + z
                                     * (-0x1.a01a019e83a9dp-13
                                        + z
                                              * (0x1.71de379688b0ep-19
                                                 + z
                                                       * (-0x1.ae600b014833dp-26
                                                          + z * 0x1.5e0b1974de176p-33)))));
  double c = 1.0 - 0.5 * z
             + z * z
                   * (0x1.5555555555555p-5
                      + z
                            * (-0x1.6c16c16c16967p-10
                               + z
                                     * (0x1.a01a019f4eaf8p-16
                                        + z
                                              * (-0x1.27e4fa17d95a2p-22
                                                 + z
                                                       * (0x1.1eeb68e8843f9p-29
                                                          - z * 0x1.907da2e3b0622p-37)))));

  *sine = of_bits (bits_of (quadrant & 1 ? c : s) ^ (quadrant & 2) << 62);
  *cosine = of_bits (bits_of (quadrant & 1 ? s : c) ^ ((quadrant + 1) & 2) << 62);
}

/* By one polynomial after a reduction to a half turn: to 1e-16 of what it is multiplied with. */
INLINE double
cosine_alone (double theta)
{
  const double shift = 0x1.8p52;
  double shifted = theta * (1 / PI) + shift, turns = shifted - shift;
  double t = theta - turns * PI, z = t * t, z2 = z * z;
  double low = (1.0 / 24 - 1.0 / 720 * z) + z2 * (1.0 / 40320 - 1.0 / 3628800 * z);
  double high = (1.0 / 479001600 - 1.0 / 87178291200 * z)
                + z2 * (1.0 / 20922789888000 - 1.0 / 6402373705728000 * z);
  double c =
      (1.0 - 0.5 * z) + z2 * (low + z2 * z2 * (high + z2 * z2 * (1.0 / 2432902008176640000)));

  return of_bits (bits_of (c) ^ (int64_t) ((uint64_t) bits_of (shifted) << 63));
}

INLINE uint64_t
mix (uint64_t counter)
{
  uint64_t z = counter * 0x9e3779b97f4a7c15;

  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/* In [−1, 1). */
INLINE double
draw_force (uint64_t counter)
{
  return of_bits ((int64_t) (mix (counter) >> 12 | 0x4000000000000000)) - 3.0;
}

/* −1, 0 or 1. */
INLINE double
draw_push (uint64_t counter)
{
  uint64_t third = (mix (counter) >> 32) * 3 >> 32;

  return third == 2 ? 1.0 : third == 1 ? 0.0 : -1.0;
}

/* ---- the tasks ---- */

static __attribute__ ((noinline)) void
step_pendulum (Block *restrict block, uint64_t counter, uint8_t *restrict out)
{
  (void) out; /* it never ends by itself */
  for (int i = 0; i < BLOCK; i++)
    {
      double theta = block->state[0][i], speed = block->state[1][i], sine, cosine;
      double torque = clip (2.0 * draw_force (counter + (uint64_t) i), 2), away = wrap (theta);

      block->state[2][i] = -(away * away + 0.1 * (speed * speed) + 0.001 * (torque * torque));
      sine_cosine (theta, &sine, &cosine);
      speed = clip (speed + (15.0 * sine + 3.0 * torque) * 0.05, 8);
      block->state[0][i] = theta + speed * 0.05;
      block->state[1][i] = speed;
    }
}

/* Moves a car. Returns whether it is at the goal. */
INLINE int64_t
drive (Block *block, int i, double push, double goal)
{
  double position = block->state[0][i], speed = block->state[1][i];

  speed = clip (speed + (push - 0.0025 * cosine_alone (3.0 * position)), 0.07);
  position += speed;
  position = position < -1.2 ? -1.2 : position > 0.6 ? 0.6 : position;
  double forward = speed < 0 ? 0 : speed;
  speed = position > -1.2 ? speed : forward;
  block->state[0][i] = position;
  block->state[1][i] = speed;
  double forth = speed >= 0 ? position : -2.0; /* one comparison: GCC vectorises no two */
  return forth >= goal;
}

INLINE void
note (const int64_t *ended, uint8_t *out)
{
  for (int i = 0; i < BLOCK; i++)
    out[i] = (uint8_t) ended[i];
}

static __attribute__ ((noinline)) void
step_mountain_car (Block *restrict block, uint64_t counter, uint8_t *restrict out)
{
  int64_t ended[BLOCK];

  for (int i = 0; i < BLOCK; i++)
    ended[i] = drive (block, i, 0.001 * draw_push (counter + (uint64_t) i), 0.5);
  note (ended, out);
}

static __attribute__ ((noinline)) void
step_mountain_car_continuous (Block *restrict block, uint64_t counter, uint8_t *restrict out)
{
  int64_t ended[BLOCK];

  for (int i = 0; i < BLOCK; i++)
    {
      double force = draw_force (counter + (uint64_t) i);

      ended[i] = drive (block, i, 0.0015 * clip (force, 1), 0.45);
      block->state[2][i] = -0.1 * (force * force);
    }
  note (ended, out);
}

INLINE void
swing (double theta1, double theta2, double speed1, double speed2, double torque, double *rate1,
       double *rate2)
{
  double sine1, cosine1, sine2, cosine2;

  sine_cosine (theta1, &sine1, &cosine1);
  sine_cosine (theta2, &sine2, &cosine2);
  double d1 = 3.5 + cosine2, d2 = 1.25 + 0.5 * cosine2;
  double phi2 = 4.9 * (sine1 * cosine2 + cosine1 * sine2);
  double phi1 = 14.7 * sine1 + phi2 - sine2 * speed2 * (0.5 * speed2 + speed1);
  double pull = torque - 0.5 * (speed1 * speed1) * sine2 - phi2;

  *rate2 = (d1 * pull + d2 * phi1) / (1.25 * d1 - d2 * d2);
  *rate1 = -(d2 * *rate2 + phi1) / d1;
}

static __attribute__ ((noinline)) void
step_acrobot (Block *restrict block, uint64_t counter, uint8_t *restrict out)
{
  int64_t ended[BLOCK];

  for (int i = 0; i < BLOCK; i++)
    {
      double torque = draw_push (counter + (uint64_t) i);
      double a = block->state[0][i], b = block->state[1][i];
      double v = block->state[2][i], w = block->state[3][i];
      double v1, w1, v2, w2, v3, w3, v4, w4, sine1, cosine1, sine2, cosine2;

      swing (a, b, v, w, torque, &v1, &w1);
      double v_2 = v + 0.1 * v1, w_2 = w + 0.1 * w1;
      swing (a + 0.1 * v, b + 0.1 * w, v_2, w_2, torque, &v2, &w2);
      double v_3 = v + 0.1 * v2, w_3 = w + 0.1 * w2;
      swing (a + 0.1 * v_2, b + 0.1 * w_2, v_3, w_3, torque, &v3, &w3);
      double v_4 = v + 0.2 * v3, w_4 = w + 0.2 * w3;
      swing (a + 0.2 * v_3, b + 0.2 * w_3, v_4, w_4, torque, &v4, &w4);
      a = wrap (a + (0.2 / 6) * (v + 2 * v_2 + 2 * v_3 + v_4));
      b = wrap (b + (0.2 / 6) * (w + 2 * w_2 + 2 * w_3 + w_4));
      block->state[0][i] = a;
      block->state[1][i] = b;
      block->state[2][i] = clip (v + (0.2 / 6) * (v1 + 2 * v2 + 2 * v3 + v4), 4 * PI);
      block->state[3][i] = clip (w + (0.2 / 6) * (w1 + 2 * w2 + 2 * w3 + w4), 9 * PI);
      sine_cosine (a, &sine1, &cosine1);
      sine_cosine (b, &sine2, &cosine2);
      ended[i] = -cosine1 - (cosine1 * cosine2 - sine1 * sine2) > 1.0;
    }
  note (ended, out);
}

/* ---- episodes ---- */

static LimitClassicPhysics *
open_physics (LimitClassicTask task, int64_t lanes, uint64_t seed)
{
  static const LimitClassicPhysics tasks[] = {
    [LIMIT_ACROBOT] = { .steps_of_episode = 500,
                        .n_drawn = 4,
                        .low = { -0.1, -0.1, -0.1, -0.1 },
                        .width = { 0.2, 0.2, 0.2, 0.2 },
                        .advance = step_acrobot },
    [LIMIT_MOUNTAIN_CAR] = { .steps_of_episode = 200,
                             .n_drawn = 1,
                             .low = { -0.6 },
                             .width = { 0.2 },
                             .advance = step_mountain_car },
    [LIMIT_MOUNTAIN_CAR_CONTINUOUS] = { .steps_of_episode = 999,
                                        .n_drawn = 1,
                                        .low = { -0.6 },
                                        .width = { 0.2 },
                                        .advance = step_mountain_car_continuous },
    [LIMIT_PENDULUM] = { .steps_of_episode = 200,
                         .n_drawn = 2,
                         .low = { -PI, -1 },
                         .width = { 2 * PI, 2 },
                         .advance = step_pendulum },
  };
  LimitClassicPhysics *self = malloc (sizeof *self);

  *self = tasks[task];
  self->random = seed;
  self->n_blocks = lanes / BLOCK;
  self->blocks = aligned_alloc (64, (size_t) self->n_blocks * sizeof *self->blocks);
  memset (self->blocks, 0, (size_t) self->n_blocks * sizeof *self->blocks);
  self->streams = malloc ((size_t) lanes * sizeof *self->streams);
  for (int64_t lane = 0; lane < lanes; lane++)
    {
      uint64_t word = mix (seed + (uint64_t) lane);

      self->streams[lane].state = (uint128) word << 64 | ~word;
      self->streams[lane].inc = (uint128) (word * 3) << 64 | (2 * (uint64_t) lane + 1);
    }
  return self;
}

static void
close_physics (LimitClassicPhysics *self)
{
  free (self->blocks);
  free (self->streams);
  free (self);
}

static void
reset (LimitClassicPhysics *self, int64_t lane)
{
  const uint128 multiplier = (uint128) 0x2360ed051fc65da4 << 64 | 0x4385df649fccf645;
  Block *block = &self->blocks[lane / BLOCK];
  Stream *stream = &self->streams[lane];
  int i = (int) (lane % BLOCK);

  for (int s = 0; s < 4; s++)
    {
      double value = 0;

      if (s < self->n_drawn)
        {
          stream->state = stream->state * multiplier + stream->inc;
          uint64_t folded = (uint64_t) (stream->state >> 64) ^ (uint64_t) stream->state;
          unsigned rotation = (unsigned) (stream->state >> 122);
          uint64_t word = folded >> rotation | folded << (-rotation & 63);
          value = self->low[s] + self->width[s] * ((double) (int64_t) (word >> 11) * 0x1p-53);
        }
      block->state[s][i] = value;
    }
}

static int64_t
run_physics (LimitClassicPhysics *self, const LimitRing *ring, int64_t n_steps)
{
  int64_t episodes = 0;

  for (int64_t t = 0; t < n_steps; t++)
    {
      int64_t row = self->step % ring->steps * self->n_blocks * BLOCK;
      int all = self->step++ % self->steps_of_episode == 0;

      for (int64_t b = 0; b < self->n_blocks; b++)
        {
          uint8_t out[BLOCK] = { 0 };
          uint64_t any = 0, word;

          self->advance (&self->blocks[b], self->random, out);
          self->random += BLOCK;
          limit_store_rows (ring, row + b * BLOCK, BLOCK, self->blocks[b].state[0]);
          for (int k = 0; k < BLOCK; k += 8)
            any |= (memcpy (&word, out + k, sizeof word), word);
          for (int i = 0; i < BLOCK && (any || all); i++)
            if (all || out[i])
              {
                reset (self, b * BLOCK + i);
                episodes++;
              }
        }
    }
  return episodes;
}

const LimitClassicPhysicsLoop LIMIT_NAME (limit_classic_physics) = { open_physics, close_physics,
                                                                     run_physics };
