/* The contract of checkpointers, and hooks. */
#include "../src/core/system/directories.h"
#include "../src/reel.h"
#include "golden-buffer.h"
#include "scratch.h"
#include "ted-rows.h"

#include <string.h>

static const TedRows part = { 1, 4, 3, 2, FALSE };
static const TedRows wrapped = { 2, 3, 4, 0x12, FALSE };

/* ---- every class ---- */

static void
check_round_trip (const char *id, const TedRows *rows)
{
  g_autoptr (ReelReplayBuffer) from = ted_rows_buffer ("memmap", rows), opened = NULL;
  g_autoptr (ReelReplayBuffer) to = ted_rows_empty_buffer ("tensor", rows);
  g_autofree char *path = scratch_path ("dump");
  g_autoptr (GError) error = NULL;

  ted_rows_set_checkpointer (from, id);
  g_assert_true (reel_replay_buffer_dumps (from, path, REEL_CHECKPOINT_FORCE, &error));
  g_assert_no_error (error);
  g_assert_true (reel_replay_buffer_loads (to, path, &error));
  g_assert_no_error (error);
  assert_equal_buffers (from, to);
  opened = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, &error);
  g_assert_no_error (error);
  assert_equal_buffers (from, opened);
}

static void
test_round_trip (gconstpointer id)
{
  check_round_trip (id, &part);
  check_round_trip (id, &wrapped);
}

/* Reading does not ask who reads. */
static void
test_is_recognised (gconstpointer id)
{
  static const char *const readers[] = { "tensor", "flat", "nested" };
  g_autoptr (ReelReplayBuffer) from = ted_rows_buffer ("tensor", &wrapped);
  g_autofree char *path = scratch_path ("dump");

  ted_rows_set_checkpointer (from, id);
  g_assert_true (reel_replay_buffer_dumps (from, path, 0, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (readers); i++)
    {
      g_autoptr (ReelReplayBuffer) to = ted_rows_empty_buffer ("tensor", &wrapped);

      ted_rows_set_checkpointer (to, readers[i]);
      g_assert_true (reel_replay_buffer_loads (to, path, NULL));
      assert_equal_buffers (from, to);
    }
}

static void
test_in_order (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) from = ted_rows_buffer ("tensor", &wrapped), opened = NULL;
  g_autofree char *path = scratch_path ("dump");
  ReelOrderedDump dump = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) all = NULL;

  ted_rows_set_checkpointer (from, id);
  g_assert_true (reel_replay_buffer_dumps_in_order (from, path, &dump, 0, &error));
  g_assert_no_error (error);
  scratch_assert_names (scratch_directory, "dump");
  opened = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, &error);
  g_assert_no_error (error);
  g_assert_cmpint (reel_replay_buffer_get_length (opened), ==, 6);
  all = reel_replay_buffer_get_all (opened, &error);
  for (gint64 lane = 0; lane < 2; lane++)
    for (gint64 t = 0; t < 3; t++)
      {
        const gint64 place[] = { lane, t };
        const ReelTensor *action = reel_tensordict_get_tensor (all, "action", NULL);

        g_assert_cmpint (*(gint64 *) reel_tensor_element (action, place), ==, (t + 1) * 2 + lane);
      }
}

/* Rows in a storage's own directory have the form of memory. */
static void
test_own_files_are_left (gconstpointer id)
{
  g_autofree char *path = scratch_path ("home"), *leaves = scratch_path ("home/storage");
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (
      REEL_TYPE_STORAGE, "memmap:capacity=4", NULL, "scratch-dir", leaves, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  g_autoptr (ReelTensordict) batch = ted_rows_batch (&part, 0, 3);
  g_autofree char *before = NULL, *after = NULL;
  g_autoptr (GError) error = NULL;
  gboolean plain = strcmp (id, "tensor") == 0 || strcmp (id, "TensorStorageCheckpointer") == 0;

  g_assert_true (reel_replay_buffer_extend (buffer, batch, NULL, NULL));
  ted_rows_set_checkpointer (buffer, id);
  before = tree_digest (path);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_FORCE, &error) == plain);
  if (plain)
    return;
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  after = tree_digest (path);
  g_assert_cmpstr (before, ==, after);
}

/* ---- hooks ---- */

