/* Storage, sampler and writer, each in a directory of its own. */
#include "../src/core/system/directories.h"
#include "../src/reel.h"
#include "counted-rows.h"
#include "file-faults.h"
#include "golden-buffer.h"
#include "sampler-state.h"
#include "scratch.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

static ReelStorage *
storage_of (ReelReplayBuffer *buffer)
{
  return reel_replay_buffer_get_storage (buffer);
}

/* An empty buffer of parts as those of @like. */
static ReelReplayBuffer *
new_like (ReelReplayBuffer *like, const char *kind)
{
  g_autofree char *storage_text = g_strdup_printf ("%s:capacity=%" G_GINT64_FORMAT ",ndim=%d", kind,
                                                   reel_replay_buffer_get_capacity (like),
                                                   reel_storage_get_ndim (storage_of (like)));
  g_autofree char *sampler_text =
      reel_object_to_text (REEL_OBJECT (reel_replay_buffer_get_sampler (like)));
  g_autofree char *writer_text =
      reel_object_to_text (REEL_OBJECT (reel_replay_buffer_get_writer (like)));
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, storage_text, NULL, NULL);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, sampler_text, NULL, NULL);
  g_autoptr (ReelWriter) writer =
      reel_object_new_from_text (REEL_TYPE_WRITER, writer_text, NULL, NULL);

  return reel_replay_buffer_new (storage, sampler, writer, reel_replay_buffer_get_batch_size (like),
                                 NULL);
}

static void
load_parts (ReelReplayBuffer *buffer, const char *path)
{
  g_autofree char *storage = g_build_filename (path, "storage", NULL);
  g_autofree char *sampler = g_build_filename (path, "sampler", NULL);
  g_autofree char *writer = g_build_filename (path, "writer", NULL);
  g_autoptr (GError) error = NULL;

  reel_storage_loads (storage_of (buffer), NULL, storage, NULL, &error);
  g_assert_no_error (error);
  reel_writer_loads (reel_replay_buffer_get_writer (buffer), storage_of (buffer), writer, &error);
  g_assert_no_error (error);
  reel_sampler_loads (reel_replay_buffer_get_sampler (buffer), storage_of (buffer), sampler,
                      &error);
  g_assert_no_error (error);
}

static gboolean
dump_parts (ReelReplayBuffer *buffer, const char *path, ReelCheckpointFlags flags, GError **error)
{
  g_autofree char *storage = g_build_filename (path, "storage", NULL);
  g_autofree char *sampler = g_build_filename (path, "sampler", NULL);
  g_autofree char *writer = g_build_filename (path, "writer", NULL);

  return reel_storage_dumps (storage_of (buffer), NULL, storage, flags, NULL, error)
         && reel_sampler_dumps (reel_replay_buffer_get_sampler (buffer), storage_of (buffer),
                                sampler, flags, error)
         && reel_writer_dumps (reel_replay_buffer_get_writer (buffer), storage_of (buffer), writer,
                               flags, error);
}

static void
assert_same_state (ReelReplayBuffer *a, ReelReplayBuffer *b)
{
  g_autoptr (ReelTensordict) one = sampler_state_get (a), other = sampler_state_get (b);

  if (reel_tensordict_contains (one, "_stream"))
    g_assert_true (reel_tensordict_remove (one, "_stream", NULL)
                   && reel_tensordict_remove (other, "_stream", NULL));
  g_assert_true (reel_tensordict_equal (one, other));
}

