/* What the sidecar of a buffer says of the run that fills it. Private. */
#pragma once

#include "collector-private.h"

G_BEGIN_DECLS

/**
 * reel_run_record_keep:
 * @parts: what a collector was made of, with a buffer
 * @error: VALUE when a text is no UTF-8
 *
 * Keeps with the buffer, by reel_replay_buffer_set_info(): `env` and `policy`, each with id and
 * text, `seed` and `num_envs` where there are such, and `specs`, see
 * reel_replay_buffer_set_specs().
 * Format: docs/file-format.md.
 *
 * Returns: whether it was kept
 */
gboolean reel_run_record_keep (const ReelCollectorParts *parts, GError **error);

G_END_DECLS
