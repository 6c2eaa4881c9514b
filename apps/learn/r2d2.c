/* R2D2: DQN of a network with a memory, which learns from sequences. Each begins with the memory
 * that the policy had, and its first steps only warm the memory up. Kapturowski et al. (2019). */
#include "exploration.h"
#include "losses.h"

#include <math.h>
#include <string.h>

enum
{
  GAMMA = N_COMMON_SETTINGS,
  LENGTH,
  BURN_IN,
  N_STEP,
  DOUBLE,
  RESCALE,
  CAPACITY,
  STARTS,
  EVERY,
  UPDATES,
  TAU,
  TARGET_EVERY,
  EXPLORE_START,
  EXPLORE_END,
  EXPLORE_SHARE,
  MAX_NORM,
};

static const Setting settings[] = {
  { "learning-rate", SETTING_REAL, 1e-3, 0, 1, "step of Adam" },
  { "batch-size", SETTING_INTEGER, 32, 1, 1 << 16, "sequences of a batch" },
  { "gamma", SETTING_REAL, 0.99, 0, 1, "discount of each further reward" },
  { "length", SETTING_INTEGER, 8, 1, 1 << 12, "steps of a sequence that are learned from" },
  { "burn-in", SETTING_INTEGER, 4, 0, 1 << 12, "steps before them, which warm up the memory" },
  { "n-step", SETTING_INTEGER, 5, 1, 1000, "rewards that a target sums up" },
  { "double", SETTING_SWITCH, 1, 0, 1, "let the online network choose the action of a target" },
  { "rescale", SETTING_SWITCH, 1, 0, 1, "learn roots of values, nearly, which remain small" },
  { "capacity", SETTING_INTEGER, 100000, 1, 1e12, "rows that the buffer keeps" },
  { "learning-starts", SETTING_INTEGER, 1000, 0, 1e12, "frames before the first update" },
  { "update-every", SETTING_INTEGER, 8, 1, 1e9, "frames between rounds of updates" },
  { "updates", SETTING_INTEGER, 1, 1, 1e6, "updates of a round" },
  { "tau", SETTING_REAL, 0.005, 0, 1, "step of the target network towards the online one" },
  { "target-every", SETTING_INTEGER, 1, 1, 1e9, "updates between two of these steps" },
  { "epsilon-start", SETTING_REAL, 1, 0, 1, "chance of a random action at the beginning" },
  { "epsilon-end", SETTING_REAL, 0.02, 0, 1, "the chance after the exploration" },
  { "exploration-fraction", SETTING_REAL, 0.1, 0, 1, "share of the frames until then" },
  { "max-grad-norm", SETTING_REAL, 10, 0, 1e12, "greatest norm of a gradient" },
  { NULL, 0, 0, 0, 0, NULL },
};

enum
{
  LOSS,
  VALUE,
  EPSILON,
};

typedef struct
{
  Learner base;
  Network *online, *target;
  Trace *now, *late;           /* of both, over the steps of sequences */
  Trace *now_next, *late_next; /* one step further from each */
  Adam *adam;
  gint64 *classes;
  float *reward, *off, *after;
  float *weight; /* sequence by sequence, as the batch has it: all steps have the same */
  guint8 *terminated, *valid, *learns;
  guint8 *next_masks; /* of classes behind each row; NULL where none is forbidden */
} R2d2;

/* ---- sequences ---- */

static gint
count_steps (const Learner *self)
{
  return (gint) (self->values[BURN_IN] + self->values[LENGTH] + self->values[N_STEP] - 1);
}

static gint64
count_rows (const Learner *self)
{
  return (gint64) self->values[BATCH_SIZE] * count_steps (self);
}

/* The last targets need the steps behind. */
static char *
dup_sampler (const Learner *self, const char *rows)
{
  return g_strdup_printf ("sequence:length=%.0f,burn-in=%.0f,bootstrap=%.0f,sampler=(%s)",
                          self->values[LENGTH], self->values[BURN_IN], self->values[N_STEP] - 1,
                          rows);
}

