/* Finds where episodes end in contiguous memory, 4096 steps at a time. Private. */
#pragma once

#include "isa.h"

G_BEGIN_DECLS

/**
 * REEL_EPISODE_WORDS:
 *
 * Words of a block, each of as many bits.
 */
#define REEL_EPISODE_WORDS 64

/**
 * ReelRowEnds:
 * @last: the number, as they are found, of the next element that is the last of its row
 * @length: of a row
 * @bits: where a scan works: the ends of a block. Not on the stack of a kernel, where GCC's
 *   AddressSanitizer loses the alignment of vectors (GCC bug 110027)
 *
 * Elements that are found whatever they are. A scan moves @last past its end.
 */
typedef struct
{
  gint64 last;
  gint64 length;
  guint64 bits[REEL_EPISODE_WORDS];
} ReelRowEnds;

/**
 * ReelEpisodeBoundsKernels:
 * @flags: finds those of @n flags that are not 0
 * @changes: finds where @n words of @a and @b differ
 *
 * Each writes @first + i for every i that it finds, ascending, to @found, which has room for @n;
 * what ends @rows is found as well. Returns how many. One table per instruction set, the same
 * results from each.
 */
typedef struct
{
  gint64 (*flags) (const guint8 *flags, gint64 n, gint64 first, ReelRowEnds *rows,
                   gint64 *restrict found);
  gint64 (*changes) (const gint64 *a, const gint64 *b, gint64 n, gint64 first, ReelRowEnds *rows,
                     gint64 *restrict found);
} ReelEpisodeBoundsKernels;

REEL_KERNEL_DECLARE (ReelEpisodeBoundsKernels, reel_episode_bounds_kernels);

G_END_DECLS
