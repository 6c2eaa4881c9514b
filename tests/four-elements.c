#include "four-elements.h"

ReelTensordict *
new_element (gint64 n)
{
  const gint64 shape[] = { 2, 3, n };
  const char *names[] = { "p", "q" };
  ReelTensordict *td = reel_tensordict_new (2, shape);

  set_filled (td, "sub/b", 2, shape, 1000 * n);
  set_filled (td, "a", 2, shape, 100 * n);
  set_filled (td, "ragged", 3, shape, 0);
  if (n % 2 == 1)
    set_filled (td, "odd", 2, shape, 0);
  reel_tensordict_set_value (td, "word",
                             g_variant_new_take_string (g_strdup_printf ("%d", (int) n)), NULL);
  reel_tensordict_set_names (td, names, NULL);
  return td;
}

static void
setup (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  for (gint i = 0; i < N; i++)
    fixture->elements[i] = new_element (i + 1);
  fixture->stack = reel_lazy_stack_new (fixture->elements, N, GPOINTER_TO_INT (data), &error);
  g_assert_no_error (error);
}

static void
teardown (Fixture *fixture, gconstpointer data)
{
  for (gint i = 0; i < N; i++)
    reel_tensordict_unref (fixture->elements[i]);
  reel_tensordict_unref (fixture->stack);
}

void
add_for_each_dim (const char *path, void (*test) (Fixture *, gconstpointer))
{
  for (gint dim = 0; dim < 3; dim++)
    {
      g_autofree char *full = g_strdup_printf ("/core/lazy-stack/%s/%d", path, dim);
      g_test_add (full, Fixture, GINT_TO_POINTER (dim), setup, test, teardown);
    }
}

void
assert_size (const ReelTensordict *td, const char *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gint ndim;
  const gint64 *shape = reel_tensordict_get_batch_size (td, &ndim);

  for (gint i = 0; i < ndim; i++)
    g_string_append_printf (text, "%s%d", i == 0 ? "" : " ", (int) shape[i]);
  g_assert_cmpstr (text->str, ==, expected);
}

void
assert_names (const ReelTensordict *td, const char *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gint ndim;

  reel_tensordict_get_batch_size (td, &ndim);
  for (gint i = 0; i < ndim; i++)
    {
      const char *name = reel_tensordict_get_name (td, i);
      g_string_append_printf (text, "%s%s", i == 0 ? "" : " ", name ? name : "-");
    }
  g_assert_cmpstr (text->str, ==, expected);
}

void
assert_error_begins (GError **error, ReelError code, const char *beginning)
{
  g_assert_error (*error, REEL_ERROR, (int) code);
  if (!g_str_has_prefix ((*error)->message, beginning))
    g_assert_cmpstr ((*error)->message, ==, beginning);
  g_clear_error (error);
}
