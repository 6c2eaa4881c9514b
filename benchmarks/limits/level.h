/* The instruction set of the limits. Those of vectors and memory are compiled once per level, as
 * the library's kernels are and with the same flags, and the same variable, `REEL_ISA`, chooses
 * one. */
#pragma once

#include "config.h" /* REEL_ISA_GENERIC_ONLY */

/* In a source that is compiled once per level: x with the level behind, `x_avx2`. */
#define LIMIT_NAME(x) LIMIT_NAME_ (x, LIMIT_LEVEL)
#define LIMIT_NAME_(x, level) LIMIT_NAME__ (x, level)
#define LIMIT_NAME__(x, level) x##_##level

typedef enum
{
  LIMIT_GENERIC,
  LIMIT_AVX2,
  LIMIT_AVX512,
} LimitLevel;

/* The level that `REEL_ISA` names, else the best of this machine. */
LimitLevel limit_level (void);

/* A table of functions that such a source defines as `const Table LIMIT_NAME (x)`, and the one of
 * the level. */
#ifdef REEL_ISA_GENERIC_ONLY
#define LIMIT_DECLARE(Table, x) extern const Table x##_generic
#define LIMIT_PICK(x) (&x##_generic)
#else
#define LIMIT_DECLARE(Table, x) extern const Table x##_generic, x##_avx2, x##_avx512
#define LIMIT_PICK(x)                                                                              \
  (limit_level () == LIMIT_AVX512 ? &x##_avx512                                                    \
   : limit_level () == LIMIT_AVX2 ? &x##_avx2                                                      \
                                  : &x##_generic)
#endif
