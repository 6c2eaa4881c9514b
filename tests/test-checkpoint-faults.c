/* A failure while a checkpoint is written or read leaves the old one whole. */
#include "../src/core/system/directories.h"
#include "../src/reel.h"
#include "counted-rows.h"
#include "file-faults.h"
#include "golden-buffer.h"
#include "sampler-state.h"
#include "scratch.h"

#include <errno.h>
#include <glib/gstdio.h>

/* Every part has a state in files. */
static ReelReplayBuffer *
new_buffer (void)
{
  return sampler_state_new_buffer ("tensor:capacity=4", "without-replacement", 0);
}

/* The nth call of one kind, or of any. */
typedef struct
{
  const char *call;
  int error; /* 0: it moves half of its bytes */
  gboolean onward;
  gboolean harmless;
} Fault;

static const Fault faults[] = {
  { NULL, EIO, FALSE, FALSE },
  { NULL, ENOSPC, FALSE, FALSE },
  { NULL, EIO, TRUE, FALSE }, /* as after a kill */
  { NULL, 0, FALSE, TRUE },
  { "openat", EINTR, FALSE, TRUE },
  { "write", EINTR, FALSE, TRUE },
  { "pwrite", EINTR, FALSE, TRUE },
  { "fallocate", EINTR, FALSE, TRUE },
  { "fsync", EINTR, FALSE, TRUE },
  { "fdatasync", EINTR, FALSE, TRUE },
};

static void
plan (const Fault *fault, gint64 n)
{
  if (fault->error == 0)
    file_faults_shorten (n);
  else
    file_faults_fail (fault->call, n, fault->error, fault->onward);
}

static const Fault load_faults[] = {
  { NULL, EIO, FALSE, FALSE },       { NULL, ENOSPC, FALSE, FALSE },
  { NULL, EIO, TRUE, FALSE },        { NULL, 0, FALSE, TRUE },
  { "openat", EINTR, FALSE, TRUE },  { "read", EINTR, FALSE, TRUE },
  { "fstatat", EINTR, FALSE, TRUE },
};

/* After any failure the path holds the old checkpoint or the new one, and opens. */
static void
check_dump_fault (ReelReplayBuffer *from, const char *path, const Fault *fault, gint64 n,
                  gboolean *struck)
{
  g_autofree char *old = tree_digest (path), *now = NULL;
  g_autoptr (ReelReplayBuffer) opened = NULL;
  g_autoptr (GError) error = NULL;
  gboolean done;

  file_faults_begin ();
  plan (fault, n);
  done = reel_replay_buffer_dumps (from, path, REEL_CHECKPOINT_FORCE, &error);
  *struck = file_faults_struck ();
  file_faults_end ();
  g_assert_true (done == (error == NULL));
  if (fault->harmless)
    g_assert_no_error (error);
  now = tree_digest (path);
  /* A replaced checkpoint can be left beside if it cannot be removed; a failed dump leaves nothing.
   */
  remove_leftovers (done || fault->onward);
  if (!done && g_str_equal (now, old))
    return;
  opened = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL);
  g_assert_nonnull (opened);
  g_assert_true (reel_replay_buffer_get_length (opened) == reel_replay_buffer_get_length (from));
}

static void
test_dumps_survives_any_fault (void)
{
  g_autofree char *path = scratch_path ("dump");
  gint64 n_cases = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      gboolean struck = TRUE;
      gint64 n;

      for (n = 1; struck; n++)
        {
          g_autoptr (ReelReplayBuffer) old = new_buffer ();
          g_autoptr (ReelReplayBuffer) from = new_buffer ();

          counted_extend (old, 1, 2, 0);
          counted_extend (from, 1, 3, 100);
          g_assert_true (reel_replay_buffer_dumps (old, path, REEL_CHECKPOINT_FORCE, NULL));
          check_dump_fault (from, path, &faults[i], n, &struck);
        }
      g_assert_cmpint (n, >, faults[i].call || faults[i].error == 0 ? 1 : 100);
      n_cases += n;
    }
  g_test_message ("%" G_GINT64_FORMAT " faults", n_cases);
}

