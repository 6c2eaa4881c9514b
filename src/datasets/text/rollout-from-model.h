/* Episodes of a model that writes answers to prompts: TorchRL's RolloutFromModel. */
#pragma once

#include "../../core/tensordict/tensordict.h"
#include "kl-controller.h"
#include "text-model.h"
#include "text-records.h"

G_BEGIN_DECLS

/**
 * ReelRolloutFromModel:
 *
 * A model answers prompts, a token a step. The reward of a step is the divergence from a reference
 * model, times a negative coefficient; the last step also has the score of the answer by a reward
 * model, less that of the label.
 *
 * Properties: `model`, `ref-model`, `reward-model` (#ReelTextModel), `kl-coef`, `max-new-tokens`
 * (T), `score-clip`, `kl-scheduler` (#ReelKLController), `num-steps` (divergences that are kept, 0
 * for all), `eos-id` (the token that ends a text, and pads it), `do-sample`, `seed`, `single-done`.
 * Id: `rollout`, by TorchRL's name `RolloutFromModel`.
 *
 * One thread at a time uses it.
 */
#define REEL_TYPE_ROLLOUT_FROM_MODEL (reel_rollout_from_model_get_type ())
REEL_API
G_DECLARE_FINAL_TYPE (ReelRolloutFromModel, reel_rollout_from_model, REEL, ROLLOUT_FROM_MODEL,
                      ReelObject)

/**
 * ReelGeneratedText:
 * @ids: int64 `[B, S + T]`: the prompt, the answer, then `eos-id`
 * @log_probs: float32 `[B, T, 1]`: of each token of the answer, as it was drawn; 0 where all
 *   answers had ended
 * @log_ratio: float32 `[B, T]`: that of the model less that of the reference; 0 where the answer
 * had ended
 *
 * Answers to prompts, of T tokens.
 */
typedef struct
{
  ReelTensor *ids;
  ReelTensor *log_probs;
  ReelTensor *log_ratio;
} ReelGeneratedText;

/**
 * reel_generated_text_clear:
 * @self: answers, or zeros
 *
 * Drops the tensors.
 */
REEL_API
void reel_generated_text_clear (ReelGeneratedText *self);

/**
 * reel_rollout_from_model_generate:
 * @self: a rollout
 * @prompts: `[B, S]`; what is behind `prompt_rindex` is not read
 * @generated: (out caller-allocates): the answers, for reel_generated_text_clear()
 * @error: VALUE for tensors that are no prompts, for a prompt without tokens and for one that the
 *   reference excludes; as reel_text_model_next_logits(); NO_SPACE
 *
 * TorchRL's `generate()`. Prompts are padded on the left; each step appends a token to every row,
 * drawn by the model's probabilities (the likeliest without `do-sample`). A row ends with `eos-id`.
 * Draws depend on `seed`, the row, and the number of steps before alone.
 *
 * Returns: whether the answers were written
 */
REEL_API
gboolean reel_rollout_from_model_generate (ReelRolloutFromModel *self,
                                           const ReelPromptData *prompts,
                                           ReelGeneratedText *generated, GError **error);

/**
 * reel_rollout_from_model_create_rollout_td:
 * @self: a rollout
 * @prompts: with their labels in `input_ids`
 * @generated: answers to them
 * @error: VALUE for tensors of other shapes; as reel_text_model_end_scores(); NO_SPACE
 *
 * TorchRL's `create_rollout_td()`: step t has the prompt and t tokens of the answer. An answer ends
 * at its first `eos-id`; the last step is always done. TorchRL pays the score at both, and so does
 * this unless `single-done` is set. Keeps the mean of `reward_kl` for the scheduler.
 *
 * Returns: (transfer full): batch size `[B, T]`, the last dimension named `time`: `action` (int64),
 *   `sample_log_prob` (float32 `[B, T, 1]`), `input_ids` (int64 `[B, T, S + T]`), `attention_mask`
 *   (bool), and below `next` the last two, `done`, `terminated` (bool `[B, T, 1]`), `reward`,
 *   `reward_raw`, `reward_kl` (float32 `[B, T, 1]`)
 */
REEL_API
ReelTensordict *reel_rollout_from_model_create_rollout_td (ReelRolloutFromModel *self,
                                                           const ReelPromptData *prompts,
                                                           const ReelGeneratedText *generated,
                                                           GError **error);

/**
 * reel_rollout_from_model_rollout_from_data:
 * @self: a rollout
 * @prompts: with their labels
 * @error: as reel_rollout_from_model_generate() and reel_rollout_from_model_create_rollout_td()
 *
 * TorchRL's `rollout_from_data()`: both of them.
 *
 * Returns: (transfer full): the steps
 */
REEL_API
ReelTensordict *reel_rollout_from_model_rollout_from_data (ReelRolloutFromModel *self,
                                                           const ReelPromptData *prompts,
                                                           GError **error);

/**
 * reel_rollout_from_model_step_scheduler:
 * @self: a rollout
 * @error: VALUE without a `kl-scheduler`; as reel_kl_controller_update()
 *
 * TorchRL's `step_scheduler()`: the coefficient becomes that of the controller after the
 * divergences that were kept, which are forgotten.
 *
 * Returns: whether the coefficient was updated
 */
REEL_API
gboolean reel_rollout_from_model_step_scheduler (ReelRolloutFromModel *self, GError **error);

/**
 * reel_rollout_from_model_get_kl_coef:
 * @self: a rollout
 *
 * Returns: the coefficient of the divergence in rewards
 */
REEL_API
double reel_rollout_from_model_get_kl_coef (ReelRolloutFromModel *self);

G_END_DECLS
