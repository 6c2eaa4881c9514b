#include "hdf5.h"

#include "error.h"
#include "isolated.h"
#include "tensordict-private.h"

#include <errno.h>
#include <hdf5.h>
#include <string.h>
#include <unistd.h>

#define SECONDS 60            /* that anything may take */
#define BYTES_A_SECOND 131072 /* as slow as it may be beyond them, with many small datasets */
#define RESULT "image"
#define IMAGE "reel" /* HDF5 wants a name of what is no file */
#define MOST_LEVELS 32
#define MOST_DEFLATED 1100 /* bytes of one that zlib made, and more */
#define OPAQUE_INT64 "NUMPY:<i8"
#define OPAQUE_BOOL "NUMPY:|b1"

/* ---- handles, and what HDF5 says ---- */

static void
close_handle (hid_t *handle)
{
  if (*handle >= 0)
    H5Idec_ref (*handle);
}

#define auto_handle __attribute__ ((cleanup (close_handle))) hid_t

/* The innermost of its complaints. */
static herr_t
take_complaint (unsigned n, const H5E_error2_t *complaint, void *data)
{
  const char **text = data;

  if (n == 0 && complaint->desc)
    *text = complaint->desc;
  return 0;
}

static gboolean
fail (const char *name, ReelError code, GError **error)
{
  const char *complaint = "no reason";

  H5Ewalk2 (H5E_DEFAULT, H5E_WALK_UPWARD, take_complaint, &complaint);
  g_set_error (error, REEL_ERROR, code, "\"%s\": HDF5 says: %s", name, complaint);
  return FALSE;
}

static char *
join (const char *prefix, const char *name)
{
  return *prefix ? g_strconcat (prefix, "/", name, NULL) : g_strdup (name);
}

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
static hid_t
new_type (ReelDtype dtype)
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

/* What can be read as one: HDF5 converts the order of bytes. */
static gint
find_dtype (hid_t type)
{
  gsize size = H5Tget_size (type);
  auto_handle own = -1;

  switch (H5Tget_class (type))
    {
    case H5T_INTEGER: return find_integer (type, size);
    case H5T_FLOAT: return find_float (size);
    case H5T_ENUM: own = new_bool (); return H5Tequal (type, own) > 0 ? (gint) REEL_DTYPE_BOOL : -1;
    case H5T_COMPOUND:
      own = new_type (size == 8 ? REEL_DTYPE_COMPLEX64 : REEL_DTYPE_COMPLEX128);
      if (H5Tequal (type, own) <= 0)
        return -1;
      return size == 8 ? (gint) REEL_DTYPE_COMPLEX64 : (gint) REEL_DTYPE_COMPLEX128;
    default: return -1;
    }
}

/* ---- to a file ---- */

static hid_t
new_space (gint ndim, const gint64 *shape)
{
  hsize_t extents[REEL_MAX_NDIM];

  for (gint d = 0; d < ndim; d++)
    extents[d] = (hsize_t) shape[d];
  return ndim == 0 ? H5Screate (H5S_SCALAR) : H5Screate_simple (ndim, extents, NULL);
}

static gboolean
write_dataset (hid_t group, const char *key, hid_t type, gint ndim, const gint64 *shape,
               gconstpointer data, GError **error)
{
  auto_handle space = new_space (ndim, shape);
  auto_handle set = H5Dcreate2 (group, key, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

  if (set < 0 || H5Dwrite (set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
    return fail (key, REEL_ERROR_NO_SPACE, error);
  return TRUE;
}

static gboolean
write_tensor (hid_t group, const char *key, ReelTensor *tensor, GError **error)
{
  g_autoptr (ReelTensor) dense = reel_tensor_contiguous (tensor, error);
  auto_handle type = new_type (tensor->dtype);

  if (!dense)
    return FALSE;
  if (type < 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "\"%s\" is %s, which HDF5 and NumPy do not have; use another checkpointer", key,
                   reel_dtype_name (tensor->dtype));
      return FALSE;
    }
  return write_dataset (group, key, type, dense->ndim, dense->shape, dense->data, error);
}

/* A whole number, a bool, or a list of whole numbers; @n becomes −1 for a single one. */
static gboolean
take_numbers (GVariant *value, gint64 *numbers, gint64 *n)
{
  *n = -1;
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_INT64))
    numbers[0] = g_variant_get_int64 (value);
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE ("av"))
           && g_variant_n_children (value) <= REEL_MAX_NDIM)
    for (*n = 0; *n < (gint64) g_variant_n_children (value); ++*n)
      {
        g_autoptr (GVariant) item = g_variant_get_child_value (value, (gsize) *n);
        g_autoptr (GVariant) inner = g_variant_get_variant (item);

        if (!g_variant_is_of_type (inner, G_VARIANT_TYPE_INT64))
          return FALSE;
        numbers[*n] = g_variant_get_int64 (inner);
      }
  else
    return FALSE;
  return TRUE;
}

