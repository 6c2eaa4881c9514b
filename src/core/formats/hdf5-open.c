/* Opens an HDF5 file in memory, and a dataset of it. */
#include "hdf5-private.h"

#include <string.h>

hid_t
reel_hdf5_open_image (ReelMemory *memory, ReelHdf5File *image, GError **error)
{
  *image = (ReelHdf5File){ .fd = -1, .memory = memory };
  reel_auto_hid access = reel_hdf5_driver_access (image);
  hid_t file = access < 0 ? -1 : H5Fopen (REEL_HDF5_IMAGE, H5F_ACC_RDONLY, access);

  if (file < 0)
    reel_hdf5_fail ("/", REEL_ERROR_DAMAGED, error);
  return file;
}

/* Opens a dataset that is still what it was when it was listed. */
hid_t
reel_hdf5_open_set (hid_t file, ReelMemory *memory, const ReelArrayInfo *form, GError **error)
{
  hid_t set = reel_hdf5_open_hard (file, form->name);
  reel_auto_hid type = set >= 0 && H5Iget_type (set) == H5I_DATASET ? H5Dget_type (set) : -1;
  gint64 shape[REEL_MAX_NDIM];
  gsize file_bytes;
  gint ndim = 0;

  reel_memory_get_data (memory, &file_bytes);
  if (type >= 0 && reel_hdf5_find_dtype (type) == form->dtype
      && reel_hdf5_read_shape (set, form->name, reel_dtype_size ((ReelDtype) form->dtype),
                               file_bytes, &ndim, shape, NULL)
      && ndim == form->ndim && memcmp (shape, form->shape, (gsize) ndim * sizeof *shape) == 0)
    return set;
  reel_hdf5_close (&set);
  reel_hdf5_damaged (form->name, "changed while it was read", error);
  return -1;
}
