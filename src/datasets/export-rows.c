#include "export-rows.h"

#include "../buffers/samplers/trajectory-index.h"
#include "../buffers/storages/strided-copy.h"
#include "../core/object/error.h"
#include "../core/tensor/mapped-memory.h"

#include <string.h>

#define DONE "next/done"
#define TERMINATED "next/terminated"
#define TRUNCATED "next/truncated"
#define REWARD "next/reward"
#define NEXT "next/"
#define IDS "collector/traj_ids"

/* ---- ends ---- */

static gboolean
is_flag (const ReelColumn *column)
{
  return column && column->row_bytes == 1
         && (column->dtype == REEL_DTYPE_BOOL || column->dtype == REEL_DTYPE_UINT8);
}

static const guint8 *
find_row (const ReelExportRows *self, const ReelColumn *column, gint64 row)
{
  return column->data + row % self->view.capacity * (gint64) column->row_stride;
}

/* Pages of a mapped file are let go: there may be more of them than memory. */
static void
forget (const ReelExportRows *self, const ReelColumn *column, const guint8 *from, gint64 n)
{
  reel_memory_forget (reel_export_rows_get_leaf (self, column)->memory, from,
                      (gsize) ((n - 1) * self->view.lanes * (gint64) column->row_stride)
                          + column->row_bytes);
}

static void
read_row (const ReelExportRows *self, const ReelColumn *column, gint64 row, guint8 *to)
{
  const guint8 *from = find_row (self, column, row);

  memcpy (to, from, column->row_bytes);
  forget (self, column, from, 1);
}

static gint64
find_last (const ReelExportRows *self, const ReelExportPiece *piece)
{
  return piece->first_row + (piece->n_steps - 1) * self->view.lanes;
}

static gboolean
is_set (const ReelExportRows *self, const char *path, gint64 row)
{
  const ReelColumn *column = reel_export_rows_find (self, path);
  guint8 flag = 0;

  if (is_flag (column))
    read_row (self, column, row, &flag);
  return flag != 0;
}

/* An end that other keys say, such as ids, is no flag of the row. */
static gboolean
is_ended (const ReelExportRows *self, const ReelExportPiece *piece)
{
  const gint64 row = find_last (self, piece);

  if (is_flag (reel_export_rows_find (self, DONE)))
    return is_set (self, DONE, row);
  return is_set (self, TERMINATED, row) || is_set (self, TRUNCATED, row);
}

gboolean
reel_export_rows_store_ends (const ReelExportRows *self)
{
  return is_flag (reel_export_rows_find (self, DONE))
         || is_flag (reel_export_rows_find (self, TRUNCATED));
}

/* ---- pieces of one trajectory ---- */

/* A piece on its way to an episode. */
typedef struct
{
  ReelExportPiece piece;
  gint64 id;   /* of the trajectory, where there are ids */
  gint64 next; /* of the same episode, or −1 */
  gboolean is_later;
} Link;

static int
compare_times (gconstpointer a, gconstpointer b)
{
  const gint64 x = ((const Link *) a)->piece.first_row, y = ((const Link *) b)->piece.first_row;

  return x < y ? -1 : x > y;
}

/* States are at the root and below `next`; flags and the reward of the root are of another step. */
static gboolean
is_state (const char *path)
{
  static const char *const others[] = { DONE, TERMINATED, TRUNCATED, REWARD, NULL };

  return g_str_has_prefix (path, NEXT) && !g_strv_contains (others, path);
}

static gboolean
is_same (const ReelExportRows *self, const ReelColumn *next, gint64 row, const ReelColumn *column,
         gint64 later)
{
  const guint8 *a = find_row (self, next, row), *b = find_row (self, column, later);
  const gboolean same = column->dtype == next->dtype && column->row_bytes == next->row_bytes
                        && memcmp (a, b, next->row_bytes) == 0;

  forget (self, next, a, 1);
  forget (self, column, b, 1);
  return same;
}

/* Ids alone may be those of two runs. */
static gboolean
leads_to (const ReelExportRows *self, const ReelExportPiece *piece, const ReelExportPiece *later)
{
  for (guint i = 0; i < self->n_columns; i++)
    {
      const ReelColumn *next = &self->columns[i];
      const ReelColumn *column =
          is_state (next->path) ? reel_export_rows_find (self, next->path + strlen (NEXT)) : NULL;

      if (column && !is_same (self, next, find_last (self, piece), column, later->first_row))
        return FALSE;
    }
  return TRUE;
}

/* Workers that do not wait for each other write their batches in turn, so an episode goes on behind
 * the rows of others. */
static void
join_pieces (const ReelExportRows *self, GArray *links)
{
  const ReelColumn *ids = reel_export_rows_find (self, IDS);
  g_autoptr (GHashTable) newest = NULL; /* link by id */

  if (!ids || ids->dtype != REEL_DTYPE_INT64 || ids->row_bytes != sizeof (gint64))
    return;
  newest = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_array_sort (links, compare_times);
  for (guint i = 0; i < links->len; i++)
    {
      Link *link = &g_array_index (links, Link, i), *before;

      read_row (self, ids, link->piece.first_row, (guint8 *) &link->id);
      before = g_hash_table_lookup (newest, &link->id);
      if (before && !is_ended (self, &before->piece)
          && leads_to (self, &before->piece, &link->piece))
        {
          before->next = i;
          link->is_later = TRUE;
        }
      g_hash_table_replace (newest, &link->id, link);
    }
}

