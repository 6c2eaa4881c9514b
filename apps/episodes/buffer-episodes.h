/* Where the episodes of a buffer are, or those of each member of an ensemble. */
#pragma once

#include "step-rows.h"

G_BEGIN_DECLS

/* One buffer. Without an index nothing separates episodes, and each lane counts as one. Where rows
 * are several steps, these are what the view and the episodes number, in one lane. */
typedef struct
{
  ReelReplayBuffer *buffer;
  ReelTrajectoryIndex *index;
  StepRows *step_rows;  /* where rows are several steps, else NULL */
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

/* Steps of a row: 1 but where rows are several. */
gint64 buffer_episodes_count_steps (const BufferEpisodes *self);

/* The value of a column at a row of the view. */
gconstpointer buffer_episodes_at (const BufferEpisodes *self, const ReelColumn *column, gint64 row);

/* Copies steps of an episode: a tensordict of batch size `[n]`. Errors as of
 * reel_replay_buffer_get_numbered_rows(). */
ReelTensordict *buffer_episodes_read (const BufferEpisodes *self, const ReelTrajectory *episode,
                                      gint64 step, gint64 n, GError **error);

G_END_DECLS
