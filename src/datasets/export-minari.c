/* Rows as a dataset of Minari: `data/metadata.json`, and `data/main_data.hdf5` with a group for
 * each episode. Format: Minari 0.5, dataset_standards.md. The way back is minari-dataset.c. */
#include "export-formats.h"
#include "gymnasium-specs.h"
#include "minari-rows.h"

#include "../buffers/checkpoints/buffer-specs.h"
#include "../buffers/checkpoints/checkpoint.h"
#include "../core/formats/hdf5.h"
#include "../core/formats/json.h"
#include "../core/object/error.h"
#include "../core/system/directories.h"
#include "../core/system/files.h"
#include "../specs/spec-text.h"

#include <string.h>

#define DATA "data"
#define METADATA "metadata.json"
#define ROWS "main_data.hdf5"
#define VERSION "0.5.0" /* of the format: readers refuse those that they do not know */
#define NEXT "next/"
#define BLOCK 65536 /* rows in which the greatest action is looked for at once */

typedef struct
{
  const ReelExportRows *rows;
  ReelSpec *specs; /* or NULL */
  ReelTensordict *outline;
  GHashTable *arrays;   /* of ReelMinariArray, by its tensor in the outline */
  GString *observation; /* the space, the braces of a Dict left out */
  GString *action;
  gboolean is_dict; /* whether observations have names */
} Export;

/* ---- keys ---- */

