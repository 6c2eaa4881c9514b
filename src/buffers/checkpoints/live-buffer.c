/* A replay buffer whose files are a checkpoint while it is written. */
#include "buffer-files.h"

#include "../../core/system/directories.h"
#include "../../core/system/drafts.h"
#include "../../core/object/error.h"
#include "../../core/system/files.h"
#include "../storages/storage-private.h"

#include <string.h>

#define INTERVAL G_TIME_SPAN_SECOND /* between updates of the JSON files */
#define SHARE 10                    /* an update takes at most one part in this of a long run */

/* ---- while it is live ---- */

static gboolean
sync_leaves (const ReelHeldDirectory *directory, const GPtrArray *leaves, GError **error)
{
  return reel_held_directory_sync (directory, (const char *const *) leaves->pdata, leaves->len,
                                   error);
}

/* Before each write: a run that lost its place stops. */
static gboolean
check_place (gpointer user_data, GError **error)
{
  const ReelBufferFiles *self = user_data;

  return reel_held_directory_check_place (self->held, error);
}

/* Once it is lost, the next write asks and fails. */
static gboolean
keep_place (ReelBufferFiles *self, GError **error)
{
  if (check_place (self, error))
    return TRUE;
  reel_storage_set_gate (self->storage, check_place, self);
  return FALSE;
}

static gboolean
write_current (ReelBufferFiles *self, GError **error)
{
  ReelTensordict *data = reel_storage_get_data (self->storage);
  g_autoptr (ReelSidecar) sidecar = reel_buffer_files_describe (self, data);

  if (!reel_buffer_files_write_json (self, self->path, self->held, sidecar, data, NULL, TRUE,
                                     error))
    return FALSE;
  self->unwritten = FALSE;
  return TRUE;
}

static gboolean
refuse_failed (gpointer user_data, GError **error)
{
  const ReelBufferFiles *self = user_data;

  g_propagate_error (error, g_error_copy (self->failure));
  return FALSE;
}

/* A failed sync may have dropped rows, and a later one that succeeds proves nothing: the run stops,
 * and the ring tells which rows may be lost. */
static gboolean
sync_rows (ReelBufferFiles *self, GError **error)
{
  ReelRing *ring = reel_storage_get_ring (self->storage);
  gint64 end = reel_ring_get_end (ring);

  reel_run_state_keep (self->run_state, end);
  if (!self->failure && sync_leaves (self->held, self->leaves, &self->failure))
    {
      self->synced = end;
      return TRUE;
    }
  reel_ring_set_lost (ring, self->synced);
  reel_storage_set_gate (self->storage, refuse_failed, self);
  return refuse_failed (self, error);
}

gboolean
reel_live_buffer_update (ReelBufferFiles *self, GError **error)
{
  /* Rows are durable before the JSON files count them. */
  return keep_place (self, error) && sync_rows (self, error) && write_current (self, error);
}

/* JSON files are written again by the next update; a warning tells that they are behind. */
static void
update_or_warn (ReelBufferFiles *self)
{
  g_autoptr (GError) failure = NULL;

  if (!keep_place (self, NULL) || !sync_rows (self, NULL) || write_current (self, &failure))
    return;
  reel_buffer_files_warn (
      self, g_strdup_printf ("cannot renew the JSON files of %s, which stay behind its rows until "
                             "that succeeds: %s",
                             self->path, failure->message));
}

/* The rows of before are not what they were. */
static void
forget_resumed (ReelBufferFiles *self)
{
  reel_storage_set_guard (self->storage, NULL, NULL);
  g_clear_pointer (&self->resumed, reel_resumed_rows_free);
}

/* Before slots are overwritten: a checksum covers rows that stay, too. */
static gboolean
check_overwritten (gint64 end, gpointer user_data, GError **error)
{
  ReelBufferFiles *self = user_data;

  if (end < G_MAXINT64)
    return reel_resumed_rows_permit (self->resumed, end, error);
  if (!reel_resumed_rows_finish (self->resumed, error))
    return FALSE;
  /* Rows change in their place. Files that had their checksums would call them damaged. */
  forget_resumed (self);
  return reel_live_buffer_update (self, error);
}