typedef struct
{
  float factor;
  gint n_calls;
  gint64 shift;
  gboolean is_full;
  gboolean fails;
  gint n_destroyed;
} Scale;

static void
destroy_scale (gpointer data)
{
  ((Scale *) data)->n_destroyed++;
}

/* Multiplies what is seen. */
static ReelTensordict *
scale (ReelTensordict *data, const ReelCheckpointState *state, gpointer user_data, GError **error)
{
  static const char *const keys[] = { "observation", "next/observation" };
  Scale *self = user_data;
  ReelTensordict *scaled = reel_tensordict_clone (data, TRUE, NULL);

  self->n_calls++;
  self->shift = state->shift;
  self->is_full = state->is_full;
  g_assert_true (g_str_has_suffix (state->path, "/storage"));
  for (gsize k = 0; k < G_N_ELEMENTS (keys); k++)
    {
      const ReelTensor *tensor = reel_tensordict_get_tensor (scaled, keys[k], NULL);

      for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
        ((float *) tensor->data)[i] *= self->factor;
    }
  if (!self->fails)
    return scaled;
  reel_tensordict_unref (scaled);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE, "no wish to");
  return NULL;
}

static void
add_hooks (ReelReplayBuffer *buffer, Scale *save, Scale *load)
{
  ReelCheckpointer *checkpointer = reel_replay_buffer_get_checkpointer (buffer);

  if (save)
    reel_checkpointer_add_save_hook (checkpointer, scale, save, destroy_scale);
  if (load)
    reel_checkpointer_add_load_hook (checkpointer, scale, load, destroy_scale);
}

static float
second_observation (ReelReplayBuffer *buffer)
{
  ReelTensordict *data = reel_storage_get_data (reel_replay_buffer_get_storage (buffer));

  return ((float *) reel_tensordict_get_tensor (data, "observation", NULL)->data)[2];
}

static void
test_hooks_change_what_is_saved_and_loaded (gconstpointer id)
{
  Scale twice = { .factor = 2 }, half = { .factor = 0.5f }, thrice = { .factor = 3 };
  g_autofree char *path = scratch_path ("dump");
  ReelReplayBuffer *from = ted_rows_buffer ("tensor", &wrapped);
  ReelReplayBuffer *to = ted_rows_empty_buffer ("tensor", &wrapped);
  g_autoptr (ReelReplayBuffer) opened = NULL;
  g_autoptr (GError) error = NULL;

  ted_rows_set_checkpointer (from, id);
  add_hooks (from, &twice, NULL);
  add_hooks (from, &thrice, NULL);
  g_assert_true (reel_replay_buffer_dumps (from, path, 0, &error));
  g_assert_no_error (error);
  g_assert_true (second_observation (from) == 7);
  opened = reel_replay_buffer_open (path, REEL_OPEN_DEFAULT, NULL);
  g_assert_true (second_observation (opened) == 6 * 7);
  add_hooks (to, NULL, &half);
  g_assert_true (reel_replay_buffer_loads (to, path, &error));
  g_assert_no_error (error);
  g_assert_true (second_observation (to) == 3 * 7);
  g_assert_cmpint (twice.n_calls, ==, 1);
  g_assert_cmpint (thrice.n_calls, ==, 1);
  g_assert_cmpint (half.n_calls, ==, 1);
  g_object_unref (from);
  g_object_unref (to);
  g_assert_cmpint (twice.n_destroyed, ==, 1);
  g_assert_cmpint (thrice.n_destroyed, ==, 1);
  g_assert_cmpint (half.n_destroyed, ==, 1);
}

/* T10-2 */
static void
test_save_hook_sees_where_it_stands (void)
{
  for (gint64 written = 1; written <= 21; written++)
    {
      const TedRows rows = { 1, 10, written, 0, FALSE };
      g_autoptr (ReelReplayBuffer) buffer = ted_rows_buffer ("tensor", &rows);
      g_autofree char *path = scratch_path ("dump");
      Scale seen = { .factor = 1 };

      add_hooks (buffer, &seen, NULL);
      g_assert_true (reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_FORCE, NULL));
      g_assert_cmpint (seen.shift, ==, (written - 1) % 10 + 1);
      g_assert_cmpint (seen.is_full, ==, written >= 10);
    }
}

