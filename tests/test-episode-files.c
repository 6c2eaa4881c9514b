/* Episodes in archives and records: tar, records and examples of TensorFlow, pickles as trees. */
#include "../src/core/formats/crc32c.h"
#include "../src/core/formats/pickle-tree.h"
#include "../src/core/formats/tar.h"
#include "../src/core/formats/tf-example.h"
#include "../src/core/formats/tf-record.h"
#include "../src/core/object/error.h"
#include "../src/reel.h"

#include <string.h>

static ReelMemory *
wrap (const GByteArray *bytes)
{
  return reel_memory_new_wrapped (REEL_MEMORY_HEAP, bytes->data, bytes->len, NULL, NULL);
}

/* ---- tar ---- */

static void
end_header (guint8 *header)
{
  guint sum = 0;

  memset (header + 148, ' ', 8);
  for (gsize i = 0; i < 512; i++)
    sum += header[i];
  g_snprintf ((char *) header + 148, 8, "%06o", sum);
}

static void
add (GByteArray *tar, const char *name, char type, const char *content)
{
  guint8 header[512] = { 0 }, padding[512] = { 0 };
  const gsize n = strlen (content);

  memcpy (header, name, MIN (strlen (name), 100));
  g_snprintf ((char *) header + 124, 12, "%011o", (guint) n);
  header[156] = (guint8) type;
  memcpy (header + 257, "ustar", 6);
  end_header (header);
  g_byte_array_append (tar, header, 512);
  g_byte_array_append (tar, (const guint8 *) content, (guint) n);
  g_byte_array_append (tar, padding, (guint) ((512 - n % 512) % 512));
}

/* `NAME=CONTENT …`, or the error. */
static char *
list_tar (const GByteArray *bytes)
{
  g_autoptr (ReelMemory) memory = wrap (bytes);
  g_autoptr (ReelByteStream) stream = reel_byte_stream_new (memory);
  g_autoptr (ReelTar) tar = reel_tar_new (stream);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  const char *name;

  while (reel_tar_next (tar, &name, &error) && name)
    {
      gsize length;
      g_autofree guint8 *content = reel_tar_read (tar, &length, &error);

      if (!content)
        break;
      g_assert_cmpuint (strlen ((const char *) content), ==, length);
      g_string_append_printf (text, "%s=%s ", name, content);
    }
  return error ? g_strdup (error->message) : g_string_free (g_steal_pointer (&text), FALSE);
}

static void
assert_tar (const GByteArray *tar, const char *expected)
{
  g_autofree char *is = list_tar (tar);

  g_assert_cmpstr (is, ==, expected);
}

static void
test_files_come_in_order (void)
{
  static const guint8 zeros[1024];
  g_autoptr (GByteArray) tar = g_byte_array_new ();

  add (tar, "directory", '5', "");
  add (tar, "a", '0', "one");
  add (tar, "link", '2', "");
  add (tar, "empty", '\0', "");
  add (tar, "pax", 'x', "19 path=other/name\n");
  add (tar, "cut", '0', "two");
  add (tar, "long", 'L', "a/long/name");
  add (tar, "cut", '0', "three");
  add (tar, "global", 'g', "11 path=no\n");
  add (tar, "last", '0', "four");
  assert_tar (tar, "a=one empty= other/name=two a/long/name=three last=four ");
  g_byte_array_append (tar, zeros, sizeof zeros);
  add (tar, "behind", '0', "the end");
  assert_tar (tar, "a=one empty= other/name=two a/long/name=three last=four ");
}

/* A file of tar's is whole, or an error: cut off at every byte. */
static void
test_cut_archives_are_refused (void)
{
  g_autoptr (GByteArray) tar = g_byte_array_new ();

  add (tar, "a", '0', "one");
  for (guint n = 1; n < tar->len; n++)
    {
      GByteArray part = { tar->data, n };
      g_autofree char *is = list_tar (&part);

      g_assert_false (g_str_has_prefix (is, "a=one "));
      g_assert_cmpstr (is, !=, "");
    }
  tar->data[0] = 'b';
  assert_tar (tar, "a header is damaged, or the file is not a tar archive");
}

