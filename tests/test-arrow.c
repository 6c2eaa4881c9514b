/* Batches lent by the Arrow C data interface. */
#include "../src/reel.h"

#include <string.h>

#define ROWS 3

/* Memory that counts itself in @live, so that one sees when it goes. */
static void
count_down (gpointer user_data)
{
  --*(gint *) user_data;
}

static ReelTensor *
new_counted (gint *live, ReelDtype dtype, gint ndim, const gint64 *shape)
{
  static gint64 numbers[64];
  g_autoptr (ReelMemory) memory =
      reel_memory_new_wrapped (REEL_MEMORY_HEAP, numbers, sizeof numbers, count_down, live);

  ++*live;
  return reel_tensor_new_from_memory (memory, 0, dtype, ndim, shape, NULL, NULL);
}

static ReelTensor *
set_counted (ReelTensordict *td, gint *live, const char *path, ReelDtype dtype, gint ndim,
             const gint64 *shape)
{
  g_autoptr (ReelTensor) tensor = new_counted (live, dtype, ndim, shape);

  g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
  return reel_tensordict_get_tensor (td, path, NULL);
}

static ReelTensordict *
new_batch (void)
{
  return reel_tensordict_new (1, (gint64[]){ ROWS });
}

typedef struct
{
  struct ArrowSchema schema;
  struct ArrowArray array;
} Lent;

