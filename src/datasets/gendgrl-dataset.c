/* GenDGRL: what agents saw of the 16 games of Procgen, an archive a game and category, a pickled
 * dict of NumPy's arrays a trajectory. The result is that of TorchRL's GenDGRLExperienceReplay;
 * where that is wrong, docs/differences-from-torchrl.md says so. */
#include "dataset.h"
#include "dataset-leaves.h"
#include "growing-leaves.h"
#include "raw-arrays.h"
#include "source-files.h"

#include "../core/formats/npy.h"
#include "../core/formats/pickle-tree.h"
#include "../core/formats/tar.h"
#include "../core/object/error.h"

#include <string.h>

#define BASE "DGRL/Procgen/Datasets/Compressed/"
#define PACKED ".tar.xz"
#define PLAIN ".tar"

struct _ReelGendgrlDataset
{
  ReelDataset parent_instance;
  gint64 rows;
};

G_DECLARE_FINAL_TYPE (ReelGendgrlDataset, reel_gendgrl_dataset, REEL, GENDGRL_DATASET, ReelDataset)
G_DEFINE_FINAL_TYPE (ReelGendgrlDataset, reel_gendgrl_dataset, REEL_TYPE_DATASET)

static const char *const games[] = { "bigfish", "bossfight", "caveflyer", "chaser",
                                     "climber", "coinrun",   "dodgeball", "fruitbot",
                                     "heist",   "jumper",    "leaper",    "maze",
                                     "miner",   "ninja",     "plunder",   "starpilot" };

static const struct
{
  const char *name;
  const char *path;
} categories[] = {
  { "1M_E", "1M/level_200/expert" },        { "1M_S", "1M/level_200/suboptimal" },
  { "10M", "10M/level_200/expert" },        { "25M", "25M/level_200/expert" },
  { "level_1_E", "100k/level_1/expert" },   { "level_1_S", "100k/level_1/suboptimal" },
  { "level_40_E", "100k/level_40/expert" }, { "level_40_S", "100k/level_40/suboptimal" },
};

/* ---- the arrays of a trajectory ---- */

enum
{
  OTHER,  /* a row a step, as it is */
  FRAMES, /* a row more than steps; uint8, whatever they are */
  DONE,   /* bools, a column */
};

static const ReelRawName known[] = {
  { "observations", "observation", FRAMES },
  { "actions", "action", OTHER },
  { "rewards", "next/reward", OTHER },
  { "dones", "next/done", DONE },
  { NULL },
};

/* Beside those of the arrays: next/terminated is next/done, the others are false. */
static const char *const flags[] = { "next/terminated", "next/truncated", "done", "terminated",
                                     "truncated" };

typedef struct
{
  guint8 *bytes; /* of the member, with the elements of all arrays */
  ReelPickleItem *tree;
  GArray *arrays;  /* of ReelArrayInfo */
  GPtrArray *data; /* the elements of each */
  gint64 length;
} Trajectory;

static void
clear_trajectory (Trajectory *self)
{
  g_clear_pointer (&self->tree, reel_pickle_item_unref);
  g_clear_pointer (&self->arrays, g_array_unref);
  g_clear_pointer (&self->data, g_ptr_array_unref);
  g_clear_pointer (&self->bytes, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Trajectory, clear_trajectory)

/* ---- a member of the archive ---- */

static gboolean
fail (const char *what, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_DAMAGED, what);
  return FALSE;
}

/* numpy.save() of an object: a header, then a pickle of an array of that one object. */
static gboolean
find_pickle (const guint8 *bytes, gsize length, gsize *at, GError **error)
{
  g_autoptr (ReelMemory) memory =
      reel_memory_new_wrapped (REEL_MEMORY_HEAP, (gpointer) bytes, length, NULL, NULL);
  g_autoptr (ReelByteStream) stream = reel_byte_stream_new (memory);
  ReelArrayInfo array;
  gboolean is_object;

  if (!reel_npy_read_header (stream, &array, &is_object, error))
    return FALSE;
  if (!is_object || array.ndim != 0)
    return fail ("it is an array of numbers; a pickled dict of arrays is expected", error);
  *at = length - (gsize) reel_byte_stream_get_most (stream);
  return TRUE;
}

