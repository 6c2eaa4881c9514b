/* Networks with a memory: their outputs and states against PyTorch, and their runs. */
#include "../src/core/math/isa.h"
#include "collecting.h"
#include "make-spec.h"

#include <jansson.h>
#include <string.h>

enum
{
  LANES = 3,
  N_IN = 3,
  MOST = 64, /* numbers of a lane */
};

static char *
weights_path (const char *name)
{
  g_autofree char *file = g_strconcat (name, ".safetensors", NULL);

  return g_test_build_filename (G_TEST_DIST, "data", "recurrent", file, NULL);
}

static json_t *
read_cases (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "recurrent", "cases.json", NULL);
  json_t *all = json_load_file (path, 0, NULL);

  g_assert_nonnull (all);
  return all;
}

/* The numbers of nested lists, one after the other. */
static gsize
flatten (json_t *list, float *to)
{
  gsize n = 0, i;
  json_t *item;

  if (json_is_number (list))
    {
      *to = (float) json_number_value (list);
      return 1;
    }
  json_array_foreach (list, i, item) n += flatten (item, to + n);
  return n;
}

/* ---- outputs ---- */

typedef struct
{
  float x[LANES * N_IN], y[LANES * MOST];
  float state[2][LANES * MOST], next[2][LANES * MOST]; /* by the keys as they sort: c, h */
} Step;

static ReelPolicy *
begin (const char *name, const char *options, gint64 n_out)
{
  static const char *const seen_key = "observation", *const action_key = "action";
  g_autofree char *weights = weights_path (name);
  g_autofree char *text = g_strdup_printf ("mlp:weights=%s%s", weights, options);
  g_autoptr (ReelSpec) seen = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (N_IN));
  g_autoptr (ReelSpec) box = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (n_out));
  g_autoptr (ReelSpec) observation = make_composite (SCALAR, &seen_key, &seen, 1);
  g_autoptr (ReelSpec) action = make_composite (SCALAR, &action_key, &box, 1);
  ReelPolicy *policy = collecting_make (REEL_TYPE_POLICY, text);
  g_autoptr (GError) error = NULL;

  reel_policy_bind (policy, observation, action, LANES, &error);
  g_assert_no_error (error);
  return policy;
}

static void
act (ReelPolicy *policy, Step *at, gint64 first, gint64 end)
{
  const ReelPolicyIO io = {
    .observation = (const guint8 *const[]){ (const guint8 *) at->x },
    .state = (const guint8 *const[]){ (guint8 *) at->state[0], (guint8 *) at->state[1] },
    .action = (guint8 *const[]){ (guint8 *) at->y },
    .next_state = (guint8 *const[]){ (guint8 *) at->next[0], (guint8 *) at->next[1] },
  };
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_policy_act (policy, 0, first, end, &io, &error));
  g_assert_no_error (error);
}

static void
assert_near (const float *found, const float *expected, gsize n)
{
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon ((double) found[i], (double) expected[i], 2e-6);
}

/* The places of h and c among the leaves of the state. */
static gsize
find_places (ReelPolicy *policy, gsize *places)
{
  static const char *const keys[] = { "recurrent_state_h", "recurrent_state_c" };
  g_auto (GStrv) paths = reel_spec_list_leaves (reel_policy_get_state_spec (policy));

  for (gsize place = 0; paths[place]; place++)
    for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
      if (g_str_equal (paths[place], keys[i]))
        places[i] = place;
  return g_strv_length (paths);
}

/* One step, as PyTorch took it; the state is its own from step to step. */
static void
check_step (ReelPolicy *policy, Step *at, json_t *recorded)
{
  json_t *states = json_object_get (recorded, "state");
  float expected[LANES * MOST];
  gsize places[2] = { 0, 0 }, n = find_places (policy, places);

  flatten (json_object_get (recorded, "x"), at->x);
  act (policy, at, 0, LANES);
  assert_near (at->y, expected, flatten (json_object_get (recorded, "y"), expected));
  g_assert_cmpuint (json_array_size (states), ==, n);
  for (gsize i = 0; i < n; i++)
    assert_near (at->next[places[i]], expected, flatten (json_array_get (states, i), expected));
  memcpy (at->state, at->next, sizeof at->state);
}

