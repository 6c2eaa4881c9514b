/* Losses and their derivatives by the outputs of a network, and the estimate of advantages. Each
 * loss is a mean over n rows, and writes its slopes. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Huber's loss of a difference, by a width of 1, and its derivative. */
double loss_huber (double difference, double *slope);

/* A value as a root of it, nearly, and back: h(x) = sign(x) (√(|x| + 1) − 1) + x / 1000, by which
 * values of long episodes remain small. Pohlen et al. (2018). */
double rescale_value (double value);
double rescale_back (double value);

/* log p of k classes, from logits [n, k]. */
void log_softmax (const float *logits, gint n, gint k, float *log_p);

/* −log p of the classes that were taken. */
double loss_cross_entropy (const float *logits, const gint64 *classes, gint n, gint k,
                           float *slopes);

/* The same, each row times its weight, all times one. Of values of classes it is high where a class
   that was not taken has a high value, so that values of actions beyond the data stay low. Adds to
   the slopes. Kumar et al. (2020). */
double loss_conservative (const float *values, const gint64 *classes, const float *weights, gint n,
                          gint k, double weight, float *slopes);

/* Half the squared differences between outputs and targets, [n, k], times a weight. */
double loss_squares (const float *outputs, const float *targets, gint n, gint k, double weight,
                     float *slopes);

/* Squared differences between outputs and targets, [n, k], each row times its weight: actions of a
   box that are cloned. */
double loss_weighted_squares (const float *outputs, const float *targets, const float *weights,
                              gint n, gint k, float *slopes);

/* Squared differences between n outputs and targets, each times its weight, and times `expectile`
   where the target is above, else times 1 - `expectile`: 0.5 leads to means, more to the greater
   targets. Newey and Powell (1987). */
double loss_expectile (const float *outputs, const float *targets, const float *weights, gint n,
                       double expectile, float *slopes);

/* The rows of a clipped loss. */
typedef struct
{
  const float *actions;   /* that were taken: a class, or k numbers */
  const float *old_log_p; /* of these actions, when they were taken */
  const float *advantage;
} TakenActions;

/* Means over the rows of a clipped loss. */
typedef struct
{
  double policy_loss, entropy, approx_kl, clip_fraction;
} ClippedStats;

/* PPO's clipped surrogate for classes, less the entropy times its weight. Schulman et al. (2017).
 */
double loss_clipped (const float *logits, const TakenActions *rows, gint n, gint k, double clip,
                     double entropy_weight, float *slopes, ClippedStats *stats);

/* The same for numbers of a box, from means [n, k] and the logarithms of k scales. */
double loss_clipped_normal (const float *means, const float *log_scales, const TakenActions *rows,
                            gint n, gint k, double clip, double entropy_weight, float *slopes,
                            float *scale_slopes, ClippedStats *stats);

/* The sums of log p of k numbers that were drawn from normal distributions. A draw beyond −1 or 1
   is stored there, and p is then the probability of all that is stored so. Fujita and Maeda (2018).
 */
void normal_log_p (const float *means, const float *log_scales, const float *actions, gint n,
                   gint k, float *log_p);

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

/* Actions in (−1, 1): tanh of n outputs, and the slopes of these from those of the actions. */
void bend (const float *outputs, gint n, float *actions);
void bend_back (const float *actions, const float *action_slopes, gint n, float *slopes);

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
