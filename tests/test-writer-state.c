/* The state of writers goes into checkpoints and back, TorchRL's and ours. */
#include "../src/buffers/writers/max-value-writer.h"
#include "../src/reel.h"
#include "counted-rows.h"
#include "golden-buffer.h"
#include "scratch.h"

#include <glib/gstdio.h>
#include <string.h>

static ReelReplayBuffer *
new_buffer (const char *kind, gint64 capacity, const char *writer_text)
{
  g_autofree char *text = g_strdup_printf ("%s:capacity=%" G_GINT64_FORMAT, kind, capacity);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelWriter) writer =
      reel_object_new_from_text (REEL_TYPE_WRITER, writer_text, &error, NULL);

  g_assert_no_error (error);
  return reel_replay_buffer_new (storage, NULL, writer, 0, NULL);
}

static void
assert_no_warnings (ReelReplayBuffer *buffer)
{
  g_auto (GStrv) warnings = reel_replay_buffer_dup_warnings (buffer);

  g_assert_cmpstr (warnings[0], ==, NULL);
}

/* ---- ranks ---- */

static const char *const ranked[] = { "rb-max-full", "rb-max-intkey", "rb-max-part",
                                      "rb-max-reduced" };

static ReelReplayBuffer *
new_ranking (const json_t *expect, const char *kind)
{
  const json_t *writer = json_object_get (expect, "writer");
  g_autofree char *text =
      g_strdup_printf ("max-value:rank-key='%s',reduction=%s",
                       json_string_value (json_object_get (writer, "rank_key")),
                       json_string_value (json_object_get (writer, "reduction")));

  return new_buffer (kind, golden_steps (expect), text);
}

/* T8-3 */
static void
test_heap_is_written_back (gconstpointer name)
{
  static const char *const kinds[] = { "tensor", "memmap" };
  g_autoptr (json_t) expect = golden_expect (name);
  g_autofree char *dump = golden_dump (name);

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *path = scratch_path (kinds[i]);
      g_autoptr (ReelReplayBuffer) buffer = new_ranking (expect, kinds[i]);
      g_autoptr (GError) error = NULL;

      reel_replay_buffer_loads (buffer, dump, &error);
      g_assert_no_error (error);
      assert_no_warnings (buffer);
      golden_assert_content (expect, buffer);
      for (gint times = 0; times < 2; times++)
        {
          g_assert_true (reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_FORCE, &error));
          g_assert_no_error (error);
          golden_assert_same_files (dump, path, golden_rows (expect), golden_steps (expect));
        }
    }
}

static void
test_opened_heap_is_written_back (gconstpointer name)
{
  g_autoptr (json_t) expect = golden_expect (name);
  g_autofree char *dump = golden_dump (name), *path = scratch_path ("opened");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (dump, REEL_OPEN_DEFAULT, &error);

  g_assert_no_error (error);
  golden_assert_content (expect, buffer);
  if (g_str_equal (name, "rb-max-reduced")) /* the files do not say how */
    {
      g_auto (GStrv) warnings = reel_replay_buffer_dup_warnings (buffer);

      g_assert_nonnull (warnings[0]);
      g_assert_nonnull (strstr (warnings[0], "not those that the sum of \"r\" gives"));
      return;
    }
  assert_no_warnings (buffer);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, &error));
  golden_assert_same_files (dump, path, golden_rows (expect), golden_steps (expect));
}

static ReelTensordict *
new_ranks (const double *ranks, gint64 n)
{
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_FLOAT64, 1, &n, NULL);
  ReelTensordict *td = reel_tensordict_new (1, &n);

  memcpy (tensor->data, ranks, (gsize) n * sizeof *ranks);
  g_assert_true (reel_tensordict_set_tensor (td, "r", tensor, NULL));
  return td;
}

/* A draw that does not depend on the library: 0 to n − 1. */
static guint32
draw (guint32 *state, guint32 n)
{
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 16) % n;
}

