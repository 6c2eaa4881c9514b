/* Changes of shape of what is no plain tensordict, and of tensors by themselves. */
#include "../src/reel.h"
#include "small-tensors.h"

#include <string.h>

/* ---- tensordicts ---- */

static void
set_filled (ReelTensordict *td, const char *path, gint ndim, const gint64 *shape, gint64 first)
{
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_INT64, ndim, shape, NULL);
  g_autoptr (GError) error = NULL;

  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    ((gint64 *) tensor->data)[i] = first + i;
  reel_tensordict_set_tensor (td, path, tensor, &error);
  g_assert_no_error (error);
}

static gint64
int_at (ReelTensordict *td, const char *path, gint64 i)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensor) tensor = reel_tensordict_ref_tensor (td, path, &error);

  g_assert_no_error (error);
  g_autoptr (ReelTensor) dense = reel_tensor_contiguous (tensor, NULL);
  g_assert_cmpint (i, <, reel_tensor_numel (dense));
  return ((gint64 *) dense->data)[i];
}

static void
assert_size (const ReelTensordict *td, gint ndim, const gint64 *shape)
{
  gint found_ndim;
  const gint64 *found = reel_tensordict_get_batch_size (td, &found_ndim);

  g_assert_cmpmem (found, found_ndim * sizeof *found, shape, ndim * sizeof *shape);
}

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
  g_autoptr (GVariant) value = reel_tensordict_get_value (td, path, &error);

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

/* ---- lazy stacks ---- */

/* Three elements of batch size [2, 2] along dimension 1; `a` says element, row and column, a digit
 * each. With `x`, which has 1, 2 and 3 columns, or without. */
static ReelTensordict *
new_stack (gboolean with_x)
{
  ReelTensordict *elements[3];
  g_autoptr (GError) error = NULL;

  for (gint64 i = 0; i < 3; i++)
    {
      const gint64 shape[] = { 2, 2, i + 1 };
      elements[i] = reel_tensordict_new (2, shape);
      if (with_x)
        set_filled (elements[i], "x", 3, shape, 100 * i);
      set_filled (elements[i], "a", 2, shape, 0);
      gint64 *a = (gint64 *) reel_tensordict_get_tensor (elements[i], "a", NULL)->data;
      for (gint64 j = 0; j < 4; j++)
        a[j] = 100 * i + 10 * (j / 2) + j % 2;
    }
  ReelTensordict *stack = reel_lazy_stack_new (elements, 3, 1, &error);
  g_assert_no_error (error);
  for (gint i = 0; i < 3; i++)
    reel_tensordict_unref (elements[i]);
  return stack;
}

static ReelTensordict *
index_text (ReelTensordict *td, const char *text)
{
  g_auto (ReelIndex) index = REEL_INDEX_INIT;
  g_autoptr (GError) error = NULL;
  ReelTensordict *found = NULL;

  reel_index_parse (&index, text, &error);
  g_assert_no_error (error);
  found = reel_tensordict_index (td, &index, &error);
  g_assert_no_error (error);
  return found;
}

/* Indices of a lazy stack give what those of the dense one give, where it can be dense; and the
 * result is lazy along this dimension, or not at all for −1. */
static void
test_lazy_stacks_are_indexed (void)
{
  static const struct
  {
    const char *index;
    gint dim;
  } cases[] = {
    { "[0]", 0 },
    { "[:, 1]", -1 },
    { "[:, -1, 1]", -1 },
    { "[..., 0]", 1 },
    { "[1, ..., 1]", 0 },
    { "[:, 1:]", 1 },
    { "[None, :, ::2]", 2 },
    { "[:, [2, 0, 0]]", 1 },
    { "[:, [True, False, True], 1]", 1 },
    { "[[1, 0, 1]]", 1 },
    { "[[[1, 0], [0, 0]]]", 2 },
    { "[..., [1, 0, 1]]", 1 },
    { "[0, :, None, [1]]", 0 },
    { "[]", 1 },
    { "[:, [[0, 1]]]", -1 },
    { "[[0, 1], [2, 2]]", -1 },
    { "[True]", -1 },
    { "[:, 5:]", -1 },
  };
  g_autoptr (ReelTensordict) without = new_stack (FALSE);
  g_autoptr (ReelTensordict) dense = reel_tensordict_contiguous (without, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s", cases[i].index);
      g_autoptr (ReelTensordict) found = index_text (without, cases[i].index);
      g_autoptr (ReelTensordict) expected = index_text (dense, cases[i].index);
      g_assert_cmpint (reel_lazy_stack_get_dim (found), ==, cases[i].dim);
      gint ndim;
      const gint64 *shape = reel_tensordict_get_batch_size (expected, &ndim);
      assert_size (found, ndim, shape);
      if (strcmp (cases[i].index, "[:, 5:]") == 0)
        continue;
      for (gint64 j = 0; j < reel_tensordict_numel (expected); j++)
        g_assert_cmpint (int_at (found, "a", j), ==, int_at (expected, "a", j));
    }
}

