/* Values of actions, against their definitions: targets, the distance from them, slopes by actions;
 * and what TD3 and CQL do with them. */
#include "../apps/learn/acting.h"
#include "../apps/learn/class-values.h"
#include "../apps/learn/losses.h"
#include "../apps/learn/normalization.h"
#include "../apps/learn/td3.h"

#include "masked-env.h"

#include <math.h>
#include <string.h>

#define ROWS 8
#define GAMMA 0.9

/* Random rows. Every third episode terminates. */
typedef struct
{
  const Spaces *spaces;
  gboolean discounts; /* rows sum up several rewards */
  ReelPcg64 random;
} Rows;

static void
set_floats (Rows *self, ReelTensordict *batch, const char *key, gint64 width, double scale)
{
  g_autoptr (ReelTensor) numbers =
      reel_tensor_new (REEL_DTYPE_FLOAT32, 2, (gint64[]){ ROWS, width }, NULL);

  for (gint64 i = 0; i < ROWS * width; i++)
    ((float *) (gpointer) numbers->data)[i] =
        (float) (scale * CLAMP (reel_pcg64_normal (&self->random), -1, 1));
  g_assert_true (reel_tensordict_set_tensor (batch, key, numbers, NULL));
}

static void
set_actions (Rows *self, ReelTensordict *batch)
{
  g_autoptr (ReelTensor) classes = NULL;
  gint64 k = self->spaces->n_classes;

  if (k == 0)
    {
      set_floats (self, batch, "action", self->spaces->n_actions, 2);
      return;
    }
  classes = reel_tensor_new (REEL_DTYPE_INT64, 2, (gint64[]){ ROWS, k }, NULL);
  memset (classes->data, 0, (gsize) (ROWS * k) * sizeof (gint64));
  for (gint64 i = 0; i < ROWS; i++)
    ((gint64 *) (gpointer) classes->data)[i * k + (i * i) % k] = 1;
  g_assert_true (reel_tensordict_set_tensor (batch, "action", classes, NULL));
}

/* One class of two is allowed behind most rows. */
static void
set_masks (Rows *self, ReelTensordict *batch)
{
  g_autoptr (ReelTensor) masks = reel_tensor_new (REEL_DTYPE_BOOL, 2, (gint64[]){ ROWS, 2 }, NULL);

  for (gint i = 0; i < ROWS; i++)
    {
      masks->data[2 * i] = i % 4 != 1;
      masks->data[2 * i + 1] = i % 4 != 2;
    }
  g_assert_true (reel_tensordict_set_tensor (batch, "next/action_mask", masks, NULL));
}

static gboolean
draw (gpointer source, gint64 n, ReelTensordict **batch, GError **error)
{
  Rows *self = source;
  g_autoptr (ReelTensor) terminated =
      reel_tensor_new (REEL_DTYPE_BOOL, 2, (gint64[]){ ROWS, 1 }, NULL);

  g_assert_cmpint (n, ==, ROWS);
  g_clear_pointer (batch, reel_tensordict_unref);
  *batch = reel_tensordict_new (1, &n);
  set_floats (self, *batch, "observation", self->spaces->n_inputs, 1);
  set_floats (self, *batch, "next/observation", self->spaces->n_inputs, 1);
  set_floats (self, *batch, "next/reward", 1, 3);
  set_floats (self, *batch, "priority_weight", 1, 1);
  if (self->discounts)
    set_floats (self, *batch, "gamma", 1, 0.5);
  set_actions (self, *batch);
  if (self->spaces->n_classes > 0)
    set_masks (self, *batch);
  for (gint i = 0; i < ROWS; i++)
    terminated->data[i] = i % 3 == 0;
  g_assert_true (reel_tensordict_set_tensor (*batch, "next/terminated", terminated, NULL));
  return TRUE;
}

/* A learner of these rows. */
typedef struct
{
  ReelEnv *env;
  Spaces spaces;
  Rows rows;
  Learner *learner;
} Fixture;

