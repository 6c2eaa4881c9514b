/* Dicts of tensors and plain values as Python pickles them; torch-archive.h has the files that
 * PyTorch puts around them. A closed part of the format: nothing is called, and whatever is not
 * named here is an error. Private to the library. */
#pragma once

#include "../tensor/dtype.h"
#include "../tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * ReelPickleStorageFunc:
 * @source: where the pickle is from
 * @name: of a storage, as PyTorch numbers them: `0`, `1`
 * @error: DAMAGED when there is none
 *
 * Returns: (transfer full): its bytes
 */
typedef ReelMemory *(*ReelPickleStorageFunc) (gpointer source, const char *name, GError **error);

/**
 * reel_pickle_read:
 * @data: (array length=length): a pickle of protocols 2 to 4
 * @length: its bytes
 * @find: (nullable): gives the storages of tensors; %NULL where there are none
 * @source: for @find
 * @error: DAMAGED for what no Python wrote, with the place; NOT_IMPLEMENTED naming what is there
 *   beyond that: an opcode or a global, a key that is no string, a container that stands twice;
 *   NO_SPACE; what @find says
 *
 * Reads a dict, or an OrderedDict, of strings to tensors, dicts, and plain values: None, bools,
 * integers of 64 bits, floats, strings, lists and tuples of these, which become non-tensors.
 * Members of an OrderedDict besides its items (`_metadata`, the versions of PyTorch's modules) are
 * skipped. Memory and time are bounded by @length, but for storages.
 *
 * Returns: (transfer full): the same, tensors as views of their storages
 */
ReelTensordict *reel_pickle_read (const guint8 *data, gsize length, ReelPickleStorageFunc find,
                                  gpointer source, GError **error);

/**
 * reel_pickle_write:
 * @dict: a tensordict of what reel_pickle_read() gives
 * @metadata: (nullable): dicts that PyTorch's modules say of their version, kept beside the items
 * @storages: (element-type ReelTensor): the tensors whose elements are the storages 0, 1 and so on,
 *   contiguous, are added
 * @error: NOT_IMPLEMENTED naming a key whose value PyTorch's pickles have no simple form for
 *
 * Writes an OrderedDict, those below as dicts, with protocol 2; byte for byte what `torch.save`
 * pickles, where equal strings are one string there, and no two tensors share a storage.
 *
 * Returns: (transfer full): the pickle
 */
GByteArray *reel_pickle_write (const ReelTensordict *dict, const ReelTensordict *metadata,
                               GPtrArray *storages, GError **error);

/**
 * reel_pickle_storage_class:
 * @dtype: of elements
 *
 * Returns: (transfer none) (nullable): the name of PyTorch's class of storages of it, such as
 *   `LongStorage`; %NULL for a dtype that has none
 */
const char *reel_pickle_storage_class (ReelDtype dtype);

G_END_DECLS
