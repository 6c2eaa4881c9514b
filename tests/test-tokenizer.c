/* Tokenizers against those of Hugging Face, and against slow ones of their definition. */
#include "../src/datasets/text/tokenizer-private.h"
#include "count-allocations.h"
#include "golden-tensor.h"
#include "scratch.h"
#include "small-tokenizer.h"

#include <string.h>

/* ---- Hugging Face's ids ---- */

static GArray *
ids_of_json (const json_t *json)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (gsize i = 0; i < json_array_size (json); i++)
    g_array_append_val (ids, (gint64){ json_integer_value (json_array_get (json, i)) });
  return ids;
}

static void
test_equals_golden_texts (void)
{
  g_autoptr (ReelTokenizer) self = golden_tokenizer ();
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "text", "tokenize.json", NULL);
  g_autoptr (json_t) golden = json_load_file (path, JSON_ALLOW_NUL, NULL);
  const json_t *rows = json_object_get (golden, "rows"), *row;
  gsize i;

  g_assert_cmpint (reel_tokenizer_get_size (self), ==, 400);
  g_assert_cmpuint (json_array_size (rows), ==, 47);
  json_array_foreach (rows, i, row)
  {
    const json_t *text = json_object_get (row, "text");
    g_autoptr (GArray) expected = ids_of_json (json_object_get (row, "ids"));
    g_autoptr (GArray) ids =
        encode_text (self, json_string_value (text), (gssize) json_string_length (text));
    assert_same_ids (ids, expected);

    gsize length;
    g_autofree char *decoded =
        reel_tokenizer_decode (self, (gint64 *) ids->data, ids->len, FALSE, &length, NULL);
    const json_t *known = json_object_get (row, "decoded");
    g_assert_cmpmem (decoded, length, json_string_value (known), json_string_length (known));
  }
}

/* 300,000 code points by a rule. Hugging Face's ids of them, 32 bits each, have this SHA-256. */
static void
test_equals_golden_characters (void)
{
  static const gunichar ranges[16][2] = {
    { 97, 123 },  { 97, 123 },      { 97, 123 },        { 97, 123 },   { 97, 123 }, { 97, 123 },
    { 65, 91 },   { 48, 58 },       { 32, 33 },         { 32, 33 },    { 32, 48 },  { 9, 14 },
    { 192, 384 }, { 19968, 20480 }, { 128512, 128576 }, { 8192, 8304 }
  };
  g_autoptr (ReelTokenizer) self = golden_tokenizer ();
  g_autoptr (GString) text = g_string_new (NULL);
  guint64 x = 1;

  for (guint i = 0; i < 300000; i++)
    {
      x = x * G_GUINT64_CONSTANT (6364136223846793005) + G_GUINT64_CONSTANT (1442695040888963407);
      const gunichar *range = ranges[(x >> 33) % 16];
      g_string_append_unichar (text, range[0] + (gunichar) ((x >> 40) % (range[1] - range[0])));
    }
  g_autoptr (GArray) ids = encode_text (self, text->str, (gssize) text->len);
  g_assert_cmpuint (ids->len, ==, 436919);

  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  for (guint i = 0; i < ids->len; i++)
    {
      guint32 id = GUINT32_TO_LE ((guint32) g_array_index (ids, gint64, i));
      g_checksum_update (sum, (const guchar *) &id, sizeof id);
    }
  g_assert_cmpstr (g_checksum_get_string (sum), ==,
                   "4e9350f252a7412589b71143e28f63503a598c15fdba4cc4befbf1a3ce339ac6");
}

/* GLib may know fewer characters, and no other classes of those that it knows. */
static void
test_classes_are_unicodes (void)
{
  g_autofree guint8 *classes = reel_char_classes_new ();

  for (gunichar code = 0; code < REEL_CHAR_CLASSES; code++)
    {
      GUnicodeType type = g_unichar_type (code);
      gboolean letter = type >= G_UNICODE_LOWERCASE_LETTER && type <= G_UNICODE_UPPERCASE_LETTER;
      gboolean number = type >= G_UNICODE_DECIMAL_NUMBER && type <= G_UNICODE_OTHER_NUMBER;
      gboolean space =
          type >= G_UNICODE_LINE_SEPARATOR || (code >= 9 && code <= 13) || code == 0x85;
      ReelCharClass expected = letter   ? REEL_CHAR_LETTER
                               : number ? REEL_CHAR_NUMBER
                               : space  ? REEL_CHAR_SPACE
                                        : REEL_CHAR_OTHER;
      if (type != G_UNICODE_UNASSIGNED)
        g_assert_cmpint (classes[code], ==, expected);
    }
}

