/* Losses and their derivatives by the outputs of a network, and the estimate of advantages. Each
 * loss is a mean over n rows, and writes its slopes. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Huber's loss of a difference, by a width of 1, and its derivative. */
double loss_huber (double difference, double *slope);

/* log p of k classes, from logits [n, k]. */
void log_softmax (const float *logits, gint n, gint k, float *log_p);

/* −log p of the classes that were taken. */
double loss_cross_entropy (const float *logits, const gint64 *classes, gint n, gint k,
                           float *slopes);

/* Half the squared differences between outputs and targets, [n, k], times a weight. */
double loss_squares (const float *outputs, const float *targets, gint n, gint k, double weight,
                     float *slopes);

/* The rows of loss_clipped(). */
typedef struct
{
  const gint64 *classes;
  const float *old_log_p; /* of these classes, when they were taken */
  const float *advantage;
} TakenClasses;

/* Means over the rows of loss_clipped(). */
typedef struct
{
  double policy_loss, entropy, approx_kl, clip_fraction;
} ClippedStats;

/* PPO's clipped surrogate, less the entropy times its weight. Schulman et al. (2017). */
double loss_clipped (const float *logits, const TakenClasses *rows, gint n, gint k, double clip,
                     double entropy_weight, float *slopes, ClippedStats *stats);

/* The logarithm of a scale that an output says, within bounds. */
double clamp_log_scale (float output);

/* Actions in (−1, 1) from means and logarithms of scales [n, 2k], and normal noise [n, k]: tanh of
 * the draws, and the sums of their log-probabilities. Haarnoja et al. (2018). */
void squash (const float *outputs, const float *noise, gint n, gint k, float *actions,
             float *log_p);

/* The slopes of such outputs, from those of the actions and one for each log p, which all rows
 * share. */
void squash_back (const float *outputs, const float *noise, const float *actions, gint n, gint k,
                  const float *action_slopes, gint stride, double log_p_slope, float *slopes);

/* The rows of estimate_advantages(), step × lanes + lane. */
typedef struct
{
  const float *reward, *value, *next_value;
  const guint8 *terminated, *done;
} ValuedSteps;

/* Generalised advantages, by Schulman et al. (2015). An episode that was truncated goes on with the
 * value after its last step, one that terminated with 0. */
void estimate_advantages (const ValuedSteps *steps, gint64 n_steps, gint64 n_lanes, double gamma,
                          double lambda, float *advantage);

G_END_DECLS
