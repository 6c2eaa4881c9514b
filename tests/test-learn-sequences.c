/* R2D2 on sequences, beside a walk along episodes: the loss of each window, for every way in which
 * short episodes end, and of every small burn-in, length and sum of rewards; its gradient; the
 * updates of a round; and the memory that rows begin with. */
#include "../apps/learn/acting.h"
#include "../apps/learn/losses.h"

#include <math.h>
#include <string.h>

#define GAMMA 0.9
#define WIDTH 4 /* of CartPole's observation */
#define CLASSES 2
#define HIDDEN 3
#define STEPS 5
#define ALL_ENDS (3 * 3 * 3 * 3 * 3) /* ways in which each step may leave its episode */

/* How a step leaves its episode. */
typedef enum
{
  GOES_ON,
  TERMINATES,
  IS_TRUNCATED,
  N_ENDS,
} End;

/* The steps of episodes, one behind the other, as they were written. */
typedef struct
{
  End ends[STEPS];
  gint64 classes[STEPS];
  float observation[STEPS][WIDTH], next[STEPS][WIDTH], reward[STEPS];
  float h[STEPS][HIDDEN], c[STEPS][HIDDEN];
} Steps;

/* The lengths of a window. */
typedef struct
{
  gint burn_in, length, n_step;
  gboolean twice, rescaled;
} Lengths;

static float
draw (ReelPcg64 *random)
{
  return (float) reel_pcg64_uniform (random, -1.5, 1.5);
}

/* `ends` counts in digits of N_ENDS. Rewards are far enough from values for both parts of Huber's
 * loss, and memories are others than those that a network would have had. */
static void
make_steps (Steps *self, gint ends, ReelPcg64 *random)
{
  for (gint t = 0; t < STEPS; t++, ends /= N_ENDS)
    {
      self->ends[t] = (End) (ends % N_ENDS);
      self->classes[t] = reel_pcg64_uniform (random, 0, 1) < 0.5;
      self->reward[t] = draw (random);
      for (gint i = 0; i < WIDTH; i++)
        {
          self->observation[t][i] = draw (random);
          self->next[t][i] = draw (random);
        }
      for (gint i = 0; i < HIDDEN; i++)
        {
          self->h[t][i] = draw (random) / 2;
          self->c[t][i] = draw (random);
        }
    }
}

/* ---- rows ---- */

static void
set_floats (ReelTensordict *rows, const char *key, gint n, gint width, const void *values)
{
  g_autoptr (ReelTensor) tensor =
      reel_tensor_new (REEL_DTYPE_FLOAT32, 2, (gint64[]){ n, width }, NULL);

  memcpy (tensor->data, values, (gsize) n * (gsize) width * sizeof (float));
  g_assert_true (reel_tensordict_set_tensor (rows, key, tensor, NULL));
}

static void
set_flags (ReelTensordict *rows, const char *key, const Steps *steps, guint which)
{
  g_autoptr (ReelTensor) flags = reel_tensor_new (REEL_DTYPE_BOOL, 2, (gint64[]){ STEPS, 1 }, NULL);

  for (gint t = 0; t < STEPS; t++)
    flags->data[t] = (which >> steps->ends[t] & 1) != 0;
  g_assert_true (reel_tensordict_set_tensor (rows, key, flags, NULL));
}

static void
set_actions (ReelTensordict *rows, const Steps *steps)
{
  g_autoptr (ReelTensor) classes =
      reel_tensor_new (REEL_DTYPE_INT64, 2, (gint64[]){ STEPS, CLASSES }, NULL);

  memset (classes->data, 0, (gsize) STEPS * CLASSES * sizeof (gint64));
  for (gint t = 0; t < STEPS; t++)
    ((gint64 *) (gpointer) classes->data)[t * CLASSES + steps->classes[t]] = 1;
  g_assert_true (reel_tensordict_set_tensor (rows, "action", classes, NULL));
}

static ReelTensordict *
make_rows (const Steps *steps)
{
  const gint64 n = STEPS;
  ReelTensordict *rows = reel_tensordict_new (1, &n);

  set_floats (rows, "observation", STEPS, WIDTH, steps->observation);
  set_floats (rows, "next/observation", STEPS, WIDTH, steps->next);
  set_floats (rows, "next/reward", STEPS, 1, steps->reward);
  set_floats (rows, MEMORY_H, STEPS, HIDDEN, steps->h);
  set_floats (rows, MEMORY_C, STEPS, HIDDEN, steps->c);
  set_actions (rows, steps);
  set_flags (rows, "next/terminated", steps, 1 << TERMINATES);
  set_flags (rows, "next/done", steps, 1 << TERMINATES | 1 << IS_TRUNCATED);
  return rows;
}

