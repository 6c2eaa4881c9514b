/* Running statistics and numbers of episodes: TorchRL's traces, an oracle over every small stream,
 * and what callers read and set. */
#include "collecting.h"
#include "golden-transforms.h"
#include "make-transform.h"
#include "scripted-env.h"
#include "table-env.h"

#include <math.h>
#include <string.h>

#define MOST_LANES 3
#define WIDTH 2 /* elements of an observation */

/* ---- TorchRL's traces ---- */

static ReelTransform *
get_link (ReelEnv *env, gint i)
{
  return reel_compose_get (reel_transformed_env_get_transform (REEL_TRANSFORMED_ENV (env)), i,
                           NULL);
}

static double
load (const ReelTensor *tensor, gint64 i)
{
  return reel_dtype_load_double (tensor->dtype,
                                 tensor->data + (gsize) i * reel_dtype_size (tensor->dtype));
}

/* Numbers of a step of a trace; those of keys that it lacks are not compared, nor counts of each
 * lane: TorchRL has one for all. */
static guint
compare_stats (const GoldenCase *golden, ReelTransform *norm, gint step, double bound)
{
  g_autoptr (ReelTensordict) stats = reel_vec_norm_dup_stats (norm, NULL);
  g_auto (GStrv) keys = reel_tensordict_list_leaves (stats);
  const json_t *arrays = json_object_get (golden->json, "arrays");
  guint n = 0;

  for (char **key = keys; *key; key++)
    {
      gboolean first = g_str_has_prefix (golden->id, "vec-norm-v2");
      g_autofree char *name = g_strconcat (first ? "trace/" : "trace/td/", *key, NULL);
      const ReelTensor *ours = reel_tensordict_get_tensor (stats, *key, NULL);
      const json_t *array = json_object_get (arrays, name);
      gint64 numel = reel_tensor_numel (ours);
      gboolean counts =
          array && g_str_equal (json_string_value (json_object_get (array, "dtype")), "int64");

      for (gint64 i = 0; array && !(counts && numel > 1) && i < numel; i++)
        {
          gconstpointer bytes = golden_array (golden->json, name);
          gint64 at = step * numel + i;
          double theirs =
              counts ? (double) ((const gint64 *) bytes)[at] : (double) ((const float *) bytes)[at];

          g_assert_cmpfloat (fabs (load (ours, i) - theirs), <=, bound * MAX (1, fabs (theirs)));
          n++;
        }
    }
  return n;
}

static gboolean
is_partly_done (ReelTensordict *td)
{
  const ReelTensor *done = reel_tensordict_get_tensor (td, "next/done", NULL);
  gint64 n_done = 0, n = reel_tensor_numel (done);

  for (gint64 i = 0; i < n; i++)
    n_done += done->data[i];
  return n_done > 0 && n_done < n;
}

/* T12.5-11: one update a reset and one a step. Up to the first reset of some lanes, whose values
 * alone count, while TorchRL counts those of all lanes again. */
static void
test_trace (gconstpointer data)
{
  const GoldenCase *golden = data;
  g_autofree char *chain = golden_chain (golden, FALSE);
  g_autoptr (ReelTransform) transform = make_transform (chain);
  g_autoptr (ReelEnv) base = table_env_new (golden->env);
  g_autoptr (ReelEnv) env = reel_transformed_env_new (base, transform, NULL);
  g_autoptr (ReelTensordict) td = env ? reel_env_reset (env, NULL, NULL) : NULL;
  gint step = 0;

  if (!env)
    {
      g_test_skip ("rewards of an env keep their keys");
      return;
    }
  g_assert_cmpuint (compare_stats (golden, get_link (env, 0), step, 1e-5), >, 0);
  for (step = 1; step <= 14; step++)
    {
      g_autoptr (ReelTensordict) acted = reel_env_rand_action (env, td, NULL);
      ReelTensordict *next = reel_env_step_and_maybe_reset (env, acted, NULL);

      g_assert_nonnull (next);
      g_clear_pointer (&td, reel_tensordict_unref);
      td = next;
      if (is_partly_done (acted))
        break;
      compare_stats (golden, get_link (env, 0), step, 1e-5);
    }
  g_test_message ("%s: compared up to step %d", golden->id, step);
}

