/* Minari: datasets of Farama's format, a directory with metadata and an HDF5 file of a group an
 * episode. The result is that of TorchRL's MinariExperienceReplay before it wrote zeros; where that
 * is wrong, docs/differences-from-torchrl.md says so. Format: Minari 0.5, dataset_standards.md. */
#include "dataset.h"
#include "raw-groups.h"
#include "source-files.h"

#include "../core/formats/json.h"
#include "../core/object/error.h"
#include "../core/system/directories.h"
#include "../core/system/files.h"
#include "../core/tensor/mapped-memory.h"

#include <stdlib.h>
#include <string.h>

#define DATA "data"
#define METADATA "metadata.json"
#define NAMESPACE "namespace_metadata.json"
#define ROWS "main_data.hdf5"
#define EPISODE "episode_"
#define MOST_LEVELS 8 /* of namespaces */

struct _ReelMinariDataset
{
  ReelDataset parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelMinariDataset, reel_minari_dataset, REEL, MINARI_DATASET, ReelDataset)
G_DEFINE_FINAL_TYPE (ReelMinariDataset, reel_minari_dataset, REEL_TYPE_DATASET)

/* ---- the arrays of an episode ---- */

/* The use of an array, by the first component of its name. */
enum
{
  STEP,  /* a row a step, for the root: of arrays that the format does not define, too */
  STATE, /* a row more than steps: the state before the first, then those after each */
  INFO,  /* the same, or a row a step: those after each */
  REWARD,
  TERMINATED,
  TRUNCATED,
};

static const ReelRawName known[] = {
  { "observations", "observation", STATE },
  { "state", "state", STATE },
  { "infos", "info", INFO },
  { "actions", "action", STEP },
  { "rewards", "next/reward", REWARD },
  { "terminations", "next/terminated", TERMINATED },
  { "truncations", "next/truncated", TRUNCATED },
  { NULL },
};

static gboolean
check_array (const ReelRawGroup *self, guint i, const ReelArrayInfo *rewards, GError **error)
{
  const ReelArrayInfo *array = &self->arrays[i];
  gint64 n_rows = self->length;
  int use;

  g_free (reel_raw_find_key (known, reel_raw_group_name (self, i), &use));
  if (use == STATE || (use == INFO && array->ndim > 0 && array->shape[0] != n_rows))
    n_rows++;
  return reel_raw_check_rows (array, n_rows, rewards, error)
         && (use < REWARD || use > TRUNCATED || reel_raw_check_column (array, error));
}

/* All episodes have the arrays of the first. */
static gboolean
check_episode (const ReelRawGroup *first, ReelRawGroup *self, GError **error)
{
  static const char *const required[] = { "observations", "actions", "rewards", "terminations",
                                          "truncations" };
  const ReelArrayInfo *rewards = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (required); i++)
    if (!reel_raw_group_require (self, required[i], error))
      return FALSE;
  rewards = reel_raw_group_require (self, "rewards", NULL);
  self->length = rewards->ndim > 0 ? rewards->shape[0] : -1;
  if (self->length < 0)
    return reel_raw_check_column (rewards, error);
  for (guint i = 0; i < self->n_arrays; i++)
    if (!check_array (self, i, rewards, error))
      return FALSE;
  return reel_raw_group_check_alike (self, first, FALSE, error);
}

/* Gives the number of steps of all episodes, −1 on failure. */
static gint64
check_episodes (GArray *episodes, gint64 total, GError **error)
{
  gint64 n = 0;

  for (guint i = 0; i < episodes->len; i++)
    {
      ReelRawGroup *episode = &g_array_index (episodes, ReelRawGroup, i);

      if (!check_episode (&g_array_index (episodes, ReelRawGroup, 0), episode, error))
        return -1;
      episode->at = n;
      n += episode->length;
    }
  if (n > 0 && (gint64) episodes->len >= total)
    return n;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "there are %u episodes of %" G_GINT64_FORMAT " steps; %" G_GINT64_FORMAT
               " are expected, by total_episodes of " METADATA,
               episodes->len, n, total);
  return -1;
}

/* ---- leaves ---- */

static gboolean
add_leaf (ReelTensordict *outline, const ReelArrayInfo *array, const char *name, GError **error)
{
  const gint64 one = 1;
  int use;
  g_autofree char *key = reel_raw_find_key (known, name, &use);
  g_autofree char *next = g_strconcat ("next/", key, NULL);
  const ReelDtype dtype = (ReelDtype) array->dtype;

  if (use == REWARD)
    return reel_leaves_add (outline, key, dtype, 1, &one, error);
  if (use == TERMINATED || use == TRUNCATED)
    return reel_leaves_add (outline, key, REEL_DTYPE_BOOL, 1, &one, error);
  return reel_leaves_add (outline, key, dtype, array->ndim - 1, array->shape + 1, error)
         && (use == STEP
             || reel_leaves_add (outline, next, dtype, array->ndim - 1, array->shape + 1, error));
}

