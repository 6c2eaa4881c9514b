/* Forms of rows in files. */
#pragma once

#include "../../core/object/object.h"
#include "../../core/tensordict-files/tensordict-files.h"

G_BEGIN_DECLS

/**
 * ReelCheckpointer:
 *
 * How the rows of a storage lie in the files of a checkpoint. A buffer writes with the one that was
 * set by reel_replay_buffer_set_checkpointer(); readers find out by themselves what they have
 * before them.
 *
 * Ids: `tensor` (`TensorStorageCheckpointer`): as they lie in memory; what a buffer without a
 * choice of its own has. `flat` (`FlatStorageCheckpointer`): each observation once, with the last
 * one of each trajectory behind it. `nested` (`NestedStorageCheckpointer`): the same, cut into
 * trajectories. `h5` (`H5StorageCheckpointer`): the same in one HDF5 file, where the library was
 * built with it. The last three are for TED data with `next/done` alone, and have the properties
 * `done-keys` (default `done`, `terminated`, `truncated`) and `reward-keys` (default `reward`):
 * what is taken from `next` only. docs/file-format.md lists the parts that they do not keep; losses
 * of given rows are listed by reel_replay_buffer_dup_warnings() after a dump.
 *
 * The writer's thread of each buffer that uses it.
 */
#define REEL_TYPE_CHECKPOINTER (reel_checkpointer_get_type ())
REEL_API
G_DECLARE_DERIVABLE_TYPE (ReelCheckpointer, reel_checkpointer, REEL, CHECKPOINTER, ReelObject)

/**
 * ReelCheckpointState:
 * @path: the directory `storage` of the checkpoint, which is there: while it is saved a hook may
 *   add files of its own to it; it is renamed afterwards
 * @shift: one past the slot that was written last, 0 where nothing was written
 * @is_full: whether all slots hold something; the oldest lies at @shift then, modulo their number
 * @sums: (nullable): checksums of files that were written, private to the library
 *
 * Facts about the rows that are saved. While they are loaded @path alone is set.
 */
typedef struct
{
  const char *path;
  gint64 shift;
  gboolean is_full;
  struct _ReelFileSums *sums;
} ReelCheckpointState;

/**
 * ReelCheckpointerClass:
 * @format: the id by which what it writes is recognised
 * @save: required. Writes @data, `[steps, lanes…]`, below the directory @state says. A sentence for
 *   each thing that is lost is added to @warnings. KEY, TYPE or VALUE for what the format cannot
 *   hold, before anything is written; NO_SPACE, IO
 * @load: required. Gives what lies in the directory @path as it was, `[steps, lanes…]`, mapped by
 *   @flags where it lies so, and sets @length to the valid rows. Omissions are added to
 *   @warnings. DAMAGED naming file, found and expected; IO
 * @in_place: whether leaves lie there as they do in a storage, which can map them
 * @keeps_length: whether the length is among what @save writes; it stands in
 *   `storage_metadata.json` otherwise
 *
 * Virtual functions of a checkpointer.
 */
struct _ReelCheckpointerClass
{
  ReelObjectClass parent_class;

  const char *format;
  gboolean in_place;
  gboolean keeps_length;
  gboolean (*save) (ReelCheckpointer *self, const ReelTensordict *data, gint64 length,
                    const ReelCheckpointState *state, GPtrArray *warnings, GError **error);
  ReelTensordict *(*load) (ReelCheckpointer *self, const char *path, ReelLoadFlags flags,
                           gint64 *length, GPtrArray *warnings, GError **error);
};

/**
 * ReelCheckpointHook:
 * @data: the whole allocation, `[steps, lanes…]`, not to be written to: valid are the slots that
 *   @state tells
 * @state: what is known of it
 * @user_data: what it was added with
 * @error: why not
 *
 * Changes what is saved, or what was loaded.
 *
 * Returns: (transfer full) (nullable): what takes its place, which may be @data; %NULL on failure
 */
typedef ReelTensordict *(*ReelCheckpointHook) (ReelTensordict *data,
                                               const ReelCheckpointState *state, gpointer user_data,
                                               GError **error);

/**
 * reel_checkpointer_add_save_hook:
 * @self: a checkpointer
 * @hook: called before rows are saved, after the hooks that were added before
 * @user_data: for @hook
 * @destroy: (nullable): frees @user_data when @self is dropped
 *
 * Nothing in the files tells that there was a hook: who loads them adds the one that undoes it.
 * The result of a hook may have other keys and shapes; the checkpointer writes that in its way. A
 * live buffer's own files, and a dump to where they are, are never changed by hooks.
 */
REEL_API
void reel_checkpointer_add_save_hook (ReelCheckpointer *self, ReelCheckpointHook hook,
                                      gpointer user_data, GDestroyNotify destroy);

/**
 * reel_checkpointer_add_load_hook:
 * @self: a checkpointer
 * @hook: called by reel_replay_buffer_loads() with what was read, whichever checkpointer wrote it,
 *   after the hooks that were added before; what it gives must fit the buffer
 * @user_data: for @hook
 * @destroy: (nullable): frees @user_data when @self is dropped
 *
 * Trees are refused, as by TorchRL.
 */
REEL_API
void reel_checkpointer_add_load_hook (ReelCheckpointer *self, ReelCheckpointHook hook,
                                      gpointer user_data, GDestroyNotify destroy);

G_END_DECLS
