/* The contract of transforms in environments, run over all that are listed. */
#include "collecting.h"
#include "contract.h"
#include "skipped-resets.h"

#include <string.h>

/* Arguments that fit CartPole; without an entry a transform is made of its id. */
static const struct
{
  const char *id;
  const char *env;
  const char *arguments;
} told[] = {
  { "cat-frames", NULL, ":n=3,dim=-1,in-keys=observation,out-keys=last" },
  { "CatFrames", "CartPole:from-pixels=true,width=20,height=12", ":n=2,dim=-1" },
  { "cat-tensors", NULL, ":in-keys=observation,out-key=all,del-keys=false" },
  { "CatTensors", NULL, ":in-keys=observation" },
  { "action-mask",
    "CartPole|primer:primers=(composite:may=(binary:dtype=bool,shape=[2])),default-value=1",
    ":mask-key=may" },
  { "ActionMask",
    "CartPole|primer:primers=(composite:action_mask=(binary:dtype=bool,shape=[2])),default-value=1",
    "" },
  { "action-discretizer", "Pendulum", ":num-intervals=5" },
  { "ActionDiscretizer", "Pendulum",
    ":num-intervals=3,categorical=false,sampling=low,out-action-key=choice" },
  { "center-crop", "CartPole:from-pixels=true,width=20,height=12|to-tensor-image", ":w=7,h=9" },
  { "CenterCrop", "CartPole:from-pixels=true,width=20,height=12|to-tensor-image", ":w=17,h=30" },
  { "crop", "CartPole:from-pixels=true,width=20,height=12|to-tensor-image",
    ":w=7,h=5,top=9,left=4" },
  { "Crop", "CartPole:from-pixels=true,width=20,height=12|to-tensor-image", ":w=4,out-keys=cut" },
  { "dtype-cast", NULL, ":dtype-in=float32,dtype-out=float64,in-keys=observation" },
  { "DTypeCastTransform", "Pendulum",
    ":dtype-in=float32,dtype-out=float64,in-keys=observation,in-keys-inv=action" },
  { "double-to-float", "CartPole|dtype-cast:dtype-in=float32,in-keys=observation,dtype-out=float64",
    "" },
  { "exclude", "CartPole:from-pixels=true,width=9,height=5", ":keys=pixels" },
  { "ExcludeTransform", NULL, ":keys=reward,inverse=true" },
  { "flatten-observation", "CartPole:from-pixels=true,width=9,height=5", "" },
  { "FlattenObservation", "CartPole:from-pixels=true,width=9,height=5",
    ":first-dim=-2,out-keys=rows" },
  { "permute", "CartPole:from-pixels=true,width=9,height=5", ":dims=[-1,-3,-2],in-keys=pixels" },
  { "PermuteTransform", "CartPole:from-pixels=true,width=9,height=5",
    ":dims=[-2,-1],in-keys=pixels,out-keys=turned" },
  { "squeeze", "CartPole|unsqueeze:in-keys=observation", ":in-keys=observation" },
  { "SqueezeTransform", NULL, ":in-keys=observation,out-keys=same" },
  { "unsqueeze", NULL, ":dim=-2,in-keys=observation" },
  { "UnsqueezeTransform", "Pendulum", ":in-keys=observation,in-keys-inv=action" },
  { "frame-skip", NULL, ":frame-skip=3" },
  { "FrameSkipTransform", "Pendulum|step-counter", ":frame-skip=2" },
  { "noop-reset", NULL, ":noops=4" },
  { "NoopResetEnv", "CartPole|step-counter", ":noops=2,random=false" },
  { "primer", NULL,
    ":primers=(composite:hidden=(unbounded:shape=[3]),deep=(composite:n=(one-hot:n=4)))"
    ",random=true" },
  { "TensorDictPrimer", "CartPole|step-counter",
    ":primers=(composite:h=(bounded:low=1,high=2,shape=[2]),n=(categorical:n=9)),"
    "default-value=[1.5,7]" },
  { "gray-scale", "CartPole:from-pixels=true,width=20,height=12|to-tensor-image", "" },
  { "GrayScale", "CartPole:from-pixels=true,width=20,height=12|to-tensor-image", "" },
  { "rename", NULL, ":in-keys=observation,out-keys=obs,in-keys-inv=action,out-keys-inv=move" },
  { "RenameTransform", NULL, ":in-keys=observation,out-keys=deep/obs,create-copy=true" },
  { "resize", "CartPole:from-pixels=true,width=20,height=12|to-tensor-image", ":w=5,h=7" },
  { "Resize", "CartPole:from-pixels=true,width=20,height=12|to-tensor-image", ":w=30" },
  { "select", "CartPole:from-pixels=true,width=9,height=5", ":keys=[observation]" },
  { "SelectTransform", NULL, ":keys=[observation]" },
  { "stack", "CartPole|rename:in-keys=observation,out-keys=a,create-copy=true",
    ":in-keys=[a,observation],out-key=deep/both" },
  { "Stack",
    "CartPole|rename:in-keys=observation,out-keys=a,create-copy=true|clip:in-keys=a,low=-1",
    ":in-keys=[observation,a],out-key=both,dim=-2,del-keys=false" },
  { "step-counter", NULL, ":max-steps=7" },
  { "StepCounter", NULL, "" },
  { "target-return", NULL, ":target-return=100" },
  { "TargetReturn", NULL, ":target-return=5,mode=constant,out-keys=goal" },
  { "time-max-pool", NULL, ":t=3" },
  { "TimeMaxPool", "CartPole:from-pixels=true,width=9,height=5",
    ":t=2,in-keys=pixels,out-keys=peak" },
  { "to-tensor-image", "CartPole:from-pixels=true,width=20,height=12", "" },
  { "ToTensorImage", "CartPole:from-pixels=true,width=20,height=12", ":gray=true,w=4" },
  { "traj-counter", NULL, ":out-key=episode" },
  { "vec-norm", NULL, ":decay=0.9" },
  { "VecNorm", "Pendulum", ":in-keys=observation,out-keys=seen" },
  { "vec-norm-v2", NULL, ":in-keys=[observation,reward],decay=0.9,reduce-batch-dims=true" },
  { "VecNormV2", NULL, ":in-keys=observation,out-keys=seen,stateful=false" },
};