static void
on_commit (ReelStorage *storage, gint64 first_step, gint64 n_steps, gpointer user_data)
{
  ReelBufferFiles *self = user_data;
  gint64 begin = g_get_monotonic_time (), end;

  if (n_steps == 0) /* the write count follows right after: wait for the next steps */
    {
      self->next_update = 0;
      forget_resumed (self);
    }
  if (n_steps == 0 || begin < self->next_update)
    return;
  update_or_warn (self);
  end = g_get_monotonic_time ();
  self->next_update = MAX (begin + INTERVAL, end + (end - begin) * (SHARE - 1));
}

/* Nobody writes here: what looks like a temporary file was left by the writer. */
static gboolean
remove_temporaries (const ReelHeldDirectory *directory, GError **error)
{
  static const char *const places[] = { ".", "storage", "writer" };

  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    if (!reel_held_directory_remove_temporaries (directory, places[i], error))
      return FALSE;
  return TRUE;
}

/* Before its first write: the files say that the directory is not closed, and where its ring is. */
static gboolean
begin_writing (gpointer user_data, GError **error)
{
  ReelBufferFiles *self = user_data;

  return check_place (self, error) && remove_temporaries (self->held, error)
         && reel_live_buffer_update (self, error);
}

/* A run that was damaged before is not closed: its files keep the checksums that they had. */
static gboolean
finish_resumed (ReelBufferFiles *self, GError **error)
{
  if (!self->resumed || reel_resumed_rows_finish (self->resumed, error))
    return TRUE;
  write_current (self, NULL);
  return FALSE;
}

static gboolean
write_last (ReelBufferFiles *self, GError **error)
{
  ReelTensordict *data = reel_storage_get_data (self->storage);
  g_autoptr (ReelSidecar) sidecar = reel_buffer_files_describe (self, data);
  const ReelCheckpointPlace place = { sidecar->begin, sidecar->end, sidecar->write_count };
  ReelCheckpointCounts counts;
  ReelTornSlots torn;

  reel_checkpoint_count (&place, sidecar->shape[0], 1, &counts);
  if ((self->unwritten && !begin_writing (self, error)) || !sync_rows (self, error)
      || !finish_resumed (self, error))
    return FALSE;
  sidecar->clean = TRUE;
  torn = reel_checkpoint_find_torn (place.begin, place.end, sidecar->shape[0]);
  /* Lanes of 1 make len a count of slots: those that are filled are summed, but for blocks with
   * torn ones. */
  g_clear_pointer (&sidecar->checksums_before, json_decref);
  sidecar->checksums =
      reel_checksums_compute (self->storage, counts.len, &torn,
                              self->resumed ? reel_resumed_rows_get_sums (self->resumed) : NULL);
  return reel_buffer_files_write_json (self, self->path, self->held, sidecar, data, NULL, TRUE,
                                       error);
}

void
reel_live_buffer_release (ReelBufferFiles *self)
{
  reel_storage_set_gate (self->storage, NULL, NULL);
  reel_storage_detach (self->storage, on_commit, self);
  forget_resumed (self);
  self->live = FALSE;
  reel_storage_seal (self->storage, "the buffer was closed");
  reel_ring_release (reel_storage_get_ring (self->storage));
  g_clear_pointer (&self->leaves, g_ptr_array_unref);
  g_clear_pointer (&self->held, reel_held_directory_free);
}

gboolean
reel_live_buffer_close (ReelBufferFiles *self, GError **error)
{
  g_autoptr (GError) failure = NULL, displaced = NULL;
  gboolean in_place = check_place (self, &displaced);

  reel_storage_settle_ahead (self->storage);
  /* One that was moved is closed where it is. */
  if (write_last (self, &failure))
    {
      reel_ring_withdraw (reel_storage_get_ring (self->storage));
      self->clean = TRUE;
    }
  reel_live_buffer_release (self);
  if (!in_place)
    {
      g_propagate_error (error, g_steal_pointer (&displaced));
      return FALSE;
    }
  if (!failure)
    return TRUE;
  g_propagate_prefixed_error (error, g_steal_pointer (&failure), "%s was not closed: ", self->path);
  return FALSE;
}

gboolean
reel_replay_buffer_close (ReelReplayBuffer *self, GError **error)
{
  ReelBufferFiles *files;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self), FALSE);
  files = reel_buffer_files_get (self);
  return !files->live || reel_live_buffer_close (files, error);
}

/* ---- after its writer was killed ---- */

