#include "one-hot-kernel.h"

#include "../../core/math/vector.h"

/* As many elements are looked at a time: a bit each, of as many whole vectors as they hold. */
#define BITS REEL_ONE_HOT_MAX

typedef struct
{
  gint64 width;
  gint64 n;       /* vectors at a time */
  guint64 used;   /* the bits that are theirs */
  guint64 firsts; /* the first bit of each */
} Fields;

static Fields
make_fields (gint64 width)
{
  Fields fields = { width, BITS / width, 0, 0 };

  for (gint64 i = 0; i < fields.n; i++)
    fields.firsts |= (guint64) 1 << i * width;
  fields.used = G_MAXUINT64 >> (BITS - fields.n * width);
  return fields;
}

/* Whether every field has a bit, and they are not more than that. */
REEL_VECTOR_INLINE gboolean
one_each (guint64 bits, Fields fields)
{
  guint64 any = bits &= fields.used;
  gint64 covered = 1;

  /* Bit i becomes whether any of the width from i on is set. */
  for (; 2 * covered <= fields.width; covered *= 2)
    any |= any >> covered;
  any |= any >> (fields.width - covered);
  return (any & fields.firsts) == fields.firsts && __builtin_popcountll (bits) == fields.n;
}

static gint64
count_flags (const guint8 *values, gint64 n, gint64 width)
{
  Fields fields = make_fields (width);
  gint64 i = 0;

  while (i * width + BITS <= n * width
         && one_each (reel_bytes_to_bits (values + i * width), fields))
    i += fields.n;
  return i;
}

/* Which of 64 integers are 1, and whether the others are 0. */
REEL_VECTOR_INLINE gboolean
read_bits (const gint64 *values, guint64 *bits)
{
  ReelI64s others = { 0 };

  *bits = 0;
  for (gint64 k = 0; k < BITS; k += REEL_SIMD_WIDTH)
    {
      ReelI64s v = reel_i64s_load (values + k);
      others |= v;
      *bits |= (guint64) reel_i64s_differ (v, (ReelI64s){ 0 }) << k;
    }
  return reel_i64s_differ (others & ~(gint64) 1, (ReelI64s){ 0 }) == 0;
}

static gint64
count_integers (const gint64 *values, gint64 n, gint64 width)
{
  Fields fields = make_fields (width);
  guint64 bits;
  gint64 i = 0;

  while (i * width + BITS <= n * width && read_bits (values + i * width, &bits)
         && one_each (bits, fields))
    i += fields.n;
  return i;
}

const ReelOneHotKernels REEL_KERNEL_NAME (reel_one_hot_kernels) = {
  .count_flags = count_flags,
  .count_integers = count_integers,
};
