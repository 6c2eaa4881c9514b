/* The contract of writers, run over all that are listed. */
#include "../src/reel.h"
#include "../src/buffers/storages/storage-private.h"
#include "../src/buffers/writers/writer-private.h"
#include "contract.h"
#include "counted-rows.h"

#include <string.h>

static ReelStorage *
new_storage (const char *capacity)
{
  return reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor", NULL, "capacity", capacity, NULL);
}

/* Later rows have greater ranks. */
static ReelWriter *
new_writer (const char *id)
{
  g_autoptr (GError) error = NULL;
  ReelWriter *writer = reel_object_new_from_text (REEL_TYPE_WRITER, id, &error, NULL);

  g_assert_no_error (error);
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (writer), "rank-key"))
    {
      g_object_unref (writer);
      writer = reel_object_new_from_text (REEL_TYPE_WRITER, id, NULL, "rank-key", "id", NULL);
    }
  return writer;
}

/* Whether a writer refuses every write, and then that it does. */
static gboolean
refuses (ReelWriter *writer, ReelStorage *storage)
{
  g_autoptr (ReelTensordict) data = counted_new_batch (1, 1, 2, 0);
  g_autoptr (GError) why = NULL, extend = NULL, reserve = NULL;
  g_autofree char *text = NULL, *expected = NULL;
  ReelReservation block;

  if (reel_writer_may_write (writer, &why))
    return FALSE;
  g_assert_error (why, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_false (reel_writer_extend (writer, storage, data, NULL, &extend));
  g_assert_cmpstr (extend->message, ==, why->message);
  g_assert_false (reel_writer_reserve (writer, storage, 1, &block, &reserve));
  g_assert_cmpstr (reserve->message, ==, why->message);
  g_assert_false (reel_storage_is_allocated (storage));
  g_assert_cmpint (reel_writer_get_write_count (writer, storage), ==, 0);
  text = reel_writer_to_string (writer, storage);
  expected = g_strdup_printf ("%s()", REEL_WRITER_GET_CLASS (writer)->peer_name);
  g_assert_cmpstr (text, ==, expected);
  return TRUE;
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

        if (refuses (writer, storage))
          continue;
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

  if (refuses (writer, storage))
    return;
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
  ReelReservation block;

  if (refuses (writer, storage))
    return;
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

  if (refuses (writer, storage))
    return;
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

  if (refuses (writer, storage))
    return;
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

/* Slots of the first dimension, of which each row has one. */
static void
assert_index (ReelTensordict *data, gint64 slot, gint64 lane, gint64 expected)
{
  const ReelTensor *index = reel_tensordict_get_tensor (data, "index", NULL);

  g_assert_nonnull (index);
  g_assert_cmpint (index->dtype, ==, REEL_DTYPE_INT64);
  g_assert_cmpint (
      ((const gint64 *) (index->data + slot * index->strides[0]))[index->ndim > 1 ? lane : 0], ==,
      expected);
}

/* Each row says where it stands, round after round, whether it came by a copy or through a
 * block, with lanes or without. */
static void
test_index_is_stored (void)
{
  for (gint ndim = 1; ndim <= 2; ndim++)
    {
      gint64 lanes = ndim > 1 ? 2 : 1;
      g_autoptr (ReelStorage) storage = reel_object_new_from_text (
          REEL_TYPE_STORAGE, "tensor", NULL, "capacity", "40", "ndim", ndim > 1 ? "2" : "1", NULL);
      g_autoptr (ReelWriter) writer = new_writer ("TensorDictRoundRobinWriter");
      g_autoptr (ReelTensordict) data = counted_new_batch (ndim, lanes, 3, 0);
      g_autoptr (ReelTensordict) steps = reel_tensordict_transpose (data, 0, ndim - 1, NULL);
      ReelReservation block;

      for (gint turn = 0; turn < 50; turn++)
        {
          if (turn % 2 == 0)
            g_assert_true (reel_writer_extend (writer, storage, steps, NULL, NULL));
          else
            {
              g_assert_true (reel_writer_reserve (writer, storage, 3, &block, NULL));
              reel_storage_commit (storage, &block, block.n_steps);
            }
          for (gint64 slot = 0; slot < 40 / lanes; slot++)
            for (gint64 lane = 0; lane < lanes && turn > 30; lane++)
              assert_index (reel_storage_get_data (storage), slot, lane, slot);
        }
      g_assert_false (reel_tensordict_contains (data, "index"));
    }
}

/* A layout that has no index stays as it is, and one of another kind is the user's. */
static void
test_index_is_optional (void)
{
  g_autoptr (ReelStorage) storage = new_storage ("4");
  g_autoptr (ReelWriter) plain = new_writer ("round-robin");
  g_autoptr (ReelWriter) writer = new_writer ("tensordict-round-robin");
  g_autoptr (ReelTensordict) data = counted_new_batch (1, 1, 3, 0);
  gint64 slots[3];

  g_assert_true (reel_writer_extend (plain, storage, data, NULL, NULL));
  g_assert_true (reel_writer_extend (writer, storage, data, slots, NULL));
  g_assert_false (reel_tensordict_contains (reel_storage_get_data (storage), "index"));
  g_assert_cmpint (slots[1], ==, 0);
  for (gint64 i = 0; i < 3; i++)
    counted_assert_row (reel_storage_get_data (storage), &slots[i], i);
}

/* The stored index gives way to the one that is sampled, which is the same. */
static void
test_index_is_sampled (void)
{
  g_autoptr (ReelStorage) storage = new_storage ("4");
  g_autoptr (ReelWriter) writer = new_writer ("tensordict-round-robin");
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, writer, 0, NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autofree char *text = NULL;

  counted_extend (buffer, 1, 6, 0);
  g_assert_true (reel_replay_buffer_sample (buffer, 16, &batch, NULL));
  for (gint64 i = 0; i < 16; i++)
    {
      gint64 row = counted_get_number (batch, &i);

      assert_index (batch, i, 0, row % 4);
    }
  text = reel_writer_to_string (writer, storage);
  g_assert_cmpstr (text, ==, "TensorDictRoundRobinWriter(cursor=2, full_storage=True)");
}

static void
test_immutable_says_so (void)
{
  g_autoptr (ReelStorage) storage = new_storage ("4");
  g_autoptr (ReelWriter) writer = new_writer ("ImmutableDatasetWriter");
  g_autoptr (ReelReplayBuffer) buffer = NULL;
  g_autoptr (ReelTensordict) step = counted_new_step (1, 1, 0);
  g_autoptr (GError) add = NULL, empty = NULL;
  g_autoptr (ReelReplayBuffer) filled = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);

  counted_extend (filled, 1, 3, 0);
  buffer = reel_replay_buffer_new (storage, NULL, writer, 0, NULL);
  g_assert_false (reel_replay_buffer_add (buffer, step, NULL, &add));
  g_assert_error (add, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (add->message, ==, "This dataset doesn't allow writing.");
  g_assert_false (reel_replay_buffer_empty (buffer, TRUE, &empty));
  g_assert_error (empty, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 3);
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, 0);
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
  g_test_add_func ("/writers/tensordict-round-robin/index-is-stored", test_index_is_stored);
  g_test_add_func ("/writers/tensordict-round-robin/index-is-optional", test_index_is_optional);
  g_test_add_func ("/writers/tensordict-round-robin/index-is-sampled", test_index_is_sampled);
  g_test_add_func ("/writers/immutable/says-so", test_immutable_says_so);

  return g_test_run ();
}
