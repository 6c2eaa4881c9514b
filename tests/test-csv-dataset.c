/* Tables in CSV that become datasets. */
#include "../src/reel.h"
#include "scratch.h"

#include <math.h>
#include <string.h>

static ReelDataset *
import (const char *text, const char *options, const char *name, GError **error)
{
  g_autofree char *file = g_strconcat (name, ".csv", NULL), *path = scratch_path (file);
  g_autofree char *place = scratch_path (name);
  g_autofree char *class = g_strconcat ("csv", *options ? ":" : "", options, NULL);

  scratch_put (path, text);
  return reel_object_new_from_text (REEL_TYPE_DATASET, class, error, "dataset-id", name, "from",
                                    scratch_directory, "path", place, NULL);
}

static ReelTensordict *
import_rows (const char *text, const char *options, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelDataset) dataset = import (text, options, name, &error);

  g_assert_no_error (error);
  return reel_replay_buffer_get_all (reel_dataset_get_buffer (dataset), NULL);
}

/* A leaf as one text: its type, its shape, its elements. */
static void
assert_leaf (const ReelTensordict *rows, const char *key, const char *expected)
{
  const ReelTensor *leaf = reel_tensordict_get_tensor (rows, key, NULL);
  g_autoptr (GString) text = g_string_new (reel_dtype_name (leaf->dtype));

  for (gint d = 0; d < leaf->ndim; d++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, d ? "," : " ", leaf->shape[d]);
  for (gsize i = 0; i < reel_tensor_nbytes (leaf) / reel_dtype_size (leaf->dtype); i++)
    if (leaf->dtype == REEL_DTYPE_BOOL)
      g_string_append_printf (text, " %d", leaf->data[i]);
    else if (leaf->dtype == REEL_DTYPE_INT64)
      g_string_append_printf (text, " %" G_GINT64_FORMAT, ((const gint64 *) leaf->data)[i]);
    else if (leaf->dtype == REEL_DTYPE_FLOAT32)
      g_string_append_printf (text, " %g", (double) ((const float *) leaf->data)[i]);
    else
      g_string_append_printf (text, " %g", ((const double *) leaf->data)[i]);
  g_assert_cmpstr (text->str, ==, expected);
}

static void
test_cells_say_the_type_of_a_leaf (void)
{
  g_autoptr (ReelTensordict) rows = import_rows (
      "\xef\xbb\xbfn,x,b,next/done,next/reward,v[1],v[0],\"m[0][0]\",m[0][1],m[1][0],m[1][1]\r\n"
      "1,1,true,0,0.5,2,1,1,2,3,4\r\n"
      "-9223372036854775808,1.5,False,1,-inf,4,3,5,6,7,nan\r\n",
      "", "mine");

  assert_leaf (rows, "n", "int64 2 1 -9223372036854775808");
  assert_leaf (rows, "x", "float64 2 1 1.5");
  assert_leaf (rows, "b", "bool 2 1 0");
  assert_leaf (rows, "next/done", "bool 2,1 0 1");
  assert_leaf (rows, "next/reward", "float64 2,1 0.5 -inf");
  assert_leaf (rows, "v", "int64 2,2 1 2 3 4");
  assert_leaf (rows, "m", "float64 2,2,2 1 2 3 4 5 6 7 nan");
}

static void
test_reals_have_the_type_that_is_named (void)
{
  g_autoptr (ReelTensordict) rows = import_rows ("x,n\n0.1,1\n2,2\n", "reals=float32", "mine");

  assert_leaf (rows, "x", "float32 2 0.1 2");
  assert_leaf (rows, "n", "int64 2 1 2");
}

/* Infinite is what the table says to be so, in any case, and no number that its type cannot hold.
 */
