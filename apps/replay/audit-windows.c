/* Windows of rows around those that another sampler draws: each row of one follows from the anchor.
 */
#include "audit.h"

/* The words of episode-boundary, in their order. */
enum
{
  PAD,
  STOP,
  INCLUDE_RESET,
};

void
audit_clear_windows (Audit *audit)
{
  g_clear_pointer (&audit->windows.index, reel_trajectory_index_free);
  g_clear_pointer (&audit->windows.anchors, g_free);
}

gboolean
audit_prepare_windows (Audit *audit, GError **error)
{
  Windows *windows = &audit->windows;
  g_autofree char *done = NULL;
  gint64 bootstrap;
  gint boundary;

  if (audit->by == audit->sampler)
    return TRUE;
  g_object_get (audit->sampler, "length", &windows->length, "burn-in", &windows->burn_in,
                "bootstrap", &bootstrap, "dilation", &windows->dilation, "episode-boundary",
                &boundary, "done-key", &done, NULL);
  windows->n_rows = windows->burn_in + windows->length + bootstrap;
  windows->stop = boundary == STOP;
  windows->anchors = g_new (gint64, audit->batch_size / windows->n_rows + 1);
  if (boundary == INCLUDE_RESET || !done || !*done)
    return TRUE;
  const char *ends[] = { done, NULL };
  windows->index =
      reel_trajectory_index_new (audit->storage, &(ReelTrajectoryKeys){ .ends = ends }, error);
  return windows->index && reel_trajectory_index_follow (windows->index, &audit->view, 1, error);
}

/* Steps from a row to the oldest of its trajectory, or lane, and to the newest. */
static void
find_ends (const Audit *audit, gint64 row, gint64 *before, gint64 *behind)
{
  const ReelStorageView *view = &audit->view;
  ReelTrajectory trajectory = { 0 };

  *before = (row - view->first_row) / view->lanes;
  *behind = (view->end_row - 1 - row) / view->lanes;
  if (!audit->windows.index || !reel_trajectory_index_find (audit->windows.index, row, &trajectory))
    return;
  *before = (row - trajectory.first_row) / view->lanes;
  *behind = trajectory.n_steps - 1 - *before;
}

/* The row that the batch says the window is around: its number from the index of its slot. */
static gint64
read_anchor (const Audit *audit, const gint64 *index)
{
  gint ndim = reel_storage_get_ndim (audit->storage), n;
  const gint64 *shape = reel_tensordict_get_batch_size (reel_storage_get_data (audit->storage), &n);
  const ReelStorageView *view = &audit->view;
  gint64 slot = 0;

  for (gint d = 0; d < ndim; d++)
    slot = slot * shape[d] + index[d];
  gint64 row = view->first_row - view->first_row % view->capacity + slot;
  return row < view->first_row ? row + view->capacity : row;
}

/* The expected info of a row. */
typedef struct
{
  gint64 row;
  gint64 id;
  gint64 step;
  gboolean learning;
  gboolean valid;
} Expected;

static Expected
expect (const Audit *audit, gint64 anchor, gint64 id, gint64 step)
{
  const Windows *windows = &audit->windows;
  gint64 before, behind, offset = (step - windows->burn_in) * windows->dilation;
  gint64 last = (windows->n_rows - 1 - windows->burn_in) * windows->dilation;

  find_ends (audit, anchor, &before, &behind);
  if (windows->stop && last > behind)
    offset -= MIN (last - behind, before);
  gint64 inside = MIN (MAX (offset, -before), behind);
  return (Expected){ anchor + inside * audit->view.lanes, id, step,
                     step >= windows->burn_in && step < windows->burn_in + windows->length,
                     inside == offset };
}

/* The columns that say so, in the order of their names here. */
static gboolean
find_columns (const Audit *audit, guint columns[5], GError **error)
{
  static const char *const names[] = { "anchor_index", "sequence_id", "step_in_sequence",
                                       "learning_mask", "validity_mask" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (!audit_find_column (audit, names[i], &columns[i]))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                     "cannot audit windows: batches lack the key %s", names[i]);
        return FALSE;
      }
  return TRUE;
}

static gboolean
equal (const Expected *expected, const ReelDraw *draw, const guint columns[5], gint64 i)
{
  return draw->rows[i] == expected->row
         && ((const gint64 *) (gpointer) draw->info[columns[1]])[i] == expected->id
         && ((const gint64 *) (gpointer) draw->info[columns[2]])[i] == expected->step
         && draw->info[columns[3]][i] == expected->learning
         && draw->info[columns[4]][i] == expected->valid;
}

static void
set_fault (const Audit *audit, gint64 anchor, gint64 row, const Expected *expected, GError **error)
{
  gint64 first = audit->view.first_row;

  if (row != expected->row)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "place %" G_GINT64_FORMAT " of the window around row %" G_GINT64_FORMAT
                 " has row %" G_GINT64_FORMAT ", and not row %" G_GINT64_FORMAT,
                 expected->step, anchor - first, row - first, expected->row - first);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "place %" G_GINT64_FORMAT " of the window around row %" G_GINT64_FORMAT
                 " has a wrong sequence_id, step_in_sequence, learning_mask or validity_mask",
                 expected->step, anchor - first);
}

gboolean
audit_check_windows (Audit *audit, const ReelDraw *draw, GError **error)
{
  gint ndim = reel_storage_get_ndim (audit->storage);
  gint64 n_rows = audit->windows.n_rows;
  guint columns[5];

  if (!find_columns (audit, columns, error))
    return FALSE;
  const gint64 *index = (const gint64 *) (gpointer) draw->info[columns[0]];
  for (gint64 i = 0; i < draw->n; i++)
    {
      gint64 anchor = read_anchor (audit, index + i * ndim);
      Expected expected = expect (audit, anchor, i / n_rows, i % n_rows);

      audit->windows.anchors[i / n_rows] = anchor;
      if (equal (&expected, draw, columns, i))
        continue;
      set_fault (audit, anchor, draw->rows[i], &expected, error);
      return FALSE;
    }
  return TRUE;
}
