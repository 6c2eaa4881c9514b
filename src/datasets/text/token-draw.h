/* A token drawn by the logits of a model. Private to the library. */
#pragma once

#include "../../core/math/exp-kernel.h"

G_BEGIN_DECLS

/**
 * ReelTokenDraw:
 * @kernels: of exponentials
 * @weights: (array length=n): memory for the weights of one row
 * @n: the vocabulary
 */
typedef struct
{
  const ReelExpKernels *kernels;
  double *weights;
  gint64 n;
} ReelTokenDraw;

/**
 * reel_token_draw_weigh:
 * @self: memory, whose weights become exp (logit − largest logit)
 * @logits: (array length=n): of a row, none NaN, at least one finite
 * @log_sum: (out): the logarithm of the sum of exp (logit): a logit less it is a log-probability
 *
 * Returns: the sum of the weights
 */
double reel_token_draw_weigh (ReelTokenDraw *self, const float *logits, double *log_sum);

/**
 * reel_token_draw_pick:
 * @self: memory with weights
 * @part: a number in [0, sum of weights)
 *
 * Returns: the token in whose share of the sum @part is
 */
gint64 reel_token_draw_pick (const ReelTokenDraw *self, double part);

/**
 * reel_token_draw_likeliest:
 * @self: memory with weights
 *
 * Returns: the first token of the greatest weight
 */
gint64 reel_token_draw_likeliest (const ReelTokenDraw *self);

G_END_DECLS
