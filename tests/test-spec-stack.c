/* Stacks of specs: what TorchRL makes, prints, changes and refuses of them, and the rest. */
#include "../src/reel.h"
#include "make-spec.h"

#include <jansson.h>
#include <string.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC (json_t, json_decref)

/* ---- golden ---- */

static ReelSpec *make_golden (const json_t *form, GError **error);

static ReelSpec *
make_golden_leaf (const char *form)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strdelimit (g_strdup (form), ";", ',');
  ReelSpec *spec = reel_spec_new_from_text (text, &error);

  g_assert_no_error (error);
  return spec;
}

static ReelSpec *
make_golden_stack (const json_t *form, GError **error)
{
  g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_spec_unref);
  const json_t *member;
  gsize i;

  json_array_foreach (json_object_get (form, "stack"), i, member)
  {
    ReelSpec *spec = make_golden (member, error);

    if (!spec)
      return NULL;
    g_ptr_array_add (members, spec);
  }
  return reel_spec_stack ((ReelSpec *const *) members->pdata, members->len,
                          (gint) json_integer_value (json_object_get (form, "dim")), error);
}

static ReelSpec *
make_golden_composite (const json_t *form, GError **error)
{
  json_t *extents = json_object_get (form, "shape"), *entry;
  gint64 shape[REEL_MAX_NDIM];
  const char *key;
  g_autoptr (ReelSpec) plain = NULL;
  ReelSpec *spec;

  for (gsize i = 0; i < json_array_size (extents); i++)
    shape[i] = json_integer_value (json_array_get (extents, i));
  plain = make_composite ((gint) json_array_size (extents), shape, NULL, NULL, 0);
  spec = reel_spec_set_device (plain, json_string_value (json_object_get (form, "device")), NULL);
  json_object_foreach (json_object_get (form, "specs"), key, entry)
  {
    g_autoptr (ReelSpec) value = make_golden (entry, error);
    ReelSpec *more = value ? reel_spec_set (spec, key, value, error) : NULL;

    reel_spec_unref (spec);
    spec = more;
    if (!spec)
      return NULL;
  }
  return spec;
}

static ReelSpec *
make_golden (const json_t *form, GError **error)
{
  if (json_is_string (form))
    return make_golden_leaf (json_string_value (form));
  return json_object_get (form, "stack") ? make_golden_stack (form, error)
                                         : make_golden_composite (form, error);
}

static ReelSpec *
index_by (const ReelSpec *spec, const char *text, GError **error)
{
  g_auto (ReelIndex) index = REEL_INDEX_INIT;

  g_assert_true (reel_index_parse (&index, text, NULL));
  return reel_spec_index (spec, &index, error);
}

/* What @op gives that is a spec. */
static ReelSpec *
apply (const ReelSpec *spec, const char *op, GError **error)
{
  if (g_str_equal (op, "unsqueeze0"))
    return reel_spec_unsqueeze (spec, 0, error);
  if (g_str_equal (op, "unsqueeze-1"))
    return reel_spec_unsqueeze (spec, -1, error);
  if (g_str_equal (op, "squeeze"))
    return reel_spec_squeeze_all (spec, error);
  if (g_str_equal (op, "squeeze0"))
    return reel_spec_squeeze (spec, 0, error);
  if (g_str_equal (op, "squeeze-1"))
    return reel_spec_squeeze (spec, -1, error);
  if (g_str_equal (op, "index0"))
    return index_by (spec, "[0]", error);
  if (g_str_equal (op, "slice"))
    return index_by (spec, "[0:2]", error);
  if (g_str_equal (op, "ellipsis"))
    return index_by (spec, "[..., 0]", error);
  if (g_str_equal (op, "batch2"))
    return reel_spec_batch (spec, SHAPE (2), error);
  if (g_str_equal (op, "reshape"))
    return reel_spec_reshape (spec, SHAPE (4), error);
  if (g_str_equal (op, "consolidate"))
    return reel_spec_consolidate (spec, TRUE, TRUE, error);
  g_assert_cmpstr (op, ==, "consolidate-here");
  return reel_spec_consolidate (spec, FALSE, FALSE, error);
}

static gboolean
ask (const ReelSpec *spec, const char *op)
{
  if (g_str_equal (op, "contains-lazy"))
    return reel_spec_contains_lazy (spec);
  return reel_spec_check_no_exclusive_keys (spec, g_str_equal (op, "no-exclusive-keys"));
}

