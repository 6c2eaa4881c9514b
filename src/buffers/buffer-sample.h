/* The batch that a buffer gave out last. Private. */
#pragma once

#include "replay-buffer.h"

G_BEGIN_DECLS

/**
 * reel_buffer_forget_batch:
 * @self: a buffer
 *
 * Nothing is said any more of the batch that was given out last, and who has it keeps it.
 */
void reel_buffer_forget_batch (ReelReplayBuffer *self);

G_END_DECLS
