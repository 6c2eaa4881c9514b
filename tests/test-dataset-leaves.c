/* The way of raw rows into the leaves of a dataset, against a naive one. */
#include "../src/core/system/file-ops.h"
#include "../src/datasets/dataset-leaves.h"
#include "../src/reel.h"
#include "scratch.h"

#include <math.h>

#define ROWS 5
#define ROOM 6
#define LARGE (36 << 20) /* bytes of a leaf that the disk gets piece by piece */

static ReelTensordict *
new_leaves (ReelDtype dtype)
{
  const gint64 size = ROOM, two = 2;
  g_autoptr (ReelTensordict) outline = reel_tensordict_new (1, &size);

  g_assert_true (reel_leaves_add (outline, "a/x", dtype, 1, &two, NULL));
  return reel_tensordict_clone (outline, TRUE, NULL);
}

/* Row i of the source is i + 1 and −(i + 1). */
static void
take_in_blocks (const ReelRowSource *source, gint64 block)
{
  for (gint64 first = 0; first < ROWS; first += block)
    {
      gint64 n = MIN (block, ROWS - first);
      gint32 rows[ROWS][2];

      for (gint64 i = 0; i < n; i++)
        {
          rows[i][0] = (gint32) (first + i + 1);
          rows[i][1] = -rows[i][0];
        }
      reel_row_source_take (source, first, n, (const guint8 *) rows);
    }
}

static double
get (const ReelTensor *leaf, gint64 row, gint64 element)
{
  return reel_dtype_load_double (leaf->dtype,
                                 reel_tensor_element (leaf, (gint64[]){ row, element }));
}

static void
check (ReelDtype dtype, gint64 first, gint64 n, gint64 at, gint64 block)
{
  g_autoptr (ReelTensordict) data = new_leaves (dtype);
  ReelRowSource source = { .dtype = REEL_DTYPE_INT32, .n_elements = 2 };
  const ReelTensor *leaf = reel_tensordict_get_tensor (data, "a/x", NULL);

  reel_row_source_add (&source, data, "a/x", first, n, at);
  take_in_blocks (&source, block);
  for (gint64 row = 0; row < ROOM; row++)
    {
      gint64 from = row - at + first;
      double expected = row >= at && row < at + n ? (double) from + 1 : 0;
      gboolean is_flag = dtype == REEL_DTYPE_BOOL;

      g_assert_cmpfloat (get (leaf, row, 0), ==, is_flag ? expected != 0 : expected);
      g_assert_cmpfloat (get (leaf, row, 1), ==, is_flag ? expected != 0 : -expected);
    }
}