/* ---- networks ---- */

static Trace *
make_trace (const R2d2 *self, gint n_steps, gint n_warm_up)
{
  Trace *trace = trace_new (self->online, (gint) count_rows (&self->base));

  trace->n_steps = n_steps;
  trace->n_warm_up = n_warm_up;
  return trace;
}

static gboolean
begin (Learner *learner, GError **error)
{
  R2d2 *self = (R2d2 *) learner;
  gint64 n = count_rows (learner);
  gint n_steps = count_steps (learner), n_warm_up = (gint) learner->values[BURN_IN];

  /* Gates dampen what passes them: with usual weights a memory is a hundredth of its inputs. */
  self->online = learner_make_network (learner, learner->spaces.n_inputs,
                                       (gint) learner->spaces.n_classes, (Gains){ 2, TORCH_GAIN });
  self->target = network_copy (self->online);
  self->now = make_trace (self, n_steps, n_warm_up);
  self->late = make_trace (self, n_steps, n_warm_up);
  self->now_next = make_trace (self, 1, 0);
  self->late_next = make_trace (self, 1, 0);
  self->adam = adam_new (self->online->n_parameters, 1e-8);
  self->classes = g_new (gint64, n);
  self->reward = g_new (float, n);
  self->weight = g_new (float, n);
  self->off = g_new (float, n);
  self->after = g_new (float, n);
  self->terminated = g_new (guint8, n);
  self->valid = g_new (guint8, n);
  self->learns = g_new (guint8, n);
  if (learner->spaces.mask)
    self->next_masks = g_new (guint8, n * learner->spaces.n_classes);
  return TRUE;
}

static void
clear (Learner *learner)
{
  R2d2 *self = (R2d2 *) learner;

  network_free (self->online);
  network_free (self->target);
  trace_free (self->now);
  trace_free (self->late);
  trace_free (self->now_next);
  trace_free (self->late_next);
  adam_free (self->adam);
  g_free (self->classes);
  g_free (self->reward);
  g_free (self->weight);
  g_free (self->off);
  g_free (self->after);
  g_free (self->terminated);
  g_free (self->valid);
  g_free (self->learns);
  g_free (self->next_masks);
}

static void
list_state (Learner *learner, StateList *list)
{
  R2d2 *self = (R2d2 *) learner;

  state_list_add_network (list, "online", self->online);
  state_list_add_network (list, "target", self->target);
  state_list_add_adam (list, "adam", self->adam);
}

/* ---- batches ---- */

/* A row begins with the memory that the policy had where the row before it is none of its steps:
 * behind padding, which repeats the first row of an episode. */
static void
find_beginnings (R2d2 *self, gint n)
{
  gint n_lanes = n / self->now->n_steps;

  for (gint i = 0; i < n; i++)
    {
      self->now->memory->begins[i] = i < n_lanes || !self->valid[i - n_lanes];
      self->learns[i] = self->learns[i] && self->valid[i];
    }
}

static gboolean
read_batch (R2d2 *self, gint n, GError **error)
{
  const Spaces *spaces = &self->base.spaces;
  gint64 width = self->now->memory->n_hidden;
  const gint64 shape[] = { n / self->now->n_steps, self->now->n_steps };
  g_autoptr (ReelTensordict) rows = reel_tensordict_view (self->base.batch, 2, shape, error);

  if (!rows || !spaces_read_observations (spaces, rows, "", n, trace_get_inputs (self->now), error)
      || !spaces_read_observations (spaces, rows, "next/", n, trace_get_inputs (self->now_next),
                                    error)
      || !spaces_read (rows, MEMORY_H, n, width, self->now->memory->set_h, error)
      || !spaces_read (rows, MEMORY_C, n, width, self->now->memory->set_c, error)
      || !spaces_read_classes (spaces, rows, n, self->classes, error)
      || !spaces_read (rows, "next/reward", n, 1, self->reward, error)
      || !spaces_read_flags (rows, "next/terminated", n, 1, self->terminated, error)
      || !spaces_read_flags (rows, "validity_mask", n, 1, self->valid, error)
      || !spaces_read_flags (rows, "learning_mask", n, 1, self->learns, error)
      || (self->next_masks
          && !spaces_read_masks (spaces, rows, "next/", n, self->next_masks, error))
      || !learner_read_weights (&self->base, n, self->weight, error))
    return FALSE;
  find_beginnings (self, n);
  return TRUE;
}

