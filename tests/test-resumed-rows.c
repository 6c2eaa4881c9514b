/* Rows of a directory that is written again keep their checksums, and damage is found before it
 * gets new ones. */
#include "../src/buffers/checkpoints/resumed-rows.h"
#include "../src/core/system/file-ops.h"
#include "../src/reel.h"
#include "scratch.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MB ((gsize) 1 << 20)

/* ---- which bytes still have their sums ---- */

/* A ring that was closed at step @end, and whose writer claimed the steps before @claimed since. */
static gboolean
was_written (gint64 slot, gint64 end, gint64 claimed, gint64 capacity)
{
  for (gint64 step = end; step < claimed; step++)
    if (step % capacity == slot)
      return TRUE;
  return FALSE;
}

/* How many bytes of a block have the sum of before: all that had one, or none. */
static gsize
count_oracle (const ReelSumSpan *span, gint64 claimed, gsize block)
{
  gsize begin = block * (gsize) span->self->block, n = 0;
  gsize whole = span->column->step_bytes * (gsize) span->self->steps;

  for (gsize at = begin; at < MIN (whole, begin + (gsize) span->self->block); at++, n++)
    if (was_written ((gint64) (at / span->column->step_bytes), span->self->end, claimed,
                     span->capacity))
      return 0;
  return n;
}

static void
compare_spans (const ReelKeptSums *sums, gsize step_bytes, gint64 capacity)
{
  const ReelColumn column = { .path = "leaf", .step_bytes = step_bytes };

  for (gint64 claimed = sums->end; claimed <= sums->end + 2 * capacity + 1; claimed++)
    {
      const ReelSumSpan span = { sums, &column, capacity, MAX (claimed - capacity, 0) };

      for (gsize block = 0; block < 8; block++)
        {
          guint32 crc = 0;
          gsize n = reel_sum_span_find (&span, block, &crc);

          g_assert_cmpuint (n, ==, count_oracle (&span, claimed, block));
          g_assert_cmpuint (crc, ==, n ? block + 1 : 0);
        }
    }
}

/* All small rings, wherever they were closed and however far they were written since. */
static void
test_as_an_oracle_says (void)
{
  g_autoptr (json_t) leaves = json_pack ("{s:[i,i,i,i,i,i,i,i]}", "leaf", 1, 2, 3, 4, 5, 6, 7, 8);

  for (gint64 capacity = 1; capacity <= 4; capacity++)
    for (gint64 end = 1; end <= 3 * capacity; end++)
      for (gsize step_bytes = 1; step_bytes <= 4; step_bytes++)
        for (gint64 block = 1; block <= 4; block++)
          {
            const ReelKeptSums sums = { leaves, block, MIN (end, capacity), end };

            compare_spans (&sums, step_bytes, capacity);
          }
}

/* ---- runs ---- */

/* Rows of 384 KB, so that blocks of 1 MB begin and end within steps. */
#define FLOATS 98304

static void
write_steps (ReelReplayBuffer *buffer, gint64 n, GError **error)
{
  for (gint64 i = 0; i < n; i++)
    {
      ReelReservation block;
      gfloat *row;

      if (!reel_replay_buffer_reserve (buffer, 1, &block, error))
        return;
      row = (gfloat *) (gpointer) block.columns[0];
      for (gint k = 0; k < FLOATS; k++)
        row[k] = (gfloat) (block.first_step * 31 + k);
      reel_replay_buffer_commit (buffer, &block, 1);
    }
}

static ReelReplayBuffer *
create (const char *path, gint64 capacity)
{
  const gint64 shape[] = { FLOATS };
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) step = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensor) leaf = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, shape, &error);
  ReelReplayBuffer *buffer;

  g_assert_no_error (error);
  reel_tensordict_set_tensor (step, "leaf", leaf, &error);
  buffer = reel_replay_buffer_create_live (path, capacity, step, REEL_CHECKPOINT_FORCE, &error);
  g_assert_no_error (error);
  return buffer;
}

static void
close_buffer (ReelReplayBuffer *buffer)
{
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_close (buffer, &error);
  g_assert_no_error (error);
}

static void
make_run (const char *path, gint64 capacity, gint64 n)
{
  g_autoptr (ReelReplayBuffer) buffer = create (path, capacity);
  g_autoptr (GError) error = NULL;

  write_steps (buffer, n, &error);
  g_assert_no_error (error);
  close_buffer (buffer);
}