static void
test_rows_are_where_they_go (void)
{
  static const ReelDtype dtypes[] = { REEL_DTYPE_INT32, REEL_DTYPE_FLOAT64, REEL_DTYPE_BOOL };

  for (gsize d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (gint64 first = 0; first <= ROWS; first++)
      for (gint64 n = 0; first + n <= ROWS; n++)
        for (gint64 at = 0; at + n <= ROOM; at++)
          for (gint64 block = 1; block <= ROWS; block++)
            check (dtypes[d], first, n, at, block);
}

static void
test_flags_stay_true (void)
{
  g_autoptr (ReelTensordict) data = new_leaves (REEL_DTYPE_BOOL);
  ReelRowSource source = { .dtype = REEL_DTYPE_FLOAT32, .n_elements = 2 };
  const float rows[3][2][2] = { { { 0, 1 }, { 0, 0 } }, { { 0, 0 }, { NAN, 0 } }, { { 0 } } };
  const ReelTensor *leaf = reel_tensordict_get_tensor (data, "a/x", NULL);

  reel_row_source_add (&source, data, "a/x", 0, 2, 0);
  for (gsize i = 0; i < 3; i++)
    reel_row_source_take (&source, 0, 2, (const guint8 *) rows[i]);
  for (gint64 i = 0; i < 4; i++)
    g_assert_cmpfloat (get (leaf, i / 2, i % 2), ==, i == 1 || i == 2);
}

/* Rows go from 0 on; each set of flags, in blocks of each size. */
static void
check_ends (guint flags, gint64 block)
{
  g_autoptr (ReelTensordict) data = new_leaves (REEL_DTYPE_INT32);
  ReelRowSource source = { .dtype = REEL_DTYPE_INT32, .n_elements = 2 };
  const ReelTensor *leaf = reel_tensordict_get_tensor (data, "a/x", NULL);
  const gint64 room = ROOM;
  g_autoptr (ReelTensor) ends = reel_tensor_new (REEL_DTYPE_BOOL, 1, &room, NULL);

  for (gint64 i = 0; i < ROOM; i++)
    ends->data[i] = flags >> i & 1;
  g_assert_true (reel_tensordict_set_tensor (data, "end", ends, NULL));
  reel_row_source_add (&source, data, "a/x", 1, ROWS - 1, 2);
  reel_row_source_leave_out (&source, data, "end");
  take_in_blocks (&source, block);
  for (gint64 row = 0; row < ROOM; row++)
    {
      double expected = row >= 2 && !ends->data[row] ? (double) row : 0;

      g_assert_cmpfloat (get (leaf, row, 0), ==, expected);
      g_assert_cmpfloat (get (leaf, row, 1), ==, -expected);
    }
}

static void
test_rows_after_ends_stay_zeros (void)
{
  for (guint flags = 0; flags < 1u << ROOM; flags++)
    for (gint64 block = 1; block <= ROWS; block++)
      check_ends (flags, block);
}

/* ---- the disk ---- */

/* Of the ranges that the disk got: the bytes before them are written, those behind may change. */
static gint64 begun, filled;

static int
note_range (int fd, off_t offset, off_t length, unsigned flags)
{
  g_assert_cmpint (offset, ==, begun);
  begun += length;
  g_assert_cmpint (begun, <, filled);
  return reel_file_ops_system ()->sync_file_range (fd, offset, length, flags);
}

static void
fill_in_blocks (const ReelTensordict *data, gint64 n_rows, gint64 block)
{
  g_autofree float *rows = g_new (float, (gsize) block);
  ReelRowSource source = { .dtype = REEL_DTYPE_FLOAT32, .n_elements = 1 };

  reel_row_source_add (&source, data, "large", 0, n_rows, 0);
  for (gint64 first = 0, n; first < n_rows; first += n)
    {
      n = MIN (block, n_rows - first);
      for (gint64 i = 0; i < n; i++)
        rows[i] = (float) (first + i);
      filled = (first + n) * (gint64) sizeof *rows;
      reel_row_source_take (&source, first, n, (const guint8 *) rows);
    }
}

static void
test_the_disk_gets_what_is_whole (void)
{
  const gint64 n = LARGE / (gint64) sizeof (float);
  g_autofree char *path = scratch_path ("leaves");
  g_autoptr (ReelTensordict) outline = reel_tensordict_new (1, &n), data = NULL;
  ReelFileOps ops = *reel_file_ops_system ();
  const float *rows;

  g_assert_true (reel_leaves_add (outline, "large", REEL_DTYPE_FLOAT32, 0, NULL, NULL));
  data = reel_leaves_make (outline, path, NULL);
  g_assert_nonnull (data);
  ops.sync_file_range = note_range;
  reel_file_ops_set (&ops);
  begun = 0;
  fill_in_blocks (data, n, 100003);
  reel_file_ops_set (NULL);
  g_assert_cmpint (begun, >=, LARGE / 2);
  rows = (const float *) reel_tensordict_get_tensor (data, "large", NULL)->data;
  for (gint64 i = 0; i < n; i++)
    if (rows[i] != (float) i)
      g_error ("row %" G_GINT64_FORMAT " is %g", i, (double) rows[i]);
}

static void
test_leaves_do_not_collide (void)
{
  g_autoptr (ReelTensordict) data = new_leaves (REEL_DTYPE_INT32);
  g_autoptr (GError) twice = NULL, wide = NULL;
  const gint64 shape[REEL_MAX_NDIM] = { 1 };

  g_assert_false (reel_leaves_add (data, "a/x", REEL_DTYPE_INT32, 0, NULL, &twice));
  g_assert_error (twice, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_false (reel_leaves_add (data, "a/y", REEL_DTYPE_INT32, REEL_MAX_NDIM, shape, &wide));
  g_assert_error (wide, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_false (reel_leaves_add (data, "a/x/z", REEL_DTYPE_INT32, 0, NULL, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  scratch_in_memory ();
  g_test_add_func ("/datasets/leaves/rows-are-where-they-go", test_rows_are_where_they_go);
  g_test_add_func ("/datasets/leaves/flags-stay-true", test_flags_stay_true);
  g_test_add_func ("/datasets/leaves/rows-after-ends-stay-zeros", test_rows_after_ends_stay_zeros);
  scratch_test ("/datasets/leaves/the-disk-gets-what-is-whole", test_the_disk_gets_what_is_whole);
  g_test_add_func ("/datasets/leaves/leaves-do-not-collide", test_leaves_do_not_collide);
  return g_test_run ();
}