static void
setup (Fixture *self, const LearnerClass *class, const char *env)
{
  *self = (Fixture){ 0 };
  self->env = reel_object_new_from_text (REEL_TYPE_ENV, env, NULL, NULL);
  g_assert_true (spaces_init (&self->spaces, self->env, FALSE, NULL));
  self->learner = learner_new (class, &self->spaces, NULL);
  for (guint i = 0; class->settings[i].name; i++)
    self->learner->values[i] = class->settings[i].initial;
  self->learner->values[BATCH_SIZE] = ROWS;
  self->learner->n_hidden = 1;
  self->learner->widths[0] = 16;
  self->learner->activation = ACTIVATION_TANH;
  self->learner->n_lanes = reel_env_get_num_envs (self->env);
  reel_pcg64_seed (&self->learner->random, (guint32[]){ 7 }, 1);
  self->rows.spaces = &self->spaces;
  reel_pcg64_seed (&self->rows.random, (guint32[]){ 8 }, 1);
  self->learner->source = &self->rows;
  self->learner->draw = draw;
  g_assert_true (class->begin (self->learner, NULL));
}

static void
teardown (Fixture *self)
{
  learner_free (self->learner);
  spaces_clear (&self->spaces);
  g_object_unref (self->env);
}

/* Other weights than those of the online network. */
static void
disturb (Network *network, ReelPcg64 *random)
{
  for (gsize i = 0; i < network->n_parameters; i++)
    network->parameters[i] += 0.3f * (float) reel_pcg64_normal (random);
}

/* An output for one row of inputs, in one part or two. */
static double
ask (const Network *network, const float *a, gint n_a, const float *b, gint n_b, gint output)
{
  g_autoptr (Trace) trace = trace_new (network, 1);

  memcpy (trace_get_inputs (trace), a, (gsize) n_a * sizeof (float));
  if (n_b > 0)
    memcpy (trace_get_inputs (trace) + n_a, b, (gsize) n_b * sizeof (float));
  return (double) network_run (network, trace, 1)[output];
}

/* The discount that row i of the batch says, or the one that is set. */
static double
find_discount (const Fixture *fixture, gint i)
{
  ReelTensor *discounts = reel_tensordict_get_tensor (fixture->learner->batch, "gamma", NULL);

  g_assert_cmpint (discounts != NULL, ==, fixture->rows.discounts);
  return discounts ? (double) ((const float *) (gconstpointer) discounts->data)[i] : GAMMA;
}

/* ---- boxes ---- */

static double
ask_least (const Critics *self, gboolean late, guint n_critics, const float *observation,
           const float *action)
{
  double least = INFINITY;

  for (guint c = 0; c < n_critics; c++)
    {
      const Network *network = late ? self->each[c].target : self->each[c].online;

      least = MIN (least, ask (network, observation, self->width, action, self->k, 0));
    }
  return least;
}

/* The lesser value of the late networks, without entropy and with it, of one reward or several. */
static void
test_targets (void)
{
  for (gint mode = 0; mode < 4; mode++)
    {
      Fixture fixture;
      float actions[ROWS], log_p[ROWS];
      double alpha = mode % 2 * 0.4;

      setup (&fixture, &td3_learner, "Pendulum");
      Critics *critics = &((Td3 *) fixture.learner)->critics;
      fixture.rows.discounts = mode / 2 == 1;
      for (guint c = 0; c < 2; c++)
        disturb (critics->each[c].target, &fixture.rows.random);
      g_assert_true (critics_read (critics, GAMMA, NULL));
      for (gint i = 0; i < ROWS; i++)
        {
          actions[i] = (float) i / 10;
          log_p[i] = (float) i - 3;
        }
      critics_set_targets (critics, actions, mode % 2 ? log_p : NULL, alpha);
      for (gint i = 0; i < ROWS; i++)
        {
          double after = ask_least (critics, TRUE, 2, critics->next + i * 3, &actions[i]);
          double gamma = find_discount (&fixture, i);

          after = i % 3 == 0 ? 0 : gamma * (after - alpha * (double) log_p[i]);
          g_assert_cmpfloat_with_epsilon (critics->target[i], (double) critics->reward[i] + after,
                                          1e-4);
        }
      teardown (&fixture);
    }
}

