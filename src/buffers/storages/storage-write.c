/* Copying whole tensordicts into a ring. */

#include "storage-leaves.h"
#include "storage-state.h"
#include "item-rows.h"
#include "item-storage.h"

#include <string.h>

#define STREAM_LEAST 128 /* bytes in a row from which streaming stores pay */
#define MOST_LEAVES 64   /* of a step that is written at once */

/* Copies the dimensions from @dim on, in row-major order, and returns where the next element goes.
 * The last @n_dense of them lie in a row. */
static guint8 *
copy_strided (const ReelCopyKernels *kernels, guint8 *to, const ReelTensor *leaf, gint dim,
              gint n_dense, const guint8 *from, gsize dense_bytes)
{
  gint outer = leaf->ndim - n_dense;

  if (dim == outer)
    {
      kernels->copy (to, from, dense_bytes);
      return to + dense_bytes;
    }
  if (dim == outer - 1)
    {
      kernels->strided (to, (gint64) dense_bytes, from, leaf->strides[dim], dense_bytes,
                        leaf->shape[dim]);
      return to + dense_bytes * (gsize) leaf->shape[dim];
    }
  for (gint64 i = 0; i < leaf->shape[dim]; i++)
    to = copy_strided (kernels, to, leaf, dim + 1, n_dense, from + i * leaf->strides[dim],
                       dense_bytes);
  return to;
}

/* Rows of the dimensions from @dim on, @n of the first, to places a stride of the column apart.
 * Returns where the next row goes. */
static guint8 *
spread_rows (const ReelStoragePrivate *state, const ReelColumn *column, guint8 *to,
             const ReelTensor *leaf, gint dim, gint64 n, gint n_dense, const guint8 *from,
             gsize dense_bytes)
{
  gint n_dims = (gint) state->ndim;
  gint64 stride = (gint64) column->row_stride;

  if (dim == n_dims - 1 && n_dense >= leaf->ndim - n_dims)
    {
      state->kernels->strided (to, stride, from, leaf->strides[dim], column->row_bytes, n);
      return to + n * stride;
    }
  for (gint64 i = 0; i < n; i++, from += leaf->strides[dim])
    if (dim == n_dims - 1)
      {
        copy_strided (state->kernels, to, leaf, n_dims, n_dense, from, dense_bytes);
        to += stride;
      }
    else
      to = spread_rows (state, column, to, leaf, dim + 1, leaf->shape[dim + 1], n_dense, from,
                        dense_bytes);
  return to;
}

/* Steps [first, first + n) of a leaf to a slot of its column. */
static void
copy_steps (ReelStoragePrivate *state, const ReelColumn *column, const ReelTensor *leaf,
            gint64 first, gint64 n, gint64 slot)
{
  guint8 *to = column->data + (gsize) (slot * state->lanes) * column->row_stride;
  const guint8 *from = leaf->data + first * leaf->strides[0];
  gsize dense_bytes = reel_dtype_size (leaf->dtype);
  gint n_dense = 0;

  if (column->step_bytes == 0)
    return;
  /* Trailing dimensions without gaps are one piece of dense_bytes. The
   * stride of a dimension of extent 1 says nothing. */
  while (n_dense < leaf->ndim - 1)
    {
      gint dim = leaf->ndim - 1 - n_dense;

      if (leaf->shape[dim] != 1 && leaf->strides[dim] != (gint64) dense_bytes)
        break;
      dense_bytes *= (gsize) leaf->shape[dim];
      n_dense++;
    }
  if (!reel_column_is_dense (column))
    {
      spread_rows (state, column, to, leaf, 0, n, n_dense, from, dense_bytes);
      return;
    }
  if (n_dense == leaf->ndim - 1 && (n == 1 || leaf->strides[0] == (gint64) dense_bytes))
    {
      gsize bytes = dense_bytes * (gsize) n;
      /* Streaming stores would push rows out of a cache that holds the whole ring. */
      gboolean stream = state->past_cache && bytes >= STREAM_LEAST;

      (stream ? state->kernels->stream : state->kernels->copy) (to, from, bytes);
      return;
    }
  if (n_dense == leaf->ndim - 1)
    state->kernels->strided (to, (gint64) dense_bytes, from, leaf->strides[0], dense_bytes, n);
  else
    for (gint64 t = 0; t < n; t++)
      copy_strided (state->kernels, to + (gsize) t * column->step_bytes, leaf, 1, n_dense,
                    from + t * leaf->strides[0], dense_bytes);
}

