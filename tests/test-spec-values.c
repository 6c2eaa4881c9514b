/* Projected values of a spec, and the distribution of its draws. */
#include "../src/reel.h"
#include "make-spec.h"

#include <math.h>
#include <string.h>

#include "../src/specs/kinds/normal.h"

static void
test_projection_keeps_floats_and_converts_the_rest (void)
{
  g_autoptr (ReelSpec) box = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (2), -1, 1);
  g_autoptr (ReelSpec) three = make_categorical (3, REEL_DTYPE_INT64, SCALAR);
  g_autoptr (ReelSpec) hot = make_one_hot (3, REEL_DTYPE_BOOL, SHAPE (3));
  g_autoptr (ReelTensor) wide = reel_tensor_new (REEL_DTYPE_FLOAT64, SHAPE (2), NULL);
  g_autoptr (ReelTensor) whole = reel_tensor_new (REEL_DTYPE_INT64, SHAPE (2), NULL);
  g_autoptr (ReelTensor) ties = reel_tensor_new (REEL_DTYPE_FLOAT32, SHAPE (5), NULL);
  g_autoptr (ReelTensor) scores = reel_tensor_new (REEL_DTYPE_FLOAT32, SHAPE (2, 3), NULL);
  static const float tie_values[] = { 0.5f, 1.5f, 2.5f, NAN, INFINITY };
  static const float score_values[] = { NAN, -3, -2, 1, 1, 0 };

  ((double *) (gpointer) wide->data)[0] = 2;
  ((gint64 *) (gpointer) whole->data)[0] = -2;
  memcpy (ties->data, tie_values, sizeof tie_values);
  memcpy (scores->data, score_values, sizeof score_values);
  g_autoptr (ReelTensor) clamped = reel_spec_project (box, wide, NULL);
  g_autoptr (ReelTensor) converted = reel_spec_project (box, whole, NULL);
  g_autoptr (ReelTensor) rounded = reel_spec_project (three, ties, NULL);
  g_autoptr (ReelTensor) chosen = reel_spec_project (hot, scores, NULL);

  g_assert_cmpint (clamped->dtype, ==, REEL_DTYPE_FLOAT64);
  g_assert_cmpfloat (get_element (clamped, 0), ==, 1);
  g_assert_cmpint (converted->dtype, ==, REEL_DTYPE_FLOAT32);
  g_assert_cmpfloat (get_element (converted, 0), ==, -1);
  g_assert_cmpfloat (get_element (rounded, 0), ==, 0);
  g_assert_cmpfloat (get_element (rounded, 1), ==, 2);
  g_assert_cmpfloat (get_element (rounded, 2), ==, 2);
  g_assert_true (isnan (get_element (rounded, 3)));
  g_assert_cmpfloat (get_element (rounded, 4), ==, 2);
  g_assert_cmpmem (chosen->data, 6, "\0\0\1\1\0\0", 6);
}

static void
test_strided_values (void)
{
  g_autoptr (ReelSpec) spec = make_bounded (REEL_DTYPE_INT64, SHAPE (3), 0, 5);
  g_autoptr (ReelTensor) matrix = reel_tensor_new (REEL_DTYPE_INT64, SHAPE (3, 2), NULL);
  g_autoptr (ReelTensor) turned = reel_tensor_transpose (matrix, 0, 1, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_spec_is_in (spec, turned, NULL));
  ((gint64 *) (gpointer) matrix->data)[3] = 9;
  g_assert_false (reel_spec_is_in (spec, turned, &error));
  g_assert_cmpstr (error->message, ==, "element [1, 1] is 9, not at most 5");
  g_autoptr (ReelTensor) projected = reel_spec_project (spec, turned, NULL);
  g_assert_cmpfloat (get_element (projected, 4), ==, 5);
}

/* ---- distributions ---- */

/* Six standard deviations of a chi-square above its mean. */
static void
check_uniform (const guint *counts, guint n, guint total)
{
  double expected = (double) total / n;
  double chi_square = 0;

  for (guint i = 0; i < n; i++)
    chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
  g_assert_cmpfloat (chi_square, <, n - 1 + 6 * sqrt (2.0 * n));
}

static void
test_classes_are_uniform (void)
{
  static const gint64 sizes[] = { 2, 3, 10, 64 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (ReelSpec) classes = make_categorical (sizes[i], REEL_DTYPE_INT64, SCALAR);
      g_autoptr (ReelSpec) hot = make_one_hot (sizes[i], REEL_DTYPE_BOOL, 1, &sizes[i]);
      g_autoptr (ReelTensor) values = reel_spec_rand (classes, 5, 0, SHAPE (20000), NULL);
      g_autoptr (ReelTensor) vectors = reel_spec_rand (hot, 5, 0, SHAPE (20000), NULL);
      guint counts[64] = { 0 };
      guint hot_counts[64] = { 0 };

      for (gint64 j = 0; j < 20000; j++)
        {
          counts[((gint64 *) (gpointer) values->data)[j]]++;
          for (gint64 k = 0; k < sizes[i]; k++)
            hot_counts[k] += vectors->data[j * sizes[i] + k];
        }
      check_uniform (counts, (guint) sizes[i], 20000);
      check_uniform (hot_counts, (guint) sizes[i], 20000);
    }
}

