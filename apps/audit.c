#include "audit.h"

#include "free-memory.h"

#include <math.h>
#include <string.h>

#define CHUNK 4096
#define N_PRIORITIES 7

typedef struct _Definition
{
  const char *type;
  gboolean slices;      /* of trajectories, rather than rows */
  gboolean once;        /* each once before any comes again */
  gboolean prioritized; /* by priority, rather than all with the same chance */
} Definition;

static const Definition definitions[] = {
  { "ReelRandomSampler", FALSE, FALSE, FALSE },
  { "ReelWithoutReplacementSampler", FALSE, TRUE, FALSE },
  { "ReelPrioritizedSampler", FALSE, FALSE, TRUE },
  { "ReelSliceSampler", TRUE, FALSE, FALSE },
  { "ReelSliceWithoutReplacementSampler", TRUE, TRUE, FALSE },
  { "ReelPrioritizedSliceSampler", TRUE, FALSE, TRUE },
};

void
audit_clear (Audit *audit)
{
  for (guint i = 0; i < audit->n_tallies; i++)
    {
      g_free (audit->tallies[i].chances);
      g_free (audit->tallies[i].seen);
    }
  g_clear_pointer (&audit->index, reel_trajectory_index_free);
  g_clear_pointer (&audit->numbers, g_hash_table_unref);
  g_clear_pointer (&audit->first_start, g_free);
  g_clear_pointer (&audit->in_pass, g_free);
}

static Tally *
add_tally (Audit *audit, const char *name, gint64 n, GError **error)
{
  Tally *tally = &audit->tallies[audit->n_tallies];

  if (!free_memory_check (name, n * (gint64) (sizeof (double) + sizeof (gint64)), error))
    return NULL;
  *tally = (Tally){ name, n, g_new0 (double, n), g_new0 (gint64, n) };
  audit->n_tallies++;
  return tally;
}

/* ---- rows ---- */

/* Priorities that are known: 1 to 7 in turn. */
static gboolean
set_priorities (Audit *audit, GError **error)
{
  gint64 slots[CHUNK];
  double priorities[CHUNK];

  for (gint64 row = audit->view.first_row; row < audit->view.end_row; row += CHUNK)
    {
      gint64 n = MIN (CHUNK, audit->view.end_row - row);

      for (gint64 i = 0; i < n; i++)
        {
          slots[i] = (row + i) % audit->view.capacity;
          priorities[i] = 1 + (double) ((row + i - audit->view.first_row) % N_PRIORITIES);
        }
      if (!reel_sampler_update_priority (audit->sampler, audit->storage, slots, n, priorities,
                                         error))
        return FALSE;
    }
  return TRUE;
}

/* Of each row: how its chance is to that of the others. Takes those priorities for granted. */
static gboolean
prepare_weights (Audit *audit, GError **error)
{
  double alpha = 0, eps = 0;

  if (audit->definition->prioritized)
    {
      g_object_get (audit->sampler, "alpha", &alpha, "eps", &eps, NULL);
      if (!set_priorities (audit, error))
        return FALSE;
    }
  for (gint i = 0; i < N_PRIORITIES; i++)
    audit->weights[i] = pow (1 + i + eps, alpha);
  return TRUE;
}

static double
weight_of (const Audit *audit, gint64 row)
{
  return audit->weights[(row - audit->view.first_row) % N_PRIORITIES];
}

static void
scale_chances (Tally *tally, double sum)
{
  for (gint64 i = 0; i < tally->n; i++)
    tally->chances[i] /= sum;
}

static gboolean
prepare_rows (Audit *audit, GError **error)
{
  Tally *tally = add_tally (audit, "rows", audit->view.end_row - audit->view.first_row, error);
  double sum = 0;

  if (!tally)
    return FALSE;
  for (gint64 i = 0; i < tally->n; i++)
    sum += tally->chances[i] = weight_of (audit, audit->view.first_row + i);
  scale_chances (tally, sum);
  return TRUE;
}

static void
count_rows (Audit *audit, const ReelDraw *draw)
{
  Tally *tally = &audit->tallies[0];

  for (gint64 i = 0; i < draw->n; i++)
    {
      gint64 row = draw->rows[i] - audit->view.first_row;

      tally->seen[row]++;
      audit->n_drawn++;
      audit->n_twice += audit->in_pass[row];
      audit->in_pass[row] = audit->definition->once;
    }
}

