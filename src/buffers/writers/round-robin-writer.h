/* Writing around the ring, for classes that do the same and more. Private. */
#pragma once

#include "writer.h"

G_BEGIN_DECLS

#define REEL_TYPE_ROUND_ROBIN_WRITER (reel_round_robin_writer_get_type ())
G_DECLARE_DERIVABLE_TYPE (ReelRoundRobinWriter, reel_round_robin_writer, REEL, ROUND_ROBIN_WRITER,
                          ReelWriter)

struct _ReelRoundRobinWriterClass
{
  ReelWriterClass parent_class;
};

/**
 * reel_writer_tracks_generations:
 * @self: a writer
 *
 * Returns: its property `track-generations`, where it has one
 */
gboolean reel_writer_tracks_generations (ReelWriter *self);

/**
 * reel_tensordict_round_robin_number:
 * @rows: listed rows, see reel_rows_list()
 * @slots: (array): the slot that each is going to have
 * @error: as reel_tensordict_set_tensor()
 *
 * Returns: (transfer full): the same; those that are tensordicts hold their slot as `index`
 */
ReelTensordict *reel_tensordict_round_robin_number (const ReelTensordict *rows, const gint64 *slots,
                                                    GError **error);

G_END_DECLS