/* ---- episodes ---- */

static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const ReelExportRows *self = data;
  const ReelExportEpisode *episodes[] = { a, b };
  gint64 rows[2], lanes[2];

  for (gint i = 0; i < 2; i++)
    {
      rows[i] = g_array_index (self->pieces, ReelExportPiece, episodes[i]->first_piece).first_row;
      lanes[i] = rows[i] % self->view.lanes;
    }
  if (lanes[0] != lanes[1])
    return lanes[0] < lanes[1] ? -1 : 1;
  return rows[0] < rows[1] ? -1 : rows[0] > rows[1];
}

static void
add_episode (ReelExportRows *self, const GArray *links, gint64 first)
{
  ReelExportEpisode episode = { self->pieces->len, 0, 0, FALSE };

  for (gint64 i = first; i >= 0; i = g_array_index (links, Link, i).next)
    {
      ReelExportPiece piece = g_array_index (links, Link, i).piece;

      piece.first_step = episode.n_steps;
      g_array_append_val (self->pieces, piece);
      episode.n_pieces++;
      episode.n_steps += piece.n_steps;
      episode.cut = !is_ended (self, &piece);
    }
  g_array_append_val (self->episodes, episode);
  self->n_rows += episode.n_steps;
  self->n_cut += episode.cut;
}

static void
add_link (GArray *links, gint64 first_row, gint64 n_steps)
{
  const Link link = { { first_row, n_steps, 0 }, 0, -1, FALSE };

  g_array_append_val (links, link);
}

static void
add_lanes (const ReelExportRows *self, GArray *links)
{
  const ReelStorageView *view = &self->view;

  for (gint64 lane = 0; lane < view->lanes; lane++)
    add_link (links, view->first_row + lane, (view->end_row - view->first_row) / view->lanes);
}

static gboolean
add_trajectories (const ReelExportRows *self, ReelTrajectoryIndex *index, GArray *links,
                  GError **error)
{
  ReelTrajectory trajectory;

  if (!reel_trajectory_index_follow (index, &self->view, 1, error))
    return FALSE;
  for (gint64 k = 0; k < reel_trajectory_index_get_n (index); k++)
    {
      reel_trajectory_index_get (index, k, &trajectory);
      add_link (links, trajectory.first_row, trajectory.n_steps);
    }
  join_pieces (self, links);
  return TRUE;
}

/* Rows without such a key, or with another than one a row, are no episodes. */
static gboolean
find_pieces (const ReelExportRows *self, GArray *links, GError **error)
{
  GError *failure = NULL;
  g_autoptr (ReelTrajectoryIndex) index = reel_trajectory_index_new (self->storage, NULL, &failure);

  if (index)
    return add_trajectories (self, index, links, error);
  if (g_error_matches (failure, REEL_ERROR, REEL_ERROR_NO_SPACE))
    {
      g_propagate_error (error, failure);
      return FALSE;
    }
  g_error_free (failure);
  add_lanes (self, links);
  return TRUE;
}

static gboolean
find_episodes (ReelExportRows *self, GError **error)
{
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (Link));

  if (!find_pieces (self, links, error))
    return FALSE;
  for (guint i = 0; i < links->len; i++)
    if (!g_array_index (links, Link, i).is_later)
      add_episode (self, links, i);
  g_array_sort_with_data (self->episodes, compare, self);
  return TRUE;
}

static gboolean
open_storage (ReelExportRows *self, GError **error)
{
  self->columns = reel_storage_is_allocated (self->storage)
                      ? reel_storage_get_columns (self->storage, &self->n_columns)
                      : NULL;
  if (!self->columns && reel_storage_is_allocated (self->storage))
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                           "its rows have shapes and keys of their own, and a file of columns "
                           "cannot contain them");
      return FALSE;
    }
  if (self->columns)
    reel_storage_get_view (self->storage, &self->view);
  if (self->view.end_row > self->view.first_row)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME, "it has no rows");
  return FALSE;
}

ReelExportRows *
reel_export_rows_new (ReelReplayBuffer *buffer, GError **error)
{
  g_autoptr (ReelExportRows) self = g_new0 (ReelExportRows, 1);

  self->storage = g_object_ref (reel_replay_buffer_get_storage (buffer));
  self->pieces = g_array_new (FALSE, FALSE, sizeof (ReelExportPiece));
  self->episodes = g_array_new (FALSE, FALSE, sizeof (ReelExportEpisode));
  return open_storage (self, error) && find_episodes (self, error) ? g_steal_pointer (&self) : NULL;
}

void
reel_export_rows_free (ReelExportRows *self)
{
  if (!self)
    return;
  g_clear_object (&self->storage);
  g_array_unref (self->pieces);
  g_array_unref (self->episodes);
  g_free (self);
}

/* ---- columns ---- */

