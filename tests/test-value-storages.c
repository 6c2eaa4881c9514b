/* What every storage of values promises, run over all that are listed, beside a naive list. */
#include "../src/buffers/buffer-index.h"
#include "../src/buffers/value-storage.h"
#include "../src/reel.h"
#include "contract.h"

#include <string.h>

/* ---- helpers ---- */

static gpointer
make (GType base, const char *format, ...)
{
  va_list arguments;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  gpointer object;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  object = reel_object_new_from_text (base, text, &error, NULL);
  g_assert_no_error (error);
  return object;
}

/* @parts: storage, sampler or %NULL, writer or %NULL. */
static ReelReplayBuffer *
new_buffer (const char *storage_text, const char *sampler_text, const char *writer_text)
{
  g_autoptr (ReelStorage) storage = make (REEL_TYPE_STORAGE, "%s", storage_text);
  g_autoptr (ReelSampler) sampler =
      sampler_text ? make (REEL_TYPE_SAMPLER, "%s", sampler_text) : NULL;
  g_autoptr (ReelWriter) writer = writer_text ? make (REEL_TYPE_WRITER, "%s", writer_text) : NULL;
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, sampler, writer, 0, &error);

  g_assert_no_error (error);
  return buffer;
}

static ReelReplayBuffer *
new_plain (gconstpointer id, gint64 capacity)
{
  g_autofree char *text =
      g_strdup_printf ("%s:capacity=%" G_GINT64_FORMAT, (const char *) id, capacity);

  return new_buffer (text, NULL, NULL);
}

static ReelTensor *
new_tensor (gint64 n, double value)
{
  ReelTensor *tensor = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, &n, NULL);

  for (gint64 i = 0; i < n; i++)
    ((float *) tensor->data)[i] = (float) value;
  return tensor;
}

static void
set (ReelTensordict *td, const char *path, ReelTensor *tensor)
{
  g_autoptr (ReelTensor) taken = tensor;

  g_assert_true (reel_tensordict_set_tensor (td, path, taken, NULL));
}

static ReelTensor *
new_scalar (gint64 value)
{
  ReelTensor *tensor = reel_tensor_new (REEL_DTYPE_INT64, 0, NULL, NULL);

  *(gint64 *) tensor->data = value;
  return tensor;
}

/* A row whose shape depends on its number, which all of its leaves tell. */
static ReelTensordict *
new_row (gint64 number)
{
  ReelTensordict *row = reel_tensordict_new (0, NULL);
  g_autofree char *text = g_strdup_printf ("number %" G_GINT64_FORMAT, number);

  set (row, "id", new_scalar (number));
  set (row, "next/ragged", new_tensor (1 + number % 3, (double) number));
  g_assert_true (reel_tensordict_set_value (row, "text", g_variant_new_string (text), NULL));
  return row;
}

static gint64
row_number (const ReelTensordict *row)
{
  const ReelTensor *id = reel_tensordict_get_tensor (row, "id", NULL);
  const ReelTensor *ragged = reel_tensordict_get_tensor (row, "next/ragged", NULL);
  g_autoptr (GVariant) text = reel_tensordict_get_value (row, "text", NULL);
  gint64 number;

  g_assert_true (id && ragged && text);
  number = *(const gint64 *) id->data;
  g_assert_cmpint (ragged->shape[0], ==, 1 + number % 3);
  for (gint64 i = 0; i < ragged->shape[0]; i++)
    g_assert_cmpfloat (((const float *) ragged->data)[i], ==, (float) number);
  g_assert_cmpint (g_ascii_strtoll (g_variant_get_string (text, NULL) + 7, NULL, 10), ==, number);
  return number;
}

static ReelTensordict *
new_rows (gint64 n, gint64 first)
{
  ReelTensordict *rows = reel_tree_new (REEL_TENSORDICT_LIST);

  for (gint64 i = 0; i < n; i++)
    {
      g_autoptr (ReelTensordict) row = new_row (first + i);
      g_assert_true (reel_tree_append (rows, row, NULL));
    }
  return rows;
}

