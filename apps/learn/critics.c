#include "critics.h"
#include "losses.h"

#include <string.h>

static void
init_critic (Critic *self, Learner *learner, gint n)
{
  gint n_inputs = learner->spaces.n_inputs + spaces_count_numbers (&learner->spaces);

  self->online = learner_make_network (learner, n_inputs, 1, (Gains){ TORCH_GAIN, TORCH_GAIN });
  self->target = network_copy (self->online);
  self->trace = trace_new (self->online, n);
  self->adam = adam_new (self->online->n_parameters, 1e-8);
}

void
critics_init (Critics *self, Learner *learner)
{
  gint n = (gint) learner->values[BATCH_SIZE];
  gint width = learner->spaces.n_inputs, k = spaces_count_numbers (&learner->spaces);
  float **const rows[] = { &self->reward, &self->gamma, &self->weight,
                           &self->target, &self->off,   &self->value };

  *self = (Critics){ .learner = learner, .n = n, .width = width, .k = k };
  for (guint c = 0; c < 2; c++)
    init_critic (&self->each[c], learner, n);
  self->observation = g_new (float, n *width);
  self->next = g_new (float, n *width);
  self->taken = g_new (float, n *k);
  self->action_slopes = g_new (float, n *k);
  self->terminated = g_new (guint8, n);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    *rows[i] = g_new (float, n);
}

void
critics_clear (Critics *self)
{
  float *const rows[] = { self->observation, self->next,  self->taken,  self->action_slopes,
                          self->reward,      self->gamma, self->weight, self->target,
                          self->off,         self->value };

  for (guint c = 0; c < 2; c++)
    {
      network_free (self->each[c].online);
      network_free (self->each[c].target);
      trace_free (self->each[c].trace);
      adam_free (self->each[c].adam);
    }
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_free (rows[i]);
  g_free (self->terminated);
}

void
critics_list_state (Critics *self, StateList *list)
{
  for (guint c = 0; c < 2; c++)
    {
      g_autofree char *online = g_strdup_printf ("critic%u", c);
      g_autofree char *target = g_strconcat (online, "-target", NULL);
      g_autofree char *adam = g_strconcat (online, "-adam", NULL);

      state_list_add_network (list, online, self->each[c].online);
      state_list_add_network (list, target, self->each[c].target);
      state_list_add_adam (list, adam, self->each[c].adam);
    }
}

gboolean
critics_read (Critics *self, double gamma, GError **error)
{
  Learner *learner = self->learner;
  const Spaces *spaces = &learner->spaces;
  gint n = self->n;

  return learner_draw (learner, n, error)
         && spaces_read_observations (spaces, learner->batch, "", n, self->observation, error)
         && spaces_read_observations (spaces, learner->batch, "next/", n, self->next, error)
         && spaces_read_numbers (spaces, learner->batch, n, self->taken, error)
         && spaces_read (learner->batch, "next/reward", n, 1, self->reward, error)
         && spaces_read_flags (learner->batch, "next/terminated", n, 1, self->terminated, error)
         && learner_read_discounts (learner, n, gamma, self->gamma, error)
         && learner_read_weights (learner, n, self->weight, error);
}

/* The values of actions by one network of a critic. */
static const float *
value (const Critics *self, const Network *network, const Critic *critic, const float *observation,
       const float *actions)
{
  float *to = trace_get_inputs (critic->trace);
  gint width = self->width, k = self->k;

  for (gint i = 0; i < self->n; i++, to += width + k)
    {
      memcpy (to, observation + i * width, (gsize) width * sizeof (float));
      memcpy (to + width, actions + i * k, (gsize) k * sizeof (float));
    }
  return network_run (network, critic->trace, self->n);
}

void
critics_judge (Critics *self, const float *observation, const float *actions)
{
  const float *values[2];

  for (guint c = 0; c < 2; c++)
    values[c] = value (self, self->each[c].target, &self->each[c], observation, actions);
  for (gint i = 0; i < self->n; i++)
    self->value[i] = MIN (values[0][i], values[1][i]);
}

void
critics_aim (Critics *self, const float *after)
{
  for (gint i = 0; i < self->n; i++)
    self->target[i] =
        (float) ((double) self->reward[i]
                 + (self->terminated[i] ? 0 : (double) self->gamma[i] * (double) after[i]));
}

void
critics_set_targets (Critics *self, const float *actions, const float *log_p, double alpha)
{
  critics_judge (self, self->next, actions);
  for (gint i = 0; log_p && i < self->n; i++)
    self->value[i] -= (float) (alpha * (double) log_p[i]);
  critics_aim (self, self->value);
}

static double
improve_critic (Critics *self, Critic *critic)
{
  const float *values = value (self, critic->online, critic, self->observation, self->taken);
  float *slopes = trace_get_slopes (critic->trace);
  double loss = loss_squares (values, self->target, self->n, 1, 1, slopes);

  for (gint i = 0; i < self->n; i++)
    {
      self->off[i] = values[i] - self->target[i];
      slopes[i] *= self->weight[i];
    }
  network_differentiate (critic->online, critic->trace);
  adam_step (critic->adam, critic->online->parameters, critic->online->gradient,
             self->learner->values[LEARNING_RATE]);
  return loss;
}

double
critics_improve (Critics *self)
{
  double loss = improve_critic (self, &self->each[1]);

  return loss + improve_critic (self, &self->each[0]);
}

void
critics_follow (Critics *self, double tau)
{
  for (guint c = 0; c < 2; c++)
    network_follow (self->each[c].target, self->each[c].online, tau);
}

/* Adds the slopes by the actions, which are the last inputs of a row. */
static void
add_action_slopes (Critics *self, const Critic *critic)
{
  const float *slopes = trace_get_input_slopes (critic->trace);

  for (gint row = 0; row < self->n; row++)
    for (gint i = 0; i < self->k; i++)
      self->action_slopes[row * self->k + i] +=
          slopes[row * (self->width + self->k) + self->width + i];
}

void
critics_differentiate (Critics *self, const float *actions, guint n_critics)
{
  const float *values[2];

  for (guint c = 0; c < n_critics; c++)
    values[c] = value (self, self->each[c].online, &self->each[c], self->observation, actions);
  for (gint i = 0; i < self->n; i++)
    {
      guint least = n_critics > 1 && values[1][i] < values[0][i];

      self->value[i] = values[least][i];
      for (guint c = 0; c < n_critics; c++)
        trace_get_slopes (self->each[c].trace)[i] = c == least ? -1 / (float) self->n : 0;
    }
  memset (self->action_slopes, 0, (gsize) (self->n * self->k) * sizeof (float));
  for (guint c = 0; c < n_critics; c++)
    {
      network_differentiate_inputs (self->each[c].online, self->each[c].trace);
      add_action_slopes (self, &self->each[c]);
    }
}
