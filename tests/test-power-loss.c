/* Power that is lost while sectors go to the disk in any order, and syncs that fail and drop what
 * they should write: what was promised is there, and nothing else counts as valid. */
#include "../src/core/system/directories.h"
#include "../src/reel.h"
#include "counted-rows.h"
#include "golden-buffer.h"
#include "power-loss.h"
#include "scratch.h"

#include <glib/gstdio.h>
#include <string.h>

#define LANES 4
#define SLOTS 96

typedef struct
{
  char *root, *target; /* the disk, and what the loss leaves */
  char *path, *left;   /* the directory on it, before and after */
  PowerLoss *loss;
} Disk;

static void
begin_disk (Disk *disk)
{
  disk->root = scratch_path ("disk");
  disk->target = scratch_path ("after");
  disk->path = g_build_filename (disk->root, "run", NULL);
  disk->left = g_build_filename (disk->target, "run", NULL);
  g_assert_cmpint (g_mkdir (disk->root, 0777), ==, 0);
  disk->loss = power_loss_begin (disk->root);
}

static void
lose_power (Disk *disk)
{
  power_loss_rebuild (disk->loss, POWER_LOSS_TORN, disk->target);
  power_loss_reboot (disk->left);
}

static void
end_disk (Disk *disk)
{
  power_loss_end (disk->loss);
  g_assert_true (reel_directory_remove (disk->root, NULL));
  g_assert_true (reel_directory_remove (disk->target, NULL));
  g_free (disk->root);
  g_free (disk->target);
  g_free (disk->path);
  g_free (disk->left);
}

/* ---- a run ---- */

static ReelReplayBuffer *
create_run (const char *path)
{
  g_autoptr (ReelTensordict) step = counted_new_step (2, LANES, 0);
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer = reel_replay_buffer_create_live (path, SLOTS * LANES, step, 0, &error);

  g_assert_no_error (error);
  return buffer;
}

static ReelReplayBuffer *
resume_run (const char *path, GError **error)
{
  g_autofree char *directory = g_build_filename (path, "storage", NULL);
  g_autofree char *text =
      g_strdup_printf ("memmap:existsok=true,ndim=2,capacity=%d", SLOTS * LANES);
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, text, error, "scratch-dir", directory, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, error);

  return reel_replay_buffer_loads (buffer, path, error) ? g_steal_pointer (&buffer) : NULL;
}

/* As a collector writes: reserved, filled in place, committed. */
static gboolean
try_steps (ReelReplayBuffer *buffer, gint64 n, GError **error)
{
  while (n > 0)
    {
      ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
      ReelReservation block;

      if (!reel_replay_buffer_reserve (buffer, n, &block, error))
        return FALSE;
      counted_fill_block (storage, &block, 0, LANES);
      n -= block.n_steps;
      reel_replay_buffer_commit (buffer, &block, block.n_steps);
    }
  return TRUE;
}

static void
write_steps (ReelReplayBuffer *buffer, gint64 n)
{
  g_autoptr (GError) error = NULL;

  try_steps (buffer, n, &error);
  g_assert_no_error (error);
}

/* Steps are as they were written, and nothing else is wrong than that others are torn. */
static ReelRingInfo
check_run (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);
  g_autoptr (ReelCheckpointReport) report = reel_checkpoint_verify (path, NULL);
  ReelTensordict *data;
  ReelRingInfo info;

  g_assert_no_error (error);
  for (guint i = 0; i < report->faults->len; i++)
    g_assert_true (((const ReelCheckpointFault *) report->faults->pdata[i])->torn);
  data = reel_storage_get_data (reel_replay_buffer_get_storage (buffer));
  g_assert_true (reel_replay_buffer_get_ring (buffer, &info, NULL));
  for (gint64 step = info.begin; step < info.end; step++)
    for (gint64 lane = 0; lane < LANES; lane++)
      {
        const gint64 place[] = { step % SLOTS, lane };

        counted_assert_row (data, place, step * LANES + lane);
      }
  return info;
}

static gboolean
warns_of (const char *path, const char *words)
{
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL);
  g_auto (GStrv) warnings = reel_replay_buffer_dup_warnings (buffer);
  g_autofree char *all = g_strjoinv ("\n", warnings);

  return strstr (all, words) != NULL;
}

