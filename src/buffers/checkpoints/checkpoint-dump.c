/* Dumps a replay buffer: a draft beside the place is filled, synced and renamed, or files of its
 * own are refreshed where they are. */
#include "buffer-files.h"

#include "../../core/system/directories.h"
#include "../../core/system/drafts.h"
#include "../../core/object/error.h"
#include "../../core/system/file-ops.h"
#include "../../core/system/files.h"
#include "buffer-stream-state.h"
#include "checkpointer-private.h"
#include "../samplers/sampler-private.h"
#include "../storages/storage-private.h"
#include "checkpoint-values.h"
#include "../storages/item-storage.h"

#include <unistd.h>

static gboolean
get_identity (const char *path, struct stat *status)
{
  return TEMP_FAILURE_RETRY (reel_file_ops ()->fstatat (AT_FDCWD, path, status, 0)) == 0;
}

/* Whether two paths lead to one directory, whatever links lie on the way. Equal ones do, even while
 * somebody puts another directory there. */
static gboolean
is_same (const char *a, const char *b)
{
  struct stat one, other;

  if (g_str_equal (a, b))
    return get_identity (a, &one);
  return get_identity (a, &one) && get_identity (b, &other) && one.st_dev == other.st_dev
         && one.st_ino == other.st_ino;
}

gboolean
reel_checkpoint_has_files_in (ReelStorage *storage, const char *directory)
{
  const char *own = NULL;

  if (g_type_is_a (G_OBJECT_TYPE (storage), reel_memmap_storage_get_type ()))
    own = reel_memmap_storage_get_directory (storage);
  return own && is_same (own, directory);
}

gboolean
reel_checkpoint_is_home (ReelStorage *storage, const char *path)
{
  g_autofree char *below = reel_checkpoint_part (path, "storage");

  return reel_checkpoint_has_files_in (storage, below);
}

static gboolean
make_writer_directory (const ReelBufferFiles *files, const char *path, GError **error)
{
  g_autofree char *writer = reel_checkpoint_part (path, "writer");

  return !reel_writer_may_write (files->writer, NULL) || reel_directory_make (writer, error);
}

static gint64
count_packed_bytes (ReelStorage *storage)
{
  ReelItemTable *table = reel_item_storage_get_table (REEL_ITEM_STORAGE (storage));
  gint64 bytes = 0;

  for (gint64 i = 0; i < reel_storage_get_length (storage); i++)
    {
      g_autoptr (ReelStoredValue) value = reel_item_table_get (table, i);

      for (guint k = 0; value && k < value->packed->len; k++)
        bytes += (gint64) reel_tensor_nbytes (value->packed->pdata[k]);
    }
  return bytes;
}

static gint64
allocated_bytes (ReelStorage *storage)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);
  gint64 steps = reel_storage_get_capacity (storage) / reel_storage_get_lanes (storage);
  gint64 bytes = 0;

  for (guint i = 0; i < n; i++)
    bytes += steps * (gint64) columns[i].step_bytes;
  return REEL_IS_ITEM_STORAGE (storage) ? count_packed_bytes (storage) : bytes;
}

static ReelFileSums *
new_sums (ReelStorage *storage)
{
  return reel_file_sums_new ((gsize) reel_checksums_choose_block (allocated_bytes (storage)));
}

/* @saved is what hooks made of the rows, NULL where its files say how much of it is valid. @sums is
 * NULL where files in the directory change later, so that none gets checksums. */
static gboolean
describe (ReelReplayBuffer *self, const char *path, const ReelTensordict *saved,
          const char *checkpointer, const ReelFileSums *sums, gboolean durable, GError **error)
{
  ReelBufferFiles *files = reel_buffer_files_get (self);
  gint64 capacity = reel_storage_get_capacity (files->storage);
  g_autoptr (ReelTensordict) shape =
      REEL_IS_ITEM_STORAGE (files->storage)
          ? reel_tensordict_new (1, &capacity)
          : reel_tensordict_ref (reel_storage_get_data (files->storage));
  g_autoptr (ReelSidecar) sidecar = reel_buffer_files_describe (files, shape);

  sidecar->checkpointer = g_strdup (checkpointer);
  reel_buffer_flush (self);
  sidecar->stream = reel_sampler_get_stream (files->sampler, files->storage);
  sidecar->prefetch = reel_replay_buffer_get_prefetch (self);
  sidecar->checksums = sums ? reel_checksums_new (path, sums) : NULL;
  return make_writer_directory (files, path, error)
         && reel_buffer_files_write_json (files, path, NULL, sidecar, saved, self, durable, error);
}

