/* Ensembles in TorchRL's files, both ways. */
#include "../src/core/formats/json.h"
#include "counted-rows.h"
#include "file-faults.h"
#include "golden-buffer.h"
#include "scratch.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static ReelReplayBuffer *
new_buffer (const char *storage_text, const char *sampler_text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, storage_text, &error, NULL);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, sampler_text, &error, NULL);
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, sampler, NULL, 0, &error);

  g_assert_no_error (error);
  return buffer;
}

/* Takes the members. */
static ReelReplayBufferEnsemble *
new_ensemble (const ReelEnsembleOptions *options, guint n, ...)
{
  g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GError) error = NULL;
  ReelReplayBufferEnsemble *self;
  va_list arguments;

  va_start (arguments, n);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (members, va_arg (arguments, gpointer));
  va_end (arguments);
  self =
      reel_replay_buffer_ensemble_new_mixed ((GObject *const *) members->pdata, n, options, &error);
  g_assert_no_error (error);
  return self;
}

static ReelReplayBufferEnsemble *
new_like_golden (const char *name)
{
  return g_str_equal (name, "rb-ensemble2")
             ? new_ensemble (NULL, 2, new_buffer ("tensor:capacity=4", "random"),
                             new_buffer ("tensor:capacity=6", "random"))
             : new_ensemble (
                 NULL, 3, new_buffer ("tensor:capacity=4", "random"),
                 new_buffer ("memmap:capacity=6", "prioritized:max-capacity=6,alpha=0.7,beta=0.5"),
                 new_buffer ("tensor:capacity=3", "without-replacement"));
}

static const char *const golden[] = { "rb-ensemble2", "rb-ensemble3" };

static void
assert_golden (const char *name, ReelReplayBufferEnsemble *ensemble)
{
  g_autoptr (json_t) expect = golden_expect (name);
  const json_t *members = json_object_get (expect, "members");
  ReelEnsembleOptions options;

  g_assert_cmpint (reel_replay_buffer_ensemble_get_length (ensemble), ==,
                   (gint64) json_array_size (members));
  reel_replay_buffer_ensemble_get_options (ensemble, &options);
  g_assert_cmpint (options.batch_size, ==, 6);
  for (gsize i = 0; i < json_array_size (members); i++)
    {
      ReelReplayBuffer *buffer = reel_replay_buffer_ensemble_get (ensemble, (gint64) i, NULL);
      const json_t *member = json_array_get (members, i);

      if (golden_rows (member) > 0)
        golden_assert_content (member, buffer);
      else
        g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 0);
    }
}

/* The files of a member, as those of a buffer alone. */
static char *
copy_member (const char *dump, const char *to, gsize i)
{
  static const char *const parts[] = { "storage", "sampler", "writer" };
  char *copy = scratch_path (to);

  for (gsize p = 0; p < G_N_ELEMENTS (parts); p++)
    {
      g_autofree char *from = g_strdup_printf ("%s/%s/%" G_GSIZE_FORMAT, dump, parts[p], i);
      g_autofree char *target = g_build_filename (copy, parts[p], NULL);

      if (g_file_test (from, G_FILE_TEST_IS_DIR))
        tree_copy (from, target);
    }
  return copy;
}

static void
assert_same_member (const char *theirs, const char *ours, gsize i, const json_t *expect)
{
  g_autofree char *a_name = g_strdup_printf ("a%" G_GSIZE_FORMAT, i);
  g_autofree char *b_name = g_strdup_printf ("b%" G_GSIZE_FORMAT, i);
  g_autofree char *a = copy_member (theirs, a_name, i), *b = copy_member (ours, b_name, i);
  gint64 rows = golden_rows (expect);

  golden_assert_same_files (a, b, rows, rows > 0 ? golden_steps (expect) : 1);
}

static void
assert_same_json (const char *theirs, const char *ours, const char *name)
{
  g_autofree char *a = g_build_filename (theirs, name, NULL);
  g_autofree char *b = g_build_filename (ours, name, NULL);
  g_autoptr (json_t) one = reel_json_load_file (a, NULL);
  g_autoptr (json_t) other = reel_json_load_file (b, NULL);

  g_assert_true (one && other && json_equal (one, other));
}