/* A run continues after a loss, is closed, and seals nothing that was not valid. */
static void
go_on (const char *path, gint64 steps)
{
  ReelRingInfo before = check_run (path), after;
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = resume_run (path, &error);

  g_assert_no_error (error);
  write_steps (buffer, steps);
  g_assert_true (reel_replay_buffer_close (buffer, &error));
  g_assert_no_error (error);
  after = check_run (path);
  g_assert_true (after.clean);
  g_assert_cmpint (after.end, ==, before.end + steps);
  g_assert_cmpint (after.begin, ==, MAX (before.begin, after.end - SLOTS));
}

/* A run of updates, writes of the system and steps, until the power fails. */
static void
lose_power_once (gint n_turns)
{
  gint64 synced = 0, begin = 0, written = 0;
  Disk disk;
  ReelRingInfo left;

  begin_disk (&disk);
  {
    g_autoptr (ReelReplayBuffer) buffer = create_run (disk.path);

    write_steps (buffer, 1);
    synced = written = 1; /* the first commit is an update */
    for (gint turn = 0; turn < n_turns; turn++)
      {
        gint64 n = g_test_rand_int_range (1, 30);

        write_steps (buffer, n);
        written += n;
        if (g_test_rand_bit ())
          power_loss_write_some (disk.loss);
        if (g_test_rand_int_range (0, 3) > 0)
          continue;
        g_assert_true (reel_replay_buffer_dumps (buffer, disk.path, 0, NULL));
        synced = written;
        begin = MAX (0, synced - SLOTS);
      }
    lose_power (&disk);
  }
  left = check_run (disk.left);
  g_assert_cmpint (left.end, ==, synced);
  g_assert_cmpint (left.begin, >=, MIN (MAX (begin, written - SLOTS), synced));
  g_assert_true (warns_of (disk.left, "machine stopped"));
  if (written <= SLOTS)
    g_assert_cmpint (left.begin, ==, 0);
  go_on (disk.left, g_test_rand_int_range (0, 40));
  end_disk (&disk);
}

static void
test_overwritten_steps_are_left_out (void)
{
  for (gint i = 0; i < 120; i++)
    lose_power_once (i % 20);
}

/* Slowly written, a ring loses little more than was overwritten. */
static void
test_most_of_a_ring_survives (void)
{
  ReelRingInfo left;
  Disk disk;

  begin_disk (&disk);
  {
    g_autoptr (ReelReplayBuffer) buffer = create_run (disk.path);

    write_steps (buffer, SLOTS);
    g_assert_true (reel_replay_buffer_dumps (buffer, disk.path, 0, NULL));
    write_steps (buffer, 10);
    lose_power (&disk);
  }
  left = check_run (disk.left);
  g_assert_cmpint (left.end, ==, SLOTS);
  g_assert_cmpint (left.begin, >=, 10);
  g_assert_cmpint (left.begin, <=, 20);
  end_disk (&disk);
}

/* ---- syncs that fail once ---- */

/* The run stops, and whoever comes after it, before or after a loss, finds only what is there. */
static gboolean
fail_one_sync (gint64 nth)
{
  g_autoptr (GError) error = NULL;
  gint64 synced = 0, written = 0;
  gboolean failed, closed;
  ReelRingInfo left;
  Disk disk;

  begin_disk (&disk);
  {
    g_autoptr (ReelReplayBuffer) buffer = create_run (disk.path);
    gboolean going_on = TRUE;

    power_loss_fail_sync (disk.loss, nth);
    for (gint turn = 0; going_on && turn < 5; turn++)
      {
        going_on = try_steps (buffer, 30, NULL);
        written = reel_replay_buffer_get_write_count (buffer);
        if (going_on && reel_replay_buffer_dumps (buffer, disk.path, 0, NULL))
          synced = written;
      }
    closed = reel_replay_buffer_close (buffer, &error);
    failed = power_loss_sync_failed (disk.loss);
    g_assert_true (closed || (failed && error));
  }
  power_loss_fail_sync (disk.loss, 0);
  power_loss_rebuild (disk.loss, POWER_LOSS_NONE, disk.target);
  ring_take_place (disk.left);
  left = check_run (disk.left); /* pages that were dropped are read from the disk */
  g_assert_cmpint (left.end, >=, synced);
  g_assert_true (left.end == written || (!closed && warns_of (disk.left, "may be lost")));
  go_on (disk.left, 7);
  end_disk (&disk);
  return failed;
}

