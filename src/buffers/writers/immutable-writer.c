/* Writes nothing: the data are as they are. */
#include "writer.h"

struct _ReelImmutableWriter
{
  ReelWriter parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelImmutableWriter, reel_immutable_writer, REEL, IMMUTABLE_WRITER,
                      ReelWriter)
G_DEFINE_FINAL_TYPE (ReelImmutableWriter, reel_immutable_writer, REEL_TYPE_WRITER)

static void
reel_immutable_writer_class_init (ReelImmutableWriterClass *klass)
{
  static const ReelId ids[] = {
    { "immutable", NULL, "refuses every write" },
    { "ImmutableDatasetWriter", NULL, "refuses every write, by TorchRL's name" },
    { NULL },
  };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_WRITER_CLASS (klass)->peer_name = "ImmutableDatasetWriter";
  REEL_WRITER_CLASS (klass)->refusal = "This dataset doesn't allow writing.";
}

static void
reel_immutable_writer_init (ReelImmutableWriter *self)
{
}
