/* The writer that keeps the greatest: against what TorchRL did, and against a list. */
#include "../src/reel.h"
#include "../src/buffers/writers/max-value-writer.h"
#include "../src/buffers/storages/storage-private.h"
#include "counted-rows.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ReelReplayBuffer *
new_buffer (gint64 capacity, const char *writer_text)
{
  g_autofree char *text = g_strdup_printf ("tensor:capacity=%" G_GINT64_FORMAT, capacity);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelWriter) writer =
      reel_object_new_from_text (REEL_TYPE_WRITER, writer_text, &error, NULL);

  g_assert_no_error (error);
  return reel_replay_buffer_new (storage, NULL, writer, 0, NULL);
}

/* Rows [n] of a rank and of their number. */
static ReelTensordict *
new_rows (ReelTensor *ranks, gint64 first)
{
  gint64 n = ranks->shape[0];
  g_autoptr (ReelTensor) ids = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
  ReelTensordict *td = reel_tensordict_new (1, &n);

  for (gint64 i = 0; i < n; i++)
    ((gint64 *) ids->data)[i] = first + i;
  g_assert_true (reel_tensordict_set_tensor (td, "r", ranks, NULL));
  g_assert_true (reel_tensordict_set_tensor (td, "id", ids, NULL));
  return td;
}

static ReelTensordict *
new_real_rows (const double *ranks, gint64 n, gint64 first)
{
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_FLOAT64, 1, &n, NULL);

  memcpy (tensor->data, ranks, (gsize) n * sizeof *ranks);
  return new_rows (tensor, first);
}

static gint64
stored_id (ReelReplayBuffer *buffer, gint64 slot)
{
  ReelTensordict *data = reel_storage_get_data (reel_replay_buffer_get_storage (buffer));

  return ((gint64 *) reel_tensordict_get_tensor (data, "id", NULL)->data)[slot];
}

static ReelTensor *
get_heap (ReelReplayBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  ReelTensor *heap = reel_max_value_writer_dup_heap (
      REEL_MAX_VALUE_WRITER (reel_replay_buffer_get_writer (buffer)),
      reel_replay_buffer_get_storage (buffer), &error);

  g_assert_no_error (error);
  return heap;
}

/* ---- what TorchRL did ---- */

static ReelTensor *
golden_ranks (const json_t *given)
{
  const json_t *shape = json_object_get (given, "shape"), *data = json_object_get (given, "data");
  gint64 extents[REEL_MAX_NDIM];
  gint ndim = (gint) json_array_size (shape);
  ReelTensor *tensor;

  g_assert_cmpstr (json_string_value (json_object_get (given, "dtype")), ==, "float32");
  for (gint i = 0; i < ndim; i++)
    extents[i] = json_integer_value (json_array_get (shape, (gsize) i));
  tensor = reel_tensor_new (REEL_DTYPE_FLOAT32, ndim, extents, NULL);
  for (gsize i = 0; i < json_array_size (data); i++)
    ((float *) tensor->data)[i] = strtof (json_string_value (json_array_get (data, i)), NULL);
  return tensor;
}

static void
assert_integers (const gint64 *found, const json_t *expected)
{
  for (gsize i = 0; i < json_array_size (expected); i++)
    g_assert_cmpint (found[i], ==, json_integer_value (json_array_get (expected, i)));
}

static void
assert_heap (ReelReplayBuffer *buffer, const json_t *expected)
{
  g_autoptr (ReelTensor) heap = get_heap (buffer);

  g_assert_cmpint (heap->shape[0], ==, (gint64) json_array_size (expected));
  for (gint64 i = 0; i < heap->shape[0]; i++)
    {
      const json_t *rank = json_array_get (expected, (gsize) i);
      const double *found = (const double *) heap->data + 2 * i;

      g_assert_cmpfloat_with_epsilon (
          found[0], strtod (json_string_value (json_array_get (rank, 0)), NULL), 1e-6);
      g_assert_cmpfloat (found[1], ==, (double) json_integer_value (json_array_get (rank, 1)));
    }
}

