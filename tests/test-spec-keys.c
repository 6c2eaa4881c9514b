/* Composite specs as values: entries, names and the rest are changed by functions that give new
 * specs and leave what they were given. */
#include "../src/reel.h"
#include "make-spec.h"

/* Prints @spec when made, and holds later that it prints so still. */
typedef struct
{
  ReelSpec *spec;
  char *text;
} Witness;

static Witness
watch (ReelSpec *spec)
{
  return (Witness){ spec, reel_spec_to_string (spec) };
}

static void
unwatch (Witness *witness)
{
  g_autofree char *text = reel_spec_to_string (witness->spec);

  g_assert_cmpstr (text, ==, witness->text);
  g_free (witness->text);
  reel_spec_unref (witness->spec);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Witness, unwatch)

static void
check_keys (const ReelSpec *spec, ReelSpecKeys flags, const char *expected)
{
  g_auto (GStrv) keys = reel_spec_list_keys (spec, flags);
  g_autofree char *joined = g_strjoinv (" ", keys);

  g_assert_cmpstr (joined, ==, expected);
}

static void
check_refused (ReelSpec *spec, GError **error, gint code, const char *message)
{
  g_assert_null (spec);
  g_assert_error (*error, REEL_ERROR, code);
  g_assert_cmpstr ((*error)->message, ==, message);
  g_clear_error (error);
}

static ReelSpec *
taken (ReelSpec *spec)
{
  g_assert_nonnull (spec);
  return spec;
}

/* ---- keys ---- */

static void
test_list (void)
{
  g_autoptr (ReelSpec) nested = make_nested ();
  g_autoptr (ReelSpec) spec = taken (reel_spec_set (nested, "n/none", NULL, NULL));
  g_autoptr (ReelSpec) empty = make_composite (SCALAR, NULL, NULL, 0);
  g_auto (GStrv) leaves = reel_spec_list_leaves (spec);
  g_autofree char *joined = g_strjoinv (" ", leaves);

  check_keys (spec, REEL_SPEC_KEYS_DEFAULT, "obs n");
  check_keys (spec, REEL_SPEC_KEYS_LEAVES_ONLY, "obs");
  check_keys (spec, REEL_SPEC_KEYS_NESTED, "obs n/act n/none n");
  check_keys (spec, REEL_SPEC_KEYS_NESTED | REEL_SPEC_KEYS_LEAVES_ONLY, "obs n/act n/none");
  check_keys (empty, REEL_SPEC_KEYS_NESTED, "");
  g_assert_cmpstr (joined, ==, "obs n/act");
}

static void
test_is_empty (void)
{
  g_autoptr (ReelSpec) empty = make_composite (SCALAR, NULL, NULL, 0);
  g_autoptr (ReelSpec) hollow = taken (reel_spec_set (empty, "a/b", empty, NULL));
  g_autoptr (ReelSpec) unspecified = taken (reel_spec_set (hollow, "a/c", NULL, NULL));
  g_autoptr (ReelSpec) nested = make_nested ();
  g_autoptr (ReelSpec) emptied = reel_spec_empty (nested);
  g_autofree char *text = reel_spec_to_string (emptied);

  g_assert_true (reel_spec_is_empty (empty, FALSE));
  g_assert_false (reel_spec_is_empty (hollow, FALSE));
  g_assert_true (reel_spec_is_empty (hollow, TRUE));
  g_assert_true (reel_spec_is_empty (unspecified, TRUE));
  g_assert_false (reel_spec_is_empty (nested, TRUE));
  g_assert_cmpstr (text, ==, "Composite(device=None, shape=torch.Size([3]), data_cls=None)");
}

/* ---- set, remove, update, separate; T15.6-9 ---- */

