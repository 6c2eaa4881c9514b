/* Directories of rows that are no buffers: the output of `replay sample --out`, and datasets that
 * `replay import` made. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

/* Whether the directory contains batches, or is one of them, or a dataset. */
gboolean saved_batches_are_at (const char *path);

/* A buffer in memory with the rows of all batches, one batch after the other. */
ReelReplayBuffer *saved_batches_open (const char *path, GError **error);

G_END_DECLS
