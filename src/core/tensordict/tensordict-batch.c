/* The batch size of a tensordict. */
#include "tensordict-private.h"

#include <string.h>

static gboolean
begins_with (gint ndim, const gint64 *shape, gint n, const gint64 *batch_size)
{
  return n == 0 || (ndim >= n && memcmp (shape, batch_size, n * sizeof *shape) == 0);
}

static gboolean
set_incompatible_error (const ReelTensordictEntry *entry, gint n, const gint64 *batch_size,
                        GError **error)
{
  const char *type = entry->tensor ? "Tensor" : entry->child ? "TensorDict" : "NonTensorStack";
  const ReelTensor *tensor =
      entry->non_tensor ? reel_non_tensor_get_which (entry->non_tensor) : entry->tensor;
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (text, "the %s %s has shape ", type, entry->key);
  reel_tensordict_append_size (text, tensor ? tensor->ndim : entry->child->ndim,
                               tensor ? tensor->shape : entry->child->batch_size);
  g_string_append (text, " which is incompatible with the batch-size ");
  reel_tensordict_append_size (text, n, batch_size);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "%s.", text->str);
  return FALSE;
}

static gboolean
non_tensor_fits (const ReelNonTensor *value, gint n, const gint64 *batch_size)
{
  const ReelTensor *which = reel_non_tensor_get_which (value);

  return begins_with (which->ndim, which->shape, n, batch_size);
}

/* Nested ones with fewer dimensions are widened, unless they are lazy stacks, as is one value for
 * all; empty ones stand in nobody's way. */
static gboolean
check_entries (const ReelTensordict *td, gint n, const gint64 *batch_size, GError **error)
{
  const ReelTensordictEntry *entry;

  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    {
      gboolean fits;
      if (entry->tensor)
        fits = begins_with (entry->tensor->ndim, entry->tensor->shape, n, batch_size);
      else if (entry->non_tensor)
        fits = reel_non_tensor_is_single (entry->non_tensor)
               || non_tensor_fits (entry->non_tensor, n, batch_size);
      else if (entry->child->ndim < n && !entry->child->elements)
        {
          if (!check_entries (entry->child, n, batch_size, error))
            return FALSE;
          fits = TRUE;
        }
      else
        fits = begins_with (entry->child->ndim, entry->child->batch_size, n, batch_size)
               || !reel_tensordict_has_leaves (entry->child);
      if (!fits)
        return set_incompatible_error (entry, n, batch_size, error);
    }
  return TRUE;
}

static void
resize (ReelTensordict *td, gint n, const gint64 *batch_size)
{
  const ReelTensordictEntry *entry;

  for (gint i = n; i < td->ndim; i++)
    g_clear_pointer (&td->names[i], g_free);
  memcpy (td->batch_size, batch_size, n * sizeof *batch_size);
  td->ndim = n;
  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    if (entry->child && entry->child->ndim < n && !entry->child->elements)
      resize (entry->child, n, batch_size);
    else if (entry->non_tensor && !non_tensor_fits (entry->non_tensor, n, batch_size))
      reel_tensordict_put (td, entry->key,
                           (ReelTensordictValue){ .non_tensor = reel_non_tensor_resize (
                                                      entry->non_tensor, n, batch_size, NULL) });
}

gboolean
reel_tensordict_set_batch_size (ReelTensordict *td, gint ndim, const gint64 *batch_size,
                                GError **error)
{
  gint64 copy[REEL_MAX_NDIM] = { 0 };

  if (td->elements)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "the batch size of a lazy stack is that of its elements: set theirs "
                           "before they are stacked");
      return FALSE;
    }
  if (!reel_shape_check (ndim, batch_size, 1, error)
      || !check_entries (td, ndim, batch_size, error))
    return FALSE;
  /* Which may be @td's own. */
  for (gint i = 0; i < ndim; i++)
    copy[i] = batch_size[i];
  resize (td, ndim, copy);
  return TRUE;
}
