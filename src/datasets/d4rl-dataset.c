/* D4RL: locomotion, mazes, hands, kitchens and cars, an HDF5 file each. Its arrays have a row a
 * step, episodes one after the other. The result is that of TorchRL's D4RLExperienceReplay; where
 * that is wrong, docs/differences-from-torchrl.md says so. */
#include "d4rl-files.h"
#include "dataset.h"
#include "raw-arrays.h"
#include "source-files.h"

#include "../core/object/error.h"

#include <string.h>

#define METADATA "metadata/"
#define INFOS "infos/"
#define SUFFIX ".hdf5"

struct _ReelD4rlDataset
{
  ReelDataset parent_instance;
  gboolean use_truncated_as_done;
};

G_DECLARE_FINAL_TYPE (ReelD4rlDataset, reel_d4rl_dataset, REEL, D4RL_DATASET, ReelDataset)
G_DEFINE_FINAL_TYPE (ReelD4rlDataset, reel_d4rl_dataset, REEL_TYPE_DATASET)

/* The use of an array. */
typedef enum
{
  PLAIN,    /* a leaf of that key alone */
  STATE,    /* one of the root, and one of `next` with what the next row has */
  REWARD,   /* one of `next`, and one of the root with what the row before has */
  TERMINAL, /* the same as bools, of which an episode ends */
  TIMEOUT,  /* the same, where timeouts count as done */
} Use;

/* An array of the file that is imported. */
typedef struct
{
  const ReelArrayInfo *array;
  char *key; /* of the leaf, below `next` too */
  Use use;
} Part;

static void
clear_part (gpointer data)
{
  g_free (((Part *) data)->key);
}

/* ---- which arrays there are ---- */

static Part
describe_part (const ReelArrayInfo *array, gboolean has_next)
{
  static const struct
  {
    const char *name;
    const char *key;
    Use use;
  } known[] = {
    { "observations", "observation", STATE }, { "next_observations", "next/observation", PLAIN },
    { "actions", "action", PLAIN },           { "rewards", "reward", REWARD },
    { "terminals", "terminated", TERMINAL },  { "timeouts", "truncated", TIMEOUT },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_equal (known[i].name, array->name))
      return (Part){ array, g_strdup (known[i].key),
                     known[i].use == STATE && has_next ? PLAIN : known[i].use };
  if (g_str_equal (array->name, "infos"))
    return (Part){ array, g_strdup ("info"), STATE };
  if (g_str_has_prefix (array->name, INFOS))
    {
      g_autofree char *below = reel_raw_key (array->name + strlen (INFOS));

      return (Part){ array, g_strconcat ("info/", below, NULL), STATE };
    }
  return (Part){ array, reel_raw_key (array->name), PLAIN };
}

static gboolean
check_part (const Part *part, const ReelArrayInfo *observations, GError **error)
{
  return reel_raw_check_rows (part->array, observations->shape[0], observations, error)
         && (part->use < REWARD || reel_raw_check_column (part->array, error));
}

/* The last row of the file only says what became of the row before it. */
static const ReelArrayInfo *
find_observations (const GArray *arrays, GError **error)
{
  static const char *const required[] = { "actions", "rewards", "terminals" };
  const ReelArrayInfo *first = reel_raw_require (arrays, "observations", error);

  for (gsize i = 0; first && i < G_N_ELEMENTS (required); i++)
    if (!reel_raw_require (arrays, required[i], error))
      return NULL;
  if (first && first->ndim > 0 && first->shape[0] >= 2)
    return first;
  if (first)
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                 "\"observations\" has %" G_GINT64_FORMAT " rows; at least 2 are expected",
                 first->ndim > 0 ? first->shape[0] : 0);
  return NULL;
}

static GArray *
find_parts (const GArray *arrays, GError **error)
{
  gboolean has_next = reel_raw_find (arrays, "next_observations") != NULL;
  const ReelArrayInfo *observations = find_observations (arrays, error);
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (Part));

  g_array_set_clear_func (parts, clear_part);
  if (!observations)
    return NULL;
  for (guint i = 0; i < arrays->len; i++)
    {
      const ReelArrayInfo *array = &g_array_index (arrays, ReelArrayInfo, i);
      Part part;

      if (g_str_has_prefix (array->name, METADATA))
        continue;
      part = describe_part (array, has_next);
      g_array_append_val (parts, part);
      if (!check_part (&part, observations, error))
        return NULL;
    }
  return g_steal_pointer (&parts);
}

/* ---- which leaves they become ---- */

static gboolean
add_both (ReelTensordict *outline, const char *key, ReelDtype dtype, gint ndim, const gint64 *shape,
          GError **error)
{
  g_autofree char *next = g_strconcat ("next/", key, NULL);

  return reel_leaves_add (outline, key, dtype, ndim, shape, error)
         && reel_leaves_add (outline, next, dtype, ndim, shape, error);
}

static gboolean
add_part (ReelTensordict *outline, const Part *part, GError **error)
{
  const ReelArrayInfo *array = part->array;
  const ReelDtype dtype = (ReelDtype) array->dtype;
  const gint64 one = 1;

  switch (part->use)
    {
    case STATE:
      return add_both (outline, part->key, dtype, array->ndim - 1, array->shape + 1, error);
    case REWARD: return add_both (outline, part->key, dtype, 1, &one, error);
    case TERMINAL:
    case TIMEOUT: return add_both (outline, part->key, REEL_DTYPE_BOOL, 1, &one, error);
    default:
      return reel_leaves_add (outline, part->key, dtype, array->ndim - 1, array->shape + 1, error);
    }
}