static ReelTensordict *
make_leaves (const ReelRawGroup *first, gint64 n, const char *directory, GError **error)
{
  const gint64 one = 1;
  g_autoptr (ReelTensordict) outline = reel_tensordict_new (1, &n);

  for (guint i = 0; i < first->n_arrays; i++)
    if (!add_leaf (outline, &first->arrays[i], reel_raw_group_name (first, i), error))
      return NULL;
  return reel_leaves_add (outline, "next/done", REEL_DTYPE_BOOL, 1, &one, error)
                 && reel_leaves_add (outline, "episode", REEL_DTYPE_INT64, 0, NULL, error)
             ? reel_leaves_make (outline, directory, error)
             : NULL;
}

/* ---- rows ---- */

/* Where a row a step was recorded, that of the reset is missing, and 0. */
static void
route_state (ReelRowSource *source, const ReelTensordict *data, const char *key,
             const ReelRawGroup *episode, gint64 n_rows)
{
  g_autofree char *next = g_strconcat ("next/", key, NULL);
  const gint64 n = episode->length, late = n_rows == n;

  reel_row_source_add (source, data, key, 0, n - late, episode->at + late);
  reel_row_source_add (source, data, next, 1 - late, n, episode->at);
}

static ReelRowSource
route (const ReelRawGroup *episode, guint i, const ReelTensordict *data)
{
  const ReelArrayInfo *array = &episode->arrays[i];
  ReelRowSource source = reel_raw_source (array);
  int use;
  g_autofree char *key = reel_raw_find_key (known, reel_raw_group_name (episode, i), &use);

  if (episode->length == 0)
    return source;
  if (use == STATE || use == INFO)
    route_state (&source, data, key, episode, array->shape[0]);
  else
    reel_row_source_add (&source, data, key, 0, episode->length, episode->at);
  if (use == TERMINATED || use == TRUNCATED)
    reel_row_source_add (&source, data, "next/done", 0, episode->length, episode->at);
  return source;
}

static gboolean
read_episodes (const ReelRawFile *file, const GArray *episodes, const ReelTensordict *data,
               GError **error)
{
  const guint n = g_array_index (episodes, ReelRawGroup, 0).n_arrays;
  g_autofree const ReelArrayInfo **arrays =
      g_new (const ReelArrayInfo *, (gsize) n * episodes->len);
  g_autofree ReelRowSource *sources = g_new (ReelRowSource, (gsize) n * episodes->len);

  for (guint e = 0; e < episodes->len; e++)
    for (guint i = 0; i < n; i++)
      {
        const ReelRawGroup *episode = &g_array_index (episodes, ReelRawGroup, e);

        arrays[e * n + i] = &episode->arrays[i];
        sources[e * n + i] = route (episode, i, data);
      }
  return reel_raw_file_read (file, arrays, sources, n * episodes->len, error);
}

static void
number_rows (const GArray *episodes, const ReelTensordict *data)
{
  gint64 *to = (gint64 *) reel_tensordict_get_tensor (data, "episode", NULL)->data;

  for (guint e = 0; e < episodes->len; e++)
    {
      const ReelRawGroup *episode = &g_array_index (episodes, ReelRawGroup, e);

      for (gint64 t = 0; t < episode->length; t++)
        to[episode->at + t] = episode->number;
    }
}

/* ---- files ---- */

static ReelTensordict *
find_leaves (const ReelRawFile *file, gint64 total, const char *directory, GArray **episodes,
             GError **error)
{
  *episodes = reel_raw_groups_find (file->arrays, EPISODE, error);
  gint64 n = *episodes ? check_episodes (*episodes, total, error) : -1;
  ReelTensordict *data =
      n < 0 ? NULL : make_leaves (&g_array_index (*episodes, ReelRawGroup, 0), n, directory, error);

  if (!data)
    g_prefix_error (error, "%s: ", file->path);
  return data;
}

/* The number of episodes, −1 on failure. Sets of before version 0.5 say no format. */
static gint64
read_metadata (const char *path, GError **error)
{
  g_autoptr (json_t) metadata = reel_json_load_file (path, error);
  const char *format =
      metadata ? json_string_value (json_object_get (metadata, "data_format")) : NULL;
  gint64 total;

  if (!metadata
      || !reel_json_get_int64 (metadata, path, "total_episodes", 0, G_MAXINT64, &total, error))
    return -1;
  if (!format || g_str_equal (format, "hdf5"))
    return total;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "%s: the data_format is \"%s\"; \"hdf5\" alone can be read", path, format);
  return -1;
}

