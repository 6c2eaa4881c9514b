#include "rollout-from-model.h"

#include "generate.h"
#include "rollout-steps.h"

#define OFFSET(field) G_STRUCT_OFFSET (ReelRolloutFromModel, field)

struct _ReelRolloutFromModel
{
  ReelObject parent_instance;

  ReelTextModel *model, *reference, *reward;
  ReelKLController *scheduler;
  double kl_coef;
  gint64 max_new_tokens;
  double score_clip;
  gint64 num_steps; /* divergences that are kept, 0 for all */
  gint64 eos;
  gboolean do_sample, single_done;
  gint64 seed;

  gint64 n_drawn;      /* steps that were drawn so far */
  GArray *divergences; /* double, the oldest first */
};

G_DEFINE_FINAL_TYPE (ReelRolloutFromModel, reel_rollout_from_model, REEL_TYPE_OBJECT)

/* ---- answers ---- */

void
reel_generated_text_clear (ReelGeneratedText *self)
{
  g_clear_pointer (&self->ids, reel_tensor_unref);
  g_clear_pointer (&self->log_probs, reel_tensor_unref);
  g_clear_pointer (&self->log_ratio, reel_tensor_unref);
}

static gboolean
generate (ReelRolloutFromModel *self, const ReelPromptRows *rows, ReelGeneratedText *generated,
          GError **error)
{
  ReelGenerateOptions options = { self->model,     self->reference, self->max_new_tokens, self->eos,
                                  self->do_sample, self->seed,      self->n_drawn };
  gboolean done = reel_generate (&options, rows, generated, error);

  self->n_drawn = options.n_steps;
  if (!done)
    reel_generated_text_clear (generated);
  return done;
}

gboolean
reel_rollout_from_model_generate (ReelRolloutFromModel *self, const ReelPromptData *prompts,
                                  ReelGeneratedText *generated, GError **error)
{
  g_auto (ReelPromptRows) rows = { 0 };

  *generated = (ReelGeneratedText){ NULL };
  return reel_prompt_rows_init (&rows, prompts, error) && generate (self, &rows, generated, error);
}

/* ---- steps ---- */

static gboolean
has_shape (const ReelTensor *tensor, ReelDtype dtype, gint ndim, const gint64 *shape)
{
  if (!tensor || tensor->dtype != dtype || tensor->ndim != ndim
      || !reel_tensor_is_contiguous (tensor))
    return FALSE;
  for (gint i = 0; i < ndim; i++)
    if (tensor->shape[i] != shape[i])
      return FALSE;
  return TRUE;
}

static gboolean
check_answers (const ReelRolloutFromModel *self, const ReelPromptRows *rows,
               const ReelGeneratedText *generated, GError **error)
{
  const gint64 n = self->max_new_tokens;
  const gint64 ids[] = { rows->n_rows, rows->length + n }, steps[] = { rows->n_rows, n, 1 };

  if (has_shape (generated->ids, REEL_DTYPE_INT64, 2, ids)
      && has_shape (generated->log_probs, REEL_DTYPE_FLOAT32, 3, steps)
      && has_shape (generated->log_ratio, REEL_DTYPE_FLOAT32, 2, steps))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "cannot make a rollout: the answers are not those of %" G_GINT64_FORMAT
               " prompts of %" G_GINT64_FORMAT " ids, with %" G_GINT64_FORMAT " new tokens",
               rows->n_rows, rows->length, n);
  return FALSE;
}

/* How much better each answer is than the label, within the clip. */
static gboolean
score (const ReelRolloutFromModel *self, const ReelPromptRows *rows,
       const ReelGeneratedText *generated, float *scores, GError **error)
{
  gint64 length = generated->ids->shape[1];
  const gint64 *ids = (const gint64 *) generated->ids->data;
  g_autofree guint8 *mask = reel_text_mask_new (ids, rows->n_rows * length, self->eos);
  g_autofree float *labels = g_new (float, (gsize) rows->n_rows);
  const ReelTextBatch answers = { rows->n_rows, length, ids, mask },
                      given = { rows->n_rows, rows->length, rows->ids, rows->mask };

  if (reel_text_model_prepare (self->reward, rows->n_rows, length, error) < 0
      || !reel_text_model_end_scores (self->reward, &answers, scores, error)
      || !reel_text_model_end_scores (self->reward, &given, labels, error))
    return FALSE;
  for (gint64 row = 0; row < rows->n_rows; row++)
    scores[row] =
        (float) CLAMP ((double) (scores[row] - labels[row]), -self->score_clip, self->score_clip);
  return TRUE;
}

static void
keep_divergence (ReelRolloutFromModel *self, double mean_kl)
{
  if (self->num_steps > 0 && self->divergences->len == self->num_steps)
    g_array_remove_index (self->divergences, 0);
  g_array_append_val (self->divergences, mean_kl);
}

static ReelTensordict *
create_steps (ReelRolloutFromModel *self, const ReelPromptRows *rows,
              const ReelGeneratedText *generated, GError **error)
{
  g_autofree float *scores = g_new (float, (gsize) rows->n_rows);
  const ReelStepRewards rewards = { scores, self->kl_coef, self->single_done };
  double mean_kl = 0;
  ReelTensordict *td =
      score (self, rows, generated, scores, error)
          ? reel_rollout_steps_new (rows, generated, self->eos, &rewards, &mean_kl, error)
          : NULL;

  if (td)
    keep_divergence (self, mean_kl);
  return td;
}

