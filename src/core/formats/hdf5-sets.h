/* Datasets of an HDF5 file, wherever they are in it, read in blocks of rows. HDF5 works in a
 * process of its own, as in hdf5.h. Private to the library; only there where it was configured with
 * HDF5. */
#pragma once

#include "array-info.h"

G_BEGIN_DECLS

/**
 * reel_hdf5_list_sets:
 * @file: all bytes of a file
 * @error: DAMAGED with the object at fault, or the complaint of HDF5, or that HDF5 crashed; as
 *   reel_isolated_run()
 *
 * Lists the datasets of a file and of its groups, in the order of their names. Files that lead to
 * other files (external or virtual datasets, links), cycles of groups and datasets larger than
 * their file can hold are refused. Any thread.
 *
 * Returns: (transfer full) (element-type ReelArrayInfo): the datasets; free with g_array_unref()
 */
GArray *reel_hdf5_list_sets (ReelMemory *file, GError **error);

/**
 * ReelHdf5RowsFunc:
 * @data: as given to reel_hdf5_read_sets()
 * @set: which of the datasets
 * @first: the first row
 * @n: how many
 * @rows: their elements, row-major, of the dataset's type
 *
 * Takes a block of rows, in one of several threads or in a process of its own, of which the caller
 * sees nothing but writes to memory that both share.
 */
typedef void (*ReelHdf5RowsFunc) (gpointer data, guint set, gint64 first, gint64 n,
                                  const guint8 *rows);

/**
 * reel_hdf5_read_sets:
 * @file: all bytes of a file
 * @sets: (array length=n_sets): what to read, as reel_hdf5_list_sets() described it, of one
 *   dimension at least and a type that a tensor has
 * @n_sets: how many
 * @take: takes the rows: blocks come in any order, several at once, and the same rows may come
 *   again
 * @data: for @take
 * @error: as reel_hdf5_list_sets()
 *
 * Some blocks of rows are in memory at a time. Threads unpack chunks side by side where their
 * filters are known; HDF5 reads other datasets, and those in which anything is wrong. Any thread.
 *
 * Returns: whether all was read
 */
gboolean reel_hdf5_read_sets (ReelMemory *file, const ReelArrayInfo *const *sets, guint n_sets,
                              ReelHdf5RowsFunc take, gpointer data, GError **error);

G_END_DECLS
