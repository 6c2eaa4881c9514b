#include "hdf5.h"

#include "error.h"
#include "hdf5-driver.h"
#include "isolated.h"
#include "tensordict-private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECONDS 60            /* that anything may take */
#define BYTES_A_SECOND 131072 /* as slow as it may be beyond them, with many small datasets */
#define IMAGE "reel"          /* HDF5 wants a name of what is no file */
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

/* ---- groups of rows ---- */

/* What is written, and by which name it is known to file faults. */
typedef struct
{
  const ReelHdf5Groups *groups;
  ReelHdf5File file;
} Writing;

/* A part of the rows of a dataset. */
static gboolean
write_part (hid_t set, hid_t type, const ReelTensor *leaf, gint64 first, gint64 n,
            gconstpointer rows)
{
  hsize_t begin[REEL_MAX_NDIM] = { (hsize_t) first }, extents[REEL_MAX_NDIM] = { (hsize_t) n };
  auto_handle there = H5Dget_space (set);
  auto_handle here = -1;

  for (gint d = 1; d < leaf->ndim; d++)
    extents[d] = (hsize_t) leaf->shape[d];
  here = H5Screate_simple (leaf->ndim, extents, NULL);
  return H5Sselect_hyperslab (there, H5S_SELECT_SET, begin, NULL, extents, NULL) >= 0
         && H5Dwrite (set, type, here, there, H5P_DEFAULT, rows) >= 0;
}

