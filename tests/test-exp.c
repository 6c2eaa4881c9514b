/* Exponentials, logarithms and hyperbolic tangents against the C library's in long double, and the
 * same bits on every level and in every place of an array. */
#include "../src/core/math/exp-kernel.h"

#include <math.h>
#include <string.h>

#define N 4099
#define MOST_ULPS 4

typedef void (*Function) (const double *from, gint64 n, double *to);

static ReelExpKernels
kernels_of (ReelIsa isa)
{
  return *REEL_KERNEL_PICK (reel_exp_kernels, isa);
}

static double
ulps (double value, long double exact)
{
  double nearest = (double) exact;

  if (isinf (nearest) || nearest == 0)
    return value == nearest ? 0 : HUGE_VAL;
  return (double) (fabsl ((long double) value - exact)
                   / (nextafter (fabs (nearest), INFINITY) - fabs (nearest)));
}

static void
check (const char *name, Function function, long double (*exact) (long double), const double *from)
{
  double to[N];

  function (from, N, to);
  for (gint i = 0; i < N; i++)
    if (!(ulps (to[i], exact (from[i])) <= MOST_ULPS))
      g_error ("%s (%a) is %a, and must be %La", name, from[i], to[i], exact (from[i]));
}

/* Numbers of every size between two bounds, of both signs if @low is negative. */
static void
spread (double *numbers, double low, double high)
{
  for (gint i = 0; i < N; i++)
    {
      double part = (double) i / (N - 1), size = high * exp2 (-60 * (1 - part));

      numbers[i] = i % 3 == 0 ? low + (high - low) * part : low < 0 && i % 2 ? -size : size;
    }
}

static void
test_values (void)
{
  double numbers[N];

  for (ReelIsa isa = REEL_ISA_GENERIC; isa <= reel_isa_detect (); isa++)
    {
      ReelExpKernels kernels = kernels_of (isa);

      spread (numbers, -700, 700);
      check ("exp", kernels.exp, expl, numbers);
      spread (numbers, -2, 2);
      check ("exp", kernels.exp, expl, numbers);
      check ("tanh", kernels.tanh, tanhl, numbers);
      spread (numbers, -30, 30);
      check ("tanh", kernels.tanh, tanhl, numbers);
      spread (numbers, 0x1p-1074, 1e308);
      check ("log", kernels.log, logl, numbers);
      spread (numbers, 0.5, 2);
      check ("log", kernels.log, logl, numbers);
    }
}

static void
test_ends (void)
{
  static const double from[] = { 0, -0.0, 710, -746, INFINITY, -INFINITY, NAN, 1 };
  static const double exps[] = { 1, 1, INFINITY, 0, INFINITY, 0, NAN, M_E };
  static const double positive[] = { 0, INFINITY, NAN, 1 };
  static const double logs[] = { -INFINITY, INFINITY, NAN, 0 };
  static const double tanhs[] = { 0, -0.0, 1, -1, 1, -1, NAN, 0x1.85efab514f394p-1 };
  ReelExpKernels kernels = kernels_of (reel_isa_detect ());
  double to[8];

  kernels.exp (from, 8, to);
  for (gint i = 0; i < 8; i++)
    g_assert_true (isnan (exps[i]) ? isnan (to[i])
                                   : fabs (to[i] - exps[i]) < 1e-15 || to[i] == exps[i]);
  kernels.tanh (from, 8, to);
  for (gint i = 0; i < 8; i++)
    g_assert_true (isnan (tanhs[i]) ? isnan (to[i]) : fabs (to[i] - tanhs[i]) < 1e-15);
  kernels.log (positive, 4, to);
  for (gint i = 0; i < 4; i++)
    g_assert_true (isnan (logs[i]) ? isnan (to[i]) : to[i] == logs[i]);
}

static void
assert_same (Function one, Function other, const double *from)
{
  double whole[N], parts[N];

  one (from, N, whole);
  for (gint i = 0, n = 1; i < N; i += n, n = n % 13 + 1)
    {
      n = MIN (n, N - i);
      memcpy (parts + i, from + i, (gsize) n * sizeof *parts);
      other (parts + i, n, parts + i); /* in place */
    }
  g_assert_cmpmem (whole, sizeof whole, parts, sizeof parts);
}

static void
test_same_bits (void)
{
  ReelExpKernels generic = kernels_of (REEL_ISA_GENERIC);
  double numbers[N], sizes[N];

  spread (numbers, -800, 800);
  spread (sizes, 0, 1e300);
  for (ReelIsa isa = REEL_ISA_GENERIC; isa <= reel_isa_detect (); isa++)
    {
      ReelExpKernels kernels = kernels_of (isa);

      assert_same (generic.exp, kernels.exp, numbers);
      assert_same (generic.tanh, kernels.tanh, numbers);
      assert_same (generic.log, kernels.log, sizes);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/exp/values", test_values);
  g_test_add_func ("/core/exp/ends", test_ends);
  g_test_add_func ("/core/exp/same-bits", test_same_bits);
  return g_test_run ();
}
