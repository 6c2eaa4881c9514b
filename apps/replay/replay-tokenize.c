/* replay tokenize: texts of a file as a data set of ids. */
#include "../common/escaped-text.h"
#include "../common/interrupt.h"
#include "../common/json-values.h"
#include "replay-directories.h"
#include "replay.h"

#include <stdio.h>
#include <string.h>

#define MOST_IDS (1 << 20)

static struct
{
  char *tokenizer;
  char *kind;
  char *key;
  char *max_length;
  char *padding_side;
  char *pad_token;
  char *min_words;
  char *rows;
  gboolean force;
  gboolean json;
} options;

static const GOptionEntry entries[] = {
  { "tokenizer", 0, 0, G_OPTION_ARG_FILENAME, &options.tokenizer,
    "the tokenizer.json of a byte-level BPE, as GPT-2's", "FILE.json" },
  { "kind", 0, 0, G_OPTION_ARG_STRING, &options.kind,
    "columns that are read: text, prompt (prompt and label) or pair (prompt, chosen and rejected) "
    "(text)",
    "KIND" },
  { "key", 0, 0, G_OPTION_ARG_STRING, &options.key, "column in the place of text, or of prompt",
    "COLUMN" },
  { "max-length", 0, 0, G_OPTION_ARG_STRING, &options.max_length,
    "ids of a row; longer texts lose their end (550)", "N" },
  { "padding-side", 0, 0, G_OPTION_ARG_STRING, &options.padding_side,
    "where shorter texts are padded, right or left (right)", "SIDE" },
  { "pad-token", 0, 0, G_OPTION_ARG_STRING, &options.pad_token,
    "token of which padding is made (<|endoftext|>)", "TOKEN" },
  { "min-words", 0, 0, G_OPTION_ARG_STRING, &options.min_words,
    "fewest words of both answers of a pair (5)", "N" },
  { "rows", 0, 0, G_OPTION_ARG_STRING, &options.rows, "read the first N rows of FILE (all)", "N" },
  { "force", 0, 0, G_OPTION_ARG_NONE, &options.force, "replace the checkpoint at DIR", NULL },
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print one JSON object", NULL },
  { NULL },
};

static gboolean
check_words (char **words, GError **error)
{
  if (!options_check_words (words, 2, error))
    return FALSE;
  if (!words[0] || !words[1])
    set_usage_error (error, "cannot tokenize: name the file of texts and the directory to make");
  else if (!options.tokenizer)
    set_usage_error (error, "cannot tokenize %s: name the tokenizer.json with --tokenizer",
                     words[0]);
  else
    return replay_check_directory_name (words[1], error);
  return FALSE;
}

/* The place of a word among those that an option may be. */
static gboolean
choose (const char *option, const char *text, const char *const *words, int *chosen, GError **error)
{
  for (*chosen = 0; text && words[*chosen]; (*chosen)++)
    if (strcmp (text, words[*chosen]) == 0)
      return TRUE;
  if (!text)
    return TRUE;
  g_autofree char *list = g_strjoinv (", ", (char **) words);
  set_usage_error (error, "cannot use --%s %s: expected one of %s", option, text, list);
  return FALSE;
}

static gboolean
parse_options (ReelTextOptions *how, GError **error)
{
  static const char *const kinds[] = { "text", "prompt", "pair", NULL };
  static const char *const sides[] = { "right", "left", NULL };
  int kind, side;

  *how = (ReelTextOptions) REEL_TEXT_OPTIONS_DEFAULT;
  if (!choose ("kind", options.kind, kinds, &kind, error)
      || !choose ("padding-side", options.padding_side, sides, &side, error)
      || !options_parse_number ("max-length", options.max_length, 1, MOST_IDS,
                                how->tokenize.max_length, &how->tokenize.max_length, error)
      || !options_parse_number ("min-words", options.min_words, 0, G_MAXINT64, how->min_words,
                                &how->min_words, error)
      || !options_parse_number ("rows", options.rows, 1, G_MAXINT64, -1, &how->max_rows, error))
    return FALSE;
  if (options.min_words && kind != REEL_TEXT_PAIRS)
    {
      set_usage_error (error, "cannot use --min-words without --kind pair");
      return FALSE;
    }
  how->kind = (ReelTextKind) kind;
  how->key = options.key;
  how->tokenize.pad_left = side == 1;
  return TRUE;
}

static ReelReplayBuffer *
make_rows (const char *file, ReelTextOptions *how, GError **error)
{
  g_autoptr (ReelTokenizer) tokenizer = reel_tokenizer_load (options.tokenizer, error);

  if (!tokenizer)
    return NULL;
  if (options.pad_token)
    {
      how->tokenize.pad_id = reel_tokenizer_find (tokenizer, options.pad_token, error);
      if (how->tokenize.pad_id < 0)
        return NULL;
    }
  return reel_text_dataset_new (tokenizer, file, how, error);
}

static void
print (ReelReplayBuffer *buffer, const char *path, const ReelTextOptions *how)
{
  if (options.json)
    json_print (json_pack ("{s:o, s:I, s:I}", "path", json_string_or_null (path), "length",
                           (json_int_t) reel_replay_buffer_get_length (buffer), "max_length",
                           (json_int_t) how->tokenize.max_length));
  else
    escaped_text_print_path (path);
}

int
replay_tokenize (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("FILE DIR - write texts as ids of tokens");
  ReelTextOptions how;

  g_option_context_set_summary (
      context, "FILE is JSON Lines (.jsonl, .ndjson) or CSV (.csv) with the names of the columns "
               "in its first line. DIR becomes a checkpoint of a buffer, which replay and TorchRL "
               "open: input_ids and attention_mask of each text, prompt_rindex of prompts, "
               "chosen_data and rejected_data of pairs.");
  if (!options_parse (context, entries, argv, error) || !check_words (*argv + 1, error)
      || !parse_options (&how, error))
    return EXIT_USAGE;
  const char *file = (*argv)[1], *to = (*argv)[2];
  ReelCheckpointFlags flags = options.force ? REEL_CHECKPOINT_FORCE : REEL_CHECKPOINT_DEFAULT;
  g_autoptr (ReelReplayBuffer) buffer =
      reel_checkpoint_check_target (to, flags, error) ? make_rows (file, &how, error) : NULL;
  if (!buffer)
    return EXIT_FAILED;
  interrupt_watch (reel_cancel_writes, NULL);
  if (!reel_replay_buffer_dumps (buffer, to, flags, error))
    return replay_end_interrupted (to, error);
  print (buffer, to, &how);
  return EXIT_OK;
}
