/* An update of a network beside its matrix products alone. */
#include "../apps/learn/network.h"
#include "bench.h"

#include <cblas.h>

#define ROWS 256
#define N_LAYERS 3

/* HalfCheetah's observation and action, two layers of 256 between. */
static const gint widths[N_LAYERS + 1] = { 17, 256, 256, 6 };

typedef struct
{
  Network *network;
  Trace *trace;
  Adam *adam;
} Learning;

static void
begin (Learning *self)
{
  ReelPcg64 random;

  reel_pcg64_seed (&random, (guint32[]){ 1 }, 1);
  self->network = network_new (widths, N_LAYERS, ACTIVATION_RELU, (Gains){ 1, 1 }, &random);
  self->trace = trace_new (self->network, ROWS);
  self->adam = adam_new (self->network->n_parameters, 1e-8);
  for (gint i = 0; i < ROWS * widths[0]; i++)
    trace_get_inputs (self->trace)[i] = (float) reel_pcg64_normal (&random);
}

static void
end (Learning *self)
{
  network_free (self->network);
  trace_free (self->trace);
  adam_free (self->adam);
}

/* Forward, the slopes of half the squared outputs, backward, Adam. */
static double
update (gpointer data, gint64 n)
{
  Learning *self = data;
  double start = bench_clock ();

  for (gint64 k = 0; k < n; k++)
    {
      const float *outputs = network_run (self->network, self->trace, ROWS);

      for (gint i = 0; i < ROWS * widths[N_LAYERS]; i++)
        trace_get_slopes (self->trace)[i] = outputs[i] / ROWS;
      network_differentiate (self->network, self->trace);
      adam_step (self->adam, self->network->parameters, self->network->gradient, 1e-4);
    }
  return bench_clock () - start;
}

/* The products of a layer: its outputs, its gradient, and the slopes of its inputs, which the first
 * layer has no use for. */
static void
multiply (const Learning *self, guint l)
{
  const Layer *layer = &self->network->layers[l];
  float *weight = self->network->parameters + layer->weight;
  float *gradient = self->network->gradient + layer->weight;

  cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasTrans, ROWS, layer->n_out, layer->n_in, 1,
               self->trace->values[l], layer->n_in, weight, layer->n_in, 0,
               self->trace->values[l + 1], layer->n_out);
  cblas_sgemm (CblasRowMajor, CblasTrans, CblasNoTrans, layer->n_out, layer->n_in, ROWS, 1,
               self->trace->slopes[l + 1], layer->n_out, self->trace->values[l], layer->n_in, 0,
               gradient, layer->n_in);
  if (l > 0)
    cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, ROWS, layer->n_in, layer->n_out, 1,
                 self->trace->slopes[l + 1], layer->n_out, weight, layer->n_in, 0,
                 self->trace->slopes[l], layer->n_in);
}

static double
products (gpointer data, gint64 n)
{
  double start = bench_clock ();

  for (gint64 k = 0; k < n; k++)
    for (guint l = 0; l < N_LAYERS; l++)
      multiply (data, l);
  return bench_clock () - start;
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("learning: an update, over its matrix products alone", argc, argv);
  Learning ours, limit;

  begin (&ours);
  begin (&limit);
  bench_measure_us (bench, "update of 2×256, batch 256", 0.5, 0.75, update, &ours, products,
                    &limit);
  end (&ours);
  end (&limit);
  return bench_close (bench);
}
