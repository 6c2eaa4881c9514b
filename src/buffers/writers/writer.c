/* The base of writers: checks before a write, the count of writes, and states. */
#include "writer-private.h"

#include "../../core/tensordict/state-values.h"
#include "../storages/storage-private.h"
#include "../storages/item-rows.h"
#include "../storages/item-storage.h"

typedef struct
{
  gint64 uncounted; /* steps of the storage's numbering that the write count leaves out */
} ReelWriterPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelWriter, reel_writer, REEL_TYPE_OBJECT)

static void
reel_writer_class_init (ReelWriterClass *klass)
{
  REEL_OBJECT_CLASS (klass)->kind = "writer";
}

static void
reel_writer_init (ReelWriter *self)
{
}

/* The storage takes its layout from the first step, and the dimension names from all of them. */
static gboolean
allocate_for (ReelStorage *storage, ReelTensordict *data, GError **error)
{
  g_autoptr (ReelTensordict) step = reel_tensordict_select_index (data, 0, 0, error);
  const char *names[REEL_MAX_NDIM];
  gint ndim;

  if (!step || !reel_storage_allocate (storage, step, error))
    return FALSE;
  reel_tensordict_get_batch_size (data, &ndim);
  for (gint i = 0; i < ndim; i++)
    names[i] = reel_tensordict_get_name (data, i);
  return reel_tensordict_set_names (reel_storage_get_data (storage), names, error);
}

gboolean
reel_writer_check (ReelWriter *self, ReelStorage *storage, GError **error)
{
  ReelWriterClass *klass = REEL_WRITER_GET_CLASS (self);

  return !klass->check || klass->check (self, storage, error);
}

gboolean
reel_writer_bind (ReelWriter *self, ReelStorage *storage, GError **error)
{
  ReelWriterClass *klass = REEL_WRITER_GET_CLASS (self);

  if (!reel_writer_check (self, storage, error))
    return FALSE;
  if (klass->bind)
    klass->bind (self, storage);
  return TRUE;
}

gboolean
reel_writer_may_write (ReelWriter *self, GError **error)
{
  const char *refusal = REEL_WRITER_GET_CLASS (self)->refusal;

  if (refusal)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME, refusal);
  return !refusal;
}

/* Whether there are steps of as many dimensions as the storage has. */
static gboolean
check_steps (ReelStorage *storage, const ReelTensordict *data, GError **error)
{
  gint ndim;

  reel_tensordict_get_batch_size (data, &ndim);
  if (!REEL_IS_ITEM_STORAGE (storage) && ndim < reel_storage_get_ndim (storage))
    {
      g_set_error (
          error, REEL_ERROR, REEL_ERROR_VALUE,
          "a storage with ndim=%d takes data with at least as many batch dimensions; these "
          "have %d",
          reel_storage_get_ndim (storage), ndim);
      return FALSE;
    }
  if (reel_rows_count (data) == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "Expected at least one element in extend.");
      return FALSE;
    }
  return TRUE;
}

gboolean
reel_writer_extend (ReelWriter *self, ReelStorage *storage, ReelTensordict *data, gint64 *slots,
                    GError **error)
{
  ReelWriterClass *klass = REEL_WRITER_GET_CLASS (self);
  g_autoptr (ReelTensordict) rows = NULL;
  g_autoptr (ReelTensordict) whole = NULL;

  if (!reel_writer_may_write (self, error) || !reel_writer_check (self, storage, error))
    return FALSE;
  rows = REEL_IS_ITEM_STORAGE (storage) ? reel_rows_list (data, error) : reel_tensordict_ref (data);
  if (!rows || !check_steps (storage, rows, error))
    return FALSE;
  whole =
      klass->complete ? klass->complete (self, storage, rows, error) : reel_tensordict_ref (rows);
  if (!whole)
    return FALSE;
  if (!reel_storage_is_allocated (storage) && !allocate_for (storage, whole, error))
    return FALSE;
  return klass->extend (self, storage, whole, slots, error);
}

gboolean
reel_writer_reserve (ReelWriter *self, ReelStorage *storage, gint64 n_steps, ReelReservation *block,
                     GError **error)
{
  ReelWriterClass *klass = REEL_WRITER_GET_CLASS (self);

  if (!reel_writer_may_write (self, error))
    return FALSE;
  if (klass->reserve)
    return klass->reserve (self, storage, n_steps, block, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "a %s lends no blocks, for it looks at data before it places them: use extend",
               klass->peer_name);
  return FALSE;
}

static gint64
count_steps (ReelStorage *storage)
{
  ReelRing *ring = reel_storage_get_ring (storage);

  return ring ? reel_ring_get_end (ring) : 0;
}

gint64
reel_writer_get_write_count (ReelWriter *self, ReelStorage *storage)
{
  ReelWriterPrivate *private = reel_writer_get_instance_private (self);

  return reel_writer_may_write (self, NULL) ? count_steps (storage) - private->uncounted : 0;
}

