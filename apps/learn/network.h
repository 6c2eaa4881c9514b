/* Networks of layers and their gradients. Matrix products are those of a CBLAS, which runs on one
 * thread, so that a seed gives the same weights each time. */
#pragma once

#include "../../src/reel.h"
#include "convolution.h"
#include "lstm.h"

G_BEGIN_DECLS

typedef enum
{
  ACTIVATION_RELU,
  ACTIVATION_TANH,
} Activation;

typedef enum
{
  LAYER_LINEAR, /* inputs × weightᵀ + bias; the weight is [n_out, n_in], as PyTorch stores it */
  LAYER_CONVOLUTION, /* of images, see convolution.h */
  LAYER_LSTM,        /* with a memory from step to step, see lstm.h */
} LayerKind;

/* A layer to make. */
typedef struct
{
  LayerKind kind;
  gint n_out;        /* outputs, or filters of a convolution */
  gint side, stride; /* of its windows */
} LayerPlan;

typedef struct
{
  LayerKind kind;
  gint n_in, n_out;
  gint n_units;                    /* rows of the weight: n_out, filters, or gates */
  gint n_weights;                  /* of each */
  gsize weight, bias;              /* places among the parameters */
  gsize recurrent, recurrent_bias; /* of an LSTM, for its memory h */
  Convolution convolution;
} Layer;

/* Layers, with an activation behind each but an LSTM and the last. The gradient has the order of
   the parameters. */
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

/* Of any layers, at most one an LSTM. The inputs are numbers, or in front of a convolution
   [planes, rows, columns], which are as large as its windows. */
Network *network_new_of (const gint shape[3], const LayerPlan *plans, guint n_layers,
                         Activation activation, Gains gains, ReelPcg64 *random);
void network_free (Network *self);

/* A copy with n more outputs, which are the same for all inputs. */
Network *network_widen (const Network *self, const float *outputs, gint n);

/* The numbers of its memory h, and of c: 0 without an LSTM. */
gint network_get_memory (const Network *self);

/* The keys of both in rows, those of the mlp policy. */
#define MEMORY_H "recurrent_state_h"
#define MEMORY_C "recurrent_state_c"

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
  float *windows; /* of an image; NULL without convolutions */

  Lstm *memory;   /* NULL without an LSTM */
  gint n_steps;   /* of sequences that the rows are of, step by step; 1 until it is set */
  gint n_warm_up; /* the first of them, which no gradient is passed to */
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

/* The memory h after each row of the last run. */
const float *network_get_h (const Network *self, const Trace *trace);

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
