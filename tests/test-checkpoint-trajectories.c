/* Checkpoints of trajectories in files: flat, nested and in HDF5, those of TorchRL, and what fails.
 */
#include "../src/core/system/directories.h"
#include "../src/reel.h"
#include "file-faults.h"
#include "golden-buffer.h"
#include "scratch.h"
#include "ted-rows.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static ReelReplayBuffer *
new_buffer_like (const char *storage, const json_t *expect)
{
  const json_t *is = json_object_get (expect, "storage");
  g_autofree char *text =
      g_strdup_printf ("%s:capacity=%d,ndim=%d", storage,
                       (gint) json_integer_value (json_object_get (is, "max_size")),
                       (gint) json_integer_value (json_object_get (is, "ndim")));
  g_autoptr (ReelStorage) of = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);

  return reel_replay_buffer_new (of, NULL, NULL, 0, NULL);
}

/* ---- what TorchRL wrote ---- */

static void
test_golden_opens (gconstpointer name)
{
  g_autoptr (json_t) expect = golden_expect (name);
  g_autofree char *dump = golden_copy (name), *before = tree_digest (dump), *after = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (dump, REEL_OPEN_DEFAULT, &error);
  g_autoptr (ReelCheckpointReport) report = reel_checkpoint_verify (dump, NULL);

  g_assert_no_error (error);
  golden_assert_content (expect, buffer);
  g_assert_cmpuint (report->faults->len, ==, 0);
  after = tree_digest (dump);
  g_assert_cmpstr (before, ==, after);
}

/* Its contents are compared by tests/trajectory-checkpoints.py. */
static void
assert_one_file (const char *dump)
{
  g_autofree char *storage = g_build_filename (dump, "storage", NULL);

  scratch_assert_names (storage, "checkpoint.h5");
}

/* T10-3 */
static void
test_golden_is_written_back (gconstpointer name)
{
  static const char *const kinds[] = { "tensor", "memmap" };
  g_autoptr (json_t) expect = golden_expect (name);
  g_autofree char *dump = golden_dump (name);

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *path = scratch_path (kinds[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelReplayBuffer) buffer = new_buffer_like (kinds[i], expect), again = NULL;
      g_auto (GStrv) warnings = NULL;

      g_assert_true (reel_replay_buffer_loads (buffer, dump, &error));
      g_assert_no_error (error);
      golden_assert_content (expect, buffer);
      ted_rows_set_checkpointer (buffer, golden_checkpointer (expect));
      g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, &error));
      g_assert_no_error (error);
      warnings = reel_replay_buffer_dup_warnings (buffer);
      g_assert_cmpuint (g_strv_length (warnings), ==, 0);
      if (g_str_has_prefix (golden_checkpointer (expect), "H5"))
        assert_one_file (path);
      else
        golden_assert_same_files (dump, path, 1, 1);
      again = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, &error);
      g_assert_no_error (error);
      assert_equal_buffers (buffer, again);
    }
}

/* ---- what fails ---- */

/* Returns whether the old dump, of this digest, is still there. */
static gboolean
check_dump_fault (ReelReplayBuffer *from, const char *path, const char *old, int code,
                  gboolean onward, gint64 n, gboolean *struck)
{
  g_autofree char *now = NULL;
  g_autoptr (ReelReplayBuffer) opened = NULL;
  g_autoptr (GError) error = NULL;
  gboolean done;

  file_faults_begin ();
  if (code == 0)
    file_faults_shorten (n);
  else
    file_faults_fail (NULL, n, code, onward);
  done = reel_replay_buffer_dumps (from, path, REEL_CHECKPOINT_FORCE, &error);
  *struck = file_faults_struck ();
  file_faults_end ();
  g_assert_true (done == (error == NULL));
  g_assert_true (done || code != 0);
  now = tree_digest (path);
  remove_leftovers (done || onward);
  if (!done && g_str_equal (now, old))
    return TRUE;
  opened = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL);
  g_assert_nonnull (opened);
  assert_equal_buffers (from, opened);
  return FALSE;
}