void
reel_writer_set_write_count (ReelWriter *self, ReelStorage *storage, gint64 write_count)
{
  ReelWriterPrivate *private = reel_writer_get_instance_private (self);

  private->uncounted = count_steps (storage) - write_count;
}

void
reel_writer_count_writes (ReelWriter *self, gint64 n)
{
  ReelWriterPrivate *private = reel_writer_get_instance_private (self);

  private->uncounted -= n;
}

/* ---- state ---- */

ReelTensordict *
reel_writer_dup_state (ReelWriter *self, ReelStorage *storage, GError **error)
{
  ReelWriterClass *klass = REEL_WRITER_GET_CLASS (self);
  g_autoptr (ReelTensordict) state = reel_tensordict_new (0, NULL);
  gint64 cursor = reel_storage_get_cursor (storage);
  gint64 write_count = reel_writer_get_write_count (self, storage);

  if (!reel_writer_may_write (self, NULL))
    return g_steal_pointer (&state);
  if (!reel_state_set (state, "_cursor", REEL_DTYPE_INT64, 0, 1, &cursor, error)
      || !reel_state_set (state, "_write_count", REEL_DTYPE_INT64, 0, 1, &write_count, error)
      || (klass->dup_state && !klass->dup_state (self, storage, state, error)))
    return NULL;
  return g_steal_pointer (&state);
}

static gboolean
read_count (const ReelTensordict *state, ReelWriterState *read, GError **error)
{
  const ReelTensor *tensor;

  if (!reel_tensordict_contains (state, "_write_count"))
    return TRUE;
  tensor = reel_state_get (state, "_write_count", REEL_DTYPE_INT64, 0, error);
  read->counted = tensor != NULL;
  if (tensor)
    read->write_count = *(const gint64 *) tensor->data;
  return read->counted;
}

gboolean
reel_writer_read_state (ReelWriter *self, const ReelWriterRows *rows, const ReelTensordict *state,
                        ReelWriterState *read, GError **error)
{
  ReelWriterClass *klass = REEL_WRITER_GET_CLASS (self);

  *read = (ReelWriterState){ .writer = self };
  return !reel_writer_may_write (self, NULL)
         || (read_count (state, read, error)
             && (!klass->read_state || klass->read_state (self, rows, state, &read->said, error)));
}

void
reel_writer_state_take (ReelWriterState *self, ReelStorage *storage)
{
  ReelWriterClass *klass = REEL_WRITER_GET_CLASS (self->writer);

  if (self->counted)
    reel_writer_set_write_count (self->writer, storage, self->write_count);
  if (klass->take_state)
    klass->take_state (self->writer, storage, self->said);
}

void
reel_writer_state_clear (ReelWriterState *self)
{
  if (self->said)
    REEL_WRITER_GET_CLASS (self->writer)->free_state (self->said);
  *self = (ReelWriterState){ NULL };
}

static gboolean
check_cursor (ReelStorage *storage, const ReelTensordict *state, GError **error)
{
  const ReelTensor *cursor = reel_state_get (state, "_cursor", REEL_DTYPE_INT64, 0, error);

  if (!cursor || *(const gint64 *) cursor->data == reel_storage_get_cursor (storage))
    return cursor != NULL;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the writer would continue at slot %" G_GINT64_FORMAT
               ", the storage at %" G_GINT64_FORMAT ": set the state of the storage first",
               *(const gint64 *) cursor->data, reel_storage_get_cursor (storage));
  return FALSE;
}

gboolean
reel_writer_set_state (ReelWriter *self, ReelStorage *storage, const ReelTensordict *state,
                       GError **error)
{
  g_auto (ReelWriterState) read = { NULL };
  ReelWriterRows rows = { .storage = storage };

  if (!reel_writer_may_write (self, NULL))
    return TRUE;
  reel_storage_get_view (storage, &rows.view);
  if (!check_cursor (storage, state, error)
      || !reel_writer_read_state (self, &rows, state, &read, error))
    return FALSE;
  reel_writer_state_take (&read, storage);
  return TRUE;
}

char *
reel_writer_to_string (ReelWriter *self, ReelStorage *storage)
{
  const char *name = REEL_WRITER_GET_CLASS (self)->peer_name;
  char *(*describe) (ReelWriter *) = REEL_WRITER_GET_CLASS (self)->describe;
  g_autofree char *more = describe ? describe (self) : g_strdup ("");
  gboolean full = reel_storage_get_length (storage) == reel_storage_get_capacity (storage);

  if (!reel_writer_may_write (self, NULL))
    return g_strdup_printf ("%s()", name);
  return g_strdup_printf ("%s(cursor=%" G_GINT64_FORMAT ", full_storage=%s%s)", name,
                          reel_storage_get_cursor (storage), full ? "True" : "False", more);
}
