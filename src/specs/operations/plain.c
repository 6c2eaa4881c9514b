#include "plain.h"

#include "../element.h"

/* The state of a walk through the lists. */
typedef struct
{
  gint ndim;
  gint64 shape[REEL_MAX_NDIM];
  ReelDtype dtype;
} Shape;

static GVariant *
unbox (GVariant *plain)
{
  GVariant *inner = g_variant_ref (plain);

  while (g_variant_is_of_type (inner, G_VARIANT_TYPE_VARIANT))
    {
      GVariant *outer = inner;

      inner = g_variant_get_variant (outer);
      g_variant_unref (outer);
    }
  return inner;
}

static gboolean
is_list (GVariant *plain)
{
  return g_variant_is_of_type (plain, G_VARIANT_TYPE_ARRAY)
         && !g_variant_is_of_type (plain, G_VARIANT_TYPE_DICTIONARY);
}

/* ---- to a tensor ---- */

static gboolean
get_dtype (GVariant *number, ReelDtype *dtype, GError **error)
{
  switch (g_variant_classify (number))
    {
    case G_VARIANT_CLASS_BOOLEAN: *dtype = REEL_DTYPE_BOOL; return TRUE;
    case G_VARIANT_CLASS_DOUBLE: *dtype = REEL_DTYPE_FLOAT64; return TRUE;
    case G_VARIANT_CLASS_UINT64:
      *dtype = g_variant_get_uint64 (number) > G_MAXINT64 ? REEL_DTYPE_UINT64 : REEL_DTYPE_INT64;
      return TRUE;
    case G_VARIANT_CLASS_BYTE:
    case G_VARIANT_CLASS_INT16:
    case G_VARIANT_CLASS_UINT16:
    case G_VARIANT_CLASS_INT32:
    case G_VARIANT_CLASS_UINT32:
    case G_VARIANT_CLASS_INT64: *dtype = REEL_DTYPE_INT64; return TRUE;
    default: break;
    }
  g_autofree char *text = g_variant_print (number, FALSE);
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "%s cannot be encoded: it is not a number",
               text);
  return FALSE;
}

static ReelInteger
get_integer (GVariant *number)
{
  switch (g_variant_classify (number))
    {
    case G_VARIANT_CLASS_BOOLEAN: return g_variant_get_boolean (number);
    case G_VARIANT_CLASS_BYTE: return g_variant_get_byte (number);
    case G_VARIANT_CLASS_INT16: return g_variant_get_int16 (number);
    case G_VARIANT_CLASS_UINT16: return g_variant_get_uint16 (number);
    case G_VARIANT_CLASS_INT32: return g_variant_get_int32 (number);
    case G_VARIANT_CLASS_UINT32: return g_variant_get_uint32 (number);
    case G_VARIANT_CLASS_UINT64: return g_variant_get_uint64 (number);
    default: return g_variant_get_int64 (number);
    }
}

/* Takes the first item of each list as the measure of all. */
static gboolean
measure (GVariant *given, Shape *shape, GError **error)
{
  g_autoptr (GVariant) plain = unbox (given);
  g_autoptr (GVariant) first = NULL;

  if (!is_list (plain))
    return TRUE;
  if (shape->ndim == REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "cannot encode lists that are more than %d deep", REEL_MAX_NDIM);
      return FALSE;
    }
  shape->shape[shape->ndim++] = (gint64) g_variant_n_children (plain);
  if (g_variant_n_children (plain) == 0)
    return TRUE;
  first = g_variant_get_child_value (plain, 0);
  return measure (first, shape, error);
}

/* The greater of two types in the order bool, int64, uint64, float64. */
static ReelDtype
widen (ReelDtype a, ReelDtype b)
{
  static const ReelDtype order[] = { REEL_DTYPE_BOOL, REEL_DTYPE_INT64, REEL_DTYPE_UINT64 };

  for (gsize i = 0; i < G_N_ELEMENTS (order); i++)
    if (a == order[i] || b == order[i])
      return a == order[i] ? b : a;
  return REEL_DTYPE_FLOAT64;
}

