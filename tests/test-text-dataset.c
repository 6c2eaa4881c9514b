/* Texts as tensors and data sets: against those of TorchRL, and what is refused. */
#include "../src/core/formats/csv.h"
#include "golden-tensor.h"
#include "make-spec.h"
#include "scratch.h"
#include "small-tokenizer.h"

#include <string.h>

static char *
data_path (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", "text", name, NULL);
}

typedef ReelPromptData ReelPromptDataHeld;

static void
clear_prompts (ReelPromptDataHeld *data)
{
  reel_record_clear (reel_prompt_data_get_record_type (), data);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReelPromptDataHeld, clear_prompts)

/* ---- TorchRL's tensors, by their SHA-256 ---- */

static void
add_to_sum (GChecksum *sum, const ReelTensor *tensor)
{
  g_assert_true (reel_tensor_is_contiguous (tensor));
  g_checksum_update (sum, tensor->data, (gssize) reel_tensor_nbytes (tensor));
}

static void
assert_sums (const ReelTensordict *td, const json_t *sums)
{
  const char *key;
  const json_t *expected;

  json_object_foreach ((json_t *) sums, key, expected)
  {
    g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
    add_to_sum (sum, reel_tensordict_get_tensor (td, key, NULL));
    g_assert_cmpstr (g_checksum_get_string (sum), ==, json_string_value (expected));
  }
}

static const char **
list_texts (const json_t *array)
{
  const char **texts = g_new0 (const char *, json_array_size (array) + 1);

  for (gsize i = 0; i < json_array_size (array); i++)
    texts[i] = json_string_value (json_array_get (array, i));
  return texts;
}

static void
test_tensors_equal_golden (void)
{
  g_autoptr (ReelTokenizer) tokenizer = golden_tokenizer ();
  g_autoptr (json_t) golden = golden_load ("text/tensors.json");
  const json_t *call;
  gsize i;

  json_array_foreach (json_object_get (golden, "calls"), i, call)
  {
    const json_t *array = json_object_get (call, "texts"),
                 *names = json_object_get (call, "labels");
    g_autofree const char **texts = list_texts (array), **labels = list_texts (names);
    ReelTokenizeOptions options = { .max_length =
                                        json_integer_value (json_object_get (call, "max_length")),
                                    .padding = json_is_true (json_object_get (call, "longest"))
                                                   ? REEL_PADDING_LONGEST
                                                   : REEL_PADDING_MAX_LENGTH,
                                    .pad_id = -1 };
    gsize n = json_array_size (array);
    g_autoptr (GError) error = NULL;
    g_autoptr (ReelTensordict) td =
        names ? reel_tokenize_prompts (tokenizer, &options, texts, labels, n, &error)
              : reel_tokenize_texts (tokenizer, &options, texts, n, &error);
    g_assert_no_error (error);
    g_assert_cmpint (reel_tensordict_numel (td), ==, (gint64) n);
    assert_sums (td, json_object_get (call, "keys"));
  }
}

static ReelReplayBuffer *
new_dataset (const char *file, ReelTextOptions options, GError **error)
{
  g_autoptr (ReelTokenizer) tokenizer = golden_tokenizer ();
  g_autofree char *path = g_path_is_absolute (file) ? g_strdup (file) : data_path (file);

  options.tokenize.max_length = 160;
  return reel_text_dataset_new (tokenizer, path, &options, error);
}

/* TorchRL has a file of all chosen answers and then all rejected ones. */
static void
assert_pair_sums (const ReelTensordict *td, const json_t *sums)
{
  static const char *const keys[] = { "input_ids", "attention_mask" };

  for (gsize i = 0; i < 2; i++)
    {
      g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
      g_autofree char *chosen = g_strconcat ("chosen_data/", keys[i], NULL);
      g_autofree char *rejected = g_strconcat ("rejected_data/", keys[i], NULL);
      add_to_sum (sum, reel_tensordict_get_tensor (td, chosen, NULL));
      add_to_sum (sum, reel_tensordict_get_tensor (td, rejected, NULL));
      g_assert_cmpstr (g_checksum_get_string (sum), ==,
                       json_string_value (json_object_get (sums, keys[i])));
    }
}

