/* Prints the instruction sets that `make bench` measures with: the best of this machine, and AVX2
 * where that is AVX-512. */
#include "../src/core/math/isa.h"

#include <stdio.h>

int
main (void)
{
  ReelIsa best = reel_isa_detect ();

  for (ReelIsa isa = MIN (best, REEL_ISA_AVX2); isa <= best; isa++)
    puts (reel_isa_name (isa));
  return 0;
}