/* Rows may have other numbers, but the oldest is in the same slot. */
static void
assert_same_rows (ReelReplayBuffer *a, ReelReplayBuffer *b)
{
  g_autoptr (ReelTensordict) one = reel_replay_buffer_get_all (a, NULL);
  g_autoptr (ReelTensordict) other = reel_replay_buffer_get_all (b, NULL);
  ReelRingInfo left, right;

  g_assert_true (reel_tensordict_equal (one, other));
  g_assert_true (reel_replay_buffer_get_ring (a, &left, NULL));
  g_assert_true (reel_replay_buffer_get_ring (b, &right, NULL));
  g_assert_cmpint (left.begin % left.capacity, ==, right.begin % right.capacity);
  g_assert_cmpint (left.end - left.begin, ==, right.end - right.begin);
  g_assert_cmpint (reel_replay_buffer_get_cursor (a), ==, reel_replay_buffer_get_cursor (b));
  g_assert_cmpint (reel_replay_buffer_get_write_count (a), ==,
                   reel_replay_buffer_get_write_count (b));
}

/* ---- what TorchRL wrote ---- */

/* T10-1: the parts of a checkpoint are what `dumps` of each wrote. */
static void
test_golden_parts (gconstpointer name)
{
  static const char *const kinds[] = { "tensor", "memmap" };
  g_autoptr (json_t) expect = golden_expect (name);
  g_autofree char *dump = golden_copy (name);
  g_autofree char *metadata = g_build_filename (dump, "buffer_metadata.json", NULL);
  g_autoptr (ReelReplayBuffer) opened = reel_replay_buffer_open (dump, REEL_OPEN_READ_ONLY, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *path = scratch_path (kinds[i]);
      g_autoptr (ReelReplayBuffer) whole = new_like (opened, kinds[i]);
      g_autoptr (ReelReplayBuffer) parts = new_like (opened, kinds[i]);
      g_autoptr (GError) error = NULL;

      g_assert_true (reel_replay_buffer_loads (whole, dump, &error));
      g_assert_no_error (error);
      load_parts (parts, dump);
      assert_same_rows (whole, parts);
      assert_same_state (whole, parts);
      g_assert_cmpint (g_mkdir (path, 0777), ==, 0);
      dump_parts (parts, path, REEL_CHECKPOINT_DEFAULT, &error);
      g_assert_no_error (error);
      g_remove (metadata);
      golden_assert_same_files (dump, path, golden_rows (expect), golden_steps (expect));
      scratch_put (metadata, "{\"batch_size\": null}");
    }
}

/* Rows of any form that has columns. */
static void
test_golden_forms (gconstpointer name)
{
  g_autofree char *dump = golden_copy (name), *path = scratch_path ("again");
  g_autofree char *form = reel_checkpoint_read_form (dump, NULL);
  g_autoptr (ReelCheckpointer) checkpointer =
      reel_object_new_from_text (REEL_TYPE_CHECKPOINTER, form, NULL, NULL);
  g_autoptr (ReelReplayBuffer) opened = reel_replay_buffer_open (dump, REEL_OPEN_READ_ONLY, NULL);
  g_autoptr (ReelReplayBuffer) loaded = new_like (opened, "tensor");
  g_autoptr (ReelReplayBuffer) again = new_like (opened, "tensor");
  g_autoptr (ReelTensordict) one = NULL, other = NULL;
  g_auto (GStrv) warnings = NULL;
  g_autoptr (GError) error = NULL;

  load_parts (loaded, dump);
  reel_storage_dumps (storage_of (loaded), checkpointer, path, 0, &warnings, &error);
  g_assert_no_error (error);
  g_assert_nonnull (warnings);
  reel_storage_loads (storage_of (again), NULL, path, NULL, &error);
  g_assert_no_error (error);
  one = reel_replay_buffer_get_all (loaded, NULL);
  other = reel_replay_buffer_get_all (again, NULL);
  g_assert_true (reel_tensordict_equal (one, other));
}

