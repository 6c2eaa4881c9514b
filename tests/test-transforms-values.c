/* Transforms of values one by one: each dtype, rows of numbers, refusals. */
#include "make-spec.h"
#include "make-transform.h"

#include "../src/core/math/isa.h"
#include "../src/core/tensor/tensor-private.h"

#include <math.h>

/* ---- data ---- */

static ReelTensor *
make_values (ReelDtype dtype, gint ndim, const gint64 *shape, const double *values)
{
  ReelTensor *tensor = reel_tensor_new (dtype, ndim, shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    reel_dtype_store_double (dtype, tensor->data + i * reel_dtype_size (dtype), values[i]);
  return tensor;
}

static ReelTensor *
run (const char *text, ReelTensor *value, GError **error)
{
  g_autofree char *full = g_strconcat (text, strchr (text, ':') ? "," : ":", "in-keys=x", NULL);
  g_autoptr (ReelTransform) transform = make_transform (full);
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL), result = NULL;

  reel_tensordict_set_tensor (td, "x", value, NULL);
  result = reel_transform_forward (transform, td, error);
  return result ? reel_tensordict_ref_tensor (result, "x", NULL) : NULL;
}

static void
assert_values (const ReelTensor *tensor, ReelDtype dtype, const double *values)
{
  gsize size = reel_dtype_size (dtype);

  g_assert_nonnull (tensor);
  g_assert_cmpint (tensor->dtype, ==, dtype);
  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    {
      double value = reel_dtype_load_double (dtype, tensor->data + (gsize) i * size);

      g_assert_true (isnan (values[i]) ? isnan (value) : value == values[i]);
    }
}

#define N 6
static const gint64 n_values[] = { N };
static const double values[N] = { -2, -0.5, 0, 0.5, 1, 3 };

static void
assert_run (const char *text, ReelDtype dtype, ReelDtype result, const double *expected)
{
  g_autoptr (ReelTensor) in = make_values (dtype, 1, n_values, values);
  g_autoptr (ReelTensor) out = run (text, in, NULL);

  assert_values (out, result, expected);
}

