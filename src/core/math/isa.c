/* The levels of kernels: detected, named, and forced by the variable REEL_ISA. */
#include "isa.h"

static const char *const names[REEL_N_ISAS] = { "generic", "avx2", "avx512" };

const char *
reel_isa_name (ReelIsa isa)
{
  return names[isa];
}

ReelIsa
reel_isa_detect (void)
{
#ifndef REEL_ISA_GENERIC_ONLY
  /* The compiler's test asks the operating system too, whether it saves the wide registers. */
  if (__builtin_cpu_supports ("x86-64-v4"))
    return REEL_ISA_AVX512;
  if (__builtin_cpu_supports ("x86-64-v3"))
    return REEL_ISA_AVX2;
#endif
  return REEL_ISA_GENERIC;
}

gboolean
reel_isa_parse (const char *text, ReelIsa best, ReelIsa *isa, GError **error)
{
  *isa = best;
  if (text == NULL || *text == '\0')
    return TRUE;

  for (ReelIsa level = 0; level < REEL_N_ISAS; level++)
    if (g_str_equal (text, names[level]))
      {
        if (level > best)
          {
            g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                         "REEL_ISA=%s: this CPU or this build has no more than %s", text,
                         names[best]);
            return FALSE;
          }
        *isa = level;
        return TRUE;
      }

  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "REEL_ISA=%s: the levels are generic, avx2 and avx512; unset it for the best", text);
  return FALSE;
}

gboolean
reel_isa_choose (ReelIsa *isa, GError **error)
{
  return reel_isa_parse (g_getenv ("REEL_ISA"), reel_isa_detect (), isa, error);
}
