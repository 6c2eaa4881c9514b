/* One scan of each row: ends are found in the order of time, and the rows of a trajectory follow
 * from the end before it. */
#include "trajectory-index.h"

#include "episode-marks.h"
#include "range-queue.h"

#include <string.h>

/* Trajectories that ended stand in a queue in the order of their ends, which is the order in which
 * they are overwritten: those that are gone, or cut below the least length, are its front. Of those
 * that go on, one a lane, the first row is known. */
struct _ReelTrajectoryIndex
{
  ReelStorage *storage;
  ReelEpisodeMarks *marks;
  gint64 lanes;
  gint64 min_length;

  ReelStorageView view; /* what it speaks of */
  guint64 revision;     /* at the beginning of the last look */
  guint64 n_changes;    /* looks that found something else */
  gint64 decided;       /* rows before this one are known to be ends or not */
  ReelRangeQueue ended;
  gint64 *going_on;    /* by lane: the first row of what goes on, or would */
  gint64 *long_enough; /* lanes in which it is of the least length */
  gint64 n_long_enough;
};

ReelTrajectoryIndex *
reel_trajectory_index_new (ReelStorage *storage, const ReelTrajectoryKeys *keys, GError **error)
{
  g_autoptr (ReelTrajectoryIndex) self = g_new0 (ReelTrajectoryIndex, 1);

  self->storage = g_object_ref (storage);
  self->lanes = reel_storage_get_lanes (storage);
  self->marks = reel_episode_marks_new (storage, keys, error);
  if (!self->marks)
    return NULL;
  self->going_on = g_try_new (gint64, self->lanes);
  self->long_enough = g_try_new (gint64, self->lanes);
  if (self->going_on && self->long_enough)
    return g_steal_pointer (&self);
  g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
               "there is no memory for the trajectories of %" G_GINT64_FORMAT " lanes",
               self->lanes);
  return NULL;
}

void
reel_trajectory_index_free (ReelTrajectoryIndex *self)
{
  if (!self)
    return;
  reel_range_queue_clear (&self->ended);
  reel_episode_marks_free (self->marks);
  g_free (self->going_on);
  g_free (self->long_enough);
  g_object_unref (self->storage);
  g_free (self);
}

/* Forgets all; what follows begins at @row, the first of a step. */
static void
begin_at (ReelTrajectoryIndex *self, gint64 row)
{
  reel_range_queue_empty (&self->ended);
  for (gint64 lane = 0; lane < self->lanes; lane++)
    self->going_on[lane] = row + lane;
  self->decided = row;
}

/* Whether the rows from @first to @last of one lane are enough. */
static gboolean
is_long (const ReelTrajectoryIndex *self, gint64 first, gint64 last)
{
  return last - first >= (self->min_length - 1) * self->lanes;
}

static gboolean
end_trajectories (ReelTrajectoryIndex *self, const gint64 *ends, gint64 n, GError **error)
{
  for (gint64 i = 0; i < n; i++)
    {
      gint64 lane = self->lanes == 1 ? 0 : ends[i] % self->lanes;
      ReelRange range = { self->going_on[lane], ends[i] };

      if (is_long (self, range.first_row, range.last_row)
          && !reel_range_queue_push (&self->ended, range, error))
        return FALSE;
      self->going_on[lane] = ends[i] + self->lanes;
    }
  return TRUE;
}

/* Rows that the writer reached meanwhile may have said anything: what is left begins behind them.
 */
static gboolean
scan (ReelTrajectoryIndex *self, gint64 end, GError **error)
{
  while (self->decided < end)
    {
      gint64 n = MIN (end - self->decided, REEL_MARKS_AT_ONCE), n_ends;
      const gint64 *ends = reel_episode_marks_find (self->marks, self->decided, n, &n_ends);
      gint64 intact = reel_storage_first_intact_row (self->storage);

      if (G_UNLIKELY (intact > self->decided))
        begin_at (self, intact);
      else if (!end_trajectories (self, ends, n_ends, error))
        return FALSE;
      else
        self->decided += n;
    }
  return TRUE;
}

/* Leaves out what is overwritten, in whole or so far that too little is left. */
static void
drop_overwritten (ReelTrajectoryIndex *self)
{
  gint64 least = self->view.first_row + (self->min_length - 1) * self->lanes;

  while (self->ended.n > 0 && reel_range_queue_at (&self->ended, 0)->last_row < least)
    reel_range_queue_pop (&self->ended);
}

/* The first row of what goes on in a lane, as far as it can be read. */
static gint64
begin_of_open (const ReelTrajectoryIndex *self, gint64 lane)
{
  return MAX (self->going_on[lane], self->view.first_row + lane);
}