static void
assert_refused (const char *text, ReelDtype dtype, gint ndim, const gint64 *shape, gint code,
                const char *message)
{
  g_autoptr (ReelTensor) in = reel_tensor_new (dtype, ndim, shape, NULL), out = NULL;
  g_autoptr (GError) error = NULL;

  out = run (text, in, &error);
  g_assert_null (out);
  g_assert_error (error, REEL_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
}

/* ---- dtypes ---- */

/* As torch has it: floats stay what they are, integers become float32. */
static void
test_dtypes (void)
{
  static const ReelDtype floats[] = { REEL_DTYPE_FLOAT32, REEL_DTYPE_FLOAT64, REEL_DTYPE_FLOAT16,
                                      REEL_DTYPE_BFLOAT16 };
  static const ReelDtype integers[] = { REEL_DTYPE_INT8, REEL_DTYPE_INT16, REEL_DTYPE_INT32,
                                        REEL_DTYPE_INT64 };

  for (gsize i = 0; i < G_N_ELEMENTS (floats); i++)
    {
      assert_run ("clip:low=-0.75,high=0.75", floats[i], floats[i],
                  (const double[]){ -0.75, -0.5, 0, 0.5, 0.75, 0.75 });
      assert_run ("sign", floats[i], floats[i], (const double[]){ -1, -1, 0, 1, 1, 1 });
      assert_run ("observation-norm:loc=1,scale=2", floats[i], floats[i],
                  (const double[]){ -3, 0, 1, 2, 3, 7 });
      assert_run ("reward-scaling:loc=1,scale=0.5,standard-normal=true", floats[i], floats[i],
                  (const double[]){ -6, -3, -2, -1, 0, 4 });
      assert_run ("linearise-rewards", floats[i], floats[i], (const double[]){ 2 });
    }
  for (gsize i = 0; i < G_N_ELEMENTS (integers); i++)
    {
      assert_run ("clip:low=-0.75,high=0.75", integers[i], REEL_DTYPE_FLOAT32,
                  (const double[]){ -0.75, 0, 0, 0, 0.75, 0.75 });
      assert_run ("sign", integers[i], integers[i], (const double[]){ -1, 0, 0, 0, 1, 1 });
      assert_run ("linearise-rewards", integers[i], REEL_DTYPE_INT64, (const double[]){ 2 });
      assert_run ("linearise-rewards:weights=[1,0,0,0,0.5,0]", integers[i], REEL_DTYPE_FLOAT32,
                  (const double[]){ -1.5 });
    }
}

static void
test_special_values (void)
{
  static const double special[N] = { NAN, -INFINITY, INFINITY, -0.0, 1e-40, -1e-40 };
  g_autoptr (ReelTensor) in = make_values (REEL_DTYPE_FLOAT32, 1, n_values, special);
  g_autoptr (ReelTensor) clipped = run ("clip:low=-1,high=1", in, NULL);
  g_autoptr (ReelTensor) above = run ("clip:low=0", in, NULL);
  g_autoptr (ReelTensor) sign = run ("sign", in, NULL);
  const gint64 column[] = { N, 1 };
  g_autoptr (ReelTensor) rows = reel_tensor_view (in, 2, column, NULL);
  g_autoptr (ReelTensor) binary = run ("binarize-reward", rows, NULL);

  assert_values (clipped, REEL_DTYPE_FLOAT32,
                 (const double[]){ NAN, -1, 1, 0, (float) 1e-40, (float) -1e-40 });
  assert_values (above, REEL_DTYPE_FLOAT32,
                 (const double[]){ NAN, 0, INFINITY, 0, (float) 1e-40, 0 });
  assert_values (sign, REEL_DTYPE_FLOAT32, (const double[]){ 0, -1, 1, 0, 1, -1 });
  assert_values (binary, REEL_DTYPE_INT8, (const double[]){ 0, 0, 1, 0, 1, 0 });
}

/* ---- many elements, strides, every instruction set ---- */

static void
test_every_length (void)
{
  for (gint64 n = 0; n < 150; n++)
    {
      const gint64 shape[] = { n, 3 };
      g_autoptr (ReelTensor) in = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, shape, NULL);
      g_autoptr (ReelTensor) out = NULL;
      const float scale[] = { 0.1f, 3, -2 }, loc[] = { 0, 1, 0.7f };

      for (gint64 i = 0; i < 3 * n; i++)
        ((float *) in->data)[i] = (float) (i - 50) / 7;
      out = run ("observation-norm:scale=[0.1,3,-2],loc=[0,1,0.7]", in, NULL);
      for (gint64 i = 0; i < 3 * n; i++)
        {
          volatile float product = ((float *) in->data)[i] * scale[i % 3];
          g_assert_true (((float *) out->data)[i] == product + loc[i % 3]);
        }
    }
}

static void
test_instruction_sets_agree (void)
{
  const gint64 shape[] = { 131, 5 };
  static const char *const texts[] = { "clip:low=-0.3,high=0.4", "sign",
                                       "observation-norm:loc=0.1,scale=0.3",
                                       "observation-norm:loc=[1,2,3,4,5],scale=0.7,"
                                       "standard-normal=true" };
  g_autoptr (ReelTensor) in = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (in); i++)
    ((float *) in->data)[i] = (float) sin ((double) i);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (ReelTensor) expected = NULL;

      for (gint isa = REEL_ISA_GENERIC; isa <= (gint) reel_isa_detect (); isa++)
        {
          g_autoptr (ReelTensor) out = NULL;

          g_setenv ("REEL_ISA", reel_isa_name (isa), TRUE);
          out = run (texts[i], in, NULL);
          if (expected)
            g_assert_true (reel_tensor_equal (out, expected));
          else
            expected = g_steal_pointer (&out);
        }
      g_unsetenv ("REEL_ISA");
    }
}

/* ---- there and back ---- */

