/* Base of the checkpointers that lay out trajectories. Private to the library. */
#pragma once

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
 * @write: required. Writes flat rows and what is said of them to the directory @path
 * @is_cut: whether trajectories are cut from each other
 * @read: required. Gives them back, and sets @length where the class keeps it. DAMAGED, IO
 *
 * What a class fills in, beside the format.
 */
struct _ReelTedCheckpointerClass
{
  ReelCheckpointerClass parent_class;

  gboolean is_cut;
  gboolean (*write) (const ReelTensordict *flat, gint64 length, const char *path, GError **error);
  ReelTensordict *(*read) (const char *path, gint64 *length, GPtrArray *warnings, GError **error);
};

/**
 * reel_ted_checkpointer_map:
 * @path: a directory that TensorDict.memmap() wrote
 * @warnings: (element-type utf8): what is left out is added
 * @error: DAMAGED with file, found and expected; IO
 *
 * Returns: (transfer full): what it holds, for reading
 */
ReelTensordict *reel_ted_checkpointer_map (const char *path, GPtrArray *warnings, GError **error);

G_END_DECLS
