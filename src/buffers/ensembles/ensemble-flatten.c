/* The rows of all members in one buffer. */
#include "../../core/object/error.h"
#include "../checkpoints/buffer-files.h"
#include "../checkpoints/cut-info.h"
#include "../storages/cut-rows.h"
#include "../storages/storage-private.h"
#include "ensemble-private.h"

#define IDS "collector/traj_ids"

/* A member with rows, and the words that name it in messages. */
typedef struct
{
  ReelReplayBuffer *buffer;
  char *name;
} Part;

static void
part_clear (Part *part)
{
  g_free (part->name);
}

static void
list_parts (GArray *parts, ReelReplayBufferEnsemble *ensemble, const char *above)
{
  gint64 n = reel_replay_buffer_ensemble_get_length (ensemble);

  for (gint64 i = 0; i < n; i++)
    {
      gpointer member = reel_replay_buffer_ensemble_get (ensemble, i, NULL);
      g_autofree char *name = g_strdup_printf ("%s/%" G_GINT64_FORMAT, above, i);
      Part part = { member, NULL };

      if (!REEL_IS_REPLAY_BUFFER (member))
        list_parts (parts, member, name);
      else if (reel_replay_buffer_get_length (member) > 0)
        {
          part.name = g_steal_pointer (&name);
          g_array_append_val (parts, part);
        }
    }
}

static const Part *
get_part (const GArray *parts, guint i)
{
  return &g_array_index (parts, Part, i);
}

/* ---- ids ---- */

/* The ids of trajectories, one a row; NULL where none are stored. */
static gint64 *
find_ids (ReelStorage *storage)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);
  gint i = reel_storage_find_column (storage, IDS, NULL);

  if (i < 0 || columns[i].dtype != REEL_DTYPE_INT64 || columns[i].row_bytes != sizeof (gint64))
    return NULL;
  return (gint64 *) (gpointer) columns[i].data;
}

/* Members number their trajectories from 0 on: those of later ones follow. */
static gint64
renumber (gint64 *ids, gint64 n, gint64 first)
{
  gint64 least = G_MAXINT64, most = G_MININT64;

  for (gint64 i = 0; i < n; i++)
    {
      least = MIN (least, ids[i]);
      most = MAX (most, ids[i]);
    }
  for (gint64 i = 0; i < n; i++)
    ids[i] = (gint64) ((guint64) ids[i] - (guint64) least + (guint64) first);
  return first + (gint64) ((guint64) most - (guint64) least) + 1;
}

/* ---- rows ---- */

typedef struct
{
  ReelReplayBuffer *buffer;
  gint64 next_id;
  gint64 n_cut;
} Flat;

static ReelReplayBuffer *
new_buffer (const GArray *parts, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (ReelStorage) storage = NULL;
  gint64 n = 0;

  for (guint i = 0; i < parts->len; i++)
    n += reel_replay_buffer_get_length (get_part (parts, i)->buffer);
  text = g_strdup_printf ("memmap:capacity=%" G_GINT64_FORMAT, n);
  storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, error, NULL);
  return storage ? reel_replay_buffer_new (storage, NULL, NULL, 0, error) : NULL;
}

/* The cuts of a member whose first row has the number @first here. */
static void
carry_cuts (Flat *self, ReelReplayBuffer *rows, gint64 first, const char *list)
{
  const json_t *cuts = reel_cut_info_get (rows, list);

  for (gsize i = 0; i < json_array_size (cuts); i++)
    reel_cut_info_add (self->buffer, list, first + json_integer_value (json_array_get (cuts, i)));
}

static gboolean
extend (Flat *self, ReelReplayBuffer *rows, gint64 n, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (rows);
  g_autoptr (ReelTensordict) part =
      reel_tensordict_slice (reel_storage_get_data (storage), 0, 0, n, 1, error);
  gint64 *ids = find_ids (storage), first = reel_replay_buffer_get_length (self->buffer);

  if (reel_storage_mark_cut (storage, n - 1))
    {
      reel_cut_info_add (rows, REEL_CUT_ENDS, n - 1);
      self->n_cut++;
    }
  carry_cuts (self, rows, first, REEL_CUT_BEGINS);
  carry_cuts (self, rows, first, REEL_CUT_ENDS);
  if (ids)
    self->next_id = renumber (ids, n, self->next_id);
  return part && reel_replay_buffer_extend (self->buffer, part, NULL, error);
}

