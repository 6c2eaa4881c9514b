/* replay rollout: answers of a model to prompts, as episodes. */
#include "../common/escaped-text.h"
#include "../common/free-memory.h"
#include "../common/interrupt.h"
#include "../common/json-values.h"
#include "replay-directories.h"
#include "replay.h"

#define MOST_TOKENS (1 << 20)

static struct
{
  char *model;
  char *ref_model;
  char *reward_model;
  char *max_new_tokens;
  char *kl_coef;
  char *kl_scheduler;
  char *score_clip;
  char *eos_id;
  char *batch_size;
  char *rows;
  char *seed;
  gboolean greedy;
  gboolean force;
  gboolean json;
} options;

static const GOptionEntry entries[] = {
  { "model", 0, 0, G_OPTION_ARG_STRING, &options.model,
    "model that answers: ngram:rows=TEXTS, or exec:'COMMAND'", "ID[:NAME=VALUE,...]" },
  { "ref-model", 0, 0, G_OPTION_ARG_STRING, &options.ref_model,
    "model from which the divergence is measured (a copy of the model)", "ID[:NAME=VALUE,...]" },
  { "reward-model", 0, 0, G_OPTION_ARG_STRING, &options.reward_model,
    "model that scores answers and labels", "ID[:NAME=VALUE,...]" },
  { "max-new-tokens", 0, 0, G_OPTION_ARG_STRING, &options.max_new_tokens,
    "tokens of the longest answer (50)", "N" },
  { "kl-coef", 0, 0, G_OPTION_ARG_STRING, &options.kl_coef,
    "weight of the divergence in rewards (0.1)", "F" },
  { "kl-scheduler", 0, 0, G_OPTION_ARG_STRING, &options.kl_scheduler,
    "changes kl-coef after each batch: adaptive:target=6,horizon=10000", "ID[:NAME=VALUE,...]" },
  { "score-clip", 0, 0, G_OPTION_ARG_STRING, &options.score_clip,
    "greatest difference of the scores that is paid (10)", "F" },
  { "eos-id", 0, 0, G_OPTION_ARG_STRING, &options.eos_id,
    "token that ends an answer (that of the padding of PROMPTS)", "N" },
  { "batch-size", 0, 0, G_OPTION_ARG_STRING, &options.batch_size, "prompts of a batch (16)", "N" },
  { "rows", 0, 0, G_OPTION_ARG_STRING, &options.rows, "answer the first N prompts (all)", "N" },
  { "seed", 0, 0, G_OPTION_ARG_STRING, &options.seed, "seed of the draws (0)", "N" },
  { "greedy", 0, 0, G_OPTION_ARG_NONE, &options.greedy, "take the likeliest token, draw none",
    NULL },
  { "force", 0, 0, G_OPTION_ARG_NONE, &options.force, "replace the checkpoint at DIR", NULL },
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print one JSON object", NULL },
  { NULL },
};

typedef struct
{
  gint64 max_new_tokens, eos, batch_size, n_prompts, seed;
  double kl_coef, score_clip;
  ReelReplayBuffer *prompts;
  ReelRolloutFromModel *rollout;
  ReelReplayBuffer *steps;
} Request;

static void
request_clear (Request *self)
{
  g_clear_object (&self->prompts);
  g_clear_object (&self->rollout);
  g_clear_object (&self->steps);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Request, request_clear)

/* ---- the command line ---- */

static gboolean
check_words (char **words, GError **error)
{
  if (!options_check_words (words, 2, error))
    return FALSE;
  if (!words[0] || !words[1])
    set_usage_error (error, "cannot roll out: name the directory of prompts and the one to make");
  else if (!options.model || !options.reward_model)
    set_usage_error (error, "cannot roll out %s: name the models with --model and --reward-model",
                     words[0]);
  else
    return replay_check_directory_name (words[1], error);
  return FALSE;
}

