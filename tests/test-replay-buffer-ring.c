/* The buffer against a list: every small capacity, number of lanes, start and sequence of writes.
 */
#include "../src/reel.h"
#include "../src/buffers/storages/storage-private.h"
#include "counted-rows.h"

typedef struct
{
  gint64 n_slots;
  gint64 lanes;
  gint64 step[32]; /* by slot: the number of the step that it holds, −1 none */
  gint64 n_steps;  /* ever written */
  gint64 cursor;
  gint64 n_valid; /* steps */
} Oracle;

static void
oracle_write (Oracle *oracle, gint64 *slots)
{
  *slots = oracle->cursor;
  oracle->step[oracle->cursor] = oracle->n_steps++;
  oracle->cursor = (oracle->cursor + 1) % oracle->n_slots;
  oracle->n_valid = MIN (oracle->n_valid + 1, oracle->n_slots);
}

static void
assert_same (ReelReplayBuffer *buffer, const Oracle *oracle)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) all = NULL;
  g_autoptr (ReelTensordict) rows = NULL;
  gint64 length = oracle->n_valid * oracle->lanes;
  gint64 oldest = oracle->n_steps * oracle->lanes - length;

  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, length);
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, oracle->cursor);
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, oracle->n_steps);
  if (oracle->n_steps == 0)
    return;
  g_assert_cmpint (reel_replay_buffer_get_capacity (buffer), ==, oracle->n_slots * oracle->lanes);

  /* Ring order, [B, T] outside. */
  all = reel_replay_buffer_get_all (buffer, &error);
  g_assert_no_error (error);
  for (gint64 slot = 0; slot < oracle->n_valid; slot++)
    for (gint64 lane = 0; lane < oracle->lanes; lane++)
      {
        gint64 place[2] = { lane, slot };

        counted_assert_row (
            all,
            reel_storage_get_ndim (reel_replay_buffer_get_storage (buffer)) > 1 ? place : place + 1,
            oracle->step[slot] * oracle->lanes + lane);
      }

  /* Order of time. */
  rows = reel_replay_buffer_get_rows (buffer, 0, length, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < length; i++)
    counted_assert_row (rows, &i, oldest + i);
}

static void
assert_index (const ReelTensor *index, gint ndim, const gint64 *slots, gint64 n, gint64 lanes)
{
  const gint64 *found = (const gint64 *) index->data;

  g_assert_cmpint (index->ndim, ==, ndim);
  g_assert_cmpint (index->shape[0], ==, n * lanes);
  for (gint64 i = 0; i < n * lanes; i++)
    {
      g_assert_cmpint (found[i * ndim], ==, slots[i / lanes]);
      if (ndim > 1)
        g_assert_cmpint (found[i * ndim + 1], ==, i % lanes);
    }
}

/* ---- ways to write ---- */