/* Both take the same rows in the same slots, and hold the same heap. */
static void
assert_goes_on (ReelReplayBuffer *a, ReelReplayBuffer *b, guint32 *random)
{
  for (gint times = 0; times < 6; times++)
    {
      double ranks[3] = { draw (random, 5), draw (random, 5), 0.1 * draw (random, 5) };
      g_autoptr (ReelTensordict) rows = new_ranks (ranks, 3);
      g_autoptr (ReelTensor) one = NULL, other = NULL;
      g_autoptr (ReelTensordict) state_a = NULL, state_b = NULL;

      g_assert_true (reel_replay_buffer_extend (a, rows, &one, NULL));
      g_assert_true (reel_replay_buffer_extend (b, rows, &other, NULL));
      g_assert_true (reel_tensor_equal (one, other));
      state_a = reel_writer_dup_state (reel_replay_buffer_get_writer (a),
                                       reel_replay_buffer_get_storage (a), NULL);
      state_b = reel_writer_dup_state (reel_replay_buffer_get_writer (b),
                                       reel_replay_buffer_get_storage (b), NULL);
      g_assert_true (reel_tensordict_equal (state_a, state_b));
    }
}

/* T8-3: every number of rows in capacities up to 5, 8 draws each. */
static void
test_ranks_go_on (void)
{
  guint32 random = 1;
  gint n_cases = 0;

  for (gint64 capacity = 1; capacity <= 5; capacity++)
    for (gint64 n = 1; n <= 2 * capacity; n++)
      for (gint times = 0; times < 8; times++, n_cases++)
        {
          g_autofree char *path = scratch_path ("ranks");
          g_autoptr (ReelReplayBuffer) buffer =
              new_buffer ("tensor", capacity, "max-value:rank-key=r");
          g_autoptr (ReelReplayBuffer) again =
              new_buffer ("tensor", capacity, "max-value:rank-key=r");
          g_autoptr (GError) error = NULL;

          for (gint64 i = 0; i < n; i++)
            {
              double rank = draw (&random, 5);
              g_autoptr (ReelTensordict) row = new_ranks (&rank, 1);

              g_assert_true (reel_replay_buffer_extend (buffer, row, NULL, NULL));
            }
          g_assert_true (reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_FORCE, &error));
          g_assert_no_error (error);
          g_assert_true (reel_replay_buffer_loads (again, path, &error));
          assert_no_warnings (again);
          assert_goes_on (buffer, again, &random);
        }
  g_test_message ("%d cases", n_cases);
}

/* Ranks that float32 does not hold are written in full. */
static void
test_ranks_lose_nothing (void)
{
  const double ranks[2] = { 0.1, 1 };
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("tensor", 3, "max-value:rank-key=r");
  g_autofree char *path = scratch_path ("wide"), *text = NULL;
  g_autofree char *metadata = g_build_filename (path, "writer", "metadata.json", NULL);
  g_autoptr (ReelTensordict) rows = new_ranks (ranks, 2);

  g_assert_true (reel_replay_buffer_extend (buffer, rows, NULL, NULL));
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, NULL));
  g_assert_true (g_file_get_contents (metadata, &text, NULL, NULL));
  g_assert_cmpstr (text, ==,
                   "{\"cursor\": 2, \"write_count\": 2, \"rank_key\": \"r\", \"dtype\": "
                   "\"torch.float64\", \"shape\": [2, 2]}");
}

/* A key that a text has to quote, in files that have nothing but the key. */
static void
test_rank_key_with_a_quote (void)
{
  const double ranks[2] = { 2, 1 };
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("tensor", 2, "max-value:rank-key='it''s'");
  g_autofree char *path = scratch_path ("quote"), *key = NULL;
  g_autofree char *sidecar = g_build_filename (path, "reel.json", NULL);
  g_autoptr (ReelTensordict) rows = new_ranks (ranks, 2);
  g_autoptr (ReelReplayBuffer) opened = NULL;

  g_assert_true (reel_tensordict_rename_key (rows, "r", "it's", TRUE, NULL));
  g_assert_true (reel_replay_buffer_extend (buffer, rows, NULL, NULL));
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, NULL));
  g_assert_cmpint (g_remove (sidecar), ==, 0);
  opened = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL);
  g_assert_nonnull (opened);
  assert_no_warnings (opened);
  g_object_get (reel_replay_buffer_get_writer (opened), "rank-key", &key, NULL);
  g_assert_cmpstr (key, ==, "it's");
}

