/* Specs of classes: integers made one-hot vectors, and back. */
#include <string.h>

#include "class-spec.h"

static ReelTensor *
new_vectors (const ReelSpec *spec, const ReelTensor *classes, ReelDtype dtype, GError **error)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  gint n_batch = classes->ndim - reel_class_spec_is_multi (spec);
  gint64 shape[REEL_MAX_NDIM + 1];

  if (n_batch < 0
      || (reel_class_spec_is_multi (spec) && classes->shape[n_batch] != self->n_components))
    {
      g_autofree char *has = reel_spec_format_shape (classes->ndim, classes->shape, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "classes of shape %s do not end in the %" G_GINT64_FORMAT
                   " components of the %s spec",
                   has, self->n_components, reel_spec_class_name (spec));
      return NULL;
    }
  for (gint i = 0; i < n_batch; i++)
    shape[i] = classes->shape[i];
  shape[n_batch] = self->offsets[self->n_components];
  return reel_tensor_new (dtype, n_batch + 1, shape, error);
}

static gboolean
set_hot (const ReelClassSpec *self, const ReelTensor *classes, gint64 i, ReelTensor *vectors,
         GError **error)
{
  gint64 component = i % self->n_components;
  gint64 vector = i / self->n_components * self->offsets[self->n_components];
  ReelInteger class = reel_element_load_integer (
      classes->dtype, classes->data + (gsize) i * reel_dtype_size (classes->dtype));

  if (class < 0 || class >= self->sizes[component])
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "class %" G_GINT64_FORMAT " is not in 0 to %" G_GINT64_FORMAT, (gint64) class,
                   self->sizes[component] - 1);
      return FALSE;
    }
  reel_element_store_integer (vectors->dtype,
                              vectors->data
                                  + (gsize) (vector + self->offsets[component] + (gint64) class)
                                        * reel_dtype_size (vectors->dtype),
                              1);
  return TRUE;
}

ReelTensor *
reel_class_spec_to_one_hot (const ReelSpec *spec, ReelTensor *classes, ReelDtype dtype,
                            GError **error)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  g_autoptr (ReelTensor) rows = NULL;
  g_autoptr (ReelTensor) vectors = NULL;

  if (!reel_class_spec_check_alike (spec, "make one-hot vectors", error))
    return NULL;
  if (!reel_element_is_integer (classes->dtype))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "classes cannot be %s: they are integers",
                   reel_dtype_name (classes->dtype));
      return NULL;
    }
  rows = reel_tensor_contiguous (classes, error);
  vectors = rows ? new_vectors (spec, rows, dtype, error) : NULL;
  for (gint64 i = 0; vectors && i < reel_tensor_numel (rows); i++)
    if (!set_hot (self, rows, i, vectors, error))
      return NULL;
  return g_steal_pointer (&vectors);
}

static ReelTensor *
new_classes (const ReelSpec *spec, const ReelTensor *vectors, GError **error)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  gint n_batch = vectors->ndim - 1;
  gint64 width = self->offsets[self->n_components];
  gint64 shape[REEL_MAX_NDIM];

  if (n_batch < 0 || vectors->shape[n_batch] != width)
    {
      g_autofree char *has = reel_spec_format_shape (vectors->ndim, vectors->shape, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "vectors of shape %s do not end in the %" G_GINT64_FORMAT
                   " classes of the %s spec",
                   has, width, reel_spec_class_name (spec));
      return NULL;
    }
  memcpy (shape, vectors->shape, (gsize) n_batch * sizeof *shape);
  shape[n_batch] = self->n_components;
  return reel_tensor_new (REEL_DTYPE_INT64, n_batch + reel_class_spec_is_multi (spec), shape,
                          error);
}

ReelTensor *
reel_class_spec_to_categorical (const ReelSpec *spec, ReelTensor *vectors, GError **error)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  g_autoptr (ReelTensor) rows = reel_tensor_contiguous (vectors, error);
  ReelTensor *classes = rows ? new_classes (spec, rows, error) : NULL;
  gint64 k = self->n_components;
  gint64 *class = classes ? (gint64 *) (gpointer) classes->data : NULL;

  for (gint64 i = 0; classes && i < reel_tensor_numel (classes); i++)
    {
      gint64 at = i / k * self->offsets[k] + self->offsets[i % k];

      class[i] = reel_class_vectors_find_greatest (
          rows->dtype, rows->data + (gsize) at * reel_dtype_size (rows->dtype), self->sizes[i % k],
          NULL);
    }
  return classes;
}
