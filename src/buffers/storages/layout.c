/* Makes a tensordict of the same structure as another, with a function for each leaf. */
#include "layout.h"

/* %NULL where storages can hold it, else the key of a lazy stack, or of a tree in a tensordict. */
static const char *
find_other_kind (const ReelTensordict *td)
{
  gboolean is_tree = reel_tensordict_is_tree (td);
  const ReelTensordictEntry *entry;

  if (reel_tensordict_get_kind (td) == REEL_TENSORDICT_LAZY_STACK)
    return "the root";
  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    if (entry->child
        && ((!is_tree && reel_tensordict_is_tree (entry->child)) || find_other_kind (entry->child)))
      return entry->key;
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
        "there is a lazy stack, or a tree in a tensordict, at \"%s\": a storage holds tensordicts, "
        "or trees of tensors; make it contiguous first",
        other);
  return !others[0] && !other;
}

ReelTensordict *
reel_layout_new_level (const ReelTensordict *like, gint ndim, const gint64 *batch_size)
{
  const char *class_name = reel_tensordict_get_class_name (like);
  ReelTensordict *level;

  if (reel_tensordict_is_tree (like))
    return reel_tensordict_new_like (like, ndim, batch_size);
  level = reel_tensordict_new (ndim, batch_size);
  if (class_name)
    reel_tensordict_set_class (level, class_name, reel_tensordict_get_class_fields (like), NULL);
  return level;
}

gboolean
reel_layout_add (ReelTensordict *level, const ReelTensordictEntry *like, ReelTensor *leaf,
                 ReelTensordict *child, GError **error)
{
  if (!reel_tensordict_is_tree (level))
    return leaf ? reel_tensordict_set_tensor (level, like->escaped, leaf, error)
                : reel_tensordict_set_tensordict (level, like->escaped, child, error);
  reel_tensordict_append_like (level, like,
                               leaf
                                   ? (ReelTensordictValue){ .tensor = reel_tensor_ref (leaf) }
                                   : (ReelTensordictValue){ .child = reel_tensordict_ref (child) });
  return TRUE;
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
  result = reel_layout_new_level (td, extra + ndim, shape);
  reel_tensordict_set_names (result, names, NULL);
  return result;
}

static ReelTensordict *
map_level (const ReelTensordict *td, gint64 n_slots, const char *prefix, ReelLeafFunc func,
           gpointer user_data, GError **error)
{
  g_autoptr (ReelTensordict) result = new_with_slots (td, n_slots);
  const ReelTensordictEntry *entry;

  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    {
      g_autofree char *path = g_strconcat (prefix, entry->escaped, NULL);
      g_autofree char *below = g_strconcat (path, "/", NULL);
      g_autoptr (ReelTensor) leaf =
          entry->tensor ? func (entry->tensor, path, user_data, error) : NULL;
      g_autoptr (ReelTensordict) nested =
          entry->child ? map_level (entry->child, n_slots, below, func, user_data, error) : NULL;

      if ((!leaf && !nested) || !reel_layout_add (result, entry, leaf, nested, error))
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