static gboolean
write_rows (const Writing *writing, gint64 i, hid_t group, const char *key, const ReelTensor *leaf,
            GError **error)
{
  const ReelHdf5Groups *groups = writing->groups;
  const ReelRowStream *stream = groups->get_rows (groups->data, leaf);
  gint64 n_rows = groups->count_rows (groups->data, leaf, i), shape[REEL_MAX_NDIM];
  gint64 part = MIN (reel_row_stream_part (stream->row_bytes), n_rows);
  g_autofree guint8 *rows = g_malloc ((gsize) part * stream->row_bytes);
  auto_handle type = new_type (leaf->dtype);
  auto_handle space = -1;
  auto_handle set = -1;

  memcpy (shape, leaf->shape, (gsize) leaf->ndim * sizeof *shape);
  shape[0] = n_rows;
  space = new_space (leaf->ndim, shape);
  set = H5Dcreate2 (group, key, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (set < 0)
    return fail (key, REEL_ERROR_NO_SPACE, error);
  for (gint64 begin = 0, n; begin < n_rows; begin += n)
    {
      n = MIN (part, n_rows - begin);
      stream->read (stream->data, rows, n);
      if (!(n == n_rows ? H5Dwrite (set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0
                        : write_part (set, type, leaf, begin, n, rows)))
        return fail (key, REEL_ERROR_NO_SPACE, error);
    }
  return TRUE;
}

static gboolean write_level (const Writing *writing, gint64 i, hid_t group,
                             const ReelTensordict *outline, GError **error);

static gboolean
write_child (const Writing *writing, gint64 i, hid_t group, const char *key,
             const ReelTensordict *child, GError **error)
{
  auto_handle inner = H5Gcreate2 (group, key, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

  return inner < 0 ? fail (key, REEL_ERROR_NO_SPACE, error)
                   : write_level (writing, i, inner, child, error);
}

static gboolean
write_level (const Writing *writing, gint64 i, hid_t group, const ReelTensordict *outline,
             GError **error)
{
  ReelTensordictIter iter;
  const char *key;
  ReelTensor *tensor;
  ReelTensordict *child;

  reel_tensordict_iter_init (&iter, outline);
  while (reel_tensordict_iter_next (&iter, &key, &tensor, &child))
    if (!(tensor  ? write_rows (writing, i, group, key, tensor, error)
          : child ? write_child (writing, i, group, key, child, error)
                  : TRUE))
      return FALSE;
  return TRUE;
}

static gboolean
write_values (hid_t file, const ReelTensordict *values, GError **error)
{
  g_auto (GStrv) keys = reel_tensordict_list_non_tensors (values);

  for (gsize i = 0; keys[i]; i++)
    {
      g_autoptr (GVariant) value = reel_tensordict_get_value (values, keys[i], error);

      if (!value || !write_value (file, keys[i], value, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_groups (const Writing *writing, hid_t file, GError **error)
{
  const ReelHdf5Groups *groups = writing->groups;

  for (gint64 i = 0; i < groups->n_groups; i++)
    {
      g_autofree char *name = groups->name_group (groups->data, i);
      auto_handle group = H5Gcreate2 (file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

      if (group < 0)
        return fail (name, REEL_ERROR_NO_SPACE, error);
      if (!write_level (writing, i, group, groups->outline, error))
        return FALSE;
    }
  return TRUE;
}

/* Keys and types that there are no others for. */
static gboolean
check_outline (const ReelTensordict *outline, GError **error)
{
  ReelTensordictIter iter;
  const char *key;
  ReelTensor *tensor;
  ReelTensordict *child;

  reel_tensordict_iter_init (&iter, outline);
  while (reel_tensordict_iter_next (&iter, &key, &tensor, &child))
    {
      auto_handle type = tensor ? new_type (tensor->dtype) : -1;

      if (!check_key (key, error) || (child && !check_outline (child, error)))
        return FALSE;
      if (!tensor || type >= 0)
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "\"%s\" is %s, which HDF5 and NumPy do not have; use another checkpointer", key,
                   reel_dtype_name (tensor->dtype));
      return FALSE;
    }
  return TRUE;
}

/* What the driver said is nearer to the fault than what HDF5 makes of it. */
static ReelTensordict *
finish (const Writing *writing, gboolean written, GError **failure, GError **error)
{
  GError **fault = writing->file.fault;

  if (*fault || *failure)
    {
      GError **first = *fault ? fault : failure;

      g_propagate_error (error, g_steal_pointer (first));
    }
  else if (!written)
    fail ("/", REEL_ERROR_NO_SPACE, error);
  else
    return writing->groups->finish (writing->groups->data, error);
  return NULL;
}

static ReelTensordict *
write_file (gconstpointer data, GError **error)
{
  Writing writing = *(const Writing *) data;
  g_autoptr (GError) fault = NULL, failure = NULL;
  hid_t access, file;
  gboolean written;

  writing.file.fault = &fault;
  if (!check_outline (writing.groups->outline, error))
    return NULL;
  access = reel_hdf5_driver_access (&writing.file);
  file = access < 0 ? -1 : H5Fcreate (IMAGE, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  written = file >= 0 && write_values (file, writing.groups->values, &failure)
            && write_groups (&writing, file, &failure);
  if (file >= 0 && H5Fclose (file) < 0)
    written = FALSE;
  return finish (&writing, written, &failure, error);
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

ReelTensordict *
reel_hdf5_write (const ReelHdf5Groups *groups, int fd, const char *path, GError **error)
{
  const Writing writing = { groups, { .fd = fd, .path = path } };

  return reel_isolated_run (write_file, &writing, fork_between_calls,
                            find_patience (count_bytes (groups->outline)), error);
}

/* ---- from a file ---- */

typedef struct
{
  const char *prefix; /* of the groups' names */
  const char *first;  /* the key that says how many rows there are */
  ReelMemory *file;
  gsize length;
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

/* ---- which groups there are ---- */

typedef struct
{
  guint64 number;
  char *name;
} Group;

static void
clear_group (gpointer data)
{
  Group *group = data;

  g_free (group->name);
}

static int
compare_groups (gconstpointer a, gconstpointer b)
{
  const Group *one = a, *other = b;

  return one->number < other->number ? -1 : one->number > other->number;
}

/* Links that lead elsewhere have the empty name here. */
static herr_t
take_name (hid_t group, const char *name, const H5L_info_t *info, void *data)
{
  g_ptr_array_add (data, g_strdup (info->type == H5L_TYPE_HARD ? name : ""));
  return 0;
}

/* The names in a group, none of which leads elsewhere. */
static GPtrArray *
list_names (hid_t group, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  if (H5Literate (group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, take_name, names) < 0)
    {
      fail (*name ? name : "/", REEL_ERROR_DAMAGED, error);
      return NULL;
    }
  for (guint i = 0; i < names->len; i++)
    if (!*(const char *) names->pdata[i] || !g_utf8_validate (names->pdata[i], -1, NULL))
      {
        damaged (*name ? name : "/", "has a link elsewhere, which is not followed", error);
        return NULL;
      }
  return g_steal_pointer (&names);
}

/* What stands beside the groups; of it only values that are no tensors count. */
static gboolean
read_beside (const Reading *reading, hid_t file, const char *name, ReelTensordict *found,
             GError **error)
{
  auto_handle object = H5Oopen (file, name, H5P_DEFAULT);
  auto_handle type = -1;

  if (object < 0)
    return fail (name, REEL_ERROR_DAMAGED, error);
  if (H5Iget_type (object) != H5I_DATASET)
    return TRUE;
  type = H5Dget_type (object);
  if (type >= 0 && H5Tget_class (type) == H5T_OPAQUE)
    return read_value (reading, object, type, name, name, found, error);
  return (type >= 0 && find_dtype (type) >= 0)
         || damaged (name, "is of a type that is not read", error);
}

static GArray *
list_groups (const Reading *reading, hid_t file, ReelTensordict *found, GError **error)
{
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (Group));
  g_autoptr (GPtrArray) names = list_names (file, "", error);

  g_array_set_clear_func (groups, clear_group);
  for (guint i = 0; names && i < names->len; i++)
    {
      const char *name = names->pdata[i];

      if (g_str_has_prefix (name, reading->prefix))
        {
          const Group group = { strtoull (name + strlen (reading->prefix), NULL, 10),
                                g_steal_pointer (&names->pdata[i]) };

          g_array_append_val (groups, group);
        }
      else if (!read_beside (reading, file, name, found, error))
        return NULL;
    }
  if (!names)
    return NULL;
  g_array_sort (groups, compare_groups);
  return g_steal_pointer (&groups);
}

/* ---- which keys they have ---- */

/* One key, as it is in the first group. */
typedef struct
{
  char *name; /* below the group */
  ReelDtype dtype;
  gint ndim;
  gint64 shape[REEL_MAX_NDIM]; /* the first extent is that of all groups together */
  ReelTensor *where;           /* twice the offset, plus the rows that it has beyond `first` */
  gboolean apart;              /* whether elements lie in the file as they do in memory */
} Key;

static void
clear_key (gpointer data)
{
  Key *key = data;

  g_free (key->name);
  g_clear_pointer (&key->where, reel_tensor_unref);
}

static gboolean list_keys (Reading *reading, hid_t group, const char *prefix, const char *name,
                           gint level, GArray *keys, GError **error);

static gboolean
list_object (Reading *reading, hid_t group, const char *prefix, const char *name, gint level,
             GArray *keys, GError **error)
{
  g_autofree char *below = join (prefix, name);
  auto_handle object = H5Oopen (group, name, H5P_DEFAULT);
  auto_handle type = -1;
  Key key = { .apart = TRUE };

  if (object < 0)
    return fail (below, REEL_ERROR_DAMAGED, error);
  if (reading->n_objects-- == 0 || level > MOST_LEVELS)
    return damaged (below, "stands there too often, or too deep", error);
  if (H5Iget_type (object) == H5I_GROUP)
    return list_keys (reading, object, below, below, level + 1, keys, error);
  if (H5Iget_type (object) != H5I_DATASET)
    return damaged (below, "is neither a group nor a dataset", error);
  type = H5Dget_type (object);
  if (type < 0 || find_dtype (type) < 0)
    return damaged (below, "is of a type that is not read", error);
  key.dtype = (ReelDtype) find_dtype (type);
  if (!read_shape (reading, object, below, reel_dtype_size (key.dtype), &key.ndim, key.shape,
                   error))
    return FALSE;
  key.shape[0] = 0;
  key.name = g_steal_pointer (&below);
  g_array_append_val (keys, key);
  return TRUE;
}

static gboolean
list_keys (Reading *reading, hid_t group, const char *prefix, const char *name, gint level,
           GArray *keys, GError **error)
{
  g_autoptr (GPtrArray) names = list_names (group, name, error);

  for (guint i = 0; names && i < names->len; i++)
    if (!list_object (reading, group, prefix, names->pdata[i], level, keys, error))
      return FALSE;
  return names != NULL;
}

/* ---- where their rows are ---- */

/* Each name on the way is that of the thing itself. */
static hid_t
open_hard (hid_t group, const char *name)
{
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);
  hid_t at = group;

  for (gsize i = 0; parts[i] && at >= 0; i++)
    {
      H5L_info_t info;
      hid_t inner =
          H5Lget_info (at, parts[i], &info, H5P_DEFAULT) >= 0 && info.type == H5L_TYPE_HARD
              ? H5Oopen (at, parts[i], H5P_DEFAULT)
              : -1;

      if (at != group)
        close_handle (&at);
      at = inner;
    }
  return at;
}

static hid_t
open_rows (const Reading *reading, hid_t group, const Group *of, const Key *key, gint64 *n_rows,
           GError **error)
{
  g_autofree char *name = join (of->name, key->name);
  hid_t set = open_hard (group, key->name);
  auto_handle type = set >= 0 && H5Iget_type (set) == H5I_DATASET ? H5Dget_type (set) : -1;
  gint64 shape[REEL_MAX_NDIM];
  gint ndim = -1;

  if (type >= 0 && find_dtype (type) == (gint) key->dtype
      && !read_shape (reading, set, name, reel_dtype_size (key->dtype), &ndim, shape, error))
    ndim = -2;
  if (ndim > 0 && ndim == key->ndim
      && memcmp (shape + 1, key->shape + 1, (gsize) (ndim - 1) * sizeof *shape) == 0)
    {
      *n_rows = shape[0];
      return set;
    }
  close_handle (&set);
  if (ndim != -2)
    damaged (name, "has not rows as in other trajectories, which were expected", error);
  return -1;
}

/* −1 where elements do not lie there as they do in memory. */
static gint64
find_offset (hid_t set, const Key *key, gint64 n_rows)
{
  auto_handle type = H5Dget_type (set);
  auto_handle own = new_type (key->dtype);
  auto_handle how = H5Dget_create_plist (set);
  haddr_t offset;

  if (H5Pget_layout (how) != H5D_CONTIGUOUS || H5Tequal (type, own) <= 0)
    return -1;
  offset = H5Dget_offset (set);
  if (offset == HADDR_UNDEF)
    return n_rows == 0 ? 0 : -1;
  return offset < G_MAXINT64 / 2 ? (gint64) offset : -1;
}

static gboolean
look_at_rows (const Reading *reading, hid_t group, const Group *of, Key *key, gint64 i,
              gint64 first, GError **error)
{
  gint64 n_rows, offset, bytes = (gint64) reel_dtype_size (key->dtype);
  auto_handle set = open_rows (reading, group, of, key, &n_rows, error);

  if (set < 0)
    return FALSE;
  if (n_rows != first && n_rows != first + 1)
    {
      g_autofree char *name = join (of->name, key->name);

      return damaged (name, "has neither a row a step nor one more", error);
    }
  for (gint d = 1; d < key->ndim; d++)
    bytes *= key->shape[d];
  offset = find_offset (set, key, n_rows);
  key->apart = key->apart && offset >= 0 && bytes * n_rows <= (gint64) reading->length - offset;
  key->shape[0] += n_rows;
  ((gint64 *) key->where->data)[i] = 2 * offset + (n_rows - first);
  return TRUE;
}

static gboolean
look_at_group (const Reading *reading, hid_t file, const Group *of, GArray *keys,
               const Key *first_key, gint64 i, gint64 *lengths, GError **error)
{
  auto_handle group = open_hard (file, of->name);
  auto_handle first = -1;

  if (group < 0 || H5Iget_type (group) != H5I_GROUP)
    return damaged (of->name, "is no group", error);
  first = open_rows (reading, group, of, first_key, &lengths[i], error);
  if (first < 0)
    return FALSE;
  for (guint k = 0; k < keys->len; k++)
    if (!look_at_rows (reading, group, of, &g_array_index (keys, Key, k), i, lengths[i], error))
      return FALSE;
  return TRUE;
}

/* Rows that HDF5 has to convert or unpack: those of all groups in one. */
static ReelTensor *
join_rows (const Reading *reading, hid_t file, const GArray *groups, const Key *key, GError **error)
{
  g_autoptr (ReelTensor) rows = reel_tensor_new (key->dtype, key->ndim, key->shape, error);
  auto_handle type = new_type (key->dtype);
  guint8 *at = rows ? rows->data : NULL;
  gsize row_bytes = rows ? reel_tensor_nbytes (rows) / (gsize) MAX (key->shape[0], 1) : 0;

  for (guint i = 0; rows && row_bytes > 0 && i < groups->len; i++)
    {
      const Group *of = &g_array_index (groups, Group, i);
      auto_handle group = open_hard (file, of->name);
      gint64 n_rows = 0;
      auto_handle set = open_rows (reading, group, of, key, &n_rows, error);

      if (set < 0)
        return NULL;
      if (n_rows > 0 && H5Dread (set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, at) < 0)
        {
          fail (key->name, REEL_ERROR_DAMAGED, error);
          return NULL;
        }
      at += (gsize) n_rows * row_bytes;
    }
  return g_steal_pointer (&rows);
}

/* ---- all of it ---- */

static char *
path_of (const char *name)
{
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);

  for (gsize i = 0; parts[i]; i++)
    {
      char *part = parts[i];

      parts[i] = reel_path_escape (part);
      g_free (part);
    }
  return g_strjoinv ("/", parts);
}

/* Tells of a key where its rows are, or gives them. */
static gboolean
tell_key (const Reading *reading, hid_t file, const GArray *groups, const Key *key,
          ReelTensordict *found, GError **error)
{
  g_autofree char *path = path_of (key->name);
  g_autofree char *where = g_strconcat (REEL_HDF5_WHERE "/", path, NULL);
  g_autofree char *form = g_strconcat (REEL_HDF5_FORM "/", path, NULL);
  g_autofree char *all = g_strconcat (REEL_HDF5_ROWS "/", path, NULL);
  g_autoptr (ReelTensor) rows = NULL, shape = NULL;
  const gint64 n = key->ndim + 1;

  if (!key->apart)
    return (rows = join_rows (reading, file, groups, key, error))
           && reel_tensordict_set_tensor (found, all, rows, error);
  shape = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, error);
  if (!shape)
    return FALSE;
  ((gint64 *) shape->data)[0] = key->dtype;
  memcpy ((gint64 *) shape->data + 1, key->shape, (gsize) key->ndim * sizeof *key->shape);
  return reel_tensordict_set_tensor (found, where, key->where, error)
         && reel_tensordict_set_tensor (found, form, shape, error);
}

static const Key *
find_first (const Reading *reading, const GArray *keys)
{
  for (guint k = 0; k < keys->len; k++)
    if (g_str_equal (g_array_index (keys, Key, k).name, reading->first))
      return &g_array_index (keys, Key, k);
  return NULL;
}

static gboolean
read_groups (Reading *reading, hid_t file, const GArray *groups, ReelTensordict *found,
             GError **error)
{
  g_autoptr (GArray) keys = g_array_new (FALSE, FALSE, sizeof (Key));
  const Group *all = (const Group *) groups->data;
  const gint64 n = groups->len;
  g_autoptr (ReelTensor) lengths = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, error);
  auto_handle group = open_hard (file, all[0].name);
  const Key *first;

  g_array_set_clear_func (keys, clear_key);
  if (group < 0 || H5Iget_type (group) != H5I_GROUP)
    return damaged (all[0].name, "is no group", error);
  if (!lengths || !list_keys (reading, group, "", all[0].name, 1, keys, error))
    return FALSE;
  for (guint k = 0; k < keys->len; k++)
    if (!(g_array_index (keys, Key, k).where = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, error)))
      return FALSE;
  first = find_first (reading, keys);
  if (!first)
    return damaged (reading->first, "is missing in the first trajectory", error);
  for (gint64 i = 0; i < n; i++)
    if (!look_at_group (reading, file, &all[i], keys, first, i, (gint64 *) lengths->data, error))
      return FALSE;
  for (guint k = 0; k < keys->len; k++)
    if (!tell_key (reading, file, groups, &g_array_index (keys, Key, k), found, error))
      return FALSE;
  return reel_tensordict_set_tensor (found, REEL_HDF5_LENGTHS, lengths, error);
}

static ReelTensordict *
read_file (gconstpointer data, GError **error)
{
  Reading reading = *(const Reading *) data;
  const ReelHdf5File image = { .fd = -1, .memory = reading.file };
  g_autoptr (ReelTensordict) found = reel_tensordict_new (0, NULL);
  auto_handle access = reel_hdf5_driver_access (&image);
  auto_handle file = access < 0 ? -1 : H5Fopen (IMAGE, H5F_ACC_RDONLY, access);
  g_autoptr (GArray) groups = NULL;

  if (file < 0)
    {
      fail ("/", REEL_ERROR_DAMAGED, error);
      return NULL;
    }
  groups = list_groups (&reading, file, found, error);
  if (!groups || (groups->len > 0 && !read_groups (&reading, file, groups, found, error)))
    return NULL;
  return g_steal_pointer (&found);
}

ReelTensordict *
reel_hdf5_find (ReelMemory *file, const char *prefix, const char *first, GError **error)
{
  Reading reading = { .file = file, .prefix = prefix, .first = first };

  reel_memory_get_data (file, &reading.length);
  reading.n_objects = reading.length / 8;
  return reel_isolated_run (read_file, &reading, fork_between_calls, find_patience (reading.length),
                            error);
}
