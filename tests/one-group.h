/* HDF5 files of one group, written by the library. */
#pragma once

#include "../src/core/formats/hdf5.h"

/**
 * one_group_write:
 * @outline: tensors of the rows' shapes, `[n, …]`
 * @get_rows: gives the rows of one of them
 * @data: for @get_rows
 * @path: the file
 *
 * Writes a file whose one group is `group_0`.
 */
void one_group_write (const ReelTensordict *outline,
                      const ReelRowStream *(*get_rows) (gpointer data, const ReelTensor *leaf),
                      gpointer data, const char *path);