static void
test_set (void)
{
  g_auto (Witness) old = watch (make_nested ());
  g_autoptr (ReelSpec) leaf = make_binary (REEL_DTYPE_INT8, SHAPE (3, 4));
  g_autoptr (ReelSpec) one = taken (reel_spec_set (old.spec, "a/b/c", leaf, NULL));
  g_autoptr (ReelSpec) two = taken (reel_spec_set (one, "obs", leaf, NULL));
  const ReelSpec *made = reel_spec_get (one, "a/b", NULL);
  gint ndim;

  check_keys (one, REEL_SPEC_KEYS_NESTED, "obs n/act n a/b/c a/b a");
  check_keys (two, REEL_SPEC_KEYS_DEFAULT, "obs n a");
  g_assert_cmpint (reel_spec_get_shape (made, &ndim)[0], ==, 3);
  g_assert_cmpint (ndim, ==, 1);
  g_assert_true (reel_spec_get (one, "a/b/c", NULL) == leaf);
  g_assert_true (reel_spec_get (two, "obs", NULL) == leaf);
  /* The rest is shared. */
  g_assert_true (reel_spec_get (two, "n", NULL) == reel_spec_get (old.spec, "n", NULL));
}

static void
test_set_widens_composites (void)
{
  g_auto (Witness) old = watch (make_composite (SHAPE (3, 2), NULL, NULL, 0));
  g_autoptr (ReelSpec) leaf = make_binary (REEL_DTYPE_INT8, SHAPE (3, 2));
  const char *const keys[] = { "a" };
  g_auto (Witness) inner = watch (make_composite (SHAPE (3), keys, &leaf, 1));
  g_auto (Witness) other = watch (make_composite (SHAPE (2), NULL, NULL, 0));
  g_autoptr (ReelSpec) spec = taken (reel_spec_set (old.spec, "n", inner.spec, NULL));
  GError *error = NULL;
  gint ndim;

  reel_spec_get_shape (reel_spec_get (spec, "n", NULL), &ndim);
  g_assert_cmpint (ndim, ==, 2);
  check_refused (reel_spec_set (old.spec, "n", other.spec, &error), &error, REEL_ERROR_VALUE,
                 "\"n\": the shapes of the spec Composite and the Composite mismatch: the first 2 "
                 "dimensions should match but got spec.shape=[2] and Composite.shape=[3, 2]");
}