static gboolean
write_value (hid_t group, const char *key, GVariant *value, GError **error)
{
  gboolean is_bool = g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN);
  auto_handle type = H5Tcreate (H5T_OPAQUE, is_bool ? 1 : sizeof (gint64));
  gint64 numbers[REEL_MAX_NDIM], n = -1;
  guint8 flag = is_bool && g_variant_get_boolean (value);

  H5Tset_tag (type, is_bool ? OPAQUE_BOOL : OPAQUE_INT64);
  if (is_bool || take_numbers (value, numbers, &n))
    return write_dataset (group, key, type, n < 0 ? 0 : 1, &n,
                          is_bool ? (gconstpointer) &flag : numbers, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "\"%s\" is neither a tensor nor a whole number, a bool or a few whole numbers", key);
  return FALSE;
}

static gboolean
check_key (const char *key, GError **error)
{
  if (*key && !strchr (key, '/') && strcmp (key, ".") != 0 && g_utf8_validate (key, -1, NULL))
    return TRUE;
  g_autofree char *shown = g_utf8_make_valid (key, -1);
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "the key \"%s\" cannot name a dataset of HDF5",
               shown);
  return FALSE;
}

static gboolean write_level (hid_t group, const ReelTensordict *td, GError **error);

static gboolean
write_child (hid_t group, const char *key, const ReelTensordict *child, GError **error)
{
  auto_handle inner = H5Gcreate2 (group, key, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

  return inner < 0 ? fail (key, REEL_ERROR_NO_SPACE, error) : write_level (inner, child, error);
}

static gboolean
write_level (hid_t group, const ReelTensordict *td, GError **error)
{
  ReelTensordictIter iter;
  const char *key;
  ReelTensor *tensor;
  ReelTensordict *child;

  reel_tensordict_iter_init (&iter, td);
  while (reel_tensordict_iter_next (&iter, &key, &tensor, &child))
    {
      ReelNonTensor *other = reel_tensordict_iter_get_non_tensor (&iter);
      g_autoptr (GVariant) value = other ? reel_non_tensor_get_data (other) : NULL;

      if (!check_key (key, error)
          || !(tensor  ? write_tensor (group, key, tensor, error)
               : child ? write_child (group, key, child, error)
                       : write_value (group, key, value, error)))
        return FALSE;
    }
  return TRUE;
}

static ReelTensordict *
take_image (hid_t file, GError **error)
{
  ssize_t n = H5Fflush (file, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image (file, NULL, 0);
  const gint64 length = n;
  g_autoptr (ReelTensor) image =
      n > 0 ? reel_tensor_new (REEL_DTYPE_UINT8, 1, &length, error) : NULL;
  g_autoptr (ReelTensordict) result = reel_tensordict_new (0, NULL);

  if (image && H5Fget_file_image (file, image->data, (gsize) n) == n)
    return reel_tensordict_set_tensor (result, RESULT, image, error) ? g_steal_pointer (&result)
                                                                     : NULL;
  if (n <= 0 || image)
    fail ("/", REEL_ERROR_NO_SPACE, error);
  return NULL;
}

static ReelTensordict *
pack (gconstpointer td, GError **error)
{
  auto_handle access = H5Pcreate (H5P_FILE_ACCESS);
  auto_handle file = H5Pset_fapl_core (access, 1 << 20, FALSE) < 0
                         ? -1
                         : H5Fcreate (IMAGE, H5F_ACC_TRUNC, H5P_DEFAULT, access);

  if (file < 0)
    fail ("/", REEL_ERROR_NO_SPACE, error);
  return file >= 0 && write_level (file, td, error) ? take_image (file, error) : NULL;
}

/* ---- the process it works in ---- */

typedef struct
{
  pid_t child;
  int fault;
} Fork;

static herr_t
fork_here (unsigned n, const H5E_error2_t *complaint, void *data)
{
  Fork *made = data;

  made->child = fork ();
  made->fault = errno;
  return 0;
}

/* Where the program uses HDF5 in another thread, a child could find it in the middle of something,
 * and its lock taken for ever. It holds the lock while it calls back, here to show a complaint. */
static pid_t
fork_between_calls (void)
{
  hid_t stack = H5Ecreate_stack ();
  Fork made = { -1, ENOMEM };

  if (stack >= 0
      && H5Epush2 (stack, "hdf5.c", "fork", 0, H5E_ERR_CLS, H5E_NONE_MAJOR, H5E_NONE_MINOR, "none")
             >= 0)
    H5Ewalk2 (stack, H5E_WALK_UPWARD, fork_here, &made);
  close_handle (&stack);
  errno = made.fault;
  return made.child;
}

/* How long the child may work on so many bytes before it says something. */
static gint
find_patience (gsize bytes)
{
  return SECONDS + (gint) MIN (bytes / BYTES_A_SECOND, G_MAXINT / 2);
}

static gsize
count_bytes (const ReelTensordict *td)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (td);
  gsize bytes = 0;

  for (gsize i = 0; leaves[i]; i++)
    {
      const ReelTensor *leaf = reel_tensordict_get_tensor (td, leaves[i], NULL);
      bytes += leaf ? reel_tensor_nbytes (leaf) : 0;
    }
  return bytes;
}

ReelTensor *
reel_hdf5_pack (const ReelTensordict *td, GError **error)
{
  g_autoptr (ReelTensordict) result =
      reel_isolated_run (pack, td, fork_between_calls, find_patience (count_bytes (td)), error);
  ReelTensor *image = result ? reel_tensordict_get_tensor (result, RESULT, error) : NULL;

  return image ? reel_tensor_ref (image) : NULL;
}

/* ---- from a file ---- */

typedef struct
{
  gsize length;    /* of the file */
  gsize n_objects; /* there can be that many more of them */
} Reading;

static gboolean
damaged (const char *name, const char *what, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "\"%s\" %s", name, what);
  return FALSE;
}

