/* The state of a run beside the rows of its buffer. Private. */
#pragma once

#include "../replay-buffer.h"
#include "run-state.h"

G_BEGIN_DECLS

/**
 * reel_replay_buffer_open_run_state:
 * @buffer: a buffer
 * @bytes: of a state
 * @exists: whether a run with such a state wrote the rows that there are
 * @error: RUNTIME where there is none though @exists, or one of another size; DAMAGED; NO_SPACE, IO
 *
 * In memory, where the buffer is not live.
 *
 * Returns: (transfer none) (nullable): the states of the run that writes @buffer
 */
ReelRunState *reel_replay_buffer_open_run_state (ReelReplayBuffer *buffer, gsize bytes,
                                                 gboolean exists, GError **error);

G_END_DECLS
