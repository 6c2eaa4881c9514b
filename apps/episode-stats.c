#include "episode-stats.h"

#include <math.h>
#include <string.h>

/* One lane's episode as far as it was walked. */
typedef struct
{
  gboolean seen_begin;
  gint64 length;
  double reward_sum;
  gint64 id;
} Lane;

typedef struct
{
  const ReelColumn *ids;
  const ReelColumn *done;
  const ReelColumn *reward;
  gint64 n_lanes;
  Lane *lanes;
  EpisodeStats *stats;
} Walk;

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
at (const ReelColumn *column, gint64 slot, gint64 lane)
{
  return column->data + (gsize) slot * column->step_bytes + (gsize) lane * column->row_bytes;
}

static void
spread_add (Spread *spread, double value)
{
  spread->min = MIN (spread->min, value);
  spread->max = MAX (spread->max, value);
  spread->mean += value;
}

static void
begin_episode (Lane *lane)
{
  *lane = (Lane){ .seen_begin = TRUE, .id = lane->id };
}

static void
end_episode (Walk *walk, Lane *lane, gboolean done)
{
  if (lane->length > 0 && !(done && lane->seen_begin))
    walk->stats->parts++;
  else if (lane->length > 0)
    {
      walk->stats->whole++;
      spread_add (&walk->stats->length, (double) lane->length);
      spread_add (&walk->stats->reward_sum, lane->reward_sum);
    }
  begin_episode (lane);
}

static void
walk_row (Walk *walk, gint64 slot, gint64 i)
{
  Lane *lane = &walk->lanes[i];

  if (walk->ids)
    {
      gint64 id;
      memcpy (&id, at (walk->ids, slot, i), sizeof id);
      if (lane->length > 0 && id != lane->id)
        end_episode (walk, lane, FALSE);
      lane->id = id;
    }
  lane->length++;
  if (walk->reward)
    lane->reward_sum += *(const float *) at (walk->reward, slot, i);
  if (*(const guint8 *) at (walk->done, slot, i))
    end_episode (walk, lane, TRUE);
}

static void
spread_finish (Spread *spread, gint64 n)
{
  if (n > 0)
    spread->mean /= (double) n;
  else
    *spread = (Spread){ NAN, NAN, NAN };
}

gboolean
episode_stats_init (EpisodeStats *stats, ReelStorage *storage, const ReelRingInfo *ring)
{
  Walk walk = { .ids = find (storage, "collector/traj_ids", REEL_DTYPE_INT64),
                .done = find (storage, "next/done", REEL_DTYPE_BOOL),
                .reward = find (storage, "next/reward", REEL_DTYPE_FLOAT32),
                .n_lanes = reel_storage_get_lanes (storage),
                .stats = stats };

  *stats = (EpisodeStats){ .length = { INFINITY, 0, -INFINITY },
                           .reward_sum = { INFINITY, 0, -INFINITY } };
  if (!walk.done)
    return FALSE;

  g_autofree Lane *lanes = g_new0 (Lane, walk.n_lanes);
  walk.lanes = lanes;
  for (gint64 i = 0; i < walk.n_lanes; i++)
    lanes[i].seen_begin = ring->begin == 0;
  for (gint64 step = ring->begin; step < ring->end; step++)
    for (gint64 i = 0; i < walk.n_lanes; i++)
      walk_row (&walk, step % ring->capacity, i);
  for (gint64 i = 0; i < walk.n_lanes; i++)
    end_episode (&walk, &lanes[i], FALSE);
  spread_finish (&stats->length, stats->whole);
  spread_finish (&stats->reward_sum, stats->whole);
  return TRUE;
}
