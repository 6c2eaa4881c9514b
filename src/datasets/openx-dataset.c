/* Open X-Embodiment: what robots of 55 laboratories saw and did; an episode is a pickle in a tar
 * archive, as Hugging Face distributes them, or a record of TensorFlow, as their authors do. The
 * result is that of TorchRL's OpenXExperienceReplay; where that is wrong,
 * docs/differences-from-torchrl.md says so. */
#include "dataset.h"
#include "dataset-leaves.h"
#include "growing-leaves.h"
#include "openx-steps.h"
#include "raw-arrays.h"
#include "source-files.h"

#include "../core/formats/tar.h"
#include "../core/formats/tf-record.h"
#include "../core/image/image.h"
#include "../core/object/error.h"
#include "../core/system/directories.h"
#include "../core/system/files.h"

#include <string.h>

#define PICKLE ".pickle"
#define FEATURES "features.json"
#define MOST_FEATURES ((gsize) 16 << 20) /* bytes of that file */
#define CONVERTED "_converted_externally_to_rlds"

#define DONE "next/done"
#define TERMINATED "next/terminated"
#define TRUNCATED "next/truncated"
#define EPISODE "episode"

struct _ReelOpenxDataset
{
  ReelDataset parent_instance;
  char *split;
};

G_DECLARE_FINAL_TYPE (ReelOpenxDataset, reel_openx_dataset, REEL, OPENX_DATASET, ReelDataset)
G_DEFINE_FINAL_TYPE (ReelOpenxDataset, reel_openx_dataset, REEL_TYPE_DATASET)

static const char *const datasets[] = {
  "asu_table_top" CONVERTED,
  "austin_buds_dataset" CONVERTED,
  "austin_sailor_dataset" CONVERTED,
  "austin_sirius_dataset" CONVERTED,
  "bc_z",
  "berkeley_autolab_ur5",
  "berkeley_cable_routing",
  "berkeley_fanuc_manipulation",
  "berkeley_gnm_cory_hall",
  "berkeley_gnm_recon",
  "berkeley_gnm_sac_son",
  "berkeley_mvp" CONVERTED,
  "berkeley_rpt" CONVERTED,
  "bridge",
  "cmu_franka_exploration_dataset" CONVERTED,
  "cmu_play_fusion",
  "cmu_playing_with_food",
  "cmu_stretch",
  "columbia_cairlab_pusht_real",
  "dlr_edan_shared_control" CONVERTED,
  "dlr_sara_grid_clamp" CONVERTED,
  "dlr_sara_pour" CONVERTED,
  "eth_agent_affordances",
  "fractal20220817_data",
  "furniture_bench_dataset" CONVERTED,
  "iamlab_cmu_pickup_insert" CONVERTED,
  "imperialcollege_sawyer_wrist_cam",
  "jaco_play",
  "kaist_nonprehensile" CONVERTED,
  "kuka",
  "language_table",
  "maniskill_dataset" CONVERTED,
  "nyu_door_opening_surprising_effectiveness",
  "nyu_franka_play_dataset" CONVERTED,
  "nyu_rot_dataset" CONVERTED,
  "robo_net",
  "roboturk",
  "stanford_hydra_dataset" CONVERTED,
  "stanford_kuka_multimodal_dataset" CONVERTED,
  "stanford_mask_vit" CONVERTED,
  "stanford_robocook" CONVERTED,
  "taco_play",
  "tokyo_u_lsmo" CONVERTED,
  "toto",
  "ucsd_kitchen_dataset" CONVERTED,
  "ucsd_pick_and_place_dataset" CONVERTED,
  "uiuc_d3field",
  "usc_cloth_sim" CONVERTED,
  "utaustin_mutex",
  "utokyo_pr2_opening_fridge" CONVERTED,
  "utokyo_pr2_tabletop_manipulation" CONVERTED,
  "utokyo_saytap" CONVERTED,
  "utokyo_xarm_bimanual" CONVERTED,
  "utokyo_xarm_pick_and_place" CONVERTED,
  "viola",
  NULL,
};

/* ---- the columns of a step ---- */

enum
{
  STEP,   /* a row a step, as it is */
  STATE,  /* the same, with the row after below `next` */
  INIT,   /* bools */
  COLUMN, /* with a dimension of 1 more */
  FLAG,   /* the same, of bools */
};

static const ReelRawName known[] = {
  { "observation", "observation", STATE }, { "is_first", "is_init", INIT },
  { "reward", "next/reward", COLUMN },     { "is_last", DONE, FLAG },
  { "is_terminal", TERMINATED, FLAG },     { NULL },
};