static char *
text_of (const char *id, gint lanes)
{
  const char *env = "CartPole", *arguments = "";

  for (gsize i = 0; i < G_N_ELEMENTS (told); i++)
    if (g_str_equal (told[i].id, id))
      {
        env = told[i].env ? told[i].env : env;
        arguments = told[i].arguments;
      }
  g_auto (GStrv) links = g_strsplit (env, "|", 2);
  return g_strdup_printf ("%s%cnum-envs=%d%s%s|%s%s", links[0], strchr (links[0], ':') ? ',' : ':',
                          lanes, links[1] ? "|" : "", links[1] ? links[1] : "", id, arguments);
}

/* NULL where the class serves stored data alone; then it says so. */
static ReelEnv *
make (const char *id, gint lanes)
{
  g_autofree char *text = text_of (id, lanes);
  g_autoptr (GError) error = NULL;
  ReelEnv *env = reel_object_new_from_text (REEL_TYPE_ENV, text, &error, NULL);

  if (env)
    return env;
  g_assert_true (error->domain == REEL_ERROR);
  g_test_skip (error->message);
  return NULL;
}

/* T12.1-2 */
static void
test_env_is_checked (gconstpointer id)
{
  g_autoptr (ReelEnv) one = make (id, 1), several = make (id, 3);
  g_autoptr (GError) error = NULL;

  if (!one)
    return;
  reel_env_check (one, &error);
  g_assert_no_error (error);
  reel_env_check (several, &error);
  g_assert_no_error (error);
}

static void
test_text_survives (gconstpointer id)
{
  g_autoptr (ReelEnv) env = make (id, 3);
  g_autofree char *text = env ? reel_object_to_text (REEL_OBJECT (env)) : NULL;
  g_autoptr (ReelEnv) again = env ? collecting_make (REEL_TYPE_ENV, text) : NULL;
  g_autofree char *second = env ? reel_object_to_text (REEL_OBJECT (again)) : NULL;

  g_assert_cmpstr (text, ==, second);
}

static ReelTensordict *
collect (const char *id, gint64 threads)
{
  g_autofree char *env = text_of (id, 70);
  g_autofree char *text = collecting_text ("sync", 70 * 40, 70 * 40, threads);
  g_autoptr (ReelCollector) collector = collecting_make_collector (text, env, "random", NULL);
  ReelTensordict *batch = NULL;

  collecting_next (collector, &batch);
  return reel_tensordict_clone (batch, TRUE, NULL);
}

static void
test_threads_do_not_matter (gconstpointer id)
{
  g_autoptr (ReelEnv) env = make (id, 70);
  g_autoptr (ReelTensordict) one = env ? collect (id, 1) : NULL;
  g_autoptr (ReelTensordict) three = env ? collect (id, 3) : NULL;

  if (env)
    g_assert_true (reel_tensordict_equal (one, three));
}

