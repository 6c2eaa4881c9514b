/* Keys, batch sizes, names and locks. */
#include "filled-tensors.h"
#include "small-tensordicts.h"

#include <string.h>

/* ---- keys ---- */

static void
test_paths_make_levels (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (td);
  g_autofree char *list = g_strjoinv (" ", leaves);
  const gint64 batch_size[] = { 3, 2 };

  g_assert_cmpstr (list, ==, "a next/b next/deep/c");
  assert_batch_size (td, 2, batch_size);
  assert_batch_size (reel_tensordict_get_tensordict (td, "next/deep", NULL), 2, batch_size);
  g_assert_cmpint (reel_tensordict_numel (td), ==, 6);
  g_assert_cmpint (reel_tensordict_get_tensor (td, "next/b", NULL)->shape[2], ==, 4);
  g_assert_true (reel_tensordict_contains (td, "next"));
  g_assert_true (reel_tensordict_contains (td, "next/deep/c"));
  g_assert_false (reel_tensordict_contains (td, "next/c"));
  g_assert_false (reel_tensordict_contains (td, "a/b"));
  g_assert_false (reel_tensordict_contains (td, ""));
}

static void
test_missing_keys_are_named (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  GError *error = NULL;

  g_assert_null (reel_tensordict_get_tensor (td, "next/x", &error));
  assert_message (&error, REEL_ERROR_KEY,
                  "key \"next/x\" not found in TensorDict with keys ['b', 'deep']");
  g_assert_null (reel_tensordict_get_tensordict (td, "x", &error));
  assert_message (&error, REEL_ERROR_KEY,
                  "key \"x\" not found in TensorDict with keys ['a', 'next']");
  g_assert_false (reel_tensordict_remove (td, "x", &error));
  assert_message (&error, REEL_ERROR_KEY,
                  "key \"x\" not found in TensorDict with keys ['a', 'next']");
  g_assert_null (reel_tensordict_get_tensor (td, "next", &error));
  assert_message (&error, REEL_ERROR_TYPE, "\"next\" is a tensordict, not a tensor");
  g_assert_null (reel_tensordict_get_tensordict (td, "a", &error));
  assert_message (&error, REEL_ERROR_TYPE, "\"a\" is a tensor, not a tensordict");
}

static void
test_any_key_has_a_path (void)
{
  static const struct
  {
    const char *key, *path;
  } keys[] = {
    { "plain", "plain" },
    { "a/b", "a%2Fb" },
    { "50%", "50%25" },
    { "", "%" },
    { "%", "%25" },
    { "%2F", "%252F" },
    { "with . and é", "with . and é" },
    { "/", "%2F" },
    { "..", ".." },
  };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensor) tensor = new_filled (0, NULL, 0);
  ReelTensordictIter iter;
  const char *key;

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_autofree char *path = reel_path_escape (keys[i].key);
      g_autofree char *nested = g_strconcat (path, "!/", path, NULL);
      g_assert_cmpstr (path, ==, keys[i].path);
      g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
      g_assert_true (reel_tensordict_get_tensor (td, path, NULL) == tensor);
      if (keys[i].key[0] != '\0')
        {
          g_assert_true (reel_tensordict_set_tensor (td, nested, tensor, NULL));
          g_assert_true (reel_tensordict_get_tensor (td, nested, NULL) == tensor);
          g_assert_true (reel_tensordict_remove (td, nested, NULL));
          *strrchr (nested, '/') = '\0';
          g_assert_true (reel_tensordict_remove (td, nested, NULL));
        }
    }
  reel_tensordict_iter_init (&iter, td);
  for (guint i = 0; reel_tensordict_iter_next (&iter, &key, NULL, NULL); i++)
    g_assert_cmpstr (key, ==, keys[i].key);
}

static void
test_bad_paths (void)
{
  static const char *const paths[] = { "",   "/",  "a/", "/a",  "a//b", "%2f",
                                       "a%", "%%", "%2", "%41", "a/%x" };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensor) tensor = new_filled (0, NULL, 0);

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_false (reel_tensordict_set_tensor (td, paths[i], tensor, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
      g_assert_false (reel_tensordict_contains (td, paths[i]));
      g_assert_false (reel_tensordict_contains (td, "a"));
    }
}

