/* A checkpoint whose rows lie in order of time, in a ring of another size or of other lanes. */
#include "buffer-files.h"

#include "../../core/system/directories.h"
#include "../../core/system/drafts.h"
#include "../../core/object/error.h"
#include "../../core/tensordict/shape.h"
#include "checkpointer-private.h"
#include "cut-info.h"
#include "../storages/cut-rows.h"
#include "../storages/row-copy.h"
#include "../storages/storage-load.h"
#include "../storages/storage-private.h"
#include "../storages/item-storage.h"
#include "../writers/writer-private.h"

#include <string.h>

/* Sources and targets of rows. A lane of the source is a run of rows of the target where `apart` is
 * set. */
typedef struct
{
  ReelReplayBuffer *from;
  ReelReplayBuffer *to;
  gint64 first_row; /* the oldest that is kept, by its number */
  gint64 n_steps;   /* that are kept, of the source */
  gint64 lanes;     /* of the source */
  gboolean apart;
  gint ndim_from; /* of the source; rows may have further dimensions, such as steps */
  gint ndim;      /* of the target */
  gint64 shape[REEL_MAX_NDIM];
} Order;

static void
clear_order (Order *order)
{
  g_clear_object (&order->to);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Order, clear_order)

/* ---- what it is going to be ---- */

/* Lanes stay lanes; where there is one dimension of them less, they are numbered through. */
static void
choose_shape (Order *order, gint ndim)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (order->from);
  gint n;
  const gint64 *shape = reel_tensordict_get_batch_size (reel_storage_get_data (storage), &n);

  order->ndim_from = reel_storage_get_ndim (storage);
  order->ndim = ndim;
  order->apart = ndim == 1 && order->lanes > 1;
  for (gint d = 1; d < ndim; d++)
    order->shape[d] = ndim == order->ndim_from ? shape[d] : d == 1 ? order->lanes : 1;
}

static gboolean
check_request (const ReelOrderedDump *dump, GError **error)
{
  if (dump->capacity < 0 || dump->ndim < 0 || dump->ndim > 3)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s cannot be %" G_GINT64_FORMAT,
                 dump->capacity < 0 ? "a capacity" : "a number of dimensions",
                 dump->capacity < 0 ? dump->capacity : (gint64) dump->ndim);
  else
    return TRUE;
  return FALSE;
}

/* TorchRL does not know where a full ring begins: without a wish one step is left over. */
static gboolean
plan_order (Order *order, ReelOrderedDump *dump, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (order->from);
  gint64 capacity = dump->capacity, spare, steps;
  ReelStorageView view;

  reel_storage_get_view (storage, &view);
  order->lanes = view.lanes;
  order->n_steps = (view.end_row - view.first_row) / view.lanes;
  choose_shape (order, dump->ndim > 0 ? dump->ndim : reel_storage_get_ndim (storage));
  spare = order->apart ? 1 : view.lanes;
  if (capacity == 0)
    capacity = MAX (reel_storage_get_capacity (storage), view.end_row - view.first_row + spare);
  steps = (capacity - 1) / view.lanes + 1;
  if (order->apart)
    steps = capacity / view.lanes;
  if (steps == 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a capacity of %" G_GINT64_FORMAT
                   " rows has no room for a step of %" G_GINT64_FORMAT " lanes",
                   capacity, view.lanes);
      return FALSE;
    }
  order->n_steps = MIN (order->n_steps, steps);
  /* The newest steps are kept. */
  order->first_row = view.end_row - order->n_steps * view.lanes;
  order->shape[0] = order->apart ? capacity : steps;
  dump->ndim = order->ndim;
  dump->capacity = order->apart ? capacity : steps * view.lanes;
  dump->length = order->n_steps * view.lanes;
  dump->n_dropped = order->first_row - view.first_row;
  return TRUE;
}

/* ---- its files ---- */

