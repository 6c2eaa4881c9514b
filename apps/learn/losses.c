#include "losses.h"

#include <math.h>

#define LEAST_LOG_SCALE (-5)
#define MOST_LOG_SCALE 2

double
loss_huber (double difference, double *slope)
{
  double size = fabs (difference);

  *slope = CLAMP (difference, -1, 1);
  return size <= 1 ? difference * difference / 2 : size - 0.5;
}

#define RESCALE_SLOPE 1e-3

double
rescale_value (double value)
{
  return copysign (sqrt (fabs (value) + 1) - 1, value) + RESCALE_SLOPE * value;
}

double
rescale_back (double value)
{
  double slope = RESCALE_SLOPE, size = fabs (value);
  double root = (sqrt (1 + 4 * slope * (size + 1 + slope)) - 1) / (2 * slope);

  return copysign (root * root - 1, value);
}

void
log_softmax (const float *logits, gint n, gint k, float *log_p)
{
  for (gint row = 0; row < n; row++, logits += k, log_p += k)
    {
      double most = (double) logits[0], sum = 0;

      for (gint i = 1; i < k; i++)
        most = MAX (most, (double) logits[i]);
      for (gint i = 0; i < k; i++)
        sum += exp ((double) logits[i] - most);
      for (gint i = 0; i < k; i++)
        log_p[i] = (float) ((double) logits[i] - most - log (sum));
    }
}

double
loss_cross_entropy (const float *logits, const gint64 *classes, gint n, gint k, float *slopes)
{
  double sum = 0;

  log_softmax (logits, n, k, slopes);
  for (gint row = 0; row < n; row++, slopes += k)
    {
      sum -= (double) slopes[classes[row]];
      for (gint i = 0; i < k; i++)
        slopes[i] = (expf (slopes[i]) - (i == classes[row])) / (float) n;
    }
  return sum / n;
}

double
loss_conservative (const float *values, const gint64 *classes, const float *weights, gint n, gint k,
                   double weight, float *slopes)
{
  g_autofree float *log_p = g_new (float, n *k);
  double sum = 0;

  log_softmax (values, n, k, log_p);
  for (gint row = 0; row < n; row++)
    {
      double scale = weight * (double) weights[row] / n;

      sum -= scale * (double) log_p[row * k + classes[row]];
      for (gint i = 0; i < k; i++)
        slopes[row * k + i] +=
            (float) (scale * (exp ((double) log_p[row * k + i]) - (i == classes[row])));
    }
  return sum;
}

double
loss_squares (const float *outputs, const float *targets, gint n, gint k, double weight,
              float *slopes)
{
  double sum = 0, scale = weight / n;

  for (gint i = 0; i < n * k; i++)
    {
      double difference = (double) outputs[i] - (double) targets[i];

      sum += difference * difference / 2;
      slopes[i] = (float) (difference * scale);
    }
  return sum * scale;
}

double
loss_weighted_squares (const float *outputs, const float *targets, const float *weights, gint n,
                       gint k, float *slopes)
{
  double sum = 0;

  for (gint i = 0; i < n * k; i++)
    {
      double difference = (double) outputs[i] - (double) targets[i];
      double scale = (double) weights[i / k] / n;

      sum += scale * difference * difference;
      slopes[i] = (float) (2 * scale * difference);
    }
  return sum;
}

double
loss_expectile (const float *outputs, const float *targets, const float *weights, gint n,
                double expectile, float *slopes)
{
  double sum = 0;

  for (gint i = 0; i < n; i++)
    {
      double difference = (double) outputs[i] - (double) targets[i];
      double scale = (double) weights[i] * (difference < 0 ? expectile : 1 - expectile) / n;

      sum += scale * difference * difference;
      slopes[i] = (float) (2 * scale * difference);
    }
  return sum;
}

/* ---- PPO ---- */

