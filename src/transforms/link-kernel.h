/* Links of a chain at work on ranges of lanes: counts, sums and rows that are joined. Private. */
#pragma once

#include "../core/math/isa.h"

G_BEGIN_DECLS

/**
 * ReelWordPlan:
 *
 * Places of the words of a few joined rows in their sources.
 */
typedef struct _ReelWordPlan ReelWordPlan;

/**
 * ReelLinkKernels:
 * @count: adds 1 to each of @n counts, and copies them to @out
 * @limit: truncated_after[i] is truncated[i], or 1 where counts[i] has reached @most
 * @either: out[i] is a[i] or b[i], of flags that are 0 or 1
 * @sum_f32: adds rewards[i] to sums[i], and copies the sums to @out
 * @sum_f64: likewise
 * @place: copies @n pieces of @bytes that follow one another to places @stride bytes apart
 * @place_lanes: the same of some lanes, with one piece each
 * @plan_words: how rows of 4-byte words of @n sources become one; %NULL where @place does it. To be
 *   freed by g_aligned_free()
 * @join_words: joins the first rows of @n by the result of @plan_words. Returns their number, of
 *   which the rest is less than a vector has words
 *
 * One table per instruction set, the same bits from each. Outputs overlap nothing.
 */
typedef struct
{
  void (*count) (gint64 *restrict counts, gint64 *restrict out, gsize n);
  void (*limit) (const gint64 *counts, gint64 most, const guint8 *truncated,
                 guint8 *restrict truncated_after, gsize n);
  void (*either) (const guint8 *a, const guint8 *b, guint8 *restrict out, gsize n);
  void (*sum_f32) (float *restrict sums, const float *rewards, float *restrict out, gsize n);
  void (*sum_f64) (double *restrict sums, const double *rewards, double *restrict out, gsize n);
  void (*place) (const guint8 *from, gsize bytes, guint8 *restrict to, gsize stride, gsize n);
  void (*place_lanes) (const guint8 *from, gsize bytes, guint8 *restrict to, gsize stride,
                       const gint64 *lanes, gsize n);
  ReelWordPlan *(*plan_words) (const gsize *bytes, guint n);
  gsize (*join_words) (const ReelWordPlan *plan, const guint8 *const *from, guint8 *restrict out,
                       gsize n);
} ReelLinkKernels;

REEL_KERNEL_DECLARE (ReelLinkKernels, reel_link_kernels);

G_END_DECLS
