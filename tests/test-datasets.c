/* Datasets: where they are, when raw files are imported, and the buffer over what was imported. */
#include "../src/core/system/directories.h"
#include "file-faults.h"
#include "golden-datasets.h"
#include "scratch.h"

#include <glib/gstdio.h>
#include <string.h>

#define ID "mujoco-v2"

static char *raw; /* of hopper-medium-v2 */

static void
unpack (void)
{
  g_autoptr (json_t) golden = golden_dataset_open ("d4rl");

  g_free (raw);
  raw = golden_dataset_raw ("d4rl", ID);
}

static ReelDataset *
open_at (const char *text, const char *property, const char *place, const char *from,
         GError **error)
{
  return from ? reel_object_new_from_text (REEL_TYPE_DATASET, text, error, property, place, "from",
                                           from, NULL)
              : reel_object_new_from_text (REEL_TYPE_DATASET, text, error, property, place, NULL);
}

static ReelDataset *
open_hopper (const char *more, const char *from, GError **error)
{
  g_autofree char *text = g_strconcat ("d4rl:hopper-medium-v2", more, NULL);
  g_autofree char *root = scratch_path ("root");

  return open_at (text, "root", root, from, error);
}

/* T16-1 */
static void
test_rows_are_sampled_and_not_written (void)
{
  g_autoptr (GError) error = NULL, refusal = NULL;
  g_autoptr (ReelTensordict) batch = NULL, row = NULL;
  g_autoptr (ReelDataset) dataset = NULL;

  unpack ();
  dataset = open_hopper (",batch-size=32", raw, &error);
  g_assert_no_error (error);
  ReelReplayBuffer *buffer = reel_dataset_get_buffer (dataset);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 19);
  g_assert_true (reel_replay_buffer_sample (buffer, 0, &batch, &error));
  const ReelTensor *index = reel_tensordict_get_tensor (batch, "index", NULL);
  g_assert_cmpint (index->dtype, ==, REEL_DTYPE_INT64);
  g_assert_cmpint (index->ndim, ==, 1);
  g_assert_cmpint (index->shape[0], ==, 32);
  row = reel_replay_buffer_get_rows (buffer, 0, 1, NULL);
  g_assert_false (reel_replay_buffer_extend (buffer, row, NULL, &refusal));
  g_assert_cmpstr (refusal->message, ==, "This dataset doesn't allow writing.");
}

/* T16-1 */
static void
test_sampler_and_transform_are_used (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (ReelDataset) dataset = NULL;
  gint64 n = 0;

  unpack ();
  dataset = open_hopper (",batch-size=4,sampler=(without-replacement:drop-last=true),"
                         "transform=(rename:in-keys=[done],out-keys=[terminal])",
                         raw, &error);
  g_assert_no_error (error);
  while (reel_replay_buffer_next (reel_dataset_get_buffer (dataset), &batch, &error))
    {
      g_assert_true (reel_tensordict_contains (batch, "terminal"));
      g_assert_false (reel_tensordict_contains (batch, "done"));
      n++;
    }
  g_assert_no_error (error);
  g_assert_cmpint (n, ==, 4);
}

