/* Makes the structs of the Arrow C data interface, with what they point to behind private_data, and
 * releases them. */
#include "arrow-node.h"

#include <string.h>

/* ---- schemas ---- */

typedef struct
{
  char *format;
  char *name;
  GByteArray *metadata;
} SchemaParts;

static void
release_schema (struct ArrowSchema *schema)
{
  SchemaParts *parts = schema->private_data;

  for (gint64 i = 0; i < schema->n_children; i++)
    {
      /* A consumer may have moved a child away, which clears its release. */
      if (schema->children[i]->release)
        schema->children[i]->release (schema->children[i]);
      g_free (schema->children[i]);
    }
  if (schema->dictionary && schema->dictionary->release)
    schema->dictionary->release (schema->dictionary);
  g_free (schema->dictionary);
  g_free (schema->children);
  g_free (parts->format);
  g_free (parts->name);
  g_clear_pointer (&parts->metadata, g_byte_array_unref);
  g_free (parts);
  schema->release = NULL;
}

void
reel_arrow_schema_init (struct ArrowSchema *schema, const char *format, const char *name,
                        gint64 flags, gint64 n_children)
{
  SchemaParts *parts = g_new0 (SchemaParts, 1);

  parts->format = g_strdup (format);
  parts->name = g_strdup (name);
  *schema = (struct ArrowSchema){
    .format = parts->format,
    .name = parts->name,
    .flags = flags,
    .n_children = n_children,
    .children = g_new (struct ArrowSchema *, n_children),
    .release = release_schema,
    .private_data = parts,
  };
  for (gint64 i = 0; i < n_children; i++)
    schema->children[i] = g_new0 (struct ArrowSchema, 1);
}

static void
append_counted (GByteArray *bytes, const char *text)
{
  gint32 length = (gint32) strlen (text);

  g_byte_array_append (bytes, (const guint8 *) &length, sizeof length);
  g_byte_array_append (bytes, (const guint8 *) text, length);
}

void
reel_arrow_schema_annotate (struct ArrowSchema *schema, gint n, const char *const *pairs)
{
  SchemaParts *parts = schema->private_data;
  gint32 count = n;

  parts->metadata = g_byte_array_new ();
  g_byte_array_append (parts->metadata, (const guint8 *) &count, sizeof count);
  for (gint i = 0; i < 2 * n; i++)
    append_counted (parts->metadata, pairs[i]);
  schema->metadata = (const char *) parts->metadata->data;
}

struct ArrowSchema *
reel_arrow_schema_add_dictionary (struct ArrowSchema *schema)
{
  schema->dictionary = g_new0 (struct ArrowSchema, 1);
  return schema->dictionary;
}

/* ---- arrays ---- */

#define MAX_BUFFERS 3

typedef struct
{
  const void *buffers[MAX_BUFFERS];
  GDestroyNotify destroy[MAX_BUFFERS];
  gpointer owners[MAX_BUFFERS];
} ArrayParts;

static void
release_array (struct ArrowArray *array)
{
  ArrayParts *parts = array->private_data;

  for (gint64 i = 0; i < array->n_children; i++)
    {
      if (array->children[i]->release)
        array->children[i]->release (array->children[i]);
      g_free (array->children[i]);
    }
  if (array->dictionary && array->dictionary->release)
    array->dictionary->release (array->dictionary);
  g_free (array->dictionary);
  g_free (array->children);
  for (gint i = 0; i < MAX_BUFFERS; i++)
    if (parts->destroy[i])
      parts->destroy[i](parts->owners[i]);
  g_free (parts);
  array->release = NULL;
}

void
reel_arrow_array_init (struct ArrowArray *array, gint64 length, gint n_buffers, gint64 n_children)
{
  ArrayParts *parts = g_new0 (ArrayParts, 1);

  *array = (struct ArrowArray){
    .length = length,
    .n_buffers = n_buffers,
    .n_children = n_children,
    .buffers = parts->buffers,
    .children = g_new (struct ArrowArray *, n_children),
    .release = release_array,
    .private_data = parts,
  };
  for (gint64 i = 0; i < n_children; i++)
    array->children[i] = g_new0 (struct ArrowArray, 1);
}

void
reel_arrow_array_set_buffer (struct ArrowArray *array, gint i, gconstpointer data,
                             GDestroyNotify destroy, gpointer owner)
{
  ArrayParts *parts = array->private_data;

  parts->buffers[i] = data;
  parts->destroy[i] = destroy;
  parts->owners[i] = owner;
}

struct ArrowArray *
reel_arrow_array_add_dictionary (struct ArrowArray *array)
{
  array->dictionary = g_new0 (struct ArrowArray, 1);
  return array->dictionary;
}

/* ---- lists ---- */

const char *
reel_arrow_export_lists (const char *name, gint ndim, const gint64 *shape,
                         struct ArrowSchema **schema, struct ArrowArray **array)
{
  gint64 length = shape[0];

  for (gint i = 1; i < ndim; i++)
    {
      g_autofree char *format = g_strdup_printf ("+w:%" G_GINT64_FORMAT, shape[i]);
      reel_arrow_schema_init (*schema, format, name, 0, 1);
      reel_arrow_array_init (*array, length, 1, 1);
      *schema = (*schema)->children[0];
      *array = (*array)->children[0];
      length *= shape[i];
      name = "item";
    }
  return name;
}
