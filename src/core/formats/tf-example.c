#include "tf-example.h"

#include "../object/error.h"

#include <string.h>

#define MOST_VARINT 10 /* bytes */

/* A message, or what is left of it. */
typedef struct
{
  const guint8 *begin; /* of the example, for messages */
  const guint8 *at, *end;
} Message;

enum
{
  VARINT = 0,
  FIXED64 = 1,
  BYTES = 2,
  FIXED32 = 5,
};

static gboolean
fail (const Message *self, const char *what, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "byte %" G_GSIZE_FORMAT " of the example: %s",
               (gsize) (self->at - self->begin), what);
  return FALSE;
}

/* ---- fields ---- */

static gboolean
take_varint (Message *self, guint64 *value, GError **error)
{
  *value = 0;
  for (guint i = 0; i < MOST_VARINT && self->at < self->end; i++)
    {
      const guint8 byte = *self->at++;

      *value |= (guint64) (byte & 0x7f) << (7 * i);
      if (!(byte & 0x80))
        return TRUE;
    }
  return fail (self, "a number is cut off, or has more than 64 bits", error);
}

static gboolean
take_part (Message *self, gsize length, Message *part, GError **error)
{
  if (length > (gsize) (self->end - self->at))
    return fail (self, "a field is cut off", error);
  *part = (Message){ self->begin, self->at, self->at + length };
  self->at += length;
  return TRUE;
}

/* @part has the bytes of a field of bytes, @value the number of any other. */
static gboolean
take_field (Message *self, guint *number, guint *form, Message *part, guint64 *value,
            GError **error)
{
  guint64 key, length;

  if (!take_varint (self, &key, error))
    return FALSE;
  *form = key & 7;
  *number = (guint) MIN (key >> 3, G_MAXUINT);
  switch (*form)
    {
    case VARINT: return take_varint (self, value, error);
    case FIXED64: return take_part (self, 8, part, error);
    case FIXED32: return take_part (self, 4, part, error);
    case BYTES:
      return take_varint (self, &length, error)
             && take_part (self, (gsize) MIN (length, G_MAXSIZE), part, error);
    default: return fail (self, "a field has an unknown form", error);
    }
}

/* ---- lists ---- */

static gboolean
add_floats (ReelTfFeature *feature, const Message *part, GError **error)
{
  const gsize length = (gsize) (part->end - part->at);

  if (length % sizeof (float))
    return fail (part, "a list of floats has a part of one", error);
  g_array_append_vals (feature->values, part->at, (guint) (length / sizeof (float)));
  return TRUE;
}

static gboolean
add_ints (ReelTfFeature *feature, Message *part, GError **error)
{
  guint64 value;

  while (part->at < part->end)
    {
      if (!take_varint (part, &value, error))
        return FALSE;
      g_array_append_val (feature->values, value);
    }
  return TRUE;
}

static void
add_bytes (ReelTfFeature *feature, const Message *part)
{
  const ReelTfBytes bytes = { part->at, (gsize) (part->end - part->at) };

  g_array_append_val (feature->values, bytes);
}

/* Numbers are packed, or one a field. */
static gboolean
add_value (ReelTfFeature *feature, guint form, Message *part, guint64 value, GError **error)
{
  if (feature->kind == REEL_TF_BYTES && form == BYTES)
    {
      add_bytes (feature, part);
      return TRUE;
    }
  if (feature->kind == REEL_TF_FLOATS && (form == BYTES || form == FIXED32))
    return add_floats (feature, part, error);
  if (feature->kind == REEL_TF_INTS && form == BYTES)
    return add_ints (feature, part, error);
  if (feature->kind == REEL_TF_INTS && form == VARINT)
    {
      g_array_append_val (feature->values, value);
      return TRUE;
    }
  return fail (part, "an element has another form than its list", error);
}

