#include "audit.h"

#include <string.h>

static const Definition definitions[] = {
  { .type = "ReelRandomSampler", audit_prepare_rows, audit_count_rows },
  { .type = "ReelWithoutReplacementSampler", audit_prepare_rows, audit_count_rows, .once = TRUE },
  { .type = "ReelPrioritizedSampler", audit_prepare_rows, audit_count_rows, .prioritized = TRUE },
  { .type = "ReelConsumingSampler",
    audit_prepare_consuming,
    audit_count_consuming,
    .end_pass = audit_end_consuming },
  { .type = "ReelStalenessAwareSampler", audit_prepare_staleness, audit_count_staleness },
  { .type = "ReelSliceSampler", audit_prepare_slices, audit_count_slices },
  { .type = "ReelSliceWithoutReplacementSampler",
    audit_prepare_slices,
    audit_count_slices,
    .once = TRUE },
  { .type = "ReelPrioritizedSliceSampler",
    audit_prepare_slices,
    audit_count_slices,
    .prioritized = TRUE },
};

void
audit_clear (Audit *audit)
{
  for (guint i = 0; i < audit->n_tallies; i++)
    {
      g_free (audit->tallies[i].chances);
      g_free (audit->tallies[i].seen);
    }
  audit_clear_risk (audit);
  audit_clear_windows (audit);
  g_clear_pointer (&audit->index, reel_trajectory_index_free);
  g_clear_pointer (&audit->numbers, g_hash_table_unref);
  g_clear_pointer (&audit->first_start, g_free);
  g_clear_pointer (&audit->in_pass, g_free);
  g_clear_object (&audit->sampler);
}

/* ---- preparing ---- */

static gboolean
find_definition (Audit *audit, GError **error)
{
  ReelSampler *anchors = reel_sampler_get_anchors (audit->sampler);

  audit->by = anchors ? anchors : audit->sampler;
  for (guint i = 0; i < G_N_ELEMENTS (definitions); i++)
    if (g_str_equal (definitions[i].type, G_OBJECT_TYPE_NAME (audit->by)))
      audit->definition = &definitions[i];
  if (audit->definition)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "there is no definition to compare the sampler \"%s\" with",
               reel_object_get_id (REEL_OBJECT (audit->by)));
  return FALSE;
}

gboolean
audit_prepare (Audit *audit, GError **error)
{
  if (!find_definition (audit, error))
    return FALSE;
  reel_storage_get_view (audit->storage, &audit->view);
  if (audit->view.end_row == audit->view.first_row)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "Cannot sample from an empty storage.");
      return FALSE;
    }
  if (!reel_sampler_bind (audit->sampler, audit->storage, error)
      || !audit_prepare_weights (audit, error) || !audit_prepare_windows (audit, error)
      || !audit->definition->prepare (audit, error))
    return FALSE;
  audit->in_pass = g_new0 (guint8, audit->tallies[0].n);
  return TRUE;
}

/* ---- drawing ---- */

static gboolean
end_pass (Audit *audit, GError **error)
{
  audit->n_passes++;
  memset (audit->in_pass, 0, (gsize) audit->tallies[0].n);
  return !audit->definition->end_pass || audit->definition->end_pass (audit, error);
}

static gboolean
draw_one (Audit *audit, ReelDraw *draw, GError **error)
{
  gint64 n_rows = MAX (audit->windows.n_rows, 1);

  draw->n = audit->batch_size;
  if (!reel_sampler_sample (audit->sampler, audit->storage, &audit->view, draw, error)
      || (audit->windows.n_rows > 0 && !audit_check_windows (audit, draw, error)))
    return FALSE;
  const gint64 *rows = audit->windows.n_rows > 0 ? audit->windows.anchors : draw->rows;
  return audit->definition->count (audit, rows, draw->n / n_rows, draw, error)
         && (!reel_sampler_get_ran_out (audit->sampler) || end_pass (audit, error));
}

/* Room for what the sampler says of the rows of a batch. */
static GPtrArray *
new_info (const Audit *audit)
{
  GPtrArray *info = g_ptr_array_new_with_free_func (g_free);
  guint n;
  const ReelInfoColumn *columns = reel_sampler_list_info (audit->sampler, &n);

  for (guint i = 0; i < n; i++)
    {
      gsize row = reel_dtype_size (columns[i].dtype)
                  * (gsize) (columns[i].ndim > 0 ? columns[i].shape[0] : 1);
      g_ptr_array_add (info, g_malloc0_n ((gsize) audit->batch_size, row));
    }
  return info;
}

gboolean
audit_draw (Audit *audit, GError **error)
{
  g_autofree gint64 *rows = g_new (gint64, audit->batch_size);
  g_autoptr (GPtrArray) info = new_info (audit);
  ReelDraw draw = { .rows = rows, .info = (guint8 *const *) info->pdata };

  for (gint64 i = 0; i < audit->n_batches; i++)
    if (!draw_one (audit, &draw, error))
      return FALSE;
  if (audit->risk.since)
    audit_end_risk (audit);
  return TRUE;
}
