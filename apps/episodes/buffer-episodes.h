/* Where the episodes of a buffer are, or those of each member of an ensemble. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

/* One buffer. Without an index nothing separates episodes, and each lane counts as one. */
typedef struct
{
  ReelReplayBuffer *buffer;
  ReelTrajectoryIndex *index;
  ReelStorageView view; /* of the last look */
  char *place;          /* of a member: "0", or "0/1" of an ensemble in it; else "" */
} BufferEpisodes;

/* (element-type BufferEpisodes): of a ReelReplayBuffer, or of the buffers in a
 * ReelReplayBufferEnsemble, which must outlive it. */
GPtrArray *buffer_episodes_list (gpointer opened, GError **error);

/* Updates the episodes of a buffer that may have more rows by now. */
gboolean buffer_episodes_follow (BufferEpisodes *self, GError **error);

gint64 buffer_episodes_count (const BufferEpisodes *self);

/* They are in the order of their ends. */
void buffer_episodes_get (const BufferEpisodes *self, gint64 k, ReelTrajectory *episode);

G_END_DECLS