static ReelTensordict *
make_leaves (const GArray *parts, const char *directory, GError **error)
{
  const gint64 one = 1, n = g_array_index (parts, Part, 0).array->shape[0] - 1;
  g_autoptr (ReelTensordict) outline = reel_tensordict_new (1, &n);

  for (guint i = 0; i < parts->len; i++)
    if (!add_part (outline, &g_array_index (parts, Part, i), error))
      return NULL;
  return add_both (outline, "done", REEL_DTYPE_BOOL, 1, &one, error)
             ? reel_leaves_make (outline, directory, error)
             : NULL;
}

/* ---- where their rows go ---- */

/* A row of `next` belongs to its own step; the root has what the step before left. */
static void
add_result (ReelRowSource *source, const ReelTensordict *data, const char *key, gint64 n)
{
  g_autofree char *next = g_strconcat ("next/", key, NULL);

  reel_row_source_add (source, data, next, 0, n, 0);
  reel_row_source_add (source, data, key, 0, n - 1, 1);
}

static ReelRowSource
route_part (const ReelD4rlDataset *self, const Part *part, const ReelTensordict *data)
{
  g_autofree char *next = g_strconcat ("next/", part->key, NULL);
  ReelRowSource source = reel_raw_source (part->array);
  const gint64 n = part->array->shape[0] - 1;

  if (part->use >= REWARD)
    add_result (&source, data, part->key, n);
  else
    reel_row_source_add (&source, data, part->key, 0, n, 0);
  if (part->use == STATE)
    reel_row_source_add (&source, data, next, 1, n, 0);
  /* The row after an end belongs to the next episode. */
  if (g_str_equal (part->use == STATE ? next : part->key, "next/observation"))
    reel_row_source_leave_out (&source, data, "next/done");
  if (part->use == TERMINAL || (part->use == TIMEOUT && self->use_truncated_as_done))
    add_result (&source, data, "done", n);
  return source;
}

static gboolean
is_end (const Part *part)
{
  return part->use == TERMINAL || part->use == TIMEOUT;
}

static gboolean
read_parts (const ReelD4rlDataset *self, const ReelRawFile *file, const GArray *parts,
            gboolean ends, const ReelTensordict *data, GError **error)
{
  g_autofree const ReelArrayInfo **arrays = g_new (const ReelArrayInfo *, parts->len);
  g_autofree ReelRowSource *sources = g_new (ReelRowSource, parts->len);
  guint n = 0;

  for (guint i = 0; i < parts->len; i++)
    {
      const Part *part = &g_array_index (parts, Part, i);

      if (is_end (part) != ends)
        continue;
      arrays[n] = part->array;
      sources[n++] = route_part (self, part, data);
    }
  return reel_raw_file_read (file, arrays, sources, n, error);
}

/* The ends first: states are copied by them. */
static gboolean
read_all (const ReelD4rlDataset *self, const ReelRawFile *file, const GArray *parts,
          const ReelTensordict *data, GError **error)
{
  return read_parts (self, file, parts, TRUE, data, error)
         && read_parts (self, file, parts, FALSE, data, error);
}

/* ---- the class ---- */

static gboolean
find_leaves (const ReelRawFile *file, const char *directory, GArray **parts, ReelTensordict **data,
             GError **error)
{
  *parts = find_parts (file->arrays, error);
  *data = *parts ? make_leaves (*parts, directory, error) : NULL;
  if (!*data)
    g_prefix_error (error, "%s: ", file->path);
  return *data != NULL;
}

/* A mirror may have the files in one directory. */
static gboolean
import (ReelDataset *dataset, const char *from, const char *directory, GError **error)
{
  const char *name = reel_d4rl_find_file (reel_dataset_get_dataset_id (dataset));
  g_autofree char *whole = g_strconcat (name, SUFFIX, NULL);
  char *path =
      reel_source_find (from, (const char *[]){ whole, strchr (whole, '/') + 1, NULL }, error);
  g_autoptr (ReelRawFile) file = path ? reel_raw_file_open (path, error) : NULL;
  g_autoptr (GArray) parts = NULL;
  g_autoptr (ReelTensordict) data = NULL;

  return file && find_leaves (file, directory, &parts, &data, error)
         && read_all (REEL_D4RL_DATASET (dataset), file, parts, data, error);
}

static char **
list (const char *from, GError **error)
{
  return reel_d4rl_list_ids ();
}

static void
reel_d4rl_dataset_class_init (ReelD4rlDatasetClass *klass)
{
  static const ReelId ids[] = {
    { "d4rl", NULL, "D4RL: locomotion, mazes, hands, kitchens, cars (HDF5)" },
    { "D4RLExperienceReplay", NULL, "D4RL, by TorchRL's name" },
    { NULL },
  };
  ReelDatasetClass *dataset_class = REEL_DATASET_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  dataset_class->folder = "d4rl";
  dataset_class->force_split_end = TRUE;
  dataset_class->list = list;
  dataset_class->import = import;
  reel_object_class_add_bool (REEL_OBJECT_CLASS (klass), "use-truncated-as-done",
                              G_STRUCT_OFFSET (ReelD4rlDataset, use_truncated_as_done), TRUE,
                              "whether a timeout is done, as a terminal step is",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_d4rl_dataset_init (ReelD4rlDataset *self)
{
}
