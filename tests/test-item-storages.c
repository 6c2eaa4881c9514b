/* The contract of storages of items, run over all that are listed, beside a naive
 * list. */
#include "contract.h"
#include "value-buffers.h"

#include <string.h>

/* ---- the ring ---- */

typedef struct
{
  gint64 capacity;
  gint64 n;        /* written */
  gint64 slots[8]; /* which number each holds, −1 for none */
} Naive;

static void
naive_write (Naive *naive)
{
  naive->slots[naive->n % naive->capacity] = naive->n;
  naive->n++;
}

static void
check_as_naive (ReelReplayBuffer *buffer, const Naive *naive)
{
  gint64 length = MIN (naive->n, naive->capacity);
  g_autoptr (ReelTensordict) all = value_get_slice (buffer, 0, G_MAXINT64);
  g_autoptr (ReelTensordict) in_order = reel_replay_buffer_get_rows (buffer, 0, length, NULL);

  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, length);
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, naive->n % naive->capacity);
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, naive->n);
  for (gint64 i = 0; i < length; i++)
    {
      g_autoptr (ReelTensordict) item = reel_replay_buffer_get_item (buffer, i, NULL);

      g_assert_cmpint (value_row_number (item), ==, naive->slots[i]);
      g_assert_cmpint (value_nth_number (all, (gsize) i), ==, naive->slots[i]);
      g_assert_cmpint (value_nth_number (in_order, (gsize) i), ==, naive->n - length + i);
    }
}

static void
write_as_naive (ReelReplayBuffer *buffer, Naive *naive, gint64 n)
{
  gint64 first = naive->n;
  g_autoptr (ReelTensor) index = NULL;
  g_autoptr (ReelTensordict) row = value_new_row (first);

  for (gint64 i = 0; i < MAX (n, 1); i++)
    naive_write (naive);
  if (n == 0)
    g_assert_true (reel_replay_buffer_add (buffer, row, &index, NULL));
  else
    value_extend (buffer, value_new_rows (n, first), &index);
  for (gint64 i = 0; i < MAX (n, 1); i++)
    g_assert_cmpint (((const gint64 *) index->data)[i], ==, (first + i) % naive->capacity);
  check_as_naive (buffer, naive);
}

/* T3.8-2, for rows of different shapes: every capacity up to 5, every three writes of up to two
 * more than that; 0 stands for one that is added. */
static void
test_is_a_ring_of_rows (gconstpointer id)
{
  for (gint64 capacity = 1; capacity <= 5; capacity++)
    for (gint64 code = 0, base = capacity + 3; code < base * base * base; code++)
      {
        g_autofree char *text = g_strdup_printf ("%s:capacity=%" G_GINT64_FORMAT ",collate=rows",
                                                 (const char *) id, capacity);
        g_autoptr (ReelReplayBuffer) buffer = value_new_buffer (text, NULL, NULL);
        Naive naive = { .capacity = capacity };

        write_as_naive (buffer, &naive, code % base);
        write_as_naive (buffer, &naive, code / base % base);
        write_as_naive (buffer, &naive, code / base / base);
      }
}