static void
write_extend (ReelReplayBuffer *buffer, Oracle *oracle, gint ndim, gint64 n)
{
  g_autoptr (ReelTensordict) data = counted_new_batch (ndim, oracle->lanes, n, oracle->n_steps);
  g_autoptr (ReelTensor) index = NULL;
  g_autoptr (GError) error = NULL;
  gint64 slots[64];

  if (n == 0)
    {
      g_assert_false (reel_replay_buffer_extend (buffer, data, &index, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
      g_assert_cmpstr (error->message, ==, "Expected at least one element in extend.");
      return;
    }
  reel_replay_buffer_extend (buffer, data, &index, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < n; i++)
    oracle_write (oracle, &slots[i]);
  assert_index (index, ndim, slots, n, oracle->lanes);
}

static void
write_add (ReelReplayBuffer *buffer, Oracle *oracle, gint ndim, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    {
      g_autoptr (ReelTensordict) item = counted_new_step (ndim, oracle->lanes, oracle->n_steps);
      g_autoptr (ReelTensor) index = NULL;
      g_autoptr (GError) error = NULL;
      gint64 slot;

      reel_replay_buffer_add (buffer, item, &index, &error);
      g_assert_no_error (error);
      oracle_write (oracle, &slot);
      if (ndim > 1)
        assert_index (index, ndim, &slot, 1, oracle->lanes);
      else
        {
          g_assert_cmpint (index->ndim, ==, 0);
          g_assert_cmpint (*(gint64 *) index->data, ==, slot);
        }
    }
}

static void
write_blocks (ReelReplayBuffer *buffer, Oracle *oracle, gint ndim, gint64 n)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  g_autoptr (GError) error = NULL;

  if (!reel_storage_is_allocated (storage))
    {
      g_autoptr (ReelTensordict) step = counted_new_step (ndim, oracle->lanes, 77);
      reel_storage_allocate (storage, step, &error);
      g_assert_no_error (error);
    }
  while (n > 0)
    {
      gint64 slot = oracle->cursor, seen = oracle->n_valid, first = oracle->n_steps;
      ReelReservation block;

      reel_replay_buffer_reserve (buffer, n, &block, &error);
      g_assert_no_error (error);
      g_assert_cmpint (block.first_step, ==, first);
      g_assert_cmpint (block.n_steps, >=, 1);
      g_assert_cmpint (block.n_steps, <=, MIN (n, MAX (1, oracle->n_slots / 8)));
      g_assert_cmpint (slot + block.n_steps, <=, oracle->n_slots);
      g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==,
                       MIN (seen, oracle->n_slots - block.n_steps) * oracle->lanes);
      g_assert_false (reel_replay_buffer_reserve (buffer, 1, &block, NULL));
      for (gint64 lane = 0; lane < oracle->lanes; lane++)
        {
          counted_fill_block (storage, &block, lane, lane + 1);
        }
      n -= block.n_steps;
      for (gint64 i = 0; i < block.n_steps; i++)
        oracle_write (oracle, &slot);
      reel_replay_buffer_commit (buffer, &block, block.n_steps);
    }
}

typedef void (*WriteFunc) (ReelReplayBuffer *buffer, Oracle *oracle, gint ndim, gint64 n);

static void
run_history (WriteFunc write, gint64 n_slots, gint ndim, gint64 lanes, gint64 start, gint64 first,
             gint64 second)
{
  /* Asked for one row too few: rounded up to whole steps. */
  gint64 capacity = n_slots * lanes - (lanes > 1);
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", capacity, ndim);
  Oracle oracle = { .n_slots = n_slots, .lanes = lanes };

  assert_same (buffer, &oracle);
  write_add (buffer, &oracle, ndim, start);
  write (buffer, &oracle, ndim, first);
  assert_same (buffer, &oracle);
  write (buffer, &oracle, ndim, second);
  assert_same (buffer, &oracle);
}

/* Every history of rings of up to 8 steps, rounding of capacities included. */
static void
test_like_a_list (gconstpointer data)
{
  WriteFunc write = (WriteFunc) data;

  for (gint64 n_slots = 1; n_slots <= 8; n_slots++)
    for (gint64 lanes = 1; lanes <= 3; lanes++)
      for (gint ndim = lanes > 1 ? 2 : 1; ndim <= 2; ndim++)
        for (gint64 start = 0; start <= n_slots; start++)
          for (gint64 first = 0; first <= 2 * n_slots + 1; first++)
            for (gint64 second = 0; second <= n_slots + 1; second += 1 + (n_slots > 4))
              run_history (write, n_slots, ndim, lanes, start, first, second);
}

/* Rings that lend blocks of two and three steps, which must end at the ring's end. */
static void
test_like_a_list_at_the_seam (gconstpointer data)
{
  WriteFunc write = (WriteFunc) data;

  for (gint64 n_slots = 16; n_slots <= 25; n_slots += 3)
    for (gint64 lanes = 1; lanes <= 2; lanes++)
      for (gint64 start = 0; start <= n_slots; start++)
        for (gint64 first = 1; first <= n_slots + 3; first++)
          run_history (write, n_slots, lanes > 1 ? 2 : 1, lanes, start, first, first % 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_data_func ("/buffers/replay-buffer/extend-is-like-a-list", write_extend,
                        test_like_a_list);
  g_test_add_data_func ("/buffers/replay-buffer/blocks-are-like-a-list", write_blocks,
                        test_like_a_list);
  g_test_add_data_func ("/buffers/replay-buffer/extend-is-like-a-list-at-the-seam", write_extend,
                        test_like_a_list_at_the_seam);
  g_test_add_data_func ("/buffers/replay-buffer/blocks-are-like-a-list-at-the-seam", write_blocks,
                        test_like_a_list_at_the_seam);

  return g_test_run ();
}