static void
test_reals_are_infinite_by_name_alone (void)
{
  g_autoptr (ReelTensordict) rows =
      import_rows ("x\ninf\n-Infinity\n+INF\n3.4028235e38\n1e-999\n", "reals=float32", "mine");
  g_autoptr (ReelTensordict) wide = import_rows ("x\n3.5e38\n", "", "wide");
  g_autoptr (GError) error = NULL;

  assert_leaf (rows, "x", "float32 5 inf -inf inf 3.40282e+38 0");
  assert_leaf (wide, "x", "float64 1 3.5e+38");
  g_assert_null (import ("x\n0.5\n3.5e38\n", "reals=float32", "bad", &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_nonnull (
      strstr (error->message,
              "bad.csv: line 3: \"3.5e38\" of the column \"x\" is beyond the numbers of float32"));
}

static void
test_tables_that_are_refused (void)
{
  static const char *const cases[][2] = {
    { "", "it has no rows" },
    { "a,b\n", "it has no rows" },
    { "a,\n1,2\n", "column 2 has no name" },
    { "a,a\n1,2\n", "two columns have the name \"a\"" },
    { "a[0],a\n1,2\n", "the column \"a\" has 0 places" },
    { "a[0],a[2]\n1,2\n", "\"a\" has 2 columns; its places say 3 elements" },
    { "a[x]\n1\n", "no place that can be read" },
    { "a,b\n1\n", "line 2: it has 1 cells; there are 2 columns" },
    { "a,b\n1,2\n3,\n", "line 3: a cell of the column \"b\" is empty" },
    { "a\nmoon\n", "line 2: \"moon\" of the column \"a\" is neither a number nor a bool" },
    { "a\n0x10\n", "\"0x10\"" },
    { "a\n 1\n", "\" 1\"" },
    { "a\n9223372036854775808\n", "is beyond the integers of 64 bits" },
    { "a\n1.5\n-1e999\n",
      "line 3: \"-1e999\" of the column \"a\" is beyond the numbers of float64" },
    { "a\ntrue\n3\n", "line 3: \"3\" of the column \"a\" is a number, and others are bools" },
    { "a[0],a[1]\n3,true\n", "is a bool, and others are numbers" },
    { "done\ntrue\n2\n", "is a number, and others are bools" },
    { "a\n\"1\n", "a quoted field has no end" },
    { "a\n\xff\n", "it is not text in UTF-8" },
    { "x,x/y\n1,2\n", "x" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelDataset) dataset = import (cases[i][0], "", "bad", &error);

      g_assert_null (dataset);
      g_test_message ("%s", error->message);
      g_assert_true (error->domain == REEL_ERROR);
      g_assert_nonnull (strstr (error->message, cases[i][1]));
      scratch_assert_names (scratch_directory, "bad.csv");
    }
}

static char *
export_rows (ReelTensordict *rows)
{
  g_autoptr (ReelReplayBuffer) buffer =
      reel_replay_buffer_new_from_text ("tensor:capacity=10", NULL, 0, NULL);
  g_autofree char *path = scratch_path ("out.csv");
  char *text = NULL;

  g_assert_true (
      reel_replay_buffer_extend (buffer, rows, NULL, NULL)
      && reel_replay_buffer_export (buffer, "csv", path, NULL, REEL_CHECKPOINT_DEFAULT, NULL, NULL)
      && g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

/* Numbers of all kinds, written by an export, are the same again. */
static void
test_exported_singles_come_back (void)
{
  static const float singles[] = { 0.1F,     -0.0F, 1e-45F,       3.4028235e38F, 16777217.0F,
                                   1.0F / 3, 2.5F,  123456789.0F, -1e-7F,        7 };
  const gint64 n = G_N_ELEMENTS (singles);
  g_autoptr (ReelTensordict) rows = reel_tensordict_new (1, &n), back = NULL;
  g_autoptr (ReelTensor) single = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, &n, NULL);
  g_autofree char *text = NULL;

  memcpy (single->data, singles, sizeof singles);
  g_assert_true (reel_tensordict_set_tensor (rows, "single", single, NULL));
  text = export_rows (rows);
  back = import_rows (text, "reals=float32", "singles");
  g_assert_cmpmem (reel_tensordict_get_tensor (back, "single", NULL)->data, sizeof singles, singles,
                   sizeof singles);
}

static void
test_exported_tables_come_back (void)
{
  const gint64 n = 10, shape[] = { n, 1 };
  g_autoptr (ReelTensordict) rows = reel_tensordict_new (1, &n), back = NULL;
  g_autoptr (ReelTensor) real = reel_tensor_new (REEL_DTYPE_FLOAT64, 1, &n, NULL);
  g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, 2, shape, NULL);
  g_autofree char *text = NULL;

  for (gint64 i = 0; i < n; i++)
    ((double *) real->data)[i] = sqrt ((double) i) * (i % 2 ? 1e-300 : 1e300);
  done->data[n - 1] = 1;
  g_assert_true (reel_tensordict_set_tensor (rows, "real", real, NULL)
                 && reel_tensordict_set_tensor (rows, "next/done", done, NULL));
  text = export_rows (rows);
  back = import_rows (text, "", "reals");
  g_assert_cmpmem (reel_tensordict_get_tensor (back, "real", NULL)->data,
                   (gsize) n * sizeof (double), real->data, (gsize) n * sizeof (double));
  assert_leaf (back, "next/done", "bool 10,1 0 0 0 0 0 0 0 0 0 1");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();
  scratch_test ("/datasets/csv/cells-say-the-type-of-a-leaf", test_cells_say_the_type_of_a_leaf);
  scratch_test ("/datasets/csv/reals-have-the-type-that-is-named",
                test_reals_have_the_type_that_is_named);
  scratch_test ("/datasets/csv/reals-are-infinite-by-name-alone",
                test_reals_are_infinite_by_name_alone);
  scratch_test ("/datasets/csv/tables-that-are-refused", test_tables_that_are_refused);
  scratch_test ("/datasets/csv/exported-singles-come-back", test_exported_singles_come_back);
  scratch_test ("/datasets/csv/exported-tables-come-back", test_exported_tables_come_back);
  return g_test_run ();
}
