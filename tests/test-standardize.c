/* Columns with mean 0 and variance 1, to the bit as NumPy and scikit-learn compute them. */
#include "../src/datasets/standardize.h"
#include "../src/reel.h"

#include <math.h>
#include <string.h>

#define ROWS 1001
#define COLUMNS 3

/* Knuth's MMIX generator, so that NumPy has the same numbers; the last column has one value. */
static void
fill (double *to)
{
  guint64 state = 1;

  for (gint i = 0; i < ROWS * COLUMNS; i++)
    {
      state = state * G_GUINT64_CONSTANT (6364136223846793005)
              + G_GUINT64_CONSTANT (1442695040888963407);
      to[i] = (double) (state >> 11) / 9007199254740992.0;
      if (i % COLUMNS == 1)
        to[i] = to[i] * 1e6 - 3e5;
      if (i % COLUMNS == 2)
        to[i] = 0.1;
    }
}

/* Blocks of 128 rows, halves of them, and a rest. */
static void
test_bits_are_those_of_numpy (void)
{
  const gint64 shape[] = { ROWS, COLUMNS };
  g_autoptr (ReelTensor) table = reel_tensor_new (REEL_DTYPE_FLOAT64, 2, shape, NULL);
  g_autofree char *sum = NULL;

  fill ((double *) table->data);
  reel_standardize (table, COLUMNS);
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, table->data, reel_tensor_nbytes (table));
  g_assert_cmpstr (sum, ==, "e3115c1ace616c19858c936ff494ab98b8f23ad2f43b035f7de6832d82a87a73");
}

/* Every number of rows about a block; columns behind the first stay. */
static void
test_mean_is_0_and_variance_1 (void)
{
  for (gint64 n = 2; n <= 300; n++)
    {
      const gint64 shape[] = { n, COLUMNS };
      g_autoptr (ReelTensor) table = reel_tensor_new (REEL_DTYPE_FLOAT64, 2, shape, NULL);
      double *data = (double *) table->data, all[ROWS * COLUMNS], sum = 0, squares = 0;

      fill (all);
      memcpy (data, all, (gsize) (n * COLUMNS) * sizeof *data);
      reel_standardize (table, 2);
      for (gint64 i = 0; i < n; i++)
        {
          sum += data[i * COLUMNS];
          squares += data[i * COLUMNS] * data[i * COLUMNS];
          g_assert_cmpfloat (data[i * COLUMNS + 2], ==, 0.1);
        }
      g_assert_cmpfloat (fabs (sum), <, 1e-9);
      g_assert_cmpfloat (fabs (squares - (double) n), <, 1e-9);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/datasets/standardize/bits-are-those-of-numpy", test_bits_are_those_of_numpy);
  g_test_add_func ("/datasets/standardize/mean-is-0-and-variance-1", test_mean_is_0_and_variance_1);
  return g_test_run ();
}