/* Batches that were drawn ahead; a directory of none is as good as none. */
static gboolean
write_prefetch (ReelReplayBuffer *self, const char *path, GError **error)
{
  g_autofree char *directory = reel_checkpoint_part (path, "prefetch");
  g_autoptr (ReelTensordict) state = NULL;

  if (!reel_directory_remove (directory, error))
    return FALSE;
  if (reel_replay_buffer_get_prefetch (self) == 0)
    return TRUE;
  state = reel_buffer_stream_dup_state (self, error);
  return state && reel_tensordict_save (state, directory, REEL_SAVE_DEFAULT, error);
}

static gboolean
write_sampler (ReelReplayBuffer *self, const char *path, gboolean durable, GError **error)
{
  ReelBufferFiles *files = reel_buffer_files_get (self);

  reel_buffer_flush (self);
  return reel_checkpoint_write_sampler (path, files->sampler, files->storage, durable, error)
         && write_prefetch (self, path, error);
}

/* A directory that was opened, or closed, is what somebody else says of it: nothing was written
 * since, and what is kept there of its leaves, its checksums, would be lost. */
static gboolean
may_refresh (const ReelBufferFiles *files, const char *path)
{
  return (files->live || !files->path) && reel_checkpoint_is_home (files->storage, path);
}

/* Into the directory that a live buffer holds, wherever that is by now. */
static gboolean
refresh_sampler (ReelReplayBuffer *self, const char *path, GError **error)
{
  const ReelBufferFiles *files = reel_buffer_files_get (self);
  const char *place = files->live ? reel_held_directory_get_path (files->held) : path;
  g_autoptr (GError) failure = NULL;
  g_auto (GStrv) parts = NULL;
  g_autofree char *message = NULL;

  if (write_sampler (self, place, TRUE, &failure))
    return TRUE;
  parts = g_strsplit (failure->message, place, 2);
  message = g_strjoinv (path, parts);
  g_set_error_literal (error, failure->domain, failure->code, message);
  return FALSE;
}

/* The leaves lie there already. */
static gboolean
refresh (ReelReplayBuffer *self, const char *path, GError **error)
{
  ReelBufferFiles *files = reel_buffer_files_get (self);

  if (!reel_checkpointer_is_plain (files->checkpointer))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "%s: the storage has its files there, and the checkpointer would write others; "
                   "choose another path",
                   path);
      return FALSE;
    }
  if ((files->live && !reel_held_directory_check_place (files->held, error))
      || !refresh_sampler (self, path, error))
    return FALSE;
  return files->live ? reel_live_buffer_update (files, error)
                     : reel_checkpoint_sync_tree (path, error)
                           && describe (self, path, reel_storage_get_data (files->storage), NULL,
                                        NULL, TRUE, error);
}

gboolean
reel_checkpoint_seal (ReelReplayBuffer *self, const char *path, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  g_autoptr (ReelFileSums) sums = new_sums (storage);

  return write_sampler (self, path, TRUE, error) && reel_checkpoint_sync_tree (path, error)
         && describe (self, path, reel_storage_get_data (storage), NULL, sums, TRUE, error);
}

/* The arguments of TorchRL's save hooks. */
static void
find_state (ReelStorage *storage, ReelCheckpointState *state, gint64 *length)
{
  const ReelRing *ring = reel_storage_get_ring (storage);
  gint64 capacity = reel_ring_get_capacity (ring), lanes = reel_storage_get_lanes (storage);
  ReelCheckpointPlace place = { 0 };
  ReelCheckpointCounts counts;

  reel_ring_get_view (ring, &place.begin, &place.end);
  reel_checkpoint_count (&place, capacity, 1, &counts);
  state->is_full = counts.len == capacity;
  state->shift = counts.len > 0 ? (place.end - 1) % capacity + 1 : 0;
  *length = counts.len * lanes;
}

ReelTensordict *
reel_checkpoint_save_rows (ReelStorage *storage, ReelCheckpointer *checkpointer,
                           const char *directory, ReelFileSums *sums, GPtrArray *warnings,
                           GError **error)
{
  g_autoptr (ReelTensordict) data = NULL;
  ReelCheckpointState state = { .path = directory, .sums = sums };
  gint64 length;

  find_state (storage, &state, &length);
  data = reel_checkpointer_run_save_hooks (checkpointer, reel_storage_get_data (storage), &state,
                                           error);
  return data
                 && REEL_CHECKPOINTER_GET_CLASS (checkpointer)
                        ->save (checkpointer, data, length, &state, warnings, error)
             ? g_steal_pointer (&data)
             : NULL;
}

