/* Short ways to what tests of collectors need; what cannot be made ends the test. */
#pragma once

#include "../src/reel.h"

G_BEGIN_DECLS

/* collecting_make: an object of @base from @text. */
gpointer collecting_make (GType base, const char *text);

/* collecting_text: the text of a collector, with batches of the shape of sync's. */
char *collecting_text (const char *id, gint64 frames, gint64 total, gint64 threads);

/* collecting_make_buffer: over a storage of this id, capacity in rows and ndim. */
ReelReplayBuffer *collecting_make_buffer (const char *storage, gint64 capacity, gint ndim);

/* collecting_make_collector: of a fresh env and policy, each from text. */
ReelCollector *collecting_make_collector (const char *text, const char *env, const char *policy,
                                          ReelReplayBuffer *buffer);

/* collecting_next: reel_collector_next() that must not fail. */
gint64 collecting_next (ReelCollector *collector, ReelTensordict **batch);

/* collecting_collect: @steps of @lanes of an env, by random actions. */
ReelTensordict *collecting_collect (const char *env, gint64 lanes, gint64 steps, gint64 threads);

G_END_DECLS
