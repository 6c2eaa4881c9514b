/* Rows of a dataset that are changed once: by a function, by transforms, on any number of threads.
 */
#include "../src/core/system/directories.h"
#include "file-faults.h"
#include "golden-datasets.h"
#include "scratch.h"

#include <errno.h>
#include <string.h>

#define N 23
#define RECORD "{\"class\": \"npz\", \"dataset_id\": \"mine\"}"

/* ---- a dataset ---- */

static const gint64 ends[] = { 4, 9, 10, 17 };

static void
set (ReelTensordict *rows, const char *path, ReelTensor *tensor)
{
  g_assert_true (reel_tensordict_set_tensor (rows, path, tensor, NULL));
  reel_tensor_unref (tensor);
}

static ReelTensordict *
make_rows (void)
{
  const gint64 n = N, wide[] = { N, 3 }, one[] = { N, 1 };
  ReelTensordict *rows = reel_tensordict_new (1, &n);
  ReelTensor *observation = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, wide, NULL);
  ReelTensor *reward = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, one, NULL);
  ReelTensor *done = reel_tensor_new (REEL_DTYPE_BOOL, 2, one, NULL);

  for (gint64 i = 0; i < 3 * N; i++)
    ((float *) observation->data)[i] = (float) i;
  for (gint64 i = 0; i < N; i++)
    ((float *) reward->data)[i] = (float) (1 + i * i % 7);
  memset (done->data, 0, N);
  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    done->data[ends[i]] = 1;
  set (rows, "observation", observation);
  set (rows, "next/reward", reward);
  set (rows, "next/done", done);
  return rows;
}

static char *
make_dataset (void)
{
  g_autoptr (ReelTensordict) rows = make_rows ();
  g_autofree char *path = scratch_path ("data/mine"), *record = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_directory_remove (path, NULL));
  g_assert_true (reel_tensordict_save (rows, path, REEL_SAVE_DEFAULT, &error));
  g_assert_no_error (error);
  record = g_build_filename (path, "dataset.json", NULL);
  g_assert_true (g_file_set_contents (record, RECORD, -1, NULL));
  return g_steal_pointer (&path);
}

static ReelDataset *
open_at (const char *path)
{
  g_autoptr (GError) error = NULL;
  ReelDataset *dataset = reel_object_new_from_text (REEL_TYPE_DATASET, "npz:mine", &error, "path",
                                                    path, "download", "never", NULL);

  g_assert_no_error (error);
  return dataset;
}

static ReelTensordict *
load (const char *path)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *rows = reel_tensordict_load (path, REEL_LOAD_READ_ONLY, &error);

  g_assert_no_error (error);
  return rows;
}

static void
assert_rows (const char *path, const ReelTensordict *expected)
{
  g_autoptr (ReelTensordict) rows = load (path);

  g_assert_true (reel_tensordict_equal (rows, expected));
}

static void
assert_is_old (const char *path)
{
  g_autoptr (ReelTensordict) rows = make_rows ();

  assert_rows (path, rows);
}

/* ---- a function ---- */

/* Observations become twice as large, a key has the number of the row, and one is removed. */
static ReelTensordict *
change (ReelTensordict *rows, gint64 first, gpointer data, GError **error)
{
  ReelTensor *observation = reel_tensordict_get_tensor (rows, "observation", NULL);
  const gint64 n = observation->shape[0];
  ReelTensor *number = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);

  for (gint64 i = 0; i < 3 * n; i++)
    ((float *) observation->data)[i] *= 2;
  for (gint64 i = 0; i < n; i++)
    ((gint64 *) number->data)[i] = first + i;
  set (rows, "info/number", number);
  g_assert_true (reel_tensordict_remove (rows, "next/reward", NULL));
  return reel_tensordict_ref (rows);
}

static ReelTensordict *
make_changed (gint64 n)
{
  g_autoptr (ReelTensordict) all = make_rows (), changed = change (all, 0, NULL, NULL);

  return reel_tensordict_slice (changed, 0, 0, n, 1, NULL);
}

