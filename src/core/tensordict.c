#include "tensordict-private.h"

#include <stdatomic.h>
#include <string.h>

/* A scan of this many hashes costs less than a look-up in a hash table. */
#define MAX_SCANNED 16

#define LOCKED_MESSAGE                                                                             \
  "Cannot modify locked TensorDict. For in-place modification, consider using the `set_()` "       \
  "method and make sure the key is present."

struct _ReelTensordict
{
  atomic_int ref_count;
  gint ndim;
  gint64 batch_size[REEL_MAX_NDIM];
  char *names[REEL_MAX_NDIM];
  gboolean on_cpu;
  gboolean locked;
  GPtrArray *entries; /* of ReelTensordictEntry, in insertion order */
  GHashTable *index;  /* the same by their escaped keys, when there are many */
};

G_DEFINE_BOXED_TYPE (ReelTensordict, reel_tensordict, reel_tensordict_ref, reel_tensordict_unref)

/* ---- entries ---- */

static void
entry_clear_value (ReelTensordictEntry *entry)
{
  g_clear_pointer (&entry->tensor, reel_tensor_unref);
  g_clear_pointer (&entry->child, reel_tensordict_unref);
}

static void
entry_free (gpointer data)
{
  ReelTensordictEntry *entry = data;

  entry_clear_value (entry);
  if (entry->escaped != entry->key)
    g_free (entry->escaped);
  g_free (entry->key);
  g_free (entry);
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
find_entry (const ReelTensordict *td, const char *escaped, gsize length)
{
  const ReelTensordictEntry probe = { .escaped = (char *) escaped,
                                      .length = length,
                                      .hash = hash_bytes (escaped, length) };

  if (td->index)
    return g_hash_table_lookup (td->index, &probe);
  for (guint i = 0; i < td->entries->len; i++)
    if (entry_equal (td->entries->pdata[i], &probe))
      return td->entries->pdata[i];
  return NULL;
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
                             ReelTensor *tensor, ReelTensordict *child)
{
  ReelTensordictEntry *entry = g_new (ReelTensordictEntry, 1);

  *entry = *like;
  entry->key = g_strdup (like->key);
  entry->escaped = like->escaped == like->key ? entry->key : g_strdup (like->escaped);
  entry->tensor = tensor;
  entry->child = child;
  append_entry (td, entry);
}

void
reel_tensordict_put (ReelTensordict *td, const char *key, ReelTensor *tensor, ReelTensordict *child)
{
  g_autofree char *escaped = reel_path_escape (key);
  gsize length = strlen (escaped);
  ReelTensordictEntry *entry = find_entry (td, escaped, length);

  if (!entry)
    {
      entry = g_new0 (ReelTensordictEntry, 1);
      entry->key = g_strdup (key);
      entry->escaped = strcmp (escaped, key) == 0 ? entry->key : g_steal_pointer (&escaped);
      entry->length = length;
      entry->hash = hash_bytes (entry->escaped, length);
      append_entry (td, entry);
    }
  entry_clear_value (entry);
  entry->tensor = tensor;
  entry->child = child;
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
  td->entries = g_ptr_array_new_with_free_func (entry_free);
  return td;
}

ReelTensordict *
reel_tensordict_new_like (const ReelTensordict *td, gint ndim, const gint64 *batch_size)
{
  ReelTensordict *result = reel_tensordict_new (ndim, batch_size);

  result->on_cpu = td->on_cpu;
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
  g_clear_pointer (&td->index, g_hash_table_unref);
  g_ptr_array_unref (td->entries);
  for (gint i = 0; i < td->ndim; i++)
    g_free (td->names[i]);
  g_free (td);
}

/* ---- batch size, device, names, lock ---- */

const gint64 *
reel_tensordict_get_batch_size (const ReelTensordict *td, gint *ndim)
{
  *ndim = td->ndim;
  return td->batch_size;
}

gint64
reel_tensordict_numel (const ReelTensordict *td)
{
  gint64 numel = 1;

  for (gint i = 0; i < td->ndim; i++)
    numel *= td->batch_size[i];
  return numel;
}

static void
put_on_device (ReelTensordict *td, gboolean on_cpu)
{
  td->on_cpu = on_cpu;
  for (guint i = 0; i < td->entries->len; i++)
    {
      ReelTensordictEntry *entry = td->entries->pdata[i];
      if (entry->child)
        put_on_device (entry->child, on_cpu);
    }
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
  put_on_device (td, device != NULL);
  return TRUE;
}

const char *
reel_tensordict_get_device (const ReelTensordict *td)
{
  return td->on_cpu ? "cpu" : NULL;
}

static void
name_dims (ReelTensordict *td, gint n, const char *const *names)
{
  for (gint i = 0; i < n; i++)
    {
      g_free (td->names[i]);
      td->names[i] = g_strdup (names ? names[i] : NULL);
    }
  for (guint i = 0; i < td->entries->len; i++)
    {
      ReelTensordictEntry *entry = td->entries->pdata[i];
      if (entry->child)
        name_dims (entry->child, n, names);
    }
}

gboolean
reel_tensordict_set_names (ReelTensordict *td, const char *const *names, GError **error)
{
  for (gint i = 0; names && i < td->ndim; i++)
    for (gint j = 0; j < i; j++)
      if (names[i] && g_strcmp0 (names[i], names[j]) == 0)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "dimensions %d and %d may not both be named \"%s\"", j, i, names[i]);
          return FALSE;
        }
  name_dims (td, td->ndim, names);
  return TRUE;
}