static gboolean
read_list (Message *self, ReelTfFeature *feature, GError **error)
{
  Message part = *self;
  guint64 value = 0;
  guint number, form;

  while (self->at < self->end)
    {
      if (!take_field (self, &number, &form, &part, &value, error))
        return FALSE;
      if (number == 1 && !add_value (feature, form, &part, value, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- features ---- */

static void
begin_list (ReelTfFeature *feature, ReelTfKind kind)
{
  static const gsize sizes[] = { 1, sizeof (ReelTfBytes), sizeof (float), sizeof (gint64) };

  if (feature->values)
    g_array_unref (feature->values);
  feature->kind = kind;
  feature->values = g_array_new (FALSE, FALSE, (guint) sizes[kind]);
}

/* One of bytes_list = 1, float_list = 2, int64_list = 3. */
static gboolean
read_feature (Message *self, ReelTfFeature *feature, GError **error)
{
  Message part = *self;
  guint64 value;
  guint number, form;

  begin_list (feature, REEL_TF_NOTHING);
  while (self->at < self->end)
    {
      if (!take_field (self, &number, &form, &part, &value, error))
        return FALSE;
      if (number < 1 || number > 3)
        continue;
      if (form != BYTES)
        return fail (self, "a feature has another form than a list", error);
      begin_list (feature, (ReelTfKind) number);
      if (!read_list (&part, feature, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_key (const Message *part, ReelTfFeature *feature, GError **error)
{
  if (!g_utf8_validate ((const char *) part->at, part->end - part->at, NULL))
    return fail (part, "the key of a feature is no UTF-8", error);
  g_free (feature->name);
  feature->name = g_strndup ((const char *) part->at, (gsize) (part->end - part->at));
  return TRUE;
}

/* key = 1, value = 2. */
static gboolean
read_entry (Message *self, ReelTfFeature *feature, GError **error)
{
  Message part = *self;
  guint64 value;
  guint number, form;

  feature->name = g_strdup ("");
  begin_list (feature, REEL_TF_NOTHING);
  while (self->at < self->end)
    {
      if (!take_field (self, &number, &form, &part, &value, error))
        return FALSE;
      if (number != 1 && number != 2)
        continue;
      if (form != BYTES)
        return fail (self, "an entry of the features has another form than key and value", error);
      if (number == 1 ? !read_key (&part, feature, error) : !read_feature (&part, feature, error))
        return FALSE;
    }
  return TRUE;
}

static void
clear_feature (gpointer data)
{
  ReelTfFeature *feature = data;

  g_free (feature->name);
  g_clear_pointer (&feature->values, g_array_unref);
}

/* Where each key is, +1. */
static void
put_feature (GArray *features, GHashTable *places, ReelTfFeature *feature)
{
  guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, feature->name));

  if (place > 0)
    {
      g_hash_table_replace (places, feature->name, GUINT_TO_POINTER (place));
      clear_feature (&g_array_index (features, ReelTfFeature, place - 1));
      g_array_index (features, ReelTfFeature, place - 1) = *feature;
      return;
    }
  g_array_append_val (features, *feature);
  g_hash_table_insert (places, feature->name, GUINT_TO_POINTER (features->len));
}

/* The features of a message of them: entries of a map, field 1. */
static gboolean
read_features (Message *self, GArray *features, GHashTable *places, GError **error)
{
  Message part = *self;
  guint64 value;
  guint number, form;

  while (self->at < self->end)
    {
      ReelTfFeature feature = { 0 };

      if (!take_field (self, &number, &form, &part, &value, error))
        return FALSE;
      if (number != 1)
        continue;
      if (form != BYTES)
        return fail (self, "the features have another form than entries", error);
      if (!read_entry (&part, &feature, error))
        {
          clear_feature (&feature);
          return FALSE;
        }
      put_feature (features, places, &feature);
    }
  return TRUE;
}

GArray *
reel_tf_example_read (const guint8 *data, gsize length, GError **error)
{
  g_autoptr (GArray) features = g_array_new (FALSE, FALSE, sizeof (ReelTfFeature));
  g_autoptr (GHashTable) places = g_hash_table_new (g_str_hash, g_str_equal);
  Message self = { data, data, data + length }, part = self;
  guint64 value;
  guint number, form;

  g_array_set_clear_func (features, clear_feature);
  while (self.at < self.end)
    {
      if (!take_field (&self, &number, &form, &part, &value, error))
        return NULL;
      if (number != 1)
        continue;
      if (form != BYTES)
        {
          fail (&self, "the example has another form than features", error);
          return NULL;
        }
      if (!read_features (&part, features, places, error))
        return NULL;
    }
  return g_steal_pointer (&features);
}

const ReelTfFeature *
reel_tf_example_find (const GArray *features, const char *name)
{
  for (guint i = 0; i < features->len; i++)
    if (g_str_equal (g_array_index (features, ReelTfFeature, i).name, name))
      return &g_array_index (features, ReelTfFeature, i);
  return NULL;
}