/* ---- words ---- */

static void
assert_words (const guint8 *classes, const GRegex *pattern, const char *text)
{
  g_autoptr (GMatchInfo) match = NULL;
  const guint8 *at = (const guint8 *) text, *end = at + strlen (text);

  g_regex_match (pattern, text, 0, &match);
  for (; g_match_info_matches (match); g_match_info_next (match, NULL))
    {
      gint first, last;
      g_match_info_fetch_pos (match, 0, &first, &last);
      g_assert_true (at == (const guint8 *) text + first);
      at = reel_word_end (classes, at, end);
      g_assert_true (at == (const guint8 *) text + last);
    }
  g_assert_true (at == end);
}

/* All texts of up to 5 of these characters, cut by the pattern itself. */
static void
test_words_equal_the_pattern (void)
{
  static const char *const chars[] = {
    " ", "\t", "s", "l", "e", "r", "1", "!", "'", "\303\251", "\343\200\200", "\302\263"
  };
  const guint n = G_N_ELEMENTS (chars);
  g_autofree guint8 *classes = reel_char_classes_new ();
  g_autoptr (GRegex) pattern = g_regex_new (
      "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
      G_REGEX_OPTIMIZE, 0, NULL);

  g_assert_nonnull (pattern);
  for (guint i = 0; i < n * n * n * n * n; i++)
    {
      char text[32] = "";
      guint rest = i;
      for (guint k = 0; k < 5 && (k < 4 || i % 3 == 0); k++, rest /= n)
        strcat (text, chars[rest % n]);
      assert_words (classes, pattern, text);
    }
}

/* ---- merges ---- */

/* Merges one pair after the other: the smallest rank, the leftmost of equals. */
static guint
merge_slowly (const ReelMergeTable *table, guint32 *ids, guint n)
{
  while (TRUE)
    {
      const ReelMerge *best = NULL;
      guint place = 0;
      for (guint i = 0; i + 1 < n; i++)
        {
          const ReelMerge *merge =
              reel_merge_table_find (table, reel_merge_pair (ids[i], ids[i + 1]));
          if (merge && (!best || merge->rank < best->rank))
            {
              best = merge;
              place = i;
            }
        }
      if (!best)
        return n;
      ids[place] = best->id;
      memmove (ids + place + 1, ids + place + 2, (--n - place - 1) * sizeof *ids);
    }
}

static void
assert_merged (ReelWordMerger *merger, const ReelMergeTable *table, const guint8 *word, guint n)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autofree guint32 *expected = g_new (guint32, n);
  guint32 byte_ids[256];

  for (guint i = 0; i < 256; i++)
    byte_ids[i] = i;
  for (guint i = 0; i < n; i++)
    expected[i] = word[i];
  reel_word_merger_run (merger, table, byte_ids, word, n, ids);
  g_assert_cmpuint (ids->len, ==, merge_slowly (table, expected, n));
  for (guint i = 0; i < ids->len; i++)
    g_assert_cmpint (g_array_index (ids, gint64, i), ==, expected[i]);
}

/* Merges of merges in any order of ranks: also of ranks below those of their parts. */
static void
draw_merges (ReelMergeTable *table, GRand *rand)
{
  const guint n = 12;

  reel_merge_table_init (table, n);
  for (guint i = 0; i < n; i++)
    {
      guint32 parts[2];
      for (guint k = 0; k < 2; k++)
        parts[k] = (guint32) (g_rand_boolean (rand) ? g_rand_int_range (rand, 0, 3)
                                                    : 256 + g_rand_int_range (rand, 0, (gint) n));
      reel_merge_table_set (table, (ReelMerge){ .pair = reel_merge_pair (parts[0], parts[1]),
                                                .rank = (i * 7) % n,
                                                .id = 256 + i });
    }
}

/* Tables drawn at random; each merges all words of up to 6 of 3 bytes, and long ones. */
static void
test_merges_equal_the_definition (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  ReelWordMerger merger;
  guint8 word[300];

  reel_word_merger_init (&merger);
  for (guint round = 0; round < 200; round++)
    {
      ReelMergeTable table;
      draw_merges (&table, rand);
      for (guint i = 0; i < 729; i++)
        for (guint n = 1, rest = i; n <= 6; n++, rest /= 3)
          {
            word[n - 1] = (guint8) (rest % 3);
            assert_merged (&merger, &table, word, n);
          }
      for (guint i = 0; i < sizeof word; i++)
        word[i] = (guint8) g_rand_int_range (rand, 0, 3);
      assert_merged (&merger, &table, word, sizeof word);
      reel_merge_table_clear (&table);
    }
  reel_word_merger_clear (&merger);
}

