/* Declarations for the files that use HDF5: handles, errors, types, values, the worker process.
 * All but reel_hdf5_run() is for that process. Private to src/core/hdf5-*.c. */
#pragma once

#include "../object/error.h"
#include "array-info.h"
#include "hdf5-driver.h"
#include "hdf5.h"
#include "isolated.h"

#include <hdf5.h>

G_BEGIN_DECLS

#define REEL_HDF5_IMAGE "reel" /* HDF5 wants a name of what is no file */

/* ---- handles, and what is wrong ---- */

/**
 * reel_hdf5_close:
 * @handle: (transfer full): a handle of any kind, or what is negative
 */
void reel_hdf5_close (hid_t *handle);

/* A handle that is closed where its block ends. */
#define reel_auto_hid __attribute__ ((cleanup (reel_hdf5_close))) hid_t

/**
 * reel_hdf5_fail:
 * @name: of the object at fault
 * @code: kind of the error
 * @error: is set to what HDF5 complained of last
 *
 * Returns: %FALSE
 */
gboolean reel_hdf5_fail (const char *name, ReelError code, GError **error);

/**
 * reel_hdf5_damaged:
 * @name: of the object at fault
 * @what: what is wrong with it
 * @error: is set to DAMAGED
 *
 * Returns: %FALSE
 */
gboolean reel_hdf5_damaged (const char *name, const char *what, GError **error);

/**
 * reel_hdf5_join:
 * @prefix: a path, or ""
 * @name: a name below it
 *
 * Returns: (transfer full): the path of both
 */
char *reel_hdf5_join (const char *prefix, const char *name);

/**
 * reel_hdf5_list_names:
 * @group: where to look
 * @name: its name, for messages
 * @error: DAMAGED, also for a link that leads elsewhere
 *
 * Returns: (transfer full) (element-type utf8): the names in it
 */
GPtrArray *reel_hdf5_list_names (hid_t group, const char *name, GError **error);

/**
 * reel_hdf5_open_hard:
 * @at: where to begin
 * @name: a path below it, on which no link that leads elsewhere is followed
 *
 * Returns: what stands there, or what is negative
 */
hid_t reel_hdf5_open_hard (hid_t at, const char *name);

/* ---- elements and extents ---- */

/**
 * reel_hdf5_new_type:
 * @dtype: type of elements
 *
 * Returns: what h5py makes of NumPy's, or −1 for what NumPy does not have
 */
hid_t reel_hdf5_new_type (ReelDtype dtype);

/**
 * reel_hdf5_find_dtype:
 * @type: of a dataset
 *
 * HDF5 converts the order of bytes where they are read.
 *
 * Returns: the #ReelDtype that it can be read as, or −1
 */
gint reel_hdf5_find_dtype (hid_t type);

/**
 * reel_hdf5_new_space:
 * @ndim: dimensions
 * @shape: (array length=ndim): extents
 *
 * Returns: a dataspace, or −1
 */
hid_t reel_hdf5_new_space (gint ndim, const gint64 *shape);

/**
 * reel_hdf5_read_shape:
 * @set: a dataset
 * @name: its name, for messages
 * @item: bytes of an element
 * @file_bytes: bytes of the file
 * @ndim: (out): dimensions
 * @shape: (out caller-allocates): room for REEL_MAX_NDIM extents
 * @error: DAMAGED, also where it lies in another file, or the file cannot hold as much
 *
 * Returns: whether they were set
 */
gboolean reel_hdf5_read_shape (hid_t set, const char *name, gsize item, gsize file_bytes,
                               gint *ndim, gint64 *shape, GError **error);

/* ---- datasets that were listed ---- */

/**
 * reel_hdf5_open_image:
 * @memory: all bytes of a file
 * @image: (out caller-allocates): the file for the driver, which must outlive it
 * @error: DAMAGED
 *
 * Returns: the file, or −1
 */
hid_t reel_hdf5_open_image (ReelMemory *memory, ReelHdf5File *image, GError **error);

/**
 * reel_hdf5_open_set:
 * @file: a file
 * @memory: all its bytes
 * @form: a dataset as it was listed
 * @error: DAMAGED where it is another now
 *
 * Returns: the dataset, or −1
 */
hid_t reel_hdf5_open_set (hid_t file, ReelMemory *memory, const ReelArrayInfo *form,
                          GError **error);

/* ---- what is no tensor ---- */

/**
 * reel_hdf5_write_value:
 * @group: where to
 * @key: its name there
 * @value: a whole number, a bool or a list of whole numbers
 * @error: TYPE for what is none of these; NO_SPACE
 *
 * Returns: whether it was written
 */
gboolean reel_hdf5_write_value (hid_t group, const char *key, GVariant *value, GError **error);

/**
 * reel_hdf5_read_value:
 * @set: a dataset of opaque bytes
 * @key: its name
 * @file_bytes: bytes of the file
 * @td: where to set it, by that name
 * @error: DAMAGED
 *
 * Returns: whether it was set
 */
gboolean reel_hdf5_read_value (hid_t set, const char *key, gsize file_bytes, ReelTensordict *td,
                               GError **error);

/* ---- groups that are read ---- */

/**
 * ReelHdf5Reading:
 * @first: the key that says how many rows a group has
 * @file: the file that is open
 * @file_bytes: its size
 * @groups: (element-type utf8): their names, in order
 *
 * The objects to read. There can be no more objects than there are bytes to tell of them.
 */
typedef struct
{
  const char *first;
  hid_t file;
  gsize file_bytes;
  GPtrArray *groups;
} ReelHdf5Reading;

/**
 * reel_hdf5_find_rows:
 * @reading: what is read, of one group at least
 * @found: where `lengths`, `where`, `form` and `rows` are set, as reel_hdf5_find() has them
 * @error: DAMAGED, NO_SPACE
 *
 * Returns: whether they were set
 */
gboolean reel_hdf5_find_rows (const ReelHdf5Reading *reading, ReelTensordict *found,
                              GError **error);

/* ---- the process it works in ---- */

/**
 * reel_hdf5_run:
 * @run: what works with HDF5
 * @data: for @run
 * @bytes: what it works on, which says how long to wait
 * @error: as reel_isolated_run()
 *
 * Other threads of the program may use HDF5 meanwhile, where it is built for threads.
 *
 * Returns: (transfer full): what @run gave
 */
ReelTensordict *reel_hdf5_run (ReelIsolatedFunc run, gconstpointer data, gsize bytes,
                               GError **error);

/**
 * reel_hdf5_run_telling:
 * @run: what works with HDF5
 * @data: for @run
 * @bytes: as in reel_hdf5_run()
 * @take: (nullable): as in reel_isolated_run_telling()
 * @taker: for @take
 * @error: as reel_isolated_run_telling()
 *
 * reel_hdf5_run() for what tells numbers meanwhile.
 *
 * Returns: (transfer full): what @run gave
 */
ReelTensordict *reel_hdf5_run_telling (ReelIsolatedFunc run, gconstpointer data, gsize bytes,
                                       ReelIsolatedTakeFunc take, gpointer taker, GError **error);

G_END_DECLS
