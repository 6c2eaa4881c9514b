/* The state of a writer in the files of TorchRL's. Private. */
#pragma once

#include "../../core/formats/json.h"
#include "../../core/tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * reel_checkpoint_read_writer:
 * @root: what `metadata.json` holds
 * @directory: the directory of that file
 * @where: the path of that file, for messages
 * @state: gets what lies there beside the counts, under the keys of reel_writer_dup_state(); leaves
 *   are mapped
 * @error: DAMAGED with file, found and expected; IO
 *
 * Returns: whether all of it could be read
 */
gboolean reel_checkpoint_read_writer (const json_t *root, const char *directory, const char *where,
                                      ReelTensordict *state, GError **error);

/**
 * reel_checkpoint_describe_writer:
 * @root: what `metadata.json` is to hold: members are added
 * @state: what reel_writer_dup_state() said
 */
void reel_checkpoint_describe_writer (json_t *root, const ReelTensordict *state);

/**
 * reel_checkpoint_find_writer_leaf:
 * @state: what reel_writer_dup_state() said
 * @tensor: (out) (transfer none): the leaf that lies beside the JSON
 *
 * Returns: (transfer none) (nullable): its file beside `metadata.json`; %NULL where there is none
 */
const char *reel_checkpoint_find_writer_leaf (const ReelTensordict *state,
                                              const ReelTensor **tensor);

G_END_DECLS
