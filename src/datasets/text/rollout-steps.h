/* The steps in which a text was written, as TorchRL lays them out. Private to the library. */
#pragma once

#include "../../core/tensordict/tensordict.h"
#include "prompt-rows.h"
#include "rollout-from-model.h"

G_BEGIN_DECLS

/**
 * ReelStepRewards:
 * @scores: (array): of each answer, as it is paid
 * @kl_coef: the coefficient of the divergence
 * @single_done: whether an answer is done at its end alone, not at the last step too
 */
typedef struct
{
  const float *scores;
  double kl_coef;
  gboolean single_done;
} ReelStepRewards;

/**
 * reel_rollout_steps_new:
 * @prompts: the prompts
 * @generated: answers, of the right shapes
 * @eos: the id of padding
 * @rewards: what is paid
 * @mean_kl: (out): the mean of `reward_kl`
 * @error: NO_SPACE
 *
 * Returns: (transfer full): the steps, as of reel_rollout_from_model_create_rollout_td()
 */
ReelTensordict *reel_rollout_steps_new (const ReelPromptRows *prompts,
                                        const ReelGeneratedText *generated, gint64 eos,
                                        const ReelStepRewards *rewards, double *mean_kl,
                                        GError **error);

G_END_DECLS