/* One row: the derivative of the surrogate by log p of the class that was taken. */
static double
clip_row (double log_ratio, double advantage, double clip, ClippedStats *sums)
{
  double ratio = exp (log_ratio), clipped = CLAMP (ratio, 1 - clip, 1 + clip);
  double plain = ratio * advantage, other = clipped * advantage;

  sums->approx_kl += ratio - 1 - log_ratio;
  sums->clip_fraction += fabs (ratio - 1) > clip;
  sums->policy_loss -= MIN (plain, other);
  return plain <= other ? -plain : 0;
}

double
loss_clipped (const float *logits, const TakenActions *rows, gint n, gint k, double clip,
              double entropy_weight, float *slopes, ClippedStats *stats)
{
  ClippedStats sums = { 0 };

  log_softmax (logits, n, k, slopes);
  for (gint row = 0; row < n; row++, slopes += k)
    {
      gint taken = (gint) rows->actions[row];
      double slope = clip_row ((double) slopes[taken] - (double) rows->old_log_p[row],
                               (double) rows->advantage[row], clip, &sums);
      double entropy = 0;

      for (gint i = 0; i < k; i++)
        entropy -= exp ((double) slopes[i]) * (double) slopes[i];
      sums.entropy += entropy;
      for (gint i = 0; i < k; i++)
        {
          double log_p = (double) slopes[i], p = exp (log_p);

          slopes[i] =
              (float) ((slope * ((i == taken) - p) + entropy_weight * p * (log_p + entropy)) / n);
        }
    }
  *stats = (ClippedStats){ sums.policy_loss / n, sums.entropy / n, sums.approx_kl / n,
                           sums.clip_fraction / n };
  return stats->policy_loss - entropy_weight * stats->entropy;
}

/* ---- numbers of a box ---- */

#define HALF_LOG_TAU 0.91893853320467274 /* log (2 π) / 2 */
#define BOUND 0.999999                   /* where rounding may have left a number of ±1 */
#define FARTHEST (-30)                   /* from where on the tail is its limit to all digits */

/* The logarithm of the normal distribution function, and its derivative. */
static double
log_tail (double x, double *slope)
{
  double p = erfc (-x / G_SQRT2) / 2;

  *slope = x < FARTHEST ? -x : exp (-x * x / 2 - HALF_LOG_TAU) / p;
  return x < FARTHEST ? -x * x / 2 - HALF_LOG_TAU - log (-x) : log (p);
}

/* log p of one number, and its derivatives. */
static double
number_log_p (double action, double mean, double log_scale, double *by_mean, double *by_scale)
{
  double scale = exp (log_scale), z = (action - mean) / scale;
  double side = action > 0 ? -1 : 1, slope, log_p;

  if (fabs (action) < BOUND)
    {
      *by_mean = z / scale;
      *by_scale = z * z - 1;
      return -z * z / 2 - log_scale - HALF_LOG_TAU;
    }
  log_p = log_tail (side * z, &slope);
  *by_mean = -side * slope / scale;
  *by_scale = -side * slope * z;
  return log_p;
}

void
normal_log_p (const float *means, const float *log_scales, const float *actions, gint n, gint k,
              float *log_p)
{
  for (gint row = 0; row < n; row++, means += k, actions += k)
    {
      double sum = 0, unused[2];

      for (gint i = 0; i < k; i++)
        sum += number_log_p ((double) actions[i], (double) means[i], (double) log_scales[i],
                             &unused[0], &unused[1]);
      log_p[row] = (float) sum;
    }
}