static void
run_golden_case (const json_t *golden)
{
  g_autofree char *text =
      g_strdup_printf ("max-value:rank-key=r,reduction=%s",
                       json_string_value (json_object_get (golden, "reduction")));
  g_autoptr (ReelReplayBuffer) buffer =
      new_buffer (json_integer_value (json_object_get (golden, "capacity")), text);
  gsize i;
  json_t *step;

  json_array_foreach (json_object_get (golden, "steps"), i, step)
  {
    g_autoptr (ReelTensor) ranks = golden_ranks (json_object_get (step, "extend"));
    g_autoptr (ReelTensordict) rows = new_rows (ranks, (gint64) i * 100);
    g_autoptr (ReelTensor) index = NULL;
    const json_t *ids = json_object_get (step, "storage_id");

    g_assert_true (reel_replay_buffer_extend (buffer, rows, &index, NULL));
    assert_integers ((const gint64 *) index->data, json_object_get (step, "index"));
    assert_heap (buffer, json_object_get (step, "heap"));
    g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==,
                     json_integer_value (json_object_get (step, "cursor")));
    g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==,
                     json_integer_value (json_object_get (step, "len")));
    for (gsize slot = 0; slot < json_array_size (ids); slot++)
      g_assert_cmpint (stored_id (buffer, (gint64) slot), ==,
                       json_integer_value (json_array_get (ids, slot)));
  }
}

/* Index, heap in the order of its array, cursor, length and content after each extend. */
static void
test_golden (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "writers.json", NULL);
  json_t *root = json_load_file (path, 0, NULL), *golden;
  gsize i, n_cases = 0;

  json_array_foreach (json_object_get (root, "cases"), i, golden)
  {
    if (!g_str_equal (json_string_value (json_object_get (golden, "writer")), "max-value"))
      continue;
    n_cases++;
    run_golden_case (golden);
  }
  g_assert_cmpint (n_cases, ==, 7);
  json_decref (root);
}

/* A buffer that TorchRL dumped goes on where it was: ranks follow from the rows. */
static void
test_loads_and_goes_on (void)
{
  g_autofree char *dump =
      g_test_build_filename (G_TEST_DIST, "data", "torchrl", "rb-max-full", "dump", NULL);
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (4, "max-value");
  static const double expected[4][2] = { { 1, 1 }, { 5, 2 }, { 9, 0 }, { 5, 3 } };
  g_autoptr (ReelTensor) heap = NULL;
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_loads (buffer, dump, &error);
  g_assert_no_error (error);
  heap = get_heap (buffer);
  g_assert_cmpint (heap->shape[0], ==, 4);
  for (gint64 i = 0; i < 4; i++)
    {
      const double *rank = (const double *) heap->data + 2 * i;
      gboolean found = FALSE;

      for (gint64 j = 0; j < 4; j++)
        found = found || (rank[0] == expected[j][0] && rank[1] == expected[j][1]);
      g_assert_true (found);
    }
}

/* ---- every small case against a list ---- */

#define MOST 6

typedef struct
{
  gint64 capacity;
  gint64 n;
  double ranks[MOST];
  gint64 items[MOST];
} List;

/* Where one item goes: at the end, over the first of the least, or nowhere. */
static gint64
list_insert (List *list, double rank, gint64 item)
{
  gint64 slot = list->n, least = 0;

  if (list->n == list->capacity)
    {
      for (gint64 i = 1; i < list->n; i++)
        least = list->ranks[i] < list->ranks[least] ? i : least;
      if (rank <= list->ranks[least])
        return -1;
      slot = least;
    }
  else
    list->n++;
  list->ranks[slot] = rank;
  list->items[slot] = item;
  return slot;
}

/* Bit i of @cuts ends a batch behind item i. */
static void
run_case (gint64 capacity, const double *ranks, gint64 n, guint cuts)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (capacity, "max-value:rank-key=r");
  List list = { .capacity = capacity };
  gint64 n_accepted = 0;

  for (gint64 first = 0, end; first < n; first = end)
    {
      gint64 slots[MOST];
      g_autoptr (ReelTensordict) rows = NULL;
      g_autoptr (ReelTensor) index = NULL;

      for (end = first + 1; end < n && !(cuts >> (end - 1) & 1); end++)
        ;
      for (gint64 i = first; i < end; i++)
        {
          slots[i] = list_insert (&list, ranks[i], i);
          n_accepted += slots[i] >= 0;
          for (gint64 j = first; j < i; j++)
            if (slots[j] == slots[i])
              slots[j] = -1;
        }
      rows = new_real_rows (ranks + first, end - first, first);
      g_assert_true (reel_replay_buffer_extend (buffer, rows, &index, NULL));
      for (gint64 i = first; i < end; i++)
        g_assert_cmpint (((gint64 *) index->data)[i - first], ==, slots[i]);
      g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, list.n);
      g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, n_accepted);
      g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, list.n % capacity);
      for (gint64 slot = 0; slot < list.n; slot++)
        g_assert_cmpint (stored_id (buffer, slot), ==, list.items[slot]);
    }
}

