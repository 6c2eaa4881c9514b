#include "learner.h"

#include <math.h>
#include <string.h>

/* The first layers for pixels: those of Mnih et al. (2013). */
static const LayerPlan seeing[] = { { LAYER_CONVOLUTION, 16, 8, 4 },
                                    { LAYER_CONVOLUTION, 32, 4, 2 } };

/* The learners for the actions of an environment, where one was asked that is not. */
static const char *
name_others (const LearnerClass *class, gboolean classes)
{
  if (class->source == LEARN_FROM_DATA)
    return classes ? "learn cql or learn iql" : "learn td3-bc or learn iql";
  return classes ? "learn dqn or learn ppo" : "learn sac, learn td3 or learn ppo";
}

Learner *
learner_new (const LearnerClass *class, const Spaces *spaces, GError **error)
{
  Learner *self = g_malloc0 (class->size);
  gboolean classes = spaces->n_classes > 0;

  self->class = class;
  self->spaces = *spaces;
  if (classes ? class->takes_classes : class->takes_boxes)
    return self;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%s cannot choose \"%s\": it takes %s, and the action is %s; use %s", class->name,
               spaces->action, classes ? "a box" : "a class", classes ? "a class" : "a box",
               name_others (class, classes));
  g_free (self);
  return NULL;
}

void
learner_free (Learner *self)
{
  if (!self)
    return;
  if (self->class->clear)
    self->class->clear (self);
  g_free (self->spaces.shift);
  g_free (self->spaces.factor);
  g_clear_pointer (&self->batch, reel_tensordict_unref);
  g_free (self);
}

static void
list_scales (const Spaces *spaces, StateList *list)
{
  gsize n = (gsize) spaces->n_inputs;

  if (!spaces->shift)
    return;
  state_list_add (list, "observation-shift", REEL_DTYPE_FLOAT32, spaces->shift, n);
  state_list_add (list, "observation-factor", REEL_DTYPE_FLOAT32, spaces->factor, n);
}

void
learner_list_state (Learner *self, StateList *list)
{
  state_list_add_random (list, "random", &self->random);
  state_list_add_integer (list, "frames", &self->frames);
  state_list_add_integer (list, "updates", &self->n_updates);
  state_list_add_real (list, "done", &self->done);
  state_list_add (list, "sums", REEL_DTYPE_FLOAT64, self->sums, LEARNER_MOST_SCALARS);
  state_list_add (list, "counts", REEL_DTYPE_INT64, self->counts, LEARNER_MOST_SCALARS);
  list_scales (&self->spaces, list);
  self->class->list_state (self, list);
}

Network *
learner_make_network (Learner *self, gint n_in, gint n_out, Gains gains)
{
  const gint numbers[] = { n_in, 1, 1 };
  gboolean sees = self->spaces.image[0] > 0;
  LayerPlan plans[G_N_ELEMENTS (seeing) + LEARNER_MOST_LAYERS + 1];
  guint n = 0;

  if (sees)
    gains.hidden = G_SQRT2;
  for (guint l = 0; sees && l < G_N_ELEMENTS (seeing); l++)
    plans[n++] = seeing[l];
  for (guint l = 0; l < self->n_hidden; l++)
    plans[n++] = (LayerPlan){ LAYER_LINEAR, self->widths[l], 0, 0 };
  if (self->class->remembers)
    plans[n - 1].kind = LAYER_LSTM;
  plans[n++] = (LayerPlan){ LAYER_LINEAR, n_out, 0, 0 };
  return network_new_of (sees ? self->spaces.image : numbers, plans, n, self->activation, gains,
                         &self->random);
}

/* ---- rounds ---- */

double
learner_get_value (const Learner *self, const char *name, double otherwise)
{
  const Setting *settings = self->class->settings;

  for (guint i = 0; settings[i].name; i++)
    if (strcmp (settings[i].name, name) == 0)
      return self->values[i];
  return otherwise;
}

gint64
learner_count_frames (const Learner *self)
{
  return self->class->count_frames ? self->class->count_frames (self)
                                   : (gint64) learner_get_value (self, "update-every", 1);
}

/* The first rows may still be held back where rewards are summed up. */
static gboolean
has_rows (const Learner *self)
{
  return (double) self->frames >= learner_get_value (self, "learning-starts", 0)
         && (!self->buffer || reel_replay_buffer_get_length (self->buffer) > 0);
}

gboolean
learner_update (Learner *self, ReelTensordict *rollout, GError **error)
{
  gint64 n = has_rows (self) ? (gint64) learner_get_value (self, "updates", 1) : 0;

  for (gint64 i = 0; i < n; i++)
    if (!self->class->update (self, rollout, error))
      return FALSE;
  return TRUE;
}

/* ---- batches ---- */

gboolean
learner_draw_next (Learner *self, ReelReplayBuffer *rows, GError **error)
{
  gint64 begin = g_get_monotonic_time ();
  gboolean drawn = reel_replay_buffer_next (rows, &self->batch, error);

  self->sampling += g_get_monotonic_time () - begin;
  return drawn;
}

