#include "spec-change.h"

void
reel_spec_change_init (ReelSpecChange *change, const ReelSpec *spec, ReelSpecOp op)
{
  gboolean fixed = spec->kind->last == REEL_SPEC_LAST_FIXED;

  *change = (ReelSpecChange){ .op = op, .n_from = spec->ndim - fixed };
  for (gint i = 0; i < change->n_from; i++)
    change->from[i] = spec->shape[i];
}

void
reel_spec_change_clear (ReelSpecChange *change)
{
  g_clear_pointer (&change->rows, reel_tensor_unref);
}

static gint64
count (gint ndim, const gint64 *shape)
{
  gint64 n = 1;

  for (gint i = 0; i < ndim; i++)
    n *= ABS (shape[i]);
  return n;
}

/* ---- where the new rows come from ---- */

/* 0, 1, 2, … over the old rows. */
static ReelTensor *
number_rows (const ReelSpecChange *change, GError **error)
{
  gint64 shape[REEL_MAX_NDIM];
  ReelTensor *rows;

  for (gint i = 0; i < change->n_from; i++)
    shape[i] = ABS (change->from[i]);
  rows = reel_tensor_new (REEL_DTYPE_INT64, change->n_from, shape, error);
  for (gint64 i = 0; rows && i < reel_tensor_numel (rows); i++)
    ((gint64 *) (gpointer) rows->data)[i] = i;
  return rows;
}

/* Without the leading dimensions over which nothing changes, then contiguous. */
static ReelTensor *
pack (ReelTensor *given, GError **error)
{
  g_autoptr (ReelTensor) rows = given;

  while (rows && rows->ndim > 0 && rows->strides[0] == 0)
    {
      ReelTensor *first = reel_tensor_select (rows, 0, 0, error);

      reel_tensor_unref (rows);
      rows = first;
    }
  return rows ? reel_tensor_contiguous (rows, error) : NULL;
}

/* The numbers of the old rows that stand at the new ones; they repeat. A row is what lies right of
 * the dimensions that change. */
static const ReelTensor *
get_rows (ReelSpecChange *change, GError **error)
{
  gint64 shape[REEL_MAX_NDIM];
  g_autoptr (ReelTensor) all = NULL;
  ReelTensor *view;

  if (change->rows)
    return change->rows;
  all = number_rows (change, error);
  if (!all)
    return NULL;
  for (gint i = 0; i < change->n_to; i++)
    shape[i] = ABS (change->to[i]);
  view = reel_tensor_expand (all, change->n_to, shape, error);
  change->rows = view ? pack (view, error) : NULL;
  return change->rows;
}

/* ---- leaves ---- */

static gint64
get_period (const ReelSpec *spec)
{
  return spec->kind->get_period ? MAX (spec->kind->get_period (spec), 1) : 1;
}

/* Places of one row. */
static gint64
count_places (const ReelSpec *spec, const ReelSpecChange *change)
{
  gboolean fixed = spec->kind->last == REEL_SPEC_LAST_FIXED;

  return count (spec->ndim - fixed - change->n_from, spec->shape + change->n_from);
}

/* The domain of each new place, where rows are not alike and get out of order. */
static gboolean
take_rows (const ReelSpec *spec, ReelSpecChange *change, ReelSpec *copy, GError **error)
{
  const ReelTensor *rows = get_rows (change, error);
  gint64 n_places = count_places (spec, change);
  gint64 period = get_period (spec);
  const gint64 *from;
  g_autofree gint64 *places = NULL;

  if (!rows)
    return FALSE;
  from = (const gint64 *) (gpointer) rows->data;
  places = g_new (gint64, reel_tensor_numel (rows) * n_places);
  for (gint64 row = 0; row < reel_tensor_numel (rows); row++)
    for (gint64 i = 0; i < n_places; i++)
      places[row * n_places + i] = (from[row] * n_places + i) % period;
  spec->kind->take (spec, copy, places, reel_tensor_numel (rows) * n_places);
  return TRUE;
}

static gboolean
take (const ReelSpec *spec, ReelSpecChange *change, ReelSpec *copy, GError **error)
{
  gboolean ordered = change->op != REEL_SPEC_OP_EXPAND;

  if (!spec->kind->take)
    return TRUE;
  if (!ordered && count_places (spec, change) % get_period (spec) != 0)
    return take_rows (spec, change, copy, error);
  spec->kind->take (spec, copy, NULL, 0);
  return TRUE;
}

ReelSpec *
reel_spec_change (const ReelSpec *spec, ReelSpecChange *change, GError **error)
{
  gint64 shape[2 * REEL_MAX_NDIM];
  gint ndim = change->n_to;
  ReelSpec *copy;

  if (spec->kind->change)
    return spec->kind->change (spec, change, error);

  for (gint i = 0; i < change->n_to; i++)
    shape[i] = change->to[i];
  for (gint i = change->n_from; i < spec->ndim; i++)
    shape[ndim++] = spec->shape[i];
  copy = reel_spec_alloc (spec->kind, spec->dtype, ndim, shape, error);
  if (copy && !take (spec, change, copy, error))
    g_clear_pointer (&copy, reel_spec_unref);
  return copy;
}