/* A storage whose files the checkpoint is made of. */
static ReelReplayBuffer *
new_buffer_at_home (const char *home, const char *sampler_text)
{
  g_autofree char *leaves = g_build_filename (home, "storage", NULL);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (
      REEL_TYPE_STORAGE, "memmap:capacity=4", NULL, "scratch-dir", leaves, NULL);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, sampler_text, NULL, NULL);

  g_mkdir (home, 0777);
  return reel_replay_buffer_new (storage, sampler, NULL, 2, NULL);
}

static void
change_state (ReelReplayBuffer *buffer, double priority)
{
  g_autoptr (ReelTensordict) batch = NULL;

  g_assert_true (reel_replay_buffer_sample (buffer, 0, &batch, NULL));
  g_assert_true (reel_sampler_update_priority (reel_replay_buffer_get_sampler (buffer),
                                               reel_replay_buffer_get_storage (buffer),
                                               &(gint64){ 1 }, 1, &priority, NULL));
}

/* The state of a sampler is that of one moment, for any files beside it; 0 for the earlier,
 * 1 for the later, −1 where the fault did not strike. */
static gint
check_kill (const char *sampler, gint64 n)
{
  g_autofree char *home = scratch_path ("home"), *path = scratch_path ("home/sampler");
  g_autoptr (ReelReplayBuffer) buffer = new_buffer_at_home (home, sampler);
  g_autofree char *old = NULL, *now = NULL, *new = NULL;
  gboolean struck;

  counted_extend (buffer, 1, 4, 0);
  change_state (buffer, 2);
  g_assert_true (reel_replay_buffer_dumps (buffer, home, 0, NULL));
  old = tree_digest (path);
  change_state (buffer, 3);
  file_faults_begin ();
  file_faults_fail (NULL, n, EIO, TRUE);
  reel_replay_buffer_dumps (buffer, home, 0, NULL);
  struck = file_faults_struck ();
  file_faults_end ();
  now = tree_digest (path);
  g_assert_true (reel_replay_buffer_dumps (buffer, home, 0, NULL));
  new = tree_digest (path);
  g_assert_cmpstr (old, !=, new);
  g_assert_true (g_str_equal (now, old) || g_str_equal (now, new));
  g_clear_object (&buffer);
  g_assert_true (reel_directory_remove (home, NULL));
  return struck ? g_str_equal (now, new) : -1;
}

static void
test_sampler_is_replaced_whole (gconstpointer sampler)
{
  gint64 n_were[2] = { 0 };

  for (gint64 n = 1, was; (was = check_kill (sampler, n)) >= 0; n++)
    n_were[was]++;
  g_test_message ("%" G_GINT64_FORMAT " kills before, %" G_GINT64_FORMAT " after", n_were[0],
                  n_were[1]);
  g_assert_cmpint (n_were[0], >, 10);
  g_assert_cmpint (n_were[1], >, 10);
}

/* Whether the fault came to pass. */
static gboolean
check_load_fault (ReelReplayBuffer *from, const char *path, const Fault *fault, gint64 n)
{
  g_autoptr (ReelReplayBuffer) to = new_buffer ();
  g_autoptr (GError) error = NULL;
  gboolean done, struck;

  file_faults_begin ();
  plan (fault, n);
  done = reel_replay_buffer_loads (to, path, &error);
  struck = file_faults_struck ();
  file_faults_end ();
  g_assert_true (done == (error == NULL));
  if (fault->harmless)
    g_assert_no_error (error);
  if (!done)
    {
      g_assert_false (reel_storage_is_allocated (reel_replay_buffer_get_storage (to)));
      g_assert_true (reel_replay_buffer_loads (to, path, NULL));
    }
  assert_equal_buffers (from, to);
  return struck;
}

