/* Statistics of the valid rows of a ring, beside a walk over its steps. */
#include "../apps/replay/column-stats.h"

#include <math.h>

#define MOST 5

/* Each slot has its number, but for those of @nans, which are not numbers. */
static void
check_ring (gint64 capacity, gint64 begin, gint64 end, guint nans)
{
  const ReelRingInfo ring = { .begin = begin, .end = end, .capacity = capacity };
  float values[MOST];
  const ReelColumn column = { .dtype = REEL_DTYPE_FLOAT32,
                              .data = (guint8 *) values,
                              .step_bytes = sizeof (float) };
  double min = INFINITY, max = -INFINITY, sum = 0;
  gint64 n_nan = 0;
  ColumnStats stats;
  SlotRuns runs;

  for (gint64 slot = 0; slot < capacity; slot++)
    values[slot] = nans >> slot & 1 ? NAN : (float) slot;
  for (gint64 step = begin; step < end; step++)
    {
      float value = values[step % capacity];

      n_nan += isnan (value);
      min = isnan (value) ? min : MIN (min, (double) value);
      max = isnan (value) ? max : MAX (max, (double) value);
      sum += isnan (value) ? 0 : (double) value;
    }
  slot_runs_init (&runs, &ring);
  column_stats_init (&stats, &column, &runs);
  g_assert_cmpint (stats.n, ==, end - begin);
  g_assert_cmpint (stats.n_nan, ==, n_nan);
  g_assert_cmpfloat (stats.min, ==, min);
  g_assert_cmpfloat (stats.max, ==, max);
  g_assert_cmpfloat (stats.sum, ==, sum);
}

static void
test_each_ring (void)
{
  for (gint64 capacity = 1; capacity <= MOST; capacity++)
    for (gint64 begin = 0; begin < 2 * capacity; begin++)
      for (gint64 end = begin; end <= begin + capacity; end++)
        for (guint nans = 0; nans < 1U << capacity; nans++)
          check_ring (capacity, begin, end, nans);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/apps/column-stats/each-ring", test_each_ring);
  return g_test_run ();
}
