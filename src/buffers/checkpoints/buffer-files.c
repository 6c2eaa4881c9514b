/* The facts of a buffer's files, attached to the buffer as data:
 * directory, live state, info and warnings. */
#include "buffer-files.h"

#include "../buffer-home.h"
#include "../samplers/consuming-sampler.h"

#include "../../core/object/error.h"
#include "../storages/storage-private.h"
#include "../writers/writer-private.h"

static void
free_files (gpointer data)
{
  ReelBufferFiles *self = data;

  if (self->live && self->unwritten)
    reel_live_buffer_release (self);
  else if (self->live)
    reel_live_buffer_close (self, NULL);
  g_object_unref (self->storage);
  g_object_unref (self->sampler);
  g_object_unref (self->writer);
  g_clear_object (&self->checkpointer);
  json_decref (self->info);
  g_ptr_array_unref (self->warnings);
  g_clear_pointer (&self->leaves, g_ptr_array_unref);
  g_clear_pointer (&self->held, reel_held_directory_free);
  g_free (self->path);
  g_free (self->sealed);
  g_free (self->boot_id);
  g_free (self->ring);
  reel_run_state_free (self->run_state);
  reel_resumed_rows_free (self->resumed);
  g_clear_error (&self->failure);
  g_free (self);
}

static GQuark
get_quark (void)
{
  static GQuark quark;

  if (G_UNLIKELY (quark == 0))
    quark = g_quark_from_static_string ("reel-buffer-files");
  return quark;
}

ReelBufferFiles *
reel_buffer_files_peek (ReelReplayBuffer *buffer)
{
  return g_object_get_qdata (G_OBJECT (buffer), get_quark ());
}

static void
take_parts (ReelReplayBuffer *buffer)
{
  ReelBufferFiles *self = reel_buffer_files_peek (buffer);

  g_set_object (&self->storage, reel_replay_buffer_get_storage (buffer));
  g_set_object (&self->sampler, reel_replay_buffer_get_sampler (buffer));
  g_set_object (&self->writer, reel_replay_buffer_get_writer (buffer));
}

static const char *
get_path (ReelReplayBuffer *buffer)
{
  return reel_buffer_files_peek (buffer)->path;
}

static const ReelBufferHome home = { get_path, take_parts };

ReelBufferFiles *
reel_buffer_files_get (ReelReplayBuffer *buffer)
{
  ReelBufferFiles *self = reel_buffer_files_peek (buffer);

  if (self)
    return self;
  self = g_new0 (ReelBufferFiles, 1);
  self->info = json_object ();
  self->warnings = g_ptr_array_new_with_free_func (g_free);
  g_object_set_qdata_full (G_OBJECT (buffer), get_quark (), self, free_files);
  take_parts (buffer);
  reel_replay_buffer_set_home (buffer, &home);
  return self;
}

void
reel_replay_buffer_set_checkpointer (ReelReplayBuffer *self, ReelCheckpointer *checkpointer)
{
  g_return_if_fail (REEL_IS_REPLAY_BUFFER (self));
  g_return_if_fail (!checkpointer || REEL_IS_CHECKPOINTER (checkpointer));
  g_set_object (&reel_buffer_files_get (self)->checkpointer, checkpointer);
}

ReelCheckpointer *
reel_replay_buffer_get_checkpointer (ReelReplayBuffer *self)
{
  ReelBufferFiles *files;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self), NULL);
  files = reel_buffer_files_get (self);
  if (!files->checkpointer)
    files->checkpointer = reel_object_new_from_text (REEL_TYPE_CHECKPOINTER, "tensor", NULL, NULL);
  return files->checkpointer;
}

void
reel_buffer_files_warn (ReelBufferFiles *self, char *warning)
{
  if (g_ptr_array_find_with_equal_func (self->warnings, warning, g_str_equal, NULL))
    g_free (warning);
  else
    g_ptr_array_add (self->warnings, warning);
}

void
reel_buffer_files_take_checkpoint (ReelBufferFiles *self, const ReelCheckpoint *checkpoint)
{
  json_object_clear (self->info);
  if (checkpoint->sidecar && checkpoint->sidecar->info)
    json_object_update (self->info, checkpoint->sidecar->info);
  g_ptr_array_set_size (self->warnings, 0);
  for (guint i = 0; i < checkpoint->warnings->len; i++)
    g_ptr_array_add (self->warnings, g_strdup (checkpoint->warnings->pdata[i]));
}

/* ---- what others keep in the sidecar ---- */

gboolean
reel_replay_buffer_set_info (ReelReplayBuffer *self, const char *key, const char *json,
                             GError **error)
{
  ReelBufferFiles *files;
  json_error_t at;
  json_t *value;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self) && key, FALSE);
  files = reel_buffer_files_get (self);
  if (!json)
    {
      json_object_del (files->info, key);
      return TRUE;
    }
  value = json_loads (json, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &at);
  if (value && json_object_set_new (files->info, key, value) == 0)
    return TRUE;
  if (value)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "info: the key is not UTF-8");
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "info \"%s\": is not JSON: %s, column %d",
                 key, at.text, at.column);
  return FALSE;
}

