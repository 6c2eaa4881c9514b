/* Loads checkpoints into replay buffers and opens them as such: check everything, make all memory,
 * then take, which cannot fail. */
#include "buffer-files.h"
#include "buffer-stream-state.h"

#include "../../core/object/error.h"
#include "../../core/system/files.h"
#include "checkpoint-fingerprint.h"
#include "compared-sums.h"
#include "checkpointer-private.h"
#include "../writers/max-value-writer.h"
#include "../writers/round-robin-writer.h"
#include "../../core/tensordict/state-values.h"
#include "../storages/storage-load.h"
#include "../storages/storage-private.h"
#include "../storages/item-storage.h"
#include "../writers/writer-private.h"

#include <string.h>

/* The state of a running writer besides the counts is in the rows, which are ahead of the files. */
static gboolean
set_writer_state (ReelBufferFiles *files, const ReelCheckpoint *checkpoint, GError **error)
{
  gint64 cursor = reel_storage_get_cursor (files->storage);
  g_autoptr (ReelTensordict) state =
      checkpoint->behind || checkpoint->incomplete || checkpoint->written || checkpoint->moved
          ? reel_tensordict_new (0, NULL)
          : reel_tensordict_clone (checkpoint->writer_state, FALSE, error);

  return state && reel_state_set (state, "_cursor", REEL_DTYPE_INT64, 0, 1, &cursor, error)
         && reel_writer_set_state (files->writer, files->storage, state, error);
}

static void
take_writer_state (ReelBufferFiles *files, const ReelCheckpoint *checkpoint)
{
  g_autoptr (GError) error = NULL;

  reel_writer_set_write_count (files->writer, files->storage, checkpoint->place.write_count);
  if (!set_writer_state (files, checkpoint, &error))
    reel_buffer_files_warn (files, g_strdup_printf ("%s/writer: %s; its state is left out",
                                                    checkpoint->path, error->message));
}

gboolean
reel_checkpoint_read_prefetch (const ReelCheckpoint *self, ReelTensordict **state, GError **error)
{
  g_autofree char *path = reel_checkpoint_part (self->path, "prefetch");

  *state = NULL;
  if (!self->sidecar || self->sidecar->prefetch == 0)
    return TRUE;
  *state = reel_tensordict_load (path, REEL_LOAD_READ_ONLY, error);
  return *state != NULL;
}

/* All but the rows. */
static void
take_counts (ReelReplayBuffer *self, const ReelCheckpoint *checkpoint)
{
  ReelBufferFiles *files = reel_buffer_files_get (self);

  if (checkpoint->batch_size >= 0)
    reel_replay_buffer_set_batch_size (self, checkpoint->batch_size);
  reel_buffer_files_take_checkpoint (files, checkpoint);
  take_writer_state (files, checkpoint);
}

/* ---- into a buffer of the caller's ---- */

static gint64
first_step (const ReelCheckpoint *checkpoint)
{
  const ReelCheckpointPlace *place = &checkpoint->place;

  return MAX (place->begin, place->end - checkpoint->capacity);
}

static void
unpack (gpointer packed, const ReelRowCopy *copy)
{
  reel_flat_unpack_copy (packed, copy);
}

ReelStoredRows
reel_checkpoint_find_rows (const ReelCheckpoint *checkpoint)
{
  return (ReelStoredRows){ checkpoint->path,
                           checkpoint->data,
                           first_step (checkpoint),
                           checkpoint->place.end,
                           checkpoint->written ? checkpoint->ring : NULL,
                           checkpoint->values,
                           checkpoint->packed ? unpack : NULL,
                           checkpoint->packed };
}

/* Files are mapped as they are. */
static gboolean
fits_files (ReelStorage *storage, const ReelCheckpoint *checkpoint, GError **error)
{
  gint64 rows = checkpoint->capacity * checkpoint->lanes;

  if ((reel_storage_get_capacity (storage) - 1) / checkpoint->lanes + 1 == checkpoint->capacity)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%s: its files are of %" G_GINT64_FORMAT
               " rows, the storage has room for %" G_GINT64_FORMAT
               "; load it into one with capacity=%" G_GINT64_FORMAT,
               checkpoint->path, rows, reel_storage_get_capacity (storage), rows);
  return FALSE;
}