/* T5-5, of what TorchRL wrote: loaded with equal values, and written back byte by byte. */
static void
test_golden_loads_and_dumps (gconstpointer name)
{
  g_autofree char *dump = golden_dump (name), *ours = scratch_path ("ours");
  g_autoptr (ReelReplayBufferEnsemble) ensemble = new_like_golden (name);
  g_autoptr (json_t) expect = golden_expect (name);
  const json_t *members = json_object_get (expect, "members");
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_replay_buffer_ensemble_loads (ensemble, dump, &error));
  g_assert_no_error (error);
  assert_golden (name, ensemble);
  g_assert_true (reel_replay_buffer_ensemble_dumps (ensemble, ours, 0, &error));
  g_assert_no_error (error);
  assert_same_json (dump, ours, "buffer_metadata.json");
  assert_same_json (dump, ours, "storage/metadata.json");
  for (gsize i = 0; i < json_array_size (members); i++)
    assert_same_member (dump, ours, i, json_array_get (members, i));
}

static void
test_golden_opens (gconstpointer name)
{
  g_autofree char *dump = golden_dump (name), *before = tree_digest (dump), *after = NULL;
  g_autofree char *first = g_build_filename (dump, "storage", "0", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBufferEnsemble) ensemble =
      reel_replay_buffer_ensemble_open (dump, REEL_OPEN_DEFAULT, &error);
  g_autoptr (ReelReplayBuffer) member = NULL;
  g_autoptr (ReelReplayBufferEnsemble) two = NULL;
  g_autoptr (ReelTensordict) batch = NULL;

  g_assert_no_error (error);
  g_assert_true (reel_checkpoint_is_ensemble (dump));
  g_assert_false (reel_checkpoint_is_ensemble (first));
  two = reel_replay_buffer_ensemble_select (ensemble, (gint64[]){ 0, 1 }, 2, NULL);
  g_assert_true (reel_replay_buffer_ensemble_sample (two, 6, &batch, &error));
  member = reel_replay_buffer_open (first, REEL_OPEN_DEFAULT, &error);
  g_assert_no_error (error);
  assert_equal_buffers (member, reel_replay_buffer_ensemble_get (ensemble, 0, NULL));
  after = tree_digest (dump);
  g_assert_cmpstr (before, ==, after);
}

/* ---- our own ---- */

static ReelReplayBufferEnsemble *
new_nested (gint64 capacity)
{
  static const double p[] = { 0.75, 0.25 };
  const ReelEnsembleOptions inner = { .sample_from_all = TRUE, .seed = 5 };
  const ReelEnsembleOptions outer = {
    .p = p, .num_buffer_sampled = 4, .batch_size = 16, .seed = -7
  };
  g_autofree char *storage = g_strdup_printf ("tensor:capacity=%" G_GINT64_FORMAT, capacity);

  return new_ensemble (&outer, 2,
                       new_ensemble (&inner, 2, new_buffer (storage, "random"),
                                     new_buffer (storage, "without-replacement")),
                       new_buffer (storage, "random:seed=3"));
}

static ReelReplayBuffer *
inner_member (ReelReplayBufferEnsemble *ensemble, gint64 i)
{
  return reel_replay_buffer_ensemble_get (reel_replay_buffer_ensemble_get (ensemble, 0, NULL), i,
                                          NULL);
}

static void
fill_nested (ReelReplayBufferEnsemble *ensemble, gint64 first)
{
  counted_extend (inner_member (ensemble, 0), 1, 6, first);
  counted_extend (inner_member (ensemble, 1), 1, 4, first + 100);
  counted_extend (reel_replay_buffer_ensemble_get (ensemble, 1, NULL), 1, 7, first + 200);
}

static void
assert_equal_nested (ReelReplayBufferEnsemble *a, ReelReplayBufferEnsemble *b)
{
  for (gint64 i = 0; i < 2; i++)
    assert_equal_buffers (inner_member (a, i), inner_member (b, i));
  assert_equal_buffers (reel_replay_buffer_ensemble_get (a, 1, NULL),
                        reel_replay_buffer_ensemble_get (b, 1, NULL));
}

