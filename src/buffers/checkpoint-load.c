#include "buffer-files.h"

#include "../core/error.h"
#include "max-value-writer.h"
#include "round-robin-writer.h"
#include "state.h"
#include "storage-private.h"

#include <string.h>

/* What a running writer knows beside the counts is in the rows, which are ahead of the files. */
static gboolean
set_writer_state (ReelBufferFiles *files, const ReelCheckpoint *checkpoint, GError **error)
{
  gint64 cursor = reel_storage_get_cursor (files->storage);
  gint64 write_count = checkpoint->place.write_count;
  g_autoptr (ReelTensordict) state =
      checkpoint->behind || checkpoint->written || checkpoint->moved
          ? reel_tensordict_new (0, NULL)
          : reel_tensordict_clone (checkpoint->writer_state, FALSE, error);

  return state && reel_state_set (state, "_cursor", REEL_DTYPE_INT64, 0, 1, &cursor, error)
         && reel_state_set (state, "_write_count", REEL_DTYPE_INT64, 0, 1, &write_count, error)
         && reel_writer_set_state (files->writer, files->storage, state, error);
}

static void
take_writer_state (ReelBufferFiles *files, const ReelCheckpoint *checkpoint)
{
  g_autoptr (GError) error = NULL;

  if (!set_writer_state (files, checkpoint, &error))
    reel_buffer_files_warn (files, g_strdup_printf ("%s/writer: %s: the rows themselves are ranked",
                                                    checkpoint->path, error->message));
}

static void
take_place (ReelReplayBuffer *self, const ReelCheckpoint *checkpoint)
{
  ReelBufferFiles *files = reel_buffer_files_get (self);
  const ReelCheckpointPlace *place = &checkpoint->place;

  reel_storage_restore (files->storage, MAX (place->begin, place->end - checkpoint->capacity),
                        place->end);
  reel_replay_buffer_set_batch_size (self, checkpoint->batch_size);
  reel_buffer_files_take_checkpoint (files, checkpoint);
  take_writer_state (files, checkpoint);
}

/* ---- into a buffer of the caller's ---- */

static gint64
count_slots (ReelStorage *storage, const ReelCheckpoint *checkpoint)
{
  return (reel_storage_get_capacity (storage) - 1) / checkpoint->lanes + 1;
}

static gint64
first_step (const ReelCheckpoint *checkpoint)
{
  const ReelCheckpointPlace *place = &checkpoint->place;

  return MAX (place->begin, place->end - checkpoint->capacity);
}

static gint64
count_steps (const ReelCheckpoint *checkpoint)
{
  return checkpoint->place.end - first_step (checkpoint);
}

/* A storage of another capacity gets the steps in order, from slot 0 on. Files are mapped as they
 * are. */
static gboolean
fits_capacity (ReelStorage *storage, const ReelCheckpoint *checkpoint, gboolean attach,
               GError **error)
{
  gint64 n_slots = count_slots (storage, checkpoint), lanes = checkpoint->lanes;
  gint64 least = attach ? checkpoint->capacity : count_steps (checkpoint);

  if (reel_storage_is_allocated (storage) && reel_storage_get_lanes (storage) != lanes)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s: has %" G_GINT64_FORMAT " lanes, the storage %" G_GINT64_FORMAT,
                 checkpoint->path, lanes, reel_storage_get_lanes (storage));
  else if (attach ? n_slots != least : n_slots < least)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s: %s %" G_GINT64_FORMAT " rows, the storage has room for %" G_GINT64_FORMAT
                 "; load it into one with capacity=%" G_GINT64_FORMAT,
                 checkpoint->path, attach ? "its files are of" : "holds", least * lanes,
                 reel_storage_get_capacity (storage), least * lanes);
  else
    return TRUE;
  return FALSE;
}

/* The leaf of the checkpoint for a column, NULL where it has none. */
static gboolean
find_leaf (const ReelCheckpoint *checkpoint, const ReelColumn *column, ReelTensor **leaf,
           GError **error)
{
  *leaf = NULL;
  if (!reel_tensordict_contains (checkpoint->data, column->path))
    return TRUE;
  *leaf = reel_tensordict_get_tensor (checkpoint->data, column->path, error);
  if (!*leaf)
    return FALSE;
  if ((*leaf)->dtype == column->dtype && reel_tensor_is_contiguous (*leaf)
      && reel_tensor_nbytes (*leaf) == column->step_bytes * (gsize) checkpoint->capacity)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%s: \"%s\" is %s of %" G_GSIZE_FORMAT
               " bytes a step, in the storage it is %s of %" G_GSIZE_FORMAT,
               checkpoint->path, column->path, reel_dtype_name ((*leaf)->dtype),
               reel_tensor_nbytes (*leaf) / (gsize) checkpoint->capacity,
               reel_dtype_name (column->dtype), column->step_bytes);
  return FALSE;
}

