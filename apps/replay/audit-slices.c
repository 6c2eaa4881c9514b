/* Slices of trajectories, and where in them they begin. */
#include "audit.h"

static gint64
number_of_starts (const Audit *audit, const ReelTrajectory *trajectory)
{
  gint64 least = audit->span_right < 0 ? 1 : audit->slice_length - audit->span_right;

  if (!audit->definition->prioritized)
    return trajectory->n_steps - MIN (trajectory->n_steps, audit->slice_length) + 1;
  return MAX (trajectory->n_steps - least + 1, audit->strict ? 0 : 1);
}

/* Each trajectory has the same chance, and each place of it where a whole slice can begin; by
 * priority each place has that of its row. */
static void
set_chances (Audit *audit, Tally *trajectories, Tally *starts)
{
  for (gint64 k = 0; k < trajectories->n; k++)
    {
      gint64 first = audit->first_start[k];
      ReelTrajectory one;

      reel_trajectory_index_get (audit->index, k, &one);
      gint64 n = number_of_starts (audit, &one);
      for (gint64 i = 0; i < n; i++)
        {
          double chance = audit->definition->prioritized
                              ? audit_weight_of (audit, one.first_row + i * audit->view.lanes)
                              : 1 / (double) n;
          trajectories->chances[k] += chance;
          if (starts)
            starts->chances[first + i] = chance;
        }
    }
  audit_scale_chances (trajectories);
  if (starts)
    audit_scale_chances (starts);
}

static gboolean
prepare_trajectories (Audit *audit, gboolean with_starts, GError **error)
{
  gint64 n = reel_trajectory_index_get_n (audit->index), n_starts = 0;
  Tally *tally = audit_add_tally (audit, "trajectories", n, error), *starts = NULL;

  if (!tally)
    return FALSE;
  audit->numbers = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  audit->first_start = g_new (gint64, n);
  for (gint64 k = 0; k < n; k++)
    {
      ReelTrajectory one;

      reel_trajectory_index_get (audit->index, k, &one);
      g_hash_table_insert (audit->numbers, g_memdup2 (&one.first_row, sizeof one.first_row),
                           (gpointer) k);
      audit->first_start[k] = n_starts;
      n_starts += number_of_starts (audit, &one);
    }
  if (with_starts && !(starts = audit_add_tally (audit, "starts", n_starts, error)))
    return FALSE;
  set_chances (audit, tally, starts);
  return TRUE;
}

static gint64
get_span (ReelSampler *sampler, const char *name)
{
  gint64 span = 0;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (sampler), name))
    g_object_get (sampler, name, &span, NULL);
  return span;
}

gboolean
audit_prepare_slices (Audit *audit, GError **error)
{
  g_autofree char *end = NULL, *trajectory = NULL, *truncated = NULL;
  g_auto (GStrv) ends = NULL;
  gint64 n_slices, length;
  gboolean strict, whole;

  g_object_get (audit->sampler, "num-slices", &n_slices, "slice-len", &length, "end-key", &end,
                "end-keys", &ends, "traj-key", &trajectory, "truncated-key", &truncated,
                "strict-length", &strict, NULL);
  const char *one_end[] = { end, NULL };
  const ReelTrajectoryKeys keys = { .trajectory = trajectory && *trajectory ? trajectory : NULL,
                                    .ends = end && *end     ? one_end
                                            : ends && *ends ? (const char *const *) ends
                                                            : NULL };
  audit->span_right = get_span (audit->sampler, "span-right");
  audit->strict = strict;
  whole = get_span (audit->sampler, "span-left") == 0 && audit->span_right == 0;
  audit->slice_length = n_slices > 0 ? audit->batch_size / n_slices : length;
  audit->fixed_length = strict && whole;
  if (!audit->fixed_length && !audit_find_column (audit, truncated, &audit->last_column))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "cannot audit slices of several lengths without a truncated-key: set it, or "
                   "strict-length=true");
      return FALSE;
    }
  audit->index = reel_trajectory_index_new (audit->storage, &keys, error);
  return audit->index
         && reel_trajectory_index_follow (
             audit->index, &audit->view,
             strict && !audit->definition->prioritized ? MAX (audit->slice_length, 1) : 1, error)
         && prepare_trajectories (audit, whole || audit->definition->prioritized, error);
}

static gboolean
ends_here (const Audit *audit, const ReelDraw *draw, gint64 first, gint64 i)
{
  if (audit->fixed_length)
    return i - first + 1 == audit->slice_length;
  return draw->info[audit->last_column][i];
}

static gboolean
count_slice (Audit *audit, gint64 first_row, GError **error)
{
  ReelTrajectory trajectory;
  gpointer number;

  if (!reel_trajectory_index_find (audit->index, first_row, &trajectory)
      || !g_hash_table_lookup_extended (audit->numbers, &trajectory.first_row, NULL, &number))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "a slice begins at row %" G_GINT64_FORMAT ", which is in no trajectory that is "
                   "long enough",
                   first_row - audit->view.first_row);
      return FALSE;
    }
  gint64 k = (gint64) number;
  gint64 start = (first_row - trajectory.first_row) / audit->view.lanes;
  audit->tallies[0].seen[k]++;
  audit->n_drawn++;
  audit->n_twice += audit->in_pass[k];
  audit->in_pass[k] = audit->definition->once;
  if (audit->n_tallies < 2)
    return TRUE;
  if (start >= number_of_starts (audit, &trajectory))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "a slice begins %" G_GINT64_FORMAT
                   " steps into a trajectory of %" G_GINT64_FORMAT ", which leaves no room for it",
                   start, trajectory.n_steps);
      return FALSE;
    }
  audit->tallies[1].seen[audit->first_start[k] + start]++;
  return TRUE;
}

gboolean
audit_count_slices (Audit *audit, const gint64 *rows, gint64 n, const ReelDraw *draw,
                    GError **error)
{
  gint64 first = 0;

  for (gint64 i = 0; i < n; i++)
    if (ends_here (audit, draw, first, i))
      {
        if (!count_slice (audit, rows[first], error))
          return FALSE;
        first = i + 1;
      }
  return TRUE;
}
