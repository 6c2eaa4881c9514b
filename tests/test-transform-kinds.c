/* The work of each transform. */
#include "make-spec.h"
#include "make-transform.h"
#include "small-tensordicts.h"

#include <string.h>

/* ---- keys ---- */

static void
assert_forward (const char *text, const char *expected)
{
  g_autoptr (ReelTransform) transform = make_transform (text);
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (ReelTensordict) result = forward (transform, td);

  assert_leaves (result, expected);
}

static void
assert_inverse (const char *text, const char *expected)
{
  g_autoptr (ReelTransform) transform = make_transform (text);
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (ReelTensordict) result = inverse (transform, td);

  assert_leaves (result, expected);
}

static void
assert_fails (const char *text, gint code, const char *message)
{
  g_autoptr (ReelTransform) transform = make_transform (text);
  g_autoptr (ReelTensordict) td = new_example_tensordict ();
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_transform_forward (transform, td, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_exclude (void)
{
  assert_forward ("exclude", "a next/b next/deep/c");
  assert_forward ("exclude:keys=[a,next/deep]", "next/b");
  assert_forward ("exclude:keys=[nothing]", "a next/b next/deep/c");
  assert_forward ("exclude:keys=[a],inverse=true", "a next/b next/deep/c");
  assert_inverse ("exclude:keys=[a],inverse=true", "next/b next/deep/c");
  assert_inverse ("exclude:keys=[a]", "a next/b next/deep/c");
}

static void
test_select (void)
{
  assert_forward ("select", "");
  assert_forward ("select:keys=[next/b,a]", "next/b a");
  assert_forward ("select:keys=[next/deep,nothing]", "next/deep/c");
  assert_inverse ("select:keys=[a]", "a next/b next/deep/c");

  g_autoptr (ReelTransform) all = make_transform ("select:keys=a");
  g_autoptr (ReelTransform) none =
      make_transform ("select:keys=a,keep-rewards=false,keep-dones=no");
  g_autoptr (ReelTensordict) data = make_steps ();
  g_autoptr (ReelTensordict) kept = forward (all, data), left = forward (none, data);

  assert_leaves (kept, "a reward done");
  assert_leaves (left, "a");
}

static void
test_rename (void)
{
  assert_forward ("rename", "a next/b next/deep/c");
  assert_forward ("rename:in-keys=[a,next/b],out-keys=[d,e/f]", "next/deep/c d e/f");
  assert_forward ("rename:in-keys=[a],out-keys=[next/d],create-copy=true",
                  "a next/b next/deep/c next/d");
  assert_forward ("rename:in-keys=[next/deep],out-keys=[next/d]", "a next/b next/d/c");
  assert_inverse ("rename:in-keys-inv=[x],out-keys-inv=[a]", "next/b next/deep/c x");
  assert_inverse ("rename:in-keys-inv=[x],out-keys-inv=[a],create-copy=true",
                  "a next/b next/deep/c x");
  assert_fails ("rename:in-keys=[z],out-keys=[y]", REEL_ERROR_KEY,
                "key \"z\" not found in TensorDict with keys ['a', 'next']");
  refuse_transform ("rename:in-keys=[a],out-keys=[b,c]", REEL_ERROR_VALUE,
                    "The number of in_keys (1) should match the number of out_keys (2).");
  refuse_transform ("rename:in-keys-inv=[a,b],out-keys-inv=[c]", REEL_ERROR_VALUE,
                    "The number of in_keys_inv (2) should match the number of out_keys_inv (1).");
  refuse_transform ("rename:in-keys=[a,b],out-keys=[b,c]", REEL_ERROR_VALUE,
                    "Cannot have matching in and out_keys because order is unclear: \"b\" is both. "
                    "Please use separated transforms.");
}

/* ---- cat ---- */

static void
assert_elements (const ReelTensordict *td, const char *path, gsize n, const double *expected)
{
  ReelTensor *tensor = reel_tensordict_get_tensor (td, path, NULL);

  g_assert_cmpint (reel_tensor_numel (tensor), ==, n);
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat (get_element (tensor, (gint64) i), ==, expected[i]);
}

static ReelTensordict *
make_pair (void)
{
  const gint64 one[2] = { 2, 1 }, two[2] = { 2, 2 };
  ReelTensordict *td = reel_tensordict_new (1, one);

  set_leaf (td, "z", REEL_DTYPE_FLOAT32, 2, one);
  set_leaf (td, "next/b", REEL_DTYPE_FLOAT32, 2, two);
  return td;
}

static void
test_cat_tensors (void)
{
  static const struct
  {
    const char *text;
    const char *leaves;
    const char *out;
    double expected[6];
  } cases[] = {
    { "cat-tensors:in-keys=[z,next/b]",
      "observation_vector",
      "observation_vector",
      { 0, 1, 0, 2, 3, 1 } },
    { "cat-tensors:in-keys=[z,next/b],sort=false",
      "observation_vector",
      "observation_vector",
      { 0, 0, 1, 1, 2, 3 } },
    { "cat-tensors:in-keys=[z,next/b],out-key=z", "z", "z", { 0, 1, 0, 2, 3, 1 } },
    { "cat-tensors:in-keys=[z,next/b],out-key=next/o,del-keys=false",
      "z next/b next/o",
      "next/o",
      { 0, 1, 0, 2, 3, 1 } },
    { "cat-tensors:in-keys=[z,next/b],dim=1",
      "observation_vector",
      "observation_vector",
      { 0, 1, 0, 2, 3, 1 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ReelTransform) transform = make_transform (cases[i].text);
      g_autoptr (ReelTensordict) td = make_pair ();
      g_autoptr (ReelTensordict) result = forward (transform, td);

      assert_leaves (result, cases[i].leaves);
      assert_elements (result, cases[i].out, 6, cases[i].expected);
      g_assert_true (reel_tensordict_contains (result, "next"));
    }
}

static void
test_cat_tensors_unsqueezes (void)
{
  g_autoptr (ReelTransform) front =
      make_transform ("cat-tensors:in-keys=[a,b],dim=-2,unsqueeze-if-oor=true");
  g_autoptr (ReelTransform) behind =
      make_transform ("cat-tensors:in-keys=[a,b],dim=1,unsqueeze-if-oor=true");
  const gint64 one[1] = { 2 };

  for (gint i = 0; i < 2; i++)
    {
      g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
      g_autoptr (ReelTensordict) result = NULL;
      ReelTensor *joined;

      set_leaf (td, "a", REEL_DTYPE_FLOAT32, 1, one);
      set_leaf (td, "b", REEL_DTYPE_FLOAT32, 1, one);
      result = forward (i == 0 ? front : behind, td);
      joined = reel_tensordict_get_tensor (result, "observation_vector", NULL);
      g_assert_cmpint (joined->ndim, ==, 2);
      g_assert_cmpint (joined->shape[0], ==, 2);
      g_assert_cmpfloat (get_element (joined, 1), ==, i == 0 ? 1 : 0);
    }
}

static void
test_cat_tensors_refusals (void)
{
  assert_fails ("cat-tensors:in-keys=[a,z]", REEL_ERROR_KEY,
                "cannot join ['a', 'z']: there is no \"z\"; the keys are ['a', ('next', 'b'), "
                "('next', 'deep', 'c'), ('next', 'deep'), 'next']");
  assert_fails ("cat-tensors", REEL_ERROR_KEY,
                "cat-tensors was given no in-keys, and takes them from the specs of an environment "
                "alone");
  refuse_transform ("cat-tensors:dim=-2", REEL_ERROR_VALUE,
                    "Lazy call to CatTensors is only supported when `dim=-1`.");
  refuse_transform ("cat-tensors:in-keys=[a],out-key=''", REEL_ERROR_VALUE,
                    "CatTensors requires an out_key");
}

/* Without in-keys all observations of one dimension, once the specs are known. */
static void
test_cat_tensors_finds_its_keys (void)
{
  g_autoptr (ReelTransform) transform = make_transform ("cat-tensors");
  g_autoptr (ReelSpec) spec = make_env_spec ();
  g_autoptr (ReelSpec) changed = reel_transform_env_spec (transform, spec, NULL);
  g_autofree char *printed = reel_transform_to_string (transform);
  const ReelSpec *joined =
      reel_spec_get (reel_env_spec_get_part (changed, "observation"), "observation_vector", NULL);
  g_autoptr (ReelTransform) wrong = make_transform ("cat-tensors:in-keys=[a,done]");
  g_autoptr (GError) error = NULL;
  gint ndim;

  g_assert_cmpstr (printed, ==,
                   "CatTensors(in_keys=['a', 'b', 'observation'], out_key=observation_vector)");
  g_assert_cmpint (reel_spec_get_shape (joined, &ndim)[0], ==, 7);
  g_assert_null (reel_transform_env_spec (wrong, spec, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
}

/* ---- specs ---- */

static void
test_env_specs (void)
{
  g_autoptr (ReelSpec) spec = make_env_spec ();
  g_autoptr (ReelTransform) chain =
      make_transform ("rename:in-keys=[reward,terminated],out-keys=[r,end],in-keys-inv=act,"
                      "out-keys-inv=action|exclude:keys=end|cat-tensors:in-keys=[a,b]");
  g_autoptr (ReelSpec) changed = reel_transform_env_spec (chain, spec, NULL);
  g_autoptr (ReelTransform) wrong = make_transform ("select|exclude:keys=nothing");
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_spec_contains (reel_env_spec_get_part (changed, "reward"), "r"));
  g_assert_false (reel_spec_contains (reel_env_spec_get_part (changed, "reward"), "reward"));
  g_assert_false (reel_spec_contains (reel_env_spec_get_part (changed, "done"), "end"));
  g_assert_true (reel_spec_contains (reel_env_spec_get_part (changed, "done"), "done"));
  g_assert_true (reel_spec_contains (reel_env_spec_get_part (changed, "action"), "action"));
  g_assert_false (reel_spec_contains (reel_env_spec_get_part (changed, "action"), "act"));
  g_assert_false (reel_spec_contains (reel_env_spec_get_part (changed, "observation"), "b"));
  g_assert_null (reel_transform_env_spec (wrong, spec, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_assert_cmpstr (error->message, ==,
                   "transform 1, exclude: Key nothing not found in the environment outputs.");
}

/* ---- crops ---- */

static ReelTensordict *
make_long (gint ndim, const gint64 *size)
{
  gint64 shape[REEL_MAX_NDIM];
  ReelTensordict *td = reel_tensordict_new (ndim, size);

  memcpy (shape, size, sizeof *size * (gsize) ndim);
  shape[ndim] = 1;
  set_counting (td, "a", ndim, shape);
  set_counting (td, "deep/b", ndim + 1, shape);
  return td;
}

/* T12.3-1: consecutive steps of one row, every start as likely as any other. */
static void
test_crop (void)
{
  const gint64 size[4] = { 3, 4, 2, 20 };
  const gint64 strides[4] = { 160, 40, 20, 1 };

  for (gint dim = -2; dim < 0; dim++)
    for (gint64 sub = 1; sub <= size[4 + dim]; sub++)
      {
        g_autofree char *text =
            g_strdup_printf ("random-crop:sample-dim=%d,sub-seq-len=%" G_GINT64_FORMAT, dim, sub);
        g_autoptr (ReelTransform) transform = make_transform (text);
        g_autoptr (ReelTensordict) td = make_long (4, size);
        g_autoptr (ReelTensordict) result = forward (transform, td);
        gint64 expected[4] = { 3, 4, 2, 20 }, other = dim == -1 ? 2 : 20;
        ReelTensor *a = reel_tensordict_get_tensor (result, "a", NULL);
        ReelTensor *b = reel_tensordict_get_tensor (result, "deep/b", NULL);

        expected[4 + dim] = sub;
        assert_batch_size (result, 4, expected);
        g_assert_cmpint (b->ndim, ==, 5);
        for (gint64 row = 0; row < 12 * other; row++)
          for (gint64 i = 1; i < sub; i++)
            {
              gint64 at[5] = { row / other / 4, row / other % 4, dim == -1 ? row % other : i,
                               dim == -1 ? i : row % other, 0 };
              gint64 now = *(gint64 *) reel_tensor_element (a, at);
              g_assert_cmpint (now, ==, *(gint64 *) reel_tensor_element (b, at));
              at[4 + dim]--;
              g_assert_cmpint (now, ==, *(gint64 *) reel_tensor_element (a, at) + strides[4 + dim]);
              g_assert_cmpint (now / 160, ==, at[0]);
            }
      }
}

static void
test_crop_starts (void)
{
  const gint64 size[2] = { 1000, 7 };
  g_autoptr (ReelTransform) transform = make_transform ("random-crop:sub-seq-len=4,seed=3");
  gint64 counts[4] = { 0 };

  for (gint round = 0; round < 40; round++)
    {
      g_autoptr (ReelTensordict) td = make_long (2, size);
      g_autoptr (ReelTensordict) result = forward (transform, td);
      const gint64 *a = (const gint64 *) reel_tensordict_get_tensor (result, "a", NULL)->data;

      for (gint row = 0; row < 1000; row++)
        counts[a[4 * row] - 7 * row]++;
    }
  /* 10000 each, deviation 87. */
  for (gint i = 0; i < 4; i++)
    g_assert_cmpint (ABS (counts[i] - 10000), <, 5 * 87);
}

/* Every start is drawn, also the last one, where a piece is as long as its row or nearly so; rows
 * begin independently of one another. */
static void
test_crop_reaches_the_end (void)
{
  static const gint64 lengths[] = { 1, 5, 13, 14 };
  const gint64 size[2] = { 3, 14 };

  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      g_autofree char *text =
          g_strdup_printf ("random-crop:sub-seq-len=%" G_GINT64_FORMAT, lengths[i]);
      g_autoptr (ReelTransform) transform = make_transform (text);
      gboolean drawn[14] = { FALSE }, differ = FALSE;

      for (gint round = 0; round < 200; round++)
        {
          g_autoptr (ReelTensordict) td = make_long (2, size);
          g_autoptr (ReelTensordict) result = forward (transform, td);
          const gint64 *a = (const gint64 *) reel_tensordict_get_tensor (result, "a", NULL)->data;

          for (gint row = 0; row < 3; row++)
            drawn[a[lengths[i] * row] - 14 * row] = TRUE;
          differ = differ || a[0] != a[lengths[i]] - 14;
        }
      for (gint start = 0; start < 14; start++)
        g_assert_cmpint (drawn[start], ==, start <= 14 - lengths[i]);
      g_assert_cmpint (differ, ==, lengths[i] < 14);
    }
}

static void
set_mask (ReelTensordict *td, const gint64 *lengths)
{
  const gint64 size[2] = { 3, 20 };
  g_autoptr (ReelTensor) mask = reel_tensor_new (REEL_DTYPE_BOOL, 2, size, NULL);

  for (gint i = 0; i < 60; i++)
    mask->data[i] = i % 20 < lengths[i / 20];
  reel_tensordict_set_tensor (td, "mask", mask, NULL);
}

/* T12.3-1: with a mask nothing but what it covers. */
static void
test_crop_masks (void)
{
  const gint64 size[2] = { 3, 20 }, lengths[3] = { 15, 14, 20 };
  g_autoptr (ReelTransform) fits = make_transform ("random-crop:sub-seq-len=13,mask-key=mask");
  g_autoptr (ReelTransform) all = make_transform ("random-crop:sub-seq-len=14,mask-key=mask");
  g_autoptr (ReelTransform) beyond = make_transform ("random-crop:sub-seq-len=15,mask-key=mask");
  g_autoptr (ReelTensordict) td = make_long (2, size);
  g_autoptr (ReelTensor) mask = NULL;
  g_autoptr (GError) error = NULL;
  gboolean last = FALSE;

  set_mask (td, lengths);
  for (gint round = 0; round < 100; round++)
    {
      g_autoptr (ReelTensordict) result = forward (round % 2 ? fits : all, td);
      ReelTensor *kept = reel_tensordict_get_tensor (result, "mask", NULL);
      const gint64 *a = (const gint64 *) reel_tensordict_get_tensor (result, "a", NULL)->data;

      for (gint64 i = 0; i < reel_tensor_numel (kept); i++)
        g_assert_true (kept->data[i]);
      last |= a[0] == (round % 2 ? 2 : 1);
    }
  g_assert_true (last);
  g_assert_null (reel_transform_forward (beyond, td, &error));
  assert_message (&error, REEL_ERROR_RUNTIME,
                  "Cannot sample trajectories of length 15: that of row 1 is 14");
  mask = reel_tensor_clone (reel_tensordict_get_tensor (td, "mask", NULL), NULL);
  mask->data[19] = TRUE;
  reel_tensordict_set_tensor (td, "mask", mask, NULL);
  g_assert_null (reel_transform_forward (fits, td, &error));
  assert_message (&error, REEL_ERROR_VALUE,
                  "the mask of row 0 is True at step 19 after False at step 15: a trajectory "
                  "comes first, then its padding");
}

static void
test_crop_refusals (void)
{
  const gint64 size[2] = { 3, 20 };
  g_autoptr (ReelTransform) longer = make_transform ("random-crop:sub-seq-len=21");
  g_autoptr (ReelTransform) masked = make_transform ("random-crop:sub-seq-len=2,mask-key=deep/b");
  g_autoptr (ReelTransform) outside = make_transform ("random-crop:sub-seq-len=2,sample-dim=2");
  g_autoptr (ReelTensordict) td = make_long (2, size), none = reel_tensordict_new (0, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_transform_forward (longer, td, &error));
  assert_message (&error, REEL_ERROR_RUNTIME,
                  "Cannot sample trajectories of length 21 along dimension -1 given a tensordict "
                  "of shape [3, 20]. Consider reducing the sub_seq_len parameter or increase "
                  "sample length.");
  g_assert_null (reel_transform_forward (longer, none, &error));
  assert_message (&error, REEL_ERROR_RUNTIME,
                  "Cannot sub-sample from a tensordict with an empty shape.");
  g_assert_null (reel_transform_forward (masked, td, &error));
  assert_message (&error, REEL_ERROR_VALUE,
                  "Expected a mask of the same shape as the tensordict. Got mask.shape=[3, 20, 1] "
                  "and tensordict.shape=[3, 20] instead.");
  g_assert_null (reel_transform_forward (outside, td, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_INDEX);
  refuse_transform ("random-crop", REEL_ERROR_VALUE,
                    "random-crop needs to know how many steps: random-crop:sub-seq-len=N");
}

/* ---- a class that works key by key ---- */

typedef ReelTransform Plus;
typedef ReelTransformClass PlusClass;

static GType plus_get_type (void);
G_DEFINE_TYPE (Plus, plus, REEL_TYPE_TRANSFORM)

static ReelTensor *
add (ReelTensor *value, double what, GError **error)
{
  ReelTensor *sum = reel_tensor_clone (value, error);

  for (gint64 i = 0; sum && i < reel_tensor_numel (sum); i++)
    ((float *) sum->data)[i] += (float) what;
  return sum;
}

static ReelTensor *
plus_apply (ReelTransform *self, ReelTensor *value, GError **error)
{
  return add (value, 1, error);
}

static ReelTensor *
plus_apply_inverse (ReelTransform *self, ReelTensor *value, GError **error)
{
  return add (value, -1, error);
}

static ReelSpec *
plus_apply_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);

  return reel_unbounded_spec_new (REEL_DTYPE_FLOAT32, ndim, shape, error);
}

static void
plus_class_init (PlusClass *klass)
{
  reel_transform_class_add_keys (klass, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS
                                            | REEL_TRANSFORM_INVERSE_KEYS);
  klass->peer_name = "Plus";
  klass->apply = plus_apply;
  klass->apply_inverse = plus_apply_inverse;
  klass->apply_spec = plus_apply_spec;
}

static void
plus_init (Plus *self)
{
}

static ReelTransform *
new_plus (const char *in, const char *out, const char *in_inv, const char *out_inv)
{
  const char *const words[4][2] = {
    { in, NULL }, { out, NULL }, { in_inv, NULL }, { out_inv, NULL }
  };

  return g_initable_new (plus_get_type (), NULL, NULL, "in-keys", words[0], "out-keys", words[1],
                         "in-keys-inv", words[2], "out-keys-inv", words[3], NULL);
}

static void
test_key_by_key (void)
{
  g_autoptr (ReelTransform) plus = new_plus ("a", "c", "b", "a");
  g_autoptr (ReelTransform) same = new_plus ("a", NULL, "b", NULL);
  g_autoptr (ReelTransform) missing = new_plus ("z", NULL, "y", NULL);
  g_autoptr (ReelTensordict) data = make_steps ();
  g_autoptr (ReelTensordict) read = forward (plus, data), written = inverse (plus, data);
  g_autoptr (ReelTensordict) changed = forward (same, data);
  g_autoptr (ReelSpec) spec = make_env_spec ();
  g_autoptr (ReelTensordict) nothing = NULL;
  g_autofree char *printed = reel_transform_to_string (same);

  g_assert_cmpfloat (get_element (reel_tensordict_get_tensor (read, "c", NULL), 3), ==, 4);
  g_assert_cmpfloat (get_element (reel_tensordict_get_tensor (written, "b", NULL), 3), ==, 2);
  g_assert_cmpfloat (get_element (reel_tensordict_get_tensor (changed, "a", NULL), 3), ==, 4);
  g_assert_cmpstr (printed, ==, "Plus(keys=['a'])");
  g_assert_cmpstr (reel_transform_get_out_keys (same)[0], ==, "a");
  g_assert_cmpstr (reel_transform_get_out_keys_inv (plus)[0], ==, "a");
  g_assert_true (reel_transform_changes_writes (plus));
  g_assert_null (reel_transform_forward (missing, data, NULL));
  g_assert_false (reel_transform_inverse (missing, data, &nothing, NULL));
  g_assert_null (reel_transform_env_spec (missing, spec, NULL));
}

static void
test_key_by_key_specs (void)
{
  g_autoptr (ReelTransform) plus = new_plus ("b", "d", "act", "action");
  g_autoptr (ReelSpec) spec = make_env_spec ();
  g_autoptr (ReelSpec) changed = reel_transform_env_spec (plus, spec, NULL);
  const ReelSpec *observation = reel_env_spec_get_part (changed, "observation");
  g_autoptr (ReelSpec) expected = make_unbounded (REEL_DTYPE_FLOAT32, SHAPE (2));

  g_assert_true (reel_spec_equal (reel_spec_get (observation, "d", NULL), expected));
  g_assert_true (reel_spec_contains (observation, "b"));
  g_assert_true (reel_spec_contains (reel_env_spec_get_part (changed, "action"), "action"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/transforms/exclude", test_exclude);
  g_test_add_func ("/transforms/select", test_select);
  g_test_add_func ("/transforms/rename", test_rename);
  g_test_add_func ("/transforms/cat-tensors", test_cat_tensors);
  g_test_add_func ("/transforms/cat-tensors-unsqueezes", test_cat_tensors_unsqueezes);
  g_test_add_func ("/transforms/cat-tensors-refusals", test_cat_tensors_refusals);
  g_test_add_func ("/transforms/cat-tensors-finds-its-keys", test_cat_tensors_finds_its_keys);
  g_test_add_func ("/transforms/env-specs", test_env_specs);
  g_test_add_func ("/transforms/random-crop", test_crop);
  g_test_add_func ("/transforms/random-crop-starts", test_crop_starts);
  g_test_add_func ("/transforms/random-crop-reaches-the-end", test_crop_reaches_the_end);
  g_test_add_func ("/transforms/random-crop-masks", test_crop_masks);
  g_test_add_func ("/transforms/random-crop-refusals", test_crop_refusals);
  g_test_add_func ("/transforms/key-by-key", test_key_by_key);
  g_test_add_func ("/transforms/key-by-key-specs", test_key_by_key_specs);

  return g_test_run ();
}
