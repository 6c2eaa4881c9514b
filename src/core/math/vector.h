/* Vectors of doubles as wide as the level that a kernel is compiled for. For kernel sources alone.
 * The compiler's own vector types keep the order of operations, so every width gives the same bits.
 */
#pragma once

#include <glib.h>
#include <string.h>

#if defined(__AVX512F__)
#define REEL_SIMD_WIDTH 8
#elif defined(__AVX2__)
#define REEL_SIMD_WIDTH 4
#else
#define REEL_SIMD_WIDTH 2
#endif

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define REEL_VECTOR_INLINE static inline __attribute__ ((always_inline))

/* REEL_SIMD_WIDTH doubles, and as many integers. */
typedef double ReelF64s __attribute__ ((vector_size (8 * REEL_SIMD_WIDTH)));
typedef gint64 ReelI64s __attribute__ ((vector_size (8 * REEL_SIMD_WIDTH)));

REEL_VECTOR_INLINE ReelF64s
reel_f64s_load (const double *from)
{
  ReelF64s v;

  memcpy (&v, from, sizeof v);
  return v;
}

REEL_VECTOR_INLINE void
reel_f64s_store (double *to, ReelF64s v)
{
  memcpy (to, &v, sizeof v);
}

/* No local to copy to, whose alignment GCC's AddressSanitizer might lose (GCC bug 110027). */
typedef gint64 ReelI64sAnywhere __attribute__ ((vector_size (8 * REEL_SIMD_WIDTH), aligned (8)));

REEL_VECTOR_INLINE ReelI64s
reel_i64s_load (const gint64 *from)
{
  return *(const ReelI64sAnywhere *) from;
}

REEL_VECTOR_INLINE void
reel_i64s_store (gint64 *to, ReelI64s v)
{
  memcpy (to, &v, sizeof v);
}

REEL_VECTOR_INLINE ReelF64s
reel_f64s_all (double value)
{
  return (ReelF64s){ 0 } + value;
}

REEL_VECTOR_INLINE ReelF64s
reel_f64s_abs (ReelF64s v)
{
  return (ReelF64s) ((ReelI64s) v & G_MAXINT64);
}

/* Lane by lane: mask is −1 for yes and 0 for no. */
REEL_VECTOR_INLINE ReelF64s
reel_f64s_select (ReelI64s mask, ReelF64s yes, ReelF64s no)
{
#if REEL_SIMD_WIDTH == 8
  return (ReelF64s) _mm512_mask_blend_pd (_mm512_movepi64_mask ((__m512i) mask), (__m512d) no,
                                          (__m512d) yes);
#else
  return (ReelF64s) (((ReelI64s) yes & mask) | ((ReelI64s) no & ~mask));
#endif
}

/* The lesser of each lane; none is NaN. */
REEL_VECTOR_INLINE ReelF64s
reel_f64s_min (ReelF64s a, ReelF64s b)
{
#if REEL_SIMD_WIDTH == 8
  return (ReelF64s) _mm512_min_pd ((__m512d) a, (__m512d) b);
#elif REEL_SIMD_WIDTH == 4
  return (ReelF64s) _mm256_min_pd ((__m256d) a, (__m256d) b);
#else
  return reel_f64s_select (a < b, a, b);
#endif
}

/* Each lane brought to [low, high]; NaN stays, and so do zeros with their sign: where neither is
 * greater, these instructions give their second operand. */
REEL_VECTOR_INLINE ReelF64s
reel_f64s_clip (ReelF64s v, double low, double high)
{
#if REEL_SIMD_WIDTH == 8
  return (ReelF64s) _mm512_min_pd (_mm512_set1_pd (high),
                                   _mm512_max_pd (_mm512_set1_pd (low), (__m512d) v));
#elif REEL_SIMD_WIDTH == 4
  return (ReelF64s) _mm256_min_pd (_mm256_set1_pd (high),
                                   _mm256_max_pd (_mm256_set1_pd (low), (__m256d) v));
#elif defined(__SSE2__)
  return (ReelF64s) _mm_min_pd (_mm_set1_pd (high), _mm_max_pd (_mm_set1_pd (low), (__m128d) v));
#else
  ReelF64s above = reel_f64s_select (v < low, reel_f64s_all (low), v);

  return reel_f64s_select (above > high, reel_f64s_all (high), above);
#endif
}

