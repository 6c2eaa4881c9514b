/* Transforms that change keys, in environments and of their stored rows. */
#include "collecting.h"
#include "make-transform.h"

#include <string.h>

static ReelTensordict *
play (const char *text, gint64 steps)
{
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS };
  ReelTensordict *rollout = reel_env_rollout (env, steps, &options, NULL);

  g_assert_nonnull (rollout);
  return rollout;
}

/* Whether rows of an env behind @online are those of the env itself, changed by @offline. */
static void
assert_agrees (const char *env, const char *online, const char *offline)
{
  g_autofree char *whole = g_strconcat (env, "|", online, NULL);
  g_autoptr (ReelTransform) chain = make_transform (offline);
  g_autoptr (ReelTensordict) live = play (whole, 25), stored = play (env, 25);
  g_autoptr (ReelTensordict) changed = forward (chain, stored);
  g_auto (GStrv) paths = reel_tensordict_list_leaves (live);

  for (char **path = paths; *path; path++)
    {
      ReelTensor *a = reel_tensordict_get_tensor (live, *path, NULL);
      ReelTensor *b = reel_tensordict_get_tensor (changed, *path, NULL);

      if (!b || !reel_tensor_equal (a, b))
        g_error ("%s of %s differs", *path, whole);
    }
}

/* Keys of one dimension, of float32, float64 and int64. */
#define KEYS                                                                                       \
  "CartPole:num-envs=3,max-episode-steps=9|rename:in-keys=observation,out-keys=x,create-copy=true" \
  "|clip:in-keys=x,low=-0.1,high=0.1|rename:in-keys=x,out-keys=deep/y,create-copy=true"            \
  "|dtype-cast:dtype-in=float32,dtype-out=float64,in-keys=deep/y|step-counter"

static const struct
{
  const char *link;
  const char *next;
} pairs[] = {
  { "cat-tensors:in-keys=[x,observation],out-key=both",
    "cat-tensors:in-keys=[next/x,next/observation],out-key=next/both" },
  { "cat-tensors:in-keys=[x,observation],out-key=both,dim=-2,unsqueeze-if-oor=true,del-keys=false",
    "cat-tensors:in-keys=[next/x,next/observation],out-key=next/both,dim=-2,unsqueeze-if-oor=true,"
    "del-keys=false" },
  { "cat-tensors:in-keys=[step_count,x,deep/y],out-key=x,sort=false",
    "cat-tensors:in-keys=[next/step_count,next/x,next/deep/y],out-key=next/x,sort=false" },
  { "cat-tensors:in-keys=[x,step_count],out-key=deep/all",
    "cat-tensors:in-keys=[next/x,next/step_count],out-key=next/deep/all" },
  { "stack:in-keys=[x,observation],out-key=both",
    "stack:in-keys=[next/x,next/observation],out-key=next/both" },
  { "stack:in-keys=[observation,x],out-key=deep/both,dim=-2,del-keys=false",
    "stack:in-keys=[next/observation,next/x],out-key=next/deep/both,dim=-2,del-keys=false" },
  { "stack:in-keys=[deep/y,observation,x],out-key=deep/z",
    "stack:in-keys=[next/deep/y,next/observation,next/x],out-key=next/deep/z" },
};

static void
test_envs_agree_with_rows (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autofree char *both = g_strconcat (pairs[i].link, "|", pairs[i].next, NULL);

      assert_agrees (KEYS, pairs[i].link, both);
    }
}

#define PIXELS "CartPole:num-envs=2,from-pixels=true,width=20,height=12,max-episode-steps=9"
#define IMAGES "to-tensor-image:in-keys=[pixels,next/pixels]"
#define GRAY "|gray-scale:in-keys=[pixels,next/pixels]"

