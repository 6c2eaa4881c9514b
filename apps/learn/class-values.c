#include "class-values.h"
#include "losses.h"

#include <string.h>

void
class_values_init (ClassValues *self, Learner *learner)
{
  gint n = (gint) learner->values[BATCH_SIZE], k = (gint) learner->spaces.n_classes;

  *self = (ClassValues){ .learner = learner, .n = n, .k = k };
  self->online = learner_make_network (learner, learner->spaces.n_inputs, k,
                                       (Gains){ TORCH_GAIN, TORCH_GAIN });
  self->target = network_copy (self->online);
  self->now = trace_new (self->online, n);
  self->next = trace_new (self->online, n);
  self->late = trace_new (self->online, n);
  self->adam = adam_new (self->online->n_parameters, 1e-8);
  self->classes = g_new (gint64, n);
  self->reward = g_new (float, n);
  self->gamma = g_new (float, n);
  self->weight = g_new (float, n);
  self->off = g_new (float, n);
  self->terminated = g_new (guint8, n);
  if (learner->spaces.mask)
    self->next_masks = g_new (guint8, n * k);
}

void
class_values_clear (ClassValues *self)
{
  network_free (self->online);
  network_free (self->target);
  trace_free (self->now);
  trace_free (self->next);
  trace_free (self->late);
  adam_free (self->adam);
  g_free (self->classes);
  g_free (self->reward);
  g_free (self->gamma);
  g_free (self->weight);
  g_free (self->off);
  g_free (self->terminated);
  g_free (self->next_masks);
}

void
class_values_list_state (ClassValues *self, StateList *list)
{
  state_list_add_network (list, "online", self->online);
  state_list_add_network (list, "target", self->target);
  state_list_add_adam (list, "adam", self->adam);
}

static gboolean
read_batch (ClassValues *self, double gamma, GError **error)
{
  Learner *learner = self->learner;
  const Spaces *spaces = &learner->spaces;
  gint n = self->n;

  return learner_draw (learner, n, error)
         && spaces_read_observations (spaces, learner->batch, "", n, trace_get_inputs (self->now),
                                      error)
         && spaces_read_observations (spaces, learner->batch, "next/", n,
                                      trace_get_inputs (self->next), error)
         && spaces_read_classes (spaces, learner->batch, n, self->classes, error)
         && spaces_read (learner->batch, "next/reward", n, 1, self->reward, error)
         && spaces_read_flags (learner->batch, "next/terminated", n, 1, self->terminated, error)
         && (!self->next_masks
             || spaces_read_masks (spaces, learner->batch, "next/", n, self->next_masks, error))
         && learner_read_discounts (learner, n, gamma, self->gamma, error)
         && learner_read_weights (learner, n, self->weight, error);
}

/* The first of the greatest values behind a row, of those that are allowed. */
static gint64
find_next (const ClassValues *self, const float *values, gint row)
{
  const guint8 *masks = self->next_masks ? self->next_masks + row * self->k : NULL;
  gint64 greatest = -1;

  values += row * self->k;
  for (gint i = 0; i < self->k; i++)
    if ((!masks || masks[i]) && (greatest < 0 || values[i] > values[greatest]))
      greatest = i;
  return MAX (greatest, 0);
}

/* The differences to the targets become slopes. */
static ValueStats
compare (ClassValues *self, const ValueRules *rules)
{
  gint n = self->n, k = self->k;
  const float *values = network_run (self->online, self->now, n);
  float *slopes = trace_get_slopes (self->now);
  ValueStats stats = { 0 };

  memcpy (trace_get_inputs (self->late), trace_get_inputs (self->next),
          (gsize) n * (gsize) self->learner->spaces.n_inputs * sizeof (float));
  const float *late = network_run (self->target, self->late, n);
  const float *next = rules->twice ? network_run (self->online, self->next, n) : late;

  memset (slopes, 0, (gsize) n * (gsize) k * sizeof (float));
  for (gint i = 0; i < n; i++)
    {
      double after = (double) late[i * k + find_next (self, next, i)], slope;
      double value = (double) values[i * k + self->classes[i]];
      double target =
          (double) self->reward[i] + (self->terminated[i] ? 0 : (double) self->gamma[i] * after);

      self->off[i] = (float) (value - target);
      stats.loss += (double) self->weight[i] * loss_huber (value - target, &slope) / n;
      stats.value += value / n;
      slopes[i * k + self->classes[i]] = (float) ((double) self->weight[i] * slope / n);
    }
  if (rules->conservatism > 0)
    stats.conservative =
        loss_conservative (values, self->classes, self->weight, n, k, rules->conservatism, slopes);
  stats.loss += stats.conservative;
  return stats;
}

gboolean
class_values_improve (ClassValues *self, const ValueRules *rules, ValueStats *stats, GError **error)
{
  Learner *learner = self->learner;

  if (!read_batch (self, rules->gamma, error))
    return FALSE;
  *stats = compare (self, rules);
  if (!learner_check_loss (learner, stats->loss, error))
    return FALSE;
  network_differentiate (self->online, self->now);
  clip_gradients (&self->online, 1, rules->max_norm);
  adam_step (self->adam, self->online->parameters, self->online->gradient,
             learner->values[LEARNING_RATE]);
  if (learner->n_updates % rules->target_every == 0)
    network_follow (self->target, self->online, rules->tau);
  return learner_set_priorities (learner, self->off, self->n, error);
}
