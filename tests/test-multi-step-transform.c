/* n-step transitions that are made as data come: no matter in which pieces. */
#include "make-transform.h"

#define LANES 2
#define STEPS 250

/* Steps of two lanes: `steps` counts, lane 1 from 1000 on; an episode ends at every seventh of lane
 * 0, every eleventh of lane 1; `ids` tell episodes apart. */
static ReelTensordict *
make_stream (gint64 n)
{
  const gint64 size[3] = { LANES, n, 1 };
  ReelTensordict *td = reel_tensordict_new (2, size);
  g_autoptr (ReelTensor) steps = reel_tensor_new (REEL_DTYPE_INT64, 2, size, NULL);
  g_autoptr (ReelTensor) next = reel_tensor_new (REEL_DTYPE_INT64, 2, size, NULL);
  g_autoptr (ReelTensor) reward = reel_tensor_new (REEL_DTYPE_FLOAT32, 3, size, NULL);
  g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, 3, size, NULL);

  for (gint64 i = 0; i < LANES * n; i++)
    {
      gint64 lane = i / n, step = i % n;
      ((gint64 *) steps->data)[i] = 1000 * lane + step;
      ((gint64 *) next->data)[i] = 1000 * lane + step + 1;
      ((float *) reward->data)[i] = (float) step;
      done->data[i] = step % (lane == 0 ? 7 : 11) == 6;
    }
  reel_tensordict_set_tensor (td, "steps", steps, NULL);
  reel_tensordict_set_tensor (td, "next/steps", next, NULL);
  reel_tensordict_set_tensor (td, "next/reward", reward, NULL);
  reel_tensordict_set_tensor (td, "next/done", done, NULL);
  return td;
}

/* Brings [begin, end) of @stream, and puts what comes out behind @out. */
static void
bring (ReelTransform *transform, ReelTensordict *stream, gint64 begin, gint64 end,
       ReelTensordict **out)
{
  g_autoptr (ReelTensordict) view = reel_tensordict_slice (stream, 1, begin, end, 1, NULL);
  g_autoptr (ReelTensordict) piece = reel_tensordict_clone (view, TRUE, NULL);
  g_autoptr (ReelTensordict) got = NULL;
  g_autoptr (GError) error = NULL;

  reel_transform_inverse (transform, piece, &got, &error);
  g_assert_no_error (error);
  if (!got)
    return;
  if (*out)
    {
      ReelTensordict *both[2] = { *out, got };
      ReelTensordict *joined = reel_tensordict_cat (both, 2, 1, NULL);
      reel_tensordict_unref (*out);
      *out = joined;
    }
  else
    *out = reel_tensordict_clone (got, TRUE, NULL);
  /* The caller that brought the piece may write over it. */
  reel_tensor_copy (reel_tensordict_get_tensor (piece, "next/reward", NULL),
                    reel_tensordict_get_tensor (piece, "next/reward", NULL), NULL);
  for (gint64 i = 0; i < LANES * (end - begin); i++)
    ((float *) reel_tensordict_get_tensor (piece, "next/reward", NULL)->data)[i] = -1e6f;
}

/* T11-4 */
static void
test_pieces_do_not_matter (void)
{
  static const gint64 sizes[] = { 1, 2, 5, 50, 97, 250 };
  g_autoptr (ReelTensordict) stream = make_stream (STEPS);

  for (gint64 n = 1; n <= 5; n++)
    {
      ReelMultiStep how = { .n_steps = n, .gamma = 0.9 };
      g_autoptr (ReelTensordict) whole = reel_multi_step (stream, &how, NULL);
      g_autoptr (ReelTensordict) expected = reel_tensordict_slice (whole, 1, 0, STEPS - n, 1, NULL);

      for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
        {
          g_autofree char *text =
              g_strdup_printf ("multi-step:gamma=0.9,n-steps=%" G_GINT64_FORMAT, n);
          g_autoptr (ReelTransform) transform = make_transform (text);
          g_autoptr (ReelTensordict) out = NULL;

          for (gint64 begin = 0; begin < STEPS; begin += sizes[s])
            bring (transform, stream, begin, MIN (begin + sizes[s], STEPS), &out);
          g_assert_true (reel_tensordict_equal (out, expected));
        }
    }
}

/* One step at a time. */
static void
test_one_by_one (void)
{
  g_autoptr (ReelTensordict) stream = make_stream (6);
  g_autoptr (ReelTransform) transform = make_transform ("MultiStepTransform:n-steps=3,gamma=0.9");

  for (gint64 t = 0; t < 6; t++)
    {
      g_autoptr (ReelTensordict) out = NULL;

      bring (transform, stream, t, t + 1, &out);
      g_assert_true (!out == (t < 3));
      if (!out)
        continue;
      g_assert_cmpint (reel_tensordict_numel (out), ==, LANES);
      g_assert_cmpint (((gint64 *) reel_tensordict_get_tensor (out, "steps", NULL)->data)[0], ==,
                       t - 3);
      g_assert_cmpint (
          ((gint64 *) reel_tensordict_get_tensor (out, "steps_to_next_obs", NULL)->data)[0], ==, 3);
    }
}