/* Extents, and that the file can hold as much: it may be squeezed, but not without end. */
static gboolean
read_shape (const Reading *reading, hid_t set, const char *name, gsize item, gint *ndim,
            gint64 *shape, GError **error)
{
  auto_handle space = H5Dget_space (set);
  auto_handle how = H5Dget_create_plist (set);
  H5D_layout_t layout = H5Pget_layout (how);
  hsize_t extents[H5S_MAX_RANK], bytes = item;

  *ndim = H5Sget_simple_extent_ndims (space);
  if (*ndim < 0 || *ndim > REEL_MAX_NDIM || H5Sget_simple_extent_type (space) == H5S_NULL
      || H5Sget_simple_extent_dims (space, extents, NULL) < 0)
    return damaged (name, "has no extents that a tensor can have", error);
  for (gint d = 0; d < *ndim; d++)
    {
      shape[d] = (gint64) extents[d];
      if (__builtin_mul_overflow (bytes, extents[d], &bytes) || bytes > G_MAXINT64 / 2)
        return damaged (name, "has extents beyond any file", error);
    }
  if ((layout != H5D_CONTIGUOUS && layout != H5D_COMPACT && layout != H5D_CHUNKED)
      || (layout == H5D_CONTIGUOUS && H5Pget_external_count (how) != 0))
    return damaged (name, "lies in another file, which is not read", error);
  if (bytes / (layout == H5D_CHUNKED ? MOST_DEFLATED : 1) > reading->length)
    return damaged (name, "is larger than its file", error);
  return TRUE;
}

static gboolean
read_tensor (const Reading *reading, hid_t set, ReelDtype dtype, const char *name, const char *key,
             ReelTensordict *td, GError **error)
{
  auto_handle type = new_type (dtype);
  g_autofree char *path = reel_path_escape (key);
  gint64 shape[REEL_MAX_NDIM];
  gint ndim;
  g_autoptr (ReelTensor) tensor = NULL;

  if (!read_shape (reading, set, name, reel_dtype_size (dtype), &ndim, shape, error)
      || !(tensor = reel_tensor_new (dtype, ndim, shape, error)))
    return FALSE;
  if (reel_tensor_numel (tensor) > 0
      && H5Dread (set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, tensor->data) < 0)
    return fail (name, REEL_ERROR_DAMAGED, error);
  return reel_tensordict_set_tensor (td, path, tensor, error);
}

static gboolean
read_numbers (hid_t set, hid_t type, gint ndim, gint64 n, const char *path, ReelTensordict *td,
              GError **error)
{
  gint64 numbers[REEL_MAX_NDIM] = { 0 };

  if (H5Dread (set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) < 0)
    return fail (path, REEL_ERROR_DAMAGED, error);
  return reel_tensordict_set_value (
      td, path,
      ndim == 0
          ? g_variant_new_int64 (numbers[0])
          : g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, numbers, (gsize) n, sizeof *numbers),
      error);
}

