/* Checkpoints of compressed lists: TorchRL's are read, ours are what it would read. */
#include "../src/core/system/directories.h"
#include "../src/reel.h"
#include "golden-buffer.h"
#include "scratch.h"

#include <string.h>

static ReelReplayBuffer *
new_buffer (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, text, &error, NULL);

  g_assert_no_error (error);
  return reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
}

static void
set (ReelTensordict *td, const char *path, ReelTensor *tensor)
{
  g_autoptr (ReelTensor) taken = tensor;

  g_assert_true (reel_tensordict_set_tensor (td, path, taken, NULL));
}

static ReelTensordict *
new_row (gint64 number)
{
  gint64 n = number % 3;
  ReelTensor *id = reel_tensor_new (REEL_DTYPE_INT64, 0, NULL, NULL);
  ReelTensor *ragged = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, &n, NULL);
  ReelTensordict *row = reel_tensordict_new (0, NULL);

  *(gint64 *) id->data = number;
  for (gint64 i = 0; i < n; i++)
    ((float *) ragged->data)[i] = (float) number;
  set (row, "id", id);
  set (row, "odd key", reel_tensor_ref (ragged));
  reel_tensor_unref (ragged);
  return row;
}

static void
dump (ReelReplayBuffer *buffer, const char *path)
{
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_FORCE, &error);
  g_assert_no_error (error);
}

static ReelReplayBuffer *
load (const char *text, const char *path)
{
  ReelReplayBuffer *buffer = new_buffer (text);
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_loads (buffer, path, &error);
  g_assert_no_error (error);
  return buffer;
}

/* ---- TorchRL's ---- */

static void
assert_golden_rows (ReelReplayBuffer *buffer)
{
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 3);
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, 3);
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, 3);
  for (gint64 i = 0; i < 3; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelTensordict) row = reel_replay_buffer_get_item (buffer, i, &error);
      const ReelTensor *a = reel_tensordict_get_tensor (row, "a", NULL);
      const ReelTensor *b = reel_tensordict_get_tensor (row, "b", NULL);

      g_assert_no_error (error);
      g_assert_cmpint (a->dtype, ==, REEL_DTYPE_FLOAT32);
      g_assert_cmpint (a->shape[0], ==, 4);
      for (gint k = 0; k < 4; k++)
        g_assert_cmpfloat (((float *) a->data)[k], ==, (float) (4 * i + k));
      g_assert_cmpint (b->ndim, ==, 0);
      g_assert_cmpint (*(gint64 *) b->data, ==, i);
    }
}

static void
test_golden_is_read (void)
{
  g_autofree char *path = golden_dump ("rb-compressed"), *again = scratch_path ("again");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) opened = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);
  g_autoptr (ReelReplayBuffer) loaded = load ("compressed-list:capacity=8", path);
  g_autoptr (ReelReplayBuffer) back = NULL;
  g_autoptr (ReelTensordict) row = new_row (7), batch = NULL;

  g_assert_no_error (error);
  assert_golden_rows (opened);
  assert_golden_rows (loaded);
  g_assert_false (reel_replay_buffer_add (opened, row, NULL, NULL));
  g_assert_true (reel_replay_buffer_sample (opened, 5, &batch, NULL));
  dump (loaded, again);
  back = load ("compressed-list:capacity=8", again);
  assert_golden_rows (back);
  g_assert_true (reel_replay_buffer_add (back, row, NULL, NULL));
  g_assert_cmpint (reel_replay_buffer_get_cursor (back), ==, 4);
}

/* ---- ours ---- */

static void
assert_rows (ReelReplayBuffer *buffer, gint64 first, gint64 n)
{
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, n);
  for (gint64 i = 0; i < n; i++)
    {
      g_autoptr (ReelTensordict) found = NULL, expected = new_row (first + i), one = NULL;
      g_autoptr (ReelTensordict) rows = reel_replay_buffer_get_rows (buffer, i, 1, NULL);

      one = reel_tensordict_select_index (rows, 0, 0, NULL);
      g_assert_true (reel_tensordict_equal (one, expected));
    }
}

