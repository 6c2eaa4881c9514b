#include "tensordict-private.h"

#include <string.h>

/* A scan of this many hashes costs less than a look-up in a hash table. */
#define MAX_SCANNED 16

/* Entries that a tensordict has room for at first. */
#define USUAL_ENTRIES 8

/* Room for a key, and that it escaped, in a block of entries: of a usual length. */
#define USUAL_KEY 16

G_DEFINE_BOXED_TYPE (ReelTensordict, reel_tensordict, reel_tensordict_ref, reel_tensordict_unref)

/* ---- entries ---- */

static void
entry_clear_value (ReelTensordictEntry *entry)
{
  g_clear_pointer (&entry->tensor, reel_tensor_unref);
  g_clear_pointer (&entry->child, reel_tensordict_unref);
  g_clear_pointer (&entry->non_tensor, reel_non_tensor_unref);
}

static void
entry_take_value (ReelTensordictEntry *entry, ReelTensordictValue value)
{
  entry->tensor = value.tensor;
  entry->child = value.child;
  entry->non_tensor = value.non_tensor;
}

static void
entry_free (gpointer data)
{
  ReelTensordictEntry *entry = data;

  entry_clear_value (entry);
  if (!entry->in_block)
    g_free (entry);
}

static gsize
entry_size (gsize key_size)
{
  gsize alignment = G_ALIGNOF (ReelTensordictEntry);

  return (sizeof (ReelTensordictEntry) + key_size + alignment - 1) / alignment * alignment;
}

void
reel_tensordict_reserve (ReelTensordict *td, guint n)
{
  g_return_if_fail (td->block == NULL);

  td->block_left = n * entry_size (USUAL_KEY);
  td->block = n > 0 ? g_malloc (td->block_left) : NULL;
}

/* Taken from the end of the block of @td, if it has one with so much room. */
static ReelTensordictEntry *
allocate_entry (ReelTensordict *td, gsize size)
{
  if (!td->block || size > td->block_left)
    return NULL;
  td->block_left -= size;
  return (ReelTensordictEntry *) (td->block + td->block_left);
}

/* In one block with its key: views of a tensordict make as many entries as it has. */
static ReelTensordictEntry *
entry_new (ReelTensordict *td, const char *key, gsize key_length, const char *escaped, gsize length,
           guint hash)
{
  gsize key_size = key_length + 1, escaped_size = escaped == key ? 0 : length + 1;
  gsize size = entry_size (key_size + escaped_size);
  ReelTensordictEntry *entry = allocate_entry (td, size);
  gboolean in_block = entry != NULL;

  if (!entry)
    entry = g_malloc (size);
  *entry = (ReelTensordictEntry){ .length = length, .hash = hash, .in_block = in_block };
  entry->key = memcpy (entry->text, key, key_size);
  entry->escaped =
      escaped_size == 0 ? entry->key : memcpy (entry->text + key_size, escaped, escaped_size);
  entry->key_length = key_length;
  return entry;
}

/* FNV-1a. */
static guint
hash_bytes (const char *bytes, gsize length)
{
  guint hash = 2166136261u;

  for (gsize i = 0; i < length; i++)
    hash = (hash ^ (guchar) bytes[i]) * 16777619u;
  return hash;
}

static guint
entry_hash (gconstpointer data)
{
  return ((const ReelTensordictEntry *) data)->hash;
}

static gboolean
entry_equal (gconstpointer a, gconstpointer b)
{
  const ReelTensordictEntry *left = a;
  const ReelTensordictEntry *right = b;

  return left->hash == right->hash && left->length == right->length
         && memcmp (left->escaped, right->escaped, left->length) == 0;
}

static ReelTensordictEntry *
find_like (const ReelTensordict *td, const ReelTensordictEntry *like)
{
  if (td->index)
    return g_hash_table_lookup (td->index, like);
  for (guint i = 0; i < td->entries->len; i++)
    if (entry_equal (td->entries->pdata[i], like))
      return td->entries->pdata[i];
  return NULL;
}

static ReelTensordictEntry *
find_entry (const ReelTensordict *td, const char *escaped, gsize length)
{
  const ReelTensordictEntry probe = { .escaped = (char *) escaped,
                                      .length = length,
                                      .hash = hash_bytes (escaped, length) };

  return find_like (td, &probe);
}

const ReelTensordictEntry *
reel_tensordict_find_like (const ReelTensordict *td, const ReelTensordictEntry *like)
{
  return find_like (td, like);
}

const ReelTensordictEntry *
reel_tensordict_find (const ReelTensordict *td, const char *escaped, gsize length)
{
  return find_entry (td, escaped, length);
}

const ReelTensordictEntry *
reel_tensordict_get_entry (const ReelTensordict *td, guint i)
{
  return i < td->entries->len ? td->entries->pdata[i] : NULL;
}

static void
append_entry (ReelTensordict *td, ReelTensordictEntry *entry)
{
  g_ptr_array_add (td->entries, entry);
  if (td->index)
    g_hash_table_add (td->index, entry);
  else if (td->entries->len > MAX_SCANNED)
    {
      td->index = g_hash_table_new (entry_hash, entry_equal);
      for (guint i = 0; i < td->entries->len; i++)
        g_hash_table_add (td->index, td->entries->pdata[i]);
    }
}