static void
test_outputs (void)
{
  json_t *all = read_cases (), *item, *step;
  gsize i, s;

  json_array_foreach (json_object_get (all, "cases"), i, item)
  {
    const char *name = json_string_value (json_object_get (item, "name"));
    g_autoptr (ReelPolicy) policy = begin (name, json_string_value (json_object_get (item, "text")),
                                           json_integer_value (json_object_get (item, "n_out")));
    Step at = { 0 };

    g_test_message ("%s", name);
    json_array_foreach (json_object_get (item, "steps"), s, step) check_step (policy, &at, step);
    g_assert_cmpuint (s, >, 3);
  }
  json_decref (all);
}

/* A lane alone, and at every level of instructions, has the same bits. */
static void
test_same_bits (void)
{
  static const char *const levels[] = { "generic", "avx2", "avx512" };
  static const char *const names[] = { "lstm-deep", "gru-deep" };
  Step whole = { 0 };

  for (gsize i = 0; i < LANES * MOST; i++)
    whole.state[0][i] = whole.state[1][i] = (float) (i * 37 % 101) / 101 - 0.5f;
  for (gsize i = 0; i < LANES * N_IN; i++)
    whole.x[i] = (float) (i * 29 % 83) / 40 - 1;
  for (gsize n = 0; n < G_N_ELEMENTS (names); n++)
    for (gsize level = 0; level < G_N_ELEMENTS (levels); level++)
      {
        Step alone = whole;
        ReelIsa isa;

        g_setenv ("REEL_ISA", levels[level], TRUE);
        if (!reel_isa_choose (&isa, NULL)) /* this machine cannot */
          continue;
        g_autoptr (ReelPolicy) policy = begin (names[n], ",layers=[before,memory,after]", 2);
        if (level == 0)
          act (policy, &whole, 0, LANES);
        for (gint64 lane = LANES; lane-- > 0;)
          act (policy, &alone, lane, lane + 1);
        g_assert_cmpmem (alone.y, sizeof alone.y, whole.y, sizeof whole.y);
        g_assert_cmpmem (alone.next, sizeof alone.next, whole.next, sizeof whole.next);
      }
  g_unsetenv ("REEL_ISA");
}

/* ---- runs ---- */

static void
collect (ReelReplayBuffer *buffer, const char *policy, const char *how)
{
  g_autoptr (ReelCollector) collector = collecting_make_collector (
      how, "Pendulum-v1:num-envs=3,seed=2,max-episode-steps=7", policy, buffer);

  while (collecting_next (collector, NULL) > 0)
    ;
}

/* The same bytes for any threads, batches, and after resume; beside another state. */
static void
test_runs (void)
{
  static const char *const names[] = { "lstm", "gru" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *weights = weights_path (names[i]);
      g_autofree char *policy =
          g_strdup_printf ("mlp:weights=%s,layers=[memory,after],head=tanh-normal,seed=4", weights);
      g_autoptr (ReelReplayBuffer) whole = collecting_make_buffer ("tensor", 90, 2);
      g_autoptr (ReelReplayBuffer) parts = collecting_make_buffer ("tensor", 90, 2);

      collect (whole, policy, "sync:total-frames=75,threads=1");
      collect (parts, policy, "sync:total-frames=27,threads=2,frames-per-batch=4");
      collect (parts, policy, "sync:total-frames=48,threads=3,resume=true");
      g_autoptr (ReelTensordict) rows = reel_replay_buffer_get_all (whole, NULL);
      g_autoptr (ReelTensordict) others = reel_replay_buffer_get_all (parts, NULL);
      g_assert_true (reel_tensordict_equal (rows, others));
    }
}

