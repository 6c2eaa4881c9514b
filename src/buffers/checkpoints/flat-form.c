/* The order of flat rows: which slot a place has, where trajectories are cut, and the three values
 * that TorchRL stores beside them. */
#include "flat-form.h"

#include "../../core/object/error.h"

#include <string.h>

const char *const reel_flat_values[REEL_FLAT_N_VALUES] = { REEL_FLAT_IS_FULL, REEL_FLAT_SHIFT,
                                                           REEL_FLAT_SHAPE };

/* ---- which row lies where ---- */

gint64
reel_flat_form_slot_of (const ReelFlatForm *form, gint64 place)
{
  return form->is_full ? (place + form->shift) % form->steps : place;
}

/* TorchRL gives 0 for what was loaded and not written to since: then the length alone tells. */
gint64
reel_flat_form_count_places (const ReelFlatForm *form)
{
  return form->is_full || form->shift == 0 ? form->steps : form->shift;
}

gboolean
reel_flat_form_set_shape (ReelFlatForm *form, GError **error)
{
  form->lanes = 1;
  for (gint d = 1; d < form->ndim; d++)
    if (__builtin_mul_overflow (form->lanes, form->shape[d], &form->lanes))
      form->lanes = 0;
  form->steps = form->ndim > 0 ? form->shape[0] : 0;
  if (form->steps > 0 && form->lanes > 0
      && !__builtin_mul_overflow (form->steps, form->lanes, &form->rows)
      && form->rows < G_MAXINT64 / 4)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                       "\"" REEL_FLAT_SHAPE "\" is not the shape of a storage");
  return FALSE;
}

gsize
reel_flat_row_bytes (const ReelTensor *tensor, gint n_batch)
{
  gsize size = reel_dtype_size (tensor->dtype);

  for (gint d = n_batch; d < tensor->ndim; d++)
    size *= (gsize) tensor->shape[d];
  return size;
}

ReelTensor *
reel_flat_new_outline (ReelDtype dtype, gint ndim, const gint64 *shape, GError **error)
{
  g_autoptr (ReelTensor) element = reel_tensor_new (dtype, 0, NULL, error);

  return element ? reel_tensor_expand (element, ndim, shape, error) : NULL;
}

/* ---- what flat rows are said to be ---- */

static gboolean
bad_value (const char *key, const char *expected, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "\"%s\" is not %s", key, expected);
  return FALSE;
}

static GVariant *
get_value (const ReelTensordict *flat, const char *key, GError **error)
{
  GVariant *value = reel_tensordict_dup_value (flat, key, NULL);

  if (!value)
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "there is no \"%s\"", key);
  return value;
}

static gboolean
read_shift (ReelFlatForm *form, const ReelTensordict *flat, GError **error)
{
  g_autoptr (GVariant) full = get_value (flat, REEL_FLAT_IS_FULL, error);
  g_autoptr (GVariant) shift = full ? get_value (flat, REEL_FLAT_SHIFT, error) : NULL;

  if (!shift)
    return FALSE;
  if (!g_variant_is_of_type (full, G_VARIANT_TYPE_BOOLEAN))
    return bad_value (REEL_FLAT_IS_FULL, "true or false", error);
  form->is_full = g_variant_get_boolean (full);
  form->shift =
      g_variant_is_of_type (shift, G_VARIANT_TYPE_INT64) ? g_variant_get_int64 (shift) : -1;
  if (form->shift < 0 || form->shift > form->steps)
    return bad_value (REEL_FLAT_SHIFT, "from 0 to the steps of " REEL_FLAT_SHAPE, error);
  return TRUE;
}