/* T12.2-5: but of rewards of other types, which an environment refuses. */
static void
test_values_agree (void)
{
  static const struct
  {
    const char *env;
    const char *online;
    const char *offline;
  } cases[] = {
    { PIXELS, "to-tensor-image", IMAGES },
    { PIXELS, "to-tensor-image|gray-scale", IMAGES GRAY },
    { PIXELS, "to-tensor-image|gray-scale|resize:w=7,h=5",
      IMAGES GRAY "|resize:w=7,h=5,in-keys=[pixels,next/pixels]" },
    { KEYS, "clip:in-keys=observation,low=-0.01,high=0.02",
      "clip:in-keys=[observation,next/observation],low=-0.01,high=0.02" },
    { KEYS, "observation-norm:in-keys=observation,loc=[1,2,3,4],scale=[1,0.1,7,2]",
      "observation-norm:in-keys=[observation,next/observation],loc=[1,2,3,4],scale=[1,0.1,7,2]" },
    { KEYS, "rename:in-keys=[observation,x],out-keys=[deep/o,p]",
      "rename:in-keys=[observation,next/observation,x,next/x],"
      "out-keys=[deep/o,next/deep/o,p,next/p]" },
    { KEYS, "cat-frames:n=3,dim=-1,in-keys=[observation,x]",
      "cat-frames:n=3,dim=-1,in-keys=[observation,next/observation,x,next/x]" },
    { KEYS, "sign:in-keys=[x,observation],out-keys=[s,t]",
      "sign:in-keys=[x,observation,next/x,next/observation],out-keys=[s,t,next/s,next/t]" },
    { KEYS, "reward-scaling:loc=1,scale=0.5",
      "reward-scaling:loc=1,scale=0.5,in-keys=next/reward" },
    { KEYS, "reward-clipping:clamp-min=0,clamp-max=0.5",
      "reward-clipping:clamp-min=0,clamp-max=0.5,in-keys=next/reward" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_agrees (cases[i].env, cases[i].online, cases[i].offline);
}

static void
assert_form (ReelTensordict *td, const char *path, ReelDtype dtype, gint ndim, const gint64 *shape)
{
  ReelTensor *tensor = reel_tensordict_get_tensor (td, path, NULL);

  g_assert_nonnull (tensor);
  g_assert_cmpint (tensor->dtype, ==, dtype);
  g_assert_cmpint (tensor->ndim, ==, ndim);
  for (gint i = 0; i < ndim; i++)
    g_assert_cmpint (tensor->shape[i], ==, shape[i]);
}

/* ---- cat-tensors ---- */

/* T12.3-2: a dimension that values lack is a new one of each value, never that of the batch. */
static void
test_cat_in_a_new_dimension (void)
{
  static const char chain[] = "cat-tensors:in-keys=[x,observation],out-key=both,dim=-2,"
                              "unsqueeze-if-oor=true,del-keys=false";
  g_autofree char *text = g_strconcat (KEYS, "|", chain, NULL);
  g_autoptr (ReelTensordict) rollout = play (text, 6);
  const gint64 shape[] = { 3, 6, 2, 4 };

  assert_form (rollout, "both", REEL_DTYPE_FLOAT32, 4, shape);
  assert_form (rollout, "next/both", REEL_DTYPE_FLOAT32, 4, shape);
  for (gint64 lane = 0; lane < 3; lane++)
    for (gint64 step = 0; step < 6; step++)
      for (gint i = 0; i < 2; i++)
        {
          g_autoptr (ReelTensordict) row = reel_tensordict_select_index (rollout, 0, lane, NULL);
          g_autoptr (ReelTensordict) one = reel_tensordict_select_index (row, 0, step, NULL);
          ReelTensor *both = reel_tensordict_get_tensor (one, "both", NULL);
          ReelTensor *given =
              reel_tensordict_get_tensor (one, i == 0 ? "observation" : "x", NULL); /* sorted */
          g_autoptr (ReelTensor) part = reel_tensor_select (both, 0, i, NULL);

          g_assert_true (reel_tensor_equal (part, given));
        }
}

static void
refuse_env (const char *chain, gint code, const char *part)
{
  g_autofree char *text = g_strconcat (KEYS, "|", chain, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_object_new_from_text (REEL_TYPE_ENV, text, &error, NULL));
  g_assert_error (error, REEL_ERROR, code);
  if (!strstr (error->message, part))
    g_error ("\"%s\" does not contain \"%s\"", error->message, part);
}

static void
refuse_rows (const char *chain, gint code, const char *part)
{
  g_autoptr (ReelTransform) transform = make_transform (chain);
  g_autoptr (ReelTensordict) rollout = play (KEYS, 5);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_transform_forward (transform, rollout, &error));
  g_assert_error (error, REEL_ERROR, code);
  if (!strstr (error->message, part))
    g_error ("\"%s\" does not contain \"%s\"", error->message, part);
}

static void
test_cat_refusals (void)
{
  refuse_env ("cat-tensors:in-keys=[x,observation],dim=-2", REEL_ERROR_INDEX,
              "1 dimensions of its own");
  refuse_rows ("cat-tensors:in-keys=[x,observation],dim=-2", REEL_ERROR_INDEX,
               "1 dimensions of its own");
  refuse_rows ("cat-tensors:in-keys=[x,observation],dim=-3,unsqueeze-if-oor=true", REEL_ERROR_INDEX,
               "1 dimensions of its own");
  refuse_env ("cat-tensors:in-keys=[x,step_count],dim=-2,unsqueeze-if-oor=true", REEL_ERROR_VALUE,
              "\"step_count\" and \"x\" of the env differ in other dimensions than -2");
  refuse_rows ("cat-tensors:in-keys=[x,step_count],dim=-2,unsqueeze-if-oor=true",
               REEL_ERROR_RUNTIME, "");
}

/* T12.3-3: parts of keys in the order of bytes, capitals first. */
static void
test_cat_sorts (void)
{
  static const char *const keys[] = { "b", "a/z", "Z", "a", "a_", "aa", NULL };
  static const char wanted[] = "['Z', 'a', 'a_', ('a', 'z'), 'aa', 'b']";
  g_autofree char *list = g_strjoinv (",", (char **) keys);
  g_autofree char *text = g_strdup_printf ("cat-tensors:in-keys=[%s],out-key=c", list);
  g_autoptr (ReelTransform) transform = make_transform (text);
  g_autofree char *printed = reel_transform_to_string (transform);
  g_autofree char *expected = g_strdup_printf ("CatTensors(in_keys=%s, out_key=c)", wanted);
  g_autofree char *env = g_strconcat (
      KEYS, "|rename:in-keys=[x,observation],out-keys=[b,B]|cat-tensors:in-keys=[b,deep/y,B]",
      NULL);
  g_autoptr (ReelTensordict) rollout = NULL, bare = play (KEYS, 3);
  const gint64 shape[] = { 3, 3, 12 };

  g_assert_cmpstr (printed, ==, expected);
  rollout = play (env, 3);
  assert_form (rollout, "observation_vector", REEL_DTYPE_FLOAT64, 3, shape);

  g_autoptr (ReelTransform) by_hand =
      make_transform ("cat-tensors:in-keys=[observation,x,deep/y],out-key=c,sort=false");
  g_autoptr (ReelTensordict) rows = forward (by_hand, bare);

  g_assert_true (
      reel_tensor_equal (reel_tensordict_get_tensor (rollout, "observation_vector", NULL),
                         reel_tensordict_get_tensor (rows, "c", NULL)));
}

/* T12.3-4: all observations of one dimension, which rows that are stored do not tell. */
static void
test_cat_finds_keys (void)
{
  g_autofree char *text = g_strconcat (KEYS,
                                       "|stack:in-keys=[x,observation],out-key=rows,"
                                       "del-keys=false|cat-tensors",
                                       NULL);
  g_autoptr (ReelTensordict) rollout = play (text, 4);
  const gint64 shape[] = { 3, 4, 4 + 4 + 4 + 1 };

  assert_form (rollout, "observation_vector", REEL_DTYPE_FLOAT64, 3, shape);
  g_assert_true (reel_tensordict_contains (rollout, "rows"));
  g_assert_false (reel_tensordict_contains (rollout, "x"));
  refuse_rows ("cat-tensors", REEL_ERROR_KEY, "no in-keys");
  refuse_env ("exclude:keys=[x,deep/y,step_count]|flatten-observation:first-dim=-1,last-dim=-1,"
              "in-keys=observation|unsqueeze:dim=-1,in-keys=observation|cat-tensors",
              REEL_ERROR_KEY, "no observation of one dimension");
}

/* ---- cat-frames ---- */

/* T12.4-9: several keys, each with frames of its own. T12.4-10: windows of one frame. T12.4-11: any
 * dimension of a frame. T12.4-12: nested keys have windows of their own `next`. */
static void
test_frames_agree (void)
{
  static const struct
  {
    const char *env;
    const char *online;
    const char *offline;
  } cases[] = {
    { KEYS, "cat-frames:n=2,dim=-1,in-keys=[x,deep/y]",
      "cat-frames:n=2,dim=-1,in-keys=[x,next/x,deep/y,next/deep/y]" },
    { KEYS, "cat-frames:n=3,dim=-1,in-keys=deep/y,padding=constant,padding-value=7",
      "cat-frames:n=3,dim=-1,in-keys=[deep/y,next/deep/y],padding=constant,padding-value=7" },
    { KEYS, "cat-frames:n=1,dim=-1,in-keys=[x,deep/y]",
      "cat-frames:n=1,dim=-1,in-keys=[x,next/x,deep/y,next/deep/y]" },
    { KEYS, "cat-frames:n=1,dim=-1,in-keys=[x,deep/y]", "compose" },
    { PIXELS, "cat-frames:n=3,dim=-1", "cat-frames:n=3,dim=-1,in-keys=[pixels,next/pixels]" },
    { PIXELS, "cat-frames:n=3,dim=-2", "cat-frames:n=3,dim=-2,in-keys=[pixels,next/pixels]" },
    { PIXELS, "cat-frames:n=3,dim=-3", "cat-frames:n=3,dim=-3,in-keys=[pixels,next/pixels]" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_agrees (cases[i].env, cases[i].online, cases[i].offline);
}

/* T12.4-13, and what serves stored rows alone. */
static void
test_frames_refusals (void)
{
  refuse_transform ("cat-frames:n=0,dim=-1,in-keys=x", REEL_ERROR_VALUE,
                    "cat-frames needs to know how many: cat-frames:n=4,dim=-3");
  refuse_env ("cat-frames:n=2,dim=-1,in-keys=nothing", REEL_ERROR_KEY, "\"nothing\"");
  refuse_rows ("cat-frames:n=2,dim=-1,in-keys=nothing", REEL_ERROR_KEY, "nothing");
  refuse_env ("cat-frames:n=2,dim=-1,in-keys=x,mask-key=m", REEL_ERROR_NOT_IMPLEMENTED, "mask-key");
  refuse_env ("cat-frames:n=2,dim=-1,in-keys=x,future=true", REEL_ERROR_NOT_IMPLEMENTED, "future");
}

/* ---- stack ---- */

static void
test_stack_refusals (void)
{
  refuse_transform ("stack:in-keys=[a,b]", REEL_ERROR_VALUE,
                    "stack needs to know which keys: stack:in-keys=[a,b],out-key=c");
  refuse_transform ("stack:in-keys=[a,b],out-key=a", REEL_ERROR_VALUE,
                    "stack: out-key \"a\" cannot be one of the in-keys");
  refuse_transform ("stack:in-keys=[a,b],out-key=c,dim=0", REEL_ERROR_VALUE,
                    "stack: dim is 0: count dimensions from the end, −1 for the last, which is "
                    "right for any batch");
  refuse_transform ("stack:in-keys=[a,b],out-key=c,in-key-inv=d", REEL_ERROR_VALUE,
                    "stack needs both in-key-inv and out-keys-inv, not one of them");
  refuse_transform ("stack:in-keys=[a,b],out-key=c,in-key-inv=d,out-keys-inv=[d,e]",
                    REEL_ERROR_VALUE, "stack: in-key-inv \"d\" cannot be one of the out-keys-inv");
  refuse_env ("stack:in-keys=[x,step_count],out-key=c", REEL_ERROR_RUNTIME,
              "\"x\" is [4] and \"step_count\" [1]");
  refuse_env ("stack:in-keys=[x,nothing],out-key=c", REEL_ERROR_KEY, "\"nothing\"");
  refuse_env ("stack:in-keys=[x,observation],out-key=c,dim=-3", REEL_ERROR_INDEX,
              "cannot be stacked in dimension -3");
  refuse_env ("stack:in-keys=[deep,x],out-key=c", REEL_ERROR_NOT_IMPLEMENTED, "keys below it");
  refuse_rows ("stack:in-keys=[x,observation],out-key=c,dim=-3", REEL_ERROR_INDEX,
               "cannot be stacked in dimension -3");
  refuse_rows ("stack:in-keys=[x,nothing],out-key=c", REEL_ERROR_KEY, "no \"nothing\"");
  refuse_rows ("stack:in-keys=[x,step_count],out-key=c", REEL_ERROR_RUNTIME, "");
}

/* Specs that are equal stay what they are, boxes keep their bounds. */
static void
test_stack_specs (void)
{
  g_autofree char *text = g_strconcat (KEYS,
                                       "|clip:in-keys=observation,low=-1,high=2"
                                       "|stack:in-keys=[observation,x],out-key=both,dim=-2",
                                       NULL);
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
  const ReelSpec *both = reel_spec_get (reel_env_get_observation_spec (env), "both", NULL);
  g_autofree char *printed = reel_spec_to_text (both);

  g_assert_cmpstr (printed, ==,
                   "bounded:low=[[-1,-1,-0.41887903,-1],[-0.1,-0.1,-0.1,-0.1]],"
                   "high=[[2,2,0.41887903,2],[0.1,0.1,0.1,0.1]],shape=[2,4]");
}

/* Subtrees are stacked too, and what is above them does not stay empty. */
static void
test_stack_groups (void)
{
  const gint64 batch[] = { 4, 3 }, shape[] = { 4, 2, 3 }, narrow[] = { 4, 1 };
  g_autoptr (ReelTransform) transform = make_transform (
      "stack:in-keys=[agents/a,agents/b],out-key=team,in-key-inv=team,out-keys-inv=[one,deep/two]");
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, batch), result = NULL, back = NULL;

  set_leaf (td, "agents/a/x", REEL_DTYPE_FLOAT32, 2, batch);
  set_leaf (td, "agents/b/x", REEL_DTYPE_FLOAT32, 2, batch);
  set_leaf (td, "agents/a/y", REEL_DTYPE_INT64, 2, narrow);
  set_leaf (td, "agents/b/y", REEL_DTYPE_INT64, 2, narrow);
  result = forward (transform, td);
  g_assert_false (reel_tensordict_contains (result, "agents"));
  assert_form (result, "team/x", REEL_DTYPE_FLOAT32, 3, shape);
  back = inverse (transform, result);
  assert_form (back, "one/x", REEL_DTYPE_FLOAT32, 2, batch);
  assert_form (back, "deep/two/y", REEL_DTYPE_INT64, 2, narrow);
  g_assert_false (reel_tensordict_contains (back, "team"));
}

/* ---- an env of two actions: its observation is both ---- */

#define HAND 3

struct _Hands
{
  ReelEnv parent_instance;
};

#define TYPE_HANDS (hands_get_type ())
G_DECLARE_FINAL_TYPE (Hands, hands, TEST, HANDS, ReelEnv)
G_DEFINE_FINAL_TYPE (Hands, hands, REEL_TYPE_ENV)

static gboolean
hands_setup (ReelEnv *env, GError **error)
{
  const gint64 hand = HAND, both = 2 * HAND;
  const double low[] = { -1, 2 }, high[] = { 1, 3 };
  const char *const seen[] = { "echo", NULL }, *const done[] = { "u", "v", NULL };
  g_autoptr (ReelSpec) echo = reel_unbounded_spec_new (REEL_DTYPE_FLOAT32, 1, &both, error);
  g_autoptr (ReelSpec) u =
      reel_bounded_spec_new (REEL_DTYPE_FLOAT32, 1, &hand, &low[0], 1, &high[0], 1, error);
  g_autoptr (ReelSpec) v =
      reel_bounded_spec_new (REEL_DTYPE_FLOAT32, 1, &hand, &low[1], 1, &high[1], 1, error);

  reel_env_take_specs (
      env, reel_composite_spec_new (0, NULL, seen, &echo, 1, error),
      reel_composite_spec_new (0, NULL, done, (ReelSpec *const[]){ u, v }, 2, error));
  return reel_env_make_lanes (env, 1, error);
}

static void
hands_seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
}

static void
hands_reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  for (gsize i = 0; i < n; i++)
    memset (observation[0] + (gsize) lanes[i] * 2 * HAND * sizeof (float), 0,
            2 * HAND * sizeof (float));
}