/* One step, as a layout: any row of the source in the place of all. */
static ReelTensordict *
make_step (const Order *order, GError **error)
{
  ReelTensordict *row =
      reel_tensordict_ref (reel_storage_get_data (reel_replay_buffer_get_storage (order->from)));
  ReelTensordict *step;
  gint64 shape[REEL_MAX_NDIM];
  const gint64 *size;
  gint n;

  for (gint d = 0; row && d < order->ndim_from; d++)
    {
      ReelTensordict *inner = reel_tensordict_select_index (row, 0, 0, error);

      reel_tensordict_unref (row);
      row = inner;
    }
  if (!row || order->ndim == 1)
    return row;
  size = reel_tensordict_get_batch_size (row, &n);
  memcpy (shape, order->shape + 1, (gsize) (order->ndim - 1) * sizeof *shape);
  memcpy (shape + order->ndim - 1, size, (gsize) n * sizeof *shape);
  step = reel_tensordict_expand (row, order->ndim - 1 + n, shape, error);
  reel_tensordict_unref (row);
  return step;
}

static gboolean
name_dimensions (const Order *order, GError **error)
{
  ReelTensordict *from = reel_storage_get_data (reel_replay_buffer_get_storage (order->from));
  ReelTensordict *to = reel_storage_get_data (reel_replay_buffer_get_storage (order->to));
  const char *names[REEL_MAX_NDIM] = { NULL };
  gint n;

  reel_tensordict_get_batch_size (from, &n);
  for (gint d = 0; d < n; d++)
    if (d == 0 || order->ndim == order->ndim_from)
      names[d] = reel_tensordict_get_name (from, d);
    else if (d >= order->ndim_from)
      names[d - order->ndim_from + order->ndim] = reel_tensordict_get_name (from, d);
  return reel_tensordict_set_names (to, names, error);
}

/* Rows that lie in files as in memory are written where they stay. */
static gboolean
is_in_place (const Order *order)
{
  return reel_checkpointer_is_plain (reel_buffer_files_get (order->from)->checkpointer);
}

static ReelStorage *
make_storage (const Order *order, const char *path, GError **error)
{
  gboolean in_files = path && is_in_place (order);
  g_autofree char *directory = in_files ? g_build_filename (path, "storage", NULL) : NULL;
  g_autofree char *text = NULL;
  ReelStorage *from = reel_replay_buffer_get_storage (order->from);
  gint dim_extend = reel_storage_get_ndim (from) == order->ndim ? reel_storage_get_dim_extend (from)
                                                                : order->ndim - 1;
  gint64 capacity = 1;
  ReelStorage *storage;

  for (gint d = 0; d < order->ndim; d++)
    capacity *= order->shape[d];
  text =
      g_strdup_printf ("%s:ndim=%d,dim-extend=%d,capacity=%" G_GINT64_FORMAT,
                       in_files || !path ? "memmap" : "tensor", order->ndim, dim_extend, capacity);
  storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, error, NULL);
  if (storage && in_files)
    reel_memmap_storage_set_directory (storage, directory);
  return storage;
}

/* The buffer in its directory: an empty ring, and all that is said of the source. */
static gboolean
make_target (Order *order, const char *target, const char *path, GError **error)
{
  g_autoptr (ReelStorage) storage = make_storage (order, path, error);
  g_autoptr (ReelTensordict) step = storage ? make_step (order, error) : NULL;
  ReelWriter *from = reel_replay_buffer_get_writer (order->from);
  g_autoptr (ReelWriter) writer = NULL;
  gint64 bytes = step ? reel_storage_count_bytes (storage, step, error) : -1;

  if (bytes < 0 || (target && !reel_directory_check_space (target, bytes, error))
      || !reel_storage_allocate (storage, step, error))
    return FALSE;
  if (!reel_writer_may_write (from, NULL))
    writer = reel_object_new_from_text (REEL_TYPE_WRITER, "immutable", NULL, NULL);
  order->to = reel_replay_buffer_new (storage, NULL, writer,
                                      reel_replay_buffer_get_batch_size (order->from), error);
  if (!order->to)
    return FALSE;
  reel_replay_buffer_set_checkpointer (order->to,
                                       reel_buffer_files_get (order->from)->checkpointer);
  json_object_update (reel_buffer_files_get (order->to)->info,
                      reel_buffer_files_get (order->from)->info);
  return name_dimensions (order, error);
}

/* ---- its rows ---- */