void
reel_tensordict_append_like (ReelTensordict *td, const ReelTensordictEntry *like,
                             ReelTensordictValue value)
{
  ReelTensordictEntry *entry =
      entry_new (td, like->key, like->key_length, like->escaped, like->length, like->hash);

  entry->is_number = like->is_number;
  entry_take_value (entry, value);
  append_entry (td, entry);
}

void
reel_tensordict_put (ReelTensordict *td, const char *key, ReelTensordictValue value)
{
  g_autofree char *escaped = reel_path_escape (key);
  gsize length = strlen (escaped);
  ReelTensordictEntry *entry = find_entry (td, escaped, length);

  if (!entry)
    {
      entry = entry_new (td, key, strlen (key), strcmp (escaped, key) == 0 ? key : escaped, length,
                         hash_bytes (escaped, length));
      append_entry (td, entry);
    }
  entry_clear_value (entry);
  entry_take_value (entry, value);
}

ReelTensordict *
reel_tensordict_get_nested (const ReelTensordict *td, guint *at)
{
  if (td->elements)
    return *at < td->elements->len ? td->elements->pdata[(*at)++] : NULL;
  while (*at < td->entries->len)
    {
      const ReelTensordictEntry *entry = td->entries->pdata[(*at)++];
      if (entry->child)
        return entry->child;
    }
  return NULL;
}

void
reel_tensordict_drop (ReelTensordict *td, const ReelTensordictEntry *entry)
{
  if (td->index)
    g_hash_table_remove (td->index, entry);
  g_ptr_array_remove (td->entries, (gpointer) entry);
}

/* ---- life ---- */

ReelTensordict *
reel_tensordict_new (gint ndim, const gint64 *batch_size)
{
  ReelTensordict *td;

  g_return_val_if_fail (ndim >= 0 && ndim <= REEL_MAX_NDIM, NULL);

  td = g_new0 (ReelTensordict, 1);
  td->ref_count = 1;
  td->ndim = ndim;
  for (gint i = 0; i < ndim; i++)
    td->batch_size[i] = batch_size[i];
  td->entries = g_ptr_array_new_full (USUAL_ENTRIES, entry_free);
  return td;
}

ReelTensordict *
reel_tensordict_new_like (const ReelTensordict *td, gint ndim, const gint64 *batch_size)
{
  ReelTensordict *result = reel_tensordict_new (ndim, batch_size);

  result->on_cpu = td->on_cpu;
  result->kind = td->elements ? REEL_TENSORDICT_DICT : td->kind;
  result->record_class = reel_tensordict_class_ref (td->record_class);
  return result;
}

ReelTensordict *
reel_tensordict_ref (ReelTensordict *td)
{
  atomic_fetch_add_explicit (&td->ref_count, 1, memory_order_relaxed);
  return td;
}

void
reel_tensordict_unref (ReelTensordict *td)
{
  if (atomic_fetch_sub_explicit (&td->ref_count, 1, memory_order_acq_rel) > 1)
    return;
  reel_tensordict_drop_locks (td);
  reel_tensordict_class_unref (td->record_class);
  g_clear_pointer (&td->index, g_hash_table_unref);
  g_clear_pointer (&td->elements, g_ptr_array_unref);
  g_ptr_array_unref (td->entries);
  g_free (td->block);
  for (gint i = 0; i < td->ndim; i++)
    g_free (td->names[i]);
  g_free (td);
}

/* ---- kind, batch size and device ---- */

ReelTensordictKind
reel_tensordict_get_kind (const ReelTensordict *td)
{
  return td->kind;
}

const gint64 *
reel_tensordict_get_batch_size (const ReelTensordict *td, gint *ndim)
{
  *ndim = td->ndim;
  return td->batch_size;
}

gint64
reel_tensordict_numel (const ReelTensordict *td)
{
  gint64 numel = td->elements ? 0 : 1;

  for (gint i = 0; i < td->ndim && !td->elements; i++)
    numel *= td->batch_size[i];
  for (guint i = 0; td->elements && i < td->elements->len; i++)
    numel += reel_tensordict_numel (td->elements->pdata[i]);
  return numel;
}

void
reel_tensordict_put_on_device (ReelTensordict *td, gboolean on_cpu)
{
  ReelTensordict *nested;
  guint at = 0;

  td->on_cpu = on_cpu;
  while ((nested = reel_tensordict_get_nested (td, &at)))
    reel_tensordict_put_on_device (nested, on_cpu);
}

gboolean
reel_tensordict_set_device (ReelTensordict *td, const char *device, GError **error)
{
  if (device && strcmp (device, "cpu") != 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "unknown device \"%s\": the one is \"cpu\"",
                   device);
      return FALSE;
    }
  reel_tensordict_put_on_device (td, device != NULL);
  return TRUE;
}

const char *
reel_tensordict_get_device (const ReelTensordict *td)
{
  return td->on_cpu ? "cpu" : NULL;
}
