/* Saves and loads compressed rows in the files of TorchRL's CompressedListStorage. */
#include "checkpoint-values.h"

#include "../../core/object/error.h"
#include "../../core/system/files.h"
#include "../../core/formats/json.h"
#include "../../core/tensordict/lazy-stack.h"
#include "../../core/tensordict-files/save-plan.h"
#include "../../core/tensordict-files/tensordict-files.h"
#include "../../core/tensordict/tree-private.h"
#include "../../core/tensordict/variant.h"
#include "../storages/packed-leaf.h"
#include "../storages/storage-private.h"

#include <string.h>

#define DATA "compressed_data"
#define METADATA "metadata.json"
#define INDICES "data_indices.json"
#define BARE "data" /* the key of what is no tensordict */
#define MOST_BYTES ((gsize) 1 << 30)

/* ---- writing ---- */

static json_t *
wrap (const char *type, json_t *value)
{
  return json_pack ("{s:s, s:o}", "__type__", type, "value", value);
}

static json_t *
describe_tensor (const ReelTensor *like)
{
  g_autofree char *dtype = g_strconcat ("torch.", reel_dtype_name (like->dtype), NULL);

  return json_pack ("{s:s, s:o, s:o, s:o}", "type", "tensor", "shape",
                    wrap ("torch.Size", reel_json_new_shape (like->ndim, like->shape)), "dtype",
                    wrap ("torch.dtype", json_string (dtype)), "device",
                    wrap ("torch.device", json_string ("cpu")));
}

static gboolean
set_unsavable_error (const char *what, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "TorchRL's files of a CompressedListStorage hold no %s: only tensors and single "
               "values under the keys of a tensordict, or by themselves",
               what);
  return FALSE;
}

/* One key of a row: into @td what is compressed, into @fields what it was. */
static gboolean
save_entry (const ReelTensordictEntry *entry, ReelTensor *packed, ReelTensordict *td,
            json_t *fields, GError **error)
{
  const gint64 first[REEL_MAX_NDIM] = { 0 };
  GVariant *value;

  if (entry->child)
    return set_unsavable_error ("nested tensordicts", error);
  if (entry->tensor)
    {
      json_object_set_new (fields, entry->key, describe_tensor (entry->tensor));
      return reel_tensordict_set_tensor (td, entry->escaped, packed, error);
    }
  if (!reel_non_tensor_is_single (entry->non_tensor))
    return set_unsavable_error ("stacks of values that are not tensors", error);
  value = reel_non_tensor_get_value (entry->non_tensor, first);
  json_object_set_new (fields, entry->key,
                       json_pack ("{s:s, s:o}", "type", "non_tensor", "value",
                                  wrap ("NonTensorData", reel_variant_to_json (value))));
  return reel_tensordict_set_value (td, entry->escaped, value, error);
}

static json_t *
save_fields (const ReelStoredValue *value, ReelTensordict *td, GError **error)
{
  json_t *fields = json_object ();
  json_t *row = json_pack ("{s:s, s:o}", "type", "tensordict", "fields", fields);
  const ReelTensordictEntry *entry;
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (value->td, &ndim);
  guint next = 0;

  if (ndim > 0)
    json_object_set_new (row, "batch_size", wrap ("torch.Size", reel_json_new_shape (ndim, size)));
  for (guint i = 0; (entry = reel_tensordict_get_entry (value->td, i)); i++)
    if (!save_entry (entry, entry->tensor ? value->packed->pdata[next++] : NULL, td, fields, error))
      {
        json_decref (row);
        return NULL;
      }
  return row;
}

/* A bare tensor, or a bare value, which is not compressed. */
static json_t *
save_bare (const ReelStoredValue *value, ReelTensordict *td, GError **error)
{
  const ReelTensordictEntry *entry = reel_tensordict_get_entry (value->td, 0);
  GVariant *bare;

  if (entry->tensor)
    return reel_tensordict_set_tensor (td, BARE, value->packed->pdata[0], error)
               ? describe_tensor (entry->tensor)
               : NULL;
  bare = reel_non_tensor_get_value (entry->non_tensor, NULL);
  return reel_tensordict_set_value (td, BARE, bare, error)
             ? json_pack ("{s:s, s:o}", "type", "other", "value", reel_variant_to_json (bare))
             : NULL;
}

