/* Masks, unknown numbers of classes, encoding, and picking by class. */
#include "../src/reel.h"
#include "make-spec.h"

#include <math.h>
#include <string.h>

static ReelTensor *
opposite (const ReelTensor *mask)
{
  ReelTensor *other = reel_tensor_clone (mask, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (other); i++)
    other->data[i] ^= 1;
  return other;
}

static gint64
count_equal_rows (const ReelTensor *a, const ReelTensor *b)
{
  gsize bytes = reel_tensor_nbytes (a) / (gsize) a->shape[0];
  gint64 n = 0;

  for (gint64 i = 0; i < a->shape[0]; i++)
    n += memcmp (a->data + (gsize) i * bytes, b->data + (gsize) i * bytes, bytes) == 0;
  return n;
}

/* T15.6-11 */
static void
test_masks (gconstpointer text)
{
  g_autoptr (ReelSpec) spec = make_from_text (text);
  g_autoptr (ReelTensor) mask = opposite (reel_spec_get_mask (spec));
  g_autoptr (ReelSpec) same = reel_spec_with_mask (spec, reel_spec_get_mask (spec), NULL);
  g_autoptr (ReelSpec) other = reel_spec_with_mask (spec, mask, NULL);
  g_autoptr (ReelSpec) unmasked = reel_spec_with_mask (spec, NULL, NULL);
  g_autoptr (ReelTensor) value = reel_spec_rand (spec, 5, 0, SHAPE (100), NULL);
  g_autoptr (ReelTensor) projected = reel_spec_project (other, value, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_spec_equal (spec, same));
  g_assert_false (reel_spec_equal (spec, other));
  g_assert_false (reel_spec_equal (spec, unmasked));
  g_assert_true (reel_spec_is_in (spec, value, NULL));
  g_assert_true (reel_spec_is_in (unmasked, value, NULL));
  g_assert_false (reel_spec_is_in (other, value, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
  g_assert_nonnull (strstr (error->message, "forbids"));
  g_assert_true (reel_spec_is_in (other, projected, NULL));
  g_assert_cmpint (count_equal_rows (value, projected), ==, 0);
}

/* A flat mask is that of every row, and rows may have masks of their own. */
static void
test_masks_by_row (void)
{
  g_autoptr (ReelSpec) plain = make_from_text ("categorical:n=3,shape=[2]");
  g_autoptr (ReelTensor) row = make_bools (SHAPE (3), 0, 1, 1);
  g_autoptr (ReelTensor) rows = make_bools (SHAPE (2, 3), 1, 0, 0, 0, 1, 1);
  g_autoptr (ReelSpec) flat = reel_spec_with_mask (plain, row, NULL);
  g_autoptr (ReelSpec) spec = reel_spec_with_mask (plain, rows, NULL);
  g_autoptr (ReelTensor) value = reel_spec_rand (spec, 1, 1, SHAPE (50), NULL);
  g_autoptr (ReelTensor) wrong = make_integers (SHAPE (2), 0, 0);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (reel_spec_get_mask (flat)->ndim, ==, 2);
  for (gint64 i = 0; i < 50; i++)
    g_assert_cmpfloat (get_element (value, 2 * i), ==, 0);
  g_assert_false (reel_spec_is_in (spec, wrong, &error));
  g_assert_cmpstr (error->message, ==, "element [1] is 0, which the mask forbids");
  g_autoptr (ReelTensor) all = reel_spec_enumerate (flat, TRUE, NULL);
  g_assert_cmpint (all->shape[0], ==, 2);
  g_clear_error (&error);
  g_assert_null (reel_spec_enumerate (spec, TRUE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
}

/* The mask follows the spec through changes of its shape. */
static void
test_masks_follow_the_shape (void)
{
  g_autoptr (ReelSpec) spec = make_from_text ("one-hot:n=3,mask=[[1,0,1],[0,1,1]],shape=[2,3]");
  g_autoptr (ReelSpec) batch = reel_spec_batch (spec, SHAPE (4), NULL);
  g_autoptr (ReelSpec) flat = reel_spec_reshape (batch, SHAPE (8, 3), NULL);
  g_autoptr (ReelTensor) value = reel_spec_rand (flat, 1, 2, SCALAR, NULL);

  for (gint64 i = 0; i < 8; i++)
    g_assert_cmpfloat (get_element (value, 3 * i + (i % 2 ? 0 : 1)), ==, 0);
}

/* The nearest class that is allowed, the lower of two, by trying all. */
static gint64
find_nearest (guint mask, gint n, gint64 value)
{
  gint64 nearest = -1;

  for (gint64 k = 0; k < n; k++)
    if (mask >> k & 1 && (nearest < 0 || ABS (k - value) < ABS (nearest - value)))
      nearest = k;
  return nearest;
}

/* Every mask of up to four classes, every value around them. */
static void
test_masks_against_trying (void)
{
  for (gint n = 1; n <= 4; n++)
    for (guint mask = 1; mask < 1u << n; mask++)
      {
        g_autoptr (ReelSpec) plain = make_categorical (n, REEL_DTYPE_INT64, SCALAR);
        g_autoptr (ReelTensor) allowed =
            make_bools (SHAPE (n), mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3 & 1);
        g_autoptr (ReelSpec) spec = reel_spec_with_mask (plain, allowed, NULL);
        g_autoptr (ReelSpec) hot = reel_spec_to_one_hot_spec (spec, NULL);

        for (gint value = -2; value < n + 2; value++)
          {
            gboolean inside = value >= 0 && value < n && mask >> value & 1;
            gint64 clamped = CLAMP (value, 0, n - 1);
            g_autoptr (ReelTensor) tensor = make_integers (SCALAR, value);
            g_autoptr (ReelTensor) projected = reel_spec_project (spec, tensor, NULL);
            g_autoptr (ReelTensor) vector = reel_spec_zero (hot, SCALAR, NULL);

            g_assert_cmpint (reel_spec_is_in (spec, tensor, NULL), ==, inside);
            g_assert_cmpfloat (get_element (projected, 0), ==, find_nearest (mask, n, clamped));
            vector->data[clamped] = 1;
            g_assert_cmpint (reel_spec_is_in (hot, vector, NULL), ==, mask >> clamped & 1);
          }
      }
}

static void
check_refused (ReelSpec *spec, GError **error, ReelError code, const char *message)
{
  g_assert_null (spec);
  g_assert_error (*error, REEL_ERROR, (gint) code);
  g_assert_cmpstr ((*error)->message, ==, message);
  g_clear_error (error);
}

static void
test_masks_that_cannot_be (void)
{
  g_autoptr (ReelSpec) spec = make_from_text ("categorical:n=3,shape=[2]");
  g_autoptr (ReelSpec) differing = make_from_text ("multi-categorical:nvec=[[2,3],[4,5]]");
  g_autoptr (ReelSpec) box = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (3), 0, 1);
  g_autoptr (ReelTensor) four = make_bools (SHAPE (4), 1, 1, 1, 1);
  g_autoptr (ReelTensor) none = make_bools (SHAPE (2, 3), 1, 1, 1, 0, 0, 0);
  g_autoptr (ReelTensor) numbers = make_integers (SHAPE (3), 1, 1, 1);
  g_autoptr (ReelTensor) five = make_bools (SHAPE (5), 1, 1, 1, 1, 1);
  GError *error = NULL;

  check_refused (reel_spec_with_mask (spec, four, &error), &error, REEL_ERROR_RUNTIME,
                 "Cannot expand mask to the desired shape: it has [4], and would need [2, 3]");
  check_refused (reel_spec_with_mask (spec, numbers, &error), &error, REEL_ERROR_VALUE,
                 "Only boolean masks are accepted, and this one is int64");
  check_refused (reel_spec_with_mask (spec, none, &error), &error, REEL_ERROR_VALUE,
                 "the mask forbids every class of component 0 of row 1: at least one must be "
                 "allowed");
  check_refused (
      reel_spec_with_mask (differing, five, &error), &error, REEL_ERROR_VALUE,
      "Only homogeneous MultiDiscrete specs can be masked, got an nvec that differs from "
      "row to row");
  check_refused (reel_spec_with_mask (box, four, &error), &error, REEL_ERROR_TYPE,
                 "a BoundedContinuous spec has no mask");
}

static void
test_masked_draws_are_uniform (void)
{
  static const char *const masked[] = { "categorical:n=5,mask=[1,0,1,1,0]",
                                        "one-hot:n=5,mask=[1,0,1,1,0]",
                                        "multi-one-hot:nvec=[5],mask=[1,0,1,1,0]",
                                        "multi-categorical:nvec=[5],mask=[1,0,1,1,0]" };

  for (gsize i = 0; i < G_N_ELEMENTS (masked); i++)
    {
      g_autoptr (ReelSpec) spec = make_from_text (masked[i]);
      g_autoptr (ReelTensor) value = reel_spec_rand (spec, 8, 0, SHAPE (30000), NULL);
      g_autoptr (ReelTensor) classes = reel_spec_to_plain (spec, value, FALSE, NULL);
      guint counts[5] = { 0 };
      double chi_square = 0;

      for (gint64 k = 0; k < 30000; k++)
        counts[((gint64 *) (gpointer) classes->data)[k]]++;
      g_assert_cmpuint (counts[1] + counts[4], ==, 0);
      for (guint k = 0; k < 5; k++)
        if (counts[k] > 0)
          chi_square += (counts[k] - 10000.0) * (counts[k] - 10000.0) / 10000;
      g_assert_cmpfloat (chi_square, <, 2 + 6 * sqrt (4));
    }
}

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

/* ---- encoding ---- */

/* T15.6-1 */
static void
test_encode_boxes (void)
{
  g_autoptr (ReelSpec) spec = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (10), -1, 1);
  g_autoptr (ReelSpec) batch = reel_spec_batch (spec, SHAPE (5), NULL);
  g_autoptr (ReelTensor) value = reel_spec_rand (spec, 1, 0, SHAPE (5), NULL);
  double numbers[10] = { 0 };
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_spec_encode_array (spec, value, FALSE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (error->message, ==,
                   "Shape mismatch: the value has shape torch.Size([5, 10]) which is incompatible "
                   "with the spec shape torch.Size([10]).");
  g_clear_error (&error);
  g_autoptr (ReelTensor) again = reel_spec_encode_array (batch, value, TRUE, &error);
  g_assert_no_error (error);
  g_assert_true (again == value);

  numbers[3] = 2;
  g_autoptr (ReelTensor) outside = reel_spec_encode_doubles (spec, numbers, 10, FALSE, NULL);
  g_assert_cmpfloat (get_element (outside, 3), ==, 2);
  g_assert_null (reel_spec_encode_doubles (spec, numbers, 10, TRUE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
  g_assert_cmpstr (error->message, ==,
                   "Encoding failed because value is not in space. Consider calling project(val) "
                   "first: element [3] is 2, not at most 1");
  g_clear_error (&error);
  g_assert_null (reel_spec_to_plain (spec, outside, TRUE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
}

/* T15.6-2 */
static void
test_encode_classes (void)
{
  static const gint64 numbers[] = { 5, 9, 11 };

  for (gsize i = 0; i < 3; i++)
    for (guint kind = 0; kind < 2; kind++)
      {
        g_autoptr (ReelSpec) spec = make_from_text (kind ? "one-hot:n=10" : "categorical:n=10");
        g_autoptr (ReelTensor) raw = make_integers (SCALAR, (int) numbers[i]);
        g_autoptr (GError) error = NULL;
        g_autoptr (ReelTensor) value = reel_spec_encode_array (spec, raw, TRUE, &error);

        if (numbers[i] == 11)
          g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
        else
          g_assert_cmpint (reel_tensor_numel (value), ==, kind ? 10 : 1);
      }
}

static void
check_not_encoded (const ReelSpec *spec, const char *text, ReelError code, const char *message)
{
  g_autoptr (GVariant) raw = g_variant_parse (NULL, text, NULL, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (raw);
  g_assert_null (reel_spec_encode (spec, raw, FALSE, &error));
  g_assert_error (error, REEL_ERROR, (gint) code);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_what_cannot_be_encoded (void)
{
  g_autoptr (ReelSpec) spec = make_unbounded (REEL_DTYPE_INT64, SHAPE (2));
  g_autoptr (ReelSpec) multi = make_from_text ("multi-one-hot:nvec=[2,3],shape=[2,5]");

  check_not_encoded (spec, "'five'", REEL_ERROR_TYPE, "'five' cannot be encoded: it is no number");
  check_not_encoded (
      spec, "[<[1,2]>,<[3]>]", REEL_ERROR_RUNTIME,
      "cannot encode lists of different lengths: in dimension 1 not all have 2 items");
  check_not_encoded (
      spec, "[<[1,2]>,<3>]", REEL_ERROR_RUNTIME,
      "cannot encode lists of different lengths: in dimension 1 not all have 2 items");
  check_not_encoded (
      multi, "[1, 2]", REEL_ERROR_RUNTIME,
      "Shape mismatch: the value has shape torch.Size([5]) which is incompatible with "
      "the spec shape torch.Size([2, 5]).");
  check_not_encoded (multi, "[[1, 2], [0, -1]]", REEL_ERROR_RUNTIME,
                     "value -1 is less than 0: the classes of component 1 are 0 to 2; clip it");
  check_not_encoded (
      multi, "[[1, 2], [2, 0]]", REEL_ERROR_RUNTIME,
      "value 2 is greater than the allowed max 2: the classes of component 0 are 0 to 1; clip it, "
      "or make the spec with a greater nvec");
}

static void
test_encode_typed_lists (void)
{
  static const char *const lists[] = { "[1, 2]",       "[byte 1, 2]",   "[@n 1, 2]", "[@q 1, 2]",
                                       "[@u 1, 2]",    "[@x 1, 2]",     "[@t 1, 2]", "[1.0, 2.0]",
                                       "[<1>, <2.5>]", "<[<<1>>, <2>]>" };
  g_autoptr (ReelSpec) spec = make_unbounded (REEL_DTYPE_INT16, SHAPE (2));

  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      g_autoptr (GVariant) raw = g_variant_parse (NULL, lists[i], NULL, NULL, NULL);
      g_autoptr (ReelTensor) value = reel_spec_encode (spec, raw, TRUE, NULL);

      g_assert_cmpfloat (get_element (value, 0), ==, 1);
      g_assert_cmpfloat (get_element (value, 1), ==, 2);
    }
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
  static const char *const masked[] = {
    "categorical:n=5,mask=[1,0,1,1,0]",
    "categorical:n=5,mask=[1,0,1,1,0],shape=[3]",
    "one-hot:n=5,mask=[1,0,1,1,0],shape=[2,5]",
    "multi-categorical:nvec=[2,3],mask=[1,0,1,1,0]",
    "multi-one-hot:nvec=[2,3],mask=[1,0,1,1,0],dtype=int64",
  };

  g_test_init (&argc, &argv, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (masked); i++)
    {
      g_autofree char *path = g_strconcat ("/specs/classes/masks/", masked[i], NULL);
      g_test_add_data_func (path, masked[i], test_masks);
    }
  g_test_add_func ("/specs/classes/masks-by-row", test_masks_by_row);
  g_test_add_func ("/specs/classes/masks-follow-the-shape", test_masks_follow_the_shape);
  g_test_add_func ("/specs/classes/masks-against-trying", test_masks_against_trying);
  g_test_add_func ("/specs/classes/masks-that-cannot-be", test_masks_that_cannot_be);
  g_test_add_func ("/specs/classes/masked-draws-are-uniform", test_masked_draws_are_uniform);
  g_test_add_func ("/specs/classes/provisional-n", test_provisional_n);
  g_test_add_func ("/specs/encode/boxes", test_encode_boxes);
  g_test_add_func ("/specs/encode/classes", test_encode_classes);
  g_test_add_func ("/specs/encode/what-cannot-be", test_what_cannot_be_encoded);
  g_test_add_func ("/specs/encode/typed-lists", test_encode_typed_lists);
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
