/* Masks of actions under any key, and entries that primers add to an environment. */
#include "collecting.h"
#include "env-steps.h"
#include "make-transform.h"
#include "masked-env.h"

#include <string.h>

static ReelEnv *
refuse_env (const char *text, gint code, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_object_new_from_text (REEL_TYPE_ENV, text, &error, NULL));
  g_assert_error (error, REEL_ERROR, code);
  if (!strstr (error->message, message))
    g_error ("\"%s\" does not contain \"%s\"", error->message, message);
  return NULL;
}

static ReelTensordict *
play (ReelEnv *env, gint64 steps, ReelRolloutOptions options)
{
  g_autoptr (GError) error = NULL;
  ReelTensordict *rollout = reel_env_rollout (env, steps, &options, &error);

  g_assert_no_error (error);
  return rollout;
}

/* ---- masks ---- */

#define MOVED "|rename:in-keys=action_mask,out-keys=left|action-mask:mask-key=left"

/* T12.5-3: no masked action is drawn, by the env and by the random policy. */
static void
test_masks_are_kept_to (gconstpointer text)
{
  g_autoptr (ReelEnv) env = env_steps_open (text);
  g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, "random:seed=4");
  g_autoptr (ReelTensordict) by_env =
      play (env, 200, (ReelRolloutOptions){ .end = REEL_ROLLOUT_MAX_STEPS });
  g_autoptr (ReelTensordict) by_policy =
      play (env, 200, (ReelRolloutOptions){ .end = REEL_ROLLOUT_MAX_STEPS, .policy = policy });

  masked_env_assert_allowed (reel_transformed_env_get_base (REEL_TRANSFORMED_ENV (env)), by_env);
  masked_env_assert_allowed (reel_transformed_env_get_base (REEL_TRANSFORMED_ENV (env)), by_policy);
}

/* T12.5-3: the episode of which every action is done is over. */
static void
test_rollout_stops (void)
{
  g_autoptr (ReelEnv) env = env_steps_open ("Masked:seed=0" MOVED);
  g_autoptr (ReelTensordict) rollout = play (env, 100, (ReelRolloutOptions){ 0 });

  g_assert_cmpint (reel_tensordict_numel (rollout), ==, 4);
}

static ReelTensordict *
act_first (ReelTensordict *td, gpointer env, GError **error)
{
  env_steps_set_action (env, td, 0);
  return reel_tensordict_ref (td);
}

/* T12.5-14: actions of a policy are not checked; where all is masked a random one is an error. */
static void
test_nothing_is_allowed (void)
{
  g_autoptr (ReelEnv) env =
      env_steps_open ("Masked:goes-on=true,num-envs=2,action-encoding=categorical" MOVED);
  g_autoptr (ReelTensordict) rollout = play (
      env, 9,
      (ReelRolloutOptions){ .end = REEL_ROLLOUT_MAX_STEPS, .act = act_first, .act_data = env });
  g_autoptr (ReelTensordict) failed = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (reel_tensordict_numel (rollout), ==, 18);
  failed = reel_env_rollout (env, 50, &(const ReelRolloutOptions){ .end = REEL_ROLLOUT_MAX_STEPS },
                             &error);
  g_assert_null (failed);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (error->message, ==,
                   "lane 0 cannot act at step 4: all of its \"action_mask\" is false");
}

/* Choices of a discretizer are masked as those of the env: by components, in either form. */
static void
test_components_are_masked (gconstpointer encoding)
{
  g_autofree char *text = g_strdup_printf (
      "Pendulum:num-envs=20,max-episode-steps=5|action-discretizer:num-intervals=12%s"
      "|primer:primers=(composite:may=(binary:dtype=bool,shape=[12])),random=true"
      "|action-mask:mask-key=may",
      (const char *) encoding);
  g_autoptr (ReelEnv) env = env_steps_open (text);
  g_autoptr (ReelTensordict) rollout =
      play (env, 50, (ReelRolloutOptions){ .end = REEL_ROLLOUT_MAX_STEPS });
  g_autoptr (ReelTensor) action = reel_tensordict_ref_tensor (rollout, "action", NULL);
  g_autoptr (ReelTensor) may = reel_tensordict_ref_tensor (rollout, "may", NULL);
  g_autoptr (ReelTensor) plain = reel_tensor_clone (action, NULL);
  g_autoptr (ReelTensor) mask = reel_tensor_clone (may, NULL);

  for (gint64 row = 0; row < 20 * 50; row++)
    {
      gint64 choice = 0;

      if (plain->dtype == REEL_DTYPE_INT64)
        choice = ((const gint64 *) (gconstpointer) plain->data)[row];
      else
        while (!plain->data[row * 12 + choice])
          choice++;
      g_assert_true (mask->data[row * 12 + choice]);
    }
}