static void
hands_step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  const gsize bytes = HAND * sizeof (float);

  for (gint64 lane = begin; lane < end; lane++)
    {
      for (gsize i = 0; i < 2; i++)
        memcpy (io->observation[0] + ((gsize) lane * 2 + i) * bytes,
                io->action[i] + (gsize) lane * bytes, bytes);
      io->reward[lane] = 0;
      io->terminated[lane] = FALSE;
    }
}

static void
hands_class_init (HandsClass *klass)
{
  static const ReelId ids[] = { { "Hands-v0", NULL, "shows both of its actions" }, { NULL } };
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  env_class->setup = hands_setup;
  env_class->seed = hands_seed;
  env_class->reset = hands_reset;
  env_class->step = hands_step;
}

static void
hands_init (Hands *self)
{
}

/* The policy gives one action, which the env takes apart: along either dimension, in each lane. */
static void
test_stacked_actions (void)
{
  static const char *const dims[] = { "-1", "-2" };

  for (gint i = 0; i < 2; i++)
    {
      g_autofree char *text =
          g_strdup_printf ("Hands:num-envs=3|stack:in-keys=[echo],out-key=seen,in-key-inv=pair,"
                           "out-keys-inv=[u,v],dim=%s,del-keys=false",
                           dims[i]);
      g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, text);
      const ReelSpec *pair = reel_spec_get (reel_env_get_action_spec (env), "pair", NULL);
      g_autofree char *printed = reel_spec_to_text (pair);
      g_autoptr (ReelTensordict) rollout = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_cmpstr (printed, ==,
                       i == 0 ? "bounded:low=[-1,2],high=[1,3],shape=[3,2]"
                              : "bounded:low=[[-1,-1,-1],[2,2,2]],high=[[1,1,1],[3,3,3]],"
                                "shape=[2,3]");
      reel_env_check (env, &error);
      g_assert_no_error (error);
      rollout = play (text, 5);
      g_assert_false (reel_tensordict_contains (rollout, "v"));
      for (gint64 row = 0; row < 3 * 5; row++)
        {
          g_autoptr (ReelTensordict) lane =
              reel_tensordict_select_index (rollout, 0, row / 5, NULL);
          g_autoptr (ReelTensordict) one = reel_tensordict_select_index (lane, 0, row % 5, NULL);
          g_autoptr (ReelTensor) done =
              reel_tensor_contiguous (reel_tensordict_get_tensor (one, "pair", NULL), NULL);
          g_autoptr (ReelTensor) seen =
              reel_tensor_contiguous (reel_tensordict_get_tensor (one, "next/echo", NULL), NULL);
          const float *a = (const float *) (gconstpointer) done->data;
          const float *b = (const float *) (gconstpointer) seen->data;

          for (gint k = 0; k < 2 * HAND; k++)
            g_assert_true (b[k] == (i == 0 ? a[k % HAND * 2 + k / HAND] : a[k]));
        }
    }
}