static gboolean
add_array (Trajectory *self, const char *key, const ReelPickleItem *value, GError **error)
{
  const guint8 *data = NULL;
  const ReelArrayInfo *array = reel_pickle_get_array (value, &data);

  if (!key)
    return fail ("the dict has a key besides strings", error);
  if (!array || array->ndim < 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                   "\"%s\" is another value than an array of rows", key);
      return FALSE;
    }
  ReelArrayInfo info = *array;
  info.name = g_strdup (key);
  g_array_append_val (self->arrays, info);
  g_ptr_array_add (self->data, (gpointer) data);
  return TRUE;
}

static gboolean
read_arrays (Trajectory *self, GError **error)
{
  const ReelPickleItem *dict =
      reel_pickle_is_list (self->tree) && reel_pickle_count (self->tree) == 1
          ? reel_pickle_get (self->tree, 0)
          : NULL;

  self->arrays = reel_array_infos_new ();
  self->data = g_ptr_array_new ();
  if (!dict || !reel_pickle_is_dict (dict))
    return fail ("it contains no dict of arrays", error);
  for (guint i = 0; i < reel_pickle_count (dict); i++)
    if (!add_array (self, reel_pickle_get_key (dict, i), reel_pickle_get (dict, i), error))
      return FALSE;
  return TRUE;
}

static gboolean
check_array (const Trajectory *self, const ReelArrayInfo *array, const ReelArrayInfo *dones,
             GError **error)
{
  int use;

  g_free (reel_raw_find_key (known, array->name, &use));
  return reel_raw_check_rows (array, self->length + (use == FRAMES), dones, error)
         && (use != DONE || reel_raw_check_column (array, error));
}

static gboolean
check_arrays (Trajectory *self, GError **error)
{
  const ReelArrayInfo *dones = reel_raw_require (self->arrays, "dones", error);

  for (gsize i = 0; dones && known[i].name; i++)
    if (!reel_raw_require (self->arrays, known[i].name, error))
      return FALSE;
  if (!dones)
    return FALSE;
  self->length = dones->shape[0];
  for (guint i = 0; i < self->arrays->len; i++)
    if (!check_array (self, &g_array_index (self->arrays, ReelArrayInfo, i), dones, error))
      return FALSE;
  return TRUE;
}

static gboolean
read_trajectory (Trajectory *self, ReelTar *tar, GError **error)
{
  gsize length, at;

  self->bytes = reel_tar_read (tar, &length, error);
  return self->bytes && find_pickle (self->bytes, length, &at, error)
         && (self->tree = reel_pickle_read_tree (self->bytes + at, length - at, error))
         && read_arrays (self, error) && check_arrays (self, error);
}

/* ---- leaves ---- */

typedef struct
{
  ReelGrowingLeaves *leaves;
  GArray *first; /* of ReelArrayInfo: the arrays of the first trajectory */
  gint64 n, most;
} Import;

static gboolean
add_leaf (ReelTensordict *outline, const ReelArrayInfo *array, GError **error)
{
  const gint64 one = 1;
  int use;
  g_autofree char *key = reel_raw_find_key (known, array->name, &use);

  if (use == DONE)
    return reel_leaves_add (outline, key, REEL_DTYPE_BOOL, 1, &one, error);
  if (use == OTHER)
    return reel_leaves_add (outline, key, (ReelDtype) array->dtype, array->ndim - 1,
                            array->shape + 1, error);
  return reel_leaves_add (outline, key, REEL_DTYPE_UINT8, array->ndim - 1, array->shape + 1, error)
         && reel_leaves_add (outline, "next/observation", REEL_DTYPE_UINT8, array->ndim - 1,
                             array->shape + 1, error);
}

static gboolean
make_leaves (Import *self, const Trajectory *first, const char *directory, GError **error)
{
  const gint64 one = 1;
  g_autoptr (ReelTensordict) outline = reel_tensordict_new (1, &one);

  for (guint i = 0; i < first->arrays->len; i++)
    if (!add_leaf (outline, &g_array_index (first->arrays, ReelArrayInfo, i), error))
      return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    if (!reel_leaves_add (outline, flags[i], REEL_DTYPE_BOOL, 1, &one, error))
      return FALSE;
  self->first = g_array_ref (first->arrays);
  self->leaves = reel_growing_leaves_new (outline, directory, error);
  return self->leaves != NULL;
}