static void
test_compressed_list (void)
{
  g_autofree char *dump = golden_dump ("rb-compressed");
  g_autofree char *from = g_build_filename (dump, "storage", NULL), *path = scratch_path ("again");
  g_autoptr (ReelReplayBuffer) loaded = counted_new_buffer ("compressed-list", 20, 1);
  g_autoptr (ReelReplayBuffer) again = counted_new_buffer ("compressed-list", 20, 1);
  g_autoptr (GError) error = NULL;

  reel_storage_loads (storage_of (loaded), NULL, from, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (reel_replay_buffer_get_length (loaded), >, 0);
  reel_storage_dumps (storage_of (loaded), NULL, path, 0, NULL, &error);
  g_assert_no_error (error);
  reel_storage_loads (storage_of (again), NULL, path, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (reel_replay_buffer_get_length (loaded), ==,
                   reel_replay_buffer_get_length (again));
}

/* ---- every size ---- */

/* An immutable writer keeps no cursor: a full storage begins at slot 0. */

static const char *const samplers[] = { "random", "prioritized:max-capacity=99,alpha=0.7,beta=0.5",
                                        "without-replacement", "consuming:max-sample-count=9" };
static const char *const writers[] = { "round-robin", "round-robin:track-generations=true",
                                       "immutable" };

static ReelReplayBuffer *
new_counted (const char *storage_text, const char *sampler_text, const char *writer_text)
{
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, storage_text, NULL, NULL);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, sampler_text, NULL, NULL);
  g_autoptr (ReelWriter) writer =
      reel_object_new_from_text (REEL_TYPE_WRITER, writer_text, NULL, NULL);

  return reel_replay_buffer_new (storage, sampler, writer, 2, NULL);
}

static void
write_again (ReelReplayBuffer *buffer, gint64 first)
{
  if (reel_writer_may_write (reel_replay_buffer_get_writer (buffer), NULL))
    counted_extend (buffer, 1, 1, first);
}