static void
test_inverse (void)
{
  static const char *const texts[] = {
    "observation-norm:loc=0.5,scale=4,in-keys=x,in-keys-inv=x",
    "observation-norm:loc=0.5,scale=4,standard-normal=true,in-keys=x,in-keys-inv=x",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (ReelTransform) transform = make_transform (texts[i]);
      g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
      g_autoptr (ReelTensor) in = make_values (REEL_DTYPE_FLOAT32, 1, n_values, values);
      g_autoptr (ReelTensordict) there = NULL, back = NULL;

      reel_tensordict_set_tensor (td, "x", in, NULL);
      there = forward (transform, td);
      back = inverse (transform, there);
      assert_values (reel_tensordict_get_tensor (back, "x", NULL), REEL_DTYPE_FLOAT32, values);
    }
}

/* ---- scales ---- */

/* T12.2-7: a single scale of 0 is the least there is. Of several, each is what it is, but those of
 * reward-scaling, as in TorchRL. */
static void
test_least_scale (void)
{
  const gint64 one[] = { 2 };
  const double ones[] = { 1, 1 };
  g_autoptr (ReelTensor) in = make_values (REEL_DTYPE_FLOAT64, 1, one, ones);
  g_autoptr (ReelTensor) single =
      run ("observation-norm:loc=0,scale=0,standard-normal=true", in, NULL);
  g_autoptr (ReelTensor) several = run ("observation-norm:loc=0,scale=[-1,2]", in, NULL);
  g_autoptr (ReelTensor) rewards = run ("reward-scaling:loc=0,scale=[-1,2]", in, NULL);

  assert_values (single, REEL_DTYPE_FLOAT64, (const double[]){ 1 / 1e-6, 1 / 1e-6 });
  assert_values (several, REEL_DTYPE_FLOAT64, (const double[]){ -1, 2 });
  assert_values (rewards, REEL_DTYPE_FLOAT64, (const double[]){ 1e-6, 2 });
}

static void
test_refusals (void)
{
  const gint64 row[] = { 4 }, rows[] = { 4, 3 };

  assert_refused ("clip:low=0", REEL_DTYPE_COMPLEX64, 1, row, REEL_ERROR_TYPE,
                  "real numbers are expected, not dtype complex64");
  assert_refused ("sign", REEL_DTYPE_COMPLEX128, 1, row, REEL_ERROR_TYPE,
                  "real numbers are expected, not dtype complex128");
  assert_refused ("observation-norm:loc=[1,2,3],scale=1", REEL_DTYPE_FLOAT32, 1, row,
                  REEL_ERROR_VALUE,
                  "loc and scale have 3 numbers, which does not fit a tensor of shape [4]");
  assert_refused ("binarize-reward", REEL_DTYPE_FLOAT32, 2, rows, REEL_ERROR_RUNTIME,
                  "binarize-reward takes rewards whose last dimension is 1, not of shape [4, 3]");
  assert_refused ("binarize-reward", REEL_DTYPE_FLOAT32, 0, NULL, REEL_ERROR_RUNTIME,
                  "binarize-reward takes rewards whose last dimension is 1, not of shape []");
  assert_refused ("linearise-rewards:weights=[1,2]", REEL_DTYPE_FLOAT32, 2, rows, REEL_ERROR_VALUE,
                  "The number of rewards and weights should match: 3 rewards (shape [4, 3]) and 2 "
                  "weights");
  assert_refused ("linearise-rewards", REEL_DTYPE_FLOAT32, 0, NULL, REEL_ERROR_VALUE,
                  "linearise-rewards takes vectors of rewards, not a single number");
}

