/* Verifies a checkpoint: its files against their checksums, its rows against their promises. */
#include "buffer-files.h"
#include "checkpoint-report-private.h"
#include "checkpoint-verify.h"
#include "compared-sums.h"
#include "ted-check.h"

#include "../../core/object/error.h"
#include "../storages/storage-private.h"
#include "../storages/item-storage.h"

static void
add_note (ReelCheckpointReport *self, const char *note)
{
  g_ptr_array_add (self->notes, g_strdup (note));
}

/* ---- checksums ---- */

#define UNKNOWN_KIND "its checksums are of a kind that this library does not make: not compared"

static gboolean
compare_rows (ReelCheckpointReport *self, const json_t *said, ReelStorage *storage,
              const char *file, gint64 capacity, gint64 block, GError **error)
{
  g_autoptr (json_t) is = NULL;
  gint64 steps;

  if (!reel_json_get_int64 (said, file, "steps", 0, capacity, &steps, error))
    return FALSE;
  is = reel_checksums_compute (storage, steps, &(ReelTornSlots){ 0 }, NULL);
  if (json_integer_value (json_object_get (is, "block")) != block)
    {
      add_note (self, UNKNOWN_KIND);
      return TRUE;
    }
  self->checksums = TRUE;
  reel_sums_compare (self, json_object_get (said, "leaves"), json_object_get (is, "leaves"), block);
  return TRUE;
}

/* Of a run that was resumed and not closed since: rows that were not overwritten. */
static void
compare_kept (ReelCheckpointReport *self, const ReelKeptSums *kept, ReelStorage *storage)
{
  g_autoptr (json_t) is =
      reel_checksums_compute (storage, kept->steps, &(ReelTornSlots){ 0 }, NULL);
  /* A writer may have gone on meanwhile: its claims are read after the rows. */
  gint64 begin = reel_ring_first_intact (reel_storage_get_ring (storage));
  g_autoptr (json_t) said = reel_kept_sums_dup_untouched (kept, storage, begin);

  if (json_integer_value (json_object_get (is, "block")) != kept->block)
    {
      add_note (self, UNKNOWN_KIND);
      return;
    }
  add_note (self, "was not closed since it was resumed: only rows of before have checksums");
  reel_sums_compare (self, said, json_object_get (is, "leaves"), kept->block);
}

static gboolean
check_sums (ReelCheckpointReport *self, ReelReplayBuffer *buffer, const ReelCheckpoint *checkpoint,
            GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  g_autofree char *file = reel_checkpoint_part (checkpoint->path, REEL_SIDECAR_FILE);
  const json_t *said = checkpoint->sidecar ? checkpoint->sidecar->checksums : NULL;
  gint64 block = json_integer_value (json_object_get (said, "block"));
  ReelKeptSums kept;

  if (!said && reel_kept_sums_find (&kept, checkpoint->sidecar))
    {
      compare_kept (self, &kept, storage);
      return TRUE;
    }
  if (!said)
    {
      add_note (self, "has no checksums: a dump or a run in files that was closed has them");
      return TRUE;
    }
  if (!reel_checksums_are_known (said))
    {
      add_note (self, UNKNOWN_KIND);
      return TRUE;
    }
  return (!json_object_get (said, "leaves")
          || compare_rows (self, said, storage, file, checkpoint->sidecar->shape[0], block, error))
         && reel_sums_compare_files (self, said, checkpoint->path, block, error);
}

/* ---- all of it ---- */

/* A reader does without them, and so says nothing. */
static gboolean
check_sidecar (ReelCheckpointReport *self, const ReelCheckpoint *checkpoint, GError **error)
{
  g_autofree char *path = reel_checkpoint_part (checkpoint->path, REEL_SIDECAR_FILE);
  g_auto (GStrv) missing = NULL;

  if (!checkpoint->sidecar)
    return TRUE;
  missing = reel_sidecar_list_missing (path, error);
  for (char **member = missing; member && *member; member++)
    reel_sums_add_damage (self, REEL_SIDECAR_FILE, 1,
                          g_strdup_printf ("lacks the member \"%s\"", *member));
  if (checkpoint->sidecar->boot_id && !checkpoint->ring)
    reel_sums_add_damage (self, REEL_RING_FILE, 1,
                          g_strdup ("is missing: the run cannot be resumed"));
  return missing != NULL;
}

