/* A storage in memory: columns side by side, or records. */
#include "layout.h"
#include "storage.h"

typedef enum
{
  COLUMNS,
  RECORDS,
} Layout;

struct _ReelTensorStorage
{
  ReelStorage parent_instance;

  int layout;
};

G_DECLARE_FINAL_TYPE (ReelTensorStorage, reel_tensor_storage, REEL, TENSOR_STORAGE, ReelStorage)
G_DEFINE_FINAL_TYPE (ReelTensorStorage, reel_tensor_storage, REEL_TYPE_STORAGE)

/* ---- columns ---- */

static ReelTensor *
make_leaf (ReelTensor *leaf, const char *path, gpointer user_data, GError **error)
{
  ReelTensor *made = reel_tensor_new (leaf->dtype, leaf->ndim, leaf->shape, error);

  if (!made)
    g_prefix_error (error, "\"%s\": ", path);
  return made;
}

/* ---- records ---- */

#define LINE 64
#define ALIGNMENT 8

typedef struct
{
  char **paths;
  gsize *offsets; /* in a record, by path */
  gsize bytes;    /* of a record */
  gint ndim;      /* dimensions that are rows */
  ReelMemory *memory;
} Records;

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
place_fields (Records *records, const ReelTensordict *layout)
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
make_memory (Records *records, ReelTensordict *layout, GError **error)
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
  records->memory = reel_memory_new ((gsize) bytes, error);
  return records->memory != NULL;
}

static ReelTensor *
make_field (ReelTensor *leaf, const char *path, gpointer user_data, GError **error)
{
  const Records *records = user_data;
  gint64 strides[REEL_MAX_NDIM], stride = (gint64) reel_dtype_size (leaf->dtype);
  guint i = 0;

  while (!g_str_equal (records->paths[i], path))
    i++;
  for (gint dim = leaf->ndim - 1; dim >= 0; dim--)
    {
      if (dim == records->ndim - 1)
        stride = (gint64) records->bytes;
      strides[dim] = stride;
      stride *= leaf->shape[dim];
    }
  return reel_tensor_new_from_memory (records->memory, records->offsets[i], leaf->dtype, leaf->ndim,
                                      leaf->shape, strides, error);
}

static void
clear_records (Records *records)
{
  g_strfreev (records->paths);
  g_free (records->offsets);
  g_clear_pointer (&records->memory, reel_memory_unref);
}

static ReelTensordict *
allocate_records (gint ndim, ReelTensordict *layout, GError **error)
{
  Records records = { .ndim = ndim };
  ReelTensordict *data = NULL;

  if (!reel_layout_check (layout, error))
    return NULL;
  place_fields (&records, layout);
  records.bytes = round_up (records.bytes);
  if (make_memory (&records, layout, error))
    data = reel_layout_map (layout, -1, make_field, &records, error);
  clear_records (&records);
  return data;
}

/* ---- the class ---- */

static ReelTensordict *
allocate (ReelStorage *storage, ReelTensordict *layout, GError **error)
{
  if (REEL_TENSOR_STORAGE (storage)->layout == RECORDS)
    return allocate_records (reel_storage_get_ndim (storage), layout, error);
  return reel_layout_map (layout, -1, make_leaf, NULL, error);
}

/* A step has no dimension of time. */
static gsize
count_row_bytes (ReelStorage *storage, const ReelTensordict *step)
{
  Records records = { .ndim = reel_storage_get_ndim (storage) - 1 };

  place_fields (&records, step);
  clear_records (&records);
  return REEL_TENSOR_STORAGE (storage)->layout == RECORDS ? round_up (records.bytes)
                                                          : records.bytes;
}

static void
reel_tensor_storage_class_init (ReelTensorStorageClass *klass)
{
  static const char *const layouts[] = { "columns", "records", NULL };
  static const ReelId ids[] = {
    { "tensor", NULL, "in memory" },
    { "lazy-tensor", NULL, "the same, by the name that tells it from TorchRL's TensorStorage" },
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
  REEL_STORAGE_CLASS (klass)->peer_name = "LazyTensorStorage";
  REEL_STORAGE_CLASS (klass)->allocate = allocate;
  REEL_STORAGE_CLASS (klass)->count_row_bytes = count_row_bytes;
}

static void
reel_tensor_storage_init (ReelTensorStorage *self)
{
}
