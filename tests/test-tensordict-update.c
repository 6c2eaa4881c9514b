/* Entries set from another tensordict, and elements written in place. Expectations without a
 * comment are what tensordict 0.14.3 does. */
#include "small-tensordicts.h"

#include <string.h>

static const gint64 shape[] = { 3, 2, 4 };

/* The example with @by added to every element. */
static ReelTensordict *
new_raised (gint64 by)
{
  ReelTensordict *td = new_example_tensordict ();
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (td);

  for (char **leaf = leaves; *leaf; leaf++)
    {
      ReelTensor *tensor = reel_tensordict_get_tensor (td, *leaf, NULL);
      for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
        ((gint64 *) tensor->data)[i] += by;
    }
  return td;
}

static gint64
first_of (const ReelTensordict *td, const char *path)
{
  return *(gint64 *) reel_tensordict_get_tensor (td, path, NULL)->data;
}

static ReelTensor *
new_filled (ReelDtype dtype, gint ndim, const gint64 *extents, gint64 value)
{
  ReelTensor *tensor = reel_tensor_new (dtype, ndim, extents, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    reel_dtype_store_double (dtype, tensor->data + i * reel_dtype_size (dtype), value);
  return tensor;
}

/* ---- update ---- */

static void
test_update_goes_down (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (ReelTensordict) other = reel_tensordict_new (2, shape);
  ReelTensordict *next = reel_tensordict_get_tensordict (td, "next", NULL);

  set_counting (other, "next/b", 2, shape);
  set_counting (other, "next/z", 2, shape);
  set_counting (other, "n/m", 2, shape);
  g_assert_true (reel_tensordict_update (td, other, NULL, FALSE, NULL));
  assert_leaves (td, "a next/b next/deep/c next/z n/m");
  g_assert_true (reel_tensordict_get_tensordict (td, "next", NULL) == next);
  g_assert_true (reel_tensordict_get_tensor (td, "next/b", NULL)
                 == reel_tensordict_get_tensor (other, "next/b", NULL));
  /* A level that is new is a copy, so nothing set in one shows in the other. */
  g_assert_true (reel_tensordict_remove (other, "n/m", NULL));
  assert_leaves (td, "a next/b next/deep/c next/z n/m");
}

static void
test_update_with_shorter_batches (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (ReelTensordict) other = reel_tensordict_new (1, shape);

  set_counting (other, "next/b", 3, shape);
  set_counting (other, "new/b", 3, shape);
  g_assert_true (reel_tensordict_update (td, other, NULL, FALSE, NULL));
  assert_batch_size (reel_tensordict_get_tensordict (td, "new", NULL), 2, shape);
  assert_batch_size (reel_tensordict_get_tensordict (other, "new", NULL), 1, shape);
}

static void
test_update_changes_kinds (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (ReelTensordict) other = reel_tensordict_new (2, shape);

  set_counting (other, "a/b", 2, shape);
  set_counting (other, "next", 2, shape);
  g_assert_true (reel_tensordict_update (td, other, NULL, FALSE, NULL));
  assert_leaves (td, "a/b next");
}

static void
test_update_with_itself (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();

  reel_tensordict_lock (td);
  g_assert_true (reel_tensordict_update (td, td, NULL, FALSE, NULL));
}

/* Levels set crosswise would hold each other, were they not copies. */
static void
test_update_makes_no_cycle (void)
{
  const gint64 *none = NULL;
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, none);
  g_autoptr (ReelTensordict) other = reel_tensordict_new (0, none);

  set_counting (td, "p/x", 0, none);
  set_counting (td, "q/y", 0, none);
  reel_tensordict_set_tensordict (other, "p/k", reel_tensordict_get_tensordict (td, "q", NULL),
                                  NULL);
  reel_tensordict_set_tensordict (other, "q/k", reel_tensordict_get_tensordict (td, "p", NULL),
                                  NULL);
  g_assert_true (reel_tensordict_update (td, other, NULL, FALSE, NULL));
  assert_leaves (td, "p/x p/k/y q/y q/k/x");
}

