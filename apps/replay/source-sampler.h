/* Which sampler draws from a directory: its own, or the one that the command line names. */
#pragma once

#include "replay.h"

G_BEGIN_DECLS

/* Without @text and @seed the sampler of @opened, which goes on; else a new one that begins to draw
 * with its seed. */
ReelSampler *source_sampler_new (ReelReplayBuffer *opened, const char *text, const char *seed,
                                 GError **error);

/* A sampler of the same kind takes over what the directory knows of its rows: priorities, what is
 * left of a pass. Another kind does not, which is said with @path. To be called once @sampler is
 * that of a buffer. */
gboolean source_sampler_keep_state (ReelReplayBuffer *opened, ReelSampler *sampler,
                                    const char *path, GError **error);

/* The sampler of --sampler, `random` where it was not given; --seed replaces its own. */
ReelSampler *sampler_from_text (const char *text, const char *seed, GError **error);

G_END_DECLS
