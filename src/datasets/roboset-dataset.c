/* RoboSet: trials of simulated arms and hands, several HDF5 files of a group a trial for each
 * dataset. The result is that of TorchRL's RobosetExperienceReplay; where that is wrong,
 * docs/differences-from-torchrl.md says so. */
#include "dataset.h"
#include "raw-groups.h"
#include "source-files.h"

#include "../core/object/error.h"
#include "../core/system/directories.h"
#include "../core/tensor/mapped-memory.h"

#include <string.h>

#define SUFFIX ".h5"
#define TRIAL "Trial"

struct _ReelRobosetDataset
{
  ReelDataset parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelRobosetDataset, reel_roboset_dataset, REEL, ROBOSET_DATASET, ReelDataset)
G_DEFINE_FINAL_TYPE (ReelRobosetDataset, reel_roboset_dataset, REEL_TYPE_DATASET)

static const char *const datasets[] = {
  "DAPG(expert)/door_v2d-v1",
  "DAPG(expert)/hammer_v2d-v1",
  "DAPG(expert)/pen_v2d-v1",
  "DAPG(expert)/relocate_v2d-v1",
  "DAPG(human)/door_v2d-v1",
  "DAPG(human)/hammer_v2d-v1",
  "DAPG(human)/pen_v2d-v1",
  "DAPG(human)/relocate_v2d-v1",
  "FK1-v4(expert)/FK1_Knob1OnRandom_v2d-v4",
  "FK1-v4(expert)/FK1_Knob2OffRandom_v2d-v4",
  "FK1-v4(expert)/FK1_LdoorOpenRandom_v2d-v4",
  "FK1-v4(expert)/FK1_MicroOpenRandom_v2d-v4",
  "FK1-v4(expert)/FK1_SdoorOpenRandom_v2d-v4",
  "FK1-v4(human)/human_demos_by_playdata",
  "FK1-v4(human)/human_demos_by_task/FK1_Knob1OnRandom_v2d-v4",
  "FK1-v4(human)/human_demos_by_task/FK1_Knob2OffRandom_v2d-v4",
  "FK1-v4(human)/human_demos_by_task/FK1_LdoorOpenRandom_v2d-v4",
  "FK1-v4(human)/human_demos_by_task/FK1_MicroOpenRandom_v2d-v4",
  "FK1-v4(human)/human_demos_by_task/FK1_SdoorOpenRandom_v2d-v4",
  "FK1-v4(human)/human_demos_by_task/human_demo_singleTask_Fixed-v4",
  NULL,
};

/* ---- files ---- */

/* Takes @path. */
static gboolean
add_file (GPtrArray *files, char *path, GError **error)
{
  ReelRawFile *file = reel_raw_file_open (path, error);

  if (file)
    g_ptr_array_add (files, file);
  return file != NULL;
}

static GPtrArray *
open_files (const char *directory, GError **error)
{
  g_auto (GStrv) names = reel_directory_list (directory, error);
  g_autoptr (GPtrArray) files =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_raw_file_free);

  for (gsize i = 0; names && names[i]; i++)
    if (g_str_has_suffix (names[i], SUFFIX)
        && !add_file (files, g_build_filename (directory, names[i], NULL), error))
      return NULL;
  if (names && files->len > 0)
    return g_steal_pointer (&files);
  if (names)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "there is no " SUFFIX " file in %s",
                 directory);
  return NULL;
}

/* ---- trials ---- */

static gboolean
check_trial (ReelRawGroup *self, const ReelRawGroup *first, GError **error)
{
  static const char *const required[] = { "observations", "rewards", "done" };
  const ReelArrayInfo *actions = reel_raw_group_require (self, "actions", error);

  for (gsize i = 0; actions && i < G_N_ELEMENTS (required); i++)
    if (!reel_raw_group_require (self, required[i], error))
      return FALSE;
  if (!actions
      || !reel_raw_check_rows (actions, actions->ndim ? actions->shape[0] : 0, actions, error))
    return FALSE;
  self->length = actions->shape[0];
  for (guint i = 0; i < self->n_arrays; i++)
    {
      const char *name = reel_raw_group_name (self, i);
      gboolean is_column = g_str_equal (name, "rewards") || g_str_equal (name, "done");

      if (!reel_raw_check_rows (&self->arrays[i], self->length, actions, error)
          || (is_column && !reel_raw_check_column (&self->arrays[i], error)))
        return FALSE;
    }
  return self->length == 0 || reel_raw_group_check_alike (self, first, TRUE, error);
}

