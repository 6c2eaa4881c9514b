/* By way of what holds each value exactly, a double or, for 64 bits, the integer itself: 13 types
 * are 50 loops then and not 169. */
#include "convert-kernel.h"

#include "half.h"

#include <string.h>

/* Elements at a time: what they are made of and come by stays in the nearest cache. */
#define CHUNK 512

typedef void (*Load) (const guint8 *from, gint64 n, double *restrict wide);
typedef void (*Store) (gconstpointer wide, gint64 n, guint8 *restrict to);

/* ---- to doubles ---- */

#define LOAD(name, Type, expression)                                                               \
  static void load_##name (const guint8 *from, gint64 n, double *restrict wide)                    \
  {                                                                                                \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        Type v;                                                                                    \
        memcpy (&v, from + i * (gint64) sizeof v, sizeof v);                                       \
        wide[i] = expression;                                                                      \
      }                                                                                            \
  }

LOAD (bool, guint8, (double) (v != 0))
LOAD (uint8, guint8, (double) v)
LOAD (int8, gint8, (double) v)
LOAD (int16, gint16, (double) v)
LOAD (int32, gint32, (double) v)
LOAD (uint16, guint16, (double) v)
LOAD (uint32, guint32, (double) v)
LOAD (float16, guint16, reel_half_widen (v, REEL_BINARY16))
LOAD (bfloat16, guint16, reel_half_widen (v, REEL_BFLOAT16))
LOAD (float32, float, (double) v)

/* Those that are wide already have none. */
static const Load loads[REEL_N_DTYPES] = {
  [REEL_DTYPE_BOOL] = load_bool,         [REEL_DTYPE_UINT8] = load_uint8,
  [REEL_DTYPE_INT8] = load_int8,         [REEL_DTYPE_INT16] = load_int16,
  [REEL_DTYPE_INT32] = load_int32,       [REEL_DTYPE_UINT16] = load_uint16,
  [REEL_DTYPE_UINT32] = load_uint32,     [REEL_DTYPE_FLOAT16] = load_float16,
  [REEL_DTYPE_BFLOAT16] = load_bfloat16, [REEL_DTYPE_FLOAT32] = load_float32,
};

/* ---- from what is wide ---- */

#define STORE(wide_name, Wide, name, Type, expression)                                             \
  static void store_##wide_name##_##name (gconstpointer wide, gint64 n, guint8 *restrict to)       \
  {                                                                                                \
    const Wide *from = wide;                                                                       \
                                                                                                   \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        Wide v = from[i];                                                                          \
        Type element = expression;                                                                 \
        memcpy (to + i * (gint64) sizeof element, &element, sizeof element);                       \
      }                                                                                            \
  }

/* Within @low and @high, which are doubles; 0 for NaN. */
static inline double
clamp (double v, double low, double high)
{
  v = v == v ? v : 0;
  v = v > low ? v : low;
  return v < high ? v : high;
}

/* The limits are a power of two and one less, which no double is: what reaches the power is not
 * converted. */
static inline gint64
double_to_int64 (double v)
{
  double inside = v < 0x1p63 ? clamp (v, -0x1p63, 0x1p63) : 0;

  return v >= 0x1p63 ? G_MAXINT64 : (gint64) inside;
}

static inline guint64
double_to_uint64 (double v)
{
  double inside = v < 0x1p64 ? clamp (v, 0, 0x1p64) : 0;

  return v >= 0x1p64 ? G_MAXUINT64 : (guint64) inside;
}

/* Of 64 bits, those that a double has no room for, as one: whether anything follows is all that
 * rounding to a half need know. */
static inline guint64
shorten (guint64 magnitude)
{
  guint64 rest = magnitude & 0x7ff;

  return magnitude >> 53 == 0 ? magnitude : (magnitude ^ rest) | (guint64) (rest != 0) << 11;
}

static inline double
shorten_signed (gint64 v)
{
  guint64 magnitude = shorten (v < 0 ? -(guint64) v : (guint64) v);

  return v < 0 ? -(double) magnitude : (double) magnitude;
}

#define WITHIN(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))
#define BELOW(v, high) ((v) > (high) ? (high) : (v))

STORE (double, double, bool, guint8, v != 0)
STORE (double, double, uint8, guint8, (guint8) (gint32) clamp (v, 0, G_MAXUINT8))
STORE (double, double, int8, gint8, (gint8) (gint32) clamp (v, G_MININT8, G_MAXINT8))
STORE (double, double, int16, gint16, (gint16) (gint32) clamp (v, G_MININT16, G_MAXINT16))
STORE (double, double, int32, gint32, (gint32) clamp (v, G_MININT32, G_MAXINT32))
STORE (double, double, int64, gint64, double_to_int64 (v))
STORE (double, double, uint16, guint16, (guint16) (gint32) clamp (v, 0, G_MAXUINT16))
STORE (double, double, uint32, guint32, (guint32) (gint64) clamp (v, 0, G_MAXUINT32))
STORE (double, double, uint64, guint64, double_to_uint64 (v))
STORE (double, double, float16, guint16, reel_half_narrow (v, REEL_BINARY16))
STORE (double, double, bfloat16, guint16, reel_half_narrow (v, REEL_BFLOAT16))
STORE (double, double, float32, float, (float) v)
STORE (double, double, float64, double, v)

