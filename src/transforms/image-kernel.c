/* Sums of rows and columns of pixels, small transposes, and brightness by vectors. */
#include "image-kernel.h"

#include "../core/math/vector.h"

/* Vectors of floats and doubles, wherever they lie. */
#define N_f32s (2 * REEL_SIMD_WIDTH)
#define N_f64s REEL_SIMD_WIDTH
typedef float f32s __attribute__ ((vector_size (8 * REEL_SIMD_WIDTH), aligned (4), may_alias));
typedef double f64s __attribute__ ((vector_size (8 * REEL_SIMD_WIDTH), aligned (8), may_alias));

/* ---- rows ---- */

/* Sums stay in registers, of some vectors at a time. The rest is computed with a part of the
 * elements before it: the results are the same. */
#define WIDE 4

#define SUM_ROWS(name, Type, Vector)                                                               \
  REEL_VECTOR_INLINE void name##_piece (const Type *const *rows, const double *weights,            \
                                        gint64 n_rows, Type *restrict out, gint64 at,              \
                                        const gint n_vectors)                                      \
  {                                                                                                \
    Vector sums[WIDE] = { { 0 } };                                                                 \
                                                                                                   \
    for (gint64 k = 0; k < n_rows; k++)                                                            \
      {                                                                                            \
        const Vector *row = (const Vector *) (rows[k] + at);                                       \
        Type weight = (Type) weights[k];                                                           \
        for (gint i = 0; i < n_vectors; i++)                                                       \
          sums[i] += row[i] * weight;                                                              \
      }                                                                                            \
    for (gint i = 0; i < n_vectors; i++)                                                           \
      ((Vector *) (out + at))[i] = sums[i];                                                        \
  }                                                                                                \
  static void name (const Type *const *rows, const double *weights, gint64 n_rows,                 \
                    Type *restrict out, gint64 n)                                                  \
  {                                                                                                \
    gint64 i = 0;                                                                                  \
                                                                                                   \
    for (; i + WIDE * N_##Vector <= n; i += WIDE * N_##Vector)                                     \
      name##_piece (rows, weights, n_rows, out, i, WIDE);                                          \
    for (; i + N_##Vector <= n; i += N_##Vector)                                                   \
      name##_piece (rows, weights, n_rows, out, i, 1);                                             \
    if (i < n && n >= N_##Vector)                                                                  \
      name##_piece (rows, weights, n_rows, out, n - N_##Vector, 1);                                \
    else                                                                                           \
      for (; i < n; i++)                                                                           \
        {                                                                                          \
          Type sum = 0;                                                                            \
          for (gint64 k = 0; k < n_rows; k++)                                                      \
            sum += rows[k][i] * (Type) weights[k];                                                 \
          out[i] = sum;                                                                            \
        }                                                                                          \
  }

SUM_ROWS (sum_rows_f32, float, f32s)
SUM_ROWS (sum_rows_f64, double, f64s)

/* ---- columns ---- */

#define SUM_COLUMNS(name, Type, Vector)                                                            \
  static void name (const Type *in, const ReelColumnTaps *taps, Type *restrict out)                \
  {                                                                                                \
    for (gint64 i = 0; i < taps->n * taps->inner; i++)                                             \
      {                                                                                            \
        gint64 pixel = i / taps->inner, element = i % taps->inner;                                 \
        const double *weights = taps->weights + pixel * taps->most;                                \
        const Type *at = in + (taps->first[pixel] * taps->inner + element) * REEL_IMAGE_LANES;     \
        Vector sums[REEL_IMAGE_LANES / N_##Vector] = { { 0 } };                                    \
        for (gint k = 0; k < taps->count[pixel]; k++, at += taps->inner * REEL_IMAGE_LANES)        \
          for (gint lane = 0; lane < REEL_IMAGE_LANES / N_##Vector; lane++)                        \
            sums[lane] += ((const Vector *) at)[lane] * (Type) weights[k];                         \
        for (gint lane = 0; lane < REEL_IMAGE_LANES / N_##Vector; lane++)                          \
          ((Vector *) (out + i * REEL_IMAGE_LANES))[lane] = sums[lane];                            \
      }                                                                                            \
  }

SUM_COLUMNS (sum_columns_f32, float, f32s)
SUM_COLUMNS (sum_columns_f64, double, f64s)

/* ---- rows to columns ---- */

/* Four rows of four elements at a time. */
#define LOW(a, b) __builtin_shufflevector (a, b, 0, 4, 1, 5)
#define HIGH(a, b) __builtin_shufflevector (a, b, 2, 6, 3, 7)

#define TURN(name, Type)                                                                           \
  typedef Type name##_four                                                                         \
      __attribute__ ((vector_size (4 * sizeof (Type)), aligned (sizeof (Type)), may_alias));       \
  REEL_VECTOR_INLINE void name##_block (const Type *in, gint64 in_stride, Type *restrict out,      \
                                        gint64 out_stride)                                         \
  {                                                                                                \
    name##_four a = *(const name##_four *) in, b = *(const name##_four *) (in + in_stride);        \
    name##_four c = *(const name##_four *) (in + 2 * in_stride);                                   \
    name##_four d = *(const name##_four *) (in + 3 * in_stride);                                   \
    name##_four ac = LOW (a, c), bd = LOW (b, d);                                                  \
    name##_four ca = HIGH (a, c), db = HIGH (b, d);                                                \
                                                                                                   \
    *(name##_four *) out = LOW (ac, bd);                                                           \
    *(name##_four *) (out + out_stride) = HIGH (ac, bd);                                           \
    *(name##_four *) (out + 2 * out_stride) = LOW (ca, db);                                        \
    *(name##_four *) (out + 3 * out_stride) = HIGH (ca, db);                                       \
  }                                                                                                \
  static void name (const Type *in, gint64 in_stride, gint64 n_rows, gint64 n, Type *restrict out, \
                    gint64 out_stride)                                                             \
  {                                                                                                \
    gint64 rows = n_rows / 4 * 4, columns = n / 4 * 4;                                             \
                                                                                                   \
    for (gint64 j = 0; j < columns; j += 4)                                                        \
      for (gint64 i = 0; i < rows; i += 4)                                                         \
        name##_block (in + i * in_stride + j, in_stride, out + j * out_stride + i, out_stride);    \
    for (gint64 i = 0; i < n_rows; i++)                                                            \
      for (gint64 j = i < rows ? columns : 0; j < n; j++)                                          \
        out[j * out_stride + i] = in[i * in_stride + j];                                           \
  }

TURN (turn_f32, float)
TURN (turn_f64, double)

/* ---- colours ---- */

/* The weights of torchvision's rgb_to_grayscale(), in ten-thousandths. */
#define RED 2989
#define GREEN 5870
#define BLUE 1140

#if defined(__AVX512BW__)
#define N_GRAY 16
#elif defined(__AVX2__)
#define N_GRAY 8
#endif

#if defined(__AVX2__)

/* Of 16 bytes, four pixels and some: red and green of each as 16 bits, then blue as 32. */
#define RED_GREEN _mm_setr_epi8 (0, -1, 1, -1, 3, -1, 4, -1, 6, -1, 7, -1, 9, -1, 10, -1)
#define BLUES _mm_setr_epi8 (2, -1, -1, -1, 5, -1, -1, -1, 8, -1, -1, -1, 11, -1, -1, -1)

REEL_VECTOR_INLINE void
gray_vector (const guint8 *in, float *out)
{
#if defined(__AVX512BW__)
  /* 48 bytes are 16 pixels. Each 128 bits get the 12 bytes of four, and four bytes more that the
   * shuffles leave out. */
  const __m512i fours = _mm512_setr_epi32 (0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12);
  __m512i v = _mm512_permutexvar_epi32 (fours, _mm512_maskz_loadu_epi32 (0xfff, in));
  __m512i rg = _mm512_shuffle_epi8 (v, _mm512_broadcast_i32x4 (RED_GREEN));
  __m512i b = _mm512_shuffle_epi8 (v, _mm512_broadcast_i32x4 (BLUES));
  __m512i sum = _mm512_add_epi32 (_mm512_madd_epi16 (rg, _mm512_set1_epi32 (GREEN << 16 | RED)),
                                  _mm512_madd_epi16 (b, _mm512_set1_epi32 (BLUE)));

  _mm512_storeu_ps (out, _mm512_cvtepi32_ps (sum));
#else
  const __m256i fours = _mm256_setr_epi32 (0, 1, 2, 3, 3, 4, 5, 6);
  /* Nothing is read behind the 24 bytes of eight pixels. */
  const __m256i six = _mm256_setr_epi32 (-1, -1, -1, -1, -1, -1, 0, 0);
  __m256i v = _mm256_permutevar8x32_epi32 (_mm256_maskload_epi32 ((const int *) in, six), fours);
  __m256i rg = _mm256_shuffle_epi8 (v, _mm256_broadcastsi128_si256 (RED_GREEN));
  __m256i b = _mm256_shuffle_epi8 (v, _mm256_broadcastsi128_si256 (BLUES));
  __m256i sum = _mm256_add_epi32 (_mm256_madd_epi16 (rg, _mm256_set1_epi32 (GREEN << 16 | RED)),
                                  _mm256_madd_epi16 (b, _mm256_set1_epi32 (BLUE)));

  _mm256_storeu_ps (out, _mm256_cvtepi32_ps (sum));
#endif
}

#endif

/* Whole numbers below 2^24, which floats say exactly. */
static void
gray_bytes (const guint8 *in, float *restrict out, gint64 n)
{
  gint64 i = 0;

#if defined(__AVX2__)
  for (; i + N_GRAY <= n; i += N_GRAY)
    gray_vector (in + 3 * i, out + i);
  if (i < n && n >= N_GRAY)
    {
      gray_vector (in + 3 * (n - N_GRAY), out + n - N_GRAY);
      return;
    }
#endif
  for (; i < n; i++)
    out[i] = (float) (RED * in[3 * i] + GREEN * in[3 * i + 1] + BLUE * in[3 * i + 2]);
}

/* in / 255 to the last bit: 257 / 65536 times a byte is exact, and the rest of 1 / 255 is so small
 * that its rounding is not seen in the sum. */
#define UNIT 0x1.01p-8f
#define UNIT_REST 0x1.010102p-24f
#define TO_UNIT(x) ((x) *UNIT + (x) *UNIT_REST)

#define GRAY_RED 0.2989f
#define GRAY_GREEN 0.587f
#define GRAY_BLUE 0.114f
#define TO_GRAY(r, g, b) (GRAY_RED * (r) + GRAY_GREEN * (g) + GRAY_BLUE * (b))

#if defined(__AVX2__)

/* Of 16 bytes, four pixels and some: one element of each as 32 bits. */
#define ELEMENTS(k)                                                                                \
  _mm_setr_epi8 (k, -1, -1, -1, k + 3, -1, -1, -1, k + 6, -1, -1, -1, k + 9, -1, -1, -1)

REEL_VECTOR_INLINE void
gray_unit_vector (const guint8 *in, float *out)
{
#if defined(__AVX512BW__)
  const __m512i fours = _mm512_setr_epi32 (0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12);
  __m512i v = _mm512_permutexvar_epi32 (fours, _mm512_maskz_loadu_epi32 (0xfff, in));
  f32s r =
      (f32s) _mm512_cvtepi32_ps (_mm512_shuffle_epi8 (v, _mm512_broadcast_i32x4 (ELEMENTS (0))));
  f32s g =
      (f32s) _mm512_cvtepi32_ps (_mm512_shuffle_epi8 (v, _mm512_broadcast_i32x4 (ELEMENTS (1))));
  f32s b =
      (f32s) _mm512_cvtepi32_ps (_mm512_shuffle_epi8 (v, _mm512_broadcast_i32x4 (ELEMENTS (2))));
#else
  const __m256i fours = _mm256_setr_epi32 (0, 1, 2, 3, 3, 4, 5, 6);
  const __m256i six = _mm256_setr_epi32 (-1, -1, -1, -1, -1, -1, 0, 0);
  __m256i v = _mm256_permutevar8x32_epi32 (_mm256_maskload_epi32 ((const int *) in, six), fours);
  f32s r = (f32s) _mm256_cvtepi32_ps (
      _mm256_shuffle_epi8 (v, _mm256_broadcastsi128_si256 (ELEMENTS (0))));
  f32s g = (f32s) _mm256_cvtepi32_ps (
      _mm256_shuffle_epi8 (v, _mm256_broadcastsi128_si256 (ELEMENTS (1))));
  f32s b = (f32s) _mm256_cvtepi32_ps (
      _mm256_shuffle_epi8 (v, _mm256_broadcastsi128_si256 (ELEMENTS (2))));
#endif
  *(f32s *) out = TO_GRAY (TO_UNIT (r), TO_UNIT (g), TO_UNIT (b));
}

#endif

static void
gray_unit_bytes (const guint8 *in, float *restrict out, gint64 n)
{
  gint64 i = 0;

#if defined(__AVX2__)
  for (; i + N_GRAY <= n; i += N_GRAY)
    gray_unit_vector (in + 3 * i, out + i);
  if (i < n && n >= N_GRAY)
    {
      gray_unit_vector (in + 3 * (n - N_GRAY), out + n - N_GRAY);
      return;
    }
#endif
  for (; i < n; i++)
    {
      float r = (float) in[3 * i], g = (float) in[3 * i + 1], b = (float) in[3 * i + 2];

      out[i] = TO_GRAY (TO_UNIT (r), TO_UNIT (g), TO_UNIT (b));
    }
}

#define GRAY(name, In, Out, Sum)                                                                   \
  static void name (const In *red, const In *green, const In *blue, gint64 stride,                 \
                    Out *restrict out, gint64 n)                                                   \
  {                                                                                                \
    const Sum r = (Sum) 0.2989, g = (Sum) 0.587, b = (Sum) 0.114;                                  \
                                                                                                   \
    if (stride == 1)                                                                               \
      for (gint64 i = 0; i < n; i++)                                                               \
        out[i] = (Out) (r * (Sum) red[i] + g * (Sum) green[i] + b * (Sum) blue[i]);                \
    else                                                                                           \
      for (gint64 i = 0; i < n; i++)                                                               \
        out[i] = (Out) (r * (Sum) red[i * stride] + g * (Sum) green[i * stride]                    \
                        + b * (Sum) blue[i * stride]);                                             \
  }

GRAY (gray_u8, guint8, guint8, float)
GRAY (gray_f32, float, float, float)
GRAY (gray_f64, double, double, double)

/* ---- bytes ---- */

static void
widen_u8 (const guint8 *in, float *restrict out, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    out[i] = (float) in[i];
}

static void
to_unit_u8 (const guint8 *in, float *restrict out, gint64 n)
{
  /* A product with a rounded 1/255 would have other bits than torch's division. */
  for (gint64 i = 0; i < n; i++)
    {
      float x = (float) in[i];

      out[i] = TO_UNIT (x);
    }
}

/* Whole vectors of the result from its first line on past the cache, the ends through it. */
static void
stream_unit_u8 (const guint8 *in, float *restrict out, gint64 n)
{
  gint64 i = 0;

#if defined(__AVX2__) && !defined(__SANITIZE_THREAD__)
  i = MIN ((gint64) (-(gsize) out % sizeof (f32s) / sizeof *out), n);
  to_unit_u8 (in, out, i);
  for (; i + N_f32s <= n; i += N_f32s)
    {
#if defined(__AVX512F__)
      f32s x = (f32s) _mm512_cvtepi32_ps (
          _mm512_cvtepu8_epi32 (_mm_loadu_si128 ((const __m128i *) (in + i))));

      _mm512_stream_ps (out + i, (__m512) TO_UNIT (x));
#else
      f32s x = (f32s) _mm256_cvtepi32_ps (
          _mm256_cvtepu8_epi32 (_mm_loadl_epi64 ((const __m128i *) (in + i))));

      _mm256_stream_ps (out + i, (__m256) TO_UNIT (x));
#endif
    }
  _mm_sfence ();
#endif
  to_unit_u8 (in + i, out + i, n - i);
}

static void
to_unit_f32 (float *values, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    values[i] /= 255.0f;
}

const ReelImageKernels REEL_KERNEL_NAME (reel_image_kernels) = {
  sum_rows_f32, sum_rows_f64, sum_columns_f32, sum_columns_f64, turn_f32,
  turn_f64,     widen_u8,     gray_bytes,      gray_unit_bytes, gray_u8,
  gray_f32,     gray_f64,     to_unit_u8,      stream_unit_u8,  to_unit_f32
};
