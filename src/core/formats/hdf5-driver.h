/* How HDF5 reads and writes files here: through core/file-ops, or memory that a file is mapped to.
 * Private to src/core/hdf5-*.c. */
#pragma once

#include "../tensor/memory.h"

#include <hdf5.h>

G_BEGIN_DECLS

/**
 * ReelHdf5Place:
 * @offset: of the first byte in a file
 * @size: bytes
 *
 * Where HDF5 would have read.
 */
typedef struct
{
  gint64 offset;
  gint64 size;
} ReelHdf5Place;

/**
 * ReelHdf5File:
 * @fd: a file to be written, or −1
 * @path: its path, for messages
 * @memory: (nullable): what a file is mapped to that is read
 * @fault: (transfer none): where the first fault of @fd goes
 * @place: (nullable): gets the place of elements that HDF5 asks for, in the place of a read
 *
 * The bytes that a driver works on. They must outlive the file that HDF5 has open.
 */
typedef struct
{
  int fd;
  const char *path;
  ReelMemory *memory;
  GError **fault;
  ReelHdf5Place *place;
} ReelHdf5File;

/**
 * reel_hdf5_driver_access:
 * @file: what to work on
 *
 * Returns: a property list for H5Fcreate() or H5Fopen(), or −1
 */
hid_t reel_hdf5_driver_access (const ReelHdf5File *file);

G_END_DECLS