static ReelReplayBuffer *
try_resume (const char *path, gint64 capacity, GError **error)
{
  g_autofree char *rows = g_build_filename (path, "storage", NULL);
  g_autofree char *text =
      g_strdup_printf ("memmap:existsok=true,ndim=1,capacity=%" G_GINT64_FORMAT, capacity);
  g_autoptr (GError) failure = NULL;
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, text, &failure, "scratch-dir", rows, NULL);
  g_autoptr (ReelReplayBuffer) buffer =
      storage ? reel_replay_buffer_new (storage, NULL, NULL, 0, &failure) : NULL;

  g_assert_no_error (failure);
  return reel_replay_buffer_loads (buffer, path, error) ? g_steal_pointer (&buffer) : NULL;
}

static ReelReplayBuffer *
resume (const char *path, gint64 capacity)
{
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer = try_resume (path, capacity, &error);

  g_assert_no_error (error);
  return buffer;
}

static json_t *
read_sums (const char *path)
{
  g_autofree char *file = g_build_filename (path, "reel.json", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) root = reel_json_load_file (file, &error);

  g_assert_no_error (error);
  g_assert_null (json_object_get (root, "checksums_before"));
  return json_incref (json_object_get (root, "checksums"));
}

static gboolean
is_sound (const char *path, const char *what)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelCheckpointReport) report = reel_checkpoint_verify_files (path, &error);

  g_assert_no_error (error);
  if (report->faults->len == 0)
    return TRUE;
  g_assert_nonnull (strstr (((ReelCheckpointFault *) report->faults->pdata[0])->what, what));
  return FALSE;
}

/* The sums of a run that was resumed are those of one that was not stopped. */
static void
test_sums_of_a_run_that_was_not_stopped (void)
{
  const gint64 capacity = 9, ends[] = { 1, 3, 8, 9, 10, 13, 18 }, more[] = { 0, 1, 3, 6, 9, 11 };
  g_autofree char *path = scratch_path ("run"), *whole = scratch_path ("whole");

  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (more); k++)
      {
        g_autoptr (GError) error = NULL;
        g_autoptr (json_t) sums = NULL, expected = NULL;

        make_run (path, capacity, ends[i]);
        make_run (whole, capacity, ends[i] + more[k]);
        {
          g_autoptr (ReelReplayBuffer) buffer = resume (path, capacity);

          write_steps (buffer, more[k], &error);
          g_assert_no_error (error);
          close_buffer (buffer);
        }
        sums = read_sums (path);
        expected = read_sums (whole);
        json_object_del (sums, "files");
        json_object_del (expected, "files");
        g_assert_true (json_equal (sums, expected));
        g_assert_true (is_sound (path, ""));
      }
}

/* A process that resumes a run, writes @n steps, and is killed. */
static void
resume_and_die (const char *path, gint64 capacity, gint64 n)
{
  pid_t child = fork ();
  int status;

  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      write_steps (resume (path, capacity), n, NULL);
      raise (SIGKILL);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL);
}

static void
resume_and_close (const char *path, gint64 capacity)
{
  g_autoptr (ReelReplayBuffer) buffer = resume (path, capacity);

  close_buffer (buffer);
}

/* Rows of a run that was closed keep their sums over kills. */
static void
test_sums_outlast_kills (void)
{
  const gint64 capacity = 9, ends[] = { 3, 9, 13 }, more[] = { 1, 5, 8 };
  g_autofree char *path = scratch_path ("run"), *whole = scratch_path ("whole");

  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (more); k++)
      {
        g_autoptr (json_t) sums = NULL, expected = NULL;

        make_run (path, capacity, ends[i]);
        make_run (whole, capacity, ends[i] + 2 * more[k]);
        resume_and_die (path, capacity, more[k]);
        g_assert_true (is_sound (path, ""));
        resume_and_die (path, capacity, more[k]);
        resume_and_close (path, capacity);
        sums = read_sums (path);
        expected = read_sums (whole);
        g_assert_true (
            json_equal (json_object_get (sums, "leaves"), json_object_get (expected, "leaves")));
      }
}

/* ---- damage ---- */