/* Beside those of the columns, all false but the first. */
static const char *const flags[] = { TRUNCATED, "done", "terminated", "truncated" };

static char *
dup_next (const char *key)
{
  return g_strconcat ("next/", key, NULL);
}

static gboolean
fail (const char *name, const char *what, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "\"%s\" %s", name, what);
  return FALSE;
}

static gboolean
check_column (const ReelOpenxColumn *column, GError **error)
{
  int use;

  g_free (reel_raw_find_key (known, column->info.name, &use));
  if (use < INIT)
    return TRUE;
  if (column->kind == REEL_OPENX_ELEMENTS)
    return reel_raw_check_column (&column->info, error);
  return fail (column->info.name, "is text or an image; a number a step is expected", error);
}

static gboolean
has_observation (const ReelOpenxSteps *steps)
{
  for (guint i = 0; i < steps->columns->len; i++)
    {
      const ReelOpenxColumn *column = steps->columns->pdata[i];
      int use;

      g_free (reel_raw_find_key (known, column->info.name, &use));
      if (use == STATE)
        return TRUE;
    }
  return FALSE;
}

static gboolean
check_steps (const ReelOpenxSteps *steps, GError **error)
{
  if (steps->n == 0)
    return fail ("steps", "is empty", error);
  if (!has_observation (steps))
    return fail ("observation", "is missing", error);
  for (gsize i = 1; known[i].name; i++)
    if (!reel_openx_steps_find (steps, known[i].name))
      return fail (known[i].name, "is missing", error);
  for (guint i = 0; i < steps->columns->len; i++)
    if (!check_column (steps->columns->pdata[i], error))
      return FALSE;
  return TRUE;
}

/* ---- images ---- */

/* Channels come first. */
static ReelTensor *
put_channels_first (const ReelTensor *image, GError **error)
{
  const gint64 height = image->shape[0], width = image->shape[1];
  const gint64 shape[] = { 3, height, width };
  ReelTensor *planes = reel_tensor_new (REEL_DTYPE_UINT8, 3, shape, error);

  for (gint64 c = 0; planes && c < 3; c++)
    for (gint64 i = 0; i < height * width; i++)
      planes->data[c * height * width + i] = image->data[3 * i + c];
  return planes;
}

static ReelTensor *
decode (const ReelOpenxColumn *column, gint64 i, GError **error)
{
  const ReelTfBytes *file = &g_array_index (column->images, ReelTfBytes, i);
  const gboolean is_jpeg = file->length >= 2 && file->data[0] == 0xff && file->data[1] == 0xd8;
  g_autofree char *name =
      g_strdup_printf ("step %" G_GINT64_FORMAT ": \"%s\"", i, column->info.name);
  g_autoptr (ReelTensor) image = (is_jpeg ? reel_image_decode_jpeg : reel_image_decode_png) (
      file->data, file->length, name, error);

  return image ? put_channels_first (image, error) : NULL;
}

/* ---- leaves ---- */

typedef struct
{
  ReelGrowingLeaves *leaves;
  GHashTable *names; /* of the columns of the first episode */
  gint64 n;
  gint32 n_episodes;
} Import;

static gboolean
add_state (ReelTensordict *outline, const char *key, gboolean with_next, ReelDtype dtype, gint ndim,
           const gint64 *shape, GError **error)
{
  g_autofree char *next = dup_next (key);

  return reel_leaves_add (outline, key, dtype, ndim, shape, error)
         && (!with_next || reel_leaves_add (outline, next, dtype, ndim, shape, error));
}

static gboolean
add_image_leaf (ReelTensordict *outline, const ReelOpenxColumn *column, const char *key,
                gboolean with_next, GError **error)
{
  g_autoptr (ReelTensor) image = decode (column, 0, error);

  return image
         && add_state (outline, key, with_next, image->dtype, image->ndim, image->shape, error);
}

static gboolean
add_leaf (ReelTensordict *outline, const ReelOpenxColumn *column, GError **error)
{
  const ReelDtype dtype = (ReelDtype) column->info.dtype;
  const gint ndim = column->info.ndim - 1;
  const gint64 *shape = column->info.shape + 1, one = 1;
  int use;
  g_autofree char *key = reel_raw_find_key (known, column->info.name, &use);

  if (column->kind == REEL_OPENX_TEXT)
    return TRUE;
  if (column->kind == REEL_OPENX_IMAGE)
    return add_image_leaf (outline, column, key, use == STATE, error);
  if (use < INIT)
    return add_state (outline, key, use == STATE, dtype, ndim, shape, error);
  return use == INIT ? reel_leaves_add (outline, key, REEL_DTYPE_BOOL, 0, NULL, error)
                     : reel_leaves_add (outline, key, use == FLAG ? REEL_DTYPE_BOOL : dtype, 1,
                                        &one, error);
}