/* ---- an oracle ---- */

typedef enum
{
  SUMS,    /* vec-norm */
  JOINED,  /* vec-norm-v2 of all lanes */
  OWN,     /* of each lane */
  RENEWED, /* of each episode */
} Kind;

static const char *const kinds[] = {
  "vec-norm:in-keys=[observation,reward],",
  "vec-norm-v2:in-keys=[observation,reward],reduce-batch-dims=true,",
  "vec-norm-v2:in-keys=[observation,reward],",
  "vec-norm-v2:in-keys=[observation,reward],stateful=false,",
};

typedef struct
{
  Kind kind;
  double decay;
  gint64 steps, lanes, limit;
} Form;

/* The statistics of one element. */
typedef struct
{
  double count, first, second;
} Element;

#define EPS 0.01
#define NOTHING                                                                                    \
  {                                                                                                \
    0, 0, 0                                                                                        \
  }

static double
normalise (const Form *form, const Element *of, double value)
{
  double part, variance;

  if (form->kind == SUMS)
    {
      double mean = of->first / of->count;

      return (value - mean) / MAX (sqrt (MAX (of->second / of->count - mean * mean, EPS)), EPS);
    }
  part = form->decay < 1 ? 1 - pow (form->decay, of->count) : 1;
  variance = MAX (of->second - of->first * of->first, 0) / part;
  return (value - of->first / part) / MAX (sqrt (variance), EPS);
}

static void
learn (const Form *form, Element *of, const double *values, gint64 n)
{
  double sum = 0, squares = 0, weight;

  for (gint64 i = 0; i < n; i++)
    {
      sum += values[i];
      squares += values[i] * values[i];
    }
  if (form->kind == SUMS)
    {
      *of = (Element){ of->count * form->decay + (double) n, of->first * form->decay + sum,
                       of->second * form->decay + squares };
      return;
    }
  of->count += (double) n;
  weight = form->decay < 1 ? 1 - pow (form->decay, (double) n) : (double) n / of->count;
  of->first += weight * (sum / (double) n - of->first);
  of->second += weight * (squares / (double) n - of->second);
}

/* A leaf of a rollout and what it is normalised to; an element of each at a time. */
typedef struct
{
  const Form *form;
  ReelTensordict *raw, *seen;
  const char *key; /* observation or reward */
  gint64 width, k;
  Element all, lanes[MOST_LANES];
} Oracle;

static double
get_value (ReelTensordict *td, const char *path, gint64 steps, gint64 lane, gint64 step,
           gint64 width, gint64 k)
{
  return load (reel_tensordict_get_tensor (td, path, NULL), (lane * steps + step) * width + k);
}

static void
check_place (const Oracle *self, const char *path, gint64 lane, gint64 step, const Element *of)
{
  const Form *form = self->form;
  double raw = get_value (self->raw, path, form->steps, lane, step, self->width, self->k);
  double ours = get_value (self->seen, path, form->steps, lane, step, self->width, self->k);
  double wanted = normalise (form, of, raw);

  if (!(fabs (ours - wanted) <= 1e-6 * MAX (1, fabs (wanted))))
    g_error ("%s of lane %d, step %d: %.9g, not %.9g", path, (gint) lane, (gint) step, ours,
             wanted);
}

