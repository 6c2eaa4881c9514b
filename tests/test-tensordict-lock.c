/* Locks of tensordicts that hold each other. */
#include "small-tensordicts.h"

#define LOCKED                                                                                     \
  "Cannot modify locked TensorDict. For in-place modification, consider using the `set_()` "       \
  "method and make sure the key is present."
#define IN_A_GRAPH                                                                                 \
  "Cannot unlock a tensordict that is part of a locked graph. Unlock the root tensordict first. "  \
  "If the tensordict is part of multiple graphs, group the graphs under a common tensordict an "   \
  "unlock this root."

static gboolean
is_locked (const ReelTensordict *td, const char *path)
{
  return reel_tensordict_is_locked (reel_tensordict_get_tensordict (td, path, NULL));
}

static void
assert_cannot_unlock (ReelTensordict *td)
{
  GError *error = NULL;

  g_assert_false (reel_tensordict_unlock (td, &error));
  assert_message (&error, REEL_ERROR_RUNTIME, IN_A_GRAPH);
  g_assert_true (reel_tensordict_is_locked (td));
}

static void
test_locks_reach_every_level (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  GError *error = NULL;

  reel_tensordict_lock (td);
  reel_tensordict_lock (td);
  g_assert_true (is_locked (td, "next/deep"));
  g_assert_false (reel_tensordict_remove (td, "next/deep/c", &error));
  assert_message (&error, REEL_ERROR_RUNTIME, LOCKED);
  g_assert_true (reel_tensordict_unlock (td, NULL));
  g_assert_true (reel_tensordict_unlock (td, NULL));
  g_assert_false (is_locked (td, "next"));
  g_assert_false (is_locked (td, "next/deep"));
  g_assert_true (reel_tensordict_remove (td, "next/deep/c", NULL));
}

static void
test_what_is_held_is_unlocked_from_above (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  ReelTensordict *next = reel_tensordict_get_tensordict (td, "next", NULL);
  ReelTensordict *deep = reel_tensordict_get_tensordict (next, "deep", NULL);

  reel_tensordict_lock (td);
  assert_cannot_unlock (next);
  assert_cannot_unlock (deep);
  g_assert_true (reel_tensordict_unlock (td, NULL));
  g_assert_false (reel_tensordict_is_locked (deep));
}

static void
test_a_locked_part_leaves_the_rest_free (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  ReelTensordict *next = reel_tensordict_get_tensordict (td, "next", NULL);
  const gint64 shape[] = { 3, 2 };

  reel_tensordict_lock (next);
  g_assert_false (reel_tensordict_is_locked (td));
  set_counting (td, "x", 2, shape);
  reel_tensordict_lock (td);
  assert_cannot_unlock (next);
  g_assert_true (reel_tensordict_unlock (td, NULL));
  g_assert_false (reel_tensordict_is_locked (next));
}

static void
test_two_roots_of_one_part (void)
{
  const gint64 shape[] = { 3, 2 };
  g_autoptr (ReelTensordict) part = new_example_tensordict ();
  g_autoptr (ReelTensordict) left = reel_tensordict_new (2, shape);
  g_autoptr (ReelTensordict) right = reel_tensordict_new (2, shape);

  reel_tensordict_set_tensordict (left, "c", part, NULL);
  reel_tensordict_set_tensordict (left, "own/d", part, NULL);
  reel_tensordict_set_tensordict (right, "c", part, NULL);
  reel_tensordict_lock (left);
  g_assert_true (reel_tensordict_unlock (left, NULL));
  g_assert_false (is_locked (part, "next/deep"));

  reel_tensordict_lock (left);
  reel_tensordict_lock (right);
  assert_cannot_unlock (left);
  assert_cannot_unlock (right);
  g_assert_true (is_locked (left, "own"));
  assert_cannot_unlock (part);
  /* One that is gone holds nothing. */
  g_clear_pointer (&right, reel_tensordict_unref);
  g_assert_true (reel_tensordict_is_locked (part));
  g_assert_true (reel_tensordict_unlock (left, NULL));
  g_assert_false (is_locked (part, "next/deep"));
}

static void
test_what_outlives_its_root_can_be_unlocked (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (ReelTensordict) next =
      reel_tensordict_ref (reel_tensordict_get_tensordict (td, "next", NULL));

  reel_tensordict_lock (td);
  g_clear_pointer (&td, reel_tensordict_unref);
  g_assert_true (is_locked (next, "deep"));
  assert_cannot_unlock (reel_tensordict_get_tensordict (next, "deep", NULL));
  g_assert_true (reel_tensordict_unlock (next, NULL));
  g_assert_false (is_locked (next, "deep"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/tensordict-lock/locks-reach-every-level", test_locks_reach_every_level);
  g_test_add_func ("/core/tensordict-lock/what-is-held-is-unlocked-from-above",
                   test_what_is_held_is_unlocked_from_above);
  g_test_add_func ("/core/tensordict-lock/a-locked-part-leaves-the-rest-free",
                   test_a_locked_part_leaves_the_rest_free);
  g_test_add_func ("/core/tensordict-lock/two-roots-of-one-part", test_two_roots_of_one_part);
  g_test_add_func ("/core/tensordict-lock/what-outlives-its-root-can-be-unlocked",
                   test_what_outlives_its_root_can_be_unlocked);

  return g_test_run ();
}
