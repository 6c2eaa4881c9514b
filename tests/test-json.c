/* Faults of JSON, and members of another type, are named with their place. */
#include "../src/core/formats/json.h"

#include <glib/gstdio.h>
#include <string.h>

#define NAME "dir/meta.json"

static json_t *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  json_t *object = reel_json_parse (NAME, text, strlen (text), &error);

  g_assert_no_error (error);
  return object;
}

static void
assert_damaged (GError **error, const char *message)
{
  g_assert_error (*error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_cmpstr ((*error)->message, ==, message);
  g_clear_error (error);
}

static void
test_faults_have_a_place (void)
{
  static const struct
  {
    const char *text, *message;
  } faults[] = {
    { "", NAME ":1:0: unexpected token near end of file" },
    { "{\"a\": 1,\n \"b\" 2}", NAME ":2:6: ':' expected near '2'" },
    { "{\"a\": 1, \"a\": 2}", NAME ":1:12: duplicate object key near '\"a\"'" },
    { "{\"a\": NaN}", NAME ":1:9: invalid token near 'NaN'" },
    { "{} x", NAME ":1:4: end of file expected near 'x'" },
    { "{\"a\": 99999999999999999999}", NAME ":1:26: too big integer near '99999999999999999999'" },
    { "[1]", NAME ": expected an object, found an array" },
    { "3.5", NAME ": expected an object, found the real 3.5" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      GError *error = NULL;
      g_assert_null (reel_json_parse (NAME, faults[i].text, strlen (faults[i].text), &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
      g_assert_cmpstr (error->message, ==, faults[i].message);
      g_clear_error (&error);
    }
}

static void
test_bad_bytes (void)
{
  const char text[] = "{\"\xff\": 1}";
  const char nul[] = "{\"a\0b\": 1}";
  GError *error = NULL;

  g_assert_null (reel_json_parse (NAME, text, sizeof text - 1, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_clear_error (&error);
  g_assert_null (reel_json_parse (NAME, nul, sizeof nul - 1, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_clear_error (&error);
}

static void
test_deep_nesting_is_refused (void)
{
  g_autofree char *text = g_strnfill (1 << 20, '[');
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_json_parse (NAME, text, 1 << 20, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
}

static void
test_missing_file (void)
{
  GError *error = NULL;

  g_assert_null (reel_json_load_file ("/nowhere/meta.json", &error));
  assert_damaged (&error, "/nowhere/meta.json: this JSON file is missing");
  g_assert_null (reel_json_load_file ("/", &error));
  assert_damaged (&error, "/: expected a JSON file, found something else");
}

static void
test_integers (void)
{
  g_autoptr (json_t) object =
      parse ("{\"n\": 5, \"real\": 5.0, \"big\": 9223372036854775807, \"null\": null}");
  GError *error = NULL;
  gint64 value = 77;

  g_assert_true (reel_json_get_int64 (object, NAME, "n", 5, 5, &value, NULL));
  g_assert_cmpint (value, ==, 5);
  g_assert_true (reel_json_get_int64 (object, NAME, "big", 0, G_MAXINT64, &value, NULL));
  g_assert_cmpint (value, ==, G_MAXINT64);
  g_assert_false (reel_json_get_int64 (object, NAME, "n", 6, 9, &value, &error));
  assert_damaged (&error, NAME ": \"n\": expected an integer from 6 to 9, found the integer 5");
  g_assert_false (reel_json_get_int64 (object, NAME, "n", 0, 4, &value, &error));
  assert_damaged (&error, NAME ": \"n\": expected an integer from 0 to 4, found the integer 5");
  g_assert_false (reel_json_get_int64 (object, NAME, "real", 0, 9, &value, &error));
  assert_damaged (&error, NAME ": \"real\": expected an integer from 0 to 9, found the real 5.0");
  g_assert_false (reel_json_get_int64 (object, NAME, "none", 0, 9, &value, &error));
  assert_damaged (&error, NAME ": \"none\" is missing; expected an integer from 0 to 9");
  g_assert_cmpint (value, ==, G_MAXINT64);
  g_assert_true (reel_json_get_int64_or (object, NAME, "none", 0, 9, 3, &value, NULL));
  g_assert_cmpint (value, ==, 3);
  g_assert_true (reel_json_get_int64_or (object, NAME, "null", 0, 9, 4, &value, NULL));
  g_assert_cmpint (value, ==, 4);
  g_assert_true (reel_json_get_int64_or (object, NAME, "n", 0, 9, 4, &value, NULL));
  g_assert_cmpint (value, ==, 5);
  g_assert_false (reel_json_get_int64_or (object, NAME, "real", 0, 9, 4, &value, NULL));
}

static void
test_other_members (void)
{
  g_autoptr (json_t) object = parse ("{\"one\": 1, \"yes\": true, \"text\": \"é\"}");
  GError *error = NULL;
  gboolean flag = FALSE;

  g_assert_true (reel_json_get_bool (object, NAME, "yes", &flag, NULL));
  g_assert_true (flag);
  g_assert_false (reel_json_get_bool (object, NAME, "one", &flag, &error));
  assert_damaged (&error, NAME ": \"one\": expected true or false, found the integer 1");
  g_assert_cmpstr (reel_json_get_string (object, NAME, "text", NULL), ==, "é");
  g_assert_null (reel_json_get_string (object, NAME, "yes", &error));
  assert_damaged (&error, NAME ": \"yes\": expected a string, found true");
}

static void
test_long_values_are_cut (void)
{
  g_autofree char *word = g_strnfill (1000, 'x');
  g_autofree char *text = g_strdup_printf ("{\"a\": \"%s\"}", word);
  g_autoptr (json_t) object = parse (text);
  g_autoptr (GError) error = NULL;
  gboolean flag;

  g_assert_false (reel_json_get_bool (object, NAME, "a", &flag, &error));
  g_assert_cmpuint (strlen (error->message), <, 150);
  g_assert_true (g_str_has_suffix (error->message, "…"));
}

static void
test_shapes (void)
{
  g_autoptr (json_t) object =
      parse ("{\"s\": [2, 0], \"e\": [], \"neg\": [1, -1], \"real\": [1.0], \"n\": 3,"
             " \"many\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}");
  const gint64 expected[] = { 2, 0 };
  gint64 shape[REEL_MAX_NDIM];
  GError *error = NULL;
  gint ndim;

  g_assert_true (reel_json_get_shape (object, NAME, "s", &ndim, shape, NULL));
  g_assert_cmpmem (shape, ndim * sizeof *shape, expected, sizeof expected);
  g_assert_true (reel_json_get_shape (object, NAME, "e", &ndim, shape, NULL));
  g_assert_cmpint (ndim, ==, 0);
  g_assert_false (reel_json_get_shape (object, NAME, "neg", &ndim, shape, &error));
  assert_damaged (&error,
                  NAME ": \"neg\"[1]: expected an integer of at least 0, found the integer -1");
  g_assert_false (reel_json_get_shape (object, NAME, "real", &ndim, shape, &error));
  assert_damaged (&error,
                  NAME ": \"real\"[0]: expected an integer of at least 0, found the real 1.0");
  g_assert_false (reel_json_get_shape (object, NAME, "n", &ndim, shape, &error));
  assert_damaged (&error,
                  NAME ": \"n\": expected an array of at most 16 integers, found the integer 3");
  g_assert_false (reel_json_get_shape (object, NAME, "many", &ndim, shape, &error));
  assert_damaged (&error,
                  NAME ": \"many\": expected an array of at most 16 integers, found an array");
}

static void
test_both_styles (void)
{
  const gint64 shape[] = { 3, 4 };
  g_autoptr (json_t) object = json_object ();

  json_object_set_new (object, "é", reel_json_new_shape (2, shape));
  json_object_set_new (object, "a", json_null ());
  g_autofree char *compact = reel_json_to_string (object, REEL_JSON_COMPACT);
  g_autofree char *spaced = reel_json_to_string (object, REEL_JSON_SPACED);
  g_assert_cmpstr (compact, ==, "{\"é\":[3,4],\"a\":null}");
  g_assert_cmpstr (spaced, ==, "{\"\\u00E9\": [3, 4], \"a\": null}");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/core/json/faults-have-a-place", test_faults_have_a_place);
  g_test_add_func ("/core/json/bad-bytes", test_bad_bytes);
  g_test_add_func ("/core/json/deep-nesting-is-refused", test_deep_nesting_is_refused);
  g_test_add_func ("/core/json/missing-file", test_missing_file);
  g_test_add_func ("/core/json/integers", test_integers);
  g_test_add_func ("/core/json/other-members", test_other_members);
  g_test_add_func ("/core/json/long-values-are-cut", test_long_values_are_cut);
  g_test_add_func ("/core/json/shapes", test_shapes);
  g_test_add_func ("/core/json/both-styles", test_both_styles);

  return g_test_run ();
}
