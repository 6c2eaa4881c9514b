/* V-D4RL: what agents of DeepMind's control suite saw, as images: an archive of NumPy for each
 * episode, or HDF5 files of several. The result is that of TorchRL's VD4RLExperienceReplay; where
 * that is wrong, docs/differences-from-torchrl.md says so. */
#include "dataset.h"
#include "raw-groups.h"
#include "source-files.h"

#include "../core/object/error.h"
#include "../core/system/directories.h"

#include <string.h>

#define FOLDER "vd4rl"
#define DONE "next/done"
#define TERMINATED "next/terminated"
#define TRUNCATED "next/truncated"

struct _ReelVd4rlDataset
{
  ReelDataset parent_instance;
  gboolean totensor;
  gint64 image_size;
  gboolean realign;
};

G_DECLARE_FINAL_TYPE (ReelVd4rlDataset, reel_vd4rl_dataset, REEL, VD4RL_DATASET, ReelDataset)
G_DEFINE_FINAL_TYPE (ReelVd4rlDataset, reel_vd4rl_dataset, REEL_TYPE_DATASET)

static const char *const datasets[] = {
  "distracting/walker_walk_random/64px/easy",
  "distracting/walker_walk_random/64px/hard",
  "distracting/walker_walk_random/64px/medium",
  "main/cheetah_run/expert/64px",
  "main/cheetah_run/medium/64px",
  "main/cheetah_run/medium_expert/64px",
  "main/cheetah_run/medium_replay/64px",
  "main/cheetah_run/random/64px",
  "main/humanoid_walk/expert/64px",
  "main/humanoid_walk/medium/64px",
  "main/humanoid_walk/medium_expert/64px",
  "main/humanoid_walk/medium_replay/64px",
  "main/humanoid_walk/random/64px",
  "main/walker_walk/expert/64px",
  "main/walker_walk/medium/64px",
  "main/walker_walk/medium_expert/64px",
  "main/walker_walk/medium_replay/64px",
  "main/walker_walk/random/64px",
  "multitask/cheetah_run_random/64px",
  "multitask/walker_walk_random/64px",
  NULL,
};

/* ---- files ---- */

static gboolean
is_raw (const char *name)
{
  return g_str_has_suffix (name, ".npz") || g_str_has_suffix (name, ".hdf5");
}

static gboolean add_files (GPtrArray *paths, const char *directory, GError **error);

static gboolean
add_file (GPtrArray *paths, const char *path, GError **error)
{
  ReelPathKind kind;

  if (!reel_path_query (path, &kind, NULL, error))
    return FALSE;
  if (kind == REEL_PATH_DIRECTORY)
    return add_files (paths, path, error);
  if (is_raw (path))
    g_ptr_array_add (paths, g_strdup (path));
  return TRUE;
}

/* In the order of their paths, those in directories below too. */
static gboolean
add_files (GPtrArray *paths, const char *directory, GError **error)
{
  g_auto (GStrv) names = reel_directory_list (directory, error);

  for (gsize i = 0; names && names[i]; i++)
    {
      g_autofree char *path = g_build_filename (directory, names[i], NULL);

      if (!add_file (paths, path, error))
        return FALSE;
    }
  return names != NULL;
}

static GPtrArray *
open_files (const char *directory, GError **error)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) files =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_raw_file_free);

  if (!add_files (paths, directory, error))
    return NULL;
  for (guint i = 0; i < paths->len; i++)
    {
      ReelRawFile *file = reel_raw_file_open (g_strdup (paths->pdata[i]), error);

      if (!file)
        return NULL;
      g_ptr_array_add (files, file);
    }
  if (files->len > 0)
    return g_steal_pointer (&files);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "there is no .npz or .hdf5 file in %s",
               directory);
  return NULL;
}

/* ---- the arrays of a file ---- */

/* The use of an array. */
enum
{
  STATE, /* a row an image; of arrays that the format does not define, too */
  STEP,
  INIT, /* bools, a row an image */
  REWARD,
  FLAG, /* bools, a row a step */
};

static const ReelRawName known[] = {
  { "image", "pixels", STATE },
  { "observation", "pixels", STATE },
  { "action", "action", STEP },
  { "discount", "discount", STEP },
  { "is_first", "is_init", INIT },
  { "reward", "next/reward", REWARD },
  { "is_last", DONE, FLAG },
  { "is_terminal", TERMINATED, FLAG },
  { NULL },
};

static char *
find_key (const ReelArrayInfo *array, int *use)
{
  g_autofree char *key = reel_raw_find_key (known, array->name, use);

  for (gsize i = 0; known[i].name; i++)
    if (g_str_equal (known[i].name, array->name))
      return g_steal_pointer (&key);
  *use = STATE;
  return g_strconcat ("state/", key, NULL);
}