/* The leaves below @path, by their names in it. */
static GPtrArray *
name_leaves (const char *path, GError **error)
{
  GPtrArray *leaves = reel_checkpoint_list_leaves (path, error);
  g_autofree char *storage = reel_checkpoint_part (path, "storage");
  gsize skipped = strlen (storage) - strlen ("storage");

  for (guint i = 0; leaves && i < leaves->len; i++)
    {
      char *leaf = leaves->pdata[i];

      leaves->pdata[i] = g_strdup (leaf + skipped);
      g_free (leaf);
    }
  return leaves;
}

static gboolean
check_same (const ReelHeldDirectory *directory, const ReelRing *ring, const char *path,
            GError **error)
{
  if (reel_ring_is_in (ring, directory))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "%s: became another directory while it was read; try again", path);
  return FALSE;
}

ReelHeldDirectory *
reel_live_buffer_hold (const char *path, const ReelRing *ring, GPtrArray **leaves, GError **error)
{
  g_autoptr (ReelHeldDirectory) directory = reel_held_directory_new (path, error);

  if (!directory || !check_same (directory, ring, path, error))
    return NULL;
  *leaves = name_leaves (path, error);
  return *leaves ? g_steal_pointer (&directory) : NULL;
}

/* Somebody may have gone on with the run between the reading and the lock. */
static gboolean
is_as_read (const ReelCheckpoint *checkpoint, const ReelRing *locked)
{
  g_autofree char *path = g_build_filename (checkpoint->path, REEL_SIDECAR_FILE, NULL);
  g_autoptr (ReelSidecar) sidecar = reel_sidecar_read (path, NULL);
  g_autofree char *then = reel_sidecar_to_text (checkpoint->sidecar);
  g_autofree char *now = sidecar ? reel_sidecar_to_text (sidecar) : NULL;
  gint64 begin, end, lost = reel_ring_get_lost (locked);

  reel_ring_get_view (locked, &begin, &end);
  end = lost >= 0 ? MIN (end, lost) : end;
  return g_strcmp0 (then, now) == 0 && end == checkpoint->place.end
         && MIN (begin, end) == checkpoint->place.begin;
}

static gboolean
sync_recovered (const ReelCheckpoint *checkpoint, ReelRing *locked,
                const ReelHeldDirectory *directory, const GPtrArray *leaves, GError **error)
{
  if (sync_leaves (directory, leaves, error))
    return TRUE;
  reel_ring_set_lost (locked, checkpoint->sidecar->end);
  return FALSE;
}

static gboolean
write_recovered (ReelCheckpoint *checkpoint, ReelRing *locked, ReelBufferFiles *buffer,
                 GError **error)
{
  g_autoptr (GPtrArray) leaves = NULL;
  g_autoptr (ReelHeldDirectory) directory =
      reel_live_buffer_hold (checkpoint->path, locked, &leaves, error);
  g_autoptr (ReelTensordict) writer =
      leaves ? reel_writer_dup_state (buffer->writer, buffer->storage, error) : NULL;
  const ReelCheckpointFiles files = { checkpoint->sidecar, 0, 0, writer, checkpoint->data };

  /* Rows are durable before a JSON file counts them. */
  if (!writer || !check_same (directory, checkpoint->ring, checkpoint->path, error)
      || !sync_recovered (checkpoint, locked, directory, leaves, error))
    return FALSE;
  checkpoint->sidecar->begin = checkpoint->place.begin;
  checkpoint->sidecar->end = checkpoint->place.end;
  checkpoint->sidecar->write_count = checkpoint->place.write_count;
  if (!reel_checkpoint_write_json (checkpoint->path, directory, &files, FALSE, TRUE, error))
    return FALSE;
  /* A copy is read as the JSON files count, but for steps that may have been begun. */
  reel_ring_withdraw (locked);
  return remove_temporaries (directory, error);
}

gboolean
reel_live_buffer_recover (ReelCheckpoint *checkpoint, ReelBufferFiles *files)
{
  g_autofree char *path = g_build_filename (checkpoint->path, REEL_RING_FILE, NULL);
  g_autoptr (GError) error = NULL;
  gboolean inside = reel_checkpoint_check_inside (checkpoint->path, &error);
  /* The lock keeps others from doing the same at once; who comes second need not do it again. */
  g_autoptr (ReelRing) ring = inside ? reel_ring_open (path, REEL_RING_WRITE, &error) : NULL;

  if (ring && !is_as_read (checkpoint, ring))
    return FALSE;
  if ((inside && g_error_matches (error, REEL_ERROR, REEL_ERROR_RUNTIME))
      || (ring && write_recovered (checkpoint, ring, files, &error)))
    return TRUE;
  reel_buffer_files_warn (
      files, g_strdup_printf ("%s: its JSON files are behind its last committed step and could "
                              "not be brought up to it: %s",
                              checkpoint->path, error->message));
  return TRUE;
}

