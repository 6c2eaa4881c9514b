/* Collectors that each have some lanes of a run: together they are one that has all. */
#include "../src/core/system/directories.h"
#include "collecting.h"
#include "make-spec.h"

#include <glib/gstdio.h>
#include <string.h>

#define ALL 7
#define STEPS 60

typedef struct
{
  const char *env;    /* without lanes and seed */
  const char *policy; /* of all lanes */
  const char *kind;   /* of the collector of a part */
} Case;

static const Case cases[] = {
  { "CartPole-v1:max-episode-steps=30", "random:seed=11", "sync:threads=2" },
  { "Pendulum-v1:max-episode-steps=9", "random:seed=2", "sync:threads=1" },
  { "CartPole-v1:%|step-counter|reward-sum", "random:seed=4", "sync:reset-at-each-iter=true" },
  { "CartPole-v1:max-episode-steps=30", "random:seed=11", "multi-sync:workers=2,kind=threads" },
  { "CartPole-v1:max-episode-steps=30", "random:seed=11", "multi-sync:workers=2,kind=processes" },
  { "Pendulum-v1:max-episode-steps=9", "mlp:weights=weights,seed=3,sigma=0.5",
    "multi-sync:workers=2,kind=threads" },
};

static char *
make_env_text (const Case *at, gint64 first, gint64 n)
{
  const char *place = strchr (at->env, '%');
  g_autofree char *lanes = g_strdup_printf ("num-envs=%d,seed=%d", (int) n, (int) first + 5);

  return place ? g_strdup_printf ("%.*s%s%s", (int) (place - at->env), at->env, lanes, place + 1)
               : g_strdup_printf ("%s,%s", at->env, lanes);
}

/* collect: @steps more of lanes from @first on, as they are numbered among all, into @buffer. */
static void
collect (const Case *at, gint64 first, gint64 n, gint64 steps, gboolean resumes,
         ReelReplayBuffer *buffer)
{
  g_autofree char *env = make_env_text (at, first, n);
  g_autofree char *policy = g_strdup_printf ("lane-range:policy=(%s),first-lane=%d,all-lanes=%d",
                                             at->policy, (int) first, ALL);
  g_autofree char *text = g_strdup_printf (
      "%s,frames-per-batch=%d,total-frames=%d,first-lane=%d,all-lanes=%d,resume=%s", at->kind,
      (int) n * 20, (int) (n * steps), (int) first, ALL, resumes ? "true" : "false");
  g_autoptr (ReelCollector) collector = collecting_make_collector (text, env, policy, buffer);

  while (collecting_next (collector, NULL) > 0)
    ;
}

static ReelTensordict *
collect_whole (const Case *at)
{
  g_autofree char *env = make_env_text (at, 0, ALL);
  gboolean restarts = strstr (at->kind, "reset-at") != NULL;
  g_autofree char *text =
      g_strdup_printf ("sync:frames-per-batch=%d,total-frames=%d,reset-at-each-iter=%s", ALL * 20,
                       ALL * STEPS, restarts ? "true" : "false");
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", ALL * STEPS, 2);
  g_autoptr (ReelCollector) collector = collecting_make_collector (text, env, at->policy, buffer);

  while (collecting_next (collector, NULL) > 0)
    ;
  return reel_replay_buffer_get_all (buffer, NULL);
}

static void
assert_lanes (ReelReplayBuffer *part, ReelTensordict *whole, gint64 first, gint64 n)
{
  g_autoptr (ReelTensordict) rows = reel_replay_buffer_get_all (part, NULL);
  g_autoptr (ReelTensordict) expected = reel_tensordict_slice (whole, 0, first, first + n, 1, NULL);

  g_assert_true (reel_tensordict_contains (rows, "collector/traj_ids"));
  g_assert_true (reel_tensordict_equal (rows, expected));
}

/* Every cut of all lanes into two. */
static void
test_parts_are_the_whole (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelTensordict) whole = collect_whole (&cases[i]);

      for (gint64 cut = 2; cut <= ALL - 2; cut++)
        for (gint part = 0; part < 2; part++)
          {
            gint64 first = part ? cut : 0, n = part ? ALL - cut : cut;
            g_autoptr (ReelReplayBuffer) buffer =
                collecting_make_buffer ("tensor:shared=true", n * STEPS, 2);

            collect (&cases[i], first, n, STEPS, FALSE, buffer);
            assert_lanes (buffer, whole, first, n);
          }
    }
}