static void
extend (ReelReplayBuffer *buffer, ReelTensordict *data, ReelTensor **index)
{
  g_autoptr (ReelTensordict) taken = data;
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_extend (buffer, taken, index, &error);
  g_assert_no_error (error);
}

/* The rows of what was read, whatever it was collated to. */
static ReelTensordict *
nth (const ReelTensordict *rows, gsize i)
{
  gsize n;
  ReelTensordict *const *elements = reel_lazy_stack_get_elements (rows, &n);
  g_autofree char *key = g_strdup_printf ("%" G_GSIZE_FORMAT, i);

  if (elements)
    {
      g_assert_cmpuint (i, <, n);
      return elements[i];
    }
  return reel_tensordict_get_tensordict (rows, key, NULL);
}

/* Of a list, a lazy stack or a tensordict. */
static gint64
nth_number (const ReelTensordict *rows, gsize i)
{
  g_autoptr (ReelTensordict) row =
      reel_tensordict_get_kind (rows) == REEL_TENSORDICT_LIST
          ? reel_tensordict_ref (nth (rows, i))
          : reel_tensordict_select_index ((ReelTensordict *) rows, 0, (gint64) i, NULL);

  return row_number (row);
}

static void
parse (ReelIndex *index, const char *python)
{
  g_autofree char *text = g_strdup_printf ("[%s]", python);
  g_autoptr (GError) error = NULL;

  reel_index_parse (index, text, &error);
  g_assert_no_error (error);
}

static ReelTensordict *
get_slice (ReelReplayBuffer *buffer, gint64 begin, gint64 end)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *rows = reel_replay_buffer_get_slice (buffer, begin, end, 1, &error);

  g_assert_no_error (error);
  return rows;
}

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
  g_autoptr (ReelTensordict) all = get_slice (buffer, 0, G_MAXINT64);
  g_autoptr (ReelTensordict) in_order = reel_replay_buffer_get_rows (buffer, 0, length, NULL);

  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, length);
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, naive->n % naive->capacity);
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, naive->n);
  for (gint64 i = 0; i < length; i++)
    {
      g_autoptr (ReelTensordict) item = reel_replay_buffer_get_item (buffer, i, NULL);

      g_assert_cmpint (row_number (item), ==, naive->slots[i]);
      g_assert_cmpint (nth_number (all, (gsize) i), ==, naive->slots[i]);
      g_assert_cmpint (nth_number (in_order, (gsize) i), ==, naive->n - length + i);
    }
}

static void
write_as_naive (ReelReplayBuffer *buffer, Naive *naive, gint64 n)
{
  gint64 first = naive->n;
  g_autoptr (ReelTensor) index = NULL;
  g_autoptr (ReelTensordict) row = new_row (first);

  for (gint64 i = 0; i < MAX (n, 1); i++)
    naive_write (naive);
  if (n == 0)
    g_assert_true (reel_replay_buffer_add (buffer, row, &index, NULL));
  else
    extend (buffer, new_rows (n, first), &index);
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
        g_autoptr (ReelReplayBuffer) buffer = new_buffer (text, NULL, NULL);
        Naive naive = { .capacity = capacity };

        write_as_naive (buffer, &naive, code % base);
        write_as_naive (buffer, &naive, code / base % base);
        write_as_naive (buffer, &naive, code / base / base);
      }
}