static void
list_open (ReelTrajectoryIndex *self)
{
  gint64 newest = self->view.end_row - self->lanes;

  self->n_long_enough = 0;
  for (gint64 lane = 0; lane < self->lanes; lane++)
    {
      self->long_enough[self->n_long_enough] = lane;
      self->n_long_enough += is_long (self, begin_of_open (self, lane), newest + lane);
    }
}

/* Whether what is known holds no more, so that all is scanned anew. */
static gboolean
is_outdated (ReelTrajectoryIndex *self, const ReelStorageView *view, gint64 min_length)
{
  return self->min_length != min_length
         || self->revision != reel_storage_get_revision (self->storage)
         || self->decided < view->first_row || self->decided > view->end_row;
}

gboolean
reel_trajectory_index_follow (ReelTrajectoryIndex *self, const ReelStorageView *view,
                              gint64 min_length, GError **error)
{
  gboolean outdated = is_outdated (self, view, min_length);
  gint64 end = view->end_row;

  if (!outdated && view->first_row == self->view.first_row && end == self->view.end_row)
    return TRUE;
  if (outdated)
    {
      if (self->min_length != min_length)
        reel_range_queue_clear (&self->ended);
      self->min_length = min_length;
      /* Before the scan: a change during it makes the next look scan anew. */
      self->revision = reel_storage_get_revision (self->storage);
      begin_at (self, view->first_row);
    }
  self->n_changes++;
  self->view = *view;
  /* By ids the newest step ends nothing until the step after it is there. */
  if (reel_episode_marks_are_ids (self->marks))
    end = MAX (end - self->lanes, view->first_row);
  if (!scan (self, end, error))
    {
      /* No caller asks for 0, so the next look scans anew. */
      self->min_length = 0;
      return FALSE;
    }
  drop_overwritten (self);
  list_open (self);
  return TRUE;
}

guint64
reel_trajectory_index_count_changes (const ReelTrajectoryIndex *self)
{
  return self->n_changes;
}

gint64
reel_trajectory_index_get_n (const ReelTrajectoryIndex *self)
{
  return self->ended.n + self->n_long_enough;
}

static void
set_trajectory (const ReelTrajectoryIndex *self, gint64 first, gint64 last,
                ReelTrajectory *trajectory)
{
  gint64 oldest = self->view.first_row;

  if (first < oldest)
    /* The oldest row that can be read is the first of a step: its lane is 0. */
    first = oldest + (self->lanes == 1 ? 0 : last % self->lanes);
  trajectory->first_row = first;
  trajectory->n_steps = (self->lanes == 1 ? last - first : (last - first) / self->lanes) + 1;
}

void
reel_trajectory_index_get (const ReelTrajectoryIndex *self, gint64 k, ReelTrajectory *trajectory)
{
  if (k < self->ended.n)
    {
      const ReelRange *range = reel_range_queue_at (&self->ended, k);

      set_trajectory (self, range->first_row, range->last_row, trajectory);
    }
  else
    {
      gint64 lane = self->long_enough[k - self->ended.n];

      set_trajectory (self, begin_of_open (self, lane), self->view.end_row - self->lanes + lane,
                      trajectory);
    }
}

/* How many trajectories ended before @row. */
static gint64
count_ended_before (const ReelTrajectoryIndex *self, gint64 row)
{
  gint64 low = 0, high = self->ended.n;

  while (low < high)
    {
      gint64 middle = low + (high - low) / 2;

      if (reel_range_queue_at (&self->ended, middle)->last_row < row)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

gboolean
reel_trajectory_index_find (const ReelTrajectoryIndex *self, gint64 row, ReelTrajectory *trajectory)
{
  gint64 lane = row % self->lanes, newest = self->view.end_row - self->lanes + lane;
  gint64 first = self->view.end_row > 0 ? begin_of_open (self, lane) : 0;

  if (row < self->view.first_row || row >= self->view.end_row)
    return FALSE;
  if (row >= first)
    {
      set_trajectory (self, first, newest, trajectory);
      return is_long (self, first, newest);
    }
  /* The first end of this lane that is not before the row; other lanes' ends lie between. */
  for (gint64 k = count_ended_before (self, row); k < self->ended.n; k++)
    {
      const ReelRange *range = reel_range_queue_at (&self->ended, k);

      if (range->last_row % self->lanes != lane)
        continue;
      set_trajectory (self, range->first_row, range->last_row, trajectory);
      return range->first_row <= row;
    }
  return FALSE;
}