static void
test_rows_of_a_failed_sync_are_left_out (void)
{
  gint64 n = 1;

  while (fail_one_sync (n))
    n++;
  g_assert_cmpint (n, >, 20);
}

/* ---- checkpoints and saves ---- */

typedef gboolean (*SaveFunc) (ReelTensordict *data, const char *path, GError **error);

static gboolean
dump (ReelTensordict *data, const char *path, GError **error)
{
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=256", error, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, error);

  return reel_replay_buffer_extend (buffer, data, NULL, error)
         && reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_FORCE, error);
}

static gint64
find_dumped (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);
  g_autoptr (ReelCheckpointReport) report = reel_checkpoint_verify (path, NULL);
  const gint64 place[] = { 0 };

  g_assert_no_error (error);
  g_assert_cmpuint (report->faults->len, ==, 0);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 256);
  return counted_get_number (reel_storage_get_data (reel_replay_buffer_get_storage (buffer)),
                             place);
}

static gboolean
save_directory (ReelTensordict *data, const char *path, GError **error)
{
  return reel_tensordict_save (data, path, REEL_SAVE_DEFAULT, error);
}

static gint64
find_saved (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) data = reel_tensordict_load (path, REEL_LOAD_READ_ONLY, &error);

  g_assert_no_error (error);
  for (gint64 i = 0; i < 256; i++)
    g_assert_true (counted_is_whole (data, &i));
  return counted_get_number (data, (gint64[]){ 0 });
}

static const struct
{
  const char *name;
  SaveFunc save;
  gint64 (*find) (const char *path);
} kinds[] = {
  { "dump", dump, find_dumped },
  { "directory", save_directory, find_saved },
};

/* One sync fails, the caller tries again, and the power fails: the last that succeeded is there, or
 * one that replaces it. */
static gboolean
retry_save (gsize kind, gint64 nth)
{
  g_autoptr (ReelTensordict) old = counted_new_batch (1, 1, 256, 0);
  g_autoptr (ReelTensordict) new = counted_new_batch (1, 1, 256, 1000);
  g_autoptr (GError) error = NULL;
  gboolean failed, saved;
  gint64 found;
  Disk disk;

  begin_disk (&disk);
  g_assert_true (kinds[kind].save (old, disk.path, NULL));
  power_loss_write_some (disk.loss);
  power_loss_end (disk.loss);
  disk.loss = power_loss_begin (disk.root);
  power_loss_fail_sync (disk.loss, nth);
  saved = kinds[kind].save (new, disk.path, &error);
  failed = power_loss_sync_failed (disk.loss);
  g_assert_true (saved == (error == NULL) && saved != failed);
  if (nth % 2 == 0)
    saved = kinds[kind].save (new, disk.path, NULL);
  lose_power (&disk);
  found = kinds[kind].find (disk.left);
  g_assert_true (saved ? found == 1000 : found == 0 || found == 1000);
  end_disk (&disk);
  return failed;
}

static void
test_failed_syncs_of_saves_are_errors (gconstpointer kind)
{
  gint64 n = 1;

  while (retry_save (GPOINTER_TO_SIZE (kind), n))
    n++;
  g_assert_cmpint (n, >, 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

#define TEST(name, function) scratch_test ("/buffers/power-loss/" name, function)
  TEST ("overwritten-steps-are-left-out", test_overwritten_steps_are_left_out);
  TEST ("most-of-a-ring-survives", test_most_of_a_ring_survives);
  TEST ("rows-of-a-failed-sync-are-left-out", test_rows_of_a_failed_sync_are_left_out);
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/buffers/power-loss/failed-syncs-are-errors/%s", kinds[i].name);

      scratch_test_with_data (path, test_failed_syncs_of_saves_are_errors, GSIZE_TO_POINTER (i));
    }

  return g_test_run ();
}
