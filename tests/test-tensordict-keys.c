/* Listing, taking out, selecting, excluding, renaming, flattening. Expectations without a comment
 * are what tensordict 0.14.3 answers of the same tensordict. */
#include "small-tensordicts.h"

#include <string.h>

static void
assert_keys (const ReelTensordict *td, ReelKeysFlags flags, const char *expected)
{
  g_auto (GStrv) keys = reel_tensordict_list_keys (td, flags);
  g_autofree char *list = g_strjoinv (" ", keys);

  g_assert_cmpstr (list, ==, expected);
}

/* The example with names, on the CPU. */
static ReelTensordict *
new_named (void)
{
  const char *names[] = { "lane", "time" };
  ReelTensordict *td = new_example_tensordict ();

  reel_tensordict_set_names (td, names, NULL);
  reel_tensordict_set_device (td, "cpu", NULL);
  return td;
}

/* @result has the rest of what new_named() has. */
static void
assert_named (const ReelTensordict *result)
{
  assert_batch_size (result, 2, (gint64[]){ 3, 2 });
  g_assert_cmpstr (reel_tensordict_get_name (result, 1), ==, "time");
  g_assert_cmpstr (reel_tensordict_get_device (result), ==, "cpu");
  g_assert_false (reel_tensordict_is_locked (result));
}

static void
test_listing (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (ReelTensordict) odd = reel_tensordict_new (0, NULL);

  assert_keys (td, REEL_KEYS_DEFAULT, "a next");
  assert_keys (td, REEL_KEYS_NESTED, "a next/b next/deep/c next/deep next");
  assert_keys (td, REEL_KEYS_LEAVES, "a");
  assert_keys (td, REEL_KEYS_NESTED | REEL_KEYS_LEAVES, "a next/b next/deep/c");
  set_counting (odd, "%/a%2Fb", 0, NULL);
  assert_keys (odd, REEL_KEYS_NESTED, "%/a%2Fb %");
}

static void
test_empty (void)
{
  g_autoptr (ReelTensordict) td = new_named ();

  reel_tensordict_lock (td);
  g_autoptr (ReelTensordict) bare = reel_tensordict_empty (td, FALSE);
  g_autoptr (ReelTensordict) levels = reel_tensordict_empty (td, TRUE);
  assert_named (bare);
  assert_keys (bare, REEL_KEYS_NESTED, "");
  assert_keys (levels, REEL_KEYS_NESTED, "next/deep next");
  assert_named (reel_tensordict_get_tensordict (levels, "next/deep", NULL));
}

