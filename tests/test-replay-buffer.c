/* The buffer against a list: every small capacity, number of lanes, start and sequence of writes.
 */
#include "../src/reel.h"
#include "../src/buffers/storage-private.h"
#include "counted-rows.h"

#include <jansson.h>
#include <string.h>

/* ---- a list that does the same ---- */

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
      ReelBlock block;

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
          reel_replay_buffer_flush (buffer, &block, block.n_steps, lane, lane + 1);
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

/* ---- what TorchRL did ---- */

static void
flatten_json (const json_t *json, GArray *values)
{
  gsize i;
  json_t *item;

  if (json_is_integer (json))
    {
      gint64 value = json_integer_value (json);
      g_array_append_val (values, value);
    }
  json_array_foreach (json, i, item) flatten_json (item, values);
}

static ReelTensor *
json_to_tensor (const json_t *json)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 shape[REEL_MAX_NDIM];
  gint ndim = 0;
  ReelTensor *tensor;

  for (const json_t *level = json; json_is_array (level); level = json_array_get (level, 0))
    shape[ndim++] = (gint64) json_array_size (level);
  flatten_json (json, values);
  tensor = reel_tensor_new (REEL_DTYPE_INT64, ndim, shape, NULL);
  g_assert_cmpint (reel_tensor_numel (tensor), ==, values->len);
  memcpy (tensor->data, values->data, values->len * sizeof (gint64));
  return tensor;
}

static void
assert_json (const ReelTensor *tensor, const json_t *step, const char *key)
{
  g_autoptr (ReelTensor) expected = NULL;

  if (!json_object_get (step, key))
    return;
  expected = json_to_tensor (json_object_get (step, key));
  g_assert_true (reel_tensor_equal (tensor, expected));
}

static ReelTensordict *
golden_data (const json_t *step, gint ndim, gint64 *next)
{
  const json_t *given = json_object_get (step, ndim == 2 ? "extend_BT" : "extend");
  g_autoptr (ReelTensor) values = NULL;
  ReelTensordict *td;

  if (json_is_integer (given))
    {
      gint64 n = json_integer_value (given);
      values = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
      for (gint64 i = 0; i < n; i++)
        ((gint64 *) values->data)[i] = (*next)++;
    }
  else
    values = json_to_tensor (given);
  td = reel_tensordict_new (ndim, values->shape);
  g_assert_true (reel_tensordict_set_tensor (td, "x", values, NULL));
  return td;
}

static gint64
get_integer (const json_t *object, const char *key)
{
  return json_integer_value (json_object_get (object, key));
}

static void
run_golden_step (ReelReplayBuffer *buffer, const json_t *step, gint ndim, gint64 *next)
{
  g_autoptr (ReelTensordict) data = golden_data (step, ndim, next);
  g_autoptr (ReelTensordict) all = NULL;
  g_autoptr (ReelTensordict) stored = NULL;
  g_autoptr (ReelTensor) index = NULL;
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_extend (buffer, data, &index, &error);
  g_assert_no_error (error);
  assert_json (index, step, "index");
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, get_integer (step, "cursor"));
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, get_integer (step, "len"));
  if (json_object_get (step, "write_count"))
    g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==,
                     get_integer (step, "write_count"));
  if (json_object_get (step, "max_size"))
    g_assert_cmpint (reel_replay_buffer_get_capacity (buffer), ==, get_integer (step, "max_size"));
  all = reel_replay_buffer_get_all (buffer, NULL);
  stored = reel_tensordict_transpose (all, 0, ndim - 1, NULL);
  assert_json (reel_tensordict_get_tensor (stored, "x", NULL), step, "storage");
  assert_json (reel_tensordict_get_tensor (stored, "x", NULL), step, "storage_TB");
  assert_json (reel_tensordict_get_tensor (all, "x", NULL), step, "read_BT");
  assert_json (reel_tensordict_get_tensor (all, "x", NULL), step, "read");
}