/* The stored bytes of a row, and their description. */
static json_t *
save_row (const ReelStoredValue *value, ReelTensordict *td, GError **error)
{
  const ReelTensordict *row = value->td;

  if (row->kind == REEL_TENSORDICT_SINGLE)
    return save_bare (value, td, error);
  if (row->kind == REEL_TENSORDICT_DICT && !reel_tensordict_get_class_name (row))
    return save_fields (value, td, error);
  set_unsavable_error (row->kind == REEL_TENSORDICT_DICT         ? "records"
                       : row->kind == REEL_TENSORDICT_LAZY_STACK ? "lazy stacks"
                                                                 : "trees",
                       error);
  return NULL;
}

static gboolean
write_json (const char *path, const json_t *metadata, const json_t *indices, GError **error)
{
  g_autofree char *metadata_path = g_build_filename (path, METADATA, NULL);
  g_autofree char *indices_path = g_build_filename (path, INDICES, NULL);
  char *described = json_dumps (metadata, JSON_COMPACT);
  char *numbered = json_dumps (indices, JSON_COMPACT);
  const ReelFileContent files[] = { { metadata_path, described, strlen (described) },
                                    { indices_path, numbered, strlen (numbered) } };
  gboolean written = reel_files_write_atomic (files, 2, FALSE, error);

  free (described);
  free (numbered);
  return written;
}

static gboolean
save_rows (ReelItemStorage *storage, GPtrArray *rows, json_t *metadata, json_t *indices,
           GError **error)
{
  g_autoptr (ReelTensor) slots = reel_item_storage_list_slots (storage, error);

  for (gint64 i = 0; slots && i < slots->shape[0]; i++)
    {
      g_autoptr (ReelStoredValue) value =
          reel_item_table_get (reel_item_storage_get_table (storage), i);
      ReelTensordict *td = reel_tensordict_new (0, NULL);
      json_t *said;

      g_ptr_array_add (rows, td);
      said = value ? save_row (value, td, error) : NULL;
      if (!said)
        {
          g_prefix_error (error, "row %" G_GINT64_FORMAT ": ", i);
          return FALSE;
        }
      json_array_append_new (metadata, said);
      json_array_append_new (indices, json_integer (i));
    }
  return slots != NULL;
}

gboolean
reel_values_save (ReelItemStorage *storage, const char *path, ReelFileSums *sums, GError **error)
{
  g_autoptr (GPtrArray) rows =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);
  g_autoptr (json_t) metadata = json_array ();
  g_autoptr (json_t) indices = json_array ();
  g_autoptr (ReelTensordict) stack = NULL;
  g_autofree char *data = g_build_filename (path, DATA, NULL);

  if (!save_rows (storage, rows, metadata, indices, error))
    return FALSE;
  if (rows->len == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "Cannot save an empty or non-initialized CompressedListStorage.");
      return FALSE;
    }
  stack = reel_lazy_stack_new ((ReelTensordict *const *) rows->pdata, rows->len, 0, error);
  return stack && reel_tensordict_save_summed (stack, data, sums, error)
         && write_json (path, metadata, indices, error);
}

/* ---- reading ---- */

/* One row on its way: where the files say what of it. */
typedef struct
{
  const char *path; /* of the metadata */
  gsize row;
  const ReelTensordict *stored;
  const json_t *said;
  ReelTensordict *td;
  GPtrArray *packed;
} Reading;

static gboolean
set_damage (const Reading *reading, const char *key, const char *what, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: row %" G_GSIZE_FORMAT "%s%s%s: %s",
               reading->path, reading->row, key ? ", \"" : "", key ? key : "", key ? "\"" : "",
               what);
  return FALSE;
}

/* The value in TorchRL's wrapper of this type; %NULL where it is of another. */
static const json_t *
unwrap (const json_t *value, const char *type)
{
  const json_t *found = json_object_get (value, "__type__");

  return json_is_string (found) && g_str_equal (json_string_value (found), type)
             ? json_object_get (value, "value")
             : NULL;
}

static gboolean
read_shape (const Reading *reading, const char *key, const json_t *wrapped, gint *ndim,
            gint64 *shape, GError **error)
{
  const json_t *extents = unwrap (wrapped, "torch.Size");

  *ndim = (gint) json_array_size (extents);
  if (!json_is_array (extents) || json_array_size (extents) > REEL_MAX_NDIM)
    return set_damage (reading, key, "a shape of at most 16 dimensions expected", error);
  for (gint d = 0; d < *ndim; d++)
    {
      const json_t *extent = json_array_get (extents, (gsize) d);

      shape[d] = json_integer_value (extent);
      if (!json_is_integer (extent) || shape[d] < 0)
        return set_damage (reading, key, "a shape of integers expected", error);
    }
  return TRUE;
}

