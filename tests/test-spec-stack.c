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

/* The result of @op, a spec. */
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

  g_assert_cmpint (json_array_size (json_object_get (file, "cases")), ==, 22);
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

/* ---- making and asking ---- */

static ReelSpec *
stack (ReelSpec *a, ReelSpec *b, gint dim)
{
  ReelSpec *const specs[] = { a, b };
  g_autoptr (GError) error = NULL;
  ReelSpec *spec = reel_spec_stack (specs, 2, dim, &error);

  g_assert_no_error (error);
  return spec;
}

static ReelSpec *
from_text (const char *text)
{
  g_autoptr (GError) error = NULL;
  ReelSpec *spec = reel_spec_new_from_text (text, &error);

  g_assert_no_error (error);
  return spec;
}

/* Two agents, the second of which sees one number more and has a key of its own. */
static ReelSpec *
make_agents (void)
{
  g_autoptr (ReelSpec) a = from_text ("composite:obs=(bounded:low=0,high=1,shape=[2])");
  g_autoptr (ReelSpec) b =
      from_text ("composite:obs=(bounded:low=0,high=1,shape=[3]),own=(categorical:n=3)");

  return stack (a, b, 0);
}

static void
test_members (void)
{
  g_autoptr (ReelSpec) a = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (2));
  g_autoptr (ReelSpec) b = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (3));
  g_autoptr (ReelSpec) spec = stack (a, b, -1);
  g_autoptr (ReelSpec) same = stack (a, b, 1);
  g_autoptr (ReelSpec) swapped = stack (b, a, 1);
  g_autoptr (ReelSpec) second = index_by (spec, "[..., 1]", NULL);
  gsize n;
  ReelSpec *const *members = reel_spec_get_members (spec, &n);
  gint ndim;

  g_assert_cmpint (n, ==, 2);
  g_assert_true (members[0] == a && members[1] == b && second == b);
  g_assert_cmpint (reel_spec_get_stack_dim (spec), ==, 1);
  g_assert_cmpint (reel_spec_get_shape (spec, &ndim)[0], ==, -1);
  g_assert_true (reel_spec_is_lazy (spec) && reel_spec_contains_lazy (spec));
  g_assert_true (reel_spec_equal (spec, same));
  g_assert_false (reel_spec_equal (spec, swapped));
  g_assert_false (reel_spec_is_lazy (a));
  g_assert_null (reel_spec_get_members (a, &n));
  g_assert_cmpint (reel_spec_get_stack_dim (a), ==, -1);
}

static void
test_stack_dim_is_checked (void)
{
  g_autoptr (ReelSpec) a = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (2));
  ReelSpec *const specs[] = { a, a };

  for (gint dim = -4; dim <= 3; dim++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelSpec) spec = reel_spec_stack (specs, 2, dim, &error);

      g_assert_cmpint (spec != NULL, ==, dim >= -2 && dim <= 1);
      if (!spec)
        g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
    }
}