static void
check_size (const char *sampler, const char *writer, gint64 capacity, gint64 n)
{
  g_autofree char *storage = g_strdup_printf ("tensor:capacity=%" G_GINT64_FORMAT, capacity);
  g_autofree char *path = scratch_path ("parts"), *other_path = scratch_path ("whole");
  g_autofree char *metadata = g_build_filename (other_path, "buffer_metadata.json", NULL);
  g_autoptr (ReelReplayBuffer) from = new_counted (storage, sampler, "round-robin");
  g_autoptr (ReelReplayBuffer) whole = new_counted (storage, sampler, writer);
  g_autoptr (ReelReplayBuffer) parts = new_counted (storage, sampler, writer);
  g_autoptr (ReelWriter) kind = reel_object_new_from_text (REEL_TYPE_WRITER, writer, NULL, NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  if (!g_str_equal (writer, "immutable"))
    g_assert_true (reel_replay_buffer_set_writer (from, kind, NULL, NULL));
  for (gint64 i = 0; i < n; i++)
    counted_extend (from, 1, 1, i);
  if (g_str_equal (writer, "immutable"))
    g_assert_true (reel_replay_buffer_set_writer (from, kind, NULL, NULL));
  g_assert_true (reel_replay_buffer_sample (from, 2, &batch, NULL));
  g_mkdir (path, 0777);
  dump_parts (from, path, REEL_CHECKPOINT_FORCE, &error);
  g_assert_no_error (error);
  g_assert_true (reel_replay_buffer_dumps (from, other_path, REEL_CHECKPOINT_FORCE, NULL));
  g_assert_true (reel_replay_buffer_loads (whole, other_path, NULL));
  g_remove (metadata);
  golden_assert_same_files (other_path, path, MIN (n, capacity), capacity);
  load_parts (parts, path);
  assert_same_state (whole, parts);
  for (gint64 i = 0; i < 3; i++)
    {
      assert_same_rows (whole, parts);
      write_again (whole, n + i);
      write_again (parts, n + i);
      assert_same_state (whole, parts);
    }
  g_assert_true (reel_directory_remove (path, NULL));
}

static void
test_every_size (void)
{
  for (gsize s = 0; s < G_N_ELEMENTS (samplers); s++)
    for (gsize w = 0; w < G_N_ELEMENTS (writers); w++)
      for (gint64 capacity = 1; capacity < 4; capacity++)
        for (gint64 n = 1; n < (w == 2 ? capacity + 1 : 2 * capacity + 2); n++)
          if (!(strstr (samplers[s], "consuming") && (strchr (writers[w], ':') || w == 2)))
            check_size (samplers[s], writers[w], capacity, n);
}

/* The memory of a storage may be the files themselves. */
static void
test_own_directory (void)
{
  g_autofree char *path = scratch_path ("own");
  g_autoptr (GError) error = NULL;

  for (gint64 round = 1; round < 6; round++)
    {
      g_autoptr (ReelStorage) storage = reel_object_new_from_text (
          REEL_TYPE_STORAGE, "memmap:capacity=4", NULL, "scratch-dir", path, NULL);
      g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);

      if (round > 1)
        reel_storage_loads (storage, NULL, path, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpint (reel_storage_get_length (storage), ==, MIN (round - 1, 4));
      counted_extend (buffer, 1, 1, round - 1);
      reel_storage_dumps (storage, NULL, path, 0, NULL, &error);
      g_assert_no_error (error);
    }
}

/* ---- what is refused ---- */

static void
assert_refused (gboolean done, GError **error, gint code, const char *words)
{
  g_assert_false (done);
  g_assert_error (*error, REEL_ERROR, code);
  if (!strstr ((*error)->message, words))
    g_error ("\"%s\" lacks \"%s\"", (*error)->message, words);
  g_clear_error (error);
}

static void
test_misfits_are_refused (void)
{
  g_autofree char *path = scratch_path ("parts"), *missing = scratch_path ("missing");
  g_autofree char *storage = g_build_filename (path, "storage", NULL);
  g_autofree char *sampler = g_build_filename (path, "sampler", NULL);
  g_autofree char *writer = g_build_filename (path, "writer", NULL);
  g_autoptr (ReelReplayBuffer) from = new_counted ("tensor:capacity=4", samplers[1], "round-robin");
  g_autoptr (ReelReplayBuffer) to =
      new_counted ("tensor:capacity=4", "without-replacement", "round-robin");
  ReelSampler *to_sampler = reel_replay_buffer_get_sampler (to);
  ReelWriter *to_writer = reel_replay_buffer_get_writer (to);
  g_autoptr (GError) error = NULL;

  g_mkdir (path, 0777);
  assert_refused (reel_storage_dumps (storage_of (from), NULL, storage, 0, NULL, &error), &error,
                  REEL_ERROR_RUNTIME, "non-initialized");
  assert_refused (reel_sampler_dumps (reel_replay_buffer_get_sampler (from), storage_of (from),
                                      sampler, 0, &error),
                  &error, REEL_ERROR_RUNTIME, "no rows yet");
  counted_extend (from, 1, 3, 0);
  g_assert_true (dump_parts (from, path, 0, NULL));
  assert_refused (dump_parts (from, path, 0, &error), &error, REEL_ERROR_RUNTIME,
                  "REEL_CHECKPOINT_FORCE");
  assert_refused (reel_writer_loads (to_writer, storage_of (to), writer, &error), &error,
                  REEL_ERROR_VALUE, "load the storage first");
  assert_refused (reel_sampler_loads (to_sampler, storage_of (to), sampler, &error), &error,
                  REEL_ERROR_VALUE, "priorities (PrioritizedSampler), a without-replacement");
  assert_refused (reel_sampler_loads (to_sampler, storage_of (to), missing, &error), &error,
                  REEL_ERROR_IO, "no such directory");
  assert_refused (reel_storage_loads (storage_of (to), NULL, sampler, NULL, &error), &error,
                  REEL_ERROR_DAMAGED, "is not a storage");
  g_assert_cmpint (reel_replay_buffer_get_length (to), ==, 0);
}

/* Nothing but a part alone is replaced. */
static void
test_force_replaces_parts_alone (void)
{
  g_autofree char *path = scratch_path ("parts"), *run = scratch_path ("run");
  g_autofree char *storage = g_build_filename (path, "storage", NULL);
  g_autofree char *inside = g_build_filename (run, "storage", NULL);
  g_autofree char *note = g_build_filename (storage, "note.txt", NULL);
  g_autoptr (ReelReplayBuffer) from = new_counted ("tensor:capacity=4", "random", "round-robin");
  g_autofree char *before = NULL, *after = NULL;
  g_autoptr (GError) error = NULL;

  counted_extend (from, 1, 3, 0);
  g_mkdir (path, 0777);
  g_assert_true (dump_parts (from, path, 0, NULL));
  counted_extend (from, 1, 3, 3);
  g_assert_true (dump_parts (from, path, REEL_CHECKPOINT_FORCE, NULL));
  scratch_put (note, "mine");
  assert_refused (
      reel_storage_dumps (storage_of (from), NULL, storage, REEL_CHECKPOINT_FORCE, NULL, &error),
      &error, REEL_ERROR_RUNTIME, "note.txt");
  g_assert_true (reel_replay_buffer_dumps (from, run, 0, NULL));
  before = tree_digest (run);
  assert_refused (
      reel_storage_dumps (storage_of (from), NULL, inside, REEL_CHECKPOINT_FORCE, NULL, &error),
      &error, REEL_ERROR_RUNTIME, "is a checkpoint");
  after = tree_digest (run);
  g_assert_cmpstr (before, ==, after);
}

/* Others follow the rows of a live buffer. */
static void
test_live_buffers_are_refused (void)
{
  g_autofree char *path = scratch_path ("parts"), *run = scratch_path ("run");
  g_autofree char *storage = g_build_filename (path, "storage", NULL);
  g_autofree char *writer = g_build_filename (path, "writer", NULL);
  g_autoptr (ReelReplayBuffer) from = new_counted ("tensor:capacity=4", "random", "round-robin");
  g_autoptr (ReelTensordict) step = NULL;
  g_autoptr (ReelReplayBuffer) live = NULL, opened = NULL;
  g_autoptr (GError) error = NULL;

  counted_extend (from, 1, 6, 0);
  g_mkdir (path, 0777);
  g_assert_true (dump_parts (from, path, 0, NULL));
  step = reel_tensordict_select_index (reel_storage_get_data (storage_of (from)), 0, 0, NULL);
  live = reel_replay_buffer_create_live (run, 4, step, 0, NULL);
  counted_extend (live, 1, 4, 0);
  assert_refused (reel_storage_loads (storage_of (live), NULL, storage, NULL, &error), &error,
                  REEL_ERROR_RUNTIME, "live buffer");
  assert_refused (
      reel_writer_loads (reel_replay_buffer_get_writer (live), storage_of (live), writer, &error),
      &error, REEL_ERROR_RUNTIME, "live buffer");
  opened = reel_replay_buffer_open (run, REEL_OPEN_READ_ONLY, NULL);
  assert_refused (reel_storage_loads (storage_of (opened), NULL, storage, NULL, &error), &error,
                  REEL_ERROR_RUNTIME, "nothing can be written");
}

/* ---- faults ---- */

/* After any failure a path holds the old part or the new one. */
static void
check_fault (const char *call, int code, gboolean onward, gint64 n, gboolean *struck)
{
  g_autofree char *path = scratch_path ("parts");
  g_autoptr (ReelReplayBuffer) old =
      new_counted ("tensor:capacity=4", "without-replacement", "round-robin");
  g_autoptr (ReelReplayBuffer) from =
      new_counted ("tensor:capacity=4", "without-replacement", "round-robin");
  g_autoptr (ReelReplayBuffer) loaded =
      new_counted ("tensor:capacity=4", "without-replacement", "round-robin");
  g_autofree char *storage = g_build_filename (path, "storage", NULL);
  g_autoptr (GError) error = NULL;
  gboolean done;
  gint64 length;

  counted_extend (old, 1, 2, 0);
  counted_extend (from, 1, 3, 100);
  g_mkdir (path, 0777);
  g_assert_true (dump_parts (old, path, REEL_CHECKPOINT_FORCE, NULL));
  file_faults_begin ();
  file_faults_fail (call, n, code, onward);
  done = dump_parts (from, path, REEL_CHECKPOINT_FORCE, &error);
  *struck = file_faults_struck ();
  file_faults_end ();
  g_assert_true (done == (error == NULL));
  reel_storage_loads (storage_of (loaded), NULL, storage, NULL, NULL);
  length = reel_replay_buffer_get_length (loaded);
  g_assert_true (length == 3 || (length == 2 && !done));
  if (length == 3 && done)
    load_parts (loaded, path);
  g_assert_true (reel_directory_remove (path, NULL));
}

static void
test_faults (void)
{
  for (gint onward = 0; onward < 2; onward++)
    {
      gboolean struck = TRUE;

      for (gint64 n = 1; struck; n++)
        check_fault (NULL, onward ? EIO : ENOSPC, onward, n, &struck);
    }
}

/* A load that fails changes nothing. */
static void
test_load_faults (void)
{
  g_autofree char *path = scratch_path ("parts");
  g_autofree char *storage = g_build_filename (path, "storage", NULL);
  g_autoptr (ReelReplayBuffer) from = new_counted ("tensor:capacity=4", "random", "round-robin");
  gboolean struck = TRUE;

  counted_extend (from, 1, 6, 0);
  g_mkdir (path, 0777);
  g_assert_true (dump_parts (from, path, 0, NULL));
  for (gint64 n = 1; struck; n++)
    {
      g_autoptr (ReelReplayBuffer) to = new_counted ("tensor:capacity=4", "random", "round-robin");
      gboolean done;

      counted_extend (to, 1, 2, 50);
      file_faults_begin ();
      file_faults_fail (NULL, n, EIO, FALSE);
      done = reel_storage_loads (storage_of (to), NULL, storage, NULL, NULL);
      struck = file_faults_struck ();
      file_faults_end ();
      g_assert_cmpint (reel_replay_buffer_get_length (to), ==, done ? 4 : 2);
      if (!done)
        g_assert_cmpint (reel_replay_buffer_get_cursor (to), ==, 2);
    }
}

/* ---- */

static void
add_golden (const char *name)
{
  static const char *const not_told[] = { "rb-max-reduced", "rb-per-f64", "rb-per-short-capacity",
                                          "rb-strings",     "rb-pslice",  NULL };
  g_autofree char *parts = g_strconcat ("/buffers/part-files/golden/", name, NULL);
  g_autofree char *forms = g_strconcat ("/buffers/part-files/form/", name, NULL);
  g_autoptr (json_t) expect = golden_expect (name);
  const char *checkpointer = golden_checkpointer (expect);

  if (!checkpointer || g_strv_contains (not_told, name))
    return;
  if (g_str_equal (checkpointer, "TensorStorageCheckpointer"))
    scratch_test_with_data (parts, test_golden_parts, name);
  else
    scratch_test_with_data (forms, test_golden_forms, name);
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) names = NULL;

  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

  names = golden_list ();
  for (guint i = 0; i < names->len; i++)
    add_golden (names->pdata[i]);
#define TEST(name, function) scratch_test ("/buffers/part-files/" name, function)
  TEST ("compressed-list", test_compressed_list);
  TEST ("every-size", test_every_size);
  TEST ("own-directory", test_own_directory);
  TEST ("misfits-are-refused", test_misfits_are_refused);
  TEST ("force-replaces-parts-alone", test_force_replaces_parts_alone);
  TEST ("live-buffers-are-refused", test_live_buffers_are_refused);
  TEST ("faults", test_faults);
  TEST ("load-faults", test_load_faults);

  return g_test_run ();
}
