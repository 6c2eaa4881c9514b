#include "episode-stats.h"

#include "episode-list.h"

#include <math.h>

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

static gboolean
tells_ends (const GPtrArray *buffers)
{
  for (guint i = 0; i < buffers->len; i++)
    {
      const BufferEpisodes *buffer = g_ptr_array_index (buffers, i);
      ReelStorage *storage = reel_replay_buffer_get_storage (buffer->buffer);
      if ((buffer->index || buffer->step_rows)
          && reel_storage_find_column (storage, "next/done", NULL) >= 0)
        return TRUE;
    }
  return FALSE;
}

gboolean
episode_stats_init (EpisodeStats *stats, gpointer opened)
{
  g_autoptr (GPtrArray) buffers = buffer_episodes_list (opened, NULL);

  *stats = (EpisodeStats){ .length = { INFINITY, 0, -INFINITY },
                           .reward_sum = { INFINITY, 0, -INFINITY } };
  if (!buffers || !tells_ends (buffers))
    return FALSE;
  g_autoptr (GArray) list = episode_list_new (buffers);
  for (guint i = 0; i < list->len; i++)
    {
      const Episode *episode = &g_array_index (list, Episode, i);

      if (episode->goes_on)
        continue; /* its last piece counts */
      if (!episode->end || !episode->joined.starts)
        {
          stats->parts++;
          continue;
        }
      stats->whole++;
      spread_add (&stats->length, (double) episode->joined.n_steps);
      spread_add (&stats->reward_sum, episode->joined.reward_sum);
    }
  spread_finish (&stats->length, stats->whole);
  spread_finish (&stats->reward_sum, isnan (stats->reward_sum.mean) ? 0 : stats->whole);
  return TRUE;
}
