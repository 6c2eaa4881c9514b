/* Around the ring, and each row holds the slot of its step as `index`. */
#include "round-robin-writer.h"
#include "../storages/storage-private.h"
#include "../storages/item-rows.h"
#include "../storages/item-storage.h"
#include "../../core/tensordict/tree-private.h"

#define INDEX "index"

struct _ReelTensordictRoundRobinWriter
{
  ReelRoundRobinWriter parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelTensordictRoundRobinWriter, reel_tensordict_round_robin_writer, REEL,
                      TENSORDICT_ROUND_ROBIN_WRITER, ReelRoundRobinWriter)
G_DEFINE_FINAL_TYPE (ReelTensordictRoundRobinWriter, reel_tensordict_round_robin_writer,
                     REEL_TYPE_ROUND_ROBIN_WRITER)

/* One element a step, seen in each of the further batch dimensions of @data. */
static ReelTensor *
new_index (const ReelTensordict *data, GError **error)
{
  gint ndim;
  const gint64 *batch = reel_tensordict_get_batch_size (data, &ndim);
  g_autoptr (ReelTensor) index = reel_tensor_new (REEL_DTYPE_INT64, 1, batch, error);

  for (gint dim = 1; index && dim < ndim; dim++)
    {
      g_autoptr (ReelTensor) narrow = g_steal_pointer (&index);
      index = reel_tensor_unsqueeze (narrow, dim, error);
    }
  return index ? reel_tensor_expand (index, ndim, batch, error) : NULL;
}

/* A layout that was fixed without an index, by a collector or a file, stays without. NULL then. */
static const ReelColumn *
find_index (ReelStorage *storage)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);
  gint i = reel_storage_find_column (storage, INDEX, NULL);

  return i >= 0 && columns[i].dtype == REEL_DTYPE_INT64 ? &columns[i] : NULL;
}

static ReelTensordict *
complete (ReelWriter *self, ReelStorage *storage, ReelTensordict *data, GError **error)
{
  g_autoptr (ReelTensor) index = NULL;
  g_autoptr (ReelTensordict) whole = NULL;

  if (reel_rows_are_listed (data) || (reel_storage_is_allocated (storage) && !find_index (storage)))
    return reel_tensordict_ref (data);
  index = new_index (data, error);
  whole = index ? reel_tensordict_clone (data, FALSE, error) : NULL;
  if (!whole || !reel_tensordict_set_tensor (whole, INDEX, index, error))
    return NULL;
  return g_steal_pointer (&whole);
}

/* Trees, records and bare values have no place for it. */
ReelTensordict *
reel_tensordict_round_robin_number (const ReelTensordict *rows, const gint64 *slots, GError **error)
{
  g_autoptr (ReelTensordict) numbered = reel_tree_new (REEL_TENSORDICT_LIST);

  for (gint64 i = 0; i < reel_rows_count (rows); i++)
    {
      g_autoptr (ReelTensordict) row =
          reel_tensordict_clone (reel_rows_get (rows, i), FALSE, error);
      g_autoptr (ReelTensor) index = reel_tensor_new (REEL_DTYPE_INT64, 0, NULL, error);

      if (!row || !index)
        return NULL;
      *(gint64 *) index->data = slots[i];
      if ((reel_row_takes_keys (row) && !reel_row_set_for_all (row, INDEX, index, error))
          || !reel_tree_append (numbered, row, error))
        return NULL;
    }
  return g_steal_pointer (&numbered);
}

static ReelTensordict *
number_from_cursor (const ReelTensordict *rows, gint64 cursor, gint64 n_slots, GError **error)
{
  gint64 n = reel_rows_count (rows);
  g_autofree gint64 *slots = g_new (gint64, n);

  for (gint64 i = 0; i < n; i++)
    slots[i] = (cursor + i) % n_slots;
  return reel_tensordict_round_robin_number (rows, slots, error);
}

/* How many steps there are is known by now. */
static gboolean
extend (ReelWriter *self, ReelStorage *storage, ReelTensordict *data, gint64 *slots, GError **error)
{
  gint64 n_slots = reel_storage_get_capacity (storage) / reel_storage_get_lanes (storage);
  gint64 cursor = reel_storage_get_cursor (storage);
  gint64 n = reel_rows_count (data);
  g_autoptr (ReelTensordict) numbered = NULL;

  if (reel_rows_are_listed (data))
    {
      numbered = number_from_cursor (data, cursor, n_slots, error);
      if (!numbered)
        return FALSE;
      data = numbered;
    }
  else if (find_index (storage))
    {
      ReelTensor *index = reel_tensordict_get_tensor (data, INDEX, error);

      for (gint64 i = 0; i < n; i++)
        ((gint64 *) index->data)[i] = (cursor + i) % n_slots;
    }
  return REEL_WRITER_CLASS (reel_tensordict_round_robin_writer_parent_class)
      ->extend (self, storage, data, slots, error);
}

/* The caller that fills the block knows nothing of the index. */
static gboolean
reserve (ReelWriter *self, ReelStorage *storage, gint64 n_steps, ReelReservation *block,
         GError **error)
{
  const ReelColumn *column = find_index (storage);
  guint n_columns;
  gint64 slot = reel_storage_get_cursor (storage);

  if (!REEL_WRITER_CLASS (reel_tensordict_round_robin_writer_parent_class)
           ->reserve (self, storage, n_steps, block, error))
    return FALSE;
  for (gint64 i = 0; column && i < block->n_steps; i++)
    {
      gsize n = column->step_bytes / sizeof (gint64);
      const ReelColumn *first = reel_storage_get_columns (storage, &n_columns);
      gint64 *step = (gint64 *) block->columns[column - first] + (gsize) i * n;

      for (gsize j = 0; j < n; j++)
        step[j] = slot + i;
    }
  return TRUE;
}

static void
reel_tensordict_round_robin_writer_class_init (ReelTensordictRoundRobinWriterClass *klass)
{
  static const ReelId ids[] = {
    { "tensordict-round-robin", NULL, "around the ring, and rows hold their slot as index" },
    { "TensorDictRoundRobinWriter", NULL, "the same, by TorchRL's name" },
    { NULL },
  };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_WRITER_CLASS (klass)->peer_name = "TensorDictRoundRobinWriter";
  REEL_WRITER_CLASS (klass)->complete = complete;
  REEL_WRITER_CLASS (klass)->extend = extend;
  REEL_WRITER_CLASS (klass)->add = NULL; /* steps lack their index */
  REEL_WRITER_CLASS (klass)->reserve = reserve;
}

static void
reel_tensordict_round_robin_writer_init (ReelTensordictRoundRobinWriter *self)
{
}