static gboolean
fits_columns (ReelStorage *storage, const ReelCheckpoint *checkpoint, GError **error)
{
  guint n, n_found = 0;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);

  for (guint i = 0; i < n; i++)
    {
      ReelTensor *leaf;

      if (!find_leaf (checkpoint, &columns[i], &leaf, error))
        return FALSE;
      n_found += leaf != NULL;
    }
  if (n_found > 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s: has none of the storage's keys",
               checkpoint->path);
  return FALSE;
}

/* Copies steps of the checkpoint, the first of them from slot @from to slot @to. */
static void
copy_steps (ReelStorage *storage, const ReelCheckpoint *checkpoint, gint64 from, gint64 to,
            gint64 n_steps)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);

  for (guint i = 0; i < n; i++)
    {
      gsize size = columns[i].step_bytes;
      ReelTensor *leaf;

      if (size * (gsize) n_steps > 0 && find_leaf (checkpoint, &columns[i], &leaf, NULL) && leaf)
        memcpy (columns[i].data + size * (gsize) to, leaf->data + size * (gsize) from,
                size * (gsize) n_steps);
    }
}

/* Slots that were never written may hold anything, and are left alone. */
static void
copy_slots (ReelStorage *storage, const ReelCheckpoint *checkpoint)
{
  ReelCheckpointCounts counts;

  reel_checkpoint_count (&checkpoint->place, checkpoint->capacity, 1, &counts);
  copy_steps (storage, checkpoint, 0, 0, counts.len);
}

/* The oldest step comes to slot 0, and the checkpoint is taken for one of this capacity. */
static void
copy_in_order (ReelStorage *storage, ReelCheckpoint *checkpoint)
{
  gint64 n = count_steps (checkpoint), slot = first_step (checkpoint) % checkpoint->capacity;
  gint64 before_seam = MIN (n, checkpoint->capacity - slot);

  copy_steps (storage, checkpoint, slot, 0, before_seam);
  copy_steps (storage, checkpoint, 0, before_seam, n - before_seam);
  checkpoint->capacity = count_slots (storage, checkpoint);
  checkpoint->place.begin = 0;
  checkpoint->place.end = n;
}

/* What a sampler remembers is said of slots. */
static gboolean
moves_rows (ReelStorage *storage, const ReelCheckpoint *checkpoint)
{
  return count_slots (storage, checkpoint) != checkpoint->capacity
         && first_step (checkpoint) % checkpoint->capacity != 0;
}

static gboolean
takes_writer_state (const ReelBufferFiles *files, const ReelCheckpoint *checkpoint)
{
  return g_str_equal (checkpoint->kind.writer, "max-value")
             ? REEL_IS_MAX_VALUE_WRITER (files->writer)
             : reel_writer_tracks_generations (files->writer);
}

static gboolean
read_states (ReelBufferFiles *files, ReelCheckpoint *checkpoint, ReelTensordict **state,
             GError **error)
{
  checkpoint->moved = moves_rows (files->storage, checkpoint);
  if (!reel_checkpoint_read_sampler (checkpoint, files->sampler, state, error))
    return FALSE;
  if (checkpoint->kind.writer_state && !takes_writer_state (files, checkpoint))
    reel_checkpoint_warn_not_taken (checkpoint->path, checkpoint->kind.writer_state,
                                    checkpoint->warnings);
  if (*state && checkpoint->moved)
    {
      g_clear_pointer (state, reel_tensordict_unref);
      g_ptr_array_add (checkpoint->warnings,
                       g_strdup_printf ("%s: its rows come to other slots, and the sampler begins "
                                        "anew",
                                        checkpoint->path));
    }
  return TRUE;
}

static gboolean
allocate (ReelStorage *storage, const ReelCheckpoint *checkpoint, GError **error)
{
  g_autoptr (ReelTensordict) step = reel_tensordict_select_index (checkpoint->data, 0, 0, error);
  const char *names[REEL_MAX_NDIM] = { NULL };
  gint n_dims;

  if (!step || !reel_storage_allocate (storage, step, error))
    return FALSE;
  reel_tensordict_get_batch_size (checkpoint->data, &n_dims);
  for (gint d = 0; d < n_dims; d++)
    names[d] = reel_tensordict_get_name (checkpoint->data, d);
  return reel_tensordict_set_names (reel_storage_get_data (storage), names, error);
}

/* Done twice: before the storage changes, to see that it can be, and once the rows are there. */
static gboolean
set_sampler_state (ReelBufferFiles *files, const ReelCheckpoint *checkpoint,
                   const ReelTensordict *state, GError **error)
{
  if (!state)
    return TRUE;
  if (reel_sampler_set_state (files->sampler, files->storage, state, error))
    return TRUE;
  g_prefix_error (error, "%s/sampler: ", checkpoint->path);
  return FALSE;
}

