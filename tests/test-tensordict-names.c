/* Refined and changed names of dimensions. */
#include "small-tensordicts.h"

#define N_NAMES 2

static const char *
nested_name (const ReelTensordict *td, gint dim)
{
  return reel_tensordict_get_name (reel_tensordict_get_tensordict (td, "next/deep", NULL), dim);
}

static void
assert_names (const ReelTensordict *td, const char *first, const char *second)
{
  g_assert_cmpstr (reel_tensordict_get_name (td, 0), ==, first);
  g_assert_cmpstr (reel_tensordict_get_name (td, 1), ==, second);
  g_assert_cmpstr (nested_name (td, 0), ==, first);
  g_assert_cmpstr (nested_name (td, 1), ==, second);
}

/* The answers of tensordict 0.14.3 to the same calls, in this order, of names [None, None]. */
static void
test_refine (void)
{
  static const struct
  {
    gint n;
    const char *names[3];
    const char *after[N_NAMES];
    ReelError code;
    const char *message;
  } calls[] = {
    { 2,
      { "q", "q" },
      { NULL, NULL },
      REEL_ERROR_VALUE,
      "Some dimension names are non-unique: ['q', 'q']." },
    { 2, { NULL, "time" }, { NULL, "time" }, 0, NULL },
    { 2, { "x", "time" }, { "x", "time" }, 0, NULL },
    { 2,
      { "y", "time" },
      { "x", "time" },
      REEL_ERROR_RUNTIME,
      "refine_names: cannot coerce TensorDict names ['x', 'time'] with ['y', 'time']." },
    { 2, { "...", "time" }, { "x", "time" }, 0, NULL },
    { 2,
      { "...", "q" },
      { "x", "time" },
      REEL_ERROR_RUNTIME,
      "refine_names: cannot coerce TensorDict names ['x', 'time'] with [Ellipsis, 'q']." },
    { 1,
      { "x" },
      { "x", "time" },
      REEL_ERROR_VALUE,
      "the length of the dimension names must equate the tensordict batch_dims attribute. Got "
      "['x'] for batch_dims 2." },
    { 2, { "x", "..." }, { "x", "time" }, 0, NULL },
    { 3,
      { "x", "y", "z" },
      { "x", "time" },
      REEL_ERROR_RUNTIME,
      "refine_names: cannot coerce TensorDict names ['x', 'time'] with ['x', 'y', 'z']." },
    { 2,
      { "x", NULL },
      { "x", "time" },
      REEL_ERROR_RUNTIME,
      "refine_names: cannot coerce TensorDict names ['x', 'time'] with ['x', None]." },
    { 1, { "..." }, { "x", "time" }, 0, NULL },
    { 3, { "...", "x", "time" }, { "x", "time" }, 0, NULL },
    { 3, { "x", "...", "time" }, { "x", "time" }, 0, NULL },
  };
  g_autoptr (ReelTensordict) td = new_example_tensordict ();

  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      g_autoptr (GError) error = NULL;
      gboolean done = reel_tensordict_refine_names (td, calls[i].n, calls[i].names, &error);
      g_assert_true (done == !calls[i].message);
      if (!done)
        assert_message (&error, calls[i].code, calls[i].message);
      assert_names (td, calls[i].after[0], calls[i].after[1]);
    }
}

static void
test_ellipsis_finds_the_last (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  const char *names[] = { "...", "time" };

  g_assert_true (reel_tensordict_refine_names (td, 2, names, NULL));
  assert_names (td, NULL, "time");
}

static void
test_rename (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  const char *names[] = { "x", "y" }, *swapped[] = { "y", "x" }, *w[] = { "w" }, *none[] = { NULL };
  GError *error = NULL;

  reel_tensordict_set_names (td, names, NULL);
  g_assert_true (reel_tensordict_rename_dims (td, 2, names, swapped, NULL));
  assert_names (td, "y", "x");
  g_assert_false (reel_tensordict_rename_dims (td, 1, w, names, &error));
  assert_message (&error, REEL_ERROR_VALUE,
                  "Some names to be renamed were not part of the tensordict names: ['w'] vs "
                  "['y', 'x'].");
  g_assert_false (reel_tensordict_rename_dims (td, 1, names, swapped, &error));
  assert_message (&error, REEL_ERROR_VALUE, "Some dimension names are non-unique: ['y', 'y'].");
  assert_names (td, "y", "x");
  g_assert_true (reel_tensordict_rename_dims (td, 1, names, none, NULL));
  assert_names (td, "y", NULL);
  g_assert_false (reel_tensordict_rename_dims (td, 1, none, names, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/tensordict-names/refine", test_refine);
  g_test_add_func ("/core/tensordict-names/ellipsis-finds-the-last", test_ellipsis_finds_the_last);
  g_test_add_func ("/core/tensordict-names/rename", test_rename);

  return g_test_run ();
}