/* Steps that later ones of the same call overwrite are never written: nobody could read them. */
static gint64
skip_overrun (ReelStorage *self, gint64 n)
{
  ReelRing *ring = reel_storage_get_ring (self);
  gint64 end = reel_ring_get_end (ring), skipped = n - reel_ring_get_capacity (ring);

  if (skipped <= 0)
    return 0;
  reel_ring_skip (ring, end + skipped);
  reel_storage_count_writes (self, end % reel_ring_get_capacity (ring), skipped);
  return skipped;
}

/* For all of the data at once, so that all or nothing is written. */
static gboolean
prepare (ReelStorage *self, gint64 end, gint64 n, GError **error)
{
  ReelStorageClass *klass = REEL_STORAGE_GET_CLASS (self);
  gint64 n_slots = reel_storage_state (self)->n_slots;

  if (klass->prepare && end < n_slots && n > 0
      && !klass->prepare (self, end, MIN (n, n_slots - end), error))
    return FALSE;
  return n == 0 || reel_storage_begin_steps (self, end + n, error);
}

/* Leaves in the order of the columns, or for a storage of values what it keeps of each row. */
struct _ReelSteps
{
  const ReelTensor **leaves;
  GPtrArray *values;
};

void
reel_steps_free (ReelSteps *steps)
{
  if (!steps)
    return;
  g_free (steps->leaves);
  g_clear_pointer (&steps->values, g_ptr_array_unref);
  g_free (steps);
}

/* Room for as many slots as @n_new rows at the cursor need: all where they go round. */
static gboolean
reserve_slots (ReelStorage *self, gint64 n_new, GError **error)
{
  ReelItemTable *table = reel_item_storage_get_table (REEL_ITEM_STORAGE (self));
  gint64 slot = reel_storage_get_cursor (self), n_slots = reel_storage_state (self)->n_slots;
  gboolean round = n_new > n_slots - slot;

  return n_new == 0
         || reel_item_table_reserve (table, round ? 0 : slot, round ? n_slots : n_new, error);
}

static gboolean
take_values (ReelStorage *self, ReelTensordict *data, ReelSteps *steps, gint64 n_new,
             GError **error)
{
  g_autoptr (ReelTensordict) rows = reel_rows_list (data, error);

  if (!rows || !reserve_slots (self, n_new, error))
    return FALSE;
  steps->values = reel_item_storage_pack (REEL_ITEM_STORAGE (self), rows, error);
  return steps->values != NULL;
}

static gboolean
take (ReelStorage *self, ReelTensordict *data, ReelSteps *steps, gint64 n_new, GError **error)
{
  if (REEL_IS_ITEM_STORAGE (self))
    return take_values (self, data, steps, n_new, error);
  steps->leaves = g_new (const ReelTensor *, reel_storage_state (self)->columns.n);
  return reel_storage_find_leaves (self, data, steps->leaves, error)
         && prepare (self, reel_ring_get_end (reel_storage_get_ring (self)), n_new, error);
}

ReelSteps *
reel_storage_take_steps (ReelStorage *self, ReelTensordict *data, gint64 n_new, GError **error)
{
  g_autoptr (ReelSteps) steps = g_new0 (ReelSteps, 1);
  gboolean replaces = n_new < reel_rows_count (data);

  if (!(replaces ? reel_storage_begin_replace : reel_storage_begin_write) (self, error)
      || !take (self, data, steps, n_new, error))
    return NULL;
  return g_steal_pointer (&steps);
}

static void
put_value (ReelStorage *self, const ReelSteps *data, gint64 step, gint64 slot)
{
  reel_item_table_put (reel_item_storage_get_table (REEL_ITEM_STORAGE (self)), slot,
                       reel_stored_value_ref (data->values->pdata[step]));
}

