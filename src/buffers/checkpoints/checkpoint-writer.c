/* The state of a writer below `writer`, in the files of TorchRL's: JSON, and a leaf beside it. */
#include "checkpoint-writer.h"
#include "checkpoint-files.h"

#include "../../core/object/error.h"
#include "../../core/tensor/mapped-memory.h"
#include "../../core/tensordict/tensordict-private.h"
#include "../../core/tensordict/state-values.h"

#include <string.h>

/* Members of a state besides the counts, and their names in files. */
typedef struct
{
  const char *key;
  const char *file;
  const char *dtype; /* members of the JSON */
  const char *shape;
  gint ndim;
} Leaf;

static const Leaf leaves[] = {
  { "_current_top_values", "current_top_values.memmap", "dtype", "shape", 2 },
  { "_generation", "generation.memmap", "generation_dtype", "generation_shape", 1 },
};

/* ---- reading ---- */

/* A path; TorchRL has a list of keys, or the key where it is one. */
static gboolean
read_rank_key (const json_t *root, const char *where, ReelTensordict *state, GError **error)
{
  const json_t *member = json_object_get (root, "rank_key");
  gsize n = json_is_string (member) ? 1 : json_array_size (member);
  g_autoptr (GString) path = g_string_new (NULL);

  for (gsize i = 0; i < n; i++)
    {
      const json_t *key = json_is_string (member) ? member : json_array_get (member, i);
      g_autofree char *escaped =
          json_is_string (key) ? reel_path_escape (json_string_value (key)) : NULL;

      if (!escaped)
        return reel_json_bad_member (root, where, "rank_key", "a key or a list of keys", error);
      g_string_append_printf (path, "%s%s", i > 0 ? "/" : "", escaped);
    }
  if (n == 0)
    return reel_json_bad_member (root, where, "rank_key", "a key or a list of keys", error);
  return reel_tensordict_set_value (state, "_rank_key", g_variant_new_string (path->str), error);
}

/* An empty list has the shape [0] there. */
static gboolean
read_shape (const json_t *root, const char *where, const Leaf *leaf, gint64 *shape, gint *ndim,
            GError **error)
{
  const json_t *member = json_object_get (root, leaf->shape);

  *ndim = (gint) MIN (json_array_size (member), 3);
  for (gint d = 0; d < *ndim; d++)
    {
      const json_t *extent = json_array_get (member, (gsize) d);

      shape[d] = json_is_integer (extent) ? json_integer_value (extent) : -1;
      if (shape[d] < 0 || shape[d] > G_MAXINT64 / 64)
        *ndim = -1;
    }
  return *ndim == leaf->ndim || (*ndim == 1 && shape[0] == 0)
         || reel_json_bad_member (root, where, leaf->shape, "a list of extents", error);
}

static gboolean
map_leaf (const json_t *root, const char *directory, const char *where, const Leaf *leaf,
          ReelTensordict *state, GError **error)
{
  const char *name = json_string_value (json_object_get (root, leaf->dtype));
  g_autofree char *file = g_build_filename (directory, leaf->file, NULL);
  g_autoptr (ReelMemory) memory = NULL;
  g_autoptr (ReelTensor) tensor = NULL;
  gint64 shape[3], bytes;
  ReelDtype dtype;
  gint ndim;

  if (!name || !reel_dtype_from_name (name, &dtype, NULL))
    return reel_json_bad_member (root, where, leaf->dtype, "a dtype", error);
  if (!read_shape (root, where, leaf, shape, &ndim, error))
    return FALSE;
  bytes = (gint64) reel_dtype_size (dtype);
  for (gint d = 0; d < ndim; d++)
    if (__builtin_mul_overflow (bytes, shape[d], &bytes))
      return reel_json_bad_member (root, where, leaf->shape, "the shape of a file", error);
  if (bytes == 0)
    tensor = reel_tensor_new (dtype, ndim, shape, error);
  else if ((memory =
                reel_memory_new_mapped (REEL_MEMORY_FILE, file, -1, REEL_MAP_READ, bytes, error)))
    tensor = reel_tensor_new_from_memory (memory, 0, dtype, ndim, shape, NULL, error);
  return tensor && reel_tensordict_set_tensor (state, leaf->key, tensor, error);
}

gboolean
reel_checkpoint_read_writer (const json_t *root, const char *directory, const char *where,
                             ReelTensordict *state, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (leaves); i++)
    if (json_object_get (root, leaves[i].shape)
        && !map_leaf (root, directory, where, &leaves[i], state, error))
      return FALSE;
  return !json_object_get (root, "rank_key") || read_rank_key (root, where, state, error);
}

/* ---- writing ---- */

static json_t *
describe_rank_key (const char *path)
{
  g_auto (GStrv) keys = reel_path_split (path, NULL);
  json_t *list = json_array ();

  for (gsize i = 0; keys && keys[i]; i++)
    json_array_append_new (list, json_string (keys[i]));
  if (json_array_size (list) == 1)
    {
      json_t *key = json_incref (json_array_get (list, 0));

      json_decref (list);
      return key;
    }
  return list;
}

static void
describe_leaf (json_t *root, const Leaf *leaf, const ReelTensor *tensor)
{
  g_autofree char *dtype = g_strconcat ("torch.", reel_dtype_name (tensor->dtype), NULL);
  json_t *shape = json_array ();

  for (gint d = 0; d < (reel_tensor_numel (tensor) > 0 ? tensor->ndim : 1); d++)
    json_array_append_new (shape, json_integer (tensor->shape[d]));
  json_object_set_new (root, leaf->dtype, json_string (dtype));
  json_object_set_new (root, leaf->shape, shape);
}

void
reel_checkpoint_describe_writer (json_t *root, const ReelTensordict *state)
{
  g_autoptr (GVariant) rank_key = reel_tensordict_contains (state, "_rank_key")
                                      ? reel_tensordict_dup_value (state, "_rank_key", NULL)
                                      : NULL;

  if (rank_key)
    json_object_set_new (root, "rank_key",
                         describe_rank_key (g_variant_get_string (rank_key, NULL)));
  for (gsize i = 0; i < G_N_ELEMENTS (leaves); i++)
    if (reel_tensordict_contains (state, leaves[i].key))
      describe_leaf (root, &leaves[i], reel_tensordict_get_tensor (state, leaves[i].key, NULL));
}

const char *
reel_checkpoint_find_writer_leaf (const ReelTensordict *state, const ReelTensor **tensor)
{
  for (gsize i = 0; i < G_N_ELEMENTS (leaves); i++)
    {
      *tensor = reel_tensordict_contains (state, leaves[i].key)
                    ? reel_tensordict_get_tensor (state, leaves[i].key, NULL)
                    : NULL;
      if (*tensor && reel_tensor_numel (*tensor) > 0)
        return leaves[i].file;
    }
  return NULL;
}