/* Far more words than the cache has slots, twice: what it says is what merging says. */
static void
test_cache_changes_nothing (void)
{
  g_autoptr (ReelTokenizer) self = small_tokenizer_new ("0 1;1 2;01 2;3 3;33 33", "");
  g_autoptr (GArray) merged = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; i < 400000; i++)
    {
      char word[30];
      gint n = g_snprintf (word, sizeof word, "%u", i % 200000);
      g_autoptr (GArray) ids = encode_text (self, word, n);
      g_array_set_size (merged, 0);
      reel_word_merger_run (&self->merger, &self->merges, self->byte_ids, (const guint8 *) word,
                            (gsize) n, merged);
      assert_same_ids (ids, merged);
    }
}

/* ---- added tokens ---- */

static void
assert_ids (ReelTokenizer *self, const char *text, const char *expected)
{
  g_autoptr (GArray) ids = encode_text (self, text, -1);
  g_autoptr (GString) printed = g_string_new (NULL);

  for (guint i = 0; i < ids->len; i++)
    g_string_append_printf (printed, i ? " %" G_GINT64_FORMAT : "%" G_GINT64_FORMAT,
                            g_array_index (ids, gint64, i));
  g_assert_cmpstr (printed->str, ==, expected);
}

/* The leftmost, and of those the longest; blanks ahead of one end their text. */
static void
test_added_tokens_come_first (void)
{
  g_autoptr (ReelTokenizer) self = small_tokenizer_new ("", "|<a> <a>b bc|");

  assert_ids (self, "x<a>y", "120 256 121");
  assert_ids (self, "<a>bc|", "257 99 124");
  assert_ids (self, "<abc|", "60 97 258");
  assert_ids (self, "<a", "60 97");
  assert_ids (self, "", "");
  g_assert_cmpint (reel_tokenizer_find (self, "<a>b", NULL), ==, 257);
}

static void
test_limit_cuts_the_ids (void)
{
  g_autoptr (ReelTokenizer) self = small_tokenizer_new ("a b", "<x>");
  const char *text = "ab abc<x> 'll be<x>";
  g_autoptr (GArray) all = encode_text (self, text, -1);

  for (guint limit = 0; limit <= all->len + 2; limit++)
    {
      g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint64));
      g_array_append_val (ids, (gint64){ -7 });
      g_assert_true (reel_tokenizer_encode (self, text, -1, limit, ids, NULL));
      g_assert_cmpuint (ids->len, ==, 1 + MIN (limit, all->len));
      g_assert_cmpmem (ids->data + 8, (ids->len - 1) * 8, all->data, (ids->len - 1) * 8);
    }
}

/* ---- streams ---- */

static void
assert_streamed (ReelTokenizer *self, const char *text, gsize length, gsize first, gsize step)
{
  g_autoptr (GArray) whole = encode_text (self, text, (gssize) length);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (ReelTokenStream) stream = reel_token_stream_new (self);

  for (gsize at = 0, n = MIN (first, length); at < length || at == 0;
       at += n, n = MIN (step, length - at))
    {
      g_assert_true (reel_token_stream_feed (stream, text + at, n, ids, NULL));
      if (n == 0)
        break;
    }
  reel_token_stream_end (stream, ids);
  assert_same_ids (ids, whole);
}

/* Every cut into two, and parts of every size, of a text with all that looks ahead. */
static void
test_streams_equal_the_whole (void)
{
  static const char text[] =
      "I'll  go\t\t<a>\343\200\200\343\200\200x<a>b  <a 'r 'rest t\303\251t \343\200\200 "
      "\360\237\231\202\360\237\231 \303\251t\303 111   \n\n<a>bc    ";
  g_autoptr (ReelTokenizer) self = small_tokenizer_new ("e s;es t;1 1", "|<a> <a>b <a>bcdefghi");
  g_autoptr (ReelTokenizer) plain = small_tokenizer_new ("e s;es t;1 1;t \303\203", "");
  const gsize length = sizeof text - 1;

  for (gsize n = 0; n <= length; n++)
    for (gsize cut = 1; cut <= n; cut++)
      {
        assert_streamed (self, text, n, cut, n);
        assert_streamed (self, text, n, cut % 5 + 1, cut);
        assert_streamed (plain, text, n, cut, n);
      }
}

