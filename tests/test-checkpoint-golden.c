/* Checkpoints that TorchRL wrote are read, and written back as it would. */
#include "../src/reel.h"
#include "counted-rows.h"
#include "golden-buffer.h"
#include "scratch.h"

#include <string.h>

static void
assert_same_samples (ReelReplayBuffer *a, ReelReplayBuffer *b)
{
  g_autoptr (ReelTensordict) one = NULL, other = NULL;

  g_assert_true (reel_replay_buffer_sample (a, 4, &one, NULL)
                 == reel_replay_buffer_sample (b, 4, &other, NULL));
  g_assert_true (one ? reel_tensordict_equal (one, other) : !other);
}

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

/* T10-1 */
static void
test_golden_is_written_back (gconstpointer name)
{
  g_autoptr (json_t) expect = golden_expect (name);
  g_autofree char *dump = golden_dump (name), *path = scratch_path ("again");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (dump, REEL_OPEN_DEFAULT, &error);
  g_autoptr (ReelReplayBuffer) again = NULL;

  g_assert_no_error (error);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, &error));
  g_assert_no_error (error);
  golden_assert_same_files (dump, path, golden_rows (expect), golden_steps (expect));
  again = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, &error);
  g_assert_no_error (error);
  golden_assert_content (expect, again);
  assert_equal_buffers (buffer, again);
  assert_same_samples (buffer, again);
}

/* T10-1, for the parts that there are, in a buffer that was made before */
static void
test_golden_is_loaded (gconstpointer name)
{
  static const char *const kinds[] = { "tensor", "memmap" };
  g_autoptr (json_t) expect = golden_expect (name);
  const json_t *storage = json_object_get (expect, "storage");
  gint64 rows = golden_rows (expect), steps = golden_steps (expect);
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

static void
test_left_out_state_is_named (void)
{
  static const char *const cases[][2] = { { "rb-rng-transform",
                                            ": transforms.0.standard_normal, transforms.0.loc, "
                                            "transforms.0.scale; left out" },
                                          { "rb-rng-transform", "random generator; left out" },
                                          { "rb-prefetch", "drew ahead; left out" } };

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
      warnings = reel_replay_buffer_dup_warnings (buffer);
      all = g_strjoinv ("\n", warnings);
      g_assert_nonnull (strstr (all, cases[i][1]));
    }
}

static void
assert_text_is_left_out (const json_t *expect, ReelReplayBuffer *buffer)
{
  g_auto (GStrv) warnings = reel_replay_buffer_dup_warnings (buffer);

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
  g_autoptr (ReelReplayBuffer) attached = reel_replay_buffer_new (home, NULL, NULL, 0, NULL);

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
    { "rb-ensemble2", "ensemble" },
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

static gboolean
is_class (const json_t *expect, const char *part, const char *const *classes)
{
  const json_t *class = json_object_get (json_object_get (expect, part), "class");

  return g_strv_contains (classes, json_string_value (class));
}

/* By samplers and writers that keep nothing but the cursor. */
static gboolean
is_plain (const json_t *expect)
{
  static const char *const samplers[] = { "RandomSampler", "SliceSampler", NULL };
  static const char *const writers[] = { "RoundRobinWriter", "TensorDictRoundRobinWriter",
                                         "ImmutableDatasetWriter", NULL };

  return is_class (expect, "sampler", samplers) && is_class (expect, "writer", writers)
         && !json_object_get (json_object_get (expect, "writer"), "generation");
}

/* Ensembles have tests/test-ensemble-files.c, lists of values tests/test-checkpoint-values.c, and
 * what is packed is written back in tests/test-checkpoint-trajectories.c. */
static void
add_tests (const char *name)
{
  /* How ranks are reduced, the dtype of sums; and of the third TorchRL loses a leaf. Their own
   * tests say it to the buffer. */
  static const char *const not_told[] = { "rb-max-reduced", "rb-per-f64", "rb-per-short-capacity",
                                          NULL };
  g_autofree char *opens = g_strconcat ("/buffers/checkpoint/opens/", name, NULL);
  g_autofree char *loads = g_strconcat ("/buffers/checkpoint/is-loaded/", name, NULL);
  g_autofree char *back = g_strconcat ("/buffers/checkpoint/is-written-back/", name, NULL);
  g_autoptr (json_t) expect = golden_expect (name);
  const char *checkpointer = golden_checkpointer (expect);

  if (!checkpointer || strcmp (name, "rb-strings") == 0)
    return;
  scratch_test_with_data (opens, test_golden_opens, name);
  if (strcmp (checkpointer, "TensorStorageCheckpointer") != 0)
    return;
  if (!g_strv_contains (not_told, name))
    scratch_test_with_data (back, test_golden_is_written_back, name);
  if (is_plain (expect))
    scratch_test_with_data (loads, test_golden_is_loaded, name);
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
    add_tests (names->pdata[i]);
#define TEST(name, function) scratch_test ("/buffers/checkpoint/" name, function)
  TEST ("left-out-state-is-named", test_left_out_state_is_named);
  TEST ("strings-are-left-out", test_strings_are_left_out);
  TEST ("other-kinds-are-refused-by-name", test_other_kinds_are_refused_by_name);
  TEST ("older-forms", test_older_forms);

  return g_test_run ();
}