/* A choice for each lane, in the form that the widest vectors compare to: from a vector of masks
 * they would have to make it again. */
#if REEL_SIMD_WIDTH == 8
typedef __mmask8 ReelChoice;
#else
typedef ReelI64s ReelChoice;
#endif

REEL_VECTOR_INLINE ReelChoice
reel_f64s_less (ReelF64s a, ReelF64s b)
{
#if REEL_SIMD_WIDTH == 8
  return _mm512_cmp_pd_mask ((__m512d) a, (__m512d) b, _CMP_LT_OQ);
#else
  return a < b;
#endif
}

REEL_VECTOR_INLINE ReelChoice
reel_f64s_at_least (ReelF64s a, ReelF64s b)
{
#if REEL_SIMD_WIDTH == 8
  return _mm512_cmp_pd_mask ((__m512d) a, (__m512d) b, _CMP_GE_OQ);
#else
  return a >= b;
#endif
}

REEL_VECTOR_INLINE ReelChoice
reel_f64s_equal (ReelF64s a, ReelF64s b)
{
#if REEL_SIMD_WIDTH == 8
  return _mm512_cmp_pd_mask ((__m512d) a, (__m512d) b, _CMP_EQ_OQ);
#else
  return a == b;
#endif
}

/* Whether any of these bits is set. */
REEL_VECTOR_INLINE ReelChoice
reel_i64s_has (ReelI64s v, gint64 bits)
{
#if REEL_SIMD_WIDTH == 8
  return _mm512_test_epi64_mask ((__m512i) v, _mm512_set1_epi64 (bits));
#else
  return (v & bits) != 0;
#endif
}

REEL_VECTOR_INLINE ReelChoice
reel_i64s_is (ReelI64s v, gint64 value)
{
#if REEL_SIMD_WIDTH == 8
  return _mm512_cmpeq_epi64_mask ((__m512i) v, _mm512_set1_epi64 (value));
#else
  return v == value;
#endif
}

REEL_VECTOR_INLINE ReelChoice
reel_i64s_greater (ReelI64s v, gint64 than)
{
#if REEL_SIMD_WIDTH == 8
  return _mm512_cmpgt_epi64_mask ((__m512i) v, _mm512_set1_epi64 (than));
#else
  return v > than;
#endif
}

REEL_VECTOR_INLINE ReelChoice
reel_i64s_less (ReelI64s v, gint64 than)
{
#if REEL_SIMD_WIDTH == 8
  return _mm512_cmplt_epi64_mask ((__m512i) v, _mm512_set1_epi64 (than));
#else
  return v < than;
#endif
}

REEL_VECTOR_INLINE ReelF64s
reel_f64s_choose (ReelChoice choice, ReelF64s yes, ReelF64s no)
{
#if REEL_SIMD_WIDTH == 8
  return (ReelF64s) _mm512_mask_blend_pd (choice, (__m512d) no, (__m512d) yes);
#else
  return reel_f64s_select (choice, yes, no);
#endif
}

/* −v where it is chosen, else v. */
REEL_VECTOR_INLINE ReelF64s
reel_f64s_negate_if (ReelChoice choice, ReelF64s v)
{
#if REEL_SIMD_WIDTH == 8
  return (ReelF64s) _mm512_mask_blend_pd (choice, (__m512d) v, (__m512d) -v);
#else
  return (ReelF64s) ((ReelI64s) v ^ (choice & G_MININT64));
#endif
}

/* A value where it is chosen, else 0. */
REEL_VECTOR_INLINE ReelI64s
reel_i64s_if (ReelChoice choice, gint64 value)
{
#if REEL_SIMD_WIDTH == 8
  return (ReelI64s) _mm512_maskz_set1_epi64 (choice, value);
#else
  return choice & value;
#endif
}

