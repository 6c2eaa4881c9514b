/* Around the ring: the newest step takes the place of the oldest. */
#include "round-robin-writer.h"

#include "../storages/storage-private.h"
#include "../storages/item-rows.h"
#include "writer-private.h"

#define GENERATIONS "_generation"

typedef struct
{
  gboolean track_generations;
} ReelRoundRobinWriterPrivate;

G_DEFINE_TYPE_WITH_PRIVATE (ReelRoundRobinWriter, reel_round_robin_writer, REEL_TYPE_WRITER)

gboolean
reel_writer_tracks_generations (ReelWriter *self)
{
  ReelRoundRobinWriterPrivate *private;

  if (!REEL_IS_ROUND_ROBIN_WRITER (self))
    return FALSE;
  private = reel_round_robin_writer_get_instance_private (REEL_ROUND_ROBIN_WRITER (self));
  return private->track_generations;
}

static void
bind (ReelWriter *self, ReelStorage *storage)
{
  if (reel_writer_tracks_generations (self))
    reel_storage_track_generations (storage);
}

static gboolean
extend (ReelWriter *self, ReelStorage *storage, ReelTensordict *data, gint64 *slots, GError **error)
{
  gint64 n_slots = reel_storage_get_capacity (storage) / reel_storage_get_lanes (storage);
  gint64 slot = reel_storage_get_cursor (storage);
  gint64 n = reel_rows_count (data);

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
add (ReelWriter *self, ReelStorage *storage, ReelTensordict *step, gboolean *added, GError **error)
{
  return reel_storage_write_step (storage, step, added, error);
}

static gboolean
reserve (ReelWriter *self, ReelStorage *storage, gint64 n_steps, ReelReservation *block,
         GError **error)
{
  return reel_storage_reserve (storage, n_steps, block, error);
}

static gboolean
dup_state (ReelWriter *self, ReelStorage *storage, ReelTensordict *state, GError **error)
{
  g_autoptr (ReelTensor) generations = NULL;

  if (!reel_writer_tracks_generations (self) || !reel_storage_has_generations (storage))
    return TRUE;
  generations = reel_storage_copy_generations (storage, error);
  return generations && reel_tensordict_set_tensor (state, GENERATIONS, generations, error);
}

static gboolean
read_state (ReelWriter *self, const ReelWriterRows *rows, const ReelTensordict *state,
            gpointer *said, GError **error)
{
  ReelTensor *generations;

  if (!reel_writer_tracks_generations (self) || !reel_tensordict_contains (state, GENERATIONS)
      || (!rows->data && !reel_storage_is_allocated (rows->storage)))
    return TRUE;
  generations = reel_tensordict_get_tensor (state, GENERATIONS, error);
  if (!generations
      || !reel_storage_check_generations (generations, rows->view.capacity / rows->view.lanes,
                                          error))
    return FALSE;
  *said = reel_tensor_ref (generations);
  return TRUE;
}

static void
take_state (ReelWriter *self, ReelStorage *storage, gpointer said)
{
  if (said && reel_storage_has_generations (storage))
    reel_storage_set_generations (storage, said);
}

static void
free_state (gpointer said)
{
  reel_tensor_unref (said);
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
  REEL_WRITER_CLASS (klass)->add = add;
  REEL_WRITER_CLASS (klass)->reserve = reserve;
  REEL_WRITER_CLASS (klass)->bind = bind;
  REEL_WRITER_CLASS (klass)->dup_state = dup_state;
  REEL_WRITER_CLASS (klass)->read_state = read_state;
  REEL_WRITER_CLASS (klass)->take_state = take_state;
  REEL_WRITER_CLASS (klass)->free_state = free_state;
  reel_object_class_add_bool (REEL_OBJECT_CLASS (klass), "track-generations",
                              (gsize) G_PRIVATE_OFFSET (ReelRoundRobinWriter, track_generations),
                              FALSE,
                              "whether batches say how often the slots of their rows were written",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_round_robin_writer_init (ReelRoundRobinWriter *self)
{
}