static void
test_arguments (void)
{
  refuse_transform ("clip", REEL_ERROR_TYPE, "clip needs low, high, or both: clip:low=-1,high=1");
  refuse_transform ("clip:low=2,high=1", REEL_ERROR_VALUE,
                    "clip: low must be lower than high, not 2 and 1");
  refuse_transform ("clip:low=[0,0],high=1", REEL_ERROR_TYPE,
                    "clip: low and high are single numbers, not lists");
  refuse_transform ("observation-norm:loc=0,scale=1", REEL_ERROR_RUNTIME,
                    "observation-norm needs to know which keys: in-keys=[observation]");
  refuse_transform ("observation-norm:loc=0,in-keys=a", REEL_ERROR_VALUE,
                    "observation-norm needs both loc and scale, not one of them");
  refuse_transform ("observation-norm:in-keys=a,loc=0,scale=1,init-frames=9", REEL_ERROR_VALUE,
                    "observation-norm has loc and scale, so it has nothing to learn from "
                    "init-frames: give one or the other");
  refuse_transform ("observation-norm:in-keys=a,shape=[2]", REEL_ERROR_VALUE,
                    "observation-norm: shape is that of loc and scale, which are missing");
  refuse_transform ("observation-norm:in-keys=a,loc=[1,2,3,4],scale=1,shape=[2,3]",
                    REEL_ERROR_VALUE,
                    "loc and scale have 4 numbers, which is not one for each element of their "
                    "shape");
  refuse_transform ("observation-norm:in-keys=a,loc=[1,2,3],scale=[1,2]", REEL_ERROR_VALUE,
                    "loc has 3 numbers and scale 2: give as many, or a single one");
  refuse_transform ("reward-scaling:loc=1", REEL_ERROR_TYPE,
                    "reward-scaling needs loc and scale: reward-scaling:loc=0,scale=0.1");
  refuse_transform ("reward-clipping:clamp-min=1", REEL_ERROR_RUNTIME,
                    "reward-clipping needs both clamp-min and clamp-max; clip takes one");
  refuse_transform ("reward-clipping:clamp-min=1,clamp-max=-1", REEL_ERROR_VALUE,
                    "reward-clipping: clamp-min must not be above clamp-max: 1 and -1");
  refuse_transform ("reward-clipping:clamp-min=[1,2],clamp-max=3", REEL_ERROR_TYPE,
                    "reward-clipping: clamp-min and clamp-max are single numbers, not lists");
  refuse_transform ("linearise-rewards", REEL_ERROR_TYPE,
                    "linearise-rewards needs to know which keys: in-keys=[reward]");
}

/* ---- specs ---- */

static ReelSpec *
change_spec (const char *text, const char *spec, GError **error)
{
  g_autoptr (ReelTransform) transform = make_transform (text);
  g_autoptr (ReelSpec) before = make_from_text (spec);

  return REEL_TRANSFORM_GET_CLASS (transform)->apply_spec (transform, before, error);
}

static void
assert_spec (const char *text, const char *spec, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSpec) changed = change_spec (text, spec, &error);
  g_autoptr (ReelSpec) wanted = make_from_text (expected);

  g_assert_no_error (error);
  if (!reel_spec_equal (changed, wanted))
    g_error ("%s of %s is not %s", text, spec, expected);
}

static void
test_specs (void)
{
  assert_spec ("clip:low=0.5", "bounded:shape=[2],low=[-1],high=[1]",
               "bounded:shape=[2],low=[0.5],high=[1]");
  assert_spec ("clip:low=0.5,high=3", "unbounded:shape=[2]",
               "bounded:shape=[2],low=[0.5],high=[3]");
  assert_spec ("clip:low=0.5,high=3", "categorical:n=4,shape=[2]",
               "bounded:shape=[2],low=[0.5],high=[3]");
  assert_spec ("sign", "unbounded:shape=[2]", "bounded:shape=[2],low=[-1],high=[1]");
  assert_spec ("observation-norm:in-keys=a,loc=1,scale=2", "bounded:shape=[2],low=[-1],high=[1]",
               "bounded:shape=[2],low=[-1],high=[3]");
  assert_spec ("observation-norm:in-keys=a,loc=1,scale=[-2,2]",
               "bounded:shape=[2],low=[0],high=[1]", "bounded:shape=[2],low=[-1,1],high=[1,3]");
  assert_spec ("clip:high=0.5", "bounded:shape=[-1,2],low=[0],high=[1]",
               "bounded:shape=[-1,2],low=[0],high=[0.5]");
  assert_spec ("linearise-rewards:in-keys=a", "bounded:shape=[-1,2],low=[0],high=[1]",
               "bounded:shape=[-1,1],low=[0],high=[2]");
  assert_spec ("reward-clipping:clamp-min=-1,clamp-max=1", "unbounded:shape=[1]",
               "bounded:shape=[1],low=[-1],high=[1]");
  assert_spec ("binarize-reward", "bounded:shape=[1],low=[-1],high=[1]",
               "binary:shape=[1],dtype=int8");
  assert_spec ("linearise-rewards:in-keys=a,weights=[1,-2]", "bounded:shape=[2],low=[-1],high=[3]",
               "bounded:shape=[1],low=[-7],high=[5]");
}