/* T11-6: no step is lost or told twice where n changes on the way. */
static void
test_n_steps_changes (void)
{
  g_autoptr (ReelTensordict) stream = make_stream (STEPS);
  g_autoptr (ReelTransform) transform = make_transform ("multi-step:n-steps=1");
  g_autoptr (ReelTensordict) out = NULL;
  gint64 n = 1;

  for (gint64 begin = 0; begin < STEPS; begin += 10)
    {
      n = begin < 120 ? n + 1 : MAX (n - 3, 1);
      g_object_set (transform, "n-steps", n, NULL);
      bring (transform, stream, begin, begin + 10, &out);
    }
  g_assert_cmpint (reel_tensordict_numel (out), ==, LANES * (STEPS - n));
  for (gint64 i = 0; i < STEPS - n; i++)
    g_assert_cmpint (((gint64 *) reel_tensordict_get_tensor (out, "steps", NULL)->data)[i], ==, i);
}

/* Held steps are forgotten with their data. */
static void
test_empty (void)
{
  g_autoptr (ReelTensordict) stream = make_stream (20);
  g_autoptr (ReelTransform) transform = make_transform ("multi-step:n-steps=3");
  g_autoptr (ReelTensordict) first = NULL, second = NULL;

  bring (transform, stream, 0, 10, &first);
  reel_transform_empty (transform);
  bring (transform, stream, 10, 20, &second);
  g_assert_cmpint (((gint64 *) reel_tensordict_get_tensor (second, "steps", NULL)->data)[0], ==,
                   10);
  g_assert_cmpint (reel_tensordict_numel (second), ==, LANES * 7);
}

/* Ids that change without a flag end a trajectory, TorchRL's name for them by default. */
static void
test_ids_end_trajectories (void)
{
  g_autoptr (ReelTensordict) stream = make_stream (6);
  g_autoptr (ReelTransform) by_ids = make_transform ("multi-step:n-steps=2,gamma=1");
  g_autoptr (ReelTransform) by_flags =
      make_transform ("multi-step:n-steps=2,gamma=1,trajectory-key=''");
  g_autoptr (ReelTensordict) a = NULL, b = NULL;
  const gint64 size[2] = { LANES, 6 };
  g_autoptr (ReelTensor) ids = reel_tensor_new (REEL_DTYPE_INT64, 2, size, NULL);

  for (gint i = 0; i < 12; i++)
    ((gint64 *) ids->data)[i] = i / 6 * 10 + (i % 6 > 2);
  reel_tensordict_set_tensor (stream, "collector/traj_ids", ids, NULL);
  bring (by_ids, stream, 0, 6, &a);
  bring (by_flags, stream, 0, 6, &b);
  g_assert_cmpint (((gint64 *) reel_tensordict_get_tensor (a, "next/steps", NULL)->data)[2], ==, 3);
  g_assert_cmpint (((gint64 *) reel_tensordict_get_tensor (b, "next/steps", NULL)->data)[2], ==, 4);
}

static void
test_refusals (void)
{
  g_autoptr (ReelTransform) transform = make_transform ("multi-step");
  g_autoptr (ReelTensordict) step = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensordict) result = NULL;
  g_autoptr (GError) error = NULL;

  refuse_transform ("multi-step:n-steps=0", REEL_ERROR_VALUE,
                    "n-steps cannot be 0: it must be 1 to 2147483647 steps");
  refuse_transform ("multi-step:gamma=0", REEL_ERROR_VALUE,
                    "gamma cannot be 0: it must be above 0, at most 1");
  refuse_transform (
      "multi-step:done-key='a//b'", REEL_ERROR_KEY,
      "\"a//b\" is not a path of keys: write %2F for \"/\" in a key, %25 for \"%\" and % "
      "for the empty key");
  g_assert_false (reel_transform_inverse (transform, step, &result, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
}

/* A failure leaves what is held as it was. */
static void
test_failure_changes_nothing (void)
{
  g_autoptr (ReelTensordict) stream = make_stream (20);
  g_autoptr (ReelTensordict) broken = reel_tensordict_slice (stream, 1, 0, 5, 1, NULL);
  g_autoptr (ReelTransform) transform = make_transform ("multi-step:n-steps=3,gamma=0.9");
  g_autoptr (ReelTensordict) out = NULL, nothing = NULL, whole = NULL, expected = NULL;
  ReelMultiStep how = { .n_steps = 3, .gamma = 0.9 };

  reel_tensordict_remove (broken, "next/reward", NULL);
  bring (transform, stream, 0, 10, &out);
  g_assert_false (reel_transform_inverse (transform, broken, &nothing, NULL));
  g_assert_null (nothing);
  bring (transform, stream, 10, 20, &out);
  whole = reel_multi_step (stream, &how, NULL);
  expected = reel_tensordict_slice (whole, 1, 0, 17, 1, NULL);
  g_assert_true (reel_tensordict_equal (out, expected));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/transforms/multi-step/pieces-do-not-matter", test_pieces_do_not_matter);
  g_test_add_func ("/transforms/multi-step/one-by-one", test_one_by_one);
  g_test_add_func ("/transforms/multi-step/n-steps-changes", test_n_steps_changes);
  g_test_add_func ("/transforms/multi-step/empty", test_empty);
  g_test_add_func ("/transforms/multi-step/ids-end-trajectories", test_ids_end_trajectories);
  g_test_add_func ("/transforms/multi-step/refusals-of-the-transform", test_refusals);
  g_test_add_func ("/transforms/multi-step/failure-changes-nothing", test_failure_changes_nothing);

  return g_test_run ();
}