static void
test_update_of_some_keys (void)
{
  static const struct
  {
    const char *keys[3];
    const char *taken;
  } calls[] = {
    { { "a" }, "a" },
    { { "next/b" }, "next/b" },
    { { "a", "next/deep" }, "a next/deep/c" },
    { { "absent", "next/absent" }, "" },
    /* TensorDict takes nothing of next here. */
    { { "next" }, "next/b next/deep/c" },
    { { NULL }, "" },
  };
  g_autoptr (ReelTensordict) other = new_raised (100);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (other);

  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    for (gint in_place = 0; in_place < 2; in_place++)
      {
        g_autoptr (ReelTensordict) td = new_example_tensordict ();
        g_auto (GStrv) taken = g_strsplit (calls[i].taken, " ", -1);
        g_assert_true (in_place ? reel_tensordict_update_in_place (td, other, calls[i].keys, NULL)
                                : reel_tensordict_update (td, other, calls[i].keys, FALSE, NULL));
        for (char **leaf = leaves; *leaf; leaf++)
          g_assert_true ((first_of (td, *leaf) == 100)
                         == g_strv_contains ((const char *const *) taken, *leaf));
        assert_leaves (td, "a next/b next/deep/c");
      }
}

static void
test_update_with_copies (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (ReelTensordict) other = new_raised (5);

  g_assert_true (reel_tensordict_set_value (other, "new/s", g_variant_new_string ("x"), NULL));
  set_counting (other, "new/t", 2, shape);
  g_assert_true (reel_tensordict_update (td, other, NULL, TRUE, NULL));
  g_assert_true (reel_tensordict_equal (td, other));
  g_assert_true (reel_tensordict_get_tensor (td, "a", NULL)
                 != reel_tensordict_get_tensor (other, "a", NULL));
  g_assert_true (reel_tensordict_get_tensor (td, "new/t", NULL)
                 != reel_tensordict_get_tensor (other, "new/t", NULL));
}

