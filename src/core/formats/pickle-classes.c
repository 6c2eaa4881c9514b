/* The globals that a pickle may name, and what they make: storages and tensors as PyTorch's
 * torch/_utils.py rebuilds them. Nothing is called. */
#include "pickle-reader.h"

#include <string.h>

typedef ReelPickleItem Item;
typedef ReelPickleReader Reader;

static guint
count_keys (const Item *dict)
{
  ReelTensordictIter iter;
  guint n = 0;

  reel_tensordict_iter_init (&iter, dict->dict);
  while (reel_tensordict_iter_next (&iter, NULL, NULL, NULL))
    n++;
  return n;
}

static gboolean
find_storage_class (const char *name, ReelDtype *dtype)
{
  for (gint i = 0; i < REEL_N_DTYPES; i++)
    if (g_strcmp0 (reel_pickle_storage_class ((ReelDtype) i), name) == 0)
      {
        *dtype = (ReelDtype) i;
        return TRUE;
      }
  return FALSE;
}

static gboolean
push_global (Reader *self, const char *module, const char *name, GError **error)
{
  g_autoptr (ReelPickleItem) item = NULL;

  if (self->is_tree)
    return reel_pickle_numpy_push_global (self, module, name, error);
  item = reel_pickle_item_new (REEL_PICKLE_GLOBAL);
  if (g_str_equal (module, "collections") && g_str_equal (name, "OrderedDict"))
    item->callable = REEL_PICKLE_ORDERED_DICT;
  else if (g_str_equal (module, "torch._utils") && g_str_equal (name, "_rebuild_tensor_v2"))
    item->callable = REEL_PICKLE_REBUILD_TENSOR;
  else if (g_str_equal (module, "torch") && find_storage_class (name, &item->dtype))
    item->callable = REEL_PICKLE_STORAGE_CLASS;
  else
    return reel_pickle_fail (
        self, REEL_ERROR_NOT_IMPLEMENTED, error,
        "the global %.100s.%.100s cannot be read: only dicts of tensors and plain values "
        "can",
        module, name);
  return reel_pickle_push (self, g_steal_pointer (&item));
}

static char *
take_line (Reader *self, GError **error)
{
  const guint8 *end = memchr (self->at, '\n', (gsize) (self->end - self->at));
  const char *line = (const char *) self->at;

  if (end && g_utf8_validate (line, (const char *) end - line, NULL))
    {
      self->at = end + 1;
      return g_strndup (line, (gsize) ((const char *) end - line));
    }
  reel_pickle_fail_damaged (self, "the name of a global is cut off, or no UTF-8", error);
  return NULL;
}

gboolean
reel_pickle_read_global (Reader *self, GError **error)
{
  g_autofree char *module = take_line (self, error);
  g_autofree char *name = module ? take_line (self, error) : NULL;

  return name && push_global (self, module, name, error);
}

/* Of a value that is a string; else NULL. */
static const char *
get_text (const Item *item)
{
  return item->kind == REEL_PICKLE_VALUE
                 && g_variant_is_of_type (item->value, G_VARIANT_TYPE_STRING)
             ? g_variant_get_string (item->value, NULL)
             : NULL;
}

gboolean
reel_pickle_read_stack_global (Reader *self, GError **error)
{
  g_autoptr (GPtrArray) names = reel_pickle_pop_last (self, 2, error);
  const char *module = names ? get_text (names->pdata[0]) : NULL;
  const char *name = names ? get_text (names->pdata[1]) : NULL;

  if (!names)
    return FALSE;
  return module && name
             ? push_global (self, module, name, error)
             : reel_pickle_fail_damaged (self, "the name of a global is not a string", error);
}

static gboolean
get_count (const Item *item, gint64 *count)
{
  if (item->kind != REEL_PICKLE_VALUE || !g_variant_is_of_type (item->value, G_VARIANT_TYPE_INT64))
    return FALSE;
  *count = g_variant_get_int64 (item->value);
  return *count >= 0;
}

/* PyTorch names storages by ("storage", class, name, device, elements). */
gboolean
reel_pickle_read_persistent (Reader *self, GError **error)
{
  g_autoptr (ReelPickleItem) tuple = reel_pickle_pop (self, REEL_PICKLE_SEQUENCE, error),
                             storage = reel_pickle_item_new (REEL_PICKLE_STORAGE);
  Item *const *parts = tuple ? (Item *const *) tuple->items->pdata : NULL;
  gint64 n, bytes;
  gsize size;

  if (!tuple)
    return FALSE;
  if (tuple->items->len != 5 || g_strcmp0 (get_text (parts[0]), "storage") != 0
      || parts[1]->kind != REEL_PICKLE_GLOBAL || parts[1]->callable != REEL_PICKLE_STORAGE_CLASS
      || !get_text (parts[2]) || !get_text (parts[3]) || !get_count (parts[4], &n))
    return reel_pickle_fail_damaged (self, "the object in another file is not a storage", error);
  if (!self->find)
    return reel_pickle_fail_damaged (self, "a storage is in another file, which is missing", error);
  storage->dtype = parts[1]->dtype;
  storage->memory = self->find (self->source, get_text (parts[2]), error);
  if (!storage->memory)
    return FALSE;
  reel_memory_get_data (storage->memory, &size);
  if (__builtin_mul_overflow (n, (gint64) reel_dtype_size (storage->dtype), &bytes)
      || (guint64) bytes != size)
    return reel_pickle_fail (self, REEL_ERROR_DAMAGED, error,
                             "the storage \"%s\" has %" G_GSIZE_FORMAT " bytes, %" G_GINT64_FORMAT
                             " elements of %s expected",
                             get_text (parts[2]), size, n, reel_dtype_name (storage->dtype));
  return reel_pickle_push (self, g_steal_pointer (&storage));
}