/* Of a running buffer, at any moment: what another would load. */
static void
test_live_heap_is_of_its_rows (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("memmap", 16, "max-value:rank-key=r");
  g_autofree char *path = scratch_path ("live");
  double ranks[40];
  guint32 random = 7;

  for (gint i = 0; i < 40; i++)
    ranks[i] = draw (&random, 9);
  {
    g_autoptr (ReelTensordict) rows = new_ranks (ranks, 40);
    g_autoptr (ReelTensordict) step = reel_tensordict_select_index (rows, 0, 0, NULL);
    g_autoptr (ReelReplayBuffer) again = NULL;
    g_autoptr (GError) error = NULL;

    g_assert_true (reel_replay_buffer_make_live (buffer, path, step, 0, &error));
    g_assert_no_error (error);
    g_assert_true (reel_replay_buffer_extend (buffer, rows, NULL, &error));
    g_assert_true (reel_replay_buffer_close (buffer, &error));
    g_assert_no_error (error);
    again = new_buffer ("tensor", 16, "max-value:rank-key=r");
    g_assert_true (reel_replay_buffer_loads (again, path, &error));
    assert_no_warnings (again);
    assert_equal_buffers (buffer, again);
  }
}

static void
test_damage_is_found (void)
{
  static const char *const cases[][2] = { { "[4, 2]", "[4, 2, 2]" },
                                          { "[4, 2]", "[99, 2]" },
                                          { "torch.float32", "torch.float" },
                                          { "[\"next\", \"reward\"]", "[3]" } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *dump = golden_copy ("rb-max-full");
      g_autofree char *metadata = g_build_filename (dump, "writer", "metadata.json", NULL);
      g_autoptr (GError) error = NULL;

      replace_text (metadata, cases[i][0], cases[i][1]);
      g_assert_null (reel_replay_buffer_open (dump, REEL_OPEN_DEFAULT, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
    }
}

/* Ranks of other rows are no reason to load nothing. */
static void
test_other_ranks_are_found_anew (void)
{
  g_autoptr (json_t) expect = golden_expect ("rb-max-full");
  g_autofree char *dump = golden_copy ("rb-max-full");
  g_autofree char *file = g_build_filename (dump, "writer", "current_top_values.memmap", NULL);
  g_autoptr (ReelReplayBuffer) buffer = new_ranking (expect, "tensor");
  g_auto (GStrv) warnings = NULL;
  g_autoptr (ReelTensor) heap = NULL;
  const float slots[] = { 1, 1, 5, 1, 9, 0, 5, 3 };

  g_assert_true (g_file_set_contents (file, (const char *) slots, sizeof slots, NULL));
  g_assert_true (reel_replay_buffer_loads (buffer, dump, NULL));
  warnings = reel_replay_buffer_dup_warnings (buffer);
  g_assert_nonnull (strstr (warnings[0], "its state is left out"));
  heap = reel_max_value_writer_dup_heap (
      REEL_MAX_VALUE_WRITER (reel_replay_buffer_get_writer (buffer)),
      reel_replay_buffer_get_storage (buffer), NULL);
  g_assert_cmpint (heap->shape[0], ==, 4);
  g_assert_cmpfloat (((double *) heap->data)[0], ==, 1);
}

static void
test_other_writers_leave_ranks (void)
{
  g_autofree char *dump = golden_dump ("rb-max-full");
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 4, 1);
  g_auto (GStrv) warnings = NULL;

  g_assert_true (reel_replay_buffer_loads (buffer, dump, NULL));
  warnings = reel_replay_buffer_dup_warnings (buffer);
  g_assert_nonnull (strstr (warnings[0], "ranks (TensorDictMaxValueWriter), which are not taken"));
}

/* ---- generations ---- */

#define TRACKING "round-robin:track-generations=true"

static ReelTensor *
find_generations (ReelReplayBuffer *buffer, gint64 first, gint64 n)
{
  g_autoptr (ReelTensor) index = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
  g_autoptr (GError) error = NULL;
  ReelTensor *found;

  for (gint64 i = 0; i < n; i++)
    ((gint64 *) index->data)[i] = first + i;
  found = reel_storage_get_generations (reel_replay_buffer_get_storage (buffer), index, &error);
  g_assert_no_error (error);
  return found;
}

static void
assert_generations (ReelReplayBuffer *buffer, const gint64 *expected, gint64 n)
{
  g_autoptr (ReelTensor) found = find_generations (buffer, 0, n);

  g_assert_cmpmem (found->data, (gsize) n * sizeof *expected, expected,
                   (gsize) n * sizeof *expected);
}

/* T8-5 */
static void
test_generations_as_torchrl (void)
{
  g_autoptr (ReelReplayBuffer) a = new_buffer ("tensor", 4, TRACKING);
  g_autoptr (ReelReplayBuffer) b = new_buffer ("tensor", 4, TRACKING);
  g_autoptr (ReelReplayBuffer) c = new_buffer ("tensor", 3, "tensordict-" TRACKING);
  g_autoptr (ReelReplayBuffer) d = new_buffer ("tensor", 4, TRACKING);
  g_autoptr (ReelReplayBuffer) other =
      reel_replay_buffer_new (reel_replay_buffer_get_storage (a), NULL, NULL, 0, NULL);
  g_autoptr (ReelReplayBuffer) plain = new_buffer ("tensor", 4, "round-robin");
  g_autoptr (ReelTensordict) batch = NULL;

  assert_generations (a, (gint64[]){ -1, -1, -1, -1 }, 4);
  counted_extend (a, 1, 4, 0);
  assert_generations (a, (gint64[]){ 0, 0, 0, 0, -1 }, 5);
  counted_extend (a, 1, 3, 4);
  assert_generations (a, (gint64[]){ 1, 1, 1, 0 }, 4);
  counted_extend (other, 1, 2, 7); /* at slot 3, then 0 */
  assert_generations (a, (gint64[]){ 2, 1, 1, 1 }, 4);

  counted_extend (b, 1, 10, 0);
  assert_generations (b, (gint64[]){ 2, 2, 1, 1 }, 4);
  for (gint64 i = 0; i < 4; i++)
    {
      g_autoptr (ReelTensordict) step = counted_new_step (1, 1, i);

      g_assert_true (reel_replay_buffer_add (c, step, NULL, NULL));
    }
  assert_generations (c, (gint64[]){ 1, 0, 0 }, 3);
  counted_extend (d, 1, 2, 0);
  g_assert_true (reel_replay_buffer_empty (d, TRUE, NULL));
  assert_generations (d, (gint64[]){ 1, 1, -1, -1 }, 4);

  counted_extend (plain, 1, 4, 0);
  g_assert_true (reel_replay_buffer_sample (plain, 4, &batch, NULL));
  g_assert_false (reel_tensordict_contains (batch, "index_generation"));
  assert_generations (plain, (gint64[]){ -1, -1, -1, -1 }, 4);
}

/* Sampled rows have their generation. */
static void
assert_batch_tells (ReelReplayBuffer *buffer, const gint64 *counts, gint ndim)
{
  g_autoptr (ReelTensordict) batch = NULL;
  const gint64 *index, *told;

  g_assert_true (reel_replay_buffer_sample (buffer, 16, &batch, NULL));
  index = (const gint64 *) reel_tensordict_get_tensor (batch, "index", NULL)->data;
  told = (const gint64 *) reel_tensordict_get_tensor (batch, "index_generation", NULL)->data;
  for (gint i = 0; i < 16; i++)
    g_assert_cmpint (told[i], ==, counts[index[i * ndim]]);
}

/* One write of each kind: extend by 1 to 9 steps, a block given back in part, emptying. */
static void
write_somehow (ReelReplayBuffer *buffer, gint kind, gint64 capacity, gint64 lanes, gint64 *step,
               gint64 *counts)
{
  gint64 cursor = reel_replay_buffer_get_cursor (buffer);
  ReelReservation block;

  if (kind < 9)
    {
      counted_extend (buffer, lanes, kind + 1, *step);
      for (gint64 i = 0; i <= kind; i++)
        counts[(cursor + i) % capacity]++;
      *step += kind + 1;
    }
  else if (kind == 9 && *step > 0)
    {
      ReelStorage *storage = reel_replay_buffer_get_storage (buffer);

      g_assert_true (reel_replay_buffer_reserve (buffer, 2, &block, NULL));
      counted_fill_block (storage, &block, 0, lanes);
      for (gint64 i = 0; i < block.n_steps; i++)
        counts[cursor + i]++;
      reel_replay_buffer_commit (buffer, &block, 1);
    }
  else if (kind == 10)
    {
      g_assert_true (reel_replay_buffer_empty (buffer, FALSE, NULL));
      for (gint64 i = 0; i < capacity; i++)
        counts[i] += counts[i] >= 0;
    }
}

/* Every three writes, in rings of 1 to 5 steps of one and of two lanes, against counting. */
static void
test_generations_count_writes (void)
{
  gint n_cases = 0;

  for (gint64 capacity = 1; capacity <= 5; capacity++)
    for (gint64 lanes = 1; lanes <= 2; lanes++)
      for (gint kinds = 0; kinds < 11 * 11 * 11; kinds++, n_cases++)
        {
          g_autofree char *text =
              g_strdup_printf ("tensor:ndim=%d,capacity=%d", (int) lanes, (int) (capacity * lanes));
          g_autoptr (ReelStorage) storage =
              reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
          g_autoptr (ReelWriter) writer =
              reel_object_new_from_text (REEL_TYPE_WRITER, TRACKING, NULL, NULL);
          g_autoptr (ReelReplayBuffer) buffer =
              reel_replay_buffer_new (storage, NULL, writer, 0, NULL);
          gint64 counts[5] = { -1, -1, -1, -1, -1 }, step = 0;

          for (gint left = kinds, i = 0; i < 3; i++, left /= 11)
            {
              write_somehow (buffer, left % 11, capacity, lanes, &step, counts);
              if (!reel_storage_is_allocated (storage))
                continue;
              assert_generations (buffer, counts, capacity);
              if (reel_replay_buffer_get_length (buffer) > 0)
                assert_batch_tells (buffer, counts, (gint) lanes);
            }
        }
  g_test_message ("%d cases", n_cases);
}

/* A slot that was freed and is written again is another row's. */
static void
test_consumed_slots_count (void)
{
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=6", NULL, NULL);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, "consuming", NULL, NULL);
  g_autoptr (ReelWriter) writer =
      reel_object_new_from_text (REEL_TYPE_WRITER, TRACKING, NULL, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, sampler, writer, 2, NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  gint64 counts[6] = { 0, 0, 0, 0, 0, 0 };

  counted_extend (buffer, 1, 6, 0);
  for (gint times = 0; times < 20; times++)
    {
      const gint64 *index;

      g_assert_true (reel_replay_buffer_sample (buffer, 2, &batch, NULL));
      index = (const gint64 *) reel_tensordict_get_tensor (batch, "index", NULL)->data;
      counts[index[0]]++;
      counts[index[1]]++;
      counted_extend (buffer, 1, 2, 6 + 2 * times);
      assert_generations (buffer, counts, 6);
    }
}

static void
test_generations_are_written_back (void)
{
  static const char *const kinds[] = { "tensor", "memmap" };
  g_autoptr (json_t) expect = golden_expect ("rb-generations");
  g_autofree char *dump = golden_dump ("rb-generations");

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *path = scratch_path (kinds[i]);
      g_autoptr (ReelReplayBuffer) buffer = new_buffer (kinds[i], 4, TRACKING), opened = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (reel_replay_buffer_loads (buffer, dump, &error));
      assert_no_warnings (buffer);
      golden_assert_content (expect, buffer);
      assert_generations (buffer, (gint64[]){ 1, 1, 1, 0 }, 4);
      g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, &error));
      golden_assert_same_files (dump, path, 4, 4);
      opened = reel_replay_buffer_open (dump, REEL_OPEN_DEFAULT, &error);
      g_assert_no_error (error);
      assert_no_warnings (opened);
      assert_generations (opened, (gint64[]){ 1, 1, 1, 0 }, 4);
    }
}

