/* Tensordicts joined and chosen from: the values that are no tensors, and what does not fit. */
#include "small-tensors.h"
#include "three-elements.h"

/* ---- values that are no tensors ---- */

static ReelTensordict *
new_words (gint64 n, const char *const *words)
{
  ReelTensordict *td = reel_tensordict_new (1, &n);
  g_autoptr (ReelTensor) which = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
  g_autoptr (GError) error = NULL;
  GVariant *values[8];

  for (gint64 i = 0; i < n; i++)
    {
      values[i] = g_variant_new_string (words[i]);
      ((gint64 *) which->data)[i] = i;
    }
  g_autoptr (ReelNonTensor) word = reel_non_tensor_new_from_which (values, n, which, &error);
  g_assert_no_error (error);
  reel_tensordict_set_non_tensor (td, "word", word, &error);
  reel_tensordict_set_value (td, "n/same", g_variant_new_int64 (3), &error);
  g_assert_no_error (error);
  return td;
}

static void
assert_words (ReelTensordict *td, const char *path, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) value = reel_tensordict_dup_value (td, path, &error);

  g_assert_no_error (error);
  g_autoptr (GString) found = g_variant_print_string (value, NULL, FALSE);
  g_string_replace (found, "<", "", 0);
  g_string_replace (found, ">", "", 0);
  g_assert_cmpstr (found->str, ==, expected);
}

static void
test_values_follow (void)
{
  static const char *const first[] = { "a", "b", "c" }, *const second[] = { "c", "d", "a" };
  const gint64 three = 3, square[] = { 3, 1 }, pads[] = { 1, 2 }, twice = 2;
  g_autoptr (ReelTensordict) a = new_words (3, first);
  g_autoptr (ReelTensordict) b = new_words (3, second);
  ReelTensordict *const both[] = { a, b };
  g_autoptr (ReelTensor) mask = reel_tensor_new (REEL_DTYPE_BOOL, 1, &three, NULL);

  mask->data[1] = 1;
  g_autoptr (ReelTensordict) joined = reel_tensordict_cat (both, 2, 0, NULL);
  g_autoptr (ReelTensordict) chosen = reel_tensordict_where (mask, a, b, NULL);
  g_autoptr (ReelTensordict) padded = reel_tensordict_pad (a, 2, pads, 7, NULL);
  g_autoptr (ReelTensordict) rolled = reel_tensordict_roll (a, 0, 1, NULL);
  g_autoptr (ReelTensordict) repeated = reel_tensordict_repeat_interleave (a, 0, 1, &twice, NULL);
  g_autoptr (ReelTensordict) shaped = reel_tensordict_reshape (a, 2, square, NULL);

  assert_words (joined, "word", "['a', 'b', 'c', 'c', 'd', 'a']");
  assert_words (joined, "n/same", "3");
  assert_words (chosen, "word", "['c', 'b', 'a']");
  assert_words (padded, "word", "[@mv nothing, 'a', 'b', 'c', @mv nothing, @mv nothing]");
  assert_words (rolled, "word", "['c', 'a', 'b']");
  assert_words (repeated, "word", "['a', 'a', 'b', 'b', 'c', 'c']");
  assert_words (shaped, "word", "[['a'], ['b'], ['c']]");
  assert_words (shaped, "n/same", "3");
}

/* ---- what does not fit ---- */

static void
assert_refused (ReelTensordict *result, GError **error, ReelError code)
{
  g_assert_null (result);
  g_assert_error (*error, REEL_ERROR, (int) code);
  g_clear_error (error);
}