/* Steps that follow a state that was put back are the same. */
static void
test_state_goes_on (gconstpointer id)
{
  g_autoptr (ReelEnv) env = make (id, 3);
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS, .no_reset = TRUE };
  g_autoptr (ReelTensordict) first = NULL, begun = NULL, again = NULL;
  gsize size = env ? reel_env_get_state_size (env) : 0;
  g_autofree guint8 *states = g_malloc0 (3 * size + 1);

  if (!env)
    return;
  begun = reel_env_rollout (env, 5, &(ReelRolloutOptions){ .end = REEL_ROLLOUT_MAX_STEPS }, NULL);
  g_assert_nonnull (begun);
  for (gint64 lane = 0; lane < 3; lane++)
    reel_env_get_state (env, lane, states + (gsize) lane * size);
  for (gint turn = 0; turn < 2; turn++)
    {
      g_autoptr (ReelTensordict) last = reel_tensordict_select_index (begun, 1, -1, NULL);
      g_autoptr (ReelTensordict) root =
          reel_step_mdp (last, NULL, REEL_STEP_MDP_DEFAULT, NULL, NULL);
      ReelRolloutOptions on = options;

      on.tensordict = root;
      on.actions = begun;
      for (gint64 lane = 0; lane < 3; lane++)
        reel_env_set_state (env, lane, states + (gsize) lane * size);
      again = reel_env_rollout (env, 4, &on, NULL);
      g_assert_nonnull (again);
      if (turn == 0)
        first = g_steal_pointer (&again);
    }
  g_assert_true (reel_tensordict_equal (first, again));
}

/* Works without random numbers or a state that outlasts episodes are behind an env whose resets can
 * be skipped. */
static void
test_resets_are_skipped_or_done (gconstpointer id)
{
  g_autoptr (ReelEnv) env = make (id, 1);
  g_autofree char *text = text_of (id, 4);
  gboolean can = env && skipped_resets_check (text, 5);

  g_assert_true (can || !g_str_equal (id, "cat-frames"));
  g_assert_true (!can || (!g_str_equal (id, "noop-reset") && !g_str_equal (id, "traj-counter")));
}

static const ContractTest contract[] = {
  { "env-is-checked", test_env_is_checked },
  { "text-survives", test_text_survives },
  { "threads-do-not-matter", test_threads_do_not_matter },
  { "state-goes-on", test_state_goes_on },
  { "resets-are-skipped-or-done", test_resets_are_skipped_or_done },
};

/* ---- counts and windows ---- */

static ReelTensordict *
play (const char *text, gint64 steps)
{
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS };
  ReelTensordict *rollout = reel_env_rollout (env, steps, &options, NULL);

  g_assert_nonnull (rollout);
  return rollout;
}

static const gint64 *
get_counts (ReelTensordict *rollout, const char *path)
{
  ReelTensor *counts = reel_tensordict_get_tensor (rollout, path, NULL);

  g_assert_true (reel_tensor_is_contiguous (counts));
  return (const gint64 *) (gconstpointer) counts->data;
}

/* T12.5-1: a limit of 10 that ends episodes, so that a count at the root is 9 at most. */
static void
test_counter_ends_episodes (void)
{
  g_autoptr (ReelTensordict) rollout = play ("Pendulum|step-counter:max-steps=10", 100);
  const gint64 *root = get_counts (rollout, "step_count");
  const gint64 *next = get_counts (rollout, "next/step_count");
  const guint8 *cut = reel_tensordict_get_tensor (rollout, "next/truncated", NULL)->data;
  const guint8 *done = reel_tensordict_get_tensor (rollout, "next/done", NULL)->data;

  for (gint64 i = 0; i < 100; i++)
    {
      g_assert_cmpint (root[i], ==, i % 10);
      g_assert_cmpint (next[i], ==, i % 10 + 1);
      g_assert_cmpint (cut[i], ==, i % 10 == 9);
      g_assert_cmpint (done[i], ==, i % 10 == 9);
    }
}

