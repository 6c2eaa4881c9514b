/* Exponentials, logarithms and hyperbolic tangents of many numbers, one table per instruction set.
 * Private. */
#pragma once

#include "isa.h"

G_BEGIN_DECLS

/**
 * ReelExpKernels:
 * @exp: @to[i] = e ^ @from[i] for @n numbers; @to may be @from. 0 below −745, infinity above 709.78
 * @log: likewise the natural logarithm of numbers of at least 0: −∞ of 0
 * @tanh: likewise the hyperbolic tangent
 *
 * The same bits on every machine and at every level, within 4 units in the last place of the exact
 * value. NaN stays NaN.
 *
 * exp: 2^k × the Taylor series of the rest r, |r| ≤ log (2) / 2, to the 13th power. log: k × log 2
 * + the series of artanh of (m − 1) / (m + 1), m between √½ and √2, to the 23rd power. tanh:
 * (1 − t) / (1 + t) with t = exp (−2 |x|), and a ratio of polynomials for |x| < 0.625.
 */
typedef struct
{
  void (*exp) (const double *from, gint64 n, double *to);
  void (*log) (const double *from, gint64 n, double *to);
  void (*tanh) (const double *from, gint64 n, double *to);
} ReelExpKernels;

REEL_KERNEL_DECLARE (ReelExpKernels, reel_exp_kernels);

G_END_DECLS