static gboolean
parse_options (Request *self, GError **error)
{
  return options_parse_number ("max-new-tokens", options.max_new_tokens, 1, MOST_TOKENS, 50,
                               &self->max_new_tokens, error)
         && options_parse_number ("eos-id", options.eos_id, 0, G_MAXINT32, -1, &self->eos, error)
         && options_parse_number ("batch-size", options.batch_size, 1, G_MAXINT32, 16,
                                  &self->batch_size, error)
         && options_parse_number ("rows", options.rows, 1, G_MAXINT64, G_MAXINT64, &self->n_prompts,
                                  error)
         && options_parse_number ("seed", options.seed, 0, G_MAXINT64, 0, &self->seed, error)
         && options_parse_double ("kl-coef", options.kl_coef, 0.1, &self->kl_coef, error)
         && options_parse_double ("score-clip", options.score_clip, 10, &self->score_clip, error);
}

/* ---- the parts ---- */

/* The id of padding, which replay tokenize kept. */
static gboolean
find_eos (Request *self, const char *path, GError **error)
{
  g_autofree char *text = reel_replay_buffer_dup_info (self->prompts, "text");
  json_t *info = text ? json_loads (text, 0, NULL) : NULL;
  const json_t *pad = json_object_get (info, "pad_id");

  if (self->eos < 0 && json_is_integer (pad))
    self->eos = json_integer_value (pad);
  json_decref (info);
  if (self->eos >= 0)
    return TRUE;
  set_usage_error (error,
                   "cannot roll out %s: it does not name its padding; name the token that "
                   "ends an answer with --eos-id",
                   path);
  return FALSE;
}

static gboolean
open_prompts (Request *self, const char *path, GError **error)
{
  self->prompts = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, error);
  if (!self->prompts || !find_eos (self, path, error))
    return FALSE;
  self->n_prompts = MIN (self->n_prompts, reel_replay_buffer_get_length (self->prompts));
  self->batch_size = CLAMP (self->batch_size, 1, MAX (self->n_prompts, 1));
  return TRUE;
}

static gboolean
make_rollout (Request *self, GError **error)
{
  const char *like = options.ref_model ? options.ref_model : options.model;
  g_autoptr (ReelTextModel) model =
      reel_object_new_from_text (REEL_TYPE_TEXT_MODEL, options.model, error, NULL);
  g_autoptr (ReelTextModel) reference =
      model ? reel_object_new_from_text (REEL_TYPE_TEXT_MODEL, like, error, NULL) : NULL;
  g_autoptr (ReelTextModel) reward =
      reference
          ? reel_object_new_from_text (REEL_TYPE_TEXT_MODEL, options.reward_model, error, NULL)
          : NULL;
  g_autoptr (ReelKLController) scheduler = NULL;

  if (!reward)
    return FALSE;
  if (options.kl_scheduler
      && !(scheduler = reel_object_new_from_text (REEL_TYPE_KL_CONTROLLER, options.kl_scheduler,
                                                  error, NULL)))
    return FALSE;
  self->rollout = g_initable_new (
      REEL_TYPE_ROLLOUT_FROM_MODEL, NULL, error, "id", "rollout", "model", model, "ref-model",
      reference, "reward-model", reward, "kl-scheduler", scheduler, "kl-coef", self->kl_coef,
      "score-clip", self->score_clip, "max-new-tokens", self->max_new_tokens, "eos-id", self->eos,
      "seed", self->seed, "do-sample", !options.greedy, NULL);
  return self->rollout != NULL;
}

/* The texts of a batch, twice in each step: bytes, or the most there are. */
static gboolean
check_memory (const Request *self, const ReelPromptData *prompts, GError **error)
{
  gint64 bytes, length = prompts->input_ids->shape[1] + self->max_new_tokens;

  if (__builtin_mul_overflow (length * 18, self->max_new_tokens, &bytes)
      || __builtin_mul_overflow (bytes, self->batch_size, &bytes))
    bytes = G_MAXINT64;
  return free_memory_check ("a batch", bytes, error);
}

/* ---- episodes ---- */