/* An update by the lanes of @mask, and what they show then. */
static void
pass (Oracle *self, const char *path, gint64 step, const gboolean *mask)
{
  const Form *form = self->form;
  double values[MOST_LANES];
  gint64 n = 0;

  for (gint64 lane = 0; lane < form->lanes; lane++)
    if (mask[lane])
      values[n++] = get_value (self->raw, path, form->steps, lane, step, self->width, self->k);
  if (n == 0)
    return;
  if (form->kind <= JOINED)
    learn (form, &self->all, values, n);
  n = 0;
  for (gint64 lane = 0; lane < form->lanes; lane++)
    if (mask[lane])
      {
        if (form->kind > JOINED)
          learn (form, &self->lanes[lane], &values[n++], 1);
        check_place (self, path, lane, step, form->kind > JOINED ? &self->lanes[lane] : &self->all);
      }
}

static void
renew (Oracle *self, const gboolean *mask)
{
  for (gint64 lane = 0; lane < self->form->lanes && self->form->kind == RENEWED; lane++)
    if (mask[lane])
      self->lanes[lane] = (Element){ 0 };
}

static void
check_element (Oracle *self)
{
  const Form *form = self->form;
  const gboolean all[MOST_LANES] = { TRUE, TRUE, TRUE };
  gboolean observed = g_str_equal (self->key, "observation");
  g_autofree char *next = g_strconcat ("next/", self->key, NULL);
  const guint8 *done = reel_tensordict_get_tensor (self->raw, "next/done", NULL)->data;

  if (observed)
    pass (self, self->key, 0, all);
  for (gint64 step = 0; step < form->steps; step++)
    {
      gboolean ended[MOST_LANES];

      pass (self, next, step, all);
      for (gint64 lane = 0; lane < form->lanes; lane++)
        ended[lane] = done[lane * form->steps + step] && step + 1 < form->steps;
      renew (self, ended);
      if (observed && step + 1 < form->steps)
        pass (self, self->key, step + 1, ended);
    }
}

/* T12.5-10: lanes get the next number when they are reset, in their order. */
static void
check_numbers (const Form *form, ReelTensordict *seen)
{
  const guint8 *done = reel_tensordict_get_tensor (seen, "next/done", NULL)->data;
  const gint64 *root = (gpointer) reel_tensordict_get_tensor (seen, "traj_count", NULL)->data;
  const gint64 *next = (gpointer) reel_tensordict_get_tensor (seen, "next/traj_count", NULL)->data;
  gint64 numbers[MOST_LANES], n = 0;

  for (gint64 lane = 0; lane < form->lanes; lane++)
    numbers[lane] = n++;
  for (gint64 step = 0; step < form->steps; step++)
    for (gint64 lane = 0; lane < form->lanes; lane++)
      {
        gint64 at = lane * form->steps + step;

        g_assert_cmpint (root[at], ==, numbers[lane]);
        g_assert_cmpint (next[at], ==, numbers[lane]);
        if (done[at])
          numbers[lane] = n++;
      }
}

/* Other lanes end in other steps. */
static guint32
word_of (guint32 word, gint64 lane)
{
  return lane == 0 ? word : lane == 1 ? ~word : word * 2654435761u >> 11;
}

#define CHAIN                                                                                      \
  "Scripted:num-envs=%d,max-episode-steps=%d|"                                                     \
  "dtype-cast:dtype-in=int64,dtype-out=float32,in-keys=observation"

static ReelTensordict *
play (const Form *form, guint32 word, const char *chain)
{
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS };
  g_autofree char *before = g_strdup_printf (CHAIN, (gint) form->lanes, (gint) form->limit);
  g_autofree char *text = g_strconcat (before, chain, NULL);
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
  ReelEnv *base = reel_transformed_env_get_base (REEL_TRANSFORMED_ENV (env));
  ReelTensordict *data;

  for (gint64 lane = 0; lane < form->lanes; lane++)
    scripted_env_tell (base, lane, word_of (word, lane), 0);
  data = reel_env_rollout (env, form->steps, &options, NULL);
  g_assert_nonnull (data);
  return data;
}