static gboolean
make_leaves (Import *self, const ReelOpenxSteps *first, const char *directory, GError **error)
{
  const gint64 one = 1;
  g_autoptr (ReelTensordict) outline = reel_tensordict_new (1, &one);

  for (guint i = 0; i < first->columns->len; i++)
    {
      const ReelOpenxColumn *column = first->columns->pdata[i];

      if (!add_leaf (outline, column, error))
        return FALSE;
      g_hash_table_add (self->names, g_strdup (column->info.name));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    if (!reel_leaves_add (outline, flags[i], REEL_DTYPE_BOOL, 1, &one, error))
      return FALSE;
  if (!reel_leaves_add (outline, EPISODE, REEL_DTYPE_INT32, 0, NULL, error))
    return FALSE;
  self->leaves = reel_growing_leaves_new (outline, directory, error);
  return self->leaves != NULL;
}

/* ---- rows ---- */

static gboolean
append_text (Import *self, const ReelOpenxColumn *column, const char *key, gboolean with_next,
             GError **error)
{
  g_autofree char *next = dup_next (key);
  const guint n = column->texts->len;

  if (reel_growing_leaves_get (self->leaves, key))
    return fail (column->info.name, "is text; numbers are expected, as in the first episode",
                 error);
  for (guint i = 0; i < n; i++)
    {
      reel_growing_leaves_append_text (self->leaves, key, column->texts->pdata[i]);
      if (with_next)
        reel_growing_leaves_append_text (self->leaves, next,
                                         i + 1 < n ? column->texts->pdata[i + 1] : "");
    }
  return TRUE;
}

static gboolean
check_shape (const Import *self, const char *name, const char *key, gboolean is_column,
             ReelDtype dtype, gint ndim, const gint64 *shape, GError **error)
{
  const ReelTensor *leaf = reel_growing_leaves_get (self->leaves, key);

  if (leaf
      && (is_column
          || (leaf->ndim - 1 == ndim
              && memcmp (leaf->shape + 1, shape, (gsize) ndim * sizeof *shape) == 0))
      && (leaf->dtype == dtype
          || (!reel_dtype_is_complex (leaf->dtype) && !reel_dtype_is_complex (dtype))))
    return TRUE;
  return fail (name, "has another shape or type than in the first episode", error);
}

/* The next of the last row is 0. */
static gboolean
append_image (Import *self, const ReelOpenxColumn *column, const char *key, gboolean with_next,
              GError **error)
{
  g_autofree char *next = dup_next (key);
  const gint64 n = column->images->len;

  for (gint64 i = 0; i < n; i++)
    {
      g_autoptr (ReelTensor) image = decode (column, i, error);

      if (!image
          || !check_shape (self, column->info.name, key, FALSE, image->dtype, image->ndim,
                           image->shape, error)
          || !reel_growing_leaves_append (self->leaves, key, image->dtype, 1, image->data, error)
          || (with_next && i > 0
              && !reel_growing_leaves_append (self->leaves, next, image->dtype, 1, image->data,
                                              error)))
        return FALSE;
    }
  return !with_next || reel_growing_leaves_append_zeros (self->leaves, next, 1, error);
}

static gboolean
append_elements (Import *self, const ReelOpenxColumn *column, const char *key, int use,
                 GError **error)
{
  g_autofree char *next = dup_next (key);
  const ReelDtype dtype = (ReelDtype) column->info.dtype;
  const gint64 n = column->info.shape[0];
  const guint8 *elements = column->elements->data;
  const gsize row_bytes = column->elements->len / (gsize) n;

  if (!check_shape (self, column->info.name, key, use >= INIT, dtype, column->info.ndim - 1,
                    column->info.shape + 1, error)
      || !reel_growing_leaves_append (self->leaves, key, dtype, n, elements, error))
    return FALSE;
  return use != STATE
         || (reel_growing_leaves_append (self->leaves, next, dtype, n - 1, elements + row_bytes,
                                         error)
             && reel_growing_leaves_append_zeros (self->leaves, next, 1, error));
}

static gboolean
append_column (Import *self, const ReelOpenxColumn *column, GError **error)
{
  int use;
  g_autofree char *key = reel_raw_find_key (known, column->info.name, &use);

  if (!g_hash_table_contains (self->names, column->info.name))
    return fail (column->info.name, "is not in the first episode", error);
  if (column->kind == REEL_OPENX_TEXT)
    return append_text (self, column, key, use == STATE, error);
  return column->kind == REEL_OPENX_IMAGE ? append_image (self, column, key, use == STATE, error)
                                          : append_elements (self, column, key, use, error);
}

static gboolean
is_true (const ReelOpenxColumn *column, gint64 i)
{
  const gsize size = reel_dtype_size ((ReelDtype) column->info.dtype);
  const guint8 *element = column->elements->data + (gsize) i * size;

  for (gsize k = 0; k < size; k++)
    if (element[k])
      return TRUE;
  return FALSE;
}

/* An episode that ends without being terminated is truncated. */
static gboolean
append_flags (Import *self, const ReelOpenxSteps *steps, GError **error)
{
  const ReelOpenxColumn *last = reel_openx_steps_find (steps, "is_last");
  const ReelOpenxColumn *terminal = reel_openx_steps_find (steps, "is_terminal");

  for (gint64 i = 0; i < steps->n; i++)
    {
      const guint8 truncated = is_true (last, i) && !is_true (terminal, i);

      if (!reel_growing_leaves_append (self->leaves, TRUNCATED, REEL_DTYPE_BOOL, 1, &truncated,
                                       error)
          || !reel_growing_leaves_append (self->leaves, EPISODE, REEL_DTYPE_INT32, 1,
                                          (const guint8 *) &self->n_episodes, error))
        return FALSE;
    }
  for (gsize i = 1; i < G_N_ELEMENTS (flags); i++)
    if (!reel_growing_leaves_append_zeros (self->leaves, flags[i], steps->n, error))
      return FALSE;
  return TRUE;
}

static gboolean
take_episode (Import *self, const ReelOpenxSteps *steps, const char *directory, GError **error)
{
  if (!check_steps (steps, error)
      || (!self->leaves && !make_leaves (self, steps, directory, error)))
    return FALSE;
  for (guint i = 0; i < steps->columns->len; i++)
    if (!append_column (self, steps->columns->pdata[i], error))
      return FALSE;
  if (steps->columns->len < g_hash_table_size (self->names))
    return fail ("steps", "has fewer values than those of the first episode", error);
  if (!append_flags (self, steps, error))
    return FALSE;
  self->n += steps->n;
  self->n_episodes++;
  return TRUE;
}

/* ---- files ---- */

/* Those of a suffix, or with a part of a name, in their order; none where there are none. */
static GPtrArray *
find_shards (const char *directory, const char *part, GError **error)
{
  g_auto (GStrv) names = reel_directory_list (directory, error);
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; names && names[i]; i++)
    if (strstr (names[i], part))
      g_ptr_array_add (paths, g_build_filename (directory, names[i], NULL));
  return names ? g_steal_pointer (&paths) : NULL;
}

