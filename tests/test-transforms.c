/* The contract of transforms, run over all that are listed. */
#include "contract.h"
#include "make-transform.h"

#include <string.h>

/* ---- data for all ---- */

/* An id with what it must be told, for the data and the specs below. */
static const char *
arguments (const char *id)
{
  static const struct
  {
    const char *id;
    const char *arguments;
  } told[] = {
    { "cat-frames", ":n=3,dim=-1,in-keys=[observation,next/observation]" },
    { "CatFrames", ":n=2,dim=-1,in-keys=[b],out-keys=[c],mask-key=m,as-inverse=true" },
    { "cat-tensors", ":in-keys=[b,a]" },
    { "CatTensors", ":in-keys=[b,a],out-key=a" },
    { "clip", ":in-keys=[observation],low=0.5,in-keys-inv=[act],out-keys-inv=[b],high=9" },
    { "ClipTransform", ":in-keys=[b],out-keys=[c],high=1.5" },
    { "densify-reward", ":discount=0.5" },
    { "DensifyReward", ":reward-key-out=to_go" },
    { "exclude", ":keys=[a]" },
    { "ExcludeTransform", ":keys=[b],inverse=true" },
    { "flatten-observation", ":first-dim=-2,last-dim=-1,in-keys=pixels" },
    { "gray-scale", ":out-keys=[gray]" },
    { "invert", ":transform=(rename:in-keys=a,out-keys=c)" },
    { "linearise-rewards", ":in-keys=[b]" },
    { "LineariseRewards", ":in-keys=[observation],out-keys=[c],weights=[1,-2,0.5,0]" },
    { "next-state", ":keys=[observation,act],traj-key='',fill-value=0" },
    { "NextStateReconstructor", ":strict=false,step-count-key=a" },
    { "observation-norm",
      ":in-keys=[observation,pixels],in-keys-inv=[act],out-keys-inv=[b],loc=0.5,scale=2" },
    { "ObservationNorm", ":in-keys=[b],loc=[1,0],scale=[2,-0.1],standard-normal=true" },
    { "permute", ":dims=[-1,-3,-2]" },
    { "PermuteTransform", ":dims=[-2,-1],in-keys=pixels,out-keys=c" },
    { "random-crop", ":sub-seq-len=3" },
    { "RandomCropTensorDict", ":sub-seq-len=2,sample-dim=-2" },
    { "rename", ":in-keys=[a],out-keys=[c],in-keys-inv=[act],out-keys-inv=[b]" },
    { "RenameTransform", ":in-keys=[a,observation],out-keys=[c,deep/d],create-copy=true" },
    { "resize", ":w=2,h=5" },
    { "action-discretizer", ":num-intervals=3,action-key=act" },
    { "ActionDiscretizer", ":num-intervals=[3,4],out-action-key=b" },
    { "center-crop", ":w=3" },
    { "CenterCrop", ":w=40,h=2" },
    { "crop", ":w=3,top=1" },
    { "Crop", ":w=3,h=2,left=1,out-keys=[part]" },
    { "Resize", ":w=3,interpolation=area,out-keys=[small]" },
    { "reward-clipping", ":clamp-min=-1,clamp-max=1" },
    { "RewardClipping", ":clamp-min=0,clamp-max=0.5,out-keys=[c]" },
    { "reward-sum", ":in-keys=[next/reward],reset-keys=[_reset]" },
    { "reward-to-go", ":gamma=0.5" },
    { "Reward2GoTransform", ":out-keys=[to_go]" },
    { "reward-scaling", ":loc=1,scale=0.5" },
    { "RewardScaling", ":loc=1,scale=0,standard-normal=true" },
    { "select", ":keys=[a,observation]" },
    { "SelectTransform", ":keys=[b],keep-rewards=false,keep-dones=false" },
    { "sign", ":in-keys=[observation,pixels],in-keys-inv=[act],out-keys-inv=[b]" },
    { "SignTransform", ":in-keys=[b],out-keys=[c]" },
    { "squeeze", ":in-keys=b,in-keys-inv=act,out-keys-inv=b" },
    { "stack", ":in-keys=[a,reward],out-key=both,in-key-inv=b,out-keys-inv=[x,y]" },
    { "Stack", ":in-keys=[observation,next/observation],out-key=next/pair,dim=-2,del-keys=false" },
    { "to-tensor-image", ":out-keys=[image]" },
    { "ToTensorImage", ":from-int=false,shape-tolerant=true" },
    { "unsqueeze", ":dim=-2,in-keys=b,out-keys=c" },
    { "traj-counter", ":out-key=c" },
    { "vec-norm", ":in-keys=[b],out-keys=[c],decay=0.5" },
    { "VecNorm", "" },
    { "vec-norm-v2", ":in-keys=[observation],reduce-batch-dims=true" },
    { "VecNormV2", ":in-keys=[b],stateful=false" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (told); i++)
    if (g_str_equal (told[i].id, id))
      return told[i].arguments;
  return "";
}

static ReelTransform *
make (const char *id)
{
  g_autofree char *text = g_strconcat (id, arguments (id), NULL);

  return make_transform (text);
}

/* Steps in the order of time; flat for those that take them so. */
static ReelTensordict *
make_data (const char *id)
{
  static const char *const flat[] = { "next-state", "NextStateReconstructor", NULL };
  static const char *const names[] = { NULL, "time" };
  ReelTensordict *steps = make_steps ();

  if (g_strv_contains (flat, id))
    {
      ReelTensordict *rows = reel_tensordict_flatten (steps, 0, 1, NULL);

      reel_tensordict_unref (steps);
      return rows;
    }
  g_assert_true (reel_tensordict_set_names (steps, names, NULL));
  return steps;
}

/* The same rows, each leaf strided: every second step of twice as many. */
static ReelTensordict *
make_view (const char *id)
{
  g_autoptr (ReelTensordict) data = make_data (id);
  ReelTensordict *both[2] = { data, data };
  g_autoptr (ReelTensordict) stacked = reel_tensordict_stack (both, 2, -1, NULL);

  return reel_tensordict_select_index (stacked, -1, 0, NULL);
}

/* Whether the class transforms data that are stored: some serve environments alone. */
static gboolean
serves_data (ReelTransform *transform)
{
  g_autoptr (ReelTransform) other = reel_transform_clone (transform, NULL);
  g_autoptr (ReelTensordict) data = make_steps ();
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) result = reel_transform_forward (other, data, &error);

  if (!g_error_matches (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED))
    return TRUE;
  g_test_skip (error->message);
  return FALSE;
}

