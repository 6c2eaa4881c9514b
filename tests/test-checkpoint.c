/* Checkpoints that TorchRL wrote are read, and written back as it would; nothing that is damaged or
 * fails changes what stands. */
#include "../src/buffers/checkpoint-files.h"
#include "../src/reel.h"
#include "counted-rows.h"
#include "file-faults.h"
#include "golden-buffer.h"
#include "scratch.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define SIDECAR "reel.json"

static void
assert_equal_buffers (ReelReplayBuffer *a, ReelReplayBuffer *b)
{
  g_autoptr (ReelTensordict) one = reel_replay_buffer_get_all (a, NULL);
  g_autoptr (ReelTensordict) other = reel_replay_buffer_get_all (b, NULL);
  ReelRingInfo left, right;

  g_assert_true (reel_tensordict_equal (one, other));
  g_assert_true (reel_replay_buffer_get_ring (a, &left, NULL));
  g_assert_true (reel_replay_buffer_get_ring (b, &right, NULL));
  g_assert_cmpint (left.begin, ==, right.begin);
  g_assert_cmpint (left.end, ==, right.end);
  g_assert_cmpint (reel_replay_buffer_get_cursor (a), ==, reel_replay_buffer_get_cursor (b));
  g_assert_cmpint (reel_replay_buffer_get_write_count (a), ==,
                   reel_replay_buffer_get_write_count (b));
}

static void
assert_same_samples (ReelReplayBuffer *a, ReelReplayBuffer *b)
{
  g_autoptr (ReelTensordict) one = NULL, other = NULL;

  g_assert_true (reel_replay_buffer_sample (a, 32, &one, NULL));
  g_assert_true (reel_replay_buffer_sample (b, 32, &other, NULL));
  g_assert_true (reel_tensordict_equal (one, other));
}

/* ---- golden cases ---- */

static const char *const golden[] = {
  "rb-memmap-full",   "rb-memmap-overrun",   "rb-memmap-part",        "rb-memmap-wrapped",
  "rb-tensor-full",   "rb-tensor-overrun",   "rb-tensor-part",        "rb-tensor-wrapped",
  "rb-plain-add",     "rb-ndim2-dimextend0", "rb-ndim2-part",         "rb-ndim2-ram",
  "rb-ndim2-rounded", "rb-ndim2-wrapped",    "rb-ndim3-part",         "rb-ndim3-wrapped",
  "rb-live-dump",     "rb-capacity1",        "rb-collector-cartpole", "rb-pixels-agents",
  "rb-slice",         "rb-slice-ndim2",      "rb-prefetch",           "rb-rng-transform",
  "rb-immutable"
};

static void
test_golden_opens (gconstpointer name)
{
  g_autoptr (json_t) expect = golden_expect (name);
  g_autofree char *dump = golden_copy (name), *before = tree_digest (dump), *after = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (dump, REEL_OPEN_DEFAULT, &error);

  g_assert_no_error (error);
  golden_assert_content (expect, buffer);
  after = tree_digest (dump);
  g_assert_cmpstr (before, ==, after);
}

/* T10-1, for the parts that there are */
static void
test_golden_is_written_back (gconstpointer name)
{
  static const char *const kinds[] = { "tensor", "memmap" };
  g_autoptr (json_t) expect = golden_expect (name);
  const json_t *storage = json_object_get (expect, "storage");
  gint64 rows = json_integer_value (json_object_get (storage, "rows_filled"));
  gint64 steps = json_integer_value (json_array_get (json_object_get (storage, "shape"), 0));
  g_autofree char *dump = golden_dump (name);

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *path = scratch_path (kinds[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelReplayBuffer) buffer =
          counted_new_buffer (kinds[i], json_integer_value (json_object_get (storage, "max_size")),
                              (gint) json_integer_value (json_object_get (storage, "ndim")));
      g_autoptr (ReelReplayBuffer) again = NULL;

      g_assert_true (reel_replay_buffer_loads (buffer, dump, &error));
      g_assert_no_error (error);
      golden_assert_content (expect, buffer);
      g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, &error));
      g_assert_no_error (error);
      if (json_object_get (json_object_get (expect, "writer"), "cursor"))
        golden_assert_same_files (dump, path, rows, steps);
      again = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, &error);
      g_assert_no_error (error);
      golden_assert_content (expect, again);
      assert_equal_buffers (buffer, again);
      assert_same_samples (buffer, again);
    }
}

