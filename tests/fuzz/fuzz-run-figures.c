/* Figures of a run from any bytes: rows that are read have rising steps, and are averaged. */
#include "../../apps/learn/run-groups.h"
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>

/* The mean of runs that are the same is the run, but for its rounding. */
static void
check_curve (GPtrArray *runs, const char *figure)
{
  g_autoptr (GPtrArray) groups = run_groups_new (runs);
  g_auto (Curve) curve = { 0 };

  if (groups->len != 1)
    abort ();
  run_group_average (g_ptr_array_index (groups, 0), figure, &curve);
  for (guint i = 0; i < curve.n; i++)
    if (!(curve.low[i] <= curve.high[i]) || !isfinite (curve.mean[i])
        || (i > 0 && !(curve.x[i - 1] < curve.x[i])))
      abort ();
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func ((GDestroyNotify) saved_run_free);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 2; i++)
    {
      SavedRun *run = g_new0 (SavedRun, 1);

      run->config = json_pack ("{s:s}", "learner", "it");
      g_ptr_array_add (runs, run);
      if (!saved_run_parse (run, (const char *) data, size, "it", i == 0 ? &error : NULL))
        return error && i == 0 ? 0 : (abort (), 0);
    }

  const SavedRun *run = g_ptr_array_index (runs, 0);

  if (error || (run->n_rows > 0 && run->n_names == 0))
    abort ();
  for (guint i = 1; i < run->n_rows; i++)
    if (!(saved_run_get (run, i - 1, 0) < saved_run_get (run, i, 0)))
      abort ();
  for (guint i = 0; i < MIN (run->n_names, 3); i++)
    check_curve (runs, run->names[i]);
  return 0;
}
