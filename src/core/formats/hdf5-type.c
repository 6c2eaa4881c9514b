/* Types and extents of datasets. */
#include "hdf5-private.h"

#define MOST_DEFLATED 1100 /* bytes of one that zlib made, and more */

/* ---- types ---- */

static hid_t
new_bool (void)
{
  hid_t type = H5Tenum_create (H5T_STD_I8LE);
  const gint8 no = 0, yes = 1;

  H5Tenum_insert (type, "FALSE", &no);
  H5Tenum_insert (type, "TRUE", &yes);
  return type;
}

static hid_t
new_half (void)
{
  hid_t type = H5Tcopy (H5T_IEEE_F32LE);

  /* IEEE 754's binary16: sign in bit 15, exponent in the 5 bits from 10
   * on, mantissa in the 10 from 0 on. */
  H5Tset_fields (type, 15, 10, 5, 0, 10);
  H5Tset_size (type, 2);
  H5Tset_ebias (type, 15);
  return type;
}

static hid_t
new_complex (hid_t part, gsize size)
{
  hid_t type = H5Tcreate (H5T_COMPOUND, 2 * size);

  H5Tinsert (type, "r", 0, part);
  H5Tinsert (type, "i", size, part);
  return type;
}

/* −1 for what NumPy does not have. */
hid_t
reel_hdf5_new_type (ReelDtype dtype)
{
  switch (dtype)
    {
    case REEL_DTYPE_BOOL: return new_bool ();
    case REEL_DTYPE_UINT8: return H5Tcopy (H5T_STD_U8LE);
    case REEL_DTYPE_INT8: return H5Tcopy (H5T_STD_I8LE);
    case REEL_DTYPE_INT16: return H5Tcopy (H5T_STD_I16LE);
    case REEL_DTYPE_INT32: return H5Tcopy (H5T_STD_I32LE);
    case REEL_DTYPE_INT64: return H5Tcopy (H5T_STD_I64LE);
    case REEL_DTYPE_UINT16: return H5Tcopy (H5T_STD_U16LE);
    case REEL_DTYPE_UINT32: return H5Tcopy (H5T_STD_U32LE);
    case REEL_DTYPE_UINT64: return H5Tcopy (H5T_STD_U64LE);
    case REEL_DTYPE_FLOAT16: return new_half ();
    case REEL_DTYPE_FLOAT32: return H5Tcopy (H5T_IEEE_F32LE);
    case REEL_DTYPE_FLOAT64: return H5Tcopy (H5T_IEEE_F64LE);
    case REEL_DTYPE_COMPLEX64: return new_complex (H5T_IEEE_F32LE, 4);
    case REEL_DTYPE_COMPLEX128: return new_complex (H5T_IEEE_F64LE, 8);
    default: return -1;
    }
}

static gint
find_integer (hid_t type, gsize size)
{
  static const gint with_sign[] = { REEL_DTYPE_INT8, REEL_DTYPE_INT16, REEL_DTYPE_INT32,
                                    REEL_DTYPE_INT64 };
  static const gint without[] = { REEL_DTYPE_UINT8, REEL_DTYPE_UINT16, REEL_DTYPE_UINT32,
                                  REEL_DTYPE_UINT64 };
  /* Bit 8 ends the search for any size, 0 included. */
  gint log = __builtin_ctzll (size | 256);

  if (log > 3 || size != (gsize) 1 << log)
    return -1;
  return H5Tget_sign (type) == H5T_SGN_NONE ? without[log] : with_sign[log];
}

static gint
find_float (gsize size)
{
  return size == 2   ? (gint) REEL_DTYPE_FLOAT16
         : size == 4 ? (gint) REEL_DTYPE_FLOAT32
         : size == 8 ? (gint) REEL_DTYPE_FLOAT64
                     : -1;
}

/* Types that can be read as one: HDF5 converts the order of bytes. */
gint
reel_hdf5_find_dtype (hid_t type)
{
  gsize size = H5Tget_size (type);
  reel_auto_hid own = -1;

  switch (H5Tget_class (type))
    {
    case H5T_INTEGER: return find_integer (type, size);
    case H5T_FLOAT: return find_float (size);
    case H5T_ENUM: own = new_bool (); return H5Tequal (type, own) > 0 ? (gint) REEL_DTYPE_BOOL : -1;
    case H5T_COMPOUND:
      own = reel_hdf5_new_type (size == 8 ? REEL_DTYPE_COMPLEX64 : REEL_DTYPE_COMPLEX128);
      if (H5Tequal (type, own) <= 0)
        return -1;
      return size == 8 ? (gint) REEL_DTYPE_COMPLEX64 : (gint) REEL_DTYPE_COMPLEX128;
    default: return -1;
    }
}

/* ---- extents ---- */

hid_t
reel_hdf5_new_space (gint ndim, const gint64 *shape)
{
  hsize_t extents[REEL_MAX_NDIM];

  for (gint d = 0; d < ndim; d++)
    extents[d] = (hsize_t) shape[d];
  return ndim == 0 ? H5Screate (H5S_SCALAR) : H5Screate_simple (ndim, extents, NULL);
}

/* Extents, and that the file can hold as much: it may be squeezed, but not without end. */
gboolean
reel_hdf5_read_shape (hid_t set, const char *name, gsize item, gsize file_bytes, gint *ndim,
                      gint64 *shape, GError **error)
{
  reel_auto_hid space = H5Dget_space (set);
  reel_auto_hid how = H5Dget_create_plist (set);
  H5D_layout_t layout = H5Pget_layout (how);
  hsize_t extents[H5S_MAX_RANK], bytes = item;

  *ndim = H5Sget_simple_extent_ndims (space);
  if (*ndim < 0 || *ndim > REEL_MAX_NDIM || H5Sget_simple_extent_type (space) == H5S_NULL
      || H5Sget_simple_extent_dims (space, extents, NULL) < 0)
    return reel_hdf5_damaged (name, "has no extents that a tensor can have", error);
  for (gint d = 0; d < *ndim; d++)
    {
      shape[d] = (gint64) extents[d];
      if (__builtin_mul_overflow (bytes, extents[d], &bytes) || bytes > G_MAXINT64 / 2)
        return reel_hdf5_damaged (name, "has extents beyond any file", error);
    }
  if ((layout != H5D_CONTIGUOUS && layout != H5D_COMPACT && layout != H5D_CHUNKED)
      || (layout == H5D_CONTIGUOUS && H5Pget_external_count (how) != 0))
    return reel_hdf5_damaged (name, "is in another file, which is unsupported", error);
  if (bytes / (layout == H5D_CHUNKED ? MOST_DEFLATED : 1) > file_bytes)
    return reel_hdf5_damaged (name, "is larger than its file", error);
  return TRUE;
}