/* ---- the learner ---- */

typedef struct
{
  ReelEnv *env;
  Spaces spaces;
  Learner *learner;
  Network *target; /* a copy */
} Fixture;

static void
set (Learner *learner, const char *name, double value)
{
  const Setting *settings = learner->class->settings;
  guint i = 0;

  while (strcmp (settings[i].name, name) != 0)
    i++;
  learner->values[i] = value;
}

/* Other weights than those of the online network. */
static void
disturb_target (Fixture *self, ReelPcg64 *random)
{
  g_autoptr (StateList) list = state_list_new ();
  g_autoptr (ReelTensordict) state = NULL;
  ReelTensor *weights;

  learner_list_state (self->learner, list);
  state = state_list_save (list, NULL);
  weights = reel_tensordict_get_tensor (state, "target", NULL);
  for (gsize i = 0; i < self->target->n_parameters; i++)
    ((float *) (gpointer) weights->data)[i] += draw (random) / 5;
  memcpy (self->target->parameters, weights->data, self->target->n_parameters * sizeof (float));
  g_assert_true (state_list_load (list, state, NULL));
}

/* Its updates change nothing. */
static void
setup (Fixture *self, const char *env, const Lengths *lengths, gint batch_size)
{
  const char *arguments;
  ReelPcg64 random;

  *self = (Fixture){ 0 };
  self->env = reel_object_new_from_text (REEL_TYPE_ENV, env, NULL, NULL);
  g_assert_true (spaces_init (&self->spaces, self->env, FALSE, NULL));
  self->learner = learner_new (&r2d2_learner, &self->spaces, NULL);
  for (guint i = 0; r2d2_learner.settings[i].name; i++)
    self->learner->values[i] = r2d2_learner.settings[i].initial;
  set (self->learner, "learning-rate", 0);
  set (self->learner, "tau", 0);
  set (self->learner, "batch-size", batch_size);
  set (self->learner, "gamma", GAMMA);
  set (self->learner, "burn-in", lengths->burn_in);
  set (self->learner, "length", lengths->length);
  set (self->learner, "n-step", lengths->n_step);
  set (self->learner, "double", lengths->twice);
  set (self->learner, "rescale", lengths->rescaled);
  set (self->learner, "learning-starts", 0);
  set (self->learner, "max-grad-norm", 1e9);
  self->learner->n_hidden = 1;
  self->learner->widths[0] = HIDDEN;
  self->learner->n_lanes = reel_env_get_num_envs (self->env);
  reel_pcg64_seed (&self->learner->random, (guint32[]){ 7 }, 1);
  reel_pcg64_seed (&random, (guint32[]){ 8 }, 1);
  g_assert_true (r2d2_learner.begin (self->learner, NULL));
  self->target = network_copy (r2d2_learner.get_policy (self->learner, &arguments));
  disturb_target (self, &random);
}

static void
teardown (Fixture *self)
{
  network_free (self->target);
  learner_free (self->learner);
  spaces_clear (&self->spaces);
  g_object_unref (self->env);
}

static gboolean
draw_of_buffer (gpointer source, gint64 n, ReelTensordict **batch, GError **error)
{
  return reel_replay_buffer_sample (source, n, batch, error);
}

/* A buffer of the steps, which the learner draws windows of. */
static ReelReplayBuffer *
give_buffer (Fixture *self, const Steps *steps, const char *anchors)
{
  g_autofree char *sampler = r2d2_learner.dup_sampler (self->learner, anchors);
  g_autofree char *storage = g_strdup_printf ("tensor:capacity=%d", STEPS);
  g_autoptr (ReelTensordict) rows = make_rows (steps);
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer = reel_replay_buffer_new_from_text (storage, sampler, 1, &error);

  g_assert_no_error (error);
  reel_replay_buffer_extend (buffer, rows, NULL, &error);
  g_assert_no_error (error);
  self->learner->source = self->learner->buffer = buffer;
  self->learner->draw = draw_of_buffer;
  return buffer;
}

/* One update. Gives its loss. */
static double
update (Fixture *self)
{
  g_autoptr (GError) error = NULL;

  r2d2_learner.update (self->learner, NULL, &error);
  g_assert_no_error (error);
  return learner_take_scalar (self->learner, 0);
}

/* ---- a walk along the steps ---- */

/* A network and its memory. */
typedef struct
{
  const Network *network;
  Trace *trace;
  float h[HIDDEN], c[HIDDEN];
} Walker;