gboolean
reel_replay_buffer_loads (ReelReplayBuffer *self, const char *path, GError **error)
{
  ReelBufferFiles *files;
  g_autoptr (ReelCheckpoint) checkpoint = NULL;
  g_autoptr (ReelTensordict) state = NULL;
  ReelStorage *storage;
  gboolean attach;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self) && path, FALSE);
  files = reel_buffer_files_get (self);
  storage = files->storage;
  if (files->path)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "the buffer is kept in %s; load into one that is not", files->path);
      return FALSE;
    }
  attach = !reel_storage_is_allocated (storage) && reel_checkpoint_is_home (storage, path);
  checkpoint = reel_checkpoint_read (path, attach ? REEL_LOAD_SHARED : REEL_LOAD_READ_ONLY,
                                     reel_storage_get_ndim (storage), error);
  if (!checkpoint || !fits_capacity (storage, checkpoint, attach, error)
      || (reel_storage_is_allocated (storage) && !fits_columns (storage, checkpoint, error))
      || !read_states (files, checkpoint, &state, error)
      || !set_sampler_state (files, checkpoint, state, error))
    return FALSE;
  if (attach ? !reel_storage_adopt (storage, checkpoint->data, error)
             : !reel_storage_is_allocated (storage) && !allocate (storage, checkpoint, error))
    {
      reel_sampler_empty (files->sampler);
      return FALSE;
    }
  if (!attach && count_slots (storage, checkpoint) == checkpoint->capacity)
    copy_slots (storage, checkpoint);
  else if (!attach)
    copy_in_order (storage, checkpoint);
  reel_sampler_empty (files->sampler);
  take_place (self, checkpoint);
  return set_sampler_state (files, checkpoint, state, error);
}

/* ---- as it lies there ---- */

static ReelStorage *
make_storage (const ReelCheckpoint *checkpoint, GError **error)
{
  g_autofree char *directory = g_build_filename (checkpoint->path, "storage", NULL);
  g_autofree char *text =
      g_strdup_printf ("memmap:ndim=%d,capacity=%" G_GINT64_FORMAT, checkpoint->ndim,
                       checkpoint->capacity * checkpoint->lanes);
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, text, error, NULL);

  if (!storage)
    return NULL;
  reel_memmap_storage_set_directory (storage, directory);
  if (!reel_storage_adopt (storage, checkpoint->data, error))
    return NULL;
  reel_storage_seal (storage, "the buffer was opened for reading; load it into one of your own");
  return g_steal_pointer (&storage);
}

/* What the sidecar or else the files name; %NULL where neither gives one of that state. */
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

  g_autofree char *ranked = NULL;
  GVariant *key = NULL;

  g_type_ensure (reel_immutable_writer_get_type ());
  g_type_ensure (REEL_TYPE_MAX_VALUE_WRITER);
  if (reel_tensordict_contains (checkpoint->writer_state, "_rank_key"))
    key = reel_tensordict_get_value (checkpoint->writer_state, "_rank_key", NULL);
  if (!text && key)
    text = ranked = g_strdup_printf ("max-value:rank-key='%s'", g_variant_get_string (key, NULL));
  else if (!text && reel_tensordict_contains (checkpoint->writer_state, "_generation"))
    text = "round-robin:track-generations=true";
  if (g_str_equal (checkpoint->kind.writer, "immutable"))
    text = "immutable";
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
      reel_replay_buffer_new (storage, sampler, writer, checkpoint->batch_size, &failure);

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

ReelReplayBuffer *
reel_replay_buffer_open (const char *path, ReelOpenFlags flags, GError **error)
{
  g_autoptr (ReelCheckpoint) checkpoint = NULL;
  g_autoptr (ReelStorage) storage = NULL;
  g_autoptr (ReelReplayBuffer) self = NULL;
  g_autoptr (ReelTensordict) state = NULL;
  ReelBufferFiles *files;

  g_return_val_if_fail (path, NULL);
  checkpoint = reel_checkpoint_read (path, REEL_LOAD_READ_ONLY, 0, error);
  if (!checkpoint)
    return NULL;
  storage = make_storage (checkpoint, error);
  if (!storage)
    return NULL;
  self = make_buffer (checkpoint, storage, error);
  if (!self)
    return NULL;
  files = reel_buffer_files_get (self);
  if (!reel_checkpoint_read_sampler (checkpoint, files->sampler, &state, error))
    return NULL;
  files->path = g_strdup (path);
  files->clean = checkpoint->sidecar && checkpoint->sidecar->clean;
  files->announced = checkpoint->ring != NULL;
  files->followed = files->announced && checkpoint->written;
  take_place (self, checkpoint);
  if (checkpoint->behind && !(flags & REEL_OPEN_READ_ONLY))
    reel_live_buffer_recover (checkpoint, files);
  if (files->followed)
    reel_storage_take_ring (storage, g_steal_pointer (&checkpoint->ring));
  return set_sampler_state (files, checkpoint, state, error) ? g_steal_pointer (&self) : NULL;
}