static void
test_ragged_elements_stay_whole (void)
{
  g_autoptr (ReelTensordict) ragged = new_stack (TRUE);
  g_autoptr (ReelTensordict) last = index_text (ragged, "[:, 2]");
  g_autoptr (ReelTensordict) some = index_text (ragged, "[1, [2, 0]]");
  g_autoptr (ReelTensordict) first = index_text (some, "[0]");
  gsize n;

  g_assert_true (last == reel_lazy_stack_get_elements (ragged, &n)[2]);
  g_assert_cmpint (reel_tensordict_get_tensor (first, "x", NULL)->shape[1], ==, 3);
  g_assert_cmpint (int_at (first, "x", 0), ==, 206);
}

/* Every operation, on the stack and on the dense one. */
static void
test_lazy_stacks_change_as_dense_ones (void)
{
  g_autoptr (ReelTensordict) lazy = new_stack (FALSE);
  g_autoptr (ReelTensordict) dense = reel_tensordict_contiguous (lazy, NULL);
  const gint order[] = { 2, 0, 1 };
  const gint64 wide[] = { 4, 2, 3, 2 }, flat[] = { -1 }, pads[] = { 0, 1, 1, 0 }, three = 3;

  for (gint i = 0; i < 12; i++)
    {
      ReelTensordict *results[2];
      for (gint j = 0; j < 2; j++)
        {
          ReelTensordict *td = j ? dense : lazy;
          ReelTensordict *const both[] = { td, lazy };
          switch (i)
            {
            case 0: results[j] = reel_tensordict_permute (td, order, NULL); break;
            case 1: results[j] = reel_tensordict_transpose (td, 0, 1, NULL); break;
            case 2: results[j] = reel_tensordict_unsqueeze (td, 1, NULL); break;
            case 3: results[j] = reel_tensordict_unsqueeze (td, -1, NULL); break;
            case 4: results[j] = reel_tensordict_squeeze (td, 1, NULL); break;
            case 5: results[j] = reel_tensordict_expand (td, 4, wide, NULL); break;
            case 6: results[j] = reel_tensordict_reshape (td, 1, flat, NULL); break;
            case 7: results[j] = reel_tensordict_pad (td, 4, pads, 5, NULL); break;
            case 8: results[j] = reel_tensordict_roll (td, 1, 1, NULL); break;
            case 9: results[j] = reel_tensordict_cat (both, 2, 1, NULL); break;
            case 10: results[j] = reel_tensordict_flatten (td, 0, 1, NULL); break;
            default: results[j] = reel_tensordict_repeat_interleave (td, 0, 1, &three, NULL);
            }
          g_assert_nonnull (results[j]);
        }
      gint ndim;
      const gint64 *shape = reel_tensordict_get_batch_size (results[1], &ndim);
      assert_size (results[0], ndim, shape);
      for (gint64 j = 0; j < reel_tensordict_numel (results[1]); j++)
        g_assert_cmpint (int_at (results[0], "a", j), ==, int_at (results[1], "a", j));
      reel_tensordict_unref (results[0]);
      reel_tensordict_unref (results[1]);
    }
}