/* Leaves lie lanes first, steps side by side. */
static ReelTensordict *
lay_out (ReelTensordict *data)
{
  return reel_tensordict_clone (data, TRUE, NULL);
}

static void
check_stream (const Form *form, guint32 word)
{
  char decay[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *chain = g_strdup_printf ("|traj-counter|%seps=0.01,decay=%s", kinds[form->kind],
                                            g_ascii_dtostr (decay, sizeof decay, form->decay));
  g_autoptr (ReelTensordict) played = play (form, word, ""), norms = play (form, word, chain);
  g_autoptr (ReelTensordict) raw = lay_out (played), seen = lay_out (norms);

  check_numbers (form, seen);
  for (gint64 k = 0; k < WIDTH; k++)
    check_element (&(Oracle){ form, raw, seen, "observation", WIDTH, k, NOTHING, { NOTHING } });
  check_element (&(Oracle){ form, raw, seen, "reward", 1, 0, NOTHING, { NOTHING } });
}

static void
test_every_stream (gconstpointer data)
{
  const Kind kind = (Kind) GPOINTER_TO_INT (data);
  gint64 most = g_test_slow () ? 7 : 5;
  const double decays[] = { 0.75, 1 };

  for (gint64 steps = 1; steps <= most; steps++)
    for (gint64 lanes = 1; lanes <= MOST_LANES; lanes++)
      for (gsize d = 0; d < G_N_ELEMENTS (decays); d++)
        for (guint32 word = 0; word < 1u << steps; word++)
          check_stream (&(const Form){ kind, decays[d], steps, lanes, word % 3 }, word);
}

/* ---- many lanes: a reset is one update, whatever its size ---- */

#define MANY 2100

static void
assert_count (ReelEnv *env, gint n_updates)
{
  g_autoptr (ReelTensordict) stats = reel_vec_norm_dup_stats (get_link (env, 0), NULL);
  double count = 0;

  for (gint i = 0; i < n_updates; i++)
    count = count * 0.5 + MANY;
  g_assert_cmpfloat (load (reel_tensordict_get_tensor (stats, "observation_count", NULL), 0), ==,
                     count);
}

/* All lanes end in each third step. */
static void
test_many_lanes (gconstpointer text)
{
  g_autofree char *with = g_strconcat (text, "|vec-norm:in-keys=observation,decay=0.5", NULL);
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, with);
  g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, "random");
  g_autoptr (ReelCollector) collector = NULL;
  g_autofree char *how = collecting_text ("sync", 7 * MANY, 7 * MANY, 2);

  collector = reel_collector_new (how, env, policy, NULL, NULL);
  collecting_next (collector, NULL);
  assert_count (env, 1 + 7 + 2);
}

/* In an env that shows lanes of another, too. */
static void
test_many_lanes_within (gconstpointer format)
{
  const char *alone = "Pendulum:num-envs=2100,max-episode-steps=3|vec-norm:decay=0.5|traj-counter";
  g_autofree char *within = g_strdup_printf (
      "%s'%s'%s", g_str_equal (format, "serial") ? "serial:envs=[" : "parallel:", alone,
      g_str_equal (format, "serial") ? "]" : ",workers=2");
  g_autofree char *how = collecting_text ("sync", 7 * MANY, 7 * MANY, 2);
  g_autoptr (ReelCollector) one = collecting_make_collector (how, alone, "random", NULL);
  g_autoptr (ReelCollector) other = collecting_make_collector (how, within, "random", NULL);
  ReelTensordict *a, *b;

  collecting_next (one, &a);
  collecting_next (other, &b);
  g_assert_true (reel_tensordict_equal (a, b));
}

static void
test_many_lanes_rolled_out (void)
{
  g_autoptr (ReelEnv) env = collecting_make (
      REEL_TYPE_ENV, "Pendulum:num-envs=2100,max-episode-steps=3|vec-norm:in-keys=observation,"
                     "decay=0.5");
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS };
  g_autoptr (ReelTensordict) data = reel_env_rollout (env, 7, &options, NULL);

  g_assert_nonnull (data);
  assert_count (env, 1 + 7 + 2);
}

