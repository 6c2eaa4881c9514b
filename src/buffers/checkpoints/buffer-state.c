/* All that a buffer is, in a tensordict. */
#include "buffer-state.h"
#include "buffer-files.h"
#include "buffer-stream-state.h"
#include "../samplers/sampler-private.h"
#include "../../core/tensordict/state-values.h"
#include "../storages/storage-load.h"
#include "../storages/storage-private.h"
#include "../writers/writer-private.h"

#include "../../core/object/error.h"

/* ---- into a state ---- */

/* Takes @part. */
static gboolean
add_part (ReelTensordict *state, const char *key, ReelTensordict *part, GError **error)
{
  g_autoptr (ReelTensordict) owned = part;

  return owned && reel_tensordict_set_tensordict (state, key, owned, error);
}

ReelTensordict *
reel_replay_buffer_dup_state (ReelReplayBuffer *self, GError **error)
{
  ReelStorage *storage;
  g_autoptr (ReelTensordict) state = NULL;
  gint64 batch_size;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self), NULL);
  storage = reel_replay_buffer_get_storage (self);
  batch_size = reel_replay_buffer_get_batch_size (self);
  /* Overwritten rows are drawn again, and the sampler continues. */
  reel_buffer_flush (self);
  state = reel_tensordict_new (0, NULL);
  if (!add_part (state, "_storage", reel_storage_dup_state (storage, error), error)
      || !add_part (state, "_sampler",
                    reel_sampler_dup_state (reel_replay_buffer_get_sampler (self), storage, error),
                    error)
      || !add_part (state, "_writer",
                    reel_writer_dup_state (reel_replay_buffer_get_writer (self), storage, error),
                    error)
      || !add_part (state, "_transforms",
                    reel_transform_dup_state (
                        REEL_TRANSFORM (reel_replay_buffer_get_transform (self)), error),
                    error)
      || !reel_state_set (state, "_batch_size", REEL_DTYPE_INT64, 0, 1, &batch_size, error)
      || (reel_replay_buffer_get_prefetch (self) > 0
          && !add_part (state, "_prefetch_state", reel_buffer_stream_dup_state (self, error),
                        error)))
    return NULL;
  return g_steal_pointer (&state);
}

/* ---- and from it ---- */

/* A state that was taken apart. */
typedef struct
{
  ReelStoredRows rows;
  const ReelTensordict *storage;
  ReelTensordict *sampler; /* of its own */
  ReelTensordict *writer;  /* of its own */
  const ReelTensordict *transforms;
  const ReelTensordict *prefetch; /* NULL for none */
  gint64 stream;                  /* of the sampler, where there are no rows; -1 for none */
  gint64 batch_size;
} Parts;

static void
clear_parts (Parts *parts)
{
  g_clear_pointer (&parts->sampler, reel_tensordict_unref);
  g_clear_pointer (&parts->writer, reel_tensordict_unref);
  reel_stored_rows_clear (&parts->rows);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Parts, clear_parts)

static gboolean
find_part (const ReelTensordict *state, const char *key, const ReelTensordict **part,
           GError **error)
{
  *part = reel_tensordict_get_tensordict (state, key, error);
  return *part != NULL;
}

static gboolean
copy_part (const ReelTensordict *state, const char *key, ReelTensordict **part, GError **error)
{
  const ReelTensordict *found;

  *part =
      find_part (state, key, &found, error) ? reel_tensordict_clone (found, FALSE, error) : NULL;
  return *part != NULL;
}

static gboolean
take_apart (const ReelTensordict *state, Parts *parts, GError **error)
{
  const ReelTensor *batch_size = reel_state_get (state, "_batch_size", REEL_DTYPE_INT64, 0, error);

  if (!batch_size || !find_part (state, "_storage", &parts->storage, error)
      || !copy_part (state, "_sampler", &parts->sampler, error)
      || !copy_part (state, "_writer", &parts->writer, error)
      || !find_part (state, "_transforms", &parts->transforms, error)
      || (reel_tensordict_contains (state, "_prefetch_state")
          && !find_part (state, "_prefetch_state", &parts->prefetch, error)))
    return FALSE;
  parts->batch_size = *(const gint64 *) batch_size->data;
  if (parts->batch_size >= 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"_batch_size\" is %" G_GINT64_FORMAT ", 0 or more expected", parts->batch_size);
  return FALSE;
}

static gboolean
check_no_files (ReelReplayBuffer *self, GError **error)
{
  const ReelBufferFiles *files = reel_buffer_files_peek (self);

  if (!files || !files->path)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "the buffer is kept in %s; set the state of one that is not", files->path);
  return FALSE;
}

/* How far the sampler of no rows is with its random numbers. */
static gboolean
keep_stream (ReelReplayBuffer *self, Parts *parts, GError **error)
{
  gint64 own = reel_sampler_get_stream (reel_replay_buffer_get_sampler (self),
                                        reel_replay_buffer_get_storage (self));
  const ReelTensor *stream;

  if (parts->rows.data || own < 0 || !reel_tensordict_contains (parts->sampler, REEL_STREAM_KEY))
    return TRUE;
  stream = reel_state_get (parts->sampler, REEL_STREAM_KEY, REEL_DTYPE_INT64, 0, error);
  if (stream)
    parts->stream = *(const gint64 *) stream->data;
  return stream != NULL;
}