/* ---- targets ---- */

static void
copy_floats (float *to, const float *from, gint n, gint width)
{
  memcpy (to, from, (gsize) n * (gsize) width * sizeof (float));
}

/* Both networks see the same. */
static void
share_inputs (R2d2 *self, gint n)
{
  gint n_inputs = self->base.spaces.n_inputs, width = self->now->memory->n_hidden;
  const Lstm *from = self->now->memory;
  Lstm *to = self->late->memory;

  copy_floats (trace_get_inputs (self->late), trace_get_inputs (self->now), n, n_inputs);
  copy_floats (trace_get_inputs (self->late_next), trace_get_inputs (self->now_next), n, n_inputs);
  copy_floats (to->set_h, from->set_h, n, width);
  copy_floats (to->set_c, from->set_c, n, width);
  memcpy (to->begins, from->begins, (gsize) n);
}

/* The scale of the network's outputs, and back. */
static double
shrink (const R2d2 *self, double value)
{
  return self->base.values[RESCALE] != 0 ? rescale_value (value) : value;
}

static double
stretch (const R2d2 *self, double value)
{
  return self->base.values[RESCALE] != 0 ? rescale_back (value) : value;
}

/* The values behind each row: one step further, with the memory after the row. */
static float *
run_further (const Network *network, const Trace *trace, Trace *further, gint n)
{
  gint width = trace->memory->n_hidden;

  copy_floats (further->memory->set_h, network_get_h (network, trace), n, width);
  copy_floats (further->memory->set_c, trace->memory->c, n, width);
  network_run (network, further, n);
  return trace_get_outputs (further);
}

static const float *
run_networks (R2d2 *self, gint n)
{
  gint k = (gint) self->base.spaces.n_classes;
  const float *values = network_run (self->online, self->now, n);
  float *late, *next;

  share_inputs (self, n);
  network_run (self->target, self->late, n);
  late = run_further (self->target, self->late, self->late_next, n);
  next =
      self->base.values[DOUBLE] ? run_further (self->online, self->now, self->now_next, n) : late;
  if (self->next_masks)
    spaces_forbid (self->next_masks, (gint64) n * k, next);
  for (gint i = 0; i < n; i++)
    self->after[i] =
        (float) stretch (self, (double) late[i * k + learner_find_greatest (next + i * k, k)]);
  return values;
}

/* So many rewards, fewer where the episode or the data end, and the value behind the last. */
static double
find_target (const R2d2 *self, gint row, gint n)
{
  gint n_lanes = n / self->now->n_steps;
  double sum = 0, discount = 1;

  for (gint left = (gint) self->base.values[N_STEP];; row += n_lanes)
    {
      sum += discount * (double) self->reward[row];
      discount *= self->base.values[GAMMA];
      if (--left == 0 || row + n_lanes >= n || !self->valid[row + n_lanes])
        return sum + (self->terminated[row] ? 0 : discount * (double) self->after[row]);
    }
}