static gboolean
append (Flat *self, const Part *part, GError **error)
{
  ReelOrderedDump order = { .ndim = 1 };
  g_autoptr (ReelReplayBuffer) rows =
      reel_replay_buffer_copy_in_order (part->buffer, &order, error);

  self->n_cut += order.n_cut;
  if (rows && extend (self, rows, order.length, error))
    return TRUE;
  g_prefix_error (error, "member %s: ", part->name + 1);
  return FALSE;
}

/* ---- what is kept beside the rows ---- */

/* The path of the first member that differs between two descriptions of specs; NULL where none
 * does. */
static char *
find_difference (const json_t *one, const json_t *other, const char *above)
{
  const char *key;
  json_t *value;

  if (!json_is_object (one) || !json_is_object (other))
    return json_equal (one, other) ? NULL : g_strdup (above);
  json_object_foreach ((json_t *) one, key, value)
  {
    g_autofree char *below = g_strconcat (above, *above ? "/" : "", key, NULL);
    char *found = find_difference (value, json_object_get (other, key), below);

    if (found)
      return found;
  }
  json_object_foreach ((json_t *) other, key, value)
  {
    if (!json_object_get (one, key))
      return g_strconcat (above, *above ? "/" : "", key, NULL);
  }
  return NULL;
}

/* Members without specs go with any. */
static gboolean
check_specs (const GArray *parts, GError **error)
{
  const Part *first = NULL;

  for (guint i = 0; i < parts->len; i++)
    {
      const Part *part = get_part (parts, i);
      json_t *specs = json_object_get (reel_buffer_files_get (part->buffer)->info, "specs");
      g_autofree char *key = NULL;

      if (specs && !first)
        first = part;
      if (specs)
        key = find_difference (
            json_object_get (reel_buffer_files_get (first->buffer)->info, "specs"), specs, "");
      if (!key)
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "member %s: cannot flatten: its specs differ from those of member %s at \"%s\"",
                   part->name + 1, first->name + 1, key);
      return FALSE;
    }
  return TRUE;
}

/* Removes from @one whatever @other says otherwise. */
static void
keep_common (json_t *one, const json_t *other)
{
  const char *key;
  json_t *value;
  void *next;

  json_object_foreach_safe (one, next, key, value)
  {
    const json_t *theirs = json_object_get (other, key);

    if (json_is_object (value) && json_is_object (theirs))
      keep_common (value, theirs);
    else if (!theirs || !json_equal (value, theirs))
      json_object_del (one, key);
  }
}

static void
keep_info (const Flat *self, const GArray *parts)
{
  g_autoptr (json_t) info =
      json_deep_copy (reel_buffer_files_get (get_part (parts, 0)->buffer)->info);

  for (guint i = 1; i < parts->len; i++)
    keep_common (info, reel_buffer_files_get (get_part (parts, i)->buffer)->info);
  json_object_del (info, REEL_CUT_INFO); /* whose numbers are those of a member */
  json_object_update (reel_buffer_files_get (self->buffer)->info, info);
}

ReelReplayBuffer *
reel_replay_buffer_ensemble_flatten (ReelReplayBufferEnsemble *self, gint64 *n_cut, GError **error)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (Part));
  g_autoptr (ReelReplayBuffer) buffer = NULL;
  Flat flat = { NULL, 0, 0 };

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER_ENSEMBLE (self), NULL);
  g_array_set_clear_func (parts, (GDestroyNotify) part_clear);
  list_parts (parts, self, "");
  if (parts->len == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME, "no member has rows");
      return NULL;
    }
  if (!check_specs (parts, error))
    return NULL;
  flat.buffer = buffer = new_buffer (parts, error);
  for (guint i = 0; i < parts->len; i++)
    if (!flat.buffer || !append (&flat, get_part (parts, i), error))
      return NULL;
  keep_info (&flat, parts);
  if (n_cut)
    *n_cut = flat.n_cut;
  return g_steal_pointer (&buffer);
}
