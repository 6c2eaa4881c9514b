/* Powers against the C library's in long double, and the same bits on every level. */
#include "../src/core/math/power-kernel.h"

#include <math.h>
#include <string.h>

#define N 4099

static const double exponents[] = { 0.5,
                                    0.6,
                                    0.7,
                                    0.8,
                                    1.1,
                                    2,
                                    0.25,
                                    -0.5,
                                    -0.9,
                                    -1,
                                    -1.1,
                                    -0.4,
                                    1.0 / 3,
                                    1e-3,
                                    -1e-10,
                                    1 / 0.7,
                                    3.7,
                                    -2.123,
                                    12.25,
                                    1000,
                                    -1000,
                                    1e-300,
                                    0x1.fffffffffffffp-1 };

static ReelIsa
best (void)
{
  return reel_isa_detect ();
}

/* Numbers of every size and around 1, where the logarithm is small. */
static void
fill (double *x)
{
  guint64 state = 1;

  for (gint i = 0; i < N; i++)
    {
      double u;

      state = state * 6364136223846793005ull + 1442695040888963407ull;
      u = (double) (state >> 11) * 0x1p-53;
      switch (i % 4)
        {
        case 0: x[i] = ldexp (1 + u, (int) (state >> 3 & 2047) - 1074); break;
        case 1: x[i] = 1 + (u - 0.5) * ldexp (1, -(i % 40)); break;
        case 2: x[i] = u * 10; break;
        default: x[i] = 1e-8 + u; break;
        }
    }
}

static void
assert_near (double x, double a, double y)
{
  long double exact = powl (x, a);
  double rounded = (double) exact, unit;

  if (isinf (rounded) || rounded == 0)
    {
      g_assert_true (y == rounded);
      return;
    }
  unit = nextafter (rounded, INFINITY) - rounded;
  if (!(fabsl (exact - y) <= (1.5L + fabs (a) / 16) * unit)
      && !(isinf (y) && rounded == G_MAXDOUBLE))
    g_error ("%a ^ %a is %a, not %a", x, a, rounded, y);
}

static void
test_is_near (void)
{
  double x[N], y[N];

  fill (x);
  for (gsize k = 0; k < G_N_ELEMENTS (exponents); k++)
    {
      REEL_KERNEL_PICK (reel_power_kernels, best ())->power (x, N, exponents[k], y);
      for (gint i = 0; i < N; i++)
        assert_near (x[i], exponents[k], y[i]);
    }
}

/* For any length, and in place. */
static void
test_is_the_same_on_every_level (void)
{
  double x[N], y[N], z[N];

  fill (x);
  for (gsize k = 0; k < G_N_ELEMENTS (exponents); k++)
    {
      REEL_KERNEL_PICK (reel_power_kernels, REEL_ISA_GENERIC)->power (x, N, exponents[k], y);
      for (ReelIsa isa = REEL_ISA_GENERIC; isa <= best (); isa++)
        for (gint n = 0; n < 40; n++)
          {
            gint count = n < 39 ? n : N;

            memcpy (z, x, sizeof x);
            REEL_KERNEL_PICK (reel_power_kernels, isa)->power (z, count, exponents[k], z);
            g_assert_cmpmem (z, (gsize) count * sizeof *z, y, (gsize) count * sizeof *y);
            g_assert_true (count == N || z[count] == x[count]);
          }
    }
}

static void
test_ends (void)
{
  static const struct
  {
    double x, a, y;
  } ends[] = {
    { 0, 0.7, 0 },
    { 0, -0.7, INFINITY },
    { 0, 0, 1 },
    { INFINITY, 0.5, INFINITY },
    { INFINITY, -0.5, 0 },
    { INFINITY, 0, 1 },
    { 1, 0.3, 1 },
    { 1, -77.7, 1 },
    { 0.1, 1, 0.1 },
    { 0x1p-1074, 1, 0x1p-1074 },
    { 0x1p-1074, 0.5, 0x1p-537 },
    { G_MAXDOUBLE, 2, INFINITY },
    { 0x1p-600, 2, 0 },
    { 4, 0.5, 2 },
    { 2, -1074, 0x1p-1074 },
  };

  for (ReelIsa isa = REEL_ISA_GENERIC; isa <= best (); isa++)
    for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
      {
        double y;

        REEL_KERNEL_PICK (reel_power_kernels, isa)->power (&ends[i].x, 1, ends[i].a, &y);
        g_assert_true (y == ends[i].y);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/power/is-near", test_is_near);
  g_test_add_func ("/core/power/is-the-same-on-every-level", test_is_the_same_on_every_level);
  g_test_add_func ("/core/power/ends", test_ends);

  return g_test_run ();
}
