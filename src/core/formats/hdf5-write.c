/* HDF5 files are written. */
#include "hdf5-driver.h"
#include "hdf5-fill.h"
#include "hdf5-private.h"

#include <string.h>

#define ATTRIBUTE_BYTES 64 /* of the header of a group, besides the name */
#define MOST_LINKS 64      /* that the header of a group contains itself */
#define LEAST_BLOCK 2048   /* of HDF5 itself */
#define MOST_BLOCK (1 << 20)
#define BLOCKS 256      /* of rows, in a file of middle size */
#define MOST_PLACES 256 /* that are told at once */

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

/* ---- what is made once for all groups ---- */

/* A key of the outline: of a tensor, or of a group. */
typedef struct _Node Node;
struct _Node
{
  const char *key;
  const ReelTensor *leaf; /* or NULL */
  hid_t type;
  hid_t space;
  gint64 n_rows; /* of the space */
  hid_t how;     /* a group is made */
  GArray *below; /* of Node */
};

/* The file to write, its name for file faults, and the places of rows that were not told yet. */
typedef struct
{
  const ReelHdf5Groups *groups;
  ReelHdf5File file;
  Node root;
  hid_t how; /* a dataset is made */
  hid_t scalar;
  int line;
  gint64 places[MOST_PLACES];
  gint64 n_places;
} Writing;

static void
clear_node (gpointer data)
{
  Node *self = data;

  reel_hdf5_close (&self->type);
  reel_hdf5_close (&self->space);
  reel_hdf5_close (&self->how);
  g_clear_pointer (&self->below, g_array_unref);
}

/* With room in its header for the names of all keys, and for attributes: another block of the file
 * would be read and written anew for each. */
static hid_t
new_group_list (const GArray *below, const char *const *attributes)
{
  hid_t how = H5Pcreate (H5P_GROUP_CREATE);
  const guint n = MIN (below->len, MOST_LINKS);
  gsize names = 0;

  for (guint i = 0; i < below->len; i++)
    names += strlen (g_array_index (below, Node, i).key);
  for (guint k = 0; attributes && attributes[k]; k++)
    names += strlen (attributes[k]) + ATTRIBUTE_BYTES;
  H5Pset_obj_track_times (how, FALSE);
  if (below->len > 0 && below->len <= MOST_LINKS)
    {
      H5Pset_link_phase_change (how, n, n);
      H5Pset_est_link_info (how, n, (unsigned) MIN (names / n + 1, 1024));
    }
  return how;
}

static void
init_node (Node *self, const char *key, const ReelTensor *leaf, const ReelTensordict *outline,
           const char *const *attributes)
{
  ReelTensordictIter iter;
  const char *name;
  ReelTensor *tensor;
  ReelTensordict *child;

  *self = (Node){ .key = key, .leaf = leaf, .type = -1, .space = -1, .how = -1 };
  if (leaf)
    {
      self->type = reel_hdf5_new_type (leaf->dtype);
      self->space = reel_hdf5_new_space (leaf->ndim, leaf->shape);
      self->n_rows = leaf->shape[0];
      return;
    }
  self->below = g_array_new (FALSE, FALSE, sizeof (Node));
  g_array_set_clear_func (self->below, clear_node);
  reel_tensordict_iter_init (&iter, outline);
  while (reel_tensordict_iter_next (&iter, &name, &tensor, &child))
    if (tensor || child)
      {
        Node below;

        init_node (&below, name, tensor, child, NULL);
        g_array_append_val (self->below, below);
      }
  self->how = new_group_list (self->below, attributes);
}

/* ---- datasets ---- */

static void
tell_places (Writing *writing)
{
  reel_isolated_tell (writing->line, writing->places, writing->n_places);
  writing->n_places = 0;
}

static void
add_place (Writing *writing, gint64 offset)
{
  writing->places[writing->n_places++] = offset;
  if (writing->n_places == MOST_PLACES)
    tell_places (writing);
}