static void
test_datasets_equal_golden (void)
{
  g_autoptr (json_t) golden = golden_load ("text/tensors.json");
  const json_t *set;
  gsize i;

  json_array_foreach (json_object_get (golden, "datasets"), i, set)
  {
    ReelTextOptions options = REEL_TEXT_OPTIONS_DEFAULT;
    gboolean pairs = g_str_has_prefix (json_string_value (json_object_get (set, "name")), "pairs");
    options.kind = pairs ? REEL_TEXT_PAIRS : REEL_TEXT_PROMPTS;
    options.max_rows = json_integer_value (json_object_get (set, "max_rows"));
    g_autoptr (GError) error = NULL;
    g_autoptr (ReelReplayBuffer) buffer =
        new_dataset (json_string_value (json_object_get (set, "file")), options, &error);
    g_assert_no_error (error);
    g_autoptr (ReelTensordict) rows = reel_replay_buffer_get_all (buffer, NULL);
    if (pairs)
      assert_pair_sums (rows, json_object_get (set, "keys"));
    else
      assert_sums (rows, json_object_get (set, "keys"));
  }
}

/* ---- rows ---- */

static gint64
element (const ReelTensordict *td, const char *key, gint64 row, gint64 column)
{
  const ReelTensor *tensor = reel_tensordict_get_tensor (td, key, NULL);

  return ((gint64 *) tensor->data)[row * tensor->shape[1] + column];
}

static void
test_padding_on_the_left (void)
{
  g_autoptr (ReelTokenizer) tokenizer = small_tokenizer_new ("a b", "|<|endoftext|>");
  const char *const texts[] = { "abc", "", "abcabc" };
  ReelTokenizeOptions options = { .max_length = 3, .pad_left = TRUE, .pad_id = 7 };
  static const gint64 ids[] = { 7, 256, 99, 7, 7, 7, 256, 99, 256 };
  g_autoptr (ReelTensordict) td = reel_tokenize_texts (tokenizer, &options, texts, 3, NULL);

  for (gint64 i = 0; i < 9; i++)
    {
      g_assert_cmpint (element (td, "input_ids", i / 3, i % 3), ==, ids[i]);
      g_assert_cmpint (element (td, "attention_mask", i / 3, i % 3), ==, ids[i] != 7);
    }
  g_assert_null (reel_tokenize_prompts (tokenizer, &options, texts, texts, 3, NULL));
}

static void
assert_refused (ReelTokenizer *tokenizer, ReelTokenizeOptions options, gsize n, ReelError code)
{
  const char *const texts[] = { "ab", "abcd" };
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_tokenize_texts (tokenizer, &options, texts, n, &error));
  g_assert_error (error, REEL_ERROR, (gint) code);
}

static void
test_options_are_checked (void)
{
  g_autoptr (ReelTokenizer) tokenizer = small_tokenizer_new ("a b", "");

  assert_refused (tokenizer, (ReelTokenizeOptions){ .max_length = 0 }, 2, REEL_ERROR_VALUE);
  assert_refused (tokenizer, (ReelTokenizeOptions){ .max_length = G_MAXINT64 }, 2,
                  REEL_ERROR_VALUE);
  assert_refused (tokenizer, (ReelTokenizeOptions){ .max_length = 1, .pad_id = -2 }, 2,
                  REEL_ERROR_VALUE);
  assert_refused (tokenizer, (ReelTokenizeOptions){ .max_length = 1, .pad_id = -1 }, 2,
                  REEL_ERROR_KEY);
  assert_refused (tokenizer, (ReelTokenizeOptions){ .max_length = 1 }, 0, REEL_ERROR_VALUE);
  assert_refused (tokenizer, (ReelTokenizeOptions){ .max_length = 2, .refuse_longer = TRUE }, 2,
                  REEL_ERROR_VALUE);
}

/* ---- passes ---- */

/* The rows of batches, by the place of the end of the prompt and the first ids: each is another. */
static void
count_row (GHashTable *seen, const ReelTensordict *batch, gint64 row)
{
  const ReelTensor *ids = reel_tensordict_get_tensor (batch, "input_ids", NULL);
  const gint64 first[] = { row, 0 };
  GBytes *bytes = g_bytes_new (reel_tensor_element (ids, first), (gsize) ids->shape[1] * 8);

  g_assert_true (g_hash_table_add (seen, bytes));
}

static void
assert_pass (ReelReplayBuffer *loader)
{
  g_autoptr (GHashTable) seen =
      g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;
  gint64 n = 0;

  for (; reel_replay_buffer_next (loader, &batch, &error); n++)
    for (gint64 row = 0; row < 5; row++)
      count_row (seen, batch, row);
  g_assert_no_error (error);
  g_assert_cmpint (n, ==, 4);
}

