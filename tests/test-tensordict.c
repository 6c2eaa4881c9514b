/* Keys, batch sizes, names and locks, and views that share memory. */
#include "small-tensordicts.h"

#include <string.h>

static ReelTensor *
new_counting (gint ndim, const gint64 *shape)
{
  ReelTensor *tensor = reel_tensor_new (REEL_DTYPE_INT64, ndim, shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    ((gint64 *) tensor->data)[i] = i;
  return tensor;
}

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
  g_autoptr (ReelTensor) tensor = new_counting (0, NULL);
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
  g_autoptr (ReelTensor) tensor = new_counting (0, NULL);

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

/* Leaves of a view are allocated together, and each lives by itself; keys have usual lengths, and
 * others. */
static void
test_leaves_outlive_their_view (void)
{
  const gint64 shape[] = { 4 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape);
  g_autoptr (GPtrArray) kept = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);

  for (gint i = 0; i < 40; i++)
    {
      g_autofree char *key = g_strdup_printf ("%*d", i + 2, i);
      g_autoptr (ReelTensor) tensor = new_counting (1, shape);
      ((gint64 *) tensor->data)[3] = i;
      g_assert_true (reel_tensordict_set_tensor (td, key, tensor, NULL));
    }
  for (gint n = 0; n < 40; n++)
    {
      g_autoptr (ReelTensordict) view = reel_tensordict_slice (td, 0, 2, 4, 1, NULL);
      g_autoptr (ReelTensor) other = new_counting (1, (const gint64[]){ 2 });
      g_autofree char *key = g_strdup_printf ("%*d", n + 2, n);
      g_ptr_array_add (kept, reel_tensordict_ref_tensor (view, key, NULL));
      g_assert_true (reel_tensordict_remove (view, key, NULL));
      g_assert_false (reel_tensordict_contains (view, key));
      g_assert_true (reel_tensordict_set_tensor (view, key, other, NULL));
      g_assert_true (reel_tensordict_get_tensor (view, key, NULL) == other);
      g_assert_true (reel_tensordict_contains (td, key));
    }
  for (gint n = 0; n < 40; n++)
    g_assert_cmpint (((gint64 *) ((ReelTensor *) kept->pdata[n])->data)[1], ==, n);
}

/* Below and beyond the count where look-ups change from a scan to a table. */
static void
test_many_keys (void)
{
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensor) tensor = new_counting (0, NULL);
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
  g_autoptr (ReelTensor) flipped = new_counting (2, other);
  g_autoptr (ReelTensor) shorter = new_counting (1, batch_size);
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

/* ---- shapes ---- */

/* The element of @path at [@i, @j] of the example, which counts up in row-major order. */
static gint64
value_at (const ReelTensordict *td, const char *path, gint64 i, gint64 j)
{
  const gint64 index[] = { i, j, 0 };
  ReelTensor *tensor = reel_tensordict_get_tensor (td, path, NULL);

  return *(gint64 *) reel_tensor_element (tensor, index);
}

static void
test_views_share_memory (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (ReelTensordict) sliced = reel_tensordict_slice (td, -2, 1, G_MAXINT64, 1, NULL);
  g_autoptr (ReelTensordict) swapped = reel_tensordict_transpose (sliced, 0, 1, NULL);
  g_autoptr (ReelTensordict) row = reel_tensordict_select_index (swapped, -1, -1, NULL);
  const gint64 two[] = { 2, 2 };

  assert_batch_size (sliced, 2, two);
  assert_batch_size (row, 1, two);
  assert_batch_size (reel_tensordict_get_tensordict (row, "next/deep", NULL), 1, two);
  for (gint64 lane = 0; lane < 2; lane++)
    {
      g_assert_cmpint (value_at (row, "a", lane, 0), ==, value_at (td, "a", 2, lane));
      g_assert_cmpint (value_at (row, "next/b", lane, 0), ==, (2 * 2 + lane) * 4);
    }
  *(gint64 *) reel_tensordict_get_tensor (row, "next/deep/c", NULL)->data = 99;
  g_assert_cmpint (value_at (td, "next/deep/c", 2, 0), ==, 99);
}

