#include "column-stats.h"

#include <math.h>

void
slot_runs_init (SlotRuns *runs, const ReelRingInfo *ring)
{
  gint64 n = ring->end - ring->begin;
  gint64 first = ring->capacity > 0 ? ring->begin % ring->capacity : 0;

  *runs = (SlotRuns){ 0 };
  if (n <= 0)
    return;
  if (n == ring->capacity)
    {
      runs->n = 1;
      runs->end[0] = n;
    }
  else if (first + n <= ring->capacity)
    {
      runs->n = 1;
      runs->begin[0] = first;
      runs->end[0] = first + n;
    }
  else
    {
      runs->n = 2;
      runs->end[0] = first + n - ring->capacity;
      runs->begin[1] = first;
      runs->end[1] = ring->capacity;
    }
}

#define SCAN(type)                                                                                 \
  for (gsize i = 0; i < n; i++)                                                                    \
    {                                                                                              \
      double value = (double) ((const type *) data)[i];                                            \
      low = value < low ? value : low;                                                             \
      high = value > high ? value : high;                                                          \
      sum += value;                                                                                \
    }

static void
scan_integers (ColumnStats *stats, ReelDtype dtype, const guint8 *data, gsize n)
{
  double low = stats->min, high = stats->max, sum = 0;

  switch (dtype)
    {
    case REEL_DTYPE_BOOL:
    case REEL_DTYPE_UINT8: SCAN (guint8) break;
    case REEL_DTYPE_INT8: SCAN (gint8) break;
    case REEL_DTYPE_INT16: SCAN (gint16) break;
    case REEL_DTYPE_INT32: SCAN (gint32) break;
    case REEL_DTYPE_INT64: SCAN (gint64) break;
    case REEL_DTYPE_UINT16: SCAN (guint16) break;
    case REEL_DTYPE_UINT32: SCAN (guint32) break;
    default: SCAN (guint64) break;
    }
  stats->min = low;
  stats->max = high;
  stats->sum += sum;
}

static void
scan_floats (ColumnStats *stats, ReelDtype dtype, const guint8 *data, gsize n)
{
  gsize size = reel_dtype_size (dtype);

  for (gsize i = 0; i < n; i++)
    {
      double value = dtype == REEL_DTYPE_FLOAT32 ? (double) ((const float *) data)[i]
                                                 : reel_dtype_load_double (dtype, data + i * size);
      if (isnan (value))
        {
          stats->n_nan++;
          continue;
        }
      stats->min = MIN (stats->min, value);
      stats->max = MAX (stats->max, value);
      stats->sum += value;
    }
}

static ReelDtype
part_of (ReelDtype dtype)
{
  switch (dtype)
    {
    case REEL_DTYPE_COMPLEX32: return REEL_DTYPE_FLOAT16;
    case REEL_DTYPE_COMPLEX64: return REEL_DTYPE_FLOAT32;
    case REEL_DTYPE_COMPLEX128: return REEL_DTYPE_FLOAT64;
    default: return dtype;
    }
}

void
column_stats_init (ColumnStats *stats, const ReelColumn *column, const SlotRuns *runs)
{
  ReelDtype dtype = part_of (column->dtype);
  gsize size = reel_dtype_size (dtype);

  *stats = (ColumnStats){ .min = INFINITY, .max = -INFINITY };
  for (guint i = 0; i < runs->n; i++)
    {
      const guint8 *data = column->data + (gsize) runs->begin[i] * column->step_bytes;
      gsize n = (gsize) (runs->end[i] - runs->begin[i]) * column->step_bytes / size;
      if (reel_dtype_is_float (dtype))
        scan_floats (stats, dtype, data, n);
      else
        scan_integers (stats, dtype, data, n);
      stats->n += (gint64) n;
    }
}

char *
column_digest (const ReelColumn *column, const SlotRuns *runs)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);

  for (guint i = 0; i < runs->n; i++)
    for (gint64 slot = runs->begin[i]; slot < runs->end[i]; slot++)
      g_checksum_update (checksum, column->data + (gsize) slot * column->step_bytes,
                         (gssize) column->step_bytes);
  return g_strdup (g_checksum_get_string (checksum));
}
