/* Each row once, lane after lane in order of time. */
#include "ted-checkpointer.h"

#include "../../core/tensordict-files/save-plan.h"

struct _ReelFlatCheckpointer
{
  ReelTedCheckpointer parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelFlatCheckpointer, reel_flat_checkpointer, REEL, FLAT_CHECKPOINTER,
                      ReelTedCheckpointer)
G_DEFINE_FINAL_TYPE (ReelFlatCheckpointer, reel_flat_checkpointer, REEL_TYPE_TED_CHECKPOINTER)

static const ReelRowStream *
get_stream (gpointer pack, const ReelTensor *leaf, gboolean sizes)
{
  return reel_flat_pack_get_stream (pack, leaf);
}

static gboolean
write_rows (ReelFlatPack *pack, gint64 length, const char *path, ReelFileSums *sums, GError **error)
{
  const ReelLeafStreams streams = { FALSE, get_stream, pack };

  return reel_tensordict_save_streamed (reel_flat_pack_get_outline (pack), &streams, path, sums,
                                        error);
}

static ReelFlatRows *
read_rows (const char *path, gint64 *length, GPtrArray *warnings, GError **error)
{
  ReelTensordict *flat = reel_ted_checkpointer_map (path, FALSE, warnings, error);

  return flat ? reel_flat_rows_new (flat) : NULL;
}

static void
reel_flat_checkpointer_class_init (ReelFlatCheckpointerClass *klass)
{
  static const ReelId ids[] = {
    { "flat", NULL, "TED data without duplicates" },
    { "FlatStorageCheckpointer", NULL, "TED data without duplicates, by TorchRL's name" },
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