/* T14.8-2: the keys of a batch from an LSTM. */
static void
test_keys (void)
{
  static const char *const keys[] = {
    "action",          "collector/traj_ids", "done",         "hidden1",          "hidden2",
    "next/done",       "next/hidden1",       "next/hidden2", "next/observation", "next/reward",
    "next/terminated", "next/truncated",     "observation",  "terminated",       "truncated",
    "action_log_prob",
  };
  g_autofree char *weights = weights_path ("lstm");
  g_autofree char *policy =
      g_strdup_printf ("mlp:weights=%s,layers=[memory,after],head=tanh-normal,hidden-keys=[hidden1,"
                       "hidden2]",
                       weights);
  g_autoptr (ReelCollector) collector = collecting_make_collector (
      "sync:frames-per-batch=60", "Pendulum-v1:num-envs=3", policy, NULL);
  ReelTensordict *batch;

  collecting_next (collector, &batch);
  g_auto (GStrv) found = reel_tensordict_list_leaves (batch);
  g_assert_cmpuint (g_strv_length (found), ==, G_N_ELEMENTS (keys));
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    g_assert_true (g_strv_contains ((const char *const *) found, keys[i]));
}

/* Of which episodes begin with zeros. */
static void
test_episodes_begin_without_memory (void)
{
  g_autofree char *weights = weights_path ("gru");
  g_autofree char *policy =
      g_strdup_printf ("mlp:weights=%s,layers=[memory,after],head=normal", weights);
  g_autoptr (ReelCollector) collector = collecting_make_collector (
      "sync:frames-per-batch=30", "Pendulum-v1:max-episode-steps=10", policy, NULL);
  ReelTensordict *batch;

  collecting_next (collector, &batch);
  const float *before =
      (const float *) reel_tensordict_get_tensor (batch, "recurrent_state", NULL)->data;
  const float *after =
      (const float *) reel_tensordict_get_tensor (batch, "next/recurrent_state", NULL)->data;
  for (gsize step = 0; step < 30; step++)
    for (gsize k = 0; k < 5; k++)
      {
        g_assert_cmpfloat (after[5 * step + k], !=, 0);
        g_assert_cmpfloat (before[5 * step + k], ==,
                           step % 10 == 0 ? 0 : after[5 * (step - 1) + k]);
      }
}

/* ---- refusals ---- */

static const struct
{
  const char *name, *options;
  int code;
  const char *pattern;
} refused[] = {
  { "lstm", "", REEL_ERROR_VALUE,
    "*\"memory.weight_ih_l0\" takes 3 inputs, and the layer before it has 2 outputs; *layers=*" },
  { "lstm", ",layers=[memory]", REEL_ERROR_VALUE, "*\"after.*\" is in none of the layers=*" },
  { "lstm", ",layers=[memory,after],hidden-keys=[h]", REEL_ERROR_VALUE,
    "hidden-keys has 1 keys, and the network of * takes 2*" },
  { "gru", ",layers=[memory,after],hidden-keys=[h,c]", REEL_ERROR_VALUE,
    "hidden-keys has 2 keys, and the network of * takes 1*" },
  { "two", "", REEL_ERROR_NOT_IMPLEMENTED,
    "*\"b.weight_hh_l0\" is of a second recurrent network*" },
  { "odd", "", REEL_ERROR_VALUE,
    "*\"weight_hh_l0\" is neither of an LSTM*it is ?5, 5], and weight_ih*" },
  { "reverse", "", REEL_ERROR_VALUE,
    "*\"*_reverse\" is neither weight nor bias of a linear layer*" },
};

static void
test_refusals (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autofree char *weights = weights_path (refused[i].name);
      g_autofree char *text = g_strdup_printf ("mlp:weights=%s%s", weights, refused[i].options);
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_object_new_from_text (REEL_TYPE_POLICY, text, &error, NULL));
      g_test_message ("%s: %s", refused[i].name, error->message);
      g_assert_error (error, REEL_ERROR, refused[i].code);
      g_assert_true (g_pattern_match_simple (refused[i].pattern, error->message));
      g_assert_null (reel_object_new_from_text (REEL_TYPE_POLICY, text, NULL, NULL));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/policies/recurrent/outputs", test_outputs);
  g_test_add_func ("/policies/recurrent/same-bits", test_same_bits);
  g_test_add_func ("/policies/recurrent/runs", test_runs);
  g_test_add_func ("/policies/recurrent/keys", test_keys);
  g_test_add_func ("/policies/recurrent/episodes-begin-without-memory",
                   test_episodes_begin_without_memory);
  g_test_add_func ("/policies/recurrent/refusals", test_refusals);
  return g_test_run ();
}
