#include "text-dataset.h"

#include "../../core/formats/json.h"
#include "text-rows.h"

#include <string.h>

/* Rows that are tokenized at once. */
#define BATCH 1024

typedef struct
{
  ReelTokenizer *tokenizer;
  const ReelTextOptions *options;
  ReelTextRows *rows;
  gint64 n_read;
  GPtrArray *texts[2]; /* of a batch: texts; prompts and labels; chosen and rejected */
} Source;

static void
source_clear (Source *self)
{
  g_clear_pointer (&self->rows, reel_text_rows_close);
  g_ptr_array_unref (self->texts[0]);
  g_ptr_array_unref (self->texts[1]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Source, source_clear)

static gboolean
source_open (Source *self, ReelTokenizer *tokenizer, const char *file,
             const ReelTextOptions *options, GError **error)
{
  static const char *const columns[][REEL_MAX_TEXT_COLUMNS + 1] = {
    { "text" }, { "prompt", "label" }, { "prompt", "chosen", "rejected" }
  };
  const char *keys[REEL_MAX_TEXT_COLUMNS + 1];

  *self = (Source){ .tokenizer = tokenizer, .options = options };
  self->texts[0] = g_ptr_array_new_with_free_func (g_free);
  self->texts[1] = g_ptr_array_new_with_free_func (g_free);
  memcpy (keys, columns[options->kind], sizeof keys);
  keys[0] = options->key ? options->key : keys[0];
  self->rows = reel_text_rows_open (file, keys, error);
  return self->rows != NULL;
}

/* ---- pairs ---- */

/* Blanks of Python's str.split(). */
static gboolean
is_blank (gunichar code)
{
  return g_unichar_isspace (code) || code == 0x0b || code == 0x85 || (code >= 0x1c && code <= 0x1f);
}

static gint64
count_words (const char *text)
{
  gint64 n = 0;
  gboolean inside = FALSE;

  for (; *text; text = g_utf8_next_char (text))
    {
      gboolean blank = is_blank (g_utf8_get_char (text));
      n += !blank && !inside;
      inside = !blank;
    }
  return n;
}

static gboolean
is_pair (const Source *self, const char *const *texts)
{
  return strcmp (texts[1], texts[2]) != 0 && count_words (texts[1]) >= self->options->min_words
         && count_words (texts[2]) >= self->options->min_words;
}

/* ---- rows ---- */

/* The next row of the data set. */
static ReelTextRead
read_row (Source *self, const char **texts, GError **error)
{
  ReelTextRead read;

  do
    {
      if (self->options->max_rows >= 0 && self->n_read >= self->options->max_rows)
        return REEL_TEXT_END;
      read = reel_text_rows_next (self->rows, texts, error);
      self->n_read++;
    }
  while (read == REEL_TEXT_ROW && self->options->kind == REEL_TEXT_PAIRS && !is_pair (self, texts));
  return read;
}

static gint64
count_rows (Source *self, GError **error)
{
  const char *texts[REEL_MAX_TEXT_COLUMNS];
  ReelTextRead read;
  gint64 n = 0;

  while ((read = read_row (self, texts, error)) == REEL_TEXT_ROW)
    n++;
  reel_text_rows_rewind (self->rows);
  self->n_read = 0;
  return read == REEL_TEXT_FAILED ? -1 : n;
}

static void
keep_row (Source *self, const char *const *texts)
{
  gboolean pairs = self->options->kind == REEL_TEXT_PAIRS;

  g_ptr_array_add (self->texts[0],
                   pairs ? g_strconcat (texts[0], "\n", texts[1], NULL) : g_strdup (texts[0]));
  if (self->options->kind != REEL_TEXT_ALONE)
    g_ptr_array_add (self->texts[1],
                     pairs ? g_strconcat (texts[0], "\n", texts[2], NULL) : g_strdup (texts[1]));
}

static gboolean
read_batch (Source *self, GError **error)
{
  const char *texts[REEL_MAX_TEXT_COLUMNS];
  ReelTextRead read = REEL_TEXT_ROW;

  g_ptr_array_set_size (self->texts[0], 0);
  g_ptr_array_set_size (self->texts[1], 0);
  while (self->texts[0]->len < BATCH && read == REEL_TEXT_ROW)
    {
      read = read_row (self, texts, error);
      if (read == REEL_TEXT_ROW)
        keep_row (self, texts);
    }
  return read != REEL_TEXT_FAILED;
}

static ReelTensordict *
tokenize_pairs (Source *self, gint64 n, GError **error)
{
  static const char *const keys[] = { "chosen_data", "rejected_data" };
  g_autoptr (ReelTensordict) pairs = reel_tensordict_new (1, &n);

  for (gsize i = 0; i < 2; i++)
    {
      g_autoptr (ReelTensordict) data =
          reel_tokenize_texts (self->tokenizer, &self->options->tokenize,
                               (const char **) self->texts[i]->pdata, (gsize) n, error);
      if (!data || !reel_tensordict_set_tensordict (pairs, keys[i], data, error))
        return NULL;
    }
  return g_steal_pointer (&pairs);
}

static ReelTensordict *
tokenize_batch (Source *self, GError **error)
{
  const ReelTokenizeOptions *how = &self->options->tokenize;
  const char *const *first = (const char **) self->texts[0]->pdata;
  gsize n = self->texts[0]->len;

  if (self->options->kind == REEL_TEXT_PAIRS)
    return tokenize_pairs (self, (gint64) n, error);
  if (self->options->kind == REEL_TEXT_ALONE)
    return reel_tokenize_texts (self->tokenizer, how, first, n, error);
  g_autoptr (ReelTensordict) prompts = reel_tokenize_prompts (
      self->tokenizer, how, first, (const char **) self->texts[1]->pdata, n, error);
  if (!prompts || !reel_tensordict_remove (prompts, "valid_sample", error))
    return NULL;
  return g_steal_pointer (&prompts);
}

static gboolean
write_rows (Source *self, ReelReplayBuffer *buffer, gint64 n, GError **error)
{
  for (gint64 written = 0; written < n; written += self->texts[0]->len)
    {
      if (!read_batch (self, error))
        return FALSE;
      g_autoptr (ReelTensordict) batch = tokenize_batch (self, error);
      if (!batch || !reel_replay_buffer_extend (buffer, batch, NULL, error))
        return FALSE;
    }
  return TRUE;
}

/* How it was made, for who opens it. */
static gboolean
describe (const Source *self, ReelReplayBuffer *buffer, const char *file, GError **error)
{
  static const char *const kinds[] = { "text", "prompt", "pair" };
  g_autofree char *name = g_filename_display_name (file);
  g_autofree char *path = g_filename_display_name (reel_tokenizer_get_path (self->tokenizer));
  const ReelTokenizeOptions *how = &self->options->tokenize;
  gint64 pad_id = how->pad_id == -1 ? reel_tokenizer_find (self->tokenizer, "<|endoftext|>", error)
                                    : how->pad_id;
  g_autoptr (json_t) object = json_pack (
      "{s:s, s:s, s:s, s:I, s:I}", "kind", kinds[self->options->kind], "source", name, "tokenizer",
      path, "max_length", (json_int_t) how->max_length, "pad_id", (json_int_t) pad_id);
  g_autofree char *json = reel_json_to_string (object, REEL_JSON_COMPACT);

  return reel_replay_buffer_set_info (buffer, "text", json, error);
}

ReelReplayBuffer *
reel_text_dataset_new (ReelTokenizer *tokenizer, const char *file, const ReelTextOptions *options,
                       GError **error)
{
  g_auto (Source) source;
  gint64 n =
      source_open (&source, tokenizer, file, options, error) ? count_rows (&source, error) : -1;

  if (n == 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "cannot make a data set of %s: it has no rows of that kind", file);
  if (n <= 0)
    return NULL;
  if (options->tokenize.padding != REEL_PADDING_MAX_LENGTH)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "cannot make a data set of rows as long as the longest: pad to the "
                           "max-length");
      return NULL;
    }
  g_autofree char *storage = g_strdup_printf ("memmap:capacity=%" G_GINT64_FORMAT, n);
  g_autoptr (ReelReplayBuffer) buffer =
      reel_replay_buffer_new_from_text (storage, "without-replacement", 0, error);
  if (!buffer || !write_rows (&source, buffer, n, error)
      || !describe (&source, buffer, file, error))
    return NULL;
  return g_steal_pointer (&buffer);
}

ReelReplayBuffer *
reel_text_dataloader_new (const char *path, gint64 batch_size, gint64 prefetch, GError **error)
{
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, error);
  gint64 n = buffer ? reel_replay_buffer_get_length (buffer) : 0;

  if (!buffer)
    return NULL;
  if (batch_size < 1 || batch_size > n)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "cannot draw batches of %" G_GINT64_FORMAT " rows from the %" G_GINT64_FORMAT
                   " of %s",
                   batch_size, n, path);
      return NULL;
    }
  reel_replay_buffer_set_batch_size (buffer, batch_size);
  g_autoptr (ReelSampler) sampler = reel_object_new_from_text (
      REEL_TYPE_SAMPLER, "without-replacement:drop-last=true", error, NULL);
  if (!sampler || !reel_replay_buffer_set_sampler (buffer, sampler, NULL, error)
      || !reel_replay_buffer_set_prefetch (buffer, prefetch, error))
    return NULL;
  return g_steal_pointer (&buffer);
}