static const ReelArrayInfo *
find_images (const ReelRawFile *file, GError **error)
{
  const ReelArrayInfo *images = reel_raw_find (file->arrays, "observation");

  if (!images)
    images = reel_raw_require (file->arrays, "image", error);
  if (!images || !reel_raw_require (file->arrays, "action", error))
    return NULL;
  if (images->ndim == 4 && images->dtype >= 0 && !reel_dtype_is_complex ((ReelDtype) images->dtype))
    return images;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "\"%s\" has %d dimensions of %s; 4 of real numbers are expected: rows, and those of "
               "an image",
               images->name, images->ndim,
               images->dtype < 0 ? "text" : reel_dtype_name ((ReelDtype) images->dtype));
  return NULL;
}

static gboolean
check_episode (const ReelRawFile *file, ReelRawGroup *self, const ReelRawGroup *first,
               GError **error)
{
  const ReelArrayInfo *images = find_images (file, error);

  if (!images)
    return FALSE;
  self->length = images->ndim ? images->shape[0] : 0;
  for (guint i = 0; i < self->n_arrays; i++)
    {
      int use;

      g_free (find_key (&self->arrays[i], &use));
      if (!reel_raw_check_rows (&self->arrays[i], self->length, images, error)
          || (use >= INIT && !reel_raw_check_column (&self->arrays[i], error)))
        return FALSE;
    }
  return self->length == 0 || reel_raw_group_check_alike (self, first, TRUE, error);
}

/* A file without rows is left out, as one with a single row where that has no step. */
static GArray *
find_episodes (const GPtrArray *files, gint64 n_fewer, GError **error)
{
  g_autoptr (GArray) episodes = g_array_new (FALSE, FALSE, sizeof (ReelRawGroup));

  for (guint i = 0; i < files->len; i++)
    {
      const ReelRawFile *file = files->pdata[i];
      const ReelArrayInfo *arrays = (const ReelArrayInfo *) (gpointer) file->arrays->data;
      ReelRawGroup self = { .arrays = arrays, .n_arrays = file->arrays->len, .file = i };
      ReelRawGroup *first = episodes->len ? &g_array_index (episodes, ReelRawGroup, 0) : &self;

      if (!check_episode (file, &self, first, error))
        {
          g_prefix_error (error, "%s: ", file->path);
          return NULL;
        }
      self.length -= n_fewer;
      if (self.length > 0)
        g_array_append_val (episodes, self);
    }
  return g_steal_pointer (&episodes);
}

/* Gives each its rows, and the number of all, −1 where there are none. */
static gint64
place_episodes (GArray *episodes, const char *directory, GError **error)
{
  gint64 n = 0;

  for (guint i = 0; i < episodes->len; i++)
    {
      g_array_index (episodes, ReelRawGroup, i).at = n;
      n += g_array_index (episodes, ReelRawGroup, i).length;
    }
  if (n > 0)
    return n;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: its files have no rows", directory);
  return -1;
}

/* ---- leaves ---- */

static gboolean
add_leaf (ReelTensordict *outline, const ReelArrayInfo *array, GError **error)
{
  const gint64 one = 1;
  int use;
  g_autofree char *key = find_key (array, &use), *next = g_strconcat ("next/", key, NULL);
  const ReelDtype dtype = (ReelDtype) array->dtype;

  if (use == INIT)
    return reel_leaves_add (outline, key, REEL_DTYPE_BOOL, array->ndim - 1, array->shape + 1,
                            error);
  if (use >= REWARD)
    return reel_leaves_add (outline, key, use == FLAG ? REEL_DTYPE_BOOL : dtype, 1, &one, error);
  return reel_leaves_add (outline, key, dtype, array->ndim - 1, array->shape + 1, error)
         && (use == STEP
             || reel_leaves_add (outline, next, dtype, array->ndim - 1, array->shape + 1, error));
}

static gboolean
has_ends (const ReelTensordict *outline)
{
  return reel_tensordict_contains (outline, DONE) && reel_tensordict_contains (outline, TERMINATED);
}

static gboolean
add_flags (ReelTensordict *outline, GError **error)
{
  static const char *const flags[] = { TRUNCATED, "done", "terminated", "truncated" };
  const gint64 one = 1;

  for (gsize i = 0; has_ends (outline) && i < G_N_ELEMENTS (flags); i++)
    if (!reel_leaves_add (outline, flags[i], REEL_DTYPE_BOOL, 1, &one, error))
      return FALSE;
  return TRUE;
}

static ReelTensordict *
make_leaves (const ReelRawGroup *first, gint64 n, const char *directory, GError **error)
{
  g_autoptr (ReelTensordict) outline = reel_tensordict_new (1, &n);

  for (guint i = 0; i < first->n_arrays; i++)
    if (!add_leaf (outline, &first->arrays[i], error))
      return NULL;
  return add_flags (outline, error) ? reel_leaves_make (outline, directory, error) : NULL;
}

/* ---- rows ---- */

/* In the files, the action of a row led to its image. As TorchRL has it, a row stays a row, and the
 * last has no next one, which is 0; realigned, a row has its image and what follows it. */
