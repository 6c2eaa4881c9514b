/* Saved values that are no tensors, and records. */
#include "../src/core/system/directories.h"
#include "../src/reel.h"
#include "memmap-example.h"
#include "scratch.h"

#include <string.h>

#define DATA "<class 'tensordict.tensorclass.NonTensorData'>"
#define STACK "<class 'tensordict.tensorclass.NonTensorStack'>"

static void
set (ReelTensordict *td, const char *path, ReelNonTensor *non_tensor)
{
  g_assert_nonnull (non_tensor);
  g_assert_true (reel_tensordict_set_non_tensor (td, path, non_tensor, NULL));
  reel_non_tensor_unref (non_tensor);
}

static GVariant *
parse (const char *text)
{
  return g_variant_new_parsed (text);
}

static ReelTensordict *
new_values (void)
{
  const gint64 two[] = { 2 };
  ReelTensordict *td = memmap_new_example ();

  set (td, "text", reel_non_tensor_new (parse ("'a \" ç'"), 1, two, NULL));
  set (td, "none", reel_non_tensor_new (NULL, 1, two, NULL));
  set (td, "dict", reel_non_tensor_new (parse ("{'a': <[<1>, <2.5>]>}"), 1, two, NULL));
  set (td, "next/rows", reel_non_tensor_new_from_list (parse ("['x', 'y']"), 1, NULL));
  set (td, "grid", reel_non_tensor_new_from_list (parse ("[<['a', 'b']>, <['c', 'd']>]"), 2, NULL));
  return td;
}

static void
test_round_trip (void)
{
  g_autoptr (ReelTensordict) td = new_values ();

  for (gint i = 0; i <= 1; i++)
    {
      g_autofree char *path = scratch_path (i ? "archive.tdz" : "directory");
      g_autoptr (GError) error = NULL;
      g_assert_true (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, &error));
      g_assert_no_error (error);
      g_autoptr (ReelTensordict) found = reel_tensordict_load (path, REEL_LOAD_DEFAULT, &error);
      g_assert_no_error (error);
      g_assert_true (reel_tensordict_equal (td, found));
      g_assert_true (
          reel_non_tensor_is_single (reel_tensordict_get_non_tensor (found, "text", NULL)));
      g_assert_false (
          reel_non_tensor_is_single (reel_tensordict_get_non_tensor (found, "grid", NULL)));
    }
}

static void
test_files (void)
{
  g_autoptr (ReelTensordict) td = new_values ();
  g_autofree char *path = scratch_path ("d");
  g_autofree char *text = scratch_path ("d/text/meta.json");
  g_autofree char *rows = scratch_path ("d/next/rows/meta.json");

  g_assert_true (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, NULL));
  scratch_assert_holds (text, "{\"_type\":\"" DATA "\",\"data\":\"a \\\" ç\","
                              "\"_is_non_tensor\":true,\"_metadata\":null}");
  scratch_assert_holds (rows, "{\"_type\":\"" STACK "\",\"stack_dim\":0,\"device\":null,"
                              "\"data\":[\"x\",\"y\"]}");
}

/* Files of zeros have the values of what they are like. */
static void
test_like_another (void)
{
  g_autoptr (ReelTensordict) td = new_values ();
  g_autofree char *path = scratch_path ("d");
  g_autoptr (ReelTensordict) like = reel_tensordict_save_like (td, path, NULL);
  ReelNonTensor *expected = reel_tensordict_get_non_tensor (td, "grid", NULL);

  g_assert_true (
      reel_non_tensor_equal (expected, reel_tensordict_get_non_tensor (like, "grid", NULL)));
}

/* TorchRL writes such a stack, and reads one of another batch size. */
static void
test_ambiguous_lists_are_refused (void)
{
  g_autoptr (ReelTensordict) td = memmap_new_example ();
  g_autofree char *path = scratch_path ("d");
  g_autoptr (GError) error = NULL;

  set (td, "lists",
       reel_non_tensor_new_from_list (parse ("[<['a', 'b']>, <['c', 'd']>]"), 1, NULL));
  g_assert_false (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "\"lists\" of 1 dimensions"));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