static gboolean
takes_writer_state (const ReelBufferFiles *files, const ReelCheckpoint *checkpoint)
{
  return g_str_equal (checkpoint->kind.writer, "max-value")
             ? REEL_IS_MAX_VALUE_WRITER (files->writer)
             : reel_writer_tracks_generations (files->writer);
}

static gboolean
read_state (ReelBufferFiles *files, ReelCheckpoint *checkpoint, ReelTensordict **state,
            GError **error)
{
  const ReelStoredRows rows = reel_checkpoint_find_rows (checkpoint);

  checkpoint->moved = reel_stored_rows_move (&rows, files->storage);
  if (!reel_checkpoint_read_sampler (checkpoint, files->sampler, state, error))
    return FALSE;
  if (checkpoint->kind.writer_state && !takes_writer_state (files, checkpoint))
    reel_checkpoint_warn_not_taken (checkpoint->path, checkpoint->kind.writer_state,
                                    checkpoint->warnings);
  if (*state && checkpoint->moved && reel_sampler_get_state_form (files->sampler))
    {
      g_clear_pointer (state, reel_tensordict_unref);
      g_ptr_array_add (checkpoint->warnings,
                       g_strdup_printf ("%s: its rows come to other slots, and the sampler begins "
                                        "anew",
                                        checkpoint->path));
    }
  return TRUE;
}

/* The state that the sampler continues from, over @capacity rows. */
static gboolean
read_sampler_state (ReelBufferFiles *files, const ReelCheckpoint *checkpoint, gint64 capacity,
                    const ReelTensordict *state, ReelSamplerState *read, GError **error)
{
  g_autofree char *place = NULL;

  if (reel_sampler_read_state (files->sampler, capacity, state, read, error))
    return TRUE;
  place = reel_checkpoint_part (checkpoint->path, "sampler");
  g_prefix_error (error, "%s: ", place);
  return FALSE;
}

/* The storage would write to its files as they lie there. */
gboolean
reel_checkpoint_check_attach (const ReelCheckpoint *checkpoint, ReelCheckpointer *checkpointer,
                              ReelStorage *storage, GError **error)
{
  gboolean hooks = reel_checkpointer_has_load_hooks (checkpointer);

  if (checkpoint->in_place && !hooks)
    return fits_files (storage, checkpoint, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%s: a storage cannot have its files there: %s; load it into one with another "
               "scratch-dir",
               checkpoint->path,
               checkpoint->in_place ? "load hooks change the rows"
                                    : "rows have another layout there than in memory");
  return FALSE;
}

void
reel_loading_clear (ReelLoading *self)
{
  reel_stream_state_clear (&self->stream);
  reel_row_move_clear (&self->move);
  reel_sampler_state_clear (&self->sampler);
  g_clear_pointer (&self->held, reel_held_directory_free);
  g_clear_pointer (&self->leaves, g_ptr_array_unref);
  g_clear_pointer (&self->resumed, reel_resumed_rows_free);
  g_clear_pointer (&self->ahead, reel_tensordict_unref);
  g_clear_pointer (&self->checkpoint, reel_checkpoint_free);
  *self = (ReelLoading){ 0 };
}

static gboolean
check_sampler (ReelLoading *self, GError **error)
{
  ReelBufferFiles *files = reel_buffer_files_get (self->buffer);
  const ReelStoredRows rows = reel_checkpoint_find_rows (self->checkpoint);
  g_autoptr (ReelTensordict) state = NULL;
  ReelStorageView view;

  reel_stored_rows_get_view (&rows, files->storage, &view);
  return read_state (files, self->checkpoint, &state, error)
         && read_sampler_state (files, self->checkpoint, view.capacity, state, &self->sampler,
                                error);
}

