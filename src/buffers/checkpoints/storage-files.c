/* A storage alone in a directory. */
#include "part-files.h"

#include "../../core/object/error.h"
#include "../storages/storage-private.h"
#include "../storages/item-storage.h"
#include "buffer-files.h"
#include "checkpoint-fingerprint.h"
#include "checkpoint-values.h"
#include "checkpointer-private.h"

static GPtrArray *
new_warnings (void)
{
  return g_ptr_array_new_with_free_func (g_free);
}

/* Takes @list. */
static void
return_warnings (GPtrArray *list, char ***warnings)
{
  if (warnings)
    {
      g_ptr_array_add (list, NULL);
      *warnings = (char **) g_ptr_array_free (list, FALSE);
    }
  else
    g_ptr_array_unref (list);
}

/* ---- writing ---- */

/* The files know slots from 0 on, or all. */
static gboolean
count_rows (ReelStorage *self, gint64 *length, GError **error)
{
  const ReelRing *ring = reel_storage_get_ring (self);
  ReelCheckpointPlace place = { 0 };
  ReelCheckpointCounts counts;

  reel_ring_get_view (ring, &place.begin, &place.end);
  reel_checkpoint_count (&place, reel_ring_get_capacity (ring), reel_storage_get_lanes (self),
                         &counts);
  *length = counts.len;
  if (counts.clamped || counts.len <= reel_storage_get_length (self))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "cannot save the storage alone: %" G_GINT64_FORMAT
               " of its rows are half written, and its files have no place to say so; save the "
               "buffer",
               counts.len - reel_storage_get_length (self));
  return FALSE;
}

static gboolean
fill_columns (ReelStorage *self, ReelCheckpointer *checkpointer, const char *path, gint64 length,
              GPtrArray *warnings, GError **error)
{
  g_autoptr (ReelTensordict) saved =
      reel_checkpoint_save_rows (self, checkpointer, path, NULL, warnings, error);

  return saved
         && (REEL_CHECKPOINTER_GET_CLASS (checkpointer)->keeps_length
             || reel_checkpoint_write_length (path, saved, length, FALSE, error));
}

static gboolean
fill (ReelStorage *self, ReelCheckpointer *checkpointer, const char *path, gint64 length,
      GPtrArray *warnings, GError **error)
{
  g_autoptr (ReelCheckpointer) used = NULL;

  if (REEL_IS_ITEM_STORAGE (self))
    return reel_values_save (REEL_ITEM_STORAGE (self), path, NULL, error);
  used = checkpointer ? g_object_ref (checkpointer)
                      : reel_object_new_from_text (REEL_TYPE_CHECKPOINTER, "tensor", error, NULL);
  return used && fill_columns (self, used, path, length, warnings, error);
}

/* The leaves lie there already. */
static gboolean
refresh (ReelStorage *self, ReelCheckpointer *checkpointer, const char *path, gint64 length,
         GError **error)
{
  if (reel_checkpointer_is_plain (checkpointer))
    return reel_checkpoint_sync_tree (path, error)
           && reel_checkpoint_write_length (path, reel_storage_get_data (self), length, TRUE,
                                            error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "%s: the storage has its files there, and the checkpointer would write others; "
               "choose another path",
               path);
  return FALSE;
}

static gboolean
dump (ReelStorage *self, ReelCheckpointer *checkpointer, const char *path,
      ReelCheckpointFlags flags, GPtrArray *warnings, GError **error)
{
  g_auto (ReelDraft) draft = REEL_DRAFT_NONE;
  gint64 length;

  if (!reel_checkpoint_check_storage (self, error) || !count_rows (self, &length, error))
    return FALSE;
  if (reel_checkpoint_has_files_in (self, path))
    return refresh (self, checkpointer, path, length, error);
  return reel_part_check_target (path, flags, error) && reel_draft_begin (&draft, path, error)
         && fill (self, checkpointer, draft.path, length, warnings, error)
         && reel_checkpoint_sync_tree (draft.path, error)
         && reel_part_put_in_place (&draft, flags, error);
}

