#include "tensordict-private.h"

#include <string.h>

/* A scan of this many hashes costs less than a look-up in a hash table. */
#define MAX_SCANNED 16

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
  g_ptr_array_unref (td->entries);
  for (gint i = 0; i < td->ndim; i++)
    g_free (td->names[i]);
  g_free (td);
}

/* ---- batch size and device ---- */

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

/* ---- look-ups ---- */

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

gboolean
reel_tensordict_set_key_error (const ReelTensordict *td, const char *path, GError **error)
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

const ReelTensordictEntry *
reel_tensordict_walk (const ReelTensordict *td, const char *path, const ReelTensordict **level)
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
  const ReelTensordictEntry *entry = reel_tensordict_walk (td, path, &level);

  if (!entry)
    reel_tensordict_set_key_error (level, path, error);
  else if (!entry->tensor)
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is a tensordict, not a tensor", path);
  return entry ? entry->tensor : NULL;
}

ReelTensordict *
reel_tensordict_get_tensordict (const ReelTensordict *td, const char *path, GError **error)
{
  const ReelTensordict *level;
  const ReelTensordictEntry *entry = reel_tensordict_walk (td, path, &level);

  if (!entry)
    reel_tensordict_set_key_error (level, path, error);
  else if (!entry->child)
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is a tensor, not a tensordict", path);
  return entry ? entry->child : NULL;
}

gboolean
reel_tensordict_contains (const ReelTensordict *td, const char *path)
{
  const ReelTensordict *level;

  return reel_tensordict_walk (td, path, &level) != NULL;
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

gboolean
reel_tensordict_has_leaves (const ReelTensordict *td)
{
  for (guint i = 0; i < td->entries->len; i++)
    {
      ReelTensordictEntry *entry = td->entries->pdata[i];
      if (entry->tensor || reel_tensordict_has_leaves (entry->child))
        return TRUE;
    }
  return FALSE;
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
check_fits (const ReelTensordict *td, const char *path, const ReelTensor *tensor, GError **error)
{
  if (tensor->ndim >= td->ndim
      && memcmp (tensor->shape, td->batch_size, td->ndim * sizeof (gint64)) == 0)
    return TRUE;

  g_autoptr (GString) text = g_string_new ("batch dimension mismatch, got self.batch_size=");
  reel_tensordict_append_size (text, td->ndim, td->batch_size);
  g_string_append (text, " and value.shape=");
  reel_tensordict_append_size (text, tensor->ndim, tensor->shape);
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

/* The value as @td can hold it: itself, or a shallow copy where batch size, names or device must
 * change. */
static ReelTensordict *
fit_child (const ReelTensordict *td, ReelTensordict *value, GError **error)
{
  gboolean shorter = value->ndim < td->ndim
                     || memcmp (value->batch_size, td->batch_size, td->ndim * sizeof (gint64)) != 0;
  gboolean renamed = FALSE;

  for (gint i = 0; i < td->ndim && reel_tensordict_has_names (td); i++)
    renamed |= shorter || g_strcmp0 (td->names[i], value->names[i]) != 0;
  if (!shorter && !renamed && (value->on_cpu || !td->on_cpu))
    return reel_tensordict_ref (value);

  g_autoptr (ReelTensordict) copy = reel_tensordict_clone (value, FALSE, error);
  if (!copy || (shorter && !reel_tensordict_set_batch_size (copy, td->ndim, td->batch_size, error)))
    return NULL;
  if (renamed)
    {
      const char *names[REEL_MAX_NDIM];
      for (gint i = 0; i < copy->ndim; i++)
        names[i] = i < td->ndim ? td->names[i] : copy->names[i];
      if (!reel_tensordict_refine_names (copy, copy->ndim, names, error))
        return NULL;
    }
  if (td->on_cpu)
    put_on_device (copy, TRUE);
  return g_steal_pointer (&copy);
}

/* An empty tensordict as @td holds it. */
static ReelTensordict *
new_level (const ReelTensordict *td)
{
  ReelTensordict *level = reel_tensordict_new (td->ndim, td->batch_size);

  reel_tensordict_copy_names (level, (const char *const *) td->names);
  level->on_cpu = td->on_cpu;
  return level;
}

/* Goes down as far as there are levels for all but the last of @keys, and leaves at @keys what it
 * did not pass. */
static ReelTensordict *
descend (ReelTensordict *td, char ***keys, const char *path, GError **error)
{
  for (; (*keys)[1]; (*keys)++)
    {
      g_autofree char *escaped = reel_path_escape (**keys);
      ReelTensordictEntry *entry = find_entry (td, escaped, strlen (escaped));
      if (entry && !entry->child)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                       "\"%s\" leads through the tensor \"%s\", which holds no keys", path, **keys);
          return NULL;
        }
      if (!entry)
        return td;
      td = entry->child;
    }
  return td;
}

static gboolean
check_no_cycle (const ReelTensordict *child, const ReelTensordict *level, const char *path,
                GError **error)
{
  if (!reaches (child, level))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "cannot set \"%s\": the tensordict would hold itself", path);
  return FALSE;
}

static gboolean
set_value (ReelTensordict *td, const char *path, ReelTensor *tensor, ReelTensordict *child,
           GError **error)
{
  g_auto (GStrv) components = reel_path_split (path, error);
  g_autoptr (ReelTensordict) fitting = NULL;
  char **keys = components;

  if (!components)
    return FALSE;
  /* Checked before anything is made: a failure leaves the tensordict as it was. */
  ReelTensordict *level = descend (td, &keys, path, error);
  if (!level || !reel_tensordict_check_unlocked (level, error)
      || !reel_tensordict_check_field (level, keys[0], error)
      || (tensor && !check_fits (level, path, tensor, error))
      || (child && !check_no_cycle (child, level, path, error)))
    return FALSE;
  if (child && !(fitting = fit_child (level, child, error)))
    return FALSE;

  for (; keys[1]; keys++)
    {
      ReelTensordict *next = new_level (level);
      reel_tensordict_put (level, keys[0], NULL, next);
      level = next;
    }
  if (child && !reel_tensordict_has_names (level))
    reel_tensordict_name_dims (level, level->ndim, (const char *const *) fitting->names);
  reel_tensordict_put (level, keys[0], tensor ? reel_tensor_ref (tensor) : NULL,
                       g_steal_pointer (&fitting));
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
  const ReelTensordictEntry *entry = reel_tensordict_walk (td, path, &level);

  if (!entry)
    return reel_tensordict_set_key_error (level, path, error);
  if (!reel_tensordict_check_unlocked (level, error))
    return FALSE;
  if (level->index)
    g_hash_table_remove (level->index, entry);
  g_ptr_array_remove (level->entries, (gpointer) entry);
  return TRUE;
}
