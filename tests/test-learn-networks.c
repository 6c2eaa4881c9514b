/* Outputs of layers against their definitions, gradients of networks against finite differences,
 * and Adam against its formulas. */
#include "../apps/learn/network.h"

#include <math.h>
#include <string.h>

#define ROWS 5

static const gint widths[] = { 3, 7, 6, 4 };

/* A linear function of the outputs, whose coefficients are the slopes. */
static double
sum_outputs (const Network *network, Trace *trace, gint n, const float *coefficients)
{
  const float *outputs = network_run (network, trace, n);
  gint n_out = network->layers[network->n_layers - 1].n_out;
  double sum = 0;

  for (gint i = 0; i < n * n_out; i++)
    sum += (double) outputs[i] * (double) coefficients[i];
  return sum;
}

/* Both ways by a small change of @number, which is one of the network's or an input. */
static double
differ (const Network *network, Trace *trace, gint n, const float *coefficients, float *number)
{
  const float before = *number, change = 1e-3f;
  double above, below;

  *number = before + change;
  above = sum_outputs (network, trace, n, coefficients);
  *number = before - change;
  below = sum_outputs (network, trace, n, coefficients);
  *number = before;
  return (above - below) / (2 * (double) change);
}

static void
fill (float *numbers, gsize n, ReelPcg64 *random)
{
  for (gsize i = 0; i < n; i++)
    numbers[i] = (float) reel_pcg64_normal (random);
}

/* Gradients by all parameters and by the inputs of n rows, which are filled here. */
static void
check_gradients (Network *network, Trace *trace, gint n, ReelPcg64 *random)
{
  gsize n_outputs = (gsize) n * (gsize) network->layers[network->n_layers - 1].n_out;
  gsize n_inputs = (gsize) n * (gsize) network->layers[0].n_in;
  g_autofree float *coefficients = g_new (float, n_outputs);
  float *inputs = trace_get_inputs (trace);

  fill (coefficients, n_outputs, random);
  fill (inputs, n_inputs, random);
  for (gsize i = 0; i < network->n_parameters; i++) /* biases too */
    network->parameters[i] += 0.1f * (float) reel_pcg64_normal (random);

  sum_outputs (network, trace, n, coefficients);
  memcpy (trace_get_slopes (trace), coefficients, n_outputs * sizeof (float));
  network_differentiate_inputs (network, trace);
  g_autofree float *by_inputs =
      g_memdup2 (trace_get_input_slopes (trace), n_inputs * sizeof (float));
  network_differentiate (network, trace);
  for (gsize i = 0; i < network->n_parameters; i++)
    g_assert_cmpfloat_with_epsilon (
        differ (network, trace, n, coefficients, &network->parameters[i]), network->gradient[i],
        5e-3);
  for (gsize i = 0; i < n_inputs; i++)
    g_assert_cmpfloat_with_epsilon (differ (network, trace, n, coefficients, &inputs[i]),
                                    by_inputs[i], 5e-3);
}

static void
test_gradients (gconstpointer data)
{
  ReelPcg64 random;

  reel_pcg64_seed (&random, (guint32[]){ 1 }, 1);
  g_autoptr (Network) network =
      network_new (widths, 3, (Activation) GPOINTER_TO_INT (data), (Gains){ 1, 1 }, &random);
  g_autoptr (Trace) trace = trace_new (network, ROWS + 2);
  check_gradients (network, trace, ROWS, &random);
}

/* ---- images ---- */

/* Windows that do not meet, and some that overlap and leave pixels out. */
static const gint image[] = { 2, 9, 12 };
static const LayerPlan seeing[] = { { LAYER_CONVOLUTION, 3, 3, 2 },
                                    { LAYER_CONVOLUTION, 4, 2, 2 },
                                    { LAYER_LINEAR, 5, 0, 0 },
                                    { LAYER_LINEAR, 2, 0, 0 } };

static void
test_image_gradients (void)
{
  ReelPcg64 random;

  reel_pcg64_seed (&random, (guint32[]){ 5 }, 1);
  g_autoptr (Network) network =
      network_new_of (image, seeing, 4, ACTIVATION_TANH, (Gains){ 1, 1 }, &random);
  g_autoptr (Trace) trace = trace_new (network, 3);
  g_assert_cmpint (network->layers[1].n_out, ==, 4 * 2 * 2);
  check_gradients (network, trace, 2, &random);
}

