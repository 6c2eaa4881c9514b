/* A writer alone in a directory. */
#include "part-files.h"

#include "../../core/system/directories.h"
#include "../../core/object/error.h"
#include "../../core/tensordict/state-values.h"
#include "../storages/storage-private.h"
#include "../writers/writer-private.h"
#include "buffer-files.h"
#include "checkpoint-fingerprint.h"
#include "checkpoint-writer.h"

/* ---- writing ---- */

static gboolean
fill (ReelWriter *self, ReelStorage *storage, const char *path, GError **error)
{
  g_autoptr (ReelTensordict) state = reel_writer_dup_state (self, storage, error);

  return state
         && (!reel_writer_may_write (self, NULL)
             || reel_checkpoint_write_writer_files (path, state, error));
}

gboolean
reel_writer_dumps (ReelWriter *self, ReelStorage *storage, const char *path,
                   ReelCheckpointFlags flags, GError **error)
{
  g_auto (ReelDraft) draft = REEL_DRAFT_NONE;

  g_return_val_if_fail (REEL_IS_WRITER (self) && REEL_IS_STORAGE (storage) && path, FALSE);
  return reel_part_check_target (path, flags, error) && reel_draft_begin (&draft, path, error)
         && fill (self, storage, draft.path, error) && reel_checkpoint_sync_tree (draft.path, error)
         && reel_part_put_in_place (&draft, flags, error)
         && (reel_writer_may_write (self, NULL) || reel_directory_remove (path, error));
}

/* ---- reading ---- */

/* Where the writer goes on. */
typedef struct
{
  ReelWriterState state;
  gint64 begin, end; /* steps of the storage */
} Loading;

static void
clear_loading (Loading *loading)
{
  reel_writer_state_clear (&loading->state);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Loading, clear_loading)

/* −1 for a write count that the file does not have. */
static ReelTensordict *
read_files (const char *path, gint64 n_slots, gint64 *cursor, gint64 *write_count, GError **error)
{
  g_autofree char *file = g_build_filename (path, "metadata.json", NULL);
  g_autoptr (json_t) root = reel_json_load_file (file, error);
  g_autoptr (ReelTensordict) state = reel_tensordict_new (0, NULL);

  if (!root || !reel_json_get_int64 (root, file, "cursor", 0, MAX (n_slots - 1, 0), cursor, error)
      || !reel_json_get_int64_or (root, file, "write_count", G_MININT64 / 2, G_MAXINT64 / 4, -1,
                                  write_count, error)
      || !reel_checkpoint_read_writer (root, path, file, state, error))
    return NULL;
  *write_count = MAX (*write_count, -1); /* TorchRL's C int wraps to negative */
  return g_steal_pointer (&state);
}

/* The rows of a full storage may begin at any slot. */
static gboolean
find_place (Loading *loading, ReelStorage *storage, const char *path, gint64 cursor,
            gint64 write_count, GError **error)
{
  const ReelRing *ring = reel_storage_get_ring (storage);
  gint64 n_slots = ring ? reel_ring_get_capacity (ring) : 1;

  if (ring)
    reel_ring_get_view (ring, &loading->begin, &loading->end);
  if (loading->end % n_slots == cursor)
    return TRUE;
  if (loading->end - loading->begin == n_slots)
    {
      gboolean counted = write_count >= n_slots && write_count % n_slots == cursor;

      loading->end = counted ? write_count : n_slots + cursor;
      loading->begin = loading->end - n_slots;
      return reel_storage_check_free (storage, error);
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "cannot load %s: its cursor is %" G_GINT64_FORMAT
               ", the storage continues at slot %" G_GINT64_FORMAT "; load the storage first",
               path, cursor, loading->end % n_slots);
  return FALSE;
}

static gboolean
set_counts (ReelTensordict *state, gint64 cursor, gint64 write_count, GError **error)
{
  return reel_state_set (state, "_cursor", REEL_DTYPE_INT64, 0, 1, &cursor, error)
         && (write_count < 0
             || reel_state_set (state, "_write_count", REEL_DTYPE_INT64, 0, 1, &write_count,
                                error));
}

static gboolean
prepare (Loading *loading, ReelWriter *self, ReelStorage *storage, const char *path, GError **error)
{
  const ReelRing *ring = reel_storage_get_ring (storage);
  ReelWriterRows rows = { .storage = storage };
  gint64 cursor, write_count, lanes = MAX (reel_storage_get_lanes (storage), 1);
  g_autoptr (ReelTensordict) state = read_files (
      path, ring ? reel_ring_get_capacity (ring) : G_MAXINT64 / 4, &cursor, &write_count, error);

  if (!state || !find_place (loading, storage, path, cursor, write_count, error)
      || !set_counts (state, cursor, write_count, error))
    return FALSE;
  reel_storage_get_view (storage, &rows.view);
  rows.view.first_row = loading->begin * lanes;
  rows.view.end_row = loading->end * lanes;
  if (reel_writer_read_state (self, &rows, state, &loading->state, error))
    return TRUE;
  g_prefix_error (error, "%s: ", path);
  return FALSE;
}

static void
take (Loading *loading, ReelStorage *storage)
{
  const ReelRing *ring = reel_storage_get_ring (storage);

  if (ring && reel_ring_get_end (ring) != loading->end)
    reel_storage_restore (storage, loading->begin, loading->end);
  reel_writer_state_take (&loading->state, storage);
}

gboolean
reel_writer_loads (ReelWriter *self, ReelStorage *storage, const char *path, GError **error)
{
  g_return_val_if_fail (REEL_IS_WRITER (self) && REEL_IS_STORAGE (storage) && path, FALSE);
  if (!reel_writer_may_write (self, NULL))
    return TRUE;
  for (gint attempt = 0; attempt < REEL_CHECKPOINT_ATTEMPTS; attempt++)
    {
      g_auto (Loading) loading = { .begin = 0 };
      g_autoptr (ReelCheckpointFingerprint) look = reel_checkpoint_fingerprint_new (path);
      g_autoptr (GError) failure = NULL;
      gboolean ready = prepare (&loading, self, storage, path, &failure);

      if (reel_checkpoint_fingerprint_differs (look))
        continue;
      if (ready)
        take (&loading, storage);
      else
        g_propagate_error (error, g_steal_pointer (&failure));
      return ready;
    }
  reel_checkpoint_set_unsteady (path, error);
  return FALSE;
}
