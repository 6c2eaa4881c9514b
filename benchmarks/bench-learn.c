/* An update of a network beside its matrix products alone, and the share of a run that feeds the
 * updates. */
#include "../apps/learn/run.h"
#include "bench.h"
#include "scratch-folder.h"

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

/* Learns CartPole by the defaults of DQN, without evaluations. Gives the percentage of its time in
 * which steps are collected and batches drawn. */
static double
learn (const char *path, const char *frames)
{
  static const GOptionEntry no_entries[] = { { NULL } };
  const LearnOptions options = { .total = (char *) frames,
                                 .eval_every = (char *) "0",
                                 .out = (char *) path,
                                 .quiet = TRUE,
                                 .entries = no_entries };
  g_auto (Plan) plan = { 0 };
  g_auto (Run) run = { 0 };
  GError *error = NULL;
  gboolean going =
      plan_init (&plan, &dqn_learner, &options, &error) && run_begin (&run, &plan, &error);

  while (going && !run.ended)
    going = run_advance (&run, &error);
  bench_demand (going, error);
  return 100 * (run.seconds[COLLECTING] + run.seconds[SAMPLING]) / run_get_seconds (&run);
}

static void
measure_share (Bench *bench)
{
  const BenchFigure figure = { .name = "share of collecting and sampling, DQN of CartPole; 10 %",
                               .unit = "%",
                               .is_time = TRUE,
                               .floor = 1,
                               .goal = 10.0 / 3 };
  double shares[3];
  gint n = bench_is_tiny (bench) ? 1 : G_N_ELEMENTS (shares);

  if (!bench_wants (bench, figure.name))
    return;
  g_autofree char *folder = scratch_folder_make ();
  for (gint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("run%d", i);
      g_autofree char *path = g_build_filename (folder, name, NULL);

      shares[i] = learn (path, bench_is_tiny (bench) ? "1100" : "20k");
    }
  bench_report (bench, &figure, shares, n, 10);
  scratch_folder_remove (folder);
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("learning: an update over its matrix products, a run", argc, argv);
  Learning ours, limit;

  reel_init ();
  begin (&ours);
  begin (&limit);
  bench_measure_us (bench, "update of 2×256, batch 256", 0.5, 0.75, update, &ours, products,
                    &limit);
  end (&ours);
  end (&limit);
  measure_share (bench);
  return bench_close (bench);
}