/* Capacities 1 to 4, up to five items of three ranks, cut into batches in every way. */
static void
test_every_small_case (void)
{
  gint64 n_cases = 0;

  for (gint64 capacity = 1; capacity <= 4; capacity++)
    for (gint64 n = 1, n_ranks = 3; n <= 5; n++, n_ranks *= 3)
      for (gint64 code = 0; code < n_ranks; code++)
        for (guint cuts = 0; cuts < 1u << (n - 1); cuts++, n_cases++)
          {
            double ranks[MOST];

            for (gint64 i = 0, rest = code; i < n; i++, rest /= 3)
              ranks[i] = (double) (rest % 3) - 1;
            run_case (capacity, ranks, n, cuts);
          }
  g_test_message ("%" G_GINT64_FORMAT " cases", n_cases);
  g_assert_cmpint (n_cases, ==, 4 * (3 + 9 * 2 + 27 * 4 + 81 * 8 + 243 * 16));
}

/* ---- as the peer's tests have it ---- */

/* T8-1: of three waves of rising ranks the last is left, and one of zeros changes nothing. */
static void
test_keeps_the_last_wave (void)
{
  const gint64 n = 20;
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (n, "TensorDictMaxValueWriter:rank-key=r");
  g_autoptr (ReelTensordict) batch = NULL;
  double ranks[20] = { 0 };
  gboolean seen[20] = { FALSE };
  g_autoptr (ReelTensordict) zeros = new_real_rows (ranks, n, 1000);
  g_autoptr (ReelTensor) index = NULL;

  for (gint wave = 0; wave < 3; wave++)
    {
      g_autoptr (ReelTensordict) rows = NULL;

      for (gint64 i = 0; i < n; i++)
        ranks[i] = (double) (wave * n + (i * 7) % n + 1);
      rows = new_real_rows (ranks, n, wave * n);
      g_assert_true (reel_replay_buffer_extend (buffer, rows, NULL, NULL));
    }
  g_assert_true (reel_replay_buffer_extend (buffer, zeros, &index, NULL));
  for (gint64 i = 0; i < n; i++)
    {
      g_assert_cmpint (((gint64 *) index->data)[i], ==, -1);
      g_assert_cmpint (stored_id (buffer, i), >=, 2 * n);
      g_assert_false (seen[stored_id (buffer, i) - 2 * n]);
      seen[stored_id (buffer, i) - 2 * n] = TRUE;
    }
  g_assert_true (reel_replay_buffer_sample (buffer, 64, &batch, NULL));
  for (gint64 i = 0; i < 64; i++)
    g_assert_cmpfloat (((double *) reel_tensordict_get_tensor (batch, "r", NULL)->data)[i], >,
                       2 * (double) n);
}

/* T8-2: of each item many ranks: the greatest sum, greatest, least, mean, lower median. */
static void
test_reduces (void)
{
  static const struct
  {
    const char *reduction;
    gint64 best;
  } cases[] = { { "sum", 0 }, { "max", 0 }, { "min", 1 }, { "mean", 0 }, { "median", 2 } };
  static const float ranks[3][4] = { { 90, 0, 0, -1 }, { 2, 2, 2, 2 }, { 1, 8, 3, 9 } };
  const gint64 shape[3] = { 3, 2, 2 };
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_FLOAT32, 3, shape, NULL);

  memcpy (tensor->data, ranks, sizeof ranks);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text =
          g_strdup_printf ("max-value:rank-key=r,reduction=%s", cases[i].reduction);
      g_autoptr (ReelReplayBuffer) buffer = new_buffer (1, text);
      g_autoptr (ReelTensordict) rows = new_rows (tensor, 0);

      g_assert_true (reel_replay_buffer_extend (buffer, rows, NULL, NULL));
      g_assert_cmpint (stored_id (buffer, 0), ==, cases[i].best);
    }
}

