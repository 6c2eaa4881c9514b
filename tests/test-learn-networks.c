/* Gradients of networks against finite differences, Adam against its formulas, and the gains of
 * weights. */
#include "../apps/learn/network.h"

#include <math.h>
#include <string.h>

#define ROWS 5

static const gint widths[] = { 3, 7, 6, 4 };

/* A linear function of the outputs, whose coefficients are the slopes. */
static double
sum_outputs (const Network *network, Trace *trace, const float *coefficients)
{
  const float *outputs = network_run (network, trace, ROWS);
  double sum = 0;

  for (gint i = 0; i < ROWS * widths[3]; i++)
    sum += (double) outputs[i] * (double) coefficients[i];
  return sum;
}

/* Both ways by a small change of @number, which is one of the network's or an input. */
static double
differ (const Network *network, Trace *trace, const float *coefficients, float *number)
{
  const float before = *number, change = 1e-3f;
  double above, below;

  *number = before + change;
  above = sum_outputs (network, trace, coefficients);
  *number = before - change;
  below = sum_outputs (network, trace, coefficients);
  *number = before;
  return (above - below) / (2 * (double) change);
}

static void
check_gradients (Activation activation)
{
  ReelPcg64 random;
  float coefficients[ROWS * 4];

  reel_pcg64_seed (&random, (guint32[]){ 1 }, 1);
  g_autoptr (Network) network = network_new (widths, 3, activation, (Gains){ 1, 1 }, &random);
  g_autoptr (Trace) trace = trace_new (network, ROWS + 2);
  float *inputs = trace_get_inputs (trace);

  for (guint i = 0; i < G_N_ELEMENTS (coefficients); i++)
    coefficients[i] = (float) reel_pcg64_normal (&random);
  for (gint i = 0; i < ROWS * widths[0]; i++)
    inputs[i] = (float) reel_pcg64_normal (&random);
  for (gsize i = 0; i < network->n_parameters; i++) /* biases too */
    network->parameters[i] += 0.1f * (float) reel_pcg64_normal (&random);

  sum_outputs (network, trace, coefficients);
  memcpy (trace_get_slopes (trace), coefficients, sizeof coefficients);
  network_differentiate_inputs (network, trace);
  g_autofree float *by_inputs =
      g_memdup2 (trace_get_input_slopes (trace), ROWS * (gsize) widths[0] * sizeof (float));
  network_differentiate (network, trace);
  for (gsize i = 0; i < network->n_parameters; i++)
    g_assert_cmpfloat_with_epsilon (differ (network, trace, coefficients, &network->parameters[i]),
                                    network->gradient[i], 5e-3);
  for (gint i = 0; i < ROWS * widths[0]; i++)
    g_assert_cmpfloat_with_epsilon (differ (network, trace, coefficients, &inputs[i]), by_inputs[i],
                                    5e-3);
}

static void
test_gradients (gconstpointer data)
{
  check_gradients ((Activation) GPOINTER_TO_INT (data));
}

/* Rows do not see each other, and a smaller batch leaves the rest alone. */
static void
test_rows (void)
{
  ReelPcg64 random;

  reel_pcg64_seed (&random, (guint32[]){ 2 }, 1);
  g_autoptr (Network) network = network_new (widths, 3, ACTIVATION_TANH, (Gains){ 1, 1 }, &random);
  g_autoptr (Trace) whole = trace_new (network, ROWS), one = trace_new (network, 1);

  for (gint i = 0; i < ROWS * widths[0]; i++)
    trace_get_inputs (whole)[i] = (float) reel_pcg64_normal (&random);
  const float *outputs = network_run (network, whole, ROWS);
  for (gint row = 0; row < ROWS; row++)
    {
      memcpy (trace_get_inputs (one), trace_get_inputs (whole) + row * widths[0],
              (gsize) widths[0] * sizeof (float));
      const float *alone = network_run (network, one, 1);
      for (gint i = 0; i < widths[3]; i++)
        g_assert_cmpfloat_with_epsilon (alone[i], outputs[row * widths[3] + i], 1e-5);
    }
}

/* As the paper has it, in double precision. */
static void
test_adam (void)
{
  double x = 1, mean = 0, square = 0;
  float parameter = 1;
  g_autoptr (Adam) adam = adam_new (1, 1e-8);

  for (gint t = 1; t <= 200; t++)
    {
      float slope = 2 * parameter + sinf ((float) t);
      double g = 2 * x + sin (t);

      mean = 0.9 * mean + 0.1 * g;
      square = 0.999 * square + 0.001 * g * g;
      x -= 0.01 * (mean / (1 - pow (0.9, t))) / (sqrt (square / (1 - pow (0.999, t))) + 1e-8);
      adam_step (adam, &parameter, &slope, 0.01);
      g_assert_cmpfloat_with_epsilon (parameter, x, 1e-4);
    }
}

static void
test_norms (void)
{
  ReelPcg64 random;
  double norm = 0;

  reel_pcg64_seed (&random, (guint32[]){ 3 }, 1);
  g_autoptr (Network) a = network_new (widths, 3, ACTIVATION_RELU, (Gains){ 1, 1 }, &random);
  g_autoptr (Network) b = network_copy (a);
  Network *const both[] = { a, b };

  for (gsize i = 0; i < a->n_parameters; i++)
    a->gradient[i] = b->gradient[i] = 1;
  clip_gradients (both, 2, 1e6);
  g_assert_cmpfloat (a->gradient[0], ==, 1);
  clip_gradients (both, 2, 0.5);
  for (gsize i = 0; i < a->n_parameters; i++)
    norm += 2 * (double) a->gradient[i] * (double) b->gradient[i];
  g_assert_cmpfloat_with_epsilon (sqrt (norm), 0.5, 1e-4);
}

/* A copy has the same parameters; following it by half is the middle. */
static void
test_copies (void)
{
  ReelPcg64 random;

  reel_pcg64_seed (&random, (guint32[]){ 4 }, 1);
  g_autoptr (Network) a = network_new (widths, 3, ACTIVATION_RELU, (Gains){ 1, 1 }, &random);
  g_autoptr (Network) b = network_copy (a);

  g_assert_cmpmem (a->parameters, a->n_parameters * sizeof (float), b->parameters,
                   b->n_parameters * sizeof (float));
  a->parameters[5] += 2;
  network_follow (b, a, 0.5);
  g_assert_cmpfloat_with_epsilon (b->parameters[5], a->parameters[5] - 1, 1e-6);
  network_follow (b, a, 1);
  g_assert_cmpfloat_with_epsilon (b->parameters[5], a->parameters[5], 1e-6);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_data_func ("/apps/learn/networks/gradients-of-relu", GINT_TO_POINTER (ACTIVATION_RELU),
                        test_gradients);
  g_test_add_data_func ("/apps/learn/networks/gradients-of-tanh", GINT_TO_POINTER (ACTIVATION_TANH),
                        test_gradients);
  g_test_add_func ("/apps/learn/networks/rows-are-independent", test_rows);
  g_test_add_func ("/apps/learn/networks/adam", test_adam);
  g_test_add_func ("/apps/learn/networks/norms-are-clipped", test_norms);
  g_test_add_func ("/apps/learn/networks/copies", test_copies);

  return g_test_run ();
}
