/* TorchRL's file of a chain without transforms. Private. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * reel_empty_chain_write:
 * @path: the file, such as `storage/0_transform.pt`
 * @error: NO_SPACE, IO
 *
 * Writes what `torch.save (transform.state_dict (), path)` writes of a chain without transforms,
 * byte for byte, without which TorchRL's ensembles of buffers refuse to load.
 *
 * Returns: whether it was written
 */
gboolean reel_empty_chain_write (const char *path, GError **error);

G_END_DECLS
