/* A buffer besides its rows: its layout, its text, and its reports to followers. */
#include "../src/reel.h"
#include "../src/buffers/storages/storage-private.h"
#include "counted-rows.h"

#include <string.h>

/* T3.8-3 */
static void
test_empty (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 5, 1);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  for (gint keep = 0; keep < 2; keep++)
    {
      counted_extend (buffer, 1, 7, 0);
      g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, 7);
      g_assert_true (reel_replay_buffer_empty (buffer, !keep, NULL));
      g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 0);
      g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, 0);
      g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, keep ? 7 : 0);
      g_assert_false (reel_replay_buffer_sample (buffer, 2, &batch, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
      g_assert_cmpstr (error->message, ==, "Cannot sample from an empty storage.");
      g_clear_error (&error);
    }
  counted_extend (buffer, 1, 3, 0);
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, 10);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 3);
}

/* ---- what does not fit ---- */

static void
assert_refused (ReelReplayBuffer *buffer, ReelTensordict *data, ReelError code, const char *word)
{
  g_autoptr (GError) error = NULL;
  gint64 length = reel_replay_buffer_get_length (buffer);

  g_assert_false (reel_replay_buffer_extend (buffer, data, NULL, &error));
  g_assert_error (error, REEL_ERROR, (int) code);
  g_assert_nonnull (strstr (error->message, word));
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, length);
}

static void
set_x (ReelTensordict *td, const char *path, ReelDtype dtype, gint64 feature)
{
  gint ndim;
  gint64 shape[3] = { reel_tensordict_get_batch_size (td, &ndim)[0], feature };
  g_autoptr (ReelTensor) x = reel_tensor_new (dtype, feature > 0 ? 2 : 1, shape, NULL);

  g_assert_true (reel_tensordict_set_tensor (td, path, x, NULL));
}

static void
test_layout_is_fixed (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 9, 1);
  g_autoptr (ReelReplayBuffer) wide = counted_new_buffer ("tensor", 9, 2);
  g_autoptr (ReelTensordict) data = counted_new_batch (1, 1, 2, 0);

  counted_extend (buffer, 1, 3, 0);
  set_x (data, "more", REEL_DTYPE_BOOL, 0);
  assert_refused (buffer, data, REEL_ERROR_KEY, "\"more\"");
  g_assert_true (reel_tensordict_remove (data, "more", NULL));
  set_x (data, "id", REEL_DTYPE_INT32, 0);
  assert_refused (buffer, data, REEL_ERROR_TYPE, "\"id\" is int32, the storage holds int64");
  set_x (data, "id", REEL_DTYPE_INT64, 2);
  assert_refused (buffer, data, REEL_ERROR_RUNTIME, "\"id\" has shape [2] a step");
  g_assert_true (reel_tensordict_remove (data, "id", NULL));
  assert_refused (buffer, data, REEL_ERROR_KEY, "id");
  assert_refused (wide, data, REEL_ERROR_VALUE, "ndim=2");
  counted_extend (wide, 3, 1, 0);
  g_clear_pointer (&data, reel_tensordict_unref);
  data = counted_new_batch (2, 2, 4, 0);
  assert_refused (wide, data, REEL_ERROR_RUNTIME, "shape [2");
}

/* ---- printing ---- */

static void
test_print (void)
{
  gint64 n = 3;
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 5, 1);
  g_autoptr (ReelTensordict) data = reel_tensordict_new (1, &n);
  g_autofree char *empty = reel_replay_buffer_to_string (buffer);
  g_autofree char *filled = NULL;

  reel_replay_buffer_set_batch_size (buffer, 3);
  g_assert_cmpstr (empty, ==,
                   "ReplayBuffer(\n"
                   "    storage=LazyTensorStorage(\n"
                   "        data=<empty>, \n"
                   "        shape=None, \n"
                   "        len=0, \n"
                   "        max_size=5), \n"
                   "    sampler=RandomSampler(), \n"
                   "    writer=RoundRobinWriter(cursor=0, full_storage=False), \n"
                   "    batch_size=None)");
  set_x (data, "action", REEL_DTYPE_INT64, 0);
  set_x (data, "next/reward", REEL_DTYPE_FLOAT32, 1);
  g_assert_true (reel_replay_buffer_extend (buffer, data, NULL, NULL));
  filled = reel_replay_buffer_to_string (buffer);
  g_assert_cmpstr (
      filled, ==,
      "ReplayBuffer(\n"
      "    storage=LazyTensorStorage(\n"
      "        data=TensorDict(\n"
      "            fields={\n"
      "                action: Tensor(shape=torch.Size([3]), device=cpu, dtype=torch.int64, "
      "is_shared=False),\n"
      "                next: TensorDict(\n"
      "                    fields={\n"
      "                        reward: Tensor(shape=torch.Size([3, 1]), device=cpu, "
      "dtype=torch.float32, is_shared=False)},\n"
      "                    batch_size=torch.Size([3]),\n"
      "                    device=cpu,\n"
      "                    is_shared=False)},\n"
      "            batch_size=torch.Size([3]),\n"
      "            device=cpu,\n"
      "            is_shared=False), \n"
      "        shape=torch.Size([3]), \n"
      "        len=3, \n"
      "        max_size=5), \n"
      "    sampler=RandomSampler(), \n"
      "    writer=RoundRobinWriter(cursor=3, full_storage=False), \n"
      "    batch_size=3)");
}

/* ---- those who follow ---- */

typedef struct
{
  gint64 next;
  gint64 n_seen;
} Follower;

static void
follow (ReelStorage *storage, gint64 first_step, gint64 n_steps, gpointer user_data)
{
  Follower *follower = user_data;
  ReelStorageView view;

  reel_storage_get_view (storage, &view);
  g_assert_cmpint (first_step, >=, follower->next);
  g_assert_cmpint (view.end_row, ==, first_step + n_steps);
  follower->next = first_step + n_steps;
  follower->n_seen += n_steps;
}

static void
test_ranges_are_announced_once (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 20, 1);
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  Follower follower = { 0 };
  ReelReservation block;

  reel_storage_attach (storage, follow, &follower);
  counted_extend (buffer, 1, 13, 0);
  g_assert_cmpint (follower.next, ==, 13);
  g_assert_cmpint (follower.n_seen, ==, 13);
  g_assert_true (reel_replay_buffer_reserve (buffer, 5, &block, NULL));
  reel_replay_buffer_commit (buffer, &block, 1);
  g_assert_true (reel_replay_buffer_reserve (buffer, 5, &block, NULL));
  reel_replay_buffer_commit (buffer, &block, 0);
  g_assert_cmpint (follower.next, ==, 14);
  counted_extend (buffer, 1, 50, 14);
  g_assert_cmpint (follower.next, ==, 64);
  g_assert_cmpint (follower.n_seen, ==, 34);
  reel_storage_detach (storage, follow, &follower);
  counted_extend (buffer, 1, 1, 64);
  g_assert_cmpint (follower.next, ==, 64);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

#define ADD(name, function) g_test_add_func ("/buffers/replay-buffer/" name, function)
  ADD ("empty", test_empty);
  ADD ("layout-is-fixed", test_layout_is_fixed);
  ADD ("print", test_print);
  ADD ("ranges-are-announced-once", test_ranges_are_announced_once);

  return g_test_run ();
}