/* Another capacity moves rows to slots that are written for the first time. */
/* Of a run that is written to, or was killed, nothing is known of how often slots were written:
 * what its files say of it is old. */
static void
test_generations_of_a_run (void)
{
  g_autofree char *path = scratch_path ("run"), *copy = scratch_path ("copy");
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("memmap", 4, TRACKING);
  g_autoptr (ReelReplayBuffer) followed = NULL, killed = NULL;
  g_autoptr (ReelTensordict) step = counted_new_step (1, 1, 0);
  const char *const argv[] = { "cp", "-r", path, copy, NULL };
  const gint64 unknown[] = { -1, -1, -1, -1 };
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_make_live (buffer, path, step, 0, &error);
  g_assert_no_error (error);
  counted_extend (buffer, 1, 6, 0);
  assert_generations (buffer, (gint64[]){ 1, 1, 0, 0 }, 4);
  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                               NULL, NULL, &error));
  followed = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);
  g_assert_no_error (error);
  killed = reel_replay_buffer_open (copy, REEL_OPEN_READ_ONLY, &error);
  g_assert_no_error (error);
  assert_generations (followed, unknown, 4);
  assert_generations (killed, unknown, 4);
}

static void
test_generations_of_other_slots (void)
{
  g_autofree char *dump = golden_dump ("rb-generations");
  g_autoptr (ReelReplayBuffer) buffer = new_buffer ("tensor", 6, TRACKING);
  g_autoptr (ReelReplayBuffer) plain = new_buffer ("tensor", 4, "round-robin");
  g_auto (GStrv) warnings = NULL;

  g_assert_true (reel_replay_buffer_loads (buffer, dump, NULL));
  assert_generations (buffer, (gint64[]){ 0, 0, 0, 0, -1, -1 }, 6);
  g_assert_true (reel_replay_buffer_loads (plain, dump, NULL));
  warnings = reel_replay_buffer_dup_warnings (plain);
  g_assert_nonnull (strstr (warnings[0], "generations of rows, which are not taken over"));
}

