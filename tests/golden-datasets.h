/* The raw files of tests/data/datasets, and what TorchRL's dataset classes make of them: element
 * types, shapes, and the first 16 digits of the SHA-256 of the elements; or texts. */
#pragma once

#include "golden-tensor.h"

/**
 * golden_dataset_open:
 * @name: of a class, such as `d4rl`
 *
 * Unpacks `NAME.zip` to `NAME` in the scratch directory.
 *
 * Returns: (transfer full): `NAME.json`: `cases`, by name: `id`, `raw` (the directory of the raw
 *   files), `options` (text of properties), `keys`, `split` and `rows`; `damaged`, by name (the
 * directory too): `result` (`error` or `accepted`) and `keys`
 */
json_t *golden_dataset_open (const char *name);

/**
 * golden_dataset_raw:
 * @name: of a class
 * @directory: a directory of its raw files
 *
 * Returns: (transfer full): the path of it
 */
char *golden_dataset_raw (const char *name, const char *directory);

/**
 * golden_dataset_assert:
 * @keys: those of a case
 * @path: a directory of mapped leaves
 *
 * Asserts that these leaves are there, and no others.
 */
void golden_dataset_assert (const json_t *keys, const char *path);

/**
 * golden_dataset_assert_leaves:
 * @keys: those of a case
 * @rows: a tensordict
 * @what: of which case, for messages
 *
 * Asserts that it has these leaves, and no others but `index`.
 */
void golden_dataset_assert_leaves (const json_t *keys, const ReelTensordict *rows,
                                   const char *what);