static void
test_pop (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  GError *error = NULL;
  g_autoptr (ReelTensor) b = reel_tensordict_pop_tensor (td, "next/b", NULL);
  g_autoptr (ReelTensordict) deep = reel_tensordict_pop_tensordict (td, "next/deep", NULL);

  g_assert_cmpint (b->ndim, ==, 3);
  assert_leaves (deep, "c");
  assert_keys (td, REEL_KEYS_NESTED, "a next");
  g_assert_null (reel_tensordict_pop_tensor (td, "next/b", &error));
  assert_message (&error, REEL_ERROR_KEY,
                  "You are trying to pop key `next/b` which is not in dict without providing "
                  "default value. Keys=['a', 'next'].");
  g_assert_null (reel_tensordict_pop_tensor (td, "next", &error));
  assert_message (&error, REEL_ERROR_TYPE, "\"next\" is a tensordict, not a tensor");
  g_assert_null (reel_tensordict_pop_tensordict (td, "a", &error));
  assert_message (&error, REEL_ERROR_TYPE, "\"a\" is a tensor, not a tensordict");
  g_assert_null (reel_tensordict_pop_non_tensor (td, "a", &error));
  assert_message (&error, REEL_ERROR_TYPE, "\"a\" is a tensor, not a non-tensor");
  reel_tensordict_lock (td);
  g_assert_null (reel_tensordict_pop_tensor (td, "a", &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  assert_keys (td, REEL_KEYS_DEFAULT, "a next");
}

static void
test_pop_of_a_value (void)
{
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);

  g_assert_true (reel_tensordict_set_value (td, "s", g_variant_new_string ("x"), NULL));
  g_autoptr (ReelNonTensor) s = reel_tensordict_pop_non_tensor (td, "s", NULL);
  g_assert_nonnull (s);
  g_assert_false (reel_tensordict_contains (td, "s"));
}

/* ---- select, exclude ---- */

typedef struct
{
  const char *paths[6];
  const char *kept;    /* with its levels */
  const char *message; /* of the strict call, where it fails */
} Choice;

static void
test_select (void)
{
  static const Choice choices[] = {
    { { "a" }, "a", NULL },
    { { "next/b" }, "next/b next", NULL },
    { { "next" }, "next/b next/deep/c next/deep next", NULL },
    { { "next/b", "a" }, "next/b next a", NULL },
    { { "next/b", "next/deep/c" }, "next/b next/deep/c next/deep next", NULL },
    { { NULL }, "", NULL },
    { { "next/x" }, "next", "key \"next/x\" not found in TensorDict with keys ['b', 'deep']" },
    { { "x" }, "", "key \"x\" not found in TensorDict with keys ['a', 'next']" },
    /* TensorDict has an attribute error here, */
    { { "a/x" }, "", "key \"a/x\" not found in TensorDict with keys ['a', 'next']" },
    /* and here forgets the rest of next. */
    { { "next/b", "next" }, "next/b next/deep/c next/deep next", NULL },
    { { "next", "next/b" }, "next/b next/deep/c next/deep next", NULL },
    { { "a", "a" }, "a", NULL },
  };
  g_autoptr (ReelTensordict) td = new_named ();

  reel_tensordict_lock (td);
  for (guint i = 0; i < G_N_ELEMENTS (choices); i++)
    {
      GError *error = NULL;
      g_autoptr (ReelTensordict) loose =
          reel_tensordict_select_keys (td, choices[i].paths, FALSE, NULL);
      g_autoptr (ReelTensordict) strict =
          reel_tensordict_select_keys (td, choices[i].paths, TRUE, &error);
      assert_named (loose);
      assert_keys (loose, REEL_KEYS_NESTED, choices[i].kept);
      g_assert_true ((strict == NULL) == (choices[i].message != NULL));
      if (strict)
        assert_keys (strict, REEL_KEYS_NESTED, choices[i].kept);
      else
        assert_message (&error, REEL_ERROR_KEY, choices[i].message);
    }
}

static void
test_exclude (void)
{
  static const Choice choices[] = {
    { { "a" }, "next/b next/deep/c next/deep next", NULL },
    { { "next/b" }, "a next/deep/c next/deep next", NULL },
    { { "next" }, "a", NULL },
    { { "next/x" }, "a next/b next/deep/c next/deep next", NULL },
    { { "x" }, "a next/b next/deep/c next/deep next", NULL },
    { { "next/b", "next/deep" }, "a next", NULL },
    { { "next/deep/c" }, "a next/b next/deep next", NULL },
    { { "next", "next/b" }, "a", NULL },
    { { "next/b", "next" }, "a", NULL },
    { { NULL }, "a next/b next/deep/c next/deep next", NULL },
    { { "a/x", "ne", "next/", "/a", "" }, "a next/b next/deep/c next/deep next", NULL },
  };
  g_autoptr (ReelTensordict) td = new_named ();

  reel_tensordict_lock (td);
  for (guint i = 0; i < G_N_ELEMENTS (choices); i++)
    {
      g_autoptr (ReelTensordict) rest = reel_tensordict_exclude_keys (td, choices[i].paths);
      assert_named (rest);
      assert_keys (rest, REEL_KEYS_NESTED, choices[i].kept);
    }
}

/* Leaves are the same, levels are not. */
static void
test_what_is_chosen_is_shared_and_apart (void)
{
  static const char *const all[] = { "next", NULL }, *const none[] = { NULL };
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  ReelTensordict *results[] = { reel_tensordict_select_keys (td, all, TRUE, NULL),
                                reel_tensordict_exclude_keys (td, none) };

  for (guint i = 0; i < G_N_ELEMENTS (results); i++)
    {
      g_assert_true (reel_tensordict_get_tensor (results[i], "next/deep/c", NULL)
                     == reel_tensordict_get_tensor (td, "next/deep/c", NULL));
      g_assert_true (reel_tensordict_remove (results[i], "next/deep/c", NULL));
      reel_tensordict_unref (results[i]);
    }
  assert_leaves (td, "a next/b next/deep/c");
}

/* Every selection of the four paths of a small tree, against what stands below each of them. */
static void
test_select_and_exclude_share_out_all_leaves (void)
{
  static const char *const paths[] = { "a", "next/b", "next/deep/c", "next/deep" };
  static const char *const leaves[] = { "a", "next/b", "next/deep/c" };
  g_autoptr (ReelTensordict) td = new_example_tensordict ();

  for (guint set = 0; set < 1u << G_N_ELEMENTS (paths); set++)
    {
      const char *chosen[G_N_ELEMENTS (paths) + 1] = { NULL };
      guint n = 0;
      for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
        if (set >> i & 1)
          chosen[n++] = paths[i];
      g_autoptr (ReelTensordict) in = reel_tensordict_select_keys (td, chosen, TRUE, NULL);
      g_autoptr (ReelTensordict) out = reel_tensordict_exclude_keys (td, chosen);
      for (guint i = 0; i < G_N_ELEMENTS (leaves); i++)
        {
          gboolean expected = set >> i & 1 || (i == 2 && set >> 3 & 1);
          g_assert_true (reel_tensordict_contains (in, leaves[i]) == expected);
          g_assert_true (reel_tensordict_contains (out, leaves[i]) == !expected);
        }
    }
}

/* ---- rename ---- */

static void
test_rename (void)
{
  static const struct
  {
    const char *old, *new;
    gboolean safe;
    const char *after; /* %NULL where it fails */
    const char *message;
  } calls[] = {
    { "a", "z", FALSE, "next/b next/deep/c next/deep next z", NULL },
    { "a", "a", FALSE, "a next/b next/deep/c next/deep next", NULL },
    { "a", "a", TRUE, "a next/b next/deep/c next/deep next", NULL },
    { "x", "x", FALSE, NULL, "key \"x\" not found in TensorDict with keys ['a', 'next']" },
    { "x", "y", FALSE, NULL, "key \"x\" not found in TensorDict with keys ['a', 'next']" },
    { "a", "next", TRUE, NULL, "key next already present in TensorDict." },
    { "a", "next", FALSE, "next", NULL },
    { "a", "next/b", TRUE, NULL, "key next/b already present in TensorDict." },
    { "a", "next/b", FALSE, "next/b next/deep/c next/deep next", NULL },
    { "a", "q/r", FALSE, "next/b next/deep/c next/deep next q/r q", NULL },
    { "next/b", "b", FALSE, "a next/deep/c next/deep next b", NULL },
    { "next/deep", "deep", FALSE, "a next/b next deep/c deep", NULL },
    { "next/x", "y", FALSE, NULL,
      "key \"next/x\" not found in TensorDict with keys ['b', 'deep']" },
    { "next/b", "next", FALSE, "a next", NULL },
    { "next/deep", "next", FALSE, "a next/c next", NULL },
    { "a", "a/q", FALSE, NULL, "\"a/q\" leads through the tensor \"a\", which holds no keys" },
    { "a/x", "y", FALSE, NULL, "key \"a/x\" not found in TensorDict with keys ['a', 'next']" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      g_autoptr (ReelTensordict) td = new_example_tensordict ();
      g_autoptr (GError) error = NULL;
      gboolean done =
          reel_tensordict_rename_key (td, calls[i].old, calls[i].new, calls[i].safe, &error);
      g_assert_true (done == (calls[i].after != NULL));
      if (!done)
        assert_message (&error, REEL_ERROR_KEY, calls[i].message);
      assert_keys (td, REEL_KEYS_NESTED,
                   done ? calls[i].after : "a next/b next/deep/c next/deep next");
    }
}

/* TensorDict loses all that is in next. */
static void
test_nothing_moves_into_itself (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  GError *error = NULL;

  g_assert_false (reel_tensordict_rename_key (td, "next", "next/q", FALSE, &error));
  assert_message (&error, REEL_ERROR_RUNTIME,
                  "cannot set \"next/q\": the tensordict would hold itself");
  assert_leaves (td, "a next/b next/deep/c");
}

static void
test_rename_heeds_locks_and_classes (void)
{
  static const char *const fields[] = { "a", "next", "z", NULL };
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  GError *error = NULL;

  reel_tensordict_set_class (td, "m.A", fields, NULL);
  g_assert_true (reel_tensordict_rename_key (td, "a", "z", TRUE, NULL));
  g_assert_false (reel_tensordict_rename_key (td, "z", "q", FALSE, &error));
  assert_message (&error, REEL_ERROR_KEY,
                  "Cannot set the attribute 'q', expected attributes are {'a', 'next', 'z'}.");
  reel_tensordict_lock (td);
  g_assert_false (reel_tensordict_rename_key (td, "z", "a", FALSE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  assert_leaves (td, "next/b next/deep/c z");
}

/* ---- flatten ---- */

/* A tensordict of batch size [] with these leaves, or empty tensordicts where a path ends in `/`.
 */
static ReelTensordict *
new_with_leaves (const char *paths)
{
  ReelTensordict *td = reel_tensordict_new (0, NULL);
  g_auto (GStrv) list = g_strsplit (paths, " ", -1);

  for (char **path = list; *path; path++)
    if (g_str_has_suffix (*path, "/"))
      {
        g_autoptr (ReelTensordict) empty = reel_tensordict_new (0, NULL);
        (*path)[strlen (*path) - 1] = '\0';
        g_assert_true (reel_tensordict_set_tensordict (td, *path, empty, NULL));
      }
    else
      set_counting (td, *path, 0, NULL);
  return td;
}

typedef struct
{
  const char *before, *separator, *after, *message;
} Flattening;

static void
test_flatten (void)
{
  static const Flattening calls[] = {
    { "a next/b next/deep/c", ".", "a next.b next.deep.c", NULL },
    { "a next/b next/deep/c", "/", "a next%2Fb next%2Fdeep%2Fc", NULL },
    { "a next/b next/deep/c", "", "a nextb nextdeepc", NULL },
    { "a/b e/", ".", "a.b", NULL },
    { "a/b e/f/", ".", "a.b", NULL },
    { "a.b a/b", ".", NULL, "Flattening keys in tensordict causes keys ['a/b'] to collide." },
    { "a/b a.b c/d c.d", ".", NULL,
      "Flattening keys in tensordict causes keys ['a.b', 'c.d'] to collide." },
  };

  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      g_autoptr (ReelTensordict) td = new_with_leaves (calls[i].before);
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelTensordict) flat =
          reel_tensordict_flatten_keys (td, calls[i].separator, &error);
      if (calls[i].after)
        assert_keys (flat, REEL_KEYS_NESTED, calls[i].after);
      else
        assert_message (&error, REEL_ERROR_KEY, calls[i].message);
    }
}

#define TAKEN "Unflattening key(s) in tensordict will override an existing for unflattened key "

static void
test_unflatten (void)
{
  static const Flattening calls[] = {
    { "a.b a.c.d x/y.z .. q.", ".", "x/y.z x a/b a/c/d a/c a %/%/% %/% % q/% q", NULL },
    { "a.b a/c", ".", "a/c a/b a", NULL },
    { "next%2Fb a%25", "/", "a%25 next/b next", NULL },
    { "a--b", "--", "a/b a", NULL },
    { "a.b/q a.b.c", ".", "a/b/q a/b/c a/b a", NULL },
    { "a.b a", ".", NULL, TAKEN "'a/b'." },
    { "a.b a/b", ".", NULL, TAKEN "'a/b'." },
    { "a.b a.b.c", ".", NULL, TAKEN "'a/b/c'." },
    { "a.b.c a.b", ".", NULL, TAKEN "'a/b'." },
  };

  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      g_autoptr (ReelTensordict) td = new_with_leaves (calls[i].before);
      g_autofree char *before = reel_tensordict_to_string (td);
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelTensordict) nested =
          reel_tensordict_unflatten_keys (td, calls[i].separator, &error);
      g_autofree char *after = reel_tensordict_to_string (td);
      if (calls[i].after)
        assert_keys (nested, REEL_KEYS_NESTED, calls[i].after);
      else
        assert_message (&error, REEL_ERROR_KEY, calls[i].message);
      g_assert_cmpstr (before, ==, after);
    }
}

