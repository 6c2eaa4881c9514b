/* Values that are no tensors: what they become, how they follow the batch, what they print. */
#include "../src/core/formats/json.h"
#include "../src/core/tensordict/variant.h"
#include "../src/reel.h"

#include <math.h>
#include <string.h>

static ReelNonTensor *
new_strings (const char *const *strings)
{
  g_autoptr (GError) error = NULL;
  ReelNonTensor *non_tensor =
      reel_non_tensor_new_from_list (g_variant_new_strv (strings, -1), 1, &error);

  g_assert_no_error (error);
  return non_tensor;
}

static ReelNonTensor *
new_parsed (const char *list, gint ndim, GError **error)
{
  g_autoptr (GVariant) value = g_variant_parse (NULL, list, NULL, NULL, NULL);

  g_assert_nonnull (value);
  return reel_non_tensor_new_from_list (value, ndim, error);
}

static void
assert_text (const ReelNonTensor *non_tensor, const char *expected)
{
  g_autofree char *text = reel_non_tensor_to_string (non_tensor);

  g_assert_cmpstr (text, ==, expected);
}

/* Takes @value. */
static void
assert_variant (GVariant *value, const char *expected)
{
  g_autofree char *text = g_variant_print (value, TRUE);

  g_assert_cmpstr (text, ==, expected);
  g_variant_unref (value);
}

/* ---- values ---- */

static void
test_values_have_one_form (void)
{
  static const struct
  {
    const char *given, *kept;
  } values[] = {
    { "'a'", "'a'" },
    { "byte 7", "int64 7" },
    { "int16 -7", "int64 -7" },
    { "uint16 7", "int64 7" },
    { "int32 7", "int64 7" },
    { "uint32 4294967295", "int64 4294967295" },
    { "uint64 9223372036854775807", "int64 9223372036854775807" },
    { "1.5", "1.5" },
    { "true", "true" },
    { "@ms nothing", "@mv nothing" },
    { "just 'a'", "'a'" },
    { "<<'a'>>", "'a'" },
    { "[1, 2]", "[<int64 1>, <int64 2>]" },
    { "['a', 'b']", "[<'a'>, <'b'>]" },
    { "@as []", "@av []" },
    { "{'k': 1}", "{'k': <int64 1>}" },
    { "@a{sv} {}", "@a{sv} {}" },
    { "(1, 'a')", "(int64 1, 'a')" },
    { "{'k': <[<1>, <{'l': @mv nothing}>]>}", "{'k': <[<int64 1>, <{'l': <@mv nothing>}>]>}" },
    { "objectpath '/a'", "'/a'" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GVariant) given = g_variant_parse (NULL, values[i].given, NULL, NULL, &error);
      g_assert_no_error (error);
      g_autoptr (ReelNonTensor) non_tensor = reel_non_tensor_new (given, 0, NULL, &error);
      g_assert_no_error (error);
      assert_variant (reel_non_tensor_dup_data (non_tensor), values[i].kept);
    }
}