/* −mean value, of the first critic or the lesser of both. */
static double
sum_values (const Critics *self, guint n_critics, const float *actions)
{
  double sum = 0;

  for (gint i = 0; i < ROWS; i++)
    sum -=
        ask_least (self, FALSE, n_critics, self->observation + i * self->width, &actions[i]) / ROWS;
  return sum;
}

static void
test_action_slopes (void)
{
  for (guint n_critics = 1; n_critics <= 2; n_critics++)
    {
      Fixture fixture;
      float actions[ROWS];

      setup (&fixture, &td3_learner, "Pendulum");
      Critics *critics = &((Td3 *) fixture.learner)->critics;
      for (guint c = 0; c < 2; c++)
        disturb (critics->each[c].online, &fixture.rows.random);
      g_assert_true (critics_read (critics, GAMMA, NULL));
      for (gint i = 0; i < ROWS; i++)
        actions[i] = (float) (i - 4) / 5;
      critics_differentiate (critics, actions, n_critics);
      for (gint i = 0; i < ROWS; i++)
        {
          const float before = actions[i], change = 1e-2f;
          double above, below;

          actions[i] = before + change;
          above = sum_values (critics, n_critics, actions);
          actions[i] = before - change;
          below = sum_values (critics, n_critics, actions);
          actions[i] = before;
          g_assert_cmpfloat_with_epsilon ((above - below) / (2 * (double) change),
                                          critics->action_slopes[i], 1e-3);
          g_assert_cmpfloat_with_epsilon (
              critics->value[i],
              ask_least (critics, FALSE, n_critics, critics->observation + i * 3, &actions[i]),
              1e-4);
        }
      teardown (&fixture);
    }
}

static gboolean
is_same (const Network *a, const float *parameters)
{
  return memcmp (a->parameters, parameters, a->n_parameters * sizeof (float)) == 0;
}

/* The policy and what is late wait for so many updates of the critics. */
static void
test_delay (void)
{
  Fixture fixture;

  setup (&fixture, &td3_learner, "Pendulum");
  Td3 *td3 = (Td3 *) fixture.learner;
  const Network *const waiting[] = { td3->online, td3->target, td3->critics.each[0].target,
                                     td3->critics.each[1].target };
  fixture.learner->values[TD3_DELAY] = 3;
  for (gint i = 1; i <= 7; i++)
    {
      float *before[G_N_ELEMENTS (waiting)];
      const Network *critic = td3->critics.each[0].online;
      g_autofree float *critic_before =
          g_memdup2 (critic->parameters, critic->n_parameters * sizeof (float));

      for (guint w = 0; w < G_N_ELEMENTS (waiting); w++)
        before[w] = g_memdup2 (waiting[w]->parameters, waiting[w]->n_parameters * sizeof (float));
      g_assert_true (td3_improve (td3, 0, NULL));
      g_assert_false (is_same (critic, critic_before));
      for (guint w = 0; w < G_N_ELEMENTS (waiting); w++)
        {
          g_assert_cmpint (is_same (waiting[w], before[w]), ==, i % 3 != 0);
          g_free (before[w]);
        }
    }
  teardown (&fixture);
}

