/* HDF5 files of groups that are all alike, as TensorDict's PersistentTensorDict lays them out: a
 * group a nested tensordict, a dataset a tensor; a value that is no tensor is opaque bytes that
 * name NumPy's type. HDF5 works in a process of its own. Other threads of the program may use it
 * meanwhile, where it is built for threads. Private to the library; only there where it was
 * configured with HDF5. */
#pragma once

#include "row-stream.h"
#include "../tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * ReelHdf5Groups:
 * @values: what stands beside the groups: whole numbers, bools and lists of whole numbers
 * @outline: what each of them holds: tensors, of whose elements none is looked at, and whose first
 *   extent is that of all groups together
 * @n_groups: how many there are
 * @name_group: (transfer full) (nullable): the name of one; %NULL where there is one group, the
 *   file itself
 * @count_rows: how many rows of a tensor it has
 * @get_rows: (transfer none): what gives them, those of one group after those of another
 * @data: for these, of which @get_rows is called before the process of HDF5 is made, and the others
 *   in both
 * @attributes: (nullable) (array zero-terminated=1): names of whole numbers that a group says of
 *   itself
 * @get_attribute: gives number @attribute of them
 *
 * The objects to write.
 */
typedef struct
{
  const ReelTensordict *values;
  const ReelTensordict *outline;
  gint64 n_groups;
  char *(*name_group) (gpointer data, gint64 group);
  gint64 (*count_rows) (gpointer data, const ReelTensor *leaf, gint64 group);
  const ReelRowStream *(*get_rows) (gpointer data, const ReelTensor *leaf);
  gpointer data;
  const char *const *attributes;
  gint64 (*get_attribute) (gpointer data, gint64 group, guint attribute);
} ReelHdf5Groups;

/**
 * reel_hdf5_write:
 * @groups: what to write
 * @fd: an empty file, for reading and writing
 * @path: its path, for messages
 * @error: KEY for a key that cannot name a dataset; TYPE for what cannot be one; NO_SPACE, IO; as
 *   reel_isolated_run()
 *
 * No more is held in memory than a part of the rows, and what HDF5 needs to know of all groups. Any
 * thread.
 *
 * Returns: whether it was written
 */
gboolean reel_hdf5_write (const ReelHdf5Groups *groups, int fd, const char *path, GError **error);

/* Below which keys reel_hdf5_find() tells what. */
#define REEL_HDF5_LENGTHS "lengths"
#define REEL_HDF5_WHERE "where"
#define REEL_HDF5_FORM "form"
#define REEL_HDF5_ROWS "rows"

/**
 * reel_hdf5_find:
 * @file: all bytes of a file
 * @prefix: what the names of its groups begin with; a number follows, by which they are ordered
 * @first: the key of one tensor that each of them has
 * @error: DAMAGED with the object at fault, or what HDF5 says, or that HDF5 crashed; NO_SPACE; as
 *   reel_isolated_run()
 *
 * Finds out where the rows of a file are, and reads but those which do not lie there as they do in
 * memory. Files that lead to other files (external or virtual datasets, links) are refused. Any
 * thread.
 *
 * Returns: (transfer full): the values that stand beside the groups, and, where there are groups:
 *   `lengths`, int64 `[groups]`, the rows of @first in each; of each key of the first group that
 *   lies in @file as in memory `where/KEY`, int64 `[groups]`, twice the offset of its rows plus 1
 *   where there is one more than of @first, and `form/KEY`, int64 `[1 + dimensions]`, dtype and
 *   shape of all of them together; of others `rows/KEY`, these rows
 */
ReelTensordict *reel_hdf5_find (ReelMemory *file, const char *prefix, const char *first,
                                GError **error);

G_END_DECLS
