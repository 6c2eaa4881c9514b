/* Around the ring: the newest step takes the place of the oldest. */
#include "round-robin-writer.h"

#include "storage-private.h"

G_DEFINE_TYPE (ReelRoundRobinWriter, reel_round_robin_writer, REEL_TYPE_WRITER)

static gboolean
extend (ReelWriter *self, ReelStorage *storage, ReelTensordict *data, gint64 *slots, GError **error)
{
  gint64 n_slots = reel_storage_get_capacity (storage) / reel_storage_get_lanes (storage);
  gint64 slot = reel_storage_get_cursor (storage);
  gint ndim;
  gint64 n = reel_tensordict_get_batch_size (data, &ndim)[0];

  if (!reel_storage_write (storage, data, error))
    return FALSE;
  for (gint64 i = 0; slots && i < n; i++)
    {
      slots[i] = slot;
      slot = slot + 1 < n_slots ? slot + 1 : 0;
    }
  return TRUE;
}

static gboolean
reserve (ReelWriter *self, ReelStorage *storage, gint64 n_steps, ReelBlock *block, GError **error)
{
  return reel_storage_reserve (storage, n_steps, block, error);
}

static void
reel_round_robin_writer_class_init (ReelRoundRobinWriterClass *klass)
{
  static const ReelId ids[] = {
    { "round-robin", NULL, "around the ring, the newest over the oldest" },
    { "RoundRobinWriter", NULL, "around the ring, by TorchRL's name" },
    { NULL },
  };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_WRITER_CLASS (klass)->peer_name = "RoundRobinWriter";
  REEL_WRITER_CLASS (klass)->extend = extend;
  REEL_WRITER_CLASS (klass)->reserve = reserve;
}

static void
reel_round_robin_writer_init (ReelRoundRobinWriter *self)
{
}