/* What was opened is written with what it lacks. */
static void
test_immutable_has_no_writer (void)
{
  g_autofree char *dump = golden_dump ("rb-immutable"), *path = scratch_path ("again");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (dump, REEL_OPEN_DEFAULT, &error);

  g_assert_no_error (error);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, &error));
  golden_assert_same_files (dump, path, 6, 6);
}

static void
test_left_out_state_is_named (void)
{
  static const char *const cases[][2] = { { "rb-per-default", "PrioritizedSampler" },
                                          { "rb-swr-mid", "SamplerWithoutReplacement" },
                                          { "rb-max-full", "TensorDictMaxValueWriter" },
                                          { "rb-generations", "generations" },
                                          { "rb-staleness", "StalenessAwareSampler" },
                                          { "rb-consuming", "ConsumingSampler" },
                                          { "rb-rng-transform", "transform" } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *dump = golden_dump (cases[i][0]), *all = NULL;
      g_autoptr (json_t) expect = golden_expect (cases[i][0]);
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelReplayBuffer) buffer =
          reel_replay_buffer_open (dump, REEL_OPEN_DEFAULT, &error);
      g_auto (GStrv) warnings = NULL;

      g_assert_no_error (error);
      golden_assert_content (expect, buffer);
      warnings = reel_replay_buffer_get_warnings (buffer);
      all = g_strjoinv ("\n", warnings);
      g_assert_nonnull (strstr (all, cases[i][1]));
    }
}

static void
assert_text_is_left_out (const json_t *expect, ReelReplayBuffer *buffer)
{
  g_auto (GStrv) warnings = reel_replay_buffer_get_warnings (buffer);

  json_object_del (json_object_get (json_object_get (expect, "storage"), "keys"), "text");
  golden_assert_content (expect, buffer);
  g_assert_cmpuint (g_strv_length (warnings), ==, 1);
  g_assert_nonnull (strstr (warnings[0], "storage/text: \"text\" is a "));
  g_assert_nonnull (strstr (warnings[0], "NonTensorStack"));
}

/* Tensors beside strings are read, and the strings are named; unless new rows would have old ones.
 */
