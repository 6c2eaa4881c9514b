/* A step of the cells of recurrent layers. Private. */
#pragma once

#include "../core/math/exp-kernel.h"

G_BEGIN_DECLS

/**
 * ReelMlpCell:
 * @REEL_MLP_LINEAR: none
 * @REEL_MLP_LSTM: four gates a hidden number, `torch.nn.LSTM`
 * @REEL_MLP_GRU: three gates, `torch.nn.GRU`
 *
 * A kind of layer.
 */
typedef enum
{
  REEL_MLP_LINEAR,
  REEL_MLP_LSTM,
  REEL_MLP_GRU,
} ReelMlpCell;

/**
 * ReelMlpMemory:
 * @h: hidden state
 * @c: (nullable): cell state, of an LSTM
 *
 * The memory of a recurrent layer, of a row.
 */
typedef struct
{
  float *h, *c;
} ReelMlpMemory;

/**
 * reel_mlp_lstm_step:
 * @exp: of the instruction set
 * @n: hidden numbers
 * @input: (array): W_ih x + b_ih, gates i, f, g, o one behind the other
 * @recurrent: (array): W_hh h + b_hh, likewise
 * @before: memory before the step
 * @after: memory to be written
 * @numbers: (array): room for four numbers of each
 *
 * c′ = σ(f) c + σ(i) tanh(g), h′ = σ(o) tanh(c′), by doubles. Source: torch.nn.LSTM.
 */
void reel_mlp_lstm_step (const ReelExpKernels *exp, gint64 n, const float *input,
                         const float *recurrent, const ReelMlpMemory *before,
                         const ReelMlpMemory *after, double *numbers);

/**
 * reel_mlp_gru_step:
 * @exp: of the instruction set
 * @n: hidden numbers
 * @input: (array): W_ih x + b_ih, gates r, z, n one behind the other
 * @recurrent: (array): W_hh h + b_hh, likewise
 * @before: memory before the step
 * @after: memory to be written
 * @numbers: (array): room for three numbers of each
 *
 * m = tanh(n_ih + σ(r) n_hh), h′ = (1 − σ(z)) m + σ(z) h, by doubles. Source: torch.nn.GRU.
 */
void reel_mlp_gru_step (const ReelExpKernels *exp, gint64 n, const float *input,
                        const float *recurrent, const ReelMlpMemory *before,
                        const ReelMlpMemory *after, double *numbers);

G_END_DECLS