/* ---- what callers read and set ---- */

static ReelEnv *
open_env (const char *chain)
{
  g_autofree char *text = g_strconcat ("Pendulum:num-envs=2,max-episode-steps=5|", chain, NULL);

  return collecting_make (REEL_TYPE_ENV, text);
}

static ReelTensordict *
roll (ReelEnv *env, gint64 steps)
{
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS };
  ReelTensordict *data = reel_env_rollout (env, steps, &options, NULL);

  g_assert_nonnull (data);
  return data;
}

static const char *const learners[] = {
  "vec-norm:in-keys=[observation,reward],decay=0.9",
  "vec-norm-v2:in-keys=[observation,reward],decay=0.9",
  "vec-norm-v2:in-keys=[observation,reward],decay=0.9,reduce-batch-dims=true",
};

/* One env goes on from what another learned, told by statistics or by the state of the chain. */
static void
test_stats_move (gconstpointer chain)
{
  for (gint whole = 0; whole < 2; whole++)
    {
      g_autoptr (ReelEnv) one = open_env (chain), other = open_env (chain);
      g_autoptr (ReelTensordict) first = roll (one, 12), told = NULL, a = NULL, b = NULL;
      ReelTransform *from = get_link (one, 0), *to = get_link (other, 0);
      g_autoptr (GError) error = NULL;

      told = whole ? reel_transform_dup_state (from, NULL) : reel_vec_norm_dup_stats (from, NULL);
      g_assert_true (whole ? reel_transform_set_state (to, told, &error)
                           : reel_vec_norm_set_stats (to, told, &error));
      g_assert_no_error (error);
      reel_env_set_seed (one, 3, REEL_SEEDING_LANES);
      reel_env_set_seed (other, 3, REEL_SEEDING_LANES);
      a = roll (one, 9);
      b = roll (other, 9);
      g_assert_true (reel_tensordict_equal (a, b));
    }
}

/* A transform is told before it serves an env, and shape by shape. */
static void
test_stats_come_first (void)
{
  g_autoptr (ReelEnv) learned = open_env (learners[0]);
  g_autoptr (ReelEnv) base = collecting_make (REEL_TYPE_ENV, "Pendulum"), env = NULL;
  g_autoptr (ReelEnv) other = collecting_make (REEL_TYPE_ENV, "CartPole"), refused = NULL;
  g_autoptr (ReelTransform) told = make_transform (learners[0]), too = make_transform (learners[0]);
  g_autoptr (ReelTensordict) data = roll (learned, 12), stats = NULL, after = NULL;
  g_autoptr (GError) error = NULL;

  stats = reel_vec_norm_dup_stats (get_link (learned, 0), NULL);
  g_assert_true (reel_vec_norm_set_stats (told, stats, NULL));
  g_assert_true (reel_vec_norm_set_stats (too, stats, NULL));
  env = reel_transformed_env_new (base, told, NULL);
  g_assert_nonnull (env);
  after = reel_vec_norm_dup_stats (told, NULL);
  g_assert_true (reel_tensordict_equal (stats, after));
  refused = reel_transformed_env_new (other, too, &error);
  g_assert_null (refused);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "\"observation\""));
}