/* The rows are kept by whoever holds the source's memory: a writer that goes on makes it fail. */
static gboolean
copy_rows (const Order *order, GError **error)
{
  ReelStorage *from = reel_replay_buffer_get_storage (order->from);
  const ReelRowCopy copy = { from,
                             order->first_row / order->lanes,
                             order->n_steps,
                             reel_replay_buffer_get_storage (order->to),
                             0,
                             order->apart };

  if (reel_row_copy_run (&copy) == copy.first_step)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_INDEX,
                       "the oldest rows were overwritten by another process before they were "
                       "copied: ask for a smaller capacity, or wait for it to end");
  return FALSE;
}

/* ---- where lanes meet ---- */

/* The number of a source's row in the target. */
static gint64
place_row (const Order *order, gint64 row)
{
  gint64 from = row - order->first_row;

  /* Apart, one lane follows the other, each in order of time. */
  return order->apart ? from % order->lanes * order->n_steps + from / order->lanes : from;
}

/* A trajectory that goes on past the last step of its lane would run into the next lane's first.
 * Returns the number of marks. */
static gint64
mark_cuts (const Order *order)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (order->to);
  gint64 n = 0;

  for (gint64 lane = 0; order->apart && order->n_steps > 0 && lane < order->lanes; lane++)
    {
      gint64 last = (lane + 1) * order->n_steps - 1;

      if (!reel_storage_mark_cut (storage, last))
        continue;
      reel_cut_info_add (order->to, REEL_CUT_ENDS, last);
      n++;
    }
  return n;
}

/* Cuts that the source knows of keep their rows, which have other numbers in the target. */
static void
carry_cuts (const Order *order, const char *list)
{
  const json_t *rows = reel_cut_info_get (order->from, list);

  for (gsize i = 0; i < json_array_size (rows); i++)
    {
      gint64 row = json_integer_value (json_array_get (rows, i));

      if (row >= order->first_row && row < order->first_row + order->n_steps * order->lanes)
        reel_cut_info_add (order->to, list, place_row (order, row));
    }
}

/* Where older steps were overwritten or dropped, the first episode of each lane may have begun
 * before its first row here. The target, which counts from 0, no longer shows that. */
static void
record_begins (const Order *order)
{
  carry_cuts (order, REEL_CUT_BEGINS);
  for (gint64 lane = 0; order->first_row > 0 && order->n_steps > 0 && lane < order->lanes; lane++)
    reel_cut_info_add (order->to, REEL_CUT_BEGINS, place_row (order, order->first_row + lane));
}

static gint64
record_cuts (const Order *order)
{
  reel_cut_info_clear (order->to);
  record_begins (order);
  carry_cuts (order, REEL_CUT_ENDS);
  return mark_cuts (order);
}

/* ---- all together ---- */

/* In files that are @path's, without it in some without names. */
static gboolean
fill_rows (Order *order, const char *target, const char *path, ReelOrderedDump *dump,
           GError **error)
{
  ReelStorage *storage;

  if (!make_target (order, target, path, error) || !copy_rows (order, error))
    return FALSE;
  storage = reel_replay_buffer_get_storage (order->to);
  dump->n_cut = record_cuts (order);
  reel_storage_restore (storage, 0, dump->length / reel_storage_get_lanes (storage));
  reel_writer_set_write_count (reel_replay_buffer_get_writer (order->to), storage,
                               dump->length / reel_storage_get_lanes (storage));
  return TRUE;
}

static gboolean
write_files (Order *order, const char *path, GError **error)
{
  return reel_checkpoint_fill (order->to, path, error) && reel_checkpoint_sync_tree (path, error);
}

static gboolean
fill (Order *order, const char *target, const char *path, ReelOrderedDump *dump, GError **error)
{
  if (!fill_rows (order, target, path, dump, error))
    return FALSE;
  return is_in_place (order) ? reel_checkpoint_seal (order->to, path, error)
                             : write_files (order, path, error);
}

/* Warnings of the checkpointer. */
static void
take_warnings (const Order *order)
{
  g_auto (GStrv) warnings = reel_replay_buffer_dup_warnings (order->to);

  for (char **warning = warnings; *warning; warning++)
    reel_buffer_files_warn (reel_buffer_files_get (order->from), g_strdup (*warning));
}

/* ---- rows without columns ---- */