/* T12.5-2 */
static void
test_limits_cut_at_their_step (void)
{
  static const struct
  {
    gint64 limit, last, next;
    gint n_cut;
  } cases[] = { { 20, 19, 20, 5 }, { 30, 9, 10, 3 }, { 40, 19, 20, 2 } };
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text =
          g_strdup_printf ("Pendulum|step-counter:max-steps=%d", (gint) cases[i].limit);
      g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
      g_autoptr (ReelTensordict) td = reel_env_rollout (env, 100, &options, NULL);
      const gint64 *root = (gpointer) reel_tensordict_get_tensor (td, "step_count", NULL)->data;
      const gint64 *next =
          (gpointer) reel_tensordict_get_tensor (td, "next/step_count", NULL)->data;
      const guint8 *cut = reel_tensordict_get_tensor (td, "next/truncated", NULL)->data;
      gint n_cut = 0;

      for (gint t = 0; t < 100; t++)
        n_cut += cut[t];
      g_assert_cmpint (root[99], ==, cases[i].last);
      g_assert_cmpint (next[99], ==, cases[i].next);
      g_assert_cmpint (n_cut, ==, cases[i].n_cut);
    }
}

/* T12.5-7: a limit that ends no episode marks every later step. */
static void
test_counter_without_done (void)
{
  g_autoptr (ReelTensordict) rollout =
      play ("Pendulum|step-counter:max-steps=10,update-done=false", 30);
  const gint64 *next = get_counts (rollout, "next/step_count");
  const guint8 *cut = reel_tensordict_get_tensor (rollout, "next/truncated", NULL)->data;
  const guint8 *done = reel_tensordict_get_tensor (rollout, "next/done", NULL)->data;

  for (gint64 i = 0; i < 30; i++)
    {
      g_assert_cmpint (next[i], ==, i + 1);
      g_assert_cmpint (cut[i], ==, i >= 9);
      g_assert_false (done[i]);
    }
}

/* T12.5-9: marks are of roots that follow a reset, never of what a step produced. */
static void
test_marks_are_of_roots (void)
{
  g_autoptr (ReelTensordict) rollout = play ("CartPole:max-episode-steps=6|init-tracker", 40);
  const guint8 *first = reel_tensordict_get_tensor (rollout, "is_init", NULL)->data;
  const guint8 *next = reel_tensordict_get_tensor (rollout, "next/is_init", NULL)->data;
  const guint8 *done = reel_tensordict_get_tensor (rollout, "next/done", NULL)->data;

  for (gint64 i = 0; i < 40; i++)
    {
      g_assert_cmpint (first[i], ==, i == 0 || done[i - 1]);
      g_assert_false (next[i]);
    }
}

/* T12.4-1: behind a reset a constant fills three of four frames, then two, then one. */
static void
test_constant_frames_leave (void)
{
  g_autoptr (ReelTensordict) rollout =
      play ("Pendulum|cat-frames:n=4,dim=-1,padding=constant,padding-value=-7,"
            "in-keys=observation",
            4);
  ReelTensor *windows = reel_tensordict_get_tensor (rollout, "observation", NULL);
  const float *values = (const float *) (gconstpointer) windows->data;

  g_assert_cmpint (windows->shape[1], ==, 12);
  for (gint64 step = 0; step < 4; step++)
    for (gint64 i = 0; i < 12; i++)
      g_assert_true ((values[step * 12 + i] == -7) == (i / 3 < 3 - step));
}

/* T12.4-5: windows of the env are those of its stored rows. */
static void
test_windows_are_those_of_rows (gconstpointer padding)
{
  g_autofree char *live = g_strdup_printf ("CartPole:num-envs=3|cat-frames:n=5,dim=-1,"
                                           "in-keys=observation,out-keys=stack,padding=%s",
                                           (const char *) padding);
  g_autofree char *stored = g_strdup_printf ("cat-frames:n=5,dim=-1,in-keys=[observation,"
                                             "next/observation],out-keys=[stack,next/stack],"
                                             "padding=%s",
                                             (const char *) padding);
  g_autoptr (ReelTensordict) online = play (live, 100);
  g_autoptr (ReelTransform) transform = collecting_make (REEL_TYPE_TRANSFORM, stored);
  g_autoptr (ReelTensordict) bare =
      reel_tensordict_exclude_keys (online, (const char *const[]){ "stack", "next/stack", NULL });
  g_autoptr (ReelTensordict) offline = NULL;

  g_assert_false (reel_tensordict_contains (bare, "next/stack"));
  offline = reel_transform_forward (transform, bare, NULL);
  g_assert_true (reel_tensordict_equal (online, offline));
}

/* ---- nesting ---- */

