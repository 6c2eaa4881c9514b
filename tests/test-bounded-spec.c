/* Boundaries of boxes: where bounds meet, what rounding could reach, the limits of types. */
#include "../src/reel.h"
#include "make-spec.h"

#include <math.h>

#include "../src/specs/kinds/bounds-kernel.h"

static void
test_low_is_high (void)
{
  static const ReelDtype dtypes[] = { REEL_DTYPE_FLOAT16, REEL_DTYPE_FLOAT32, REEL_DTYPE_FLOAT64,
                                      REEL_DTYPE_INT8, REEL_DTYPE_UINT64 };

  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      g_autoptr (ReelSpec) spec = make_bounded (dtypes[i], SCALAR, 3, 3);
      g_autoptr (ReelTensor) value = reel_spec_rand (spec, 1, 1, SHAPE (100), NULL);
      for (gint64 j = 0; j < 100; j++)
        g_assert_cmpfloat (get_element (value, j), ==, 3);
    }
  g_autoptr (ReelSpec) infinite = make_bounded (REEL_DTYPE_FLOAT32, SCALAR, INFINITY, INFINITY);
  g_autoptr (ReelTensor) value = reel_spec_rand (infinite, 1, 1, SCALAR, NULL);
  g_assert_cmpfloat (get_element (value, 0), ==, INFINITY);
}

static void
test_one_bound_or_many (void)
{
  static const double bounds[][2] = { { -2, 2 }, { 0, 0.1 }, { -3e38, 3e38 }, { 5, 5 } };

  for (gsize i = 0; i < G_N_ELEMENTS (bounds); i++)
    {
      g_autoptr (ReelSpec) one =
          make_bounded (REEL_DTYPE_FLOAT32, SHAPE (2), bounds[i][0], bounds[i][1]);
      g_autoptr (ReelSpec) many =
          make_bounded_pair (bounds[i][0], bounds[i][1], bounds[i][0], bounds[i][1]);
      g_autoptr (ReelTensor) a = reel_spec_rand (one, 1, 2, SHAPE (1000), NULL);
      g_autoptr (ReelTensor) b = reel_spec_rand (many, 1, 2, SHAPE (1000), NULL);

      g_assert_true (reel_spec_equal (one, many));
      g_assert_true (reel_tensor_equal (a, b));
    }
}

/* One ulp apart, any rounding would reach high. */
static void
test_high_is_never_drawn (void)
{
  static const struct
  {
    ReelDtype dtype;
    double low, high;
  } cases[] = { { REEL_DTYPE_FLOAT32, 1, 1 + 0x1p-23 },
                { REEL_DTYPE_FLOAT32, -1 - 0x1p-23, -1 },
                { REEL_DTYPE_FLOAT32, -0x1p-149, 0 },
                { REEL_DTYPE_FLOAT64, 1, 1 + 0x1p-52 },
                { REEL_DTYPE_FLOAT64, 0, 0x1p-1074 },
                { REEL_DTYPE_FLOAT16, 1024, 1025 },
                { REEL_DTYPE_BFLOAT16, -129, -128 },
                { REEL_DTYPE_FLOAT16, 0, 1 },
                { REEL_DTYPE_BFLOAT16, 0, 1 },
                { REEL_DTYPE_FLOAT32, 0, 1 },
                { REEL_DTYPE_FLOAT32, 16777216, 16777218 } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelSpec) spec =
          make_bounded (cases[i].dtype, SCALAR, cases[i].low, cases[i].high);
      g_autoptr (ReelTensor) value = reel_spec_rand (spec, i, 1, SHAPE (5000), NULL);
      for (gint64 j = 0; j < 5000; j++)
        {
          g_assert_cmpfloat (get_element (value, j), >=, cases[i].low);
          g_assert_cmpfloat (get_element (value, j), <, cases[i].high);
        }
    }
}

static void
test_both_ends_of_integers_are_drawn (void)
{
  g_autoptr (ReelSpec) spec = make_bounded (REEL_DTYPE_INT8, SCALAR, -128, 127);
  g_autoptr (ReelTensor) value = reel_spec_rand (spec, 1, 1, SHAPE (20000), NULL);
  guint counts[256] = { 0 };

  for (gint64 i = 0; i < 20000; i++)
    counts[(gint8) value->data[i] + 128]++;
  for (guint i = 0; i < 256; i++)
    g_assert_cmpuint (counts[i], >, 0);
}

