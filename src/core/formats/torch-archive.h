/* The files of `torch.save`, as far as they hold dicts of tensors. Private to the library. */
#pragma once

#include "../tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * reel_torch_archive_load:
 * @path: a file, such as `consuming_sampler.pt`
 * @error: DAMAGED naming what is wrong where in it; NOT_IMPLEMENTED naming what is in it that is no
 *   dict of tensors and plain values, see reel_pickle_read(); IO
 *
 * Reads what PyTorch (1.6 and later) saved. Nothing in it is run.
 *
 * Returns: (transfer full): the dict, in memory of its own; Python's numbers are non-tensors
 */
ReelTensordict *reel_torch_archive_load (const char *path, GError **error);

/**
 * reel_torch_archive_save:
 * @dict: what to save, as for reel_pickle_write()
 * @metadata: (nullable): as for it
 * @path: the file, whose name without its suffix stands in it
 * @durable: whether it must survive a power loss from then on
 * @error: as reel_pickle_write(); NOT_IMPLEMENTED beyond 4 GiB; NO_SPACE, IO
 *
 * Writes what `torch.save (dict, path)` of PyTorch 2.15 writes, byte for byte up to 13 records.
 * The file at @path is at every moment the old or the new one.
 *
 * Returns: whether it stands
 */
gboolean reel_torch_archive_save (const ReelTensordict *dict, const ReelTensordict *metadata,
                                  const char *path, gboolean durable, GError **error);

G_END_DECLS
