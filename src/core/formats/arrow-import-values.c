/* Columns of Arrow that become values that are no tensors. */
#include "arrow-column.h"
#include "../tensor/tensor-private.h"
#include "../tensordict/variant.h"

#include <string.h>

static gboolean
is_text (const struct ArrowSchema *schema)
{
  return strcmp (schema->format, "u") == 0 || strcmp (schema->format, "U") == 0;
}

gboolean
reel_arrow_is_values (const struct ArrowSchema *schema)
{
  return schema->dictionary || is_text (schema);
}

/* ---- one of them ---- */

/* Offsets of 32 bits in plain strings, of 64 bits in large ones. */
static gint64
offset_at (const ReelArrowColumn *column, const guint8 *offsets, gint64 i)
{
  gint32 narrow;
  gint64 wide;

  memcpy (&narrow, offsets + (gsize) i * sizeof narrow, sizeof narrow);
  if (column->schema->format[0] == 'u')
    return narrow;
  memcpy (&wide, offsets + (gsize) i * sizeof wide, sizeof wide);
  return wide;
}

static GVariant *
read_text (const ReelArrowColumn *column, gint64 i, GError **error)
{
  const guint8 *offsets, *text;

  if (!reel_arrow_find_buffer (column->array, 1, 1, column->path, &offsets, error))
    return NULL;
  gint64 begin = offset_at (column, offsets, i), end = offset_at (column, offsets, i + 1);
  if (!reel_arrow_find_buffer (column->array, 2, end - begin, column->path, &text, error))
    return NULL;
  if (end > begin && !g_utf8_validate_len ((const char *) text + begin, end - begin, NULL))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "\"%s\" has text that is not UTF-8, or contains NUL, at element "
                   "%" G_GINT64_FORMAT,
                   column->path, i - column->begin);
      return NULL;
    }
  return g_variant_new_take_string (
      end > begin ? g_strndup ((const char *) text + begin, end - begin) : g_strdup (""));
}

/* Floating, NULL for a type without counterpart. */
static GVariant *
new_number (ReelDtype dtype, const guint8 *element)
{
  union
  {
    gint8 i8;
    gint16 i16;
    gint32 i32;
    gint64 i64;
    guint8 u8;
    guint16 u16;
    guint32 u32;
    guint64 u64;
    float f32;
    double f64;
  } value;

  memcpy (&value, element, reel_dtype_size (dtype));
  switch (dtype)
    {
    case REEL_DTYPE_INT8: return g_variant_new_int64 (value.i8);
    case REEL_DTYPE_INT16: return g_variant_new_int64 (value.i16);
    case REEL_DTYPE_INT32: return g_variant_new_int64 (value.i32);
    case REEL_DTYPE_INT64: return g_variant_new_int64 (value.i64);
    case REEL_DTYPE_UINT8: return g_variant_new_int64 (value.u8);
    case REEL_DTYPE_UINT16: return g_variant_new_int64 (value.u16);
    case REEL_DTYPE_UINT32: return g_variant_new_int64 (value.u32);
    case REEL_DTYPE_UINT64: return g_variant_new_uint64 (value.u64);
    case REEL_DTYPE_FLOAT32: return g_variant_new_double (value.f32);
    case REEL_DTYPE_FLOAT64: return g_variant_new_double (value.f64);
    case REEL_DTYPE_BOOL: return g_variant_new_boolean (value.u8 != 0);
    default: return NULL;
    }
}

static GVariant *
read_number (const ReelArrowColumn *column, ReelDtype dtype, gint64 i, GError **error)
{
  const guint8 *data;

  if (!reel_arrow_find_buffer (column->array, 1, 1, column->path, &data, error))
    return NULL;
  if (column->schema->format[0] == 'b')
    return g_variant_new_boolean (data[i / 8] >> i % 8 & 1);
  GVariant *number = new_number (dtype, data + (gsize) i * reel_dtype_size (dtype));
  if (!number)
    reel_arrow_set_type_error (column->schema, column->path, error);
  return number;
}

/* A null is None. */
static GVariant *
read_value (const ReelArrowColumn *column, gint64 i, GError **error)
{
  ReelDtype dtype;

  if (reel_arrow_is_null (column->array, i))
    return reel_variant_new_none ();
  if (is_text (column->schema))
    return read_text (column, i, error);
  if (!column->schema->dictionary && reel_arrow_dtype (column->schema, &dtype))
    return read_number (column, dtype, i, error);
  reel_arrow_set_type_error (column->schema, column->path, error);
  return NULL;
}

static GPtrArray *
read_values (const ReelArrowColumn *column, GError **error)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);

  for (gint64 i = 0; i < column->n; i++)
    {
      GVariant *value = read_value (column, column->begin + i, error);
      if (!value)
        return NULL;
      g_ptr_array_add (values, g_variant_take_ref (value));
    }
  return g_steal_pointer (&values);
}

/* ---- which of them ---- */

static gboolean
read_places (const ReelArrowColumn *column, ReelDtype dtype, gint64 n_values, gint64 *places,
             GError **error)
{
  for (gint64 i = 0; i < column->n; i++)
    {
      g_autoptr (GVariant) number = NULL;
      if (reel_arrow_is_null (column->array, column->begin + i))
        {
          places[i] = -1;
          continue;
        }
      number = read_number (column, dtype, column->begin + i, error);
      if (!number)
        return FALSE;
      places[i] = g_variant_is_of_type (number, G_VARIANT_TYPE_INT64) ? g_variant_get_int64 (number)
                                                                      : G_MAXINT64;
      if (places[i] >= 0 && places[i] < n_values)
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "\"%s\": element %" G_GINT64_FORMAT " is number %" G_GINT64_FORMAT
                   " of a dictionary of %" G_GINT64_FORMAT,
                   column->path, i, places[i], n_values);
      return FALSE;
    }
  return TRUE;
}

static ReelArrowColumn
dictionary_of (const ReelArrowColumn *column)
{
  const struct ArrowArray *array = column->array->dictionary;

  return (ReelArrowColumn){ .schema = column->schema->dictionary,
                            .array = array,
                            .begin = array->offset,
                            .n = array->length,
                            .path = column->path };
}

/* Each element is its own where there is no dictionary; equal ones are kept once all the same. */
ReelNonTensor *
reel_arrow_import_values (const ReelArrowColumn *column, GError **error)
{
  g_autoptr (ReelTensor) which =
      reel_tensor_new (REEL_DTYPE_INT64, column->ndim, column->shape, error);
  gint64 *places = which ? (gint64 *) which->data : NULL;
  ReelArrowColumn from = *column;
  ReelDtype dtype;

  if (!which)
    return NULL;
  if (column->schema->dictionary)
    {
      if (!column->array->dictionary || !reel_arrow_dtype (column->schema, &dtype))
        {
          reel_arrow_set_type_error (column->schema, column->path, error);
          return NULL;
        }
      from = dictionary_of (column);
      if (!read_places (column, dtype, from.n, places, error))
        return NULL;
    }
  else
    for (gint64 i = 0; i < column->n; i++)
      places[i] = i;
  g_autoptr (GPtrArray) values = read_values (&from, error);
  if (!values)
    return NULL;
  ReelNonTensor *result =
      reel_non_tensor_new_from_which ((GVariant *const *) values->pdata, values->len, which, error);
  if (!result)
    g_prefix_error (error, "\"%s\": ", column->path);
  return result;
}