static void
test_strings_are_left_out (void)
{
  g_autofree char *dump = golden_copy ("rb-strings"), *before = tree_digest (dump), *after = NULL;
  g_autofree char *leaves = g_build_filename (dump, "storage", NULL);
  g_autoptr (json_t) expect = golden_expect ("rb-strings");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (dump, REEL_OPEN_DEFAULT, &error);
  g_autoptr (ReelReplayBuffer) loaded = counted_new_buffer ("tensor", 4, 1);
  g_autoptr (ReelStorage) home = reel_object_new_from_text (REEL_TYPE_STORAGE, "memmap:capacity=4",
                                                            NULL, "scratch-dir", leaves, NULL);
  g_autoptr (ReelReplayBuffer) attached = reel_replay_buffer_new (home, NULL, NULL, 0);

  g_assert_no_error (error);
  assert_text_is_left_out (expect, buffer);
  g_assert_true (reel_replay_buffer_loads (loaded, dump, &error));
  assert_text_is_left_out (expect, loaded);
  g_assert_false (reel_replay_buffer_loads (attached, dump, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
  after = tree_digest (dump);
  g_assert_cmpstr (before, ==, after);
}

static void
test_other_kinds_are_refused_by_name (void)
{
  static const char *const cases[][2] = {
    { "rb-ensemble2", "ensemble" },         { "rb-pytree", "pytree" },
    { "rb-single-tensor", "pytree" },       { "rb-flat-full", "flat or nested" },
    { "rb-nested-part", "flat or nested" }, { "rb-h5-part", "HDF5" },
    { "rb-compressed", "compressed" }
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *dump = golden_dump (cases[i][0]);
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_replay_buffer_open (dump, REEL_OPEN_DEFAULT, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
      g_assert_nonnull (strstr (error->message, cases[i][1]));
    }
}

/* ---- round trips ---- */

/* Every capacity and cursor of small rings, both storages either way. */
static void
test_round_trips (void)
{
  static const char *const kinds[] = { "tensor", "memmap" };

  for (gint64 capacity = 1; capacity <= 3; capacity++)
    for (gint64 n = 1; n <= 2 * capacity + 1; n++)
      for (gint pair = 0; pair < 4; pair++)
        {
          g_autoptr (ReelReplayBuffer) from = counted_new_buffer (kinds[pair / 2], capacity * 2, 2);
          g_autoptr (ReelReplayBuffer) to = counted_new_buffer (kinds[pair % 2], capacity * 2, 2);
          g_autofree char *path = scratch_path ("dump");

          counted_extend (from, 2, n, 0);
          g_assert_true (reel_replay_buffer_dumps (from, path, REEL_CHECKPOINT_FORCE, NULL));
          g_assert_true (reel_replay_buffer_loads (to, path, NULL));
          assert_equal_buffers (from, to);
          counted_extend (from, 2, 1, n);
          counted_extend (to, 2, 1, n);
          assert_equal_buffers (from, to);
        }
}

/* T6.6-4, of tensordicts */
static void
test_dumps_twice_loads (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 4, 1);
  g_autoptr (ReelReplayBuffer) fresh = counted_new_buffer ("tensor", 4, 1);
  g_autofree char *path = scratch_path ("dump");
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_replay_buffer_dumps (buffer, path, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (error->message, ==, "Cannot save a non-initialized storage.");
  g_clear_error (&error);
  counted_extend (buffer, 1, 3, 0);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, &error));
  g_assert_false (reel_replay_buffer_dumps (buffer, path, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  counted_extend (buffer, 1, 2, 3);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_FORCE, &error));
  g_assert_true (reel_replay_buffer_loads (fresh, path, &error));
  g_assert_no_error (error);
  assert_equal_buffers (buffer, fresh);
  scratch_assert_names (scratch_directory, "dump");
}

static void
test_info_and_batch_size_travel (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 4, 1);
  g_autoptr (ReelReplayBuffer) fresh = counted_new_buffer ("tensor", 4, 1);
  g_autofree char *path = scratch_path ("dump"), *env = NULL, *seed = NULL;
  g_auto (GStrv) keys = NULL;
  g_autoptr (GError) error = NULL;

  counted_extend (buffer, 1, 3, 0);
  reel_replay_buffer_set_batch_size (buffer, 32);
  g_assert_true (reel_replay_buffer_set_info (buffer, "env", "{\"id\": \"CartPole-v1\"}", &error));
  g_assert_true (reel_replay_buffer_set_info (buffer, "seed", "9007199254740993", &error));
  g_assert_true (reel_replay_buffer_set_info (buffer, "gone", "1", &error));
  g_assert_true (reel_replay_buffer_set_info (buffer, "gone", NULL, &error));
  g_assert_false (reel_replay_buffer_set_info (buffer, "bad", "{", &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, &error));
  g_assert_true (reel_replay_buffer_loads (fresh, path, &error));
  env = reel_replay_buffer_get_info (fresh, "env");
  seed = reel_replay_buffer_get_info (fresh, "seed");
  keys = reel_replay_buffer_list_info (fresh);
  g_assert_cmpstr (env, ==, "{\"id\":\"CartPole-v1\"}");
  g_assert_cmpstr (seed, ==, "9007199254740993");
  g_assert_cmpuint (g_strv_length (keys), ==, 2);
  g_assert_null (reel_replay_buffer_get_info (fresh, "gone"));
  g_assert_cmpint (reel_replay_buffer_get_batch_size (fresh), ==, 32);
}