/* ---- ranks at their limits ---- */

/* Integers beyond what a double tells apart. */
static void
test_integers_are_exact (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (2, "max-value:rank-key=r");
  const gint64 n = 4, big = (gint64) 1 << 53;
  g_autoptr (ReelTensor) ranks = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
  g_autoptr (ReelTensordict) rows = NULL;
  g_autoptr (ReelTensor) heap = NULL;

  memcpy (ranks->data, (gint64[]){ big + 1, big, big + 2, G_MININT64 }, 4 * sizeof (gint64));
  rows = new_rows (ranks, 0);
  g_assert_true (reel_replay_buffer_extend (buffer, rows, NULL, NULL));
  g_assert_cmpint (stored_id (buffer, 0), ==, 0);
  g_assert_cmpint (stored_id (buffer, 1), ==, 2);
  heap = get_heap (buffer);
  g_assert_cmpint (heap->dtype, ==, REEL_DTYPE_INT64);
  g_assert_cmpint (((gint64 *) heap->data)[0], ==, big + 1);
  g_assert_cmpint (((gint64 *) heap->data)[3], ==, 1);
}

/* NaN is less than all, so it goes first and never comes in; zeros are equal whatever their sign.
 */
static void
test_reals_at_their_limits (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (2, "max-value:rank-key=r");
  const double ranks[] = { NAN, -0.0, -INFINITY, 0.0, NAN, INFINITY, -1e-300 };
  const gint64 expected[] = { -1, 1, -1, -1, -1, -1, 0 };
  g_autoptr (ReelTensordict) rows = new_real_rows (ranks, 7, 0);
  g_autoptr (ReelTensordict) finite = new_real_rows (ranks + 6, 1, 6);
  g_autoptr (ReelTensor) index = NULL;

  g_assert_true (reel_replay_buffer_extend (buffer, rows, &index, NULL));
  /* The first NaN gives way to -inf, that to 0, the equal 0 of the other slot to +inf. */
  g_assert_cmpint (((gint64 *) index->data)[0], ==, expected[0]);
  g_assert_cmpint (((gint64 *) index->data)[2], ==, expected[2]);
  g_assert_cmpint (((gint64 *) index->data)[4], ==, expected[4]);
  g_assert_cmpint (stored_id (buffer, 0) + stored_id (buffer, 1), ==, 5 + 1);
  g_assert_true (reel_replay_buffer_extend (buffer, finite, NULL, NULL));
  g_assert_cmpint (stored_id (buffer, 0) + stored_id (buffer, 1), ==, 5 + 1);
}

/* ---- others write too ---- */

static void
test_sees_what_others_did (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (3, "max-value:rank-key=r");
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  g_autoptr (ReelReplayBuffer) other = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  g_autoptr (ReelTensordict) first = new_real_rows ((double[]){ 5, 7, 6 }, 3, 0);
  g_autoptr (ReelTensordict) low = new_real_rows ((double[]){ 1 }, 1, 10);
  g_autoptr (ReelTensordict) second = new_real_rows ((double[]){ 2 }, 1, 20);
  double *stored;

  g_assert_true (reel_replay_buffer_extend (buffer, first, NULL, NULL));
  g_assert_true (reel_replay_buffer_extend (other, low, NULL, NULL)); /* over slot 0 */
  g_assert_true (reel_replay_buffer_extend (buffer, second, NULL, NULL));
  g_assert_cmpint (stored_id (buffer, 0), ==, 20);

  stored = (double *) reel_tensordict_get_tensor (reel_storage_get_data (storage), "r", NULL)->data;
  reel_storage_begin_change (storage);
  stored[1] = 0;
  reel_storage_end_change (storage);
  g_assert_true (reel_replay_buffer_extend (buffer, second, NULL, NULL));
  g_assert_cmpint (stored_id (buffer, 1), ==, 20);

  g_assert_true (reel_replay_buffer_empty (buffer, TRUE, NULL));
  g_assert_true (reel_replay_buffer_extend (buffer, low, NULL, NULL));
  g_assert_cmpint (stored_id (buffer, 0), ==, 10);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 1);
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, 1);
}