static void
test_grows_past_its_first_room (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) buffer = value_new_plain (id, G_MAXINT64 / 2);
  g_autoptr (GError) error = NULL;

  for (gint64 n = 0; n < 1000; n += 100)
    value_extend (buffer, value_new_rows (100, n), NULL);
  for (gint64 i = 0; i < 1000; i++)
    {
      g_autoptr (ReelTensordict) row = reel_replay_buffer_get_item (buffer, i, NULL);
      g_assert_cmpint (value_row_number (row), ==, i);
    }
  g_assert_null (reel_replay_buffer_get_item (buffer, 1000, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
}

/* T3.8-3; then the ring goes on past the room that its first rows needed. */
static void
test_is_emptied (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) buffer = value_new_plain (id, 300);
  g_autoptr (ReelTensordict) batch = NULL, row = NULL;
  g_autoptr (GError) error = NULL;

  value_extend (buffer, value_new_rows (10, 0), NULL);
  g_assert_true (reel_replay_buffer_empty (buffer, TRUE, NULL));
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 0);
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, 0);
  g_assert_false (reel_replay_buffer_sample (buffer, 2, &batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  value_extend (buffer, value_new_rows (290, 50), NULL);
  value_extend (buffer, value_new_rows (20, 340), NULL);
  row = reel_replay_buffer_get_item (buffer, 9, NULL);
  g_assert_cmpint (value_row_number (row), ==, 359);
}

/* ---- what may be in it ---- */

static char *
print_value (const ReelTensordict *row)
{
  g_autoptr (GVariant) value = reel_tensordict_dup_value (row, REEL_TREE_SINGLE_KEY, NULL);

  g_assert_nonnull (value);
  return g_variant_print (value, FALSE);
}

static void
assert_value (const ReelTensordict *row, const char *expected)
{
  g_autofree char *found = print_value (row);

  g_assert_cmpint (reel_tensordict_get_kind (row), ==, REEL_TENSORDICT_SINGLE);
  g_assert_cmpstr (found, ==, expected);
}

/* T3.8-23: a string, a number and nothing; as a list where rows are asked for, else stacked. */
static void
test_holds_bare_values (gconstpointer id)
{
  for (gint rows = 0; rows <= 1; rows++)
    {
      g_autofree char *text =
          g_strdup_printf ("%s:capacity=10%s", (const char *) id, rows ? ",collate=rows" : "");
      g_autoptr (ReelReplayBuffer) buffer = value_new_buffer (text, NULL, NULL);
      g_autoptr (ReelTensordict) string =
          reel_tree_new_single_value (g_variant_new_string ("a string!"), NULL);
      g_autoptr (ReelTensordict) list = reel_tree_new (REEL_TENSORDICT_LIST);
      g_autoptr (ReelTensordict) batch = NULL, all = NULL, last = NULL;
      g_autoptr (GVariant) values = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (reel_replay_buffer_add (buffer, string, NULL, NULL));
      g_assert_true (reel_tree_append_value (list, g_variant_new_int64 (30), NULL));
      g_assert_true (reel_tree_append_value (list, NULL, NULL));
      value_extend (buffer, g_steal_pointer (&list), NULL);
      g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 3);
      last = reel_replay_buffer_get_item (buffer, -1, NULL);
      assert_value (last, "nothing");
      reel_replay_buffer_sample (buffer, 3, &batch, &error);
      g_assert_no_error (error);
      all = value_get_slice (buffer, 0, 3);
      if (rows)
        {
          g_assert_cmpint (reel_tensordict_get_kind (batch), ==, REEL_TENSORDICT_LIST);
          g_assert_nonnull (value_nth (batch, 2));
          assert_value (value_nth (all, 0), "'a string!'");
          assert_value (value_nth (all, 1), "30");
        }
      else
        {
          g_autofree char *printed = NULL;

          values = reel_tensordict_dup_value (all, REEL_TREE_SINGLE_KEY, NULL);
          printed = g_variant_print (values, FALSE);
          g_assert_cmpstr (printed, ==, "[<'a string!'>, <int64 30>, <@mv nothing>]");
        }
    }
}

static void
set_state (ReelReplayBuffer *buffer, const ReelTensordict *state, gint code)
{
  g_autoptr (GError) error = NULL;

  reel_storage_set_state (reel_replay_buffer_get_storage (buffer), state, &error);
  if (code >= 0)
    g_assert_error (error, REEL_ERROR, code);
  else
    g_assert_no_error (error);
}

