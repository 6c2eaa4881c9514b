/* Parts of lazy stacks, and lazy stacks of other shapes, beside those of the dense one. */
#include "three-elements.h"

#include <string.h>

static void
assert_size (const ReelTensordict *td, gint ndim, const gint64 *shape)
{
  gint found_ndim;
  const gint64 *found = reel_tensordict_get_batch_size (td, &found_ndim);

  g_assert_cmpmem (found, found_ndim * sizeof *found, shape, ndim * sizeof *shape);
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
  g_autoptr (ReelTensordict) without = new_three_elements (FALSE);
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
  g_autoptr (ReelTensordict) ragged = new_three_elements (TRUE);
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
  g_autoptr (ReelTensordict) lazy = new_three_elements (FALSE);
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
test_lazy_stacks_of_one (void)
{
  g_autoptr (ReelTensordict) lazy = new_three_elements (TRUE);
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/shapes/lazy-stacks-are-indexed", test_lazy_stacks_are_indexed);
  g_test_add_func ("/core/shapes/ragged-elements-stay-whole", test_ragged_elements_stay_whole);
  g_test_add_func ("/core/shapes/lazy-stacks-change-as-dense-ones",
                   test_lazy_stacks_change_as_dense_ones);
  g_test_add_func ("/core/shapes/lazy-stacks-of-one", test_lazy_stacks_of_one);
  return g_test_run ();
}
