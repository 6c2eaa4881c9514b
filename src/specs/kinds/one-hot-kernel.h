/* Vectors of classes checked by the bits of their elements, one table per instruction set. Private.
 */
#pragma once

#include "../../core/math/isa.h"

G_BEGIN_DECLS

/**
 * REEL_ONE_HOT_MAX:
 *
 * Elements that a vector may have.
 */
#define REEL_ONE_HOT_MAX 64

/**
 * ReelOneHotKernels:
 * @count_flags: of vectors of flags, each byte 0 or anything else
 * @count_integers: of vectors of integers
 *
 * How many of the first of @n vectors of @width elements, up to %REEL_ONE_HOT_MAX, are seen to be
 * one-hot: to have one element that is 1, or not 0 for a flag, and others that are 0. It may be
 * fewer than are: the last vectors, and those before one that is not, are left to the caller.
 */
typedef struct
{
  gint64 (*count_flags) (const guint8 *values, gint64 n, gint64 width);
  gint64 (*count_integers) (const gint64 *values, gint64 n, gint64 width);
} ReelOneHotKernels;

REEL_KERNEL_DECLARE (ReelOneHotKernels, reel_one_hot_kernels);

G_END_DECLS