/* Every length of a ring of up to 4, up to two rounds, into every capacity up to 6. */
static void
test_every_ring_is_written_and_read (void)
{
  g_autofree char *path = scratch_path ("ring");
  gint n_cases = 0;

  for (gint64 capacity = 1; capacity <= 4; capacity++)
    for (gint64 n = 1; n <= 2 * capacity + 1; n++)
      {
        g_autofree char *text =
            g_strdup_printf ("compressed-list:capacity=%" G_GINT64_FORMAT, capacity);
        g_autoptr (ReelReplayBuffer) buffer = new_buffer (text), opened = NULL;
        gint64 length = MIN (n, capacity);

        for (gint64 i = 0; i < n; i++)
          {
            g_autoptr (ReelTensordict) row = new_row (i);
            g_assert_true (reel_replay_buffer_add (buffer, row, NULL, NULL));
          }
        dump (buffer, path);
        opened = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, NULL);
        assert_rows (opened, n - length, length);
        for (gint64 other = length; other <= 6; other++, n_cases++)
          {
            g_autofree char *target =
                g_strdup_printf ("compressed-list:capacity=%" G_GINT64_FORMAT, other);
            g_autoptr (ReelReplayBuffer) loaded = load (target, path);
            g_autoptr (ReelTensordict) next = new_row (n);

            assert_rows (loaded, n - length, length);
            g_assert_true (reel_replay_buffer_add (loaded, next, NULL, NULL));
            assert_rows (loaded, n + 1 - MIN (length + 1, other), MIN (length + 1, other));
          }
      }
  g_test_message ("%d rings", n_cases);
}