/* T12.5-12: a reward that is bounded is neither clipped nor scaled. */
static void
test_refused_specs (void)
{
  static const struct
  {
    const char *text;
    const char *spec;
    gint code;
  } cases[] = {
    { "reward-scaling:loc=0,scale=1", "bounded:shape=[1],low=[-1],high=[1]",
      REEL_ERROR_NOT_IMPLEMENTED },
    { "reward-clipping:clamp-min=0,clamp-max=1", "bounded:shape=[1],low=[-1],high=[1]",
      REEL_ERROR_NOT_IMPLEMENTED },
    { "binarize-reward", "unbounded:shape=[2,3]", REEL_ERROR_VALUE },
    { "linearise-rewards:in-keys=a", "categorical:n=3,shape=[3]", REEL_ERROR_NOT_IMPLEMENTED },
    { "linearise-rewards:in-keys=a,weights=[1,2]", "unbounded:shape=[3]", REEL_ERROR_VALUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (change_spec (cases[i].text, cases[i].spec, &error));
      g_assert_error (error, REEL_ERROR, cases[i].code);
    }
}

/* T12.2-4: TorchRL fails at several numbers, and at a target without an env. */
static void
test_prints (void)
{
  g_autoptr (ReelTransform) norm = make_transform ("observation-norm:loc=0.5,scale=2,in-keys=a");
  g_autoptr (ReelTransform) norms =
      make_transform ("observation-norm:loc=[0.5,1],scale=2,in-keys=next/a");
  g_autoptr (ReelTransform) scaling = make_transform ("reward-scaling:loc=[0.5,1],scale=2");
  g_autoptr (ReelTransform) target = make_transform ("target-return:target-return=5");
  g_autofree char *a = reel_transform_to_string (norm), *b = reel_transform_to_string (norms);
  g_autofree char *c = reel_transform_to_string (scaling), *d = reel_transform_to_string (target);

  g_assert_cmpstr (a, ==, "ObservationNorm(loc=0.5000, scale=2.0000, keys=['a'])");
  g_assert_cmpstr (b, ==, "ObservationNorm(keys=[('next', 'a')])");
  g_assert_cmpstr (c, ==, "RewardScaling(loc=[0.5000, 1.0000], scale=2.0000, keys=['reward'])");
  g_assert_true (g_str_has_prefix (d, "TargetReturn("));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/transforms/values/dtypes", test_dtypes);
  g_test_add_func ("/transforms/values/special-values", test_special_values);
  g_test_add_func ("/transforms/values/every-length", test_every_length);
  g_test_add_func ("/transforms/values/instruction-sets-agree", test_instruction_sets_agree);
  g_test_add_func ("/transforms/values/inverse", test_inverse);
  g_test_add_func ("/transforms/values/least-scale", test_least_scale);
  g_test_add_func ("/transforms/values/refusals", test_refusals);
  g_test_add_func ("/transforms/values/arguments", test_arguments);
  g_test_add_func ("/transforms/values/specs", test_specs);
  g_test_add_func ("/transforms/values/refused-specs", test_refused_specs);
  g_test_add_func ("/transforms/values/prints", test_prints);

  return g_test_run ();
}