/* Steps [first, first + n) of every leaf, to records part by part. */
static void
copy_block (ReelStorage *self, const ReelSteps *data, gint64 first, gint64 n, gint64 slot)
{
  ReelStoragePrivate *state = reel_storage_state (self);
  gint64 part = MAX (1, reel_columns_part (&state->columns) / state->lanes), count;

  for (gint64 i = 0; data->values && i < n; i++)
    put_value (self, data, first + i, slot + i);
  for (gint64 done = 0; done < n && data->leaves; done += count)
    {
      count = MIN (part, n - done);
      for (guint i = 0; i < state->columns.n; i++)
        copy_steps (state, &state->columns.at[i], data->leaves[i], first + done, count,
                    slot + done);
    }
}

/* Writes steps of @data, those of a list or one for another from @first on, at the cursor,
 * announced block by block. */
static void
append_steps (ReelStorage *self, const ReelSteps *data, const gint64 *steps, gint64 first, gint64 n)
{
  ReelStoragePrivate *state = reel_storage_state (self);
  ReelRing *ring = reel_storage_get_ring (self);

  for (gint64 done = 0, block; done < n; done += block)
    {
      gint64 end = reel_ring_get_end (ring), slot = end % state->n_slots;

      /* Blocks of an eighth keep the rest of a full ring readable while rows are copied. */
      block = MIN (MIN (n - done, MAX (1, state->n_slots / 8)), state->n_slots - slot);
      reel_ring_claim (ring, end + block);
      reel_storage_count_writes (self, slot, block);
      for (gint64 i = 0; steps && i < block; i++)
        copy_block (self, data, steps[first + done + i], 1, slot + i);
      if (!steps)
        copy_block (self, data, first + done, block, slot);
      /* Long copies are streaming stores, which the release of the
       * publish does not order on x86. */
      reel_ring_fence_writes ();
      reel_ring_publish (ring, end + block);
      reel_storage_announce (self, end, block);
    }
}

/* ---- steps away from the cursor ---- */

static void
tell_replaced (ReelStoragePrivate *state, const gint64 *slots, gint64 n)
{
  gint64 *replaced = atomic_load_explicit (&state->replaced, memory_order_relaxed);
  gint64 end = atomic_load_explicit (&state->n_replaced, memory_order_relaxed);

  if (!replaced)
    {
      replaced = g_new (gint64, state->n_slots);
      atomic_store_explicit (&state->replaced, replaced, memory_order_relaxed);
    }
  /* Readers compare n_replacing behind their copy: with this fence, a
   * reader of a new slot sees the raised number. */
  atomic_store_explicit (&state->n_replacing, end + n, memory_order_relaxed);
  atomic_thread_fence (memory_order_release);
  for (gint64 i = 0; i < n; i++)
    __atomic_store_n (&replaced[(end + i) % state->n_slots], slots[i], __ATOMIC_RELAXED);
  atomic_store_explicit (&state->n_replaced, end + n, memory_order_release);
}

gint64
reel_storage_list_replaced (ReelStorage *self, gint64 *seen, gint64 *slots, gint64 room)
{
  ReelStoragePrivate *state = reel_storage_state (self);
  gint64 end = atomic_load_explicit (&state->n_replaced, memory_order_acquire), n;
  const gint64 *replaced = atomic_load_explicit (&state->replaced, memory_order_relaxed);

  if (*seen < 0)
    *seen = end;
  n = MIN (end - *seen, room);
  for (gint64 i = 0; i < n; i++)
    slots[i] = __atomic_load_n (&replaced[(*seen + i) % state->n_slots], __ATOMIC_RELAXED);
  atomic_thread_fence (memory_order_acquire);
  /* The list is a ring of its own: entries below n_replacing − n_slots
   * may be overwritten by now. */
  if (n > 0
      && atomic_load_explicit (&state->n_replacing, memory_order_relaxed) - *seen > state->n_slots)
    n = -1;
  *seen = n < 0 ? end : *seen + n;
  return n;
}