static void
assert_values (ReelReplayBuffer *buffer, const char *expected)
{
  g_autoptr (GString) found = g_string_new (NULL);

  for (gint64 i = 0; i < reel_replay_buffer_get_length (buffer); i++)
    {
      g_autoptr (ReelTensordict) row = reel_replay_buffer_get_item (buffer, i, NULL);
      g_autoptr (GVariant) value = reel_tensordict_dup_value (row, REEL_TREE_SINGLE_KEY, NULL);

      g_string_append_printf (found, "%" G_GINT64_FORMAT " ", g_variant_get_int64 (value));
    }
  g_assert_cmpstr (found->str, ==, expected);
}

/* T6.6-3: rows that are no tensordicts, of a ring that went round, into one that is as large, into
 * a larger one, where they come in order of time, and not into a smaller one or columns. */
static void
test_has_a_state (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) ring = value_new_plain (id, 4), same = value_new_plain (id, 4);
  g_autoptr (ReelReplayBuffer) larger = value_new_plain (id, 5), smaller = value_new_plain (id, 3);
  g_autoptr (ReelReplayBuffer) columns = value_new_buffer ("tensor", NULL, NULL);
  g_autoptr (ReelTensordict) state = NULL;

  for (gint i = 0; i < 6; i++)
    {
      g_autoptr (ReelTensordict) value = reel_tree_new_single_value (g_variant_new_int64 (i), NULL);

      g_assert_true (reel_replay_buffer_add (ring, value, NULL, NULL));
    }
  state = reel_storage_dup_state (reel_replay_buffer_get_storage (ring), NULL);
  set_state (same, state, -1);
  assert_values (same, "4 5 2 3 ");
  g_assert_cmpint (reel_replay_buffer_get_cursor (same), ==, 2);
  set_state (larger, state, -1);
  assert_values (larger, "2 3 4 5 ");
  set_state (smaller, state, REEL_ERROR_VALUE);
  set_state (columns, state, REEL_ERROR_VALUE);
  g_assert_true (reel_tensordict_remove (state, "_begin", NULL));
  g_assert_true (reel_tensordict_remove (state, "_end", NULL));
  set_state (same, state, -1);
  assert_values (same, "4 5 2 3 ");
  g_clear_pointer (&state, reel_tensordict_unref);
  state = reel_storage_dup_state (reel_replay_buffer_get_storage (columns), NULL);
  set_state (same, state, -1);
  assert_values (same, "");
}

/* T3.8-1: the last thousand of range (2000), as they are. */
static void
test_holds_the_last_of_a_range (gconstpointer id)
{
  g_autofree char *text = g_strdup_printf ("%s:capacity=1000,collate=rows", (const char *) id);
  g_autoptr (ReelReplayBuffer) buffer = value_new_buffer (text, NULL, NULL);
  g_autoptr (ReelTensordict) range = reel_tree_new (REEL_TENSORDICT_LIST), all = NULL;

  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 0);
  for (gint64 i = 0; i < 2000; i++)
    g_assert_true (reel_tree_append_value (range, g_variant_new_int64 (i), NULL));
  value_extend (buffer, g_steal_pointer (&range), NULL);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 1000);
  all = value_get_slice (buffer, 0, 1000);
  for (gsize i = 0; i < 1000; i++)
    {
      g_autofree char *expected = g_strdup_printf ("%" G_GSIZE_FORMAT, 1000 + i);
      assert_value (value_nth (all, i), expected);
    }
}

