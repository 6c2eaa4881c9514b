/* Reading rows that a writer may be overwriting: look, copy, look again. Private. */
#pragma once

#include "storage.h"

G_BEGIN_DECLS

/**
 * ReelStorageLook:
 * @view: what could be read
 * @revision: of the rows, even
 *
 * A storage at one moment.
 */
typedef struct
{
  ReelStorageView view;
  guint64 revision;
} ReelStorageLook;

/**
 * reel_storage_look:
 * @storage: a storage
 * @look: (out): what can be read now
 * @error: TIMEOUT where rows are being changed in their place and that does not end
 *
 * Before a copy. Any thread.
 *
 * Returns: whether there was a quiet moment
 */
gboolean reel_storage_look (ReelStorage *storage, ReelStorageLook *look, GError **error);

/**
 * reel_storage_look_again:
 * @storage: a storage
 * @look: from before the copy
 *
 * After a copy. Any thread.
 *
 * Returns: the number of the oldest row whose copy is whole; %G_MAXINT64 where none may be
 */
gint64 reel_storage_look_again (ReelStorage *storage, const ReelStorageLook *look);

/**
 * reel_storage_may_retry:
 * @storage: a storage
 * @deadline: (inout): 0 after the first copy of a read, then what the last call left
 * @error: TIMEOUT where copies have been overwritten for too long
 *
 * After a copy that was not whole. The patience is in seconds, not in tries: a reader that other
 * programs keep from its CPU misses many times. Any thread.
 *
 * Returns: whether the copy may be tried again
 */
gboolean reel_storage_may_retry (ReelStorage *storage, gint64 *deadline, GError **error);

G_END_DECLS