double
loss_clipped_normal (const float *means, const float *log_scales, const TakenActions *rows, gint n,
                     gint k, double clip, double entropy_weight, float *slopes, float *scale_slopes,
                     ClippedStats *stats)
{
  g_autofree double *by_mean = g_new (double, k), *by_scale = g_new (double, k);
  g_autofree double *scale_sums = g_new0 (double, k);
  ClippedStats sums = { 0 };
  double entropy = 0;

  for (gint row = 0; row < n; row++)
    {
      double log_p = 0, slope;

      for (gint i = 0; i < k; i++)
        log_p += number_log_p ((double) rows->actions[row * k + i], (double) means[row * k + i],
                               (double) log_scales[i], &by_mean[i], &by_scale[i]);
      slope = clip_row (log_p - (double) rows->old_log_p[row], (double) rows->advantage[row], clip,
                        &sums);
      for (gint i = 0; i < k; i++)
        {
          slopes[row * k + i] = (float) (slope * by_mean[i] / n);
          scale_sums[i] += slope * by_scale[i] / n;
        }
    }
  for (gint i = 0; i < k; i++)
    {
      scale_slopes[i] = (float) (scale_sums[i] - entropy_weight);
      entropy += (double) log_scales[i] + HALF_LOG_TAU + 0.5;
    }
  *stats =
      (ClippedStats){ sums.policy_loss / n, entropy, sums.approx_kl / n, sums.clip_fraction / n };
  return stats->policy_loss - entropy_weight * entropy;
}

/* ---- SAC ---- */

double
clamp_log_scale (float output)
{
  return CLAMP ((double) output, LEAST_LOG_SCALE, MOST_LOG_SCALE);
}

void
squash (const float *outputs, const float *noise, gint n, gint k, float *actions, float *log_p)
{
  for (gint row = 0; row < n; row++, outputs += 2 * k, noise += k, actions += k)
    {
      double sum = 0;

      for (gint i = 0; i < k; i++)
        {
          double log_scale = clamp_log_scale (outputs[k + i]), z = (double) noise[i];
          double u = (double) outputs[i] + exp (log_scale) * z;

          actions[i] = (float) tanh (u);
          /* log (1 − tanh² u), which stays finite */
          sum -= 2 * (G_LN2 - u - log1p (exp (-2 * fabs (u))) - MAX (-2 * u, 0));
          sum -= z * z / 2 + log_scale + log (2 * G_PI) / 2;
        }
      log_p[row] = (float) sum;
    }
}

void
squash_back (const float *outputs, const float *noise, const float *actions, gint n, gint k,
             const float *action_slopes, gint stride, double log_p_slope, float *slopes)
{
  for (gint row = 0; row < n; row++)
    for (gint i = 0; i < k; i++)
      {
        gint at = row * k + i;
        float raw = outputs[2 * row * k + k + i];
        double y = (double) actions[at], scale = exp (clamp_log_scale (raw));
        double u = (double) action_slopes[row * stride + i] * (1 - y * y) + log_p_slope * 2 * y;
        gboolean free = raw > LEAST_LOG_SCALE && raw < MOST_LOG_SCALE;

        slopes[2 * row * k + i] = (float) u;
        slopes[2 * row * k + k + i] =
            free ? (float) (u * scale * (double) noise[at] - log_p_slope) : 0;
      }
}

/* ---- TD3 ---- */

void
bend (const float *outputs, gint n, float *actions)
{
  for (gint i = 0; i < n; i++)
    actions[i] = tanhf (outputs[i]);
}

void
bend_back (const float *actions, const float *action_slopes, gint n, float *slopes)
{
  for (gint i = 0; i < n; i++)
    slopes[i] = action_slopes[i] * (1 - actions[i] * actions[i]);
}

/* ---- advantages ---- */

void
estimate_advantages (const ValuedSteps *steps, gint64 n_steps, gint64 n_lanes, double gamma,
                     double lambda, float *advantage)
{
  for (gint64 lane = 0; lane < n_lanes; lane++)
    {
      double ahead = 0;

      for (gint64 t = n_steps; t-- > 0;)
        {
          gint64 i = t * n_lanes + lane;
          double after = steps->terminated[i] ? 0 : (double) steps->next_value[i];
          double surprise = (double) steps->reward[i] + gamma * after - (double) steps->value[i];

          ahead = surprise + (steps->done[i] ? 0 : gamma * lambda * ahead);
          advantage[i] = (float) ahead;
        }
    }
}
