#include "network.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* Of OpenBLAS, where that is the CBLAS: more threads sum in another order. */
extern void openblas_set_num_threads (int n) __attribute__ ((weak));

/* ---- networks ---- */

/* Room for the parameters of a layer. */
static gsize
add_parameters (Layer *layer, gsize at)
{
  layer->weight = at;
  layer->bias = layer->weight + (gsize) layer->n_units * (gsize) layer->n_weights;
  at = layer->bias + (gsize) layer->n_units;
  if (layer->kind != LAYER_LSTM)
    return at;
  layer->recurrent = at;
  layer->recurrent_bias = layer->recurrent + (gsize) layer->n_units * (gsize) layer->n_out;
  return layer->recurrent_bias + (gsize) layer->n_units;
}

/* Makes the layer of inputs of a shape, which becomes that of its outputs. */
static void
make_layer (Layer *layer, const LayerPlan *plan, gint shape[3])
{
  gboolean image = plan->kind == LAYER_CONVOLUTION;

  layer->kind = plan->kind;
  layer->n_in = layer->n_weights = shape[0] * shape[1] * shape[2];
  layer->n_units = plan->kind == LAYER_LSTM ? 4 * plan->n_out : plan->n_out;
  if (image)
    {
      layer->convolution =
          (Convolution){ shape[0], shape[1], shape[2], plan->n_out, plan->side, plan->stride };
      layer->n_weights = convolution_count_weights (&layer->convolution);
    }
  shape[0] = plan->n_out;
  shape[1] = image ? convolution_count_rows (&layer->convolution) : 1;
  shape[2] = image ? convolution_count_columns (&layer->convolution) : 1;
  layer->n_out = shape[0] * shape[1] * shape[2];
}

static Network *
network_new_empty (const gint shape[3], const LayerPlan *plans, guint n_layers,
                   Activation activation)
{
  Network *self = g_new0 (Network, 1);
  gint inputs[3] = { shape[0], shape[1], shape[2] };

  if (openblas_set_num_threads)
    openblas_set_num_threads (1);
  self->layers = g_new0 (Layer, n_layers);
  self->n_layers = n_layers;
  self->activation = activation;
  for (guint l = 0; l < n_layers; l++)
    {
      make_layer (&self->layers[l], &plans[l], inputs);
      self->n_parameters = add_parameters (&self->layers[l], self->n_parameters);
    }
  self->parameters = g_new0 (float, self->n_parameters);
  self->gradient = g_new0 (float, self->n_parameters);
  return self;
}

static void
draw (float *weights, gsize n, double most, ReelPcg64 *random)
{
  for (gsize i = 0; i < n; i++)
    weights[i] = (float) reel_pcg64_uniform (random, -most, most);
}

Network *
network_new_of (const gint shape[3], const LayerPlan *plans, guint n_layers, Activation activation,
                Gains gains, ReelPcg64 *random)
{
  Network *self = network_new_empty (shape, plans, n_layers, activation);

  for (guint l = 0; l < n_layers; l++)
    {
      const Layer *layer = &self->layers[l];
      double most = sqrt (3) * (l + 1 < n_layers ? gains.hidden : gains.last);

      draw (self->parameters + layer->weight, layer->bias - layer->weight,
            most / sqrt (layer->n_weights), random);
      draw (self->parameters + layer->recurrent, layer->recurrent_bias - layer->recurrent,
            most / sqrt (layer->n_out), random);
    }
  return self;
}

Network *
network_new (const gint *widths, guint n_layers, Activation activation, Gains gains,
             ReelPcg64 *random)
{
  const gint shape[] = { widths[0], 1, 1 };
  g_autofree LayerPlan *plans = g_new0 (LayerPlan, n_layers);

  for (guint l = 0; l < n_layers; l++)
    plans[l].n_out = widths[l + 1];
  return network_new_of (shape, plans, n_layers, activation, gains, random);
}

