/* Finds where episodes end in contiguous memory, 4096 steps at a time. Private. */
#pragma once

#include "../math/isa.h"

G_BEGIN_DECLS

/**
 * REEL_EPISODE_WORDS:
 *
 * Words of a block, each of as many bits.
 */
#define REEL_EPISODE_WORDS 64

/**
 * REEL_EPISODE_SPARE:
 *
 * Numbers that may be written past those that are found.
 */
#define REEL_EPISODE_SPARE 4

/**
 * REEL_EPISODE_WIDTH:
 *
 * Words are listed by as many, the widest vector's.
 */
#define REEL_EPISODE_WIDTH 8

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
 * @turn_flags: of up to 64 rows of @lanes flags makes a word for each lane, @apart words apart; bit
 *   k of it is whether the lane's flag in row k is not 0
 * @turn_changes: the same of whether ids differ from those of the next row, which follows the last
 * @list_bits: finds the bits of @n_words words that are 1; @n_words is a multiple of
 *   %REEL_EPISODE_WIDTH
 *
 * Each that finds writes @first + i for every i that it finds, ascending, to @found, which has room
 * for all that there could be and %REEL_EPISODE_SPARE more; what ends @rows is found as well.
 * Returns how many. One table per instruction set, the same results from each.
 */
typedef struct
{
  gint64 (*flags) (const guint8 *flags, gint64 n, gint64 first, ReelRowEnds *rows,
                   gint64 *restrict found);
  gint64 (*changes) (const gint64 *a, const gint64 *b, gint64 n, gint64 first, ReelRowEnds *rows,
                     gint64 *restrict found);
  void (*turn_flags) (const guint8 *flags, gint64 lanes, gint64 rows, guint64 *bits, gint64 apart);
  void (*turn_changes) (const gint64 *ids, gint64 lanes, gint64 rows, guint64 *bits, gint64 apart);
  gint64 (*list_bits) (const guint64 *bits, gint64 n_words, gint64 first, gint64 *restrict found);
} ReelEpisodeBoundsKernels;

REEL_KERNEL_DECLARE (ReelEpisodeBoundsKernels, reel_episode_bounds_kernels);

G_END_DECLS