/* Rows of a tensor, of a tree, and of a tensordict that has batch dimensions of its own. */
static void
test_takes_rows_of_batches (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) buffer = value_new_plain (id, 20);
  const gint64 shape[] = { 3, 2 };
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_INT32, 2, shape, NULL);
  g_autoptr (ReelTensordict) td = reel_tensordict_new (2, shape), row = NULL, single = NULL;
  g_autoptr (ReelTensordict) tuple = reel_tree_new (REEL_TENSORDICT_TUPLE), item = NULL;
  g_autoptr (ReelTensordict) pair = NULL;
  g_autoptr (GError) error = NULL;
  gint ndim;

  for (gint32 i = 0; i < 6; i++)
    ((gint32 *) tensor->data)[i] = i;
  value_extend (buffer, reel_tree_new_single (tensor), NULL);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 3);
  single = reel_replay_buffer_get_item (buffer, 1, NULL);
  g_assert_cmpint (reel_tensordict_get_kind (single), ==, REEL_TENSORDICT_SINGLE);
  g_assert_cmpint (
      ((gint32 *) reel_tensordict_get_tensor (single, REEL_TREE_SINGLE_KEY, NULL)->data)[1], ==, 3);
  value_set (td, "a", reel_tensor_ref (tensor));
  value_extend (buffer, reel_tensordict_ref (td), NULL);
  row = reel_replay_buffer_get_item (buffer, 5, NULL);
  g_assert_cmpint (reel_tensordict_get_batch_size (row, &ndim)[0], ==, 2);
  g_assert_cmpint (ndim, ==, 1);
  g_assert_cmpint (((gint32 *) reel_tensordict_get_tensor (row, "a", NULL)->data)[1], ==, 5);
  reel_tree_append_tensor (tuple, tensor, NULL);
  g_assert_false (reel_replay_buffer_extend (buffer, tuple, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_assert_true (reel_replay_buffer_add (buffer, tuple, NULL, NULL));
  item = reel_replay_buffer_get_item (buffer, -1, NULL);
  g_assert_cmpint (reel_tensordict_get_kind (item), ==, REEL_TENSORDICT_TUPLE);
  g_assert_true (reel_tensordict_equal (item, tuple));
  pair = reel_replay_buffer_get_item (buffer, 3, NULL);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 7);
}

/* T4.1-3: elements are shared, keys are not; but what is compressed is a copy. */
static void
test_shares_elements_and_not_keys (gconstpointer id)
{
  gboolean shares =
      strcmp (id, "compressed-list") != 0 && strcmp (id, "CompressedListStorage") != 0;
  g_autoptr (ReelReplayBuffer) buffer = value_new_plain (id, 4);
  g_autoptr (ReelTensordict) row = value_new_row (4), read = NULL, again = NULL, nested = NULL;
  ReelTensor *ragged = reel_tensordict_get_tensor (row, "next/ragged", NULL);
  g_autoptr (ReelTensor) held = reel_tensor_ref (ragged);

  g_assert_true (reel_replay_buffer_add (buffer, row, NULL, NULL));
  ((float *) held->data)[0] = 77;
  value_set (row, "next/ragged", value_new_tensor (5, 0));
  value_set (row, "more", value_new_scalar (1));
  read = reel_replay_buffer_get_item (buffer, 0, NULL);
  g_assert_cmpfloat (((float *) reel_tensordict_get_tensor (read, "next/ragged", NULL)->data)[0],
                     ==, shares ? 77 : 4);
  g_assert_false (reel_tensordict_contains (read, "more"));
  value_set (read, "next/other", value_new_scalar (1));
  value_set (read, "more", value_new_scalar (1));
  again = reel_replay_buffer_get_item (buffer, 0, NULL);
  g_assert_false (reel_tensordict_contains (again, "more"));
  g_assert_false (reel_tensordict_contains (again, "next/other"));
}

static const ContractTest contract[] = {
  { "is-a-ring-of-rows", test_is_a_ring_of_rows },
  { "grows-past-its-first-room", test_grows_past_its_first_room },
  { "is-emptied", test_is_emptied },
  { "holds-bare-values", test_holds_bare_values },
  { "has-a-state", test_has_a_state },
  { "holds-the-last-of-a-range", test_holds_the_last_of_a_range },
  { "takes-rows-of-batches", test_takes_rows_of_batches },
  { "shares-elements-and-not-keys", test_shares_elements_and_not_keys },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  contract_add ("item-storages", REEL_TYPE_ITEM_STORAGE, contract, G_N_ELEMENTS (contract));

  return g_test_run ();
}