/* Every bit of a full-range integer is as often 0 as 1, within six standard deviations. */
static void
test_full_range_integers (void)
{
  static const ReelDtype dtypes[] = { REEL_DTYPE_INT64, REEL_DTYPE_UINT64 };

  for (guint which = 0; which < 4; which++)
    {
      g_autoptr (ReelSpec) spec = which < 2
                                      ? make_bounded (dtypes[which], SCALAR, -INFINITY, INFINITY)
                                      : make_unbounded (dtypes[which - 2], SCALAR);
      g_autoptr (ReelTensor) value = reel_spec_rand (spec, 1, which, SHAPE (10000), NULL);
      const guint64 *words = (const guint64 *) (gconstpointer) value->data;

      for (guint bit = 0; bit < 64; bit++)
        {
          int ones = 0;
          for (guint i = 0; i < 10000; i++)
            ones += words[i] >> bit & 1;
          g_assert_cmpint (ABS (ones - 5000), <, 300);
        }
    }
}

static void
test_limits_of_64_bit_integers (void)
{
  g_autoptr (ReelSpec) spec = make_bounded (REEL_DTYPE_INT64, SCALAR, -0x1p63, 0x1p63);
  g_autoptr (ReelSpec) words = make_bounded (REEL_DTYPE_UINT64, SCALAR, 0, 0x1p64);
  g_autoptr (ReelTensor) value = reel_tensor_new (REEL_DTYPE_INT64, SHAPE (2), NULL);
  g_autoptr (ReelTensor) word = reel_tensor_new (REEL_DTYPE_UINT64, SHAPE (2), NULL);
  g_autofree char *text = reel_spec_to_text (spec);
  g_autofree char *word_text = reel_spec_to_text (words);

  ((gint64 *) (gpointer) value->data)[0] = G_MININT64;
  ((gint64 *) (gpointer) value->data)[1] = G_MAXINT64;
  ((guint64 *) (gpointer) word->data)[1] = G_MAXUINT64;
  g_assert_true (reel_spec_is_in (spec, value, NULL));
  g_assert_true (reel_spec_is_in (words, word, NULL));
  g_assert_cmpstr (text, ==,
                   "bounded:low=-9223372036854775808,high=9223372036854775807,dtype=int64");
  g_assert_cmpstr (word_text, ==, "bounded:low=0,high=18446744073709551615,dtype=uint64");
}

static void
test_signed_zero_and_nan (void)
{
  g_autoptr (ReelSpec) positive = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (2), 0, 1);
  g_autoptr (ReelSpec) negative = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (2), -1, -0.0);
  g_autoptr (ReelSpec) any = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (2));
  g_autoptr (ReelTensor) value = reel_tensor_new (REEL_DTYPE_FLOAT32, SHAPE (2), NULL);
  float *floats = (float *) (gpointer) value->data;
  g_autoptr (GError) error = NULL;

  g_autoptr (ReelSpec) tiny = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (2), -1e-60, 1);
  g_autofree char *high = reel_spec_to_text (negative), *low = reel_spec_to_text (tiny);
  g_assert_null (strstr (high, "-0"));
  g_assert_null (strstr (low, "-0"));
  floats[0] = floats[1] = 3;
  g_autoptr (ReelTensor) highest = reel_spec_project (negative, value, NULL);
  floats[0] = floats[1] = -3;
  g_autoptr (ReelTensor) lowest = reel_spec_project (tiny, value, NULL);
  g_assert_true (get_element (highest, 0) == 0 && !signbit (get_element (highest, 0)));
  g_assert_true (get_element (lowest, 0) == 0 && !signbit (get_element (lowest, 0)));

  floats[0] = -0.0f;
  floats[1] = 0;
  g_assert_true (reel_spec_is_in (positive, value, NULL));
  g_assert_true (reel_spec_is_in (negative, value, NULL));
  floats[1] = NAN;
  g_assert_true (reel_spec_is_in (any, value, NULL));
  g_assert_false (reel_spec_is_in (positive, value, &error));
  g_assert_cmpstr (error->message, ==, "element [1] is nan, not at most 1");

  floats[0] = 3;
  g_autoptr (ReelTensor) projected = reel_spec_project (positive, value, NULL);
  g_assert_cmpfloat (get_element (projected, 0), ==, 1);
  g_assert_true (isnan (get_element (projected, 1)));
  g_assert_cmpfloat (floats[0], ==, 3);
}