/* ---- records ---- */

static guint32
mask (gconstpointer data, gsize length)
{
  guint32 crc = reel_crc32c (0, data, length);

  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

static void
add_record (GByteArray *records, const char *content)
{
  const guint64 n = strlen (content);
  guint32 sum = mask (&n, sizeof n);

  g_byte_array_append (records, (const guint8 *) &n, sizeof n);
  g_byte_array_append (records, (const guint8 *) &sum, sizeof sum);
  sum = mask (content, n);
  g_byte_array_append (records, (const guint8 *) content, (guint) n);
  g_byte_array_append (records, (const guint8 *) &sum, sizeof sum);
}

/* The records before the first that is damaged. */
static char *
list_records (const GByteArray *bytes, GError **error)
{
  g_autoptr (ReelMemory) memory = wrap (bytes);
  g_autoptr (ReelByteStream) stream = reel_byte_stream_new (memory);
  g_autoptr (GByteArray) record = g_byte_array_new ();
  GString *text = g_string_new (NULL);
  gboolean found = TRUE;

  while (reel_tf_record_read (stream, record, &found, error) && found)
    g_string_append_printf (text, "%.*s ", (int) record->len, record->data);
  return g_string_free (text, FALSE);
}

/* Each byte that is changed, and each place at which the file is cut, is noticed. */
static void
test_damaged_records_are_noticed (void)
{
  g_autoptr (GByteArray) records = g_byte_array_new ();
  g_autoptr (GError) error = NULL;

  add_record (records, "one");
  const guint first = records->len;
  add_record (records, "");
  add_record (records, "three");
  g_autofree char *whole = list_records (records, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (whole, ==, "one  three ");
  for (guint i = first; i < records->len; i++)
    {
      GByteArray part = { records->data, i };
      g_autoptr (GError) cut = NULL, changed = NULL;

      g_free (list_records (&part, &cut));
      g_assert_true ((cut == NULL) == (i == first || i == first + 16));
      records->data[i] ^= 1;
      g_free (list_records (records, &changed));
      g_assert_error (changed, REEL_ERROR, REEL_ERROR_DAMAGED);
      records->data[i] ^= 1;
    }
}

/* ---- examples ---- */

/* features { feature { key: "a" value { … } } }, the value as it is given. */
static ReelTfKind
read_feature (const guint8 *value, guint8 n, GArray **values)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  const guint8 head[] = { 0x0a, (guint8) (n + 7), 0x0a, (guint8) (n + 5), 0x0a, 1, 'a', 0x12, n };
  g_autoptr (GError) error = NULL;

  g_byte_array_append (bytes, head, sizeof head);
  g_byte_array_append (bytes, value, n);
  g_autoptr (GArray) features = reel_tf_example_read (bytes->data, bytes->len, &error);
  g_assert_no_error (error);
  const ReelTfFeature *feature = reel_tf_example_find (features, "a");
  g_assert_nonnull (feature);
  *values = g_array_ref (feature->values);
  return feature->kind;
}

/* Numbers are packed, or one a field. */
static void
test_lists_have_two_forms (void)
{
  static const guint8 packed[] = { 0x1a, 5, 0x0a, 3, 1, 0x80, 1 };
  static const guint8 single[] = { 0x1a, 5, 0x08, 1, 0x08, 0x80, 1 };
  static const guint8 floats[] = { 0x12, 6, 0x0a, 4, 0, 0, 0x80, 0x3f };
  static const guint8 one[] = { 0x12, 5, 0x0d, 0, 0, 0x80, 0x3f };
  static const guint8 unknown[] = { 0x22, 1, 0, 0x12, 5, 0x0d, 0, 0, 0x80, 0x3f };
  const struct
  {
    const guint8 *bytes;
    guint8 n;
    gboolean is_int;
  } cases[] = { { packed, sizeof packed, TRUE },
                { single, sizeof single, TRUE },
                { floats, sizeof floats, FALSE },
                { one, sizeof one, FALSE },
                { unknown, sizeof unknown, FALSE } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GArray) values = NULL;
      ReelTfKind kind = read_feature (cases[i].bytes, cases[i].n, &values);

      g_assert_cmpint (kind, ==, cases[i].is_int ? REEL_TF_INTS : REEL_TF_FLOATS);
      g_assert_cmpuint (values->len, ==, cases[i].is_int ? 2 : 1);
      if (cases[i].is_int)
        g_assert_cmpint (g_array_index (values, gint64, 1), ==, 128);
      else
        g_assert_true (g_array_index (values, float, 0) == 1);
    }
}