static ReelRowSource
route (const ReelRawGroup *episode, guint i, gboolean realign, const ReelTensordict *data)
{
  ReelRowSource source = reel_raw_source (&episode->arrays[i]);
  const gint64 n = episode->length, at = episode->at;
  int use;
  g_autofree char *key = find_key (&episode->arrays[i], &use);
  g_autofree char *next = g_strconcat ("next/", key, NULL);

  if (use == STATE)
    reel_row_source_add (&source, data, next, 1, realign ? n : n - 1, at);
  reel_row_source_add (&source, data, key, realign && use != STATE && use != INIT, n, at);
  return source;
}

static gboolean
read_episode (const ReelRawFile *file, const ReelRawGroup *episode, gboolean realign,
              const ReelTensordict *data, GError **error)
{
  g_autofree const ReelArrayInfo **arrays = g_new (const ReelArrayInfo *, episode->n_arrays);
  g_autofree ReelRowSource *sources = g_new (ReelRowSource, episode->n_arrays);

  for (guint i = 0; i < episode->n_arrays; i++)
    {
      arrays[i] = &episode->arrays[i];
      sources[i] = route (episode, i, realign, data);
    }
  return reel_raw_file_read (file, arrays, sources, episode->n_arrays, error);
}

/* An episode that ends without being terminated is truncated. */
static void
write_truncated (const ReelTensordict *data)
{
  const ReelTensor *done = reel_tensordict_get_tensor (data, DONE, NULL);
  const ReelTensor *terminated = reel_tensordict_get_tensor (data, TERMINATED, NULL);
  guint8 *to = reel_tensordict_get_tensor (data, TRUNCATED, NULL)->data;

  for (gint64 i = 0; i < done->shape[0]; i++)
    to[i] = done->data[i] && !terminated->data[i];
}

/* ---- the class ---- */

static gboolean
import (ReelDataset *dataset, const char *from, const char *directory, GError **error)
{
  const gboolean realign = REEL_VD4RL_DATASET (dataset)->realign;
  const char *id = reel_dataset_get_dataset_id (dataset);
  g_autofree char *whole = g_strconcat (FOLDER "/", id, NULL);
  g_autofree char *raw = reel_source_find (from, (const char *[]){ whole, id, NULL }, error);
  g_autoptr (GPtrArray) files = raw ? open_files (raw, error) : NULL;
  g_autoptr (GArray) episodes = files ? find_episodes (files, realign, error) : NULL;
  gint64 n = episodes ? place_episodes (episodes, raw, error) : -1;
  g_autoptr (ReelTensordict) data =
      n < 0 ? NULL : make_leaves (&g_array_index (episodes, ReelRawGroup, 0), n, directory, error);

  for (guint i = 0; data && i < episodes->len; i++)
    {
      const ReelRawGroup *episode = &g_array_index (episodes, ReelRawGroup, i);

      if (!read_episode (files->pdata[episode->file], episode, realign, data, error))
        return FALSE;
    }
  if (data && has_ends (data))
    write_truncated (data);
  return data != NULL;
}

/* Empty text changes nothing. */
static char *
dup_transform (ReelDataset *dataset)
{
  const ReelVd4rlDataset *self = REEL_VD4RL_DATASET (dataset);
  const char *scale = "to-tensor-image:in-keys=[pixels,next/pixels],shape-tolerant=true";
  g_autofree char *resize =
      g_strdup_printf ("resize:in-keys=[pixels,next/pixels],w=%" G_GINT64_FORMAT, self->image_size);

  if (self->totensor && self->image_size > 0)
    return g_strconcat (scale, "|", resize, NULL);
  return self->totensor         ? g_strdup (scale)
         : self->image_size > 0 ? g_steal_pointer (&resize)
                                : NULL;
}

static char **
list (const char *from, GError **error)
{
  return reel_source_select (from, datasets, "vd4rl/", error);
}

static void
add_properties (ReelObjectClass *klass)
{
  reel_object_class_add_bool (klass, "totensor", G_STRUCT_OFFSET (ReelVd4rlDataset, totensor), TRUE,
                              "whether images are read as float32 from 0 to 1, channels first",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (
      klass, "image-size", G_STRUCT_OFFSET (ReelVd4rlDataset, image_size), 0, 4096, 0, "pixels",
      "width and height of images that are read, 0 for their own", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (klass, "realign", G_STRUCT_OFFSET (ReelVd4rlDataset, realign), FALSE,
                              "a row for each step: its action follows its image",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_vd4rl_dataset_class_init (ReelVd4rlDatasetClass *klass)
{
  static const ReelId ids[] = {
    { "vd4rl", NULL, "V-D4RL: control tasks seen as images (NumPy, HDF5)" },
    { "VD4RLExperienceReplay", NULL, "V-D4RL, by TorchRL's name" },
    { NULL },
  };
  ReelDatasetClass *dataset_class = REEL_DATASET_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  dataset_class->folder = "vd4rl";
  dataset_class->any_id = TRUE;
  dataset_class->list = list;
  dataset_class->import = import;
  dataset_class->dup_transform = dup_transform;
  add_properties (REEL_OBJECT_CLASS (klass));
}

static void
reel_vd4rl_dataset_init (ReelVd4rlDataset *self)
{
}