static gboolean
check_ahead (ReelLoading *self, GError **error)
{
  return reel_checkpoint_read_prefetch (self->checkpoint, &self->ahead, error)
         && reel_buffer_stream_check_state (self->buffer, self->ahead, error);
}

gboolean
reel_loading_check (ReelLoading *self, ReelReplayBuffer *buffer, const char *path, GError **error)
{
  ReelBufferFiles *files = reel_buffer_files_get (buffer);
  ReelStorage *storage = files->storage;
  ReelStoredRows rows;

  *self = (ReelLoading){ .buffer = buffer };
  if (files->path)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "the buffer is kept in %s; load into one that is not", files->path);
      return FALSE;
    }
  self->attach = !reel_storage_is_allocated (storage) && reel_checkpoint_is_home (storage, path);
  self->checkpoint =
      reel_checkpoint_read (path, self->attach ? REEL_LOAD_SHARED : REEL_LOAD_READ_ONLY,
                            reel_storage_get_ndim (storage), files->checkpointer, error);
  if (!self->checkpoint)
    return FALSE;
  rows = reel_checkpoint_find_rows (self->checkpoint);
  return (self->attach
              ? reel_checkpoint_check_attach (self->checkpoint, files->checkpointer, storage, error)
              : reel_stored_rows_check (&rows, storage, error))
         && check_sampler (self, error) && check_ahead (self, error);
}

/* Batches that were drawn ahead are drawn anew where they do not fit the rows. */
static void
read_ahead (ReelLoading *self)
{
  ReelCheckpoint *checkpoint = self->checkpoint;
  g_autoptr (GError) error = NULL;

  if (reel_buffer_stream_read_state (self->buffer, checkpoint->moved ? NULL : self->ahead,
                                     &self->stream, &error))
    return;
  reel_stream_state_clear (&self->stream);
  g_ptr_array_add (checkpoint->warnings,
                   g_strdup_printf ("%s/prefetch: %s; the batches are left out", checkpoint->path,
                                    error->message));
}

/* The directory is to be written on: what is damaged must not get new checksums. */
static gboolean
hold (ReelLoading *self, GError **error)
{
  const ReelCheckpoint *checkpoint = self->checkpoint;
  g_autoptr (GError) damage = NULL;

  self->held = reel_live_buffer_hold (checkpoint->path, checkpoint->ring, &self->leaves, error);
  if (!self->held || !reel_sums_check_files (checkpoint, error))
    return FALSE;
  self->resumed = reel_resumed_rows_new (checkpoint->path, checkpoint->sidecar, self->move.storage,
                                         &checkpoint->place, &damage);
  if (!damage)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&damage));
  return FALSE;
}

gboolean
reel_loading_prepare (ReelLoading *self, GError **error)
{
  ReelBufferFiles *files = reel_buffer_files_get (self->buffer);
  const ReelStoredRows rows = reel_checkpoint_find_rows (self->checkpoint);

  if (!(self->attach ? reel_row_move_adopt : reel_row_move_prepare) (&self->move, &rows,
                                                                     files->storage, error)
      || !reel_sampler_state_bind (&self->sampler, files->storage, error))
    return FALSE;
  read_ahead (self);
  return !self->attach || !self->checkpoint->ring || hold (self, error);
}

/* Rows are about to change: checksums of the dump would call them damaged. */
static gboolean
unseal (gpointer user_data, GError **error)
{
  ReelBufferFiles *files = user_data;
  g_autofree char *path = reel_checkpoint_part (files->sealed, REEL_SIDECAR_FILE);
  g_autoptr (ReelSidecar) sidecar = reel_sidecar_read (path, error);
  g_autofree char *text = NULL;

  if (!sidecar)
    return FALSE;
  g_clear_pointer (&sidecar->checksums, json_decref);
  text = reel_sidecar_to_text (sidecar);
  if (!reel_file_write_atomic (path, text, strlen (text), TRUE, error))
    return FALSE;
  g_clear_pointer (&files->sealed, g_free);
  return TRUE;
}