static void
test_opened_is_for_reading (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 4, 1), opened = NULL;
  g_autofree char *path = scratch_path ("dump"), *before = NULL, *after = NULL;
  g_autoptr (ReelTensordict) batch = counted_new_batch (1, 1, 2, 3);
  g_autoptr (GError) error = NULL;

  counted_extend (buffer, 1, 3, 0);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, NULL));
  before = tree_digest (path);
  opened = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, NULL);
  g_assert_false (reel_replay_buffer_extend (opened, batch, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  assert_equal_buffers (buffer, opened);
  after = tree_digest (path);
  g_assert_cmpstr (before, ==, after);
}

static void
test_misfits_are_refused (void)
{
  static const struct
  {
    gint ndim;
    gint64 capacity;
    const char *word;
  } cases[] = { { 2, 10, "capacity=8" }, { 1, 8, "ndim" } };
  g_autoptr (ReelReplayBuffer) from = counted_new_buffer ("tensor", 8, 2);
  g_autofree char *path = scratch_path ("dump");

  counted_extend (from, 2, 3, 0);
  g_assert_true (reel_replay_buffer_dumps (from, path, 0, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelReplayBuffer) to =
          counted_new_buffer ("tensor", cases[i].capacity, cases[i].ndim);
      g_autoptr (GError) error = NULL;

      g_assert_false (reel_replay_buffer_loads (to, path, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, cases[i].word));
      g_assert_false (reel_storage_is_allocated (reel_replay_buffer_get_storage (to)));
    }
}

/* Keys that only one side has are left alone. */
static void
test_loads_into_what_is_there (void)
{
  g_autoptr (ReelReplayBuffer) from = counted_new_buffer ("tensor", 4, 1),
                               to = counted_new_buffer ("tensor", 4, 1);
  g_autoptr (ReelTensordict) batch = counted_new_batch (1, 1, 4, 100);
  g_autofree char *path = scratch_path ("dump");
  g_autoptr (ReelTensordict) all = NULL;
  g_autoptr (GError) error = NULL;

  counted_extend (from, 1, 3, 0);
  g_assert_true (reel_replay_buffer_dumps (from, path, 0, NULL));
  g_assert_true (reel_tensordict_remove (batch, "next", NULL));
  g_assert_true (reel_replay_buffer_extend (to, batch, NULL, NULL));
  g_assert_true (reel_replay_buffer_loads (to, path, &error));
  g_assert_no_error (error);
  all = reel_replay_buffer_get_all (to, NULL);
  g_assert_cmpint (reel_replay_buffer_get_length (to), ==, 3);
  for (gint64 i = 0; i < 3; i++)
    g_assert_cmpint (counted_get_number (all, &i), ==, i);
}

/* TorchRL loads counts into C ints: what is larger stands as near as it can, in whole steps. */
static void
test_counts_beyond_an_int (void)
{
  const gint64 most = G_MAXINT32;
  const ReelCheckpointPlace cases[] = { { 0, most, most }, { 0, most + 1, most + 1 } };
  ReelCheckpointCounts counts;

  reel_checkpoint_count (&cases[0], most + 5, 1, &counts);
  g_assert_true (counts.len == most && counts.cursor == most && counts.write_count == most);
  g_assert_false (counts.clamped);
  reel_checkpoint_count (&cases[1], most + 5, 1, &counts);
  g_assert_true (counts.len == most && counts.cursor == most && counts.write_count == most);
  g_assert_true (counts.clamped);
  reel_checkpoint_count (&cases[0], 1 << 30, 8, &counts);
  g_assert_true (counts.len == most / 8 * 8 && counts.cursor == most % (1 << 30));
  g_assert_true (counts.clamped);
}

/* ---- what stands at the path ---- */

static void
test_only_checkpoints_are_replaced (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 4, 1);
  g_autofree char *home = scratch_path ("home"), *letter = scratch_path ("home/letter");
  g_autofree char *empty = scratch_path ("empty"), *before = NULL, *after = NULL;
  g_autoptr (GError) error = NULL;

  counted_extend (buffer, 1, 3, 0);
  g_mkdir (home, 0777);
  g_mkdir (empty, 0777);
  scratch_put (letter, "dear all");
  before = tree_digest (home);
  g_assert_false (reel_replay_buffer_dumps (buffer, home, REEL_CHECKPOINT_FORCE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_false (reel_replay_buffer_dumps (buffer, letter, REEL_CHECKPOINT_FORCE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  after = tree_digest (home);
  g_assert_cmpstr (before, ==, after);
  g_assert_true (reel_replay_buffer_dumps (buffer, empty, 0, NULL));
}

/* T6.6-6, of the directory that TorchRL calls scratch_dir: dumps beside it refreshes in place */
static void
test_dump_of_a_storage_at_home (void)
{
  g_autofree char *path = scratch_path ("home"), *leaves = scratch_path ("home/storage");
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (
      REEL_TYPE_STORAGE, "memmap:capacity=4", NULL, "scratch-dir", leaves, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0);
  g_autoptr (ReelReplayBuffer) again = NULL;
  g_autoptr (GError) error = NULL;

  g_mkdir (path, 0777);
  counted_extend (buffer, 1, 3, 0);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, &error));
  g_assert_no_error (error);
  counted_extend (buffer, 1, 3, 3);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, &error));
  again = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);
  g_assert_no_error (error);
  assert_equal_buffers (buffer, again);
}