static void
change_steps (ReelStorage *self, const ReelSteps *data, const gint64 *steps, const gint64 *slots,
              gint64 n, gboolean told)
{
  if (n == 0)
    return;
  reel_storage_begin_change (self);
  for (gint64 i = 0; i < n; i++)
    {
      reel_storage_count_writes (self, slots[i], 1);
      copy_block (self, data, steps[i], 1, slots[i]);
    }
  /* Before the end of the change: a reader of the even revision finds these slots in the list. */
  if (told)
    tell_replaced (reel_storage_state (self), slots, n);
  reel_storage_end_change (self);
}

void
reel_storage_replace_steps (ReelStorage *self, const ReelSteps *data, const gint64 *steps,
                            const gint64 *slots, gint64 n)
{
  change_steps (self, data, steps, slots, n, FALSE);
}

void
reel_storage_put_steps (ReelStorage *self, const ReelSteps *data, const gint64 *slots, gint64 n,
                        gint64 n_new)
{
  gint64 n_slots = reel_storage_state (self)->n_slots, cursor = reel_storage_get_cursor (self);
  gint64 n_old = 0;
  g_autofree gint64 *appended = g_new (gint64, MAX (n_new, 1));
  g_autofree gint64 *replacing = g_new (gint64, MAX (n, 1));
  g_autofree gint64 *replaced = g_new (gint64, MAX (n, 1));

  for (gint64 i = 0; i < n; i++)
    {
      /* The n_new slots from the cursor on are new numbers, written in
       * their order; the others replace. */
      gint64 behind = (slots[i] - cursor + n_slots) % n_slots;

      if (slots[i] >= 0 && behind < n_new)
        appended[behind] = i;
      else if (slots[i] >= 0)
        {
          replacing[n_old] = i;
          replaced[n_old++] = slots[i];
        }
    }
  append_steps (self, data, appended, 0, n_new);
  change_steps (self, data, replacing, replaced, n_old, TRUE);
}

gboolean
reel_storage_write (ReelStorage *self, ReelTensordict *data, GError **error)
{
  gint64 n = reel_rows_count (data), skipped;
  g_autoptr (ReelSteps) steps = reel_storage_take_steps (self, data, n, error);

  if (!steps)
    return FALSE;
  skipped = skip_overrun (self, n);
  append_steps (self, steps, NULL, skipped, n - skipped);
  return TRUE;
}

/* Where the rows of each leaf begin; FALSE where those of one are not in a row. */
static gboolean
find_rows (const ReelTensor *const *leaves, guint n, const guint8 **rows)
{
  for (guint i = 0; i < n; i++)
    {
      if (!reel_tensor_is_contiguous (leaves[i]))
        return FALSE;
      rows[i] = leaves[i]->data;
    }
  return TRUE;
}

gboolean
reel_storage_write_step (ReelStorage *self, const ReelTensordict *step, gboolean *written,
                         GError **error)
{
  ReelStoragePrivate *state = reel_storage_state (self);
  ReelRing *ring = reel_storage_get_ring (self);
  const ReelTensor *leaves[MOST_LEAVES];
  const guint8 *rows[MOST_LEAVES];
  gint64 end, slot;

  /* Each test here only refuses the short way, so none sets an error: the long way reports it. */
  *written = FALSE;
  if (REEL_IS_ITEM_STORAGE (self) || state->columns.n > MOST_LEAVES
      || !reel_storage_match_leaves (self, step, 0, leaves)
      || !find_rows (leaves, state->columns.n, rows))
    return TRUE;
  end = reel_ring_get_end (ring);
  slot = end % state->n_slots;
  if (!reel_storage_begin_write (self, error) || !prepare (self, end, 1, error))
    return FALSE;
  reel_ring_claim (ring, end + 1);
  reel_storage_count_writes (self, slot, 1);
  reel_columns_put (&state->columns, state->kernels, rows, slot * state->lanes, state->lanes);
  reel_ring_publish (ring, end + 1);
  reel_storage_announce (self, end, 1);
  *written = TRUE;
  return TRUE;
}