void
network_free (Network *self)
{
  if (!self)
    return;
  g_free (self->layers);
  g_free (self->parameters);
  g_free (self->gradient);
  g_free (self);
}

static const Layer *
find_lstm (const Network *self)
{
  for (guint l = 0; l < self->n_layers; l++)
    if (self->layers[l].kind == LAYER_LSTM)
      return &self->layers[l];
  return NULL;
}

gint
network_get_memory (const Network *self)
{
  const Layer *layer = find_lstm (self);

  return layer ? layer->n_out : 0;
}

/* With more outputs of the last layer, which is linear, and without parameters. */
static Network *
network_new_like (const Network *self, gint n_more)
{
  Network *copy = g_new0 (Network, 1);
  Layer *last;

  *copy = *self;
  copy->layers = g_memdup2 (self->layers, self->n_layers * sizeof (Layer));
  last = &copy->layers[self->n_layers - 1];
  last->n_out += n_more;
  last->n_units += n_more;
  if (n_more > 0)
    copy->n_parameters = add_parameters (last, last->weight);
  copy->parameters = g_new0 (float, copy->n_parameters);
  copy->gradient = g_new0 (float, copy->n_parameters);
  return copy;
}

Network *
network_copy (const Network *self)
{
  Network *copy = network_new_like (self, 0);

  memcpy (copy->parameters, self->parameters, self->n_parameters * sizeof (float));
  return copy;
}

Network *
network_widen (const Network *self, const float *outputs, gint n)
{
  Network *wide = network_new_like (self, n);
  const Layer *last = &self->layers[self->n_layers - 1];
  float *bias = wide->parameters + wide->layers[self->n_layers - 1].bias;

  memcpy (wide->parameters, self->parameters, last->bias * sizeof (float));
  memcpy (bias, self->parameters + last->bias, (gsize) last->n_out * sizeof (float));
  memcpy (bias + last->n_out, outputs, (gsize) n * sizeof (float));
  return wide;
}

void
network_follow (Network *self, const Network *leader, double tau)
{
  float share = (float) tau;

  for (gsize i = 0; i < self->n_parameters; i++)
    self->parameters[i] += share * (leader->parameters[i] - self->parameters[i]);
}

/* ---- traces ---- */

/* Room for the windows of an image, in any of the layers. */
static float *
make_windows (const Network *network)
{
  gsize most = 0;

  for (guint l = 0; l < network->n_layers; l++)
    {
      const Convolution *convolution = &network->layers[l].convolution;

      if (network->layers[l].kind == LAYER_CONVOLUTION)
        most = MAX (most, (gsize) convolution_count_windows (convolution)
                              * (gsize) convolution_count_weights (convolution));
    }
  return g_new (float, most);
}

Trace *
trace_new (const Network *network, gint most)
{
  Trace *self = g_new0 (Trace, 1);
  gint n_memory = network_get_memory (network);

  self->n_layers = network->n_layers;
  self->n_steps = 1;
  self->windows = make_windows (network);
  self->memory = n_memory > 0 ? lstm_new (n_memory, most) : NULL;
  self->values = g_new0 (float *, network->n_layers + 1);
  self->slopes = g_new0 (float *, network->n_layers + 1);
  self->ones = g_new (float, most);
  for (gint i = 0; i < most; i++)
    self->ones[i] = 1;
  for (guint l = 0; l <= network->n_layers; l++)
    {
      gint width = l > 0 ? network->layers[l - 1].n_out : network->layers[0].n_in;

      self->values[l] = g_new0 (float, (gsize) most *(gsize) width);
      self->slopes[l] = g_new0 (float, (gsize) most *(gsize) width);
    }
  return self;
}

void
trace_free (Trace *self)
{
  if (!self)
    return;
  for (guint l = 0; l <= self->n_layers; l++)
    {
      g_free (self->values[l]);
      g_free (self->slopes[l]);
    }
  g_free (self->values);
  g_free (self->slopes);
  g_free (self->ones);
  g_free (self->windows);
  lstm_free (self->memory);
  g_free (self);
}