/* Rows whose action is near the first number of the observation, and whose reward is the action. */
static gboolean
draw_copies (gpointer source, gint64 n, ReelTensordict **batch, GError **error)
{
  float *observation, *action, *reward;

  draw (source, n, batch, error);
  observation = (gpointer) reel_tensordict_get_tensor (*batch, "observation", NULL)->data;
  action = (gpointer) reel_tensordict_get_tensor (*batch, "action", NULL)->data;
  reward = (gpointer) reel_tensordict_get_tensor (*batch, "next/reward", NULL)->data;
  for (gint i = 0; i < ROWS; i++)
    reward[i] = action[i] = observation[3 * i] + action[i] / 10; /* the bounds are ±2 */
  return TRUE;
}

/* How far the policy goes beyond the actions of the data, in the mean. */
static double
learn_beyond (double alpha)
{
  Fixture fixture;
  double sum = 0;

  setup (&fixture, &td3_bc_learner, "Pendulum");
  Td3 *td3 = (Td3 *) fixture.learner;
  fixture.learner->draw = draw_copies;
  fixture.learner->values[N_TD3_SETTINGS] = alpha;
  fixture.learner->values[LEARNING_RATE] = 3e-3;
  fixture.learner->values[TD3_GAMMA] = 0;
  for (gint i = 0; i < 2000; i++)
    g_assert_true (td3_bc_learner.update (fixture.learner, NULL, NULL));
  for (gint i = 0; i < ROWS; i++)
    {
      const float *observation = td3->critics.observation + 3 * i;
      double beyond =
          tanh (ask (td3->online, observation, 3, NULL, 0, 0)) - (double) observation[0] / 2;

      g_assert_true (alpha > 1 || fabs (beyond) < 0.1);
      sum += beyond / ROWS;
    }
  teardown (&fixture);
  return sum;
}

/* Little weight of values clones the data, much leaves them for better actions. */
static void
test_cloning (void)
{
  g_assert_cmpfloat (fabs (learn_beyond (1e-4)), <, 0.1);
  g_assert_cmpfloat (learn_beyond (50), >, 0.3);
}

/* ---- better actions than those of data ---- */

static gpointer
get (ReelTensordict *batch, const char *key)
{
  return reel_tensordict_get_tensor (batch, key, NULL)->data;
}

/* The bounds of a box, or one of two classes. */
static void
set_action (const Spaces *spaces, gpointer actions, gint row, gint good)
{
  if (spaces->n_classes == 0)
    ((float *) actions)[row] = good ? 2 : -2;
  for (gint64 class = 0; class < spaces->n_classes; class ++)
    ((gint64 *) actions)[row * spaces->n_classes + class] = class == good;
}

/* Two states, each with a bad action and a good one, which are taken alike. In the first one the
 * good action ends the episode with 2, and the bad one leads to the second; there rewards are 0
 * and 3. Observations are far from 0 and close to each other. */
static gboolean
draw_of_two (gpointer source, gint64 n, ReelTensordict **batch, GError **error)
{
  static const float rewards[2][2] = { { 0, 2 }, { 0, 3 } };
  const Spaces *spaces = ((Rows *) source)->spaces;
  gint width = spaces->n_inputs;

  draw (source, n, batch, error);
  float *observation = get (*batch, "observation"), *next = get (*batch, "next/observation");
  float *reward = get (*batch, "next/reward"), *weight = get (*batch, "priority_weight");
  guint8 *terminated = get (*batch, "next/terminated");
  for (gint i = 0; i < ROWS; i++)
    {
      gint state = i / 2 % 2, good = i % 2;

      for (gint x = 0; x < width; x++)
        observation[i * width + x] = next[i * width + x] = 20;
      observation[i * width] = 100 + 0.1f * (float) state;
      next[i * width] = 100.1f;
      reward[i] = rewards[state][good];
      terminated[i] = state == 1 || good;
      weight[i] = 1;
      set_action (spaces, get (*batch, "action"), i, good);
    }
  return TRUE;
}

