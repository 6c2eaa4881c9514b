/* Convolutions over images as matrix products: windows of an image become the rows of a matrix. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Windows of side × side pixels of all planes, `stride` pixels apart, without padding. Images are
 * [n_planes, n_rows, n_columns], results [n_filters, rows, columns], and the weight is
 * [n_filters, n_planes, side, side], as PyTorch stores them. */
typedef struct
{
  gint n_planes, n_rows, n_columns;
  gint n_filters, side, stride;
} Convolution;

static inline gint
convolution_count_rows (const Convolution *self)
{
  return (self->n_rows - self->side) / self->stride + 1;
}

static inline gint
convolution_count_columns (const Convolution *self)
{
  return (self->n_columns - self->side) / self->stride + 1;
}

/* Windows of an image. */
static inline gint
convolution_count_windows (const Convolution *self)
{
  return convolution_count_rows (self) * convolution_count_columns (self);
}

/* Numbers of a window, and weights of a filter. */
static inline gint
convolution_count_weights (const Convolution *self)
{
  return self->n_planes * self->side * self->side;
}

/* The windows of n images times the filters, and their biases. `windows` is memory for the matrix
 * of one image, here and below. */
void convolution_run (const Convolution *self, const float *weight, const float *bias,
                      const float *images, gint n, float *windows, float *results);

/* The slopes of weight and bias from those of the results. */
void convolution_differentiate (const Convolution *self, const float *images, const float *slopes,
                                gint n, float *windows, float *weight_slopes, float *bias_slopes);

/* The slopes of the images. */
void convolution_pass (const Convolution *self, const float *weight, const float *slopes, gint n,
                       float *windows, float *image_slopes);

G_END_DECLS
