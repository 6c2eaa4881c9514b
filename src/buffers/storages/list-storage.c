/* Values of any shape, one a row. */
#include "item-storage.h"

struct _ReelListStorage
{
  ReelItemStorage parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelListStorage, reel_list_storage, REEL, LIST_STORAGE, ReelItemStorage)
G_DEFINE_FINAL_TYPE (ReelListStorage, reel_list_storage, REEL_TYPE_ITEM_STORAGE)

static void
reel_list_storage_class_init (ReelListStorageClass *klass)
{
  static const ReelId ids[] = {
    { "list", NULL, "values of any shape, in memory" },
    { "ListStorage", NULL, "values of any shape, by TorchRL's name" },
    { NULL },
  };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  reel_item_storage_class_set_up (REEL_ITEM_STORAGE_CLASS (klass), "ListStorage",
                                  REEL_COLLATE_STACK);
}

static void
reel_list_storage_init (ReelListStorage *self)
{
}
