/* A thread in which a collector fills its buffer. Private. */
#pragma once

#include "collector.h"

G_BEGIN_DECLS

/**
 * ReelCollectorBackground:
 *
 * The thread, and what came of it. It belongs to the thread that began it.
 */
typedef struct _ReelCollectorBackground ReelCollectorBackground;

/**
 * reel_collector_background_is_busy:
 * @self: (nullable): a thread
 *
 * Returns: whether it was begun and not ended by reel_collector_pause()
 */
gboolean reel_collector_background_is_busy (const ReelCollectorBackground *self);

/**
 * reel_collector_background_free:
 * @self: (transfer full) (nullable): a thread
 *
 * Ends it after the batch at work.
 */
void reel_collector_background_free (ReelCollectorBackground *self);

G_END_DECLS