/* A writer that ends before a commit leaves them: by a kill, or by the failure of a worker. */
static char *
describe_torn (const ReelRingInfo *info)
{
  if (info->torn_n == 1)
    return g_strdup_printf ("slot %" G_GINT64_FORMAT
                            " was being written when the writer ended: the "
                            "rows of this step are lost",
                            info->torn_first);
  return g_strdup_printf ("slots %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                          " were being written when the writer ended: the rows of these "
                          "%" G_GINT64_FORMAT " steps are lost",
                          info->torn_first, (info->torn_first + info->torn_n - 1) % info->capacity,
                          info->torn_n);
}

static gboolean
check_ring (ReelCheckpointReport *self, ReelReplayBuffer *buffer, GError **error)
{
  ReelRingInfo info;

  if (!reel_replay_buffer_get_ring (buffer, &info, error))
    return FALSE;
  self->n_rows =
      (info.end - info.begin) * reel_storage_get_lanes (reel_replay_buffer_get_storage (buffer));
  if (info.torn_n == 0)
    return TRUE;

  ReelCheckpointFault *fault =
      reel_checkpoint_fault_new ("storage", -1, -1, info.torn_n, describe_torn (&info));

  fault->torn = TRUE;
  g_ptr_array_add (self->faults, fault);
  return TRUE;
}

/* Only the best rows are kept by ranks, in any order. */
static gboolean
is_in_order (const char *path)
{
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  ReelCheckpointKind kind;

  return reel_checkpoint_recognise (path, &kind, warnings, NULL)
         && !g_str_equal (kind.writer, "max-value");
}

/* Rows that are compressed one by one are read one by one. */
static void
check_values (ReelCheckpointReport *self, ReelReplayBuffer *buffer)
{
  ReelItemStorage *storage = REEL_ITEM_STORAGE (reel_replay_buffer_get_storage (buffer));
  ReelStorageView view;

  reel_storage_get_view (REEL_STORAGE (storage), &view);
  for (gint64 row = view.first_row; row < view.end_row; row++)
    {
      g_autoptr (GError) fault = NULL;
      g_autoptr (ReelTensordict) read =
          reel_item_storage_get_row (storage, row % view.capacity, &fault);

      if (!read)
        g_ptr_array_add (self->faults, reel_checkpoint_fault_new ("storage", row, 0, 1,
                                                                  g_strdup (fault->message)));
    }
}

/* Batches that are ready can be read. */
static gboolean
check_prefetch (const ReelCheckpoint *checkpoint, GError **error)
{
  g_autoptr (ReelTensordict) state = NULL;

  return reel_checkpoint_read_prefetch (checkpoint, &state, error);
}

static void
check_rows (ReelCheckpointReport *self, ReelReplayBuffer *buffer, const char *path)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);

  if (REEL_IS_ITEM_STORAGE (storage))
    check_values (self, buffer);
  else
    reel_ted_check (storage, is_in_order (path), self->faults, self->notes);
}

gboolean
reel_checkpoint_verify_buffer (ReelCheckpointReport *self, const char *path, gboolean rows,
                               GError **error)
{
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, error);
  g_autoptr (ReelCheckpoint) checkpoint =
      buffer ? reel_checkpoint_read (path, REEL_LOAD_READ_ONLY, 0, NULL, error) : NULL;
  g_auto (GStrv) warnings = NULL;

  if (!checkpoint)
    return FALSE;
  warnings = reel_replay_buffer_dup_warnings (buffer);
  for (gsize i = 0; warnings[i]; i++)
    add_note (self, warnings[i]);
  if (!check_sidecar (self, checkpoint, error) || !check_ring (self, buffer, error)
      || !check_sums (self, buffer, checkpoint, error) || !check_prefetch (checkpoint, error))
    return FALSE;
  if (rows)
    check_rows (self, buffer, path);
  return TRUE;
}
