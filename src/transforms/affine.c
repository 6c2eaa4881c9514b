#include "affine.h"

#include "../core/tensor/tensor-private.h"

#include <math.h>

#define MIN_TILE 64

static double
number (const GArray *numbers, gint64 i)
{
  return g_array_index (numbers, double, i % numbers->len);
}

void
reel_affine_add_properties (ReelObjectClass *klass, gsize offset)
{
  ReelPropertyFlags fixed = REEL_PROPERTY_CONSTRUCT_ONLY;

  reel_object_class_add_list (klass, "loc", offset + G_STRUCT_OFFSET (ReelAffine, loc),
                              "number to add, or one for each element of a row", fixed);
  reel_object_class_add_list (klass, "scale", offset + G_STRUCT_OFFSET (ReelAffine, scale),
                              "factor before that, or one for each element of a row", fixed);
  reel_object_class_add_bool (klass, "standard-normal",
                              offset + G_STRUCT_OFFSET (ReelAffine, standard_normal), FALSE,
                              "whether to subtract loc, then to divide by scale", fixed);
}

static gboolean
check (const ReelAffine *self, GError **error)
{
  if (self->loc->len > 1 && self->scale->len > 1 && self->loc->len != self->scale->len)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "loc has %u numbers and scale %u: give as many, or a single one", self->loc->len,
                   self->scale->len);
      return FALSE;
    }
  for (gint64 i = 0; i < self->period; i++)
    if (isnan (number (self->loc, i)) || isnan (number (self->scale, i)))
      {
        g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE, "loc and scale cannot be NaN");
        return FALSE;
      }
  return TRUE;
}

gboolean
reel_affine_build (ReelAffine *self, double least, gboolean each, GError **error)
{
  self->period = MAX (self->loc->len, self->scale->len);
  if (!check (self, error))
    return FALSE;
  self->tile = self->period * ((MIN_TILE + self->period - 1) / self->period);
  self->narrow = g_new (float, 2 * self->tile);
  self->wide = g_new (double, 2 * self->tile);
  for (gint64 i = 0; i < self->tile; i++)
    {
      double scale = number (self->scale, i);

      self->wide[i] = each || self->scale->len == 1 ? MAX (scale, least) : scale;
      self->wide[self->tile + i] = number (self->loc, i);
    }
  for (gint64 i = 0; i < 2 * self->tile; i++)
    self->narrow[i] = (float) self->wide[i];
  return reel_isa_choose (&self->isa, error);
}

static gboolean
fits (const ReelAffine *self, const ReelTensor *value, GError **error)
{
  gint last = value->ndim - 1;

  if (self->period == 1)
    return TRUE;
  if (last > 0 && value->shape[last] == 1)
    last--;
  if (last >= 0 && value->shape[last] == self->period)
    return TRUE;
  g_autofree char *shape = reel_shape_to_string (value->ndim, value->shape);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "loc and scale have %" G_GINT64_FORMAT
               " numbers, which does not fit a tensor of shape %s",
               self->period, shape);
  return FALSE;
}

static void
multiply (const ReelTensor *in, ReelTensor *out, gconstpointer user_data)
{
  const ReelAffine *self = user_data;
  const ReelPointwiseKernels *kernels = REEL_KERNEL_PICK (reel_pointwise_kernels, self->isa);
  gint64 n = reel_tensor_numel (in), tile = self->tile;

  if (in->dtype == REEL_DTYPE_FLOAT32)
    kernels->scale_f32 ((const float *) in->data, self->narrow, self->narrow + tile, tile,
                        (float *) out->data, n);
  else
    kernels->scale_f64 ((const double *) in->data, self->wide, self->wide + tile, tile,
                        (double *) out->data, n);
}

static void
divide (const ReelTensor *in, ReelTensor *out, gconstpointer user_data)
{
  const ReelAffine *self = user_data;
  const ReelPointwiseKernels *kernels = REEL_KERNEL_PICK (reel_pointwise_kernels, self->isa);
  gint64 n = reel_tensor_numel (in), tile = self->tile;

  if (in->dtype == REEL_DTYPE_FLOAT32)
    kernels->standardize_f32 ((const float *) in->data, self->narrow, self->narrow + tile, tile,
                              (float *) out->data, n);
  else
    kernels->standardize_f64 ((const double *) in->data, self->wide, self->wide + tile, tile,
                              (double *) out->data, n);
}

ReelTensor *
reel_affine_apply (const ReelAffine *self, ReelTensor *value, gboolean inverse, GError **error)
{
  if (!fits (self, value, error))
    return NULL;
  return reel_pointwise (value, self->standard_normal == inverse ? multiply : divide, self, error);
}

static void
append_numbers (GString *text, const double *numbers, gint64 n)
{
  if (n > 1)
    g_string_append_c (text, '[');
  for (gint64 i = 0; i < n; i++)
    g_string_append_printf (text, "%s%.4f", i > 0 ? ", " : "", numbers[i]);
  if (n > 1)
    g_string_append_c (text, ']');
}

char *
reel_affine_to_string (const ReelAffine *self)
{
  GString *text = g_string_new ("loc=");

  append_numbers (text, self->wide + self->tile, self->loc->len);
  g_string_append (text, ", scale=");
  append_numbers (text, self->wide, self->scale->len);
  return g_string_free (text, FALSE);
}

void
reel_affine_clear (ReelAffine *self)
{
  g_clear_pointer (&self->narrow, g_free);
  g_clear_pointer (&self->wide, g_free);
}