static ReelTensor *
read_placeholder (const Reading *reading, const char *key, const json_t *said, GError **error)
{
  const json_t *name = unwrap (json_object_get (said, "dtype"), "torch.dtype");
  g_autoptr (GError) fault = NULL;
  gint64 shape[REEL_MAX_NDIM];
  ReelTensor *like = NULL;
  ReelDtype dtype;
  gint ndim;

  if (!read_shape (reading, key, json_object_get (said, "shape"), &ndim, shape, error))
    return NULL;
  if (!json_is_string (name) || !g_str_has_prefix (json_string_value (name), "torch.")
      || !reel_dtype_from_name (json_string_value (name) + strlen ("torch."), &dtype, NULL))
    {
      set_damage (reading, key, "a dtype such as torch.float32 expected", error);
      return NULL;
    }
  like = reel_packed_leaf_new_placeholder (dtype, ndim, shape, &fault);
  if (!like)
    set_damage (reading, key, fault->message, error);
  return like;
}

static gboolean
read_tensor (Reading *reading, const char *key, const char *path, const json_t *said,
             const char *target, GError **error)
{
  g_autoptr (ReelTensor) like = read_placeholder (reading, key, said, error);
  ReelTensor *packed = reel_tensordict_get_tensor (reading->stored, path, NULL);
  g_autoptr (GError) fault = NULL;

  if (!like)
    return FALSE;
  if (!packed || packed->dtype != REEL_DTYPE_UINT8 || packed->ndim != 1
      || !reel_tensor_is_contiguous (packed))
    return set_damage (reading, key, "uint8 of one dimension expected in " DATA, error);
  if (!reel_packed_leaf_check (packed, like, &fault))
    {
      g_set_error (error, REEL_ERROR, fault->code, "%s: row %" G_GSIZE_FORMAT ", \"%s\": %s",
                   reading->path, reading->row, key, fault->message);
      return FALSE;
    }
  if (!reel_tensordict_set_tensor (reading->td, target, like, &fault))
    return set_damage (reading, key, fault->message, error);
  g_ptr_array_add (reading->packed, reel_tensor_ref (packed));
  return TRUE;
}

static GVariant *
read_value (const Reading *reading, const char *key, const json_t *said, GError **error)
{
  const json_t *value = json_object_get (said, "value");
  const json_t *inner = unwrap (value, "NonTensorData");
  g_autoptr (GError) fault = NULL;
  GVariant *variant;

  if (!value || (!inner && json_object_get (value, "__type__")))
    {
      set_damage (reading, key, "a string, number or another value expected", error);
      return NULL;
    }
  variant = reel_variant_from_json (inner ? inner : value, &fault);
  if (!variant)
    set_damage (reading, key, fault->message, error);
  return variant;
}

static gboolean
has_type (const json_t *said, const char *type)
{
  const json_t *found = json_object_get (said, "type");

  return json_is_string (found) && g_str_equal (json_string_value (found), type);
}

static gboolean
read_field (Reading *reading, const char *key, const json_t *said, GError **error)
{
  g_autofree char *path = reel_path_escape (key);
  g_autoptr (GVariant) value = NULL;
  g_autoptr (GError) fault = NULL;

  if (has_type (said, "tensor"))
    return read_tensor (reading, key, path, said, path, error);
  if (!has_type (said, "non_tensor"))
    return set_damage (reading, key, "\"type\" is neither \"tensor\" nor \"non_tensor\"", error);
  value = read_value (reading, key, said, error);
  if (!value)
    return FALSE;
  return reel_tensordict_set_value (reading->td, path, value, &fault)
         || set_damage (reading, key, fault->message, error);
}