#define PRIMED(key, shape)                                                                         \
  "CartPole|primer:primers=(composite:" key "=(binary:dtype=bool,shape=[" shape                    \
  "])),default-value=1"

static void
test_refused_masks (void)
{
  g_autoptr (ReelTransform) transform = make_transform ("action-mask");
  g_autoptr (ReelTensordict) steps = make_steps ();

  refuse_env ("Pendulum|action-mask", REEL_ERROR_VALUE,
              "\"action\" cannot be masked: it is a BoundedContinuous spec");
  refuse_env ("CartPole|action-mask", REEL_ERROR_KEY,
              "action-mask: \"action_mask\" is not among the env's observations");
  refuse_env ("CartPole|action-mask:action-key=move", REEL_ERROR_KEY,
              "action-mask: \"move\" is not among the env's actions");
  refuse_env (PRIMED ("may", "3") "|action-mask:mask-key=may", REEL_ERROR_VALUE,
              "\"may\" is bool [3]; the mask of \"action\" must be bool [2]");
  refuse_env ("CartPole|action-mask:mask-key=observation", REEL_ERROR_VALUE,
              "\"observation\" is float32 [4]; the mask of \"action\" must be bool [2]");
  refuse_env (PRIMED ("may", "2") "|primer:primers=(composite:action_mask=(unbounded))"
                                  "|action-mask:mask-key=may",
              REEL_ERROR_VALUE, "action-mask shows \"may\" as \"action_mask\", and the env has");
  g_assert_null (reel_transform_forward (transform, steps, NULL));
  refuse_transform (
      "action-mask:mask-key=''", REEL_ERROR_KEY,
      "\"\" is not a path of keys: write %2F for \"/\" in a key, %25 for \"%\" and % for "
      "the empty key");
}

/* ---- primers ---- */

#define HIDDEN "|primer:primers=(composite:h=(unbounded:shape=[2])),default-value=5"

static float
get_h (const ReelTensordict *td, const char *path, gint64 i)
{
  g_autoptr (ReelTensor) h = reel_tensordict_ref_tensor (td, path, NULL);
  g_autoptr (ReelTensor) plain = reel_tensor_clone (h, NULL);

  return ((const float *) (gconstpointer) plain->data)[2 * i];
}

static void
set_h (ReelTensordict *td, const char *path, gint64 n, const float *values)
{
  g_autoptr (ReelTensor) h = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, (gint64[]){ n, 2 }, NULL);

  for (gint64 i = 0; i < 2 * n; i++)
    ((float *) (gpointer) h->data)[i] = values[i / 2];
  g_assert_true (reel_tensordict_set_tensor (td, path, h, NULL));
}

/* The value of a step: below next where it was written there, else that of the root, else that of
 * the reset; and that of the root in lanes that do not step. */
static void
test_values_are_carried (gconstpointer text)
{
  static const float root[] = { 1, 2, 3 }, written[] = { 7, 8, 9 };
  static const guint8 some[] = { TRUE, FALSE, TRUE };
  g_autoptr (ReelEnv) env = env_steps_open (text);

  for (gint which = 0; which < 8; which++)
    {
      g_autoptr (ReelTensordict) td = env_steps_reset (env);
      gboolean masked = which & 1, at_root = which & 2, below = which & 4;

      g_assert_cmpfloat (get_h (td, "h", 1), ==, 5);
      env_steps_set_action (env, td, 0);
      if (at_root)
        set_h (td, "h", 3, root);
      else if (!masked)
        g_assert_true (reel_tensordict_remove (td, "h", NULL));
      if (below)
        set_h (td, "next/h", 3, written);
      if (masked)
        env_steps_set_flags (td, "_step", 3, some);
      env_steps_step (env, td);
      for (gint64 i = 0; i < 3; i++)
        {
          float before = at_root ? root[i] : 5;
          float after = below ? written[i] : before;

          g_assert_cmpfloat (get_h (td, "next/h", i), ==, masked && !some[i] ? before : after);
        }
    }
}

/* The state that a policy wrote in a rollout is that of its next step; a reset begins anew. */
static ReelTensordict *
count (ReelTensordict *td, gpointer env, GError **error)
{
  gint64 n = reel_env_get_num_envs (env);
  g_autofree float *values = g_new (float, n);

  for (gint64 i = 0; i < n; i++)
    values[i] = get_h (td, "h", i) + 1;
  set_h (td, "next/h", n, values);
  env_steps_set_action (env, td, 0);
  return reel_tensordict_ref (td);
}

