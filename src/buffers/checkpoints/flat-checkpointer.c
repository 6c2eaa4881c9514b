/* Each row once, lane after lane in order of time. */
#include "ted-checkpointer.h"

struct _ReelFlatCheckpointer
{
  ReelTedCheckpointer parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelFlatCheckpointer, reel_flat_checkpointer, REEL, FLAT_CHECKPOINTER,
                      ReelTedCheckpointer)
G_DEFINE_FINAL_TYPE (ReelFlatCheckpointer, reel_flat_checkpointer, REEL_TYPE_TED_CHECKPOINTER)

static gboolean
write_rows (const ReelTensordict *flat, gint64 length, const char *path, GError **error)
{
  return reel_tensordict_save (flat, path, REEL_SAVE_DEFAULT, error);
}

static ReelTensordict *
read_rows (const char *path, gint64 *length, GPtrArray *warnings, GError **error)
{
  return reel_ted_checkpointer_map (path, warnings, error);
}

static void
reel_flat_checkpointer_class_init (ReelFlatCheckpointerClass *klass)
{
  static const ReelId ids[] = {
    { "flat", NULL, "TED data without what stands in it twice" },
    { "FlatStorageCheckpointer", NULL,
      "TED data without what stands in it twice, by TorchRL's name" },
    { NULL },
  };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_CHECKPOINTER_CLASS (klass)->format = "flat";
  REEL_TED_CHECKPOINTER_CLASS (klass)->write = write_rows;
  REEL_TED_CHECKPOINTER_CLASS (klass)->read = read_rows;
}

static void
reel_flat_checkpointer_init (ReelFlatCheckpointer *self)
{
}