/* The steps of each answer up to its end. */
static ReelTensordict *
select_episodes (ReelTensordict *td, GError **error)
{
  const ReelTensor *done = reel_tensordict_get_tensor (td, "next/done", error);
  g_autoptr (ReelTensordict) flat = reel_tensordict_flatten (td, 0, 1, error);
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (gint64));

  if (!flat)
    return NULL;
  for (gint64 row = 0; row < done->shape[0]; row++)
    for (gint64 t = 0; t < done->shape[1]; t++)
      {
        gint64 i = row * done->shape[1] + t;
        g_array_append_val (rows, i);
        if (done->data[i])
          break;
      }
  return reel_tensordict_gather_rows (flat, (const gint64 *) (gpointer) rows->data, rows->len,
                                      error);
}

static ReelTensordict *
answer (Request *self, gint64 first, GError **error)
{
  gint64 n = MIN (self->batch_size, self->n_prompts - first);
  g_autoptr (ReelTensordict) rows = reel_replay_buffer_get_rows (self->prompts, first, n, error);
  ReelPromptData prompts = { NULL };
  g_autoptr (ReelTensordict) td = NULL;

  if (rows && reel_prompt_data_from_rows (rows, &prompts, error)
      && check_memory (self, &prompts, error))
    td = reel_rollout_from_model_rollout_from_data (self->rollout, &prompts, error);
  reel_record_clear (reel_prompt_data_get_record_type (), &prompts);
  return td ? select_episodes (td, error) : NULL;
}

static gboolean
answer_all (Request *self, GError **error)
{
  g_autofree char *storage =
      g_strdup_printf ("memmap:capacity=%" G_GINT64_FORMAT, self->n_prompts * self->max_new_tokens);

  self->steps = reel_replay_buffer_new_from_text (storage, "random", 0, error);
  for (gint64 first = 0; self->steps && first < self->n_prompts; first += self->batch_size)
    {
      g_autoptr (ReelTensordict) episodes = answer (self, first, error);
      if (!episodes || !reel_replay_buffer_extend (self->steps, episodes, NULL, error)
          || (options.kl_scheduler
              && !reel_rollout_from_model_step_scheduler (self->rollout, error)))
        return FALSE;
    }
  return self->steps != NULL;
}

static gboolean
write_steps (Request *self, const char *to, ReelCheckpointFlags flags, GError **error)
{
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (self->rollout));
  char *json = json_take_text (json_string_or_null (text));
  gboolean described = reel_replay_buffer_set_info (self->steps, "rollout", json, error);

  g_free (json);
  return described && reel_replay_buffer_dumps (self->steps, to, flags, error);
}

static void
print (const Request *self, const char *path)
{
  if (options.json)
    json_print (json_pack ("{s:o, s:I, s:I, s:f}", "path", json_string_or_null (path), "prompts",
                           (json_int_t) self->n_prompts, "length",
                           (json_int_t) reel_replay_buffer_get_length (self->steps), "kl_coef",
                           reel_rollout_from_model_get_kl_coef (self->rollout)));
  else
    escaped_text_print_path (path);
}

int
replay_rollout (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("PROMPTS DIR - let a model answer prompts");
  g_auto (Request) request = { 0 };

  g_option_context_set_summary (
      context, "PROMPTS is a directory that replay tokenize --kind prompt made. DIR becomes a "
               "checkpoint of a buffer, which replay and TorchRL open: an episode for each answer, "
               "a row for each token, with the rewards of TorchRL's RolloutFromModel.");
  if (!options_parse (context, entries, argv, error) || !check_words (*argv + 1, error)
      || !parse_options (&request, error))
    return EXIT_USAGE;
  const char *to = (*argv)[2];
  ReelCheckpointFlags flags = options.force ? REEL_CHECKPOINT_FORCE : REEL_CHECKPOINT_DEFAULT;
  if (!reel_checkpoint_check_target (to, flags, error)
      || !open_prompts (&request, (*argv)[1], error) || !make_rollout (&request, error)
      || !answer_all (&request, error))
    return EXIT_FAILED;
  interrupt_watch (reel_cancel_writes, NULL);
  if (!write_steps (&request, to, flags, error))
    return replay_end_interrupted (to, error);
  print (&request, to);
  return EXIT_OK;
}
