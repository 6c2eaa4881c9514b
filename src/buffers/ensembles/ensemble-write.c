/* Rows that are written through an ensemble, each to the member that it names. */
#include "ensemble-private.h"
#include "../writers/round-robin-writer.h"

#include "../../core/tensordict/shape.h"
#include "../../core/tensordict/tree-private.h"
#include "../../specs/element.h"

/* Rows in one dimension, and whose each is. */
typedef struct
{
  ReelTensordict *rows; /* NULL for none now */
  gint64 n;
  gint64 *ids;
} Routed;

static void
routed_clear (Routed *self)
{
  g_clear_pointer (&self->rows, reel_tensordict_unref);
  g_clear_pointer (&self->ids, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Routed, routed_clear)

/* ---- whose rows they are ---- */

static gboolean
check_data (const ReelTensordict *data, GError **error)
{
  if (!reel_tensordict_is_tree (data))
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_TYPE,
                       "Routed replay writes require a TensorDict input.");
  return FALSE;
}

/* The transformed data, before and after its dimensions become one. */
static gboolean
flatten (ReelReplayBufferEnsemble *self, ReelTensordict *data, ReelTensordict **changed,
         Routed *routed, GError **error)
{
  gint ndim;
  const gint64 *size;

  *routed = (Routed){ 0 };
  if (!check_data (data, error)
      || !reel_transform_inverse (REEL_TRANSFORM (self->transform), data, changed, error))
    return FALSE;
  if (!*changed)
    return TRUE;
  size = reel_tensordict_get_batch_size (*changed, &ndim);
  routed->n = 1;
  for (gint d = 0; d < ndim; d++)
    routed->n *= size[d];
  routed->ids = g_new (gint64, MAX (routed->n, 1));
  routed->rows = reel_tensordict_reshape (*changed, 1, &routed->n, error);
  return routed->rows != NULL;
}

static gboolean
check_ids (ReelReplayBufferEnsemble *self, const Routed *routed, GError **error)
{
  gint64 n_members = self->members->len;

  for (gint64 i = 0; i < routed->n; i++)
    if (routed->ids[i] < 0 || routed->ids[i] >= n_members)
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "ReplayBufferEnsemble member ids must be in [0, %" G_GINT64_FORMAT
                     "]: that of row %" G_GINT64_FORMAT " is %" G_GINT64_FORMAT,
                     n_members - 1, i, routed->ids[i]);
        return FALSE;
      }
  return TRUE;
}

/* One a row, whatever dimensions of one element follow. */
static gboolean
read_ids (const Routed *routed, const char *key, GError **error)
{
  const ReelTensor *found = reel_tensordict_get_tensor (routed->rows, key, error);
  g_autoptr (ReelTensor) ids = NULL;
  gsize bytes;

  if (!found)
    return FALSE;
  if (found->dtype == REEL_DTYPE_BOOL || !reel_element_is_integer (found->dtype))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "ReplayBufferEnsemble member ids must be integers: \"%s\" is %s", key,
                   reel_dtype_name (found->dtype));
      return FALSE;
    }
  if (reel_tensor_numel (found) != routed->n)
    {
      g_set_error (
          error, REEL_ERROR, REEL_ERROR_VALUE,
          "the routing key \"%s\" must contain one member id per record, it has %" G_GINT64_FORMAT
          " for %" G_GINT64_FORMAT " records",
          key, reel_tensor_numel (found), routed->n);
      return FALSE;
    }
  ids = reel_tensor_contiguous ((ReelTensor *) found, error);
  if (!ids)
    return FALSE;
  bytes = reel_dtype_size (ids->dtype);
  for (gint64 i = 0; i < routed->n; i++)
    routed->ids[i] = (gint64) reel_element_load_integer (ids->dtype, ids->data + (gsize) i * bytes);
  return TRUE;
}

static gboolean
count_ids (ReelReplayBufferEnsemble *self, const ReelTensordict *changed, gint dim,
           const Routed *routed, GError **error)
{
  gint ndim, d;
  const gint64 *size = reel_tensordict_get_batch_size (changed, &ndim);
  gint64 inner = 1;

  d = dim < 0 ? dim + ndim : dim;
  if (d < 0 || d >= ndim)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "there is no dimension %d to route by: the data have %d", dim, ndim);
  else if (size[d] != self->members->len)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "routing dimension %d has size %" G_GINT64_FORMAT ", expected %u ensemble members",
                 dim, size[d], self->members->len);
  else
    {
      for (gint k = d + 1; k < ndim; k++)
        inner *= size[k];
      for (gint64 i = 0; i < routed->n; i++)
        routed->ids[i] = i / inner % size[d];
      return TRUE;
    }
  return FALSE;
}

/* ---- writing ---- */

/* Checks before the first row is written. */
static gboolean
check_member (ReelReplayBufferEnsemble *self, gint64 i, GError **error)
{
  GObject *member = self->members->pdata[i];
  gint ndim;

  if (!REEL_IS_REPLAY_BUFFER (member))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "member %" G_GINT64_FORMAT " is an ensemble: write to its buffers", i);
      return FALSE;
    }
  ndim = reel_storage_get_ndim (reel_replay_buffer_get_storage (REEL_REPLAY_BUFFER (member)));
  if (ndim == 1)
    return reel_writer_may_write (reel_replay_buffer_get_writer (REEL_REPLAY_BUFFER (member)),
                                  error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "buffer %" G_GINT64_FORMAT " stores %d dimensions: single rows are written to "
               "buffers of one",
               i, ndim);
  return FALSE;
}