static void
seal_until_written (ReelBufferFiles *files, const ReelCheckpoint *checkpoint)
{
  files->sealed = g_strdup (checkpoint->path);
  reel_storage_set_gate (files->storage, unseal, files);
}

void
reel_loading_take (ReelLoading *self)
{
  ReelBufferFiles *files = reel_buffer_files_get (self->buffer);

  /* Rows before counts and states, which speak of them. */
  reel_row_move_run (&self->move);
  reel_sampler_empty (files->sampler);
  take_counts (self->buffer, self->checkpoint);
  if (self->held)
    reel_live_buffer_resume (files, self->checkpoint, g_steal_pointer (&self->held),
                             g_steal_pointer (&self->leaves), g_steal_pointer (&self->resumed));
  else if (self->attach && self->checkpoint->sidecar && self->checkpoint->sidecar->checksums)
    seal_until_written (files, self->checkpoint);
  reel_sampler_state_take (&self->sampler, files->storage);
  reel_buffer_stream_take_state (self->buffer, &self->stream);
}

gboolean
reel_loading_is_steady (const ReelLoading *self, const ReelCheckpointFingerprint *look)
{
  const ReelCheckpoint *checkpoint = self->checkpoint;

  return (checkpoint && checkpoint->written) || !reel_checkpoint_fingerprint_differs (look);
}

gboolean
reel_loading_check_taken (const ReelLoading *self, const ReelCheckpointFingerprint *look,
                          GError **error)
{
  g_autofree char *file = self->attach || self->checkpoint->written
                              ? NULL
                              : reel_checkpoint_fingerprint_find_rewritten (look);

  if (!file)
    return TRUE;
  /* A replaced file stays mapped as it was. One that was written to may have given rows of two
   * moments, in the place of the buffer's own. */
  reel_storage_empty (reel_replay_buffer_get_storage (self->buffer));
  reel_sampler_empty (reel_replay_buffer_get_sampler (self->buffer));
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "%s: another process changed it while rows were copied; the buffer holds none now",
               file);
  return FALSE;
}

gboolean
reel_replay_buffer_loads (ReelReplayBuffer *self, const char *path, GError **error)
{
  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self) && path, FALSE);
  for (gint attempt = 0; attempt < REEL_CHECKPOINT_ATTEMPTS; attempt++)
    {
      g_auto (ReelLoading) loading = { 0 };
      g_autoptr (ReelCheckpointFingerprint) look = reel_checkpoint_fingerprint_new (path);
      g_autoptr (GError) failure = NULL;
      gboolean ready = reel_loading_check (&loading, self, path, &failure)
                       && reel_loading_prepare (&loading, &failure);

      /* The end of the block undoes what was prepared from files that changed. */
      if (!reel_loading_is_steady (&loading, look))
        continue;
      if (!ready)
        {
          g_propagate_error (error, g_steal_pointer (&failure));
          return FALSE;
        }
      reel_loading_take (&loading);
      return reel_loading_check_taken (&loading, look, error);
    }
  reel_checkpoint_set_unsteady (path, error);
  return FALSE;
}

/* ---- as it lies there ---- */

/* The values of the files are those of the storage: mapped, they are read when a row is. */
static ReelStorage *
make_value_storage (const ReelCheckpoint *checkpoint, GError **error)
{
  g_autofree char *text =
      g_strdup_printf ("compressed-list:capacity=%" G_GINT64_FORMAT, checkpoint->capacity);
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, text, error, NULL);
  ReelItemTable *table = storage ? reel_item_storage_get_table (REEL_ITEM_STORAGE (storage)) : NULL;

  if (!table || !reel_item_table_reserve (table, 0, checkpoint->values->len, error))
    return NULL;
  for (guint i = 0; i < checkpoint->values->len; i++)
    reel_item_table_put (table, i, reel_stored_value_ref (checkpoint->values->pdata[i]));
  reel_storage_restore (storage, first_step (checkpoint), checkpoint->place.end);
  reel_storage_seal (storage, "the buffer was opened for reading; load it into one of your own");
  return g_steal_pointer (&storage);
}