/* T5-5: every member is restored, at any depth, and how they are sampled. */
static void
test_round_trip (void)
{
  g_autofree char *path = scratch_path ("nested");
  g_autofree char *member = scratch_path ("nested/storage/0/1");
  g_autoptr (ReelReplayBufferEnsemble) from = new_nested (5), to = new_nested (5), opened = NULL;
  g_autoptr (ReelReplayBuffer) alone = NULL;
  g_autoptr (GError) error = NULL;
  ReelEnsembleOptions options;

  fill_nested (from, 0);
  reel_replay_buffer_ensemble_dumps (from, path, 0, &error);
  g_assert_no_error (error);
  g_assert_true (reel_replay_buffer_ensemble_loads (to, path, &error));
  g_assert_no_error (error);
  assert_equal_nested (from, to);
  opened = reel_replay_buffer_ensemble_open (path, REEL_OPEN_READ_ONLY, &error);
  g_assert_no_error (error);
  assert_equal_nested (from, opened);
  reel_replay_buffer_ensemble_get_options (opened, &options);
  g_assert_cmpfloat (options.p[0], ==, 0.75);
  g_assert_cmpint (options.num_buffer_sampled, ==, 4);
  g_assert_cmpint (options.batch_size, ==, 16);
  g_assert_cmpint (options.seed, ==, -7);
  reel_replay_buffer_ensemble_get_options (reel_replay_buffer_ensemble_get (opened, 0, NULL),
                                           &options);
  g_assert_true (options.sample_from_all && !options.p);
  alone = reel_replay_buffer_open (member, REEL_OPEN_READ_ONLY, &error);
  g_assert_no_error (error);
  assert_equal_buffers (alone, inner_member (from, 1));
  g_assert_false (reel_replay_buffer_ensemble_dumps (from, path, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

static void
test_empty_members (void)
{
  g_autofree char *path = scratch_path ("some");
  g_autoptr (ReelReplayBufferEnsemble) from =
      new_ensemble (NULL, 2, new_buffer ("tensor:capacity=4", "random"),
                    new_buffer ("tensor:capacity=4", "without-replacement"));
  g_autoptr (ReelReplayBufferEnsemble) to =
      new_ensemble (NULL, 2, new_buffer ("tensor:capacity=4", "random"),
                    new_buffer ("tensor:capacity=4", "without-replacement"));
  g_autoptr (ReelReplayBufferEnsemble) opened = NULL;
  ReelReplayBuffer *emptied;
  g_autoptr (GError) error = NULL;

  counted_extend (reel_replay_buffer_ensemble_get (from, 1, NULL), 1, 3, 0);
  counted_extend (reel_replay_buffer_ensemble_get (to, 0, NULL), 1, 3, 0);
  reel_replay_buffer_ensemble_dumps (from, path, 0, &error);
  g_assert_no_error (error);
  g_assert_true (reel_replay_buffer_ensemble_loads (to, path, &error));
  g_assert_no_error (error);
  emptied = reel_replay_buffer_ensemble_get (to, 0, NULL);
  g_assert_cmpint (reel_replay_buffer_get_length (emptied), ==, 0);
  g_assert_cmpint (reel_replay_buffer_get_write_count (emptied), ==, 0);
  assert_equal_buffers (reel_replay_buffer_ensemble_get (from, 1, NULL),
                        reel_replay_buffer_ensemble_get (to, 1, NULL));
  opened = reel_replay_buffer_ensemble_open (path, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpint (reel_replay_buffer_ensemble_get_length (opened), ==, 2);
}

static void
test_members_must_fit (void)
{
  g_autofree char *path = scratch_path ("nested"), *alone = scratch_path ("alone");
  g_autoptr (ReelReplayBufferEnsemble) from = new_nested (5), to = new_nested (4), one = NULL;
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("tensor:capacity=4", "random");
  g_autoptr (GError) error = NULL;

  one = new_ensemble (NULL, 1, new_buffer ("tensor:capacity=5", "random"));
  fill_nested (from, 0);
  g_assert_true (reel_replay_buffer_ensemble_dumps (from, path, 0, NULL));
  g_assert_false (reel_replay_buffer_ensemble_loads (one, path, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "is an ensemble of 2 buffers, one of 1"));
  g_clear_error (&error);
  /* The last member has no room for 5 rows: the first ones are left alone too. */
  counted_extend (inner_member (to, 0), 1, 2, 50);
  g_assert_false (reel_replay_buffer_ensemble_loads (to, path, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_cmpint (reel_replay_buffer_get_length (inner_member (to, 0)), ==, 2);
  counted_extend (buffer, 1, 2, 0);
  g_assert_true (reel_replay_buffer_dumps (buffer, alone, 0, NULL));
  g_assert_false (reel_checkpoint_is_ensemble (alone));
  g_assert_null (reel_replay_buffer_ensemble_open (alone, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_clear_error (&error);
  g_assert_null (reel_replay_buffer_open (path, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
  g_assert_nonnull (strstr (error->message, "storage/0"));
}

static void
test_verify (void)
{
  g_autofree char *path = scratch_path ("nested");
  g_autofree char *leaf = scratch_path ("nested/storage/0/1/observation.memmap");
  g_autoptr (ReelReplayBufferEnsemble) from = new_nested (5);
  g_autoptr (ReelCheckpointReport) report = NULL, damaged = NULL;
  g_autoptr (GError) error = NULL;

  fill_nested (from, 0);
  g_assert_true (reel_replay_buffer_ensemble_dumps (from, path, 0, NULL));
  report = reel_checkpoint_verify (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (report->faults->len, ==, 0);
  g_assert_cmpint (report->n_rows, ==, 5 + 4 + 5);
  g_assert_cmpint (truncate (leaf, 3), ==, 0);
  damaged = reel_checkpoint_verify (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (damaged->faults->len, ==, 1);
  g_assert_nonnull (strstr (((ReelCheckpointFault *) damaged->faults->pdata[0])->what,
                            "storage/0/1/observation.memmap"));
}

static void
draw_ahead (ReelReplayBuffer *buffer, gint64 n)
{
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_set_batch_size (buffer, 1);
  reel_replay_buffer_set_prefetch (buffer, n, &error);
  g_assert_no_error (error);
}

static ReelReplayBufferEnsemble *
new_ahead (void)
{
  ReelReplayBufferEnsemble *self = new_nested (5);

  draw_ahead (inner_member (self, 1), 2);
  draw_ahead (reel_replay_buffer_ensemble_get (self, 1, NULL), 1);
  return self;
}

static void
take_batch (ReelReplayBuffer *buffer, ReelTensordict **batch)
{
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_sample (buffer, 0, batch, &error);
  g_assert_no_error (error);
}

/* Batches that members have ready lie where their other parts do, and come back. */
static void
test_members_that_draw_ahead (void)
{
  static const char *const there[] = { "prefetch/0/1", "prefetch/1" };
  static const char *const not_there[] = { "prefetch/0/0", "storage/1/prefetch",
                                           "storage/0/1/prefetch" };
  g_autofree char *path = scratch_path ("ahead"), *leaf = NULL;
  g_autoptr (ReelReplayBufferEnsemble) from = new_ahead (), to = new_ahead ();
  g_autoptr (ReelCheckpointReport) report = NULL, damaged = NULL;
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *a[] = { inner_member (from, 1), reel_replay_buffer_ensemble_get (from, 1, 0) };
  ReelReplayBuffer *b[] = { inner_member (to, 1), reel_replay_buffer_ensemble_get (to, 1, 0) };

  fill_nested (from, 0);
  for (gsize i = 0; i < 2; i++)
    {
      g_autoptr (ReelTensordict) batch = NULL;

      take_batch (a[i], &batch);
    }
  reel_replay_buffer_ensemble_dumps (from, path, 0, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (there); i++)
    {
      g_autofree char *directory = g_build_filename (path, there[i], NULL);
      g_assert_true (g_file_test (directory, G_FILE_TEST_IS_DIR));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (not_there); i++)
    {
      g_autofree char *directory = g_build_filename (path, not_there[i], NULL);
      g_assert_false (g_file_test (directory, G_FILE_TEST_EXISTS));
    }
  g_assert_true (reel_replay_buffer_ensemble_loads (to, path, &error));
  g_assert_no_error (error);
  for (gsize i = 0; i < 2; i++)
    {
      ReelReplayBufferStats stats;

      reel_replay_buffer_get_stats (b[i], &stats);
      g_assert_cmpint (stats.n_prefetched, ==, i == 0 ? 2 : 1);
      for (gint n = 0; n < 3; n++)
        {
          g_autoptr (ReelTensordict) one = NULL, other = NULL;

          take_batch (a[i], &one);
          take_batch (b[i], &other);
          g_assert_true (reel_tensordict_equal (one, other));
        }
    }

  report = reel_checkpoint_verify (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (report->faults->len, ==, 0);
  leaf = g_build_filename (path, "prefetch/0/1/capacity.memmap", NULL);
  g_assert_cmpint (truncate (leaf, 3), ==, 0);
  damaged = reel_checkpoint_verify (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (damaged->faults->len, ==, 2); /* its checksum, and what reads it */
  g_assert_nonnull (strstr (((ReelCheckpointFault *) damaged->faults->pdata[1])->what,
                            "prefetch/0/1/capacity.memmap"));
}

static ReelReplayBufferEnsemble *
new_flat (void)
{
  const ReelEnsembleOptions options = { .sampleable = TRUE, .batch_size = 8, .seed = 11 };
  ReelReplayBufferEnsemble *self =
      new_ensemble (&options, 2, new_buffer ("tensor:capacity=8", "random"),
                    new_buffer ("tensor:capacity=8", "without-replacement:seed=2"));

  for (gint64 i = 0; i < 2; i++)
    counted_extend (reel_replay_buffer_ensemble_get (self, i, NULL), 1, 5 + i, 100 * i);
  return self;
}

/* Drawn ahead or not: the batches after a dump are those of whoever loads it. Those that the
 * ensemble has ready are told to be lost. */
static void
test_choice_goes_on (void)
{
  for (gint64 prefetch = 0; prefetch <= 3; prefetch += 3)
    for (gint before = 0; before < 4; before++)
      {
        g_autofree char *path = scratch_path ("flat");
        g_autoptr (ReelReplayBufferEnsemble) from = new_flat (), to = new_flat (), opened = NULL;
        g_autoptr (ReelTensordict) one = NULL, other = NULL;
        g_auto (GStrv) warnings = NULL;
        g_autoptr (GError) error = NULL;
        ReelEnsembleOptions options;

        g_assert_true (reel_replay_buffer_ensemble_set_prefetch (from, prefetch, NULL));
        g_assert_true (reel_replay_buffer_ensemble_set_prefetch (to, prefetch, NULL));
        for (gint i = 0; i < before; i++)
          g_assert_true (reel_replay_buffer_ensemble_sample (from, 0, &one, NULL));
        g_assert_true (reel_replay_buffer_ensemble_sample (to, 0, &other, NULL));
        reel_replay_buffer_ensemble_dumps (from, path, REEL_CHECKPOINT_FORCE, &error);
        g_assert_no_error (error);
        g_assert_true (reel_replay_buffer_ensemble_loads (to, path, &error));
        warnings = reel_replay_buffer_ensemble_dup_warnings (from);
        g_assert_cmpint (g_strv_length (warnings), ==, before > 0 && prefetch > 0);
        for (gint64 i = 0; i < prefetch && before > 0; i++)
          g_assert_true (reel_replay_buffer_ensemble_sample (from, 0, &one, NULL));
        for (gint i = 0; i < 10; i++)
          {
            g_assert_true (reel_replay_buffer_ensemble_sample (from, 0, &one, NULL));
            g_assert_true (reel_replay_buffer_ensemble_sample (to, 0, &other, NULL));
            g_assert_true (reel_tensordict_equal (one, other));
          }
        opened = reel_replay_buffer_ensemble_open (path, REEL_OPEN_READ_ONLY, &error);
        g_assert_no_error (error);
        reel_replay_buffer_ensemble_get_options (opened, &options);
        g_assert_true (options.sampleable && !options.p);
      }
}

/* ---- whatever fails ---- */

static gboolean
dump_with_fault (ReelReplayBufferEnsemble *from, const char *path, int code, gboolean onward,
                 gint64 n, gboolean *struck)
{
  g_autoptr (GError) error = NULL;
  gboolean done;

  file_faults_begin ();
  file_faults_fail (NULL, n, code, onward);
  done = reel_replay_buffer_ensemble_dumps (from, path, REEL_CHECKPOINT_FORCE, &error);
  *struck = file_faults_struck ();
  file_faults_end ();
  g_assert_true (done == (error == NULL));
  return done;
}

static ReelReplayBufferEnsemble *
new_small (gint64 first)
{
  ReelReplayBufferEnsemble *self = new_ensemble (
      NULL, 2, new_ensemble (NULL, 1, new_buffer ("tensor:capacity=5", "without-replacement")),
      new_buffer ("tensor:capacity=3", "without-replacement"));

  counted_extend (inner_member (self, 0), 1, 6, first);
  return self;
}

/* Returns whether the path still holds the old ensemble, as it did where @held. */
static gboolean
check_dump_fault (const char *path, gboolean held, int code, gboolean onward, gint64 n,
                  gboolean *struck)
{
  g_autoptr (ReelReplayBufferEnsemble) old = new_small (0), from = new_small (1000), opened = NULL;
  g_autoptr (GError) error = NULL;
  ReelStorage *storage;
  gboolean done;

  if (!held)
    g_assert_true (reel_replay_buffer_ensemble_dumps (old, path, REEL_CHECKPOINT_FORCE, NULL));
  done = dump_with_fault (from, path, code, onward, n, struck);
  remove_leftovers (done || onward);
  opened = reel_replay_buffer_ensemble_open (path, REEL_OPEN_READ_ONLY, &error);
  g_assert_no_error (error);
  storage = reel_replay_buffer_get_storage (inner_member (opened, 0));
  done = done || counted_get_number (reel_storage_get_data (storage), (gint64[]){ 0, 0 }) >= 1000;
  assert_equal_buffers (inner_member (done ? from : old, 0), inner_member (opened, 0));
  return !done;
}

/* After a failure of any call the path holds the old ensemble or the new one. */
static void
test_dumps_survives_any_fault (void)
{
  g_autofree char *path = scratch_path ("small");
  gint64 n_cases = 0;

  for (gint onward = 0; onward < 2; onward++)
    {
      gboolean struck = TRUE, held = FALSE;

      for (gint64 n = 1; struck; n++, n_cases++)
        held = check_dump_fault (path, held, onward ? EIO : ENOSPC, onward, n, &struck);
    }
  g_test_message ("%" G_GINT64_FORMAT " cases", n_cases);
  g_assert_cmpint (n_cases, >, 400);
}

/* After a failure of any call every member has the rows that it had. */
static void
test_loads_fails_whole (void)
{
  g_autofree char *path = scratch_path ("nested");
  g_autoptr (ReelReplayBufferEnsemble) from = new_nested (5), as_before = new_nested (5);
  gboolean struck = TRUE;

  fill_nested (from, 1000);
  fill_nested (as_before, 0);
  g_assert_true (reel_replay_buffer_ensemble_dumps (from, path, 0, NULL));
  for (gint64 n = 1; struck; n++)
    {
      g_autoptr (ReelReplayBufferEnsemble) to = new_nested (5);
      g_autoptr (GError) error = NULL;
      gboolean done;

      fill_nested (to, 0);
      file_faults_begin ();
      file_faults_fail (NULL, n, EIO, FALSE);
      done = reel_replay_buffer_ensemble_loads (to, path, &error);
      struck = file_faults_struck ();
      file_faults_end ();
      g_assert_true (done == (error == NULL));
      assert_equal_nested (done ? from : as_before, to);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

  for (gsize i = 0; i < G_N_ELEMENTS (golden); i++)
    {
      g_autofree char *both =
          g_strdup_printf ("/buffers/ensemble-files/%s/loads-and-dumps", golden[i]);
      g_autofree char *opens = g_strdup_printf ("/buffers/ensemble-files/%s/opens", golden[i]);

      scratch_test_with_data (both, test_golden_loads_and_dumps, golden[i]);
      scratch_test_with_data (opens, test_golden_opens, golden[i]);
    }
  scratch_test ("/buffers/ensemble-files/round-trip", test_round_trip);
  scratch_test ("/buffers/ensemble-files/empty-members", test_empty_members);
  scratch_test ("/buffers/ensemble-files/members-must-fit", test_members_must_fit);
  scratch_test ("/buffers/ensemble-files/verify", test_verify);
  scratch_test ("/buffers/ensemble-files/members-that-draw-ahead", test_members_that_draw_ahead);
  scratch_test ("/buffers/ensemble-files/choice-goes-on", test_choice_goes_on);
  scratch_test ("/buffers/ensemble-files/dumps-survives-any-fault", test_dumps_survives_any_fault);
  scratch_test ("/buffers/ensemble-files/loads-fails-whole", test_loads_fails_whole);
  return g_test_run ();
}
