/* The test of samplers against their chances. */
#include "../apps/replay/chi-square.h"

#include <math.h>

/* The values of SciPy and tables. */
static void
test_tails (void)
{
  static const double known[][3] = {
    { 1, 3.841458820694124, 0.05 },
    { 10, 18.307038053275146, 0.05 },
    { 1000, 1074.679449, 0.05 },
    { 1, 100, 1.5239706048321e-23 },
    { 3, 0, 1 },
    { 1, INFINITY, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    g_assert_cmpfloat_with_epsilon (chi_square_tail (known[i][0], known[i][1]), known[i][2],
                                    known[i][2] * 1e-7 + 1e-30);
  for (double x = 0.125; x < 600; x *= 1.5) /* of two degrees it is an exponential */
    g_assert_cmpfloat_with_epsilon (chi_square_tail (2, x), exp (-x / 2), exp (-x / 2) * 1e-12);
  g_assert_cmpfloat (chi_square_tail (1e6, 1e6), >, 0.49);
  g_assert_cmpfloat (chi_square_tail (1e6, 1e6), <, 0.51);
}

static void
test_counts (void)
{
  const double chances[] = { 0.5, 0.25, 0.25, 0 };
  const gint64 even[] = { 500, 250, 250, 0 }, odd[] = { 400, 350, 250, 0 };
  const gint64 near[] = { 500, 270, 230, 0 };
  const gint64 impossible[] = { 499, 250, 250, 1 }, few[] = { 5, 3, 2, 0 };

  g_assert_cmpfloat (chi_square_test (chances, even, 4).p, ==, 1);
  g_assert_cmpfloat (chi_square_test (chances, odd, 4).statistic, ==, 20 + 40);
  g_assert_cmpfloat (chi_square_test (chances, odd, 4).p, <, 1e-6);
  g_assert_cmpfloat (chi_square_test (chances, near, 4).p, ==, chi_square_tail (2, 3.2));
  g_assert_cmpfloat (chi_square_test (chances, impossible, 4).p, ==, 0);
  g_assert_cmpint (chi_square_test (chances, even, 4).n_bins, ==, 3);
  g_assert_cmpint (chi_square_test (chances, few, 4).n_bins, ==, 1);
  g_assert_cmpfloat (chi_square_test (chances, few, 4).p, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/apps/chi-square/tails", test_tails);
  g_test_add_func ("/apps/chi-square/counts", test_counts);

  return g_test_run ();
}