static gboolean
read_fields (Reading *reading, GError **error)
{
  json_t *fields = json_object_get (reading->said, "fields"), *field;
  const json_t *size = json_object_get (reading->said, "batch_size");
  gint64 shape[REEL_MAX_NDIM];
  const char *key;
  gint ndim = 0;

  if (!json_is_object (fields))
    return set_damage (reading, "fields", "an object expected", error);
  if (size && !read_shape (reading, "batch_size", size, &ndim, shape, error))
    return FALSE;
  reading->td = reel_tensordict_new (ndim, shape);
  json_object_foreach (fields, key, field)
  {
    if (!read_field (reading, key, field, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_bare (Reading *reading, GError **error)
{
  g_autoptr (GVariant) value = NULL;
  g_autoptr (ReelTensordict) holder = reel_tensordict_new (0, NULL);

  if (has_type (reading->said, "other"))
    {
      value = read_value (reading, NULL, reading->said, error);
      reading->td = value ? reel_tree_new_single_value (value, error) : NULL;
      return reading->td != NULL;
    }
  if (!has_type (reading->said, "tensor"))
    return set_damage (reading, NULL, "\"type\" is none of \"tensordict\", \"tensor\", \"other\"",
                       error);
  reading->td = g_steal_pointer (&holder);
  if (!read_tensor (reading, BARE, BARE, reading->said, BARE, error))
    return FALSE;
  holder = g_steal_pointer (&reading->td);
  reading->td = reel_tree_new_single (reel_tensordict_get_tensor (holder, BARE, NULL));
  return TRUE;
}

static ReelStoredValue *
read_row (Reading *reading, GError **error)
{
  gboolean read;

  reading->td = NULL;
  reading->packed = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);
  read = has_type (reading->said, "tensordict") ? read_fields (reading, error)
                                                : read_bare (reading, error);
  if (read)
    return reel_stored_value_new (reading->td, reading->packed);
  g_clear_pointer (&reading->td, reel_tensordict_unref);
  g_ptr_array_unref (reading->packed);
  return NULL;
}

static json_t *
read_array (const char *path, GError **error)
{
  gsize length;
  g_autofree char *text = reel_file_read (path, MOST_BYTES, &length, error);
  json_error_t at;
  json_t *array = text ? json_loadb (text, length, JSON_REJECT_DUPLICATES, &at) : NULL;

  if (!text || json_is_array (array))
    return array;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: expected an array, found %s", path,
               array ? "an object" : at.text);
  json_decref (array);
  return NULL;
}

/* Each row has its place, for what was never set TorchRL cannot load. */
static gboolean
check_indices (const char *path, const json_t *indices, gsize n, gsize n_stored, GError **error)
{
  if (json_array_size (indices) != n || n_stored != n)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                   "%s: numbers %" G_GSIZE_FORMAT " rows, " METADATA " has %" G_GSIZE_FORMAT
                   " and " DATA " %" G_GSIZE_FORMAT,
                   path, json_array_size (indices), n, n_stored);
      return FALSE;
    }
  for (gsize i = 0; i < n; i++)
    if (!json_is_integer (json_array_get (indices, i))
        || json_integer_value (json_array_get (indices, i)) != (json_int_t) i)
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                     "%s: expected 0, 1, 2, …, and entry %" G_GSIZE_FORMAT " is another", path, i);
        return FALSE;
      }
  return TRUE;
}

static GPtrArray *
read_rows (const char *path, const json_t *metadata, ReelTensordict *const *stored, GError **error)
{
  g_autoptr (GPtrArray) values =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_stored_value_unref);

  for (gsize i = 0; i < json_array_size (metadata); i++)
    {
      Reading reading = { path, i, stored[i], json_array_get (metadata, i), NULL, NULL };
      ReelStoredValue *value = read_row (&reading, error);

      if (!value)
        return NULL;
      g_ptr_array_add (values, value);
    }
  return g_steal_pointer (&values);
}

GPtrArray *
reel_values_load (const char *path, GError **error)
{
  g_autofree char *metadata_path = g_build_filename (path, METADATA, NULL);
  g_autofree char *indices_path = g_build_filename (path, INDICES, NULL);
  g_autofree char *data_path = g_build_filename (path, DATA, NULL);
  g_autoptr (json_t) metadata = read_array (metadata_path, error);
  g_autoptr (json_t) indices = metadata ? read_array (indices_path, error) : NULL;
  g_autoptr (ReelTensordict) data =
      indices ? reel_tensordict_load (data_path, REEL_LOAD_READ_ONLY, error) : NULL;
  ReelTensordict *const *stored;
  gsize n_stored = 0;

  if (!data)
    return NULL;
  stored = reel_lazy_stack_get_elements (data, &n_stored);
  if (!stored || n_stored == 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                   "%s: a lazy stack of one row or more expected", data_path);
      return NULL;
    }
  return check_indices (indices_path, indices, json_array_size (metadata), n_stored, error)
             ? read_rows (metadata_path, metadata, stored, error)
             : NULL;
}