/* ---- bad input ---- */

static void
assert_refused (ReelReplayBuffer *buffer, ReelTensordict *rows, ReelError code)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_replay_buffer_extend (buffer, rows, NULL, &error));
  g_assert_error (error, REEL_ERROR, (gint) code);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 0);
}

static void
test_refuses (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (3, "max-value");
  g_autoptr (ReelReplayBuffer) by_r = new_buffer (3, "max-value:rank-key=r");
  g_autoptr (ReelTensordict) rows = new_real_rows ((double[]){ 5, 7, 6 }, 3, 0);
  const gint64 shape[2] = { 3, 0 }, deep[3] = { 3, 1, 1 };
  g_autoptr (ReelTensor) complex = reel_tensor_new (REEL_DTYPE_COMPLEX64, 1, shape, NULL);
  g_autoptr (ReelTensor) none = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, shape, NULL);
  g_autoptr (ReelTensor) nested = reel_tensor_new (REEL_DTYPE_FLOAT32, 3, deep, NULL);
  g_autoptr (ReelTensordict) complex_rows = new_rows (complex, 0);
  g_autoptr (ReelTensordict) no_rows = new_rows (none, 0);
  g_autoptr (ReelTensordict) deep_rows = reel_tensordict_new (3, deep);
  g_autoptr (ReelStorage) lanes =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=4,ndim=2", NULL, NULL);
  ReelWriter *writer = reel_replay_buffer_get_writer (by_r);
  g_autoptr (GError) error = NULL, no_block = NULL;
  ReelReservation block;

  g_assert_true (reel_tensordict_set_tensor (deep_rows, "r", nested, NULL));
  assert_refused (buffer, rows, REEL_ERROR_KEY);
  assert_refused (by_r, complex_rows, REEL_ERROR_TYPE);
  assert_refused (by_r, no_rows, REEL_ERROR_VALUE);
  assert_refused (by_r, deep_rows, REEL_ERROR_RUNTIME);
  g_assert_false (reel_storage_is_allocated (reel_replay_buffer_get_storage (by_r)));
  g_assert_null (reel_replay_buffer_new (lanes, NULL, writer, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_true (reel_replay_buffer_extend (by_r, rows, NULL, NULL));
  g_assert_false (reel_replay_buffer_reserve (by_r, 1, &block, &no_block));
  g_assert_error (no_block, REEL_ERROR, REEL_ERROR_RUNTIME);
}

static void
test_prints (void)
{
  g_autoptr (ReelReplayBuffer) nested = new_buffer (3, "max-value");
  g_autoptr (ReelReplayBuffer) plain = new_buffer (3, "max-value:rank-key=r,reduction=max");
  g_autoptr (ReelTensordict) rows = new_real_rows ((double[]){ 5, 7 }, 2, 0);
  g_autofree char *empty = NULL, *part = NULL;

  g_assert_true (reel_replay_buffer_extend (plain, rows, NULL, NULL));
  empty = reel_writer_to_string (reel_replay_buffer_get_writer (nested),
                                 reel_replay_buffer_get_storage (nested));
  part = reel_writer_to_string (reel_replay_buffer_get_writer (plain),
                                reel_replay_buffer_get_storage (plain));
  g_assert_cmpstr (empty, ==,
                   "TensorDictMaxValueWriter(cursor=0, full_storage=False, "
                   "rank_key=('next', 'reward'), reduction=sum)");
  g_assert_cmpstr (part, ==,
                   "TensorDictMaxValueWriter(cursor=2, full_storage=False, rank_key=r, "
                   "reduction=max)");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

#define ADD(name, func) g_test_add_func ("/writers/max-value/" name, func)
  ADD ("writes-as-torchrl-did", test_golden);
  ADD ("loads-and-goes-on", test_loads_and_goes_on);
  ADD ("every-small-case", test_every_small_case);
  ADD ("keeps-the-last-wave", test_keeps_the_last_wave);
  ADD ("reduces", test_reduces);
  ADD ("integers-are-exact", test_integers_are_exact);
  ADD ("reals-at-their-limits", test_reals_at_their_limits);
  ADD ("sees-what-others-did", test_sees_what_others_did);
  ADD ("refuses", test_refuses);
  ADD ("prints", test_prints);
#undef ADD
  return g_test_run ();
}
