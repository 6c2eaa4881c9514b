/* Collections that are no plain TensorDict, each a directory whose metadata name its class. */
#include "../tensordict/lazy-stack.h"
#include "load-level.h"
#include "memmap-format.h"
#include "../tensordict/non-tensor-private.h"
#include "../tensordict/variant.h"

#include <string.h>

typedef gboolean (*ReadFunc) (ReelLoader *loader, const ReelLoadLevel *level,
                              const ReelLoadBatch *batch, ReelTensordictValue *value,
                              GError **error);

static gboolean
leave_out (ReelLoader *loader, const ReelLoadLevel *level, const char *kind)
{
  g_autofree char *what = g_strconcat (kind, level->class_name, NULL);

  reel_load_leave_out (loader, level->directory, level->path, what);
  return TRUE;
}

static gboolean
read_tensordict (ReelLoader *loader, const ReelLoadLevel *level, const ReelLoadBatch *batch,
                 ReelTensordictValue *value, GError **error)
{
  value->child = reel_load_tensordict (loader, level, batch, error);
  return value->child != NULL;
}

/* ---- stacks ---- */

/* Elements of one kind: either tensordicts or non-tensors. */
typedef struct
{
  GPtrArray *children, *non_tensors;
  guint n; /* those that were left out included */
} Elements;

/* The batch of elements: that of the whole without the dimension of the stack. */
static ReelLoadBatch
batch_of_elements (const ReelLoadBatch *batch, gint dim)
{
  ReelLoadBatch inner = *batch;

  /* Where the batch ends before the dimension of the stack, elements have all of it. */
  if (dim >= batch->ndim)
    return inner;
  memmove (inner.size + dim, inner.size + dim + 1,
           (gsize) (batch->ndim - dim - 1) * sizeof *inner.size);
  inner.ndim--;
  return inner;
}

static gboolean
read_element (ReelLoader *loader, const char *directory, const char *path,
              const ReelLoadBatch *batch, Elements *elements, GError **error)
{
  g_auto (ReelLoadLevel) level = { 0 };
  ReelTensordictValue value;

  if (!reel_load_level_open (loader, &level, directory, path, error)
      || !reel_load_collection (loader, &level, batch, &value, error))
    return FALSE;
  elements->n++;
  if (value.child)
    g_ptr_array_add (elements->children, value.child);
  if (value.non_tensor)
    g_ptr_array_add (elements->non_tensors, value.non_tensor);
  return TRUE;
}

/* Directories are numbered; the first that is missing ends the stack. */
static gboolean
read_elements (ReelLoader *loader, const ReelLoadLevel *level, const ReelLoadBatch *batch,
               Elements *elements, GError **error)
{
  for (;;)
    {
      g_autofree char *number = g_strdup_printf ("%u", elements->n);
      g_autofree char *directory = reel_load_join (level->directory, number);
      g_autofree char *path = reel_load_path (level, number);
      if (reel_load_level_has (loader, level, number) != REEL_PATH_DIRECTORY)
        return TRUE;
      if (!read_element (loader, directory, path, batch, elements, error))
        return FALSE;
    }
}

static ReelNonTensor *
join_non_tensors (const Elements *elements, gint dim, GError **error)
{
  ReelNonTensor *const *all = (ReelNonTensor *const *) elements->non_tensors->pdata;
  gint ndim;

  reel_non_tensor_get_batch_size (all[0], &ndim);
  if (dim <= ndim)
    return reel_non_tensors_stack ("data", all, elements->n, dim, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"stack_dim\" is %d, but the elements have %d dimensions", dim, ndim);
  return NULL;
}

static gboolean
join_elements (const Elements *elements, gint dim, ReelTensordictValue *value, GError **error)
{
  if (elements->children->len == elements->n)
    value->child = reel_lazy_stack_new ((ReelTensordict *const *) elements->children->pdata,
                                        elements->n, dim, error);
  else if (elements->non_tensors->len == elements->n)
    value->non_tensor = join_non_tensors (elements, dim, error);
  else if (elements->children->len + elements->non_tensors->len == elements->n)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_TYPE,
                         "some elements are tensordicts and others are not");
  else
    return TRUE; /* one was left out, and so is the stack */
  return reel_tensordict_value_is_set (value);
}

static gboolean
check_stack (const ReelLoadLevel *level, const ReelLoadBatch *batch,
             const ReelTensordictValue *value, GError **error)
{
  const gint64 *size = batch->size;
  gint ndim = batch->ndim;

  if (value->child)
    size = reel_tensordict_get_batch_size (value->child, &ndim);
  else if (value->non_tensor)
    size = reel_non_tensor_get_batch_size (value->non_tensor, &ndim);
  return reel_load_check_batch (batch, level->metadata, ndim, size, error);
}

