/* The formats that rows are exported in, each a file or a directory. Private to the library. */
#pragma once

#include "export-rows.h"

G_BEGIN_DECLS

/**
 * reel_export_csv:
 * @rows: what is written
 * @fd: an empty file
 * @path: its path, for messages
 * @error: NOT_IMPLEMENTED naming a key that no table can contain; NO_SPACE, IO
 *
 * A table: a line for each row, a column for each element, as docs/datasets.md has it.
 *
 * Returns: whether it was written
 */
gboolean reel_export_csv (const ReelExportRows *rows, int fd, const char *path, GError **error);

/**
 * reel_export_npz:
 * @rows: what is written
 * @fd: an empty file
 * @path: its path, for messages
 * @error: TYPE naming a key whose type NumPy does not have; NO_SPACE, IO
 *
 * An archive of NumPy: an array for each key.
 *
 * Returns: whether it was written
 */
gboolean reel_export_npz (const ReelExportRows *rows, int fd, const char *path, GError **error);

/**
 * reel_export_hdf5:
 * @rows: what is written
 * @fd: an empty file, for reading and writing
 * @path: its path, for messages
 * @error: as reel_hdf5_write()
 *
 * A dataset of HDF5 for each key. Only there where the library was configured with HDF5.
 *
 * Returns: whether it was written
 */
gboolean reel_export_hdf5 (const ReelExportRows *rows, int fd, const char *path, GError **error);

/**
 * reel_export_minari:
 * @rows: what is written
 * @buffer: whose they are; its specs and its environment are written where it has them
 * @id: the id of the dataset
 * @directory: an empty directory
 * @notes: (element-type utf8): a sentence for each thing that could not be written is added
 * @error: KEY for a key that is missing; VALUE for rows that are no episodes; as reel_hdf5_write()
 *
 * A dataset of Minari (format 0.5, HDF5): a group for each episode. Only there where the library
 * was configured with HDF5.
 *
 * Returns: whether it was written
 */
gboolean reel_export_minari (const ReelExportRows *rows, ReelReplayBuffer *buffer, const char *id,
                             const char *directory, GPtrArray *notes, GError **error);

G_END_DECLS
