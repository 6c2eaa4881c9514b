/* Properties and parts of a collector that do not fit together. Private. */
#pragma once

#include "collector-private.h"

G_BEGIN_DECLS

/**
 * reel_collector_check_properties:
 * @parts: parts of a collector; the layout is not needed
 * @error: VALUE, TYPE, KEY or RUNTIME as TorchRL, naming the properties and the way out
 *
 * Returns: whether the collector can do all that is asked for
 */
gboolean reel_collector_check_properties (const ReelCollectorParts *parts, GError **error);

/**
 * reel_collector_check_storage:
 * @parts: parts of a collector with a buffer
 * @error: VALUE where its storage has another `ndim` than what is written
 *
 * Returns: whether the buffer can take it
 */
gboolean reel_collector_check_storage (const ReelCollectorParts *parts, GError **error);

/**
 * reel_collector_check_episodes:
 * @parts: parts of a collector
 * @total_episodes: the property, 0 for any number
 * @error: VALUE naming the properties
 *
 * Returns: whether the episodes that are counted are ended by the env alone
 */
gboolean reel_collector_check_episodes (const ReelCollectorParts *parts, gint64 total_episodes,
                                        GError **error);

G_END_DECLS
