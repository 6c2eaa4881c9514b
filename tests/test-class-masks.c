/* Masks: which classes of a spec are allowed. */
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

  return g_test_run ();
}