static void
test_set_refuses (void)
{
  static const char *const reserved[] = { "shape", "device", "dtype", "space" };
  g_auto (Witness) old = watch (make_nested ());
  g_autoptr (ReelSpec) leaf = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (2), 0, 1);
  g_autoptr (ReelSpec) fitting = make_bounded (REEL_DTYPE_FLOAT32, SHAPE (3), 0, 1);
  g_autoptr (ReelSpec) unspecified = taken (reel_spec_set (old.spec, "u", NULL, NULL));
  GError *error = NULL;

  check_refused (reel_spec_set (old.spec, "n/x", leaf, &error), &error, REEL_ERROR_VALUE,
                 "\"x\": the shapes of the spec BoundedContinuous and the Composite mismatch: the "
                 "first 1 dimensions should match but got spec.shape=[2] and Composite.shape=[3]");
  check_refused (reel_spec_set (old.spec, "obs/x", fitting, &error), &error, REEL_ERROR_TYPE,
                 "cannot set a key below \"obs\": it is UnboundedContinuous, not a Composite");
  check_refused (reel_spec_set (unspecified, "u/x", fitting, &error), &error, REEL_ERROR_TYPE,
                 "cannot set a key below \"u\": it is unspecified, not a Composite");
  g_assert_null (reel_spec_set (old.spec, "a//b", fitting, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_clear_error (&error);
  for (guint i = 0; i < G_N_ELEMENTS (reserved); i++)
    {
      g_autofree char *message =
          g_strdup_printf ("Composite[\"%s\"] cannot be set: the name is reserved", reserved[i]);
      check_refused (reel_spec_set (old.spec, reserved[i], fitting, &error), &error,
                     REEL_ERROR_VALUE, message);
    }
}

static void
test_remove (void)
{
  g_auto (Witness) old = watch (make_nested ());
  g_autoptr (ReelSpec) one = taken (reel_spec_remove (old.spec, "n/act", NULL));
  g_autoptr (ReelSpec) two = taken (reel_spec_remove (one, "obs", NULL));
  GError *error = NULL;

  check_keys (one, REEL_SPEC_KEYS_NESTED, "obs n");
  check_keys (two, REEL_SPEC_KEYS_NESTED, "n");
  g_assert_false (reel_spec_contains (one, "n/act"));
  g_assert_true (reel_spec_contains (one, "n"));
  check_refused (reel_spec_remove (old.spec, "n/b", &error), &error, REEL_ERROR_KEY,
                 "the spec has no key \"n/b\"");
  check_refused (reel_spec_remove (old.spec, "obs/b", &error), &error, REEL_ERROR_KEY,
                 "the spec has no key \"obs/b\"");
}

static void
test_update (void)
{
  g_auto (Witness) old = watch (make_nested ());
  g_autoptr (ReelSpec) leaf = make_binary (REEL_DTYPE_INT8, SHAPE (3, 4));
  g_autoptr (ReelSpec) none = make_composite (SHAPE (3), NULL, NULL, 0);
  g_autoptr (ReelSpec) one = taken (reel_spec_set (none, "n/new", leaf, NULL));
  g_autoptr (ReelSpec) two = taken (reel_spec_set (one, "obs", NULL, NULL));
  g_autoptr (ReelSpec) without = taken (reel_spec_update (old.spec, two, NULL));
  g_autoptr (ReelSpec) back = taken (reel_spec_update (without, old.spec, NULL));
  GError *error = NULL;

  check_keys (without, REEL_SPEC_KEYS_NESTED, "obs n/act n/new n");
  g_assert_null (reel_spec_get (without, "obs", &error));
  g_assert_no_error (error);
  g_assert_true (reel_spec_contains (without, "obs"));
  g_assert_true (reel_spec_get (back, "obs", NULL) == reel_spec_get (old.spec, "obs", NULL));
  g_assert_true (reel_spec_get (back, "n/new", NULL) == leaf);
}

static void
test_separate (void)
{
  static const char *const paths[] = { "n/act", "missing", NULL };
  static const char *const missing[] = { "missing", NULL };
  g_auto (Witness) old = watch (make_nested ());
  g_autoptr (ReelSpec) taken_out = NULL;
  ReelSpec *nothing;
  g_autoptr (ReelSpec) rest = taken (reel_spec_separate (old.spec, paths, &taken_out, NULL));
  g_autoptr (ReelSpec) same = taken (reel_spec_separate (old.spec, missing, &nothing, NULL));

  check_keys (rest, REEL_SPEC_KEYS_NESTED, "obs n");
  check_keys (taken_out, REEL_SPEC_KEYS_NESTED, "n/act n");
  g_assert_null (nothing);
  g_assert_true (reel_spec_equal (same, old.spec));
}

/* ---- shape, device, names, class; T15.6-9 ---- */

static void
test_set_shape (void)
{
  g_auto (Witness) old = watch (make_nested ());
  g_autoptr (ReelSpec) none = taken (reel_spec_set_shape (old.spec, SCALAR, NULL));
  g_autoptr (ReelSpec) inner = taken (reel_spec_remove (old.spec, "n", NULL));
  g_autoptr (ReelSpec) deep = taken (reel_spec_set_shape (inner, SHAPE (3, 2), NULL));
  GError *error = NULL;
  gint ndim;

  /* A composite below follows only where it must. */
  reel_spec_get_shape (none, &ndim);
  g_assert_cmpint (ndim, ==, 0);
  reel_spec_get_shape (reel_spec_get (none, "n", NULL), &ndim);
  g_assert_cmpint (ndim, ==, 1);
  reel_spec_get_shape (deep, &ndim);
  g_assert_cmpint (ndim, ==, 2);
  check_refused (reel_spec_set_shape (old.spec, SHAPE (4), &error), &error, REEL_ERROR_VALUE,
                 "\"obs\": the shapes of the spec UnboundedContinuous and the Composite mismatch: "
                 "the first 1 dimensions should match but got spec.shape=[3, 2] and "
                 "Composite.shape=[4]");
}

static void
test_device (void)
{
  g_auto (Witness) old = watch (make_nested ());
  g_autoptr (ReelSpec) spec = taken (reel_spec_set_device (old.spec, "cpu", NULL));
  g_autoptr (ReelSpec) inner = make_composite (SHAPE (3), NULL, NULL, 0);
  g_autoptr (ReelSpec) more = taken (reel_spec_set (spec, "m/k", inner, NULL));
  g_autoptr (ReelSpec) cleared = taken (reel_spec_set_device (more, NULL, NULL));
  g_autoptr (ReelTensordict) td = reel_spec_zero_tensordict (more, SCALAR, NULL);
  GError *error = NULL;

  g_assert_null (reel_spec_get_device (old.spec));
  g_assert_cmpstr (reel_spec_get_device (reel_spec_get (more, "n", NULL)), ==, "cpu");
  g_assert_cmpstr (reel_spec_get_device (reel_spec_get (more, "m/k", NULL)), ==, "cpu");
  g_assert_cmpstr (reel_tensordict_get_device (td), ==, "cpu");
  g_assert_null (reel_spec_get_device (reel_spec_get (cleared, "m/k", NULL)));
  g_assert_false (reel_spec_equal (old.spec, spec));
  check_refused (reel_spec_set_device (old.spec, "cuda:0", &error), &error, REEL_ERROR_VALUE,
                 "unknown device \"cuda:0\": the one is \"cpu\"");
}

static void
check_names (ReelSpec *given, const char *expected)
{
  g_autoptr (ReelSpec) spec = taken (given);
  g_autoptr (GString) text = g_string_new (NULL);
  gint ndim;

  reel_spec_get_shape (spec, &ndim);
  for (gint i = 0; i < ndim; i++)
    g_string_append_printf (text, "%s ", reel_spec_get_name (spec, i) ?: "-");
  g_assert_cmpstr (text->str, ==, expected);
}

static ReelSpec *
make_named (void)
{
  const char *const names[] = { "a", NULL, "c" };
  const char *const keys[] = { "n" };
  g_autoptr (ReelSpec) inner = make_composite (SHAPE (2, 1, 3, 4), NULL, NULL, 0);
  g_auto (Witness) plain = watch (make_composite (SHAPE (2, 1, 3), keys, &inner, 1));
  ReelSpec *named = taken (reel_spec_set_names (plain.spec, 3, names, NULL));

  g_assert_true (reel_spec_equal (named, plain.spec));
  return named;
}

static void
test_names (void)
{
  g_autoptr (ReelSpec) spec = make_named ();
  g_autoptr (ReelSpec) leaf = make_unbounded (REEL_DTYPE_INT8, SHAPE (2, 1, 3));
  g_autoptr (ReelSpec) more = taken (reel_spec_set (spec, "leaf", leaf, NULL));
  g_autoptr (ReelTensordict) td = reel_spec_rand_tensordict (more, 1, 0, SHAPE (5), NULL);

  check_names (reel_spec_ref (spec), "a - c ");
  check_names (reel_spec_ref (reel_spec_get (spec, "n", NULL)), "a - c - ");
  check_names (reel_spec_ref (more), "a - c ");
  check_names (reel_spec_remove (more, "n", NULL), "a - c ");
  check_names (reel_spec_expand (spec, SHAPE (5, 2, 1, 3), NULL), "- a - c ");
  check_names (reel_spec_unsqueeze (spec, 1, NULL), "a - - c ");
  check_names (reel_spec_squeeze (spec, 1, NULL), "a c ");
  check_names (reel_spec_reshape (spec, SHAPE (6), NULL), "- ");
  check_names (reel_spec_set_shape (spec, SHAPE (2, 1), NULL), "a - ");
  check_names (reel_spec_set_names (spec, 0, NULL, NULL), "- - - ");
  g_assert_null (reel_tensordict_get_name (td, 0));
  g_assert_cmpstr (reel_tensordict_get_name (td, 1), ==, "a");
  g_assert_cmpstr (reel_tensordict_get_name (td, 3), ==, "c");
}

static void
test_refine_names (void)
{
  const char *const whole[] = { "a", "b", "c" };
  const char *const rest[] = { "a", "..." };
  const char *const other[] = { "a", "b", "d" };
  const char *const last[] = { "...", "c" };
  g_auto (Witness) spec = watch (make_named ());
  g_autoptr (ReelSpec) bare = make_composite (SHAPE (2, 1, 3), NULL, NULL, 0);
  GError *error = NULL;

  check_names (reel_spec_refine_names (spec.spec, 3, whole, NULL), "a b c ");
  check_names (reel_spec_refine_names (bare, 2, rest, NULL), "a - - ");
  check_names (reel_spec_refine_names (bare, 2, last, NULL), "- - c ");
  check_refused (reel_spec_refine_names (spec.spec, 3, other, &error), &error, REEL_ERROR_RUNTIME,
                 "refine_names: cannot coerce Composite names ['a', None, 'c'] with ['a', 'b', "
                 "'d']");
  check_refused (reel_spec_refine_names (spec.spec, 2, rest, &error), &error, REEL_ERROR_RUNTIME,
                 "refine_names: cannot coerce Composite names ['a', None, 'c'] with ['a', '...']");
  check_refused (reel_spec_refine_names (spec.spec, 2, whole, &error), &error, REEL_ERROR_VALUE,
                 "Expected 3 names, but got 2 names: ['a', 'b']");
}

static void
test_print (void)
{
  g_autoptr (ReelSpec) empty = make_composite (SCALAR, NULL, NULL, 0);
  g_autoptr (ReelSpec) act = taken (reel_spec_set (empty, "act", NULL, NULL));
  g_autoptr (ReelSpec) nested = taken (reel_spec_set (act, "n/x", NULL, NULL));
  g_autoptr (ReelSpec) on_cpu = taken (reel_spec_set_device (nested, "cpu", NULL));
  g_autoptr (ReelSpec) of_class = taken (reel_spec_set_data_class (on_cpu, "__main__.MyData"));
  g_autofree char *text = reel_spec_to_string (of_class);

  g_assert_false (reel_spec_equal (on_cpu, of_class));
  g_assert_cmpstr (reel_spec_get_data_class (of_class), ==, "__main__.MyData");
  g_assert_cmpstr (text, ==,
                   "Composite(\n"
                   "    act: None,\n"
                   "    n: Composite(\n"
                   "        x: None,\n"
                   "        device=cpu,\n"
                   "        shape=torch.Size([]),\n"
                   "        data_cls=None),\n"
                   "    device=cpu,\n"
                   "    shape=torch.Size([]),\n"
                   "    data_cls=<class '__main__.MyData'>)");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/specs/keys/list", test_list);
  g_test_add_func ("/specs/keys/is-empty", test_is_empty);
  g_test_add_func ("/specs/keys/set", test_set);
  g_test_add_func ("/specs/keys/set-widens-composites", test_set_widens_composites);
  g_test_add_func ("/specs/keys/set-refuses", test_set_refuses);
  g_test_add_func ("/specs/keys/remove", test_remove);
  g_test_add_func ("/specs/keys/update", test_update);
  g_test_add_func ("/specs/keys/separate", test_separate);
  g_test_add_func ("/specs/attributes/shape", test_set_shape);
  g_test_add_func ("/specs/attributes/device", test_device);
  g_test_add_func ("/specs/attributes/names", test_names);
  g_test_add_func ("/specs/attributes/refine-names", test_refine_names);
  g_test_add_func ("/specs/attributes/print", test_print);

  return g_test_run ();
}