/* Trials of one number follow each other, file after file. */
static int
compare (gconstpointer a, gconstpointer b)
{
  const ReelRawGroup *one = a, *other = b;

  if (one->number != other->number)
    return one->number < other->number ? -1 : 1;
  return one->file < other->file ? -1 : one->file > other->file;
}

/* A trial without steps is left out. */
static gboolean
add_trials (GArray *trials, const GPtrArray *files, guint i, GError **error)
{
  const ReelRawFile *file = files->pdata[i];
  g_autoptr (GArray) found = reel_raw_groups_find (file->arrays, TRIAL, error);

  for (guint k = 0; found && k < found->len; k++)
    {
      ReelRawGroup *trial = &g_array_index (found, ReelRawGroup, k);
      const ReelRawGroup *first = trials->len ? &g_array_index (trials, ReelRawGroup, 0) : trial;

      trial->file = i;
      if (!check_trial (trial, first, error))
        return FALSE;
      if (trial->length > 0)
        g_array_append_val (trials, *trial);
    }
  return found != NULL;
}

static GArray *
find_trials (const GPtrArray *files, GError **error)
{
  g_autoptr (GArray) trials = g_array_new (FALSE, FALSE, sizeof (ReelRawGroup));

  for (guint i = 0; i < files->len; i++)
    if (!add_trials (trials, files, i, error))
      {
        g_prefix_error (error, "%s: ", ((const ReelRawFile *) files->pdata[i])->path);
        return NULL;
      }
  g_array_sort (trials, compare);
  return g_steal_pointer (&trials);
}

/* Gives each its rows, and the number of all, −1 where there are none. */
static gint64
place_trials (GArray *trials, const char *directory, GError **error)
{
  gint64 n = 0;

  for (guint i = 0; i < trials->len; i++)
    {
      g_array_index (trials, ReelRawGroup, i).at = n;
      n += g_array_index (trials, ReelRawGroup, i).length;
    }
  if (n > 0)
    return n;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: its files have no trial with a step",
               directory);
  return -1;
}

/* ---- leaves ---- */

enum
{
  STEP,  /* a row a step */
  STATE, /* that `next` has, too */
};

static const ReelRawName known[] = {
  { "observations", "observation", STATE },
  { "env_infos", "info", STATE },
  { "actions", "action", STEP },
  { "rewards", "next/reward", STEP },
  { NULL },
};

static gboolean
add_leaf (ReelTensordict *outline, const ReelArrayInfo *array, const char *name, GError **error)
{
  const gint64 one = 1;
  int use;
  g_autofree char *key = reel_raw_find_key (known, name, &use);
  g_autofree char *next = g_strconcat ("next/", key, NULL);
  const ReelDtype dtype = (ReelDtype) array->dtype;

  if (g_str_equal (name, "done"))
    return TRUE;
  if (g_str_equal (name, "rewards"))
    return reel_leaves_add (outline, key, dtype, 1, &one, error);
  return reel_leaves_add (outline, key, dtype, array->ndim - 1, array->shape + 1, error)
         && (use != STATE
             || reel_leaves_add (outline, next, dtype, array->ndim - 1, array->shape + 1, error));
}

static ReelTensordict *
make_leaves (const ReelRawGroup *first, gint64 n, const char *directory, GError **error)
{
  static const char *const flags[] = { "done",      "terminated",      "truncated",
                                       "next/done", "next/terminated", "next/truncated" };
  static const char *const numbers[] = { "episode", "seed" };
  const gint64 one = 1;
  g_autoptr (ReelTensordict) outline = reel_tensordict_new (1, &n);

  for (guint i = 0; i < first->n_arrays; i++)
    if (!add_leaf (outline, &first->arrays[i], reel_raw_group_name (first, i), error))
      return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    if (!reel_leaves_add (outline, flags[i], REEL_DTYPE_BOOL, 1, &one, error))
      return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (!reel_leaves_add (outline, numbers[i], REEL_DTYPE_INT64, 0, NULL, error))
      return NULL;
  return reel_leaves_make (outline, directory, error);
}

