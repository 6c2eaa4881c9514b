/* The batch size of a tensordict that has entries. */
#include "small-tensordicts.h"

static void
test_any_prefix_of_all_leaves (void)
{
  const gint64 shape[] = { 3, 2, 4 };

  for (gint ndim = 0; ndim <= 2; ndim++)
    {
      g_autoptr (ReelTensordict) td = new_example_tensordict ();
      g_assert_true (reel_tensordict_set_batch_size (td, ndim, shape, NULL));
      assert_batch_size (td, ndim, shape);
      assert_batch_size (reel_tensordict_get_tensordict (td, "next/deep", NULL), 2, shape);
      /* and back, from the tensordict's own memory */
      g_assert_true (reel_tensordict_set_batch_size (
          td, 2, reel_tensordict_get_tensor (td, "a", NULL)->shape, NULL));
      assert_batch_size (td, 2, shape);
    }
}

static void
test_a_leaf_that_does_not_fit_is_named (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  const gint64 longer[] = { 3, 2, 4 }, other[] = { 4 }, negative[] = { -1 };
  GError *error = NULL;

  g_assert_false (reel_tensordict_set_batch_size (td, 1, other, &error));
  assert_message (&error, REEL_ERROR_RUNTIME,
                  "the Tensor a has shape torch.Size([3, 2]) which is incompatible with the "
                  "batch-size torch.Size([4]).");
  reel_tensordict_remove (td, "a", NULL);
  g_assert_false (reel_tensordict_set_batch_size (td, 1, other, &error));
  assert_message (&error, REEL_ERROR_RUNTIME,
                  "the TensorDict next has shape torch.Size([3, 2]) which is incompatible with the "
                  "batch-size torch.Size([4]).");
  g_assert_false (reel_tensordict_set_batch_size (td, 3, longer, &error));
  assert_message (&error, REEL_ERROR_RUNTIME,
                  "the Tensor c has shape torch.Size([3, 2]) which is incompatible with the "
                  "batch-size torch.Size([3, 2, 4]).");
  g_assert_false (reel_tensordict_set_batch_size (td, 1, negative, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
  assert_batch_size (td, 2, longer);
  assert_batch_size (reel_tensordict_get_tensordict (td, "next", NULL), 2, longer);
}

static void
test_nested_are_widened (void)
{
  const gint64 shape[] = { 3, 2, 4 }, other[] = { 7 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) empty = reel_tensordict_new (1, shape);

  set_counting (td, "next/b", 3, shape);
  reel_tensordict_set_tensordict (td, "e", empty, NULL);
  reel_tensordict_lock (td);
  g_assert_true (reel_tensordict_set_batch_size (td, 2, shape, NULL));
  assert_batch_size (reel_tensordict_get_tensordict (td, "next", NULL), 2, shape);
  assert_batch_size (empty, 2, shape);
  reel_tensordict_unlock (td, NULL);
  reel_tensordict_remove (td, "next", NULL);
  g_assert_true (reel_tensordict_set_batch_size (td, 1, other, NULL));
  assert_batch_size (empty, 2, shape);
}

static void
test_names_are_padded_and_cut (void)
{
  const gint64 shape[] = { 3, 2 };
  const char *names[] = { "lane" };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape);

  set_counting (td, "next/b", 2, shape);
  reel_tensordict_set_names (td, names, NULL);
  g_assert_true (reel_tensordict_set_batch_size (td, 2, shape, NULL));
  g_assert_cmpstr (reel_tensordict_get_name (td, 0), ==, "lane");
  g_assert_cmpstr (reel_tensordict_get_name (td, 1), ==, NULL);
  g_assert_true (reel_tensordict_set_batch_size (td, 0, NULL, NULL));
  g_assert_true (reel_tensordict_set_batch_size (td, 1, shape, NULL));
  g_assert_cmpstr (reel_tensordict_get_name (td, 0), ==, NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/tensordict-batch/any-prefix-of-all-leaves",
                   test_any_prefix_of_all_leaves);
  g_test_add_func ("/core/tensordict-batch/a-leaf-that-does-not-fit-is-named",
                   test_a_leaf_that_does_not_fit_is_named);
  g_test_add_func ("/core/tensordict-batch/nested-are-widened", test_nested_are_widened);
  g_test_add_func ("/core/tensordict-batch/names-are-padded-and-cut",
                   test_names_are_padded_and_cut);

  return g_test_run ();
}
