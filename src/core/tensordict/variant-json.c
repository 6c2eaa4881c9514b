/* GVariants to JSON and back. */
#include "variant.h"

#include <math.h>

/* ---- from JSON ---- */

static GVariant *read_value (const json_t *json, guint depth, GError **error);

/* JSON that was read is UTF-8; what was made of other text need not be. */
static gboolean
check_utf8 (const char *text, GError **error)
{
  g_autofree char *escaped = NULL;

  if (g_utf8_validate (text, -1, NULL))
    return TRUE;
  escaped = g_strescape (text, NULL);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"%s\" is not a value of JSON: it must be UTF-8", escaped);
  return FALSE;
}

static GVariant *
read_array (const json_t *json, guint depth, GError **error)
{
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("av"));

  for (gsize i = 0; i < json_array_size (json); i++)
    {
      GVariant *item = read_value (json_array_get (json, i), depth + 1, error);
      if (!item)
        return NULL;
      g_variant_builder_add (&builder, "v", item);
    }
  return g_variant_builder_end (&builder);
}

static GVariant *
read_object (const json_t *json, guint depth, GError **error)
{
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE_VARDICT);
  const char *key;
  json_t *member;

  json_object_foreach ((json_t *) json, key, member)
  {
    GVariant *value = check_utf8 (key, error) ? read_value (member, depth + 1, error) : NULL;
    if (!value)
      return NULL;
    g_variant_builder_add (&builder, "{sv}", key, value);
  }
  return g_variant_builder_end (&builder);
}

/* Returns: (transfer floating or none) */
static GVariant *
read_value (const json_t *json, guint depth, GError **error)
{
  if (!reel_variant_check_depth (depth, error))
    return NULL;
  switch (json_typeof (json))
    {
    case JSON_STRING:
      return check_utf8 (json_string_value (json), error)
                 ? g_variant_new_string (json_string_value (json))
                 : NULL;
    case JSON_INTEGER: return g_variant_new_int64 (json_integer_value (json));
    case JSON_REAL: return g_variant_new_double (json_real_value (json));
    case JSON_TRUE:
    case JSON_FALSE: return g_variant_new_boolean (json_is_true (json));
    case JSON_ARRAY: return read_array (json, depth, error);
    case JSON_OBJECT: return read_object (json, depth, error);
    default: return g_variant_new_maybe (G_VARIANT_TYPE_VARIANT, NULL);
    }
}

GVariant *
reel_variant_from_json (const json_t *json, GError **error)
{
  GVariant *value = read_value (json, 0, error);

  return value ? g_variant_ref_sink (value) : NULL;
}

/* ---- to JSON ---- */

static json_t *
write_object (GVariant *value)
{
  json_t *object = json_object ();
  GVariantIter iter;
  const char *key;
  GVariant *member;

  g_variant_iter_init (&iter, value);
  while (g_variant_iter_loop (&iter, "{&sv}", &key, &member))
    json_object_set_new (object, key, reel_variant_to_json (member));
  return object;
}

static json_t *
write_array (GVariant *value)
{
  json_t *array = json_array ();

  for (gsize i = 0; i < g_variant_n_children (value); i++)
    {
      g_autoptr (GVariant) item = g_variant_get_child_value (value, i);
      json_array_append_new (array, reel_variant_to_json (item));
    }
  return array;
}

json_t *
reel_variant_to_json (GVariant *value)
{
  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_STRING: return json_string (g_variant_get_string (value, NULL));
    case G_VARIANT_CLASS_INT64: return json_integer (g_variant_get_int64 (value));
    case G_VARIANT_CLASS_DOUBLE:
      return isfinite (g_variant_get_double (value)) ? json_real (g_variant_get_double (value))
                                                     : json_null ();
    case G_VARIANT_CLASS_BOOLEAN: return json_boolean (g_variant_get_boolean (value));
    case G_VARIANT_CLASS_MAYBE: return json_null ();
    case G_VARIANT_CLASS_VARIANT:
      {
        g_autoptr (GVariant) inner = g_variant_get_variant (value);
        return reel_variant_to_json (inner);
      }
    default:
      return g_variant_is_of_type (value, G_VARIANT_TYPE_DICTIONARY) ? write_object (value)
                                                                     : write_array (value);
    }
}
