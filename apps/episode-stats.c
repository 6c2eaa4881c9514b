#include "episode-stats.h"

#include <math.h>

typedef struct
{
  const ReelColumn *done;
  const ReelColumn *reward;
  ReelStorageView view;
} Episodes;

static const ReelColumn *
find (ReelStorage *storage, const char *path, ReelDtype dtype)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);
  gint i = reel_storage_find_column (storage, path, NULL);

  if (i < 0 || columns[i].dtype != dtype || columns[i].row_bytes != reel_dtype_size (dtype))
    return NULL;
  return &columns[i];
}

static gconstpointer
at (const ReelColumn *column, const ReelStorageView *view, gint64 row)
{
  return column->data + (gsize) (row % view->capacity) * column->row_stride;
}

static void
spread_add (Spread *spread, double value)
{
  spread->min = MIN (spread->min, value);
  spread->max = MAX (spread->max, value);
  spread->mean += value;
}

static void
spread_finish (Spread *spread, gint64 n)
{
  if (n > 0)
    spread->mean /= (double) n;
  else
    *spread = (Spread){ NAN, NAN, NAN };
}

static double
add_rewards (const Episodes *episodes, const ReelTrajectory *episode)
{
  const ReelStorageView *view = &episodes->view;
  double sum = 0;

  for (gint64 i = 0; episodes->reward && i < episode->n_steps; i++)
    sum += *(const float *) at (episodes->reward, view, episode->first_row + i * view->lanes);
  return sum;
}

/* What the ring's beginning may have cut, or what goes on, is a part. */
static gboolean
is_whole (const Episodes *episodes, const ReelTrajectory *episode)
{
  const ReelStorageView *view = &episodes->view;
  gint64 last = episode->first_row + (episode->n_steps - 1) * view->lanes;

  return *(const guint8 *) at (episodes->done, view, last)
         && (view->first_row == 0 || episode->first_row >= view->first_row + view->lanes);
}

static void
add_episode (EpisodeStats *stats, const Episodes *episodes, const ReelTrajectory *episode)
{
  if (!is_whole (episodes, episode))
    {
      stats->parts++;
      return;
    }
  stats->whole++;
  spread_add (&stats->length, (double) episode->n_steps);
  spread_add (&stats->reward_sum, add_rewards (episodes, episode));
}

gboolean
episode_stats_init (EpisodeStats *stats, ReelStorage *storage)
{
  Episodes episodes = { .done = find (storage, "next/done", REEL_DTYPE_BOOL),
                        .reward = find (storage, "next/reward", REEL_DTYPE_FLOAT32) };
  g_autoptr (ReelTrajectoryIndex) index =
      episodes.done ? reel_trajectory_index_new (storage, NULL, NULL) : NULL;

  *stats = (EpisodeStats){ .length = { INFINITY, 0, -INFINITY },
                           .reward_sum = { INFINITY, 0, -INFINITY } };
  reel_storage_get_view (storage, &episodes.view);
  if (!index || !reel_trajectory_index_follow (index, &episodes.view, 1, NULL))
    return FALSE;
  for (gint64 k = 0; k < reel_trajectory_index_get_n (index); k++)
    {
      ReelTrajectory episode;

      reel_trajectory_index_get (index, k, &episode);
      add_episode (stats, &episodes, &episode);
    }
  spread_finish (&stats->length, stats->whole);
  spread_finish (&stats->reward_sum, stats->whole);
  return TRUE;
}