static void
test_path_through_a_tensor (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  ReelTensor *tensor = reel_tensordict_get_tensor (td, "a", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_tensordict_set_tensor (td, "a/x", tensor, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
}

static void
test_replacing_keeps_the_place (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  const gint64 shape[] = { 3, 2, 7 };

  set_counting (td, "a", 3, shape);
  set_counting (td, "z", 2, shape);
  g_assert_true (reel_tensordict_remove (td, "next/deep", NULL));
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (td);
  g_autofree char *list = g_strjoinv (" ", leaves);
  g_assert_cmpstr (list, ==, "a next/b z");
  g_assert_cmpint (reel_tensordict_get_tensor (td, "a", NULL)->ndim, ==, 3);
}

/* Below and beyond the count where look-ups change from a scan to a table. */
static void
test_many_keys (void)
{
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensor) tensor = new_filled (0, NULL, 0);
  ReelTensordictIter iter;
  const char *key;
  guint next = 0;

  for (guint n = 0; n < 300; n++)
    {
      g_autofree char *name = g_strdup_printf ("key-%u", n);
      g_autofree char *missing = g_strdup_printf ("key-%u", n + 1);
      g_assert_true (reel_tensordict_set_tensor (td, name, tensor, NULL));
      g_assert_true (reel_tensordict_contains (td, "key-0"));
      g_assert_true (reel_tensordict_contains (td, name));
      g_assert_false (reel_tensordict_contains (td, missing));
    }
  for (guint n = 0; n < 300; n += 2)
    {
      g_autofree char *name = g_strdup_printf ("key-%u", n);
      g_assert_true (reel_tensordict_remove (td, name, NULL));
      g_assert_false (reel_tensordict_contains (td, name));
    }
  reel_tensordict_iter_init (&iter, td);
  for (next = 1; reel_tensordict_iter_next (&iter, &key, NULL, NULL); next += 2)
    {
      g_autofree char *name = g_strdup_printf ("key-%u", next);
      g_assert_cmpstr (key, ==, name);
    }
  g_assert_cmpuint (next, ==, 301);
}

/* ---- batch size, device, names, lock ---- */

static void
test_values_begin_with_the_batch_size (void)
{
  const gint64 batch_size[] = { 3, 2 }, other[] = { 2, 3 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (2, batch_size);
  g_autoptr (ReelTensor) flipped = new_filled (2, other, 0);
  g_autoptr (ReelTensor) shorter = new_filled (1, batch_size, 0);
  GError *error = NULL;

  g_assert_false (reel_tensordict_set_tensor (td, "x/y", flipped, &error));
  assert_message (&error, REEL_ERROR_RUNTIME,
                  "batch dimension mismatch, got self.batch_size=torch.Size([3, 2]) and "
                  "value.shape=torch.Size([2, 3]) for key \"x/y\"");
  g_assert_false (reel_tensordict_contains (td, "x"));
  g_assert_false (reel_tensordict_set_tensor (td, "x", shorter, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
}

static void
test_nested_may_be_longer (void)
{
  const gint64 batch_size[] = { 3, 2 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, batch_size);
  g_autoptr (ReelTensordict) child = reel_tensordict_new (2, batch_size);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_tensordict_set_tensordict (td, "x/y", child, &error));
  g_assert_true (reel_tensordict_get_tensordict (td, "x/y", NULL) == child);
}

static void
test_nested_that_fit_are_kept (void)
{
  const gint64 shape[] = { 3, 2 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) child = reel_tensordict_new (2, shape);

  g_assert_true (reel_tensordict_set_tensordict (td, "x", child, NULL));
  set_counting (child, "late", 2, shape);
  assert_leaves (td, "x/late");
  reel_tensordict_lock (child);
  g_assert_true (reel_tensordict_set_tensordict (td, "y", child, NULL));
  g_assert_true (reel_tensordict_is_locked (reel_tensordict_get_tensordict (td, "y", NULL)));
}

static void
test_nested_that_do_not_fit_are_adapted_copies (void)
{
  const gint64 shape[] = { 3, 2, 4 };
  const char *names[] = { "lane", NULL, "x" }, *other[] = { "q" };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (2, shape);
  g_autoptr (ReelTensordict) child = reel_tensordict_new (1, shape);
  g_autoptr (GError) error = NULL;

  set_counting (child, "deep/q", 3, shape);
  reel_tensordict_set_names (td, names, NULL);
  reel_tensordict_set_device (td, "cpu", NULL);
  g_assert_true (reel_tensordict_set_tensordict (td, "x", child, NULL));
  ReelTensordict *held = reel_tensordict_get_tensordict (td, "x", NULL);
  ReelTensordict *deep = reel_tensordict_get_tensordict (held, "deep", NULL);
  assert_batch_size (held, 2, shape);
  assert_batch_size (deep, 2, shape);
  g_assert_cmpstr (reel_tensordict_get_name (deep, 0), ==, "lane");
  g_assert_cmpstr (reel_tensordict_get_device (deep), ==, "cpu");
  g_assert_true (reel_tensordict_get_tensor (deep, "q", NULL)
                 == reel_tensordict_get_tensor (child, "deep/q", NULL));
  assert_batch_size (child, 1, shape);
  assert_batch_size (reel_tensordict_get_tensordict (child, "deep", NULL), 1, shape);
  g_assert_null (reel_tensordict_get_device (child));
  g_assert_null (reel_tensordict_get_name (child, 0));

  reel_tensordict_set_names (child, other, NULL);
  g_assert_false (reel_tensordict_set_tensordict (td, "y", child, &error));
  assert_message (&error, REEL_ERROR_RUNTIME,
                  "refine_names: cannot coerce TensorDict names ['q', None] with ['lane', None].");
  g_assert_false (reel_tensordict_contains (td, "y"));
}

static void
test_nested_whose_leaves_do_not_fit (void)
{
  const gint64 shape[] = { 3, 2 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (2, shape);
  g_autoptr (ReelTensordict) child = reel_tensordict_new (1, shape);
  g_autoptr (GError) error = NULL;

  set_counting (child, "q", 1, shape);
  g_assert_false (reel_tensordict_set_tensordict (td, "x/y", child, &error));
  assert_message (&error, REEL_ERROR_RUNTIME,
                  "the Tensor q has shape torch.Size([3]) which is incompatible with the "
                  "batch-size torch.Size([3, 2]).");
  g_assert_false (reel_tensordict_contains (td, "x"));
}

static void
test_names_of_a_nested_name_the_parent (void)
{
  const gint64 shape[] = { 3, 2 };
  const char *names[] = { "lane", "time" };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) child = reel_tensordict_new (2, shape);

  reel_tensordict_set_names (child, names, NULL);
  g_assert_true (reel_tensordict_set_tensordict (td, "x", child, NULL));
  g_assert_cmpstr (reel_tensordict_get_name (td, 0), ==, "lane");
  g_assert_true (reel_tensordict_get_tensordict (td, "x", NULL) == child);
}

static void
test_no_cycles (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  ReelTensordict *deep = reel_tensordict_get_tensordict (td, "next/deep", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_tensordict_set_tensordict (td, "self", td, NULL));
  g_assert_false (reel_tensordict_set_tensordict (deep, "up/up", td, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_false (reel_tensordict_contains (deep, "up"));
}

static void
test_device_reaches_every_level (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (GError) error = NULL;
  const gint64 shape[] = { 3, 2 };

  g_assert_null (reel_tensordict_get_device (td));
  g_assert_true (reel_tensordict_set_device (td, "cpu", NULL));
  g_assert_cmpstr (
      reel_tensordict_get_device (reel_tensordict_get_tensordict (td, "next/deep", NULL)), ==,
      "cpu");
  set_counting (td, "more/d", 2, shape);
  g_assert_cmpstr (reel_tensordict_get_device (reel_tensordict_get_tensordict (td, "more", NULL)),
                   ==, "cpu");
  g_assert_false (reel_tensordict_set_device (td, "cuda", &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_true (reel_tensordict_set_device (td, NULL, NULL));
  g_assert_null (reel_tensordict_get_device (reel_tensordict_get_tensordict (td, "more", NULL)));
}

static void
assert_names (const ReelTensordict *td, const char *first, const char *second)
{
  g_assert_cmpstr (reel_tensordict_get_name (td, 0), ==, first);
  g_assert_cmpstr (reel_tensordict_get_name (td, 1), ==, second);
}

static void
test_names_reach_every_level (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  const char *names[] = { NULL, "time" }, *twice[] = { "time", "time" };
  g_autoptr (GError) error = NULL;
  const gint64 shape[] = { 3, 2 };

  g_assert_true (reel_tensordict_set_names (td, names, NULL));
  set_counting (td, "more/d", 2, shape);
  assert_names (td, NULL, "time");
  assert_names (reel_tensordict_get_tensordict (td, "next/deep", NULL), NULL, "time");
  assert_names (reel_tensordict_get_tensordict (td, "more", NULL), NULL, "time");
  g_assert_false (reel_tensordict_set_names (td, twice, &error));
  assert_message (&error, REEL_ERROR_VALUE,
                  "Some dimension names are non-unique: ['time', 'time'].");
  assert_names (td, NULL, "time");
  g_assert_true (reel_tensordict_set_names (td, NULL, NULL));
  assert_names (reel_tensordict_get_tensordict (td, "more", NULL), NULL, NULL);
}

static void
test_names_follow_the_dimensions (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  const char *names[] = { "lane", "time" };
  const gint64 rows[] = { 2, 0 };
  ReelTensordict *pair[] = { td, td };

  reel_tensordict_set_names (td, names, NULL);
  g_autoptr (ReelTensordict) selected = reel_tensordict_select_index (td, 0, 1, NULL);
  g_autoptr (ReelTensordict) sliced = reel_tensordict_slice (td, 1, 0, 1, 1, NULL);
  g_autoptr (ReelTensordict) swapped = reel_tensordict_transpose (td, 0, 1, NULL);
  g_autoptr (ReelTensordict) gathered = reel_tensordict_gather_rows (td, rows, 2, NULL);
  g_autoptr (ReelTensordict) cloned = reel_tensordict_clone (td, TRUE, NULL);
  g_autoptr (ReelTensordict) stacked = reel_tensordict_stack (pair, 2, 1, NULL);
  g_autoptr (ReelTensordict) nameless = reel_tensordict_clone (td, FALSE, NULL);
  reel_tensordict_set_names (nameless, NULL, NULL);
  pair[1] = nameless;
  g_autoptr (ReelTensordict) mixed = reel_tensordict_stack (pair, 2, 0, NULL);

  g_assert_cmpstr (reel_tensordict_get_name (selected, 0), ==, "time");
  assert_names (sliced, "lane", "time");
  assert_names (swapped, "time", "lane");
  assert_names (reel_tensordict_get_tensordict (swapped, "next/deep", NULL), "time", "lane");
  assert_names (gathered, "lane", "time");
  assert_names (cloned, "lane", "time");
  assert_names (stacked, "lane", NULL);
  g_assert_cmpstr (reel_tensordict_get_name (stacked, 2), ==, "time");
  assert_names (mixed, NULL, NULL);
  assert_names (td, "lane", "time");
}

static void
test_locked (void)
{
  const char *message = "Cannot modify locked TensorDict. For in-place modification, consider "
                        "using the `set_()` method and make sure the key is present.";
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  ReelTensor *a = reel_tensordict_get_tensor (td, "a", NULL);
  GError *error = NULL;

  g_assert_false (reel_tensordict_is_locked (td));
  reel_tensordict_lock (td);
  g_assert_true (reel_tensordict_is_locked (td));
  g_assert_false (reel_tensordict_set_tensor (td, "next/deep/c", a, &error));
  assert_message (&error, REEL_ERROR_RUNTIME, message);
  g_assert_false (reel_tensordict_remove (td, "next/b", &error));
  assert_message (&error, REEL_ERROR_RUNTIME, message);
  g_autoptr (ReelTensordict) copy = reel_tensordict_clone (td, FALSE, NULL);
  g_assert_false (reel_tensordict_is_locked (copy));
  g_assert_true (reel_tensordict_remove (copy, "next/b", NULL));
  g_assert_true (reel_tensordict_contains (td, "next/b"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/tensordict/paths-make-levels", test_paths_make_levels);
  g_test_add_func ("/core/tensordict/missing-keys-are-named", test_missing_keys_are_named);
  g_test_add_func ("/core/tensordict/any-key-has-a-path", test_any_key_has_a_path);
  g_test_add_func ("/core/tensordict/bad-paths", test_bad_paths);
  g_test_add_func ("/core/tensordict/path-through-a-tensor", test_path_through_a_tensor);
  g_test_add_func ("/core/tensordict/replacing-keeps-the-place", test_replacing_keeps_the_place);
  g_test_add_func ("/core/tensordict/many-keys", test_many_keys);
  g_test_add_func ("/core/tensordict/values-begin-with-the-batch-size",
                   test_values_begin_with_the_batch_size);
  g_test_add_func ("/core/tensordict/nested-may-be-longer", test_nested_may_be_longer);
  g_test_add_func ("/core/tensordict/nested-that-fit-are-kept", test_nested_that_fit_are_kept);
  g_test_add_func ("/core/tensordict/nested-that-do-not-fit-are-adapted-copies",
                   test_nested_that_do_not_fit_are_adapted_copies);
  g_test_add_func ("/core/tensordict/nested-whose-leaves-do-not-fit",
                   test_nested_whose_leaves_do_not_fit);
  g_test_add_func ("/core/tensordict/names-of-a-nested-name-the-parent",
                   test_names_of_a_nested_name_the_parent);
  g_test_add_func ("/core/tensordict/no-cycles", test_no_cycles);
  g_test_add_func ("/core/tensordict/device-reaches-every-level", test_device_reaches_every_level);
  g_test_add_func ("/core/tensordict/names-reach-every-level", test_names_reach_every_level);
  g_test_add_func ("/core/tensordict/names-follow-the-dimensions",
                   test_names_follow_the_dimensions);
  g_test_add_func ("/core/tensordict/locked", test_locked);

  return g_test_run ();
}