/* Rows of another type are converted, but for complex ones. */
static gboolean
check_alike (const ReelArrayInfo *array, const ReelArrayInfo *like, GError **error)
{
  ReelArrayInfo of_type = *array;

  if (!reel_dtype_is_complex ((ReelDtype) array->dtype)
      && !reel_dtype_is_complex ((ReelDtype) like->dtype))
    of_type.dtype = like->dtype;
  return reel_raw_check_alike (&of_type, like, error);
}

static gboolean
check_is_like_first (const Import *self, const Trajectory *trajectory, GError **error)
{
  for (guint i = 0; i < self->first->len; i++)
    {
      const ReelArrayInfo *like = &g_array_index (self->first, ReelArrayInfo, i);
      const ReelArrayInfo *array = reel_raw_require (trajectory->arrays, like->name, error);

      if (!array || !check_alike (array, like, error))
        return FALSE;
    }
  if (trajectory->arrays->len == self->first->len)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "it has %u arrays; %u are expected, as in the first trajectory",
               trajectory->arrays->len, self->first->len);
  return FALSE;
}

/* ---- rows ---- */

static gboolean
append_array (const Import *self, const ReelArrayInfo *array, const guint8 *data, gint64 n,
              GError **error)
{
  const ReelDtype dtype = (ReelDtype) array->dtype;
  int use;
  g_autofree char *key = reel_raw_find_key (known, array->name, &use);
  gsize row_bytes = reel_dtype_size (dtype);

  for (gint d = 1; d < array->ndim; d++)
    row_bytes *= (gsize) array->shape[d];
  return reel_growing_leaves_append (self->leaves, key, dtype, n, data, error)
         && (use != DONE
             || reel_growing_leaves_append (self->leaves, "next/terminated", dtype, n, data, error))
         && (use != FRAMES
             || reel_growing_leaves_append (self->leaves, "next/observation", dtype, n,
                                            data + row_bytes, error));
}

/* As many rows as there is room for. */
static gboolean
append (Import *self, const Trajectory *trajectory, GError **error)
{
  gint64 n = MIN (trajectory->length, self->most - self->n);

  for (guint i = 0; i < trajectory->arrays->len; i++)
    if (!append_array (self, &g_array_index (trajectory->arrays, ReelArrayInfo, i),
                       trajectory->data->pdata[i], n, error))
      return FALSE;
  for (gsize i = 1; i < G_N_ELEMENTS (flags); i++)
    if (!reel_growing_leaves_append_zeros (self->leaves, flags[i], n, error))
      return FALSE;
  self->n += n;
  return TRUE;
}

static gboolean
take_member (Import *self, ReelTar *tar, const char *directory, GError **error)
{
  g_auto (Trajectory) trajectory = { 0 };

  if (!read_trajectory (&trajectory, tar, error)
      || (!self->leaves && !make_leaves (self, &trajectory, directory, error)))
    return FALSE;
  return check_is_like_first (self, &trajectory, error) && append (self, &trajectory, error);
}

static gboolean
take_members (Import *self, ReelByteStream *stream, const char *path, const char *directory,
              GError **error)
{
  g_autoptr (ReelTar) tar = reel_tar_new (stream);
  const char *name = "";

  while (self->n < self->most)
    {
      if (!reel_tar_next (tar, &name, error))
        {
          g_prefix_error (error, "%s: ", path);
          return FALSE;
        }
      if (!name)
        return TRUE;
      if (!take_member (self, tar, directory, error))
        {
          g_autofree char *shown = g_utf8_make_valid (name, -1);
          g_prefix_error (error, "%s: %s: ", path, shown);
          return FALSE;
        }
    }
  return TRUE;
}