static void
test_grows_past_its_first_room (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) buffer = new_plain (id, G_MAXINT64 / 2);
  g_autoptr (GError) error = NULL;

  for (gint64 n = 0; n < 1000; n += 100)
    extend (buffer, new_rows (100, n), NULL);
  for (gint64 i = 0; i < 1000; i++)
    {
      g_autoptr (ReelTensordict) row = reel_replay_buffer_get_item (buffer, i, NULL);
      g_assert_cmpint (row_number (row), ==, i);
    }
  g_assert_null (reel_replay_buffer_get_item (buffer, 1000, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
}

/* T3.8-3; then the ring goes on past the room that its first rows needed. */
static void
test_is_emptied (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) buffer = new_plain (id, 300);
  g_autoptr (ReelTensordict) batch = NULL, row = NULL;
  g_autoptr (GError) error = NULL;

  extend (buffer, new_rows (10, 0), NULL);
  g_assert_true (reel_replay_buffer_empty (buffer, TRUE, NULL));
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 0);
  g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==, 0);
  g_assert_false (reel_replay_buffer_sample (buffer, 2, &batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  extend (buffer, new_rows (290, 50), NULL);
  extend (buffer, new_rows (20, 340), NULL);
  row = reel_replay_buffer_get_item (buffer, 9, NULL);
  g_assert_cmpint (row_number (row), ==, 359);
}

/* ---- what may be in it ---- */

static char *
print_value (const ReelTensordict *row)
{
  g_autoptr (GVariant) value = reel_tensordict_get_value (row, REEL_TREE_SINGLE_KEY, NULL);

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
      g_autoptr (ReelReplayBuffer) buffer = new_buffer (text, NULL, NULL);
      g_autoptr (ReelTensordict) string =
          reel_tree_new_single_value (g_variant_new_string ("a string!"), NULL);
      g_autoptr (ReelTensordict) list = reel_tree_new (REEL_TENSORDICT_LIST);
      g_autoptr (ReelTensordict) batch = NULL, all = NULL, last = NULL;
      g_autoptr (GVariant) values = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (reel_replay_buffer_add (buffer, string, NULL, NULL));
      g_assert_true (reel_tree_append_value (list, g_variant_new_int64 (30), NULL));
      g_assert_true (reel_tree_append_value (list, NULL, NULL));
      extend (buffer, g_steal_pointer (&list), NULL);
      g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 3);
      last = reel_replay_buffer_get_item (buffer, -1, NULL);
      assert_value (last, "nothing");
      reel_replay_buffer_sample (buffer, 3, &batch, &error);
      g_assert_no_error (error);
      all = get_slice (buffer, 0, 3);
      if (rows)
        {
          g_assert_cmpint (reel_tensordict_get_kind (batch), ==, REEL_TENSORDICT_LIST);
          g_assert_nonnull (nth (batch, 2));
          assert_value (nth (all, 0), "'a string!'");
          assert_value (nth (all, 1), "30");
        }
      else
        {
          g_autofree char *printed = NULL;

          values = reel_tensordict_get_value (all, REEL_TREE_SINGLE_KEY, NULL);
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
      g_autoptr (GVariant) value = reel_tensordict_get_value (row, REEL_TREE_SINGLE_KEY, NULL);

      g_string_append_printf (found, "%" G_GINT64_FORMAT " ", g_variant_get_int64 (value));
    }
  g_assert_cmpstr (found->str, ==, expected);
}

/* T6.6-3: rows that are no tensordicts, of a ring that went round, into one that is as large, into
 * a larger one, where they come in order of time, and not into a smaller one or columns. */
static void
test_has_a_state (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) ring = new_plain (id, 4), same = new_plain (id, 4);
  g_autoptr (ReelReplayBuffer) larger = new_plain (id, 5), smaller = new_plain (id, 3);
  g_autoptr (ReelReplayBuffer) columns = new_buffer ("tensor", NULL, NULL);
  g_autoptr (ReelTensordict) state = NULL;

  for (gint i = 0; i < 6; i++)
    {
      g_autoptr (ReelTensordict) value = reel_tree_new_single_value (g_variant_new_int64 (i), NULL);

      g_assert_true (reel_replay_buffer_add (ring, value, NULL, NULL));
    }
  state = reel_storage_get_state (reel_replay_buffer_get_storage (ring), NULL);
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
  state = reel_storage_get_state (reel_replay_buffer_get_storage (columns), NULL);
  set_state (same, state, -1);
  assert_values (same, "");
}