ReelTensordict *
reel_rollout_from_model_create_rollout_td (ReelRolloutFromModel *self,
                                           const ReelPromptData *prompts,
                                           const ReelGeneratedText *generated, GError **error)
{
  g_auto (ReelPromptRows) rows = { 0 };

  if (!reel_prompt_rows_init (&rows, prompts, error)
      || !check_answers (self, &rows, generated, error))
    return NULL;
  return create_steps (self, &rows, generated, error);
}

ReelTensordict *
reel_rollout_from_model_rollout_from_data (ReelRolloutFromModel *self,
                                           const ReelPromptData *prompts, GError **error)
{
  g_auto (ReelPromptRows) rows = { 0 };
  ReelGeneratedText generated = { NULL };

  if (!reel_prompt_rows_init (&rows, prompts, error) || !generate (self, &rows, &generated, error))
    return NULL;
  ReelTensordict *td = create_steps (self, &rows, &generated, error);
  reel_generated_text_clear (&generated);
  return td;
}

/* ---- the coefficient ---- */

gboolean
reel_rollout_from_model_step_scheduler (ReelRolloutFromModel *self, GError **error)
{
  if (!self->scheduler)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "cannot update the coefficient of a rollout without a kl-scheduler, as "
                           "in kl-scheduler=(adaptive)");
      return FALSE;
    }
  if (!reel_kl_controller_update (self->scheduler,
                                  (const double *) (gpointer) self->divergences->data,
                                  self->divergences->len, error))
    return FALSE;
  self->kl_coef = reel_kl_controller_get_coefficient (self->scheduler);
  g_array_set_size (self->divergences, 0);
  return TRUE;
}

double
reel_rollout_from_model_get_kl_coef (ReelRolloutFromModel *self)
{
  return self->kl_coef;
}

/* ---- the class ---- */

static gboolean
build (ReelObject *object, GError **error)
{
  ReelRolloutFromModel *self = REEL_ROLLOUT_FROM_MODEL (object);

  if (self->model && self->reference && self->reward)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "a rollout needs model, ref-model and reward-model, as in "
                       "rollout:model=(ngram:rows=a),ref-model=(ngram:rows=b),"
                       "reward-model=(ngram:rows=c)");
  return FALSE;
}

static void
finalize (GObject *object)
{
  g_array_unref (REEL_ROLLOUT_FROM_MODEL (object)->divergences);
  G_OBJECT_CLASS (reel_rollout_from_model_parent_class)->finalize (object);
}

static void
add_models (ReelObjectClass *klass)
{
  reel_object_class_add_object (klass, "model", OFFSET (model), REEL_TYPE_TEXT_MODEL,
                                "model that writes the answers", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_object (klass, "ref-model", OFFSET (reference), REEL_TYPE_TEXT_MODEL,
                                "model from which the divergence is measured",
                                REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_object (klass, "reward-model", OFFSET (reward), REEL_TYPE_TEXT_MODEL,
                                "model that scores answers and labels",
                                REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_object (klass, "kl-scheduler", OFFSET (scheduler), REEL_TYPE_KL_CONTROLLER,
                                "changes kl-coef between rollouts", REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
add_rewards (ReelObjectClass *klass)
{
  reel_object_class_add_double (klass, "kl-coef", OFFSET (kl_coef), -G_MAXFLOAT, G_MAXFLOAT, 0.1,
                                NULL, "weight of the divergence in rewards", REEL_PROPERTY_MUTABLE);
  reel_object_class_add_double (klass, "score-clip", OFFSET (score_clip), 0, G_MAXFLOAT, 10, NULL,
                                "the greatest difference of scores that is paid",
                                REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (klass, "num-steps", OFFSET (num_steps), 0, G_MAXINT32, 0, "rollouts",
                               "divergences that are kept for kl-scheduler, 0 for all",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (klass, "single-done", OFFSET (single_done), FALSE,
                              "an answer is done, and paid, at its end alone",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
add_texts (ReelObjectClass *klass)
{
  reel_object_class_add_int64 (klass, "max-new-tokens", OFFSET (max_new_tokens), 1, 1 << 20, 50,
                               "tokens", "the longest answer", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (klass, "eos-id", OFFSET (eos), 0, G_MAXINT32, 50256, NULL,
                               "the token that ends a text, and pads it",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (klass, "do-sample", OFFSET (do_sample), TRUE,
                              "draw tokens; the likeliest otherwise", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (klass, "seed", OFFSET (seed), 0, G_MAXINT64, 0, NULL,
                               "which stream of random numbers", REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_rollout_from_model_class_init (ReelRolloutFromModelClass *klass)
{
  static const ReelId ids[] = {
    { "rollout", NULL, "answers of a model to prompts" },
    { "RolloutFromModel", NULL, "answers of a model to prompts, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  object_class->ids = ids;
  object_class->kind = "rollout";
  object_class->build = build;
  add_models (object_class);
  add_texts (object_class);
  add_rewards (object_class);
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_rollout_from_model_init (ReelRolloutFromModel *self)
{
  self->divergences = g_array_new (FALSE, FALSE, sizeof (double));
}