/* ---- outputs ---- */

static void
activate (Activation activation, float *values, gsize n)
{
  if (activation == ACTIVATION_RELU)
    for (gsize i = 0; i < n; i++)
      values[i] = values[i] > 0 ? values[i] : 0;
  else
    for (gsize i = 0; i < n; i++)
      values[i] = tanhf (values[i]);
}

/* Whether the activation is behind a layer. */
static gboolean
is_activated (const Network *self, guint l)
{
  return l + 1 < self->n_layers && self->layers[l].kind != LAYER_LSTM;
}

/* Adds the bias, and where the layer has one applies the activation, while the row is near. */
static void
finish_layer (const Network *self, guint l, gint n, float *values)
{
  gint n_units = self->layers[l].n_units;
  const float *bias = self->parameters + self->layers[l].bias;

  for (gint row = 0; row < n; row++, values += n_units)
    {
      for (gint i = 0; i < n_units; i++)
        values[i] += bias[i];
      if (is_activated (self, l))
        activate (self->activation, values, (gsize) n_units);
    }
}

/* Inputs times weights: the outputs of a linear layer, the sums of an LSTM's gates. */
static void
multiply (const Network *self, Trace *trace, guint l, float *to)
{
  const Layer *layer = &self->layers[l];

  cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasTrans, trace->n, layer->n_units, layer->n_in, 1,
               trace->values[l], layer->n_in, self->parameters + layer->weight, layer->n_in, 0, to,
               layer->n_units);
  finish_layer (self, l, trace->n, to);
}

static void
run_layer (const Network *self, Trace *trace, guint l)
{
  const Layer *layer = &self->layers[l];
  const float *parameters = self->parameters;
  float *outputs = trace->values[l + 1];

  switch (layer->kind)
    {
    case LAYER_LINEAR: multiply (self, trace, l, outputs); return;
    case LAYER_CONVOLUTION:
      convolution_run (&layer->convolution, parameters + layer->weight, parameters + layer->bias,
                       trace->values[l], trace->n, trace->windows, outputs);
      if (is_activated (self, l))
        activate (self->activation, outputs, (gsize) trace->n * (gsize) layer->n_out);
      return;
    case LAYER_LSTM:
      multiply (self, trace, l, trace->memory->gates);
      lstm_run (trace->memory, parameters + layer->recurrent, parameters + layer->recurrent_bias,
                trace->n, trace->n_steps, outputs);
      return;
    }
}

const float *
network_run (const Network *self, Trace *trace, gint n)
{
  trace->n = n;
  for (guint l = 0; l < self->n_layers; l++)
    run_layer (self, trace, l);
  return trace->values[self->n_layers];
}

const float *
network_get_h (const Network *self, const Trace *trace)
{
  return trace->values[find_lstm (self) - self->layers + 1];
}

/* ---- gradients ---- */

/* Multiplies by the derivative of the activation, which its value tells. */
static void
pass_activation (Activation activation, const float *restrict values, gsize n,
                 float *restrict slopes)
{
  if (activation == ACTIVATION_RELU)
    for (gsize i = 0; i < n; i++)
      slopes[i] = values[i] > 0 ? slopes[i] : 0;
  else
    for (gsize i = 0; i < n; i++)
      slopes[i] *= 1 - values[i] * values[i];
}

/* The slopes of what multiply() computed; of an LSTM after a pass back in time. */
static const float *
find_slopes (const Network *self, Trace *trace, guint l)
{
  const Layer *layer = &self->layers[l];

  if (layer->kind != LAYER_LSTM)
    return trace->slopes[l + 1];
  lstm_pass (trace->memory, self->parameters + layer->recurrent, trace->slopes[l + 1], trace->n,
             trace->n_steps, trace->n_warm_up);
  return trace->memory->gate_slopes;
}