static void
test_streams_wait_for_long_words (void)
{
  g_autoptr (ReelTokenizer) self = small_tokenizer_new ("a a;aa aa", "");
  const gsize length = 1 << 20;
  g_autofree char *text = g_malloc (length);

  memset (text, 'a', length);
  assert_streamed (self, text, length, 1, 64);
}

/* ---- back to text ---- */

/* The cuts of Unicode's table 3-8, and its neighbours. */
static void
test_decodes_with_replacements (void)
{
  static const struct
  {
    const char *bytes, *text;
  } cases[] = {
    { "a\200b", "a?b" },
    { "\360\237\231\202", "\360\237\231\202" },
    { "\360\237\231x", "?x" },
    { "\360\237\231", "?" },
    { "\360\200x", "??x" },
    { "\355\240\200", "???" },
    { "\300\257\340\200\277\360\201\202\101", "????????A" },
    { "\364\221\222\223\377\101\200\277\102", "?????A??B" },
    { "\341\200\342\360\221\222\361\277\101", "????A" },
  };
  g_autoptr (ReelTokenizer) self = small_tokenizer_new ("", "");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GArray) ids = encode_text (self, cases[i].bytes, -1);
      g_autofree char *text =
          reel_tokenizer_decode (self, (gint64 *) ids->data, ids->len, FALSE, NULL, NULL);
      g_auto (GStrv) parts = g_strsplit (cases[i].text, "?", -1);
      g_autofree char *expected = g_strjoinv ("\357\277\275", parts);
      g_assert_cmpstr (text, ==, expected);
    }
}