/* ---- the contract ---- */

static void
test_text_survives (gconstpointer id)
{
  g_autoptr (ReelTransform) transform = make (id);
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (transform));
  g_autoptr (ReelTransform) again = make_transform (text);
  g_autofree char *second = reel_object_to_text (REEL_OBJECT (again));

  g_assert_true (g_str_has_prefix (text, id));
  g_assert_cmpstr (text, ==, second);
}

static void
test_prints_a_name (gconstpointer id)
{
  g_autoptr (ReelTransform) transform = make (id);
  g_autofree char *text = reel_transform_to_string (transform);

  g_assert_true (strchr (text, '('));
  g_assert_true (g_str_has_suffix (text, ")"));
  if (g_ascii_isupper (*(const char *) id))
    g_assert_true (g_str_has_prefix (text, id));
}

static void
test_views_do_not_matter (gconstpointer id)
{
  g_autoptr (ReelTransform) transform = make (id), again = make (id);
  g_autoptr (ReelTensordict) data = make_data (id), view = make_view (id);
  g_autoptr (ReelTensordict) in_a = inverse (transform, data), in_b = inverse (again, view);
  g_autoptr (ReelTensordict) a = forward (transform, data), b = forward (again, view);

  g_assert_true (reel_tensordict_equal (in_a, in_b));
  g_assert_true (reel_tensordict_equal (a, b));
}

/* Neither the keys nor an element of what is written, and it may be locked. */
static void
test_inverse_leaves_what_it_is_given (gconstpointer id)
{
  g_autoptr (ReelTransform) transform = make (id);
  g_autoptr (ReelTensordict) data = make_data (id), before = make_data (id);
  g_autoptr (ReelTensordict) result = NULL;
  g_autoptr (GError) error = NULL;

  reel_tensordict_lock (data);
  reel_transform_inverse (transform, data, &result, &error);
  g_assert_true (reel_tensordict_equal (data, before));
  if (g_error_matches (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED))
    return; /* it serves environments */
  g_assert_no_error (error);
  if (!reel_transform_changes_writes (transform))
    g_assert_true (reel_tensordict_equal (result, before));
}

/* Rows that are read may lose and gain keys; their elements belong to the storage. */
static void
test_forward_writes_no_element (gconstpointer id)
{
  g_autoptr (ReelTransform) transform = make (id);
  g_autoptr (ReelTensordict) data = make_data (id), before = make_data (id);
  g_autoptr (ReelTensordict) shared = reel_tensordict_clone (data, FALSE, NULL);
  g_autoptr (ReelTensordict) result = forward (transform, shared);

  g_assert_true (reel_tensordict_equal (data, before));
}

