/* Verifies a checkpoint: its files against their checksums, its rows against their promises. */
#include "buffer-files.h"
#include "checkpoint-report-private.h"
#include "checkpoint-verify.h"
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

static void
add_damage (ReelCheckpointReport *self, const char *where, gint64 n, char *what)
{
  g_ptr_array_add (self->faults, reel_checkpoint_fault_new (where, -1, -1, n, what));
}

/* The first block that differs, and how many do. */
static void
compare_blocks (ReelCheckpointReport *self, const char *key, const json_t *said, const json_t *is,
                gint64 block)
{
  gsize n = json_array_size (is), first = 0;
  gint64 n_bad = 0;

  if (!json_is_array (said) || json_array_size (said) != n)
    {
      add_damage (self, key, 1,
                  g_strdup_printf ("has %" G_GSIZE_FORMAT " checksums in " REEL_SIDECAR_FILE
                                   ", %" G_GSIZE_FORMAT " expected",
                                   json_array_size (said), n));
      return;
    }
  for (gsize i = n; i-- > 0;)
    if (!json_is_null (json_array_get (said, i))
        && !json_equal (json_array_get (said, i), json_array_get (is, i)))
      {
        first = i;
        n_bad++;
      }
  if (n_bad == 0)
    return;

  g_autofree char *end =
      first + 1 < n ? g_strdup_printf ("to %" G_GINT64_FORMAT, (gint64) (first + 1) * block)
                    : g_strdup ("on");

  add_damage (self, key, n_bad,
              g_strdup_printf ("has changed since it was written: the checksum of its bytes from "
                               "%" G_GINT64_FORMAT " %s differs",
                               (gint64) first * block, end));
}

/* Every file with checksums exists, and every file has checksums. */
static void
compare_names (ReelCheckpointReport *self, const json_t *said, json_t *is, gint64 block)
{
  json_t *sums;
  const char *key;

  json_object_foreach ((json_t *) said, key, sums) if (!json_object_get (is, key)) add_damage (
      self, key, 1, g_strdup ("has checksums in " REEL_SIDECAR_FILE ", and is missing"));
  json_object_foreach (is, key, sums)
      compare_blocks (self, key, json_object_get (said, key), sums, block);
}

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
  compare_names (self, json_object_get (said, "leaves"), json_object_get (is, "leaves"), block);
  return TRUE;
}

/* A directory of an older version has none. */
static gboolean
compare_files (ReelCheckpointReport *self, const json_t *said, const char *path, gint64 block,
               GError **error)
{
  const ReelChecksumsScope scope = { path, !json_object_get (said, "leaves"), NULL, 0, NULL };
  g_autoptr (json_t) is = NULL;

  if (!json_object_get (said, "files"))
    {
      add_note (self, "its metadata have no checksums: an older version wrote it");
      return TRUE;
    }
  is = reel_checksums_of_files (&scope, block, error);
  if (!is)
    return FALSE;
  self->checksums = TRUE;
  compare_names (self, json_object_get (said, "files"), is, block);
  return TRUE;
}

gboolean
reel_checkpoint_check_files (const ReelCheckpoint *checkpoint, GError **error)
{
  g_autoptr (ReelCheckpointReport) report = reel_checkpoint_report_new ();
  const json_t *said = checkpoint->sidecar ? checkpoint->sidecar->checksums : NULL;
  const ReelCheckpointFault *fault;

  if (!said || !reel_checksums_are_known (said))
    return TRUE;
  if (!compare_files (report, said, checkpoint->path,
                      json_integer_value (json_object_get (said, "block")), error))
    return FALSE;
  if (report->faults->len == 0)
    return TRUE;
  fault = report->faults->pdata[0];
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "cannot resume %s, which is damaged: %s: %s; replay fsck lists all faults",
               checkpoint->path, fault->where, fault->what);
  return FALSE;
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
  compare_names (self, said, json_object_get (is, "leaves"), kept->block);
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
         && compare_files (self, said, checkpoint->path, block, error);
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
    add_damage (self, REEL_SIDECAR_FILE, 1, g_strdup_printf ("lacks the member \"%s\"", *member));
  if (checkpoint->sidecar->boot_id && !checkpoint->ring)
    add_damage (self, REEL_RING_FILE, 1, g_strdup ("is missing: the run cannot be resumed"));
  return missing != NULL;
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

  ReelCheckpointFault *fault = reel_checkpoint_fault_new (
      "storage", -1, -1, info.torn_n,
      g_strdup_printf ("was being written at slot %" G_GINT64_FORMAT " when its writer was killed",
                       info.torn_first));

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
