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

void
reel_affine_add_shape_property (ReelObjectClass *klass, gsize offset)
{
  reel_object_class_add_list (klass, "shape", offset + G_STRUCT_OFFSET (ReelAffine, shape),
                              "extents of the last dimensions, with a number in loc and scale for "
                              "each element of them; by default the last dimension alone",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
}

gboolean
reel_affine_is_set (const ReelAffine *self)
{
  return self->loc && self->scale;
}

/* check_shape: whether it has an element for each number. */
static gboolean
check_shape (const ReelAffine *self, GError **error)
{
  double n = 1;
  gboolean whole = TRUE;

  for (guint i = 0; self->shape && i < self->shape->len; i++)
    {
      double extent = g_array_index (self->shape, double, i);

      whole = whole && extent >= 1 && extent <= G_MAXINT32 && extent == floor (extent);
      n *= extent;
    }
  if (!self->shape || (whole && n == (double) self->period && self->shape->len <= REEL_MAX_NDIM))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "loc and scale have %" G_GINT64_FORMAT
               " numbers, which is not one for each element of their shape",
               self->period);
  return FALSE;
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
  return check_shape (self, error);
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

/* fits_shape: whether the last dimensions of @value are those that there are numbers for. */
static gboolean
fits_shape (const ReelAffine *self, const ReelTensor *value)
{
  gint first = value->ndim - (gint) self->shape->len;

  for (gint i = MAX (first, 0); i < value->ndim; i++)
    if ((double) value->shape[i] != g_array_index (self->shape, double, i - first))
      return FALSE;
  return first >= 0;
}

static gboolean
fits_last (const ReelAffine *self, const ReelTensor *value)
{
  gint last = value->ndim - 1;

  if (last > 0 && value->shape[last] == 1)
    last--;
  return last >= 0 && value->shape[last] == self->period;
}

static gboolean
fits (const ReelAffine *self, const ReelTensor *value, GError **error)
{
  if (self->shape ? fits_shape (self, value) : self->period == 1 || fits_last (self, value))
    return TRUE;
  g_autofree char *shape = reel_shape_to_string (value->ndim, value->shape);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "loc and scale have %" G_GINT64_FORMAT
               " numbers, which does not fit a tensor of shape %s",
               self->period, shape);
  return FALSE;
}

/* Numbers from @first on, repeated after @period elements. */
typedef struct
{
  const ReelAffine *affine;
  gint64 first;
  gint64 period;
} Part;

static void
multiply (const ReelTensor *in, ReelTensor *out, gconstpointer user_data)
{
  const Part *part = user_data;
  const ReelAffine *self = part->affine;
  const ReelPointwiseKernels *kernels = REEL_KERNEL_PICK (reel_pointwise_kernels, self->isa);
  const float *narrow = self->narrow + part->first;
  const double *wide = self->wide + part->first;
  gint64 n = reel_tensor_numel (in), tile = self->tile;

  if (in->dtype == REEL_DTYPE_FLOAT32)
    kernels->scale_f32 ((const float *) in->data, narrow, narrow + tile, part->period,
                        (float *) out->data, n);
  else
    kernels->scale_f64 ((const double *) in->data, wide, wide + tile, part->period,
                        (double *) out->data, n);
}

static void
divide (const ReelTensor *in, ReelTensor *out, gconstpointer user_data)
{
  const Part *part = user_data;
  const ReelAffine *self = part->affine;
  const ReelPointwiseKernels *kernels = REEL_KERNEL_PICK (reel_pointwise_kernels, self->isa);
  const float *narrow = self->narrow + part->first;
  const double *wide = self->wide + part->first;
  gint64 n = reel_tensor_numel (in), tile = self->tile;

  if (in->dtype == REEL_DTYPE_FLOAT32)
    kernels->standardize_f32 ((const float *) in->data, narrow, narrow + tile, part->period,
                              (float *) out->data, n);
  else
    kernels->standardize_f64 ((const double *) in->data, wide, wide + tile, part->period,
                              (double *) out->data, n);
}

static ReelTensor *
apply (const Part *part, ReelTensor *value, gboolean inverse, GError **error)
{
  return reel_pointwise (value, part->affine->standard_normal == inverse ? multiply : divide, part,
                         error);
}

ReelTensor *
reel_affine_apply (const ReelAffine *self, ReelTensor *value, gboolean inverse, GError **error)
{
  const Part part = { self, 0, self->tile };

  return fits (self, value, error) ? apply (&part, value, inverse, error) : NULL;
}

ReelTensor *
reel_affine_apply_from (const ReelAffine *self, ReelTensor *value, gint64 first, gboolean inverse,
                        GError **error)
{
  const Part part = { self, first, MAX (reel_tensor_numel (value), 1) };

  g_return_val_if_fail (first + reel_tensor_numel (value) <= self->tile, NULL);
  return apply (&part, value, inverse, error);
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
