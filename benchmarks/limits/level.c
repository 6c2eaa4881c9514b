#include "level.h"

#include <stdlib.h>
#include <string.h>

static LimitLevel
best_level (void)
{
#ifndef REEL_ISA_GENERIC_ONLY
  if (__builtin_cpu_supports ("x86-64-v4"))
    return LIMIT_AVX512;
  if (__builtin_cpu_supports ("x86-64-v3"))
    return LIMIT_AVX2;
#endif
  return LIMIT_GENERIC;
}

static LimitLevel
choose_level (void)
{
  const char *wanted = getenv ("REEL_ISA");

  if (wanted == NULL || *wanted == '\0')
    return best_level ();
  return strcmp (wanted, "avx512") == 0 ? LIMIT_AVX512
         : strcmp (wanted, "avx2") == 0 ? LIMIT_AVX2
                                        : LIMIT_GENERIC;
}

LimitLevel
limit_level (void)
{
  static int level = -1;

  if (level < 0)
    level = (int) choose_level ();
  return (LimitLevel) level;
}