static void
test_policies_write (gconstpointer text)
{
  g_autoptr (ReelEnv) env = env_steps_open (text);
  g_autoptr (ReelTensordict) rollout =
      play (env, 20,
            (ReelRolloutOptions){ .end = REEL_ROLLOUT_MAX_STEPS, .act = count, .act_data = env });

  g_autoptr (ReelTensor) counts =
      reel_tensor_clone (reel_tensordict_get_tensor (rollout, "step_count", NULL), NULL);

  for (gint64 row = 0; row < 60; row++)
    {
      gint64 counted = ((const gint64 *) (gconstpointer) counts->data)[row];

      g_assert_cmpfloat (get_h (rollout, "h", row), ==, 5 + (float) counted);
      g_assert_cmpfloat (get_h (rollout, "next/h", row), ==, 6 + (float) counted);
    }
}

/* Lanes that are sent apart take over the values that were sent with them. */
static void
test_sent_values_are_carried (void)
{
  static const float written[] = { 7, 8, 9 };
  g_autoptr (ReelEnv) env = env_steps_open ("parallel:'CartPole:num-envs=3" HIDDEN "',workers=2");
  g_autoptr (ReelTensordict) td = env_steps_reset (env), step = NULL, begin = NULL, again = NULL;
  g_autoptr (GError) error = NULL;

  env_steps_set_action (env, td, 0);
  set_h (td, "next/h", 3, written);
  g_assert_true (reel_env_send (env, td, &error));
  step = reel_env_recv (env, 3, -1, &begin, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < 3; i++)
    {
      g_assert_cmpfloat (get_h (step, "h", i), ==, 5);
      g_assert_cmpfloat (get_h (step, "next/h", i), ==, written[i]);
      g_assert_cmpfloat (get_h (begin, "h", i), ==, written[i]);
    }
  g_assert_true (reel_env_send (env, begin, &error));
  again = reel_env_recv (env, 3, -1, NULL, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < 3; i++)
    g_assert_cmpfloat (get_h (again, "next/h", i), ==, written[i]);
}

/* Collectors, whose policies write actions alone, carry the value of the reset. */
static void
test_drawn_values_last_for_an_episode (void)
{
  g_autoptr (ReelTensordict) batch = collecting_collect (
      "CartPole:max-episode-steps=4|primer:primers=(composite:h=(bounded:low=1,high=2,shape=[2])),"
      "random=true",
      3, 24, 2);
  g_autoptr (ReelTensordict) by_time = reel_tensordict_transpose (batch, 0, 1, NULL);
  g_autoptr (ReelTensor) done = reel_tensordict_ref_tensor (batch, "next/done", NULL);
  g_autoptr (ReelTensor) ends = reel_tensor_clone (done, NULL);

  for (gint64 row = 0; row < 3 * 24; row++)
    {
      float h = get_h (batch, "h", row);

      g_assert_true (1 <= h && h <= 2);
      g_assert_cmpfloat (get_h (batch, "next/h", row), ==, h);
      if (row % 24 < 23)
        g_assert_true ((get_h (batch, "h", row + 1) == h) == !ends->data[row]);
    }
}

