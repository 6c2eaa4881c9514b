/* Values that are no tensors, as dictionaries of Arrow. */
#include "arrow-node.h"
#include "../tensor/tensor-private.h"

#include <string.h>

/* ---- the different values ---- */

/* The one type that all have, NULL where they have several. None has any. */
static const GVariantType *
find_type (GVariant *const *values, gint64 n)
{
  const GVariantType *const types[] = { G_VARIANT_TYPE_STRING, G_VARIANT_TYPE_INT64,
                                        G_VARIANT_TYPE_DOUBLE, G_VARIANT_TYPE_BOOLEAN };

  for (gsize t = 0; t < G_N_ELEMENTS (types); t++)
    {
      gint64 i = 0;
      while (i < n && g_variant_is_of_type (values[i], types[t]))
        i++;
      if (i == n)
        return types[t];
    }
  return NULL;
}

/* Offsets of 64 bits, and the text. */
static void
export_strings (GVariant *const *values, gint64 n, struct ArrowSchema *schema,
                struct ArrowArray *array)
{
  gint64 *offsets = g_new0 (gint64, n + 1);
  GString *text = g_string_new (NULL);

  for (gint64 i = 0; i < n; i++)
    {
      g_string_append (text, g_variant_get_string (values[i], NULL));
      offsets[i + 1] = (gint64) text->len;
    }
  reel_arrow_schema_init (schema, "U", "", 0, 0);
  reel_arrow_array_init (array, n, 3, 0);
  reel_arrow_array_set_buffer (array, 1, offsets, g_free, offsets);
  char *bytes = g_string_free (text, FALSE);
  reel_arrow_array_set_buffer (array, 2, bytes, g_free, bytes);
}

static void
export_booleans (GVariant *const *values, gint64 n, struct ArrowSchema *schema,
                 struct ArrowArray *array)
{
  guint8 *bits = g_new0 (guint8, n / 8 + 1);

  for (gint64 i = 0; i < n; i++)
    bits[i / 8] |= g_variant_get_boolean (values[i]) << i % 8;
  reel_arrow_schema_init (schema, "b", "", 0, 0);
  reel_arrow_array_init (array, n, 2, 0);
  reel_arrow_array_set_buffer (array, 1, bits, g_free, bits);
}

static void
export_numbers (GVariant *const *values, gint64 n, struct ArrowSchema *schema,
                struct ArrowArray *array)
{
  gboolean whole = n > 0 && g_variant_is_of_type (values[0], G_VARIANT_TYPE_INT64);
  guint8 *numbers = g_malloc0 ((gsize) n * 8 + 8);

  for (gint64 i = 0; i < n; i++)
    {
      gint64 integer = whole ? g_variant_get_int64 (values[i]) : 0;
      double real = whole ? 0 : g_variant_get_double (values[i]);
      memcpy (numbers + 8 * i, whole ? (gconstpointer) &integer : &real, 8);
    }
  reel_arrow_schema_init (schema, whole ? "l" : "g", "", 0, 0);
  reel_arrow_array_init (array, n, 2, 0);
  reel_arrow_array_set_buffer (array, 1, numbers, g_free, numbers);
}

static void
export_dictionary (GVariant *const *values, gint64 n, const GVariantType *type,
                   struct ArrowSchema *schema, struct ArrowArray *array)
{
  if (g_variant_type_equal (type, G_VARIANT_TYPE_STRING))
    export_strings (values, n, schema, array);
  else if (g_variant_type_equal (type, G_VARIANT_TYPE_BOOLEAN))
    export_booleans (values, n, schema, array);
  else
    export_numbers (values, n, schema, array);
}

/* ---- which of them ---- */

/* Bit i is whether element i has a value. Bits are left away where all have. */
static void
mark_nulls (const ReelTensor *which, struct ArrowArray *array)
{
  const gint64 *place = (const gint64 *) which->data;
  g_autofree guint8 *bits = g_new0 (guint8, array->length / 8 + 1);

  for (gint64 i = 0; i < array->length; i++)
    {
      bits[i / 8] |= (place[i] >= 0) << i % 8;
      array->null_count += place[i] < 0;
    }
  if (array->null_count == 0)
    return;
  gpointer kept = g_steal_pointer (&bits);
  reel_arrow_array_set_buffer (array, 0, kept, g_free, kept);
}

static void
release_tensor (gpointer tensor)
{
  reel_tensor_unref (tensor);
}

gboolean
reel_arrow_export_values (ReelNonTensor *values, const char *name, const char *path,
                          struct ArrowSchema *schema, struct ArrowArray *array, GError **error)
{
  gint64 n;
  GVariant *const *list = reel_non_tensor_get_values (values, &n);
  const GVariantType *type = find_type (list, n);

  if (!type)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "\"%s\" has no column for Arrow: its values are not all strings, all integers, "
                   "all reals or all booleans",
                   path);
      return FALSE;
    }
  ReelTensor *which = reel_tensor_in_order (reel_non_tensor_get_which (values), error);
  if (!which)
    return FALSE;
  name = reel_arrow_export_lists (name, which->ndim, which->shape, &schema, &array);
  reel_arrow_schema_init (schema, "l", name, ARROW_FLAG_NULLABLE, 0);
  reel_arrow_array_init (array, reel_tensor_numel (which), 2, 0);
  reel_arrow_array_set_buffer (array, 1, which->data, release_tensor, which);
  mark_nulls (which, array);
  export_dictionary (list, n, type, reel_arrow_schema_add_dictionary (schema),
                     reel_arrow_array_add_dictionary (array));
  return TRUE;
}
