/* The product of a linear layer, one table per instruction set. Private. */
#pragma once

#include "../core/math/isa.h"

G_BEGIN_DECLS

/* Outputs of a panel, in which weights are next to each other. */
#define REEL_MLP_PANEL 32

/**
 * ReelMlpLayer:
 * @n_in: inputs
 * @n_out: outputs
 * @n_panels: panels of %REEL_MLP_PANEL outputs
 * @weights: (array): of each panel, of each input, the weights of the panel's outputs; 0 beyond
 *   @n_out
 * @bias: (array): of each panel's outputs, likewise
 *
 * A linear layer, laid out for the kernel.
 */
typedef struct
{
  gint64 n_in, n_out, n_panels;
  float *weights;
  float *bias;
} ReelMlpLayer;

/**
 * ReelMlpKernels:
 * @layer: @to = @from × weights + bias for @n_rows rows, @from_stride and @to_stride floats apart;
 *   all outputs of the panels are written
 *
 * Output o of a row is ((bias + x₀ w₀) + x₁ w₁) + … in this order, in float32, each product and
 * each sum rounded: the same bits for any number of rows, and at every level.
 */
typedef struct
{
  void (*layer) (const ReelMlpLayer *layer, const float *from, gsize from_stride, gint64 n_rows,
                 float *to, gsize to_stride);
} ReelMlpKernels;

REEL_KERNEL_DECLARE (ReelMlpKernels, reel_mlp_kernels);

G_END_DECLS
