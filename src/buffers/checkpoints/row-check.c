/* Whether the rows of a buffer are inside their specs. */
#include "../../specs/element.h"
#include "../../specs/spec-kind.h"
#include "buffer-specs.h"
#include "../storages/item-storage.h"

#include <string.h>

/* Bytes of all columns that are looked at before the next steps are: within the second cache. */
#define CHUNK_BYTES ((gsize) 1 << 18)

/* One leaf of the spec and where it is stored. */
typedef struct
{
  const ReelSpec *spec;
  char *path;
  ReelTensor *steps; /* [capacity, lanes…, feature…] */
  gint64 row_elements;
} Leaf;

/* Where reading is. */
typedef struct
{
  ReelStorage *storage;
  ReelStorageView view;
  GArray *leaves;
  gint64 lanes;
  gint64 chunk_steps;
} Check;

static void
clear_leaf (gpointer data)
{
  Leaf *leaf = data;

  g_free (leaf->path);
  g_clear_pointer (&leaf->steps, reel_tensor_unref);
}

void
reel_row_fault_free (ReelRowFault *fault)
{
  if (!fault)
    return;
  g_free (fault->path);
  g_free (fault->element);
  g_free (fault->value);
  g_free (fault->bound);
  g_free (fault->message);
  g_free (fault);
}

/* ---- what is checked ---- */

/* A fault of a whole column. */
static ReelRowFault *
refuse_column (const char *path, const char *message)
{
  ReelRowFault *fault = g_new0 (ReelRowFault, 1);

  fault->row = fault->step = fault->lane = -1;
  fault->path = g_strdup (path);
  fault->message = g_strdup (message);
  return fault;
}

/* One row of a column, without the dimensions that say which. */
static ReelTensor *
take_row (const Check *check, ReelTensor *column, GError **error)
{
  g_autoptr (ReelTensor) row = reel_tensor_ref (column);

  for (gint d = 0; row && d < reel_storage_get_ndim (check->storage); d++)
    {
      ReelTensor *of = row;

      row = reel_tensor_select (of, 0, 0, error);
      reel_tensor_unref (of);
    }
  return g_steal_pointer (&row);
}

/* Whether a column can be compared with @spec at all; said of a row where it cannot. */
static gboolean
check_kind (const Check *check, const ReelSpec *spec, ReelTensor *column, GError **error)
{
  g_autoptr (ReelTensor) none = reel_tensor_slice (column, 0, 0, 0, 1, error);
  g_autoptr (ReelTensor) row = NULL;
  g_autoptr (GError) reason = NULL;

  if (!none)
    return FALSE;
  if (reel_spec_is_in (spec, none, &reason))
    return TRUE;
  row = take_row (check, column, error);
  if (row && reel_spec_is_in (spec, row, error))
    g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

static ReelRowFault *
add_leaf (Check *check, const ReelSpec *spec, const char *path)
{
  ReelTensordict *data = reel_storage_get_data (check->storage);
  ReelTensor *column = data ? reel_tensordict_get_tensor (data, path, NULL) : NULL;
  Leaf leaf = { .spec = reel_spec_get (spec, path, NULL), .path = NULL };
  g_autoptr (GError) reason = NULL;

  if (!column)
    return refuse_column (path, "is in the spec and not stored");
  if (!check_kind (check, leaf.spec, column, &reason))
    return refuse_column (path, reason->message);
  leaf.path = g_strdup (path);
  leaf.steps = reel_tensor_ref (column);
  leaf.row_elements =
      reel_tensor_numel (column) / MAX (column->shape[0], 1) / MAX (check->lanes, 1);
  g_array_append_val (check->leaves, leaf);
  return NULL;
}

static ReelRowFault *
add_leaves (Check *check, const ReelSpec *spec)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (spec);
  gsize step_bytes = 1;

  for (char **path = paths; *path; path++)
    {
      ReelRowFault *fault = add_leaf (check, spec, *path);

      if (fault)
        return fault;
    }
  for (guint i = 0; i < check->leaves->len; i++)
    {
      const ReelTensor *steps = g_array_index (check->leaves, Leaf, i).steps;
      step_bytes += reel_tensor_nbytes (steps) / (gsize) MAX (steps->shape[0], 1);
    }
  check->chunk_steps = MAX ((gint64) (CHUNK_BYTES / step_bytes), 1);
  return NULL;
}

/* ---- rows ---- */