static void
test_clones_do_the_same (gconstpointer id)
{
  g_autoptr (ReelTransform) transform = make (id);
  g_autoptr (ReelCompose) parent = reel_compose_new ();
  g_autoptr (ReelTransform) clone = NULL;
  g_autoptr (ReelTensordict) data = make_data (id), other = make_data (id);
  g_autoptr (ReelTensordict) in_a = NULL, in_b = NULL, a = NULL, b = NULL;
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (transform)), *copied = NULL;

  reel_transform_set_parent (transform, G_OBJECT (parent), NULL);
  clone = reel_transform_clone (transform, NULL);
  copied = reel_object_to_text (REEL_OBJECT (clone));
  g_assert_cmpstr (text, ==, copied);
  g_assert_null (reel_transform_get_parent (clone));
  in_a = inverse (transform, data);
  in_b = inverse (clone, other);
  g_assert_true (reel_tensordict_equal (in_a, in_b));
  a = forward (transform, data);
  b = forward (clone, other);
  g_assert_true (reel_tensordict_equal (a, b));
  reel_transform_set_parent (transform, NULL, NULL);
}

static void
test_has_one_parent (gconstpointer id)
{
  g_autoptr (ReelTransform) transform = make (id);
  g_autoptr (ReelCompose) a = reel_compose_new (), b = reel_compose_new ();

  g_assert_true (reel_compose_insert (a, 0, transform, NULL));
  g_assert_false (reel_compose_insert (b, 0, transform, NULL));
  g_assert_true (reel_transform_get_parent (transform) == G_OBJECT (a));
  g_clear_object (&a);
  g_assert_null (reel_transform_get_parent (transform));
  g_assert_true (reel_compose_insert (b, 0, transform, NULL));
}

/* ---- specs ---- */

/* Observation, reward and flags: what a step of the env gives. */
static ReelTensordict *
zero_outputs (const ReelSpec *spec)
{
  static const char *const parts[] = { "observation", "reward", "done" };
  ReelTensordict *td = reel_tensordict_new (0, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autoptr (ReelTensordict) part =
          reel_spec_zero_tensordict (reel_env_spec_get_part (spec, parts[i]), 0, NULL, NULL);
      g_assert_true (reel_tensordict_update (td, part, NULL, FALSE, NULL));
    }
  return td;
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static char *
sorted_leaves (const ReelTensordict *td)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (td);

  qsort (leaves, g_strv_length (leaves), sizeof *leaves, compare);
  return g_strjoinv (" ", leaves);
}

/* The results of a step, through the transform, has the keys and shapes of the specs seen through
 * it; or there is a reason why not. */
static void
test_specs_are_those_of_the_data (gconstpointer id)
{
  g_autoptr (ReelTransform) transform = make (id);
  g_autoptr (ReelSpec) spec = make_env_spec ();
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSpec) changed = reel_transform_env_spec (transform, spec, &error);
  static const char *const parts[] = { "observation", "reward", "done" };

  if (!changed)
    {
      g_assert_true (error->domain == REEL_ERROR);
      g_assert_true (error->code == REEL_ERROR_RUNTIME || error->code == REEL_ERROR_VALUE
                     || error->code == REEL_ERROR_NOT_IMPLEMENTED || error->code == REEL_ERROR_KEY);
      return;
    }
  g_autoptr (ReelTensordict) step = zero_outputs (spec);
  g_autoptr (ReelTensordict) seen = reel_transform_forward (transform, step, &error);
  if (!seen)
    {
      /* Sums, and windows, need steps. */
      g_assert_true (g_str_equal (G_OBJECT_TYPE_NAME (transform), "ReelRewardSum")
                     || g_str_equal (G_OBJECT_TYPE_NAME (transform), "ReelCatFrames"));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      return;
    }
  g_autoptr (ReelTensordict) expected = zero_outputs (changed);
  g_autofree char *found = sorted_leaves (seen), *wanted = sorted_leaves (expected);

  g_assert_cmpstr (found, ==, wanted);
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      reel_spec_is_in_tensordict (reel_env_spec_get_part (changed, parts[i]), seen, &error);
      g_assert_no_error (error);
    }
}

/* The tests of stored data, for classes that serve it. */
#define OF_DATA(name)                                                                              \
  static void name##_of_data (gconstpointer id)                                                    \
  {                                                                                                \
    g_autoptr (ReelTransform) transform = make (id);                                               \
                                                                                                   \
    if (serves_data (transform))                                                                   \
      name (id);                                                                                   \
  }

OF_DATA (test_views_do_not_matter)
OF_DATA (test_forward_writes_no_element)
OF_DATA (test_clones_do_the_same)
OF_DATA (test_specs_are_those_of_the_data)

static const ContractTest contract[] = {
  { "text-survives", test_text_survives },
  { "prints-a-name", test_prints_a_name },
  { "views-do-not-matter", test_views_do_not_matter_of_data },
  { "inverse-leaves-what-it-is-given", test_inverse_leaves_what_it_is_given },
  { "forward-writes-no-element", test_forward_writes_no_element_of_data },
  { "clones-do-the-same", test_clones_do_the_same_of_data },
  { "has-one-parent", test_has_one_parent },
  { "specs-are-those-of-the-data", test_specs_are_those_of_the_data_of_data },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  contract_add ("transforms", REEL_TYPE_TRANSFORM, contract, G_N_ELEMENTS (contract));

  return g_test_run ();
}