static gboolean
check_members (ReelReplayBufferEnsemble *self, const Routed *routed, GError **error)
{
  for (gint64 i = 0; i < routed->n; i++)
    if (!check_member (self, routed->ids[i], error))
      return FALSE;
  return TRUE;
}

/* A slot that the batch wrote twice was at an earlier generation for its earlier rows. */
static gboolean
find_generations (ReelReplayBuffer *buffer, const ReelTensor *index, gint64 *generations,
                  GError **error)
{
  g_autoptr (ReelTensor) found =
      reel_storage_get_generations (reel_replay_buffer_get_storage (buffer), index, error);
  g_autoptr (GHashTable) later = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (gint64 i = found ? found->shape[0] - 1 : -1; i >= 0; i--)
    {
      gint64 *slot = (gint64 *) index->data + i;
      gint64 n = GPOINTER_TO_SIZE (g_hash_table_lookup (later, slot));

      generations[i] = *slot < 0 ? -1 : ((gint64 *) found->data)[i] - n;
      g_hash_table_replace (later, slot, GSIZE_TO_POINTER ((gsize) n + 1));
    }
  return found != NULL;
}

/* Rows of one member, in their order: where they went stands at their places in @index and
 * @generations. Where its transforms made other rows of them, none has a place. */
static gboolean
write_member (ReelReplayBufferEnsemble *self, const Routed *routed, gint64 member, gint64 *index,
              gint64 *generations, GError **error)
{
  ReelReplayBuffer *buffer = self->members->pdata[member];
  g_autofree gint64 *rows = g_new (gint64, routed->n), *stamps = g_new (gint64, routed->n);
  g_autoptr (ReelTensordict) own = NULL;
  g_autoptr (ReelTensor) slots = NULL;
  gint64 n = 0;

  for (gint64 i = 0; i < routed->n; i++)
    if (routed->ids[i] == member)
      rows[n++] = i;
  if (n == 0)
    return TRUE;
  own = reel_tensordict_gather_rows (routed->rows, rows, (gsize) n, error);
  if (!own || !reel_replay_buffer_extend (buffer, own, &slots, error))
    {
      g_prefix_error (error, "buffer %" G_GINT64_FORMAT ": ", member);
      return FALSE;
    }
  if (slots->ndim != 1 || slots->shape[0] != n)
    return TRUE;
  if (generations && !find_generations (buffer, slots, stamps, error))
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    {
      index[rows[i]] = ((const gint64 *) slots->data)[i];
      if (generations)
        generations[rows[i]] = stamps[i];
    }
  return TRUE;
}

static gboolean
all_track_generations (ReelReplayBufferEnsemble *self)
{
  for (guint i = 0; i < self->members->len; i++)
    if (!REEL_IS_REPLAY_BUFFER (self->members->pdata[i])
        || !reel_writer_tracks_generations (
            reel_replay_buffer_get_writer (self->members->pdata[i])))
      return FALSE;
  return TRUE;
}

/* A column that says nothing yet. */
static gint64 *
add_column (ReelTensordict *td, const char *key, GError **error)
{
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);
  g_autoptr (ReelTensor) column = reel_tensor_new (REEL_DTYPE_INT64, 1, size, error);

  if (!column || !reel_tensordict_set_tensor (td, key, column, error))
    return NULL;
  for (gint64 i = 0; i < size[0]; i++)
    ((gint64 *) column->data)[i] = -1;
  return (gint64 *) column->data;
}

static gboolean
write_routed (ReelReplayBufferEnsemble *self, const Routed *routed, ReelTensordict **places,
              GError **error)
{
  g_autoptr (ReelTensordict) told = reel_tensordict_new (1, &routed->n);
  gint64 *ids = add_column (told, "buffer_ids", error);
  gint64 *index = ids ? add_column (told, "index", error) : NULL;
  gint64 *generations = NULL;

  if (!index || !check_ids (self, routed, error) || !check_members (self, routed, error))
    return FALSE;
  if (all_track_generations (self) && !(generations = add_column (told, "index_generation", error)))
    return FALSE;
  for (gint64 i = 0; i < routed->n; i++)
    ids[i] = routed->ids[i];
  for (guint i = 0; i < self->members->len; i++)
    if (!write_member (self, routed, i, index, generations, error))
      return FALSE;
  if (places)
    *places = g_steal_pointer (&told);
  return TRUE;
}

gboolean
reel_replay_buffer_ensemble_extend_by_key (ReelReplayBufferEnsemble *self, ReelTensordict *data,
                                           const char *key, ReelTensordict **places, GError **error)
{
  g_autoptr (ReelTensordict) changed = NULL;
  g_auto (Routed) routed = { 0 };

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER_ENSEMBLE (self) && data && key, FALSE);
  return flatten (self, data, &changed, &routed, error)
         && (!changed || read_ids (&routed, key, error))
         && write_routed (self, &routed, places, error);
}

gboolean
reel_replay_buffer_ensemble_extend_by_dim (ReelReplayBufferEnsemble *self, ReelTensordict *data,
                                           gint dim, ReelTensordict **places, GError **error)
{
  g_autoptr (ReelTensordict) changed = NULL;
  g_auto (Routed) routed = { 0 };

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER_ENSEMBLE (self) && data, FALSE);
  return flatten (self, data, &changed, &routed, error)
         && (!changed || count_ids (self, changed, dim, &routed, error))
         && write_routed (self, &routed, places, error);
}