/* The means and deviations of what the learner sees are 0 and 1 then. */
static void
check_scale (Fixture *fixture)
{
  gint width = fixture->spaces.n_inputs;
  float seen[ROWS * 4];
  double sum = 0, squares = 0;

  normalization_begin (fixture->learner);
  g_assert_true (normalization_measure (fixture->learner, NULL));
  g_assert_true (spaces_read_observations (&fixture->learner->spaces, fixture->learner->batch, "",
                                           ROWS, seen, NULL));
  for (gint i = 0; i < ROWS; i++)
    {
      sum += (double) seen[i * width] / ROWS;
      squares += (double) seen[i * width] * (double) seen[i * width] / ROWS;
      for (gint x = 1; x < width; x++)
        g_assert_cmpfloat (seen[i * width + x], ==, 0);
    }
  g_assert_cmpfloat_with_epsilon (sum, 0, 1e-3);
  g_assert_cmpfloat_with_epsilon (squares, 1, 5e-2); /* MARGIN, beside a deviation of 0.05 */
}

static void
set (Fixture *fixture, const char *name, double value)
{
  const Setting *settings = fixture->learner->class->settings;
  guint i = 0;

  while (strcmp (settings[i].name, name) != 0)
    i++;
  fixture->learner->values[i] = value;
}

/* Whether the policy that is learned takes the good action in a state. */
static gboolean
is_good (const Fixture *fixture, gint row)
{
  const Learner *learner = fixture->learner;
  const char *arguments;
  const Network *policy = learner->class->get_policy (learner, &arguments);
  gint width = fixture->spaces.n_inputs;
  float seen[ROWS * 4];

  g_assert_true (spaces_read_observations (&learner->spaces, learner->batch, "", ROWS, seen, NULL));
  double output = ask (policy, seen + row * width, width, NULL, 0, 0);
  return fixture->spaces.n_classes == 0
             ? output > 0
             : ask (policy, seen + row * width, width, NULL, 0, 1) > output;
}

/* The second state has the value of its good action to who looks at the better actions, and then
 * the way there is the better one; in the mean it is not. */
static void
check_iql (const char *env, double expectile, gboolean leaves)
{
  Fixture fixture;

  setup (&fixture, &iql_learner, env);
  fixture.learner->draw = draw_of_two;
  check_scale (&fixture);
  set (&fixture, "gamma", GAMMA);
  set (&fixture, "tau", 0.05);
  set (&fixture, "expectile", expectile);
  set (&fixture, "learning-rate", 3e-3);
  for (gint i = 0; i < 2000; i++)
    g_assert_true (iql_learner.update (fixture.learner, NULL, NULL));
  g_assert_cmpint (is_good (&fixture, 0), ==, !leaves);
  g_assert_true (is_good (&fixture, 2));
  teardown (&fixture);
}

static void
test_expectiles (void)
{
  static const char *const envs[] = { "CartPole", "Pendulum" };

  for (guint i = 0; i < G_N_ELEMENTS (envs); i++)
    {
      check_iql (envs[i], 0.5, FALSE);
      check_iql (envs[i], 0.95, TRUE);
    }
}

/* ---- classes ---- */

/* The value behind a row: by the late network, of the allowed class that one of them values most.
 */
static double
ask_after (const Network *chooses, const Network *late, const float *next, const guint8 *allowed)
{
  gint greatest = 0;

  if (allowed && allowed[0] != allowed[1])
    greatest = allowed[1];
  else
    for (gint class = 1; class < 2; class ++)
      if (ask (chooses, next, 4, NULL, 0, class) > ask (chooses, next, 4, NULL, 0, greatest))
        greatest = class;
  return ask (late, next, 4, NULL, 0, greatest);
}