static void
test_dumps_survives_any_fault (gconstpointer format)
{
  const TedRows old_rows = { 2, 3, 2, 5, FALSE }, rows = { 2, 3, 4, 9, FALSE };
  static const int codes[] = { EIO, EIO, 0 };
  g_autoptr (ReelReplayBuffer) old = ted_rows_buffer ("tensor", &old_rows);
  g_autoptr (ReelReplayBuffer) from = ted_rows_buffer ("tensor", &rows);
  g_autofree char *path = scratch_path ("dump");

  ted_rows_set_checkpointer (old, format);
  ted_rows_set_checkpointer (from, format);
  for (gsize i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      gboolean struck = TRUE, is_old = FALSE;
      g_autofree char *digest = NULL;
      gint64 n;

      for (n = 1; struck; n++)
        {
          if (!is_old)
            {
              g_assert_true (reel_replay_buffer_dumps (old, path, REEL_CHECKPOINT_FORCE, NULL));
              g_free (digest);
              digest = tree_digest (path);
            }
          is_old = check_dump_fault (from, path, digest, codes[i], i == 1, n, &struck);
        }
      g_test_message ("%s: %" G_GINT64_FORMAT " calls", (const char *) format, n - 1);
      g_assert_cmpint (n, >, codes[i] == 0 ? 1 : 40);
    }
}

static void
test_loads_fails_whole (gconstpointer format)
{
  const TedRows rows = { 2, 3, 4, 9, FALSE };
  g_autoptr (ReelReplayBuffer) from = ted_rows_buffer ("tensor", &rows);
  g_autofree char *path = scratch_path ("dump");
  gboolean struck = TRUE;

  ted_rows_set_checkpointer (from, format);
  g_assert_true (reel_replay_buffer_dumps (from, path, 0, NULL));
  for (gint64 n = 1; struck; n++)
    {
      g_autoptr (ReelReplayBuffer) to = ted_rows_empty_buffer ("tensor", &rows);
      g_autoptr (GError) error = NULL;
      gboolean done;

      file_faults_begin ();
      file_faults_fail (NULL, n, EIO, FALSE);
      done = reel_replay_buffer_loads (to, path, &error);
      struck = file_faults_struck ();
      file_faults_end ();
      g_assert_true (done == (error == NULL));
      if (done)
        assert_equal_buffers (from, to);
      else
        g_assert_false (reel_storage_is_allocated (reel_replay_buffer_get_storage (to)));
    }
}

/* ---- damage ---- */