static gboolean
fit_space (Node *node, gint64 n_rows)
{
  hsize_t extents[REEL_MAX_NDIM];

  if (node->n_rows == n_rows)
    return node->space >= 0;
  for (gint d = 0; d < node->leaf->ndim; d++)
    extents[d] = (hsize_t) (d == 0 ? n_rows : node->leaf->shape[d]);
  node->n_rows = n_rows;
  return H5Sset_extent_simple (node->space, node->leaf->ndim, extents, NULL) >= 0;
}

static gboolean
write_rows (Writing *writing, gint64 i, hid_t group, Node *node, GError **error)
{
  const ReelHdf5Groups *groups = writing->groups;
  reel_auto_hid set = -1;
  haddr_t place = HADDR_UNDEF;

  if (fit_space (node, groups->count_rows (groups->data, node->leaf, i)))
    set = H5Dcreate2 (group, node->key, node->type, node->space, H5P_DEFAULT, writing->how,
                      H5P_DEFAULT);
  if (set >= 0)
    place = H5Sget_simple_extent_npoints (node->space) > 0 ? H5Dget_offset (set) : 0;
  if (place == HADDR_UNDEF)
    return reel_hdf5_fail (node->key, REEL_ERROR_NO_SPACE, error);
  add_place (writing, (gint64) place);
  return TRUE;
}

/* ---- groups ---- */

static gboolean write_level (Writing *writing, gint64 i, hid_t group, const Node *level,
                             GError **error);

static gboolean
write_child (Writing *writing, gint64 i, hid_t group, const Node *child, GError **error)
{
  reel_auto_hid inner = H5Gcreate2 (group, child->key, H5P_DEFAULT, child->how, H5P_DEFAULT);

  return inner < 0 ? reel_hdf5_fail (child->key, REEL_ERROR_NO_SPACE, error)
                   : write_level (writing, i, inner, child, error);
}