/* How far each value is from its target before an update, and the loss of that. */
static void
check_distances (gboolean twice, gboolean discounts, double conservatism, gboolean masked)
{
  const ValueRules rules = { .gamma = GAMMA,
                             .tau = 0,
                             .max_norm = 10,
                             .target_every = 1,
                             .twice = twice,
                             .conservatism = conservatism };
  Fixture fixture;
  ClassValues values;
  ValueStats stats;
  double loss = 0, unused;

  setup (&fixture, &cql_learner, "CartPole");
  fixture.rows.discounts = discounts;
  fixture.learner->spaces.mask = masked ? (char *) "action_mask" : NULL;
  class_values_init (&values, fixture.learner);
  disturb (values.target, &fixture.rows.random);
  g_autoptr (Network) online = network_copy (values.online);
  g_assert_true (class_values_improve (&values, &rules, &stats, NULL));
  for (gint i = 0; i < ROWS; i++)
    {
      const float *now = trace_get_inputs (values.now) + 4 * i;
      double after = ask_after (twice ? online : values.target, values.target,
                                trace_get_inputs (values.late) + 4 * i,
                                masked ? values.next_masks + 2 * i : NULL);
      double value = ask (online, now, 4, NULL, 0, (gint) values.classes[i]);
      double other = ask (online, now, 4, NULL, 0, 1 - (gint) values.classes[i]);
      double gamma = find_discount (&fixture, i);
      double off = value - (double) values.reward[i] - (i % 3 == 0 ? 0 : gamma * after);

      g_assert_cmpint (values.classes[i], ==, i % 2);
      g_assert_cmpfloat_with_epsilon (values.off[i], off, 1e-4);
      loss += (double) values.weight[i] / ROWS
              * (loss_huber (off, &unused) + conservatism * log1p (exp (other - value)));
    }
  g_assert_cmpfloat_with_epsilon (stats.loss, loss, 1e-4);
  class_values_clear (&values);
  teardown (&fixture);
}

static void
test_distances (void)
{
  for (gint mode = 0; mode < 16; mode++)
    check_distances (mode % 2 != 0, (mode & 2) != 0, mode & 4 ? 0.7 : 0, (mode & 8) != 0);
}

/* ---- masks ---- */

#define MASKED                                                                                     \
  "Masked:num-envs=6|dtype-cast:dtype-in=bool,dtype-out=float32,in-keys=[action_mask],"            \
  "out-keys=[left]"

/* A learner in an environment that allows each action once takes allowed ones alone, whatever its
 * network holds of them, and goes on to after it learned. */
static void
test_masks (gconstpointer data)
{
  const LearnerClass *class = data;
  Fixture fixture;
  g_autoptr (GError) error = NULL;

  setup (&fixture, class, MASKED);
  g_autoptr (ReelPolicy) policy = acting_policy_new (fixture.learner, TRUE);
  g_autoptr (ReelCollector) collector =
      reel_collector_new ("sync:frames-per-batch=192", fixture.env, policy, NULL, &error);
  g_assert_no_error (error);
  for (gint round = 0; round < 10; round++)
    {
      ReelTensordict *rollout;

      g_assert_cmpint (reel_collector_next (collector, &rollout, &error), ==, 192);
      masked_env_assert_allowed (fixture.env, rollout);
      if (class->source == LEARN_FROM_ROLLOUTS)
        g_assert_true (class->update (fixture.learner, rollout, &error));
      g_assert_no_error (error);
    }
  g_clear_object (&collector);
  teardown (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_type_ensure (REEL_TYPE_MASKED_ENV);

  g_test_add_data_func ("/apps/learn/values/masks-of-dqn", &dqn_learner, test_masks);
  g_test_add_data_func ("/apps/learn/values/masks-of-ppo", &ppo_learner, test_masks);
  g_test_add_func ("/apps/learn/values/targets-of-boxes", test_targets);
  g_test_add_func ("/apps/learn/values/slopes-by-actions", test_action_slopes);
  g_test_add_func ("/apps/learn/values/policies-wait", test_delay);
  g_test_add_func ("/apps/learn/values/values-against-cloning", test_cloning);
  g_test_add_func ("/apps/learn/values/targets-of-classes", test_distances);
  g_test_add_func ("/apps/learn/values/expectiles-against-means", test_expectiles);

  return g_test_run ();
}