static void
test_tensors_alone (void)
{
  g_autoptr (ReelTensordict) td = new_values ();
  g_autofree char *path = scratch_path ("d");
  g_auto (GStrv) left_out = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, NULL));
  g_autoptr (ReelTensordict) found =
      reel_tensordict_load_partial (path, REEL_LOAD_TENSORS, &left_out, NULL);
  g_auto (GStrv) others = reel_tensordict_list_non_tensors (found);
  g_assert_cmpuint (g_strv_length (others), ==, 0);
  g_assert_cmpuint (g_strv_length (left_out), ==, 5);
  g_assert_null (reel_tensordict_load (path, REEL_LOAD_TENSORS, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
}

/* ---- records ---- */

static void
test_records (void)
{
  static const char *const fields[] = { "a", "next", "gone", NULL };
  const gint64 two[] = { 2 };
  g_autoptr (ReelTensordict) record = memmap_new_example ();
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, two);
  g_autofree char *path = scratch_path ("d"), *metadata = scratch_path ("d/r/meta.json");
  g_autofree char *inside = scratch_path ("d/r"), *parent = scratch_path ("d/meta.json");

  g_assert_true (reel_tensordict_set_class (record, "my.module.Data", fields, NULL));
  g_assert_true (reel_tensordict_set_tensordict (td, "r", record, NULL));
  g_assert_true (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, NULL));
  scratch_assert_names (inside, "_tensordict meta.json");
  scratch_assert_holds (metadata, "{\"_type\":\"<class 'my.module.Data'>\",\"gone\":null}");
  scratch_assert_holds (parent, "{\"r\":{\"type\":\"Data\"},\"shape\":[2],\"device\":\"cpu\","
                                "\"_type\":\"" TENSORDICT "\"}");
  g_autoptr (ReelTensordict) found = memmap_load (path);
  ReelTensordict *again = reel_tensordict_get_tensordict (found, "r", NULL);
  g_assert_cmpstr (reel_tensordict_get_class_name (again), ==, "my.module.Data");
  g_assert_cmpuint (g_strv_length ((char **) reel_tensordict_get_class_fields (again)), ==, 3);
  g_assert_true (reel_tensordict_equal (td, found));
}

/* Older versions kept what is no tensor in the metadata of the record. */
static void
test_records_with_values (void)
{
  g_autofree char *path = scratch_path ("d"), *inside = scratch_path ("d/_tensordict");
  g_autofree char *metadata = scratch_path ("d/meta.json");
  g_autoptr (ReelTensordict) td = memmap_new_example ();

  g_assert_true (reel_tensordict_save (td, inside, REEL_SAVE_DEFAULT, NULL));
  scratch_put (metadata, "{\"_type\":\"<class 'my.Data'>\",\"name\":\"x\",\"gone\":null}");
  g_autoptr (ReelTensordict) found = memmap_load (path);
  g_autoptr (GVariant) data =
      reel_non_tensor_dup_data (reel_tensordict_get_non_tensor (found, "name", NULL));
  g_assert_cmpstr (g_variant_get_string (data, NULL), ==, "x");
  g_assert_cmpstr (reel_tensordict_get_class_name (found), ==, "my.Data");
}

/* ---- damage ---- */

typedef struct
{
  const char *metadata, *words;
  gint code;
} Damage;

