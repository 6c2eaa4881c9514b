/* What every writer promises, whoever wrote it: run over all that are listed. */
#include "../src/reel.h"
#include "../src/buffers/storage-private.h"
#include "contract.h"
#include "counted-rows.h"

#include <string.h>

static ReelStorage *
new_storage (const char *capacity)
{
  return reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor", NULL, "capacity", capacity, NULL);
}

static ReelWriter *
new_writer (const char *id)
{
  g_autoptr (GError) error = NULL;
  ReelWriter *writer = reel_object_new_from_text (REEL_TYPE_WRITER, id, &error, NULL);

  g_assert_no_error (error);
  return writer;
}

/* Every step that was not rejected stands in the slot that was told. */
static void
test_slots_hold_what_was_given (gconstpointer id)
{
  for (gint64 n = 1; n <= 7; n++)
    for (gint64 more = 1; more <= 7; more++)
      {
        g_autoptr (ReelStorage) storage = new_storage ("7");
        g_autoptr (ReelWriter) writer = new_writer (id);
        g_autoptr (ReelTensordict) first = counted_new_batch (1, 1, n, 0);
        g_autoptr (ReelTensordict) second = counted_new_batch (1, 1, more, n);
        gint64 slots[14];

        g_assert_true (reel_writer_extend (writer, storage, first, slots, NULL));
        g_assert_true (reel_writer_extend (writer, storage, second, slots + n, NULL));
        for (gint64 i = 0; i < n + more; i++)
          {
            gboolean last = TRUE;

            g_assert_cmpint (slots[i], >=, -1);
            g_assert_cmpint (slots[i], <, 7);
            for (gint64 j = i + 1; j < n + more; j++)
              last = last && slots[j] != slots[i];
            if (last && slots[i] >= 0)
              counted_assert_row (reel_storage_get_data (storage), &slots[i], i);
          }
      }
}

static void
test_nothing_is_an_error (gconstpointer id)
{
  g_autoptr (ReelStorage) storage = new_storage ("7");
  g_autoptr (ReelWriter) writer = new_writer (id);
  g_autoptr (ReelTensordict) data = counted_new_batch (1, 1, 0, 0);
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_writer_extend (writer, storage, data, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (error->message, ==, "Expected at least one element in extend.");
  g_assert_false (reel_storage_is_allocated (storage));
}

/* A block that is out is nobody else's. */
static void
test_waits_for_a_block (gconstpointer id)
{
  g_autoptr (ReelStorage) storage = new_storage ("16");
  g_autoptr (ReelWriter) writer = new_writer (id);
  g_autoptr (ReelTensordict) data = counted_new_batch (1, 1, 3, 0);
  g_autoptr (GError) error = NULL;
  ReelBlock block;

  g_assert_true (reel_writer_extend (writer, storage, data, NULL, NULL));
  if (!reel_writer_reserve (writer, storage, 1, &block, NULL))
    return;
  g_assert_false (reel_writer_extend (writer, storage, data, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  reel_storage_commit (storage, &block, 0);
  g_assert_true (reel_writer_extend (writer, storage, data, NULL, NULL));
}

static void
test_count_can_be_set (gconstpointer id)
{
  g_autoptr (ReelStorage) storage = new_storage ("4");
  g_autoptr (ReelWriter) writer = new_writer (id);
  g_autoptr (ReelTensordict) data = counted_new_batch (1, 1, 3, 0);

  g_assert_cmpint (reel_writer_get_write_count (writer, storage), ==, 0);
  g_assert_true (reel_writer_extend (writer, storage, data, NULL, NULL));
  reel_writer_set_write_count (writer, storage, 1000);
  g_assert_true (reel_writer_extend (writer, storage, data, NULL, NULL));
  g_assert_cmpint (reel_writer_get_write_count (writer, storage), ==, 1003);
}

static void
test_names_reach_the_storage (gconstpointer id)
{
  static const char *const names[] = { "time" };
  g_autoptr (ReelStorage) storage = new_storage ("4");
  g_autoptr (ReelWriter) writer = new_writer (id);
  g_autoptr (ReelTensordict) data = counted_new_batch (1, 1, 3, 0);

  g_assert_true (reel_tensordict_set_names (data, names, NULL));
  g_assert_true (reel_writer_extend (writer, storage, data, NULL, NULL));
  g_assert_cmpstr (reel_tensordict_get_name (reel_storage_get_data (storage), 0), ==, "time");
}

static void
test_round_robin_prints (void)
{
  g_autoptr (ReelStorage) storage = new_storage ("4");
  g_autoptr (ReelWriter) writer = new_writer ("round-robin");
  g_autoptr (ReelTensordict) data = counted_new_batch (1, 1, 3, 0);
  g_autofree char *part = NULL, *full = NULL;

  g_assert_true (reel_writer_extend (writer, storage, data, NULL, NULL));
  part = reel_writer_to_string (writer, storage);
  g_assert_cmpstr (part, ==, "RoundRobinWriter(cursor=3, full_storage=False)");
  g_assert_true (reel_writer_extend (writer, storage, data, NULL, NULL));
  full = reel_writer_to_string (writer, storage);
  g_assert_cmpstr (full, ==, "RoundRobinWriter(cursor=2, full_storage=True)");
}

static const ContractTest contract[] = {
  { "slots-hold-what-was-given", test_slots_hold_what_was_given },
  { "nothing-is-an-error", test_nothing_is_an_error },
  { "waits-for-a-block", test_waits_for_a_block },
  { "count-can-be-set", test_count_can_be_set },
  { "names-reach-the-storage", test_names_reach_the_storage },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  contract_add ("writers", REEL_TYPE_WRITER, contract, G_N_ELEMENTS (contract));
  g_test_add_func ("/writers/round-robin/prints", test_round_robin_prints);

  return g_test_run ();
}