/* The least of the lanes, of which none is NaN. */
REEL_VECTOR_INLINE double
reel_f64s_least (ReelF64s v)
{
#if REEL_SIMD_WIDTH == 8
  return _mm512_reduce_min_pd ((__m512d) v);
#elif REEL_SIMD_WIDTH == 4
  __m128d least =
      _mm_min_pd (_mm256_castpd256_pd128 ((__m256d) v), _mm256_extractf128_pd ((__m256d) v, 1));

  return least[1] < least[0] ? least[1] : least[0];
#else
  return v[1] < v[0] ? v[1] : v[0];
#endif
}

/* Bit l is lane l of a mask. */
REEL_VECTOR_INLINE guint
reel_mask_bits (ReelI64s mask)
{
#if REEL_SIMD_WIDTH == 8
  return _mm512_movepi64_mask ((__m512i) mask);
#elif REEL_SIMD_WIDTH == 4
  return (guint) _mm256_movemask_pd ((__m256d) mask);
#else
  return (guint) (mask[0] & 1) | (guint) (mask[1] & 2);
#endif
}

/* Bit l is the choice of lane l. */
REEL_VECTOR_INLINE guint
reel_choice_bits (ReelChoice choice)
{
#if REEL_SIMD_WIDTH == 8
  return choice;
#else
  return reel_mask_bits (choice);
#endif
}

/* Bit l is whether lanes l differ. */
REEL_VECTOR_INLINE guint
reel_i64s_differ (ReelI64s a, ReelI64s b)
{
#if REEL_SIMD_WIDTH == 8
  return _mm512_cmpneq_epi64_mask ((__m512i) a, (__m512i) b);
#else
  return reel_mask_bits (a != b);
#endif
}

/* Bit l is whether |lane l| of a or of b is > the limit beside it; never for NaN. */
REEL_VECTOR_INLINE guint
reel_f64s_either_beyond (ReelF64s a, double a_limit, ReelF64s b, double b_limit)
{
#if REEL_SIMD_WIDTH == 8
  __mmask8 within =
      _mm512_cmp_pd_mask (_mm512_abs_pd ((__m512d) a), _mm512_set1_pd (a_limit), _CMP_NGT_UQ);

  within = _mm512_mask_cmp_pd_mask (within, _mm512_abs_pd ((__m512d) b), _mm512_set1_pd (b_limit),
                                    _CMP_NGT_UQ);
  return within ^ 0xff;
#else
  return reel_mask_bits ((reel_f64s_abs (a) > a_limit) | (reel_f64s_abs (b) > b_limit));
#endif
}

/* Bit l is whether lane l > 0; never for NaN. */
REEL_VECTOR_INLINE guint
reel_f64s_positive (ReelF64s v)
{
#if REEL_SIMD_WIDTH == 8
  return _mm512_cmp_pd_mask ((__m512d) v, _mm512_setzero_pd (), _CMP_GT_OQ);
#else
  return reel_mask_bits (v > 0);
#endif
}

/* Infinity in the place of lanes that are not above 0 in another vector. */
REEL_VECTOR_INLINE ReelF64s
reel_f64s_or_infinity (ReelF64s v, ReelF64s above)
{
#if REEL_SIMD_WIDTH == 8
  return (ReelF64s) _mm512_mask_blend_pd (reel_f64s_positive (above),
                                          _mm512_set1_pd (__builtin_inf ()), (__m512d) v);
#else
  return reel_f64s_select (above > 0, v, reel_f64s_all (__builtin_inf ()));
#endif
}

/* The mask that has bit l of bits in lane l. */
REEL_VECTOR_INLINE ReelI64s
reel_bits_mask (guint64 bits)
{
#if REEL_SIMD_WIDTH == 8
  return (ReelI64s) _mm512_movm_epi64 ((__mmask8) bits);
#elif REEL_SIMD_WIDTH == 4
  const ReelI64s place = { 1, 2, 4, 8 };

  return ((gint64) bits & place) != 0;
#else
  const ReelI64s place = { 1, 2 };

  return ((gint64) bits & place) != 0;
#endif
}

/* As many bytes as a vector has. */
typedef guint8 ReelBytes __attribute__ ((vector_size (8 * REEL_SIMD_WIDTH)));
typedef guint8 ReelBytesAnywhere __attribute__ ((vector_size (8 * REEL_SIMD_WIDTH), aligned (1)));