/* The slopes of the inputs of a layer. */
static void
pass_layer (const Network *self, Trace *trace, guint l, const float *slopes)
{
  const Layer *layer = &self->layers[l];
  const float *weight = self->parameters + layer->weight;

  if (layer->kind == LAYER_CONVOLUTION)
    convolution_pass (&layer->convolution, weight, slopes, trace->n, trace->windows,
                      trace->slopes[l]);
  else
    cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, trace->n, layer->n_in, layer->n_units,
                 1, slopes, layer->n_units, weight, layer->n_in, 0, trace->slopes[l], layer->n_in);
  if (l > 0 && is_activated (self, l - 1))
    pass_activation (self->activation, trace->values[l], (gsize) trace->n * (gsize) layer->n_in,
                     trace->slopes[l]);
}

static void
differentiate_layer (Network *self, Trace *trace, guint l, const float *slopes)
{
  const Layer *layer = &self->layers[l];
  float *weight = self->gradient + layer->weight, *bias = self->gradient + layer->bias;

  if (layer->kind == LAYER_CONVOLUTION)
    {
      convolution_differentiate (&layer->convolution, trace->values[l], slopes, trace->n,
                                 trace->windows, weight, bias);
      return;
    }
  cblas_sgemm (CblasRowMajor, CblasTrans, CblasNoTrans, layer->n_units, layer->n_in, trace->n, 1,
               slopes, layer->n_units, trace->values[l], layer->n_in, 0, weight, layer->n_in);
  cblas_sgemv (CblasRowMajor, CblasTrans, trace->n, layer->n_units, 1, slopes, layer->n_units,
               trace->ones, 1, 0, bias, 1);
  if (layer->kind == LAYER_LSTM)
    lstm_differentiate (trace->memory, trace->n, self->gradient + layer->recurrent,
                        self->gradient + layer->recurrent_bias);
}

void
network_differentiate (Network *self, Trace *trace)
{
  for (guint l = self->n_layers; l-- > 0;)
    {
      const float *slopes = find_slopes (self, trace, l);

      differentiate_layer (self, trace, l, slopes);
      if (l > 0)
        pass_layer (self, trace, l, slopes);
    }
}

void
network_differentiate_inputs (const Network *self, Trace *trace)
{
  for (guint l = self->n_layers; l-- > 0;)
    pass_layer (self, trace, l, find_slopes (self, trace, l));
}

/* ---- steps ---- */

Adam *
adam_new (gsize n, double epsilon)
{
  Adam *self = g_new0 (Adam, 1);

  self->n = n;
  self->epsilon = epsilon;
  self->mean = g_new0 (float, n);
  self->square = g_new0 (float, n);
  return self;
}

void
adam_free (Adam *self)
{
  if (!self)
    return;
  g_free (self->mean);
  g_free (self->square);
  g_free (self);
}

void
adam_step (Adam *self, float *restrict parameters, const float *restrict gradient, double rate)
{
  double n = (double) ++self->n_steps, correction = sqrt (1 - pow (0.999, n));
  float step = (float) (rate * correction / (1 - pow (0.9, n)));
  float epsilon = (float) (self->epsilon * correction);
  float *restrict mean = self->mean, *restrict square = self->square;

  for (gsize i = 0; i < self->n; i++)
    {
      mean[i] += 0.1f * (gradient[i] - mean[i]);
      square[i] += 0.001f * (gradient[i] * gradient[i] - square[i]);
      parameters[i] -= step * mean[i] / (sqrtf (square[i]) + epsilon);
    }
}

void
clip_gradients (Network *const *networks, guint n, double most)
{
  double sum = 0, norm;

  for (guint k = 0; k < n; k++)
    sum +=
        pow ((double) cblas_snrm2 ((int) networks[k]->n_parameters, networks[k]->gradient, 1), 2);
  norm = sqrt (sum);
  if (norm <= most)
    return;
  for (guint k = 0; k < n; k++)
    cblas_sscal ((int) networks[k]->n_parameters, (float) (most / (norm + 1e-6)),
                 networks[k]->gradient, 1);
}
