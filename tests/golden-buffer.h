/* Checkpoints that the real TorchRL wrote, and whole buffers and directories compared. */
#pragma once

#include "../src/core/formats/json.h"
#include "../src/reel.h"

/**
 * golden_list:
 *
 * Returns: (transfer full) (element-type utf8): the names of all cases, so that none is left out
 */
GPtrArray *golden_list (void);

/**
 * golden_expect:
 *
 * Returns: (transfer full): what expect.json of a case says
 */
json_t *golden_expect (const char *name);

/**
 * golden_dump:
 *
 * Returns: (transfer full): the directory of a case
 */
char *golden_dump (const char *name);

/**
 * golden_copy:
 *
 * Returns: (transfer full): a copy of it in the scratch directory
 */
char *golden_copy (const char *name);

/**
 * golden_checkpointer:
 *
 * Returns: (transfer none) (nullable): TorchRL's name of what wrote its storage, an id of ours too;
 *   %NULL where there was none, or the library was built without it
 */
const char *golden_checkpointer (const json_t *expect);

/**
 * golden_rows:
 *
 * Returns: steps that hold something
 */
gint64 golden_rows (const json_t *expect);

/**
 * golden_steps:
 *
 * Returns: steps that there is room for
 */
gint64 golden_steps (const json_t *expect);

/**
 * golden_assert_content:
 *
 * The buffer holds what expect.json says: keys, dtypes, shapes, bytes of the valid rows, counts.
 */
void golden_assert_content (const json_t *expect, ReelReplayBuffer *buffer);

/**
 * golden_assert_same_files:
 * @rows: valid steps of the leaves, which are compared byte for byte; JSON is compared parsed
 * @capacity: all steps
 *
 * Every file below `storage`, `sampler`, `writer` and buffer_metadata.json of @theirs stands in
 * @ours with the same content, and no others do.
 */
void golden_assert_same_files (const char *theirs, const char *ours, gint64 rows, gint64 capacity);

/**
 * assert_equal_buffers:
 *
 * The buffers hold the same rows in the same slots, and go on alike.
 */
void assert_equal_buffers (ReelReplayBuffer *a, ReelReplayBuffer *b);

/**
 * tree_copy:
 *
 * Copies a directory with all that it holds.
 */
void tree_copy (const char *from, const char *to);

/**
 * ring_take_place:
 * @run: a live directory
 *
 * Its JSON files name the ring that is there now, as if its writer had made it.
 */
void ring_take_place (const char *run);

/**
 * tree_copy_killed:
 *
 * Copies a live directory, as a kill of its writer would leave it.
 */
void tree_copy_killed (const char *from, const char *to);

/**
 * tree_digest:
 *
 * Returns: (transfer full): a digest of all names and contents below @path; "" where nothing is
 */
char *tree_digest (const char *path);

/**
 * remove_leftovers:
 * @allowed: whether there may be any
 *
 * Removes what was half made or half removed in the scratch directory.
 */
void remove_leftovers (gboolean allowed);

/**
 * replace_text:
 *
 * Replaces the one place of @old in a file.
 */
void replace_text (const char *path, const char *old, const char *by);