/* T12.1-3 */
static void
test_nested_ones_fold (void)
{
  g_autoptr (ReelEnv) base = collecting_make (REEL_TYPE_ENV, "CartPole:num-envs=2");
  g_autoptr (ReelTransform) a = collecting_make (REEL_TYPE_TRANSFORM, "step-counter");
  g_autoptr (ReelTransform) b =
      collecting_make (REEL_TYPE_TRANSFORM, "init-tracker|exclude:keys=is_init");
  g_autoptr (ReelEnv) inner = reel_transformed_env_new (base, a, NULL);
  g_autoptr (ReelEnv) outer = reel_transformed_env_new (inner, b, NULL);
  ReelTransformedEnv *transformed = REEL_TRANSFORMED_ENV (outer);
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (outer));

  g_assert_true (reel_transformed_env_get_base (transformed) == base);
  g_assert_cmpstr (text, ==,
                   "CartPole-v1:num-envs=2|step-counter|init-tracker|exclude:keys=[is_init]");
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

/* T12.1-5: a transform sees the keys of those before it alone. */
static void
test_keys_come_from_before (void)
{
  g_autoptr (ReelEnv) env = collecting_make (
      REEL_TYPE_ENV, "CartPole|rename:in-keys=observation,out-keys=seen|sign:in-keys=seen");
  const ReelSpec *specs = reel_env_get_observation_spec (env);

  g_assert_nonnull (reel_spec_get (specs, "seen", NULL));
  g_assert_null (reel_spec_get (specs, "observation", NULL));
  refuse ("CartPole|sign:in-keys=seen|rename:in-keys=observation,out-keys=seen", REEL_ERROR_KEY,
          "transform 0, sign");
  refuse ("CartPole|rename:in-keys=observation,out-keys=seen|sign:in-keys=observation",
          REEL_ERROR_KEY, "transform 1, sign");
}

/* T12.1-7: names of the root do not reach what is stored below next. */
static void
test_default_keys_are_those_of_the_root (void)
{
  const char *const texts[] = { "reward-scaling:loc=0,scale=2",
                                "reward-clipping:clamp-min=0,clamp-max=0.5" };
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS };
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, "CartPole:num-envs=2");
  g_autoptr (ReelTensordict) td = reel_env_rollout (env, 5, &options, NULL);
  g_autoptr (ReelTensordict) before = reel_tensordict_clone (td, TRUE, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *below = g_strconcat (texts[i], ",in-keys=next/reward", NULL);
      g_autoptr (ReelTransform) at_root = collecting_make (REEL_TYPE_TRANSFORM, texts[i]);
      g_autoptr (ReelTransform) named = collecting_make (REEL_TYPE_TRANSFORM, below);
      g_autoptr (ReelTensordict) copy = reel_tensordict_clone (td, TRUE, NULL), changed = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_transform_forward (at_root, td, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
      g_assert_nonnull (strstr (error->message, "\"reward\""));
      g_assert_true (reel_tensordict_equal (td, before));
      changed = reel_transform_forward (named, copy, NULL);
      g_assert_nonnull (changed);
      g_assert_false (reel_tensordict_equal (changed, before));
    }
}

/* ---- many lanes ---- */

#define MANY_LANES 2500
#define MANY_STEPS 30

static ReelTensordict *
collect_many (const char *env_text, gint threads)
{
  g_autofree char *lanes = g_strdup_printf ("%d", MANY_LANES);
  g_autofree char *text =
      g_strdup_printf ("sync:threads=%d,frames-per-batch=%d", threads, MANY_LANES * MANY_STEPS);
  g_autoptr (ReelEnv) env = reel_object_new_from_text (REEL_TYPE_ENV, env_text, NULL, "num-envs",
                                                       lanes, "seed", "3", NULL);
  g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, "random");
  g_autoptr (ReelCollector) collector = reel_collector_new (text, env, policy, NULL, NULL);
  ReelTensordict *batch;

  g_assert_cmpint (reel_collector_next (collector, &batch, NULL), ==, MANY_LANES * MANY_STEPS);
  return reel_tensordict_clone (batch, TRUE, NULL);
}

static const guint8 *
get_column (const ReelTensordict *td, const char *path)
{
  const ReelTensor *tensor = reel_tensordict_get_tensor (td, path, NULL);

  g_assert_true (tensor && reel_tensor_is_contiguous (tensor));
  return tensor->data;
}

/* Lanes go through the chain piece by piece: each row is what the steps before it make, and the
 * next one of its lane begins with it. */