/* ---- slices ---- */

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
  double sum = 0;

  for (gint64 k = 0; k < trajectories->n; k++)
    {
      gint64 first = audit->first_start[k];
      ReelTrajectory one;

      reel_trajectory_index_get (audit->index, k, &one);
      gint64 n = number_of_starts (audit, &one);
      for (gint64 i = 0; i < n; i++)
        {
          double chance = audit->definition->prioritized
                              ? weight_of (audit, one.first_row + i * audit->view.lanes)
                              : 1 / (double) n;
          trajectories->chances[k] += chance;
          if (starts)
            starts->chances[first + i] = chance;
          sum += chance;
        }
    }
  scale_chances (trajectories, sum);
  if (starts)
    scale_chances (starts, sum);
}

static gboolean
prepare_trajectories (Audit *audit, gboolean with_starts, GError **error)
{
  gint64 n = reel_trajectory_index_get_n (audit->index), n_starts = 0;
  Tally *tally = add_tally (audit, "trajectories", n, error), *starts = NULL;

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
  if (with_starts && !(starts = add_tally (audit, "starts", n_starts, error)))
    return FALSE;
  set_chances (audit, tally, starts);
  return TRUE;
}

/* What ends a slice in the batch, where they differ in length. */
static gboolean
find_last_column (Audit *audit, const char *key, GError **error)
{
  guint n;
  const ReelInfoColumn *columns = reel_sampler_list_info (audit->sampler, &n);

  for (guint i = 0; i < n; i++)
    if (key && g_str_equal (columns[i].path, key))
      {
        audit->last_column = i;
        return TRUE;
      }
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "slices of several lengths are told apart by a truncated-key; give one, or "
               "strict-length=true");
  return FALSE;
}

static gint64
get_span (ReelSampler *sampler, const char *name)
{
  gint64 span = 0;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (sampler), name))
    g_object_get (sampler, name, &span, NULL);
  return span;
}

static gboolean
prepare_slices (Audit *audit, GError **error)
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
  if (!audit->fixed_length && !find_last_column (audit, truncated, error))
    return FALSE;
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

static gboolean
count_slices (Audit *audit, const ReelDraw *draw, GError **error)
{
  gint64 first = 0;

  for (gint64 i = 0; i < draw->n; i++)
    if (ends_here (audit, draw, first, i))
      {
        if (!count_slice (audit, draw->rows[first], error))
          return FALSE;
        first = i + 1;
      }
  return TRUE;
}

/* ---- all of it ---- */

gboolean
audit_prepare (Audit *audit, GError **error)
{
  const char *type = G_OBJECT_TYPE_NAME (audit->sampler);

  for (guint i = 0; i < G_N_ELEMENTS (definitions); i++)
    if (g_str_equal (definitions[i].type, type))
      audit->definition = &definitions[i];
  if (!audit->definition)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "there is no definition to compare the sampler \"%s\" with",
                   reel_object_get_id (REEL_OBJECT (audit->sampler)));
      return FALSE;
    }
  reel_storage_get_view (audit->storage, &audit->view);
  if (audit->view.end_row == audit->view.first_row)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "Cannot sample from an empty storage.");
      return FALSE;
    }
  if (!reel_sampler_bind (audit->sampler, audit->storage, error) || !prepare_weights (audit, error)
      || !(audit->definition->slices ? prepare_slices : prepare_rows) (audit, error))
    return FALSE;
  audit->in_pass = g_new0 (guint8, audit->tallies[0].n);
  return TRUE;
}

static gboolean
draw_one (Audit *audit, ReelDraw *draw, GError **error)
{
  draw->n = audit->batch_size;
  if (!reel_sampler_sample (audit->sampler, audit->storage, &audit->view, draw, error))
    return FALSE;
  if (!audit->definition->slices)
    count_rows (audit, draw);
  else if (!count_slices (audit, draw, error))
    return FALSE;
  if (!reel_sampler_get_ran_out (audit->sampler))
    return TRUE;
  audit->n_passes++;
  memset (audit->in_pass, 0, (gsize) audit->tallies[0].n);
  return TRUE;
}

gboolean
audit_draw (Audit *audit, GError **error)
{
  g_autofree gint64 *rows = g_new (gint64, audit->batch_size);
  g_autoptr (GPtrArray) info = g_ptr_array_new_with_free_func (g_free);
  gboolean done = TRUE;
  guint n;
  const ReelInfoColumn *columns = reel_sampler_list_info (audit->sampler, &n);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (info,
                     g_malloc0_n ((gsize) audit->batch_size, reel_dtype_size (columns[i].dtype)));
  ReelDraw draw = { .rows = rows, .info = (guint8 *const *) info->pdata };
  for (gint64 i = 0; done && i < audit->n_batches; i++)
    done = draw_one (audit, &draw, error);
  return done;
}
