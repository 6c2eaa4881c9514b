/* Whether the rows of a storage are what TorchRL's episode data are. Private. */
#pragma once

#include "../storages/storage.h"

G_BEGIN_DECLS

/**
 * reel_ted_check:
 * @storage: an allocated storage
 * @in_order: whether steps follow one another as they were made
 * @faults: (element-type ReelCheckpointFault): one is added for each key that is not what it should
 *   be, with its first place
 * @notes: (element-type utf8): sentences about what cannot be checked are added
 *
 * Rows that a writer overwrites meanwhile are left out.
 */
void reel_ted_check (ReelStorage *storage, gboolean in_order, GPtrArray *faults, GPtrArray *notes);

G_END_DECLS
