#include "layout.h"

#include <string.h>

/* %NULL with tensordicts alone, else a word for where there is a lazy stack or a tree. */
static const char *
find_other_kind (const ReelTensordict *td)
{
  ReelTensordictIter iter;
  const char *key;
  ReelTensordict *child;

  if (reel_tensordict_get_kind (td) != REEL_TENSORDICT_DICT)
    return "the root";
  reel_tensordict_iter_init (&iter, td);
  while (reel_tensordict_iter_next (&iter, &key, NULL, &child))
    if (child && find_other_kind (child))
      return key;
  return NULL;
}

gboolean
reel_layout_check (const ReelTensordict *td, GError **error)
{
  g_auto (GStrv) others = reel_tensordict_list_non_tensors (td);
  const char *other = find_other_kind (td);

  if (others[0])
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                 "\"%s\" is a non-tensor, and a storage holds tensors alone; remove it first",
                 others[0]);
  else if (other)
    g_set_error (
        error, REEL_ERROR, REEL_ERROR_TYPE,
        "there is a lazy stack or a tree at \"%s\", and a storage holds tensordicts alone; "
        "make it contiguous first",
        other);
  return !others[0] && !other;
}

static ReelTensordict *
new_with_slots (const ReelTensordict *td, gint64 n_slots)
{
  gint extra = n_slots >= 0 ? 1 : 0, ndim;
  const gint64 *batch = reel_tensordict_get_batch_size (td, &ndim);
  gint64 shape[REEL_MAX_NDIM + 1] = { n_slots };
  const char *names[REEL_MAX_NDIM + 1] = { NULL };
  ReelTensordict *result;

  for (gint i = 0; i < ndim; i++)
    {
      shape[extra + i] = batch[i];
      names[extra + i] = reel_tensordict_get_name (td, i);
    }
  result = reel_tensordict_new (extra + ndim, shape);
  reel_tensordict_set_names (result, names, NULL);
  return result;
}

static ReelTensordict *
map_level (const ReelTensordict *td, gint64 n_slots, const char *prefix, ReelLeafFunc func,
           gpointer user_data, GError **error)
{
  g_autoptr (ReelTensordict) result = new_with_slots (td, n_slots);
  ReelTensordictIter iter;
  const char *key;
  ReelTensor *tensor;
  ReelTensordict *child;

  reel_tensordict_iter_init (&iter, td);
  while (reel_tensordict_iter_next (&iter, &key, &tensor, &child))
    {
      g_autofree char *name = reel_path_escape (key);
      g_autofree char *path = g_strconcat (prefix, name, NULL);
      g_autofree char *below = g_strconcat (path, "/", NULL);
      g_autoptr (ReelTensor) leaf = tensor ? func (tensor, path, user_data, error) : NULL;
      g_autoptr (ReelTensordict) nested =
          child ? map_level (child, n_slots, below, func, user_data, error) : NULL;

      if (tensor && (!leaf || !reel_tensordict_set_tensor (result, name, leaf, error)))
        return NULL;
      if (child && (!nested || !reel_tensordict_set_tensordict (result, name, nested, error)))
        return NULL;
    }
  return g_steal_pointer (&result);
}

ReelTensordict *
reel_layout_map (const ReelTensordict *td, gint64 n_slots, ReelLeafFunc func, gpointer user_data,
                 GError **error)
{
  if (!reel_layout_check (td, error))
    return NULL;
  return map_level (td, n_slots, "", func, user_data, error);
}
