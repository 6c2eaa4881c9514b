/* Base of the checkpointers that lay out trajectories. Private to the library. */
#pragma once

#include "../../core/formats/file-sums.h"
#include "checkpointer-private.h"
#include "flat-ted.h"

G_BEGIN_DECLS

/**
 * ReelTedCheckpointer:
 *
 * Packs what is saved to flat rows, and unpacks what was loaded.
 */
#define REEL_TYPE_TED_CHECKPOINTER (reel_ted_checkpointer_get_type ())
G_DECLARE_DERIVABLE_TYPE (ReelTedCheckpointer, reel_ted_checkpointer, REEL, TED_CHECKPOINTER,
                          ReelCheckpointer)

/**
 * ReelTedCheckpointerClass:
 * @is_cut: whether trajectories are cut from each other
 * @write: required. Writes flat rows and what is said of them to the directory @path, and enters
 *   the checksums that it has of its files in @sums, which may be %NULL
 * @read: required. Finds them, mapped, and sets @length where the class keeps it. DAMAGED, IO
 *
 * Virtual functions of a class, besides the format.
 */
struct _ReelTedCheckpointerClass
{
  ReelCheckpointerClass parent_class;

  gboolean is_cut;
  gboolean (*write) (ReelFlatPack *pack, gint64 length, const char *path, ReelFileSums *sums,
                     GError **error);
  ReelFlatRows *(*read) (const char *path, gint64 *length, GPtrArray *warnings, GError **error);
};

/**
 * reel_ted_checkpointer_map:
 * @path: a directory that TensorDict.memmap() wrote
 * @joined: whether its leaves are ragged, to be joined
 * @warnings: (element-type utf8): what is left out is added
 * @error: DAMAGED with file, found and expected; IO
 *
 * Returns: (transfer full): what it holds, for reading
 */
ReelTensordict *reel_ted_checkpointer_map (const char *path, gboolean joined, GPtrArray *warnings,
                                           GError **error);

/**
 * reel_ted_checkpointer_open:
 * @self: a #ReelTedCheckpointer
 * @path: the directory `storage` of a checkpoint
 * @length: (out): valid rows
 * @warnings: (element-type utf8): what is left out is added
 * @error: DAMAGED naming file, found and expected; IO
 *
 * Checks all and reads no rows but the flags that trajectories end by.
 *
 * Returns: (transfer full): what gives them; not to be used after @self
 */
ReelFlatUnpack *reel_ted_checkpointer_open (ReelCheckpointer *self, const char *path,
                                            gint64 *length, GPtrArray *warnings, GError **error);

G_END_DECLS