/* ---- damage ---- */

typedef struct
{
  const char *file;
  const char *old; /* NULL: cut the file, or remove it */
  const char *by;  /* NULL: remove the file */
  const char *found;
} Damage;

static const Damage damages[] = {
  { "buffer_metadata.json", NULL, NULL, "no replay buffer" },
  { "buffer_metadata.json", "{", "[", "buffer_metadata.json" },
  { "buffer_metadata.json", "\"batch_size\": null", "\"batch_size\": 2.0", "2.0" },
  { "buffer_metadata.json", "\"batch_size\"", "\"size\"", "batch_size" },
  { "storage/storage_metadata.json", NULL, NULL, "storage_metadata.json" },
  { "storage/storage_metadata.json", "\"len\": 8", "\"len\": 9", "len" },
  { "storage/storage_metadata.json", "\"len\": 8", "\"len\": 10", "len" },
  { "storage/storage_metadata.json", "\"len\": 8", "\"len\": -1", "-1" },
  { "storage/storage_metadata.json", "\"len\": 8", "\"len\": 8.0", "8.0" },
  { "storage/storage_metadata.json", "false", "0", "is_pytree" },
  { "writer/metadata.json", NULL, NULL, "metadata.json" },
  { "writer/metadata.json", "\"cursor\": 1", "\"cursor\": 4", "cursor" },
  { "writer/metadata.json", "\"cursor\": 1", "\"cursor\": -1", "cursor" },
  { "writer/metadata.json", "\"cursor\": 1", "\"cursor\": 1.0", "cursor" },
  { "writer/metadata.json", "\"cursor\": 1", "\"cursor\": true", "cursor" },
  { "writer/metadata.json", "}", "", "metadata.json" },
  { "storage/meta.json", NULL, NULL, "meta.json" },
  { "storage/meta.json", "torch.float32", "torch.float31", "float31" },
  { "storage/meta.json", "[4,2,3]", "[5,2,3]", "observation" },
  { "storage/meta.json", "\"shape\":[4,2],\"device\":\"cpu\",\"_type\"",
    "\"shape\":[],\"device\":\"cpu\",\"_type\"", "meta.json" },
  { "storage/next/meta.json", NULL, NULL, "next" },
  { "storage/observation.memmap", NULL, "", "observation.memmap" },
  { "storage/next/reward.memmap", NULL, "", "reward.memmap" },
  { "storage/next/reward.memmap", NULL, NULL, "reward.memmap" },
  { SIDECAR, "\"shape\":[4,2]", "\"shape\":[3,2]", "reel.json" },
  { SIDECAR, "\"end\":9", "\"end\":\"9\"", "reel.json" },
  { SIDECAR, "\"ndim\":2", "\"ndim\":17", "reel.json" },
  { SIDECAR, "\"names\":[null,null]", "\"names\":[1,null]", "reel.json" },
};

