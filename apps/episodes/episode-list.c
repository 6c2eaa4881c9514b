#include "episode-list.h"

#include "../common/options.h"
#include "episode-cuts.h"
#include "episode-pieces.h"

#include <math.h>
#include <string.h>

/* ---- what is said of an episode ---- */

typedef struct
{
  const BufferEpisodes *buffer;
  const ReelColumn *done;
  const ReelColumn *terminated;
  const ReelColumn *truncated;
  const ReelColumn *reward;
} Columns;

/* A column of one element a row, or a step. */
static const ReelColumn *
find_column (const BufferEpisodes *buffer, const char *path)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer->buffer);
  gsize n_steps = (gsize) buffer_episodes_count_steps (buffer);
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);
  gint i = columns ? reel_storage_find_column (storage, path, NULL) : -1;

  if (i < 0 || columns[i].row_bytes != n_steps * reel_dtype_size (columns[i].dtype)
      || reel_dtype_is_complex (columns[i].dtype))
    return NULL;
  return &columns[i];
}

static void
find_columns (Columns *columns, const BufferEpisodes *buffer)
{
  columns->buffer = buffer;
  columns->done = find_column (buffer, "next/done");
  columns->terminated = find_column (buffer, "next/terminated");
  columns->truncated = find_column (buffer, "next/truncated");
  /* Where rewards of n steps were summed up, those of one step are beside them. */
  columns->reward = find_column (buffer, "next/original_reward");
  if (!columns->reward)
    columns->reward = find_column (buffer, "next/reward");
}

static double
load (const Columns *columns, const ReelColumn *column, gint64 row)
{
  return reel_dtype_load_double (column->dtype, buffer_episodes_at (columns->buffer, column, row));
}

static gboolean
is_set (const Columns *columns, const ReelColumn *column, gint64 row)
{
  return column && load (columns, column, row) != 0;
}

static double
add_rewards (const Columns *columns, const ReelTrajectory *episode)
{
  const ReelColumn *reward = columns->reward;
  double sum = reward ? 0 : NAN;

  for (gint64 i = 0; reward && i < episode->n_steps; i++)
    sum += load (columns, reward, episode->first_row + i * columns->buffer->view.lanes);
  return sum;
}

static const char *
find_end (const Columns *columns, gint64 last)
{
  if (columns->done && !is_set (columns, columns->done, last))
    return NULL;
  if (is_set (columns, columns->terminated, last))
    return "terminated";
  if (is_set (columns, columns->truncated, last))
    return "truncated";
  return is_set (columns, columns->done, last) ? "done" : NULL;
}

/* An episode at the oldest step of a ring that wrapped may have begun before it; of rows of several
 * steps, ids tell that, see episode-pieces.h. */
static gboolean
lost_start (const EpisodeCuts *cuts, const BufferEpisodes *buffer, const ReelTrajectory *episode)
{
  const ReelStorageView *view = &buffer->view;

  if (buffer->step_rows)
    return FALSE;
  return (view->first_row > 0 && episode->first_row < view->first_row + view->lanes)
         || episode_cuts_contain (cuts->begins, episode->first_row);
}

static void
describe (Episode *self, const Columns *columns, const EpisodeCuts *cuts,
          const ReelTrajectory *episode)
{
  const ReelStorageView *view = &columns->buffer->view;
  gint64 last = episode->first_row + (episode->n_steps - 1) * view->lanes;

  self->first_row = episode->first_row - view->first_row;
  self->n_steps = episode->n_steps;
  self->lane = episode->first_row % view->lanes;
  self->reward_sum = add_rewards (columns, episode);
  self->is_cut = !columns->buffer->step_rows && episode_cuts_contain (cuts->ends, last);
  self->end = self->is_cut ? NULL : find_end (columns, last);
  self->joined.n_steps = self->n_steps;
  self->joined.reward_sum = self->reward_sum;
  self->joined.starts = !lost_start (cuts, columns->buffer, episode);
  self->whole = self->end && self->joined.starts;
}

/* ---- the list ---- */

/* Of what a writer replaced meanwhile nothing is known. */
static void
forget_replaced (GArray *list, guint begin, const BufferEpisodes *buffer)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer->buffer);
  gint64 intact = reel_storage_first_intact_row (storage) * buffer_episodes_count_steps (buffer)
                  - buffer->view.first_row;

  for (guint i = begin; i < list->len; i++)
    {
      Episode *episode = &g_array_index (list, Episode, i);

      if (episode->first_row >= intact)
        continue;
      episode->reward_sum = episode->joined.reward_sum = NAN;
      episode->whole = episode->joined.starts = FALSE;
    }
}

static void
add_episodes (GArray *list, const BufferEpisodes *buffer, guint member)
{
  Columns columns;
  g_auto (EpisodeCuts) cuts = { NULL, NULL };
  guint begin = list->len;

  episode_cuts_init (&cuts, buffer->buffer);
  find_columns (&columns, buffer);
  for (gint64 k = 0; k < buffer_episodes_count (buffer); k++)
    {
      Episode episode = { .number = list->len, .member = member };
      ReelTrajectory trajectory;

      buffer_episodes_get (buffer, k, &trajectory);
      describe (&episode, &columns, &cuts, &trajectory);
      g_array_append_val (list, episode);
    }
  forget_replaced (list, begin, buffer);
  episode_pieces_join (list, begin, buffer);
}

GArray *
episode_list_new (const GPtrArray *buffers)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (Episode));

  for (guint i = 0; i < buffers->len; i++)
    add_episodes (list, g_ptr_array_index (buffers, i), i);
  return list;
}

/* ---- one of them ---- */

static const char *const words[] = { "best", "worst", "longest", "shortest" };

gboolean
episode_list_is_word (const char *text)
{
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (strcmp (words[i], text) == 0)
      return TRUE;
  return FALSE;
}

/* The value that the word maximises; NaN if it is unknown. */
static double
rate (const Episode *episode, const char *word)
{
  gboolean by_return = strcmp (word, "best") == 0 || strcmp (word, "worst") == 0;
  gboolean least = strcmp (word, "worst") == 0 || strcmp (word, "shortest") == 0;
  double value = by_return ? episode->reward_sum : (double) episode->n_steps;

  return least ? -value : value;
}

static const Episode *
find_by_word (const GArray *list, const char *word, GError **error)
{
  const Episode *found = NULL;

  for (guint i = 0; i < list->len; i++)
    {
      const Episode *episode = &g_array_index (list, Episode, i);
      double value = rate (episode, word);

      if (isnan (value))
        continue;
      if (!found || episode->whole > found->whole
          || (episode->whole == found->whole && value > rate (found, word)))
        found = episode;
    }
  if (!found)
    g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "cannot find the %s episode: %s", word,
                 list->len > 0 ? "there is no next/reward of one element a row"
                               : "there are no episodes");
  return found;
}

const Episode *
episode_list_find (const GArray *list, const char *text, GError **error)
{
  gint64 number;

  if (episode_list_is_word (text))
    return find_by_word (list, text, error);
  if (!reel_parse_int64 (text, -G_MAXINT64, G_MAXINT64, &number, NULL))
    {
      set_usage_error (
          error,
          "--episode cannot be \"%s\": it must be a number, best, worst, longest or shortest",
          text);
      return NULL;
    }
  if (number >= -(gint64) list->len && number < (gint64) list->len)
    return &g_array_index (list, Episode, number < 0 ? number + (gint64) list->len : number);
  set_usage_error (error, "there is no episode %s: the directory has %u", text, list->len);
  return NULL;
}