/* ---- pickles ---- */

static ReelPickleItem *
read_pickle (const char *pickle, gsize length, GError **error)
{
  return reel_pickle_read_tree ((const guint8 *) pickle, length, error);
}

/* Written by Python: pickle.dumps ({'a': [1, 2.0], 'b': (None, b'x')}, 3). */
static void
test_values_become_a_tree (void)
{
  static const char pickle[] = "\x80\x03}q\x00(X\x01\x00\x00\x00"
                               "aq\x01]q\x02(K\x01G@\x00\x00\x00\x00\x00\x00\x00"
                               "eX\x01\x00\x00\x00"
                               "bq\x03NC\x01xq\x04\x86q\x05u.";
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelPickleItem) tree = read_pickle (pickle, sizeof pickle - 1, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (reel_pickle_count (tree), ==, 2);
  const ReelPickleItem *list = reel_pickle_find (tree, "a"), *tuple = reel_pickle_find (tree, "b");
  g_assert_true (reel_pickle_is_list (list) && reel_pickle_is_list (tuple));
  g_assert_cmpint (g_variant_get_int64 (reel_pickle_get_plain (reel_pickle_get (list, 0))), ==, 1);
  g_assert_true (g_variant_get_double (reel_pickle_get_plain (reel_pickle_get (list, 1))) == 2);
  g_assert_cmpuint (g_bytes_get_size (reel_pickle_get_bytes (reel_pickle_get (tuple, 1))), ==, 1);
}

/* Nothing is called, whatever the name is and however it is written. */
static void
test_globals_are_refused (void)
{
  static const char *const pickles[] = {
    "\x80\x02"
    "cos\nsystem\nX\x04\x00\x00\x00true\x85R.",
    "\x80\x02"
    "cbuiltins\neval\nX\x01\x00\x00\x00"
    "1\x85R.",
    "\x80\x02"
    "cnumpy\nload\nX\x01\x00\x00\x00"
    "a\x85R.",
    "\x80\x02"
    "cnumpy.core.multiarray\nfromfile\n.",
    "\x80\x02"
    "ctorch._utils\n_rebuild_tensor_v2\n.",
  };
  static const gsize lengths[] = { 27, 27, 23, 35, 37 };

  for (gsize i = 0; i < G_N_ELEMENTS (pickles); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (read_pickle (pickles[i], lengths[i], &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
      g_assert_nonnull (strstr (error->message, "the global"));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/formats/tar/files-come-in-order", test_files_come_in_order);
  g_test_add_func ("/formats/tar/cut-archives-are-refused", test_cut_archives_are_refused);
  g_test_add_func ("/formats/tf-record/damaged-records-are-noticed",
                   test_damaged_records_are_noticed);
  g_test_add_func ("/formats/tf-example/lists-have-two-forms", test_lists_have_two_forms);
  g_test_add_func ("/formats/pickle-tree/values-become-a-tree", test_values_become_a_tree);
  g_test_add_func ("/formats/pickle-tree/globals-are-refused", test_globals_are_refused);
  return g_test_run ();
}