/* As in TorchRL, where the env has none of the actions nothing changes. */
static void
test_stack_of_no_actions (void)
{
  g_autoptr (ReelTensordict) rollout =
      play ("Hands|stack:in-keys=echo,out-key=seen,in-key-inv=pair,out-keys-inv=[x,y]", 3);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_tensordict_contains (rollout, "v"));
  g_assert_null (reel_object_new_from_text (
      REEL_TYPE_ENV, "Hands|stack:in-keys=echo,out-key=seen,in-key-inv=pair,out-keys-inv=[u,y]",
      &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
}

static void
test_stack_inverse (void)
{
  const gint64 shape[] = { 4, 3, 2 }, one[] = { 4, 3 };
  g_autoptr (ReelTransform) transform =
      make_transform ("stack:in-keys=[u,v],out-key=pair,in-key-inv=pair,out-keys-inv=[u,v]");
  g_autoptr (ReelTransform) three =
      make_transform ("stack:in-keys=[u,v],out-key=pair,in-key-inv=pair,out-keys-inv=[u,v,w]");
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape), apart = NULL, again = NULL;
  g_autoptr (ReelTensordict) none = reel_tensordict_new (1, shape), same = NULL, refused = NULL;
  g_autoptr (GError) error = NULL;

  set_leaf (td, "pair", REEL_DTYPE_FLOAT32, 3, shape);
  apart = inverse (transform, td);
  g_assert_false (reel_tensordict_contains (apart, "pair"));
  assert_form (apart, "u", REEL_DTYPE_FLOAT32, 2, one);
  again = forward (transform, apart);
  g_assert_true (reel_tensordict_equal (again, td));
  same = inverse (transform, none);
  g_assert_true (reel_tensordict_equal (same, none));
  g_assert_false (reel_transform_inverse (three, td, &refused, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_cmpstr (error->message, ==,
                   "\"pair\" is a stack of 2 values, and there are 3 out-keys-inv");
}

/* ---- rename ---- */

/* The policy writes another key than the env reads. */
static void
test_renamed_action (void)
{
  g_autoptr (ReelTensordict) plain = play ("Pendulum", 9);
  g_autoptr (ReelTensordict) renamed =
      play ("Pendulum|rename:in-keys-inv=action,out-keys-inv=move", 9);

  g_assert_false (reel_tensordict_contains (renamed, "action"));
  g_assert_true (reel_tensor_equal (reel_tensordict_get_tensor (renamed, "move", NULL),
                                    reel_tensordict_get_tensor (plain, "action", NULL)));
  g_assert_true (reel_tensor_equal (reel_tensordict_get_tensor (renamed, "next/reward", NULL),
                                    reel_tensordict_get_tensor (plain, "next/reward", NULL)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (TYPE_HANDS);

  g_test_add_func ("/transforms/keys/envs-agree-with-rows", test_envs_agree_with_rows);
  g_test_add_func ("/transforms/keys/values-agree", test_values_agree);
  g_test_add_func ("/transforms/keys/cat-in-a-new-dimension", test_cat_in_a_new_dimension);
  g_test_add_func ("/transforms/keys/cat-refusals", test_cat_refusals);
  g_test_add_func ("/transforms/keys/cat-sorts", test_cat_sorts);
  g_test_add_func ("/transforms/keys/cat-finds-keys", test_cat_finds_keys);
  g_test_add_func ("/transforms/keys/frames-agree", test_frames_agree);
  g_test_add_func ("/transforms/keys/frames-refusals", test_frames_refusals);
  g_test_add_func ("/transforms/keys/stack-refusals", test_stack_refusals);
  g_test_add_func ("/transforms/keys/stack-specs", test_stack_specs);
  g_test_add_func ("/transforms/keys/stack-groups", test_stack_groups);
  g_test_add_func ("/transforms/keys/stacked-actions", test_stacked_actions);
  g_test_add_func ("/transforms/keys/stack-of-no-actions", test_stack_of_no_actions);
  g_test_add_func ("/transforms/keys/stack-inverse", test_stack_inverse);
  g_test_add_func ("/transforms/keys/renamed-action", test_renamed_action);

  return g_test_run ();
}