static void
test_damage (void)
{
  static const Damage cases[] = {
    { "{\"_type\":\"" DATA "\",\"data\":1,\"extra\":2}", "\"extra\" is not a field of",
      REEL_ERROR_DAMAGED },
    { "{\"_type\":\"" STACK "\",\"data\":\"text\"}", "\"data\": expected a list",
      REEL_ERROR_DAMAGED },
    { "{\"_type\":\"" STACK "\",\"data\":\"pickle.pkl\"}", "that only a pickle holds",
      REEL_ERROR_NOT_IMPLEMENTED },
    { "{\"_type\":\"" STACK "\",\"data\":[1]}", "begins with the batch size [2], found [1]",
      REEL_ERROR_DAMAGED },
    { "{\"_type\":\"" STACK "\",\"data\":[]}", "begins with the batch size [2]",
      REEL_ERROR_DAMAGED },
    { "{\"_type\":\"" DATA "\",\"data\":NaN}", "invalid token", REEL_ERROR_DAMAGED },
    { "{\"_type\":\"" DATA "\",\"data\":9223372036854775808}", "too big", REEL_ERROR_DAMAGED },
    { "{\"_type\":\"" DATA "\",\"data\":1,\"data\":2}", "duplicate", REEL_ERROR_DAMAGED },
  };
  g_autofree char *path = scratch_path ("d"), *metadata = scratch_path ("d/text/meta.json");
  g_autoptr (ReelTensordict) td = new_values ();

  g_assert_true (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      scratch_put (metadata, cases[i].metadata);
      g_assert_null (reel_tensordict_load (path, REEL_LOAD_DEFAULT, &error));
      g_test_message ("%s", error->message);
      g_assert_error (error, REEL_ERROR, cases[i].code);
      g_assert_true (g_str_has_prefix (error->message, path));
      g_assert_nonnull (strstr (error->message, cases[i].words));
    }
}

/* Lists in lists deeper than the reader of JSON goes, and than values may be. */
static void
test_deep_values (void)
{
  static const gsize depths[] = { 100, 10000, 1000000 };
  g_autofree char *path = scratch_path ("d"), *metadata = scratch_path ("d/text/meta.json");
  g_autoptr (ReelTensordict) td = new_values ();

  g_assert_true (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (depths); i++)
    {
      g_autofree char *open = g_strnfill (depths[i], '['), *close = g_strnfill (depths[i], ']');
      g_autofree char *text =
          g_strconcat ("{\"_type\":\"" DATA "\",\"data\":", open, close, "}", NULL);
      g_autoptr (GError) error = NULL;
      scratch_put (metadata, text);
      g_assert_null (reel_tensordict_load (path, REEL_LOAD_DEFAULT, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
    }
}

static void
test_missing_data_is_none (void)
{
  g_autofree char *path = scratch_path ("d"), *metadata = scratch_path ("d/text/meta.json");
  g_autoptr (ReelTensordict) td = new_values ();

  g_assert_true (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, NULL));
  scratch_put (metadata, "{\"_type\":\"" DATA "\"}");
  g_autoptr (ReelTensordict) found = memmap_load (path);
  g_assert_true (reel_non_tensor_equal (reel_tensordict_get_non_tensor (found, "text", NULL),
                                        reel_tensordict_get_non_tensor (found, "none", NULL)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  scratch_test ("/core/tensordict-memmap/values/round-trip", test_round_trip);
  scratch_test ("/core/tensordict-memmap/values/files", test_files);
  scratch_test ("/core/tensordict-memmap/values/like-another", test_like_another);
  scratch_test ("/core/tensordict-memmap/values/ambiguous-lists-are-refused",
                test_ambiguous_lists_are_refused);
  scratch_test ("/core/tensordict-memmap/values/tensors-alone", test_tensors_alone);
  scratch_test ("/core/tensordict-memmap/values/records", test_records);
  scratch_test ("/core/tensordict-memmap/values/records-with-values", test_records_with_values);
  scratch_test ("/core/tensordict-memmap/values/damage", test_damage);
  scratch_test ("/core/tensordict-memmap/values/deep-values", test_deep_values);
  scratch_test ("/core/tensordict-memmap/values/missing-data-is-none", test_missing_data_is_none);

  return g_test_run ();
}
