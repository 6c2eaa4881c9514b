#include "step-rows.h"

#include <string.h>

struct _StepRows
{
  gint64 n; /* steps of a row */
  const ReelColumn *mask, *ids, *ends;
  GArray *episodes;
};

/* ---- where they are ---- */

/* A column of one element a step. */
static const ReelColumn *
find_column (ReelStorage *storage, const char *path, ReelDtype dtype, gint64 n)
{
  guint n_columns;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n_columns);
  gint i = reel_storage_find_column (storage, path, NULL);

  if (i < 0 || columns[i].dtype != dtype
      || columns[i].row_bytes != (gsize) n * reel_dtype_size (dtype))
    return NULL;
  return &columns[i];
}

static const ReelColumn *
find_either (ReelStorage *storage, const char *path, const char *other, ReelDtype dtype, gint64 n)
{
  const ReelColumn *column = find_column (storage, path, dtype, n);

  return column ? column : find_column (storage, other, dtype, n);
}

/* The dimension that the tensordicts of rows have, or 0. */
static gint64
count_steps (ReelStorage *storage)
{
  const ReelTensordict *data = reel_storage_get_data (storage);
  gint ndim = 0;
  const gint64 *shape = data ? reel_tensordict_get_batch_size (data, &ndim) : NULL;

  return ndim == reel_storage_get_ndim (storage) + 1 && reel_storage_get_lanes (storage) == 1
             ? shape[ndim - 1]
             : 0;
}

/* Whether a collector wrote the rows from its batches: of those, the dimension is time. */
static gboolean
is_run (ReelReplayBuffer *buffer)
{
  g_autofree char *options = reel_replay_buffer_dup_info (buffer, "options");

  return options && !strstr (options, "extend-buffer=false");
}

StepRows *
step_rows_new (ReelReplayBuffer *buffer)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  g_autoptr (StepRows) self = g_new0 (StepRows, 1);

  self->n = count_steps (storage);
  self->episodes = g_array_new (FALSE, FALSE, sizeof (ReelTrajectory));
  if (self->n == 0)
    return NULL;
  self->mask = find_either (storage, "collector/mask", "mask", REEL_DTYPE_BOOL, self->n);
  self->ids = find_either (storage, "collector/traj_ids", "traj_ids", REEL_DTYPE_INT64, self->n);
  self->ends = find_column (storage, "next/done", REEL_DTYPE_BOOL, self->n);
  return self->mask || is_run (buffer) ? g_steal_pointer (&self) : NULL;
}

void
step_rows_free (StepRows *self)
{
  g_array_unref (self->episodes);
  g_free (self);
}

/* ---- episodes ---- */

void
step_rows_cut (const StepMarks *marks, gint64 n, gint64 first, GArray *episodes)
{
  gboolean goes_on = FALSE;

  for (gint64 i = 0; i < n; i++)
    {
      if (marks->mask && !marks->mask[i])
        {
          goes_on = FALSE;
          continue;
        }
      if (goes_on && (!marks->ids || marks->ids[i] == marks->ids[i - 1]))
        g_array_index (episodes, ReelTrajectory, episodes->len - 1).n_steps++;
      else
        {
          const ReelTrajectory next = { first + i, 1 };
          g_array_append_val (episodes, next);
        }
      goes_on = !marks->ends || !marks->ends[i];
    }
}

static gconstpointer
at (const ReelColumn *column, gint64 slot)
{
  return column ? column->data + (gsize) slot * column->row_stride : NULL;
}

gint64
step_rows_count (const StepRows *self)
{
  return self->n;
}

void
step_rows_follow (StepRows *self, const ReelStorageView *rows)
{
  g_array_set_size (self->episodes, 0);
  for (gint64 row = rows->first_row; row < rows->end_row; row++)
    {
      gint64 slot = row % rows->capacity;
      const StepMarks marks = { at (self->mask, slot), at (self->ids, slot),
                                at (self->ends, slot) };

      step_rows_cut (&marks, self->n, row * self->n, self->episodes);
    }
}

const GArray *
step_rows_get_episodes (const StepRows *self)
{
  return self->episodes;
}