/* A result by its definition. */
static double
convolve (const Convolution *c, const float *weight, const float *pixels, gint filter, gint row,
          gint column)
{
  double sum = 0;

  for (gint p = 0; p < c->n_planes; p++)
    for (gint y = 0; y < c->side; y++)
      for (gint x = 0; x < c->side; x++)
        sum += (double) weight[((filter * c->n_planes + p) * c->side + y) * c->side + x]
               * (double) pixels[(p * c->n_rows + row * c->stride + y) * c->n_columns
                                 + column * c->stride + x];
  return sum;
}

static void
check_convolution (gint side, gint stride, gint n_rows, gint n_columns, ReelPcg64 *random)
{
  const Convolution c = { 2, n_rows, n_columns, 3, side, stride };
  const gint shape[] = { 2, n_rows, n_columns };
  const LayerPlan plan = { LAYER_CONVOLUTION, 3, side, stride };
  g_autoptr (Network) network =
      network_new_of (shape, &plan, 1, ACTIVATION_RELU, (Gains){ 1, 1 }, random);
  g_autoptr (Trace) trace = trace_new (network, 2);
  const float *outputs;

  fill (network->parameters, network->n_parameters, random);
  fill (trace_get_inputs (trace), (gsize) (4 * n_rows * n_columns), random);
  outputs = network_run (network, trace, 2);
  for (gint i = 0; i < 2; i++)
    for (gint f = 0; f < 3; f++)
      for (gint row = 0; row * stride + side <= n_rows; row++)
        for (gint column = 0; column * stride + side <= n_columns; column++)
          g_assert_cmpfloat_with_epsilon (
              *outputs++,
              convolve (&c, network->parameters,
                        trace_get_inputs (trace) + i * 2 * n_rows * n_columns, f, row, column)
                  + (double) network->parameters[network->layers[0].bias + (gsize) f],
              1e-4);
  g_assert_true (outputs == trace_get_outputs (trace) + 2 * network->layers[0].n_out);
}

/* All small windows of all small images. */
static void
test_convolutions (void)
{
  ReelPcg64 random;

  reel_pcg64_seed (&random, (guint32[]){ 6 }, 1);
  for (gint side = 1; side <= 4; side++)
    for (gint stride = 1; stride <= 4; stride++)
      for (gint n_rows = side; n_rows < 7; n_rows++)
        for (gint n_columns = side; n_columns < 7; n_columns++)
          check_convolution (side, stride, n_rows, n_columns, &random);
}

/* ---- memory ---- */

#define LANES 3
#define STEPS 4

static const gint three[] = { 3, 1, 1 };
static const LayerPlan remembering[] = { { LAYER_LINEAR, 5, 0, 0 },
                                         { LAYER_LSTM, 4, 0, 0 },
                                         { LAYER_LINEAR, 2, 0, 0 } };

static Network *
make_remembering (ReelPcg64 *random)
{
  return network_new_of (three, remembering, 3, ACTIVATION_TANH, (Gains){ 1, 1 }, random);
}

static Trace *
make_sequences (const Network *network, ReelPcg64 *random)
{
  Trace *trace = trace_new (network, LANES * STEPS);

  trace->n_steps = STEPS;
  fill (trace->memory->set_h, LANES * STEPS * 4, random);
  fill (trace->memory->set_c, LANES * STEPS * 4, random);
  for (gint i = 0; i < LANES * STEPS; i++)
    trace->memory->begins[i] = i < LANES || i == 2 * LANES + 1 || i == 3 * LANES + 2;
  return trace;
}

static void
test_memory_gradients (void)
{
  ReelPcg64 random;

  reel_pcg64_seed (&random, (guint32[]){ 8 }, 1);
  g_autoptr (Network) network = make_remembering (&random);
  g_autoptr (Trace) trace = make_sequences (network, &random);
  check_gradients (network, trace, LANES * STEPS, &random);
}

static double
open_gate (double x)
{
  return 1 / (1 + exp (-x));
}

/* One number of PyTorch's formulas. */
static double
sum_gate (const Network *network, const float *x, const float *h, gint gate)
{
  const Layer *layer = &network->layers[0];
  const float *p = network->parameters;
  double sum =
      (double) p[layer->bias + (gsize) gate] + (double) p[layer->recurrent_bias + (gsize) gate];

  for (gint i = 0; i < layer->n_in; i++)
    sum += (double) p[layer->weight + (gsize) (gate * layer->n_in + i)] * (double) x[i];
  for (gint i = 0; i < layer->n_out; i++)
    sum += (double) p[layer->recurrent + (gsize) (gate * layer->n_out + i)] * (double) h[i];
  return sum;
}