static void
test_flat_and_back (void)
{
  static const char *const fields[] = { "a", "next", NULL };
  g_autoptr (ReelTensordict) td = new_named ();
  GError *error = NULL;

  reel_tensordict_set_class (td, "m.A", fields, NULL);
  reel_tensordict_lock (td);
  g_autoptr (ReelTensordict) flat = reel_tensordict_flatten_keys (td, ".", NULL);
  g_autoptr (ReelTensordict) back = reel_tensordict_unflatten_keys (flat, ".", NULL);
  assert_named (flat);
  assert_named (reel_tensordict_get_tensordict (back, "next/deep", NULL));
  g_assert_true (reel_tensordict_equal (td, back));
  g_assert_null (reel_tensordict_get_class_name (flat));
  g_assert_true (reel_tensordict_get_tensor (flat, "next.deep.c", NULL)
                 == reel_tensordict_get_tensor (td, "next/deep/c", NULL));
  g_assert_null (reel_tensordict_unflatten_keys (flat, "", &error));
  assert_message (&error, REEL_ERROR_VALUE, "empty separator");
}

/* TensorDict knows no lists. */
static void
test_items_of_a_list (void)
{
  g_autoptr (ReelTensordict) list = reel_tree_new (REEL_TENSORDICT_LIST);
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_INT64, 0, NULL, NULL);
  g_autoptr (GError) error = NULL;

  reel_tree_append_tensor (list, tensor, NULL);
  reel_tree_append_tensor (list, tensor, NULL);
  g_autoptr (ReelTensordict) flat = reel_tensordict_flatten_keys (list, ".", NULL);
  g_autoptr (ReelTensordict) back = reel_tensordict_unflatten_keys (list, ".", NULL);
  g_assert_cmpint (reel_tensordict_get_kind (flat), ==, REEL_TENSORDICT_DICT);
  g_assert_cmpint (reel_tensordict_get_kind (back), ==, REEL_TENSORDICT_DICT);
  assert_leaves (flat, "0 1");
  g_assert_false (reel_tensordict_rename_key (list, "0", "1", FALSE, &error));
  g_assert_nonnull (error);
  assert_leaves (list, "0 1");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/tensordict-keys/listing", test_listing);
  g_test_add_func ("/core/tensordict-keys/empty", test_empty);
  g_test_add_func ("/core/tensordict-keys/pop", test_pop);
  g_test_add_func ("/core/tensordict-keys/pop-of-a-value", test_pop_of_a_value);
  g_test_add_func ("/core/tensordict-keys/select", test_select);
  g_test_add_func ("/core/tensordict-keys/exclude", test_exclude);
  g_test_add_func ("/core/tensordict-keys/what-is-chosen-is-shared-and-apart",
                   test_what_is_chosen_is_shared_and_apart);
  g_test_add_func ("/core/tensordict-keys/select-and-exclude-share-out-all-leaves",
                   test_select_and_exclude_share_out_all_leaves);
  g_test_add_func ("/core/tensordict-keys/rename", test_rename);
  g_test_add_func ("/core/tensordict-keys/nothing-moves-into-itself",
                   test_nothing_moves_into_itself);
  g_test_add_func ("/core/tensordict-keys/rename-heeds-locks-and-classes",
                   test_rename_heeds_locks_and_classes);
  g_test_add_func ("/core/tensordict-keys/flatten", test_flatten);
  g_test_add_func ("/core/tensordict-keys/unflatten", test_unflatten);
  g_test_add_func ("/core/tensordict-keys/flat-and-back", test_flat_and_back);
  g_test_add_func ("/core/tensordict-keys/items-of-a-list", test_items_of_a_list);

  return g_test_run ();
}
