#include "bounds-kernel.h"

#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "../../core/math/random-kernel.h"

/* Values outside of their bounds: bits that are not all 0. Integers are compared with what they are
 * between the bounds, which takes no masks; both comparisons are false for NaN. Flags are as wide
 * as the values: to make them wider took half of the time. */
#define INTEGER_OUTSIDE(v, from, to) (MIN (MAX (v, from), to) ^ (v))
#define FLOAT_OUTSIDE(v, from, to) (!((v) >= (from)) | !((v) <= (to)))

#define TYPE(name, Type, Flags, OUTSIDE)                                                           \
  static gint64 count_inside_##name (gconstpointer values, gint64 n, gconstpointer low,            \
                                     gconstpointer high, gint64 tile)                              \
  {                                                                                                \
    const Type *restrict v = values;                                                               \
    const Type *restrict from = low;                                                               \
    const Type *restrict to = high;                                                                \
                                                                                                   \
    for (gint64 at = 0; at < n; at += tile)                                                        \
      {                                                                                            \
        gint64 end = MIN (tile, n - at);                                                           \
        Flags outside = 0;                                                                         \
                                                                                                   \
        for (gint64 i = 0; i < end; i++)                                                           \
          outside |= (Flags) OUTSIDE (v[at + i], from[i], to[i]);                                  \
        if (outside)                                                                               \
          return at;                                                                               \
      }                                                                                            \
    return n;                                                                                      \
  }                                                                                                \
                                                                                                   \
  static void clamp_##name (gconstpointer values, gint64 n, gconstpointer low, gconstpointer high, \
                            gint64 tile, gpointer clamped)                                         \
  {                                                                                                \
    const Type *restrict v = values;                                                               \
    const Type *restrict from = low;                                                               \
    const Type *restrict to = high;                                                                \
    Type *restrict c = clamped;                                                                    \
                                                                                                   \
    for (gint64 at = 0; at < n; at += tile)                                                        \
      for (gint64 i = 0; i < MIN (tile, n - at); i++)                                              \
        {                                                                                          \
          Type above = v[at + i] < from[i] ? from[i] : v[at + i];                                  \
          c[at + i] = above > to[i] ? to[i] : above;                                               \
        }                                                                                          \
  }

TYPE (uint8, guint8, guint8, INTEGER_OUTSIDE)
TYPE (int8, gint8, guint8, INTEGER_OUTSIDE)
TYPE (int16, gint16, guint16, INTEGER_OUTSIDE)
TYPE (int32, gint32, guint32, INTEGER_OUTSIDE)
TYPE (int64, gint64, guint64, INTEGER_OUTSIDE)
TYPE (uint16, guint16, guint16, INTEGER_OUTSIDE)
TYPE (uint32, guint32, guint32, INTEGER_OUTSIDE)
TYPE (uint64, guint64, guint64, INTEGER_OUTSIDE)
TYPE (float32, float, guint32, FLOAT_OUTSIDE)
TYPE (float64, double, guint64, FLOAT_OUTSIDE)

/* ---- random floats ---- */

/* Floats made at a time: a few cache lines. */
#define BLOCK REEL_BOUNDS_BLOCK

/* A number below 2^24 as a double; where the CPU converts no vectors of 64-bit integers, by putting
 * it below the leading bit of 2^52. */
static inline __attribute__ ((always_inline)) double
to_double (guint64 number)
{
#if defined(__AVX512DQ__)
  return (double) (gint64) number;
#else
  double real;

  number |= 0x4330000000000000;
  memcpy (&real, &number, sizeof real);
  return real - 0x1p52;
#endif
}

/* How far the sequence of words gets in so many lanes. */
#define GO(i) ((i) *REEL_RANDOM_GAMMA)
#define GO_4(i) GO (i), GO (i + 1), GO (i + 2), GO (i + 3)
#define GO_16(i) GO_4 (i), GO_4 (i + 4), GO_4 (i + 8), GO_4 (i + 12)

static const guint64 gone[BLOCK] = { GO_16 (0ull), GO_16 (16ull), GO_16 (32ull), GO_16 (48ull) };