static void
test_boxes_are_uniform (void)
{
  static const ReelDtype dtypes[] = { REEL_DTYPE_FLOAT32, REEL_DTYPE_FLOAT64, REEL_DTYPE_INT32 };

  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      gboolean integer = dtypes[i] == REEL_DTYPE_INT32;
      g_autoptr (ReelSpec) spec = make_bounded (dtypes[i], SCALAR, -4, integer ? 5 : 6);
      g_autoptr (ReelTensor) values = reel_spec_rand (spec, 5, 0, SHAPE (20000), NULL);
      guint counts[10] = { 0 };

      for (gint64 j = 0; j < 20000; j++)
        counts[(gint) floor (get_element (values, j) + 4)]++;
      check_uniform (counts, 10, 20000);
    }
}

static void
test_the_normal_distribution (void)
{
  static const struct
  {
    double p, z;
  } quantiles[] = { { 0.5, 0 },
                    { 0.975, 1.959963984540054 },
                    { 0.9, 1.2815515655446004 },
                    { 0.1, -1.2815515655446004 },
                    { 0.001, -3.090232306167813 },
                    { 0.999999, 4.753424308822899 },
                    { 1e-9, -5.997807015007687 },
                    { 1e-15, -7.941345326170997 } };

  for (gsize i = 0; i < G_N_ELEMENTS (quantiles); i++)
    {
      guint64 word = (guint64) (quantiles[i].p * 0x1p64);
      double slope = sqrt (2 * G_PI) * exp (quantiles[i].z * quantiles[i].z / 2);
      /* The word holds p to 2^−53 only. */
      g_assert_cmpfloat_with_epsilon (reel_normal_from_word (word), quantiles[i].z,
                                      1e-14 + slope * 0x1p-53);
    }
  for (guint64 i = 1; i < 1000; i++)
    g_assert_cmpfloat_with_epsilon (reel_normal_from_word (i << 54),
                                    -reel_normal_from_word (~(i << 54)), 1e-13);
}

static void
test_normal_moments (void)
{
  g_autoptr (ReelSpec) spec = make_unbounded (REEL_DTYPE_FLOAT64, SCALAR);
  g_autoptr (ReelSpec) above = make_bounded (REEL_DTYPE_FLOAT64, SCALAR, 3, INFINITY);
  g_autoptr (ReelTensor) values = reel_spec_rand (spec, 5, 0, SHAPE (40000), NULL);
  g_autoptr (ReelTensor) halves = reel_spec_rand (above, 5, 0, SHAPE (40000), NULL);
  double sum = 0, squares = 0, half = 0;

  for (gint64 i = 0; i < 40000; i++)
    {
      sum += get_element (values, i);
      squares += get_element (values, i) * get_element (values, i);
      half += get_element (halves, i);
    }
  g_assert_cmpfloat_with_epsilon (sum / 40000, 0, 0.03);
  g_assert_cmpfloat_with_epsilon (squares / 40000, 1, 0.05);
  g_assert_cmpfloat_with_epsilon (half / 40000, 3 + sqrt (2 / G_PI), 0.03);
}

static void
test_streams_differ (void)
{
  g_autoptr (ReelSpec) spec = make_unbounded (REEL_DTYPE_INT64, SCALAR);
  g_autoptr (ReelTensor) a = reel_spec_rand (spec, 1, 1, SHAPE (4), NULL);
  g_autoptr (ReelTensor) b = reel_spec_rand (spec, 1, 2, SHAPE (4), NULL);
  g_autoptr (ReelTensor) c = reel_spec_rand (spec, 2, 1, SHAPE (4), NULL);
  g_autoptr (ReelTensor) same = reel_spec_rand (spec, 1, 1, SHAPE (4), NULL);

  g_assert_true (reel_tensor_equal (a, same));
  g_assert_false (reel_tensor_equal (a, b));
  g_assert_false (reel_tensor_equal (a, c));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/specs/project/keeps-floats-and-converts-the-rest",
                   test_projection_keeps_floats_and_converts_the_rest);
  g_test_add_func ("/specs/is-in/strided-values", test_strided_values);
  g_test_add_func ("/specs/rand/classes-are-uniform", test_classes_are_uniform);
  g_test_add_func ("/specs/rand/boxes-are-uniform", test_boxes_are_uniform);
  g_test_add_func ("/specs/rand/the-normal-distribution", test_the_normal_distribution);
  g_test_add_func ("/specs/rand/normal-moments", test_normal_moments);
  g_test_add_func ("/specs/rand/streams-differ", test_streams_differ);

  return g_test_run ();
}
