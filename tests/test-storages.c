/* The contract of storages of columns, run over all that are listed. Those of
 * values have theirs in test-item-storages.c. */
#include "../src/reel.h"
#include "../src/buffers/storages/storage-private.h"
#include "../src/buffers/storages/item-storage.h"
#include "contract.h"
#include "counted-rows.h"

#include <string.h>

static ReelStorage *
new_storage (const char *id, gint64 capacity, gint ndim)
{
  g_autofree char *text =
      g_strdup_printf ("%s:capacity=%" G_GINT64_FORMAT ",ndim=%d", id, capacity, ndim);
  g_autoptr (GError) error = NULL;
  ReelStorage *storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, &error, NULL);

  g_assert_no_error (error);
  return storage;
}

static void
write_steps (ReelStorage *storage, gint64 n)
{
  while (n > 0)
    {
      g_autoptr (GError) error = NULL;
      ReelReservation block;

      reel_storage_reserve (storage, n, &block, &error);
      g_assert_no_error (error);
      counted_fill_block (storage, &block, 0, reel_storage_get_lanes (storage));
      n -= block.n_steps;
      reel_storage_commit (storage, &block, block.n_steps);
    }
}

static void
test_begins_empty (gconstpointer id)
{
  g_autoptr (ReelStorage) storage = new_storage (id, 10, 2);
  g_autoptr (GError) error = NULL;
  ReelStorageView view;
  ReelReservation block;
  guint n;

  reel_storage_get_view (storage, &view);
  g_assert_cmpint (view.first_row, ==, view.end_row);
  g_assert_cmpint (reel_storage_get_capacity (storage), ==, 10);
  g_assert_cmpint (reel_storage_get_ndim (storage), ==, 2);
  g_assert_cmpint (reel_storage_get_lanes (storage), ==, 0);
  g_assert_null (reel_storage_get_data (storage));
  g_assert_null (reel_storage_get_columns (storage, &n));
  g_assert_cmpint (n, ==, 0);
  g_assert_false (reel_storage_reserve (storage, 1, &block, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

static void
test_sealed_can_be_read (gconstpointer id)
{
  g_autoptr (ReelStorage) storage = new_storage (id, 10, 2);
  g_autoptr (ReelTensordict) step = counted_new_step (2, 3, 5);
  g_autoptr (GError) error = NULL;
  ReelReservation block;

  reel_storage_allocate (storage, step, NULL);
  write_steps (storage, 3);
  reel_storage_seal (storage, "the shop is shut");
  g_assert_false (reel_storage_reserve (storage, 1, &block, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_nonnull (strstr (error->message, "the shop is shut"));
  g_assert_cmpint (reel_storage_get_length (storage), ==, 9);
}

/* T6.6-5: the layout of an item of any shape, with the capacity before it. */
static void
test_allocates_the_layout (gconstpointer id)
{
  g_autoptr (ReelStorage) storage = new_storage (id, 10, 2);
  g_autoptr (ReelTensordict) step = counted_new_step (2, 3, 5);
  g_autoptr (GError) error = NULL;
  const ReelColumn *columns;
  ReelTensordict *data;
  guint n;
  gint ndim;

  reel_storage_allocate (storage, step, &error);
  g_assert_no_error (error);
  g_assert_cmpint (reel_storage_get_capacity (storage), ==, 12);
  g_assert_cmpint (reel_storage_get_lanes (storage), ==, 3);
  data = reel_storage_get_data (storage);
  g_assert_cmpint (reel_tensordict_get_batch_size (data, &ndim)[0], ==, 4);
  g_assert_cmpint (ndim, ==, 2);
  g_assert_true (reel_tensordict_is_locked (data));
  g_assert_cmpstr (reel_tensordict_get_device (data), ==, "cpu");
  columns = reel_storage_get_columns (storage, &n);
  g_assert_cmpint (n, ==, 5);
  g_assert_cmpstr (columns[0].path, ==, "id");
  g_assert_cmpstr (columns[reel_storage_find_column (storage, "next/flag", NULL)].path, ==,
                   "next/flag");
  for (guint i = 0; i < n; i++)
    {
      ReelTensor *leaf = reel_tensordict_get_tensor (data, columns[i].path, NULL);

      g_assert_true (
          reel_tensor_is_contiguous (leaf)
          == (columns[i].row_stride == columns[i].row_bytes || columns[i].row_bytes == 0));
      g_assert_cmpint (columns[i].row_stride, >=, columns[i].row_bytes);
      g_assert_cmpint (columns[i].step_bytes, ==, 3 * columns[i].row_bytes);
      g_assert_cmpint (reel_tensor_nbytes (leaf), ==, 4 * columns[i].step_bytes);
      g_assert_true (columns[i].row_bytes == 0 || columns[i].data == leaf->data);
      for (gint64 row = 0; row < 12; row++)
        for (gsize byte = 0; byte < columns[i].row_bytes; byte++)
          g_assert_cmpint (columns[i].data[(gsize) row * columns[i].row_stride + byte], ==, 0);
    }
  g_assert_false (reel_storage_allocate (storage, step, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

static void
test_refuses_what_has_no_layout (gconstpointer id)
{
  const gint64 none = 0;
  g_autoptr (ReelTensordict) nothing = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensordict) no_lanes = reel_tensordict_new (1, &none);
  const struct
  {
    gint ndim;
    ReelTensordict *step;
  } cases[] = { { 1, nothing }, { 2, nothing }, { 2, no_lanes } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelStorage) storage = new_storage (id, 10, cases[i].ndim);
      g_autoptr (GError) error = NULL;

      g_assert_false (reel_storage_allocate (storage, cases[i].step, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_assert_false (reel_storage_is_allocated (storage));
    }
}

static void
check_history (const char *id, gint64 n_slots, gint64 n)
{
  g_autoptr (ReelStorage) storage = new_storage (id, n_slots * 2, 2);
  g_autoptr (ReelTensordict) step = counted_new_step (2, 2, 0);
  ReelStorageView view;

  g_assert_true (reel_storage_allocate (storage, step, NULL));
  write_steps (storage, n);
  reel_storage_get_view (storage, &view);
  g_assert_cmpint (view.end_row, ==, 2 * n);
  g_assert_cmpint (view.first_row, ==, 2 * MAX (0, n - n_slots));
  g_assert_cmpint (reel_storage_get_cursor (storage), ==, n % n_slots);
  for (gint64 row = view.first_row; row < view.end_row; row++)
    {
      gint64 place[2] = { row / 2 % n_slots, row % 2 };
      counted_assert_row (reel_storage_get_data (storage), place, row);
    }
}

/* T6.6-2: what is written is read, wherever the ring stands. */
static void
test_reads_what_was_written (gconstpointer id)
{
  for (gint64 n_slots = 1; n_slots <= 17; n_slots += 8)
    for (gint64 lap = 0; lap <= 2; lap++)
      {
        check_history (id, n_slots, lap * n_slots);
        check_history (id, n_slots, lap * n_slots + 1);
      }
}

/* Larger than any cache, so that blocks are staged and streamed, by threads' shares of the lanes.
 */
static void
test_streams_large_rings (gconstpointer id)
{
  const gint64 lanes = 449, n_slots = 1000, n = 1500;
  g_autoptr (ReelStorage) storage = new_storage (id, n_slots * lanes, 2);
  g_autoptr (ReelTensordict) step = counted_new_step (2, lanes, 0);

  g_assert_true (reel_storage_allocate (storage, step, NULL));
  for (gint64 done = 0; done < n;)
    {
      ReelReservation block;

      g_assert_true (reel_storage_reserve (storage, n - done, &block, NULL));
      for (gint64 lane = 0; lane < lanes; lane += 128)
        {
          counted_fill_block (storage, &block, lane, MIN (lanes, lane + 128));
        }
      done += block.n_steps;
      reel_storage_commit (storage, &block, block.n_steps);
    }
  for (gint64 t = n - n_slots; t < n; t++)
    for (gint64 lane = 0; lane < lanes; lane++)
      {
        gint64 place[2] = { t % n_slots, lane };
        counted_assert_row (reel_storage_get_data (storage), place, t * lanes + lane);
      }
}

static void
test_half_a_block_can_be_kept (gconstpointer id)
{
  g_autoptr (ReelStorage) storage = new_storage (id, 40, 1);
  g_autoptr (ReelTensordict) step = counted_new_step (1, 1, 0);
  ReelReservation block;

  g_assert_true (reel_storage_allocate (storage, step, NULL));
  write_steps (storage, 38);
  g_assert_true (reel_storage_reserve (storage, 2, &block, NULL));
  counted_fill_block (storage, &block, 0, 1);
  reel_storage_commit (storage, &block, 1);
  g_assert_cmpint (reel_storage_get_length (storage), ==, 39);
  g_assert_true (reel_storage_reserve (storage, 5, &block, NULL));
  g_assert_cmpint (block.first_step, ==, 39);
  g_assert_cmpint (block.n_steps, ==, 1);
  reel_storage_commit (storage, &block, 0);
  g_assert_cmpint (reel_storage_get_length (storage), ==, 39);
  g_assert_cmpint (reel_storage_get_cursor (storage), ==, 39);
}

static void
test_capacity_is_checked (gconstpointer id)
{
  static const char *const bad[] = { "capacity=0", "capacity=-3", "ndim=0", "ndim=4",
                                     "capacity=x" };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autofree char *text = g_strdup_printf ("%s:%s", (const char *) id, bad[i]);
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_object_new_from_text (REEL_TYPE_STORAGE, text, &error, NULL));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
    }
}

/* T6.6-1: a storage without data or of another size is refused. */
static void
test_adopts_what_fits (gconstpointer id)
{
  g_autoptr (ReelTensordict) data = counted_new_batch (2, 4, 3, 0);
  g_autoptr (ReelTensordict) steps = reel_tensordict_transpose (data, 0, 1, NULL);
  g_autoptr (ReelTensordict) dense = reel_tensordict_clone (steps, TRUE, NULL);
  g_autoptr (ReelTensordict) nothing = reel_tensordict_new (0, NULL);
  g_autoptr (ReelStorage) storage = new_storage (id, 1000, 2);
  g_autoptr (ReelStorage) fitting = new_storage (id, 11, 2);
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_storage_adopt (storage, nothing, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_false (reel_storage_adopt (storage, steps, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_false (reel_storage_adopt (storage, dense, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_true (g_str_has_prefix (error->message, "The max-size and the storage shape mismatch"));
  g_assert_false (reel_storage_is_allocated (storage));

  g_assert_true (reel_storage_adopt (fitting, dense, NULL));
  g_assert_cmpint (reel_storage_get_capacity (fitting), ==, 12);
  g_assert_cmpint (reel_storage_get_length (fitting), ==, 0);
  reel_storage_restore (fitting, 7, 10);
  g_assert_cmpint (reel_storage_get_length (fitting), ==, 12);
  g_assert_cmpint (reel_storage_get_cursor (fitting), ==, 1);
}

static const ContractTest contract[] = {
  { "begins-empty", test_begins_empty },
  { "sealed-can-be-read", test_sealed_can_be_read },
  { "allocates-the-layout", test_allocates_the_layout },
  { "refuses-what-has-no-layout", test_refuses_what_has_no_layout },
  { "reads-what-was-written", test_reads_what_was_written },
  { "streams-large-rings", test_streams_large_rings },
  { "half-a-block-can-be-kept", test_half_a_block_can_be_kept },
  { "capacity-is-checked", test_capacity_is_checked },
  { "adopts-what-fits", test_adopts_what_fits },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  contract_add_but ("storages", REEL_TYPE_STORAGE, REEL_TYPE_ITEM_STORAGE, contract,
                    G_N_ELEMENTS (contract));

  return g_test_run ();
}