/* As PyTorch's clamp: a box of doubles takes floats into doubles, which are inside then. */
static void
test_projects_to_the_wider_type (void)
{
  g_autoptr (ReelSpec) wide = make_bounded (REEL_DTYPE_FLOAT64, SHAPE (2), 0, 1);
  g_autoptr (ReelSpec) narrow = make_bounded (REEL_DTYPE_FLOAT16, SHAPE (2), 0, 1);
  g_autoptr (ReelTensor) value = reel_tensor_new (REEL_DTYPE_FLOAT32, SHAPE (2), NULL);
  g_autoptr (ReelTensor) wider = reel_spec_project (wide, value, NULL);
  g_autoptr (ReelTensor) same = reel_spec_project (narrow, value, NULL);

  g_assert_true (reel_spec_is_in (wide, wider, NULL));
  g_assert_cmpint (same->dtype, ==, REEL_DTYPE_FLOAT32);
}

/* Blocks, tiles, and what is stored past the cache give what the formula says of each element. */
static void
test_floats_are_what_the_formula_says (void)
{
  static const gint64 counts[] = { 1, 63, 64, 65, 600, (1 << 19) + 70 };
  const double low[] = { -1, 0, 1e30 }, high[] = { 1, 0.1, 3e38 };
  ReelRandomKey key = reel_random_key (4, 2);

  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      gint64 shape[] = { 3 };
      g_autoptr (ReelSpec) spec =
          reel_bounded_spec_new (REEL_DTYPE_FLOAT32, 1, shape, low, 3, high, 3, NULL);
      g_autoptr (ReelTensor) value = reel_spec_rand (spec, 4, 2, 1, &counts[i], NULL);
      const float *floats = (const float *) (gpointer) value->data;

      for (gint64 e = 0; e < 3 * counts[i]; e++)
        {
          double from = (float) low[e % 3], to = (float) high[e % 3];
          float expected = (float) (from + (double) reel_random_float (key, e) * (to - from));

          g_assert_true (floats[e] == expected || (expected == to && floats[e] < to));
        }
    }
}

/* Bounds are inside: the first element that is named is the first beyond them. */
static void
test_integers_beyond_are_named (void)
{
  const gint64 shape[] = { 3 };
  g_autoptr (ReelSpec) spec =
      reel_spec_new_from_text ("bounded:low=0,high=5,shape=[3],dtype=int64", NULL);
  g_autoptr (ReelTensor) value = reel_tensor_new (REEL_DTYPE_INT64, 1, shape, NULL);
  g_autoptr (GError) above = NULL, below = NULL;

  memcpy (value->data, ((const gint64[]){ 5, 0, 6 }), 3 * sizeof (gint64));
  g_assert_false (reel_spec_is_in (spec, value, &above));
  g_assert_cmpstr (above->message, ==, "element [2] is 6, not at most 5");
  memcpy (value->data, ((const gint64[]){ 0, 5, -1 }), 3 * sizeof (gint64));
  g_assert_false (reel_spec_is_in (spec, value, &below));
  g_assert_cmpstr (below->message, ==, "element [2] is -1, not at least 0");
}

/* One value outside, at every place of two tiles and a bit: below, above and for floats NaN. */
static void
check_each_place (const ReelBoundsKernels *kernels, ReelDtype dtype)
{
  enum
  {
    TILE = 64,
    N = 2 * TILE + 9
  };
  const double outside[] = { 2, 6, NAN };
  gint n_outside = reel_dtype_is_float (dtype) ? 3 : 2;
  gsize size = reel_dtype_size (dtype);
  guint64 low[TILE], high[TILE], values[N];

  for (gint i = 0; i < TILE; i++)
    {
      reel_dtype_store_double (dtype, (guint8 *) low + (gsize) i * size, 3);
      reel_dtype_store_double (dtype, (guint8 *) high + (gsize) i * size, 5);
    }
  for (gint i = 0; i < N; i++)
    reel_dtype_store_double (dtype, (guint8 *) values + (gsize) i * size, 3 + i % 3);
  g_assert_cmpint (kernels->count_inside[dtype](values, N, low, high, TILE), ==, N);

  for (gint place = 0; place < N; place++)
    for (gint side = 0; side < n_outside; side++)
      {
        guint8 *element = (guint8 *) values + (gsize) place * size;
        reel_dtype_store_double (dtype, element, outside[side]);
        g_assert_cmpint (kernels->count_inside[dtype](values, N, low, high, TILE), ==,
                         place / TILE * TILE);
        reel_dtype_store_double (dtype, element, 3 + place % 3);
      }
}

