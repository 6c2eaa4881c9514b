/* Leaves whose rows are appended, against a naive copy of them. */
#include "../src/datasets/dataset-leaves.h"
#include "../src/datasets/growing-leaves.h"
#include "../src/reel.h"
#include "scratch.h"

#include <string.h>

#define ROWS 300000 /* of 12 bytes: a leaf of some blocks */
#define WIDTH 3

static ReelTensordict *
describe (void)
{
  const gint64 one = 1, width = WIDTH;
  ReelTensordict *outline = reel_tensordict_new (1, &one);

  g_assert_true (reel_leaves_add (outline, "same", REEL_DTYPE_INT32, 1, &width, NULL));
  g_assert_true (reel_leaves_add (outline, "a/wider", REEL_DTYPE_FLOAT64, 1, &width, NULL));
  g_assert_true (reel_leaves_add (outline, "flag", REEL_DTYPE_BOOL, 0, NULL, NULL));
  g_assert_true (reel_leaves_add (outline, "none", REEL_DTYPE_INT32, 1, (gint64[]){ 0 }, NULL));
  return outline;
}

/* Rows with no flag are zeros in all leaves. */
static gboolean
is_zero (gint64 block)
{
  return block % 3 == 2;
}

static void
append_block (ReelGrowingLeaves *leaves, gint64 block, gint64 n, const gint32 *rows)
{
  static const char *const paths[] = { "same", "a/wider", "none" };
  g_autofree guint8 *flags = g_malloc (MAX ((gsize) n, 1));

  memset (flags, 1, (gsize) n);
  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    g_assert_true (is_zero (block) ? reel_growing_leaves_append_zeros (leaves, paths[i], n, NULL)
                                   : reel_growing_leaves_append (leaves, paths[i], REEL_DTYPE_INT32,
                                                                 n, (const guint8 *) rows, NULL));
  g_assert_true (is_zero (block) ? reel_growing_leaves_append_zeros (leaves, "flag", n, NULL)
                                 : reel_growing_leaves_append (leaves, "flag", REEL_DTYPE_BOOL, n,
                                                               flags, NULL));
}

/* In blocks of 0 rows to most of all; element k is k, or 0. */
static void
append_all (ReelGrowingLeaves *leaves, gint32 *expected)
{
  for (gint64 first = 0, block = 0, n; first < ROWS; first += n, block++)
    {
      n = MIN (block * block * block, ROWS - first);
      append_block (leaves, block, n, expected + first * WIDTH);
      if (is_zero (block))
        memset (expected + first * WIDTH, 0, (gsize) (n * WIDTH) * sizeof *expected);
    }
}

static void
check (const ReelTensordict *data, const gint32 *expected)
{
  const gint32 *same = (const gint32 *) reel_tensordict_get_tensor (data, "same", NULL)->data;
  const double *wider = (const double *) reel_tensordict_get_tensor (data, "a/wider", NULL)->data;
  const guint8 *flags = reel_tensordict_get_tensor (data, "flag", NULL)->data;
  gint64 n_wrong = 0;

  for (gint64 k = 0; k < ROWS * WIDTH; k++)
    n_wrong += same[k] != expected[k] || wider[k] != expected[k]
               || flags[k / WIDTH] != (expected[k - k % WIDTH] != 0);
  g_assert_cmpint (n_wrong, ==, 0);
}

static void
test_rows_follow_each_other (void)
{
  g_autofree char *path = scratch_path ("leaves");
  g_autoptr (ReelTensordict) outline = describe (), data = NULL;
  g_autofree gint32 *expected = g_new (gint32, ROWS * WIDTH);

  for (gint32 k = 0; k < ROWS * WIDTH; k++)
    expected[k] = k + 1;
  g_autoptr (ReelGrowingLeaves) leaves = reel_growing_leaves_new (outline, path, NULL);
  g_assert_nonnull (leaves);
  append_all (leaves, expected);
  g_assert_true (reel_growing_leaves_end (leaves, ROWS, NULL));
  data = reel_tensordict_load (path, REEL_LOAD_READ_ONLY, NULL);
  g_assert_nonnull (data);
  check (data, expected);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  scratch_in_memory ();
  scratch_test ("/datasets/growing-leaves/rows-follow-each-other", test_rows_follow_each_other);
  return g_test_run ();
}