/* 1 where a byte is not 0. */
REEL_VECTOR_INLINE ReelBytes
reel_bytes_load_flags (const guint8 *from)
{
  ReelBytes v = *(const ReelBytesAnywhere *) from;

#if REEL_SIMD_WIDTH == 8
  return (ReelBytes) _mm512_min_epu8 ((__m512i) v, _mm512_set1_epi8 (1));
#elif REEL_SIMD_WIDTH == 4
  return (ReelBytes) _mm256_min_epu8 ((__m256i) v, _mm256_set1_epi8 (1));
#else
  return (ReelBytes) (v != 0) & 1;
#endif
}

REEL_VECTOR_INLINE void
reel_bytes_store (guint8 *to, ReelBytes v)
{
  *(ReelBytesAnywhere *) to = v;
}

/* Elements of @size bytes of the first and of the second halves of every 16 bytes, in turn from a
 * and b. */
REEL_VECTOR_INLINE void
reel_bytes_interleave (ReelBytes a, ReelBytes b, gint size, ReelBytes *low, ReelBytes *high)
{
#if REEL_SIMD_WIDTH == 8
#define UNPACK(half, bits) (ReelBytes) _mm512_unpack##half##_epi##bits ((__m512i) a, (__m512i) b)
#elif REEL_SIMD_WIDTH == 4
#define UNPACK(half, bits) (ReelBytes) _mm256_unpack##half##_epi##bits ((__m256i) a, (__m256i) b)
#elif defined(__SSE2__)
#define UNPACK(half, bits) (ReelBytes) _mm_unpack##half##_epi##bits ((__m128i) a, (__m128i) b)
#endif
#if defined(UNPACK)
  *low = size == 1 ? UNPACK (lo, 8) : size == 2 ? UNPACK (lo, 16) : UNPACK (lo, 32);
  *high = size == 1 ? UNPACK (hi, 8) : size == 2 ? UNPACK (hi, 16) : UNPACK (hi, 32);
#undef UNPACK
#else
  ReelBytes halves[2];

  for (gint i = 0; i < 16; i++)
    {
      halves[i / 8][i % 8 / size * 2 * size + i % size] = a[i];
      halves[i / 8][i % 8 / size * 2 * size + size + i % size] = b[i];
    }
  *low = halves[0];
  *high = halves[1];
#endif
}

/* Elements 1, 3, 5, … of 2 × REEL_SIMD_WIDTH: the second of each pair. */
REEL_VECTOR_INLINE ReelI64s
reel_i64s_load_odd (const gint64 *from)
{
#if REEL_SIMD_WIDTH == 8
  const __m512i odd = _mm512_setr_epi64 (1, 3, 5, 7, 9, 11, 13, 15);

  return (ReelI64s) _mm512_permutex2var_epi64 (_mm512_loadu_si512 (from), odd,
                                               _mm512_loadu_si512 (from + 8));
#elif REEL_SIMD_WIDTH == 4
  __m256i low = _mm256_loadu_si256 ((const __m256i *) from);
  __m256i high = _mm256_loadu_si256 ((const __m256i *) (from + 4));

  return (ReelI64s) _mm256_permute4x64_epi64 (_mm256_unpackhi_epi64 (low, high), 0xd8);
#else
  return (ReelI64s){ from[1], from[3] };
#endif
}

/* Elements first, first + 3, first + 6, … of 3 × REEL_SIMD_WIDTH, first being 1 or 2. */
REEL_VECTOR_INLINE ReelI64s
reel_i64s_load_third (const gint64 *from, gint first)
{
#if REEL_SIMD_WIDTH == 8
  __m512i a = _mm512_loadu_si512 (from), b = _mm512_loadu_si512 (from + 8);
  __m512i c = _mm512_loadu_si512 (from + 16);
  const __m512i low = first == 1 ? _mm512_setr_epi64 (1, 4, 7, 10, 13, 0, 0, 0)
                                 : _mm512_setr_epi64 (2, 5, 8, 11, 14, 0, 0, 0);
  const __m512i all = first == 1 ? _mm512_setr_epi64 (0, 1, 2, 3, 4, 8, 11, 14)
                                 : _mm512_setr_epi64 (0, 1, 2, 3, 4, 9, 12, 15);

  return (ReelI64s) _mm512_permutex2var_epi64 (_mm512_permutex2var_epi64 (a, low, b), all, c);
#elif REEL_SIMD_WIDTH == 4
  return (ReelI64s){ from[first], from[first + 3], from[first + 6], from[first + 9] };
#else
  return (ReelI64s){ from[first], from[first + 3] };
#endif
}