static void
test_refused_values (void)
{
  g_autoptr (ReelEnv) env = env_steps_open ("CartPole:num-envs=3" HIDDEN);
  g_autoptr (ReelTensordict) td = env_steps_reset (env);
  g_autoptr (ReelTensor) wrong = reel_tensor_new (REEL_DTYPE_FLOAT64, 2, (gint64[]){ 3, 2 }, NULL);
  g_autoptr (GError) error = NULL;

  env_steps_set_action (env, td, 0);
  g_assert_true (reel_tensordict_set_tensor (td, "next/h", wrong, NULL));
  g_assert_false (reel_env_step (env, td, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_assert_cmpstr (error->message, ==, "\"next/h\" is float64, the env has float32 there");
}

static void
test_refused_primers (void)
{
  g_autoptr (ReelTransform) transform = make_transform ("primer:primers=(composite:h=(unbounded))");
  g_autoptr (ReelTensordict) steps = make_steps ();
  g_autoptr (GError) error = NULL;

  refuse_transform ("primer", REEL_ERROR_VALUE,
                    "primer needs primers: "
                    "primer:primers=(composite:hidden=(unbounded:shape=[64]))");
  refuse_transform ("primer:primers=(composite:h=(unbounded)),random=true,default-value=0",
                    REEL_ERROR_VALUE,
                    "Setting random to True and providing a default_value are incompatible.");
  refuse_transform ("primer:primers=(composite:h=(unbounded)),default-value=[1,2]",
                    REEL_ERROR_VALUE,
                    "default-value has 2 numbers, and there are 1 primers: give one number, or as "
                    "many");
  refuse_transform ("primer:primers=(unbounded:shape=[3])", REEL_ERROR_TYPE,
                    "primers are a composite spec, with a key for each, not a UnboundedContinuous "
                    "spec");
  refuse_transform ("primer:primers=(composite)", REEL_ERROR_VALUE, "primers have no key");
  refuse_transform ("primer:primers=(composite:h=(non-tensor))", REEL_ERROR_TYPE,
                    "the primer \"h\" is a NonTensor spec, and must be one of tensors");
  refuse_transform ("primer:primers=(composite:h=(unbounded:shape=[-1]))", REEL_ERROR_VALUE,
                    "the primer \"h\" has an extent of -1: its shape must be known");
  refuse_transform ("primer:primers=(composite:h=(bounded:low=1,high=2))", REEL_ERROR_VALUE,
                    "the default value of the primer \"h\" is outside of its spec: element [] is "
                    "0, not at least 1; give another default-value, or random=true");
  refuse_env ("CartPole|primer:primers=(composite:observation=(unbounded))", REEL_ERROR_VALUE,
              "primer: the env has \"observation\" already");
  refuse_env ("CartPole|primer:primers=(composite:action=(unbounded))", REEL_ERROR_VALUE,
              "primer: the env has \"action\" already");
  refuse_env ("CartPole:num-envs=3|primer:primers=(composite:h=(unbounded:shape=[3]),shape=[3])",
              REEL_ERROR_VALUE,
              "primers are of batch size [3], and the specs of the env of []: give those of one "
              "lane");
  g_assert_null (reel_transform_forward (transform, steps, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
}

int
main (int argc, char **argv)
{
  static const char *const carried[] = {
    "CartPole:num-envs=3" HIDDEN,
    "CartPole:num-envs=3|primer:primers=(composite:x=(unbounded:shape=[2])),default-value=5"
    "|rename:in-keys=x,out-keys=h",
    "serial:num-envs=3,envs=['CartPole:num-envs=1" HIDDEN "','CartPole:num-envs=2" HIDDEN "']",
    "parallel:'CartPole" HIDDEN "',num-envs=3,workers=2|step-counter",
  };

  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (REEL_TYPE_MASKED_ENV);

  g_test_add_data_func ("/transforms/action-mask/masks-are-kept-to/one-hot",
                        "Masked:num-envs=50" MOVED, test_masks_are_kept_to);
  g_test_add_data_func ("/transforms/action-mask/masks-are-kept-to/categorical",
                        "Masked:num-envs=50,action-encoding=categorical" MOVED,
                        test_masks_are_kept_to);
  g_test_add_data_func ("/transforms/action-mask/masks-are-kept-to/beside",
                        "Masked:num-envs=50|action-mask", test_masks_are_kept_to);
  g_test_add_func ("/transforms/action-mask/rollout-stops", test_rollout_stops);
  g_test_add_func ("/transforms/action-mask/nothing-is-allowed", test_nothing_is_allowed);
  g_test_add_data_func ("/transforms/action-mask/components-are-masked/integers", "",
                        test_components_are_masked);
  g_test_add_data_func ("/transforms/action-mask/components-are-masked/vectors",
                        ",categorical=false", test_components_are_masked);
  g_test_add_func ("/transforms/action-mask/refused", test_refused_masks);
  for (gsize i = 0; i < G_N_ELEMENTS (carried); i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/transforms/primer/values-are-carried/%" G_GSIZE_FORMAT, i);

      g_test_add_data_func (path, carried[i], test_values_are_carried);
    }
  g_test_add_data_func ("/transforms/primer/policies-write/lanes",
                        "CartPole:num-envs=3,max-episode-steps=7|step-counter" HIDDEN,
                        test_policies_write);
  g_test_add_data_func ("/transforms/primer/policies-write/serial",
                        "serial:num-envs=3,envs=['CartPole:num-envs=1,max-episode-steps=7" HIDDEN
                        "','CartPole:num-envs=2,max-episode-steps=5" HIDDEN "']|step-counter",
                        test_policies_write);
  g_test_add_func ("/transforms/primer/sent-values-are-carried", test_sent_values_are_carried);
  g_test_add_func ("/transforms/primer/drawn-values-last-for-an-episode",
                   test_drawn_values_last_for_an_episode);
  g_test_add_func ("/transforms/primer/refused-values", test_refused_values);
  g_test_add_func ("/transforms/primer/refused", test_refused_primers);
  return g_test_run ();
}