/* Statistics that are frozen stay, until they learn again. */
static void
test_frozen (gconstpointer chain)
{
  g_autoptr (ReelEnv) env = open_env (chain);
  ReelTransform *norm = get_link (env, 0);
  g_autoptr (ReelTensordict) data = NULL, before = NULL, after = NULL, again = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_vec_norm_freeze (norm, TRUE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_false (reel_vec_norm_is_frozen (norm));
  data = roll (env, 12);
  g_assert_true (reel_vec_norm_freeze (norm, TRUE, NULL));
  g_assert_true (reel_vec_norm_is_frozen (norm));
  before = reel_vec_norm_dup_stats (norm, NULL);
  again = roll (env, 12);
  after = reel_vec_norm_dup_stats (norm, NULL);
  g_assert_true (reel_tensordict_equal (before, after));
  g_clear_pointer (&after, reel_tensordict_unref);
  g_assert_true (reel_vec_norm_freeze (norm, FALSE, NULL));
  g_clear_pointer (&again, reel_tensordict_unref);
  again = roll (env, 1);
  after = reel_vec_norm_dup_stats (norm, NULL);
  g_assert_false (reel_tensordict_equal (before, after));
}

static void
refuse_stats (ReelTransform *norm, ReelTensordict *stats, gint code, const char *part)
{
  g_autoptr (ReelTensordict) before = reel_vec_norm_dup_stats (norm, NULL), after = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_vec_norm_set_stats (norm, stats, &error));
  g_assert_error (error, REEL_ERROR, code);
  if (!strstr (error->message, part))
    g_error ("\"%s\" does not contain \"%s\"", error->message, part);
  after = reel_vec_norm_dup_stats (norm, NULL);
  g_assert_true (reel_tensordict_equal (before, after));
}

static void
set_number (ReelTensordict *stats, const char *key, gint ndim, const gint64 *shape, double number)
{
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_FLOAT32, ndim, shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    ((float *) (gpointer) tensor->data)[i] = (float) number;
  g_assert_true (reel_tensordict_set_tensor (stats, key, tensor, NULL));
}

static void
test_bad_stats (void)
{
  g_autoptr (ReelEnv) env = open_env (learners[0]);
  g_autoptr (ReelTensordict) data = roll (env, 7), stats = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTransform) sign = make_transform ("sign:in-keys=a");
  g_autoptr (GError) error = NULL;
  ReelTransform *norm = get_link (env, 0);

  set_number (stats, "observation_sum", 1, (const gint64[]){ 4 }, 0);
  refuse_stats (norm, stats, REEL_ERROR_KEY, "\"observation\"");
  set_number (stats, "observation_ssq", 1, (const gint64[]){ 4 }, 0);
  set_number (stats, "observation_count", 1, (const gint64[]){ 1 }, 1);
  refuse_stats (norm, stats, REEL_ERROR_VALUE, "[3]");
  set_number (stats, "observation_sum", 1, (const gint64[]){ 3 }, 0);
  refuse_stats (norm, stats, REEL_ERROR_VALUE, "do not fit");
  set_number (stats, "observation_ssq", 1, (const gint64[]){ 3 }, 0);
  set_number (stats, "observation_count", 1, (const gint64[]){ 1 }, -1);
  refuse_stats (norm, stats, REEL_ERROR_VALUE, "count");
  set_number (stats, "observation_count", 1, (const gint64[]){ 1 }, 0);
  g_assert_true (reel_vec_norm_set_stats (norm, stats, NULL));
  g_assert_false (reel_vec_norm_set_stats (sign, stats, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
}

/* The next number is the state of a counter. */
static void
test_numbers_move (void)
{
  g_autoptr (ReelEnv) one = open_env ("traj-counter"), other = open_env ("traj-counter");
  g_autoptr (ReelTensordict) first = roll (one, 12), state = NULL, next = NULL;

  state = reel_transform_dup_state (get_link (one, 0), NULL);
  g_assert_true (reel_transform_set_state (get_link (other, 0), state, NULL));
  next = roll (other, 1);
  g_assert_cmpfloat (load (reel_tensordict_get_tensor (next, "traj_count", NULL), 0), ==, 6);
  g_assert_cmpfloat (load (reel_tensordict_get_tensor (next, "traj_count", NULL), 1), ==, 7);
}

static void
refuse (const char *text, gint code, const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_object_new_from_text (REEL_TYPE_ENV, text, &error, NULL));
  g_assert_error (error, REEL_ERROR, code);
  if (!strstr (error->message, part))
    g_error ("\"%s\" does not contain \"%s\"", error->message, part);
}

