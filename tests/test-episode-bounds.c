/* Bounds of episodes against a loop over the elements. */
#include "../src/core/math/isa.h"
#include "../src/reel.h"

#include <math.h>

/* The marks of one lane after the other, as integers. */
typedef struct
{
  const gint64 *marks;
  gint64 lanes;
  gint64 steps;
} Case;

static gboolean
is_end (const Case *c, gboolean are_ids, gint64 i)
{
  if (i % c->steps == c->steps - 1)
    return TRUE;
  return are_ids ? c->marks[i] != c->marks[i + 1] : c->marks[i] != 0;
}

static GArray *
expected_bounds (const Case *c, gboolean are_ids)
{
  GArray *bounds = g_array_new (FALSE, TRUE, sizeof (gint64));

  g_array_set_size (bounds, 1);
  for (gint64 i = 0; i < c->lanes * c->steps; i++)
    if (is_end (c, are_ids, i))
      {
        gint64 end = i + 1;
        g_array_append_val (bounds, end);
      }
  return bounds;
}

/* The case as a view [lanes, steps] of memory with the given steps between bytes. */
static ReelTensor *
place_marks (const Case *c, ReelDtype dtype, gsize offset, gint64 lane_stride, gint64 step_stride)
{
  gint64 shape[2] = { c->lanes, c->steps }, strides[2] = { lane_stride, step_stride };
  gsize size = offset + (gsize) (c->lanes * c->steps + 2) * 3 * reel_dtype_size (dtype);
  g_autoptr (ReelMemory) memory = reel_memory_new (size, NULL);
  ReelTensor *view = reel_tensor_new_from_memory (memory, offset, dtype, 2, shape, strides, NULL);

  for (gint64 lane = 0; lane < c->lanes; lane++)
    for (gint64 t = 0; t < c->steps; t++)
      reel_dtype_store_double (dtype, view->data + lane * lane_stride + t * step_stride,
                               (double) c->marks[lane * c->steps + t]);
  return view;
}

static void
assert_bounds (ReelTensor *marks, gint time_dim, const GArray *expected)
{
  GError *error = NULL;
  g_autoptr (ReelTensor) bounds = marks->dtype == REEL_DTYPE_BOOL
                                      ? reel_episode_bounds_from_flags (marks, time_dim, &error)
                                      : reel_episode_bounds_from_ids (marks, time_dim, &error);

  g_assert_no_error (error);
  g_assert_cmpint (bounds->dtype, ==, REEL_DTYPE_INT64);
  g_assert_cmpint (bounds->ndim, ==, 1);
  g_assert_cmpmem (bounds->data, bounds->shape[0] * sizeof (gint64), expected->data,
                   expected->len * sizeof (gint64));
}

/* Time fastest, slowest, neither. */
static void
check_layouts (const Case *c, ReelDtype dtype)
{
  gint64 size = reel_dtype_size (dtype), lanes = MAX (c->lanes, 1), steps = MAX (c->steps, 1);
  g_autoptr (GArray) expected = expected_bounds (c, dtype != REEL_DTYPE_BOOL);
  g_autoptr (ReelTensor) fastest = place_marks (c, dtype, 0, steps * size, size);
  g_autoptr (ReelTensor) slowest = place_marks (c, dtype, 0, size, lanes * size);
  g_autoptr (ReelTensor) apart = place_marks (c, dtype, 0, steps * 2 * size, 2 * size);
  g_autoptr (ReelTensor) askew = place_marks (c, dtype, 1, steps * size, size);
  g_autoptr (ReelTensor) turned = reel_tensor_transpose (slowest, 0, 1, NULL);

  assert_bounds (fastest, 1, expected);
  assert_bounds (slowest, -1, expected);
  assert_bounds (turned, 0, expected);
  assert_bounds (apart, -1, expected);
  assert_bounds (askew, -1, expected);
}

static void
check_marks (const gint64 *marks, gint64 n, ReelDtype dtype)
{
  for (gint64 steps = 1; steps <= n; steps++)
    if (n % steps == 0)
      check_layouts (&(Case){ marks, n / steps, steps }, dtype);
}

static void
test_all_flags (void)
{
  for (gint n = 1; n <= 10; n++)
    for (guint pattern = 0; pattern < 1u << n; pattern++)
      {
        gint64 marks[10];
        for (gint i = 0; i < n; i++)
          marks[i] = pattern >> i & 1;
        check_marks (marks, n, REEL_DTYPE_BOOL);
      }
}

static void
test_all_ids (void)
{
  for (gint n = 1; n <= 6; n++)
    for (gint pattern = 0; pattern < (gint) pow (3, n); pattern++)
      {
        gint64 marks[6];
        for (gint i = 0, rest = pattern; i < n; i++, rest /= 3)
          marks[i] = rest % 3;
        check_marks (marks, n, REEL_DTYPE_INT64);
      }
}

static void
check_ragged (gint64 lanes, gint64 steps, guint one_in)
{
  gint64 n = lanes * steps;
  g_autofree gint64 *flags = g_new (gint64, n);
  g_autofree gint64 *ids = g_new (gint64, n);
  ReelRandomKey key = reel_random_key (7, (guint64) (lanes * 1000 + steps));

  for (gint64 i = 0, id = 0; i < n; i++)
    {
      flags[i] = reel_random_word (key, (guint64) i) % one_in == 0;
      id += flags[i];
      ids[i] = id;
    }
  check_layouts (&(Case){ flags, lanes, steps }, REEL_DTYPE_BOOL);
  check_layouts (&(Case){ ids, lanes, steps }, REEL_DTYPE_INT64);
}

