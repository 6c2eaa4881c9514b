/* Dicts of tensors as torch.save has them: what PyTorch wrote is read and written back byte for
 * byte, and whatever is anything else is refused. */
#include "../src/core/formats/pickle.h"
#include "../src/core/formats/torch-archive.h"
#include "../src/reel.h"
#include "scratch.h"

#include <stdio.h>
#include <string.h>

static char *
given (const char *name)
{
  g_autofree char *file = g_strconcat (name, ".pt", NULL);

  return g_test_build_filename (G_TEST_DIST, "data", "torch-archives", file, NULL);
}

static ReelTensordict *
load (const char *name)
{
  g_autofree char *path = given (name);
  g_autoptr (GError) error = NULL;
  ReelTensordict *dict = reel_torch_archive_load (path, &error);

  g_assert_no_error (error);
  return dict;
}

static const char *const written_back[] = { "empty",    "one",      "values", "shapes",
                                            "dtypes-a", "dtypes-b", "nested", "many" };

static ReelTensordict *
metadata_of_module (void)
{
  g_autoptr (ReelTensordict) metadata = reel_tensordict_new (0, NULL);

  g_assert_true (reel_tensordict_set_value (metadata, "%/version", g_variant_new_int64 (2), NULL));
  return g_steal_pointer (&metadata);
}

static void
assert_written_back (const char *name, const ReelTensordict *metadata)
{
  g_autofree char *file = g_strconcat (name, ".pt", NULL);
  g_autofree char *theirs = given (name), *ours = scratch_path (file);
  g_autoptr (ReelTensordict) dict = load (name);
  g_autofree char *expected = NULL, *found = NULL;
  g_autoptr (GError) error = NULL;
  gsize length, n_found;

  reel_torch_archive_save (dict, metadata, ours, FALSE, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (theirs, &expected, &length, NULL));
  g_assert_true (g_file_get_contents (ours, &found, &n_found, NULL));
  g_assert_cmpmem (found, n_found, expected, length);
}

static void
test_written_back (gconstpointer name)
{
  assert_written_back (name, NULL);
}

static void
test_module_is_written_back (void)
{
  g_autoptr (ReelTensordict) metadata = metadata_of_module ();

  assert_written_back ("module", metadata);
}

/* More records than 13, and tensors that share a storage, are written as equal values. */
static void
test_equal_values_are_written (gconstpointer name)
{
  g_autofree char *ours = scratch_path ("again.pt");
  g_autoptr (ReelTensordict) dict = load (name), again = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_torch_archive_save (dict, NULL, ours, TRUE, &error));
  again = reel_torch_archive_load (ours, &error);
  g_assert_no_error (error);
  g_assert_true (reel_tensordict_equal (dict, again));
}

/* ---- what is read ---- */