/* T3.8-1: the last thousand of range (2000), as they are. */
static void
test_holds_the_last_of_a_range (gconstpointer id)
{
  g_autofree char *text = g_strdup_printf ("%s:capacity=1000,collate=rows", (const char *) id);
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (text, NULL, NULL);
  g_autoptr (ReelTensordict) range = reel_tree_new (REEL_TENSORDICT_LIST), all = NULL;

  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 0);
  for (gint64 i = 0; i < 2000; i++)
    g_assert_true (reel_tree_append_value (range, g_variant_new_int64 (i), NULL));
  extend (buffer, g_steal_pointer (&range), NULL);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 1000);
  all = get_slice (buffer, 0, 1000);
  for (gsize i = 0; i < 1000; i++)
    {
      g_autofree char *expected = g_strdup_printf ("%" G_GSIZE_FORMAT, 1000 + i);
      assert_value (nth (all, i), expected);
    }
}

/* Rows of a tensor, of a tree, and of a tensordict that has batch dimensions of its own. */
static void
test_takes_rows_of_batches (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) buffer = new_plain (id, 20);
  const gint64 shape[] = { 3, 2 };
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_INT32, 2, shape, NULL);
  g_autoptr (ReelTensordict) td = reel_tensordict_new (2, shape), row = NULL, single = NULL;
  g_autoptr (ReelTensordict) tuple = reel_tree_new (REEL_TENSORDICT_TUPLE), item = NULL;
  g_autoptr (ReelTensordict) pair = NULL;
  g_autoptr (GError) error = NULL;
  gint ndim;

  for (gint32 i = 0; i < 6; i++)
    ((gint32 *) tensor->data)[i] = i;
  extend (buffer, reel_tree_new_single (tensor), NULL);
  g_assert_cmpint (reel_replay_buffer_get_length (buffer), ==, 3);
  single = reel_replay_buffer_get_item (buffer, 1, NULL);
  g_assert_cmpint (reel_tensordict_get_kind (single), ==, REEL_TENSORDICT_SINGLE);
  g_assert_cmpint (
      ((gint32 *) reel_tensordict_get_tensor (single, REEL_TREE_SINGLE_KEY, NULL)->data)[1], ==, 3);
  set (td, "a", reel_tensor_ref (tensor));
  extend (buffer, reel_tensordict_ref (td), NULL);
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
  g_autoptr (ReelReplayBuffer) buffer = new_plain (id, 4);
  g_autoptr (ReelTensordict) row = new_row (4), read = NULL, again = NULL, nested = NULL;
  ReelTensor *ragged = reel_tensordict_get_tensor (row, "next/ragged", NULL);
  g_autoptr (ReelTensor) held = reel_tensor_ref (ragged);

  g_assert_true (reel_replay_buffer_add (buffer, row, NULL, NULL));
  ((float *) held->data)[0] = 77;
  set (row, "next/ragged", new_tensor (5, 0));
  set (row, "more", new_scalar (1));
  read = reel_replay_buffer_get_item (buffer, 0, NULL);
  g_assert_cmpfloat (((float *) reel_tensordict_get_tensor (read, "next/ragged", NULL)->data)[0],
                     ==, shares ? 77 : 4);
  g_assert_false (reel_tensordict_contains (read, "more"));
  set (read, "next/other", new_scalar (1));
  set (read, "more", new_scalar (1));
  again = reel_replay_buffer_get_item (buffer, 0, NULL);
  g_assert_false (reel_tensordict_contains (again, "more"));
  g_assert_false (reel_tensordict_contains (again, "next/other"));
}

/* ---- reading and changing by index ---- */