static gboolean
read_value (const Reading *reading, hid_t set, hid_t type, const char *name, const char *key,
            ReelTensordict *td, GError **error)
{
  g_autofree char *path = reel_path_escape (key);
  char *tag = H5Tget_tag (type);
  gsize size = H5Tget_size (type);
  gboolean is_bool = tag && strcmp (tag, OPAQUE_BOOL) == 0 && size == 1;
  gboolean is_number = tag && strcmp (tag, OPAQUE_INT64) == 0 && size == sizeof (gint64);
  gint64 shape[REEL_MAX_NDIM] = { 0 };
  guint8 flag = 0;
  gint ndim;

  H5free_memory (tag);
  if (!read_shape (reading, set, name, size, &ndim, shape, error))
    return FALSE;
  if (is_number && ndim <= 1 && shape[0] <= REEL_MAX_NDIM)
    return read_numbers (set, type, ndim, shape[0], path, td, error);
  if (!is_bool || ndim != 0)
    return damaged (name, "is of a type that is not read", error);
  if (H5Dread (set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &flag) < 0)
    return fail (name, REEL_ERROR_DAMAGED, error);
  return reel_tensordict_set_value (td, path, g_variant_new_boolean (flag != 0), error);
}

static gboolean
read_set (const Reading *reading, hid_t set, const char *name, const char *key, ReelTensordict *td,
          GError **error)
{
  auto_handle type = H5Dget_type (set);
  gint dtype = type < 0 ? -1 : find_dtype (type);

  if (dtype >= 0)
    return read_tensor (reading, set, (ReelDtype) dtype, name, key, td, error);
  if (type >= 0 && H5Tget_class (type) == H5T_OPAQUE)
    return read_value (reading, set, type, name, key, td, error);
  return damaged (name, "is of a type that is not read", error);
}

static gboolean read_level (Reading *reading, hid_t group, const char *prefix, gint level,
                            ReelTensordict *td, GError **error);

static gboolean
read_object (Reading *reading, hid_t group, const char *prefix, const char *key, gint level,
             ReelTensordict *td, GError **error)
{
  g_autofree char *name = join (prefix, key), *path = reel_path_escape (key);
  g_autoptr (ReelTensordict) inner = NULL;
  auto_handle object = H5Oopen (group, key, H5P_DEFAULT);

  if (object < 0)
    return fail (name, REEL_ERROR_DAMAGED, error);
  if (reading->n_objects-- == 0 || level > MOST_LEVELS)
    return damaged (name, "stands there too often, or too deep", error);
  if (H5Iget_type (object) == H5I_DATASET)
    return read_set (reading, object, name, key, td, error);
  if (H5Iget_type (object) != H5I_GROUP)
    return damaged (name, "is neither a group nor a dataset", error);
  inner = reel_tensordict_new (0, NULL);
  return read_level (reading, object, name, level + 1, inner, error)
         && reel_tensordict_set_tensordict (td, path, inner, error);
}

/* Links that lead elsewhere have the empty name here. */
static herr_t
take_name (hid_t group, const char *name, const H5L_info_t *info, void *data)
{
  g_ptr_array_add (data, g_strdup (info->type == H5L_TYPE_HARD ? name : ""));
  return 0;
}

static gboolean
read_level (Reading *reading, hid_t group, const char *prefix, gint level, ReelTensordict *td,
            GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  if (H5Literate (group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, take_name, names) < 0)
    return fail (*prefix ? prefix : "/", REEL_ERROR_DAMAGED, error);
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = names->pdata[i];

      if (!*name || !g_utf8_validate (name, -1, NULL))
        return damaged (*prefix ? prefix : "/", "has a link elsewhere, which is not followed",
                        error);
      if (!read_object (reading, group, prefix, name, level, td, error))
        return FALSE;
    }
  return TRUE;
}

typedef struct
{
  gconstpointer data;
  gsize length;
} Image;

static ReelTensordict *
unpack (gconstpointer data, GError **error)
{
  const Image *image = data;
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  Reading reading = { image->length, image->length / 8 };
  auto_handle access = H5Pcreate (H5P_FILE_ACCESS);
  auto_handle file = H5Pset_fapl_core (access, 1 << 20, FALSE) < 0
                             || H5Pset_file_image (access, (void *) image->data, image->length) < 0
                         ? -1
                         : H5Fopen (IMAGE, H5F_ACC_RDONLY, access);

  if (file < 0)
    fail ("/", REEL_ERROR_DAMAGED, error);
  return file >= 0 && read_level (&reading, file, "", 0, td, error) ? g_steal_pointer (&td) : NULL;
}

ReelTensordict *
reel_hdf5_unpack (gconstpointer data, gsize length, GError **error)
{
  const Image image = { data, length };

  return reel_isolated_run (unpack, &image, fork_between_calls, find_patience (length), error);
}
