/* --transform: a chain for rows that are stored already. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

/* The chain of a text. */
ReelTransform *row_transform_new (const char *text, GError **error);

/* The same; an error of usage for one that changes rows where they are written. */
ReelTransform *row_transform_new_for_reading (const char *text, GError **error);

/* All rows of @buffer in order of time, in a buffer of their own, as one with @transform would have
 * stored and would show them. @ring is as for reel_replay_buffer_copy_in_order(). */
ReelReplayBuffer *row_transform_all (ReelTransform *transform, ReelReplayBuffer *buffer,
                                     ReelOrderedDump *ring, GError **error);

G_END_DECLS