gboolean
reel_storage_dumps (ReelStorage *self, ReelCheckpointer *checkpointer, const char *path,
                    ReelCheckpointFlags flags, char ***warnings, GError **error)
{
  GPtrArray *list;
  gboolean done;

  g_return_val_if_fail (REEL_IS_STORAGE (self) && path, FALSE);
  list = new_warnings ();
  done = dump (self, checkpointer, path, flags, list, error);
  return_warnings (list, warnings);
  return done;
}

/* ---- reading ---- */

typedef struct
{
  ReelCheckpoint *checkpoint;
  ReelRowMove move;
} Loading;

static void
clear_loading (Loading *loading)
{
  reel_row_move_clear (&loading->move);
  g_clear_pointer (&loading->checkpoint, reel_checkpoint_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Loading, clear_loading)

/* Does all that can fail. */
static gboolean
prepare (Loading *loading, ReelStorage *self, ReelCheckpointer *checkpointer, const char *path,
         GError **error)
{
  gboolean attach = !reel_storage_is_allocated (self) && reel_checkpoint_has_files_in (self, path);
  ReelStoredRows rows;

  loading->checkpoint =
      reel_checkpoint_read_storage (path, attach ? REEL_LOAD_SHARED : REEL_LOAD_READ_ONLY,
                                    reel_storage_get_ndim (self), checkpointer, error);
  if (!loading->checkpoint)
    return FALSE;
  rows = reel_checkpoint_find_rows (loading->checkpoint);
  return attach ? reel_checkpoint_check_attach (loading->checkpoint, checkpointer, self, error)
                      && reel_row_move_adopt (&loading->move, &rows, self, error)
                : reel_stored_rows_check (&rows, self, error)
                      && reel_row_move_prepare (&loading->move, &rows, self, error);
}

static gboolean
check_taken (ReelStorage *self, const Loading *loading, const ReelCheckpointFingerprint *look,
             GError **error)
{
  g_autofree char *file =
      loading->move.from ? reel_checkpoint_fingerprint_find_rewritten (look) : NULL;

  if (!file)
    return TRUE;
  reel_storage_empty (self);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "%s: another process changed it while rows were copied; the storage is empty now",
               file);
  return FALSE;
}

static gboolean
load (ReelStorage *self, ReelCheckpointer *checkpointer, const char *path, GPtrArray *warnings,
      GError **error)
{
  for (gint attempt = 0; attempt < REEL_CHECKPOINT_ATTEMPTS; attempt++)
    {
      g_auto (Loading) loading = { NULL };
      g_autoptr (ReelCheckpointFingerprint) look = reel_checkpoint_fingerprint_new (path);
      g_autoptr (GError) failure = NULL;
      gboolean ready = prepare (&loading, self, checkpointer, path, &failure);

      if (reel_checkpoint_fingerprint_differs (look))
        continue;
      if (!ready)
        {
          g_propagate_error (error, g_steal_pointer (&failure));
          return FALSE;
        }
      reel_row_move_run (&loading.move);
      for (guint i = 0; i < loading.checkpoint->warnings->len; i++)
        g_ptr_array_add (warnings, g_strdup (loading.checkpoint->warnings->pdata[i]));
      return check_taken (self, &loading, look, error);
    }
  reel_checkpoint_set_unsteady (path, error);
  return FALSE;
}

gboolean
reel_storage_loads (ReelStorage *self, ReelCheckpointer *checkpointer, const char *path,
                    char ***warnings, GError **error)
{
  GPtrArray *list;
  gboolean done;

  g_return_val_if_fail (REEL_IS_STORAGE (self) && path, FALSE);
  list = new_warnings ();
  done = reel_storage_check_free (self, error) && load (self, checkpointer, path, list, error);
  return_warnings (list, warnings);
  return done;
}
