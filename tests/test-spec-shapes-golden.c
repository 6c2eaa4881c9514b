/* TorchRL's shapes and stacks of the same specs. */
#include "../src/reel.h"
#include "make-spec.h"

#include <jansson.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC (json_t, json_decref)

static ReelSpec *
from_text (const char *text)
{
  g_autoptr (GError) error = NULL;
  ReelSpec *spec = reel_spec_new_from_text (text, &error);

  g_assert_no_error (error);
  return spec;
}

static const char *
get_string (const json_t *json, const char *name)
{
  return json_string_value (json_object_get (json, name));
}

/* Takes @given. */
static void
check_printed (ReelSpec *given, const char *expected)
{
  g_autoptr (ReelSpec) spec = given;
  g_autofree char *text = reel_spec_to_string (spec);

  g_assert_cmpstr (text, ==, expected);
}

static ReelSpec *
stack (const char *first, const char *second, gint dim)
{
  g_autoptr (ReelSpec) a = from_text (first);
  g_autoptr (ReelSpec) b = from_text (second);
  ReelSpec *const specs[] = { a, b };

  return reel_spec_stack (specs, 2, dim, NULL);
}

static ReelSpec *
make_golden (const char *name)
{
  if (g_str_equal (name, "stacked"))
    return stack ("unbounded:shape=[3]", "unbounded:shape=[4]", 0);
  if (g_str_equal (name, "stacked-bounded"))
    return stack ("bounded:low=-1,high=1,shape=[2]", "bounded:low=-1,high=3,shape=[2]", 1);
  if (g_str_equal (name, "stackedcomposite"))
    return stack ("composite:x=(unbounded:shape=[3]),y=(unbounded:shape=[2])",
                  "composite:x=(unbounded:shape=[4])", 0);
  if (g_str_equal (name, "stack-equal"))
    return stack ("bounded:low=-1,high=1,shape=[2]", "bounded:low=-1,high=1,shape=[2]", 0);
  g_assert_cmpstr (name, ==, "composite-none");
  return from_text ("composite:obs=(unbounded:shape=[2]),act=()");
}

static void
check_composite (const json_t *json)
{
  g_autoptr (ReelSpec) spec = make_nested ();
  g_auto (GStrv) keys = reel_spec_list_keys (spec, REEL_SPEC_KEYS_NESTED);
  g_auto (GStrv) leaves = reel_spec_list_leaves (spec);
  g_auto (ReelIndex) first = REEL_INDEX_INIT;
  const json_t *key;
  gsize i;

  json_array_foreach (json_object_get (json, "keys"), i, key)
      g_assert_cmpstr (keys[i], ==, json_string_value (key));
  json_array_foreach (json_object_get (json, "leaves"), i, key)
      g_assert_cmpstr (leaves[i], ==, json_string_value (key));
  reel_index_add_int (&first, 0);
  check_printed (reel_spec_index (spec, &first, NULL), get_string (json, "index0"));
  check_printed (reel_spec_unsqueeze (spec, 0, NULL), get_string (json, "unsqueeze0"));
}

/* ---- changes of shape, as Python writes them ---- */

static ReelSpec *
take_first (GPtrArray *given)
{
  g_autoptr (GPtrArray) parts = given;

  return parts ? reel_spec_ref (parts->pdata[0]) : NULL;
}

static ReelSpec *
apply_index (const ReelSpec *spec, const char *text, GError **error)
{
  g_auto (ReelIndex) index = REEL_INDEX_INIT;

  g_assert_true (reel_index_parse (&index, text, NULL));
  return reel_spec_index (spec, &index, error);
}

static ReelSpec *
apply (const ReelSpec *spec, const char *op, GError **error)
{
  gint64 numbers[8];
  gint n = 0;

  if (op[0] == '[')
    return apply_index (spec, op, error);
  for (const char *at = op; *at; at++)
    if (g_ascii_isdigit (*at) || *at == '-')
      numbers[n++] = g_ascii_strtoll (at, (char **) &at, 10), at--;
  if (g_str_has_prefix (op, "expand"))
    return reel_spec_expand (spec, n, numbers, error);
  if (g_str_has_prefix (op, "reshape"))
    return reel_spec_reshape (spec, n, numbers, error);
  if (g_str_has_prefix (op, "unsqueeze"))
    return reel_spec_unsqueeze (spec, (gint) numbers[0], error);
  if (g_str_has_prefix (op, "squeeze"))
    return reel_spec_squeeze_all (spec, error);
  if (g_str_has_prefix (op, "unbind"))
    return take_first (reel_spec_unbind (spec, (gint) numbers[0], error));
  if (g_str_has_prefix (op, "flatten"))
    return reel_spec_flatten (spec, (gint) numbers[0], (gint) numbers[1], error);
  g_assert_true (g_str_has_prefix (op, "unflatten"));
  return reel_spec_unflatten (spec, (gint) numbers[0], n - 1, numbers + 1, error);
}

static void
check_op (const ReelSpec *spec, const char *op, const json_t *json)
{
  const char *word = get_string (json, "error");
  const json_t *shape = json_object_get (json, "result");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSpec) changed = apply (spec, op, &error);
  gint ndim;

  g_test_message ("%s", op);
  if (word)
    {
      gint code = g_str_equal (word, "IndexError") ? REEL_ERROR_INDEX : REEL_ERROR_VALUE;

      g_assert_error (error, REEL_ERROR, code);
      return;
    }
  g_assert_no_error (error);
  const gint64 *extents = reel_spec_get_shape (changed, &ndim);
  g_assert_cmpint (ndim, ==, json_array_size (shape));
  for (gint i = 0; i < ndim; i++)
    g_assert_cmpint (extents[i], ==, json_integer_value (json_array_get (shape, (gsize) i)));
}

static void
check_ops (const json_t *json)
{
  g_autoptr (ReelSpec) plain = from_text ("categorical:n=4,shape=[2,3]");
  g_autoptr (ReelSpec) vectors = from_text ("one-hot:n=4,shape=[2,3,4]");
  const json_t *item;
  gsize i;

  json_array_foreach (json_object_get (json, "ops"), i, item)
  {
    const char *op = get_string (item, "op");
    gboolean of_vectors = g_str_has_prefix (op, "onehot");

    op += of_vectors ? strlen ("onehot") : 0;
    check_op (of_vectors ? vectors : plain, op + (*op == '.'), item);
  }
}

static void
test_golden (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "spec-shapes.json", NULL);
  g_autoptr (json_t) file = json_load_file (path, 0, NULL);
  const json_t *item;
  gsize i;

  g_assert_cmpint (json_array_size (json_object_get (file, "cases")), ==, 7);
  json_array_foreach (json_object_get (file, "cases"), i, item)
  {
    const char *name = get_string (item, "case");

    if (g_str_equal (name, "shape-ops"))
      check_ops (item);
    else if (g_str_equal (name, "composite"))
      check_composite (item);
    else
      check_printed (make_golden (name), get_string (item, "repr"));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/specs/shapes/golden", test_golden);

  return g_test_run ();
}
