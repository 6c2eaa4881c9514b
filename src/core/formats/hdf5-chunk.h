/* Chunks of an HDF5 dataset, unpacked. Private to src/core/formats/hdf5-*.c. */
#pragma once

#include "hdf5-layout.h"

G_BEGIN_DECLS

/**
 * REEL_HDF5_SLACK:
 *
 * Bytes beyond a chunk that reel_hdf5_unpacker_run() may write.
 */
#define REEL_HDF5_SLACK 4

/**
 * ReelHdf5Unpacker:
 *
 * The memory in which one thread unpacks chunks.
 */
typedef struct _ReelHdf5Unpacker ReelHdf5Unpacker;

/**
 * reel_hdf5_unpacker_new:
 *
 * Returns: (transfer full): an unpacker for one thread, freed with reel_hdf5_unpacker_free()
 */
ReelHdf5Unpacker *reel_hdf5_unpacker_new (void);

/**
 * reel_hdf5_unpacker_free:
 * @self: (nullable) (transfer full): an unpacker
 */
void reel_hdf5_unpacker_free (ReelHdf5Unpacker *self);

/**
 * reel_hdf5_unpacker_run:
 * @self: an unpacker
 * @layout: of a dataset
 * @chunk: one of its chunks
 * @bytes: the file
 * @to: where its elements go
 * @size: how many bytes they have; REEL_HDF5_SLACK more are at @to
 *
 * Returns: whether the chunk is whole and of that size
 */
gboolean reel_hdf5_unpacker_run (ReelHdf5Unpacker *self, const ReelHdf5Layout *layout,
                                 const ReelHdf5Chunk *chunk, const guint8 *bytes, guint8 *to,
                                 gsize size);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelHdf5Unpacker, reel_hdf5_unpacker_free)

G_END_DECLS