/* A fitting value before one that does not fit is not set either. */
static void
test_update_all_or_nothing (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (ReelTensordict) other = new_raised (1);
  g_autoptr (ReelTensordict) row = reel_tensordict_select_index (other, 0, 0, NULL);
  g_autofree char *before = reel_tensordict_to_string (td);
  GError *error = NULL;

  g_assert_false (reel_tensordict_update (td, row, NULL, FALSE, &error));
  assert_message (&error, REEL_ERROR_RUNTIME,
                  "cannot update tensordicts of different batch size, got torch.Size([3, 2]) and "
                  "torch.Size([2])");
  const gint64 wider[] = { 3, 4 };
  g_autoptr (ReelTensordict) wide = reel_tensordict_new (2, wider);
  g_assert_false (reel_tensordict_update (td, wide, NULL, FALSE, &error));
  assert_message (&error, REEL_ERROR_RUNTIME,
                  "cannot update tensordicts of different batch size, got torch.Size([3, 2]) and "
                  "torch.Size([3, 4])");
  reel_tensordict_set_batch_size (other, 1, shape, NULL);
  reel_tensordict_set_batch_size (reel_tensordict_get_tensordict (other, "next", NULL), 1, shape,
                                  NULL);
  set_counting (other, "next/short", 1, shape);
  g_assert_false (reel_tensordict_update (td, other, NULL, FALSE, &error));
  assert_message (&error, REEL_ERROR_RUNTIME,
                  "batch dimension mismatch, got self.batch_size=torch.Size([3, 2]) and "
                  "value.shape=torch.Size([3]) for key \"next/short\"");
  reel_tensordict_lock (td);
  g_assert_false (reel_tensordict_update (td, other, NULL, FALSE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_autofree char *after = reel_tensordict_to_string (td);
  g_assert_cmpstr (before, ==, after);
  g_assert_cmpint (first_of (td, "a"), ==, 0);
}

/* ---- in place ---- */

static void
test_update_in_place_writes_to_the_memory (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (ReelTensordict) other = new_raised (7);
  g_autoptr (ReelTensor) one = new_filled (REEL_DTYPE_INT64, 0, NULL, 9);
  g_autoptr (ReelTensordict) wide = reel_tensordict_new (0, NULL);
  ReelTensor *a = reel_tensordict_get_tensor (td, "a", NULL);

  reel_tensordict_lock (td);
  g_assert_true (reel_tensordict_update_in_place (td, other, NULL, NULL));
  g_assert_true (reel_tensordict_equal (td, other));
  g_assert_true (reel_tensordict_get_tensor (td, "a", NULL) == a);
  reel_tensordict_set_tensor (wide, "next/b", one, NULL);
  g_assert_true (reel_tensordict_update_in_place (td, wide, NULL, NULL));
  g_assert_cmpint (first_of (td, "next/b"), ==, 9);
  g_assert_true (reel_tensordict_update_in_place (td, td, NULL, NULL));
}

static void
assert_not_written (ReelTensordict *td, const char *path, ReelTensor *value, ReelError code,
                    const char *message)
{
  g_autoptr (ReelTensordict) other = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensordict) before = reel_tensordict_clone (td, TRUE, NULL);
  g_autoptr (ReelTensor) a = new_filled (REEL_DTYPE_INT64, 0, NULL, 50);
  GError *error = NULL;

  reel_tensordict_set_tensor (other, "a", a, NULL);
  reel_tensordict_set_tensor (other, path, value, NULL);
  g_assert_false (reel_tensordict_update_in_place (td, other, NULL, &error));
  assert_message (&error, code, message);
  g_assert_true (reel_tensordict_equal (td, before));
}

/* TensorDict writes what is there and forgets the rest, and converts types. */
static void
test_update_in_place_all_or_nothing (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (ReelTensor) value = new_filled (REEL_DTYPE_INT64, 0, NULL, 1);
  g_autoptr (ReelTensor) wide = new_filled (REEL_DTYPE_INT64, 1, (gint64[]){ 5 }, 1);
  g_autoptr (ReelTensor) real = new_filled (REEL_DTYPE_FLOAT32, 0, NULL, 1);

  assert_not_written (td, "x", value, REEL_ERROR_KEY,
                      "The key x was not found in the dest tensordict.");
  assert_not_written (td, "next/x", value, REEL_ERROR_KEY,
                      "The key next/x was not found in the dest tensordict.");
  assert_not_written (td, "next", value, REEL_ERROR_TYPE,
                      "\"next\" is a tensordict in the dest tensordict and a tensor in the other");
  assert_not_written (td, "next/b/x", value, REEL_ERROR_TYPE,
                      "\"next/b\" is a tensor in the dest tensordict and a tensordict in the "
                      "other");
  assert_not_written (td, "next/b", wide, REEL_ERROR_RUNTIME,
                      "Failed to update 'next/b' in tensordict: value.shape=torch.Size([5]) cannot "
                      "be broadcast to torch.Size([3, 2, 4])");
  assert_not_written (td, "next/b", real, REEL_ERROR_TYPE,
                      "cannot write float32 elements to the int64 tensor \"next/b\"");
}

static void
test_update_in_place_of_values (void)
{
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensordict) other = reel_tensordict_new (0, NULL);

  reel_tensordict_set_value (td, "s", g_variant_new_string ("x"), NULL);
  reel_tensordict_set_value (other, "s", g_variant_new_string ("x"), NULL);
  reel_tensordict_lock (td);
  g_assert_true (reel_tensordict_update_in_place (td, other, NULL, NULL));
  reel_tensordict_set_value (other, "s", g_variant_new_string ("y"), NULL);
  g_assert_false (reel_tensordict_update_in_place (td, other, NULL, NULL));
  reel_tensordict_unlock (td, NULL);
  g_assert_true (reel_tensordict_update_in_place (td, other, NULL, NULL));
  g_assert_true (reel_tensordict_equal (td, other));
}

