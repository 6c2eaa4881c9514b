/* The vector loops of the counter-based generator, one table per instruction set. Private. */
#pragma once

#include "isa.h"
#include "random.h"

/* SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014). */
#define REEL_RANDOM_GAMMA 0x9e3779b97f4a7c15ull
#define REEL_RANDOM_FIRST 0xbf58476d1ce4e5b9ull
#define REEL_RANDOM_SECOND 0x94d049bb133111ebull

static inline guint64
reel_random_mix (ReelRandomKey key, guint64 index)
{
  guint64 z = key.start + index * REEL_RANDOM_GAMMA;

  z = ((z ^ z >> 30) * REEL_RANDOM_FIRST) ^ key.fold;
  z = (z ^ z >> 27) * REEL_RANDOM_SECOND;
  return z ^ z >> 31;
}

/**
 * ReelRandomKernels:
 * @words: the word of each lane
 * @doubles: the upper 53 bits of each as [0, 1)
 * @floats: the upper 24 bits of each as [0, 1)
 * @bits: one bit a lane, as 0 or 1
 * @one_hot_bits: the same as rows (1, 0) or (0, 1)
 * @below: each as an integer below @bound, which is not 0
 * @one_hot: the same as rows of @bound zeros and a 1
 *
 * Each fills @n lanes from lane @first on.
 */
typedef struct
{
  void (*words) (ReelRandomKey key, gint64 first, gint64 n, guint64 *restrict words);
  void (*doubles) (ReelRandomKey key, gint64 first, gint64 n, double *restrict values);
  void (*floats) (ReelRandomKey key, gint64 first, gint64 n, float *restrict values);
  void (*bits) (ReelRandomKey key, gint64 first, gint64 n, gint64 *restrict values);
  void (*one_hot_bits) (ReelRandomKey key, gint64 first, gint64 n, gint64 *restrict rows);
  void (*below) (ReelRandomKey key, gint64 first, gint64 n, guint32 bound, gint64 *restrict values);
  void (*one_hot) (ReelRandomKey key, gint64 first, gint64 n, guint32 bound, gint64 *restrict rows);
} ReelRandomKernels;

REEL_KERNEL_DECLARE (ReelRandomKernels, reel_random_kernels);