static void
assert_prints (const ReelTensordict *dict, const char *path, const char *expected)
{
  g_autoptr (GVariant) value = reel_tensordict_dup_value (dict, path, NULL);
  g_autofree char *text = g_variant_print (value, FALSE);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_values (void)
{
  static const char *const cases[][2] = {
    { "none", "nothing" },
    { "yes", "true" },
    { "no", "false" },
    { "zero", "0" },
    { "byte", "255" },
    { "word", "256" },
    { "more", "65536" },
    { "negative", "-1" },
    { "least", "-2147483648" },
    { "long", "2147483648" },
    { "least_long", "-9223372036854775808" },
    { "half", "0.5" },
    { "infinite", "-inf" },
    { "text", "'tschüß'" },
    { "empty", "''" },
    { "tuple", "()" },
    { "pair", "(1, 'a')" },
    { "four", "(1, 2.5, nothing, true)" },
    { "list", "[]" },
    { "single", "[<int64 7>]" },
    { "several", "[<int64 1>, <[<int64 2>, <int64 3>]>, <(int64 4,)>]" }
  };
  g_autoptr (ReelTensordict) dict = load ("values");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_prints (dict, cases[i][0], cases[i][1]);
}

static void
assert_int64 (const ReelTensordict *dict, const char *path, const gint64 *expected, gint64 n)
{
  ReelTensor *tensor = reel_tensordict_get_tensor (dict, path, NULL);
  g_autoptr (ReelTensor) dense = reel_tensor_contiguous (tensor, NULL);

  g_assert_cmpint (dense->dtype, ==, REEL_DTYPE_INT64);
  g_assert_cmpmem (dense->data, reel_tensor_nbytes (dense), expected, (gsize) n * sizeof *expected);
}

static void
test_views (void)
{
  static const gint64 rows[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
  static const gint64 columns[] = { 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11 };
  g_autoptr (ReelTensordict) dict = load ("views"), plain = load ("dict");
  const ReelTensor *whole = reel_tensordict_get_tensor (dict, "whole", NULL);
  const ReelTensor *tail = reel_tensordict_get_tensor (dict, "tail", NULL);

  assert_int64 (dict, "whole", rows, 12);
  assert_int64 (dict, "again", rows, 12);
  assert_int64 (dict, "tail", rows + 4, 8);
  assert_int64 (dict, "columns", columns, 12);
  g_assert_true (tail->data == whole->data + 4 * sizeof *rows);
  assert_int64 (plain, "plain", rows, 2);
}

/* ---- what is refused ---- */

static void
test_other_things_are_named (void)
{
  static const char *const cases[][2] = {
    { "refused-unsigned", "torch._utils._rebuild_tensor_v3" },
    { "refused-list", "not a dict" },
    { "refused-expanded", "more elements than its storage" },
    { "refused-parameter", "torch._utils._rebuild_parameter" },
    { "refused-number-key", "a key of a dict is not a string" },
    { "refused-object", "torch.device" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = given (cases[i][0]);
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_torch_archive_load (path, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
      g_assert_true (g_str_has_prefix (error->message, path));
      g_assert_nonnull (strstr (error->message, cases[i][1]));
    }
}

static ReelMemory *
eight_bytes (gpointer source, const char *name, GError **error)
{
  return reel_memory_new (8, error);
}

#define ORDERED "ccollections\nOrderedDict\nq\x00)R"
#define STORAGE(n) "(X\x07\0\0\0storagectorch\nLongStorage\nX\1\0\0\0000X\3\0\0\0cpuK" n "tQ"
#define REBUILD "ctorch._utils\n_rebuild_tensor_v2\n("
#define NO_HOOKS "\x89" ORDERED "tR"
#define KEY "X\1\0\0\0a"

typedef struct
{
  const char *pickle;
  gsize length;
  gint code;
  const char *what;
} Refused;

#define PICKLE(text) text, sizeof (text) - 1
#define DAMAGED(text, what)                                                                        \
  {                                                                                                \
    PICKLE (text), REEL_ERROR_DAMAGED, what                                                        \
  }
#define NOT_READ(text, what)                                                                       \
  {                                                                                                \
    PICKLE (text), REEL_ERROR_NOT_IMPLEMENTED, what                                                \
  }

static const Refused refused[] = {
  DAMAGED ("", "cut off"),
  DAMAGED ("\x80\x02", "cut off"),
  DAMAGED ("\x80\x02}\x80\x02.", "the protocol is in the middle"),
  NOT_READ ("\x80\x05}.", "protocol 5"),
  NOT_READ ("\x80\x02}0.", "opcode 0x30"),
  NOT_READ ("\x80\x02i__builtin__\neval\n.", "opcode 0x69"),
  NOT_READ ("\x80\x02"
            "cposix\nsystem\n.",
            "posix.system"),
  NOT_READ ("\x80\x04X\5\0\0\0posixX\6\0\0\0system\x93.", "posix.system"),
  DAMAGED ("\x80\x04K\1K\1\x93.", "is not a string"),
  DAMAGED ("\x80\x02"
           "cposix",
           "name of a global is cut off"),
  DAMAGED ("\x80\x02}.x", "something follows"),
  DAMAGED ("\x80\x02.", "without one value"),
  DAMAGED ("\x80\x02X\5\0\0\0abc.", "cut off"),
  DAMAGED ("\x80\x02X\2\0\0\0\xff\xff.", "not UTF-8"),
  DAMAGED ("\x80\x02X\3\0\0\0a\0b.", "not UTF-8"),
  DAMAGED ("\x80\x02q\x00.", "memorised object is missing"),
  DAMAGED ("\x80\x02}q\x05.", "number is taken"),
  DAMAGED ("\x80\x02h\x00.", "nothing is memorised"),
  DAMAGED ("\x80\x02(q\x00h\x00.", "a mark is memorised"),
  NOT_READ ("\x80\x02}q\x00h\x00.", "is in two places"),
  NOT_READ ("\x80\x02]q\x00h\x00"
            "a.",
            "is in two places"),
  DAMAGED ("\x80\x02u.", "no mark"),
  DAMAGED ("\x80\x02(u.", "a wrong object"),
  DAMAGED ("\x80\x02}(K\1u.", "without a value"),
  DAMAGED ("\x80\x02}" KEY "s.", "a wrong object"),
  DAMAGED ("\x80\x02}(" KEY "s.", "too little on the stack"),
  DAMAGED ("\x80\x02}(" KEY "K\1" KEY "K\2u.", "\"a\" is repeated"),
  NOT_READ ("\x80\x02}(" KEY "ctorch\nLongStorage\nu.", "class"),
  NOT_READ ("\x80\x02}(" KEY "]}au.", "dict is in the place"),
  DAMAGED ("\x80\x02)K\1a.", "appended to a tuple"),
  NOT_READ ("\x80\x02\x8a\x09"
            "123456789.",
            "integer of 9 bytes"),
  DAMAGED ("\x80\x02K\1)R.", "a wrong object"),
  DAMAGED ("\x80\x02"
           "ccollections\nOrderedDict\nK\1\x85R.",
           "called in a way"),
  DAMAGED ("\x80\x02"
           "ctorch\nLongStorage\n)R.",
           "called in a way"),
  DAMAGED ("\x80\x02)Q.", "is not a storage"),
  DAMAGED ("\x80\x02" STORAGE ("\2") ".", "2 elements of"),
  DAMAGED ("\x80\x02" REBUILD "tR.", "not in the form of PyTorch"),
  DAMAGED ("\x80\x02" REBUILD STORAGE ("\1") "K\1K\1\x85K\1\x85" NO_HOOKS ".", "outside"),
  DAMAGED ("\x80\x02" REBUILD STORAGE ("\1") "K\0J\xff\xff\xff\xff\x85K\1\x85" NO_HOOKS ".",
           "not in the form of PyTorch"),
  DAMAGED ("\x80\x02" REBUILD STORAGE ("\1") "K\0K\1\x85)" NO_HOOKS ".",
           "not in the form of PyTorch"),
  DAMAGED ("\x80\x02" REBUILD STORAGE ("\1") "\x8a\x08\0\0\0\0\0\0\0\x7fK\1\x85K\1\x85" NO_HOOKS
                                             ".",
           "behind its storage"),
  DAMAGED ("\x80\x02" REBUILD STORAGE ("\1") "K\0K\1\x85\x8a\x08\0\0\0\0\0\0\0\x7f\x85" NO_HOOKS
                                             ".",
           "strides"),
  NOT_READ ("\x80\x02" REBUILD STORAGE ("\1") "K\0\x8a\x08\0\0\0\0\0\0\0\x7f\x85K\0\x85" NO_HOOKS
                                              ".",
            "more elements"),
  NOT_READ ("\x80\x02" ORDERED "}" KEY "K\1sb.", "_metadata"),
  NOT_READ ("\x80\x02}}X\x09\0\0\0_metadataK\1sb.", "_metadata"),
  DAMAGED ("\x80\x04\x95\xff\0\0\0\0\0\0\0}.", "cut off"),
};

static void
test_bad_pickles_are_refused (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelTensordict) dict = reel_pickle_read (
          (const guint8 *) refused[i].pickle, refused[i].length, eight_bytes, NULL, &error);

      g_assert_null (dict);
      g_assert_error (error, REEL_ERROR, refused[i].code);
      if (!strstr (error->message, refused[i].what))
        g_error ("case %d: %s", (int) i, error->message);
    }
}

/* Lists in lists, deeper than any stack: an error, and soon. */
static void
test_depth_is_limited (void)
{
  for (gint depth = 28; depth < 100000; depth = depth < 36 ? depth + 1 : depth * 10)
    {
      g_autoptr (GString) pickle = g_string_new_len ("\x80\x02}" KEY, 4 + 5);
      g_autoptr (ReelTensordict) dict = NULL;
      g_autoptr (GError) error = NULL;

      for (gint i = 0; i < depth; i++)
        g_string_append_c (pickle, ']');
      for (gint i = 1; i < depth; i++)
        g_string_append_c (pickle, 'a');
      g_string_append (pickle, "s.");
      dict = reel_pickle_read ((const guint8 *) pickle->str, pickle->len, NULL, NULL, &error);
      if (dict)
        g_assert_cmpint (depth, <=, 32);
      else
        g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
      g_assert_true (depth > 31 || dict);
    }
}

static void
put (const char *path, const char *content, gsize length)
{
  FILE *file = fopen (path, "wb");

  g_assert_nonnull (file);
  g_assert_cmpint (fwrite (content, 1, length, file), ==, length);
  g_assert_cmpint (fclose (file), ==, 0);
}

/* Every archive cut off anywhere, and with any byte changed, is an error or a dict. */
static void
test_damaged_archives (void)
{
  static const guint8 others[] = { 0x00, 0x01, 0x80, 0xff };
  g_autofree char *good = given ("one"), *path = scratch_path ("one.pt");
  g_autofree char *content = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (good, &content, &length, NULL));
  for (gsize i = 0; i < length; i++)
    for (gsize k = 0; k <= G_N_ELEMENTS (others); k++)
      {
        const char kept = content[i];
        g_autoptr (ReelTensordict) dict = NULL;
        g_autoptr (GError) error = NULL;

        if (k < G_N_ELEMENTS (others))
          content[i] = (char) (kept ^ others[k]);
        put (path, content, k < G_N_ELEMENTS (others) ? length : i);
        content[i] = kept;
        dict = reel_torch_archive_load (path, &error);
        g_assert_true (!dict == (error != NULL));
        g_assert_true (dict || g_str_has_prefix (error->message, path));
        g_assert_true (k < G_N_ELEMENTS (others) || !dict);
      }
}

static void
test_what_cannot_be_written (void)
{
  g_autoptr (ReelTensordict) dict = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_UINT16, 0, NULL, NULL);
  g_autofree char *path = scratch_path ("a.pt");
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_tensordict_set_tensor (dict, "b", tensor, NULL));
  g_assert_false (reel_torch_archive_save (dict, NULL, path, FALSE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
  g_assert_nonnull (strstr (error->message, "\"b\""));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  scratch_in_memory ();
  for (gsize i = 0; i < G_N_ELEMENTS (written_back); i++)
    {
      g_autofree char *path = g_strconcat ("/core/pickle/written-back/", written_back[i], NULL);

      scratch_test_with_data (path, test_written_back, written_back[i]);
    }
  scratch_test ("/core/pickle/written-back/module", test_module_is_written_back);
  scratch_test_with_data ("/core/pickle/equal-values-are-written/tensors",
                          test_equal_values_are_written, "tensors");
  scratch_test_with_data ("/core/pickle/equal-values-are-written/views",
                          test_equal_values_are_written, "views");
  g_test_add_func ("/core/pickle/values", test_values);
  g_test_add_func ("/core/pickle/views", test_views);
  g_test_add_func ("/core/pickle/other-things-are-named", test_other_things_are_named);
  g_test_add_func ("/core/pickle/bad-pickles-are-refused", test_bad_pickles_are_refused);
  g_test_add_func ("/core/pickle/depth-is-limited", test_depth_is_limited);
  scratch_test ("/core/pickle/damaged-archives", test_damaged_archives);
  scratch_test ("/core/pickle/what-cannot-be-written", test_what_cannot_be_written);
  return g_test_run ();
}