static guint8
change_byte (const char *path, gsize at, gint by)
{
  g_autofree char *leaf = g_build_filename (path, "storage", "leaf.memmap", NULL);
  FILE *file = fopen (leaf, "r+b");
  int byte;

  g_assert_nonnull (file);
  g_assert_cmpint (fseek (file, (long) at, SEEK_SET), ==, 0);
  byte = fgetc (file);
  g_assert_cmpint (fseek (file, (long) at, SEEK_SET), ==, 0);
  fputc ((byte + by) & 255, file);
  g_assert_cmpint (fclose (file), ==, 0);
  return (guint8) byte;
}

/* A small run is refused before anything of it changes. */
static void
test_small_run_is_refused_at_once (void)
{
  g_autofree char *path = scratch_path ("run"), *json = scratch_path ("run/reel.json");
  g_autofree char *before = NULL, *after = NULL;
  const gsize places[] = { 0, MB - 1, MB, 3 * FLOATS * sizeof (gfloat) - 1 };

  make_run (path, 9, 3);
  g_assert_true (g_file_get_contents (json, &before, NULL, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autoptr (GError) error = NULL;

      change_byte (path, places[i], 1);
      g_assert_null (try_resume (path, 9, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
      g_assert_nonnull (strstr (error->message, "which is damaged: leaf: has changed"));
      change_byte (path, places[i], -1);
    }
  g_assert_true (g_file_get_contents (json, &after, NULL, NULL));
  g_assert_cmpstr (before, ==, after);
  g_object_unref (resume (path, 9));
}

#define LONG 60 /* steps: 22.5 MB, of which 16 MB are compared at once */
#define FAR ((gsize) 56 * FLOATS * sizeof (gfloat))

/* Its rows are compared while the run goes on. It is not closed, and the damage stays known. */
static void
test_damage_far_away_ends_the_run (void)
{
  g_autofree char *path = scratch_path ("run");

  make_run (path, LONG + 9, LONG);
  change_byte (path, FAR, 1);
  for (gint turn = 0; turn < 3; turn++)
    {
      g_autoptr (GError) error = NULL, failure = NULL;
      g_autoptr (ReelReplayBuffer) buffer = resume (path, LONG + 9);

      /* The first steps may be written before it is found. */
      write_steps (buffer, 2, &error);
      g_assert_true (error == NULL || g_error_matches (error, REEL_ERROR, REEL_ERROR_DAMAGED));
      g_assert_false (reel_replay_buffer_close (buffer, &failure));
      g_assert_error (failure, REEL_ERROR, REEL_ERROR_DAMAGED);
      g_assert_nonnull (strstr (failure->message, "which is damaged: leaf: has changed"));
      g_assert_false (is_sound (path, "has changed since it was written"));
    }
  change_byte (path, FAR, -1);
  resume_and_close (path, LONG + 9);
  g_assert_true (is_sound (path, ""));
}

/* A ring whose oldest steps are overwritten stops before the damaged ones. */
static void
test_damage_is_not_overwritten (void)
{
  g_autofree char *path = scratch_path ("run");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = NULL;
  guint8 damaged;

  make_run (path, LONG, LONG);
  damaged = (guint8) (change_byte (path, FAR, 1) + 1);
  buffer = resume (path, LONG);
  write_steps (buffer, LONG, &error);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_cmpuint (change_byte (path, FAR, 0), ==, damaged);
}

/* Without a thread: a block is compared before the step that overwrites its first byte, and not
 * earlier. */
static void
test_writer_waits_for_what_it_overwrites (void)
{
  g_autofree char *path = scratch_path ("run"), *json = scratch_path ("run/reel.json");
  const ReelCheckpointPlace place = { 0, LONG, LONG };
  gint64 slot = (gint64) (FAR / MB * MB / (FLOATS * sizeof (gfloat)));
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = NULL;
  g_autoptr (ReelSidecar) sidecar = NULL;
  g_autoptr (ReelResumedRows) rows = NULL;

  make_run (path, LONG, LONG);
  change_byte (path, FAR, 1);
  buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);
  sidecar = reel_sidecar_read (json, &error);
  g_assert_no_error (error);
  rows = reel_resumed_rows_new (path, sidecar, reel_replay_buffer_get_storage (buffer), &place,
                                &error);
  g_assert_no_error (error);
  for (gint64 n = 1; n <= slot; n++)
    g_assert_true (reel_resumed_rows_permit (rows, LONG + n, &error));
  g_assert_no_error (error);
  g_assert_false (reel_resumed_rows_permit (rows, LONG + slot + 1, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
}

static gboolean
set_first (ReelReplayBuffer *buffer, GError **error)
{
  g_auto (ReelIndex) index = { 0 };

  g_assert_true (reel_index_parse (&index, "[0]", NULL));
  return reel_replay_buffer_fill_at (buffer, &index, 7, error);
}

/* A change in place waits for all rows, which get new sums. */
static void
test_changes_in_place (void)
{
  g_autofree char *path = scratch_path ("run");
  g_autoptr (GError) error = NULL;

  make_run (path, LONG, LONG);
  {
    g_autoptr (ReelReplayBuffer) buffer = resume (path, LONG);

    g_assert_true (set_first (buffer, &error));
    g_assert_no_error (error);
    g_assert_true (is_sound (path, "")); /* while it is written */
    close_buffer (buffer);
  }
  g_assert_true (is_sound (path, ""));
  change_byte (path, FAR, 1);
  {
    g_autoptr (ReelReplayBuffer) buffer = resume (path, LONG);

    g_assert_false (set_first (buffer, &error));
    g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  }
}

/* Rows that are dropped are not compared. */
static void
test_emptied (void)
{
  g_autofree char *path = scratch_path ("run");
  g_autoptr (GError) error = NULL;

  make_run (path, LONG, LONG);
  change_byte (path, FAR, 1);
  {
    g_autoptr (ReelReplayBuffer) buffer = resume (path, LONG);

    g_assert_true (reel_replay_buffer_empty (buffer, TRUE, &error));
    write_steps (buffer, 5, &error);
    g_assert_no_error (error);
    close_buffer (buffer);
  }
  g_assert_true (is_sound (path, ""));
}

/* ---- pages ---- */

#define POPULATE_WRITE 23 /* MADV_POPULATE_WRITE */

static ReelFileOps ops;
static atomic_size_t first_populated;

static int
note_populated (void *address, size_t length, int advice)
{
  if (advice == POPULATE_WRITE && (gsize) address < atomic_load (&first_populated))
    atomic_store (&first_populated, (gsize) address);
  return madvise (address, length, advice);
}

/* Pages that are made ready for writing are dirty, and go to the disk again. */
static void
test_pages_of_rows_stay_clean (void)
{
  g_autofree char *path = scratch_path ("run");
  g_autoptr (GError) error = NULL;
  gsize first_row;

  make_run (path, 40, 20);
  ops = *reel_file_ops_system ();
  ops.madvise = note_populated;
  atomic_store (&first_populated, G_MAXSIZE);
  reel_file_ops_set (&ops);
  {
    g_autoptr (ReelReplayBuffer) buffer = resume (path, 40);
    guint n;

    first_row =
        (gsize) reel_storage_get_columns (reel_replay_buffer_get_storage (buffer), &n)->data;
    write_steps (buffer, 1, &error);
    g_assert_no_error (error);
    close_buffer (buffer);
  }
  reel_file_ops_set (NULL);
  g_assert_cmpuint (atomic_load (&first_populated), >, first_row + 19 * FLOATS * sizeof (gfloat));
  g_assert_cmpuint (atomic_load (&first_populated), <=, first_row + 20 * FLOATS * sizeof (gfloat));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

#define TEST(name, function) scratch_test ("/buffers/resumed-rows/" name, function)
  TEST ("as-an-oracle-says", test_as_an_oracle_says);
  TEST ("sums-of-a-run-that-was-not-stopped", test_sums_of_a_run_that_was_not_stopped);
  TEST ("sums-outlast-kills", test_sums_outlast_kills);
  TEST ("small-run-is-refused-at-once", test_small_run_is_refused_at_once);
  TEST ("damage-far-away-ends-the-run", test_damage_far_away_ends_the_run);
  TEST ("damage-is-not-overwritten", test_damage_is_not_overwritten);
  TEST ("writer-waits-for-what-it-overwrites", test_writer_waits_for_what_it_overwrites);
  TEST ("changes-in-place", test_changes_in_place);
  TEST ("emptied", test_emptied);
  TEST ("pages-of-rows-stay-clean", test_pages_of_rows_stay_clean);

  return g_test_run ();
}