static void
lend (ReelTensordict *td, Lent *lent)
{
  GError *error = NULL;

  g_assert_true (reel_tensordict_to_arrow (td, &lent->schema, &lent->array, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (lent->schema.format, ==, "+s");
  g_assert_cmpint (lent->array.n_children, ==, lent->schema.n_children);
  g_assert_cmpint (lent->array.n_buffers, ==, 1);
}

static void
give_back (Lent *lent)
{
  lent->schema.release (&lent->schema);
  lent->array.release (&lent->array);
  g_assert_null (lent->schema.release);
  g_assert_null (lent->array.release);
}

static void
assert_column (const Lent *lent, gint i, const char *name, const char *format, gint64 length,
               gconstpointer data)
{
  const struct ArrowSchema *field = lent->schema.children[i];
  const struct ArrowArray *column = lent->array.children[i];

  g_assert_cmpstr (field->name, ==, name);
  g_assert_cmpstr (field->format, ==, format);
  g_assert_cmpint (column->length, ==, length);
  g_assert_cmpint (column->null_count, ==, 0);
  g_assert_cmpint (column->offset, ==, 0);
  if (data)
    {
      g_assert_cmpint (column->n_buffers, ==, 2);
      g_assert_null (column->buffers[0]);
      g_assert_true (column->buffers[1] == data);
    }
}

/* ---- tensors ---- */

static void
test_dtypes (void)
{
  const struct
  {
    const char *name, *format;
  } plain[] = { { "bool", "c" },   { "uint8", "C" },   { "int8", "c" },     { "int16", "s" },
                { "int32", "i" },  { "int64", "l" },   { "uint16", "S" },   { "uint32", "I" },
                { "uint64", "L" }, { "float16", "e" }, { "bfloat16", "S" }, { "float32", "f" },
                { "float64", "g" } };
  gint live = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (plain); i++)
    {
      Lent lent;
      ReelDtype dtype;
      g_autoptr (ReelTensordict) td = new_batch ();
      g_assert_true (reel_dtype_from_name (plain[i].name, &dtype, NULL));
      ReelTensor *tensor = set_counted (td, &live, "x", dtype, 1, (gint64[]){ ROWS });
      lend (td, &lent);
      assert_column (&lent, 0, "x", plain[i].format, ROWS, tensor->data);
      g_assert_cmpint (lent.schema.children[0]->metadata != NULL, ==,
                       dtype == REEL_DTYPE_BOOL || dtype == REEL_DTYPE_BFLOAT16);
      give_back (&lent);
    }
}

static void
test_complex (void)
{
  const char *const formats[] = { "e", "f", "g" };
  gint live = 0;

  for (ReelDtype dtype = REEL_DTYPE_COMPLEX32; dtype <= REEL_DTYPE_COMPLEX128; dtype++)
    {
      Lent lent;
      g_autoptr (ReelTensordict) td = new_batch ();
      ReelTensor *tensor = set_counted (td, &live, "x", dtype, 1, (gint64[]){ ROWS });
      lend (td, &lent);
      assert_column (&lent, 0, "x", "+w:2", ROWS, NULL);
      const struct ArrowArray *parts = lent.array.children[0]->children[0];
      g_assert_cmpstr (lent.schema.children[0]->children[0]->format, ==,
                       formats[dtype - REEL_DTYPE_COMPLEX32]);
      g_assert_cmpint (parts->length, ==, 2 * ROWS);
      g_assert_true (parts->buffers[1] == tensor->data);
      give_back (&lent);
    }
}

/* The first part may be any of the buffer, as where a program took values from the second on. */
static void
test_complex_from_an_odd_part (void)
{
  gint live = 0;

  for (ReelDtype dtype = REEL_DTYPE_COMPLEX32; dtype <= REEL_DTYPE_COMPLEX128; dtype++)
    {
      Lent lent;
      g_autoptr (ReelTensordict) td = new_batch (), back = NULL;
      g_autoptr (GError) error = NULL;
      ReelTensor *tensor = set_counted (td, &live, "x", dtype, 1, (gint64[]){ ROWS });
      gsize part = reel_dtype_size (dtype) / 2;

      for (gsize i = 0; i < 2 * ROWS * part; i++)
        tensor->data[i] = (guint8) i;
      lend (td, &lent);
      lent.array.children[0]->children[0]->offset = 1;
      lent.array.children[0]->children[0]->length -= 1;
      lent.array.children[0]->length -= 1;
      lent.array.length -= 1;
      back = reel_tensordict_from_arrow (&lent.schema, &lent.array, &error);
      g_assert_no_error (error);
      g_assert_true (memcmp (reel_tensordict_get_tensor (back, "x", NULL)->data,
                             tensor->data + part, (ROWS - 1) * 2 * part)
                     == 0);
    }
}

/* A bool is Arrow's type of one byte, told by metadata: a count, then pairs of counted strings. */
static void
test_bool_metadata (void)
{
  const char expected[] = "\2\0\0\0"
                          "\24\0\0\0ARROW:extension:name\13\0\0\0arrow.bool8"
                          "\30\0\0\0ARROW:extension:metadata\0\0\0\0";
  gint live = 0;
  Lent lent;
  g_autoptr (ReelTensordict) td = new_batch ();

  set_counted (td, &live, "x", REEL_DTYPE_BOOL, 1, (gint64[]){ ROWS });
  lend (td, &lent);
  g_assert_true (memcmp (lent.schema.children[0]->metadata, expected, sizeof expected - 1) == 0);
  give_back (&lent);
}

static void
test_lists (void)
{
  gint live = 0;
  Lent lent;
  g_autoptr (ReelTensordict) td = new_batch ();
  ReelTensor *tensor = set_counted (td, &live, "x", REEL_DTYPE_INT16, 3, (gint64[]){ ROWS, 2, 4 });

  lend (td, &lent);
  assert_column (&lent, 0, "x", "+w:2", ROWS, NULL);
  const struct ArrowSchema *field = lent.schema.children[0]->children[0];
  const struct ArrowArray *column = lent.array.children[0]->children[0];
  g_assert_cmpstr (field->format, ==, "+w:4");
  g_assert_cmpstr (field->name, ==, "item");
  g_assert_cmpint (column->length, ==, 2 * ROWS);
  g_assert_cmpstr (field->children[0]->format, ==, "s");
  g_assert_cmpint (column->children[0]->length, ==, 8 * ROWS);
  g_assert_true (column->children[0]->buffers[1] == tensor->data);
  give_back (&lent);
}

static void
test_structs (void)
{
  gint live = 0;
  Lent lent;
  g_autoptr (ReelTensordict) td = new_batch ();
  ReelTensor *reward =
      set_counted (td, &live, "next/reward", REEL_DTYPE_FLOAT32, 2, (gint64[]){ ROWS, 1 });

  set_counted (td, &live, "a%2Fb", REEL_DTYPE_INT64, 1, (gint64[]){ ROWS });
  lend (td, &lent);
  g_assert_cmpint (lent.array.length, ==, ROWS);
  g_assert_cmpint (lent.array.n_children, ==, 2);
  assert_column (&lent, 0, "next", "+s", ROWS, NULL);
  assert_column (&lent, 1, "a/b", "l", ROWS, NULL);
  g_assert_cmpstr (lent.schema.children[0]->children[0]->name, ==, "reward");
  g_assert_true (lent.array.children[0]->children[0]->children[0]->buffers[1] == reward->data);
  give_back (&lent);
}

/* Rows in the middle of a batch are contiguous, and begin where they are. */
static void
test_rows (void)
{
  gint live = 0;
  Lent lent;
  g_autoptr (ReelTensordict) td = new_batch ();
  ReelTensor *x = set_counted (td, &live, "x", REEL_DTYPE_INT32, 2, (gint64[]){ ROWS, 2 });
  g_autoptr (ReelTensordict) middle = reel_tensordict_slice (td, 0, 1, 2, 1, NULL);

  lend (middle, &lent);
  g_assert_cmpint (lent.array.length, ==, 1);
  g_assert_true (lent.array.children[0]->children[0]->buffers[1] == x->data + 8);
  give_back (&lent);
}

static void
test_nothing (void)
{
  Lent lent;
  g_autoptr (ReelTensordict) bare = new_batch ();
  g_autoptr (ReelTensordict) empty = reel_tensordict_new (1, (gint64[]){ 0 });
  g_autoptr (ReelTensor) x = reel_tensor_new (REEL_DTYPE_INT32, 2, (gint64[]){ 0, 2 }, NULL);

  lend (bare, &lent);
  g_assert_cmpint (lent.array.length, ==, ROWS);
  g_assert_cmpint (lent.array.n_children, ==, 0);
  give_back (&lent);
  g_assert_true (reel_tensordict_set_tensor (empty, "x", x, NULL));
  lend (empty, &lent);
  assert_column (&lent, 0, "x", "+w:2", 0, NULL);
  give_back (&lent);
}

/* ---- values ---- */

static void
set_list (ReelTensordict *td, const char *key, const char *text)
{
  GError *error = NULL;
  GVariant *list = g_variant_parse (G_VARIANT_TYPE ("av"), text, NULL, NULL, &error);

  g_assert_no_error (error);
  g_autoptr (ReelNonTensor) values = reel_non_tensor_new_from_list (list, 1, &error);
  g_assert_no_error (error);
  g_variant_unref (list);
  g_assert_true (reel_tensordict_set_non_tensor (td, key, values, NULL));
}

static void
test_strings (void)
{
  const gint64 offsets[3] = { 0, 1, 3 };
  Lent lent;
  g_autoptr (ReelTensordict) td = new_batch ();

  set_list (td, "said", "[<'a'>, <'bc'>, <'a'>]");
  ReelNonTensor *said = reel_tensordict_get_non_tensor (td, "said", NULL);
  lend (td, &lent);
  assert_column (&lent, 0, "said", "l", ROWS, reel_non_tensor_get_which (said)->data);
  const struct ArrowArray *words = lent.array.children[0]->dictionary;
  g_assert_cmpstr (lent.schema.children[0]->dictionary->format, ==, "U");
  g_assert_cmpint (words->length, ==, 2);
  g_assert_cmpmem (words->buffers[1], sizeof offsets, offsets, sizeof offsets);
  g_assert_cmpmem (words->buffers[2], 3, "abc", 3);
  give_back (&lent);
}

/* None is null: a bit for each row says so. */
static void
test_nulls (void)
{
  Lent lent;
  g_autoptr (ReelTensordict) td = new_batch ();

  set_list (td, "said", "[<'a'>, <@mv nothing>, <'b'>]");
  set_list (td, "none", "[<@mv nothing>, <@mv nothing>, <@mv nothing>]");
  lend (td, &lent);
  const struct ArrowArray *said = lent.array.children[0], *none = lent.array.children[1];
  g_assert_cmpint (said->null_count, ==, 1);
  g_assert_cmpint (*(const guint8 *) said->buffers[0], ==, 5);
  g_assert_cmpint (lent.schema.children[0]->flags, ==, ARROW_FLAG_NULLABLE);
  g_assert_cmpint (none->null_count, ==, 3);
  g_assert_cmpint (none->dictionary->length, ==, 0);
  give_back (&lent);
}

static void
test_numbers (void)
{
  Lent lent;
  g_autoptr (ReelTensordict) td = new_batch ();

  set_list (td, "whole", "[<int64 7>, <int64 -1>, <int64 7>]");
  set_list (td, "real", "[<0.5>, <1.5>, <0.5>]");
  set_list (td, "flags", "[<false>, <true>, <true>]");
  g_assert_true (reel_tensordict_set_value (td, "one", g_variant_new_int64 (9), NULL));
  lend (td, &lent);
  const char *const formats[4] = { "l", "g", "b", "l" };
  for (gint i = 0; i < 4; i++)
    {
      g_assert_cmpint (lent.array.children[i]->length, ==, ROWS);
      g_assert_cmpstr (lent.schema.children[i]->dictionary->format, ==, formats[i]);
    }
  g_assert_cmpint (((const gint64 *) lent.array.children[0]->dictionary->buffers[1])[1], ==, -1);
  g_assert_cmpfloat (((const double *) lent.array.children[1]->dictionary->buffers[1])[1], ==, 1.5);
  g_assert_cmpint (*(const guint8 *) lent.array.children[2]->dictionary->buffers[1], ==, 2);
  for (gint i = 0; i < ROWS; i++)
    g_assert_cmpint (((const gint64 *) lent.array.children[3]->buffers[1])[i], ==, 0);
  give_back (&lent);
}

/* ---- lifetime ---- */

static void
test_outlives_batch (void)
{
  gint live = 0;
  Lent lent;
  ReelTensordict *td = new_batch ();

  set_counted (td, &live, "x", REEL_DTYPE_INT32, 1, (gint64[]){ ROWS });
  set_counted (td, &live, "next/x", REEL_DTYPE_INT32, 1, (gint64[]){ ROWS });
  lend (td, &lent);
  reel_tensordict_unref (td);
  g_assert_cmpint (live, ==, 2);
  lent.schema.release (&lent.schema);
  g_assert_cmpint (live, ==, 2);
  lent.array.release (&lent.array);
  g_assert_cmpint (live, ==, 0);
}

/* A consumer may take a column away: it copies the struct and empties the old one. */
static void
test_moved_child (void)
{
  gint live = 0;
  Lent lent;
  ReelTensordict *td = new_batch ();

  set_counted (td, &live, "x", REEL_DTYPE_INT32, 2, (gint64[]){ ROWS, 2 });
  set_counted (td, &live, "y", REEL_DTYPE_INT32, 1, (gint64[]){ ROWS });
  lend (td, &lent);
  reel_tensordict_unref (td);
  struct ArrowArray moved = *lent.array.children[0];
  lent.array.children[0]->release = NULL;
  give_back (&lent);
  g_assert_cmpint (live, ==, 1);
  g_assert_cmpint (moved.children[0]->length, ==, 2 * ROWS);
  moved.release (&moved);
  g_assert_cmpint (live, ==, 0);
}

/* ---- refusals ---- */

static void
assert_refused (ReelTensordict *td, gint code, const char *message)
{
  GError *error = NULL;
  Lent lent;

  g_assert_false (reel_tensordict_to_arrow (td, &lent.schema, &lent.array, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
  g_clear_error (&error);
  g_assert_null (lent.schema.release);
  g_assert_null (lent.array.release);
}

static void
test_refusals (void)
{
  gint live = 0;
  g_autoptr (ReelTensordict) scalar = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensordict) td = new_batch ();
  ReelTensordict *rows[2] = { td, td };
  g_autoptr (ReelTensordict) stack = reel_lazy_stack_new (rows, 2, 0, NULL);

  assert_refused (scalar, REEL_ERROR_RUNTIME,
                  "the tensordict has no columns for Arrow: it has no batch dimension, and so no "
                  "rows");
  assert_refused (stack, REEL_ERROR_RUNTIME,
                  "the tensordict has no columns for Arrow: it is a lazy stack, of which "
                  "reel_tensordict_contiguous() makes one");
  set_counted (td, &live, "next/first", REEL_DTYPE_INT32, 1, (gint64[]){ ROWS });
  set_counted (td, &live, "next/wide", REEL_DTYPE_INT32, 2, (gint64[]){ ROWS, 2 });
  g_autoptr (ReelTensordict) strided = reel_tensordict_slice (td, 0, 0, ROWS, 2, NULL);
  assert_refused (
      strided, REEL_ERROR_VALUE,
      "\"next/first\" of shape [2] is not contiguous, as a column of Arrow must be: copy it "
      "first");
  set_list (td, "mixed", "[<'a'>, <int64 1>, <'a'>]");
  assert_refused (td, REEL_ERROR_TYPE,
                  "\"mixed\" has no column for Arrow: its values are not all strings, all "
                  "integers, all reals or all booleans");
}

static void
test_not_aligned (void)
{
  g_autoptr (ReelTensordict) td = new_batch ();
  g_autoptr (ReelMemory) memory = reel_memory_new (64, NULL);
  g_autoptr (ReelTensor) askew = reel_tensor_new_from_memory (memory, 2, REEL_DTYPE_FLOAT32, 1,
                                                              (gint64[]){ ROWS }, NULL, NULL);

  g_assert_true (reel_tensordict_set_tensor (td, "x", askew, NULL));
  assert_refused (td, REEL_ERROR_VALUE,
                  "\"x\" of shape [3] is not aligned, as a column of Arrow must be: copy it "
                  "first");
}

/* ---- and back ---- */

static ReelTensordict *
borrow (Lent *lent)
{
  GError *error = NULL;
  ReelTensordict *td = reel_tensordict_from_arrow (&lent->schema, &lent->array, &error);

  g_assert_no_error (error);
  g_assert_null (lent->schema.release);
  g_assert_null (lent->array.release);
  return td;
}

/* Every dtype, lists, structs and values: the same, and numbers in the same place. */
static void
test_there_and_back (void)
{
  static const char *const paths[] = { "x", "deep", "next/flag" };
  gint live = 0;
  Lent lent;

  for (ReelDtype dtype = 0; dtype < REEL_N_DTYPES; dtype++)
    {
      g_autoptr (ReelTensordict) td = new_batch ();
      const void *places[G_N_ELEMENTS (paths)];
      set_counted (td, &live, paths[0], dtype, 1, (gint64[]){ ROWS });
      set_counted (td, &live, paths[1], dtype, 3, (gint64[]){ ROWS, 2, 1 });
      set_counted (td, &live, paths[2], dtype, 2, (gint64[]){ ROWS, 0 });
      set_list (td, "a%2Fb", "[<'a'>, <@mv nothing>, <'a'>]");
      set_list (td, "next/count", "[<int64 7>, <int64 -1>, <int64 7>]");
      set_list (td, "real", "[<0.5>, <1.5>, <0.5>]");
      set_list (td, "flags", "[<false>, <true>, <true>]");
      for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
        places[i] = reel_tensordict_get_tensor (td, paths[i], NULL)->data;
      lend (td, &lent);
      g_autoptr (ReelTensordict) back = borrow (&lent);
      g_assert_true (reel_tensordict_equal (td, back));
      for (gsize i = 0; i < G_N_ELEMENTS (paths) - 1; i++)
        g_assert_true (reel_tensordict_get_tensor (back, paths[i], NULL)->data == places[i]);
    }
  g_assert_cmpint (live, ==, 0);
}

/* Rows of a batch, and a batch without any. */
static void
test_parts_come_back (void)
{
  gint live = 0;
  Lent lent;
  g_autoptr (ReelTensordict) td = new_batch ();
  g_autoptr (ReelTensordict) bare = reel_tensordict_new (1, (gint64[]){ 0 });

  set_counted (td, &live, "n/x", REEL_DTYPE_INT32, 2, (gint64[]){ ROWS, 2 });
  for (gint64 i = 0; i <= ROWS; i++)
    {
      g_autoptr (ReelTensordict) part = reel_tensordict_slice (td, 0, i, ROWS, 1, NULL);
      lend (part, &lent);
      g_autoptr (ReelTensordict) back = borrow (&lent);
      g_assert_true (reel_tensordict_equal (part, back));
    }
  lend (bare, &lent);
  g_autoptr (ReelTensordict) nothing = borrow (&lent);
  g_assert_true (reel_tensordict_equal (bare, nothing));
}

static void
test_borrowed_columns_live_as_long (void)
{
  gint live = 0;
  Lent lent;
  ReelTensordict *td = new_batch ();

  set_counted (td, &live, "x", REEL_DTYPE_INT32, 1, (gint64[]){ ROWS });
  set_counted (td, &live, "next/x", REEL_DTYPE_INT32, 1, (gint64[]){ ROWS });
  lend (td, &lent);
  reel_tensordict_unref (td);
  g_autoptr (ReelTensordict) back = borrow (&lent);
  ReelTensor *x = reel_tensor_ref (reel_tensordict_get_tensor (back, "next/x", NULL));
  g_clear_pointer (&back, reel_tensordict_unref);
  g_assert_cmpint (live, ==, 2);
  g_assert_true (reel_memory_is_read_only (x->memory));
  reel_tensor_unref (x);
  g_assert_cmpint (live, ==, 0);
}

/* A refused array stays the caller's. */
static void
assert_not_borrowed (Lent *lent, gint code, const char *message)
{
  GError *error = NULL;

  g_assert_null (reel_tensordict_from_arrow (&lent->schema, &lent->array, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
  g_clear_error (&error);
  give_back (lent);
}

static void
test_what_is_not_borrowed (void)
{
  guint8 bits = 5;
  gint live = 0;
  Lent lent;
  g_autoptr (ReelTensordict) td = new_batch ();
  struct ArrowArray *column;

  set_counted (td, &live, "next/x", REEL_DTYPE_INT32, 2, (gint64[]){ ROWS, 2 });
  lend (td, &lent);
  lent.schema.children[0]->children[0]->children[0]->format = "tdD";
  assert_not_borrowed (&lent, REEL_ERROR_TYPE,
                       "\"next/x\" is of Arrow's type \"tdD\", which has no counterpart; there are "
                       "booleans, numbers, strings, dictionaries of these, fixed-size lists of "
                       "numbers and booleans, and structs that are in no list");
  lend (td, &lent);
  column = lent.array.children[0]->children[0]->children[0];
  column->null_count = -1;
  column->buffers[0] = &bits;
  assert_not_borrowed (&lent, REEL_ERROR_VALUE,
                       "\"next/x\" is null at element 1, and tensors have no nulls: fill them "
                       "first");
  lend (td, &lent);
  lent.array.children[0]->children[0]->children[0]->length = 5;
  assert_not_borrowed (&lent, REEL_ERROR_VALUE,
                       "\"next/x\": schema and array of Arrow do not belong together: 0 and 0 "
                       "children, 5 elements where 6 are needed");
  lend (td, &lent);
  lent.schema.format = "i";
  assert_not_borrowed (&lent, REEL_ERROR_TYPE,
                       "Arrow lends an array of type \"i\", where a record batch, a struct, was "
                       "expected");
  set_list (td, "said", "[<'a'>, <'b'>, <'a'>]");
  lend (td, &lent);
  lent.array.children[1]->dictionary->length = 1;
  assert_not_borrowed (&lent, REEL_ERROR_INDEX,
                       "\"said\": element 1 is number 1 of a dictionary of 1");
  lend (td, &lent);
  lent.schema.children[1]->name = "next";
  assert_not_borrowed (&lent, REEL_ERROR_KEY,
                       "the tensordict: a field of Arrow is there twice: \"next\"");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/core/arrow/every-dtype", test_dtypes);
  g_test_add_func ("/core/arrow/complex", test_complex);
  g_test_add_func ("/core/arrow/complex-from-an-odd-part", test_complex_from_an_odd_part);
  g_test_add_func ("/core/arrow/bool-is-a-byte", test_bool_metadata);
  g_test_add_func ("/core/arrow/dimensions-are-lists", test_lists);
  g_test_add_func ("/core/arrow/nested-are-structs", test_structs);
  g_test_add_func ("/core/arrow/rows-in-the-middle", test_rows);
  g_test_add_func ("/core/arrow/nothing", test_nothing);
  g_test_add_func ("/core/arrow/strings", test_strings);
  g_test_add_func ("/core/arrow/none-is-null", test_nulls);
  g_test_add_func ("/core/arrow/numbers-and-flags", test_numbers);
  g_test_add_func ("/core/arrow/columns-outlive-the-batch", test_outlives_batch);
  g_test_add_func ("/core/arrow/a-column-taken-away", test_moved_child);
  g_test_add_func ("/core/arrow/refusals", test_refusals);
  g_test_add_func ("/core/arrow/not-aligned", test_not_aligned);
  g_test_add_func ("/core/arrow/there-and-back", test_there_and_back);
  g_test_add_func ("/core/arrow/parts-come-back", test_parts_come_back);
  g_test_add_func ("/core/arrow/borrowed-columns-live-as-long", test_borrowed_columns_live_as_long);
  g_test_add_func ("/core/arrow/what-is-not-borrowed", test_what_is_not_borrowed);

  return g_test_run ();
}