static gboolean
adopt (ReelStorage *storage, const ReelCheckpoint *checkpoint, GError **error)
{
  if (!reel_storage_adopt (storage, checkpoint->data, error))
    return FALSE;
  reel_storage_restore (storage, first_step (checkpoint), checkpoint->place.end);
  return TRUE;
}

static ReelStorage *
make_storage (const ReelCheckpoint *checkpoint, GError **error)
{
  g_autofree char *directory = reel_checkpoint_part (checkpoint->path, "storage");
  const ReelSidecar *sidecar = checkpoint->sidecar;
  gint64 dim_extend =
      sidecar && sidecar->ndim == checkpoint->ndim ? sidecar->dim_extend : checkpoint->ndim - 1;
  g_autofree char *text =
      g_strdup_printf ("%s:ndim=%d,dim-extend=%" G_GINT64_FORMAT ",capacity=%" G_GINT64_FORMAT,
                       checkpoint->in_place ? "memmap" : "tensor", checkpoint->ndim, dim_extend,
                       checkpoint->capacity * checkpoint->lanes);
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, text, error, NULL);
  const ReelStoredRows rows = reel_checkpoint_find_rows (checkpoint);

  if (!storage)
    return NULL;
  if (checkpoint->in_place)
    reel_memmap_storage_set_directory (storage, directory);
  if (!(checkpoint->packed ? reel_stored_rows_load (&rows, storage, error)
                           : adopt (storage, checkpoint, error)))
    return NULL;
  reel_storage_seal (storage, "the buffer was opened for reading; load it into one of your own");
  return g_steal_pointer (&storage);
}

/* The class that the sidecar or else the files name; %NULL where neither names one. */
static ReelSampler *
make_sampler (const ReelCheckpoint *checkpoint)
{
  const char *texts[] = { checkpoint->sidecar ? checkpoint->sidecar->sampler : NULL,
                          checkpoint->kind.sampler };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (ReelSampler) sampler =
          texts[i] ? reel_object_new_from_text (REEL_TYPE_SAMPLER, texts[i], NULL, NULL) : NULL;
      const char *form = sampler ? reel_sampler_get_state_form (sampler) : NULL;

      if (sampler && g_str_equal (form ? form : "random", checkpoint->kind.sampler))
        return g_steal_pointer (&sampler);
    }
  return NULL;
}

/* Data that TorchRL has no writer for have none here. */
static ReelWriter *
make_writer (const ReelCheckpoint *checkpoint)
{
  const char *text = checkpoint->sidecar ? checkpoint->sidecar->writer : NULL;
  g_autoptr (GVariant) key = NULL;

  g_type_ensure (reel_immutable_writer_get_type ());
  g_type_ensure (REEL_TYPE_MAX_VALUE_WRITER);
  if (g_str_equal (checkpoint->kind.writer, "immutable"))
    text = "immutable";
  if (!text && reel_tensordict_contains (checkpoint->writer_state, "_rank_key"))
    {
      key = reel_tensordict_dup_value (checkpoint->writer_state, "_rank_key", NULL);
      return reel_object_new_from_text (REEL_TYPE_WRITER, "max-value", NULL, "rank-key",
                                        g_variant_get_string (key, NULL), NULL);
    }
  if (!text && reel_tensordict_contains (checkpoint->writer_state, "_generation"))
    text = "round-robin:track-generations=true";
  return text ? reel_object_new_from_text (REEL_TYPE_WRITER, text, NULL, NULL) : NULL;
}

