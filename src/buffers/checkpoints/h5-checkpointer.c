/* Flat rows, a group of an HDF5 file a trajectory. */
#include "ted-checkpointer.h"

#include "../../core/object/error.h"
#include "../../core/system/files.h"
#include "../../core/formats/hdf5.h"
#include "../../core/tensor/mapped-memory.h"
#include "checkpoint-files.h"

#include <string.h>

#define LENGTH "_len"
#define PREFIX "traj_"

struct _ReelH5Checkpointer
{
  ReelTedCheckpointer parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelH5Checkpointer, reel_h5_checkpointer, REEL, H5_CHECKPOINTER,
                      ReelTedCheckpointer)
G_DEFINE_FINAL_TYPE (ReelH5Checkpointer, reel_h5_checkpointer, REEL_TYPE_TED_CHECKPOINTER)

/* ---- to groups ---- */

/* As many digits as the last number has, 0 to 9 of ten. */
static gint
count_digits (gint64 n)
{
  gint digits = 0;

  for (gint64 power = 1; power < n; power *= 10)
    digits++;
  return digits;
}

static char *
name_group (gpointer pack, gint64 group)
{
  return g_strdup_printf (PREFIX "%0*" G_GINT64_FORMAT,
                          count_digits (reel_flat_pack_get_cut (pack)->n), group);
}

static gint64
count_rows (gpointer pack, const ReelTensor *leaf, gint64 group)
{
  return reel_flat_pack_choose (pack, leaf)[group];
}

static const ReelRowStream *
get_rows (gpointer pack, const ReelTensor *leaf)
{
  return reel_flat_pack_get_stream (pack, leaf);
}

static gboolean
write_groups (ReelFlatPack *pack, gint64 length, int fd, const char *path, GError **error)
{
  const ReelTensordict *outline = reel_flat_pack_get_outline (pack);
  g_autoptr (ReelTensordict) values = reel_tensordict_new (0, NULL);
  const ReelHdf5Groups groups = { .values = values,
                                  .outline = outline,
                                  .n_groups = reel_flat_pack_get_cut (pack)->n,
                                  .name_group = name_group,
                                  .count_rows = count_rows,
                                  .get_rows = get_rows,
                                  .data = pack };

  return reel_flat_copy_values (outline, values, error)
         && reel_tensordict_set_value (values, LENGTH, g_variant_new_int64 (length), error)
         && reel_hdf5_write (&groups, fd, path, error);
}

/* HDF5 writes here and there: the file has no checksums until it is read. */
static gboolean
write_file (ReelFlatPack *pack, gint64 length, const char *path, ReelFileSums *sums, GError **error)
{
  g_autofree char *file = g_build_filename (path, REEL_CHECKPOINT_H5_FILE, NULL);
  g_autofree char *temporary = NULL;
  int fd = reel_file_begin_temporary (file, &temporary, error);

  if (fd >= 0
      && reel_file_end_temporary (fd, file, write_groups (pack, length, fd, file, error), error)
      && reel_file_rename (temporary, file, error))
    return TRUE;
  if (temporary)
    reel_file_remove (temporary, NULL);
  return FALSE;
}

/* ---- and back ---- */

static gboolean
read_length (const ReelTensordict *groups, gint64 *length, GError **error)
{
  g_autoptr (GVariant) value = reel_tensordict_dup_value (groups, LENGTH, NULL);

  *length = value && g_variant_is_of_type (value, G_VARIANT_TYPE_INT64)
                ? g_variant_get_int64 (value)
                : -1;
  if (*length < 0)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                         "there is no \"" LENGTH "\", the number of valid rows");
  return *length >= 0;
}

static void
free_pieces (gpointer data)
{
  ReelFlatPieces *pieces = data;

  reel_memory_unref (pieces->memory);
  reel_tensor_unref (pieces->where);
  g_free (pieces);
}

static ReelFlatPieces *
new_pieces (ReelMemory *memory, ReelTensor *where)
{
  ReelFlatPieces *pieces = g_new (ReelFlatPieces, 1);

  *pieces = (ReelFlatPieces){ reel_memory_ref (memory), reel_tensor_ref (where) };
  return pieces;
}

/* The process that found them may have been corrupt. */
static gboolean
check_numbers (const ReelTensor *tensor, gint64 least, gint64 most, GError **error)
{
  if (tensor && tensor->dtype == REEL_DTYPE_INT64 && tensor->ndim == 1 && tensor->shape[0] >= least
      && tensor->shape[0] <= most)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                       "the layout of rows in HDF5 is invalid");
  return FALSE;
}