/* All that such files can hold; and what they cannot is refused by name. */
static void
test_rows_of_all_kinds (void)
{
  const gint64 two = 2;
  g_autofree char *path = scratch_path ("kinds"), *other = scratch_path ("refused");
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("compressed-list:capacity=9"), loaded = NULL;
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_INT16, 1, &two, NULL);
  g_autoptr (ReelTensordict) bare = reel_tree_new_single (tensor);
  g_autoptr (ReelTensordict) string =
      reel_tree_new_single_value (g_variant_new_string ("a string!"), NULL);
  g_autoptr (ReelTensordict) none = reel_tree_new_single_value (NULL, NULL);
  g_autoptr (ReelTensordict) batched = reel_tensordict_new (1, &two);
  g_autoptr (ReelTensordict) mixed = new_row (2), nested = new_row (2);
  ReelTensordict *const rows[] = { bare, string, none, batched, mixed };
  g_autoptr (GError) error = NULL;

  set (batched, "t", reel_tensor_ref (tensor));
  g_assert_true (reel_tensordict_set_value (mixed, "text", g_variant_new_string ("hello"), NULL));
  reel_tensordict_remove (mixed, "odd key", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    g_assert_true (reel_replay_buffer_add (buffer, rows[i], NULL, NULL));
  dump (buffer, path);
  loaded = load ("compressed-list:capacity=9", path);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (ReelTensordict) row = reel_replay_buffer_get_item (loaded, (gint64) i, NULL);
      g_assert_true (reel_tensordict_equal (row, rows[i]));
    }
  set (nested, "next/t", reel_tensor_ref (tensor));
  g_assert_true (reel_replay_buffer_add (buffer, nested, NULL, NULL));
  g_assert_false (reel_replay_buffer_dumps (buffer, other, REEL_CHECKPOINT_DEFAULT, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
  g_assert_nonnull (strstr (error->message, "nested"));
}

static void
test_lists_have_no_files (void)
{
  static const char *const kinds[] = { "list", "lazy-stack" };
  g_autofree char *path = scratch_path ("list"), *golden = golden_dump ("rb-compressed");
  g_autofree char *columns = golden_dump ("rb-plain-add");
  g_autoptr (ReelReplayBuffer) tensor = new_buffer ("tensor:capacity=9"), packed = NULL;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autoptr (ReelReplayBuffer) buffer = new_buffer (kinds[i]);
      g_autoptr (ReelTensordict) row = new_row (1);

      g_assert_true (reel_replay_buffer_add (buffer, row, NULL, NULL));
      g_assert_false (reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_DEFAULT, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
      g_clear_error (&error);
      g_assert_false (reel_replay_buffer_loads (buffer, golden, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
      g_clear_error (&error);
      g_assert_false (reel_replay_buffer_loads (buffer, columns, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
      g_clear_error (&error);
      g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 1);
    }
  g_assert_false (reel_replay_buffer_loads (tensor, golden, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
  packed = new_buffer ("compressed-list");
  g_assert_false (reel_replay_buffer_loads (packed, columns, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_false (reel_replay_buffer_dumps (packed, path, REEL_CHECKPOINT_DEFAULT, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

/* ---- damage ---- */

static void
assert_damaged (const char *file, const char *content, gsize length, gint code)
{
  g_autofree char *path = golden_copy ("rb-compressed");
  g_autofree char *name = g_build_filename (path, "storage", file, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = NULL;

  g_assert_true (g_file_set_contents (name, content, (gssize) length, NULL));
  buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);
  g_assert_null (buffer);
  g_assert_error (error, REEL_ERROR, code);
  g_assert_true (reel_directory_remove (path, NULL));
}

static void
test_damage_is_named (void)
{
  static const char *const bad[] = {
    "", "{}", "[]", "[0,1]", "[0,1,2,3]", "[0,2,1]", "[0,null,2]", "[1,2,3]",
  };
  static const char *const rows[] = {
    "[1,2,3]",
    "[{\"type\":\"x\"},{},{}]",
    "[{\"type\":\"tensordict\"},{},{}]",
    "[{\"type\":\"tensordict\",\"fields\":{\"a\":{}}},{},{}]",
    "[{\"type\":\"tensordict\",\"fields\":{\"a\":{\"type\":\"tensor\"}}},{},{}]",
    "[{\"type\":\"tensordict\",\"fields\":{\"a\":{\"type\":\"tensor\",\"shape\":{\"__type__\":"
    "\"torch.Size\",\"value\":[4]},\"dtype\":{\"__type__\":\"torch.dtype\",\"value\":\"x\"}}}},{},{"
    "}]",
    "[{\"type\":\"tensordict\",\"fields\":{\"a\":{\"type\":\"tensor\",\"shape\":{\"__type__\":"
    "\"torch.Size\",\"value\":[-4]},\"dtype\":{\"__type__\":\"torch.dtype\",\"value\":\"torch."
    "float32\"}}}},{},{}]",
    "[{\"type\":\"tensordict\",\"fields\":{\"a\":{\"type\":\"tensor\",\"shape\":{\"__type__\":"
    "\"torch.Size\",\"value\":[4000000000,4000000000]},\"dtype\":{\"__type__\":\"torch.dtype\","
    "\"value\":\"torch.float32\"}}}},{},{}]",
    "[{\"type\":\"tensordict\",\"fields\":{\"a\":{\"type\":\"tensor\",\"shape\":{\"__type__\":"
    "\"torch.Size\",\"value\":[4000000000]},\"dtype\":{\"__type__\":\"torch.dtype\",\"value\":"
    "\"torch.float32\"}}}},{},{}]",
    "[{\"type\":\"other\"},{},{}]",
    "[{\"type\":\"tensor\",\"shape\":{\"__type__\":\"torch.Size\",\"value\":[4]},\"dtype\":{\"__"
    "type__\":\"torch.dtype\",\"value\":\"torch.float32\"}},{},{}]",
  };
  const char zstd[18] = "\x28\xb5\x2f\xfd";

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    assert_damaged ("data_indices.json", bad[i], strlen (bad[i]), REEL_ERROR_DAMAGED);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    assert_damaged ("metadata.json", rows[i], strlen (rows[i]), REEL_ERROR_DAMAGED);
  assert_damaged ("compressed_data/0/a.memmap", "no stream of zlib's", 18, REEL_ERROR_DAMAGED);
  assert_damaged ("compressed_data/0/a.memmap", zstd, 18, REEL_ERROR_NOT_IMPLEMENTED);
  assert_damaged ("compressed_data/0/a.memmap", "short", 5, REEL_ERROR_DAMAGED);
}

/* Faults that only decompression finds: a reader names the row, and so does verification. */
static void
test_a_changed_byte_is_found (void)
{
  g_autofree char *path = golden_copy ("rb-compressed");
  g_autofree char *name = g_build_filename (path, "storage/compressed_data/1/a.memmap", NULL);
  g_autofree char *bytes = NULL;
  gsize length;
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = NULL;
  g_autoptr (ReelTensordict) row = NULL;
  g_autoptr (ReelCheckpointReport) report = NULL;

  g_assert_true (g_file_get_contents (name, &bytes, &length, NULL));
  bytes[length - 1] ^= 1;
  g_assert_true (g_file_set_contents (name, bytes, (gssize) length, NULL));
  buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL);
  row = reel_replay_buffer_get_item (buffer, 0, NULL);
  g_assert_nonnull (row);
  g_assert_null (reel_replay_buffer_get_item (buffer, 1, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  report = reel_checkpoint_verify (path, NULL);
  g_assert_cmpint (report->faults->len, ==, 1);
  g_assert_cmpint (((ReelCheckpointFault *) report->faults->pdata[0])->step, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

  scratch_test ("/buffers/checkpoint/values/golden-is-read", test_golden_is_read);
  scratch_test ("/buffers/checkpoint/values/every-ring-is-written-and-read",
                test_every_ring_is_written_and_read);
  scratch_test ("/buffers/checkpoint/values/rows-of-all-kinds", test_rows_of_all_kinds);
  scratch_test ("/buffers/checkpoint/values/lists-have-no-files", test_lists_have_no_files);
  scratch_test ("/buffers/checkpoint/values/damage-is-named", test_damage_is_named);
  scratch_test ("/buffers/checkpoint/values/a-changed-byte-is-found", test_a_changed_byte_is_found);

  return g_test_run ();
}
