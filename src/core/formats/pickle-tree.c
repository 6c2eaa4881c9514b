/* Values of a tree, for who walks it. */
#include "pickle-reader.h"

gboolean
reel_pickle_is_list (const ReelPickleItem *value)
{
  return value->kind == REEL_PICKLE_SEQUENCE;
}

gboolean
reel_pickle_is_dict (const ReelPickleItem *value)
{
  return value->kind == REEL_PICKLE_MAP;
}

guint
reel_pickle_count (const ReelPickleItem *value)
{
  return value->kind == REEL_PICKLE_MAP ? value->items->len / 2 : value->items->len;
}

const ReelPickleItem *
reel_pickle_get (const ReelPickleItem *value, guint i)
{
  return value->items->pdata[value->kind == REEL_PICKLE_MAP ? 2 * i + 1 : i];
}

const char *
reel_pickle_get_key (const ReelPickleItem *value, guint i)
{
  GVariant *key = reel_pickle_get_plain (value->items->pdata[2 * i]);

  return key && g_variant_is_of_type (key, G_VARIANT_TYPE_STRING) ? g_variant_get_string (key, NULL)
                                                                  : NULL;
}

const ReelPickleItem *
reel_pickle_find (const ReelPickleItem *value, const char *key)
{
  const ReelPickleItem *found = NULL;

  for (guint i = 0; reel_pickle_is_dict (value) && i < reel_pickle_count (value); i++)
    if (g_strcmp0 (reel_pickle_get_key (value, i), key) == 0)
      found = reel_pickle_get (value, i);
  return found;
}

GVariant *
reel_pickle_get_plain (const ReelPickleItem *value)
{
  return value->kind == REEL_PICKLE_VALUE ? value->value : NULL;
}

GBytes *
reel_pickle_get_bytes (const ReelPickleItem *value)
{
  return value->kind == REEL_PICKLE_BYTES && !value->ordered ? value->bytes : NULL;
}

const ReelArrayInfo *
reel_pickle_get_array (const ReelPickleItem *value, const guint8 **data)
{
  if (value->kind != REEL_PICKLE_ARRAY || !value->array)
    return NULL;
  *data = g_bytes_get_data (value->bytes, NULL);
  return value->array;
}