static void
do_damage (const char *dump, const Damage *damage)
{
  g_autofree char *path = g_build_filename (dump, damage->file, NULL);

  if (damage->old)
    replace_text (path, damage->old, damage->by);
  else if (damage->by)
    g_assert_cmpint (truncate (path, 7), ==, 0);
  else
    g_assert_cmpint (g_unlink (path), ==, 0);
}

static void
assert_refused (const char *dump, const char *found)
{
  g_autofree char *before = tree_digest (dump), *after = NULL;
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 8, 2);
  g_autoptr (GError) error = NULL, other = NULL;

  g_assert_null (reel_replay_buffer_open (dump, REEL_OPEN_DEFAULT, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, found));
  g_assert_false (reel_replay_buffer_loads (buffer, dump, &other));
  g_assert_error (other, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_false (reel_storage_is_allocated (reel_replay_buffer_get_storage (buffer)));
  after = tree_digest (dump);
  g_assert_cmpstr (before, ==, after);
}

static void
test_damage_is_told_and_touches_nothing (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (damages); i++)
    {
      g_autofree char *dump = golden_dump ("rb-ndim2-wrapped"), *path = NULL, *name = NULL;

      name = g_strdup_printf ("case-%" G_GSIZE_FORMAT, i);
      path = scratch_path (name);
      if (g_str_equal (damages[i].file, SIDECAR))
        {
          g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 8, 2);

          g_assert_true (reel_replay_buffer_loads (buffer, dump, NULL));
          g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, NULL));
        }
      else
        tree_copy (dump, path);
      do_damage (path, &damages[i]);
      assert_refused (path, damages[i].found);
    }
}

static void
test_what_is_no_checkpoint (void)
{
  g_autofree char *file = scratch_path ("file"), *missing = scratch_path ("missing");
  g_autoptr (GError) error = NULL;

  assert_refused (scratch_directory, "no replay buffer");
  scratch_put (file, "hello");
  g_assert_null (reel_replay_buffer_open (file, REEL_OPEN_DEFAULT, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_clear_error (&error);
  g_assert_null (reel_replay_buffer_open (missing, REEL_OPEN_DEFAULT, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
}

/* TorchRL attached the directory, wrote on, and dumped: its counts are right, ours are old. */
static void
test_what_another_program_wrote_since (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 8, 1), opened = NULL;
  g_autofree char *path = scratch_path ("dump"), *file = NULL, *all = NULL;
  g_auto (GStrv) warnings = NULL;

  counted_extend (buffer, 1, 3, 0);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, NULL));
  file = scratch_path ("dump/storage/storage_metadata.json");
  replace_text (file, "\"len\": 3", "\"len\": 5");
  g_free (file);
  file = scratch_path ("dump/writer/metadata.json");
  scratch_put (file, "{\"cursor\": 5, \"write_count\": 5}");
  opened = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, NULL);
  warnings = reel_replay_buffer_get_warnings (opened);
  all = g_strjoinv ("", warnings);
  g_assert_cmpint (reel_replay_buffer_get_length (opened), ==, 5);
  g_assert_cmpint (reel_replay_buffer_get_cursor (opened), ==, 5);
  g_assert_nonnull (strstr (all, "another program"));
}

/* Forms of TorchRL before 0.14. */
static void
test_older_forms (void)
{
  g_autofree char *dump = golden_copy ("rb-memmap-wrapped");
  g_autofree char *buffer = scratch_path ("rb-memmap-wrapped/buffer_metadata.json");
  g_autofree char *writer = scratch_path ("rb-memmap-wrapped/writer/metadata.json");
  g_autoptr (ReelReplayBuffer) opened = NULL;
  g_autoptr (GError) error = NULL;
  ReelRingInfo info;

  scratch_put (buffer, "{\"batch_size\": 32}");
  scratch_put (writer, "{\"cursor\": 2}");
  opened = reel_replay_buffer_open (dump, REEL_OPEN_DEFAULT, &error);
  g_assert_no_error (error);
  g_assert_cmpint (reel_replay_buffer_get_length (opened), ==, 5);
  g_assert_cmpint (reel_replay_buffer_get_cursor (opened), ==, 2);
  g_assert_cmpint (reel_replay_buffer_get_batch_size (opened), ==, 32);
  g_assert_true (reel_replay_buffer_get_ring (opened, &info, NULL));
  g_assert_cmpint (info.begin % info.capacity, ==, 2);
}

