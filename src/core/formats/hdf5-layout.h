/* Where the elements of datasets are in an HDF5 file, for a reader that needs HDF5 no more. Private
 * to src/core/formats/hdf5-*.c. */
#pragma once

#include "array-info.h"

G_BEGIN_DECLS

#define REEL_HDF5_MOST_FILTERS 3

/**
 * ReelHdf5Filter:
 * @REEL_HDF5_DEFLATE: zlib's form (RFC 1950)
 * @REEL_HDF5_SHUFFLE: the first bytes of all elements, then the second bytes, and so on
 * @REEL_HDF5_FLETCHER32: a checksum of four bytes follows
 *
 * A change of a chunk before it is written, by HDF5's number.
 */
typedef enum
{
  REEL_HDF5_DEFLATE = 1,
  REEL_HDF5_SHUFFLE = 2,
  REEL_HDF5_FLETCHER32 = 3,
} ReelHdf5Filter;

/**
 * ReelHdf5Chunk:
 * @offset: of its first byte in the file
 * @size: bytes there
 * @skipped: a bit for each filter that was not applied to it
 *
 * A chunk, as it is stored.
 */
typedef struct
{
  gint64 offset;
  gint64 size;
  gint64 skipped;
} ReelHdf5Chunk;

/**
 * ReelHdf5Layout:
 * @n_chunks: chunks, in row-major order of their places; 0 where HDF5 itself has to read the
 *   dataset
 * @shape: extents of a chunk; those of the dataset where it is in one piece
 * @n_filters: filters of a chunk
 * @filters: (array length=n_filters): #ReelHdf5Filter each, in the order in which they were
 * applied, none twice
 * @item: bytes of an element that is shuffled
 *
 * A dataset whose elements have the form in the file that they have in memory, but for filters.
 */
typedef struct
{
  gint64 n_chunks;
  gint64 shape[REEL_MAX_NDIM];
  gint64 n_filters;
  gint64 filters[REEL_HDF5_MOST_FILTERS];
  gint64 item;
} ReelHdf5Layout;

/**
 * ReelHdf5Layouts:
 * @layouts: (array length=n_sets): one for each dataset
 * @first: (array length=n_sets): its first chunk among @chunks
 * @chunks: (element-type ReelHdf5Chunk): the chunks of all, none of which exceeds the file
 *
 * Where datasets are.
 */
typedef struct
{
  ReelHdf5Layout *layouts;
  guint *first;
  GArray *chunks;
} ReelHdf5Layouts;

/**
 * reel_hdf5_find_layouts:
 * @file: all bytes of a file
 * @sets: (array length=n_sets): datasets, as reel_hdf5_read_sets() has them
 * @n_sets: how many
 *
 * Asks HDF5, in a process of its own. A dataset in which anything is wrong is left to HDF5.
 *
 * Returns: (transfer full): the layouts
 */
ReelHdf5Layouts *reel_hdf5_find_layouts (ReelMemory *file, const ReelArrayInfo *const *sets,
                                         guint n_sets);

/**
 * reel_hdf5_layouts_free:
 * @self: (nullable) (transfer full): layouts
 */
void reel_hdf5_layouts_free (ReelHdf5Layouts *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelHdf5Layouts, reel_hdf5_layouts_free)

/**
 * reel_hdf5_count_row_bytes:
 * @set: a dataset
 *
 * Returns: bytes of a row
 */
gsize reel_hdf5_count_row_bytes (const ReelArrayInfo *set);

/**
 * reel_hdf5_count_chunks:
 * @set: a dataset
 * @layout: its layout
 * @from: the first dimension that counts
 *
 * Returns: how many chunks cover the dimensions from @from on
 */
gint64 reel_hdf5_count_chunks (const ReelArrayInfo *set, const ReelHdf5Layout *layout, gint from);

/**
 * reel_hdf5_layout_bytes:
 * @set: a dataset
 * @layout: its layout
 *
 * Returns: bytes of a chunk without filters; more than G_MAXINT64 / 2 count as that
 */
gint64 reel_hdf5_layout_bytes (const ReelArrayInfo *set, const ReelHdf5Layout *layout);

G_END_DECLS