static ReelTensordict *
by_index (ReelReplayBuffer *buffer, const char *python)
{
  g_auto (ReelIndex) index = REEL_INDEX_INIT;
  g_autoptr (GError) error = NULL;
  ReelTensordict *rows;

  parse (&index, python);
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
  g_autoptr (ReelReplayBuffer) buffer = new_plain (id, 9);
  g_autoptr (ReelTensordict) one = NULL, last = NULL;
  g_autoptr (GError) error = NULL;

  extend (buffer, new_rows (5, 0), NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (ReelIndex) index = REEL_INDEX_INIT;
      g_autoptr (ReelTensordict) rows = NULL;

      if (strcmp (cases[i].index, "range(2)") == 0)
        reel_index_add_slice (&index, 0, 2, 1);
      else
        parse (&index, cases[i].index);
      rows = reel_replay_buffer_index (buffer, &index, &error);
      g_assert_no_error (error);
      for (gsize k = 0; k < cases[i].n; k++)
        g_assert_cmpint (nth_number (rows, k), ==, cases[i].numbers[k]);
    }
  one = by_index (buffer, "3");
  g_assert_cmpint (row_number (one), ==, 3);
  last = by_index (buffer, "-5");
  g_assert_cmpint (row_number (last), ==, 0);
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
  g_autoptr (ReelReplayBuffer) buffer = new_plain (id, 9);

  extend (buffer, new_rows (5, 0), NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (ReelIndex) index = REEL_INDEX_INIT;
      g_autoptr (GError) error = NULL;

      parse (&index, cases[i].index);
      g_assert_null (reel_replay_buffer_index (buffer, &index, &error));
      g_assert_error (error, REEL_ERROR, cases[i].code);
    }
}

static void
test_replaces_rows (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) buffer = new_plain (id, 9);
  g_autoptr (ReelTensordict) row = new_row (40), pair = new_rows (2, 50), all = NULL, three = NULL;
  g_autoptr (ReelTensordict) written = new_rows (2, 60);
  g_auto (ReelIndex) one = REEL_INDEX_INIT, two = REEL_INDEX_INIT, many = REEL_INDEX_INIT;
  g_autoptr (GError) error = NULL;
  const gint64 expected[] = { 60, 61, 2, 50, 51, 5 };
  guint64 revision;

  extend (buffer, new_rows (6, 0), NULL);
  parse (&one, "1");
  parse (&two, "[3, -2]");
  parse (&many, "0:3");
  revision = reel_storage_get_revision (reel_replay_buffer_get_storage (buffer));
  g_assert_true (reel_replay_buffer_set_at (buffer, &one, row, NULL));
  g_assert_cmpuint (reel_storage_get_revision (reel_replay_buffer_get_storage (buffer)), ==,
                    revision + 2);
  g_assert_true (reel_replay_buffer_set_at (buffer, &two, pair, NULL));
  g_assert_false (reel_replay_buffer_set_at (buffer, &many, pair, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  three = reel_replay_buffer_get_item (buffer, 1, NULL);
  g_assert_cmpint (row_number (three), ==, 40);
  g_assert_true (reel_replay_buffer_write_all (buffer, written, -1, NULL));
  all = get_slice (buffer, 0, G_MAXINT64);
  for (gsize i = 0; i < 6; i++)
    g_assert_cmpint (nth_number (all, i), ==, expected[i]);
  g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==, 6);
}

static gint64
get_id (ReelReplayBuffer *buffer, gint64 i)
{
  g_autoptr (ReelTensordict) row = reel_replay_buffer_get_item (buffer, i, NULL);

  return *(gint64 *) reel_tensordict_get_tensor (row, "id", NULL)->data;
}

