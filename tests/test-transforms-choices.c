/* Continuous actions as a choice of intervals: every choice is the number that stands for it. */
#include "collecting.h"
#include "make-transform.h"

#include <string.h>

/* The specs of an env with one action, bounded as given, seen through a discretizer. */
static ReelTransform *
make_seen (const char *text, gint n, double low, double high, ReelDtype dtype)
{
  const gint64 shape[] = { 2, n };
  g_autoptr (ReelSpec) action = NULL, actions = NULL, empty = NULL, specs = NULL, seen = NULL;
  g_autoptr (GError) error = NULL;
  ReelTransform *transform = make_transform (text);
  ReelSpec *list[1];

  action = reel_bounded_spec_new (dtype, 2, shape, &low, 1, &high, 1, &error);
  g_assert_no_error (error);
  list[0] = action;
  actions = reel_composite_spec_new (0, NULL, (const char *const[]){ "action" }, list, 1, &error);
  g_assert_no_error (error);
  empty = reel_composite_spec_new (0, NULL, NULL, NULL, 0, &error);
  specs = reel_env_spec_new (empty, actions, empty, empty, &error);
  g_assert_no_error (error);
  seen = reel_transform_env_spec (transform, specs, &error);
  g_assert_no_error (error);
  return transform;
}

/* T12.5-13: low + (i + 1/2) (high - low) / n, of each component its own n. */
static void
test_choices_are_middles (void)
{
  static const gint64 n[] = { 1, 2, 7 };
  g_autoptr (ReelTransform) transform =
      make_seen ("action-discretizer:num-intervals=[1,2,7]", 3, -2, 5, REEL_DTYPE_FLOAT64);

  for (gint64 first = 0; first < 7; first++)
    {
      g_autoptr (ReelTensordict) td = reel_tensordict_new (1, (const gint64[]){ 4 });
      g_autoptr (ReelTensordict) inner = NULL;
      const ReelTensor *choices, *actions;

      set_leaf (td, "action", REEL_DTYPE_INT64, 3, (const gint64[]){ 4, 2, 3 });
      choices = reel_tensordict_get_tensor (td, "action", NULL);
      for (gint64 i = 0; i < 24; i++)
        ((gint64 *) (gpointer) choices->data)[i] = (first + i) % n[i % 3];
      inner = inverse (transform, td);
      actions = reel_tensordict_get_tensor (inner, "action", NULL);
      g_assert_cmpint (actions->dtype, ==, REEL_DTYPE_FLOAT64);
      for (gint64 i = 0; i < 24; i++)
        {
          double choice = (double) ((first + i) % n[i % 3]), of = (double) n[i % 3];
          double ours = ((const double *) (gconstpointer) actions->data)[i];

          g_assert_cmpfloat_with_epsilon (ours, -2 + (choice + 0.5) * 7 / of, 1e-12);
        }
    }
}

static void
test_choices_outside_are_refused (void)
{
  g_autoptr (ReelTransform) transform =
      make_seen ("action-discretizer:num-intervals=4", 1, -1, 1, REEL_DTYPE_FLOAT32);

  for (gint64 choice = -1; choice <= 4; choice += 5)
    {
      g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
      g_autoptr (ReelTensordict) inner = NULL;
      g_autoptr (GError) error = NULL;
      g_autofree char *message = NULL;

      set_leaf (td, "action", REEL_DTYPE_INT64, 2, (const gint64[]){ 2, 1 });
      memcpy (reel_tensordict_get_tensor (td, "action", NULL)->data, &choice, sizeof choice);
      message =
          g_strdup_printf ("\"action\" is %" G_GINT64_FORMAT ", and there are 4 intervals", choice);
      g_assert_false (reel_transform_inverse (transform, td, &inner, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, message));
    }
}

static void
refuse_env (const char *text, gint code, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_object_new_from_text (REEL_TYPE_ENV, text, &error, NULL));
  g_assert_error (error, REEL_ERROR, code);
  if (!strstr (error->message, message))
    g_error ("\"%s\" does not contain \"%s\"", error->message, message);
}

static void
test_bad_arguments_are_refused (void)
{
  refuse_transform ("action-discretizer", REEL_ERROR_VALUE,
                    "action-discretizer wants num-intervals: action-discretizer:num-intervals=5, "
                    "or [3,4] for two components");
  refuse_transform ("action-discretizer:num-intervals=2.5", REEL_ERROR_VALUE,
                    "num-intervals has 2.5: give whole numbers from 1 to 65536");
  refuse_env ("CartPole|action-discretizer:num-intervals=5", REEL_ERROR_TYPE,
              "action-discretizer takes an action of bounded floats, and \"action\" is of a OneHot "
              "spec of dtype int64");
  refuse_env ("Pendulum|action-discretizer:num-intervals=[2,3]", REEL_ERROR_VALUE,
              "num-intervals has 2 numbers, and \"action\" has 1 components");
  refuse_env ("Pendulum|action-discretizer:num-intervals=3,action-key=move", REEL_ERROR_KEY,
              "\"move\" is not in the env's input specs");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/transforms/action-discretizer/choices-are-middles", test_choices_are_middles);
  g_test_add_func ("/transforms/action-discretizer/choices-outside-are-refused",
                   test_choices_outside_are_refused);
  g_test_add_func ("/transforms/action-discretizer/bad-arguments-are-refused",
                   test_bad_arguments_are_refused);
  return g_test_run ();
}