/* ---- how it comes to life ---- */

/* The files that make_live fills before anything is in its place. */
typedef struct
{
  ReelDraft files;
  ReelHeldDirectory *held;
  ReelTensordict *data;
  ReelRing *ring;
} Draft;

static void
clear_draft (Draft *draft)
{
  g_clear_pointer (&draft->held, reel_held_directory_free);
  g_clear_pointer (&draft->ring, reel_ring_free);
  g_clear_pointer (&draft->data, reel_tensordict_unref);
  reel_draft_clear (&draft->files);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Draft, clear_draft)

static gboolean
check_storage (ReelStorage *storage, GError **error)
{
  if (!g_type_is_a (G_OBJECT_TYPE (storage), reel_memmap_storage_get_type ()))
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "a live buffer is kept in files: its storage must be \"memmap\", not \"%s\"",
                 reel_object_get_id (REEL_OBJECT (storage)));
  else if (reel_storage_is_allocated (storage))
    g_set_error_literal (
        error, REEL_ERROR, REEL_ERROR_RUNTIME,
        "the storage holds data already: make a buffer live before its first write");
  else
    return TRUE;
  return FALSE;
}

static gboolean
name_dimensions (ReelTensordict *data, GError **error)
{
  const char *names[REEL_MAX_NDIM] = { "time" };
  gint n_dims;

  reel_tensordict_get_batch_size (data, &n_dims);
  for (gint d = 1; d < n_dims; d++)
    names[d] = reel_tensordict_get_name (data, d);
  return reel_tensordict_set_names (data, names, error);
}

/* Asked before files are made, so that the message names the path that was given. */
static gboolean
check_space (ReelStorage *storage, const char *path, const ReelTensordict *step, GError **error)
{
  gint64 bytes = reel_storage_count_bytes (storage, step, error);

  return bytes >= 0 && reel_directory_check_space (path, bytes, error);
}

static gboolean
make_files (Draft *draft, ReelStorage *storage, ReelTensordict *step, GError **error)
{
  g_autofree char *leaves = g_build_filename (draft->files.path, "storage", NULL);
  g_autofree char *writer = g_build_filename (draft->files.path, "writer", NULL);
  g_autofree char *ring = g_build_filename (draft->files.path, REEL_RING_FILE, NULL);
  const gint64 *shape;
  gint n_dims;

  reel_memmap_storage_set_directory (storage, leaves);
  draft->data = reel_storage_make_data (storage, step, error);
  if (!draft->data || !name_dimensions (draft->data, error) || !reel_directory_make (writer, error))
    return FALSE;
  shape = reel_tensordict_get_batch_size (draft->data, &n_dims);
  draft->ring = reel_ring_create (ring, shape[0], error);
  draft->held = draft->ring ? reel_held_directory_new (draft->files.path, error) : NULL;
  return draft->held != NULL;
}

/* Readers believe the counts of this ring alone, until the machine is started anew. */
static void
name_ring (ReelBufferFiles *files, const ReelRing *ring)
{
  g_free (files->boot_id);
  g_free (files->ring);
  files->boot_id = reel_boot_id ();
  files->ring = reel_ring_dup_file (ring);
}

static gboolean
describe_draft (const Draft *draft, ReelBufferFiles *files, ReelReplayBuffer *buffer,
                GError **error)
{
  g_autoptr (ReelSidecar) sidecar = NULL;

  name_ring (files, draft->ring);
  sidecar = reel_buffer_files_describe (files, draft->data);
  return reel_buffer_files_write_json (files, draft->files.path, NULL, sidecar, draft->data, buffer,
                                       FALSE, error);
}

static void
go_live (ReelBufferFiles *files, ReelRing *ring, const char *path, ReelHeldDirectory *held,
         GPtrArray *leaves)
{
  reel_storage_take_ring (files->storage, ring);
  files->path = g_strdup (path);
  files->held = held;
  files->leaves = leaves;
  files->live = TRUE;
  files->clean = FALSE;
  reel_storage_attach (files->storage, on_commit, files);
}