static void
test_parts_resume (void)
{
  for (gsize i = 0; i < 2; i++)
    {
      g_autoptr (ReelTensordict) whole = collect_whole (&cases[i]);
      g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", 3 * STEPS, 2);

      collect (&cases[i], 3, 3, 17, FALSE, buffer);
      collect (&cases[i], 3, 3, STEPS - 17, TRUE, buffer);
      assert_lanes (buffer, whole, 3, 3);
    }
}

static void
assert_resume_refused (ReelReplayBuffer *buffer, const char *numbers, const char *why)
{
  g_autofree char *env_text = make_env_text (&cases[0], 3, 3);
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, env_text);
  g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, "random");
  g_autofree char *text = g_strdup_printf ("sync:resume=true%s", numbers);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_collector_new (text, env, policy, buffer, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  if (strstr (error->message, why) == NULL)
    g_error ("\"%s\" lacks \"%s\"", error->message, why);
}

static void
test_others_do_not_resume (void)
{
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", 3 * STEPS, 2);

  collect (&cases[0], 3, 3, 17, FALSE, buffer);
  assert_resume_refused (buffer, "",
                         "lanes from 3 on, of 7, and first-lane and all-lanes are of all");
  assert_resume_refused (buffer, ",first-lane=2,all-lanes=7", "are of lanes from 2 on");
}

/* The weights of the whole are those of its lanes. */
static void
test_weights_reach_the_whole (void)
{
  g_autofree char *env = make_env_text (&cases[5], 2, 3);
  g_autoptr (ReelTensordict) weights = reel_tensordict_load ("weights", REEL_LOAD_TENSORS, NULL);
  g_autoptr (ReelCollector) collector = collecting_make_collector (
      "sync:frames-per-batch=30,track-policy-version=true", env,
      "lane-range:policy=(mlp:weights=weights),first-lane=2,all-lanes=7", NULL);
  ReelTensordict *batch;

  for (gint64 version = 0; version < 3; version++)
    {
      collecting_next (collector, &batch);
      g_assert_cmpint (*(gint64 *) reel_tensordict_get_tensor (batch, "policy_version", NULL)->data,
                       ==, version);
      g_assert_true (reel_collector_update_policy_weights (collector, weights, NULL));
    }
}

static void
assert_policy_refused (const char *text, const char *why)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_object_new_from_text (REEL_TYPE_POLICY, text, &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  if (strstr (error->message, why) == NULL)
    g_error ("\"%s\" lacks \"%s\"", error->message, why);
}

static void
test_policies_that_cannot_be_cut (void)
{
  g_autoptr (ReelPolicy) few =
      collecting_make (REEL_TYPE_POLICY, "lane-range:policy=random,first-lane=2,all-lanes=4");
  g_autoptr (ReelSpec) nothing = make_composite (SCALAR, NULL, NULL, 0);
  g_autoptr (GError) error = NULL;

  assert_policy_refused ("lane-range", "needs policy=(");
  assert_policy_refused ("lane-range:policy=(recorded:directory=weights)", "on all lanes at once");
  g_assert_true (reel_policy_bind (few, nothing, nothing, 2, NULL));
  g_assert_false (reel_policy_bind (few, nothing, nothing, 3, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
}

static void
save_weights (void)
{
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensor) weight = reel_tensor_new (REEL_DTYPE_FLOAT32, SHAPE (1, 3), NULL);
  g_autoptr (ReelTensor) bias = reel_tensor_new (REEL_DTYPE_FLOAT32, SHAPE (1), NULL);

  for (gint i = 0; i < 3; i++)
    ((float *) (gpointer) weight->data)[i] = 0.25f * (float) (i - 1);
  *(float *) (gpointer) bias->data = 0.5f;
  g_assert_true (reel_tensordict_set_tensor (td, "0/weight", weight, NULL));
  g_assert_true (reel_tensordict_set_tensor (td, "0/bias", bias, NULL));
  g_assert_true (reel_tensordict_save (td, "weights", 0, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_autofree char *directory = g_dir_make_tmp ("reel-lanes-XXXXXX", NULL);

  g_assert_cmpint (g_chdir (directory), ==, 0);
  save_weights ();
  g_test_add_func ("/collectors/lane-ranges/parts-are-the-whole", test_parts_are_the_whole);
  g_test_add_func ("/collectors/lane-ranges/parts-resume", test_parts_resume);
  g_test_add_func ("/collectors/lane-ranges/others-do-not-resume", test_others_do_not_resume);
  g_test_add_func ("/collectors/lane-ranges/weights-reach-the-whole", test_weights_reach_the_whole);
  g_test_add_func ("/policies/lane-range/what-cannot-be-cut", test_policies_that_cannot_be_cut);

  int status = g_test_run ();

  reel_directory_remove (directory, NULL);
  return status;
}