/* Index, cursor, count, length and content after each extend, one to three dimensions. */
static void
test_golden_writers (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "writers.json", NULL);
  json_t *root = json_load_file (path, 0, NULL), *golden, *step;
  gsize i, j, n_cases = 0;

  json_array_foreach (json_object_get (root, "cases"), i, golden)
  {
    gint ndim = (gint) get_integer (golden, "ndim");
    g_autoptr (ReelReplayBuffer) buffer = NULL;
    gint64 next = 0;

    if (!g_str_equal (json_string_value (json_object_get (golden, "writer")), "round-robin"))
      continue;
    n_cases++;
    buffer = counted_new_buffer ("tensor", get_integer (golden, "capacity"), ndim);
    json_array_foreach (json_object_get (golden, "steps"), j, step)
        run_golden_step (buffer, step, ndim, &next);
  }
  g_assert_cmpint (n_cases, ==, 9);
  json_decref (root);
}

/* T6.6-11: batches of one step; iterations 1, 51 and 101 land in slot 0. */
static void
test_single_steps_of_two_lanes (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 100, 2);

  for (gint64 i = 0; i < 101; i++)
    {
      g_autoptr (ReelTensordict) data = counted_new_batch (2, 2, 1, i);
      g_autoptr (ReelTensor) index = NULL;

      g_assert_true (reel_replay_buffer_extend (buffer, data, &index, NULL));
      g_assert_cmpint (*(gint64 *) index->data, ==, i % 50);
    }
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 100);
}

/* T6.6-10 */
static void
test_fifty_steps_of_two_lanes (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 102, 2);
  g_autoptr (ReelTensordict) data = counted_new_batch (2, 2, 50, 0);
  g_autofree char *text = NULL;

  g_assert_true (reel_replay_buffer_extend (buffer, data, NULL, NULL));
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 100);
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, 50);
  text = reel_replay_buffer_to_string (buffer);
  g_assert_nonnull (strstr (text, "shape=torch.Size([50, 2])"));
}

/* T3.8-2 */
static void
test_sizes_of_the_peer (void)
{
  static const gint64 sizes[] = { 3, 5, 100 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      gint64 size = sizes[i];
      g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", size, 1);
      g_autoptr (ReelTensordict) data = counted_new_batch (1, 1, 5, 0);
      g_autoptr (ReelTensor) index = NULL;

      g_assert_true (reel_replay_buffer_extend (buffer, data, &index, NULL));
      for (gint64 row = 0; row < 5; row++)
        g_assert_cmpint (((gint64 *) index->data)[row], ==, row % size);
      g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, MIN (5, size));
      g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, 5 % size);
      counted_extend (buffer, 1, size - 1, 5);
      g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, (5 + size - 1) % size);
    }
}

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
      reel_replay_buffer_empty (buffer, !keep);
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

static void
assert_size (ReelTensordict *td, gint64 first)
{
  gint ndim;

  g_assert_nonnull (td);
  g_assert_cmpint (reel_tensordict_get_batch_size (td, &ndim)[0], ==, first);
}

/* T3.8-4 */
static void
test_slices (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 6, 1);
  g_autoptr (ReelTensordict) head = NULL, tail = NULL, last = NULL, item = NULL;
  gint64 place = 1;

  counted_extend (buffer, 1, 6, 0);
  head = reel_replay_buffer_get_slice (buffer, 0, 5, 1, NULL);
  assert_size (head, 5);
  tail = reel_replay_buffer_get_slice (buffer, 4, G_MAXINT64, 1, NULL);
  assert_size (tail, 2);
  counted_assert_row (tail, &place, 5);
  last = reel_replay_buffer_get_slice (buffer, -2, G_MAXINT64, 1, NULL);
  assert_size (last, 2);
  item = reel_replay_buffer_get_item (buffer, -1, NULL);
  counted_assert_row (item, NULL, 5);
}

/* T3.8-10: batch dimensions beyond the storage's belong to the item. */
static void
test_items_with_a_batch (void)
{
  const gint64 size[] = { 1, 2 };
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 5, 1);
  g_autoptr (ReelTensordict) data = reel_tensordict_new (2, size);
  g_autoptr (ReelTensor) x = reel_tensor_new (REEL_DTYPE_INT64, 2, size, NULL);
  g_autoptr (ReelTensordict) all = NULL, batch = NULL;
  gint ndim;

  reel_tensordict_set_tensor (data, "x", x, NULL);
  g_assert_true (reel_replay_buffer_extend (buffer, data, NULL, NULL));
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 1);
  all = reel_replay_buffer_get_all (buffer, NULL);
  g_assert_cmpmem (reel_tensordict_get_batch_size (all, &ndim), sizeof size, size, sizeof size);
  for (gint i = 0; i < 2; i++)
    {
      g_assert_true (reel_replay_buffer_sample (buffer, 3, &batch, NULL));
      assert_size (batch, 3);
      x = (reel_tensor_unref (x),
           reel_tensor_ref (reel_tensordict_get_tensor (batch, "index", NULL)));
      g_assert_cmpint (x->ndim, ==, 2);
      g_assert_cmpint (x->shape[1], ==, 2);
    }
}