static void
test_refusals (void)
{
  refuse ("CartPole|vec-norm:in-keys=nothing", REEL_ERROR_KEY, "\"nothing\"");
  refuse ("CartPole|vec-norm:in-keys=[observation,reward],out-keys=[a,b]", REEL_ERROR_KEY, "\"b\"");
  refuse ("CartPole|vec-norm:decay=0", REEL_ERROR_VALUE, "decay");
  refuse ("CartPole|vec-norm-v2", REEL_ERROR_TYPE, "in-keys");
  refuse ("CartPole|vec-norm-v2:in-keys=observation,stateful=false,reduce-batch-dims=true",
          REEL_ERROR_RUNTIME, "stateful");
  refuse ("CartPole|step-counter|vec-norm:in-keys=step_count", REEL_ERROR_TYPE, "int64");
  refuse ("CartPole|traj-counter:out-key=a/b", REEL_ERROR_KEY, "\"a/done\"");
  refuse ("parallel:'CartPole:num-envs=4|vec-norm',kind=processes", REEL_ERROR_VALUE,
          "share the state of a transform");
}

int
main (int argc, char **argv)
{
  static const char *const names[] = { "sums", "averages", "of-each-lane", "of-each-episode" };
  static const char *const many[] = {
    "Pendulum:num-envs=2100,max-episode-steps=3",
    "serial:num-envs=2100,max-episode-steps=3,envs=[Pendulum,Pendulum]",
    "parallel:Pendulum,num-envs=2100,max-episode-steps=3,workers=2",
  };

  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scripted_envs_init ();

  g_autoptr (GArray) cases = golden_transforms ();

  for (guint i = 0; i < cases->len; i++)
    {
      const GoldenCase *golden = &g_array_index (cases, GoldenCase, i);
      g_autofree char *path = g_strdup_printf ("/transforms/vec-norm/trace/%s", golden->id);

      if (g_str_has_prefix (golden->id, "vec-norm")
          && json_object_get (json_object_get (golden->json, "trace"), "type") == NULL
          && json_object_get (golden->json, "trace"))
        g_test_add_data_func (path, golden, test_trace);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_strconcat ("/transforms/vec-norm/every-stream/", names[i], NULL);

      g_test_add_data_func (path, GINT_TO_POINTER ((gint) i), test_every_stream);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (many); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/transforms/vec-norm/one-update-a-reset/%d", (gint) i);

      g_test_add_data_func (path, many[i], test_many_lanes);
    }
  g_test_add_data_func ("/transforms/vec-norm/one-update-a-reset/within-serial", "serial",
                        test_many_lanes_within);
  g_test_add_data_func ("/transforms/vec-norm/one-update-a-reset/within-parallel", "parallel",
                        test_many_lanes_within);
  g_test_add_func ("/transforms/vec-norm/one-update-a-reset/rolled-out",
                   test_many_lanes_rolled_out);
  for (gsize i = 0; i < G_N_ELEMENTS (learners); i++)
    {
      g_autofree char *moves = g_strdup_printf ("/transforms/vec-norm/stats-move/%d", (gint) i);
      g_autofree char *frozen =
          g_strdup_printf ("/transforms/vec-norm/frozen-ones-stay/%d", (gint) i);

      g_test_add_data_func (moves, learners[i], test_stats_move);
      g_test_add_data_func (frozen, learners[i], test_frozen);
    }
  g_test_add_func ("/transforms/vec-norm/stats-come-first", test_stats_come_first);
  g_test_add_func ("/transforms/vec-norm/bad-stats-change-nothing", test_bad_stats);
  g_test_add_func ("/transforms/traj-counter/numbers-move", test_numbers_move);
  g_test_add_func ("/transforms/vec-norm/refusals", test_refusals);
  return g_test_run ();
}
