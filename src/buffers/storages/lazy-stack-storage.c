/* Tensordicts of any shapes, read as a lazy stack of them. */
#include "item-storage.h"

struct _ReelLazyStackStorage
{
  ReelItemStorage parent_instance;

  gint64 stack_dim;
};

G_DECLARE_FINAL_TYPE (ReelLazyStackStorage, reel_lazy_stack_storage, REEL, LAZY_STACK_STORAGE,
                      ReelItemStorage)
G_DEFINE_FINAL_TYPE (ReelLazyStackStorage, reel_lazy_stack_storage, REEL_TYPE_ITEM_STORAGE)

/* One that the rows have not is refused by the stack. */
static gint
stack_dim (ReelItemStorage *storage, gint ndim)
{
  return (gint) REEL_LAZY_STACK_STORAGE (storage)->stack_dim;
}

static void
reel_lazy_stack_storage_class_init (ReelLazyStackStorageClass *klass)
{
  static const ReelId ids[] = {
    { "lazy-stack", NULL, "values of any shape, read as a lazy stack" },
    { "LazyStackStorage", NULL, "read as a lazy stack, by TorchRL's name" },
    { NULL },
  };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  reel_item_storage_class_set_up (REEL_ITEM_STORAGE_CLASS (klass), "LazyStackStorage",
                                  REEL_COLLATE_LAZY_STACK);
  REEL_ITEM_STORAGE_CLASS (klass)->stack_dim = stack_dim;
  reel_object_class_add_int64 (REEL_OBJECT_CLASS (klass), "stack-dim",
                               G_STRUCT_OFFSET (ReelLazyStackStorage, stack_dim), -REEL_MAX_NDIM,
                               REEL_MAX_NDIM - 1, 0, NULL,
                               "where rows are stacked; negative counts from the end of the result",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_lazy_stack_storage_init (ReelLazyStackStorage *self)
{
}
