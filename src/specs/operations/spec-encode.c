/* Values from plain numbers, and back. */
#include <string.h>

#include "../kinds/class-spec.h"
#include "../kinds/non-tensor-spec.h"
#include "plain.h"
#include "../spec-stack.h"
#include "../spec-values.h"

/* ---- numbers that take the dtype and shape of the spec ---- */

static ReelTensor *
convert (ReelTensor *raw, ReelDtype dtype, GError **error)
{
  g_autoptr (ReelTensor) rows = NULL;
  ReelTensor *converted;

  if (raw->dtype == dtype)
    return reel_tensor_ref (raw);
  rows = reel_tensor_contiguous (raw, error);
  converted = rows ? reel_tensor_new (dtype, rows->ndim, rows->shape, error) : NULL;
  for (gsize i = 0; converted && i < (gsize) reel_tensor_numel (rows); i++)
    reel_element_cast (rows->dtype, rows->data + i * reel_dtype_size (rows->dtype), dtype,
                       converted->data + i * reel_dtype_size (dtype));
  return converted;
}

/* Whether every extent is that of the spec, or any will do. */
static gboolean
has_shape (const ReelSpec *spec, const ReelTensor *value)
{
  for (gint i = 0; i < MIN (spec->ndim, value->ndim); i++)
    if (spec->shape[i] != -1 && spec->shape[i] != value->shape[i])
      return FALSE;
  return spec->ndim == value->ndim;
}

static ReelTensor *
reshape (const ReelSpec *spec, ReelTensor *value, GError **error)
{
  g_autoptr (ReelTensor) rows = NULL;
  ReelTensor *shaped = NULL;

  if (has_shape (spec, value))
    return reel_tensor_ref (value);
  rows = reel_tensor_contiguous (value, error);
  if (!rows)
    return NULL;
  shaped = reel_tensor_view (rows, spec->ndim, spec->shape, NULL);
  if (!shaped)
    {
      g_autofree char *has = reel_spec_format_shape (value->ndim, value->shape, ", ");
      g_autofree char *wants = reel_spec_format_shape (spec->ndim, spec->shape, ", ");
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "Shape mismatch: the value has shape torch.Size(%s) which is incompatible with "
                   "the spec shape torch.Size(%s).",
                   has, wants);
    }
  return shaped;
}

static ReelTensor *
take_numbers (const ReelSpec *spec, ReelTensor *raw, GError **error)
{
  g_autoptr (ReelTensor) converted = convert (raw, spec->dtype, error);

  return converted ? reshape (spec, converted, error) : NULL;
}

/* ---- classes that become one-hot vectors ---- */

/* The words begin as TorchRL's do. */
static gboolean
refuse_class (const ReelClassSpec *self, gint64 component, gint64 class, GError **error)
{
  gint64 n = self->sizes[component];

  if (class < 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "value %" G_GINT64_FORMAT " is less than 0: the classes of component "
                 "%" G_GINT64_FORMAT " are 0 to %" G_GINT64_FORMAT "; clip it",
                 class, component, n - 1);
  else if (self->n != 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION,
                 "Value must be less than action space: %" G_GINT64_FORMAT
                 " is not below %" G_GINT64_FORMAT "; clip it, or make the spec with a greater n",
                 class, n);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "value %" G_GINT64_FORMAT " is greater than the allowed max %" G_GINT64_FORMAT
                 ": the classes of component %" G_GINT64_FORMAT " are 0 to %" G_GINT64_FORMAT
                 "; clip it, or make the spec with a greater nvec",
                 class, n, component, n - 1);
  return FALSE;
}

static gboolean
check_classes (const ReelSpec *spec, const ReelTensor *classes, GError **error)
{
  const ReelClassSpec *self = reel_class_spec (spec);
  const gint64 *class = (const gint64 *) (gpointer) classes->data;

  for (gint64 i = 0; i < reel_tensor_numel (classes); i++)
    {
      gint64 component = i % self->n_components;
      if (class[i] < 0 || class[i] >= self->sizes[component])
        return refuse_class (self, component, class[i], error);
    }
  return TRUE;
}

