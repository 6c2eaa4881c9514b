#include "mlp-kernel.h"

#include "../core/math/vector.h"

#define WIDTH (2 * REEL_SIMD_WIDTH)
#define VECTORS (REEL_MLP_PANEL / WIDTH)
/* Rows whose sums the registers hold at once: 8 sums, 2 × 4 sums, or those of one row. */
#define ROWS (REEL_SIMD_WIDTH == 8 ? 8 : REEL_SIMD_WIDTH == 4 ? 2 : 1)

typedef float F32s __attribute__ ((vector_size (4 * WIDTH)));

REEL_VECTOR_INLINE F32s
load (const float *from)
{
  F32s v;

  memcpy (&v, from, sizeof v);
  return v;
}

/* One panel of outputs of @n rows. */
REEL_VECTOR_INLINE void
multiply (const float *weights, const float *bias, gint64 n_in, const float *from,
          gsize from_stride, gint n, float *to, gsize to_stride)
{
  F32s sums[ROWS][VECTORS];

  for (gint r = 0; r < n; r++)
    for (gint v = 0; v < VECTORS; v++)
      sums[r][v] = load (bias + v * WIDTH);
  for (gint64 k = 0; k < n_in; k++, weights += REEL_MLP_PANEL)
    for (gint v = 0; v < VECTORS; v++)
      {
        F32s w = load (weights + v * WIDTH);

        for (gint r = 0; r < n; r++)
          sums[r][v] += from[(gsize) r * from_stride + (gsize) k] * w;
      }
  for (gint r = 0; r < n; r++)
    for (gint v = 0; v < VECTORS; v++)
      memcpy (to + (gsize) r * to_stride + v * WIDTH, &sums[r][v], sizeof (F32s));
}

static void
layer (const ReelMlpLayer *layer, const float *from, gsize from_stride, gint64 n_rows, float *to,
       gsize to_stride)
{
  for (gint64 panel = 0; panel < layer->n_panels; panel++)
    {
      const float *weights = layer->weights + panel * layer->n_in * REEL_MLP_PANEL;
      const float *bias = layer->bias + panel * REEL_MLP_PANEL;
      float *out = to + panel * REEL_MLP_PANEL;
      gint64 row = 0;

      for (; row + ROWS <= n_rows; row += ROWS)
        multiply (weights, bias, layer->n_in, from + (gsize) row * from_stride, from_stride, ROWS,
                  out + (gsize) row * to_stride, to_stride);
      for (; row < n_rows; row++)
        multiply (weights, bias, layer->n_in, from + (gsize) row * from_stride, from_stride, 1,
                  out + (gsize) row * to_stride, to_stride);
    }
}

const ReelMlpKernels REEL_KERNEL_NAME (reel_mlp_kernels) = { layer };
