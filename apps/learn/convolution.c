#include "convolution.h"

#include <cblas.h>
#include <string.h>

static gsize
count_image (const Convolution *self)
{
  return (gsize) self->n_planes * (gsize) self->n_rows * (gsize) self->n_columns;
}

static gsize
count_result (const Convolution *self)
{
  return (gsize) self->n_filters * (gsize) convolution_count_windows (self);
}

/* The first pixel of line `y` of a window in a plane. */
static gsize
find_line (const Convolution *self, gint row, gint column, gint plane, gint y)
{
  return ((gsize) plane * (gsize) self->n_rows + (gsize) (row * self->stride + y))
             * (gsize) self->n_columns
         + (gsize) (column * self->stride);
}

/* The usual sides, as constants, take a few instructions each instead of a call. */
static inline void
copy_line (float *to, const float *from, gint side)
{
  if (side == 8)
    memcpy (to, from, 8 * sizeof (float));
  else if (side == 4)
    memcpy (to, from, 4 * sizeof (float));
  else
    memcpy (to, from, (gsize) side * sizeof (float));
}

/* im2col: the windows of an image, one a row. */
static void
gather (const Convolution *self, const float *image, float *windows)
{
  for (gint row = 0; row < convolution_count_rows (self); row++)
    for (gint column = 0; column < convolution_count_columns (self); column++)
      for (gint plane = 0; plane < self->n_planes; plane++)
        for (gint y = 0; y < self->side; y++, windows += self->side)
          copy_line (windows, image + find_line (self, row, column, plane, y), self->side);
}

/* col2im: each pixel becomes the sum of its places in windows. */
static void
scatter (const Convolution *self, const float *windows, float *image)
{
  memset (image, 0, count_image (self) * sizeof (float));
  for (gint row = 0; row < convolution_count_rows (self); row++)
    for (gint column = 0; column < convolution_count_columns (self); column++)
      for (gint plane = 0; plane < self->n_planes; plane++)
        for (gint y = 0; y < self->side; y++, windows += self->side)
          {
            float *line = image + find_line (self, row, column, plane, y);

            for (gint x = 0; x < self->side; x++)
              line[x] += windows[x];
          }
}

void
convolution_run (const Convolution *self, const float *weight, const float *bias,
                 const float *images, gint n, float *windows, float *results)
{
  gint n_windows = convolution_count_windows (self), n_weights = convolution_count_weights (self);

  for (gint i = 0; i < n; i++, images += count_image (self), results += count_result (self))
    {
      for (gint f = 0; f < self->n_filters; f++)
        for (gint k = 0; k < n_windows; k++)
          results[f * n_windows + k] = bias[f];
      gather (self, images, windows);
      cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasTrans, self->n_filters, n_windows, n_weights,
                   1, weight, n_weights, windows, n_weights, 1, results, n_windows);
    }
}

void
convolution_differentiate (const Convolution *self, const float *images, const float *slopes,
                           gint n, float *windows, float *weight_slopes, float *bias_slopes)
{
  gint n_windows = convolution_count_windows (self), n_weights = convolution_count_weights (self);

  memset (weight_slopes, 0, (gsize) self->n_filters * (gsize) n_weights * sizeof (float));
  memset (bias_slopes, 0, (gsize) self->n_filters * sizeof (float));
  for (gint i = 0; i < n; i++, images += count_image (self), slopes += count_result (self))
    {
      gather (self, images, windows);
      cblas_sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, self->n_filters, n_weights, n_windows,
                   1, slopes, n_windows, windows, n_weights, 1, weight_slopes, n_weights);
      for (gint f = 0; f < self->n_filters; f++)
        for (gint k = 0; k < n_windows; k++)
          bias_slopes[f] += slopes[f * n_windows + k];
    }
}

void
convolution_pass (const Convolution *self, const float *weight, const float *slopes, gint n,
                  float *windows, float *image_slopes)
{
  gint n_windows = convolution_count_windows (self), n_weights = convolution_count_weights (self);

  for (gint i = 0; i < n; i++, slopes += count_result (self), image_slopes += count_image (self))
    {
      cblas_sgemm (CblasRowMajor, CblasTrans, CblasNoTrans, n_windows, n_weights, self->n_filters,
                   1, slopes, n_windows, weight, n_weights, 0, windows, n_weights);
      scatter (self, windows, image_slopes);
    }
}