static void
test_many_lanes (void)
{
  const char *text = "CartPole|step-counter:max-steps=19|reward-sum|"
                     "cat-tensors:in-keys=[observation,episode_reward],sort=false,"
                     "del-keys=false";
  g_autoptr (ReelTensordict) td = collect_many (text, 1), cut = collect_many (text, 3);
  const gint64 *before = (gconstpointer) get_column (td, "step_count");
  const gint64 *after = (gconstpointer) get_column (td, "next/step_count");
  const float *sum = (gconstpointer) get_column (td, "next/episode_reward");
  const float *joined = (gconstpointer) get_column (td, "next/observation_vector");
  const float *joined_before = (gconstpointer) get_column (td, "observation_vector");
  const float *seen = (gconstpointer) get_column (td, "next/observation");
  const guint8 *done = get_column (td, "next/done");
  const guint8 *truncated = get_column (td, "next/truncated");

  g_assert_true (reel_tensordict_equal (td, cut));
  for (gint64 i = 0; i < MANY_LANES * MANY_STEPS; i++)
    {
      gboolean first = i % MANY_STEPS == 0, last = i % MANY_STEPS == MANY_STEPS - 1;

      g_assert_cmpint (before[i], ==, first || done[i - 1] ? 0 : after[i - 1]);
      g_assert_cmpint (after[i], ==, before[i] + 1);
      g_assert_true (sum[i] == (float) after[i] && joined[5 * i + 4] == sum[i]);
      g_assert_cmpmem (joined + 5 * i, 16, seen + 4 * i, 16);
      g_assert_cmpint (truncated[i], ==, after[i] >= 19);
      if (!last && !done[i])
        g_assert_cmpmem (joined_before + 5 * (i + 1), 20, joined + 5 * i, 20);
    }
}

static void
test_properties_are_those_of_the_env (void)
{
  g_autoptr (ReelEnv) env = reel_object_new_from_text (REEL_TYPE_ENV, "CartPole|step-counter", NULL,
                                                       "num-envs", "4", "seed", "9", NULL);

  g_assert_cmpint (reel_env_get_num_envs (env), ==, 4);
  g_assert_cmpint (reel_env_get_lane_multiple (env), ==, 64);
}

static void
test_refusals (void)
{
  refuse ("CartPole|nothing", REEL_ERROR_KEY, "there is no transform \"nothing\"");
  refuse ("CartPole|step-counter|rename:in-keys=a,out-keys=b", REEL_ERROR_KEY,
          "transform 1, rename");
  refuse ("CartPole|step-counter:max-steps=3,truncated-key=observation", REEL_ERROR_VALUE,
          "\"observation\" is an observation");
  refuse ("CartPole|multi-step:n-steps=3", REEL_ERROR_VALUE, "multi-step");
  refuse ("CartPole|cat-frames:n=3,dim=-2,in-keys=observation", REEL_ERROR_INDEX, "dimension");
  refuse ("CartPole|", REEL_ERROR_KEY, "the name of the transform is empty");
  refuse ("|step-counter", REEL_ERROR_KEY, "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  contract_add ("transforms/in-envs", REEL_TYPE_TRANSFORM, contract, G_N_ELEMENTS (contract));
  g_test_add_func ("/transforms/in-envs/counter-ends-episodes", test_counter_ends_episodes);
  g_test_add_func ("/transforms/in-envs/limits-cut-at-their-step", test_limits_cut_at_their_step);
  g_test_add_func ("/transforms/in-envs/counter-without-done", test_counter_without_done);
  g_test_add_func ("/transforms/in-envs/marks-are-of-roots", test_marks_are_of_roots);
  g_test_add_func ("/transforms/in-envs/constant-frames-leave", test_constant_frames_leave);
  g_test_add_data_func ("/transforms/in-envs/windows-are-those-of-rows/same", "same",
                        test_windows_are_those_of_rows);
  g_test_add_data_func ("/transforms/in-envs/windows-are-those-of-rows/constant", "constant",
                        test_windows_are_those_of_rows);
  g_test_add_func ("/envs/transformed/nested-ones-fold", test_nested_ones_fold);
  g_test_add_func ("/envs/transformed/keys-come-from-before", test_keys_come_from_before);
  g_test_add_func ("/envs/transformed/default-keys-are-those-of-the-root",
                   test_default_keys_are_those_of_the_root);
  g_test_add_func ("/envs/transformed/properties-are-those-of-the-env",
                   test_properties_are_those_of_the_env);
  g_test_add_func ("/envs/transformed/many-lanes", test_many_lanes);
  g_test_add_func ("/envs/transformed/refusals", test_refusals);

  return g_test_run ();
}
