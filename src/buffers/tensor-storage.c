/* A storage in memory. */
#include "layout.h"
#include "storage.h"

struct _ReelTensorStorage
{
  ReelStorage parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelTensorStorage, reel_tensor_storage, REEL, TENSOR_STORAGE, ReelStorage)
G_DEFINE_FINAL_TYPE (ReelTensorStorage, reel_tensor_storage, REEL_TYPE_STORAGE)

static ReelTensor *
make_leaf (ReelTensor *leaf, const char *path, gpointer user_data, GError **error)
{
  ReelTensor *made = reel_tensor_new (leaf->dtype, leaf->ndim, leaf->shape, error);

  if (!made)
    g_prefix_error (error, "\"%s\": ", path);
  return made;
}

static ReelTensordict *
allocate (ReelStorage *storage, ReelTensordict *layout, GError **error)
{
  return reel_layout_map (layout, -1, make_leaf, NULL, error);
}

static void
reel_tensor_storage_class_init (ReelTensorStorageClass *klass)
{
  static const ReelId ids[] = {
    { "tensor", NULL, "in memory" },
    { "LazyTensorStorage", NULL, "in memory, by TorchRL's name" },
    { NULL },
  };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_STORAGE_CLASS (klass)->peer_name = "LazyTensorStorage";
  REEL_STORAGE_CLASS (klass)->allocate = allocate;
}

static void
reel_tensor_storage_init (ReelTensorStorage *self)
{
}
