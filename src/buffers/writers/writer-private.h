/* Functions of a writer for its buffer. Private. */
#pragma once

#include "writer.h"

G_BEGIN_DECLS

/**
 * reel_writer_set_write_count:
 * @self: a writer
 * @storage: what it writes to, at its present cursor
 * @write_count: steps written so far
 */
void reel_writer_set_write_count (ReelWriter *self, ReelStorage *storage, gint64 write_count);

/**
 * reel_writer_count_writes:
 * @self: a writer
 * @n: steps that it wrote elsewhere than at the cursor
 */
void reel_writer_count_writes (ReelWriter *self, gint64 n);

/**
 * reel_writer_get_write_count:
 * @self: a writer
 * @storage: what it writes to
 *
 * Returns: steps written since @storage was made, or the count was set
 */
gint64 reel_writer_get_write_count (ReelWriter *self, ReelStorage *storage);

/**
 * ReelWriterState:
 * @writer: (transfer none): who is to go on from it
 * @counted: whether it says how many steps were written
 * @write_count: how many
 * @said: (nullable): what its class read
 *
 * A state that was checked, on its way into a writer.
 */
typedef struct
{
  ReelWriter *writer;
  gboolean counted;
  gint64 write_count;
  gpointer said;
} ReelWriterState;

/**
 * reel_writer_read_state:
 * @self: a writer
 * @rows: what its storage holds, or is going to
 * @state: as for reel_writer_set_state(); its cursor is not looked at
 * @read: (out caller-allocates): what it says; to be given to reel_writer_state_clear()
 * @error: as reel_writer_set_state()
 *
 * Changes nothing, and needs @state no more afterwards.
 *
 * Returns: whether @self can go on from @state
 */
gboolean reel_writer_read_state (ReelWriter *self, const ReelWriterRows *rows,
                                 const ReelTensordict *state, ReelWriterState *read,
                                 GError **error);

/**
 * reel_writer_state_take:
 * @self: what was read
 * @storage: what its writer writes to, which holds the rows now
 *
 * The writer goes on from there.
 */
void reel_writer_state_take (ReelWriterState *self, ReelStorage *storage);

/**
 * reel_writer_state_clear:
 * @self: what was read, taken or not; all zeros afterwards
 */
void reel_writer_state_clear (ReelWriterState *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReelWriterState, reel_writer_state_clear)

G_END_DECLS