static GPtrArray *
list_values (ReelStorage *storage, gint64 n)
{
  ReelItemTable *table = reel_item_storage_get_table (REEL_ITEM_STORAGE (storage));
  GPtrArray *values = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_stored_value_unref);
  ReelStorageView view;

  reel_storage_get_view (storage, &view);
  for (gint64 row = view.end_row - n; row < view.end_row; row++)
    g_ptr_array_add (values, reel_item_table_get (table, row % view.capacity));
  return values;
}

static gboolean
plan_values (Order *order, ReelOrderedDump *dump, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (order->from);
  gint64 n = reel_storage_get_length (storage);

  if (dump->ndim > 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "rows of a %s have one dimension, not %d",
                   REEL_STORAGE_GET_CLASS (storage)->peer_name, dump->ndim);
      return FALSE;
    }
  if (dump->capacity == 0)
    dump->capacity = MAX (reel_storage_get_capacity (storage), n + 1);
  dump->ndim = 1;
  dump->length = MIN (n, dump->capacity);
  dump->n_dropped = n - dump->length;
  return TRUE;
}

static gboolean
fill_values (Order *order, const char *path, ReelOrderedDump *dump, GError **error)
{
  g_autofree char *text =
      g_strdup_printf ("compressed-list:capacity=%" G_GINT64_FORMAT, dump->capacity);
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, text, error, NULL);
  g_autoptr (ReelTensordict) shape = reel_tensordict_new (1, &dump->capacity);
  g_autoptr (GPtrArray) values =
      list_values (reel_replay_buffer_get_storage (order->from), dump->length);
  const ReelStoredRows rows = { path, shape, 0, dump->length, NULL, values, NULL, NULL };

  if (!storage || !reel_stored_rows_load (&rows, storage, error))
    return FALSE;
  order->to = reel_replay_buffer_new (storage, NULL, NULL,
                                      reel_replay_buffer_get_batch_size (order->from), error);
  if (!order->to)
    return FALSE;
  json_object_update (reel_buffer_files_get (order->to)->info,
                      reel_buffer_files_get (order->from)->info);
  reel_cut_info_clear (order->to);
  reel_writer_set_write_count (reel_replay_buffer_get_writer (order->to), storage, dump->length);
  return write_files (order, path, error);
}

static gboolean
plan (Order *order, ReelOrderedDump *dump, GError **error)
{
  return check_request (dump, error)
         && (REEL_IS_ITEM_STORAGE (reel_replay_buffer_get_storage (order->from))
                 ? plan_values (order, dump, error)
                 : plan_order (order, dump, error));
}

static gboolean
fill_target (Order *order, const char *target, const char *path, ReelOrderedDump *dump,
             GError **error)
{
  return REEL_IS_ITEM_STORAGE (reel_replay_buffer_get_storage (order->from))
             ? fill_values (order, path, dump, error)
             : fill (order, target, path, dump, error);
}

ReelReplayBuffer *
reel_replay_buffer_copy_in_order (ReelReplayBuffer *self, ReelOrderedDump *dump, GError **error)
{
  g_auto (Order) order = { .from = self };

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self) && dump, NULL);
  if (!reel_checkpoint_check_storage (reel_replay_buffer_get_storage (self), error)
      || !reel_item_storage_check_columns (reel_replay_buffer_get_storage (self), "a copy in order",
                                           error)
      || !plan (&order, dump, error) || !fill_rows (&order, NULL, NULL, dump, error))
    return NULL;
  return g_steal_pointer (&order.to);
}

gboolean
reel_replay_buffer_dumps_in_order (ReelReplayBuffer *self, const char *path, ReelOrderedDump *dump,
                                   ReelCheckpointFlags flags, GError **error)
{
  g_auto (Order) order = { .from = self };
  g_auto (ReelDraft) draft = REEL_DRAFT_NONE;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self) && path && dump, FALSE);
  if (!reel_checkpoint_check_storage (reel_replay_buffer_get_storage (self), error)
      || !plan (&order, dump, error) || !reel_checkpoint_check_target (path, flags, error)
      || !reel_draft_begin (&draft, path, error)
      || !fill_target (&order, path, draft.path, dump, error)
      || !reel_checkpoint_put_in_place (&draft, flags, reel_buffer_files_get (self)->warnings,
                                        error))
    return FALSE;
  take_warnings (&order);
  return TRUE;
}
