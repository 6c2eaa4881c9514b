/* Networks of linear layers and their gradients. Matrix products are those of a CBLAS, which runs
 * on one thread, so that a seed gives the same weights each time. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

typedef enum
{
  ACTIVATION_RELU,
  ACTIVATION_TANH,
} Activation;

/* Outputs are inputs × weightᵀ + bias; the weight is [n_out, n_in], as PyTorch stores it. */
typedef struct
{
  gint n_in, n_out;
  gsize weight, bias; /* places among the parameters */
} Layer;

/* Layers with an activation between them. The gradient has the order of the parameters. */
typedef struct
{
  Layer *layers;
  guint n_layers;
  Activation activation;
  gsize n_parameters;
  float *parameters;
  float *gradient;
} Network;

/* The scales of the first weights: uniform ones, with a deviation of gain / √n_in. */
typedef struct
{
  double hidden, last;
} Gains;

/* PyTorch's own: a third of the variance that keeps that of the inputs. */
#define TORCH_GAIN 0.57735026918962576

/* A network of these widths: inputs, hidden layers, outputs. */
Network *network_new (const gint *widths, guint n_layers, Activation activation, Gains gains,
                      ReelPcg64 *random);
void network_free (Network *self);

/* A copy with n more outputs, which are the same for all inputs. */
Network *network_widen (const Network *self, const float *outputs, gint n);

/* A network with the same parameters, and one step of it towards another: by a share of tau. */
Network *network_copy (const Network *self);
void network_follow (Network *self, const Network *leader, double tau);

/* The values of all layers for a batch of rows, which gradients are computed from. */
typedef struct
{
  guint n_layers;
  gint n;         /* rows of the last run */
  float **values; /* inputs, then the outputs of each layer */
  float **slopes; /* derivatives of a loss by these */
  float *ones;
} Trace;

/* Memory for at most so many rows. */
Trace *trace_new (const Network *network, gint most);
void trace_free (Trace *self);

static inline float *
trace_get_inputs (const Trace *self)
{
  return self->values[0];
}

static inline float *
trace_get_outputs (const Trace *self)
{
  return self->values[self->n_layers];
}

/* Where the derivatives by the outputs are expected, and those by the inputs are found. */
static inline float *
trace_get_slopes (const Trace *self)
{
  return self->slopes[self->n_layers];
}

static inline const float *
trace_get_input_slopes (const Trace *self)
{
  return self->slopes[0];
}

/* Computes the outputs of the inputs in the trace: [n, n_out]. */
const float *network_run (const Network *self, Trace *trace, gint n);

/* Computes the gradient from the slopes of the outputs of the last run. */
void network_differentiate (Network *self, Trace *trace);

/* Computes the slopes of the inputs alone. */
void network_differentiate_inputs (const Network *self, Trace *trace);

/* Adam, by Kingma and Ba (2014). */
typedef struct
{
  gsize n;
  gint64 n_steps;
  double epsilon;
  float *mean, *square;
} Adam;

Adam *adam_new (gsize n, double epsilon);
void adam_free (Adam *self);
void adam_step (Adam *self, float *parameters, const float *gradient, double rate);

/* Scales gradients so that their common norm is at most `most`, as PyTorch's clip_grad_norm_. */
void clip_gradients (Network *const *networks, guint n, double most);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Network, network_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Trace, trace_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Adam, adam_free)

G_END_DECLS