static void
test_unknown_ids_name_the_closest (void)
{
  g_autoptr (GError) error = NULL, outside = NULL, none = NULL;

  g_assert_null (open_at ("d4rl:hoper-medium-v2", "root", "nowhere", NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_assert_cmpstr (error->message, ==,
                   "d4rl has no dataset \"hoper-medium-v2\"; did you mean \"hopper-medium-v2\"?");
  g_assert_null (open_at ("d4rl:dataset-id='../x'", "root", "nowhere", NULL, &outside));
  g_assert_error (outside, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_null (open_at ("d4rl", "root", "nowhere", NULL, &none));
  g_assert_error (none, REEL_ERROR, REEL_ERROR_VALUE);
}

static void
test_lists_what_is_available (void)
{
  g_auto (GStrv) ids = reel_dataset_list_available ("D4RLExperienceReplay", NULL, NULL);

  g_assert_cmpuint (g_strv_length (ids), ==, 179);
  for (gsize i = 1; ids[i]; i++)
    g_assert_cmpstr (ids[i - 1], <, ids[i]);
}

static void
test_lists_what_a_source_has (void)
{
  g_autoptr (json_t) golden = golden_dataset_open ("minari");
  g_autofree char *root = golden_dataset_raw ("minari", "root");
  g_auto (GStrv) none = reel_dataset_list_available ("minari", NULL, NULL);
  g_auto (GStrv) ids = reel_dataset_list_available ("minari", root, NULL);
  g_autofree char *all = g_strjoinv (" ", ids);

  g_assert_cmpuint (g_strv_length (none), ==, 0);
  g_assert_cmpstr (all, ==,
                   "golden/cartpole-hdf5-v0 golden/dict-hdf5-v0 golden/nested/smallimage-hdf5-v3 "
                   "golden/pendulum-hdf5-v0 golden/still-hdf5-v0 golden/tuple-hdf5-v0 "
                   "golden/unfinished-hdf5-v0");
}

/* A mirror as the publisher has it, with a directory for each kind. */
static void
test_sources_are_directories_or_urls (void)
{
  g_autofree char *mirror = scratch_path ("mirror"), *kind = NULL, *file = NULL, *url = NULL;
  g_autofree char *from = NULL;
  g_autoptr (GError) error = NULL, remote = NULL, missing = NULL;

  unpack ();
  kind = g_build_filename (mirror, "gym_mujoco_v2", NULL);
  file = g_build_filename (kind, "hopper_medium-v2.hdf5", NULL);
  from = g_build_filename (raw, "hopper_medium-v2.hdf5", NULL);
  g_assert_cmpint (g_mkdir_with_parents (kind, 0777), ==, 0);
  g_assert_cmpint (rename (from, file), ==, 0);
  url = g_filename_to_uri (mirror, NULL, NULL);
  g_autoptr (ReelDataset) dataset = open_hopper ("", url, &error);
  g_assert_no_error (error);
  g_assert_null (open_hopper (",download=force", "ftp://example.org/d4rl", &remote));
  g_assert_error (remote, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_null (open_hopper (",download=force", raw, &missing));
  g_assert_nonnull (strstr (missing->message, "gym_mujoco_v2/hopper_medium-v2.hdf5"));
}

static void
test_imports_when_it_is_told_to (void)
{
  g_autofree char *place = scratch_path ("root/hopper-medium-v2");
  g_autofree char *mark = scratch_path ("root/hopper-medium-v2/mark.memmap");
  g_autofree char *note = scratch_path ("root/hopper-medium-v2/note");
  g_autoptr (GError) never = NULL, missing = NULL, foreign = NULL, error = NULL;
  g_autoptr (ReelDataset) first = NULL, second = NULL, third = NULL;

  unpack ();
  g_assert_null (open_hopper (",download=never", raw, &never));
  g_assert_error (never, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_null (open_hopper ("", NULL, &missing));
  g_assert_error (missing, REEL_ERROR, REEL_ERROR_VALUE);
  first = open_hopper ("", raw, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (reel_dataset_get_data_path (first), ==, place);
  scratch_put (mark, "old");
  second = open_hopper (",download=never", NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_test (mark, G_FILE_TEST_EXISTS));
  scratch_put (note, "mine");
  g_assert_null (open_hopper (",download=force", raw, &foreign));
  g_assert_error (foreign, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpint (g_unlink (note), ==, 0);
  third = open_hopper (",download=force", raw, &error);
  g_assert_no_error (error);
  g_assert_false (g_file_test (mark, G_FILE_TEST_EXISTS));
  g_assert_true (reel_dataset_delete (third, &error));
  g_assert_false (g_file_test (place, G_FILE_TEST_EXISTS));
}

static void
test_has_a_place_by_default (void)
{
  g_autofree char *all = scratch_path ("all"), *root = NULL, *place = NULL;
  g_autoptr (GError) error = NULL;

  unpack ();
  g_setenv ("REEL_DATASETS", all, TRUE);
  root = reel_dataset_dup_root ("d4rl", &error);
  g_autoptr (ReelDataset) dataset =
      open_at ("d4rl:hopper-medium-v2", "batch-size", "3", raw, &error);
  g_unsetenv ("REEL_DATASETS");
  g_assert_no_error (error);
  place = g_build_filename (all, "d4rl", "hopper-medium-v2", NULL);
  g_assert_cmpstr (reel_dataset_get_data_path (dataset), ==, place);
  g_assert_true (g_str_has_prefix (place, root));
}

/* Rows that are there are split as they are, without the raw files; a path of its own has what was
 * asked for. */
static void
test_split_rows_stand_beside (void)
{
  g_autofree char *path = scratch_path ("mine");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelDataset) rows = NULL, split = NULL, mine = NULL;

  unpack ();
  rows = open_hopper ("", raw, &error);
  split = open_hopper (",split-trajs=true", NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_str_has_suffix (reel_dataset_get_data_path (split), "/hopper-medium-v2_split"));
  g_assert_cmpint (reel_replay_buffer_get_length (reel_dataset_get_buffer (split)), ==, 4);
  mine = open_at ("d4rl:hopper-medium-v2,split-trajs=true", "path", path, raw, &error);
  g_assert_no_error (error);
  scratch_assert_names (
      path, "action.memmap dataset.json done.memmap info mask.memmap "
            "meta.json next observation.memmap reward.memmap terminated.memmap traj_ids.memmap "
            "truncated.memmap");
}

/* Imports, but from file operation @n on all fail, as those of a process that was killed. Returns
 * how many there were. */
static gint64
import_until (const char *more, gint64 n)
{
  file_faults_begin ();
  if (n > 0)
    file_faults_fail (NULL, n, EIO, TRUE);
  g_autoptr (ReelDataset) dataset = open_hopper (more, raw, NULL);
  gint64 count = file_faults_count (NULL);
  file_faults_end ();
  g_assert_true (dataset || n > 0);
  return count;
}

/* A dataset that is there is whole, and the next import leaves nothing else. */
static void
check_kill (const char *more, gint64 n_rows, gint64 n)
{
  g_autofree char *never = g_strconcat (more, ",download=never", NULL);
  g_autofree char *root = scratch_path ("root");
  g_autoptr (ReelDataset) there = NULL, again = NULL;
  g_autoptr (GError) error = NULL;

  import_until (more, n);
  there = open_hopper (never, NULL, NULL);
  if (there)
    g_assert_cmpint (reel_replay_buffer_get_length (reel_dataset_get_buffer (there)), ==, n_rows);
  again = open_hopper (more, raw, &error);
  g_assert_no_error (error);
  scratch_assert_names (root, *more ? "hopper-medium-v2_split" : "hopper-medium-v2");
  g_assert_true (reel_dataset_delete (again, NULL));
}

/* Every operation near the end, where the directory gets its name, and some of those before. */
static void
check_kills (const char *more, gint64 n_rows)
{
  gint64 count = import_until (more, 0);
  g_autofree char *root = scratch_path ("root");

  g_assert_true (reel_directory_remove (root, NULL));
  g_test_message ("%" G_GINT64_FORMAT " operations", count);
  for (gint64 n = 1; n <= count; n += n < count - 16 ? MAX (count / 16, 1) : 1)
    check_kill (more, n_rows, n);
}

static void
test_killed_imports_are_absent_or_whole (void)
{
  unpack ();
  check_kills ("", 19);
  check_kills (",split-trajs=true", 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();
  scratch_test ("/datasets/dataset/rows-are-sampled-and-not-written",
                test_rows_are_sampled_and_not_written);
  scratch_test ("/datasets/dataset/sampler-and-transform-are-used",
                test_sampler_and_transform_are_used);
  scratch_test ("/datasets/dataset/unknown-ids-name-the-closest",
                test_unknown_ids_name_the_closest);
  scratch_test ("/datasets/dataset/lists-what-is-available", test_lists_what_is_available);
  scratch_test ("/datasets/dataset/lists-what-a-source-has", test_lists_what_a_source_has);
  scratch_test ("/datasets/dataset/sources-are-directories-or-urls",
                test_sources_are_directories_or_urls);
  scratch_test ("/datasets/dataset/imports-when-it-is-told-to", test_imports_when_it_is_told_to);
  scratch_test ("/datasets/dataset/has-a-place-by-default", test_has_a_place_by_default);
  scratch_test ("/datasets/dataset/split-rows-stand-beside", test_split_rows_stand_beside);
  scratch_test ("/datasets/dataset/killed-imports-are-absent-or-whole",
                test_killed_imports_are_absent_or_whole);
  return g_test_run ();
}
