/* Unknown numbers of classes, several of them, rows with their own, and picking by class. */
#include "../src/reel.h"
#include "make-spec.h"

#include <math.h>
#include <string.h>

/* ---- an unknown number of classes ---- */

static void
test_provisional_n (void)
{
  g_autoptr (ReelSpec) spec = make_from_text ("categorical:n=-1");
  g_autoptr (ReelSpec) known = reel_spec_with_provisional_n (spec, 4, NULL);
  g_autoptr (ReelTensor) large = make_integers (SCALAR, 1000000);
  g_autoptr (GError) error = NULL;
  gint64 n;

  g_assert_true (reel_spec_is_in (spec, large, NULL));
  g_assert_true (reel_spec_is_in (known, large, NULL));
  g_assert_true (reel_spec_equal (spec, known));
  g_assert_null (reel_spec_rand (spec, 0, 0, SCALAR, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_null (reel_spec_enumerate (spec, FALSE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_false (reel_spec_cardinality (spec, &n, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);

  g_autoptr (ReelTensor) all = reel_spec_enumerate (known, FALSE, NULL);
  g_autoptr (ReelTensor) value = reel_spec_rand (known, 0, 0, SHAPE (200), NULL);
  g_assert_cmpint (all->shape[0], ==, 4);
  for (gint64 i = 0; i < 200; i++)
    g_assert_cmpfloat (get_element (value, i), <, 4);
}

/* ---- multi kinds ---- */

/* T15.6-3 */
static void
test_segments_sum_to_one (void)
{
  static const struct
  {
    const char *text;
    gint n;
    gint sizes[3];
  } cases[] = { { "multi-one-hot:nvec=[5]", 1, { 5 } },
                { "multi-one-hot:nvec=[5,2,3]", 3, { 5, 2, 3 } },
                { "multi-one-hot:nvec=[4,4,1]", 3, { 4, 4, 1 } } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelSpec) spec = make_from_text (cases[i].text);
      g_autoptr (ReelTensor) value = reel_spec_rand (spec, 1, 0, SHAPE (100), NULL);
      const guint8 *at = value->data;

      for (gint64 row = 0; row < 100; row++)
        for (gint k = 0; k < cases[i].n; k++)
          {
            gint sum = 0;

            for (gint j = 0; j < cases[i].sizes[k]; j++)
              sum += *at++;
            g_assert_cmpint (sum, ==, 1);
          }
      g_autoptr (ReelTensor) classes = reel_spec_to_categorical (spec, value, TRUE, NULL);
      g_autoptr (ReelTensor) again = reel_spec_encode_array (spec, classes, FALSE, NULL);
      g_assert_null (again);
    }
}

/* T15.6-4 */
static void
test_nested_nvec (void)
{
  static const char *const texts[] = { "multi-categorical:nvec=[5]",
                                       "multi-categorical:nvec=[5,2,3]",
                                       "multi-categorical:nvec=[[5,2],[3,4]]",
                                       "multi-categorical:nvec=[[[5,2]],[[3,4]]]",
                                       "multi-categorical:nvec=[[5,2],[3,4]],shape=[3,2,2]" };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (ReelSpec) spec = make_from_text (texts[i]);
      g_autoptr (ReelTensor) value = reel_spec_rand (spec, 1, 0, SHAPE (3), NULL);

      g_assert_true (reel_spec_is_in (spec, value, NULL));
      for (gint64 k = 0; k < reel_tensor_numel (value); k++)
        {
          gint64 *element = (gint64 *) (gpointer) value->data + k;
          gint64 kept = *element;

          *element = -1;
          g_assert_false (reel_spec_is_in (spec, value, NULL));
          *element = kept;
        }
    }
}

static void
test_a_single_component (void)
{
  g_autoptr (ReelTensor) nvec = make_integers (SHAPE (1), 4);
  g_autoptr (ReelSpec) without =
      reel_multi_categorical_spec_new (nvec, REEL_DTYPE_INT64, SHAPE (1), TRUE, NULL);
  g_autoptr (ReelSpec) with =
      reel_multi_categorical_spec_new (nvec, REEL_DTYPE_INT64, SHAPE (1), FALSE, NULL);
  g_autoptr (ReelTensor) short_value = reel_spec_rand (without, 1, 0, SHAPE (7), NULL);
  g_autoptr (ReelTensor) value = reel_spec_rand (with, 1, 0, SHAPE (7), NULL);
  g_autoptr (ReelTensor) out = make_integers (SHAPE (3), 1, 9, -2);
  g_autoptr (ReelTensor) projected = reel_spec_project (without, out, NULL);

  g_assert_cmpint (short_value->ndim, ==, 1);
  g_assert_cmpint (value->ndim, ==, 2);
  g_assert_cmpmem (short_value->data, 56, value->data, 56);
  g_assert_true (reel_spec_is_in (without, short_value, NULL));
  g_assert_true (reel_spec_is_in (without, value, NULL));
  g_assert_false (reel_spec_is_in (with, short_value, NULL));
  g_assert_cmpint (projected->ndim, ==, 1);
  g_assert_cmpfloat (get_element (projected, 1), ==, 3);
  g_assert_cmpfloat (get_element (projected, 2), ==, 0);
}

/* Every value stands in all places of the shape. */
static void
test_shapes_of_all_values (void)
{
  static const struct
  {
    const char *text;
    gint ndim;
    gint64 shape[4];
  } cases[] = { { "categorical:n=5,shape=[3]", 2, { 5, 3 } },
                { "one-hot:n=5,shape=[2,5]", 3, { 5, 2, 5 } },
                { "multi-categorical:nvec=[3,4,5],shape=[2,3]", 3, { 60, 2, 3 } },
                { "multi-one-hot:nvec=[3,4],shape=[2,7]", 3, { 12, 2, 7 } } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelSpec) spec = make_from_text (cases[i].text);
      g_autoptr (ReelTensor) values = reel_spec_enumerate (spec, FALSE, NULL);

      g_assert_cmpint (values->ndim, ==, cases[i].ndim);
      for (gint k = 0; k < values->ndim; k++)
        g_assert_cmpint (values->shape[k], ==, cases[i].shape[k]);
    }
}

static void
test_what_cannot_be_counted (void)
{
  g_autoptr (ReelSpec) differing = make_from_text ("multi-categorical:nvec=[[2,3],[4,5]]");
  g_autoptr (ReelSpec) many = make_from_text ("multi-categorical:nvec=[9223372036854775807,2,3]");
  g_autoptr (ReelSpec) any = make_unbounded (REEL_DTYPE_INT64, SCALAR);
  g_autoptr (GError) error = NULL;
  gint64 n;

  g_assert_false (reel_spec_cardinality (differing, &n, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_null (reel_spec_to_one_hot_spec (any, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
  g_clear_error (&error);
  g_assert_true (reel_spec_cardinality (many, &n, NULL));
  g_assert_cmpint (n, ==, G_MAXINT64);
  g_assert_null (reel_spec_enumerate (many, FALSE, &error));
  g_assert_nonnull (error);
}

/* ---- rows with classes of their own ---- */

static void
check_text (const ReelSpec *spec, const char *expected)
{
  g_autofree char *text = reel_spec_to_text (spec);

  g_assert_cmpstr (text, ==, expected);
}

/* 2 + 3 = 3 + 2: vectors of one length, made of other components. */
static void
test_rows_of_one_length (void)
{
  g_autoptr (ReelSpec) spec = make_from_text ("multi-categorical:nvec=[[2,3],[3,2]]");
  g_autoptr (ReelSpec) one_hot = reel_spec_to_one_hot_spec (spec, NULL);
  g_autoptr (ReelSpec) back = reel_spec_to_categorical_spec (one_hot, NULL);
  g_autoptr (ReelTensor) drawn = reel_spec_rand (spec, 1, 0, 1, (const gint64[]){ 50 }, NULL);
  g_autoptr (ReelTensor) vectors = reel_spec_to_one_hot (spec, drawn, TRUE, NULL);
  g_autoptr (ReelTensor) classes = reel_spec_to_categorical (one_hot, vectors, TRUE, NULL);
  g_autoptr (ReelTensor) same = reel_spec_to_one_hot (one_hot, vectors, TRUE, NULL);

  check_text (one_hot, "stacked:dim=0,members=[(multi-one-hot:nvec=[2,3],shape=[5]),"
                       "(multi-one-hot:nvec=[3,2],shape=[5])]");
  check_text (back, "stacked:dim=0,members=[(multi-categorical:nvec=[2,3],shape=[2]),"
                    "(multi-categorical:nvec=[3,2],shape=[2])]");
  g_assert_true (reel_spec_is_in (one_hot, vectors, NULL));
  g_assert_true (reel_tensor_equal (classes, drawn));
  g_assert_true (reel_tensor_equal (same, vectors));
}

static void
test_rows_of_unlike_length (void)
{
  g_autoptr (ReelSpec) spec = make_from_text ("multi-categorical:nvec=[[2,3],[4,5]]");
  g_autoptr (ReelSpec) one_hot = reel_spec_to_one_hot_spec (spec, NULL);
  g_autoptr (ReelSpec) repeated = make_from_text ("multi-categorical:nvec=[[2,3],[4,5]],"
                                                  "shape=[3,2,2]");
  g_autoptr (ReelSpec) stack_of_rows = reel_spec_to_one_hot_spec (repeated, NULL);
  g_autoptr (ReelTensor) zero = reel_spec_zero (spec, SCALAR, NULL);
  g_autofree char *text = reel_spec_to_string (one_hot);
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (text, ==,
                   "StackedMultiOneHot(\n    shape=torch.Size([2, -1]), device=cpu, "
                   "dtype=torch.bool, domain=discrete)");
  g_assert_cmpint (reel_spec_get_stack_dim (stack_of_rows), ==, 1);
  g_assert_null (reel_spec_to_one_hot (spec, zero, FALSE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

static void
test_stacks_are_converted_by_member (void)
{
  g_autoptr (ReelSpec) spec = make_from_text ("stacked:dim=1,members=[(categorical:n=3,shape=[2]),"
                                              "(categorical:n=3,shape=[2],"
                                              "mask=[[1,0,1],[1,1,1]])]");
  g_autoptr (ReelSpec) one_hot = reel_spec_to_one_hot_spec (spec, NULL);
  g_autoptr (ReelSpec) boxes = make_from_text ("stacked:dim=0,members=[(bounded:low=0,high=1),"
                                               "(bounded:low=0,high=2)]");
  g_autoptr (ReelTensor) drawn = reel_spec_rand (spec, 1, 0, 1, (const gint64[]){ 50 }, NULL);
  g_autoptr (ReelTensor) vectors = reel_spec_to_one_hot (spec, drawn, TRUE, NULL);
  g_autoptr (ReelTensor) classes = reel_spec_to_categorical (one_hot, vectors, TRUE, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (reel_spec_get_stack_dim (one_hot), ==, 1);
  g_assert_true (reel_spec_is_in (one_hot, vectors, NULL));
  g_assert_true (reel_tensor_equal (classes, drawn));
  g_assert_null (reel_spec_to_one_hot_spec (boxes, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
}

/* ---- picking ---- */

static void
test_pick (void)
{
  g_autoptr (ReelSpec) hot = make_from_text ("one-hot:n=4");
  g_autoptr (ReelSpec) whole = make_from_text ("categorical:n=4,shape=[2]");
  g_autoptr (ReelSpec) multi = make_from_text ("multi-one-hot:nvec=[2,3]");
  g_autoptr (ReelTensor) table = make_integers (SHAPE (2, 4), 0, 1, 2, 3, 10, 11, 12, 13);
  g_autoptr (ReelTensor) third = make_bools (SHAPE (4), 0, 0, 1, 0);
  g_autoptr (ReelTensor) classes = make_integers (SHAPE (2), 1, 3);
  g_autoptr (ReelTensor) both = make_bools (SHAPE (5), 0, 1, 0, 0, 1);
  g_autoptr (ReelTensor) tens = make_integers (SHAPE (5), 0, 10, 20, 30, 40);
  g_autoptr (GError) error = NULL;

  g_autoptr (ReelTensor) column = reel_spec_pick (hot, third, table, NULL);
  g_assert_cmpint (column->ndim, ==, 1);
  g_assert_cmpfloat (get_element (column, 1), ==, 12);
  g_autoptr (ReelTensor) pairs = reel_spec_pick (whole, classes, table, NULL);
  g_autoptr (ReelTensor) expected = make_integers (SHAPE (2, 2), 1, 3, 11, 13);
  g_assert_true (reel_tensor_equal (pairs, expected));
  g_autoptr (ReelTensor) parts = reel_spec_pick (multi, both, tens, NULL);
  g_autoptr (ReelTensor) picked = make_integers (SHAPE (2), 10, 40);
  g_assert_true (reel_tensor_equal (parts, picked));
  g_assert_null (reel_spec_pick (hot, third, tens, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
}

/* Whether the first element said to be outside is that of row @row, or none is where it is −1. */
static void
check_first_outside (const ReelSpec *spec, ReelTensor *values, gint64 row)
{
  g_autoptr (GError) error = NULL;
  gboolean inside = reel_spec_is_in (spec, values, &error);

  g_assert_true (inside == (row < 0));
  if (inside)
    return;
  g_autofree char *expected = g_strdup_printf ("element [%" G_GINT64_FORMAT ", 0]", row);
  g_assert_true (g_str_has_prefix (error->message, expected));
}

/* Wherever a vector is not one-hot among many, in widths that fill words of 64 and that do not.
 * Integers that sum to 1 are one-hot to TorchRL whatever they are. */
static void
test_one_hot_in_bulk (gconstpointer dtype)
{
  const gint64 n = 150;

  for (gint64 width = 2; width <= 66; width += width < 10 ? 1 : 7)
    {
      g_autofree char *text =
          g_strdup_printf ("one-hot:n=%d,dtype=%s", (gint) width, (const char *) dtype);
      g_autoptr (ReelSpec) spec = make_from_text (text);
      g_autoptr (ReelTensor) values = reel_spec_rand (spec, 3, width, SHAPE (n), NULL);
      gsize size = reel_dtype_size (values->dtype);
      check_first_outside (spec, values, -1);
      for (gint64 i = 0; i < n * width; i += i % 5 + 1)
        {
          guint8 *element = values->data + (gsize) i * size;
          *element ^= 1;
          check_first_outside (spec, values, i / width);
          *element ^= 1;
        }
      if (size == 1)
        continue;
      gint64 *first = (gint64 *) values->data;
      first[width * 70] += 5;
      first[width * 70 + 1] -= 5;
      check_first_outside (spec, values, -1);
      first[width * 140] += 2;
      check_first_outside (spec, values, 140);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/specs/classes/provisional-n", test_provisional_n);
  g_test_add_func ("/specs/multi/segments-sum-to-one", test_segments_sum_to_one);
  g_test_add_func ("/specs/multi/nested-nvec", test_nested_nvec);
  g_test_add_func ("/specs/multi/a-single-component", test_a_single_component);
  g_test_add_data_func ("/specs/one-hot/in-bulk/bool", "bool", test_one_hot_in_bulk);
  g_test_add_data_func ("/specs/one-hot/in-bulk/int64", "int64", test_one_hot_in_bulk);
  g_test_add_func ("/specs/enumerate/shapes", test_shapes_of_all_values);
  g_test_add_func ("/specs/enumerate/what-cannot-be", test_what_cannot_be_counted);
  g_test_add_func ("/specs/rows/of-one-length", test_rows_of_one_length);
  g_test_add_func ("/specs/rows/of-unlike-length", test_rows_of_unlike_length);
  g_test_add_func ("/specs/rows/stacks-are-converted-by-member",
                   test_stacks_are_converted_by_member);
  g_test_add_func ("/specs/pick", test_pick);

  return g_test_run ();
}