/* Each call on its own, of a locked tensordict. */
static const struct
{
  const char *path;
  ReelDtype dtype;
  gint ndim;
  gint64 extents[3];
  ReelError code;
  const char *message; /* %NULL where it is written */
} set_calls[] = {
  { "a", REEL_DTYPE_INT64, 2, { 3, 2 }, 0, NULL },
  { "next/b", REEL_DTYPE_INT64, 3, { 3, 2, 4 }, 0, NULL },
  { "next/b", REEL_DTYPE_INT64, 3, { 3, 2, 1 }, 0, NULL },
  { "x",
    REEL_DTYPE_INT64,
    2,
    { 3, 2 },
    REEL_ERROR_KEY,
    "key \"x\" not found in TensorDict with keys ['a', 'next']" },
  { "next/x",
    REEL_DTYPE_INT64,
    2,
    { 3, 2 },
    REEL_ERROR_KEY,
    "key \"next/x\" not found in TensorDict with keys ['b', 'deep']" },
  { "next",
    REEL_DTYPE_INT64,
    2,
    { 3, 2 },
    REEL_ERROR_TYPE,
    "\"next\" is a tensordict, not a tensor" },
  { "a",
    REEL_DTYPE_INT64,
    1,
    { 3 },
    REEL_ERROR_RUNTIME,
    "batch dimension mismatch, got self.batch_size=torch.Size([3, 2]) and "
    "value.shape=torch.Size([3]) for key \"a\"" },
  { "a",
    REEL_DTYPE_INT64,
    2,
    { 1, 1 },
    REEL_ERROR_RUNTIME,
    "batch dimension mismatch, got self.batch_size=torch.Size([3, 2]) and "
    "value.shape=torch.Size([1, 1]) for key \"a\"" },
  { "a",
    REEL_DTYPE_INT64,
    3,
    { 3, 2, 2 },
    REEL_ERROR_VALUE,
    "Failed to update 'a' in tensordict: value.shape=torch.Size([3, 2, 2]) cannot be broadcast "
    "to torch.Size([3, 2])" },
  { "next/b",
    REEL_DTYPE_INT64,
    2,
    { 3, 2 },
    REEL_ERROR_VALUE,
    "Failed to update 'next/b' in tensordict: value.shape=torch.Size([3, 2]) cannot be "
    "broadcast to torch.Size([3, 2, 4])" },
  { "a",
    REEL_DTYPE_INT32,
    2,
    { 3, 2 },
    REEL_ERROR_TYPE,
    "cannot write int32 elements to the int64 tensor \"a\"" },
};

static void
test_set_in_place (void)
{
  g_autoptr (ReelTensordict) example = new_example_tensordict ();

  for (guint i = 0; i < G_N_ELEMENTS (set_calls); i++)
    {
      g_autoptr (ReelTensordict) td = reel_tensordict_clone (example, TRUE, NULL);
      g_autoptr (ReelTensor) value =
          new_filled (set_calls[i].dtype, set_calls[i].ndim, set_calls[i].extents, 70);
      g_autoptr (GError) error = NULL;
      reel_tensordict_lock (td);
      gboolean done = reel_tensordict_set_in_place (td, set_calls[i].path, value, &error);
      g_assert_true (done == !set_calls[i].message);
      if (done)
        g_assert_cmpint (first_of (td, set_calls[i].path), ==, 70);
      else
        {
          assert_message (&error, set_calls[i].code, set_calls[i].message);
          g_assert_true (reel_tensordict_equal (td, example));
        }
    }
}

