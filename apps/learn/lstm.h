/* The memory of an LSTM over the steps of sequences, forward and backward in time. Hochreiter and
 * Schmidhuber (1997); gates are in the order of PyTorch: i, f, g, o. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Rows are step by step, the same sequences in each step. A row's memory before its step is what
 * its sequence had after the step before, unless the row begins: then it is the one that is set. */
typedef struct
{
  gint n_hidden;
  guint8 *begins;       /* each row; those of the first step always begin */
  float *set_h, *set_c; /* [rows, n_hidden], read where a row begins */

  float *before_h, *before_c; /* likewise, of the last run: the memory before each row */
  float *gates;               /* [rows, 4 n_hidden]: products of the inputs, then gates */
  float *c, *tanh_c;          /* the memory after each row, beside h, the outputs */

  float *gate_slopes;       /* of the last pass */
  float *carry_h, *carry_c; /* slopes of the memory before a step */
} Lstm;

/* Memory for at most so many rows, all of which begin with zeros. */
Lstm *lstm_new (gint n_hidden, gint most);
void lstm_free (Lstm *self);

/* From the products of the inputs, with biases, in `gates`, to the outputs h. The weight is
 * [4 n_hidden, n_hidden]. */
void lstm_run (Lstm *self, const float *weight, const float *bias, gint n, gint n_steps, float *h);

/* The slopes of all products, from those of the outputs. Those of the first steps, which warm up
 * the memory, are 0, and none are passed to them. */
void lstm_pass (Lstm *self, const float *weight, const float *slopes, gint n, gint n_steps,
                gint n_warm_up);

/* The slopes of weight and bias, which the pass left. */
void lstm_differentiate (const Lstm *self, gint n, float *weight_slopes, float *bias_slopes);

G_END_DECLS
