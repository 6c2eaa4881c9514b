/* The files of a replay buffer, as far as the buffer knows them. Private. */
#pragma once

#include "replay-buffer.h"

G_BEGIN_DECLS

/**
 * ReelBufferHome:
 * @get_path: returns the directory that the buffer is kept in, %NULL for none
 * @take_parts: called when the storage, the sampler or the writer of the buffer is another
 *
 * Checkpoints set it when a buffer first has to do with files.
 */
typedef struct
{
  const char *(*get_path) (ReelReplayBuffer *buffer);
  void (*take_parts) (ReelReplayBuffer *buffer);
} ReelBufferHome;

/**
 * reel_replay_buffer_set_home:
 * @self: a buffer
 * @home: (transfer none): what its files do, static
 */
void reel_replay_buffer_set_home (ReelReplayBuffer *self, const ReelBufferHome *home);

G_END_DECLS
