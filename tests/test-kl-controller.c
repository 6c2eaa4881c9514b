/* KL controllers against TorchRL's traces. */
#include "golden-tensor.h"

#include <math.h>

static ReelKLController *
new_controller (const char *text)
{
  GError *error = NULL;
  ReelKLController *self = reel_object_new_from_text (REEL_TYPE_KL_CONTROLLER, text, &error, NULL);

  g_assert_no_error (error);
  return self;
}

static double
number (const json_t *object, const char *key)
{
  return json_number_value (json_object_get (object, key));
}

static ReelKLController *
new_golden (const json_t *arguments)
{
  if (!json_object_get (arguments, "target"))
    {
      g_autofree char *text =
          g_strdup_printf ("ConstantKLController:kl_coef=%.17g", number (arguments, "kl_coef"));
      return new_controller (text);
    }
  g_autofree char *text =
      g_strdup_printf ("AdaptiveKLController:init_kl_coef=%.17g,target=%.17g,horizon=%.17g",
                       number (arguments, "init_kl_coef"), number (arguments, "target"),
                       number (arguments, "horizon"));
  return new_controller (text);
}

/* TorchRL computes in float32. */
static void
test_traces_equal_golden (void)
{
  g_autoptr (json_t) golden = golden_load ("text/kl.json");
  const char *name;
  json_t *trace;

  g_assert_cmpuint (json_object_size (golden), ==, 3);
  json_object_foreach (golden, name, trace)
  {
    g_autoptr (ReelKLController) self = new_golden (json_object_get (trace, "kwargs"));
    const json_t *steps = json_object_get (trace, "trace");
    for (gsize i = 0; i < json_array_size (steps); i++)
      {
        const json_t *step = json_array_get (steps, i), *array = json_object_get (step, "values");
        gsize n = json_array_size (array);
        g_autofree double *values = g_new (double, n);
        for (gsize k = 0; k < n; k++)
          values[k] = json_number_value (json_array_get (array, k));
        g_assert_true (reel_kl_controller_update (self, values, n, NULL));
        g_assert_cmpfloat_with_epsilon (reel_kl_controller_get_coefficient (self),
                                        number (step, "coef"), 1e-6);
      }
  }
}

/* Worked by hand: a divergence of 6 and more, and the clip at a fifth. */
static void
test_adaptive_by_hand (void)
{
  static const struct
  {
    double horizon, value;
    gsize n;
    double expected;
  } cases[] = {
    { 10000, -0.6, 2, 0.1 },
    { 10000, -0.7, 8, 0.1 * (1 + (7.0 / 6 - 1) * 8 / 10000) },
    { 100, -0.61, 5, 0.1 * (1 + (6.1 / 6 - 1) * 5 / 100) },
    { 10, -100, 1, 0.1 * 1.02 },
    { 10, 0, 1, 0.1 * 0.98 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf ("adaptive:target=6,horizon=%g", cases[i].horizon);
      g_autoptr (ReelKLController) self = new_controller (text);
      double values[8];
      for (gsize k = 0; k < 8; k++)
        values[k] = cases[i].value;
      g_assert_true (reel_kl_controller_update (self, values, cases[i].n, NULL));
      g_assert_cmpfloat_with_epsilon (reel_kl_controller_get_coefficient (self), cases[i].expected,
                                      1e-15);
    }
}

static void
assert_refused (const char *text, double value, gsize n)
{
  g_autoptr (ReelKLController) self = new_controller (text);
  double before = reel_kl_controller_get_coefficient (self);
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_kl_controller_update (self, &value, n, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_cmpfloat (reel_kl_controller_get_coefficient (self), ==, before);
}

static void
test_bad_values_change_nothing (void)
{
  g_autoptr (GError) error = NULL;

  assert_refused ("adaptive", 0, 0);
  assert_refused ("adaptive", NAN, 1);
  assert_refused ("adaptive", INFINITY, 1);
  assert_refused ("adaptive:kl-coef=0", 1, 1);
  g_autoptr (ReelKLController) constant = new_controller ("constant:kl-coef=0.3");
  g_assert_true (reel_kl_controller_update (constant, NULL, 0, NULL));
  g_assert_cmpfloat (reel_kl_controller_get_coefficient (constant), ==, 0.3);
  g_assert_null (
      reel_object_new_from_text (REEL_TYPE_KL_CONTROLLER, "adaptive:target=0", &error, NULL));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/datasets/text/kl-controller/traces-equal-golden", test_traces_equal_golden);
  g_test_add_func ("/datasets/text/kl-controller/adaptive-by-hand", test_adaptive_by_hand);
  g_test_add_func ("/datasets/text/kl-controller/bad-values-change-nothing",
                   test_bad_values_change_nothing);
  return g_test_run ();
}