static void
test_lazy_stacks_are_assigned (void)
{
  static const char *const indices[] = {
    "[0]", "[:, 1]", "[:, 1:]", "[:, [2, 0]]", "[..., 1]", "[1, :, 0]", "[[1, 0]]",
    "[:, [True, False, True], 0]", "[None, 0, -1]",
    /* of several tensors, or over several dimensions */
    "[[1, 0], [2, 0]]", "[[1, 0, 1], [2, 0, 1], [0, 0, 1]]", "[:, [[1], [0]]]",
    "[0, [[2, 1], [0, 0]]]", "[[1, 0], :, [0, 1]]", "[:, [0, 2], [1, 1]]",
    "[[[True, False, True], [False, True, False]]]", "[..., [[1, 0], [0, 1], [1, 1]]]",
    "[[[True, False, "
    "True], [False, False, True]], 1]",
    "[True]", "[[0, 1], ..., [0, 1]]"
  };

  for (guint i = 0; i < G_N_ELEMENTS (indices); i++)
    {
      g_autoptr (ReelTensordict) lazy = new_stack (FALSE);
      g_autoptr (ReelTensordict) dense = reel_tensordict_contiguous (lazy, NULL);
      g_autoptr (ReelTensordict) part = index_text (dense, indices[i]);
      g_autoptr (ReelTensordict) value = reel_tensordict_clone (part, TRUE, NULL);
      g_auto (ReelIndex) index = REEL_INDEX_INIT;
      ReelTensor *a = reel_tensordict_get_tensor (value, "a", NULL);
      g_autoptr (GError) error = NULL;

      g_test_message ("%s", indices[i]);
      for (gint64 j = 0; j < reel_tensor_numel (a); j++)
        ((gint64 *) a->data)[j] = -1 - j;
      reel_index_parse (&index, indices[i], NULL);
      reel_tensordict_assign (dense, &index, value, &error);
      g_assert_no_error (error);
      reel_tensordict_assign (lazy, &index, value, &error);
      g_assert_no_error (error);
      for (gint64 j = 0; j < 12; j++)
        g_assert_cmpint (int_at (lazy, "a", j), ==, int_at (dense, "a", j));
    }
}