char *
reel_replay_buffer_dup_info (ReelReplayBuffer *self, const char *key)
{
  const json_t *value;
  char *text, *copy;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self) && key, NULL);
  value = json_object_get (reel_buffer_files_get (self)->info, key);
  text = value ? json_dumps (value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
  copy = g_strdup (text);
  free (text);
  return copy;
}

char **
reel_replay_buffer_list_info (ReelReplayBuffer *self)
{
  GPtrArray *keys = g_ptr_array_new ();
  const char *key;
  json_t *value;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self), NULL);
  json_object_foreach (reel_buffer_files_get (self)->info, key, value)
  {
    g_ptr_array_add (keys, g_strdup (key));
  }
  g_ptr_array_add (keys, NULL);
  return (char **) g_ptr_array_free (keys, FALSE);
}

char **
reel_replay_buffer_dup_warnings (ReelReplayBuffer *self)
{
  GPtrArray *warnings;
  char **list;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self), NULL);
  warnings = reel_buffer_files_get (self)->warnings;
  list = g_new0 (char *, warnings->len + 1);
  for (guint i = 0; i < warnings->len; i++)
    list[i] = g_strdup (warnings->pdata[i]);
  return list;
}

/* ---- where it stands ---- */

ReelSidecar *
reel_buffer_files_describe (ReelBufferFiles *self, ReelTensordict *data)
{
  ReelSidecar *sidecar = reel_sidecar_new ();
  const ReelRing *ring = reel_storage_get_ring (self->storage);
  const gint64 *shape;
  gint n_dims;

  shape = reel_tensordict_get_batch_size (data, &n_dims);
  sidecar->storage = g_strdup (reel_object_get_id (REEL_OBJECT (self->storage)));
  sidecar->sampler = reel_object_to_text (REEL_OBJECT (self->sampler));
  sidecar->writer = reel_object_to_text (REEL_OBJECT (self->writer));
  sidecar->ndim = reel_storage_get_ndim (self->storage);
  sidecar->dim_extend = reel_storage_get_dim_extend (self->storage);
  for (gint d = 0; d < sidecar->ndim; d++)
    {
      sidecar->shape[d] = shape[d];
      sidecar->names[d] = g_strdup (reel_tensordict_get_name (data, d));
    }
  if (ring)
    reel_ring_get_view (ring, &sidecar->begin, &sidecar->end);
  sidecar->write_count = reel_writer_get_write_count (self->writer, self->storage);
  sidecar->boot_id = g_strdup (self->boot_id);
  sidecar->ring = g_strdup (self->ring);
  if (self->resumed)
    sidecar->checksums_before = reel_kept_sums_to_json (reel_resumed_rows_get_sums (self->resumed));
  sidecar->info = json_deep_copy (self->info);
  return sidecar;
}

gboolean
reel_buffer_files_write_json (ReelBufferFiles *self, const char *path,
                              const ReelHeldDirectory *held, const ReelSidecar *sidecar,
                              const ReelTensordict *data, ReelReplayBuffer *buffer,
                              gboolean durable, GError **error)
{
  g_autoptr (ReelTensordict) writer = reel_writer_dup_state (self->writer, self->storage, error);
  const ReelCheckpointFiles files = { sidecar,
                                      buffer ? reel_replay_buffer_get_batch_size (buffer) : 0,
                                      reel_consuming_sampler_get_max_count (self->sampler), writer,
                                      data };
  const ReelCheckpointPlace place = { sidecar->begin, sidecar->end, sidecar->write_count };
  ReelCheckpointCounts counts;

  if (!writer)
    return FALSE;
  reel_checkpoint_count (&place, sidecar->shape[0], reel_sidecar_get_lanes (sidecar), &counts);
  if (counts.clamped)
    reel_buffer_files_warn (
        self, g_strdup_printf (
                  "%s: counts are beyond the 2147483647 that TorchRL can load; " REEL_SIDECAR_FILE
                  " has them whole",
                  path));
  return reel_checkpoint_write_json (path, held, &files, buffer != NULL, durable, error);
}

gboolean
reel_replay_buffer_get_ring (ReelReplayBuffer *self, ReelRingInfo *info, GError **error)
{
  const ReelBufferFiles *files;
  ReelRing *ring;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self) && info, FALSE);
  *info = (ReelRingInfo){ 0 };
  files = reel_buffer_files_get (self);
  ring = reel_storage_get_ring (files->storage);
  if (!ring)
    return TRUE;
  info->capacity = reel_ring_get_capacity (ring);
  reel_ring_get_view (ring, &info->begin, &info->end);
  info->clean = files->clean;
  info->incomplete = files->incomplete;
  info->live = files->live || files->announced;
  info->written = files->live;
  if (files->followed)
    {
      gint written = reel_ring_is_written (ring, error);

      if (written < 0)
        return FALSE;
      info->written = written;
    }

  ReelTornSlots torn = reel_checkpoint_find_torn (info->begin, info->end, info->capacity);

  info->torn_first = info->written ? 0 : torn.first;
  info->torn_n = info->written ? 0 : torn.n;
  return TRUE;
}