static void
test_decodes_with_and_without_special_tokens (void)
{
  g_autoptr (ReelTokenizer) self = small_tokenizer_new ("h e", "|<end> <x>");
  g_autoptr (GArray) ids = encode_text (self, "he<end>\0<x>", 11);
  g_autoptr (GError) error = NULL;
  gsize length;
  g_autofree char *all =
      reel_tokenizer_decode (self, (gint64 *) ids->data, ids->len, FALSE, &length, NULL);
  g_assert_cmpmem (all, length, "he<end>\0<x>", 11);
  g_autofree char *fewer =
      reel_tokenizer_decode (self, (gint64 *) ids->data, ids->len, TRUE, &length, NULL);
  g_assert_cmpmem (fewer, length, "he\0<x>", 6);

  const gint64 beyond[] = { 104, 259 }, negative[] = { -1 };
  g_assert_null (reel_tokenizer_decode (self, beyond, 2, FALSE, NULL, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
  g_assert_null (reel_tokenizer_decode (self, negative, 1, TRUE, NULL, NULL));
}

/* ---- memory ---- */

static void
test_tokens_need_no_memory (void)
{
  g_autoptr (ReelTokenizer) self = golden_tokenizer ();
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GString) text = g_string_new (NULL);

  if (!allocations_are_counted ())
    {
      g_test_skip ("the sanitizer has an allocator of its own");
      return;
    }
  for (guint i = 0; i < 20000; i++)
    g_string_append_printf (text, "word%x, <|endoftext|>\303\251 %u; ", i * i, i);
  g_assert_true (reel_tokenizer_encode (self, text->str, -1, -1, ids, NULL));
  g_array_set_size (ids, 0);
  gint64 before = allocations_get_count ();
  g_assert_true (reel_tokenizer_encode (self, text->str, -1, -1, ids, NULL));
  g_assert_cmpint (allocations_get_count (), ==, before);
}

/* ---- what is refused ---- */

typedef struct
{
  const char *path;  /* keys joined by "/" */
  const char *value; /* JSON, or NULL to remove it */
  ReelError code;
  const char *says;
} Damage;

static const Damage damages[] = {
  { "normalizer", "{\"type\": \"NFC\"}", REEL_ERROR_NOT_IMPLEMENTED, "NFC is unsupported" },
  { "pre_tokenizer", "{\"type\": \"Sequence\"}", REEL_ERROR_NOT_IMPLEMENTED, "Sequence" },
  { "pre_tokenizer", "{}", REEL_ERROR_NOT_IMPLEMENTED, "without a \"type\"" },
  { "pre_tokenizer", NULL, REEL_ERROR_DAMAGED, "\"pre_tokenizer\" is missing" },
  { "pre_tokenizer/add_prefix_space", "true", REEL_ERROR_NOT_IMPLEMENTED, "add_prefix_space" },
  { "pre_tokenizer/add_prefix_space", NULL, REEL_ERROR_NOT_IMPLEMENTED, "add_prefix_space" },
  { "pre_tokenizer/add_prefix_space", "3", REEL_ERROR_DAMAGED, "add_prefix_space" },
  { "pre_tokenizer/use_regex", "false", REEL_ERROR_NOT_IMPLEMENTED, "use_regex" },
  { "post_processor", "{\"type\": \"TemplateProcessing\"}", REEL_ERROR_NOT_IMPLEMENTED,
    "TemplateProcessing" },
  { "decoder", "{\"type\": \"WordPiece\"}", REEL_ERROR_NOT_IMPLEMENTED, "WordPiece" },
  { "decoder", "null", REEL_ERROR_DAMAGED, "decoder" },
  { "model", "[]", REEL_ERROR_DAMAGED, "\"model\"" },
  { "model", NULL, REEL_ERROR_DAMAGED, "\"model\"" },
  { "model/type", "\"Unigram\"", REEL_ERROR_NOT_IMPLEMENTED, "Unigram is unsupported" },
  { "model/dropout", "0.1", REEL_ERROR_NOT_IMPLEMENTED, "dropout" },
  { "model/continuing_subword_prefix", "\"##\"", REEL_ERROR_NOT_IMPLEMENTED, "##" },
  { "model/end_of_word_suffix", "\"</w>\"", REEL_ERROR_NOT_IMPLEMENTED, "</w>" },
  { "model/byte_fallback", "true", REEL_ERROR_NOT_IMPLEMENTED, "byte_fallback" },
  { "model/ignore_merges", "true", REEL_ERROR_NOT_IMPLEMENTED, "ignore_merges" },
  { "model/vocab", "[]", REEL_ERROR_DAMAGED, "\"vocab\"" },
  { "model/vocab/a", NULL, REEL_ERROR_DAMAGED, "the byte 97, \"a\"" },
  { "model/vocab/a", "\"x\"", REEL_ERROR_DAMAGED, "\"a\"" },
  { "model/vocab/a", "-1", REEL_ERROR_DAMAGED, "\"a\"" },
  { "model/vocab/a", "16777216", REEL_ERROR_DAMAGED, "\"a\"" },
  { "model/vocab/a", "98", REEL_ERROR_DAMAGED, "the id 98" },
  { "model/merges", "{}", REEL_ERROR_DAMAGED, "\"merges\"" },
  { "model/merges", "[\"ab\"]", REEL_ERROR_DAMAGED, "entry 0: expected" },
  { "model/merges", "[\"a b c\"]", REEL_ERROR_DAMAGED, "entry 0: expected" },
  { "model/merges", "[[\"a\"]]", REEL_ERROR_DAMAGED, "entry 0: expected" },
  { "model/merges", "[[\"a\", 3]]", REEL_ERROR_DAMAGED, "entry 0: expected" },
  { "model/merges", "[\"a b\", 7]", REEL_ERROR_DAMAGED, "entry 1: expected" },
  { "model/merges", "[\"b a\"]", REEL_ERROR_DAMAGED, "lacks the token \"ba\"" },
  { "added_tokens", "{}", REEL_ERROR_DAMAGED, "\"added_tokens\"" },
  { "added_tokens", "[{\"id\": 257}]", REEL_ERROR_DAMAGED, "\"content\"" },
  { "added_tokens", "[{\"content\": \"x\"}]", REEL_ERROR_DAMAGED, "\"id\"" },
  { "added_tokens", "[{\"content\": \"\", \"id\": 257}]", REEL_ERROR_DAMAGED, "\"content\"" },
  { "added_tokens", "[{\"content\": \"<x>\", \"id\": 97}]", REEL_ERROR_DAMAGED, "the id 97" },
  { "added_tokens", "[{\"content\": \"a\", \"id\": 300}]", REEL_ERROR_DAMAGED, "the id 300" },
  { "added_tokens", "[{\"content\": \"<x>\", \"id\": 257, \"lstrip\": true}]",
    REEL_ERROR_NOT_IMPLEMENTED, "lstrip" },
  { "added_tokens", "[{\"content\": \"<x>\", \"id\": 257, \"rstrip\": true}]",
    REEL_ERROR_NOT_IMPLEMENTED, "rstrip" },
  { "added_tokens", "[{\"content\": \"<x>\", \"id\": 257, \"single_word\": true}]",
    REEL_ERROR_NOT_IMPLEMENTED, "single_word" },
  { "added_tokens",
    "[{\"content\": \"<x>\", \"id\": 257}, {\"content\": \">y\", \"id\": 258, \"normalized\": "
    "true}]",
    REEL_ERROR_NOT_IMPLEMENTED, "without common bytes" },
};

static void
damage_json (json_t *json, const Damage *damage)
{
  g_auto (GStrv) keys = g_strsplit (damage->path, "/", -1);
  gsize last = g_strv_length (keys) - 1;

  for (gsize i = 0; i < last; i++)
    json = json_object_get (json, keys[i]);
  if (damage->value)
    json_object_set_new (json, keys[last], json_loads (damage->value, JSON_DECODE_ANY, NULL));
  else
    json_object_del (json, keys[last]);
}

static void
test_other_files_are_refused (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (damages); i++)
    {
      g_autoptr (json_t) json = small_tokenizer_json ("a b", "");
      g_autoptr (GError) error = NULL;
      damage_json (json, &damages[i]);
      g_assert_null (small_tokenizer_load (json, &error));
      g_assert_error (error, REEL_ERROR, (gint) damages[i].code);
      g_assert_nonnull (strstr (error->message, damages[i].says));
      g_assert_nonnull (strstr (error->message, "tokenizer.json: "));
    }
}