/* 24 rows are four batches of 5 a pass, and 4 rows are left out. */
static void
test_loader_draws_passes (void)
{
  ReelTextOptions options = REEL_TEXT_OPTIONS_DEFAULT;
  g_autofree char *path = scratch_path ("set");
  options.kind = REEL_TEXT_PROMPTS;
  g_autoptr (ReelReplayBuffer) buffer = new_dataset ("tldr-train.jsonl", options, NULL);
  g_autoptr (GError) error = NULL;
  g_assert_true (reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_DEFAULT, &error));
  g_autoptr (ReelReplayBuffer) loader = reel_text_dataloader_new (path, 5, 0, &error);
  g_assert_no_error (error);
  g_autofree char *info = reel_replay_buffer_dup_info (loader, "text");
  g_assert_nonnull (strstr (info, "\"kind\":\"prompt\""));

  for (gsize pass = 0; pass < 3; pass++)
    assert_pass (loader);
  for (gsize i = 0; i < 10; i++)
    {
      g_autoptr (ReelTensordict) batch = NULL;
      g_assert_true (reel_replay_buffer_sample (loader, -1, &batch, &error));
      g_auto (ReelPromptDataHeld) data = { NULL };
      g_assert_true (reel_prompt_data_from_rows (batch, &data, &error));
      g_assert_true (data.labels == data.input_ids);
    }
  g_assert_null (reel_text_dataloader_new (path, 25, 0, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_null (reel_text_dataloader_new (path, 0, 0, NULL));
}

/* ---- records ---- */

static void
test_labels_are_masked (void)
{
  g_autoptr (ReelTokenizer) tokenizer = small_tokenizer_new ("", "");
  const char *const prompts[] = { "ab", "", "abcd" }, *const labels[] = { "cd", "x", "e" };
  ReelTokenizeOptions options = { .max_length = 4, .pad_id = 0 };
  static const gint64 ids[] = { 'a', 9, 9, 9, 9, 9, 9, 9, 'a', 'b', 'c', 9 };
  g_autoptr (ReelTensordict) td =
      reel_tokenize_prompts (tokenizer, &options, prompts, labels, 3, NULL);
  g_auto (ReelPromptDataHeld) data = { NULL }, masked = { NULL };
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_prompt_data_from_rows (td, &data, &error));
  g_assert_true (reel_prompt_data_mask_label (&data, 9, &masked, &error));
  g_assert_null (masked.labels);
  for (gsize i = 0; i < 12; i++)
    {
      g_assert_cmpint (((gint64 *) masked.input_ids->data)[i], ==, ids[i]);
      g_assert_cmpint (((gint64 *) masked.attention_mask->data)[i], ==, ids[i] != 9);
    }
  g_assert_cmpint (element (td, "input_ids", 0, 2), ==, 'c');

  g_autoptr (ReelTensordict) printed = reel_record_to_tensordict (
      reel_prompt_data_get_record_type (), &masked, 1, (gint64[]){ 3 }, &error);
  g_assert_no_error (error);
  g_autofree char *text = reel_tensordict_to_string (printed);
  /* T17: fields that are None are printed. */
  g_assert_nonnull (strstr (text, "PromptData(\n"));
  g_assert_nonnull (strstr (text, "labels=None"));
}

static void
test_pairs_are_records (void)
{
  ReelTextOptions options = REEL_TEXT_OPTIONS_DEFAULT;
  options.kind = REEL_TEXT_PAIRS;
  g_autoptr (ReelReplayBuffer) buffer = new_dataset ("comparisons-train.jsonl", options, NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  ReelPairwiseDataset pairs;
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_replay_buffer_sample (buffer, 4, &batch, &error));
  g_assert_true (reel_pairwise_dataset_from_rows (batch, &pairs, &error));
  g_assert_cmpint (pairs.chosen_data->input_ids->shape[0], ==, 4);
  g_assert_cmpint (pairs.rejected_data->attention_mask->shape[1], ==, 160);
  g_assert_null (pairs.chosen_data->rewards);
  reel_record_clear (reel_pairwise_dataset_get_record_type (), &pairs);
  g_assert_false (reel_pairwise_dataset_from_rows (
      reel_tensordict_get_tensordict (batch, "chosen_data", NULL), &pairs, NULL));
}

/* ---- files ---- */

