/* A storage in memory: columns side by side, or records. */
#include "../../core/tensor/shared-memory.h"
#include "layout.h"
#include "storage-state.h"

typedef enum
{
  COLUMNS,
  RECORDS,
} Layout;

struct _ReelTensorStorage
{
  ReelStorage parent_instance;

  int layout;
  gboolean shared;
};

G_DECLARE_FINAL_TYPE (ReelTensorStorage, reel_tensor_storage, REEL, TENSOR_STORAGE, ReelStorage)
G_DEFINE_FINAL_TYPE (ReelTensorStorage, reel_tensor_storage, REEL_TYPE_STORAGE)

#define LINE 64
#define PAGE 4096
#define ALIGNMENT 8

/* Where the leaves lie in one piece of memory. */
typedef struct
{
  char **paths;
  gsize *offsets; /* of the first row, by path */
  gsize bytes;    /* of all columns, or of a record */
  gint ndim;      /* dimensions that are rows */
  gboolean shared;
  ReelMemory *memory;
} Places;

static gsize
find_offset (const Places *places, const char *path)
{
  guint i = 0;

  while (!g_str_equal (places->paths[i], path))
    i++;
  return places->offsets[i];
}

static void
clear_places (Places *places)
{
  g_strfreev (places->paths);
  g_free (places->offsets);
  g_clear_pointer (&places->memory, reel_memory_unref);
}

static ReelMemory *
new_memory (const Places *places, gsize bytes, GError **error)
{
  return places->shared ? reel_memory_new_shared (bytes, error) : reel_memory_new (bytes, error);
}

/* ---- columns ---- */

/* Threads that write side by side keep to pages of their own where a column has several. */
static gboolean
place_columns (Places *places, const ReelTensordict *layout, GError **error)
{
  gint64 end = 0;

  places->paths = reel_tensordict_list_leaves (layout);
  places->offsets = g_new (gsize, g_strv_length (places->paths));
  for (guint i = 0; places->paths[i]; i++)
    {
      gsize bytes =
          reel_tensor_nbytes (reel_tensordict_get_tensor (layout, places->paths[i], NULL));
      gsize unit = bytes < PAGE ? LINE : PAGE;

      places->offsets[i] = ((gsize) end + unit - 1) / unit * unit;
      if (__builtin_add_overflow (places->offsets[i], bytes, &end))
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "with \"%s\" the columns are more than 2^63 - 1 bytes in all",
                       places->paths[i]);
          return FALSE;
        }
    }
  places->bytes = (gsize) end;
  return TRUE;
}

static ReelTensor *
make_column (ReelTensor *leaf, const char *path, gpointer user_data, GError **error)
{
  const Places *places = user_data;

  return reel_tensor_new_from_memory (places->memory, find_offset (places, path), leaf->dtype,
                                      leaf->ndim, leaf->shape, NULL, error);
}

/* All in one piece of memory: small columns, too, lie on huge pages. */
static ReelTensordict *
allocate_columns (gboolean shared, ReelTensordict *layout, GError **error)
{
  Places places = { .shared = shared };
  ReelTensordict *data = NULL;

  if (!reel_layout_check (layout, error))
    return NULL;
  if (place_columns (&places, layout, error))
    places.memory = new_memory (&places, places.bytes, error);
  if (places.memory)
    data = reel_layout_map (layout, -1, make_column, &places, error);
  clear_places (&places);
  return data;
}

/* ---- records ---- */

static gsize
count_field_bytes (const ReelTensor *leaf, gint ndim)
{
  gsize bytes = reel_dtype_size (leaf->dtype);

  for (gint dim = ndim; dim < leaf->ndim; dim++)
    bytes *= (gsize) leaf->shape[dim];
  return bytes;
}

/* Records of at most a line lie in one line each, larger ones one after another. */
static gsize
round_up (gsize bytes)
{
  gsize rounded = ALIGNMENT;

  if (bytes > LINE)
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  while (rounded < bytes)
    rounded *= 2;
  return rounded;
}