/* Gives what the hooks made of the rows. */
static ReelTensordict *
save_rows (ReelReplayBuffer *self, const char *path, ReelFileSums *sums, GError **error)
{
  ReelBufferFiles *files = reel_buffer_files_get (self);
  g_autofree char *storage = reel_checkpoint_part (path, "storage");
  g_autoptr (GPtrArray) warnings = g_ptr_array_new ();
  ReelTensordict *data;

  if (!reel_directory_make (storage, error))
    return NULL;
  data = reel_checkpoint_save_rows (files->storage, reel_replay_buffer_get_checkpointer (self),
                                    storage, sums, warnings, error);
  for (guint i = 0; i < warnings->len; i++)
    reel_buffer_files_warn (files, warnings->pdata[i]);
  return data;
}

static gboolean
fill_values (ReelReplayBuffer *self, const char *path, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (self);
  g_autofree char *directory = reel_checkpoint_part (path, "storage");
  g_autoptr (ReelFileSums) sums = new_sums (storage);

  return reel_directory_make (directory, error)
         && reel_values_save (REEL_ITEM_STORAGE (storage), directory, sums, error)
         && write_sampler (self, path, FALSE, error)
         && describe (self, path, NULL, NULL, sums, FALSE, error);
}

static gboolean
fill_columns (ReelReplayBuffer *self, const char *path, GError **error)
{
  g_autoptr (ReelFileSums) sums = new_sums (reel_replay_buffer_get_storage (self));
  g_autoptr (ReelTensordict) saved = save_rows (self, path, sums, error);
  ReelCheckpointer *checkpointer = reel_replay_buffer_get_checkpointer (self);
  ReelCheckpointerClass *klass = REEL_CHECKPOINTER_GET_CLASS (checkpointer);
  g_autofree char *text = klass->in_place ? NULL : reel_object_to_text (REEL_OBJECT (checkpointer));

  return saved && write_sampler (self, path, FALSE, error)
         && describe (self, path, klass->keeps_length ? NULL : saved, text, sums, FALSE, error);
}

gboolean
reel_checkpoint_fill (ReelReplayBuffer *self, const char *path, GError **error)
{
  return (REEL_IS_ITEM_STORAGE (reel_replay_buffer_get_storage (self))
              ? fill_values
              : fill_columns) (self, path, error);
}

gboolean
reel_checkpoint_check_storage (ReelStorage *storage, GError **error)
{
  if (REEL_IS_ITEM_STORAGE (storage) && !REEL_ITEM_STORAGE_GET_CLASS (storage)->unpack)
    g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                 "%s doesn't support serialization via `dumps` - `loads` API.",
                 REEL_STORAGE_GET_CLASS (storage)->peer_name);
  else if (!reel_storage_is_allocated (storage))
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "Cannot save a non-initialized storage.");
  else
    return TRUE;
  return FALSE;
}

gboolean
reel_replay_buffer_check_dumps (ReelReplayBuffer *self, const char *path, ReelCheckpointFlags flags,
                                GError **error)
{
  ReelStorage *storage;
  g_auto (ReelDraft) draft = REEL_DRAFT_NONE;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self) && path, FALSE);
  storage = reel_replay_buffer_get_storage (self);
  return reel_checkpoint_check_storage (storage, error)
         && reel_checkpoint_check_target (path, flags, error)
         && reel_draft_begin (&draft, path, error)
         && reel_directory_check_space (path, allocated_bytes (storage), error);
}

gboolean
reel_replay_buffer_dumps (ReelReplayBuffer *self, const char *path, ReelCheckpointFlags flags,
                          GError **error)
{
  ReelBufferFiles *files;
  g_auto (ReelDraft) draft = REEL_DRAFT_NONE;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self) && path, FALSE);
  files = reel_buffer_files_get (self);
  if (!reel_checkpoint_check_storage (files->storage, error))
    return FALSE;
  if (may_refresh (files, path))
    return refresh (self, path, error);
  return reel_checkpoint_check_target (path, flags, error) && reel_draft_begin (&draft, path, error)
         && reel_checkpoint_fill (self, draft.path, error)
         && reel_checkpoint_sync_tree (draft.path, error)
         && reel_checkpoint_put_in_place (&draft, flags, files->warnings, error);
}