static char *
format_element (const Leaf *leaf, gint64 element)
{
  const ReelTensor *steps = leaf->steps;
  gint ndim = 0;
  gint64 index[REEL_MAX_NDIM], inside = 1;

  while (ndim < steps->ndim && inside < leaf->row_elements)
    inside *= steps->shape[steps->ndim - ++ndim];
  for (gint i = ndim; i-- > 0;)
    {
      gint64 extent = steps->shape[steps->ndim - ndim + i];

      index[i] = element % extent;
      element /= extent;
    }
  return reel_spec_format_shape (ndim, index, ", ");
}

static ReelRowFault *
refuse_row (const Check *check, const Leaf *leaf, gint64 number, gint64 element, const guint8 *data,
            const char *why)
{
  ReelRowFault *fault = g_new0 (ReelRowFault, 1);
  const char *bound = strstr (why, ", not ");

  fault->row = number - check->view.first_row;
  fault->step = fault->row / check->lanes;
  fault->lane = fault->row % check->lanes;
  fault->path = g_strdup (leaf->path);
  fault->element = format_element (leaf, element);
  fault->value = reel_element_format (leaf->spec->dtype, data);
  fault->bound = g_strdup (bound ? bound + strlen (", not ") : why);
  fault->message = g_strdup (why);
  return fault;
}

/* The first row of steps [first, end), which lie one after the other, in which @leaf is outside:
 * its number, or −1. */
static gboolean
check_leaf (const Check *check, const Leaf *leaf, gint64 first, gint64 end, ReelRowFault **fault,
            GError **error)
{
  gint64 slot = first % leaf->steps->shape[0];
  g_autoptr (ReelTensor) steps =
      reel_tensor_slice (leaf->steps, 0, slot, slot + end - first, 1, error);
  g_autofree char *why = NULL;
  gint64 element, row;

  if (!steps || !reel_spec_find_outside (leaf->spec, steps, &element, &why, error))
    return FALSE;
  if (element < 0)
    return TRUE;
  row = first * check->lanes + element / leaf->row_elements;
  if (*fault && (*fault)->row + check->view.first_row <= row)
    return TRUE;
  g_clear_pointer (fault, reel_row_fault_free);
  *fault = refuse_row (check, leaf, row, element % leaf->row_elements,
                       steps->data + (gsize) element * reel_dtype_size (leaf->spec->dtype), why);
  return TRUE;
}

/* The steps from @first on that lie one after the other, a chunk at most. */
static gint64
chunk_end (const Check *check, gint64 first)
{
  gint64 capacity = check->view.capacity / check->lanes;
  gint64 end = MIN (first + check->chunk_steps, check->view.end_row / check->lanes);

  return MIN (end, first - first % capacity + capacity);
}

/* A fault in rows that the writer has overwritten meanwhile is none. */
static gboolean
check_chunk (const Check *check, gint64 *first, gint64 end, ReelRowFault **fault, GError **error)
{
  gint64 intact;

  for (guint i = 0; i < check->leaves->len; i++)
    if (!check_leaf (check, &g_array_index (check->leaves, Leaf, i), *first, end, fault, error))
      return FALSE;
  intact = reel_storage_first_intact_row (check->storage);
  if (!*fault || (*fault)->row + check->view.first_row >= intact)
    *first = end;
  else
    {
      g_clear_pointer (fault, reel_row_fault_free);
      *first = intact / check->lanes;
    }
  return TRUE;
}

gboolean
reel_replay_buffer_check_rows (ReelReplayBuffer *self, const ReelSpec *spec, gint64 *n_rows,
                               ReelRowFault **fault, GError **error)
{
  g_autoptr (GArray) leaves = g_array_new (FALSE, FALSE, sizeof (Leaf));
  Check check = { .storage = reel_replay_buffer_get_storage (self), .leaves = leaves };
  gint64 step;

  g_return_val_if_fail (spec && reel_spec_is_composite (spec), FALSE);
  g_return_val_if_fail (fault, FALSE);

  if (!reel_item_storage_check_columns (check.storage, "comparing rows with a spec", error))
    return FALSE;
  g_array_set_clear_func (leaves, clear_leaf);
  reel_storage_get_view (check.storage, &check.view);
  check.lanes = MAX (check.view.lanes, 1);
  *fault = add_leaves (&check, spec);
  step = check.view.first_row / check.lanes;
  while (!*fault && step * check.lanes < check.view.end_row)
    if (!check_chunk (&check, &step, chunk_end (&check, step), fault, error))
      return FALSE;
  if (n_rows)
    *n_rows = *fault ? MAX ((*fault)->row, 0) : step * check.lanes - check.view.first_row;
  return TRUE;
}