static void
test_damage_is_told (void)
{
  static const struct
  {
    const char *name, *file, *old, *by, *told;
  } cases[] = {
    { "rb-flat-part", "_storage_shape/meta.json", "[10]", "[11]", "\"done\"" },
    { "rb-flat-part", "_storage_shape/meta.json", "[10]", "[-10]", "_storage_shape" },
    { "rb-flat-part", "_storage_shape/meta.json", "[10]", "[]", "_storage_shape" },
    { "rb-flat-part", "_storage_shape/meta.json", "[10]", "\"a\"", "_storage_shape" },
    { "rb-flat-part", "_storage_shape/meta.json", "[10]", "[1.5]", "_storage_shape" },
    { "rb-flat-part", "_storage_shape/meta.json", "[10]", "[4611686018427387904,4]",
      "_storage_shape" },
    { "rb-flat-part", "shift/meta.json", "7", "11", "shift" },
    { "rb-flat-part", "shift/meta.json", "7", "-1", "shift" },
    { "rb-flat-part", "shift/meta.json", "7", "null", "shift" },
    { "rb-flat-part", "is_full/meta.json", "false", "0", "is_full" },
    { "rb-flat-part", "meta.json", "[13,3]", "[12,3]", "observation" },
    { "rb-flat-part", "meta.json", "\"done\"", "\"none\"", "none" },
    { "rb-nested-part", "meta.json", "\"is_full\":{\"type\":\"NonTensorData\"},", "", "is_full" },
    { "rb-nested-part", "shift/meta.json", "7", "8", "8 steps" },
    { "rb-nested-part", "shift/meta.json", "7", "0", "wrong places" },
    { "rb-flat-wrapped", "storage_metadata.json", "8", "7", "8 steps" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *dump = golden_copy (cases[i].name);
      g_autofree char *file = g_build_filename (dump, "storage", cases[i].file, NULL);
      g_autoptr (GError) error = NULL;

      replace_text (file, cases[i].old, cases[i].by);
      g_assert_null (reel_replay_buffer_open (dump, REEL_OPEN_READ_ONLY, &error));
      g_test_message ("%s", error->message);
      g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
      g_assert_nonnull (strstr (error->message, cases[i].told));
      g_assert_true (reel_directory_remove (dump, NULL));
    }
}

/* HDF5 crashes at one flipped byte of some hundreds, in a process of its own: here it is told. */
static void
test_damage_to_hdf5_is_survived (void)
{
  g_autofree char *dump = golden_copy ("rb-h5-part");
  g_autofree char *file = g_build_filename (dump, "storage/checkpoint.h5", NULL);
  g_autofree char *bytes = NULL;
  gsize length, n = 0, n_read = 0;

  g_assert_true (g_file_get_contents (file, &bytes, &length, NULL));
  for (gsize i = 0; i < length; i += i < 3000 ? 41 : 211, n++)
    {
      g_autoptr (ReelReplayBuffer) buffer = NULL;
      g_autoptr (GError) error = NULL;

      bytes[i] = (char) ~bytes[i];
      g_assert_true (g_file_set_contents (file, bytes, (gssize) length, NULL));
      bytes[i] = (char) ~bytes[i];
      buffer = reel_replay_buffer_open (dump, REEL_OPEN_READ_ONLY, &error);
      g_assert_true (!buffer == (error != NULL));
      if (error)
        g_assert_nonnull (strstr (error->message, dump));
      n_read += buffer != NULL;
    }
  g_test_message ("%" G_GSIZE_FORMAT " flipped bytes, %" G_GSIZE_FORMAT " unnoticed", n, n_read);
  g_assert_cmpuint (n_read, <, n);
}

static void
test_cut_hdf5_is_damaged (void)
{
  static const gsize lengths[] = { 0, 1, 8, 100, 2048, 20000 };
  g_autofree char *dump = golden_copy ("rb-h5-part");
  g_autofree char *file = g_build_filename (dump, "storage/checkpoint.h5", NULL);

  for (gsize i = G_N_ELEMENTS (lengths); i-- > 0;)
    {
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (truncate (file, (off_t) lengths[i]), ==, 0);
      g_assert_null (reel_replay_buffer_open (dump, REEL_OPEN_READ_ONLY, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
    }
}

/* A library without HDF5 says so. */
static void
test_hdf5_that_is_left_out_is_told (void)
{
  g_autofree char *dump = golden_dump ("rb-h5-part");
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_replay_buffer_open (dump, REEL_OPEN_READ_ONLY, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
  g_assert_nonnull (strstr (error->message, "\"h5\""));
}

#define PATH "/buffers/checkpoint-trajectories/"

static void
add_golden_tests (const char *name)
{
  g_autoptr (json_t) expect = golden_expect (name);
  const char *id = golden_checkpointer (expect);
  g_autofree char *opens = g_strconcat (PATH "opens/", name, NULL);
  g_autofree char *back = g_strconcat (PATH "is-written-back/", name, NULL);

  if (!id || g_str_equal (id, "TensorStorageCheckpointer"))
    return;
  scratch_test_with_data (opens, test_golden_opens, name);
  scratch_test_with_data (back, test_golden_is_written_back, name);
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) golden = NULL;
  const char *const *ids;
  gsize n;

  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();
  ids = ted_rows_list_checkpointers (&n);

  golden = golden_list ();
  for (guint i = 0; i < golden->len; i++)
    add_golden_tests (golden->pdata[i]);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *dumps = g_strconcat (PATH "dumps-survives-any-fault/", ids[i], NULL);
      g_autofree char *loads = g_strconcat (PATH "loads-fails-whole/", ids[i], NULL);

      scratch_test_with_data (dumps, test_dumps_survives_any_fault, ids[i]);
      scratch_test_with_data (loads, test_loads_fails_whole, ids[i]);
    }
  scratch_test (PATH "damage-is-told", test_damage_is_told);
  if (n < 3)
    scratch_test (PATH "hdf5-that-is-left-out-is-told", test_hdf5_that_is_left_out_is_told);
  else
    {
      scratch_test (PATH "damage-to-hdf5-is-survived", test_damage_to_hdf5_is_survived);
      scratch_test (PATH "cut-hdf5-is-damaged", test_cut_hdf5_is_damaged);
    }
  return g_test_run ();
}