static void
test_loads_fails_whole (void)
{
  g_autoptr (ReelReplayBuffer) from = new_buffer ();
  g_autofree char *path = scratch_path ("dump");
  gint64 n_cases = 0;

  counted_extend (from, 1, 3, 0);
  g_assert_true (reel_replay_buffer_dumps (from, path, 0, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (load_faults); i++)
    for (gint64 n = 1; check_load_fault (from, path, &load_faults[i], n); n++)
      n_cases++;
  g_test_message ("%" G_GINT64_FORMAT " faults", n_cases);
  g_assert_cmpint (n_cases, >, 100);
}

static void
test_batches_are_all_there_or_none (void)
{
  g_autoptr (ReelReplayBuffer) from = counted_new_buffer ("tensor", 4, 1);
  g_autofree char *path = scratch_path ("batches");
  gboolean struck = TRUE;

  counted_extend (from, 1, 3, 0);
  for (gint64 n = 1; struck; n++)
    {
      g_autoptr (GError) error = NULL;
      gint64 n_rows;
      gboolean done;

      file_faults_begin ();
      file_faults_fail (NULL, n, n % 2 ? EIO : ENOSPC, FALSE);
      done = reel_replay_buffer_save_batches (from, 3, 2, path, &n_rows, &error);
      struck = file_faults_struck ();
      file_faults_end ();
      g_assert_true (done == (error == NULL));
      if (!done)
        {
          remove_leftovers (FALSE);
          scratch_assert_names (scratch_directory, "");
          continue;
        }
      g_assert_cmpint (n_rows, ==, 6);
      scratch_assert_names (scratch_directory, "batches");
      scratch_assert_names (path, "0 1");
      g_assert_true (reel_directory_remove (path, NULL));
    }
}

/* Of a source of so many batches. */
typedef struct
{
  ReelReplayBuffer *buffer;
  gint64 n_left;
} Source;

static gboolean
draw_while_there_are (gpointer data, gint64 batch_size, ReelTensordict **batch, GError **error)
{
  Source *source = data;

  if (source->n_left-- > 0)
    return reel_replay_buffer_sample (source->buffer, batch_size, batch, error);
  g_clear_pointer (batch, reel_tensordict_unref);
  return TRUE;
}

static void
test_batches_end_where_there_are_no_more (void)
{
  g_autoptr (ReelReplayBuffer) from = counted_new_buffer ("tensor", 4, 1);
  g_autofree char *path = scratch_path ("batches");

  counted_extend (from, 1, 3, 0);
  for (gint64 there = 3; there >= 0; there--)
    {
      Source source = { from, there };
      gint64 n = 5, n_rows;

      g_assert_true (reel_batches_save (draw_while_there_are, &source, 2, &n, path, &n_rows, NULL));
      g_assert_cmpint (n, ==, there);
      g_assert_cmpint (n_rows, ==, 2 * there);
      scratch_assert_names (scratch_directory, there > 0 ? "batches" : "");
      if (there > 0)
        scratch_assert_names (path, there == 3 ? "0 1 2" : there == 2 ? "0 1" : "0");
      g_assert_true (reel_directory_remove (path, NULL));
    }
}

/* None were wanted, and none stand there. */
static void
test_no_batches (void)
{
  g_autoptr (ReelReplayBuffer) from = counted_new_buffer ("tensor", 4, 1);
  g_autofree char *path = scratch_path ("batches");
  gint64 n_rows = -1;

  g_assert_true (reel_replay_buffer_save_batches (from, 3, 0, path, &n_rows, NULL));
  g_assert_cmpint (n_rows, ==, 0);
  scratch_assert_names (scratch_directory, "batches");
  scratch_assert_names (path, "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

#define TEST(name, function) scratch_test ("/buffers/checkpoint/" name, function)
  TEST ("dumps-survives-any-fault", test_dumps_survives_any_fault);
  scratch_test_with_data ("/buffers/checkpoint-faults/sampler-is-replaced-whole/prioritized",
                          test_sampler_is_replaced_whole, "prioritized");
  scratch_test_with_data (
      "/buffers/checkpoint-faults/sampler-is-replaced-whole/without-replacement",
      test_sampler_is_replaced_whole, "without-replacement");
  TEST ("loads-fails-whole", test_loads_fails_whole);
  TEST ("batches-are-all-there-or-none", test_batches_are_all_there_or_none);
  TEST ("batches-end-where-there-are-no-more", test_batches_end_where_there_are_no_more);
  TEST ("no-batches", test_no_batches);

  return g_test_run ();
}