static void
walker_init (Walker *self, const Network *network, const Steps *steps, gint at)
{
  self->network = network;
  self->trace = trace_new (network, 1);
  memcpy (self->h, steps->h[at], sizeof self->h);
  memcpy (self->c, steps->c[at], sizeof self->c);
}

/* The values of an observation. The memory stays. */
static const float *
look (Walker *self, const float *observation)
{
  memcpy (self->trace->memory->set_h, self->h, sizeof self->h);
  memcpy (self->trace->memory->set_c, self->c, sizeof self->c);
  memcpy (trace_get_inputs (self->trace), observation, WIDTH * sizeof (float));
  return network_run (self->network, self->trace, 1);
}

static const float *
pass (Walker *self, const float *observation)
{
  const float *values = look (self, observation);

  memcpy (self->h, network_get_h (self->network, self->trace), sizeof self->h);
  memcpy (self->c, self->trace->memory->c, sizeof self->c);
  return values;
}

static gint
find_first (const Steps *steps, gint at)
{
  while (at > 0 && steps->ends[at - 1] == GOES_ON)
    at--;
  return at;
}

static gint
find_last (const Steps *steps, gint at)
{
  while (at < STEPS - 1 && steps->ends[at] == GOES_ON)
    at++;
  return at;
}

/* The values of the steps around an anchor, by the networks that saw the warm-up. */
typedef struct
{
  double value[STEPS]; /* of the class that was taken */
  double after[STEPS]; /* behind the step, if it does not terminate */
} Values;

static void
walk (const Fixture *self, const Steps *steps, gint from, gint to, gboolean twice, Values *values)
{
  const char *arguments;
  Walker online, late;

  walker_init (&online, r2d2_learner.get_policy (self->learner, &arguments), steps, from);
  walker_init (&late, self->target, steps, from);
  for (gint t = from; t <= to; t++)
    {
      values->value[t] = (double) pass (&online, steps->observation[t])[steps->classes[t]];
      pass (&late, steps->observation[t]);

      const float *far = look (&late, steps->next[t]);
      const float *chooses = twice ? look (&online, steps->next[t]) : far;
      values->after[t] = (double) far[chooses[1] > chooses[0]];
    }
  trace_free (online.trace);
  trace_free (late.trace);
}

static double
find_target (const Steps *steps, const Values *values, gint t, const Lengths *lengths)
{
  gint last = MIN (t + lengths->n_step - 1, find_last (steps, t));
  double after = lengths->rescaled ? rescale_back (values->after[last]) : values->after[last];
  double sum = steps->ends[last] == TERMINATES ? 0 : after;

  for (gint k = last; k >= t; k--)
    sum = (double) steps->reward[k] + GAMMA * sum;
  return lengths->rescaled ? rescale_value (sum) : sum;
}

/* The loss of the window around an anchor, and its greatest error. */
typedef struct
{
  gint n; /* steps to learn from */
  double loss, greatest;
} Finding;

static Finding
find (const Fixture *self, const Steps *steps, const Lengths *lengths, gint anchor)
{
  gint from = MAX (anchor - lengths->burn_in, find_first (steps, anchor));
  gint last = find_last (steps, anchor);
  Finding finding = { MIN (lengths->length, last - anchor + 1), 0, 0 };
  Values values;

  walk (self, steps, from, last, lengths->twice, &values);
  for (gint t = anchor; t < anchor + finding.n; t++)
    {
      double off = values.value[t] - find_target (steps, &values, t, lengths), unused;

      finding.loss += loss_huber (off, &unused);
      finding.greatest = MAX (finding.greatest, fabs (off));
    }
  return finding;
}

/* ---- windows ---- */

/* A number of sequence i of the last batch. */
static double
get_number (const Fixture *self, const char *key, gint i)
{
  const Learner *learner = self->learner;
  ReelTensor *numbers = reel_tensordict_get_tensor (learner->batch, key, NULL);
  gint64 n_steps = r2d2_learner.count_rows (learner) / (gint64) learner->values[BATCH_SIZE];

  return reel_dtype_load_double (
      numbers->dtype, numbers->data + i * n_steps * (gint64) reel_dtype_size (numbers->dtype));
}

