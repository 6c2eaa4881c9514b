/* TED data to flat rows. */
#include "flat-form.h"

#include "../../core/error.h"

#include <string.h>

typedef struct
{
  const ReelFlatTed *keys;
  const ReelTensordict *data;
  ReelFlatForm form;
  ReelTensordict *flat;
  ReelTensor *ends;
  gint64 n_valid; /* places of each lane */
  GPtrArray *warnings;
} Packing;

static void
clear_packing (Packing *packing)
{
  g_clear_pointer (&packing->flat, reel_tensordict_unref);
  g_clear_pointer (&packing->ends, reel_tensor_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Packing, clear_packing)

static void
warn_lost (const Packing *packing, const char *path, gint64 n, const char *what)
{
  if (n > 0)
    g_ptr_array_add (
        packing->warnings,
        g_strdup_printf ("\"%s\" of %" G_GINT64_FORMAT " rows is not kept: %s", path, n, what));
}

static ReelTensor *
new_rows (const Packing *packing, const ReelTensor *like, gint64 rows, GError **error)
{
  gint64 shape[REEL_MAX_NDIM] = { rows };
  gint n = packing->form.ndim;

  for (gint d = n; d < like->ndim; d++)
    shape[d - n + 1] = like->shape[d];
  return reel_tensor_new (like->dtype, like->ndim - n + 1, shape, error);
}

static ReelTensor *
get_leaf (const Packing *packing, const char *path, GError **error)
{
  ReelTensor *leaf = reel_tensordict_get_tensor (packing->data, path, error);

  return leaf ? reel_tensor_contiguous (leaf, error) : NULL;
}

static gboolean
pack_kept (Packing *packing, const char *path, const char *key, GError **error)
{
  const ReelFlatForm *form = &packing->form;
  g_autoptr (ReelTensor) leaf = get_leaf (packing, path, error);
  g_autoptr (ReelTensor) rows = leaf ? new_rows (packing, leaf, form->rows, error) : NULL;
  gsize size = rows ? reel_flat_row_bytes (rows, 1) : 0;

  if (!rows)
    return FALSE;
  for (gint64 lane = 0; size > 0 && lane < form->lanes; lane++)
    for (gint64 place = 0; place < packing->n_valid; place++)
      memcpy (rows->data + (gsize) (lane * form->steps + place) * size,
              leaf->data + (gsize) reel_flat_form_row_of (form, lane, place) * size, size);
  return reel_tensordict_set_tensor (packing->flat, key, rows, error);
}

/* Gives how many rows say another `next` than the row that follows. */
static gint64
fill_grown (const Packing *packing, const ReelTensor *root, const ReelTensor *next,
            ReelTensor *rows)
{
  const ReelFlatForm *form = &packing->form;
  gsize size = reel_flat_row_bytes (rows, 1);
  gint64 at = 0, n_lost = 0;

  for (gint64 lane = 0; size > 0 && lane < form->lanes; lane++)
    for (gint64 place = 0; place < form->steps; place++)
      {
        gboolean ends = packing->ends->data[lane * form->steps + place];
        gsize from = (gsize) reel_flat_form_row_of (form, lane, place) * size;
        guint8 *to = rows->data + (gsize) at * size;

        at += 1 + ends;
        if (place >= packing->n_valid)
          continue;
        memcpy (to, root->data + from, size);
        if (ends)
          memcpy (to + size, next->data + from, size);
        else
          n_lost +=
              memcmp (next->data + from,
                      root->data + (gsize) reel_flat_form_row_of (form, lane, place + 1) * size,
                      size)
              != 0;
      }
  return n_lost;
}

static gboolean
check_alike (const char *key, const ReelTensor *root, const ReelTensor *next, GError **error)
{
  if (root->dtype == next->dtype && root->ndim == next->ndim
      && memcmp (root->shape, next->shape, (gsize) root->ndim * sizeof *root->shape) == 0)
    return TRUE;
  g_set_error (
      error, REEL_ERROR, REEL_ERROR_TYPE,
      "\"%s\" and \"next/%s\" differ in dtype or shape; a checkpoint of trajectories "
      "keeps one of the two: name it among reward-keys, or use the checkpointer \"tensor\"",
      key, key);
  return FALSE;
}

static gboolean
pack_grown (Packing *packing, const char *key, const char *next_path, GError **error)
{
  const ReelFlatForm *form = &packing->form;
  gint64 n = form->rows + reel_flat_count_ends (packing->ends, 0, form->rows);
  g_autoptr (ReelTensor) root = get_leaf (packing, key, error);
  g_autoptr (ReelTensor) next = root ? get_leaf (packing, next_path, error) : NULL;
  g_autoptr (ReelTensor) rows = NULL;

  if (!next || !check_alike (key, root, next, error)
      || !(rows = new_rows (packing, root, n, error)))
    return FALSE;
  warn_lost (packing, next_path, fill_grown (packing, root, next, rows),
             "of the row that follows in its trajectory the root is, and they differ");
  return reel_tensordict_set_tensor (packing->flat, key, rows, error);
}

/* The root's own, where `next` is what is kept: zeros come back, and of `reward` nothing. */
static gboolean
drop_root (Packing *packing, const char *key, GError **error)
{
  const ReelFlatForm *form = &packing->form;
  g_autoptr (ReelTensor) leaf = get_leaf (packing, key, error);
  gsize size = leaf ? reel_flat_row_bytes (leaf, form->ndim) : 0;
  gint64 n_lost = 0;

  if (!leaf)
    return FALSE;
  for (gint64 lane = 0; size > 0 && lane < form->lanes; lane++)
    for (gint64 place = 0; place < packing->n_valid; place++)
      {
        const guint8 *row = leaf->data + (gsize) reel_flat_form_row_of (form, lane, place) * size;

        n_lost += g_str_equal (key, "reward") || *row != 0 || memcmp (row, row + 1, size - 1) != 0;
      }
  warn_lost (packing, key, n_lost, "that of next is, and zeros come back at the root");
  return TRUE;
}

static gboolean
refuse_alone (const char *path, const char *missing, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
               "\"%s\" is stored without \"%s\", and a checkpoint of trajectories cannot keep it; "
               "%s, or use the checkpointer \"tensor\"",
               path, missing,
               g_str_has_prefix (path, "next/") ? "name it among done-keys or reward-keys"
                                                : "leave it out of done-keys and reward-keys");
  return FALSE;
}

