/* Names and metadata of the directories that TensorDict.memmap() writes; docs/file-format.md.
 * Private to the library. */
#pragma once

#include "tensordict-files.h"

G_BEGIN_DECLS

#define REEL_MEMMAP_METADATA "meta.json"
#define REEL_MEMMAP_SUFFIX ".memmap"

/**
 * reel_memmap_encode_key:
 * @key: a plain key
 *
 * Returns: (transfer full): @key as the name of a directory, or of a file before its suffix: what
 *   file systems do not like is percent-encoded as in tensordict 0.14
 */
char *reel_memmap_encode_key (const char *key);

/**
 * reel_memmap_key_is_name:
 * @key: a plain key
 *
 * Returns: whether versions before 0.14 may have used @key as a name, and it leads nowhere else
 */
gboolean reel_memmap_key_is_name (const char *key);

/**
 * reel_memmap_check_keys:
 * @td: a tensordict
 * @error: KEY naming the first that cannot be written
 *
 * Returns: whether all keys, here and below, can be stored, and no two names clash
 */
gboolean reel_memmap_check_keys (const ReelTensordict *td, GError **error);

/**
 * reel_memmap_describe:
 * @td: a tensordict whose keys were checked
 *
 * Returns: (transfer full): the text of this level's `meta.json`
 */
char *reel_memmap_describe (const ReelTensordict *td);

G_END_DECLS