const ReelTensor *
reel_export_rows_get_leaf (const ReelExportRows *self, const ReelColumn *column)
{
  return reel_tensordict_get_tensor (reel_storage_get_data (self->storage), column->path, NULL);
}

const gint64 *
reel_export_rows_get_shape (const ReelExportRows *self, const ReelColumn *column, gint *ndim)
{
  const ReelTensor *leaf = reel_export_rows_get_leaf (self, column);
  const gint n = reel_storage_get_ndim (self->storage);

  *ndim = leaf->ndim - n;
  return leaf->shape + n;
}

const ReelColumn *
reel_export_rows_find (const ReelExportRows *self, const char *path)
{
  for (guint i = 0; i < self->n_columns; i++)
    if (g_str_equal (self->columns[i].path, path))
      return &self->columns[i];
  return NULL;
}

/* The piece that a step belongs to. */
static const ReelExportPiece *
find_piece (const ReelExportRows *self, const ReelExportEpisode *episode, gint64 step)
{
  guint low = episode->first_piece, high = low + episode->n_pieces;

  while (high - low > 1)
    {
      const guint middle = low + (high - low) / 2;

      if (g_array_index (self->pieces, ReelExportPiece, middle).first_step <= step)
        low = middle;
      else
        high = middle;
    }
  return &g_array_index (self->pieces, ReelExportPiece, low);
}

/* Steps of a piece between two ends of the ring: how many of @n there are from @step on, and where.
 */
static gint64
find_run (const ReelExportRows *self, const ReelColumn *column, const ReelExportEpisode *episode,
          gint64 step, gint64 n, const guint8 **from)
{
  const ReelExportPiece *piece = find_piece (self, episode, step);
  const gint64 lanes = self->view.lanes, in_piece = step - piece->first_step;
  const gint64 row = piece->first_row + in_piece * lanes, n_steps = self->view.capacity / lanes;

  *from = find_row (self, column, row);
  return MIN (n, MIN (piece->n_steps - in_piece, n_steps - row / lanes % n_steps));
}

void
reel_export_rows_copy (const ReelExportRows *self, const ReelColumn *column,
                       const ReelExportEpisode *episode, gint64 step, gint64 n, guint8 *to)
{
  const gint64 stride = self->view.lanes * (gint64) column->row_stride;
  const gint64 size = (gint64) column->row_bytes;

  for (gint64 some; n > 0 && size > 0; n -= some, step += some, to += some * size)
    {
      const guint8 *from;

      some = find_run (self, column, episode, step, n, &from);
      if (stride == size)
        racy_copy (to, from, (gsize) (some * size));
      else
        strided_copy (to, size, from, stride, (gsize) size, some);
      forget (self, column, from, some);
    }
}

/* Rows that follow each other are mostly all the same, and compared at once. */
static gint64
count_unlike (const guint8 *a, gint64 a_stride, const guint8 *b, gint64 b_stride, gsize size,
              gint64 n)
{
  const gint64 dense = (gint64) size;
  gint64 unlike = 0;

  if (a_stride == dense && b_stride == dense && memcmp (a, b, size * (gsize) n) == 0)
    return 0;
  for (gint64 i = 0; i < n; i++)
    unlike += memcmp (a + i * a_stride, b + i * b_stride, size) != 0;
  return unlike;
}

gint64
reel_export_rows_count_differences (const ReelExportRows *self, const ReelColumn *next,
                                    const ReelColumn *column, const ReelExportEpisode *episode,
                                    gint64 step, gint64 n)
{
  const gint64 lanes = self->view.lanes;
  gint64 unlike = 0;

  for (gint64 some; n > 0 && next->row_bytes > 0; n -= some, step += some)
    {
      const guint8 *after, *later;

      some = find_run (self, next, episode, step, n, &after);
      some = find_run (self, column, episode, step + 1, some, &later);
      unlike += count_unlike (after, lanes * (gint64) next->row_stride, later,
                              lanes * (gint64) column->row_stride, next->row_bytes, some);
      forget (self, next, after, some);
      forget (self, column, later, some);
    }
  return unlike;
}

void
reel_export_column_init (ReelExportColumn *self, const ReelExportRows *rows,
                         const ReelColumn *column)
{
  const gboolean of_end = g_str_equal (column->path, DONE) || g_str_equal (column->path, TRUNCATED);

  *self = (ReelExportColumn){ rows, column, of_end && is_flag (column), 0, 0 };
}

void
reel_export_column_read (gpointer data, guint8 *to, gint64 n)
{
  ReelExportColumn *self = data;

  for (gint64 some; n > 0; n -= some)
    {
      const ReelExportEpisode *episode =
          &g_array_index (self->rows->episodes, ReelExportEpisode, self->episode);

      some = MIN (n, episode->n_steps - self->step);
      reel_export_rows_copy (self->rows, self->column, episode, self->step, some, to);
      self->step += some;
      to += (gsize) some * self->column->row_bytes;
      if (self->step < episode->n_steps)
        continue;
      if (self->marks && episode->cut)
        to[-1] = 1;
      self->episode++;
      self->step = 0;
    }
}