/* A list of extents, or one. */
static gboolean
read_shape (ReelFlatForm *form, const ReelTensordict *flat, GError **error)
{
  g_autoptr (GVariant) value = get_value (flat, REEL_FLAT_SHAPE, error);
  g_autoptr (GVariant) inner = NULL;
  gboolean single = value && g_variant_is_of_type (value, G_VARIANT_TYPE_INT64);
  gsize n;

  if (!value)
    return FALSE;
  if (!single && !g_variant_is_of_type (value, G_VARIANT_TYPE ("av"))
      && !g_variant_is_of_type (value, G_VARIANT_TYPE_TUPLE))
    return bad_value (REEL_FLAT_SHAPE, "a list of extents", error);
  n = single ? 1 : g_variant_n_children (value);
  if (n < 1 || n > REEL_MAX_NDIM)
    return bad_value (REEL_FLAT_SHAPE, "a list of extents", error);
  form->ndim = (gint) n;
  for (gsize d = 0; d < n; d++)
    {
      g_autoptr (GVariant) item =
          single ? g_variant_ref (value) : g_variant_get_child_value (value, d);
      g_autoptr (GVariant) extent = g_variant_is_of_type (item, G_VARIANT_TYPE_VARIANT)
                                        ? g_variant_get_variant (item)
                                        : g_variant_ref (item);

      form->shape[d] =
          g_variant_is_of_type (extent, G_VARIANT_TYPE_INT64) ? g_variant_get_int64 (extent) : 0;
      if (form->shape[d] < 1)
        return bad_value (REEL_FLAT_SHAPE, "a list of positive extents", error);
    }
  return reel_flat_form_set_shape (form, error);
}

gboolean
reel_flat_form_read (ReelFlatForm *form, const ReelTensordict *flat, GError **error)
{
  return read_shape (form, flat, error) && read_shift (form, flat, error);
}

gboolean
reel_flat_form_set_values (const ReelFlatForm *form, ReelTensordict *flat, GError **error)
{
  return reel_tensordict_set_value (flat, REEL_FLAT_IS_FULL, g_variant_new_boolean (form->is_full),
                                    error)
         && reel_tensordict_set_value (flat, REEL_FLAT_SHIFT, g_variant_new_int64 (form->shift),
                                       error)
         && reel_tensordict_set_value (flat, REEL_FLAT_SHAPE,
                                       g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, form->shape,
                                                                  (gsize) form->ndim,
                                                                  sizeof *form->shape),
                                       error);
}

gboolean
reel_flat_copy_values (const ReelTensordict *from, ReelTensordict *to, GError **error)
{
  for (gsize i = 0; i < REEL_FLAT_N_VALUES; i++)
    {
      g_autoptr (GVariant) value = get_value (from, reel_flat_values[i], error);

      if (!value || !reel_tensordict_set_value (to, reel_flat_values[i], value, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- trajectories ---- */

ReelFlatCut *
reel_flat_cut_new (void)
{
  ReelFlatCut *self = g_new0 (ReelFlatCut, 1);

  self->open_lengths = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->open_grown = g_array_new (FALSE, FALSE, sizeof (gint64));
  return self;
}

void
reel_flat_cut_free (ReelFlatCut *self)
{
  if (!self)
    return;
  g_array_unref (self->open_lengths);
  g_array_unref (self->open_grown);
  g_free (self);
}

void
reel_flat_cut_add (ReelFlatCut *self, const ReelFlatForm *form, const guint8 *done, gint64 n)
{
  gint64 last = reel_flat_form_count_places (form) - 1, place = self->n_rows % form->steps;

  for (gint64 i = 0; i < n; i++, place = place == form->steps - 1 ? 0 : place + 1)
    {
      gboolean ends = done[i] != 0 || place == last;
      gint64 length = self->n_rows + i + 1 - self->first, grown = length + ends;

      /* Slots behind the newest step of a lane that is not full make a part that ends nothing. */
      if (!ends && place < form->steps - 1)
        continue;
      g_array_append_val (self->open_lengths, length);
      g_array_append_val (self->open_grown, grown);
      self->first += length;
      self->n_grown += grown;
    }
  self->n_rows += n;
  self->n = self->open_lengths->len;
  self->lengths = (gint64 *) self->open_lengths->data;
  self->grown = (gint64 *) self->open_grown->data;
}