/* As many bytes as a vector has integers. */
REEL_VECTOR_INLINE ReelI64s
reel_i64s_load_bytes (const guint8 *from)
{
#if REEL_SIMD_WIDTH == 8
  return (ReelI64s) _mm512_cvtepu8_epi64 (_mm_loadl_epi64 ((const __m128i *) from));
#elif REEL_SIMD_WIDTH == 4
  gint32 bytes;

  memcpy (&bytes, from, sizeof bytes);
  return (ReelI64s) _mm256_cvtepu8_epi64 (_mm_cvtsi32_si128 (bytes));
#else
  return (ReelI64s){ from[0], from[1] };
#endif
}

/* As many floats as a vector has doubles. The compiler's own conversion goes by halves. */
REEL_VECTOR_INLINE ReelF64s
reel_f64s_load_floats (const float *from)
{
#if REEL_SIMD_WIDTH == 8
  return (ReelF64s) _mm512_cvtps_pd (_mm256_loadu_ps (from));
#elif REEL_SIMD_WIDTH == 4
  return (ReelF64s) _mm256_cvtps_pd (_mm_loadu_ps (from));
#else
  return (ReelF64s){ (double) from[0], (double) from[1] };
#endif
}

REEL_VECTOR_INLINE void
reel_f64s_store_floats (float *to, ReelF64s v)
{
#if REEL_SIMD_WIDTH == 8
  _mm256_storeu_ps (to, _mm512_cvtpd_ps ((__m512d) v));
#elif REEL_SIMD_WIDTH == 4
  _mm_storeu_ps (to, _mm256_cvtpd_ps ((__m256d) v));
#else
  to[0] = (float) v[0];
  to[1] = (float) v[1];
#endif
}