STORE (int64, gint64, bool, guint8, v != 0)
STORE (int64, gint64, uint8, guint8, (guint8) WITHIN (v, 0, G_MAXUINT8))
STORE (int64, gint64, int8, gint8, (gint8) WITHIN (v, G_MININT8, G_MAXINT8))
STORE (int64, gint64, int16, gint16, (gint16) WITHIN (v, G_MININT16, G_MAXINT16))
STORE (int64, gint64, int32, gint32, (gint32) WITHIN (v, G_MININT32, G_MAXINT32))
STORE (int64, gint64, int64, gint64, v)
STORE (int64, gint64, uint16, guint16, (guint16) WITHIN (v, 0, G_MAXUINT16))
STORE (int64, gint64, uint32, guint32, (guint32) WITHIN (v, 0, G_MAXUINT32))
STORE (int64, gint64, uint64, guint64, (guint64) (v < 0 ? 0 : v))
STORE (int64, gint64, float16, guint16, reel_half_narrow (shorten_signed (v), REEL_BINARY16))
STORE (int64, gint64, bfloat16, guint16, reel_half_narrow (shorten_signed (v), REEL_BFLOAT16))
STORE (int64, gint64, float32, float, (float) v)
STORE (int64, gint64, float64, double, (double) v)

STORE (uint64, guint64, bool, guint8, v != 0)
STORE (uint64, guint64, uint8, guint8, (guint8) BELOW (v, G_MAXUINT8))
STORE (uint64, guint64, int8, gint8, (gint8) BELOW (v, G_MAXINT8))
STORE (uint64, guint64, int16, gint16, (gint16) BELOW (v, G_MAXINT16))
STORE (uint64, guint64, int32, gint32, (gint32) BELOW (v, G_MAXINT32))
STORE (uint64, guint64, int64, gint64, (gint64) BELOW (v, G_MAXINT64))
STORE (uint64, guint64, uint16, guint16, (guint16) BELOW (v, G_MAXUINT16))
STORE (uint64, guint64, uint32, guint32, (guint32) BELOW (v, G_MAXUINT32))
STORE (uint64, guint64, uint64, guint64, v)
STORE (uint64, guint64, float16, guint16, reel_half_narrow ((double) shorten (v), REEL_BINARY16))
STORE (uint64, guint64, bfloat16, guint16, reel_half_narrow ((double) shorten (v), REEL_BFLOAT16))
STORE (uint64, guint64, float32, float, (float) v)
STORE (uint64, guint64, float64, double, (double) v)

#define STORES(wide)                                                                               \
  {                                                                                                \
    [REEL_DTYPE_BOOL] = store_##wide##_bool, [REEL_DTYPE_UINT8] = store_##wide##_uint8,            \
    [REEL_DTYPE_INT8] = store_##wide##_int8, [REEL_DTYPE_INT16] = store_##wide##_int16,            \
    [REEL_DTYPE_INT32] = store_##wide##_int32, [REEL_DTYPE_INT64] = store_##wide##_int64,          \
    [REEL_DTYPE_UINT16] = store_##wide##_uint16, [REEL_DTYPE_UINT32] = store_##wide##_uint32,      \
    [REEL_DTYPE_UINT64] = store_##wide##_uint64, [REEL_DTYPE_FLOAT16] = store_##wide##_float16,    \
    [REEL_DTYPE_BFLOAT16] = store_##wide##_bfloat16,                                               \
    [REEL_DTYPE_FLOAT32] = store_##wide##_float32, [REEL_DTYPE_FLOAT64] = store_##wide##_float64,  \
  }

static const Store of_doubles[REEL_N_DTYPES] = STORES (double);
static const Store of_int64s[REEL_N_DTYPES] = STORES (int64);
static const Store of_uint64s[REEL_N_DTYPES] = STORES (uint64);

static void
convert (ReelDtype from_dtype, const guint8 *from, ReelDtype to_dtype, guint8 *to, gsize n)
{
  gsize from_size = reel_dtype_size (from_dtype), to_size = reel_dtype_size (to_dtype), size;
  const Store *stores = from_dtype == REEL_DTYPE_INT64    ? of_int64s
                        : from_dtype == REEL_DTYPE_UINT64 ? of_uint64s
                                                          : of_doubles;
  union
  {
    double of_doubles[CHUNK];
    gint64 of_int64s[CHUNK];
    guint64 of_uint64s[CHUNK];
  } wide;

  for (; n > 0; n -= size, from += size * from_size, to += size * to_size)
    {
      size = MIN (n, CHUNK);
      if (loads[from_dtype])
        loads[from_dtype](from, (gint64) size, wide.of_doubles);
      else
        memcpy (&wide, from, size * from_size);
      stores[to_dtype](&wide, (gint64) size, to);
    }
}

const ReelConvertKernels REEL_KERNEL_NAME (reel_convert_kernels) = { convert };
