/* Rows of every storage of values, read and changed by index and by key. */
#include "contract.h"
#include "value-buffers.h"

#include <string.h>

static ReelTensordict *
by_index (ReelReplayBuffer *buffer, const char *python)
{
  g_auto (ReelIndex) index = REEL_INDEX_INIT;
  g_autoptr (GError) error = NULL;
  ReelTensordict *rows;

  value_parse (&index, python);
  rows = reel_replay_buffer_index (buffer, &index, &error);
  g_assert_no_error (error);
  return rows;
}

static void
test_reads_by_index (gconstpointer id)
{
  static const struct
  {
    const char *index;
    gsize n;
    gint64 numbers[4];
  } cases[] = {
    { "0:2", 2, { 0, 1 } },      { "::2", 3, { 0, 2, 4 } },        { "-2:", 2, { 3, 4 } },
    { "[0, 2]", 2, { 0, 2 } },   { "[4, -1, 0]", 3, { 4, 4, 0 } }, { "...", 4, { 0, 1, 2, 3 } },
    { "range(2)", 2, { 0, 1 } },
  };
  g_autoptr (ReelReplayBuffer) buffer = value_new_plain (id, 9);
  g_autoptr (ReelTensordict) one = NULL, last = NULL;
  g_autoptr (GError) error = NULL;

  value_extend (buffer, value_new_rows (5, 0), NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (ReelIndex) index = REEL_INDEX_INIT;
      g_autoptr (ReelTensordict) rows = NULL;

      if (strcmp (cases[i].index, "range(2)") == 0)
        reel_index_add_slice (&index, 0, 2, 1);
      else
        value_parse (&index, cases[i].index);
      rows = reel_replay_buffer_index (buffer, &index, &error);
      g_assert_no_error (error);
      for (gsize k = 0; k < cases[i].n; k++)
        g_assert_cmpint (value_nth_number (rows, k), ==, cases[i].numbers[k]);
    }
  one = by_index (buffer, "3");
  g_assert_cmpint (value_row_number (one), ==, 3);
  last = by_index (buffer, "-5");
  g_assert_cmpint (value_row_number (last), ==, 0);
}

static void
test_refuses_other_indices (gconstpointer id)
{
  static const struct
  {
    const char *index;
    gint code;
  } cases[] = { { "5", REEL_ERROR_INDEX },
                { "-6", REEL_ERROR_INDEX },
                { "[0, 7]", REEL_ERROR_INDEX },
                { "[[0, 1], [1, 2]]", REEL_ERROR_RUNTIME },
                { "None", REEL_ERROR_RUNTIME } };
  g_autoptr (ReelReplayBuffer) buffer = value_new_plain (id, 9);

  value_extend (buffer, value_new_rows (5, 0), NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (ReelIndex) index = REEL_INDEX_INIT;
      g_autoptr (GError) error = NULL;

      value_parse (&index, cases[i].index);
      g_assert_null (reel_replay_buffer_index (buffer, &index, &error));
      g_assert_error (error, REEL_ERROR, cases[i].code);
    }
}

static void
test_replaces_rows (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) buffer = value_new_plain (id, 9);
  g_autoptr (ReelTensordict) row = value_new_row (40), pair = value_new_rows (2, 50), all = NULL,
                             three = NULL;
  g_autoptr (ReelTensordict) written = value_new_rows (2, 60);
  g_auto (ReelIndex) one = REEL_INDEX_INIT, two = REEL_INDEX_INIT, many = REEL_INDEX_INIT;
  g_autoptr (GError) error = NULL;
  const gint64 expected[] = { 60, 61, 2, 50, 51, 5 };
  guint64 revision;

  value_extend (buffer, value_new_rows (6, 0), NULL);
  value_parse (&one, "1");
  value_parse (&two, "[3, -2]");
  value_parse (&many, "0:3");
  revision = reel_storage_get_revision (reel_replay_buffer_get_storage (buffer));
  g_assert_true (reel_replay_buffer_set_at (buffer, &one, row, NULL));
  g_assert_cmpuint (reel_storage_get_revision (reel_replay_buffer_get_storage (buffer)), ==,
                    revision + 2);
  g_assert_true (reel_replay_buffer_set_at (buffer, &two, pair, NULL));
  g_assert_false (reel_replay_buffer_set_at (buffer, &many, pair, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  three = reel_replay_buffer_get_item (buffer, 1, NULL);
  g_assert_cmpint (value_row_number (three), ==, 40);
  g_assert_true (reel_replay_buffer_write_all (buffer, written, -1, NULL));
  all = value_get_slice (buffer, 0, G_MAXINT64);
  for (gsize i = 0; i < 6; i++)
    g_assert_cmpint (value_nth_number (all, i), ==, expected[i]);
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, 6);
}

/* As TorchRL's LazyStackStorage: by key, for all or for some. */
static void
test_changes_rows_by_key (gconstpointer id)
{
  const gint64 n = 4;
  g_autoptr (ReelReplayBuffer) buffer = value_new_plain (id, 9);
  g_autoptr (ReelTensor) ids = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
  g_autoptr (ReelTensor) nine = value_new_scalar (9);
  g_autoptr (ReelTensordict) given = value_new_row (0), td = reel_tensordict_new (1, &n);
  g_auto (ReelIndex) one = REEL_INDEX_INIT, two = REEL_INDEX_INIT;
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_replay_buffer_add (buffer, given, NULL, NULL));
  value_extend (buffer, value_new_rows (3, 1), NULL);
  for (gint64 i = 0; i < n; i++)
    ((gint64 *) ids->data)[i] = 100 + i;
  reel_replay_buffer_set_in_place (buffer, "id", ids, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpint (value_get_id (buffer, i), ==, 100 + i);
  g_assert_cmpint (value_row_number (given), ==, 0);
  value_parse (&one, "1");
  value_parse (&two, "2:");
  reel_replay_buffer_set_at_in_place (buffer, "id", &one, nine, &error);
  g_assert_no_error (error);
  g_assert_cmpint (value_get_id (buffer, 1), ==, 9);
  g_assert_cmpint (value_get_id (buffer, 2), ==, 102);
  reel_replay_buffer_set_at_in_place (buffer, "id", &two, nine, &error);
  g_assert_no_error (error);
  g_assert_cmpint (value_get_id (buffer, 0), ==, 100);
  g_assert_cmpint (value_get_id (buffer, 2), ==, 9);
  g_assert_cmpint (value_get_id (buffer, 3), ==, 9);
  value_set (td, "id", reel_tensor_ref (ids));
  reel_replay_buffer_update_in_place (buffer, td, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (value_get_id (buffer, 3), ==, 103);
  g_assert_false (reel_replay_buffer_set_in_place (buffer, "nothing", ids, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
}

static const ContractTest contract[] = {
  { "reads-by-index", test_reads_by_index },
  { "refuses-other-indices", test_refuses_other_indices },
  { "replaces-rows", test_replaces_rows },
  { "changes-rows-by-key", test_changes_rows_by_key },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  contract_add ("item-storage-index", REEL_TYPE_ITEM_STORAGE, contract, G_N_ELEMENTS (contract));

  return g_test_run ();
}