/* Each anchor once, in batches of one window or of all. */
static void
check_steps (Fixture *self, const Steps *steps, const Lengths *lengths)
{
  gint n_windows = (gint) self->learner->values[BATCH_SIZE];
  g_autoptr (ReelReplayBuffer) buffer =
      give_buffer (self, steps, "without-replacement:shuffle=false");

  for (gint first = 0; first < STEPS; first += n_windows)
    {
      double found = update (self), loss = 0;
      gint n = 0;

      for (gint i = first; i < first + n_windows; i++)
        {
          Finding finding = find (self, steps, lengths, i);

          g_assert_cmpfloat (get_number (self, "anchor_index", i - first), ==, i);
          loss += finding.loss;
          n += finding.n;
        }
      g_assert_cmpfloat_with_epsilon (found, loss / n, 1e-5);
    }
}

static void
test_windows (void)
{
  for (gint i = 0; i < 2 * 2 * 3 * 3 * 3; i++)
    {
      const Lengths lengths = { i / 4 % 3, 1 + i / 12 % 3, 1 + i / 36, i % 2, i / 2 % 3 == 0 };
      Fixture fixture;
      ReelPcg64 random;

      setup (&fixture, "CartPole", &lengths, i / 2 % 2 ? 1 : STEPS);
      reel_pcg64_seed (&random, (guint32[]){ (guint32) i }, 1);
      for (gint ends = 0; ends < ALL_ENDS; ends++)
        {
          Steps steps;

          make_steps (&steps, ends, &random);
          check_steps (&fixture, &steps, &lengths);
        }
      teardown (&fixture);
    }
}

/* The last batch: a window has the priority of its greatest error, by which its weight falls, and
 * the weight counts. Marks the anchors that were drawn. */
static void
check_weights (const Fixture *self, const Finding *findings, double found, gboolean *seen)
{
  double loss = 0, product = NAN;
  gint n = 0;

  for (gint i = 0; i < 2 * STEPS; i++)
    {
      gint anchor = (gint) get_number (self, "anchor_index", i);
      const Finding *finding = &findings[anchor];
      double weight = get_number (self, "priority_weight", i);

      if (i > 0)
        g_assert_cmpfloat_with_epsilon (weight * finding->greatest, product, 1e-4);
      product = weight * finding->greatest;
      loss += weight * finding->loss;
      n += finding->n;
      seen[anchor] = TRUE;
    }
  g_assert_cmpfloat_with_epsilon (found, loss / n, 1e-5);
}

static void
test_priorities (void)
{
  const Lengths lengths = { 1, 2, 2, TRUE, FALSE };
  gboolean seen[STEPS] = { FALSE };
  Finding findings[STEPS];
  Fixture fixture;
  ReelPcg64 random;
  Steps steps;

  setup (&fixture, "CartPole", &lengths, 2 * STEPS);
  reel_pcg64_seed (&random, (guint32[]){ 3 }, 1);
  make_steps (&steps, TERMINATES * N_ENDS, &random);
  g_autoptr (ReelReplayBuffer) buffer =
      give_buffer (&fixture, &steps, "prioritized:max-capacity=5,alpha=1,beta=1");
  for (gint i = 0; i < STEPS; i++)
    findings[i] = find (&fixture, &steps, &lengths, i);
  for (gint i = 0; i < 200; i++)
    {
      double found = update (&fixture);

      if (i > 100)
        check_weights (&fixture, findings, found, seen);
    }
  for (gint i = 0; i < STEPS; i++)
    g_assert_true (seen[i]);
  teardown (&fixture);
}

/* ---- rounds ---- */

/* As many updates as are set, once there are enough frames and rows. */
static void
test_rounds (void)
{
  const Lengths lengths = { 0, 1, 1, TRUE, FALSE };
  g_autoptr (ReelReplayBuffer) empty =
      reel_replay_buffer_new_from_text ("tensor:capacity=2", "random", 1, NULL);
  Fixture fixture;
  ReelPcg64 random;
  Steps steps;

  setup (&fixture, "CartPole", &lengths, 1);
  reel_pcg64_seed (&random, (guint32[]){ 3 }, 1);
  make_steps (&steps, 0, &random);
  set (fixture.learner, "learning-starts", 100);
  set (fixture.learner, "updates", 3);
  set (fixture.learner, "update-every", 7);
  g_assert_cmpint (learner_count_frames (fixture.learner), ==, 7);
  fixture.learner->buffer = empty;
  fixture.learner->frames = 100;
  g_assert_true (learner_update (fixture.learner, NULL, NULL));
  g_assert_cmpint (fixture.learner->n_updates, ==, 0);
  g_autoptr (ReelReplayBuffer) buffer = give_buffer (&fixture, &steps, "random");
  for (fixture.learner->frames = 99; fixture.learner->frames <= 101; fixture.learner->frames++)
    g_assert_true (learner_update (fixture.learner, NULL, NULL));
  g_assert_cmpint (fixture.learner->n_updates, ==, 6);
  teardown (&fixture);
}