/* The words of @n lanes as numbers below 2^24, scaled. The last step of a word changes bits
 * below its upper 24 alone, so it is left out. */
static inline __attribute__ ((always_inline)) void
make_floats (ReelRandomKey key, guint64 first, gint64 n, const double *restrict start,
             const double *restrict step, const float *restrict top, float *restrict values)
{
  guint64 begin = key.start + first * REEL_RANDOM_GAMMA;

  for (gint64 i = 0; i < n; i++)
    {
      guint64 z = begin + gone[i];

      z = ((z ^ z >> 30) * REEL_RANDOM_FIRST) ^ key.fold;
      z = (z ^ z >> 27) * REEL_RANDOM_SECOND;

      float value = (float) (start[i] + to_double (z >> 40) * step[i]);
      values[i] = value < top[i] ? value : top[i];
    }
}

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)

/* Past the cache: without reading the lines first. */
static inline void
stream_block (float *to, const float *from)
{
  for (gsize i = 0; i < BLOCK; i += 16)
#if defined(__AVX512F__)
    _mm512_stream_ps (to + i, _mm512_loadu_ps (from + i));
#elif defined(__AVX__)
    for (gsize k = i; k < i + 16; k += 8)
      _mm256_stream_ps (to + k, _mm256_loadu_ps (from + k));
#else
    for (gsize k = i; k < i + 16; k += 4)
      _mm_stream_ps (to + k, _mm_loadu_ps (from + k));
#endif
}

static void
end_streaming (void)
{
  _mm_sfence ();
}

#else

static inline void
stream_block (float *to, const float *from)
{
  memcpy (to, from, BLOCK * sizeof *to);
}

static void
end_streaming (void)
{
}

#endif

static void
draw_floats (ReelRandomKey key, gint64 first, gint64 n, const ReelFloatScale *scale,
             float *restrict values)
{
  gboolean aligned = (gsize) values % 64 == 0 && scale->tile % BLOCK == 0;
  gboolean stream = aligned && n >= REEL_BOUNDS_STREAM;
  float block[BLOCK] __attribute__ ((aligned (64)));
  gint64 at = 0;

  for (gint64 done = 0; done < n; at = at + BLOCK < scale->tile ? at + BLOCK : 0)
    {
      gint64 n_made = MIN (MIN (BLOCK, scale->tile - at), n - done);
      guint64 lane = (guint64) (first + done);

      if (n_made < BLOCK)
        make_floats (key, lane, n_made, scale->start + at, scale->step + at, scale->top + at,
                     values + done);
      else if (!stream)
        make_floats (key, lane, BLOCK, scale->start + at, scale->step + at, scale->top + at,
                     values + done);
      else
        {
          make_floats (key, lane, BLOCK, scale->start + at, scale->step + at, scale->top + at,
                       block);
          stream_block (values + done, block);
        }
      done += n_made;
    }
  if (stream)
    end_streaming ();
}

static void
scale_doubles (double *restrict values, gint64 n, const double *restrict low,
               const double *restrict span, const double *restrict top)
{
  for (gint64 i = 0; i < n; i++)
    {
      double value = low[i] + values[i] * span[i];
      values[i] = value < top[i] ? value : top[i];
    }
}

#define SLOTS(function)                                                                            \
  {                                                                                                \
    [REEL_DTYPE_UINT8] = function##_uint8, [REEL_DTYPE_INT8] = function##_int8,                    \
    [REEL_DTYPE_INT16] = function##_int16, [REEL_DTYPE_INT32] = function##_int32,                  \
    [REEL_DTYPE_INT64] = function##_int64, [REEL_DTYPE_UINT16] = function##_uint16,                \
    [REEL_DTYPE_UINT32] = function##_uint32, [REEL_DTYPE_UINT64] = function##_uint64,              \
    [REEL_DTYPE_FLOAT32] = function##_float32, [REEL_DTYPE_FLOAT64] = function##_float64,          \
  }

const ReelBoundsKernels REEL_KERNEL_NAME (reel_bounds_kernels) = {
  .count_inside = SLOTS (count_inside),
  .clamp = SLOTS (clamp),
  .draw_floats = draw_floats,
  .scale_doubles = scale_doubles,
};