static void
test_lazy_stacks_that_refuse_stay (void)
{
  const gint64 two[] = { 2, 2 };
  g_autoptr (ReelTensordict) lazy = new_stack (TRUE);
  g_autoptr (ReelTensordict) value = reel_tensordict_new (2, two);
  g_auto (ReelIndex) index = REEL_INDEX_INIT;
  g_auto (ReelIndex) pairs = REEL_INDEX_INIT;
  const gint64 wide[] = { 2, 2, 2 };
  g_autoptr (GError) error = NULL;

  /* `x` fits the element of two columns alone. */
  set_filled (value, "a", 2, two, 900);
  set_filled (value, "x", 3, wide, 900);
  reel_index_parse (&index, "[:, :]", NULL);
  g_assert_false (reel_tensordict_assign (lazy, &index, value, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_cmpint (int_at (lazy, "a", 0), ==, 0);
  reel_index_parse (&pairs, "[[0, 1], [0, 1]]", NULL);
  g_assert_false (reel_tensordict_assign (lazy, &pairs, value, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

static void
test_lazy_stacks_of_one (void)
{
  g_autoptr (ReelTensordict) lazy = new_stack (TRUE);
  g_autoptr (ReelTensordict) one = index_text (lazy, "[:, 2:]");
  g_autoptr (ReelTensordict) squeezed = reel_tensordict_squeeze (one, 1, NULL);
  g_autoptr (ReelTensordict) row = index_text (lazy, "[:1]");
  g_autoptr (ReelTensordict) flat = reel_tensordict_squeeze (row, 0, NULL);
  const gint64 expected[] = { 3, 2 };
  gsize n;

  g_assert_true (squeezed == reel_lazy_stack_get_elements (lazy, &n)[2]);
  g_assert_cmpint (reel_lazy_stack_get_dim (flat), ==, 0);
  assert_size (flat, 2, expected);
}

static void
test_lazy_values_are_assigned (void)
{
  const gint64 shape[] = { 2, 3, 2 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (3, shape);
  g_autoptr (ReelTensordict) lazy = new_stack (FALSE);
  g_autoptr (ReelTensordict) outer = reel_tensordict_new (3, shape);
  g_auto (ReelIndex) all = REEL_INDEX_INIT;
  g_autoptr (GError) error = NULL;

  set_filled (td, "a", 3, shape, -100);
  g_assert_true (reel_tensordict_assign (td, &all, lazy, &error));
  g_assert_no_error (error);
  for (gint64 i = 0; i < 12; i++)
    g_assert_cmpint (int_at (td, "a", i), ==, int_at (lazy, "a", i));

  g_assert_true (reel_tensordict_assign (outer, &all, lazy, &error));
  g_assert_no_error (error);
}

/* A tensordict [2, 3] with a tensor, and below it a lazy stack [2, 3, 2]. */
static ReelTensordict *
new_outer (gint64 first)
{
  const gint64 shape[] = { 2, 3, 2 };
  ReelTensordict *td = reel_tensordict_new (2, shape);
  g_autoptr (ReelTensordict) lazy = new_stack (FALSE);
  gsize n;
  ReelTensordict *const *elements = reel_lazy_stack_get_elements (lazy, &n);

  set_filled (td, "z", 2, shape, first);
  for (gsize i = 0; i < n; i++)
    for (gint64 j = 0; j < 4; j++)
      ((gint64 *) reel_tensordict_get_tensor (elements[i], "a", NULL)->data)[j] +=
          first + 1000 * (gint64) i;
  reel_tensordict_set_tensordict (td, "deep", lazy, NULL);
  return td;
}

static void
assert_same_numbers (ReelTensordict *found, ReelTensordict *expected)
{
  static const char *const paths[] = { "z", "deep/a" };

  for (guint k = 0; k < G_N_ELEMENTS (paths); k++)
    {
      g_autoptr (ReelTensor) a = reel_tensordict_ref_tensor (found, paths[k], NULL);
      g_autoptr (ReelTensor) b = reel_tensordict_ref_tensor (expected, paths[k], NULL);
      g_assert_true (reel_tensor_equal (a, b));
    }
}

/* As to a dense one, whatever the index, and whether the value is lazy there or not. */
static void
test_lazy_stacks_below_are_assigned (void)
{
  static const char *const indices[] = {
    "[0]",        "[:, 1]",    "[:, 1:]",         "[..., 0]",
    "[1, 2]",     "[None, 0]", "[:, [2]]",        "[[1, 0], [2, 0]]",
    "[[[1, 0]]]", "[]",        "[[True, False]]", "[[[True, False, True], [False, True, False]]]",
  };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (indices); i++)
    {
      g_autoptr (ReelTensordict) td = new_outer (0);
      g_autoptr (ReelTensordict) dense = reel_tensordict_contiguous (td, NULL);
      g_autoptr (ReelTensordict) other = new_outer (500);
      g_autoptr (ReelTensordict) dense_other = reel_tensordict_contiguous (other, NULL);
      g_autoptr (ReelTensordict) value = index_text (i % 2 ? other : dense_other, indices[i / 2]);
      g_auto (ReelIndex) index = REEL_INDEX_INIT;
      g_autoptr (GError) error = NULL;

      g_test_message ("%s", indices[i / 2]);
      reel_index_parse (&index, indices[i / 2], NULL);
      g_assert_true (reel_tensordict_assign (dense, &index, value, &error));
      g_assert_no_error (error);
      g_assert_true (reel_tensordict_assign (td, &index, value, &error));
      g_assert_no_error (error);
      assert_same_numbers (td, dense);
      g_assert_nonnull (reel_tensordict_get_tensordict (td, "deep", NULL));
      g_assert_cmpint (reel_lazy_stack_get_dim (reel_tensordict_get_tensordict (td, "deep", NULL)),
                       ==, 1);
    }
}

static ReelTensor *
new_mask (gint ndim, const gint64 *shape, guint bits)
{
  ReelTensor *mask = reel_tensor_new (REEL_DTYPE_BOOL, ndim, shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (mask); i++)
    mask->data[i] = bits >> i & 1;
  return mask;
}

/* Of every number of dimensions, and of extents of 1: in the elements themselves. */
static void
test_lazy_stacks_are_filled (void)
{
  const gint64 shapes[][3] = { { 2, 3, 2 }, { 1, 3, 2 }, { 2, 1, 1 } };

  for (guint i = 0; i < 4 * G_N_ELEMENTS (shapes); i++)
    {
      g_autoptr (ReelTensor) mask = new_mask ((gint) (i / 3), shapes[i % 3], 0x96d);
      g_autoptr (ReelTensordict) lazy = new_stack (FALSE);
      g_autoptr (ReelTensordict) dense = reel_tensordict_contiguous (lazy, NULL);
      g_autoptr (ReelTensordict) filled = reel_tensordict_masked_fill (lazy, mask, -7, NULL);
      g_autoptr (ReelTensordict) expected = reel_tensordict_masked_fill (dense, mask, -7, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_true (reel_lazy_stack_get_dim (filled) == 1);
      for (gint64 j = 0; j < 12; j++)
        g_assert_cmpint (int_at (filled, "a", j), ==, int_at (expected, "a", j));
      for (gint64 j = 0; j < 12; j++)
        g_assert_cmpint (int_at (lazy, "a", j), ==, int_at (dense, "a", j));
      g_assert_true (reel_tensordict_masked_fill_in_place (lazy, mask, -7, &error));
      g_assert_no_error (error);
      for (gint64 j = 0; j < 12; j++)
        g_assert_cmpint (int_at (lazy, "a", j), ==, int_at (expected, "a", j));
    }
}

static void
test_lazy_stacks_below_are_filled (void)
{
  const gint64 shape[] = { 2, 3 };
  g_autoptr (ReelTensor) mask = new_mask (2, shape, 0x2d);
  g_autoptr (ReelTensordict) td = new_outer (0);
  g_autoptr (ReelTensordict) dense = reel_tensordict_contiguous (td, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_tensordict_masked_fill_in_place (dense, mask, -7, &error));
  g_assert_true (reel_tensordict_masked_fill_in_place (td, mask, -7, &error));
  g_assert_no_error (error);
  assert_same_numbers (td, dense);
}

/* Leaves of unlike shape, and keys that one element has alone, are filled and written too. */
static void
test_ragged_elements_are_written (void)
{
  const gint64 three = 3;
  g_autoptr (ReelTensordict) lazy = new_stack (TRUE);
  g_autoptr (ReelTensordict) other = new_stack (TRUE);
  g_autoptr (ReelTensordict) flat = reel_tensordict_transpose (lazy, 0, 1, NULL);
  g_autoptr (ReelTensordict) value = index_text (other, "[:, 1:]");
  g_autoptr (ReelTensor) mask = new_mask (1, &three, 0x5);
  g_auto (ReelIndex) index = REEL_INDEX_INIT;
  g_autoptr (GError) error = NULL;
  gsize n;
  ReelTensordict *const *elements = reel_lazy_stack_get_elements (lazy, &n);

  g_assert_true (reel_tensordict_masked_fill_in_place (flat, mask, -7, &error));
  g_assert_no_error (error);
  g_assert_cmpint (int_at (elements[0], "x", 0), ==, -7);
  g_assert_cmpint (int_at (elements[2], "x", 5), ==, -7);
  g_assert_cmpint (int_at (elements[1], "a", 0), !=, -7);
  reel_index_parse (&index, "[:, 1:]", NULL);
  g_assert_true (reel_tensordict_assign (lazy, &index, value, &error));
  g_assert_no_error (error);
  g_assert_cmpint (int_at (elements[0], "x", 0), ==, -7);
  g_assert_cmpint (int_at (elements[2], "x", 0), !=, -7);
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

/* ---- tensors ---- */

static void
check_padded (ReelTensor *tensor)
{
  for (gint code = 0; code < 16 && tensor->ndim > 0; code++)
    {
      const gint64 pads[] = { code % 4 - 1, code / 4 - 1 };
      gint64 extent = tensor->shape[0] + pads[0] + pads[1];
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelTensor) padded = reel_tensor_pad (tensor, 2, pads, -9, &error);

      if (extent < 0 || -pads[0] > tensor->shape[0] || -pads[1] > tensor->shape[0])
        {
          g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
          continue;
        }
      g_assert_no_error (error);
      g_assert_cmpint (padded->shape[0], ==, extent);
      for (gint64 i = 0; i < extent; i++)
        {
          g_autoptr (ReelTensor) found = reel_tensor_select (padded, 0, i, NULL);
          gint64 from = i - pads[0];
          gboolean inside = from >= 0 && from < tensor->shape[0];
          g_autoptr (ReelTensor) row = inside ? reel_tensor_select (tensor, 0, from, NULL) : NULL;
          if (inside)
            g_assert_true (reel_tensor_equal (found, row));
          for (gint64 j = 0; !inside && j < reel_tensor_numel (found); j++)
            g_assert_cmpint (((gint32 *) found->data)[j], ==, -9);
        }
    }
}

static void
check_strided_padded (ReelTensor *tensor)
{
  for_each_strided (tensor, check_padded);
}

static void
test_pads (void)
{
  for_each_tensor (check_strided_padded);
}

/* Rows of every width, aligned or not, chosen in runs of every length. */
static void
test_where (void)
{
  for (gint64 width = 0; width <= 20; width++)
    for (gint64 n = 0; n <= 40; n += 1 + n / 4)
      {
        const gint64 shape[] = { n + 1, width };
        g_autoptr (ReelTensor) wide_a = new_counting_tensor (REEL_DTYPE_UINT8, 2, shape);
        g_autoptr (ReelTensor) wide_b = new_counting_tensor (REEL_DTYPE_INT8, 2, shape);
        g_autoptr (ReelTensor) wide = new_counting_tensor (REEL_DTYPE_UINT8, 2, shape);
        g_autoptr (ReelTensor) a = reel_tensor_slice (wide_a, 0, 1, G_MAXINT64, 1, NULL);
        g_autoptr (ReelTensor) b = reel_tensor_slice (wide, 0, 0, n, 1, NULL);
        g_autoptr (ReelTensor) mask = reel_tensor_new (REEL_DTYPE_BOOL, 1, &n, NULL);
        g_autoptr (GError) error = NULL;

        for (gint64 i = 0; i < n; i++)
          mask->data[i] = i * 5 % 7 % 3 == 0;
        g_autoptr (ReelTensor) found = reel_tensor_where (mask, a, b, &error);
        g_assert_no_error (error);
        for (gint64 i = 0; i < n * width; i++)
          g_assert_cmpint (found->data[i], ==, mask->data[i / width] ? a->data[i] : b->data[i]);
        g_assert_null (reel_tensor_where (mask, wide_a, wide_b, NULL));
      }
}

static void
test_where_errors (void)
{
  const gint64 shape[] = { 2, 3 }, bad[] = { 3 };
  g_autoptr (ReelTensor) a = new_counting_tensor (REEL_DTYPE_INT32, 2, shape);
  g_autoptr (ReelTensor) other = new_counting_tensor (REEL_DTYPE_INT64, 2, shape);
  g_autoptr (ReelTensor) mask = reel_tensor_new (REEL_DTYPE_BOOL, 1, bad, NULL);
  GError *error = NULL;

  g_assert_null (reel_tensor_where (mask, a, a, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_null (reel_tensor_where (a, a, a, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
  g_autoptr (ReelTensor) scalar = reel_tensor_new (REEL_DTYPE_BOOL, 0, NULL, NULL);
  g_assert_null (reel_tensor_where (scalar, a, other, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
}

static void
test_expand_as_right (void)
{
  const gint64 shape[] = { 2, 3, 2 }, one[] = { 2, 1 };
  g_autoptr (ReelTensor) narrow = new_counting_tensor (REEL_DTYPE_INT32, 2, one);
  g_autoptr (ReelTensor) wide = reel_tensor_expand_as_right (narrow, 3, shape, NULL);
  g_autoptr (GError) error = NULL;

  for (gint64 i = 0; i < 12; i++)
    {
      const gint64 place[] = { i / 6, i / 2 % 3, i % 2 };
      g_assert_cmpint (*(gint32 *) reel_tensor_element (wide, place), ==, i / 6 + 1);
    }
  g_assert_true (wide->data == narrow->data);
  g_assert_null (reel_tensor_expand_as_right (narrow, 1, shape, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_null (reel_tensor_expand_as_right (narrow, 2, shape + 1, NULL));
}

static void
check_cut (ReelTensor *tensor)
{
  for (gint dim = 0; dim < tensor->ndim; dim++)
    for (gint64 at = 0; at <= tensor->shape[dim]; at++)
      {
        g_autoptr (ReelTensor) before = reel_tensor_slice (tensor, dim, 0, at, 1, NULL);
        g_autoptr (ReelTensor) after = reel_tensor_slice (tensor, dim, at, G_MAXINT64, 1, NULL);
        ReelTensor *const both[] = { before, after };
        g_autoptr (ReelTensor) joined = reel_tensor_cat (both, 2, dim - tensor->ndim, NULL);
        g_assert_true (reel_tensor_equal (joined, tensor));
        g_assert_true (reel_tensor_is_contiguous (joined));
      }
}

static void
check_strided_cut (ReelTensor *tensor)
{
  for_each_strided (tensor, check_cut);
}

static void
test_cat_is_the_inverse_of_cutting (void)
{
  for_each_tensor (check_strided_cut);
}

/* A copy in the same order, whatever the strides; and a view wherever PyTorch's view() would be. */
static void
check_flat (ReelTensor *tensor)
{
  const gint64 all = -1;
  g_autoptr (ReelTensor) dense = reel_tensor_clone (tensor, NULL);
  g_autoptr (ReelTensor) view = reel_tensor_view (tensor, 1, &all, NULL);
  g_autoptr (ReelTensor) flat = reel_tensor_reshape (tensor, 1, &all, NULL);

  g_assert_cmpint (flat->shape[0], ==, reel_tensor_numel (tensor));
  g_assert_cmpmem (flat->data, view ? 0 : reel_tensor_nbytes (flat), dense->data,
                   view ? 0 : reel_tensor_nbytes (dense));
  g_assert_cmpint (view != NULL, ==, flat->data == tensor->data);
  for (gint64 i = 0; i < flat->shape[0]; i++)
    g_assert_cmpint (*(gint32 *) reel_tensor_element (flat, &i), ==, ((gint32 *) dense->data)[i]);
}

static void
check_strided_flat (ReelTensor *tensor)
{
  for_each_strided (tensor, check_flat);
}

static void
test_reshape_keeps_the_order (void)
{
  for_each_tensor (check_strided_flat);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/shapes/values-follow", test_values_follow);
  g_test_add_func ("/core/shapes/lazy-stacks-are-indexed", test_lazy_stacks_are_indexed);
  g_test_add_func ("/core/shapes/ragged-elements-stay-whole", test_ragged_elements_stay_whole);
  g_test_add_func ("/core/shapes/lazy-stacks-change-as-dense-ones",
                   test_lazy_stacks_change_as_dense_ones);
  g_test_add_func ("/core/shapes/lazy-stacks-are-assigned", test_lazy_stacks_are_assigned);
  g_test_add_func ("/core/shapes/lazy-stacks-that-refuse-stay", test_lazy_stacks_that_refuse_stay);
  g_test_add_func ("/core/shapes/lazy-stacks-of-one", test_lazy_stacks_of_one);
  g_test_add_func ("/core/shapes/lazy-values-are-assigned", test_lazy_values_are_assigned);
  g_test_add_func ("/core/shapes/lazy-stacks-below-are-assigned",
                   test_lazy_stacks_below_are_assigned);
  g_test_add_func ("/core/shapes/lazy-stacks-are-filled", test_lazy_stacks_are_filled);
  g_test_add_func ("/core/shapes/lazy-stacks-below-are-filled", test_lazy_stacks_below_are_filled);
  g_test_add_func ("/core/shapes/ragged-elements-are-written", test_ragged_elements_are_written);
  g_test_add_func ("/core/shapes/combinations-must-fit", test_combinations_must_fit);
  g_test_add_func ("/core/shapes/cat-needs-the-keys-of-all", test_cat_needs_the_keys_of_all);
  g_test_add_func ("/core/shapes/cat-keeps-the-device-of-all", test_cat_keeps_the_device_of_all);
  g_test_add_func ("/core/shapes/gather-broadcasts", test_gather_broadcasts);
  g_test_add_func ("/core/shapes/pads", test_pads);
  g_test_add_func ("/core/shapes/where", test_where);
  g_test_add_func ("/core/shapes/where-errors", test_where_errors);
  g_test_add_func ("/core/shapes/expand-as-right", test_expand_as_right);
  g_test_add_func ("/core/shapes/cat-is-the-inverse-of-cutting",
                   test_cat_is_the_inverse_of_cutting);
  g_test_add_func ("/core/shapes/reshape-keeps-the-order", test_reshape_keeps_the_order);
  return g_test_run ();
}
