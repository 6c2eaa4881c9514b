/* Rows after which a trajectory is cut. Private. */
#pragma once

#include "storage.h"

G_BEGIN_DECLS

/**
 * reel_storage_mark_cut:
 * @self: an allocated storage with columns
 * @row: a row, counted over the memory of a column
 *
 * Sets `next/truncated` and `next/done` of a row, as TorchRL's collectors mark what they cut; not
 * where the trajectory ends there anyway, nor where neither flag is stored.
 *
 * Returns: whether the row was marked
 */
gboolean reel_storage_mark_cut (ReelStorage *self, gint64 row);

G_END_DECLS
