/* Functions of checkpointers for checkpoints. Private to the library. */
#pragma once

#include "checkpointer.h"

G_BEGIN_DECLS

/**
 * reel_checkpointer_is_plain:
 * @self: (nullable): a checkpointer
 *
 * Returns: whether files that it writes are those of a storage itself: no hook, no other layout
 */
gboolean reel_checkpointer_is_plain (ReelCheckpointer *self);

/**
 * reel_checkpointer_has_load_hooks:
 * @self: (nullable): a checkpointer
 *
 * Returns: whether it changes what is loaded
 */
gboolean reel_checkpointer_has_load_hooks (ReelCheckpointer *self);

/**
 * reel_checkpointer_run_save_hooks:
 * @self: a checkpointer
 * @data: what is to be saved
 * @state: what is known of it
 * @error: what hooks say
 *
 * Returns: (transfer full): what they make of it
 */
ReelTensordict *reel_checkpointer_run_save_hooks (ReelCheckpointer *self, ReelTensordict *data,
                                                  const ReelCheckpointState *state, GError **error);

/**
 * reel_checkpointer_run_load_hooks:
 * @self: a checkpointer
 * @data: what was read
 * @state: what is known of it
 * @error: RUNTIME for a tree; what hooks say
 *
 * Returns: (transfer full): what they make of it
 */
ReelTensordict *reel_checkpointer_run_load_hooks (ReelCheckpointer *self, ReelTensordict *data,
                                                  const ReelCheckpointState *state, GError **error);

/**
 * reel_checkpointer_read_length:
 * @path: the directory `storage` of a checkpoint
 * @is_tree: (out): whether it holds a tree
 * @length: (out): valid rows
 * @error: DAMAGED with file, found and expected; IO
 *
 * Returns: whether `storage_metadata.json` said so
 */
gboolean reel_checkpointer_read_length (const char *path, gboolean *is_tree, gint64 *length,
                                        GError **error);

G_END_DECLS
