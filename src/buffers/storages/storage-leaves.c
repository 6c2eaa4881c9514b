/* Finds the tensor of each column in data that are to be stored, and
 * names the first that does not fit. */
#include "storage-leaves.h"

#include "layout.h"
#include "storage-state.h"

#include <string.h>

/* The same but for the steps, of which the first may lack the dimension. */
static gboolean
shape_equal (const ReelTensor *leaf, gint n_step_dims, const ReelTensor *stored)
{
  gint n = stored->ndim - 1;
  gboolean equal = leaf->ndim == n_step_dims + n;

  for (gint i = 0; equal && i < n; i++)
    equal = leaf->shape[n_step_dims + i] == stored->shape[1 + i];
  return equal;
}

/* ---- in the same order ---- */

typedef struct
{
  gint n_step_dims;
  const ReelTensor **next;
} Match;

static gboolean
key_equal (const ReelTensordictEntry *a, const ReelTensordictEntry *b)
{
  return a->hash == b->hash && a->length == b->length
         && memcmp (a->escaped, b->escaped, a->length) == 0;
}

static gboolean
match_level (Match *match, const ReelTensordict *data, const ReelTensordict *stored)
{
  if (data->kind != stored->kind || data->entries->len != stored->entries->len)
    return FALSE;
  for (guint i = 0; i < stored->entries->len; i++)
    {
      const ReelTensordictEntry *entry = data->entries->pdata[i];
      const ReelTensordictEntry *wanted = stored->entries->pdata[i];

      if (!key_equal (entry, wanted) || !entry->tensor != !wanted->tensor
          || !entry->child != !wanted->child)
        return FALSE;
      if (entry->child && !match_level (match, entry->child, wanted->child))
        return FALSE;
      if (!entry->tensor)
        continue;
      if (entry->tensor->dtype != wanted->tensor->dtype
          || !shape_equal (entry->tensor, match->n_step_dims, wanted->tensor))
        return FALSE;
      *match->next++ = entry->tensor;
    }
  return TRUE;
}

gboolean
reel_storage_match_leaves (ReelStorage *self, const ReelTensordict *data, gint n_step_dims,
                           const ReelTensor **leaves)
{
  Match match = { n_step_dims, leaves };

  return match_level (&match, data, reel_storage_state (self)->data);
}

/* ---- in any order ---- */

static gboolean
set_shape_error (const ReelColumn *column, const ReelTensor *leaf, const ReelTensor *stored,
                 GError **error)
{
  g_autoptr (GString) found = g_string_new (NULL), expected = g_string_new (NULL);

  for (gint i = 1; i < leaf->ndim; i++)
    g_string_append_printf (found, "%s%" G_GINT64_FORMAT, i > 1 ? ", " : "", leaf->shape[i]);
  for (gint i = 1; i < stored->ndim; i++)
    g_string_append_printf (expected, "%s%" G_GINT64_FORMAT, i > 1 ? ", " : "", stored->shape[i]);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "\"%s\" has shape [%s] a step, the storage holds [%s]", column->path, found->str,
               expected->str);
  return FALSE;
}

static gboolean
check_leaf (const ReelColumn *column, const ReelTensor *leaf, const ReelTensor *stored,
            GError **error)
{
  if (leaf->dtype != column->dtype)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is %s, the storage holds %s",
                   column->path, reel_dtype_name (leaf->dtype), reel_dtype_name (column->dtype));
      return FALSE;
    }
  return shape_equal (leaf, 1, stored) || set_shape_error (column, leaf, stored, error);
}

static gboolean
check_keys (ReelStorage *self, ReelTensordict *data, GError **error)
{
  g_auto (GStrv) paths = reel_tensordict_list_leaves (data);

  if (!reel_layout_check (data, error))
    return FALSE;
  for (gsize i = 0; paths[i]; i++)
    if (reel_storage_find_column (self, paths[i], error) < 0)
      {
        g_prefix_error (
            error,
            "its layout was fixed by the first write, so \"%s\" cannot be added: ", paths[i]);
        return FALSE;
      }
  return TRUE;
}

gboolean
reel_storage_find_leaves (ReelStorage *self, ReelTensordict *data, const ReelTensor **leaves,
                          GError **error)
{
  ReelStoragePrivate *state = reel_storage_state (self);

  if (reel_storage_match_leaves (self, data, 1, leaves))
    return TRUE;
  if (!check_keys (self, data, error))
    return FALSE;
  for (guint i = 0; i < state->columns.n; i++)
    {
      const ReelColumn *column = &state->columns.at[i];
      const ReelTensor *stored = reel_tensordict_get_tensor (state->data, column->path, error);

      leaves[i] = reel_tensordict_get_tensor (data, column->path, error);
      if (!leaves[i] || !stored || !check_leaf (column, leaves[i], stored, error))
        return FALSE;
    }
  return TRUE;
}
