/* Columns that Arrow lends: their nulls, buffers, metadata and types, by the Arrow C data
 * interface. */
#include "arrow-column.h"

#include "../tensor/tensor-private.h"

#include <string.h>

gboolean
reel_arrow_is_null (const struct ArrowArray *array, gint64 i)
{
  const guint8 *bits = array->null_count != 0 && array->n_buffers > 0 ? array->buffers[0] : NULL;

  return bits && !(bits[i / 8] >> i % 8 & 1);
}

gboolean
reel_arrow_find_buffer (const struct ArrowArray *array, gint i, gint64 n, const char *path,
                        const guint8 **data, GError **error)
{
  *data = i < array->n_buffers ? array->buffers[i] : NULL;
  if (*data || n == 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"%s\" has %" G_GINT64_FORMAT " elements in Arrow, and no buffer %d", path, n, i);
  return FALSE;
}

/* Metadata are counted strings in pairs. */
char *
reel_arrow_find_metadata (const struct ArrowSchema *schema, const char *key)
{
  const char *at = schema->metadata;
  gint32 n = 0, lengths[2];

  if (at)
    memcpy (&n, at, sizeof n);
  for (at += sizeof n; n > 0; n--)
    {
      memcpy (&lengths[0], at, sizeof lengths[0]);
      const char *name = at + sizeof lengths[0];
      memcpy (&lengths[1], name + lengths[0], sizeof lengths[1]);
      const char *value = name + lengths[0] + sizeof lengths[1];
      if ((gsize) lengths[0] == strlen (key) && memcmp (name, key, lengths[0]) == 0)
        return g_strndup (value, lengths[1]);
      at = value + lengths[1];
    }
  return NULL;
}

gboolean
reel_arrow_dtype (const struct ArrowSchema *schema, ReelDtype *dtype)
{
  static const struct
  {
    char format;
    ReelDtype dtype;
  } types[] = {
    { 'b', REEL_DTYPE_BOOL },    { 'c', REEL_DTYPE_INT8 },    { 'C', REEL_DTYPE_UINT8 },
    { 's', REEL_DTYPE_INT16 },   { 'S', REEL_DTYPE_UINT16 },  { 'i', REEL_DTYPE_INT32 },
    { 'I', REEL_DTYPE_UINT32 },  { 'l', REEL_DTYPE_INT64 },   { 'L', REEL_DTYPE_UINT64 },
    { 'e', REEL_DTYPE_FLOAT16 }, { 'f', REEL_DTYPE_FLOAT32 }, { 'g', REEL_DTYPE_FLOAT64 },
  };
  gsize i = 0;

  while (i < G_N_ELEMENTS (types) && types[i].format != schema->format[0])
    i++;
  if (i == G_N_ELEMENTS (types) || schema->format[1] != '\0')
    return FALSE;
  *dtype = types[i].dtype;
  g_autofree char *extension = reel_arrow_find_metadata (schema, "ARROW:extension:name");
  g_autofree char *own = reel_arrow_find_metadata (schema, "reel:dtype");
  if (*dtype == REEL_DTYPE_INT8 && g_strcmp0 (extension, "arrow.bool8") == 0)
    *dtype = REEL_DTYPE_BOOL;
  if (*dtype == REEL_DTYPE_UINT16 && g_strcmp0 (own, "bfloat16") == 0)
    *dtype = REEL_DTYPE_BFLOAT16;
  return TRUE;
}

gboolean
reel_arrow_set_type_error (const struct ArrowSchema *schema, const char *path, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "\"%s\" is of Arrow's type \"%s\", which has no counterpart; there are booleans, "
               "numbers, strings, dictionaries of these, fixed-size lists of numbers and booleans, "
               "and structs that are in no list",
               path, schema->format);
  return FALSE;
}