static gboolean
join_checked (const ReelLoadLevel *level, const ReelLoadBatch *batch, const Elements *elements,
              gint dim, ReelTensordictValue *value, GError **error)
{
  GError *fault = NULL;

  if (!join_elements (elements, dim, value, &fault))
    return reel_load_damaged (level->metadata, fault, error);
  if (check_stack (level, batch, value, error))
    return TRUE;
  g_clear_pointer (&value->child, reel_tensordict_unref);
  g_clear_pointer (&value->non_tensor, reel_non_tensor_unref);
  return FALSE;
}

static gboolean
read_stack (ReelLoader *loader, const ReelLoadLevel *level, const ReelLoadBatch *batch,
            ReelTensordictValue *value, GError **error)
{
  g_autoptr (GPtrArray) children =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);
  g_autoptr (GPtrArray) non_tensors =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_non_tensor_unref);
  Elements elements = { children, non_tensors, 0 };
  gint64 dim;

  if (!reel_json_get_int64_or (level->root, level->metadata, "stack_dim", 0, REEL_MAX_NDIM - 1, 0,
                               &dim, error))
    return FALSE;
  const ReelLoadBatch inner = batch_of_elements (batch, (gint) dim);
  if (!read_elements (loader, level, &inner, &elements, error))
    return FALSE;
  if (elements.n > 0)
    return join_checked (level, batch, &elements, (gint) dim, value, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "%s: expected directories next to it that are numbered from 0, found none",
               level->metadata);
  return FALSE;
}

/* ---- values that are no tensors ---- */

static GVariant *
read_value (const ReelLoadLevel *level, const json_t *json, GError **error)
{
  GError *fault = NULL;
  GVariant *value = reel_variant_from_json (json, &fault);

  if (!value)
    reel_load_damaged (level->metadata, fault, error);
  return value;
}

/* Fields that TorchRL would not load: its classes have no others. */
static gboolean
check_fields (const ReelLoadLevel *level, GError **error)
{
  static const char *const fields[] = { "_type", "data", "_is_non_tensor", "_metadata", NULL };
  const char *key;
  json_t *member;

  json_object_foreach (level->root, key, member)
  {
    if (g_strv_contains (fields, key))
      continue;
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: \"%s\" is not a field of %s",
                 level->metadata, key, level->class_name);
    return FALSE;
  }
  return TRUE;
}

static gboolean
read_data (ReelLoader *loader, const ReelLoadLevel *level, const ReelLoadBatch *batch,
           ReelTensordictValue *value, GError **error)
{
  const json_t *data = json_object_get (level->root, "data");
  gboolean meta = g_str_has_suffix (level->class_name, ".MetaData");
  g_autoptr (GVariant) read = NULL;

  if (!check_fields (level, error))
    return FALSE;
  if (!data && reel_load_level_has (loader, level, REEL_MEMMAP_PICKLED_DATA) != REEL_PATH_MISSING)
    return leave_out (loader, level, "Python object that only a pickle holds, ");
  if (data && !(read = read_value (level, data, error)))
    return FALSE;
  value->non_tensor = (meta ? reel_non_tensor_new_meta : reel_non_tensor_new) (read, batch->ndim,
                                                                               batch->size, error);
  return value->non_tensor != NULL;
}

/* Lists in lists are dimensions of the batch for as long as their lengths are equal. */
static gboolean
read_list (const ReelLoadLevel *level, const ReelLoadBatch *batch, const json_t *data,
           ReelTensordictValue *value, GError **error)
{
  g_autoptr (GVariant) list = read_value (level, data, error);
  GError *fault = NULL;
  gint ndim;

  if (!list)
    return FALSE;
  value->non_tensor = reel_non_tensor_new_from_list (list, -1, &fault);
  if (!value->non_tensor)
    return reel_load_damaged (level->metadata, fault, error);
  const gint64 *size = reel_non_tensor_get_batch_size (value->non_tensor, &ndim);
  if (reel_load_check_batch (batch, level->metadata, ndim, size, error))
    return TRUE;
  g_clear_pointer (&value->non_tensor, reel_non_tensor_unref);
  return FALSE;
}

static gboolean
read_data_stack (ReelLoader *loader, const ReelLoadLevel *level, const ReelLoadBatch *batch,
                 ReelTensordictValue *value, GError **error)
{
  const json_t *data = json_object_get (level->root, "data");

  if (!data || json_is_null (data))
    return read_stack (loader, level, batch, value, error);
  if (json_is_array (data))
    return read_list (level, batch, data, value, error);
  if (g_strcmp0 (json_string_value (data), REEL_MEMMAP_PICKLED_LIST) == 0)
    return leave_out (loader, level, "list of Python objects that only a pickle holds, ");
  return reel_json_bad_member (level->root, level->metadata, "data", "a list", error);
}