/* The differences to the targets become slopes. Returns the loss. */
static double
compare (R2d2 *self, gint n)
{
  gint k = (gint) self->base.spaces.n_classes, n_steps = self->now->n_steps, n_learned = 0;
  const float *values = run_networks (self, n);
  float *slopes = trace_get_slopes (self->now);
  double loss = 0, sum = 0;

  memset (slopes, 0, (gsize) n * (gsize) k * sizeof (float));
  for (gint i = 0; i < n; i++)
    n_learned += self->learns[i];
  for (gint i = 0; i < n; i++)
    {
      double value = (double) values[i * k + self->classes[i]], slope;
      double off = self->learns[i] ? value - shrink (self, find_target (self, i, n)) : 0;
      double weight =
          self->learns[i] ? (double) self->weight[i % (n / n_steps) * n_steps] / n_learned : 0;

      self->off[i] = (float) off;
      loss += weight * loss_huber (off, &slope);
      slopes[i * k + self->classes[i]] = (float) (weight * slope);
      sum += self->learns[i] ? stretch (self, value) / n_learned : 0;
    }
  learner_note (&self->base, VALUE, sum);
  return loss;
}

/* ---- updates ---- */

/* Tells a sampler with priorities how far off the rows were: sequence after sequence. */
static gboolean
set_priorities (R2d2 *self, gint64 n, GError **error)
{
  Learner *base = &self->base;
  gint64 n_steps = self->now->n_steps, n_lanes = n / n_steps;
  g_autoptr (ReelTensor) priority = NULL;

  if (!reel_sampler_has_priorities (reel_replay_buffer_get_sampler (base->buffer)))
    return TRUE;
  priority = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, &n, error);
  if (!priority)
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    ((float *) (gpointer) priority->data)[i] =
        fabsf (self->off[i % n_steps * n_lanes + i / n_steps]);
  return reel_tensordict_set_tensor (base->batch, "td_error", priority, error)
         && reel_replay_buffer_update_tensordict_priority (base->buffer, base->batch, error);
}

static gboolean
update (Learner *learner, ReelTensordict *rollout, GError **error)
{
  R2d2 *self = (R2d2 *) learner;
  const double *values = learner->values;
  gint n = (gint) count_rows (learner);
  double loss;

  if (!learner_draw (learner, n, error) || !read_batch (self, n, error))
    return FALSE;
  loss = compare (self, n);
  if (!learner_check_loss (learner, loss, error))
    return FALSE;
  learner_note (learner, LOSS, loss);
  learner_note (learner, EPSILON, exploration_get_chance (learner, EXPLORE_START));
  network_differentiate (self->online, self->now);
  clip_gradients (&self->online, 1, values[MAX_NORM]);
  adam_step (self->adam, self->online->parameters, self->online->gradient, values[LEARNING_RATE]);
  if (learner->n_updates % (gint64) values[TARGET_EVERY] == 0)
    network_follow (self->target, self->online, values[TAU]);
  return set_priorities (self, n, error);
}

static void
choose (const Learner *self, const float *outputs, gint64 n, gint64 step, gboolean explore,
        double *actions)
{
  double chance = explore ? exploration_get_chance (self, EXPLORE_START) : 0;

  exploration_choose (self, chance, outputs, n, step, actions);
}

static const Network *
get_policy (const Learner *self, const char **arguments)
{
  *arguments = "activate-memory=true,head=deterministic";
  return ((const R2d2 *) self)->online;
}

const LearnerClass r2d2_learner = {
  .name = "r2d2",
  .about = "learn the values of classes by a memory, from sequences of a replay buffer",
  .source = LEARN_FROM_STEPS,
  .env = "CartPole-v1|observation-norm:in-keys=observation,loc=0,scale=[3,0,20,0]",
  .total = "300k",
  .num_envs = "8",
  .hidden = "64",
  .activation = "relu",
  .takes_classes = TRUE,
  .remembers = TRUE,
  .settings = settings,
  .scalars = { "train/loss", "train/q_values", "rollout/exploration_rate" },
  .size = sizeof (R2d2),
  .begin = begin,
  .clear = clear,
  .list_state = list_state,
  .count_rows = count_rows,
  .dup_sampler = dup_sampler,
  .update = update,
  .choose = choose,
  .get_policy = get_policy,
};