/* ---- gradients ---- */

/* Of all parameters, where nothing is warmed up, which would pass no gradient. */
static void
check_gradient (Fixture *self)
{
  const char *arguments;
  const Network *online = r2d2_learner.get_policy (self->learner, &arguments);
  g_autofree float *gradient = NULL;

  update (self);
  gradient = g_memdup2 (online->gradient, online->n_parameters * sizeof (float));
  for (gsize i = 0; i < online->n_parameters; i++)
    {
      const float before = online->parameters[i], change = 1e-2f;
      double above, below;

      online->parameters[i] = before + change;
      above = update (self);
      online->parameters[i] = before - change;
      below = update (self);
      online->parameters[i] = before;
      g_assert_cmpfloat_with_epsilon ((above - below) / (2 * (double) change), gradient[i], 1e-3);
    }
}

static void
test_gradient (void)
{
  const Lengths lengths = { 0, 3, 2, FALSE, TRUE };
  Fixture fixture;
  ReelPcg64 random;

  setup (&fixture, "CartPole", &lengths, STEPS);
  reel_pcg64_seed (&random, (guint32[]){ 5 }, 1);
  for (gint ends = 0; ends < ALL_ENDS; ends += 17)
    {
      Steps steps;

      make_steps (&steps, ends, &random);
      g_autoptr (ReelReplayBuffer) buffer =
          give_buffer (&fixture, &steps, "without-replacement:shuffle=false");
      check_gradient (&fixture);
    }
  teardown (&fixture);
}

/* ---- memory ---- */

#define LANES 3
#define ROUND (40 * LANES)

static void
read_floats (ReelTensordict *rows, const char *key, gint width, float *to)
{
  g_assert_true (spaces_read (rows, key, ROUND, width, to, NULL));
}

static void
assert_near (const float *a, const float *b)
{
  for (gint i = 0; i < HIDDEN; i++)
    g_assert_cmpfloat_with_epsilon (a[i], b[i], 1e-6);
}

/* Each row has the memory that the policy had before it: zeros where an episode begins. Gives how
 * many ended. */
static gint
check_lane (const Fixture *self, ReelTensordict *rows, gint lane)
{
  float h[ROUND][HIDDEN], c[ROUND][HIDDEN], observation[ROUND][WIDTH];
  const Steps nothing = { 0 };
  guint8 done[ROUND];
  const char *arguments;
  gint n_ends = 0;
  Walker walker;

  read_floats (rows, MEMORY_H, HIDDEN, &h[0][0]);
  read_floats (rows, MEMORY_C, HIDDEN, &c[0][0]);
  read_floats (rows, "observation", WIDTH, &observation[0][0]);
  g_assert_true (spaces_read_flags (rows, "next/done", ROUND, 1, done, NULL));
  walker_init (&walker, r2d2_learner.get_policy (self->learner, &arguments), &nothing, 0);
  for (gint row = lane; row < ROUND; row += LANES)
    {
      assert_near (h[row], walker.h);
      assert_near (c[row], walker.c);
      pass (&walker, observation[row]);
      if (!done[row])
        continue;
      n_ends++;
      memset (walker.h, 0, sizeof walker.h);
      memset (walker.c, 0, sizeof walker.c);
    }
  trace_free (walker.trace);
  return n_ends;
}

static void
test_memory (void)
{
  const Lengths lengths = { 1, 1, 1, TRUE, FALSE };
  Fixture fixture;
  g_autoptr (GError) error = NULL;
  ReelTensordict *rows;

  setup (&fixture, "CartPole:num-envs=3,max-episode-steps=12", &lengths, 1);
  g_autoptr (ReelPolicy) policy = acting_policy_new (fixture.learner, TRUE);
  g_autoptr (ReelCollector) collector =
      reel_collector_new ("sync:frames-per-batch=120", fixture.env, policy, NULL, &error);
  g_assert_no_error (error);
  reel_collector_next (collector, &rows, &error);
  g_assert_no_error (error);
  for (gint lane = 0; lane < LANES; lane++)
    g_assert_cmpint (check_lane (&fixture, rows, lane), >=, 3);
  g_clear_object (&collector);
  teardown (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/apps/learn/sequences/windows", test_windows);
  g_test_add_func ("/apps/learn/sequences/priorities", test_priorities);
  g_test_add_func ("/apps/learn/sequences/rounds", test_rounds);
  g_test_add_func ("/apps/learn/sequences/gradient", test_gradient);
  g_test_add_func ("/apps/learn/sequences/memory", test_memory);

  return g_test_run ();
}