/* ---- records ---- */

/* A field that stands in the metadata: None where it is null, else a value for all. */
static gboolean
read_field (const ReelLoadLevel *level, const char *key, const json_t *member, ReelTensordict *td,
            GError **error)
{
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);
  g_autoptr (GVariant) data = NULL;

  if (json_is_null (member))
    return TRUE;
  if (!(data = read_value (level, member, error)))
    return FALSE;
  ReelNonTensor *non_tensor = reel_non_tensor_new (data, ndim, size, error);
  if (non_tensor)
    reel_tensordict_put (td, key, (ReelTensordictValue){ .non_tensor = non_tensor });
  return non_tensor != NULL;
}

static gboolean
take_field (ReelLoader *loader, const ReelLoadLevel *level, const char *key, const json_t *member,
            ReelTensordict *td, GError **error)
{
  if (!(loader->flags & REEL_LOAD_TENSORS) || json_is_null (member))
    return read_field (level, key, member, td, error);
  return leave_out (loader, level, "a field without tensors of ");
}

/* The fields are those that are there, tensors first; the class is not known. */
static gboolean
set_class (const ReelLoadLevel *level, ReelTensordict *td, GError **error)
{
  g_autoptr (GPtrArray) fields = g_ptr_array_new ();
  const ReelTensordictEntry *entry;
  const char *key;
  json_t *member;

  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    g_ptr_array_add (fields, entry->key);
  json_object_foreach (level->root, key, member) if (json_is_null (member))
      g_ptr_array_add (fields, (gpointer) key);
  g_ptr_array_add (fields, NULL);
  return reel_tensordict_set_class (td, level->class_name, (const char *const *) fields->pdata,
                                    error);
}

static gboolean
read_record (ReelLoader *loader, const ReelLoadLevel *level, const ReelLoadBatch *batch,
             ReelTensordictValue *value, GError **error)
{
  g_autofree char *directory = reel_load_join (level->directory, REEL_MEMMAP_RECORD);
  g_auto (ReelLoadLevel) inside = { 0 };
  const char *key;
  json_t *member;

  if (!reel_load_level_open (loader, &inside, directory, level->path, error))
    return FALSE;
  g_autoptr (ReelTensordict) td = reel_load_tensordict (loader, &inside, batch, error);
  if (!td)
    return FALSE;
  json_object_foreach (level->root, key, member) if (strcmp (key, "_type") != 0
                                                     && !take_field (loader, level, key, member, td,
                                                                     error)) return FALSE;
  if (!set_class (level, td, error))
    return FALSE;
  value->child = g_steal_pointer (&td);
  return TRUE;
}

/* ---- by class ---- */

static ReadFunc
reader_of (ReelLoader *loader, const ReelLoadLevel *level)
{
  static const struct
  {
    const char *class_name;
    ReadFunc read;
  } readers[] = {
    { "tensordict._td.TensorDict", read_tensordict },
    { "tensordict.nn.params.TensorDictParams", read_tensordict },
    { "tensordict.persistent.PersistentTensorDict", read_tensordict },
    { "tensordict._lazy.LazyStackedTensorDict", read_stack },
    { "tensordict.tensorclass.NonTensorData", read_data },
    { "tensordict.tensorclass.MetaData", read_data },
    { "tensordict.tensorclass.NonTensorStack", read_data_stack },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (readers); i++)
    if (strcmp (readers[i].class_name, level->class_name) == 0)
      return readers[i].read;
  if (reel_load_level_has (loader, level, REEL_MEMMAP_RECORD) == REEL_PATH_DIRECTORY)
    return read_record;
  /* A view of another tensordict; any other class has the layout of its base. */
  return reel_load_level_has (loader, level, "_source") == REEL_PATH_DIRECTORY ? NULL
                                                                               : read_tensordict;
}

gboolean
reel_load_collection (ReelLoader *loader, const ReelLoadLevel *level, const ReelLoadBatch *batch,
                      ReelTensordictValue *value, GError **error)
{
  ReadFunc read = reader_of (loader, level);

  *value = (ReelTensordictValue){ 0 };
  if (!read
      || (loader->flags & REEL_LOAD_TENSORS && read != read_tensordict && read != read_record))
    return leave_out (loader, level, "");
  return read (loader, level, batch, value, error);
}
