/* Flat rows to TED data. */
#include "flat-form.h"

#include "../../core/error.h"

#include <string.h>

typedef struct
{
  const ReelFlatTed *keys;
  ReelFlatForm form;
  const ReelTensor *done;
  ReelTensor *ends;
  gint64 n_grown; /* rows of a key that has one more a trajectory */
  ReelTensordict *data;
} Unpacking;

static void
clear_unpacking (Unpacking *unpacking)
{
  g_clear_pointer (&unpacking->ends, reel_tensor_unref);
  g_clear_pointer (&unpacking->data, reel_tensordict_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Unpacking, clear_unpacking)

static ReelTensor *
new_column (const Unpacking *unpacking, const ReelTensor *rows, GError **error)
{
  const ReelFlatForm *form = &unpacking->form;
  gint64 shape[REEL_MAX_NDIM];

  if (rows->ndim - 1 + form->ndim > REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "has more than %d dimensions",
                   REEL_MAX_NDIM);
      return NULL;
    }
  memcpy (shape, form->shape, (gsize) form->ndim * sizeof *shape);
  memcpy (shape + form->ndim, rows->shape + 1, (gsize) (rows->ndim - 1) * sizeof *shape);
  return reel_tensor_new (rows->dtype, rows->ndim - 1 + form->ndim, shape, error);
}

static gboolean
set_next (Unpacking *unpacking, const char *key, ReelTensor *tensor, GError **error)
{
  g_autofree char *path = g_strconcat ("next/", key, NULL);

  return reel_tensordict_set_tensor (unpacking->data, path, tensor, error);
}

static gboolean
unpack_kept (Unpacking *unpacking, const char *key, const ReelTensor *rows, GError **error)
{
  const ReelFlatForm *form = &unpacking->form;
  g_autoptr (ReelTensor) column = new_column (unpacking, rows, error);
  gsize size = reel_flat_row_bytes (rows, 1);

  if (!column)
    return FALSE;
  for (gint64 lane = 0; size > 0 && lane < form->lanes; lane++)
    for (gint64 place = 0; place < reel_flat_form_count_places (form); place++)
      memcpy (column->data + (gsize) reel_flat_form_row_of (form, lane, place) * size,
              rows->data + (gsize) (lane * form->steps + place) * size, size);
  if (!reel_flat_ted_is_of_next (unpacking->keys, key))
    return reel_tensordict_set_tensor (unpacking->data, key, column, error);
  if (!g_str_equal (key, "reward"))
    {
      g_autoptr (ReelTensor) zeros = new_column (unpacking, rows, error);

      if (!zeros || !reel_tensordict_set_tensor (unpacking->data, key, zeros, error))
        return FALSE;
    }
  return set_next (unpacking, key, column, error);
}

static gboolean
unpack_grown (Unpacking *unpacking, const char *key, const ReelTensor *rows, GError **error)
{
  const ReelFlatForm *form = &unpacking->form;
  g_autoptr (ReelTensor) root = new_column (unpacking, rows, error);
  g_autoptr (ReelTensor) next = root ? new_column (unpacking, rows, error) : NULL;
  gsize size = reel_flat_row_bytes (rows, 1);
  gint64 begin = 0;

  for (gint64 lane = 0; next && size > 0 && lane < form->lanes; lane++)
    {
      gint64 first = lane * form->steps, at = begin;

      begin += form->steps + reel_flat_count_ends (unpacking->ends, first, form->steps);
      for (gint64 place = 0; place < reel_flat_form_count_places (form) && at < begin; place++)
        {
          gsize to = (gsize) reel_flat_form_row_of (form, lane, place) * size;

          memcpy (root->data + to, rows->data + (gsize) at * size, size);
          if (at + 1 < begin)
            memcpy (next->data + to, rows->data + (gsize) (at + 1) * size, size);
          at += 1 + (unpacking->done->data[first + place] != 0);
        }
    }
  return next && reel_tensordict_set_tensor (unpacking->data, key, root, error)
         && set_next (unpacking, key, next, error);
}

static gboolean
unpack_leaf (Unpacking *unpacking, const ReelTensordict *flat, const char *key, GError **error)
{
  const ReelTensor *rows = reel_tensordict_get_tensor (flat, key, error);
  gint64 n = rows && rows->ndim > 0 ? rows->shape[0] : -1;

  if (!rows)
    return FALSE;
  if (reel_tensor_is_contiguous (rows) && n == unpacking->form.rows)
    return unpack_kept (unpacking, key, rows, error);
  if (reel_tensor_is_contiguous (rows) && n == unpacking->n_grown)
    return unpack_grown (unpacking, key, rows, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "\"%s\" has %" G_GINT64_FORMAT " rows, %" G_GINT64_FORMAT " or %" G_GINT64_FORMAT
               " expected",
               key, n, unpacking->form.rows, unpacking->n_grown);
  return FALSE;
}

ReelTensordict *
reel_flat_ted_unpack (const ReelFlatTed *self, const ReelTensordict *flat, GError **error)
{
  g_auto (Unpacking) unpacking = { .keys = self };
  ReelFlatForm *form = &unpacking.form;
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (flat);

  if (!reel_flat_form_read (form, flat, error)
      || !(unpacking.done = reel_flat_form_get_done (form, flat, error))
      || !(unpacking.ends = reel_flat_form_find_ends (form, unpacking.done, error)))
    return NULL;
  unpacking.n_grown = form->rows + reel_flat_count_ends (unpacking.ends, 0, form->rows);
  unpacking.data = reel_tensordict_new (form->ndim, form->shape);
  for (gsize i = 0; leaves[i]; i++)
    if (!unpack_leaf (&unpacking, flat, leaves[i], error))
      return NULL;
  return g_steal_pointer (&unpacking.data);
}
