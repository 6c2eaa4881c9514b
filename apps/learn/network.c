#include "network.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* Of OpenBLAS, where that is the CBLAS: more threads sum in another order. */
extern void openblas_set_num_threads (int n) __attribute__ ((weak));

/* ---- networks ---- */

static Network *
network_new_empty (const gint *widths, guint n_layers, Activation activation)
{
  Network *self = g_new0 (Network, 1);

  if (openblas_set_num_threads)
    openblas_set_num_threads (1);
  self->layers = g_new0 (Layer, n_layers);
  self->n_layers = n_layers;
  self->activation = activation;
  for (guint l = 0; l < n_layers; l++)
    {
      Layer *layer = &self->layers[l];

      layer->n_in = widths[l];
      layer->n_out = widths[l + 1];
      layer->weight = self->n_parameters;
      layer->bias = layer->weight + (gsize) layer->n_in * (gsize) layer->n_out;
      self->n_parameters = layer->bias + (gsize) layer->n_out;
    }
  self->parameters = g_new0 (float, self->n_parameters);
  self->gradient = g_new0 (float, self->n_parameters);
  return self;
}

Network *
network_new (const gint *widths, guint n_layers, Activation activation, Gains gains,
             ReelPcg64 *random)
{
  Network *self = network_new_empty (widths, n_layers, activation);

  for (guint l = 0; l < n_layers; l++)
    {
      const Layer *layer = &self->layers[l];
      double gain = l + 1 < n_layers ? gains.hidden : gains.last;
      double most = sqrt (3.0 / layer->n_in) * gain;

      for (gsize i = layer->weight; i < layer->bias; i++)
        self->parameters[i] = (float) reel_pcg64_uniform (random, -most, most);
    }
  return self;
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

static Network *
network_new_like (const Network *self, gint n_more)
{
  g_autofree gint *widths = g_new (gint, self->n_layers + 1);

  widths[0] = self->layers[0].n_in;
  for (guint l = 0; l < self->n_layers; l++)
    widths[l + 1] = self->layers[l].n_out;
  widths[self->n_layers] += n_more;
  return network_new_empty (widths, self->n_layers, self->activation);
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

Trace *
trace_new (const Network *network, gint most)
{
  Trace *self = g_new0 (Trace, 1);

  self->n_layers = network->n_layers;
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
  g_free (self);
}

/* ---- outputs ---- */

/* Adds the bias, and where the layer has one applies the activation, while the row is near. */
static void
finish_layer (const float *bias, gint n_out, gint n, gboolean hidden, Activation activation,
              float *values)
{
  for (gint row = 0; row < n; row++, values += n_out)
    if (!hidden)
      for (gint i = 0; i < n_out; i++)
        values[i] += bias[i];
    else if (activation == ACTIVATION_RELU)
      for (gint i = 0; i < n_out; i++)
        {
          float sum = values[i] + bias[i];

          values[i] = sum > 0 ? sum : 0;
        }
    else
      for (gint i = 0; i < n_out; i++)
        values[i] = tanhf (values[i] + bias[i]);
}

const float *
network_run (const Network *self, Trace *trace, gint n)
{
  trace->n = n;
  for (guint l = 0; l < self->n_layers; l++)
    {
      const Layer *layer = &self->layers[l];

      cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasTrans, n, layer->n_out, layer->n_in, 1,
                   trace->values[l], layer->n_in, self->parameters + layer->weight, layer->n_in, 0,
                   trace->values[l + 1], layer->n_out);
      finish_layer (self->parameters + layer->bias, layer->n_out, n, l + 1 < self->n_layers,
                    self->activation, trace->values[l + 1]);
    }
  return trace->values[self->n_layers];
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

/* The slopes of the inputs of a layer from those of its outputs. */
static void
pass_layer (const Network *self, Trace *trace, guint l)
{
  const Layer *layer = &self->layers[l];

  cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, trace->n, layer->n_in, layer->n_out, 1,
               trace->slopes[l + 1], layer->n_out, self->parameters + layer->weight, layer->n_in, 0,
               trace->slopes[l], layer->n_in);
  if (l > 0)
    pass_activation (self->activation, trace->values[l], (gsize) trace->n * (gsize) layer->n_in,
                     trace->slopes[l]);
}

void
network_differentiate (Network *self, Trace *trace)
{
  for (guint l = self->n_layers; l-- > 0;)
    {
      const Layer *layer = &self->layers[l];
      const float *slopes = trace->slopes[l + 1];

      cblas_sgemm (CblasRowMajor, CblasTrans, CblasNoTrans, layer->n_out, layer->n_in, trace->n, 1,
                   slopes, layer->n_out, trace->values[l], layer->n_in, 0,
                   self->gradient + layer->weight, layer->n_in);
      cblas_sgemv (CblasRowMajor, CblasTrans, trace->n, layer->n_out, 1, slopes, layer->n_out,
                   trace->ones, 1, 0, self->gradient + layer->bias, 1);
      if (l > 0)
        pass_layer (self, trace, l);
    }
}

void
network_differentiate_inputs (const Network *self, Trace *trace)
{
  for (guint l = self->n_layers; l-- > 0;)
    pass_layer (self, trace, l);
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