static ReelTensor *
take_classes (const ReelSpec *spec, ReelTensor *raw, GError **error)
{
  g_autoptr (ReelTensor) classes = convert (raw, REEL_DTYPE_INT64, error);
  g_autoptr (ReelTensor) rows = classes ? reel_tensor_contiguous (classes, error) : NULL;
  g_autoptr (ReelTensor) vectors = NULL;

  if (!rows || !check_classes (spec, rows, error))
    return NULL;
  vectors = reel_class_spec_to_one_hot (spec, rows, spec->dtype, error);
  if (!vectors || reel_class_spec (spec)->n != 0)
    return g_steal_pointer (&vectors);
  return reshape (spec, vectors, error);
}

/* ---- encoding ---- */

static gboolean
check_encodes (const ReelSpec *spec, GError **error)
{
  if (reel_spec_is_lazy (spec))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "encode is not implemented for %s specs: encode by each member",
                   reel_spec_class_name (spec));
      return FALSE;
    }
  if (!reel_spec_is_non_tensor (spec))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "the values of this %s spec are not tensors: see reel_spec_encode_non_tensor()",
               reel_spec_class_name (spec));
  return FALSE;
}

static ReelTensor *
checked (const ReelSpec *spec, ReelTensor *value, gboolean check, GError **error)
{
  if (!value || !check || reel_spec_assert_is_in (spec, value, error))
    return value;
  reel_tensor_unref (value);
  return NULL;
}

static gboolean
is_of_vectors (const ReelSpec *spec)
{
  return spec->kind->classes == REEL_SPEC_CLASSES_VECTORS;
}

ReelTensor *
reel_spec_encode_array (const ReelSpec *spec, ReelTensor *raw, gboolean check, GError **error)
{
  g_return_val_if_fail (spec && raw && !reel_spec_is_composite (spec), NULL);

  if (!check_encodes (spec, error))
    return NULL;
  return checked (spec,
                  is_of_vectors (spec) ? take_classes (spec, raw, error)
                                       : take_numbers (spec, raw, error),
                  check, error);
}

ReelTensor *
reel_spec_encode_tensor (const ReelSpec *spec, ReelTensor *raw, gboolean check, GError **error)
{
  g_return_val_if_fail (spec && raw && !reel_spec_is_composite (spec), NULL);

  if (!check_encodes (spec, error))
    return NULL;
  return checked (spec,
                  is_of_vectors (spec) ? take_classes (spec, raw, error) : reel_tensor_ref (raw),
                  check, error);
}

ReelTensor *
reel_spec_encode (const ReelSpec *spec, GVariant *raw, gboolean check, GError **error)
{
  g_return_val_if_fail (spec && raw && !reel_spec_is_composite (spec), NULL);

  g_autoptr (GVariant) value = g_variant_ref_sink (raw);
  g_autoptr (ReelTensor) array = reel_plain_to_tensor (value, error);
  return array ? reel_spec_encode_array (spec, array, check, error) : NULL;
}

static ReelTensor *
encode_list (const ReelSpec *spec, ReelDtype dtype, gconstpointer raw, gsize n, gboolean check,
             GError **error)
{
  g_autoptr (ReelTensor) array = reel_tensor_new (dtype, 1, (const gint64[]){ (gint64) n }, error);

  if (!array)
    return NULL;
  if (n > 0)
    memcpy (array->data, raw, n * reel_dtype_size (dtype));
  return reel_spec_encode_array (spec, array, check, error);
}

ReelTensor *
reel_spec_encode_doubles (const ReelSpec *spec, const double *raw, gsize n, gboolean check,
                          GError **error)
{
  return encode_list (spec, REEL_DTYPE_FLOAT64, raw, n, check, error);
}

ReelTensor *
reel_spec_encode_integers (const ReelSpec *spec, const gint64 *raw, gsize n, gboolean check,
                           GError **error)
{
  return encode_list (spec, REEL_DTYPE_INT64, raw, n, check, error);
}

/* ---- decoding ---- */

ReelTensor *
reel_spec_to_plain (const ReelSpec *spec, ReelTensor *value, gboolean check, GError **error)
{
  g_return_val_if_fail (spec && value && !reel_spec_is_composite (spec), NULL);

  if (check && !reel_spec_assert_is_in (spec, value, error))
    return NULL;
  return is_of_vectors (spec) ? reel_class_spec_to_categorical (spec, value, error)
                              : reel_tensor_ref (value);
}

GVariant *
reel_spec_to_variant (const ReelSpec *spec, ReelTensor *value, gboolean check, GError **error)
{
  g_autoptr (ReelTensor) plain = reel_spec_to_plain (spec, value, check, error);

  return plain ? reel_plain_from_tensor (plain, error) : NULL;
}