static gboolean
pack_leaf (Packing *packing, const char *path, GError **error)
{
  gboolean inside = g_str_has_prefix (path, "next/");
  const char *key = inside ? path + strlen ("next/") : path;
  g_autofree char *other = inside ? g_strdup (key) : g_strconcat ("next/", key, NULL);
  gboolean paired = reel_tensordict_contains (packing->data, other);

  if (reel_flat_ted_is_of_next (packing->keys, key))
    {
      if (inside)
        return g_str_equal (key, REEL_FLAT_DONE) || pack_kept (packing, path, key, error);
      return paired ? drop_root (packing, key, error) : refuse_alone (path, other, error);
    }
  if (inside)
    return paired || refuse_alone (path, other, error);
  return paired ? pack_grown (packing, key, other, error) : pack_kept (packing, path, key, error);
}

static gboolean
check_data (const ReelTensordict *data, GError **error)
{
  const ReelTensor *done = NULL;
  gint ndim;

  reel_tensordict_get_batch_size (data, &ndim);
  for (gsize i = 0; i < REEL_FLAT_N_VALUES; i++)
    if (reel_tensordict_contains (data, reel_flat_values[i]))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                     "a checkpoint of trajectories has a use of its own for the key \"%s\"; rename "
                     "it, or use the checkpointer \"tensor\"",
                     reel_flat_values[i]);
        return FALSE;
      }
  if (reel_tensordict_contains (data, "next/" REEL_FLAT_DONE))
    done = reel_tensordict_get_tensor (data, "next/" REEL_FLAT_DONE, error);
  if (done && done->dtype == REEL_DTYPE_BOOL && reel_flat_row_bytes (done, ndim) == 1)
    return TRUE;
  g_clear_error (error);
  g_set_error (error, REEL_ERROR, done ? REEL_ERROR_TYPE : REEL_ERROR_KEY,
               "a checkpoint of trajectories needs \"next/done\", one bool a row, and there is %s; "
               "use the checkpointer \"tensor\"",
               done ? "another" : "none");
  return FALSE;
}

static gboolean
describe_form (Packing *packing, GError **error)
{
  const ReelFlatForm *form = &packing->form;

  return reel_tensordict_set_value (packing->flat, REEL_FLAT_IS_FULL,
                                    g_variant_new_boolean (form->is_full), error)
         && reel_tensordict_set_value (packing->flat, REEL_FLAT_SHIFT,
                                       g_variant_new_int64 (form->shift), error)
         && reel_tensordict_set_value (packing->flat, REEL_FLAT_SHAPE,
                                       g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, form->shape,
                                                                  (gsize) form->ndim,
                                                                  sizeof *form->shape),
                                       error);
}

ReelTensordict *
reel_flat_ted_pack (const ReelFlatTed *self, const ReelTensordict *data,
                    const ReelCheckpointState *state, GPtrArray *warnings, GError **error)
{
  g_auto (Packing) packing = { .keys = self, .data = data, .warnings = warnings };
  ReelFlatForm *form = &packing.form;
  const gint64 *shape = reel_tensordict_get_batch_size (data, &form->ndim);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (data);

  memcpy (form->shape, shape, (gsize) form->ndim * sizeof *shape);
  form->shift = state->shift;
  form->is_full = state->is_full;
  if (!reel_flat_form_set_shape (form, error) || !check_data (data, error))
    return NULL;
  packing.n_valid = form->is_full ? form->steps : form->shift;
  packing.flat = reel_tensordict_new (0, NULL);
  if (!describe_form (&packing, error)
      || !pack_kept (&packing, "next/" REEL_FLAT_DONE, REEL_FLAT_DONE, error))
    return NULL;
  packing.ends = reel_flat_form_find_ends (
      form, reel_tensordict_get_tensor (packing.flat, REEL_FLAT_DONE, NULL), error);
  for (gsize i = 0; packing.ends && leaves[i]; i++)
    if (!pack_leaf (&packing, leaves[i], error))
      return NULL;
  return packing.ends ? g_steal_pointer (&packing.flat) : NULL;
}