static gboolean
take_member (Import *self, ReelTar *tar, const char *directory, GError **error)
{
  gsize length;
  g_autofree guint8 *bytes = reel_tar_read (tar, &length, error);
  g_autoptr (ReelOpenxSteps) steps =
      bytes ? reel_openx_steps_read_pickle (bytes, length, error) : NULL;

  return steps && take_episode (self, steps, directory, error);
}

static gboolean
take_archive (Import *self, ReelByteStream *stream, const char *directory, GError **error)
{
  g_autoptr (ReelTar) tar = reel_tar_new (stream);
  const char *name;

  for (;;)
    {
      if (!reel_tar_next (tar, &name, error))
        return FALSE;
      if (!name)
        return TRUE;
      if (!g_str_has_suffix (name, PICKLE) || take_member (self, tar, directory, error))
        continue;
      g_autofree char *shown = g_utf8_make_valid (name, -1);
      g_prefix_error (error, "%s: ", shown);
      return FALSE;
    }
}

static gboolean
take_records (Import *self, ReelByteStream *stream, GHashTable *features, const char *directory,
              GError **error)
{
  g_autoptr (GByteArray) record = g_byte_array_new ();
  gboolean found = TRUE;

  for (gint64 i = 0; reel_tf_record_read (stream, record, &found, error); i++)
    {
      g_autoptr (ReelOpenxSteps) steps = NULL;

      if (!found)
        return TRUE;
      steps = reel_openx_steps_read_example (record->data, record->len, features, error);
      if (steps && take_episode (self, steps, directory, error))
        continue;
      g_prefix_error (error, "record %" G_GINT64_FORMAT ": ", i);
      return FALSE;
    }
  return FALSE;
}