/* A lane of two-dimensional storages is [T] (differs from TorchRL, which raises). */
static void
test_item_is_a_lane (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 12, 2);
  g_autoptr (ReelTensordict) lane = NULL;
  g_autoptr (GError) error = NULL;

  counted_extend (buffer, 3, 3, 0);
  lane = reel_replay_buffer_get_item (buffer, 2, NULL);
  assert_size (lane, 3);
  for (gint64 t = 0; t < 3; t++)
    counted_assert_row (lane, &t, t * 3 + 2);
  g_assert_null (reel_replay_buffer_get_item (buffer, 3, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
}

static void
test_rows_by_place (void)
{
  static const gint64 places[][2] = { { 0, 1 }, { 3, 2 }, { -1, 0 }, { 1, -1 } };
  static const gint64 numbers[] = { 13, 11, 9, 17 }; /* slots hold the steps 4, 5, 2, 3 */
  const gint64 shape[] = { 4, 2 };
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 12, 2);
  g_autoptr (ReelTensor) index = reel_tensor_new (REEL_DTYPE_INT64, 2, shape, NULL);
  g_autoptr (ReelTensordict) rows = NULL;
  g_autoptr (GError) error = NULL;

  memcpy (index->data, places, sizeof places);
  g_assert_null (reel_replay_buffer_get_at (buffer, index, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  counted_extend (buffer, 3, 6, 0);
  rows = reel_replay_buffer_get_at (buffer, index, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < 4; i++)
    counted_assert_row (rows, &i, numbers[i]);
  ((gint64 *) index->data)[0] = 4;
  g_assert_null (reel_replay_buffer_get_at (buffer, index, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
}

static void
test_row_numbers_are_checked (void)
{
  static const gint64 bad[][2] = { { -1, 1 }, { 0, 6 },  { 5, 1 },
                                   { 6, 0 },  { 0, -1 }, { G_MAXINT64, 1 } };
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 5, 1);

  counted_extend (buffer, 1, 5, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_replay_buffer_get_rows (buffer, bad[i][0], bad[i][1], &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
    }
}

static void
test_rows_keep_their_numbers (void)
{
  static const gint64 bad[][2] = { { 3, 1 }, { 3, 5 }, { 8, 2 }, { 9, 1 }, { 4, -1 }, { -1, 2 } };
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 5, 1);

  counted_extend (buffer, 1, 5, 0);
  counted_extend (buffer, 1, 4, 5);
  for (gint64 number = 4; number <= 9; number++)
    for (gint64 n = 0; n <= 9 - number; n++)
      {
        g_autoptr (GError) error = NULL;
        g_autoptr (ReelTensordict) rows =
            reel_replay_buffer_get_numbered_rows (buffer, number, n, &error);

        g_assert_no_error (error);
        for (gint64 i = 0; i < n; i++)
          counted_assert_row (rows, &i, number + i);
      }
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_replay_buffer_get_numbered_rows (buffer, bad[i][0], bad[i][1], &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
    }
}

/* ---- sampling ---- */

static void
test_sample_fills_the_same_batch (void)
{
  for (gint ndim = 1; ndim <= 2; ndim++)
    {
      g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 24, ndim);
      g_autoptr (ReelTensordict) batch = NULL;
      ReelTensordict *first;
      gint64 lanes = ndim == 1 ? 1 : 3;

      counted_extend (buffer, lanes, 30, 0);
      g_assert_true (reel_replay_buffer_sample (buffer, 16, &batch, NULL));
      first = batch;
      for (gint round = 0; round < 20; round++)
        {
          const ReelTensor *index = reel_tensordict_get_tensor (batch, "index", NULL);
          g_autoptr (ReelTensordict) read = reel_replay_buffer_get_at (buffer, index, NULL);

          g_assert_cmpstr (reel_tensordict_get_device (batch), ==, "cpu");
          for (gint64 i = 0; i < 16; i++)
            {
              g_assert_true (counted_is_whole (batch, &i));
              counted_assert_row (read, &i, counted_get_number (batch, &i));
            }
          g_assert_true (reel_replay_buffer_sample (buffer, 16, &batch, NULL));
          g_assert_true (batch == first);
        }
      g_assert_true (reel_replay_buffer_sample (buffer, 17, &batch, NULL));
      assert_size (batch, 17);
    }
}

/* A storage with a column `index`, as TorchRL's writers leave one: batches tell their own. */
static void
test_index_of_the_batch_wins (void)
{
  gint64 n = 9;
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 9, 1);
  g_autoptr (ReelTensordict) data = reel_tensordict_new (1, &n);
  g_autoptr (ReelTensor) stale = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
  g_autoptr (ReelTensor) x = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
  g_autoptr (ReelTensordict) batch = NULL;

  for (gint64 i = 0; i < n; i++)
    ((gint64 *) x->data)[i] = i;
  reel_tensordict_set_tensor (data, "a", x, NULL);
  reel_tensordict_set_tensor (data, "index", stale, NULL);
  reel_tensordict_set_tensor (data, "b", x, NULL);
  g_assert_true (reel_replay_buffer_extend (buffer, data, NULL, NULL));
  for (gint round = 0; round < 3; round++)
    {
      g_assert_true (reel_replay_buffer_sample (buffer, 8, &batch, NULL));
      g_assert_true (reel_tensor_equal (reel_tensordict_get_tensor (batch, "a", NULL),
                                        reel_tensordict_get_tensor (batch, "index", NULL)));
      g_assert_true (reel_tensor_equal (reel_tensordict_get_tensor (batch, "b", NULL),
                                        reel_tensordict_get_tensor (batch, "index", NULL)));
    }
}

static void
test_batch_size_must_be_known (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 9, 1);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  counted_extend (buffer, 1, 3, 0);
  g_assert_false (reel_replay_buffer_sample (buffer, 0, &batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_true (g_str_has_prefix (error->message, "batch_size not specified."));
  reel_replay_buffer_set_batch_size (buffer, 4);
  g_assert_true (reel_replay_buffer_sample (buffer, 0, &batch, NULL));
  assert_size (batch, 4);
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
  assert_refused (wide, data, REEL_ERROR_RUNTIME, "ndim=2");
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
  ReelBlock block;

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
  g_test_add_data_func ("/buffers/replay-buffer/extend-is-like-a-list", write_extend,
                        test_like_a_list);
  g_test_add_data_func ("/buffers/replay-buffer/blocks-are-like-a-list", write_blocks,
                        test_like_a_list);
  g_test_add_data_func ("/buffers/replay-buffer/extend-is-like-a-list-at-the-seam", write_extend,
                        test_like_a_list_at_the_seam);
  g_test_add_data_func ("/buffers/replay-buffer/blocks-are-like-a-list-at-the-seam", write_blocks,
                        test_like_a_list_at_the_seam);
  ADD ("writes-as-torchrl-did", test_golden_writers);
  ADD ("single-steps-of-two-lanes", test_single_steps_of_two_lanes);
  ADD ("fifty-steps-of-two-lanes", test_fifty_steps_of_two_lanes);
  ADD ("sizes-of-the-peer", test_sizes_of_the_peer);
  ADD ("empty", test_empty);
  ADD ("slices", test_slices);
  ADD ("items-with-a-batch", test_items_with_a_batch);
  ADD ("item-is-a-lane", test_item_is_a_lane);
  ADD ("rows-by-place", test_rows_by_place);
  ADD ("row-numbers-are-checked", test_row_numbers_are_checked);
  ADD ("rows-keep-their-numbers", test_rows_keep_their_numbers);
  ADD ("sample-fills-the-same-batch", test_sample_fills_the_same_batch);
  ADD ("index-of-the-batch-wins", test_index_of_the_batch_wins);
  ADD ("batch-size-must-be-known", test_batch_size_must_be_known);
  ADD ("layout-is-fixed", test_layout_is_fixed);
  ADD ("print", test_print);
  ADD ("ranges-are-announced-once", test_ranges_are_announced_once);

  return g_test_run ();
}