static void
test_set_at_in_place (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (ReelTensor) row = new_filled (REEL_DTYPE_INT64, 1, (gint64[]){ 2 }, 70);
  g_autoptr (ReelTensor) real = new_filled (REEL_DTYPE_FLOAT32, 0, NULL, 1);
  g_auto (ReelIndex) one = REEL_INDEX_INIT;
  g_auto (ReelIndex) out = REEL_INDEX_INIT;
  GError *error = NULL;
  const gint64 expected[] = { 0, 1, 70, 70, 4, 5 };

  reel_index_add_int (&one, 1);
  reel_index_add_int (&out, 7);
  reel_tensordict_lock (td);
  g_assert_true (reel_tensordict_set_at_in_place (td, "a", &one, row, NULL));
  g_assert_cmpmem (reel_tensordict_get_tensor (td, "a", NULL)->data, sizeof expected, expected,
                   sizeof expected);
  g_assert_false (reel_tensordict_set_at_in_place (td, "a", &out, row, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
  g_clear_error (&error);
  g_assert_false (reel_tensordict_set_at_in_place (td, "x", &one, row, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_clear_error (&error);
  g_assert_false (reel_tensordict_set_at_in_place (td, "a", &one, real, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
  g_assert_false (reel_tensordict_set_at_in_place (td, "next/b", &one, row, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
}

/* Memory that was mapped or lent for reading is refused before anything is written. */
static void
test_read_only (void)
{
  GError *error = NULL;
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensordict) other = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensor) first = new_filled (REEL_DTYPE_INT64, 1, shape, 1);
  g_autoptr (ReelTensor) second = new_filled (REEL_DTYPE_INT64, 1, shape, 2);

  g_assert_true (reel_tensordict_set_tensor (td, "a", second, NULL));
  g_assert_true (reel_tensordict_set_tensor (td, "b", first, NULL));
  g_autoptr (ReelTensor) sevens = new_filled (REEL_DTYPE_INT64, 1, shape, 7);
  g_assert_true (reel_tensordict_set_tensor (other, "a", sevens, NULL));
  g_assert_true (reel_tensordict_set_tensor (other, "b", sevens, NULL));
  reel_memory_set_read_only (first->memory);
  g_assert_false (reel_tensordict_set_in_place (td, "b", sevens, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (error->message, ==,
                   "cannot write \"b\": the tensor may only be read: its memory was mapped or lent "
                   "for reading");
  g_clear_error (&error);
  g_assert_false (reel_tensordict_update_in_place (td, other, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_cmpint (first_of (td, "a"), ==, 2);
  g_assert_cmpint (first_of (td, "b"), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/tensordict-update/goes-down", test_update_goes_down);
  g_test_add_func ("/core/tensordict-update/with-shorter-batches",
                   test_update_with_shorter_batches);
  g_test_add_func ("/core/tensordict-update/changes-kinds", test_update_changes_kinds);
  g_test_add_func ("/core/tensordict-update/with-itself", test_update_with_itself);
  g_test_add_func ("/core/tensordict-update/makes-no-cycle", test_update_makes_no_cycle);
  g_test_add_func ("/core/tensordict-update/of-some-keys", test_update_of_some_keys);
  g_test_add_func ("/core/tensordict-update/with-copies", test_update_with_copies);
  g_test_add_func ("/core/tensordict-update/all-or-nothing", test_update_all_or_nothing);
  g_test_add_func ("/core/tensordict-update/in-place-writes-to-the-memory",
                   test_update_in_place_writes_to_the_memory);
  g_test_add_func ("/core/tensordict-update/in-place-all-or-nothing",
                   test_update_in_place_all_or_nothing);
  g_test_add_func ("/core/tensordict-update/in-place-of-values", test_update_in_place_of_values);
  g_test_add_func ("/core/tensordict-update/read-only", test_read_only);
  g_test_add_func ("/core/tensordict-update/set-in-place", test_set_in_place);
  g_test_add_func ("/core/tensordict-update/set-at-in-place", test_set_at_in_place);

  return g_test_run ();
}
