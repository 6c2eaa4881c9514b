/* Tensordicts as HDF5 files in memory, as TensorDict's PersistentTensorDict lays them out: a group
 * a nested tensordict, a dataset a tensor; a value that is no tensor is opaque bytes that name
 * NumPy's type. Other threads of the program may use HDF5 meanwhile, where it is built for threads.
 * Private to the library; only there where it was configured with HDF5. */
#pragma once

#include "tensordict.h"

G_BEGIN_DECLS

/**
 * reel_hdf5_pack:
 * @td: tensors of types that NumPy has, and beside them whole numbers, bools and lists of whole
 *   numbers; no lazy stacks
 * @error: KEY for a key that cannot name a dataset; TYPE for what cannot be one; NO_SPACE; as
 *   reel_isolated_run(), in whose process HDF5 works
 *
 * Any thread.
 *
 * Returns: (transfer full): uint8 `[n]`: the file's bytes
 */
ReelTensor *reel_hdf5_pack (const ReelTensordict *td, GError **error);

/**
 * reel_hdf5_unpack:
 * @data: a file's bytes
 * @length: how many
 * @error: DAMAGED with the object at fault, or what HDF5 says, or that HDF5 crashed; NO_SPACE; as
 *   reel_isolated_run(), in whose process HDF5 works
 *
 * Files that lead to other files (external or virtual datasets, links) are refused. Groups without
 * datasets are left out. Any thread.
 *
 * Returns: (transfer full): what they hold, its batch size `[]`
 */
ReelTensordict *reel_hdf5_unpack (gconstpointer data, gsize length, GError **error);

G_END_DECLS
