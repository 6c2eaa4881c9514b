/* A function applied to every leaf. */
#include "small-tensordicts.h"

#include <string.h>

static const gint64 shape[] = { 3, 2, 4 };

typedef struct
{
  GString *paths;   /* that it was called with */
  const char *omit; /* %NULL for none, else what a leaf's path begins with that is left out */
} Calls;

/* The sum of all inputs. */
static gboolean
add_up (const char *path, ReelTensor *const *tensors, gsize n, ReelTensor **result,
        gpointer user_data, GError **error)
{
  Calls *calls = user_data;

  g_string_append_printf (calls->paths, "%s%s", calls->paths->len > 0 ? " " : "", path);
  if (calls->omit && g_str_has_prefix (path, calls->omit))
    return TRUE;
  if (!(*result = reel_tensor_clone (tensors[0], error)))
    return FALSE;
  for (gsize i = 1; i < n; i++)
    for (gint64 j = 0; j < reel_tensor_numel (*result); j++)
      ((gint64 *) (*result)->data)[j] += ((const gint64 *) tensors[i]->data)[j];
  return TRUE;
}

static gboolean
first_row (const char *path, ReelTensor *const *tensors, gsize n, ReelTensor **result,
           gpointer user_data, GError **error)
{
  *result = reel_tensor_select (tensors[0], 0, 0, error);
  return *result != NULL;
}

static gboolean
fail (const char *path, ReelTensor *const *tensors, gsize n, ReelTensor **result,
      gpointer user_data, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "no %s", path);
  return FALSE;
}

/* The example with names and two levels without leaves. */
static ReelTensordict *
new_with_empty_levels (void)
{
  const char *names[] = { "lane", "time" };
  ReelTensordict *td = new_example_tensordict ();
  g_autoptr (ReelTensordict) outer = reel_tensordict_new (2, shape);
  g_autoptr (ReelTensordict) inner = reel_tensordict_new (2, shape);

  reel_tensordict_set_tensordict (td, "e", outer, NULL);
  reel_tensordict_set_tensordict (td, "next/e", inner, NULL);
  reel_tensordict_set_names (td, names, NULL);
  return td;
}

static void
test_several_inputs (void)
{
  g_autoptr (ReelTensordict) td = new_with_empty_levels ();
  g_autoptr (GString) paths = g_string_new (NULL);
  Calls calls = { .paths = paths };
  ReelTensordict *tds[] = { td, td, td };

  reel_tensordict_lock (td);
  g_autoptr (ReelTensordict) sum =
      reel_tensordict_apply (tds, 3, -1, NULL, FALSE, add_up, &calls, NULL);
  g_assert_cmpstr (paths->str, ==, "a next/b next/deep/c");
  g_assert_cmpint (((gint64 *) reel_tensordict_get_tensor (sum, "next/b", NULL)->data)[5], ==, 15);
  g_assert_cmpstr (reel_tensordict_get_name (sum, 1), ==, "time");
  g_assert_false (reel_tensordict_is_locked (sum));
}

static void
test_empty_levels_stay_or_go (void)
{
  static const struct
  {
    const char *omit;
    gboolean filter_empty;
    const char *keys;
  } calls[] = {
    { NULL, FALSE, "a next/b next/deep/c next/deep next/e next e" },
    { NULL, TRUE, "a next/b next/deep/c next/deep next" },
    { "next/deep", FALSE, "a next/b next/deep next/e next e" },
    { "next/deep", TRUE, "a next/b next" },
    { "", FALSE, "next/deep next/e next e" },
    { "", TRUE, "" },
  };
  g_autoptr (ReelTensordict) td = new_with_empty_levels ();

  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      g_autoptr (GString) paths = g_string_new (NULL);
      Calls omitting = { .paths = paths, .omit = calls[i].omit };
      g_autoptr (ReelTensordict) result =
          reel_tensordict_apply (&td, 1, -1, NULL, calls[i].filter_empty, add_up, &omitting, NULL);
      g_auto (GStrv) keys = reel_tensordict_list_keys (result, REEL_KEYS_NESTED);
      g_autofree char *list = g_strjoinv (" ", keys);
      g_assert_cmpstr (list, ==, calls[i].keys);
    }
}

static void
test_another_batch_size (void)
{
  g_autoptr (ReelTensordict) td = new_with_empty_levels ();
  GError *error = NULL;

  reel_tensordict_set_value (td, "s", g_variant_new_string ("x"), NULL);
  g_autoptr (ReelTensordict) row =
      reel_tensordict_apply (&td, 1, 1, shape + 1, FALSE, first_row, NULL, NULL);
  assert_batch_size (row, 1, shape + 1);
  assert_batch_size (reel_tensordict_get_tensordict (row, "next/e", NULL), 1, shape + 1);
  g_assert_null (reel_tensordict_get_name (row, 0));
  g_assert_true (reel_tensordict_contains (row, "s"));
  g_assert_null (reel_tensordict_apply (&td, 1, -1, NULL, FALSE, first_row, NULL, &error));
  assert_message (&error, REEL_ERROR_RUNTIME,
                  "batch dimension mismatch, got self.batch_size=torch.Size([3, 2]) and "
                  "value.shape=torch.Size([2]) for key \"a\"");
  g_assert_null (
      reel_tensordict_apply (&td, 1, 1, (gint64[]){ -1 }, FALSE, first_row, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
}

static void
test_inputs_that_lack_something (void)
{
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (ReelTensordict) other = new_example_tensordict ();
  g_autoptr (GString) paths = g_string_new (NULL);
  Calls calls = { .paths = paths };
  ReelTensordict *tds[] = { td, other };
  GError *error = NULL;

  set_counting (other, "more", 2, shape);
  g_autoptr (ReelTensordict) sum =
      reel_tensordict_apply (tds, 2, -1, NULL, FALSE, add_up, &calls, NULL);
  assert_leaves (sum, "a next/b next/deep/c");
  reel_tensordict_remove (other, "next/b", NULL);
  g_assert_null (reel_tensordict_apply (tds, 2, -1, NULL, FALSE, add_up, &calls, &error));
  assert_message (&error, REEL_ERROR_KEY,
                  "key \"next/b\" not found in TensorDict with keys ['deep']");
  set_counting (other, "next/b/x", 2, shape);
  g_assert_null (reel_tensordict_apply (tds, 2, -1, NULL, FALSE, add_up, &calls, &error));
  assert_message (&error, REEL_ERROR_TYPE,
                  "\"next/b\" is a tensor in the first tensordict and a tensordict in number 2");
  g_assert_null (reel_tensordict_apply (tds, 1, -1, NULL, FALSE, fail, NULL, &error));
  assert_message (&error, REEL_ERROR_VALUE, "no a");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/tensordict-apply/several-inputs", test_several_inputs);
  g_test_add_func ("/core/tensordict-apply/empty-levels-stay-or-go", test_empty_levels_stay_or_go);
  g_test_add_func ("/core/tensordict-apply/another-batch-size", test_another_batch_size);
  g_test_add_func ("/core/tensordict-apply/inputs-that-lack-something",
                   test_inputs_that_lack_something);

  return g_test_run ();
}