/* Hands every number to @take; all lists must be as measured. */
static gboolean
walk (GVariant *given, Shape *shape, gint dim,
      gboolean (*take) (GVariant *number, Shape *shape, gpointer data, GError **error),
      gpointer data, GError **error)
{
  g_autoptr (GVariant) plain = unbox (given);
  gsize n = is_list (plain) ? g_variant_n_children (plain) : 0;

  if (is_list (plain) != (dim < shape->ndim)
      || (is_list (plain) && (gint64) n != shape->shape[dim]))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "cannot encode lists of different lengths: in dimension %d not all have "
                   "%" G_GINT64_FORMAT " items",
                   dim, dim < shape->ndim ? shape->shape[dim] : 0);
      return FALSE;
    }
  if (!is_list (plain))
    return take (plain, shape, data, error);
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GVariant) item = g_variant_get_child_value (plain, i);

      if (!walk (item, shape, dim + 1, take, data, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
note_dtype (GVariant *number, Shape *shape, gpointer data, GError **error)
{
  ReelDtype dtype;

  if (!get_dtype (number, &dtype, error))
    return FALSE;
  shape->dtype = widen (shape->dtype, dtype);
  return TRUE;
}

static gboolean
store (GVariant *number, Shape *shape, gpointer data, GError **error)
{
  guint8 **at = data;

  if (g_variant_is_of_type (number, G_VARIANT_TYPE_DOUBLE))
    reel_dtype_store_double (shape->dtype, *at, g_variant_get_double (number));
  else if (shape->dtype == REEL_DTYPE_FLOAT64)
    reel_dtype_store_double (shape->dtype, *at, (double) get_integer (number));
  else
    reel_element_store_integer (shape->dtype, *at, get_integer (number));
  *at += reel_dtype_size (shape->dtype);
  return TRUE;
}

ReelTensor *
reel_plain_to_tensor (GVariant *plain, GError **error)
{
  Shape shape = { .dtype = REEL_DTYPE_BOOL };
  ReelTensor *tensor;
  guint8 *at;

  if (!measure (plain, &shape, error) || !walk (plain, &shape, 0, note_dtype, NULL, error))
    return NULL;
  tensor = reel_tensor_new (shape.dtype, shape.ndim, shape.shape, error);
  if (!tensor)
    return NULL;
  at = tensor->data;
  walk (plain, &shape, 0, store, &at, NULL);
  return tensor;
}

/* ---- from a tensor ---- */

static GVariant *
get_number (ReelDtype dtype, const guint8 *element)
{
  ReelInteger value;

  if (dtype == REEL_DTYPE_BOOL)
    return g_variant_new_boolean (*element != 0);
  if (!reel_element_is_integer (dtype))
    return g_variant_new_double (reel_dtype_load_double (dtype, element));
  value = reel_element_load_integer (dtype, element);
  return value > G_MAXINT64 ? g_variant_new_uint64 ((guint64) value)
                            : g_variant_new_int64 ((gint64) value);
}

static GVariant *
list (const ReelTensor *tensor, const guint8 *at, gint dim)
{
  GVariantBuilder items;

  if (dim == tensor->ndim)
    return get_number (tensor->dtype, at);
  g_variant_builder_init (&items, G_VARIANT_TYPE ("av"));
  for (gint64 i = 0; i < tensor->shape[dim]; i++)
    g_variant_builder_add (&items, "v", list (tensor, at + i * tensor->strides[dim], dim + 1));
  return g_variant_builder_end (&items);
}

GVariant *
reel_plain_from_tensor (const ReelTensor *tensor, GError **error)
{
  if (reel_dtype_is_complex (tensor->dtype))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "%s numbers have no plain form",
                   reel_dtype_name (tensor->dtype));
      return NULL;
    }
  return g_variant_ref_sink (list (tensor, tensor->data, 0));
}
