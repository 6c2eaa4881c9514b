/* Rows that are not drawn again for a while, so that the chances of the others grow: no row twice
 * in a batch, or none more often than it is to be given. */
#include "audit.h"

#include "../common/free-memory.h"

#include <string.h>

void
audit_clear_risk (Audit *audit)
{
  g_clear_pointer (&audit->risk.weights, g_free);
  g_clear_pointer (&audit->risk.since, g_free);
  g_clear_pointer (&audit->risk.given, g_free);
  g_clear_pointer (&audit->staleness, g_free);
}

/* The weights are to be set. */
static gboolean
prepare_risk (Audit *audit, GError **error)
{
  if (!audit_prepare_rows (audit, error))
    return FALSE;
  gint64 n = audit->tallies[0].n;
  if (!free_memory_check ("rows", n * (gint64) (3 * sizeof (double) + sizeof (gint64)), error))
    return FALSE;
  audit->risk.weights = g_new0 (double, n);
  audit->risk.since = g_new0 (double, n);
  audit->risk.given = g_new0 (gint64, n);
  memset (audit->tallies[0].chances, 0, (gsize) n * sizeof (double));
  return TRUE;
}

static void
let_go (Audit *audit, gint64 row)
{
  Risk *risk = &audit->risk;

  audit->tallies[0].chances[row] += risk->weights[row] * (risk->hazard - risk->since[row]);
  risk->left -= risk->weights[row];
  risk->since[row] = -1;
}

static void
let_back (Risk *risk, gint64 row)
{
  if (risk->since[row] >= 0)
    return;
  risk->left += risk->weights[row];
  risk->since[row] = risk->hazard;
}

static void
let_all_back (Audit *audit)
{
  Risk *risk = &audit->risk;

  for (gint64 row = 0; row < audit->tallies[0].n; row++)
    {
      let_back (risk, row);
      risk->given[row] = 0;
    }
}

/* It is gone until it is let back. */
static void
count_draw (Audit *audit, gint64 row)
{
  Risk *risk = &audit->risk;

  audit->tallies[0].seen[row]++;
  audit->n_drawn++;
  risk->given[row]++;
  if (risk->left > 0)
    risk->hazard += 1 / risk->left;
  if (risk->since[row] < 0)
    audit->n_twice++;
  else
    let_go (audit, row);
}

void
audit_end_risk (Audit *audit)
{
  for (gint64 row = 0; row < audit->tallies[0].n; row++)
    if (audit->risk.since[row] >= 0)
      let_go (audit, row);
  audit_scale_chances (&audit->tallies[0]);
}

/* ---- each so many times ---- */

gboolean
audit_prepare_consuming (Audit *audit, GError **error)
{
  if (!prepare_risk (audit, error))
    return FALSE;
  g_object_get (audit->by, "max-sample-count", &audit->most_given, NULL);
  for (gint64 row = 0; row < audit->tallies[0].n; row++)
    audit->risk.weights[row] = 1;
  audit->risk.left = (double) audit->tallies[0].n;
  return TRUE;
}

gboolean
audit_count_consuming (Audit *audit, const gint64 *rows, gint64 n, const ReelDraw *draw,
                       GError **error)
{
  gint64 first = audit->view.first_row;

  for (gint64 i = 0; i < n; i++)
    count_draw (audit, rows[i] - first);
  for (gint64 i = 0; i < n; i++)
    if (audit->risk.given[rows[i] - first] < audit->most_given)
      let_back (&audit->risk, rows[i] - first);
  return TRUE;
}

/* A seed that has nothing to do with its neighbours' (Knuth's MMIX generator). */
static gint64
next_seed (gint64 seed)
{
  return (gint64) (((guint64) seed * 6364136223846793005u + 1442695040888963407u) >> 1);
}

/* Nothing is left to draw, and nobody writes: another sampler begins anew. */
gboolean
audit_end_consuming (Audit *audit, GError **error)
{
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (audit->sampler));
  g_autofree char *seed =
      g_strdup_printf ("%" G_GINT64_FORMAT, next_seed (reel_sampler_get_seed (audit->sampler)));
  ReelSampler *anew =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, text, error, "seed", seed, NULL);

  for (gint64 row = 0; row < audit->tallies[0].n; row++)
    audit->n_missed += audit->risk.given[row] < audit->most_given;
  let_all_back (audit);
  g_object_unref (audit->sampler);
  audit->by = audit->sampler = anew;
  return anew && reel_sampler_bind (anew, audit->storage, error);
}

/* ---- by the age of their policy ---- */

/* How stale each row is. */
static void
read_staleness (Audit *audit)
{
  g_autofree char *key = NULL;
  gint64 consumer;
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (audit->storage, &n), *column;

  g_object_get (audit->by, "version-key", &key, "consumer-version", &consumer, NULL);
  column = &columns[reel_storage_find_column (audit->storage, key, NULL)]; /* it is bound */
  audit->staleness = g_new (double, audit->tallies[0].n);
  for (gint64 i = 0; i < audit->tallies[0].n; i++)
    {
      gint64 slot = (audit->view.first_row + i) % audit->view.capacity;
      const guint8 *version = column->data + (gsize) slot * column->row_stride;

      audit->staleness[i] = (double) consumer - reel_dtype_load_double (column->dtype, version);
    }
}

gboolean
audit_prepare_staleness (Audit *audit, GError **error)
{
  gint64 most;

  if (!prepare_risk (audit, error))
    return FALSE;
  read_staleness (audit);
  g_object_get (audit->by, "max-staleness", &most, NULL);
  for (gint64 i = 0; i < audit->tallies[0].n; i++)
    {
      if (most < 0 || audit->staleness[i] <= (double) most)
        audit->risk.weights[i] = 1 / (MAX (audit->staleness[i], 0) + 1);
      audit->risk.left += audit->risk.weights[i];
      audit->n_fresh += audit->risk.weights[i] > 0;
    }
  if (audit_find_column (audit, "staleness", &audit->staleness_column))
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "cannot audit the sampler: its batches lack the key staleness");
  return FALSE;
}

static gboolean
check_staleness (const Audit *audit, gint64 row, float said, GError **error)
{
  float staleness = (float) audit->staleness[row];

  if (said == staleness)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "row %" G_GINT64_FORMAT " has a staleness of %g, and must have %g", row, said,
               staleness);
  return FALSE;
}

/* No row twice in a batch, unless there are too few. */
gboolean
audit_count_staleness (Audit *audit, const gint64 *rows, gint64 n, const ReelDraw *draw,
                       GError **error)
{
  const float *said = (const float *) (gpointer) draw->info[audit->staleness_column];
  gint64 first = audit->view.first_row, n_rows = MAX (audit->windows.n_rows, 1);

  for (gint64 i = 0; i < n; i++)
    {
      if (!check_staleness (audit, rows[i] - first, said[i * n_rows], error))
        return FALSE;
      count_draw (audit, rows[i] - first);
      if (n > audit->n_fresh)
        let_back (&audit->risk, rows[i] - first);
    }
  for (gint64 i = 0; i < n; i++)
    let_back (&audit->risk, rows[i] - first);
  return TRUE;
}