/* The fields of a row, quoted where they must be. */
static void
append_row (GString *text, const char *const *fields, gsize n, const char *line_end)
{
  for (gsize i = 0; i < n; i++)
    {
      gboolean quoted = *fields[i] == '\0' || strpbrk (fields[i], ",\"\r\n");
      g_auto (GStrv) parts = g_strsplit (fields[i], "\"", -1);
      g_autofree char *doubled = g_strjoinv ("\"\"", parts);
      g_string_append_printf (text, quoted ? "%s\"%s\"" : "%s%s", i ? "," : "", doubled);
    }
  g_string_append (text, line_end);
}

/* The k-th text of up to 3 of the characters that matter. */
static char *
small_field (guint k)
{
  static const char chars[] = "a,\"\n\r";
  GString *text = g_string_new (NULL);

  for (; k > 0; k = (k - 1) / 5)
    g_string_append_c (text, chars[(k - 1) % 5]);
  return g_string_free (text, FALSE);
}

/* Two rows of two fields each, of all small texts. */
static void
test_csv_reads_what_is_written (void)
{
  const guint n = 1 + 5 + 25 + 125;

  for (guint i = 0; i < n * n; i++)
    {
      g_autofree char *a = small_field (i % n), *b = small_field (i / n);
      const char *const fields[] = { a, b, b, a };
      g_autoptr (GString) text = g_string_new (NULL);
      g_autoptr (GPtrArray) read = g_ptr_array_new ();
      const char *problem;
      append_row (text, fields, 2, i % 2 ? "\n" : "\r\n");
      append_row (text, fields + 2, 2, i % 3 ? "\n" : "");
      ReelCsv csv = { text->str, text->str + text->len, 1 };
      guint n_fields;
      for (gsize row = 0; row < 2; row++)
        {
          g_assert_true (reel_csv_next (&csv, read, &n_fields, &problem));
          g_assert_cmpuint (n_fields, ==, 2);
          g_assert_cmpstr (((GString *) read->pdata[0])->str, ==, fields[2 * row]);
          g_assert_cmpstr (((GString *) read->pdata[1])->str, ==, fields[2 * row + 1]);
        }
      g_assert_true (reel_csv_next (&csv, read, &n_fields, &problem));
      g_assert_cmpuint (n_fields, ==, 0);
    }
}