static void
test_gather_rows (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  const gint64 rows[] = { 2, 0, -1, 1 }, bad[] = { 0, 3 }, shape[] = { 4, 2 };
  g_autoptr (ReelTensordict) batch = reel_tensordict_gather_rows (td, rows, 4, NULL);
  g_autoptr (ReelTensordict) bare = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) scalar = reel_tensordict_new (0, NULL);
  g_autoptr (GError) error = NULL;

  assert_batch_size (batch, 2, shape);
  for (gint64 i = 0; i < 4; i++)
    for (gint64 j = 0; j < 2; j++)
      g_assert_cmpint (value_at (batch, "next/b", i, j), ==,
                       value_at (td, "next/b", (rows[i] + 3) % 3, j));
  g_assert_null (reel_tensordict_gather_rows (td, bad, 2, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
  g_assert_null (reel_tensordict_gather_rows (bare, (gint64[]){ 4 }, 1, NULL));
  g_assert_null (reel_tensordict_gather_rows (scalar, rows, 0, NULL));
}

static void
test_bad_dimensions (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (GError) error = NULL;

  /* Three dimensions has a leaf, but two has the batch size. */
  g_assert_null (reel_tensordict_select_index (td, 2, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
  g_assert_null (reel_tensordict_select_index (td, 0, 3, NULL));
  g_assert_null (reel_tensordict_slice (td, 2, 0, 1, 1, NULL));
  g_assert_null (reel_tensordict_slice (td, 0, 0, 1, 0, NULL));
  g_assert_null (reel_tensordict_transpose (td, 0, 2, NULL));
}

static void
test_clone_is_apart (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (ReelTensordict) deep = reel_tensordict_clone (td, TRUE, NULL);
  g_autoptr (ReelTensordict) shared = reel_tensordict_clone (td, FALSE, NULL);

  g_assert_true (reel_tensordict_equal (td, deep));
  *(gint64 *) reel_tensordict_get_tensor (td, "a", NULL)->data = 77;
  g_assert_cmpint (value_at (deep, "a", 0, 0), ==, 0);
  g_assert_cmpint (value_at (shared, "a", 0, 0), ==, 77);
  g_assert_false (reel_tensordict_equal (td, deep));
  g_assert_true (reel_tensordict_equal (td, shared));
}

static void
test_equal_ignores_order (void)
{
  const gint64 shape[] = { 2, 2 };
  g_autoptr (ReelTensordict) a = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) b = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) c = reel_tensordict_new (2, shape);

  g_assert_true (reel_tensordict_equal (a, b));
  g_assert_false (reel_tensordict_equal (a, c));
  set_counting (a, "x", 1, shape);
  set_counting (a, "y/z", 1, shape);
  set_counting (b, "y/z", 1, shape);
  g_assert_false (reel_tensordict_equal (a, b));
  set_counting (b, "x", 1, shape);
  g_assert_true (reel_tensordict_equal (a, b));
  set_counting (b, "x", 2, shape);
  g_assert_false (reel_tensordict_equal (a, b));
  reel_tensordict_remove (b, "x", NULL);
  set_counting (b, "x/y", 1, shape);
  g_assert_false (reel_tensordict_equal (a, b));
  reel_tensordict_remove (b, "x", NULL);
  set_counting (b, "w", 1, shape);
  g_assert_false (reel_tensordict_equal (a, b));
}

static void
test_stack_at_every_dimension (void)
{
  g_autoptr (ReelTensordict) a = new_example_tensordict ();
  g_autoptr (ReelTensordict) b = new_example_tensordict ();
  ReelTensordict *pair[] = { a, b };

  for (gint64 i = 0; i < 6; i++)
    ((gint64 *) reel_tensordict_get_tensor (b, "next/deep/c", NULL)->data)[i] += 100;
  for (gint dim = -3; dim < 3; dim++)
    {
      g_autoptr (ReelTensordict) stacked = reel_tensordict_stack (pair, 2, dim, NULL);
      for (gint64 i = 0; i < 2; i++)
        {
          g_autoptr (ReelTensordict) part = reel_tensordict_select_index (stacked, dim, i, NULL);
          g_assert_true (reel_tensordict_equal (part, pair[i]));
        }
    }
  g_assert_null (reel_tensordict_stack (pair, 2, 3, NULL));
}

static void
assert_cannot_stack (ReelTensordict *a, ReelTensordict *b, const char *beginning)
{
  ReelTensordict *pair[] = { a, b };
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_tensordict_stack (pair, 2, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_true (g_str_has_prefix (error->message, beginning));
}

static void
test_stack_refuses_what_does_not_fit (void)
{
  const char *exclusive = "The sets of keys in the tensordicts to stack are exclusive";
  const gint64 shape[] = { 3, 2, 5 };
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (ReelTensordict) other = reel_tensordict_clone (td, FALSE, NULL);
  g_autoptr (ReelTensordict) part = reel_tensordict_slice (td, 0, 0, 2, 1, NULL);

  assert_cannot_stack (
      td, part,
      "stacking tensordicts requires them to have congruent batch sizes, got "
      "td[1].batch_size=torch.Size([2, 2]) and td[0].batch_size=torch.Size([3, 2])");
  set_counting (other, "more", 2, shape);
  assert_cannot_stack (td, other, exclusive);
  assert_cannot_stack (other, td, exclusive);
  reel_tensordict_remove (other, "more", NULL);
  reel_tensordict_remove (other, "next/deep", NULL);
  set_counting (other, "next/deep", 2, shape);
  assert_cannot_stack (td, other, exclusive);
  reel_tensordict_remove (other, "next", NULL);
  g_assert_true (reel_tensordict_set_tensordict (
      other, "next", reel_tensordict_get_tensordict (td, "next", NULL), NULL));
  set_counting (other, "a", 3, shape);
  assert_cannot_stack (td, other, "The shapes of the tensors to stack is incompatible");
}

static void
test_stack_keeps_a_common_device (void)
{
  g_autoptr (ReelTensordict) a = new_example_tensordict ();
  g_autoptr (ReelTensordict) b = new_example_tensordict ();
  ReelTensordict *pair[] = { a, b };

  reel_tensordict_set_device (a, "cpu", NULL);
  g_autoptr (ReelTensordict) mixed = reel_tensordict_stack (pair, 2, 0, NULL);
  reel_tensordict_set_device (b, "cpu", NULL);
  g_autoptr (ReelTensordict) common = reel_tensordict_stack (pair, 2, 0, NULL);

  g_assert_null (reel_tensordict_get_device (mixed));
  g_assert_cmpstr (reel_tensordict_get_device (common), ==, "cpu");
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
  g_test_add_func ("/core/tensordict/views-share-memory", test_views_share_memory);
  g_test_add_func ("/core/tensordict/gather-rows", test_gather_rows);
  g_test_add_func ("/core/tensordict/bad-dimensions", test_bad_dimensions);
  g_test_add_func ("/core/tensordict/leaves-outlive-their-view", test_leaves_outlive_their_view);
  g_test_add_func ("/core/tensordict/clone-is-apart", test_clone_is_apart);
  g_test_add_func ("/core/tensordict/equal-ignores-order", test_equal_ignores_order);
  g_test_add_func ("/core/tensordict/stack-at-every-dimension", test_stack_at_every_dimension);
  g_test_add_func ("/core/tensordict/stack-refuses-what-does-not-fit",
                   test_stack_refuses_what_does_not_fit);
  g_test_add_func ("/core/tensordict/stack-keeps-a-common-device",
                   test_stack_keeps_a_common_device);

  return g_test_run ();
}