/* The widest elements first, so that none needs padding. */
static void
place_fields (Places *records, const ReelTensordict *layout)
{
  records->paths = reel_tensordict_list_leaves (layout);
  records->offsets = g_new (gsize, g_strv_length (records->paths));
  for (gsize width = 16; width > 0; width /= 2)
    for (guint i = 0; records->paths[i]; i++)
      {
        const ReelTensor *leaf = reel_tensordict_get_tensor (layout, records->paths[i], NULL);

        if (reel_dtype_size (leaf->dtype) != width)
          continue;
        records->offsets[i] = records->bytes;
        records->bytes += count_field_bytes (leaf, records->ndim);
      }
}

static gboolean
make_memory (Places *records, ReelTensordict *layout, GError **error)
{
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (layout, &ndim);
  gint64 bytes = (gint64) records->bytes;

  for (gint dim = 0; dim < records->ndim; dim++)
    if (__builtin_mul_overflow (bytes, size[dim], &bytes))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "records of %" G_GSIZE_FORMAT " bytes are more than 2^63 - 1 bytes in all",
                     records->bytes);
        return FALSE;
      }
  records->memory = new_memory (records, (gsize) bytes, error);
  return records->memory != NULL;
}

static ReelTensor *
make_field (ReelTensor *leaf, const char *path, gpointer user_data, GError **error)
{
  const Places *records = user_data;
  gint64 strides[REEL_MAX_NDIM], stride = (gint64) reel_dtype_size (leaf->dtype);

  for (gint dim = leaf->ndim - 1; dim >= 0; dim--)
    {
      if (dim == records->ndim - 1)
        stride = (gint64) records->bytes;
      strides[dim] = stride;
      stride *= leaf->shape[dim];
    }
  return reel_tensor_new_from_memory (records->memory, find_offset (records, path), leaf->dtype,
                                      leaf->ndim, leaf->shape, strides, error);
}

static ReelTensordict *
allocate_records (gint ndim, gboolean shared, ReelTensordict *layout, GError **error)
{
  Places records = { .ndim = ndim, .shared = shared };
  ReelTensordict *data = NULL;

  if (!reel_layout_check (layout, error))
    return NULL;
  place_fields (&records, layout);
  records.bytes = round_up (records.bytes);
  if (make_memory (&records, layout, error))
    data = reel_layout_map (layout, -1, make_field, &records, error);
  clear_places (&records);
  return data;
}

/* ---- the class ---- */

static ReelTensordict *
allocate (ReelStorage *storage, ReelTensordict *layout, GError **error)
{
  const ReelTensorStorage *self = REEL_TENSOR_STORAGE (storage);

  if (self->shared)
    reel_storage_set_shared (storage);
  if (self->layout == RECORDS)
    return allocate_records (reel_storage_get_ndim (storage), self->shared, layout, error);
  return allocate_columns (self->shared, layout, error);
}

/* A step has no dimension of time. */
static gsize
count_row_bytes (ReelStorage *storage, const ReelTensordict *step)
{
  Places records = { .ndim = reel_storage_get_ndim (storage) - 1 };

  place_fields (&records, step);
  clear_places (&records);
  return REEL_TENSOR_STORAGE (storage)->layout == RECORDS ? round_up (records.bytes)
                                                          : records.bytes;
}

static void
reel_tensor_storage_class_init (ReelTensorStorageClass *klass)
{
  static const char *const layouts[] = { "columns", "records", NULL };
  static const ReelId ids[] = {
    { "tensor", NULL, "in memory" },
    { "lazy-tensor", NULL, "the same, by a name that differs from TorchRL's TensorStorage" },
    { "LazyTensorStorage", NULL, "in memory, by TorchRL's name" },
    { "records", "layout=records", "in memory, each row in one piece" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  object_class->ids = ids;
  reel_object_class_add_enum (object_class, "layout", G_STRUCT_OFFSET (ReelTensorStorage, layout),
                              layouts, COLUMNS,
                              "each key by itself, or each row in one piece, which halves the "
                              "cache misses of sampling small rows",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (object_class, "shared", G_STRUCT_OFFSET (ReelTensorStorage, shared),
                              FALSE, "whether processes share it that are forked later",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  REEL_STORAGE_CLASS (klass)->peer_name = "LazyTensorStorage";
  REEL_STORAGE_CLASS (klass)->allocate = allocate;
  REEL_STORAGE_CLASS (klass)->count_row_bytes = count_row_bytes;
}

static void
reel_tensor_storage_init (ReelTensorStorage *self)
{
}