/* Tails of every length behind whole words, and lanes that end anywhere in them. */
static void
test_tails (void)
{
  for (gint64 n = 1; n <= 200; n++)
    check_ragged (1, n, 5);
  for (gint64 steps = 1; steps <= 70; steps++)
    check_ragged (5, steps, 9);
  for (gint64 lanes = 60; lanes <= 70; lanes++)
    check_ragged (lanes, 3, 2);
  /* Tiles of 64 lanes by 64 steps, whole and cut either way. */
  for (gint64 lanes = 32; lanes <= 160; lanes += 16)
    for (gint64 steps = 63; steps <= 66; steps++)
      check_ragged (lanes + steps % 3, steps, 3);
  check_ragged (129, 1100, 7);
  check_ragged (3, 4095, 100);
  check_ragged (2, 4097, 1);
  check_ragged (4096, 4, 1000);
}

static void
test_every_isa (void)
{
  g_autofree char *saved = g_strdup (g_getenv ("REEL_ISA"));

  for (ReelIsa isa = 0; isa <= reel_isa_detect (); isa++)
    {
      g_setenv ("REEL_ISA", reel_isa_name (isa), TRUE);
      test_tails ();
    }
  if (saved)
    g_setenv ("REEL_ISA", saved, TRUE);
  else
    g_unsetenv ("REEL_ISA");
}

static void
test_dtypes (void)
{
  const gint64 marks[6] = { 1, 1, 127, 127, 0, 1 };

  for (ReelDtype dtype = REEL_DTYPE_UINT8; dtype <= REEL_DTYPE_UINT64; dtype++)
    check_marks (marks, G_N_ELEMENTS (marks), dtype);
}

/* A high byte alone, and the sign alone, tell ids apart. */
static void
test_wide_ids (void)
{
  const gint64 marks[5] = { 1, 1 + (1ll << 24), -1, -1, G_MININT32 };

  check_layouts (&(Case){ marks, 1, 5 }, REEL_DTYPE_INT32);
  check_layouts (&(Case){ marks, 5, 1 }, REEL_DTYPE_INT64);
}

/* Trailing dimensions are lanes, and time may stand between others. */
static void
test_more_dimensions (void)
{
  const gint64 shape[4] = { 2, 3, 2, 1 };
  const gint64 expected[] = { 0, 1, 3, 6, 9, 11, 12 };
  GError *error = NULL;
  g_autoptr (ReelTensor) flags = reel_tensor_new (REEL_DTYPE_BOOL, 4, shape, NULL);

  *(guint8 *) reel_tensor_element (flags, (gint64[]){ 0, 0, 0, 0 }) = TRUE;
  *(guint8 *) reel_tensor_element (flags, (gint64[]){ 1, 1, 1, 0 }) = TRUE;
  g_autoptr (ReelTensor) bounds = reel_episode_bounds_from_flags (flags, -3, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (bounds->data, bounds->shape[0] * sizeof (gint64), expected, sizeof expected);
}

static void
test_nothing (void)
{
  const gint64 shapes[][2] = { { 0, 3 }, { 3, 0 }, { 0, 0 } };

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (gint dim = 0; dim < 2; dim++)
      {
        g_autoptr (ReelTensor) flags = reel_tensor_new (REEL_DTYPE_BOOL, 2, shapes[i], NULL);
        g_autoptr (ReelTensor) bounds = reel_episode_bounds_from_flags (flags, dim, NULL);
        g_assert_cmpint (bounds->shape[0], ==, 1);
        g_assert_cmpint (*(gint64 *) bounds->data, ==, 0);
      }
}

static void
test_refusals (void)
{
  const gint64 shape[1] = { 3 };
  g_autoptr (ReelTensor) flags = reel_tensor_new (REEL_DTYPE_BOOL, 1, shape, NULL);
  g_autoptr (ReelTensor) floats = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, shape, NULL);
  GError *error = NULL;

  g_assert_null (reel_episode_bounds_from_flags (flags, 1, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
  g_clear_error (&error);
  g_assert_null (reel_episode_bounds_from_flags (floats, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_assert_cmpstr (error->message, ==, "flags of dtype bool are expected, not float32");
  g_clear_error (&error);
  g_assert_null (reel_episode_bounds_from_ids (flags, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
  g_assert_null (reel_episode_bounds_from_ids (floats, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/core/episode-bounds/all-flags", test_all_flags);
  g_test_add_func ("/core/episode-bounds/all-ids", test_all_ids);
  g_test_add_func ("/core/episode-bounds/tails-on-every-isa", test_every_isa);
  g_test_add_func ("/core/episode-bounds/integers-of-every-width", test_dtypes);
  g_test_add_func ("/core/episode-bounds/ids-differ-in-any-bit", test_wide_ids);
  g_test_add_func ("/core/episode-bounds/other-dimensions-are-lanes", test_more_dimensions);
  g_test_add_func ("/core/episode-bounds/nothing-has-no-episodes", test_nothing);
  g_test_add_func ("/core/episode-bounds/refusals", test_refusals);

  return g_test_run ();
}
