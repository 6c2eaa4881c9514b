/* The output of `replay sample --out`, as a buffer. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

/* Whether the directory holds batches, or is one of them. */
gboolean saved_batches_are_at (const char *path);

/* A buffer in memory with the rows of all batches, one batch after the other. */
ReelReplayBuffer *saved_batches_open (const char *path, GError **error);

G_END_DECLS