/* A word of an error of TorchRL's, and what it says, where it says the same. */
static void
check_error (const GError *error, const json_t *told)
{
  const char *word = json_string_value (json_object_get (told, "error"));
  const char *message = json_string_value (json_object_get (told, "message"));
  gboolean same = g_str_equal (word, "INDEX") || g_str_equal (word, "NOT_IMPLEMENTED");
  gint code = g_str_equal (word, "VALUE")     ? REEL_ERROR_VALUE
              : g_str_equal (word, "RUNTIME") ? REEL_ERROR_RUNTIME
              : g_str_equal (word, "INDEX")   ? REEL_ERROR_INDEX
                                              : REEL_ERROR_NOT_IMPLEMENTED;

  g_assert_error (error, REEL_ERROR, code);
  if (same || code == REEL_ERROR_RUNTIME)
    g_assert_cmpstr (error->message, ==, message);
}

static void
check_spec (const ReelSpec *spec, const GError *error, const json_t *told)
{
  g_autofree char *text = spec ? reel_spec_to_string (spec) : NULL;

  if (json_object_get (told, "error"))
    check_error (error, told);
  else
    g_assert_cmpstr (text, ==, json_string_value (json_object_get (told, "result")));
}

static void
check_unbind (const ReelSpec *spec, gint dim, const json_t *told)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) parts = reel_spec_unbind (spec, dim, &error);
  const json_t *expected = json_object_get (told, "result"), *part;
  gsize i;

  if (!expected)
    {
      check_error (error, told);
      return;
    }
  g_assert_cmpint (parts->len, ==, json_array_size (expected));
  json_array_foreach (expected, i, part)
  {
    g_autofree char *text = reel_spec_to_string (parts->pdata[i]);
    g_assert_cmpstr (text, ==, json_string_value (part));
  }
}

static void
check_keys (const ReelSpec *spec, const json_t *told)
{
  g_auto (GStrv) keys = reel_spec_is_composite (spec)
                            ? reel_spec_list_keys (spec, REEL_SPEC_KEYS_NESTED)
                            : g_new0 (char *, 1);
  const json_t *expected = json_object_get (told, "result"), *key;
  gsize i;

  g_assert_cmpint (g_strv_length (keys), ==, json_array_size (expected));
  json_array_foreach (expected, i, key)
  {
    g_autofree char *path = g_strdelimit (g_strdup (json_string_value (key)), ".", '/');
    g_assert_cmpstr (keys[i], ==, path);
  }
}

static void
check_op (const ReelSpec *spec, const char *op, const json_t *told)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSpec) changed = NULL;

  if (g_str_equal (op, "keys"))
    check_keys (spec, told);
  else if (g_str_equal (op, "unbind0"))
    check_unbind (spec, 0, told);
  else if (g_str_equal (op, "unbind-1"))
    check_unbind (spec, -1, told);
  else if (json_is_boolean (json_object_get (told, "result")))
    g_assert_cmpint (ask (spec, op), ==, json_is_true (json_object_get (told, "result")));
  else
    {
      changed = apply (spec, op, &error);
      check_spec (changed, error, told);
    }
}

static void
check_case (const json_t *json)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSpec) spec = make_golden (json_object_get (json, "form"), &error);
  g_autofree char *text = NULL;
  json_t *told;
  const char *op;

  g_test_message ("%s", json_string_value (json_object_get (json, "case")));
  g_assert_no_error (error);
  text = reel_spec_to_string (spec);
  g_assert_cmpstr (text, ==, json_string_value (json_object_get (json, "repr")));
  json_object_foreach (json_object_get (json, "ops"), op, told)
  {
    g_test_message ("  %s", op);
    check_op (spec, op, told);
    g_autofree char *after = reel_spec_to_string (spec);
    g_assert_cmpstr (after, ==, text);
  }
}

/* T15.6-12, T15.6-13, T15.6-14 */
static void
test_golden (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "stacked-specs.json", NULL);
  g_autoptr (json_t) file = json_load_file (path, 0, NULL);
  const json_t *item;
  gsize i;

  g_assert_cmpint (json_array_size (json_object_get (file, "cases")), ==, 18);
  json_array_foreach (json_object_get (file, "cases"), i, item) check_case (item);
  json_array_foreach (json_object_get (file, "refusals"), i, item)
  {
    g_autoptr (GError) error = NULL;
    g_autoptr (ReelSpec) spec = make_golden (json_object_get (item, "form"), &error);
    /* PyTorch itself refuses an empty list first. */
    if (!g_str_equal (json_string_value (json_object_get (item, "case")), "empty"))
      check_spec (spec, error, item);
    else
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/specs/stack/golden", test_golden);

  return g_test_run ();
}