/* Whether a batch of as many rows has a dimension for their steps. */
static gboolean
has_long_rows (const ReelTensordict *batch, gint64 n)
{
  gint ndim = 0;
  const gint64 *shape = batch ? reel_tensordict_get_batch_size (batch, &ndim) : NULL;

  return ndim == 2 && shape[0] == n;
}

gboolean
learner_draw (Learner *self, gint64 n, GError **error)
{
  gint64 begin = g_get_monotonic_time (), n_rows;
  gboolean drawn = self->draw (self->source, n, &self->batch, error);

  self->sampling += g_get_monotonic_time () - begin;
  if (!drawn)
    return FALSE;
  n_rows = self->batch ? reel_tensordict_numel (self->batch) : 0;
  if (n_rows == n)
    return TRUE;
  if (has_long_rows (self->batch, n))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "cannot learn from rows that are %" G_GINT64_FORMAT " steps each, as collect "
                   "--split-trajs stores them: collect rows that are steps",
                   n_rows / n);
      return FALSE;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "cannot learn from a batch of %" G_GINT64_FORMAT " rows: --batch-size is "
               "%" G_GINT64_FORMAT "; use another sampler, or a size that the data have",
               n_rows, n);
  return FALSE;
}

gboolean
learner_read_weights (Learner *self, gint64 n, float *weights, GError **error)
{
  if (reel_tensordict_contains (self->batch, "priority_weight"))
    return spaces_read (self->batch, "priority_weight", n, 1, weights, error);
  for (gint64 i = 0; i < n; i++)
    weights[i] = 1;
  return TRUE;
}

gboolean
learner_read_discounts (Learner *self, gint64 n, double gamma, float *discounts, GError **error)
{
  gboolean observed = g_strv_contains ((const char *const *) self->spaces.keys, "gamma");

  if (!observed && reel_tensordict_contains (self->batch, "gamma"))
    return spaces_read (self->batch, "gamma", n, 1, discounts, error);
  for (gint64 i = 0; i < n; i++)
    discounts[i] = (float) gamma;
  return TRUE;
}

gboolean
learner_set_priorities (Learner *self, const float *off, gint64 n, GError **error)
{
  g_autoptr (ReelTensor) priority = NULL;
  g_autoptr (ReelTensor) index = NULL;

  if (!self->buffer || !reel_sampler_has_priorities (reel_replay_buffer_get_sampler (self->buffer)))
    return TRUE;
  priority = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, &n, error);
  index = reel_tensordict_ref_tensor (self->batch, "index", error);
  if (!priority || !index)
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    ((float *) (gpointer) priority->data)[i] = fabsf (off[i]);
  return reel_replay_buffer_update_priority (self->buffer, index, priority, error);
}

ReelTransform *
learner_make_n_step (gint64 n, double gamma, GError **error)
{
  g_autofree char *text = g_strdup_printf (
      "multi-step:n-steps=%" G_GINT64_FORMAT ",gamma=%.17g,done-keys=[done]", n, gamma);

  return reel_object_new_from_text (REEL_TYPE_TRANSFORM, text, error, NULL);
}

/* ---- figures ---- */

void
learner_note (Learner *self, guint scalar, double value)
{
  self->sums[scalar] += value;
  self->counts[scalar]++;
}

double
learner_take_scalar (Learner *self, guint scalar)
{
  double mean = self->counts[scalar] > 0 ? self->sums[scalar] / (double) self->counts[scalar] : NAN;

  self->sums[scalar] = 0;
  self->counts[scalar] = 0;
  return mean;
}

gboolean
learner_check_loss (Learner *self, double loss, GError **error)
{
  g_autofree char *path = NULL;

  self->n_updates++;
  if (isfinite (loss))
    return TRUE;
  path = g_build_filename (self->directory, "bad-batch", NULL);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "the loss of update %" G_GINT64_FORMAT " is %g: %s%s; a lower --learning-rate may "
               "help",
               self->n_updates, loss,
               reel_tensordict_save (self->batch, path, REEL_SAVE_DEFAULT, NULL)
                   ? "its batch, with the index of each row, is in "
                   : "its batch could not be saved in ",
               path);
  return FALSE;
}

gint64
learner_find_greatest (const float *outputs, gint64 n)
{
  gint64 greatest = 0;

  for (gint64 i = 1; i < n; i++)
    if (outputs[i] > outputs[greatest])
      greatest = i;
  return greatest;
}

gint64
learner_draw_any (const float *outputs, gint64 n, ReelRandomKey key, gint64 i)
{
  gint64 n_allowed = 0, class = 0, rank;

  for (gint64 k = 0; k < n; k++)
    n_allowed += outputs[k] > FORBIDDEN;
  rank = reel_random_below (key, i, MAX (n_allowed, 1));
  while (class < n - 1 && (outputs[class] <= FORBIDDEN || rank-- > 0))
    class ++;
  return class;
}

/* By Box and Muller. */
double
learner_draw_normal (ReelRandomKey key, gint64 i)
{
  double u = reel_random_double (key, 2 * i),
         angle = 2 * G_PI * reel_random_double (key, 2 * i + 1);

  return sqrt (-2 * log (1 - u)) * cos (angle);
}
