/* Rows on their way to the places that HDF5 has for them. Private to src/core/formats/hdf5-*.c. */
#pragma once

#include "hdf5.h"

G_BEGIN_DECLS

/**
 * ReelHdf5Fill:
 *
 * Writes the rows of all groups, in pieces of a size that a disk likes.
 */
typedef struct _ReelHdf5Fill ReelHdf5Fill;

/**
 * reel_hdf5_fill_new:
 * @groups: whose rows are written; must outlive the object
 * @fd: a file
 * @path: its path, for messages
 *
 * Returns: (transfer full): an object that knows no place yet
 */
ReelHdf5Fill *reel_hdf5_fill_new (const ReelHdf5Groups *groups, int fd, const char *path);

/**
 * reel_hdf5_fill_free:
 * @self: (nullable) (transfer full): an object
 */
void reel_hdf5_fill_free (ReelHdf5Fill *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelHdf5Fill, reel_hdf5_fill_free)

/**
 * reel_hdf5_fill_take:
 * @data: a #ReelHdf5Fill
 * @places: (array length=n): offsets of the next datasets in the file: group after group, of each
 *   the tensors of the outline in order, nested ones where their key is
 * @n: how many
 * @error: DAMAGED for a place that is none; NO_SPACE, IO
 *
 * Reads the rows of these datasets, and writes what does not belong to the last piece. A
 * #ReelIsolatedTakeFunc.
 *
 * Returns: whether it did
 */
gboolean reel_hdf5_fill_take (gpointer data, const gint64 *places, gint64 n, GError **error);

/**
 * reel_hdf5_fill_end:
 * @self: an object
 * @error: DAMAGED where the places of some datasets were never told; NO_SPACE, IO
 *
 * Writes the last piece.
 *
 * Returns: whether all rows are in the file
 */
gboolean reel_hdf5_fill_end (ReelHdf5Fill *self, GError **error);

G_END_DECLS