static char *
find_file (const char *from, const char *id, const char *file, GError **error)
{
  g_autofree char *name = g_build_filename (id, DATA, file, NULL);

  return reel_source_find (from, (const char *[]){ name, NULL }, error);
}

static gboolean
import (ReelDataset *dataset, const char *from, const char *directory, GError **error)
{
  const char *id = reel_dataset_get_dataset_id (dataset);
  g_autofree char *metadata = find_file (from, id, METADATA, error);
  gint64 total = metadata ? read_metadata (metadata, error) : -1;
  char *rows = total < 0 ? NULL : find_file (from, id, ROWS, error);
  g_autoptr (ReelRawFile) file = rows ? reel_raw_file_open (rows, error) : NULL;
  g_autoptr (GArray) episodes = NULL;
  g_autoptr (ReelTensordict) data =
      file ? find_leaves (file, total, directory, &episodes, error) : NULL;

  if (!data || !read_episodes (file, episodes, data, error))
    return FALSE;
  number_rows (episodes, data);
  return TRUE;
}

/* ---- ids ---- */

static gboolean
has_metadata (const char *from, const char *id, gboolean *has, GError **error)
{
  g_autofree char *data = g_build_filename (id, DATA, NULL);
  g_auto (GStrv) names = reel_source_list (from, data, error);

  *has = names && g_strv_contains ((const char *const *) names, METADATA);
  return names != NULL;
}

/* The ids that a server says of a namespace; those of a repository by itself begin with its name,
 * which its source has already. */
static gboolean
add_published (GStrvBuilder *ids, const char *from, const char *namespace, gboolean *are_there,
               GError **error)
{
  g_autofree char *name = g_build_filename (namespace, NAMESPACE, NULL);
  g_autofree char *path = reel_source_find (from, (const char *[]){ name, NULL }, error);
  g_autoptr (json_t) record = path ? reel_json_load_file (path, error) : NULL;
  json_t *published = json_object_get (record, "datasets"), *value;
  gsize i;

  *are_there = json_is_array (published);
  json_array_foreach (published, i, value)
  {
    const char *id = json_string_value (value);
    const char *rest = id && !*namespace ? strchr (id, '/') : NULL;

    if (id && (*namespace || rest))
      g_strv_builder_add (ids, *namespace ? id : rest + 1);
  }
  return record != NULL;
}

/* The list of a server is shorter than a walk; that of a local root tells of datasets elsewhere. */
static gboolean
add_namespace (GStrvBuilder *ids, const char *from, const char *namespace, char **names,
               gboolean *are_there, GError **error)
{
  *are_there = FALSE;
  if (!g_strv_contains ((const char *const *) names, NAMESPACE))
    return TRUE;
  return reel_source_is_served (from, are_there, error)
         && (!*are_there || add_published (ids, from, namespace, are_there, error));
}

static gboolean add_ids (GStrvBuilder *ids, const char *from, const char *id, gint level,
                         GError **error);

static gboolean
add_below (GStrvBuilder *ids, const char *from, const char *id, char **names, gint level,
           GError **error)
{
  for (gsize i = 0; names[i]; i++)
    {
      g_autofree char *name = reel_path_without_end_slashes (names[i]);
      g_autofree char *below = *id ? g_strconcat (id, "/", name, NULL) : g_strdup (name);

      if (g_str_has_suffix (names[i], "/") && !add_ids (ids, from, below, level + 1, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_ids (GStrvBuilder *ids, const char *from, const char *id, gint level, GError **error)
{
  g_auto (GStrv) names = reel_source_list (from, id, error);
  gboolean has = FALSE, are_there = FALSE;

  if (!names
      || (*id && g_strv_contains ((const char *const *) names, DATA "/")
          && !has_metadata (from, id, &has, error)))
    return FALSE;
  if (has)
    g_strv_builder_add (ids, id);
  if (has || level == MOST_LEVELS)
    return TRUE;
  return add_namespace (ids, from, id, names, &are_there, error)
         && (are_there || add_below (ids, from, id, names, level, error));
}

static char **
list (const char *from, GError **error)
{
  g_autoptr (GStrvBuilder) ids = g_strv_builder_new ();

  return from && !add_ids (ids, from, "", 0, error) ? NULL : g_strv_builder_end (ids);
}

static void
reel_minari_dataset_class_init (ReelMinariDatasetClass *klass)
{
  static const ReelId ids[] = {
    { "minari", NULL, "datasets in Minari's format, of a local Minari root (HDF5)" },
    { "MinariExperienceReplay", NULL, "datasets in Minari's format, by TorchRL's name" },
    { NULL },
  };
  ReelDatasetClass *dataset_class = REEL_DATASET_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  dataset_class->folder = "minari";
  dataset_class->any_id = TRUE;
  dataset_class->list = list;
  dataset_class->import = import;
}

static void
reel_minari_dataset_init (ReelMinariDataset *self)
{
}