void
reel_tensordict_copy_names (ReelTensordict *td, const char *const *names)
{
  name_dims (td, td->ndim, names);
}

const char *
reel_tensordict_get_name (const ReelTensordict *td, gint dim)
{
  g_return_val_if_fail (dim >= 0 && dim < td->ndim, NULL);

  return td->names[dim];
}

void
reel_tensordict_lock (ReelTensordict *td)
{
  td->locked = TRUE;
  for (guint i = 0; i < td->entries->len; i++)
    {
      ReelTensordictEntry *entry = td->entries->pdata[i];
      if (entry->child)
        reel_tensordict_lock (entry->child);
    }
}

gboolean
reel_tensordict_is_locked (const ReelTensordict *td)
{
  return td->locked;
}

static gboolean
check_unlocked (const ReelTensordict *td, GError **error)
{
  if (td->locked)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME, LOCKED_MESSAGE);
  return !td->locked;
}

/* ---- look-ups ---- */

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static gboolean
set_key_error (const ReelTensordict *td, const char *path, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; i < td->entries->len; i++)
    g_ptr_array_add (keys, ((ReelTensordictEntry *) td->entries->pdata[i])->key);
  g_ptr_array_sort (keys, compare_keys);
  for (guint i = 0; i < keys->len; i++)
    g_string_append_printf (list, "%s'%s'", i == 0 ? "" : ", ", (char *) keys->pdata[i]);
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
               "key \"%s\" not found in TensorDict with keys [%s]", path, list->str);
  return FALSE;
}

/* The level that should hold the last component of @path, and the entry there, if any. */
static ReelTensordictEntry *
walk_path (const ReelTensordict *td, const char *path, const ReelTensordict **level)
{
  const char *end;

  for (; (end = strchr (path, '/')); path = end + 1)
    {
      ReelTensordictEntry *entry = find_entry (td, path, end - path);
      if (!entry || !entry->child)
        {
          *level = td;
          return NULL;
        }
      td = entry->child;
    }
  *level = td;
  return find_entry (td, path, strlen (path));
}

ReelTensor *
reel_tensordict_get_tensor (const ReelTensordict *td, const char *path, GError **error)
{
  const ReelTensordict *level;
  ReelTensordictEntry *entry = walk_path (td, path, &level);

  if (!entry)
    set_key_error (level, path, error);
  else if (!entry->tensor)
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is a tensordict, not a tensor", path);
  return entry ? entry->tensor : NULL;
}

ReelTensordict *
reel_tensordict_get_tensordict (const ReelTensordict *td, const char *path, GError **error)
{
  const ReelTensordict *level;
  ReelTensordictEntry *entry = walk_path (td, path, &level);

  if (!entry)
    set_key_error (level, path, error);
  else if (!entry->child)
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is a tensor, not a tensordict", path);
  return entry ? entry->child : NULL;
}

gboolean
reel_tensordict_contains (const ReelTensordict *td, const char *path)
{
  const ReelTensordict *level;

  return walk_path (td, path, &level) != NULL;
}

void
reel_tensordict_iter_init (ReelTensordictIter *iter, const ReelTensordict *td)
{
  iter->td = td;
  iter->next = 0;
}

gboolean
reel_tensordict_iter_next (ReelTensordictIter *iter, const char **key, ReelTensor **tensor,
                           ReelTensordict **child)
{
  const ReelTensordictEntry *entry = reel_tensordict_get_entry (iter->td, iter->next);

  if (!entry)
    return FALSE;
  iter->next++;
  if (key)
    *key = entry->key;
  if (tensor)
    *tensor = entry->tensor;
  if (child)
    *child = entry->child;
  return TRUE;
}

static void
list_leaves_below (const ReelTensordict *td, const char *prefix, GPtrArray *paths)
{
  for (guint i = 0; i < td->entries->len; i++)
    {
      ReelTensordictEntry *entry = td->entries->pdata[i];
      char *path = g_strconcat (prefix, *prefix ? "/" : "", entry->escaped, NULL);
      if (entry->tensor)
        g_ptr_array_add (paths, path);
      else
        {
          list_leaves_below (entry->child, path, paths);
          g_free (path);
        }
    }
}