/* ---- faults ---- */

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
  /* What was replaced can be left beside if it cannot be removed; a failed dump leaves nothing. */
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

  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      gboolean struck = TRUE;
      gint64 n;

      for (n = 1; struck; n++)
        {
          g_autoptr (ReelReplayBuffer) old = counted_new_buffer ("tensor", 4, 1);
          g_autoptr (ReelReplayBuffer) from = counted_new_buffer ("tensor", 4, 1);

          counted_extend (old, 1, 2, 0);
          counted_extend (from, 1, 3, 100);
          g_assert_true (reel_replay_buffer_dumps (old, path, REEL_CHECKPOINT_FORCE, NULL));
          check_dump_fault (from, path, &faults[i], n, &struck);
        }
      g_assert_cmpint (n, >, faults[i].call || faults[i].error == 0 ? 1 : 100);
    }
}

static void
test_loads_fails_whole (void)
{
  g_autoptr (ReelReplayBuffer) from = counted_new_buffer ("tensor", 4, 1);
  g_autofree char *path = scratch_path ("dump");
  gboolean struck = TRUE;

  counted_extend (from, 1, 3, 0);
  g_assert_true (reel_replay_buffer_dumps (from, path, 0, NULL));
  for (gint64 n = 1; struck; n++)
    {
      g_autoptr (ReelReplayBuffer) to = counted_new_buffer ("tensor", 4, 1);
      g_autoptr (GError) error = NULL;
      gboolean done;

      file_faults_begin ();
      file_faults_fail (NULL, n, EIO, FALSE);
      done = reel_replay_buffer_loads (to, path, &error);
      struck = file_faults_struck ();
      file_faults_end ();
      g_assert_true (done == (error == NULL));
      if (!done)
        g_assert_false (reel_storage_is_allocated (reel_replay_buffer_get_storage (to)));
      else
        assert_equal_buffers (from, to);
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
      g_autofree char *open = g_strconcat ("/buffers/checkpoint/opens/", golden[i], NULL);
      g_autofree char *write = g_strconcat ("/buffers/checkpoint/written-back/", golden[i], NULL);

      scratch_test_with_data (open, test_golden_opens, golden[i]);
      scratch_test_with_data (write, test_golden_is_written_back, golden[i]);
    }
#define TEST(name, function) scratch_test ("/buffers/checkpoint/" name, function)
  TEST ("immutable-has-no-writer", test_immutable_has_no_writer);
  TEST ("left-out-state-is-named", test_left_out_state_is_named);
  TEST ("strings-are-left-out", test_strings_are_left_out);
  TEST ("other-kinds-are-refused-by-name", test_other_kinds_are_refused_by_name);
  TEST ("round-trips", test_round_trips);
  TEST ("dumps-twice-loads", test_dumps_twice_loads);
  TEST ("info-and-batch-size-travel", test_info_and_batch_size_travel);
  TEST ("counts-beyond-an-int", test_counts_beyond_an_int);
  TEST ("opened-is-for-reading", test_opened_is_for_reading);
  TEST ("misfits-are-refused", test_misfits_are_refused);
  TEST ("loads-into-what-is-there", test_loads_into_what_is_there);
  TEST ("only-checkpoints-are-replaced", test_only_checkpoints_are_replaced);
  TEST ("dump-of-a-storage-at-home", test_dump_of_a_storage_at_home);
  TEST ("damage-is-told-and-touches-nothing", test_damage_is_told_and_touches_nothing);
  TEST ("what-is-no-checkpoint", test_what_is_no_checkpoint);
  TEST ("what-another-program-wrote-since", test_what_another_program_wrote_since);
  TEST ("older-forms", test_older_forms);
  TEST ("dumps-survives-any-fault", test_dumps_survives_any_fault);
  TEST ("loads-fails-whole", test_loads_fails_whole);

  return g_test_run ();
}
