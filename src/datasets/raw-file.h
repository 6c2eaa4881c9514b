/* A raw file of named arrays: HDF5, or an archive of NumPy (`.npz`). Private to the library. */
#pragma once

#include "../core/formats/array-info.h"
#include "../core/formats/zip.h"
#include "dataset-leaves.h"

G_BEGIN_DECLS

/**
 * ReelRawFile:
 * @path: where it is
 * @arrays: (element-type ReelArrayInfo): its arrays, in the order of their names
 * @memory: the file of HDF5
 * @zip: or the archive
 *
 * A raw file that is open.
 */
typedef struct
{
  char *path;
  GArray *arrays;
  ReelMemory *memory;
  ReelZip *zip;
} ReelRawFile;

/**
 * reel_raw_file_open:
 * @path: (transfer full): a file
 * @error: DAMAGED naming the file and the array at fault; NOT_IMPLEMENTED for HDF5 where it is not
 *   in the build; IO
 *
 * Lists the arrays of a file. Its name or its first bytes say what it is.
 *
 * Returns: (transfer full): the file
 */
ReelRawFile *reel_raw_file_open (char *path, GError **error);

/**
 * reel_raw_file_free:
 * @self: (nullable) (transfer full): a file
 */
void reel_raw_file_free (ReelRawFile *self);

/**
 * reel_raw_file_read:
 * @self: a file
 * @arrays: (array length=n): arrays of it, of one dimension at least and a type that a tensor has
 * @sources: (array length=n): where the rows of each go
 * @n: how many
 * @error: DAMAGED naming the file and the array at fault
 *
 * Reads every byte once, in blocks of rows.
 *
 * Returns: whether all rows are where they go
 */
gboolean reel_raw_file_read (const ReelRawFile *self, const ReelArrayInfo *const *arrays,
                             const ReelRowSource *sources, guint n, GError **error);

/**
 * reel_raw_source:
 * @array: an array that reel_raw_check_rows() accepted
 *
 * Returns: its rows, which go nowhere yet
 */
ReelRowSource reel_raw_source (const ReelArrayInfo *array);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelRawFile, reel_raw_file_free)

G_END_DECLS