/* ---- counts ---- */

/* A writer that cannot write to the storage is not taken, whenever it is given. */
static void
test_other_writer_is_checked (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 12, 2);
  g_autoptr (ReelWriter) writer =
      reel_object_new_from_text (REEL_TYPE_WRITER, "max-value:rank-key=id", NULL, NULL);
  ReelWriter *before = reel_replay_buffer_get_writer (buffer);
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_replay_buffer_set_writer (buffer, writer, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_true (reel_replay_buffer_get_writer (buffer) == before);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();
  for (gsize i = 0; i < G_N_ELEMENTS (ranked); i++)
    {
      g_autofree char *back =
          g_strdup_printf ("/buffers/writer-state/%s/is-written-back", ranked[i]);
      g_autofree char *opened =
          g_strdup_printf ("/buffers/writer-state/%s/is-written-back-when-opened", ranked[i]);

      scratch_test_with_data (back, test_heap_is_written_back, ranked[i]);
      scratch_test_with_data (opened, test_opened_heap_is_written_back, ranked[i]);
    }
  scratch_test ("/buffers/writer-state/ranks-go-on", test_ranks_go_on);
  scratch_test ("/buffers/writer-state/ranks-lose-nothing", test_ranks_lose_nothing);
  scratch_test ("/buffers/writer-state/rank-key-with-a-quote", test_rank_key_with_a_quote);
  scratch_test ("/buffers/writer-state/live-heap-is-of-its-rows", test_live_heap_is_of_its_rows);
  scratch_test ("/buffers/writer-state/damage-is-found", test_damage_is_found);
  scratch_test ("/buffers/writer-state/other-ranks-are-found-anew",
                test_other_ranks_are_found_anew);
  scratch_test ("/buffers/writer-state/other-writers-leave-ranks", test_other_writers_leave_ranks);
#define TEST(name, function) scratch_test ("/buffers/generations/" name, function)
  TEST ("are-those-of-torchrl", test_generations_as_torchrl);
  TEST ("count-writes", test_generations_count_writes);
  TEST ("count-consumed-slots", test_consumed_slots_count);
  TEST ("are-written-back", test_generations_are_written_back);
  TEST ("of-a-run", test_generations_of_a_run);
  TEST ("of-other-slots", test_generations_of_other_slots);
  scratch_test ("/buffers/writer-state/other-writer-is-checked", test_other_writer_is_checked);
  return g_test_run ();
}