/* Archives of pickles, or records where there are features. */
static gboolean
take_shards (Import *self, const GPtrArray *paths, GHashTable *features, const char *directory,
             GError **error)
{
  for (guint i = 0; i < paths->len; i++)
    {
      const char *path = paths->pdata[i];
      g_autoptr (ReelMemory) file = reel_source_map (path, error);
      g_autoptr (ReelByteStream) stream = file ? reel_byte_stream_new (file) : NULL;

      if (!stream)
        return FALSE;
      if (features ? take_records (self, stream, features, directory, error)
                   : take_archive (self, stream, directory, error))
        continue;
      g_prefix_error (error, "%s: ", path);
      return FALSE;
    }
  return TRUE;
}

static gboolean
has_features (const char *directory, gboolean *has, GError **error)
{
  g_autofree char *path = g_build_filename (directory, FEATURES, NULL);
  ReelPathKind kind;

  if (!reel_path_query (path, &kind, NULL, error))
    return FALSE;
  *has = kind == REEL_PATH_FILE;
  return TRUE;
}

/* The directory of the records: that of the dataset, or of its last version. */
static char *
find_version (const char *raw, GError **error)
{
  g_auto (GStrv) names = reel_directory_list (raw, error);
  gboolean has = FALSE;

  if (!names || !has_features (raw, &has, error))
    return NULL;
  if (has)
    return g_strdup (raw);
  for (gsize i = g_strv_length (names); i-- > 0;)
    {
      g_autofree char *version = g_build_filename (raw, names[i], NULL);

      if (!has_features (version, &has, error))
        return NULL;
      if (has)
        return g_steal_pointer (&version);
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "%s: there are neither archives, such as NAME_00000.tar, nor records with a "
               "\"" FEATURES "\"",
               raw);
  return NULL;
}

static gboolean
take_version (Import *self, const char *raw, const char *split, const char *directory,
              GError **error)
{
  g_autofree char *version = find_version (raw, error);
  g_autofree char *path = version ? g_build_filename (version, FEATURES, NULL) : NULL;
  g_autofree char *part = g_strdup_printf ("-%s.tfrecord", split);
  gsize length;
  g_autofree char *text = path ? reel_file_read (path, MOST_FEATURES, &length, error) : NULL;
  g_autoptr (GHashTable) features =
      text ? reel_openx_features_read (text, length, path, error) : NULL;
  g_autoptr (GPtrArray) paths = features ? find_shards (version, part, error) : NULL;

  if (paths && paths->len == 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "%s: there are no records of the split "
                   "\"%s\"",
                   version, split);
      return FALSE;
    }
  return paths && take_shards (self, paths, features, directory, error);
}

static gboolean
take_all (Import *self, const char *raw, const char *split, const char *directory, GError **error)
{
  g_autoptr (GPtrArray) archives = find_shards (raw, ".tar", error);

  if (!archives
      || (archives->len > 0 ? !take_shards (self, archives, NULL, directory, error)
                            : !take_version (self, raw, split, directory, error)))
    return FALSE;
  if (self->n > 0)
    return reel_growing_leaves_end (self->leaves, self->n, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: it has no episodes", raw);
  return FALSE;
}

/* ---- the class ---- */

static gboolean
import (ReelDataset *dataset, const char *from, const char *directory, GError **error)
{
  const char *split = REEL_OPENX_DATASET (dataset)->split;
  const char *id = reel_dataset_get_dataset_id (dataset);
  g_autofree char *original = g_strconcat ("gresearch/robotics/", id, NULL);
  g_autofree char *raw = reel_source_find (from, (const char *[]){ id, original, NULL }, error);
  Import self = { .names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  gboolean done = raw && take_all (&self, raw, split, directory, error);

  reel_growing_leaves_free (self.leaves);
  g_hash_table_unref (self.names);
  return done;
}

static char **
list (const char *from, GError **error)
{
  return reel_source_select (from, datasets, "gresearch/robotics/", error);
}

static void
reel_openx_dataset_class_init (ReelOpenxDatasetClass *klass)
{
  static const ReelId ids[] = {
    { "openx", NULL, "Open X-Embodiment: robots of many laboratories (tar of pickles, TFRecord)" },
    { "OpenXExperienceReplay", NULL, "Open X-Embodiment, by TorchRL's name" },
    { NULL },
  };
  ReelDatasetClass *dataset_class = REEL_DATASET_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  dataset_class->folder = "openx";
  dataset_class->list = list;
  dataset_class->import = import;
  reel_object_class_add_string (REEL_OBJECT_CLASS (klass), "split",
                                G_STRUCT_OFFSET (ReelOpenxDataset, split), "train",
                                "which part of a dataset in records", REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_openx_dataset_init (ReelOpenxDataset *self)
{
}