/* Files of other versions: merges as pairs, flags that are missing, tokens apart of both kinds. */
static void
test_all_spellings_are_read (void)
{
  static const Damage changes[] = {
    { "model/merges", "[[\"a\", \"b\"]]", 0, NULL },
    { "model/dropout", "0.0", 0, NULL },
    { "model/end_of_word_suffix", "\"\"", 0, NULL },
    { "pre_tokenizer/use_regex", "true", 0, NULL },
    { "post_processor", "{\"type\": \"ByteLevel\"}", 0, NULL },
    { "added_tokens", "null", 0, NULL },
    { "added_tokens", NULL, 0, NULL },
    { "added_tokens", "[{\"content\": \"ab\", \"id\": 256}]", 0, NULL },
    { "added_tokens",
      "[{\"content\": \"<x>\", \"id\": 257}, {\"content\": \"[y]\", \"id\": 9999, "
      "\"normalized\": true}]",
      0, NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autoptr (json_t) json = small_tokenizer_json ("a b", "");
      g_autoptr (GError) error = NULL;
      damage_json (json, &changes[i]);
      g_autoptr (ReelTokenizer) self = small_tokenizer_load (json, &error);
      g_assert_no_error (error);
      assert_ids (self, "abc", "256 99");
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  scratch_test ("/datasets/text/tokenizer/equals-golden-texts", test_equals_golden_texts);
  scratch_test ("/datasets/text/tokenizer/equals-golden-characters", test_equals_golden_characters);
  scratch_test ("/datasets/text/tokenizer/classes-are-unicodes", test_classes_are_unicodes);
  scratch_test ("/datasets/text/tokenizer/words-equal-the-pattern", test_words_equal_the_pattern);
  scratch_test ("/datasets/text/tokenizer/merges-equal-the-definition",
                test_merges_equal_the_definition);
  scratch_test ("/datasets/text/tokenizer/cache-changes-nothing", test_cache_changes_nothing);
  scratch_test ("/datasets/text/tokenizer/added-tokens-come-first", test_added_tokens_come_first);
  scratch_test ("/datasets/text/tokenizer/limit-cuts-the-ids", test_limit_cuts_the_ids);
  scratch_test ("/datasets/text/tokenizer/streams-equal-the-whole", test_streams_equal_the_whole);
  scratch_test ("/datasets/text/tokenizer/streams-wait-for-long-words",
                test_streams_wait_for_long_words);
  scratch_test ("/datasets/text/tokenizer/decodes-with-replacements",
                test_decodes_with_replacements);
  scratch_test ("/datasets/text/tokenizer/decodes-with-and-without-special-tokens",
                test_decodes_with_and_without_special_tokens);
  scratch_test ("/datasets/text/tokenizer/tokens-need-no-memory", test_tokens_need_no_memory);
  scratch_test ("/datasets/text/tokenizer/other-files-are-refused", test_other_files_are_refused);
  scratch_test ("/datasets/text/tokenizer/all-spellings-are-read", test_all_spellings_are_read);
  return g_test_run ();
}
