#include "episode-pieces.h"

#include <jansson.h>
#include <string.h>

typedef struct
{
  const BufferEpisodes *buffer;
  const ReelColumn *ids;
  gint64 n_envs;    /* at once, or 0: ids of one environment differ by a multiple of it */
  GHashTable *seen; /* by id: the last piece so far */
  gboolean found;   /* an episode in several pieces */
} Pieces;

static gboolean
find_ids (Pieces *pieces)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (pieces->buffer->buffer);
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);
  gint i = columns ? reel_storage_find_column (storage, "collector/traj_ids", NULL) : -1;
  gsize n_steps = (gsize) buffer_episodes_count_steps (pieces->buffer);

  if (i < 0 || columns[i].dtype != REEL_DTYPE_INT64
      || columns[i].row_bytes != n_steps * sizeof (gint64))
    return FALSE;
  pieces->ids = &columns[i];
  return TRUE;
}

static gint64
get_number (const json_t *options, const char *name)
{
  const char *text = json_string_value (json_object_get (options, name));

  return text ? g_ascii_strtoll (text, NULL, 10) : 0;
}

/* Whether one batch was all, of whose episodes none is in two rows. */
static gboolean
is_one_batch (const json_t *options)
{
  gint64 frames = get_number (options, "frames");

  return frames > 0 && frames <= get_number (options, "frames-per-batch");
}

/* Whether its rows are of workers or ranks that stored batches of their own, or are the steps of a
   trajectory in one batch. In other buffers an id may be in two places because two collectors
   counted from 0. */
static gboolean
has_pieces (const BufferEpisodes *buffer)
{
  g_autofree char *text = reel_replay_buffer_dup_info (buffer->buffer, "options");
  json_t *options = text ? json_loads (text, 0, NULL) : NULL;
  const char *collector = json_string_value (json_object_get (options, "collector"));
  g_autofree char *lower = g_ascii_strdown (collector ? collector : "", -1);
  gboolean found =
      strstr (lower, "async") != NULL || (buffer->step_rows && options && !is_one_batch (options));

  json_decref (options);
  return found;
}

static gint64
count_envs (ReelReplayBuffer *buffer)
{
  g_autofree char *text = reel_replay_buffer_dup_info (buffer, "env");
  json_t *record = text ? json_loads (text, 0, NULL) : NULL;
  gint64 n = json_integer_value (json_object_get (record, "num_envs"));

  json_decref (record);
  return n;
}

static gint64
read_id (const Pieces *pieces, const Episode *episode)
{
  gint64 row = pieces->buffer->view.first_row + episode->first_row, id;

  memcpy (&id, buffer_episodes_at (pieces->buffer, pieces->ids, row), sizeof id);
  return id;
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const Episode *one = *(const Episode *const *) a, *other = *(const Episode *const *) b;

  return one->first_row < other->first_row ? -1 : one->first_row > other->first_row;
}

/* (transfer full): the episodes by their first rows. */
static GPtrArray *
put_in_order (GArray *list, guint begin)
{
  GPtrArray *order = g_ptr_array_sized_new (list->len - begin);

  for (guint i = begin; i < list->len; i++)
    g_ptr_array_add (order, &g_array_index (list, Episode, i));
  g_ptr_array_sort (order, compare_places);
  return order;
}

/* Joins an episode with the piece before, which has no end. */
static void
join (Pieces *pieces, Episode *before, Episode *episode)
{
  before->is_piece = episode->is_piece = pieces->found = TRUE;
  before->goes_on = TRUE;
  episode->joined.n_steps += before->joined.n_steps;
  episode->joined.reward_sum += before->joined.reward_sum;
  episode->joined.starts = before->joined.starts;
}

static void
join_all (Pieces *pieces, const GPtrArray *order)
{
  for (guint i = 0; i < order->len; i++)
    {
      Episode *episode = order->pdata[i];
      gint64 id = read_id (pieces, episode);
      Episode *before = g_hash_table_lookup (pieces->seen, &id);

      if (before && !before->end && !before->is_cut && episode->joined.starts)
        join (pieces, before, episode);
      g_hash_table_insert (pieces->seen, g_memdup2 (&id, sizeof id), episode);
    }
}

/* Whether the environment's episode before is there too, so that no step of this one is lost. */
static gboolean
follows_another (const Pieces *pieces, const Episode *episode)
{
  gint64 id = read_id (pieces, episode), before = id - pieces->n_envs;

  return pieces->n_envs > 0 && (before < 0 || g_hash_table_contains (pieces->seen, &before));
}

/* In a ring that wrapped, first pieces may be lost without a trace. */
static void
find_lost_starts (Pieces *pieces, const GPtrArray *order)
{
  for (guint i = 0; i < order->len; i++)
    {
      Episode *episode = order->pdata[i];

      if (!follows_another (pieces, episode))
        episode->joined.starts = episode->whole = FALSE;
    }
}

void
episode_pieces_join (GArray *list, guint begin, const BufferEpisodes *buffer)
{
  Pieces pieces = { .buffer = buffer };
  g_autoptr (GPtrArray) order = NULL;

  if ((!buffer->index && !buffer->step_rows) || !has_pieces (buffer) || !find_ids (&pieces))
    return;
  pieces.seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  pieces.n_envs = count_envs (buffer->buffer);
  order = put_in_order (list, begin);
  join_all (&pieces, order);
  if ((pieces.found || buffer->step_rows) && buffer->view.first_row > 0)
    find_lost_starts (&pieces, order);
  for (guint i = 0; i < order->len; i++)
    ((Episode *) order->pdata[i])->whole &= !((Episode *) order->pdata[i])->is_piece;
  g_hash_table_unref (pieces.seen);
}