static void
test_every_value_outside_is_found (void)
{
  ReelIsa best = reel_isa_detect ();

  for (ReelIsa isa = REEL_ISA_GENERIC; isa <= best; isa++)
    {
      const ReelBoundsKernels *kernels = REEL_KERNEL_PICK (reel_bounds_kernels, isa);

      for (ReelDtype dtype = 0; dtype < REEL_N_DTYPES; dtype++)
        if (kernels->count_inside[dtype])
          check_each_place (kernels, dtype);
    }
}

/* Every instruction set finds the same and makes the same bits. */
static void
check_level (const ReelBoundsKernels *kernels, gint64 n)
{
  const ReelBoundsKernels *plain = REEL_KERNEL_PICK (reel_bounds_kernels, REEL_ISA_GENERIC);
  enum
  {
    TILE = 576
  };
  double start[TILE], step[TILE];
  float top[TILE], low[TILE], high[TILE];
  g_autofree float *a = g_new0 (float, n + 1);
  g_autofree float *b = g_new0 (float, n + 1);
  ReelFloatScale scale = { TILE, start, step, top };
  ReelRandomKey key = reel_random_key (1, 2);

  for (gint i = 0; i < TILE; i++)
    {
      start[i] = -i;
      step[i] = (i + 1) * 0x1p-24;
      top[i] = 0.9f;
      low[i] = -0.5f * (float) i;
      high[i] = 0.5f;
    }
  kernels->draw_floats (key, 5 * TILE, n, &scale, a);
  plain->draw_floats (key, 5 * TILE, n, &scale, b);
  g_assert_cmpmem (a, (gsize) n * sizeof *a, b, (gsize) n * sizeof *b);
  a[n / 2] = NAN;
  g_assert_cmpint (kernels->count_inside[REEL_DTYPE_FLOAT32](a, n, low, high, TILE), ==,
                   plain->count_inside[REEL_DTYPE_FLOAT32](a, n, low, high, TILE));
  kernels->clamp[REEL_DTYPE_FLOAT32](a, n, low, high, TILE, b);
  g_assert_cmpint (plain->count_inside[REEL_DTYPE_FLOAT32](b, n / 2, low, high, TILE), ==, n / 2);
  g_assert_true (isnan (b[n / 2]));
}

static void
test_every_instruction_set (void)
{
  static const gint64 counts[] = { 1, 64, 575, 2000 };
  ReelIsa best = reel_isa_detect ();

  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      check_level (REEL_KERNEL_PICK (reel_bounds_kernels, best), counts[i]);
      if (best > REEL_ISA_AVX2)
        check_level (REEL_KERNEL_PICK (reel_bounds_kernels, REEL_ISA_AVX2), counts[i]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/specs/bounded/low-is-high", test_low_is_high);
  g_test_add_func ("/specs/bounded/one-bound-or-many", test_one_bound_or_many);
  g_test_add_func ("/specs/bounded/high-is-never-drawn", test_high_is_never_drawn);
  g_test_add_func ("/specs/bounded/both-ends-of-integers-are-drawn",
                   test_both_ends_of_integers_are_drawn);
  g_test_add_func ("/specs/bounded/full-range-integers", test_full_range_integers);
  g_test_add_func ("/specs/bounded/limits-of-64-bit-integers", test_limits_of_64_bit_integers);
  g_test_add_func ("/specs/bounded/signed-zero-and-nan", test_signed_zero_and_nan);
  g_test_add_func ("/specs/bounded/projects-to-the-wider-type", test_projects_to_the_wider_type);

  g_test_add_func ("/specs/bounded/floats-are-what-the-formula-says",
                   test_floats_are_what_the_formula_says);
  g_test_add_func ("/specs/bounded/integers-beyond-are-named", test_integers_beyond_are_named);
  g_test_add_func ("/specs/bounded/every-value-outside-is-found",
                   test_every_value_outside_is_found);
  g_test_add_func ("/specs/bounded/every-instruction-set", test_every_instruction_set);

  return g_test_run ();
}