static void
test_rows_follow_from_their_rows (void)
{
  static const gint64 chunks[] = { 0, 1, 2, 5, 22, 23, 100 };
  g_autoptr (ReelTensordict) expected = make_changed (N);

  for (gsize i = 0; i < G_N_ELEMENTS (chunks); i++)
    for (gint n_workers = 0; n_workers < 4; n_workers++)
      {
        const ReelPreprocessOptions options = { .chunk_size = chunks[i], .num_workers = n_workers };
        g_autofree char *path = make_dataset (), *parent = g_path_get_dirname (path);
        g_autoptr (ReelDataset) dataset = open_at (path), again = NULL;
        g_autoptr (ReelTensordict) seen = NULL;
        g_autoptr (GError) error = NULL;

        g_assert_true (reel_dataset_preprocess (dataset, change, NULL, &options, &error));
        g_assert_no_error (error);
        assert_rows (path, expected);
        scratch_assert_names (parent, "mine");
        again = open_at (path);
        seen = reel_replay_buffer_get_rows (reel_dataset_get_buffer (again), 3, 2, NULL);
        g_assert_true (reel_tensordict_contains (seen, "info/number"));
      }
}

static void
test_a_place_of_its_own_leaves_the_dataset (void)
{
  g_autofree char *path = make_dataset (), *place = scratch_path ("elsewhere/changed");
  const ReelPreprocessOptions options = { .dest = place, .num_frames = 7, .chunk_size = 3 };
  g_autoptr (ReelTensordict) expected = make_changed (7);
  g_autoptr (ReelDataset) dataset = open_at (path), other = NULL;
  g_autoptr (GError) error = NULL, refusal = NULL;

  g_assert_true (reel_dataset_preprocess (dataset, change, NULL, &options, &error));
  g_assert_no_error (error);
  assert_is_old (path);
  assert_rows (place, expected);
  other = open_at (place);
  g_assert_cmpint (reel_replay_buffer_get_length (reel_dataset_get_buffer (other)), ==, 7);
  g_assert_false (reel_dataset_preprocess (dataset, change, NULL, &options, &refusal));
  g_assert_error (refusal, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_nonnull (strstr (refusal->message, place));
  g_assert_false (reel_dataset_preprocess (dataset, change, NULL, &options, NULL));
  g_autofree char *inside = g_build_filename (path, "x", NULL);
  const ReelPreprocessOptions within = { .dest = inside };
  g_assert_false (reel_dataset_preprocess (dataset, change, NULL, &within, NULL));
  g_assert_false (g_file_test (inside, G_FILE_TEST_EXISTS));
}

static void
test_more_rows_than_there_are_is_an_error (void)
{
  const gint64 numbers[] = { N + 1, -1 };

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      const ReelPreprocessOptions options = { .num_frames = numbers[i] };
      g_autofree char *path = make_dataset ();
      g_autoptr (ReelDataset) dataset = open_at (path);
      g_autoptr (GError) error = NULL;

      g_assert_false (reel_dataset_preprocess (dataset, change, NULL, &options, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      assert_is_old (path);
    }
}

/* ---- functions that are wrong ---- */

enum
{
  FAILS,
  FAILS_WITHOUT_A_WORD,
  HAS_A_ROW_LESS,
  HAS_ANOTHER_KEY,
  HAS_A_KEY_LESS,
  HAS_ANOTHER_TYPE,
  HAS_TEXT,
  N_FAULTS
};

/* Wrong in the chunk of row 10. */
static ReelTensordict *
change_wrongly (ReelTensordict *rows, gint64 first, gpointer data, GError **error)
{
  const gint64 n = reel_tensordict_get_batch_size (rows, &(gint){ 0 })[0];
  const int fault = *(int *) data;

  if (first > 10 || first + n <= 10)
    return reel_tensordict_ref (rows);
  if (fault == FAILS)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_TYPE, "not today");
  if (fault <= FAILS_WITHOUT_A_WORD)
    return NULL;
  if (fault == HAS_A_ROW_LESS)
    return reel_tensordict_slice (rows, 0, 1, n, 1, error);
  if (fault == HAS_ANOTHER_KEY)
    set (rows, "more", reel_tensor_new (REEL_DTYPE_INT8, 1, &n, NULL));
  if (fault == HAS_A_KEY_LESS)
    g_assert_true (reel_tensordict_remove (rows, "next/reward", NULL));
  if (fault == HAS_ANOTHER_TYPE)
    set (rows, "observation",
         reel_tensor_new (REEL_DTYPE_FLOAT64, 2, (const gint64[]){ n, 3 }, NULL));
  if (fault == HAS_TEXT)
    g_assert_true (reel_tensordict_set_value (rows, "text", g_variant_new_string ("a"), NULL));
  return reel_tensordict_ref (rows);
}

static void
test_errors_name_the_rows_and_leave_the_dataset (void)
{
  static const char *const messages[] = { "not today", "failed",      "must become one row",
                                          "\"more\"",  "next/reward", "\"observation\"",
                                          "\"text\"" };

  for (int fault = 0; fault < N_FAULTS; fault++)
    for (gint n_workers = 1; n_workers < 3; n_workers++)
      {
        const ReelPreprocessOptions options = { .chunk_size = 4, .num_workers = n_workers };
        g_autofree char *path = make_dataset (), *parent = g_path_get_dirname (path);
        g_autoptr (ReelDataset) dataset = open_at (path);
        g_autoptr (GError) error = NULL;

        g_assert_false (
            reel_dataset_preprocess (dataset, change_wrongly, &fault, &options, &error));
        g_test_message ("%s", error->message);
        g_assert_nonnull (strstr (error->message, path));
        g_assert_nonnull (strstr (error->message, "rows 8 to 11: "));
        g_assert_nonnull (strstr (error->message, messages[fault]));
        assert_is_old (path);
        scratch_assert_names (parent, "mine");
      }
}

/* ---- progress ---- */

typedef struct
{
  GThread *thread;
  gint64 last, stop_at;
} Watch;

static gboolean
watch (gint64 done, gint64 total, gpointer data)
{
  Watch *self = data;

  g_assert_true (g_thread_self () == self->thread);
  g_assert_cmpint (total, ==, N);
  g_assert_cmpint (done, >=, self->last);
  self->last = done;
  return done < self->stop_at;
}

static void
test_progress_is_told_and_may_end_the_work (void)
{
  for (gint64 stop_at = 1; stop_at <= N + 1; stop_at += N)
    {
      Watch seen = { g_thread_self (), 0, stop_at };
      const ReelPreprocessOptions options = {
        .chunk_size = 2, .num_workers = 2, .progress = watch, .progress_data = &seen
      };
      g_autofree char *path = make_dataset ();
      g_autoptr (ReelDataset) dataset = open_at (path);
      g_autoptr (GError) error = NULL;
      gboolean done = reel_dataset_preprocess (dataset, change, NULL, &options, &error);

      g_assert_true (done == (stop_at > N));
      if (done)
        g_assert_cmpint (seen.last, ==, N);
      else
        assert_is_old (path);
      g_assert_true (done || strstr (error->message, "interrupted"));
    }
}

/* ---- transforms ---- */

static ReelTransform *
make_transform (const char *text)
{
  g_autoptr (GError) error = NULL;
  ReelTransform *transform = reel_object_new_from_text (REEL_TYPE_TRANSFORM, text, &error, NULL);

  g_assert_no_error (error);
  return transform;
}

static ReelTensordict *
pass (ReelTransform *transform, ReelTensordict *rows)
{
  g_autoptr (ReelTensordict) written = NULL;

  g_assert_true (reel_transform_inverse (transform, rows, &written, NULL));
  return reel_transform_forward (transform, written, NULL);
}

/* Chunks are whole episodes: the rows are those of all at once. */
static void
test_transforms_see_whole_episodes (void)
{
  static const char *const chains[] = {
    "double-to-float:in-keys=[observation]",
    "reward-to-go:gamma=0.5,in-keys=next/reward,out-keys=to_go",
    "reward-scaling:loc=1,scale=3,in-keys=[next/reward]",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (chains); i++)
    for (gint n_workers = 1; n_workers < 3; n_workers++)
      {
        const ReelPreprocessOptions options = { .chunk_size = 2, .num_workers = n_workers };
        g_autofree char *path = make_dataset ();
        g_autoptr (ReelTransform) transform = make_transform (chains[i]);
        g_autoptr (ReelTensordict) all = make_rows ();
        g_autoptr (ReelTensordict) expected = pass (transform, all);
        g_autoptr (ReelDataset) dataset = open_at (path);
        g_autoptr (GError) error = NULL;

        reel_dataset_preprocess_by_transform (dataset, transform, &options, &error);
        g_assert_no_error (error);
        assert_rows (path, expected);
      }
}

static void
test_transforms_that_hold_rows_back_are_errors (void)
{
  g_autofree char *path = make_dataset ();
  g_autoptr (ReelTransform) transform = make_transform ("multi-step:n-steps=2");
  g_autoptr (ReelDataset) dataset = open_at (path);
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_dataset_preprocess_by_transform (dataset, transform, NULL, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_false (reel_dataset_preprocess_by_transform (dataset, transform, NULL, NULL));
  assert_is_old (path);
}

/* ---- kills, and what is no tensor ---- */

/* All file operations fail from number @n on, as those of a process that was killed. */
static gint64
change_until (const char *path, gint64 n)
{
  const ReelPreprocessOptions options = { .chunk_size = 6, .num_workers = 1 };
  g_autoptr (ReelDataset) dataset = open_at (path);

  file_faults_begin ();
  if (n > 0)
    file_faults_fail (NULL, n, EIO, TRUE);
  gboolean done = reel_dataset_preprocess (dataset, change, NULL, &options, NULL);
  gint64 count = file_faults_count (NULL);
  file_faults_end ();
  g_assert_true (done || n > 0);
  return count;
}

static void
test_killed_work_leaves_the_old_or_the_new (void)
{
  g_autofree char *path = make_dataset ();
  g_autoptr (ReelTensordict) old = make_rows (), new = make_changed (N);
  gint64 count = change_until (path, 0), n_old = 0;

  for (gint64 n = 1; n <= count; n++)
    {
      g_autofree char *again = make_dataset ();
      g_autoptr (ReelTensordict) rows = NULL;

      change_until (again, n);
      rows = load (again);
      n_old += reel_tensordict_equal (rows, old);
      g_assert_true (reel_tensordict_equal (rows, old) || reel_tensordict_equal (rows, new));
    }
  g_assert_cmpint (n_old, >, 0);
  g_assert_cmpint (n_old, <, count);
}

static ReelTensordict *
keep (ReelTensordict *rows, gint64 first, gpointer data, GError **error)
{
  return reel_tensordict_ref (rows);
}

static void
test_text_is_not_lost (void)
{
  g_autoptr (json_t) golden = golden_dataset_open ("openx");
  g_autofree char *from = golden_dataset_raw ("openx", "cmu_stretch"),
                  *root = scratch_path ("root");
  g_autofree char *place = scratch_path ("tensors");
  const ReelPreprocessOptions options = { .dest = place };
  g_autoptr (GError) error = NULL, refusal = NULL;
  g_autoptr (ReelDataset) dataset = reel_object_new_from_text (
      REEL_TYPE_DATASET, "openx:cmu_stretch", &error, "from", from, "root", root, NULL);

  g_assert_no_error (error);
  g_assert_false (reel_dataset_preprocess (dataset, keep, NULL, NULL, &refusal));
  g_assert_error (refusal, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
  g_assert_nonnull (strstr (refusal->message, "language_instruction"));
  g_assert_true (reel_dataset_preprocess (dataset, keep, NULL, &options, &error));
  g_assert_no_error (error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();
  scratch_test ("/datasets/preprocess/rows-follow-from-their-rows",
                test_rows_follow_from_their_rows);
  scratch_test ("/datasets/preprocess/a-place-of-its-own-leaves-the-dataset",
                test_a_place_of_its_own_leaves_the_dataset);
  scratch_test ("/datasets/preprocess/more-rows-than-there-are-is-an-error",
                test_more_rows_than_there_are_is_an_error);
  scratch_test ("/datasets/preprocess/errors-name-the-rows-and-leave-the-dataset",
                test_errors_name_the_rows_and_leave_the_dataset);
  scratch_test ("/datasets/preprocess/progress-is-told-and-may-end-the-work",
                test_progress_is_told_and_may_end_the_work);
  scratch_test ("/datasets/preprocess/transforms-see-whole-episodes",
                test_transforms_see_whole_episodes);
  scratch_test ("/datasets/preprocess/transforms-that-hold-rows-back-are-errors",
                test_transforms_that_hold_rows_back_are_errors);
  scratch_test ("/datasets/preprocess/killed-work-leaves-the-old-or-the-new",
                test_killed_work_leaves_the_old_or_the_new);
  scratch_test ("/datasets/preprocess/text-is-not-lost", test_text_is_not_lost);
  return g_test_run ();
}