static gboolean
is_below (const char *path, const char *key)
{
  const gsize n = strlen (key);

  return strncmp (path, key, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

/* Of what @path is below @key. */
static const char *
find_below (const char *path, const char *key)
{
  const char *below = path + strlen (key);

  return *below == '/' ? below + 1 : below;
}

static const ReelColumn *
find_next (const Export *self, const char *path)
{
  g_autofree char *next = g_strconcat (NEXT, path, NULL);

  return reel_export_rows_find (self->rows, next);
}

/* Flags and rewards are written as those of `next`, episodes are numbered by their groups. */
static gboolean
is_derived (const char *path)
{
  static const char *const paths[] = {
    "done",           "terminated",  "truncated", "reward", "next/done", "next/terminated",
    "next/truncated", "next/reward", "episode",   NULL
  };

  return g_strv_contains (paths, path);
}

/* A key that is there before a step and after it, and is neither information nor another state. */
static gboolean
is_observation (const Export *self, const char *path)
{
  return !is_derived (path) && !g_str_has_prefix (path, NEXT) && !is_below (path, "action")
         && !is_below (path, "info") && !is_below (path, "state") && find_next (self, path);
}

/* ---- spaces ---- */

static json_t *
find_spec (const Export *self, const char *part, const char *path)
{
  const ReelSpec *whole = self->specs ? reel_env_spec_get_part (self->specs, part) : NULL;
  const ReelSpec *spec =
      whole && reel_spec_is_composite (whole) ? reel_spec_get (whole, path, NULL) : NULL;
  g_autofree char *json = spec ? reel_spec_to_json (spec, NULL) : NULL;

  return json ? json_loads (json, 0, NULL) : NULL;
}

static gint64
find_greatest (const gint64 *numbers, gint64 n, gint64 greatest)
{
  for (gint64 i = 0; i < n; i++)
    greatest = numbers[i] < 0 ? G_MAXINT64 : MAX (greatest, numbers[i]);
  return greatest;
}

/* The classes of actions that are single integers from 0 on; 0 for others. */
static gint64
count_classes (const Export *self, const ReelColumn *column)
{
  g_autofree gint64 *numbers = NULL;
  gint64 greatest = -1;
  ReelMinariArray array = { .rows = self->rows, .form = REEL_MINARI_INTEGER, .column = column };
  gint ndim;

  reel_export_rows_get_shape (self->rows, column, &ndim);
  if (ndim > 0 || column->dtype == REEL_DTYPE_BOOL || column->dtype > REEL_DTYPE_INT64)
    return 0;
  reel_minari_array_begin (&array);
  numbers = g_new (gint64, BLOCK);
  for (gint64 begin = 0, n; begin < self->rows->n_rows; begin += n)
    {
      n = MIN (BLOCK, self->rows->n_rows - begin);
      array.stream.read (&array, (guint8 *) numbers, n);
      greatest = find_greatest (numbers, n, greatest);
    }
  return greatest < G_MAXINT32 ? greatest + 1 : 0;
}

/* ---- arrays ---- */

static gboolean
add_array (Export *self, const char *name, ReelMinariArray array, GError **error)
{
  ReelMinariArray *added;
  gint64 shape[REEL_MAX_NDIM];
  const gint64 *row = NULL;
  gint ndim = 0;
  g_autoptr (ReelTensor) element = NULL, leaf = NULL;

  array.rows = self->rows;
  if (array.column && array.form != REEL_MINARI_CLASS)
    row = reel_export_rows_get_shape (self->rows, array.column, &ndim);
  if (array.use == REEL_MINARI_STEP && is_derived (array.column->path))
    ndim = 0; /* of [1] */
  shape[0] = reel_minari_array_count_all (&array);
  for (gint d = 0; d < ndim; d++)
    shape[1 + d] = row[d];
  if (!(element = reel_tensor_new (reel_minari_array_get_dtype (&array), 0, NULL, error))
      || !(leaf = reel_tensor_expand (element, 1 + ndim, shape, error))
      || !reel_tensordict_set_tensor (self->outline, name, leaf, error))
    return FALSE;
  added = g_memdup2 (&array, sizeof array);
  reel_minari_array_begin (added);
  g_hash_table_insert (self->arrays, reel_tensordict_get_tensor (self->outline, name, NULL), added);
  return TRUE;
}

/* States have the same rows below `next`. */
static gboolean
check_alike (const Export *self, const ReelColumn *column, const ReelColumn *next, GError **error)
{
  gint n_root, n_next;
  const gint64 *root = reel_export_rows_get_shape (self->rows, column, &n_root);
  const gint64 *after = reel_export_rows_get_shape (self->rows, next, &n_next);

  if (column->dtype == next->dtype && n_root == n_next
      && memcmp (root, after, (gsize) n_root * sizeof *root) == 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"%s\" and \"%s\" differ in type or shape, and Minari stores each once; use "
               "another format",
               column->path, next->path);
  return FALSE;
}

static gboolean
add_state (Export *self, const char *name, const ReelColumn *column, ReelMinariForm form,
           GError **error)
{
  const ReelColumn *next = find_next (self, column->path);
  const ReelMinariArray array = {
    .use = REEL_MINARI_STATE, .form = form, .column = column, .next = next
  };

  return check_alike (self, column, next, error) && add_array (self, name, array, error);
}

static ReelMinariForm
put_space (const Export *self, GString *text, const char *part, const ReelColumn *column,
           gint64 n_classes)
{
  g_autoptr (json_t) spec = find_spec (self, part, column->path);
  gint ndim;
  const gint64 *shape = reel_export_rows_get_shape (self->rows, column, &ndim);

  return reel_minari_space_put (text, spec, column->dtype, ndim, shape, n_classes);
}

/* ---- spaces of several keys ---- */

/* A space on its way: a tree by the components of the names. */
typedef struct _Space Space;
struct _Space
{
  char *text;   /* of a leaf */
  GTree *below; /* of Space, by key: Gymnasium sorts them */
};

static int
compare_keys (gconstpointer a, gconstpointer b, gpointer data)
{
  return strcmp (a, b);
}

static void
free_space (gpointer data)
{
  Space *self = data;

  g_free (self->text);
  g_clear_pointer (&self->below, g_tree_unref);
  g_free (self);
}

/* The space at a path below; made where it is not there. */
static Space *
find_space (Space *self, const char *path)
{
  g_auto (GStrv) keys = g_strsplit (path, "/", -1);

  for (gsize i = 0; keys[i]; i++)
    {
      Space *below = self->below ? g_tree_lookup (self->below, keys[i]) : NULL;

      if (!self->below)
        self->below = g_tree_new_full (compare_keys, NULL, g_free, free_space);
      if (!below)
        g_tree_insert (self->below, g_strdup (keys[i]), below = g_new0 (Space, 1));
      self = below;
    }
  return self;
}

static void put_level (const Space *self, GString *text);

static gboolean
put_below (gpointer key, gpointer value, gpointer data)
{
  GString *text = data;
  g_autoptr (json_t) name = json_string (key);
  g_autofree char *quoted = json_dumps (name, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);

  if (text->str[text->len - 1] != '{')
    g_string_append (text, ", ");
  g_string_append_printf (text, "%s: ", quoted);
  put_level (value, text);
  return FALSE;
}

static void
put_level (const Space *self, GString *text)
{
  if (!self->below)
    {
      g_string_append (text, self->text);
      return;
    }
  g_string_append (text, "{\"type\": \"Dict\", \"subspaces\": {");
  g_tree_foreach (self->below, put_below, text);
  g_string_append (text, "}}");
}

/* ---- which arrays there are ---- */

/* Whether all observations are below the key `observation`, which needs no name then. */
static gboolean
has_one_observation (const Export *self)
{
  for (guint i = 0; i < self->rows->n_columns; i++)
    if (is_observation (self, self->rows->columns[i].path)
        && !is_below (self->rows->columns[i].path, "observation"))
      return FALSE;
  return TRUE;
}

/* @below: the name below the array of all. */
static gboolean
add_spaced (Export *self, const ReelColumn *column, const char *whole, const char *below,
            const char *part, Space *space, GError **error)
{
  const gboolean acts = g_str_equal (part, "action");
  g_autofree char *name = *below ? g_strconcat (whole, "/", below, NULL) : g_strdup (whole);
  g_autoptr (GString) text = g_string_new (NULL);
  const ReelMinariForm form =
      put_space (self, text, part, column, acts ? count_classes (self, column) : 0);
  Space *leaf = *below ? find_space (space, below) : space;

  g_free (leaf->text);
  leaf->text = g_string_free (g_steal_pointer (&text), FALSE);
  return acts ? add_array (self, name, (ReelMinariArray){ .form = form, .column = column }, error)
              : add_state (self, name, column, form, error);
}

/* Other keys keep their names, and those that are states have the names that the import maps. */
static gboolean
add_other (Export *self, const ReelColumn *column, GError **error)
{
  const char *path = column->path;
  const ReelColumn *next = find_next (self, path);
  const gboolean info = is_below (path, "info");
  g_autofree char *name = info ? g_strconcat ("infos", path + strlen ("info"), NULL) : NULL;

  if (g_str_has_prefix (path, NEXT) && reel_export_rows_find (self->rows, path + strlen (NEXT)))
    return TRUE; /* the last row of a state */
  if (next && (info || is_below (path, "state")))
    return add_state (self, info ? name : path, column, REEL_MINARI_AS_IS, error);
  return add_array (self, path, (ReelMinariArray){ .column = column }, error);
}

static gboolean
add_column (Export *self, const ReelColumn *column, Space *observations, Space *actions,
            GError **error)
{
  const char *path = column->path;

  if (is_derived (path))
    return TRUE;
  if (is_observation (self, path))
    return add_spaced (self, column, "observations",
                       self->is_dict ? path : find_below (path, "observation"), "observation",
                       observations, error);
  if (is_below (path, "action"))
    return add_spaced (self, column, "actions", find_below (path, "action"), "action", actions,
                       error);
  return add_other (self, column, error);
}

static gboolean
add_flags (Export *self, GError **error)
{
  return add_array (self, "terminations", (ReelMinariArray){ .use = REEL_MINARI_TERMINATION },
                    error)
         && add_array (self, "truncations", (ReelMinariArray){ .use = REEL_MINARI_TRUNCATION },
                       error);
}

static gboolean
fail_key (const char *key, const char *what, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
               "Minari needs %s: there is no \"%s\"; use another format", what, key);
  return FALSE;
}

static gboolean
add_rewards (Export *self, GError **error)
{
  const ReelColumn *column = reel_export_rows_find (self->rows, NEXT "reward");

  if (!column)
    return fail_key (NEXT "reward", "rewards", error);
  if (column->row_bytes == reel_dtype_size (column->dtype))
    return add_array (self, "rewards", (ReelMinariArray){ .column = column }, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"%s\" has several elements a row, and Minari stores one; use another format",
               column->path);
  return FALSE;
}

static gboolean
add_columns (Export *self, Space *observations, Space *actions, GError **error)
{
  self->is_dict = !has_one_observation (self);
  for (guint i = 0; i < self->rows->n_columns; i++)
    if (!add_column (self, &self->rows->columns[i], observations, actions, error))
      return FALSE;
  if (!observations->text && !observations->below)
    return fail_key (NEXT "observation", "observations, at the root and below \"next\"", error);
  if (!actions->text && !actions->below)
    return fail_key ("action", "actions", error);
  return add_rewards (self, error) && add_flags (self, error);
}

static gboolean
find_arrays (Export *self, GError **error)
{
  Space observations = { NULL, NULL }, actions = { NULL, NULL };
  gboolean found = add_columns (self, &observations, &actions, error);

  if (found)
    {
      put_level (&observations, self->observation);
      put_level (&actions, self->action);
    }
  g_free (observations.text);
  g_free (actions.text);
  g_clear_pointer (&observations.below, g_tree_unref);
  g_clear_pointer (&actions.below, g_tree_unref);
  return found;
}

/* ---- groups ---- */

static char *
name_group (gpointer data, gint64 group)
{
  return g_strdup_printf ("episode_%" G_GINT64_FORMAT, group);
}

static ReelMinariArray *
find_array (gpointer data, const ReelTensor *leaf)
{
  return g_hash_table_lookup (((const Export *) data)->arrays, leaf);
}

static gint64
count_rows (gpointer data, const ReelTensor *leaf, gint64 group)
{
  return reel_minari_array_count_rows (find_array (data, leaf), group);
}

static const ReelRowStream *
get_rows (gpointer data, const ReelTensor *leaf)
{
  return &find_array (data, leaf)->stream;
}

static const char *const attributes[] = { "id", "total_steps", NULL };

static gint64
get_attribute (gpointer data, gint64 group, guint attribute)
{
  const Export *self = data;

  return attribute == 0 ? group
                        : g_array_index (self->rows->episodes, ReelExportEpisode, group).n_steps;
}

static gboolean
check_losses (const Export *self, GError **error)
{
  gint64 n_lost = 0;
  GHashTableIter iter;
  gpointer array;

  g_hash_table_iter_init (&iter, self->arrays);
  while (g_hash_table_iter_next (&iter, NULL, &array))
    n_lost = MAX (n_lost, ((const ReelMinariArray *) array)->n_lost);
  if (n_lost == 0)
    return TRUE;
  g_set_error (
      error, REEL_ERROR, REEL_ERROR_VALUE,
      "below \"next\" %" G_GINT64_FORMAT
      " rows differ from the row after them in their episode, and Minari stores each state "
      "once; use another format",
      n_lost);
  return FALSE;
}

static gboolean
write_episodes (Export *self, int fd, const char *path, GError **error)
{
  g_autoptr (ReelTensordict) values = reel_tensordict_new (0, NULL);
  const ReelHdf5Groups groups = { .values = values,
                                  .outline = self->outline,
                                  .n_groups = self->rows->episodes->len,
                                  .name_group = name_group,
                                  .count_rows = count_rows,
                                  .get_rows = get_rows,
                                  .data = self,
                                  .attributes = attributes,
                                  .get_attribute = get_attribute };

  return reel_hdf5_write (&groups, fd, path, error) && check_losses (self, error);
}

static gboolean
write_rows (Export *self, const char *directory, GError **error)
{
  g_autofree char *path = g_build_filename (directory, DATA, ROWS, NULL), *temporary = NULL;
  int fd = reel_file_begin_temporary (path, &temporary, error);

  return fd >= 0
         && reel_file_end_temporary (fd, path, write_episodes (self, fd, path, error), error)
         && reel_file_rename (temporary, path, error);
}

/* ---- metadata ---- */

/* NULL where the environment is not known, or is none of Gymnasium's, which is noted. */
static char *
describe_env (ReelReplayBuffer *buffer, GPtrArray *notes)
{
  g_autofree char *info = reel_replay_buffer_dup_info (buffer, "env");
  g_autoptr (json_t) record = info ? json_loads (info, 0, NULL) : NULL;
  const char *text = json_string_value (json_object_get (record, "text"));
  g_autofree char *why = text ? NULL : g_strdup ("the rows do not name it");
  char *spec = text ? reel_gymnasium_spec_new (text, &why) : NULL;

  if (!spec)
    g_ptr_array_add (notes, g_strdup_printf ("Minari cannot make the environment again: %s", why));
  return spec;
}

static gboolean
write_metadata (const Export *self, ReelReplayBuffer *buffer, const char *id, const char *directory,
                GPtrArray *notes, GError **error)
{
  g_autofree char *path = g_build_filename (directory, DATA, METADATA, NULL);
  g_autofree char *env = describe_env (buffer, notes), *text = NULL;
  g_autoptr (json_t) metadata = json_pack (
      "{s:I, s:I, s:s, s:b, s:s, s:s, s:s, s:s}", "total_episodes",
      (json_int_t) self->rows->episodes->len, "total_steps", (json_int_t) self->rows->n_rows,
      "data_format", "hdf5", "jpeg_encoding", FALSE, "observation_space", self->observation->str,
      "action_space", self->action->str, "dataset_id", id, "minari_version", VERSION);

  if (!metadata)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE, "a key is not UTF-8");
      return FALSE;
    }
  if (env)
    json_object_set_new (metadata, "env_spec", json_string (env));
  text = reel_json_to_string (metadata, REEL_JSON_SPACED);
  return reel_file_write_atomic (path, text, strlen (text), FALSE, error);
}

gboolean
reel_export_minari (const ReelExportRows *rows, ReelReplayBuffer *buffer, const char *id,
                    const char *directory, GPtrArray *notes, GError **error)
{
  g_autofree char *data = g_build_filename (directory, DATA, NULL);
  g_autoptr (ReelSpec) specs = reel_replay_buffer_dup_specs (buffer, NULL);
  g_autoptr (ReelTensordict) outline = reel_tensordict_new (0, NULL);
  g_autoptr (GHashTable) arrays = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GString) observation = g_string_new (NULL), action = g_string_new (NULL);
  Export self = { rows, specs, outline, arrays, observation, action, FALSE };

  return reel_directory_make (data, error) && find_arrays (&self, error)
         && write_rows (&self, directory, error)
         && write_metadata (&self, buffer, id, directory, notes, error);
}