/* Each row by itself, from the memory that its sequence had, or that was set. */
static void
test_memory (void)
{
  const LayerPlan plan = { LAYER_LSTM, 4, 0, 0 };
  ReelPcg64 random;

  reel_pcg64_seed (&random, (guint32[]){ 9 }, 1);
  g_autoptr (Network) network =
      network_new_of (three, &plan, 1, ACTIVATION_TANH, (Gains){ 1, 1 }, &random);
  g_autoptr (Trace) trace = make_sequences (network, &random);
  const Lstm *memory = trace->memory;

  fill (network->parameters, network->n_parameters, &random);
  fill (trace_get_inputs (trace), LANES * STEPS * 3, &random);
  const float *h = network_run (network, trace, LANES * STEPS);
  g_assert_true (network_get_h (network, trace) == h);
  for (gint i = 0; i < LANES * STEPS; i++)
    for (gint k = 0; k < 4; k++)
      {
        gboolean set = memory->begins[i];
        const float *h_before = set ? memory->set_h + 4 * i : h + 4 * (i - LANES);
        const float *c_before = set ? memory->set_c + 4 * i : memory->c + 4 * (i - LANES);
        const float *x = trace_get_inputs (trace) + 3 * i;
        double c = open_gate (sum_gate (network, x, h_before, 4 + k)) * (double) c_before[k]
                   + open_gate (sum_gate (network, x, h_before, k))
                         * tanh (sum_gate (network, x, h_before, 8 + k));

        g_assert_cmpfloat_with_epsilon (memory->c[4 * i + k], c, 1e-5);
        g_assert_cmpfloat_with_epsilon (
            h[4 * i + k], open_gate (sum_gate (network, x, h_before, 12 + k)) * tanh (c), 1e-5);
      }
}

/* The gradient is that of sequences that begin behind the warm-up, with the memory that it left. */
static void
test_warm_up (void)
{
  const gint warm = 2, rest = (STEPS - 2) * LANES;
  ReelPcg64 random;

  reel_pcg64_seed (&random, (guint32[]){ 10 }, 1);
  g_autoptr (Network) network = make_remembering (&random);
  g_autoptr (Network) other = network_copy (network);
  g_autoptr (Trace) whole = make_sequences (network, &random), part = trace_new (network, rest);

  fill (trace_get_inputs (whole), LANES * STEPS * 3, &random);
  memset (trace_get_slopes (whole), 0, warm * LANES * 2 * sizeof (float));
  fill (trace_get_slopes (whole) + warm * LANES * 2, (gsize) rest * 2, &random);
  whole->n_warm_up = warm;
  network_run (network, whole, LANES * STEPS);
  network_differentiate (network, whole);

  part->n_steps = STEPS - warm;
  for (gint i = 0; i < rest; i++)
    {
      gint from = i + warm * LANES;

      part->memory->begins[i] = i < LANES || whole->memory->begins[from];
      memcpy (part->memory->set_h + 4 * i, whole->memory->before_h + 4 * from, 4 * sizeof (float));
      memcpy (part->memory->set_c + 4 * i, whole->memory->before_c + 4 * from, 4 * sizeof (float));
    }
  memcpy (trace_get_inputs (part), trace_get_inputs (whole) + warm * LANES * 3,
          (gsize) rest * 3 * sizeof (float));
  memcpy (trace_get_slopes (part), trace_get_slopes (whole) + warm * LANES * 2,
          (gsize) rest * 2 * sizeof (float));
  network_run (other, part, rest);
  network_differentiate (other, part);
  for (gsize i = 0; i < network->n_parameters; i++)
    g_assert_cmpfloat_with_epsilon (network->gradient[i], other->gradient[i], 1e-5);
}

/* ---- all networks ---- */

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
  g_test_add_func ("/apps/learn/networks/gradients-of-images", test_image_gradients);
  g_test_add_func ("/apps/learn/networks/convolutions", test_convolutions);
  g_test_add_func ("/apps/learn/networks/gradients-of-a-memory", test_memory_gradients);
  g_test_add_func ("/apps/learn/networks/memory", test_memory);
  g_test_add_func ("/apps/learn/networks/nothing-is-passed-to-a-warm-up", test_warm_up);
  g_test_add_func ("/apps/learn/networks/rows-are-independent", test_rows);
  g_test_add_func ("/apps/learn/networks/adam", test_adam);
  g_test_add_func ("/apps/learn/networks/norms-are-clipped", test_norms);
  g_test_add_func ("/apps/learn/networks/copies", test_copies);

  return g_test_run ();
}