/* Rows that the archive does not have are zeros, where their number was said. */
static gboolean
append_rest (const Import *self, gint64 n, GError **error)
{
  for (guint i = 0; i < self->first->len; i++)
    {
      int use;
      g_autofree char *key =
          reel_raw_find_key (known, g_array_index (self->first, ReelArrayInfo, i).name, &use);

      if (!reel_growing_leaves_append_zeros (self->leaves, key, n, error))
        return FALSE;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    if (!reel_growing_leaves_append_zeros (self->leaves, flags[i], n, error))
      return FALSE;
  return reel_growing_leaves_append_zeros (self->leaves, "next/observation", n, error);
}

static gboolean
end (Import *self, gint64 rows, const char *path, GError **error)
{
  if (self->n == 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: it has no steps", path);
      return FALSE;
    }
  if (self->n < rows && !append_rest (self, rows - self->n, error))
    return FALSE;
  return reel_growing_leaves_end (self->leaves, MAX (self->n, rows), error);
}

/* ---- the class ---- */

/* The path of an archive without its suffix. */
static char *
find_name (const char *id)
{
  const char *dash = strchr (id, '-');

  for (gsize i = 0; dash && i < G_N_ELEMENTS (categories); i++)
    if (g_str_equal (categories[i].name, dash + 1))
      return g_strdup_printf (BASE "%s/%.*s", categories[i].path, (int) (dash - id), id);
  g_return_val_if_reached (NULL);
}

/* A mirror may begin at any directory of the publisher's. */
static char *
find_archive (const char *from, const char *id, GError **error)
{
  g_autofree char *name = find_name (id);
  g_autofree char *packed = g_strconcat (name, PACKED, NULL);
  g_autofree char *plain = g_strconcat (name, PLAIN, NULL);
  const gsize base = strlen (BASE);

  return reel_source_find (
      from, (const char *[]){ packed + base, plain + base, packed, plain, NULL }, error);
}

static ReelByteStream *
open_archive (const char *path, GError **error)
{
  g_autoptr (ReelMemory) file = reel_source_map (path, error);
  ReelByteStream *stream;

  if (!file || !g_str_has_suffix (path, PACKED))
    return file ? reel_byte_stream_new (file) : NULL;
  stream = reel_byte_stream_new_xz (file, error);
  if (!stream)
    g_prefix_error (error, "%s: ", path);
  return stream;
}

static gboolean
import (ReelDataset *dataset, const char *from, const char *directory, GError **error)
{
  const gint64 rows = REEL_GENDGRL_DATASET (dataset)->rows;
  g_autofree char *path = find_archive (from, reel_dataset_get_dataset_id (dataset), error);
  g_autoptr (ReelByteStream) stream = path ? open_archive (path, error) : NULL;
  Import self = { .most = rows > 0 ? rows : G_MAXINT64 };
  gboolean done = stream && take_members (&self, stream, path, directory, error)
                  && end (&self, rows, path, error);

  reel_growing_leaves_free (self.leaves);
  g_clear_pointer (&self.first, g_array_unref);
  return done;
}

static char **
list (const char *from, GError **error)
{
  g_autoptr (GStrvBuilder) ids = g_strv_builder_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (games); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (categories); k++)
      {
        g_autofree char *id = g_strconcat (games[i], "-", categories[k].name, NULL);

        g_strv_builder_add (ids, id);
      }
  return g_strv_builder_end (ids);
}

static void
reel_gendgrl_dataset_class_init (ReelGendgrlDatasetClass *klass)
{
  static const ReelId ids[] = {
    { "gen_dgrl", NULL, "GenDGRL: the 16 games of Procgen as agents saw them (tar, xz, pickles)" },
    { "gendgrl", NULL, "GenDGRL, written as one word" },
    { "GenDGRLExperienceReplay", NULL, "GenDGRL, by TorchRL's name" },
    { NULL },
  };
  ReelDatasetClass *dataset_class = REEL_DATASET_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  dataset_class->folder = "gen_dgrl";
  dataset_class->list = list;
  dataset_class->import = import;
  reel_object_class_add_int64 (
      REEL_OBJECT_CLASS (klass), "rows", G_STRUCT_OFFSET (ReelGendgrlDataset, rows), 0, G_MAXINT64,
      0, "rows", "exactly so many, with zeros behind those of the archive; 0 for all steps",
      REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_gendgrl_dataset_init (ReelGendgrlDataset *self)
{
}