/* Values by slot are void where rows move to other slots, or there are none. */
static gboolean
forget_slots (ReelReplayBuffer *self, Parts *parts, GError **error)
{
  static const char *const said_of_slots[] = { "_generation", "_current_top_values" };

  if (parts->rows.data
      && !reel_stored_rows_move (&parts->rows, reel_replay_buffer_get_storage (self)))
    return TRUE;
  if (!keep_stream (self, parts, error))
    return FALSE;
  if (reel_sampler_get_state_form (reel_replay_buffer_get_sampler (self)))
    g_clear_pointer (&parts->sampler, reel_tensordict_unref);
  parts->prefetch = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (said_of_slots); i++)
    if (reel_tensordict_contains (parts->writer, said_of_slots[i])
        && !reel_tensordict_remove (parts->writer, said_of_slots[i], error))
      return FALSE;
  return TRUE;
}

/* All that a state makes, before anything changes. */
typedef struct
{
  ReelRowMove move;
  ReelSamplerState sampler;
  ReelWriterState writer;
  ReelStreamState stream;
} Going;

static void
clear_going (Going *going)
{
  reel_stream_state_clear (&going->stream);
  reel_row_move_clear (&going->move);
  reel_writer_state_clear (&going->writer);
  reel_sampler_state_clear (&going->sampler);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Going, clear_going)

/* The future contents of the storage. */
static gboolean
find_rows (const Parts *parts, ReelStorage *storage, ReelWriterRows *rows, GError **error)
{
  *rows = (ReelWriterRows){ .storage = storage };
  if (!parts->rows.data)
    {
      rows->view.capacity = reel_storage_get_capacity (storage);
      return TRUE;
    }
  reel_stored_rows_get_view (&parts->rows, storage, &rows->view);
  rows->data = reel_tensordict_get_tensordict (parts->storage, "_storage", error);
  return rows->data != NULL;
}

static gboolean
prepare (ReelReplayBuffer *self, const Parts *parts, Going *going, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  ReelWriterRows rows;

  if (!find_rows (parts, storage, &rows, error)
      || !reel_sampler_read_state (reel_replay_buffer_get_sampler (self), rows.view.capacity,
                                   parts->sampler, &going->sampler, error))
    return FALSE;
  if (parts->stream >= 0)
    going->sampler.stream = parts->stream;
  return reel_writer_read_state (reel_replay_buffer_get_writer (self), &rows, parts->writer,
                                 &going->writer, error)
         && (!parts->rows.data
             || reel_row_move_prepare (&going->move, &parts->rows, storage, error))
         && reel_sampler_state_bind (&going->sampler, storage, error)
         && reel_buffer_stream_read_state (self, parts->prefetch, &going->stream, error);
}

/* Chains go on one transform after the other: where one cannot, those before it are set back. */
static gboolean
set_transforms (ReelReplayBuffer *self, const ReelTensordict *state, GError **error)
{
  ReelTransform *chain = REEL_TRANSFORM (reel_replay_buffer_get_transform (self));
  g_autoptr (ReelTensordict) before = reel_transform_dup_state (chain, error);

  if (!before)
    return FALSE;
  if (reel_transform_set_state (chain, state, error))
    return TRUE;
  reel_transform_set_state (chain, before, NULL);
  return FALSE;
}

/* The sampler forgets what it knew, and goes on from what it is told; the writer goes on where the
 * storage does. */
static void
take (ReelReplayBuffer *self, const Parts *parts, Going *going)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);

  if (parts->rows.data)
    reel_row_move_run (&going->move);
  else
    reel_storage_empty (storage);
  reel_sampler_empty (reel_replay_buffer_get_sampler (self));
  reel_replay_buffer_set_batch_size (self, parts->batch_size);
  reel_writer_state_take (&going->writer, storage);
  reel_sampler_state_take (&going->sampler, storage);
  reel_buffer_stream_take_state (self, &going->stream);
}

gboolean
reel_replay_buffer_set_state (ReelReplayBuffer *self, const ReelTensordict *state, GError **error)
{
  g_auto (Parts) parts = { .stream = -1 };
  g_auto (Going) going = { .stream = { NULL } };

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self) && state, FALSE);
  if (!check_no_files (self, error) || !take_apart (state, &parts, error)
      || !reel_buffer_stream_check_state (self, parts.prefetch, error)
      || !reel_storage_read_state (reel_replay_buffer_get_storage (self), parts.storage,
                                   &parts.rows, error)
      || !forget_slots (self, &parts, error) || !prepare (self, &parts, &going, error)
      || !set_transforms (self, parts.transforms, error))
    return FALSE;
  take (self, &parts, &going);
  return TRUE;
}
