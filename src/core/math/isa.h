/* Which instruction set the kernels use. Private. */
#pragma once

#include "config.h" /* REEL_ISA_GENERIC_ONLY: whoever declares a kernel must see it */

#include "../object/error.h"

G_BEGIN_DECLS

/**
 * ReelIsa:
 * @REEL_ISA_GENERIC: whatever the compiler assumes of the host's architecture
 * @REEL_ISA_AVX2: x86-64-v3: AVX2, BMI1, BMI2, FMA, F16C, LZCNT, MOVBE
 * @REEL_ISA_AVX512: x86-64-v4: AVX-512 F, BW, CD, DQ, VL on top
 *
 * Levels of instruction sets, each with the ones before. A kernel gives the same bits on all.
 */
typedef enum
{
  REEL_ISA_GENERIC,
  REEL_ISA_AVX2,
  REEL_ISA_AVX512,
} ReelIsa;

#define REEL_N_ISAS (REEL_ISA_AVX512 + 1)

/**
 * reel_isa_name:
 * @isa: a level
 *
 * Returns: (transfer none): the word that `REEL_ISA` takes: `generic`, `avx2` or `avx512`
 */
const char *reel_isa_name (ReelIsa isa);

/**
 * reel_isa_detect:
 *
 * Returns: the highest level that this CPU, its operating system and this build have. Any thread.
 */
ReelIsa reel_isa_detect (void);

/**
 * reel_isa_parse:
 * @text: (nullable): what `REEL_ISA` holds; %NULL and the empty string ask for @best
 * @best: the highest level to grant
 * @isa: (out): the level, set to @best on failure
 * @error: VALUE for a word that is no level, and for a level above @best, with those there are
 *
 * Returns: whether @text could be granted
 */
gboolean reel_isa_parse (const char *text, ReelIsa best, ReelIsa *isa, GError **error);

/**
 * reel_isa_choose:
 * @isa: (out): the level that `REEL_ISA` forces, else what reel_isa_detect() says; the latter on
 *   failure too
 * @error: VALUE as reel_isa_parse()
 *
 * Reads the environment variable, so call it where an object is built and keep the answer.
 *
 * Returns: whether `REEL_ISA` could be granted
 */
gboolean reel_isa_choose (ReelIsa *isa, GError **error);

/**
 * REEL_KERNEL_NAME:
 * @x: a name
 *
 * In a source listed in `reel_kernels`, which make compiles once per level: @x with the level
 * behind, `x_avx2`. Everything that such a source does not keep static must be named by it.
 */
#define REEL_KERNEL_NAME(x) REEL_KERNEL_NAME_ (x, REEL_KERNEL_ISA)
#define REEL_KERNEL_NAME_(x, isa) REEL_KERNEL_NAME__ (x, isa)
#define REEL_KERNEL_NAME__(x, isa) x##_##isa

/**
 * REEL_KERNEL_DECLARE:
 * @Table: a struct of function pointers
 * @x: what the kernel source defines as `const Table REEL_KERNEL_NAME (x)`
 *
 * Declares the table of every level that is built; REEL_KERNEL_PICK (x, isa) is the address of one.
 */
#ifdef REEL_ISA_GENERIC_ONLY
#define REEL_KERNEL_DECLARE(Table, x) extern const Table x##_generic
#define REEL_KERNEL_PICK(x, isa) ((void) (isa), &x##_generic)
#else
#define REEL_KERNEL_DECLARE(Table, x) extern const Table x##_generic, x##_avx2, x##_avx512
#define REEL_KERNEL_PICK(x, isa)                                                                   \
  ((isa) == REEL_ISA_AVX512 ? &x##_avx512 : (isa) == REEL_ISA_AVX2 ? &x##_avx2 : &x##_generic)
#endif

G_END_DECLS