/* Two columns as float32 rows (a, b). */
REEL_VECTOR_INLINE void
reel_f64s_store_rows2 (float *to, ReelF64s a, ReelF64s b)
{
#if REEL_SIMD_WIDTH == 8
  const __m512i order = _mm512_setr_epi32 (0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
  __m512 ab = _mm512_insertf32x8 (_mm512_castps256_ps512 (_mm512_cvtpd_ps ((__m512d) a)),
                                  _mm512_cvtpd_ps ((__m512d) b), 1);

  _mm512_storeu_ps (to, _mm512_permutexvar_ps (order, ab));
#elif REEL_SIMD_WIDTH == 4
  __m128 first = _mm256_cvtpd_ps ((__m256d) a), second = _mm256_cvtpd_ps ((__m256d) b);

  _mm_storeu_ps (to, _mm_unpacklo_ps (first, second));
  _mm_storeu_ps (to + 4, _mm_unpackhi_ps (first, second));
#else
  const float rows[4] = { (float) a[0], (float) b[0], (float) a[1], (float) b[1] };

  memcpy (to, rows, sizeof rows);
#endif
}

#if REEL_SIMD_WIDTH == 8
/* Three columns as float32 rows (a, b, c). */
REEL_VECTOR_INLINE void
reel_f64s_store_rows3 (float *to, ReelF64s a, ReelF64s b, ReelF64s c)
{
  const __m512i low = _mm512_setr_epi32 (0, 8, 16, 1, 9, 17, 2, 10, 18, 3, 11, 19, 4, 12, 20, 5);
  const __m512i high = _mm512_setr_epi32 (13, 21, 6, 14, 22, 7, 15, 23, 0, 0, 0, 0, 0, 0, 0, 0);
  __m512 ab = _mm512_insertf32x8 (_mm512_castps256_ps512 (_mm512_cvtpd_ps ((__m512d) a)),
                                  _mm512_cvtpd_ps ((__m512d) b), 1);
  __m512 cs = _mm512_castps256_ps512 (_mm512_cvtpd_ps ((__m512d) c));

  _mm512_storeu_ps (to, _mm512_permutex2var_ps (ab, low, cs));
  _mm256_storeu_ps (to + 16, _mm512_castps512_ps256 (_mm512_permutex2var_ps (ab, high, cs)));
}
#endif

/* Four columns as float32 rows (a, b, c, d), written to first and, where it is not NULL, second. */
REEL_VECTOR_INLINE void
reel_f64s_store_rows4 (float *first, float *second, ReelF64s a, ReelF64s b, ReelF64s c, ReelF64s d)
{
#if REEL_SIMD_WIDTH == 8
  const __m512i low = _mm512_setr_epi32 (0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
  const __m512i high =
      _mm512_setr_epi32 (4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31);
  __m512 ab = _mm512_insertf32x8 (_mm512_castps256_ps512 (_mm512_cvtpd_ps ((__m512d) a)),
                                  _mm512_cvtpd_ps ((__m512d) b), 1);
  __m512 cd = _mm512_insertf32x8 (_mm512_castps256_ps512 (_mm512_cvtpd_ps ((__m512d) c)),
                                  _mm512_cvtpd_ps ((__m512d) d), 1);
  __m512 rows0 = _mm512_permutex2var_ps (ab, low, cd);
  __m512 rows4 = _mm512_permutex2var_ps (ab, high, cd);

  _mm512_storeu_ps (first, rows0);
  _mm512_storeu_ps (first + 16, rows4);
  if (second != NULL)
    {
      _mm512_storeu_ps (second, rows0);
      _mm512_storeu_ps (second + 16, rows4);
    }
#elif REEL_SIMD_WIDTH == 4
  /* (a0 a1 a2 a3 c0 c1 c2 c3) and the same of b and d, unpacked twice: rows 0 and 2, 1 and 3. */
  __m256 ac = _mm256_set_m128 (_mm256_cvtpd_ps ((__m256d) c), _mm256_cvtpd_ps ((__m256d) a));
  __m256 bd = _mm256_set_m128 (_mm256_cvtpd_ps ((__m256d) d), _mm256_cvtpd_ps ((__m256d) b));
  __m256 low = _mm256_unpacklo_ps (ac, bd);
  __m256 high = _mm256_unpackhi_ps (ac, bd);
  __m256 rows0 = (__m256) _mm256_permute4x64_pd ((__m256d) low, 0xd8);
  __m256 rows2 = (__m256) _mm256_permute4x64_pd ((__m256d) high, 0xd8);

  _mm256_storeu_ps (first, rows0);
  _mm256_storeu_ps (first + 8, rows2);
  if (second != NULL)
    {
      _mm256_storeu_ps (second, rows0);
      _mm256_storeu_ps (second + 8, rows2);
    }
#else
  for (gint lane = 0; lane < REEL_SIMD_WIDTH; lane++)
    {
      const float row[4] = { (float) a[lane], (float) b[lane], (float) c[lane], (float) d[lane] };

      memcpy (first + 4 * lane, row, sizeof row);
      if (second != NULL)
        memcpy (second + 4 * lane, row, sizeof row);
    }
#endif
}

/* Up to 8 columns as float32 rows of n, written to first and, where it is not NULL, second. */
REEL_VECTOR_INLINE void
reel_f64s_store_rows (float *first, float *second, const ReelF64s *columns, gint n)
{
  float rows[REEL_SIMD_WIDTH * 8], pairs[4][2 * REEL_SIMD_WIDTH];

  if (n == 4)
    {
      reel_f64s_store_rows4 (first, second, columns[0], columns[1], columns[2], columns[3]);
      return;
    }
  if (n == 2)
    {
      reel_f64s_store_rows2 (first, columns[0], columns[1]);
      if (second != NULL)
        reel_f64s_store_rows2 (second, columns[0], columns[1]);
      return;
    }
#if REEL_SIMD_WIDTH == 8
  if (n == 3)
    {
      reel_f64s_store_rows3 (first, columns[0], columns[1], columns[2]);
      if (second != NULL)
        reel_f64s_store_rows3 (second, columns[0], columns[1], columns[2]);
      return;
    }
#endif
  for (gint p = 0; p < n / 2; p++)
    reel_f64s_store_rows2 (pairs[p], columns[2 * p], columns[2 * p + 1]);
  for (gint lane = 0; lane < REEL_SIMD_WIDTH; lane++)
    {
      for (gint p = 0; p < n / 2; p++)
        memcpy (rows + lane * n + 2 * p, pairs[p] + 2 * lane, 2 * sizeof *rows);
      if (n % 2 != 0)
        rows[lane * n + n - 1] = (float) columns[n - 1][lane];
    }
  memcpy (first, rows, (gsize) (REEL_SIMD_WIDTH * n) * sizeof *rows);
  if (second != NULL)
    memcpy (second, rows, (gsize) (REEL_SIMD_WIDTH * n) * sizeof *rows);
}

/* Bit k of bits becomes byte k, 0 or 1. */
REEL_VECTOR_INLINE void
reel_bits_to_bytes (guint64 bits, guint8 *bytes)
{
#if REEL_SIMD_WIDTH == 8
  _mm512_storeu_si512 (bytes, _mm512_maskz_set1_epi8 (bits, 1));
#elif REEL_SIMD_WIDTH == 4
  const __m256i spread = _mm256_setr_epi8 (0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2,
                                           2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
  const __m256i bit = _mm256_set1_epi64x ((gint64) 0x8040201008040201);

  for (gint half = 0; half < 2; half++)
    {
      __m256i word = _mm256_set1_epi32 ((gint32) (bits >> (32 * half)));
      __m256i set = _mm256_and_si256 (_mm256_shuffle_epi8 (word, spread), bit);
      __m256i ones = _mm256_min_epu8 (set, _mm256_set1_epi8 (1));

      _mm256_storeu_si256 ((__m256i *) (bytes + 32 * half), ones);
    }
#else
  const guint64 ones = 0x0101010101010101, bit = 0x8040201008040201;

  for (gint k = 0; k < 8; k++)
    {
      guint64 set = (bits >> (8 * k) & 0xff) * ones & bit;
      guint64 eight = (set + 0x7f * ones) >> 7 & ones;

      memcpy (bytes + 8 * k, &eight, sizeof eight);
    }
#endif
}

/* The other way: bit k is whether byte k of 64 is not 0. */
REEL_VECTOR_INLINE guint64
reel_bytes_to_bits (const guint8 *bytes)
{
#if REEL_SIMD_WIDTH == 8
  __m512i v = _mm512_loadu_si512 (bytes);

  return _mm512_test_epi8_mask (v, v);
#elif REEL_SIMD_WIDTH == 4
  guint64 zeros = 0;

  for (gint half = 0; half < 2; half++)
    {
      __m256i v = _mm256_loadu_si256 ((const __m256i *) (bytes + 32 * half));
      __m256i zero = _mm256_cmpeq_epi8 (v, _mm256_setzero_si256 ());

      zeros |= (guint64) (guint32) _mm256_movemask_epi8 (zero) << (32 * half);
    }
  return ~zeros;
#elif defined(__SSE2__)
  guint64 zeros = 0;

  for (gint part = 0; part < 4; part++)
    {
      __m128i v = _mm_loadu_si128 ((const __m128i *) (bytes + 16 * part));
      __m128i zero = _mm_cmpeq_epi8 (v, _mm_setzero_si128 ());

      zeros |= (guint64) (guint32) _mm_movemask_epi8 (zero) << (16 * part);
    }
  return ~zeros;
#else
  guint64 bits = 0;

  for (gint k = 0; k < 8; k++)
    {
      const guint64 ones = 0x0101010101010101;
      guint64 eight;

      memcpy (&eight, bytes + 8 * k, sizeof eight);
      eight = (((eight & 0x7f * ones) + 0x7f * ones) | eight) >> 7 & ones;
      bits |= eight * 0x0102040810204080 >> 56 << (8 * k);
    }
  return bits;
#endif
}