static void
test_damaged_files_are_refused (void)
{
  static const struct
  {
    const char *name, *text;
    ReelError code;
    const char *says;
  } files[] = {
    { "a.txt", "x", REEL_ERROR_VALUE, ".jsonl, .ndjson or .csv" },
    { "a.jsonl", "", REEL_ERROR_VALUE, "no rows" },
    { "a.jsonl", "\n \r\n", REEL_ERROR_VALUE, "no rows" },
    { "a.jsonl", "{\"text\": \"a\"}\n{\"text\": 3}\n", REEL_ERROR_DAMAGED,
      "line 2: \"text\": expected a string, found the integer 3" },
    { "a.jsonl", "{\"txt\": \"a\"}", REEL_ERROR_DAMAGED, "line 1: \"text\" is missing" },
    { "a.jsonl", "\n\n{\"text\": \"a\"\n", REEL_ERROR_DAMAGED, "line 3" },
    { "a.jsonl", "[\"text\"]\n", REEL_ERROR_DAMAGED, "line 1: expected an object" },
    { "a.jsonl", "{\"text\": \"\303\"}\n", REEL_ERROR_DAMAGED, "line 1" },
    { "a.jsonl", "{\"text\": \"a\\u0000b\"}\n", REEL_ERROR_DAMAGED, "line 1" },
    { "a.csv", "", REEL_ERROR_KEY, "no column \"text\"" },
    { "a.csv", "x,text2\n", REEL_ERROR_KEY, "its columns: x, text2" },
    { "a.csv", "text\n", REEL_ERROR_VALUE, "no rows" },
    { "a.csv", "text,b\n1,2\n3\n", REEL_ERROR_DAMAGED, "line 3: expected 2 fields" },
    { "a.csv", "text,b\n\"1\n\",2\n3,4,5\n", REEL_ERROR_DAMAGED, "line 4: expected 2 fields" },
    { "a.csv", "text\n\"abc", REEL_ERROR_DAMAGED, "line 2: a quoted field has no end" },
    { "a.csv", "text\n\"abc\"d\n", REEL_ERROR_DAMAGED, "behind its closing quote" },
    { "a.csv", "text\n\377\n", REEL_ERROR_DAMAGED, "line 2: the text is not UTF-8" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      ReelTextOptions options = REEL_TEXT_OPTIONS_DEFAULT;
      g_autofree char *path = scratch_path (files[i].name);
      g_autoptr (GError) error = NULL;
      scratch_put (path, files[i].text);
      g_assert_null (new_dataset (path, options, &error));
      g_assert_error (error, REEL_ERROR, (gint) files[i].code);
      g_assert_nonnull (strstr (error->message, files[i].says));
      g_assert_nonnull (strstr (error->message, path));
    }
}

/* A mark of UTF-8, CR LF, empty lines, columns in another order, another key, no newline at the
 * end.
 */
static void
test_spellings_of_files (void)
{
  static const char *const files[][2] = {
    { "a.csv", "\357\273\277b,body\r\n1,xy\r\n\r\n2,\"z\"" },
    { "a.jsonl", "\357\273\277{\"body\": \"xy\", \"b\": 1}\r\n\n{\"b\": 2, \"body\": \"z\"}" },
    { "a.ndjson", "{\"body\": \"xy\"}\n{\"body\": \"z\"}\n" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      ReelTextOptions options = REEL_TEXT_OPTIONS_DEFAULT;
      g_autofree char *path = scratch_path (files[i][0]);
      g_autoptr (GError) error = NULL;
      options.key = "body";
      scratch_put (path, files[i][1]);
      g_autoptr (ReelReplayBuffer) buffer = new_dataset (path, options, &error);
      g_assert_no_error (error);
      g_autoptr (ReelTensordict) rows = reel_replay_buffer_get_all (buffer, NULL);
      g_assert_cmpint (reel_tensordict_numel (rows), ==, 2);
      g_assert_cmpint (element (rows, "attention_mask", 0, 1), ==, 1);
      g_assert_cmpint (element (rows, "attention_mask", 1, 1), ==, 0);
    }
}

/* More rows than are tokenized at once keep their order. */
static void
test_many_rows_keep_their_order (void)
{
  ReelTextOptions options = REEL_TEXT_OPTIONS_DEFAULT;
  g_autofree char *path = scratch_path ("a.csv");
  g_autoptr (GString) text = g_string_new ("text\n");

  for (guint i = 0; i < 3000; i++)
    g_string_append_printf (text, "%04u\n", i);
  scratch_put (path, text->str);
  g_autoptr (ReelReplayBuffer) buffer = new_dataset (path, options, NULL);
  g_autoptr (ReelTensordict) rows = reel_replay_buffer_get_all (buffer, NULL);
  g_assert_cmpint (reel_tensordict_numel (rows), ==, 3000);
  g_autoptr (ReelTokenizer) tokenizer = golden_tokenizer ();
  for (gint64 i = 0; i < 3000; i++)
    {
      g_autofree char *expected = g_strdup_printf ("%04d", (int) i);
      const ReelTensor *ids = reel_tensordict_get_tensor (rows, "input_ids", NULL);
      const ReelTensor *mask = reel_tensordict_get_tensor (rows, "attention_mask", NULL);
      gsize n = 0;
      while (((gint64 *) mask->data)[i * 160 + (gint64) n] == 1)
        n++;
      g_autofree char *decoded =
          reel_tokenizer_decode (tokenizer, (gint64 *) ids->data + i * 160, n, FALSE, NULL, NULL);
      g_assert_cmpstr (decoded, ==, expected);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_test ("/datasets/text/tensors-equal-golden", test_tensors_equal_golden);
  scratch_test ("/datasets/text/datasets-equal-golden", test_datasets_equal_golden);
  scratch_test ("/datasets/text/padding-on-the-left", test_padding_on_the_left);
  scratch_test ("/datasets/text/options-are-checked", test_options_are_checked);
  scratch_test ("/datasets/text/loader-draws-passes", test_loader_draws_passes);
  scratch_test ("/datasets/text/labels-are-masked", test_labels_are_masked);
  scratch_test ("/datasets/text/pairs-are-records", test_pairs_are_records);
  scratch_test ("/datasets/text/csv-reads-what-is-written", test_csv_reads_what_is_written);
  scratch_test ("/datasets/text/damaged-files-are-refused", test_damaged_files_are_refused);
  scratch_test ("/datasets/text/spellings-of-files", test_spellings_of_files);
  scratch_test ("/datasets/text/many-rows-keep-their-order", test_many_rows_keep_their_order);
  return g_test_run ();
}
