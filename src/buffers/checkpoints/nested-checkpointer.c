/* Flat rows, cut into trajectories. */
#include "ted-checkpointer.h"

#include "../../core/error.h"
#include "../../core/ragged.h"

#include <string.h>

struct _ReelNestedCheckpointer
{
  ReelTedCheckpointer parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelNestedCheckpointer, reel_nested_checkpointer, REEL, NESTED_CHECKPOINTER,
                      ReelTedCheckpointer)
G_DEFINE_FINAL_TYPE (ReelNestedCheckpointer, reel_nested_checkpointer, REEL_TYPE_TED_CHECKPOINTER)

/* ---- to trajectories ---- */

static ReelTensordict *
cut_leaf (ReelTensor *leaf, const gint64 *lengths, gint64 n, GError **error)
{
  const gint64 shape[] = { n, leaf->ndim }, numel = reel_tensor_numel (leaf);
  g_autoptr (ReelTensor) values = reel_tensor_view (leaf, 1, &numel, error);
  g_autoptr (ReelTensor) sizes =
      values ? reel_tensor_new (REEL_DTYPE_INT64, 2, shape, error) : NULL;

  for (gint64 i = 0; sizes && i < n; i++)
    {
      gint64 *size = (gint64 *) (sizes->data + i * sizes->strides[0]);

      memcpy (size, leaf->shape, (gsize) leaf->ndim * sizeof *size);
      size[0] = lengths[i];
    }
  return sizes ? reel_ragged_new (values, sizes, 0, NULL, error) : NULL;
}

static gboolean
write_trajectories (const ReelTensordict *flat, gint64 length, const char *path, GError **error)
{
  g_autoptr (ReelFlatCut) cut = reel_flat_cut_new (flat, error);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (flat);
  g_autoptr (ReelTensordict) nested = cut ? reel_tensordict_new (1, &cut->n) : NULL;

  if (!nested || !reel_flat_ted_copy_values (flat, nested, error))
    return FALSE;
  for (gsize i = 0; leaves[i]; i++)
    {
      ReelTensor *leaf = reel_tensordict_get_tensor (flat, leaves[i], error);
      g_autoptr (ReelTensordict) ragged =
          leaf ? cut_leaf (leaf, reel_flat_cut_choose (cut, flat, leaf), cut->n, error) : NULL;

      if (!ragged || !reel_tensordict_set_tensordict (nested, leaves[i], ragged, error))
        return FALSE;
    }
  return reel_tensordict_save (nested, path, REEL_SAVE_DEFAULT, error);
}

/* ---- and back ---- */

/* One tensor of the rows of all trajectories. */
static ReelTensor *
join_leaf (const ReelTensordict *ragged, const char *key, GError **error)
{
  g_autoptr (ReelTensor) sizes = reel_ragged_get_sizes (ragged);
  g_autoptr (ReelTensor) values = reel_ragged_get_values (ragged, error);
  const gint64 *first = (const gint64 *) sizes->data;
  gint64 shape[REEL_MAX_NDIM], n = sizes->shape[1];

  memcpy (shape, first, (gsize) n * sizeof *shape);
  for (gint64 i = 1; values && i < sizes->shape[0]; i++)
    {
      const gint64 *size = first + i * n;

      if (memcmp (size + 1, shape + 1, (gsize) (n - 1) * sizeof *shape) != 0)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                       "\"%s\": trajectories 0 and %" G_GINT64_FORMAT " have rows of other shapes",
                       key, i);
          return NULL;
        }
      shape[0] += size[0];
    }
  return values ? reel_tensor_view (values, (gint) n, shape, error) : NULL;
}

static gboolean join_level (const ReelTensordict *from, const char *prefix, ReelTensordict *flat,
                            GError **error);

static gboolean
join_entry (const char *path, const ReelTensor *tensor, const ReelTensordict *child,
            ReelTensordict *flat, GError **error)
{
  g_autoptr (ReelTensor) rows = NULL;

  if (tensor)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                   "\"%s\" is one tensor, one of ragged rows expected", path);
      return FALSE;
    }
  if (!child)
    return TRUE;
  if (!reel_ragged_is (child))
    return join_level (child, path, flat, error);
  rows = join_leaf (child, path, error);
  return rows && reel_tensordict_set_tensor (flat, path, rows, error);
}

static gboolean
join_level (const ReelTensordict *from, const char *prefix, ReelTensordict *flat, GError **error)
{
  ReelTensordictIter iter;
  const char *key;
  ReelTensor *tensor;
  ReelTensordict *child;

  reel_tensordict_iter_init (&iter, from);
  while (reel_tensordict_iter_next (&iter, &key, &tensor, &child))
    {
      g_autofree char *name = reel_path_escape (key);
      g_autofree char *path = *prefix ? g_strconcat (prefix, "/", name, NULL) : g_strdup (name);

      if (!join_entry (path, tensor, child, flat, error))
        return FALSE;
    }
  return TRUE;
}

static ReelTensordict *
read_trajectories (const char *path, gint64 *length, GPtrArray *warnings, GError **error)
{
  g_autoptr (ReelTensordict) nested = reel_ted_checkpointer_map (path, warnings, error);
  g_autoptr (ReelTensordict) flat = nested ? reel_tensordict_new (0, NULL) : NULL;

  if (!flat)
    return NULL;
  if (reel_flat_ted_copy_values (nested, flat, error) && join_level (nested, "", flat, error))
    return g_steal_pointer (&flat);
  g_prefix_error (error, "%s: ", path);
  return NULL;
}

static void
reel_nested_checkpointer_class_init (ReelNestedCheckpointerClass *klass)
{
  static const ReelId ids[] = {
    { "nested", NULL, "TED data, a ragged row a trajectory" },
    { "NestedStorageCheckpointer", NULL, "TED data, a ragged row a trajectory, by TorchRL's name" },
    { NULL },
  };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_CHECKPOINTER_CLASS (klass)->format = "nested";
  REEL_TED_CHECKPOINTER_CLASS (klass)->is_cut = TRUE;
  REEL_TED_CHECKPOINTER_CLASS (klass)->write = write_trajectories;
  REEL_TED_CHECKPOINTER_CLASS (klass)->read = read_trajectories;
}

static void
reel_nested_checkpointer_init (ReelNestedCheckpointer *self)
{
}
