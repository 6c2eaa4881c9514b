/* Numbers of a sampler that change from step to step, as TorchRL's schedulers change them. */
#include "../src/reel.h"

#include <math.h>
#include <string.h>

static ReelSampler *
new_sampler (void)
{
  return reel_object_new_from_text (REEL_TYPE_SAMPLER, "prioritized:alpha=0.6,beta=0.4", NULL,
                                    NULL);
}

static ReelScheduler *
attach (const char *text, ReelSampler *sampler)
{
  g_autoptr (GError) error = NULL;
  ReelScheduler *scheduler = reel_object_new_from_text (REEL_TYPE_SCHEDULER, text, &error, NULL);

  g_assert_no_error (error);
  reel_scheduler_attach (scheduler, REEL_OBJECT (sampler), &error);
  g_assert_no_error (error);
  return scheduler;
}

static void
assert_steps_to (ReelScheduler *scheduler, ReelSampler *sampler, const char *name, double expected)
{
  g_autoptr (GError) error = NULL;
  double value;

  g_assert_true (reel_scheduler_step (scheduler, &error));
  g_assert_no_error (error);
  g_object_get (sampler, name, &value, NULL);
  g_assert_cmpfloat_with_epsilon (value, expected, 1e-12);
}

static void
test_linear (void)
{
  g_autoptr (ReelSampler) sampler = new_sampler ();
  g_autoptr (ReelScheduler) scheduler =
      attach ("LinearScheduler:parameter=beta,final-value=1,num-steps=4", sampler);

  for (gint k = 1; k <= 7; k++)
    assert_steps_to (scheduler, sampler, "beta", k < 4 ? 0.4 + 0.15 * k : 1);
}

static void
test_step (void)
{
  g_autoptr (ReelSampler) sampler = new_sampler ();
  g_autoptr (ReelScheduler) times =
      attach ("step:parameter=alpha,gamma=0.5,n-steps=2,min-value=0.1", sampler);
  g_autoptr (ReelScheduler) plus =
      attach ("step:parameter=beta,gamma=0.25,mode=additive,max-value=1", sampler);
  static const double alphas[] = { 0.6, 0.3, 0.3, 0.15, 0.15, 0.1, 0.1, 0.1 };
  static const double betas[] = { 0.65, 0.9, 1, 1, 1, 1, 1, 1 };

  for (gint k = 0; k < 8; k++)
    {
      assert_steps_to (times, sampler, "alpha", alphas[k]);
      assert_steps_to (plus, sampler, "beta", betas[k]);
    }
}

static double
halve (gint64 k, gpointer calls)
{
  (*(gint *) calls)++;
  return pow (0.5, (double) k);
}

static void
forget (gpointer calls)
{
  *(gint *) calls = -1;
}

static void
test_callback (void)
{
  gint calls = 0;
  g_autoptr (ReelSampler) sampler = new_sampler ();
  g_autoptr (GError) error = NULL;
  ReelScheduler *scheduler = reel_scheduler_new_callback ("alpha", halve, &calls, forget);

  g_assert_false (reel_scheduler_step (scheduler, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_true (reel_scheduler_attach (scheduler, REEL_OBJECT (sampler), NULL));
  for (gint k = 1; k < 5; k++)
    assert_steps_to (scheduler, sampler, "alpha", 0.6 * pow (0.5, k));
  g_assert_cmpint (calls, ==, 4);
  g_object_unref (scheduler);
  g_assert_cmpint (calls, ==, -1);
}

/* A value beyond the property's range is refused, not clipped without a word. */
static void
test_bad_values (void)
{
  g_autoptr (ReelSampler) sampler = new_sampler ();
  g_autoptr (ReelScheduler) scheduler =
      attach ("step:parameter=alpha,gamma=-1,mode=additive", sampler);
  g_autoptr (GError) error = NULL;
  double alpha;

  g_assert_false (reel_scheduler_step (scheduler, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "alpha of prioritized cannot become -0.4"));
  g_object_get (sampler, "alpha", &alpha, NULL);
  g_assert_true (alpha == 0.6);
}

static void
test_bad_targets (void)
{
  static const struct
  {
    const char *parameter, *word;
  } bad[] = {
    { "gamma", "has no property gamma" },
    { "reduction", "is not a number" },
    { "eps", "is fixed when it is made" },
    { "id", "has no property id" },
  };
  g_autoptr (ReelSampler) sampler = new_sampler ();

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelScheduler) scheduler = reel_object_new_from_text (
          REEL_TYPE_SCHEDULER, "step", &error, "parameter", bad[i].parameter, NULL);

      g_assert_no_error (error);
      g_assert_false (reel_scheduler_attach (scheduler, REEL_OBJECT (sampler), &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, bad[i].word));
    }
}

static void
test_bad_properties (void)
{
  static const char *const bad[] = { "linear", "step:parameter=beta,mode=other",
                                     "step:parameter=beta,min-value=2,max-value=1",
                                     "linear:parameter=beta,num-steps=0" };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_object_new_from_text (REEL_TYPE_SCHEDULER, bad[i], &error, NULL));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/buffers/schedulers/linear", test_linear);
  g_test_add_func ("/buffers/schedulers/step", test_step);
  g_test_add_func ("/buffers/schedulers/callback", test_callback);
  g_test_add_func ("/buffers/schedulers/bad-values", test_bad_values);
  g_test_add_func ("/buffers/schedulers/bad-targets", test_bad_targets);
  g_test_add_func ("/buffers/schedulers/bad-properties", test_bad_properties);

  return g_test_run ();
}