/* A sampler whose keys are not there, or that wants a batch size, is no reason to read nothing. */
static ReelReplayBuffer *
make_buffer (ReelCheckpoint *checkpoint, ReelStorage *storage, GError **error)
{
  g_autoptr (ReelSampler) sampler = make_sampler (checkpoint);
  g_autoptr (ReelWriter) writer = make_writer (checkpoint);
  g_autoptr (GError) failure = NULL;
  ReelReplayBuffer *self =
      reel_replay_buffer_new (storage, sampler, writer, MAX (checkpoint->batch_size, 0), &failure);

  if (self)
    return self;
  if (!sampler)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return NULL;
    }
  g_ptr_array_add (checkpoint->warnings,
                   g_strdup_printf ("%s: its sampler cannot be used: %s; rows are drawn at random",
                                    checkpoint->path, failure->message));
  return reel_replay_buffer_new (storage, NULL, writer, 0, error);
}

static gboolean
go_on (ReelBufferFiles *files, ReelCheckpoint *checkpoint, GError **error)
{
  g_autoptr (ReelTensordict) state = NULL;
  g_auto (ReelSamplerState) read = { 0 };

  if (!reel_checkpoint_read_sampler (checkpoint, files->sampler, &state, error)
      || !read_sampler_state (files, checkpoint, reel_storage_get_capacity (files->storage), state,
                              &read, error)
      || !reel_sampler_state_bind (&read, files->storage, error))
    return FALSE;
  reel_sampler_state_take (&read, files->storage);
  return TRUE;
}

/* @written: whether another process goes on to write there */
static ReelReplayBuffer *
open_once (const char *path, ReelOpenFlags flags, gboolean *written, GError **error)
{
  g_autoptr (ReelCheckpoint) checkpoint = NULL;
  g_autoptr (ReelStorage) storage = NULL;
  g_autoptr (ReelReplayBuffer) self = NULL;
  ReelBufferFiles *files;

  *written = FALSE;
  checkpoint = reel_checkpoint_read (path, REEL_LOAD_READ_ONLY, 0, NULL, error);
  if (!checkpoint)
    return NULL;
  *written = checkpoint->written || checkpoint->behind;
  storage = (checkpoint->values ? make_value_storage : make_storage) (checkpoint, error);
  if (!storage)
    return NULL;
  self = make_buffer (checkpoint, storage, error);
  if (!self)
    return NULL;
  files = reel_buffer_files_get (self);
  files->path = g_strdup (path);
  files->clean = checkpoint->sidecar && checkpoint->sidecar->clean;
  files->announced = checkpoint->ring != NULL;
  files->incomplete = checkpoint->incomplete;
  files->followed = files->announced && checkpoint->written;
  take_counts (self, checkpoint);
  if (checkpoint->behind && !(flags & REEL_OPEN_READ_ONLY)
      && !reel_live_buffer_recover (checkpoint, files))
    {
      *written = FALSE;
      reel_checkpoint_set_unsteady (path, error);
      return NULL;
    }
  if (files->followed)
    /* The writer's own counters: its rows can be read as soon as it publishes them. */
    reel_storage_take_ring (storage, g_steal_pointer (&checkpoint->ring));
  return go_on (files, checkpoint, error) ? g_steal_pointer (&self) : NULL;
}

ReelReplayBuffer *
reel_replay_buffer_open (const char *path, ReelOpenFlags flags, GError **error)
{
  g_return_val_if_fail (path, NULL);
  for (gint attempt = 0; attempt < REEL_CHECKPOINT_ATTEMPTS; attempt++)
    {
      g_autoptr (ReelCheckpointFingerprint) look = reel_checkpoint_fingerprint_new (path);
      g_autoptr (GError) failure = NULL;
      gboolean written;
      g_autoptr (ReelReplayBuffer) self = open_once (path, flags, &written, &failure);

      if (!written && reel_checkpoint_fingerprint_differs (look))
        continue;
      if (failure)
        g_propagate_error (error, g_steal_pointer (&failure));
      return g_steal_pointer (&self);
    }
  reel_checkpoint_set_unsteady (path, error);
  return NULL;
}
