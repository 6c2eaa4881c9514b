/* The files of a prioritized sampler: two leaves without a meta.json, and numbers in JSON. */
#include "checkpoint-files.h"

#include "../../core/system/directories.h"
#include "../../core/object/error.h"
#include "../../core/system/files.h"
#include "../../core/tensor/mapped-memory.h"
#include "../../core/tensordict/state-values.h"

#include <string.h>

#define METADATA "sampler_metadata.json"

static const char *const leaves[] = { "sumtree", "mintree" };
static const char *const reals[] = { "_alpha", "_beta", "_eps", "_max_capacity" };

static char *
leaf_path (const char *path, const char *key)
{
  g_autofree char *name = g_strconcat (key, ".memmap", NULL);

  return g_build_filename (path, name, NULL);
}

/* ---- reading ---- */

static gboolean
read_real (const json_t *root, const char *where, const char *key, ReelTensordict *state,
           GError **error)
{
  const json_t *member = json_object_get (root, key);
  const double value = json_number_value (member);

  if (!json_is_number (member))
    return reel_json_bad_member (root, where, key, "a number", error);
  return reel_state_set (state, key, REEL_DTYPE_FLOAT64, 0, 1, &value, error);
}

/* A pair of priority and slot; of versions up to 0.4 the priority alone; null before any was told.
 */
static gboolean
read_greatest (const json_t *root, const char *where, ReelTensordict *state, GError **error)
{
  const char *const key = "_max_priority";
  const json_t *member = json_object_get (root, key), *slot = NULL;
  double pair[2] = { 1, 0 };

  if (json_is_array (member) && json_array_size (member) == 2)
    {
      slot = json_array_get (member, 1);
      member = json_array_get (member, 0);
    }
  if ((!json_is_number (member) && !json_is_null (member))
      || (slot && !json_is_number (slot) && !json_is_null (slot)))
    return reel_json_bad_member (root, where, key, "a pair of numbers", error);
  if (json_is_number (member))
    pair[0] = json_number_value (member);
  if (json_is_number (slot))
    pair[1] = json_number_value (slot);
  return reel_state_set (state, key, REEL_DTYPE_FLOAT64, 1, 2, pair, error);
}

static gboolean
map_leaf (const char *path, const char *key, gint64 n, ReelTensordict *state, GError **error)
{
  g_autofree char *file = leaf_path (path, key);
  g_autoptr (ReelMemory) memory = reel_memory_new_mapped (REEL_MEMORY_FILE, file, -1, REEL_MAP_READ,
                                                          n * (gint64) sizeof (double), error);
  g_autoptr (ReelTensor) tensor =
      memory ? reel_tensor_new_from_memory (memory, 0, REEL_DTYPE_FLOAT64, 1, &n, NULL, error)
             : NULL;

  return tensor && reel_tensordict_set_tensor (state, key, tensor, error);
}

static gboolean
check_size (const json_t *root, const char *where, gint64 *n, GError **error)
{
  double size = json_number_value (json_object_get (root, "_max_capacity"));

  *n = size >= 1 && size < 0x1p53 ? (gint64) size : 0;
  return (*n > 0 && (double) *n == size)
         || reel_json_bad_member (root, where, "_max_capacity", "a whole number above 0", error);
}

ReelTensordict *
reel_checkpoint_read_priorities (const char *path, GError **error)
{
  g_autofree char *where = g_build_filename (path, METADATA, NULL);
  g_autoptr (json_t) root = reel_json_load_file (where, error);
  g_autoptr (ReelTensordict) state = reel_tensordict_new (0, NULL);
  gint64 n, version;

  if (!root
      || !reel_json_get_int64_or (root, where, "_schema_version", 0, G_MAXINT64, 0, &version, error)
      || !read_greatest (root, where, state, error) || !check_size (root, where, &n, error)
      || !reel_state_set (state, "_schema_version", REEL_DTYPE_INT64, 0, 1, &version, error))
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (reals); i++)
    if (!read_real (root, where, reals[i], state, error))
      return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (leaves); i++)
    if (!map_leaf (path, leaves[i], n, state, error))
      return NULL;
  return g_steal_pointer (&state);
}

/* ---- writing ---- */

static char *
metadata_text (const ReelTensordict *state)
{
  const double *greatest =
      (const double *) reel_tensordict_get_tensor (state, "_max_priority", NULL)->data;
  g_autoptr (json_t) root = json_object ();

  for (gsize i = 0; i < G_N_ELEMENTS (reals); i++)
    json_object_set_new (
        root, reals[i],
        json_real (*(const double *) reel_tensordict_get_tensor (state, reals[i], NULL)->data));
  json_object_set_new (root, "_max_priority", json_pack ("[f, f]", greatest[0], greatest[1]));
  json_object_set_new (root, "_schema_version", json_integer (1));
  return reel_json_to_string (root, REEL_JSON_SPACED);
}

gboolean
reel_checkpoint_write_priorities (const char *path, const ReelTensordict *state, GError **error)
{
  g_autofree char *metadata = g_build_filename (path, METADATA, NULL);
  g_autofree char *text = metadata_text (state);
  ReelFileContent files[G_N_ELEMENTS (leaves) + 1];
  gboolean written;

  if (!reel_directory_make (path, error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (leaves); i++)
    {
      const ReelTensor *leaf = reel_tensordict_get_tensor (state, leaves[i], NULL);

      files[i] =
          (ReelFileContent){ leaf_path (path, leaves[i]), leaf->data, reel_tensor_nbytes (leaf) };
    }
  files[G_N_ELEMENTS (leaves)] = (ReelFileContent){ metadata, text, strlen (text) };
  written = reel_files_write_atomic (files, G_N_ELEMENTS (files), TRUE, error);
  for (gsize i = 0; i < G_N_ELEMENTS (leaves); i++)
    g_free ((char *) files[i].path);
  return written;
}