static void
test_what_has_no_counterpart (void)
{
  g_autoptr (GVariant) deep = g_variant_ref_sink (g_variant_new_int64 (1));
  GError *error = NULL;

  g_assert_null (reel_non_tensor_new (g_variant_new_uint64 (1ull << 63), 0, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
  g_assert_null (reel_non_tensor_new (g_variant_new_parsed ("{1: 'a'}"), 0, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
  g_assert_null (reel_non_tensor_new (g_variant_new_parsed ("[handle 1]"), 0, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
  for (guint i = 0; i <= REEL_VARIANT_MAX_DEPTH; i++)
    {
      g_autoptr (ReelNonTensor) fits = reel_non_tensor_new (deep, 0, NULL, &error);
      g_assert_no_error (error);
      GVariant *boxed = g_variant_new_variant (deep);
      g_variant_unref (deep);
      deep = g_variant_ref_sink (g_variant_new_array (NULL, &boxed, 1));
    }
  g_assert_null (reel_non_tensor_new (deep, 0, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_clear_error (&error);
}

static void
test_json_and_back (void)
{
  const char *text = "{\"s\": \"é\\n\", \"i\": -9223372036854775808, \"d\": 0.1, \"t\": true, "
                     "\"n\": null, \"l\": [1, [], {}], \"o\": {\"k\": [false]}}";
  g_autoptr (json_t) json = json_loads (text, 0, NULL);
  g_autoptr (GVariant) value = reel_variant_from_json (json, NULL);
  g_autoptr (json_t) back = reel_variant_to_json (value);
  g_autoptr (GVariant) tuple = g_variant_ref_sink (g_variant_new_parsed ("(@x 1, 'a')"));
  g_autoptr (json_t) list = reel_variant_to_json (tuple);
  g_autoptr (GVariant) nan = g_variant_ref_sink (g_variant_new_double (NAN));
  g_autoptr (json_t) null = reel_variant_to_json (nan);
  g_autoptr (json_t) deep = json_array ();
  g_autoptr (GError) error = NULL;

  g_assert_true (json_equal (json, back));
  g_assert_cmpint (json_array_size (list), ==, 2);
  g_assert_true (json_is_null (null));
  for (guint i = 0; i <= REEL_VARIANT_MAX_DEPTH; i++)
    {
      g_autoptr (GVariant) fits = reel_variant_from_json (deep, &error);
      g_assert_no_error (error);
      json_t *outer = json_array ();
      json_array_append_new (outer, deep);
      deep = outer;
    }
  g_assert_null (reel_variant_from_json (deep, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
}

/* ---- batches ---- */

static void
test_lists_nest_as_batches (void)
{
  static const struct
  {
    const char *list;
    gint ndim;
    const char *size; /* %NULL where it is an error */
    ReelError code;
  } cases[] = {
    { "['a', 'b']", 1, "[2]", 0 },
    { "['a', 'b']", -1, "[2]", 0 },
    { "@as []", -1, "[0]", 0 },
    { "[['a', 'b'], ['c', 'd']]", -1, "[2, 2]", 0 },
    { "[['a', 'b'], ['c', 'd']]", 2, "[2, 2]", 0 },
    { "[['a', 'b'], ['c', 'd']]", 1, "[2]", 0 },
    { "[['a', 'b'], ['c']]", -1, "[2]", 0 },
    { "[['a', 'b'], ['c']]", 2, NULL, REEL_ERROR_RUNTIME },
    { "[<['a']>, <'b'>]", -1, "[2]", 0 },
    { "[<['a']>, <'b'>]", 2, NULL, REEL_ERROR_TYPE },
    { "[[[1], [2]], [[3], [4]]]", -1, "[2, 2, 1]", 0 },
    { "[[<[1]>, <[2]>], [<[3]>, <4>]]", -1, "[2, 2]", 0 },
    { "@aas [[], []]", 2, "[2, 0]", 0 },
    { "@aas [[], []]", -1, "[2]", 0 },
    { "'a'", 1, NULL, REEL_ERROR_TYPE },
    { "'a'", -1, NULL, REEL_ERROR_TYPE },
    { "@aas []", 2, "[0, 0]", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelNonTensor) non_tensor = new_parsed (cases[i].list, cases[i].ndim, &error);

      g_test_message ("%s", cases[i].list);
      if (cases[i].size)
        {
          g_autoptr (GString) size = g_string_new ("[");
          gint ndim;
          g_assert_no_error (error);
          const gint64 *shape = reel_non_tensor_get_batch_size (non_tensor, &ndim);
          for (gint j = 0; j < ndim; j++)
            g_string_append_printf (size, "%s%d", j == 0 ? "" : ", ", (int) shape[j]);
          g_string_append_c (size, ']');
          g_assert_cmpstr (size->str, ==, cases[i].size);
          g_assert_false (reel_non_tensor_is_single (non_tensor));
        }
      else
        g_assert_error (error, REEL_ERROR, (int) cases[i].code);
    }
}

static void
test_equal_values_are_kept_once (void)
{
  g_autoptr (ReelNonTensor) non_tensor =
      new_parsed ("[<'a'>, <@mv nothing>, <'b'>, <'a'>, <1>, <1.0>, <true>, <int64 1>]", 1, NULL);
  const gint64 expected[] = { 0, -1, 1, 0, 2, 3, 4, 2 };
  gint64 n;
  GVariant *const *values = reel_non_tensor_get_values (non_tensor, &n);
  ReelTensor *which = reel_non_tensor_get_which (non_tensor);

  g_assert_cmpint (n, ==, 5);
  g_assert_cmpstr (g_variant_get_string (values[1], NULL), ==, "b");
  g_assert_cmpmem (which->data, sizeof expected, expected, sizeof expected);
  for (gint64 i = 0; i < 8; i++)
    g_assert_true (reel_non_tensor_get_value (non_tensor, &i)
                   == (expected[i] < 0 ? reel_non_tensor_get_value (non_tensor, &(gint64){ 1 })
                                       : values[expected[i]]));
}

static void
test_from_which (void)
{
  const gint64 shape[] = { 3 };
  g_autoptr (ReelTensor) which = reel_tensor_new (REEL_DTYPE_INT64, 1, shape, NULL);
  g_autoptr (ReelTensor) wrong = reel_tensor_new (REEL_DTYPE_INT32, 1, shape, NULL);
  g_autoptr (ReelTensor) one = reel_tensor_new (REEL_DTYPE_INT64, 0, NULL, NULL);
  g_autoptr (ReelTensor) all = reel_tensor_expand (one, 1, shape, NULL);
  g_autoptr (GVariant) a = g_variant_ref_sink (g_variant_new_string ("a"));
  g_autoptr (GVariant) b = g_variant_ref_sink (g_variant_new_string ("b"));
  GVariant *values[] = { a, b, a };
  GError *error = NULL;

  memcpy (which->data, (gint64[]){ 2, -1, 1 }, 3 * sizeof (gint64));
  g_autoptr (ReelNonTensor) mixed = reel_non_tensor_new_from_which (values, 3, which, &error);
  g_assert_no_error (error);
  assert_variant (reel_non_tensor_to_list (mixed), "[<'a'>, <@mv nothing>, <'b'>]");
  g_autoptr (ReelNonTensor) single = reel_non_tensor_new_from_which (values, 3, all, &error);
  g_assert_no_error (error);
  g_assert_true (reel_non_tensor_is_single (single));
  assert_text (single, "NonTensorData(data=a, batch_size=torch.Size([3]), device=None)");

  g_assert_null (reel_non_tensor_new_from_which (values, 2, which, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
  g_clear_error (&error);
  g_assert_null (reel_non_tensor_new_from_which (values, 3, wrong, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
}

static void
test_equality (void)
{
  const gint64 two[] = { 2 };
  g_autoptr (ReelNonTensor) ab = new_parsed ("['a', 'b']", 1, NULL);
  g_autoptr (ReelNonTensor) ba = new_parsed ("['b', 'a']", 1, NULL);
  g_autoptr (ReelNonTensor) aa = new_parsed ("['a', 'a']", 1, NULL);
  g_autoptr (ReelNonTensor) one = new_parsed ("['a']", 1, NULL);
  g_autoptr (ReelNonTensor) single = reel_non_tensor_new (g_variant_new_string ("a"), 1, two, NULL);
  g_autoptr (ReelNonTensor) none = reel_non_tensor_new (NULL, 1, two, NULL);
  g_autoptr (ReelNonTensor) integer = reel_non_tensor_new (g_variant_new_int32 (1), 1, two, NULL);
  g_autoptr (ReelNonTensor) real = reel_non_tensor_new (g_variant_new_double (1), 1, two, NULL);

  g_assert_true (reel_non_tensor_equal (ab, ab));
  g_assert_false (reel_non_tensor_equal (ab, ba));
  g_assert_true (reel_non_tensor_equal (aa, single));
  g_assert_true (reel_non_tensor_equal (single, aa));
  g_assert_false (reel_non_tensor_equal (ab, single));
  g_assert_false (reel_non_tensor_equal (aa, one));
  g_assert_true (reel_non_tensor_equal (none, none));
  g_assert_false (reel_non_tensor_equal (none, single));
  g_assert_false (reel_non_tensor_equal (integer, real));
}

/* ---- in a tensordict ---- */

static ReelTensordict *
new_example (void)
{
  const gint64 shape[] = { 3 };
  ReelTensordict *td = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, shape, NULL);
  g_autoptr (ReelNonTensor) words = new_strings ((const char *const[]){ "a", "b", "c", NULL });

  g_assert_true (reel_tensordict_set_tensor (td, "x", tensor, NULL));
  g_assert_true (reel_tensordict_set_non_tensor (td, "sub/words", words, NULL));
  g_assert_true (reel_tensordict_set_value (td, "task", g_variant_new_string ("walk"), NULL));
  return td;
}

static void
test_entries (void)
{
  g_autoptr (ReelTensordict) td = new_example ();
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (td);
  g_auto (GStrv) others = reel_tensordict_list_non_tensors (td);
  g_autoptr (ReelNonTensor) two = new_parsed ("['a', 'b']", 1, NULL);
  ReelTensordictIter iter;
  const char *key;
  GError *error = NULL;

  g_assert_true (g_strv_equal ((const char *const *) leaves, (const char *const[]){ "x", NULL }));
  g_assert_true (g_strv_equal ((const char *const *) others,
                               (const char *const[]){ "sub/words", "task", NULL }));
  g_assert_true (reel_tensordict_contains (td, "sub/words"));
  assert_variant (reel_tensordict_dup_value (td, "task", NULL), "'walk'");
  assert_variant (reel_tensordict_dup_value (td, "sub/words", NULL), "[<'a'>, <'b'>, <'c'>]");

  g_assert_null (reel_tensordict_get_tensor (td, "task", &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_assert_cmpstr (error->message, ==, "\"task\" is a non-tensor, not a tensor");
  g_clear_error (&error);
  g_assert_null (reel_tensordict_dup_value (td, "x", &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_clear_error (&error);
  g_assert_null (reel_tensordict_get_non_tensor (td, "y", &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_clear_error (&error);
  g_assert_false (reel_tensordict_set_value (td, "task/more", NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_clear_error (&error);
  g_assert_false (reel_tensordict_set_non_tensor (td, "two", two, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);

  reel_tensordict_iter_init (&iter, td);
  g_assert_null (reel_tensordict_iter_get_non_tensor (&iter));
  while (reel_tensordict_iter_next (&iter, &key, NULL, NULL))
    g_assert_cmpint (reel_tensordict_iter_get_non_tensor (&iter) != NULL, ==,
                     strcmp (key, "task") == 0);
  g_assert_true (reel_tensordict_remove (td, "task", NULL));
  g_assert_false (reel_tensordict_contains (td, "task"));
}

static void
assert_words (ReelTensordict *td, const char *words, const char *task)
{
  g_assert_nonnull (td);
  assert_variant (reel_tensordict_dup_value (td, "sub/words", NULL), words);
  assert_variant (reel_tensordict_dup_value (td, "task", NULL), task);
  reel_tensordict_unref (td);
}

/* Not one value for all, though all are the same: what was stacked stays a stack. */
static void
test_shapes (void)
{
  g_autoptr (ReelTensordict) td = new_example ();
  const gint64 rows[] = { 2, 2, -3 };
  ReelTensordict *pair[] = { td, td };
  const char *all = "[<'a'>, <'b'>, <'c'>]";

  assert_words (reel_tensordict_clone (td, TRUE, NULL), all, "'walk'");
  assert_words (reel_tensordict_clone (td, FALSE, NULL), all, "'walk'");
  assert_words (reel_tensordict_slice (td, 0, 1, 3, 1, NULL), "[<'b'>, <'c'>]", "'walk'");
  assert_words (reel_tensordict_slice (td, 0, 3, 3, 1, NULL), "@av []", "'walk'");
  assert_words (reel_tensordict_select_index (td, 0, -1, NULL), "'c'", "'walk'");
  assert_words (reel_tensordict_gather_rows (td, rows, 3, NULL), "[<'c'>, <'c'>, <'a'>]", "'walk'");
  assert_words (reel_tensordict_stack (pair, 2, 1, NULL),
                "[<[<'a'>, <'a'>]>, <[<'b'>, <'b'>]>, <[<'c'>, <'c'>]>]",
                "[<[<'walk'>, <'walk'>]>, <[<'walk'>, <'walk'>]>, <[<'walk'>, <'walk'>]>]");
}

static void
test_equal_tensordicts (void)
{
  g_autoptr (ReelTensordict) td = new_example ();
  g_autoptr (ReelTensordict) copy = reel_tensordict_clone (td, TRUE, NULL);
  g_autoptr (ReelNonTensor) words =
      new_strings ((const char *const[]){ "walk", "walk", "walk", NULL });

  g_assert_true (reel_tensordict_equal (td, copy));
  g_assert_true (reel_tensordict_set_non_tensor (copy, "task", words, NULL));
  g_assert_true (reel_tensordict_equal (td, copy));
  g_assert_true (reel_tensordict_set_value (copy, "task", g_variant_new_string ("run"), NULL));
  g_assert_false (reel_tensordict_equal (td, copy));
}

static void
test_unequal_become_a_stack (void)
{
  g_autoptr (ReelTensordict) a = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensordict) b = reel_tensordict_new (0, NULL);
  ReelTensordict *pair[] = { a, b };
  g_autoptr (GError) error = NULL;

  reel_tensordict_set_value (a, "s", NULL, NULL);
  reel_tensordict_set_value (b, "s", g_variant_new_string ("a"), NULL);
  g_autoptr (ReelTensordict) stacked = reel_tensordict_stack (pair, 2, 0, NULL);
  assert_text (reel_tensordict_get_non_tensor (stacked, "s", NULL),
               "NonTensorStack(\n    [None, 'a'],\n    batch_size=torch.Size([2]),\n    "
               "device=None)");

  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_BOOL, 0, NULL, NULL);
  reel_tensordict_set_tensor (b, "s", tensor, NULL);
  g_assert_null (reel_tensordict_stack (pair, 2, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

/* ---- MetaData ---- */

static ReelTensordict *
new_meta (const char *value)
{
  const gint64 three = 3;
  ReelTensordict *td = reel_tensordict_new (1, &three);
  g_autoptr (ReelNonTensor) meta =
      reel_non_tensor_new_meta (g_variant_new_string (value), 1, &three, NULL);

  reel_tensordict_set_non_tensor (td, "m", meta, NULL);
  return td;
}

static void
assert_printed (ReelTensordict *td, const char *expected)
{
  ReelNonTensor *meta = reel_tensordict_get_non_tensor (td, "m", NULL);
  g_autofree char *text = reel_non_tensor_to_string (meta);

  g_assert_cmpstr (text, ==, expected);
  g_assert_cmpint (reel_non_tensor_is_meta (meta), ==, g_str_has_prefix (expected, "MetaData"));
  reel_tensordict_unref (td);
}

/* One value for all is said once, whatever becomes of the batch. */
static void
test_meta_data_stay (void)
{
  g_autoptr (ReelTensordict) td = new_meta ("hi");
  g_autoptr (ReelTensordict) same = new_meta ("hi");
  g_autoptr (ReelTensordict) other = new_meta ("ho");
  ReelTensordict *const alike[] = { td, same }, *const unlike[] = { td, other };
  g_auto (ReelIndex) first = REEL_INDEX_INIT;
  g_autoptr (ReelTensordict) changed = reel_tensordict_clone (td, FALSE, NULL);
  g_autoptr (ReelTensordict) element = NULL;

  assert_printed (reel_tensordict_select_index (td, 0, 0, NULL),
                  "MetaData(data=hi, batch_size=torch.Size([]), device=None)");
  assert_printed (reel_tensordict_unsqueeze (td, 0, NULL),
                  "MetaData(data=hi, batch_size=torch.Size([1, 3]), device=None)");
  assert_printed (reel_tensordict_stack (alike, 2, 0, NULL),
                  "MetaData(data=hi, batch_size=torch.Size([2, 3]), device=None)");
  assert_printed (reel_tensordict_cat (alike, 2, 0, NULL),
                  "MetaData(data=hi, batch_size=torch.Size([6]), device=None)");
  assert_printed (reel_tensordict_stack (unlike, 2, 0, NULL),
                  "NonTensorStack(\n    [['hi', 'hi', 'hi'], ['ho', 'ho', 'ho']],\n"
                  "    batch_size=torch.Size([2, 3]),\n    device=None)");
  element = reel_tensordict_select_index (other, 0, 0, NULL);
  reel_index_add_int (&first, 0);
  g_assert_true (reel_tensordict_assign (changed, &first, element, NULL));
  assert_printed (g_steal_pointer (&changed), "NonTensorStack(\n    ['ho', 'hi', 'hi'],\n"
                                              "    batch_size=torch.Size([3]),\n    device=None)");
}

/* A value of more than 200 characters is shown by both of its ends. */
static void
test_long_values_are_cut (void)
{
  for (gsize n = 199; n <= 202; n++)
    {
      g_autoptr (GString) word = g_string_new (NULL);
      g_autoptr (GString) expected = g_string_new ("NonTensorData(data=");

      for (gsize i = 0; i < n; i++)
        g_string_append (word, i % 2 ? "é" : "x");
      if (n <= 200)
        g_string_append (expected, word->str);
      else
        for (gsize i = 0; i < 41; i++)
          g_string_append (expected, i == 20                        ? "  ...  "
                                     : (i + (i > 20) * (n + 1)) % 2 ? "é"
                                                                    : "x");
      g_string_append (expected, ", batch_size=torch.Size([]), device=None)");
      g_autoptr (ReelNonTensor) value =
          reel_non_tensor_new (g_variant_new_string (word->str), 0, NULL, NULL);
      assert_text (value, expected->str);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/non-tensor/values-have-one-form", test_values_have_one_form);
  g_test_add_func ("/core/non-tensor/what-has-no-counterpart", test_what_has_no_counterpart);
  g_test_add_func ("/core/non-tensor/json-and-back", test_json_and_back);
  g_test_add_func ("/core/non-tensor/lists-nest-as-batches", test_lists_nest_as_batches);
  g_test_add_func ("/core/non-tensor/equal-values-are-kept-once", test_equal_values_are_kept_once);
  g_test_add_func ("/core/non-tensor/from-which", test_from_which);
  g_test_add_func ("/core/non-tensor/equality", test_equality);
  g_test_add_func ("/core/non-tensor/entries", test_entries);
  g_test_add_func ("/core/non-tensor/shapes", test_shapes);
  g_test_add_func ("/core/non-tensor/equal-tensordicts", test_equal_tensordicts);
  g_test_add_func ("/core/non-tensor/unequal-become-a-stack", test_unequal_become_a_stack);
  g_test_add_func ("/core/non-tensor/meta-data-stay", test_meta_data_stay);
  g_test_add_func ("/core/non-tensor/long-values-are-cut", test_long_values_are_cut);

  return g_test_run ();
}