/* ---- rows ---- */

/* The last row of `next` is 0: nobody recorded what came of it. */
static ReelRowSource
route (const ReelRawGroup *trial, guint i, const ReelTensordict *data)
{
  static const char *const flags[] = { "done", "next/done", "next/terminated" };
  const char *name = reel_raw_group_name (trial, i);
  ReelRowSource source = reel_raw_source (&trial->arrays[i]);
  int use;
  g_autofree char *key = reel_raw_find_key (known, name, &use);
  g_autofree char *next = g_strconcat ("next/", key, NULL);
  const gint64 n = trial->length;

  for (gsize k = 0; g_str_equal (name, "done") && k < G_N_ELEMENTS (flags); k++)
    reel_row_source_add (&source, data, flags[k], 0, n, trial->at);
  if (!g_str_equal (name, "done"))
    reel_row_source_add (&source, data, key, 0, n, trial->at);
  if (use == STATE)
    reel_row_source_add (&source, data, next, 1, n - 1, trial->at);
  return source;
}

static gboolean
read_file (const ReelRawFile *file, guint number, const GArray *trials, const ReelTensordict *data,
           GError **error)
{
  g_autoptr (GPtrArray) arrays = g_ptr_array_new ();
  g_autoptr (GArray) sources = g_array_new (FALSE, FALSE, sizeof (ReelRowSource));

  for (guint i = 0; i < trials->len; i++)
    {
      const ReelRawGroup *trial = &g_array_index (trials, ReelRawGroup, i);

      for (guint k = 0; trial->file == number && k < trial->n_arrays; k++)
        {
          const ReelRowSource source = route (trial, k, data);

          g_ptr_array_add (arrays, (gpointer) &trial->arrays[k]);
          g_array_append_val (sources, source);
        }
    }
  return reel_raw_file_read (file, (const ReelArrayInfo *const *) arrays->pdata,
                             (const ReelRowSource *) (gpointer) sources->data, arrays->len, error);
}

static void
number_rows (const GArray *trials, const ReelTensordict *data)
{
  gint64 *episode = (gint64 *) reel_tensordict_get_tensor (data, "episode", NULL)->data;
  gint64 *seed = (gint64 *) reel_tensordict_get_tensor (data, "seed", NULL)->data;

  for (guint i = 0; i < trials->len; i++)
    {
      const ReelRawGroup *trial = &g_array_index (trials, ReelRawGroup, i);

      for (gint64 t = trial->at; t < trial->at + trial->length; t++)
        {
          episode[t] = trial->number;
          seed[t] = trial->file;
        }
    }
}

static gboolean
import (ReelDataset *dataset, const char *from, const char *directory, GError **error)
{
  const char *id = reel_dataset_get_dataset_id (dataset);
  g_autofree char *raw = reel_source_find (from, (const char *[]){ id, NULL }, error);
  g_autoptr (GPtrArray) files = raw ? open_files (raw, error) : NULL;
  g_autoptr (GArray) trials = files ? find_trials (files, error) : NULL;
  gint64 n = trials ? place_trials (trials, raw, error) : -1;
  g_autoptr (ReelTensordict) data =
      n < 0 ? NULL : make_leaves (&g_array_index (trials, ReelRawGroup, 0), n, directory, error);

  for (guint i = 0; data && i < files->len; i++)
    if (!read_file (files->pdata[i], i, trials, data, error))
      return FALSE;
  if (data)
    number_rows (trials, data);
  return data != NULL;
}

static char **
list (const char *from, GError **error)
{
  return reel_source_select (from, datasets, "", error);
}

static void
reel_roboset_dataset_class_init (ReelRobosetDatasetClass *klass)
{
  static const ReelId ids[] = {
    { "roboset", NULL, "RoboSet: simulated arms and hands (HDF5)" },
    { "RobosetExperienceReplay", NULL, "RoboSet, by TorchRL's name" },
    { NULL },
  };
  ReelDatasetClass *dataset_class = REEL_DATASET_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  dataset_class->folder = "roboset";
  dataset_class->list = list;
  dataset_class->import = import;
}

static void
reel_roboset_dataset_init (ReelRobosetDataset *self)
{
}
