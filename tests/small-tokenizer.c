#include "small-tokenizer.h"

#include "../src/datasets/text/token-table.h"
#include "scratch.h"

#include <string.h>

static void
add_bytes (json_t *vocabulary)
{
  for (guint byte = 0; byte < 256; byte++)
    {
      char name[7] = { 0 };
      g_unichar_to_utf8 (reel_byte_char ((guint8) byte), name);
      json_object_set_new (vocabulary, name, json_integer (byte));
    }
}

/* A merge may make a token that is there. */
static void
add_merges (json_t *model, json_t *vocabulary, const char *merges)
{
  json_t *array = json_array ();
  g_auto (GStrv) each = g_strsplit (merges, ";", -1);

  for (char **merge = each; *merge && **merge; merge++)
    {
      g_auto (GStrv) parts = g_strsplit (*merge, " ", 2);
      g_autofree char *both = g_strconcat (parts[0], parts[1], NULL);
      json_array_append_new (array, json_string (*merge));
      if (!json_object_get (vocabulary, both))
        json_object_set_new (vocabulary, both,
                             json_integer ((json_int_t) json_object_size (vocabulary)));
    }
  json_object_set_new (model, "merges", array);
}

static json_t *
new_added (const char *added, gsize first)
{
  json_t *array = json_array ();
  g_auto (GStrv) each = g_strsplit (added, " ", -1);

  for (char **name = each; *name && **name; name++)
    {
      gboolean special = **name == '|';
      json_array_append_new (array, json_pack ("{s:I, s:s, s:b}", "id", (json_int_t) first++,
                                               "content", *name + special, "special", special));
    }
  return array;
}

json_t *
small_tokenizer_json (const char *merges, const char *added)
{
  json_t *vocabulary = json_object (), *model = json_pack ("{s:s}", "type", "BPE");

  add_bytes (vocabulary);
  add_merges (model, vocabulary, merges);
  json_object_set_new (model, "vocab", vocabulary);
  return json_pack ("{s:o, s:n, s:{s:s, s:b}, s:n, s:{s:s}, s:o}", "added_tokens",
                    new_added (added, json_object_size (vocabulary)), "normalizer", "pre_tokenizer",
                    "type", "ByteLevel", "add_prefix_space", FALSE, "post_processor", "decoder",
                    "type", "ByteLevel", "model", model);
}

ReelTokenizer *
small_tokenizer_load (const json_t *json, GError **error)
{
  g_autofree char *path = scratch_path ("tokenizer.json");

  g_assert_cmpint (json_dump_file (json, path, 0), ==, 0);
  return reel_tokenizer_load (path, error);
}

ReelTokenizer *
small_tokenizer_new (const char *merges, const char *added)
{
  json_t *json = small_tokenizer_json (merges, added);
  GError *error = NULL;
  ReelTokenizer *self = small_tokenizer_load (json, &error);

  g_assert_no_error (error);
  json_decref (json);
  return self;
}

ReelTokenizer *
golden_tokenizer (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "text", "tokenizer.json", NULL);
  GError *error = NULL;
  ReelTokenizer *self = reel_tokenizer_load (path, &error);

  g_assert_no_error (error);
  return self;
}

GArray *
encode_text (ReelTokenizer *self, const char *text, gssize length)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  GError *error = NULL;

  g_assert_true (reel_tokenizer_encode (self, text, length, -1, ids, &error));
  g_assert_no_error (error);
  return ids;
}

void
assert_same_ids (GArray *ids, GArray *expected)
{
  g_assert_cmpmem (ids->data, ids->len * sizeof (gint64), expected->data,
                   expected->len * sizeof (gint64));
}
