#include "bounds-kernel.h"

/* Both comparisons are false for NaN, so "not inside" is one of a pair that is not true. */
#define TYPE(name, Type)                                                                           \
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
        guint32 outside = 0;                                                                       \
                                                                                                   \
        for (gint64 i = 0; i < end; i++)                                                           \
          outside |= !(v[at + i] >= from[i]) | !(v[at + i] <= to[i]);                              \
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

TYPE (uint8, guint8)
TYPE (int8, gint8)
TYPE (int16, gint16)
TYPE (int32, gint32)
TYPE (int64, gint64)
TYPE (uint16, guint16)
TYPE (uint32, guint32)
TYPE (uint64, guint64)
TYPE (float32, float)
TYPE (float64, double)

static void
scale_floats (float *restrict values, gint64 n, const double *restrict low,
              const double *restrict span, const float *restrict top)
{
  for (gint64 i = 0; i < n; i++)
    {
      float value = (float) (low[i] + values[i] * span[i]);
      values[i] = value < top[i] ? value : top[i];
    }
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
  .scale_floats = scale_floats,
  .scale_doubles = scale_doubles,
};