char **
reel_tensordict_list_leaves (const ReelTensordict *td)
{
  GPtrArray *paths = g_ptr_array_new ();

  list_leaves_below (td, "", paths);
  g_ptr_array_add (paths, NULL);
  return (char **) g_ptr_array_free (paths, FALSE);
}

/* ---- changes ---- */

void
reel_tensordict_append_size (GString *text, gint ndim, const gint64 *shape)
{
  g_autofree char *list = reel_shape_to_string (ndim, shape);

  g_string_append_printf (text, "torch.Size(%s)", list);
}

static gboolean
check_fits (const ReelTensordict *td, const char *path, gint ndim, const gint64 *shape,
            const char *what, GError **error)
{
  if (ndim >= td->ndim && memcmp (shape, td->batch_size, td->ndim * sizeof *shape) == 0)
    return TRUE;

  g_autoptr (GString) text = g_string_new ("batch dimension mismatch, got self.batch_size=");
  reel_tensordict_append_size (text, td->ndim, td->batch_size);
  g_string_append_printf (text, " and %s=", what);
  reel_tensordict_append_size (text, ndim, shape);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "%s for key \"%s\"", text->str, path);
  return FALSE;
}

static gboolean
reaches (const ReelTensordict *from, const ReelTensordict *td)
{
  if (from == td)
    return TRUE;
  for (guint i = 0; i < from->entries->len; i++)
    {
      ReelTensordictEntry *entry = from->entries->pdata[i];
      if (entry->child && reaches (entry->child, td))
        return TRUE;
    }
  return FALSE;
}

/* What a nested tensordict takes from the one that it is set in. */
static void
adopt (const ReelTensordict *td, ReelTensordict *child)
{
  gboolean named = FALSE;

  for (gint i = 0; i < td->ndim; i++)
    named |= td->names[i] != NULL;
  if (named)
    name_dims (child, td->ndim, (const char *const *) td->names);
  if (td->on_cpu)
    put_on_device (child, TRUE);
}

/* The level that is to hold the last of @keys; missing ones are made when @make says so. */
static ReelTensordict *
descend (ReelTensordict *td, char **keys, const char *path, gboolean make, GError **error)
{
  for (; keys[1]; keys++)
    {
      g_autofree char *escaped = reel_path_escape (keys[0]);
      ReelTensordictEntry *entry = find_entry (td, escaped, strlen (escaped));
      if (entry && !entry->child)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                       "\"%s\" leads through the tensor \"%s\", which holds no keys", path,
                       keys[0]);
          return NULL;
        }
      if (!entry && !make)
        return td;
      if (!entry)
        {
          ReelTensordict *child = reel_tensordict_new (td->ndim, td->batch_size);
          adopt (td, child);
          reel_tensordict_put (td, keys[0], NULL, child);
          td = child;
        }
      else
        td = entry->child;
    }
  return td;
}

static gboolean
set_value (ReelTensordict *td, const char *path, ReelTensor *tensor, ReelTensordict *child,
           GError **error)
{
  g_auto (GStrv) keys = reel_path_split (path, error);
  gint ndim = tensor ? tensor->ndim : child->ndim;
  const gint64 *shape = tensor ? tensor->shape : child->batch_size;
  const char *what = tensor ? "value.shape" : "value.batch_size";

  if (!keys)
    return FALSE;
  /* Checked before anything is made: a failure leaves the tensordict as it was. */
  ReelTensordict *level = descend (td, keys, path, FALSE, error);
  if (!level || !check_unlocked (level, error)
      || !check_fits (level, path, ndim, shape, what, error))
    return FALSE;
  if (child && reaches (child, level))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "cannot set \"%s\": the tensordict would hold itself", path);
      return FALSE;
    }

  level = descend (td, keys, path, TRUE, error);
  if (child)
    adopt (level, child);
  reel_tensordict_put (level, keys[g_strv_length (keys) - 1],
                       tensor ? reel_tensor_ref (tensor) : NULL,
                       child ? reel_tensordict_ref (child) : NULL);
  return TRUE;
}

gboolean
reel_tensordict_set_tensor (ReelTensordict *td, const char *path, ReelTensor *tensor,
                            GError **error)
{
  return set_value (td, path, tensor, NULL, error);
}

gboolean
reel_tensordict_set_tensordict (ReelTensordict *td, const char *path, ReelTensordict *value,
                                GError **error)
{
  return set_value (td, path, NULL, value, error);
}

gboolean
reel_tensordict_remove (ReelTensordict *td, const char *path, GError **error)
{
  const ReelTensordict *level;
  ReelTensordictEntry *entry = walk_path (td, path, &level);

  if (!entry)
    return set_key_error (level, path, error);
  if (!check_unlocked (level, error))
    return FALSE;
  if (level->index)
    g_hash_table_remove (level->index, entry);
  g_ptr_array_remove (level->entries, entry);
  return TRUE;
}