/* As TorchRL's LazyStackStorage: by key, for all or for some. */
static void
test_changes_rows_by_key (gconstpointer id)
{
  const gint64 n = 4;
  g_autoptr (ReelReplayBuffer) buffer = new_plain (id, 9);
  g_autoptr (ReelTensor) ids = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
  g_autoptr (ReelTensor) nine = new_scalar (9);
  g_autoptr (ReelTensordict) given = new_row (0), td = reel_tensordict_new (1, &n);
  g_auto (ReelIndex) one = REEL_INDEX_INIT, two = REEL_INDEX_INIT;
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_replay_buffer_add (buffer, given, NULL, NULL));
  extend (buffer, new_rows (3, 1), NULL);
  for (gint64 i = 0; i < n; i++)
    ((gint64 *) ids->data)[i] = 100 + i;
  reel_replay_buffer_set_in_place (buffer, "id", ids, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpint (get_id (buffer, i), ==, 100 + i);
  g_assert_cmpint (row_number (given), ==, 0);
  parse (&one, "1");
  parse (&two, "2:");
  reel_replay_buffer_set_at_in_place (buffer, "id", &one, nine, &error);
  g_assert_no_error (error);
  g_assert_cmpint (get_id (buffer, 1), ==, 9);
  g_assert_cmpint (get_id (buffer, 2), ==, 102);
  reel_replay_buffer_set_at_in_place (buffer, "id", &two, nine, &error);
  g_assert_no_error (error);
  g_assert_cmpint (get_id (buffer, 0), ==, 100);
  g_assert_cmpint (get_id (buffer, 2), ==, 9);
  g_assert_cmpint (get_id (buffer, 3), ==, 9);
  set (td, "id", reel_tensor_ref (ids));
  reel_replay_buffer_update_in_place (buffer, td, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (get_id (buffer, 3), ==, 103);
  g_assert_false (reel_replay_buffer_set_in_place (buffer, "nothing", ids, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
}

/* ---- with other parts ---- */

static ReelTensordict *
sample (ReelReplayBuffer *buffer, gint64 n)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *batch = NULL;

  reel_replay_buffer_sample (buffer, n, &batch, &error);
  g_assert_no_error (error);
  return batch;
}

/* Rows tell their index, by whatever sampler they came. */
static void
test_is_sampled (gconstpointer id)
{
  static const char *const samplers[] = { "random:seed=3", "without-replacement:seed=3",
                                          "prioritized:seed=3", "consuming:max-sample-count=9" };

  for (gsize s = 0; s < G_N_ELEMENTS (samplers); s++)
    {
      g_autofree char *text = g_strdup_printf ("%s:capacity=8", (const char *) id);
      g_autoptr (ReelReplayBuffer) buffer = new_buffer (text, samplers[s], NULL);
      g_autoptr (ReelTensordict) batch = NULL;
      g_autoptr (ReelTensor) index = NULL;

      extend (buffer, new_rows (11, 0), NULL);
      batch = sample (buffer, 6);
      index = reel_tensordict_ref_tensor (batch, "index", NULL);
      g_assert_cmpint (index->shape[0], ==, 6);
      for (gsize i = 0; i < 6; i++)
        g_assert_cmpint (nth_number (batch, i) % 8, ==, ((gint64 *) index->data)[i]);
    }
}

/* What rows tell under `td_error` is their first priority, and can be changed by a batch. */
static void
test_is_sampled_by_priority (gconstpointer id)
{
  g_autofree char *text = g_strdup_printf ("%s:capacity=8", (const char *) id);
  g_autoptr (ReelReplayBuffer) buffer =
      new_buffer (text, "prioritized:seed=5,alpha=1,eps=1e-9", NULL);
  g_autoptr (ReelTensordict) batch = NULL, other = NULL;
  const gint64 shape[] = { 20, 1 };
  g_autoptr (ReelTensor) errors = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, shape, NULL);
  g_autoptr (ReelTensor) weight = NULL, index = NULL;
  g_autoptr (GError) error = NULL;

  for (gint64 i = 0; i < 8; i++)
    {
      g_autoptr (ReelTensordict) row = new_row (i);
      set (row, "td_error", new_tensor (1, i == 5 ? 1 : 0));
      g_assert_true (reel_replay_buffer_add (buffer, row, NULL, NULL));
    }
  batch = sample (buffer, 20);
  for (gsize i = 0; i < 20; i++)
    g_assert_cmpint (nth_number (batch, i), ==, 5);
  weight = reel_tensordict_ref_tensor (batch, "priority_weight", NULL);
  g_assert_nonnull (weight);
  index = reel_tensordict_ref_tensor (batch, "index", NULL);
  for (gsize i = 0; i < 20; i++)
    ((gint64 *) index->data)[i] = (gint64) i % 8;
  g_assert_true (reel_tensordict_set_tensor (batch, "index", index, NULL));
  for (gsize i = 0; i < 20; i++)
    ((float *) errors->data)[i] = i % 8 == 2 ? 4 : 0;
  g_assert_true (reel_tensordict_set_tensor (batch, "td_error", errors, NULL));
  reel_replay_buffer_update_tensordict_priority (buffer, batch, &error);
  g_assert_no_error (error);
  other = sample (buffer, 20);
  for (gsize i = 0; i < 20; i++)
    g_assert_cmpint (nth_number (other, i), ==, 2);
}

/* Rows that were used up leave their slots to new ones, as in a storage of columns. */
static void
test_is_consumed (gconstpointer id)
{
  g_autofree char *text = g_strdup_printf ("%s:capacity=6", (const char *) id);
  gint64 seen[2][6];

  for (gint k = 0; k < 2; k++)
    {
      g_autoptr (ReelReplayBuffer) buffer =
          new_buffer (k ? "tensor:capacity=6" : text, "consuming:max-sample-count=1,seed=1",
                      "tensordict-round-robin");
      g_autoptr (ReelTensordict) batch = NULL;
      g_autoptr (ReelTensor) index = NULL;

      for (gint64 i = 0; i < 9; i++)
        {
          g_autoptr (ReelTensordict) row = reel_tensordict_new (0, NULL);

          if (i == 4)
            batch = sample (buffer, 2);
          set (row, "id", new_scalar (i));
          g_assert_true (reel_replay_buffer_add (buffer, row, NULL, NULL));
        }
      for (gint64 i = 0; i < 6; i++)
        {
          g_autoptr (ReelTensordict) row = reel_replay_buffer_get_item (buffer, i, NULL);

          seen[k][i] = *(gint64 *) reel_tensordict_get_tensor (row, "id", NULL)->data;
          g_assert_cmpint (*(gint64 *) reel_tensordict_get_tensor (row, "index", NULL)->data, ==,
                           i);
        }
    }
  g_assert_cmpmem (seen[0], sizeof seen[0], seen[1], sizeof seen[1]);
}

/* The same numbers go through a storage of columns: the rows that are kept are the same. */
static void
test_keeps_the_greatest (gconstpointer id)
{
  for (gint seed = 0; seed < 50; seed++)
    {
      g_autofree char *text = g_strdup_printf ("%s:capacity=5", (const char *) id);
      gint64 kept[2][5];

      for (gint k = 0; k < 2; k++)
        {
          g_autoptr (ReelReplayBuffer) buffer =
              new_buffer (k ? "tensor:capacity=5" : text, NULL, "max-value:rank-key=id");

          for (gint64 done = 0, n; done < 12; done += n)
            {
              const gint64 size = n = 1 + (seed + done) % 4;
              g_autoptr (ReelTensor) ids = reel_tensor_new (REEL_DTYPE_INT64, 1, &size, NULL);
              ReelTensordict *td = reel_tensordict_new (1, &size);

              for (gint64 i = 0; i < n; i++)
                ((gint64 *) ids->data)[i] = (seed * 7 + (done + i) * (seed % 11 + 3)) % 13;
              set (td, "id", reel_tensor_ref (ids));
              extend (buffer, td, NULL);
            }
          for (gint64 i = 0; i < 5; i++)
            kept[k][i] = get_id (buffer, i);
        }
      g_assert_cmpmem (kept[0], sizeof kept[0], kept[1], sizeof kept[1]);
    }
}

/* The tensordict of a row gets its slot; the one that was given does not. */
static void
test_rows_hold_their_slot (gconstpointer id)
{
  g_autofree char *text = g_strdup_printf ("%s:capacity=4", (const char *) id);
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (text, NULL, "tensordict-round-robin");
  g_autoptr (ReelTensordict) given = new_row (0), string = NULL;

  g_assert_true (reel_replay_buffer_add (buffer, given, NULL, NULL));
  g_assert_false (reel_tensordict_contains (given, "index"));
  extend (buffer, new_rows (6, 1), NULL);
  for (gint64 i = 0; i < 4; i++)
    {
      g_autoptr (ReelTensordict) row = reel_replay_buffer_get_item (buffer, i, NULL);

      g_assert_cmpint (row_number (row) % 4, ==, i);
      g_assert_cmpint (*(gint64 *) reel_tensordict_get_tensor (row, "index", NULL)->data, ==, i);
    }
  string = reel_tree_new_single_value (g_variant_new_string ("x"), NULL);
  g_assert_true (reel_replay_buffer_add (buffer, string, NULL, NULL));
}

/* What wants columns, or a place that a bare value has not, says so. */
static void
test_refuses_what_has_no_meaning (gconstpointer id)
{
  static const char *const samplers[] = { "slice:num-slices=1",
                                          "slice-without-replacement:num-slices=1",
                                          "prioritized-slice:num-slices=1", "staleness-aware" };
  g_autofree char *text = g_strdup_printf ("%s:capacity=8", (const char *) id);
  g_autofree char *two_dims = g_strdup_printf ("%s:ndim=2", (const char *) id);
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (text, "prioritized", NULL);
  g_autoptr (ReelTensordict) step = new_row (0), batch = NULL, string = NULL;
  g_auto (ReelIndex) all = REEL_INDEX_INIT;
  g_autoptr (GError) error = NULL;
  ReelBlock block;

  for (gsize i = 0; i < G_N_ELEMENTS (samplers); i++)
    {
      g_autoptr (ReelStorage) storage = make (REEL_TYPE_STORAGE, "%s", text);
      g_autoptr (ReelSampler) sampler = make (REEL_TYPE_SAMPLER, "%s", samplers[i]);

      g_assert_null (reel_replay_buffer_new (storage, sampler, NULL, 0, &error));
      g_assert_true (error->code == REEL_ERROR_TYPE || error->code == REEL_ERROR_RUNTIME);
      g_clear_error (&error);
    }
  g_assert_null (reel_object_new_from_text (REEL_TYPE_STORAGE, two_dims, &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_false (reel_storage_allocate (reel_replay_buffer_get_storage (buffer), step, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_false (reel_replay_buffer_reserve (buffer, 1, &block, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
  g_assert_false (reel_replay_buffer_extend (buffer, step, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
  parse (&all, ":");
  g_assert_false (reel_replay_buffer_fill_at (buffer, &all, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
  string = reel_tree_new_single_value (g_variant_new_string ("x"), NULL);
  g_assert_true (reel_replay_buffer_add (buffer, string, NULL, NULL));
  g_assert_false (reel_replay_buffer_sample (buffer, 1, &batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
}

/* Batches that were drawn ahead are those that would be drawn. */
static void
test_is_prefetched (gconstpointer id)
{
  g_autofree char *text = g_strdup_printf ("%s:capacity=8", (const char *) id);
  g_autoptr (ReelReplayBuffer) plain = new_buffer (text, "random:seed=7", NULL);
  g_autoptr (ReelReplayBuffer) ahead = new_buffer (text, "random:seed=7", NULL);

  extend (plain, new_rows (8, 0), NULL);
  extend (ahead, new_rows (8, 0), NULL);
  reel_replay_buffer_set_batch_size (ahead, 4);
  g_assert_true (reel_replay_buffer_set_prefetch (ahead, 2, NULL));
  for (gint k = 0; k < 10; k++)
    {
      g_autoptr (ReelTensordict) a = sample (plain, 4), b = sample (ahead, 4);

      for (gsize i = 0; i < 4; i++)
        g_assert_cmpint (nth_number (a, i), ==, nth_number (b, i));
    }
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
  { "reads-by-index", test_reads_by_index },
  { "refuses-other-indices", test_refuses_other_indices },
  { "replaces-rows", test_replaces_rows },
  { "changes-rows-by-key", test_changes_rows_by_key },
  { "is-sampled", test_is_sampled },
  { "is-sampled-by-priority", test_is_sampled_by_priority },
  { "is-consumed", test_is_consumed },
  { "keeps-the-greatest", test_keeps_the_greatest },
  { "rows-hold-their-slot", test_rows_hold_their_slot },
  { "refuses-what-has-no-meaning", test_refuses_what_has_no_meaning },
  { "is-prefetched", test_is_prefetched },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  contract_add ("value-storages", REEL_TYPE_VALUE_STORAGE, contract, G_N_ELEMENTS (contract));

  return g_test_run ();
}