static gboolean
write_level (Writing *writing, gint64 i, hid_t group, const Node *level, GError **error)
{
  for (guint k = 0; k < level->below->len; k++)
    {
      Node *node = &g_array_index (level->below, Node, k);

      if (!(node->leaf ? write_rows (writing, i, group, node, error)
                       : write_child (writing, i, group, node, error)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_values (hid_t file, const ReelTensordict *values, GError **error)
{
  g_auto (GStrv) keys = reel_tensordict_list_non_tensors (values);

  for (gsize i = 0; keys[i]; i++)
    {
      g_autoptr (GVariant) value = reel_tensordict_dup_value (values, keys[i], error);

      if (!value || !reel_hdf5_write_value (file, keys[i], value, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_attributes (const Writing *writing, gint64 i, hid_t group, GError **error)
{
  const ReelHdf5Groups *groups = writing->groups;

  for (guint k = 0; groups->attributes && groups->attributes[k]; k++)
    {
      const gint64 value = groups->get_attribute (groups->data, i, k);
      reel_auto_hid set = H5Acreate2 (group, groups->attributes[k], H5T_STD_I64LE, writing->scalar,
                                      H5P_DEFAULT, H5P_DEFAULT);

      if (set < 0 || H5Awrite (set, H5T_NATIVE_INT64, &value) < 0)
        return reel_hdf5_fail (groups->attributes[k], REEL_ERROR_NO_SPACE, error);
    }
  return TRUE;
}

static gboolean
write_group (Writing *writing, gint64 i, hid_t file, GError **error)
{
  const ReelHdf5Groups *groups = writing->groups;
  g_autofree char *name = groups->name_group (groups->data, i);
  reel_auto_hid group = H5Gcreate2 (file, name, H5P_DEFAULT, writing->root.how, H5P_DEFAULT);

  if (group < 0)
    return reel_hdf5_fail (name, REEL_ERROR_NO_SPACE, error);
  return write_attributes (writing, i, group, error)
         && write_level (writing, i, group, &writing->root, error);
}

static gboolean
write_groups (Writing *writing, hid_t file, GError **error)
{
  const ReelHdf5Groups *groups = writing->groups;

  if (!groups->name_group && !write_level (writing, 0, file, &writing->root, error))
    return FALSE;
  for (gint64 i = 0; groups->name_group && i < groups->n_groups; i++)
    if (!write_group (writing, i, file, error))
      return FALSE;
  tell_places (writing);
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
      reel_auto_hid type = tensor ? reel_hdf5_new_type (tensor->dtype) : -1;

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

/* ---- the process of HDF5 ---- */

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

/* Equal rows make equal files, whenever they are written. Rows get their place before they are
 * there. */
static hid_t
new_dataset_list (void)
{
  hid_t how = H5Pcreate (H5P_DATASET_CREATE);

  if (H5Pset_obj_track_times (how, FALSE) >= 0 && H5Pset_alloc_time (how, H5D_ALLOC_TIME_EARLY) >= 0
      && H5Pset_fill_time (how, H5D_FILL_TIME_NEVER) >= 0)
    return how;
  reel_hdf5_close (&how);
  return -1;
}

/* Datasets that follow each other are written at once, so rows and what HDF5 says of them get
 * blocks of their own, of which the last is in part empty. */
static hsize_t
choose_block (gsize bytes)
{
  return CLAMP (bytes / BLOCKS, LEAST_BLOCK, MOST_BLOCK);
}

static hid_t
create_file (const ReelHdf5File *file, hsize_t block)
{
  reel_auto_hid how = H5Pcreate (H5P_FILE_CREATE);
  reel_auto_hid access = reel_hdf5_driver_access (file);

  if (how < 0 || access < 0 || H5Pset_obj_track_times (how, FALSE) < 0
      || H5Pset_libver_bounds (access, H5F_LIBVER_V18, H5F_LIBVER_V18) < 0
      || H5Pset_meta_block_size (access, block) < 0
      || H5Pset_small_data_block_size (access, block) < 0)
    return -1;
  return H5Fcreate (REEL_HDF5_IMAGE, H5F_ACC_TRUNC, how, access);
}

/* The driver's error is nearer to the fault than HDF5's. */
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
    reel_hdf5_fail ("/", REEL_ERROR_NO_SPACE, error);
  else
    return reel_tensordict_new (0, NULL);
  return NULL;
}

static ReelTensordict *
write_file (gconstpointer data, int line, GError **error)
{
  Writing writing = *(const Writing *) data;
  const ReelHdf5Groups *groups = writing.groups;
  g_autoptr (GError) fault = NULL, failure = NULL;
  hid_t file;
  gboolean written;

  writing.file.fault = &fault;
  writing.line = line;
  if (!check_outline (groups->outline, error))
    return NULL;
  writing.how = new_dataset_list ();
  init_node (&writing.root, NULL, NULL, groups->outline, groups->attributes);
  writing.scalar = H5Screate (H5S_SCALAR);
  file = create_file (&writing.file, choose_block (count_bytes (groups->outline)));
  written = file >= 0 && write_values (file, groups->values, &failure)
            && write_groups (&writing, file, &failure);
  if (file >= 0 && H5Fclose (file) < 0)
    written = FALSE;
  reel_hdf5_close (&writing.how);
  reel_hdf5_close (&writing.scalar);
  clear_node (&writing.root);
  return finish (&writing, written, &failure, error);
}

/* ---- the rows ---- */

/* HDF5 makes the datasets in its process, and their rows are written here meanwhile. */
gboolean
reel_hdf5_write (const ReelHdf5Groups *groups, int fd, const char *path, GError **error)
{
  const Writing writing = { .groups = groups, .file = { .fd = fd, .path = path } };
  g_autoptr (ReelHdf5Fill) fill = reel_hdf5_fill_new (groups, fd, path);
  g_autoptr (ReelTensordict) done = reel_hdf5_run_telling (
      write_file, &writing, count_bytes (groups->outline), reel_hdf5_fill_take, fill, error);

  return done && reel_hdf5_fill_end (fill, error);
}
