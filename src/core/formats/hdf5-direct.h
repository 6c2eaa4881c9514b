/* Rows of an HDF5 file that are read without HDF5. Private to src/core/formats/hdf5-*.c. */
#pragma once

#include "hdf5-sets.h"

G_BEGIN_DECLS

/* Bytes of rows that are read at once, if one is not larger. */
#define REEL_HDF5_BLOCK (1 << 20)

/**
 * reel_hdf5_read_directly:
 * @file: all bytes of a file
 * @sets: (array length=n_sets): as reel_hdf5_read_sets() has them
 * @n_sets: how many
 * @take: the same
 * @data: for @take
 *
 * Unpacks chunks in as many threads as there are CPUs.
 *
 * Returns: (transfer full) (element-type guint): which of @sets are left, in order: of another
 *   form, or damaged
 */
GArray *reel_hdf5_read_directly (ReelMemory *file, const ReelArrayInfo *const *sets, guint n_sets,
                                 ReelHdf5RowsFunc take, gpointer data);

G_END_DECLS
