#include "variant.h"

GVariant *
reel_variant_new_none (void)
{
  return g_variant_ref_sink (g_variant_new_maybe (G_VARIANT_TYPE_VARIANT, NULL));
}

gboolean
reel_variant_is_none (GVariant *value)
{
  return g_variant_is_of_type (value, G_VARIANT_TYPE_MAYBE);
}

gboolean
reel_variant_check_depth (guint depth, GError **error)
{
  if (depth <= REEL_VARIANT_MAX_DEPTH)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "a value is nested deeper than %d levels of lists and dicts",
               REEL_VARIANT_MAX_DEPTH);
  return FALSE;
}

static GVariant *convert (GVariant *value, guint depth, GError **error);

static GVariant *
set_type_error (GVariant *value, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "a value of the GVariant type \"%s\" has no counterpart in JSON: strings, numbers, "
               "booleans, nothing, and lists and dicts of these have",
               g_variant_get_type_string (value));
  return NULL;
}

static GVariant *
convert_uint64 (GVariant *value, GError **error)
{
  guint64 number = g_variant_get_uint64 (value);

  if (number <= G_MAXINT64)
    return g_variant_new_int64 ((gint64) number);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the integer %" G_GUINT64_FORMAT " is beyond 2^63 - 1", number);
  return NULL;
}

static gboolean
add_member (GVariantBuilder *builder, GVariant *member, guint depth, GError **error)
{
  g_autoptr (GVariant) key = g_variant_get_child_value (member, 0);
  g_autoptr (GVariant) value = g_variant_get_child_value (member, 1);
  GVariant *converted = convert (value, depth, error);

  if (converted)
    g_variant_builder_add (builder, "{sv}", g_variant_get_string (key, NULL), converted);
  return converted != NULL;
}

/* A list, a dict or a tuple: @type says which it becomes. */
static GVariant *
convert_container (GVariant *value, const GVariantType *type, guint depth, GError **error)
{
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (type);
  gboolean is_list = g_variant_type_equal (type, G_VARIANT_TYPE ("av"));
  gboolean is_dict = g_variant_type_equal (type, G_VARIANT_TYPE_VARDICT);

  for (gsize i = 0; i < g_variant_n_children (value); i++)
    {
      g_autoptr (GVariant) item = g_variant_get_child_value (value, i);
      GVariant *converted = is_dict ? NULL : convert (item, depth + 1, error);
      if (is_dict ? !add_member (&builder, item, depth + 1, error) : !converted)
        return NULL;
      if (converted)
        g_variant_builder_add_value (&builder,
                                     is_list ? g_variant_new_variant (converted) : converted);
    }
  return g_variant_builder_end (&builder);
}

static GVariant *
convert_nested (GVariant *value, guint depth, GError **error)
{
  g_autoptr (GVariant) inner =
      g_variant_is_of_type (value, G_VARIANT_TYPE_VARIANT) ? g_variant_get_variant (value) : NULL;
  g_autoptr (GVariant) held =
      g_variant_is_of_type (value, G_VARIANT_TYPE_MAYBE) ? g_variant_get_maybe (value) : NULL;

  if (inner || held)
    return convert (inner ? inner : held, depth, error);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_MAYBE))
    return g_variant_new_maybe (G_VARIANT_TYPE_VARIANT, NULL);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE ("a{s*}")))
    return convert_container (value, G_VARIANT_TYPE_VARDICT, depth, error);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE ("a{?*}")))
    return set_type_error (value, error);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_ARRAY))
    return convert_container (value, G_VARIANT_TYPE ("av"), depth, error);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_TUPLE))
    return convert_container (value, G_VARIANT_TYPE_TUPLE, depth, error);
  return set_type_error (value, error);
}

/* Returns: (transfer floating or none) */
static GVariant *
convert (GVariant *value, guint depth, GError **error)
{
  if (!reel_variant_check_depth (depth, error))
    return NULL;
  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_BOOLEAN: return g_variant_new_boolean (g_variant_get_boolean (value));
    case G_VARIANT_CLASS_BYTE: return g_variant_new_int64 (g_variant_get_byte (value));
    case G_VARIANT_CLASS_INT16: return g_variant_new_int64 (g_variant_get_int16 (value));
    case G_VARIANT_CLASS_UINT16: return g_variant_new_int64 (g_variant_get_uint16 (value));
    case G_VARIANT_CLASS_INT32: return g_variant_new_int64 (g_variant_get_int32 (value));
    case G_VARIANT_CLASS_UINT32: return g_variant_new_int64 (g_variant_get_uint32 (value));
    case G_VARIANT_CLASS_INT64: return g_variant_new_int64 (g_variant_get_int64 (value));
    case G_VARIANT_CLASS_UINT64: return convert_uint64 (value, error);
    case G_VARIANT_CLASS_DOUBLE: return g_variant_new_double (g_variant_get_double (value));
    case G_VARIANT_CLASS_STRING:
    case G_VARIANT_CLASS_OBJECT_PATH:
    case G_VARIANT_CLASS_SIGNATURE:
      return g_variant_new_string (g_variant_get_string (value, NULL));
    default: return convert_nested (value, depth, error);
    }
}

GVariant *
reel_variant_canonical (GVariant *value, GError **error)
{
  if (!value)
    return reel_variant_new_none ();
  g_autoptr (GVariant) kept = g_variant_ref_sink (value);
  GVariant *converted = convert (kept, 0, error);

  return converted ? g_variant_ref_sink (converted) : NULL;
}