static void
test_a_hook_that_fails_leaves_nothing (void)
{
  Scale refuses = { .factor = 1, .fails = TRUE };
  g_autoptr (ReelReplayBuffer) from = ted_rows_buffer ("tensor", &part);
  g_autoptr (ReelReplayBuffer) to = ted_rows_empty_buffer ("tensor", &part);
  g_autofree char *path = scratch_path ("dump");
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_replay_buffer_dumps (from, path, 0, NULL));
  add_hooks (to, NULL, &refuses);
  g_assert_false (reel_replay_buffer_loads (to, path, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_false (reel_storage_is_allocated (reel_replay_buffer_get_storage (to)));
  g_clear_error (&error);
  g_assert_true (reel_directory_remove (path, NULL));
  add_hooks (from, &refuses, NULL);
  g_assert_false (reel_replay_buffer_dumps (from, path, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  scratch_assert_names (scratch_directory, "");
}

/* As by TorchRL: the leaves of a tree are read into a storage one by one. */
static void
test_trees_have_no_load_hooks (void)
{
  Scale never = { .factor = 1 };
  g_autofree char *dump = golden_dump ("rb-pytree");
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=5", NULL, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  g_autoptr (GError) error = NULL;

  add_hooks (buffer, NULL, &never);
  g_assert_false (reel_replay_buffer_loads (buffer, dump, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpint (never.n_calls, ==, 0);
}

static void
assert_not_attached (const char *path, Scale *hook, const char *told)
{
  g_autofree char *leaves = g_build_filename (path, "storage", NULL);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (
      REEL_TYPE_STORAGE, "memmap:capacity=4", NULL, "scratch-dir", leaves, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  g_autofree char *before = tree_digest (path), *after = NULL;
  g_autoptr (GError) error = NULL;

  add_hooks (buffer, NULL, hook);
  g_assert_false (reel_replay_buffer_loads (buffer, path, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, told));
  after = tree_digest (path);
  g_assert_cmpstr (before, ==, after);
}

/* A storage would write to the files, and they are not what it thinks. */
static void
test_only_rows_as_in_memory_are_attached (void)
{
  Scale never = { .factor = 1 };
  g_autoptr (ReelReplayBuffer) from = ted_rows_buffer ("tensor", &part);
  g_autofree char *plain = scratch_path ("plain"), *flat = scratch_path ("flat");

  g_assert_true (reel_replay_buffer_dumps (from, plain, 0, NULL));
  assert_not_attached (plain, &never, "load hooks");
  ted_rows_set_checkpointer (from, "flat");
  g_assert_true (reel_replay_buffer_dumps (from, flat, 0, NULL));
  assert_not_attached (flat, NULL, "another layout there than in memory");
}

int
main (int argc, char **argv)
{
  gsize n;
  g_autofree const ReelId **ids = NULL;

  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();
  ids = reel_object_list_ids (REEL_TYPE_CHECKPOINTER, &n);

#define PATH "/buffers/checkpointers/"
  for (gsize i = 0; i < n; i++)
    {
      static const struct
      {
        const char *name;
        void (*run) (gconstpointer);
      } tests[] = {
        { "round-trip", test_round_trip },
        { "is-recognised", test_is_recognised },
        { "in-order", test_in_order },
        { "own-files-are-left", test_own_files_are_left },
        { "hooks-change-what-is-saved-and-loaded", test_hooks_change_what_is_saved_and_loaded },
      };

      for (gsize t = 0; t < G_N_ELEMENTS (tests); t++)
        {
          g_autofree char *path = g_strdup_printf (PATH "%s/%s", ids[i]->id, tests[t].name);

          scratch_test_with_data (path, tests[t].run, ids[i]->id);
        }
    }
  scratch_test (PATH "save-hook-sees-where-it-stands", test_save_hook_sees_where_it_stands);
  scratch_test (PATH "a-hook-that-fails-leaves-nothing", test_a_hook_that_fails_leaves_nothing);
  scratch_test (PATH "trees-have-no-load-hooks", test_trees_have_no_load_hooks);
  scratch_test (PATH "only-rows-as-in-memory-are-attached",
                test_only_rows_as_in_memory_are_attached);
  return g_test_run ();
}