/* Extents, or strides. */
static gboolean
get_counts (const Item *item, gint *n, gint64 *counts)
{
  if (item->kind != REEL_PICKLE_SEQUENCE || item->items->len > REEL_MAX_NDIM)
    return FALSE;
  *n = (gint) item->items->len;
  for (gint i = 0; i < *n; i++)
    if (!get_count (item->items->pdata[i], &counts[i]))
      return FALSE;
  return TRUE;
}

/* Elements that a storage does not have cost no memory in the file; they would in ours. */
static gboolean
check_elements (const Reader *self, const Item *storage, gint ndim, const gint64 *shape,
                GError **error)
{
  gsize size;
  gint64 bytes = (gint64) reel_dtype_size (storage->dtype);
  gboolean is_empty = FALSE;

  reel_memory_get_data (storage->memory, &size);
  for (gint d = 0; d < ndim; d++)
    is_empty = is_empty || shape[d] == 0;
  for (gint d = 0; d < ndim && !is_empty; d++)
    if (__builtin_mul_overflow (bytes, shape[d], &bytes) || (guint64) bytes > size)
      return reel_pickle_fail (self, REEL_ERROR_NOT_IMPLEMENTED, error,
                               "a tensor has more elements than its storage, which cannot be read");
  return TRUE;
}

/* _rebuild_tensor_v2 (storage, offset, shape, strides, requires_grad, hooks). */
static gboolean
rebuild_tensor (Reader *self, const Item *arguments, GError **error)
{
  Item *const *parts = (Item *const *) arguments->items->pdata;
  gint64 shape[REEL_MAX_NDIM], strides[REEL_MAX_NDIM], offset, item_size;
  g_autoptr (ReelPickleItem) item = reel_pickle_item_new (REEL_PICKLE_TENSOR);
  gint ndim, n_strides;

  if (arguments->items->len != 6 || parts[0]->kind != REEL_PICKLE_STORAGE
      || !get_count (parts[1], &offset) || !get_counts (parts[2], &ndim, shape)
      || !get_counts (parts[3], &n_strides, strides) || n_strides != ndim
      || parts[4]->kind != REEL_PICKLE_VALUE
      || !g_variant_is_of_type (parts[4]->value, G_VARIANT_TYPE_BOOLEAN)
      || parts[5]->kind != REEL_PICKLE_DICT || count_keys (parts[5]) > 0)
    return reel_pickle_fail_damaged (self, "a tensor is not in the form of PyTorch", error);
  if (!check_elements (self, parts[0], ndim, shape, error))
    return FALSE;
  item_size = (gint64) reel_dtype_size (parts[0]->dtype);
  for (gint d = 0; d < ndim; d++)
    if (__builtin_mul_overflow (strides[d], item_size, &strides[d]))
      return reel_pickle_fail_damaged (self, "the strides of a tensor are too large", error);
  if (__builtin_mul_overflow (offset, item_size, &offset))
    return reel_pickle_fail_damaged (self, "a tensor begins behind its storage", error);
  item->tensor = reel_tensor_new_from_memory (parts[0]->memory, (gsize) offset, parts[0]->dtype,
                                              ndim, shape, strides, NULL);
  if (!item->tensor)
    return reel_pickle_fail_damaged (self, "a tensor has elements outside of its storage", error);
  return reel_pickle_push (self, g_steal_pointer (&item));
}

gboolean
reel_pickle_read_reduce (Reader *self, GError **error)
{
  g_autoptr (ReelPickleItem) arguments = reel_pickle_pop (self, REEL_PICKLE_SEQUENCE, error);
  g_autoptr (ReelPickleItem) callable =
      arguments ? reel_pickle_pop (self, REEL_PICKLE_GLOBAL, error) : NULL;

  if (!callable)
    return FALSE;
  if (self->is_tree)
    return reel_pickle_numpy_reduce (self, callable, arguments, error);
  if (callable->callable == REEL_PICKLE_REBUILD_TENSOR)
    return rebuild_tensor (self, arguments, error);
  if (callable->callable == REEL_PICKLE_ORDERED_DICT && arguments->items->len == 0)
    return reel_pickle_push (self, reel_pickle_dict_new (TRUE));
  return reel_pickle_fail_damaged (
      self, "something is called in a way in which PyTorch calls nothing", error);
}

/* The members of an OrderedDict besides its items. */
gboolean
reel_pickle_read_build (Reader *self, GError **error)
{
  g_autoptr (ReelPickleItem) state =
      self->is_tree ? NULL : reel_pickle_pop (self, REEL_PICKLE_DICT, error);
  const Item *dict = state ? reel_pickle_peek (self, REEL_PICKLE_DICT, error) : NULL;

  if (self->is_tree)
    return reel_pickle_numpy_build (self, error);
  if (!dict)
    return FALSE;
  if (dict->ordered && count_keys (state) == 1
      && reel_tensordict_contains (state->dict, "_metadata"))
    return TRUE;
  return reel_pickle_fail (self, REEL_ERROR_NOT_IMPLEMENTED, error,
                           "a dict has other attributes than \"_metadata\", which cannot be read");
}