/* A key whose specs do not stack is there, but is reached through the members alone. */
static void
test_clash (void)
{
  g_autoptr (ReelSpec) a = from_text ("composite:x=(categorical:n=3),y=()");
  g_autoptr (ReelSpec) b = from_text ("composite:x=(one-hot:n=3,shape=[3]),y=()");
  g_autoptr (ReelSpec) spec = stack (a, b, 0);
  g_autofree char *text = reel_spec_to_string (spec);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_spec_contains (spec, "x"));
  g_assert_null (reel_spec_get (spec, "y", &error));
  g_assert_no_error (error);
  g_assert_null (reel_spec_get (spec, "x", &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (error->message, ==,
                   "Stacking specs cannot occur: Found more than one type of specs in the list.");
  g_assert_nonnull (strstr (text,
                            "fields={\n        y: None},\n    exclusive_fields={\n        0 ->"
                            "\n            x: Categorical("));
}

/* ---- entries; T15.6-13 ---- */

static void
test_set_and_remove (void)
{
  g_autoptr (ReelSpec) spec = make_agents ();
  g_autofree char *before = reel_spec_to_string (spec);
  g_autoptr (ReelSpec) part = index_by (spec, "[0:2]", NULL);
  g_autoptr (ReelSpec) less = reel_spec_remove (part, "own", NULL);
  g_autoptr (ReelSpec) leaf = make_binary (REEL_DTYPE_INT8, SHAPE (2, 4));
  g_autoptr (ReelSpec) more = reel_spec_set (less, "n/flags", leaf, NULL);
  g_autoptr (ReelSpec) wrong = make_binary (REEL_DTYPE_INT8, SHAPE (3, 4));
  g_autofree char *text = reel_spec_to_string (less);
  g_autofree char *after = NULL;
  GError *error = NULL;

  g_assert_nonnull (strstr (text, "exclusive_fields={\n    },"));
  g_assert_true (reel_spec_check_no_exclusive_keys (less, TRUE));
  g_assert_true (reel_spec_equal (reel_spec_get (more, "n/flags", NULL), leaf));
  g_assert_null (reel_spec_set (less, "flags", wrong, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_null (reel_spec_remove (less, "own", &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_clear_error (&error);
  after = reel_spec_to_string (spec);
  g_assert_cmpstr (before, ==, after);
}

static void
test_update (void)
{
  g_autoptr (ReelSpec) spec = make_agents ();
  g_autoptr (ReelSpec) with = from_text ("composite:n=(composite:f=(binary:shape=[2,4]),shape=[2]),"
                                         "shape=[2]");
  g_autoptr (ReelSpec) again = from_text ("composite:n=(composite:g=(binary:shape=[2]),shape=[2]),"
                                          "shape=[2]");
  g_autoptr (ReelSpec) once = reel_spec_update (spec, with, NULL);
  g_autoptr (ReelSpec) twice = reel_spec_update (once, again, NULL);

  g_assert_true (reel_spec_is_lazy (twice));
  g_assert_true (reel_spec_contains (twice, "n/f") && reel_spec_contains (twice, "n/g"));
}

static void
test_attributes (void)
{
  g_autoptr (ReelSpec) spec = make_agents ();
  g_autoptr (ReelSpec) on_cpu = reel_spec_set_device (spec, "cpu", NULL);
  g_autoptr (ReelSpec) empty = reel_spec_empty (spec);
  g_autoptr (ReelSpec) x = from_text ("composite:x=(binary)");
  g_autoptr (ReelSpec) y = from_text ("composite:y=(binary)");
  g_autoptr (ReelSpec) exclusive = stack (x, y, 0);
  const char *const names[] = { "agents" };
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (reel_spec_get_device (on_cpu), ==, "cpu");
  g_assert_null (reel_spec_get_device (spec));
  g_assert_null (reel_spec_get_name (spec, 0));
  g_assert_true (reel_spec_is_empty (empty, FALSE));
  g_assert_false (reel_spec_is_empty (exclusive, TRUE));
  g_assert_null (reel_spec_set_names (spec, 1, names, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
}

/* ---- values; T15.6-12 ---- */

/* Bounds that differ make no shape differ: the values are a tensor along any dimension. */
static void
test_values_of_leaves (void)
{
  g_autoptr (ReelSpec) a = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (4, 5), 0, 1);
  g_autoptr (ReelSpec) b = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (4, 5), 2, 3);

  for (gint dim = -3; dim <= 2; dim++)
    {
      g_autoptr (ReelSpec) spec = stack (a, b, dim);
      g_autoptr (ReelTensor) drawn = reel_spec_rand (spec, 1, 0, SHAPE (3), NULL);
      g_autoptr (ReelTensor) same = reel_spec_rand (spec, 1, 0, SHAPE (3), NULL);
      g_autoptr (ReelTensor) zero = reel_spec_zero (spec, SCALAR, NULL);
      g_autoptr (ReelTensor) one = reel_spec_one (spec, SCALAR, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (drawn->ndim, ==, 4);
      g_assert_cmpint (drawn->shape[1 + (dim + 3) % 3], ==, 2);
      g_assert_true (reel_tensor_equal (drawn, same));
      g_assert_true (reel_spec_is_in (spec, drawn, &error));
      g_assert_no_error (error);
      g_assert_cmpint (zero->ndim, ==, 3);
      g_assert_cmpfloat (get_element (one, 39), ==, 1);
      g_assert_false (reel_spec_is_in (spec, zero, &error));
      g_assert_true (g_str_has_prefix (error->message, "member 1: element "));
    }
}

static void
test_ragged_leaves (void)
{
  g_autoptr (ReelSpec) a = make_categorical (3, REEL_DTYPE_INT64, SHAPE (2));
  g_autoptr (ReelSpec) b = make_categorical (3, REEL_DTYPE_INT64, SHAPE (3));
  g_autoptr (ReelSpec) spec = stack (a, b, 0);
  g_autoptr (ReelSpec) none = make_composite (SHAPE (2), NULL, NULL, 0);
  g_autoptr (ReelSpec) within = reel_spec_set (none, "x", spec, NULL);
  g_autoptr (ReelTensordict) td = reel_spec_rand_tensordict (within, 1, 0, SHAPE (5), NULL);
  g_autoptr (ReelTensordict) second = reel_tensordict_select_index (td, 1, 1, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_spec_rand (spec, 1, 0, SCALAR, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (error->message, ==,
                   "no tensor holds values of shape [2, -1]: ask for those of each member");
  /* In a composite they are a stack of tensordicts. */
  g_assert_cmpint (reel_lazy_stack_get_dim (td), ==, 1);
  g_assert_cmpint (reel_tensordict_get_tensor (second, "x", NULL)->shape[1], ==, 3);
  g_assert_true (reel_spec_is_in_tensordict (within, td, NULL));
  g_assert_true (reel_spec_type_check_tensordict (within, td, NULL));

  *(gint64 *) (gpointer) reel_tensordict_get_tensor (second, "x", NULL)->data = 7;
  g_clear_error (&error);
  g_assert_false (reel_spec_is_in_tensordict (within, td, &error));
  g_assert_cmpstr (error->message, ==, "member 1: x: element [0, 0] is 7, not in 0 to 2");
  g_autoptr (ReelTensordict) projected = reel_spec_project_tensordict (within, td, NULL);
  g_assert_true (reel_spec_is_in_tensordict (within, projected, NULL));
  /* A value of more members is none of these. */
  g_clear_error (&error);
  g_assert_null (reel_spec_project_tensordict (within, second, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
}

/* Where a value lies along a dimension, its stack cannot be taken apart there. */
static void
test_unbind_of_vectors (void)
{
  g_autoptr (ReelSpec) a = from_text ("multi-categorical:nvec=[2,2],shape=[3,2]");
  g_autoptr (ReelSpec) b = from_text ("multi-categorical:nvec=[1,1],shape=[3,2]");
  g_autoptr (ReelSpec) spec = stack (a, b, 1);
  g_autoptr (GPtrArray) rows = reel_spec_unbind (spec, 0, NULL);
  g_autofree char *row = reel_spec_to_text (rows->pdata[2]);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_spec_unbind (spec, -1, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_cmpstr (row, ==,
                   "stacked:dim=0,members=[(multi-categorical:nvec=[2,2],shape=[2]),"
                   "(multi-categorical:nvec=[1,1],shape=[2])]");
}

static void
test_values_of_composites (void)
{
  g_autoptr (ReelSpec) agents = make_agents ();
  g_autoptr (ReelSpec) none = make_composite (SCALAR, NULL, NULL, 0);
  g_autoptr (ReelSpec) spec = reel_spec_set (none, "agents", agents, NULL);
  g_autoptr (ReelTensordict) td = reel_spec_rand_tensordict (spec, 1, 0, SHAPE (4), NULL);
  g_autoptr (ReelTensordict) zero = reel_spec_zero_tensordict (spec, SCALAR, NULL);
  ReelTensordict *inner = reel_tensordict_get_tensordict (td, "agents", NULL);
  g_autoptr (ReelTensordict) second = reel_tensordict_select_index (inner, 1, 1, NULL);
  g_autoptr (ReelTensordict) same = reel_spec_project_tensordict (spec, td, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (reel_lazy_stack_get_dim (inner), ==, 1);
  g_assert_cmpint (reel_tensordict_get_tensor (second, "own", NULL)->shape[0], ==, 4);
  g_assert_true (reel_spec_is_in_tensordict (spec, td, NULL));
  g_assert_true (reel_spec_is_in_tensordict (spec, zero, NULL));
  g_assert_true (reel_spec_type_check_tensordict (spec, td, NULL));
  g_assert_true (same == td);

  *(gint64 *) (gpointer) reel_tensordict_get_tensor (second, "own", NULL)->data = 7;
  g_assert_false (reel_spec_is_in_tensordict (spec, td, &error));
  g_assert_cmpstr (error->message, ==, "agents: member 1: own: element [0] is 7, not in 0 to 2");
  g_autoptr (ReelTensordict) projected = reel_spec_project_tensordict (spec, td, NULL);
  g_assert_true (reel_spec_is_in_tensordict (spec, projected, NULL));
}

static void
test_enumerate (void)
{
  g_autoptr (ReelSpec) a = from_text ("composite:x=(categorical:n=2)");
  g_autoptr (ReelSpec) b = from_text ("composite:y=(categorical:n=2)");
  g_autoptr (ReelSpec) spec = stack (a, b, 0);
  g_autoptr (ReelTensordict) all = reel_spec_enumerate_tensordict (spec, FALSE, NULL);
  g_autoptr (ReelSpec) c = make_categorical (2, REEL_DTYPE_INT64, SHAPE (3));
  g_autoptr (ReelSpec) d = make_categorical (2, REEL_DTYPE_INT64, SHAPE (3));
  g_autoptr (ReelSpec) leaves = stack (c, d, 0);
  g_autoptr (GError) error = NULL;
  gint64 n;

  g_assert_cmpint (reel_lazy_stack_get_dim (all), ==, 1);
  g_assert_false (reel_spec_cardinality (spec, &n, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
  g_assert_false (reel_spec_is_lazy (leaves));
}

/* ---- what is not implemented; T15.6-15 ---- */

static void
check_not_implemented (gconstpointer result, GError **error)
{
  g_assert_null (result);
  g_assert_error (*error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
  g_clear_error (error);
}

static void
test_not_implemented (void)
{
  g_autoptr (ReelSpec) a = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (2), 0, 1);
  g_autoptr (ReelSpec) b = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (2), 2, 3);
  g_autoptr (ReelSpec) spec = stack (a, b, 0);
  g_autoptr (ReelSpec) agents = make_agents ();
  g_autoptr (ReelTensor) index = reel_tensor_new (REEL_DTYPE_INT64, SHAPE (1), NULL);
  g_autoptr (ReelTensor) value = reel_spec_zero (spec, SCALAR, NULL);
  g_autoptr (ReelTensordict) raw = reel_tensordict_new (SCALAR);
  GError *error = NULL;
  gint64 n;

  check_not_implemented (reel_spec_index_select (spec, 0, index, &error), &error);
  check_not_implemented (reel_spec_index_select (agents, 0, index, &error), &error);
  check_not_implemented (reel_spec_reshape (spec, SHAPE (4), &error), &error);
  check_not_implemented (reel_spec_project (spec, value, &error), &error);
  check_not_implemented (reel_spec_enumerate (spec, FALSE, &error), &error);
  check_not_implemented (reel_spec_flatten (spec, 0, 1, &error), &error);
  check_not_implemented (reel_spec_unflatten (spec, 0, SHAPE (1, 2), &error), &error);
  check_not_implemented (reel_spec_encode_tensordict (agents, raw, FALSE, &error), &error);
  check_not_implemented (reel_spec_encode_array (spec, value, FALSE, &error), &error);
  check_not_implemented (reel_spec_encode_tensor (spec, value, FALSE, &error), &error);
  g_assert_false (reel_spec_cardinality (spec, &n, &error));
  check_not_implemented (NULL, &error);
}

/* ---- indices of other dimensions, within a composite ---- */

static void
check_extents (const ReelSpec *spec, gint ndim, const gint64 *shape)
{
  gint has_ndim;
  const gint64 *has = reel_spec_get_shape (spec, &has_ndim);

  g_assert_cmpmem (has, (gsize) has_ndim * sizeof *has, shape, (gsize) ndim * sizeof *shape);
}

static void
test_index_within_a_composite (void)
{
  g_autoptr (ReelSpec) a = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (3, 4, 2));
  g_autoptr (ReelSpec) b = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (3, 4, 5));
  g_autoptr (ReelSpec) none = make_composite (SHAPE (3, 2, 4), NULL, NULL, 0);
  g_autoptr (ReelSpec) leaf = stack (a, b, 1);
  g_autoptr (ReelSpec) spec = reel_spec_set (none, "x", leaf, NULL);
  static const struct
  {
    const char *index;
    gint ndim;
    gint64 shape[5];
    gint dim;
  } cases[] = {
    { "[0]", 3, { 2, 4, -1 }, 0 },
    { "[:, :, 1:3]", 4, { 3, 2, 2, -1 }, 1 },
    { "[None, 0]", 4, { 1, 2, 4, -1 }, 1 },
    { "[[2, 0, 2, 2]]", 4, { 4, 2, 4, -1 }, 1 },
    { "[..., 0]", 3, { 3, 2, -1 }, 1 },
    { "[:, 1]", 3, { 3, 4, 5 }, -1 },
    { "[:, [1, 0]]", 4, { 3, 2, 4, -1 }, 1 },
    { "[1:, None, 1, ::3]", 4, { 2, 1, 2, 5 }, -1 },
    { "[:, [False, True]]", 4, { 3, 1, 4, 5 }, -1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelSpec) part = index_by (spec, cases[i].index, NULL);
      const ReelSpec *x = reel_spec_get (part, "x", NULL);

      g_test_message ("%s", cases[i].index);
      check_extents (x, cases[i].ndim, cases[i].shape);
      g_assert_cmpint (reel_spec_get_stack_dim (x), ==, cases[i].dim);
    }
  g_assert_null (index_by (spec, "[[0], [1]]", NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/specs/stack/golden", test_golden);
  g_test_add_func ("/specs/stack/members", test_members);
  g_test_add_func ("/specs/stack/dim-is-checked", test_stack_dim_is_checked);
  g_test_add_func ("/specs/stack/clash", test_clash);
  g_test_add_func ("/specs/stack/set-and-remove", test_set_and_remove);
  g_test_add_func ("/specs/stack/update", test_update);
  g_test_add_func ("/specs/stack/attributes", test_attributes);
  g_test_add_func ("/specs/stack/values-of-leaves", test_values_of_leaves);
  g_test_add_func ("/specs/stack/ragged-leaves", test_ragged_leaves);
  g_test_add_func ("/specs/stack/unbind-of-vectors", test_unbind_of_vectors);
  g_test_add_func ("/specs/stack/values-of-composites", test_values_of_composites);
  g_test_add_func ("/specs/stack/enumerate", test_enumerate);
  g_test_add_func ("/specs/stack/not-implemented", test_not_implemented);
  g_test_add_func ("/specs/stack/index-within-a-composite", test_index_within_a_composite);

  return g_test_run ();
}