static void
test_combinations_must_fit (void)
{
  const gint64 shape[] = { 2, 3 }, wide[] = { 2, 4 };
  g_autoptr (ReelTensordict) a = reel_tensordict_new (2, shape);
  g_autoptr (ReelTensordict) b = reel_tensordict_new (2, shape);
  g_autoptr (ReelTensordict) c = reel_tensordict_new (2, wide);
  g_autoptr (ReelTensordict) d = reel_tensordict_new (1, shape);
  ReelTensordict *const ab[] = { a, b }, *const ac[] = { a, c }, *const ad[] = { a, d };
  g_autoptr (ReelTensor) mask = reel_tensor_new (REEL_DTYPE_BOOL, 1, shape, NULL);
  GError *error = NULL;

  assert_refused (reel_tensordict_cat (NULL, 0, 0, &error), &error, REEL_ERROR_VALUE);
  g_assert_null (reel_tensor_cat (NULL, 0, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
  assert_refused (reel_tensordict_cat (ac, 2, 0, &error), &error, REEL_ERROR_RUNTIME);
  assert_refused (reel_tensordict_cat (ad, 2, 0, &error), &error, REEL_ERROR_RUNTIME);
  assert_refused (reel_tensordict_where (mask, a, c, &error), &error, REEL_ERROR_RUNTIME);
  g_autoptr (ReelTensordict) fits = reel_tensordict_cat (ac, 2, 1, NULL);
  g_assert_nonnull (fits);

  /* Either may have a key that the other lacks, or have it of another kind. */
  set_filled (a, "n/x", 2, shape, 0);
  assert_refused (reel_tensordict_cat (ab, 2, 0, &error), &error, REEL_ERROR_KEY);
  assert_refused (reel_tensordict_where (mask, b, a, &error), &error, REEL_ERROR_KEY);
  set_filled (b, "n", 2, shape, 0);
  assert_refused (reel_tensordict_cat (ab, 2, 0, &error), &error, REEL_ERROR_KEY);
  assert_refused (reel_tensordict_where (mask, a, b, &error), &error, REEL_ERROR_KEY);
}

/* Whichever of three is without the key. */
static void
test_cat_needs_the_keys_of_all (void)
{
  const gint64 shape[] = { 2 };

  for (guint without = 0; without < 3; without++)
    {
      ReelTensordict *tds[3];
      GError *error = NULL;
      for (guint i = 0; i < G_N_ELEMENTS (tds); i++)
        {
          tds[i] = reel_tensordict_new (1, shape);
          set_filled (tds[i], "a", 1, shape, 0);
          if (i != without)
            set_filled (tds[i], "b", 1, shape, 0);
        }
      assert_refused (reel_tensordict_cat (tds, G_N_ELEMENTS (tds), 0, &error), &error,
                      REEL_ERROR_KEY);
      for (guint i = 0; i < G_N_ELEMENTS (tds); i++)
        reel_tensordict_unref (tds[i]);
    }
}

static void
test_cat_keeps_the_device_of_all (void)
{
  const gint64 shape[] = { 2 };
  g_autoptr (ReelTensordict) a = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) b = reel_tensordict_new (1, shape);
  ReelTensordict *const both[] = { a, b };

  reel_tensordict_set_device (a, "cpu", NULL);
  g_autoptr (ReelTensordict) mixed = reel_tensordict_cat (both, 2, 0, NULL);
  g_assert_null (reel_tensordict_get_device (mixed));
  reel_tensordict_set_device (b, "cpu", NULL);
  g_autoptr (ReelTensordict) same = reel_tensordict_cat (both, 2, 0, NULL);
  g_assert_cmpstr (reel_tensordict_get_device (same), ==, "cpu");
}

/* An index of fewer dimensions, or of extents of 1, serves all that it has not. */
static void
test_gather_broadcasts (void)
{
  const gint64 shape[] = { 2, 3 }, narrow[] = { 2 }, deep[] = { 2, 3, 1 };
  g_autoptr (ReelTensor) tensor = new_counting_tensor (REEL_DTYPE_INT32, 2, shape);
  g_autoptr (ReelTensor) index = reel_tensor_new (REEL_DTYPE_INT32, 1, narrow, NULL);
  g_autoptr (ReelTensor) wide = reel_tensor_new (REEL_DTYPE_INT64, 3, deep, NULL);
  g_autoptr (ReelTensor) real = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, narrow, NULL);
  GError *error = NULL;

  ((gint32 *) index->data)[0] = -1;
  g_autoptr (ReelTensor) found = reel_tensor_gather (tensor, 0, index, &error);
  g_assert_no_error (error);
  for (gint i = 0; i < 6; i++)
    g_assert_cmpint (((gint32 *) found->data)[i], ==, i < 3 ? i + 4 : i - 2);
  g_assert_null (reel_tensor_gather (tensor, 0, wide, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_null (reel_tensor_gather (tensor, 0, real, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
  ((gint32 *) index->data)[0] = 2;
  assert_index_error (reel_tensor_gather (tensor, 0, index, &error), &error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/shapes/values-follow", test_values_follow);
  g_test_add_func ("/core/shapes/combinations-must-fit", test_combinations_must_fit);
  g_test_add_func ("/core/shapes/cat-needs-the-keys-of-all", test_cat_needs_the_keys_of_all);
  g_test_add_func ("/core/shapes/cat-keeps-the-device-of-all", test_cat_keeps_the_device_of_all);
  g_test_add_func ("/core/shapes/gather-broadcasts", test_gather_broadcasts);
  return g_test_run ();
}
