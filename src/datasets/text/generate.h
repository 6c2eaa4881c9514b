/* Answers to prompts, token by token. Private to the library. */
#pragma once

#include "prompt-rows.h"
#include "rollout-from-model.h"

G_BEGIN_DECLS

/**
 * ReelGenerateOptions:
 * @model: what answers
 * @reference: what it is compared with
 * @max_new_tokens: T
 * @eos: the id that ends a text
 * @do_sample: whether to draw, else the likeliest token is taken
 * @seed: which stream of draws
 * @n_steps: steps that were drawn before, brought up to date
 */
typedef struct
{
  ReelTextModel *model;
  ReelTextModel *reference;
  gint64 max_new_tokens;
  gint64 eos;
  gboolean do_sample;
  gint64 seed;
  gint64 n_steps;
} ReelGenerateOptions;

/**
 * reel_generate:
 * @options: how
 * @prompts: what to answer
 * @generated: (out caller-allocates): zeros, which become the answers
 * @error: as reel_rollout_from_model_generate()
 *
 * Returns: whether the answers were written; on failure @generated is to be cleared
 */
gboolean reel_generate (ReelGenerateOptions *options, const ReelPromptRows *prompts,
                        ReelGeneratedText *generated, GError **error);

G_END_DECLS