/* From here on nothing fails: the storage goes on in the files that stand at the path. */
static void
settle_draft (ReelBufferFiles *files, Draft *draft, const char *path, GPtrArray *leaves)
{
  g_autofree char *directory = g_build_filename (path, "storage", NULL);

  g_autofree char *ring = g_build_filename (path, REEL_RING_FILE, NULL);

  reel_memmap_storage_set_directory (files->storage, directory);
  if (!reel_storage_adopt (files->storage, draft->data, NULL))
    g_return_if_reached ();
  reel_ring_set_path (draft->ring, ring);
  reel_held_directory_set_path (draft->held, path);
  go_live (files, g_steal_pointer (&draft->ring), path, g_steal_pointer (&draft->held), leaves);
}

gboolean
reel_replay_buffer_make_live (ReelReplayBuffer *self, const char *path, ReelTensordict *step,
                              ReelCheckpointFlags flags, GError **error)
{
  g_auto (Draft) draft = { REEL_DRAFT_NONE, NULL, NULL, NULL };
  g_autoptr (GPtrArray) leaves = NULL;
  ReelBufferFiles *files;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self) && path && step, FALSE);
  files = reel_buffer_files_get (self);
  if (!check_storage (files->storage, error) || !reel_checkpoint_check_target (path, flags, error)
      || !reel_draft_begin (&draft.files, path, error)
      || !check_space (files->storage, path, step, error))
    return FALSE;
  if (make_files (&draft, files->storage, step, error)
      && describe_draft (&draft, files, self, error))
    leaves = name_leaves (draft.files.path, error);
  if (!leaves)
    g_prefix_error (error, "%s could not be made: ", path);
  if (leaves && reel_checkpoint_sync_tree (draft.files.path, error)
      && reel_checkpoint_put_in_place (&draft.files, flags, files->warnings, error))
    {
      settle_draft (files, &draft, path, g_steal_pointer (&leaves));
      return TRUE;
    }
  reel_memmap_storage_set_directory (files->storage, NULL);
  return FALSE;
}

ReelReplayBuffer *
reel_replay_buffer_create_live (const char *path, gint64 capacity, ReelTensordict *step,
                                ReelCheckpointFlags flags, GError **error)
{
  g_autoptr (ReelStorage) storage = NULL;
  g_autoptr (ReelReplayBuffer) buffer = NULL;
  g_autofree char *text = NULL;
  gint n_dims;

  g_return_val_if_fail (path && step, NULL);
  reel_tensordict_get_batch_size (step, &n_dims);
  text = g_strdup_printf ("memmap:capacity=%" G_GINT64_FORMAT ",ndim=%d", capacity, n_dims + 1);
  storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, error, NULL);
  if (!storage)
    return NULL;
  buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, error);
  return buffer && reel_replay_buffer_make_live (buffer, path, step, flags, error)
             ? g_steal_pointer (&buffer)
             : NULL;
}

/* ---- how it goes on ---- */

void
reel_live_buffer_resume (ReelBufferFiles *self, ReelCheckpoint *checkpoint, ReelHeldDirectory *held,
                         GPtrArray *leaves, ReelResumedRows *resumed)
{
  ReelRing *ring = checkpoint->ring;
  gint64 begin, end, first, next;

  name_ring (self, ring);
  /* The files call this start of the machine theirs from the first write on: until then a ring that
   * counts what never reached the disk must have been corrected. */
  reel_ring_get_view (ring, &begin, &end);
  reel_ring_get_view (reel_storage_get_ring (self->storage), &first, &next);
  if (begin != first || end != next)
    reel_ring_set (ring, first, next);
  go_live (self, g_steal_pointer (&checkpoint->ring), checkpoint->path, held, leaves);
  /* Steps after the last update may never have been synced: a failed sync names them as lost. */
  self->synced = checkpoint->sidecar ? MIN (checkpoint->sidecar->end, next) : first;
  self->unwritten = TRUE;
  reel_storage_set_gate (self->storage, begin_writing, self);
  self->resumed = resumed;
  if (!resumed)
    return;
  reel_storage_set_guard (self->storage, check_overwritten, self);
  reel_resumed_rows_begin (resumed);
}