static gboolean
check_pieces (const ReelFlatPieces *pieces, const ReelFlatRows *rows, gsize row_bytes,
              GError **error)
{
  gsize size;

  reel_memory_get_data (pieces->memory, &size);
  for (gint64 i = 0; i < rows->n_parts; i++)
    {
      gint64 offset = reel_flat_pieces_offset (pieces, i);
      gsize n = (gsize) (rows->lengths[i] + reel_flat_pieces_more (pieces, i)), bytes;

      /* Rows are read from the mapping in this process: each part must lie inside. */
      if (offset < 0 || __builtin_mul_overflow (n, row_bytes, &bytes) || bytes > size
          || (gsize) offset > size - bytes)
        {
          g_set_error_literal (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                               "rows are beyond the end of the file");
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
add_pieces (ReelFlatRows *rows, ReelMemory *memory, const char *key, const ReelTensordict *where,
            const ReelTensordict *forms, GError **error)
{
  const ReelTensor *form = reel_tensordict_get_tensor (forms, key, NULL);
  ReelTensor *offsets = reel_tensordict_get_tensor (where, key, NULL);
  const gint64 *shape;
  g_autoptr (ReelTensor) outline = NULL;
  ReelFlatPieces *pieces;

  if (!check_numbers (form, 2, REEL_MAX_NDIM + 1, error)
      || !check_numbers (offsets, rows->n_parts, rows->n_parts, error))
    return FALSE;
  shape = (const gint64 *) form->data;
  outline =
      reel_flat_new_outline ((ReelDtype) shape[0], (gint) form->shape[0] - 1, shape + 1, error);
  if (!outline || !reel_tensordict_set_tensor (rows->flat, key, outline, error))
    return FALSE;
  pieces = new_pieces (memory, offsets);
  g_hash_table_insert (rows->pieces, g_strdup (key), pieces);
  return check_pieces (pieces, rows, reel_flat_row_bytes (outline, 1), error);
}

static gboolean
take_groups (ReelFlatRows *rows, ReelMemory *memory, const ReelTensordict *found, GError **error)
{
  ReelTensordict *where = reel_tensordict_get_tensordict (found, REEL_HDF5_WHERE, NULL);
  ReelTensordict *forms = reel_tensordict_get_tensordict (found, REEL_HDF5_FORM, NULL);
  ReelTensordict *joined = reel_tensordict_get_tensordict (found, REEL_HDF5_ROWS, NULL);
  const ReelTensor *lengths = reel_tensordict_get_tensor (found, REEL_HDF5_LENGTHS, NULL);
  g_auto (GStrv) apart = where ? reel_tensordict_list_leaves (where) : NULL;
  g_auto (GStrv) whole = joined ? reel_tensordict_list_leaves (joined) : NULL;

  if (!check_numbers (lengths, 1, G_MAXINT64, error))
    return FALSE;
  rows->n_parts = lengths->shape[0];
  rows->lengths = g_memdup2 (lengths->data, reel_tensor_nbytes (lengths));
  for (gsize i = 0; apart && apart[i]; i++)
    if (!add_pieces (rows, memory, apart[i], where, forms, error))
      return FALSE;
  for (gsize i = 0; whole && whole[i]; i++)
    if (!reel_tensordict_set_tensor (rows->flat, whole[i],
                                     reel_tensordict_get_tensor (joined, whole[i], NULL), error))
      return FALSE;
  return TRUE;
}

static ReelFlatRows *
find_rows (ReelMemory *memory, gint64 *length, GError **error)
{
  g_autoptr (ReelTensordict) found = reel_hdf5_find (memory, PREFIX, REEL_FLAT_DONE, error);
  g_autoptr (ReelFlatRows) rows = NULL;

  if (!found)
    return NULL;
  rows = reel_flat_rows_new (reel_tensordict_new (0, NULL));
  rows->pieces = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_pieces);
  if (!read_length (found, length, error) || !reel_flat_copy_values (found, rows->flat, error)
      || (reel_tensordict_contains (found, REEL_HDF5_LENGTHS)
          && !take_groups (rows, memory, found, error)))
    return NULL;
  return g_steal_pointer (&rows);
}

static ReelFlatRows *
read_file (const char *path, gint64 *length, GPtrArray *warnings, GError **error)
{
  g_autofree char *file = g_build_filename (path, REEL_CHECKPOINT_H5_FILE, NULL);
  g_autoptr (ReelMemory) memory =
      reel_memory_new_mapped (REEL_MEMORY_SHARED, file, -1, REEL_MAP_READ, -1, error);
  ReelFlatRows *rows = memory ? find_rows (memory, length, error) : NULL;

  if (memory && !rows)
    g_prefix_error (error, "%s: ", file);
  return rows;
}

static void
reel_h5_checkpointer_class_init (ReelH5CheckpointerClass *klass)
{
  static const ReelId ids[] = {
    { "h5", NULL, "TED data, a group of one HDF5 file a trajectory" },
    { "H5StorageCheckpointer", NULL,
      "TED data, a group of one HDF5 file a trajectory, by TorchRL's name" },
    { NULL },
  };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_CHECKPOINTER_CLASS (klass)->format = "h5";
  REEL_CHECKPOINTER_CLASS (klass)->keeps_length = TRUE;
  REEL_TED_CHECKPOINTER_CLASS (klass)->is_cut = TRUE;
  REEL_TED_CHECKPOINTER_CLASS (klass)->write = write_file;
  REEL_TED_CHECKPOINTER_CLASS (klass)->read = read_file;
}

static void
reel_h5_checkpointer_init (ReelH5Checkpointer *self)
{
}
