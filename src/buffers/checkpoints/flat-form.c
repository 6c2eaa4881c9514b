#include "flat-form.h"

#include "../../core/error.h"

#include <string.h>

static const char *const default_done_keys[] = { REEL_FLAT_DONE, "truncated", "terminated", NULL };
static const char *const default_reward_keys[] = { "reward", NULL };
const char *const reel_flat_values[REEL_FLAT_N_VALUES] = { REEL_FLAT_IS_FULL, REEL_FLAT_SHIFT,
                                                           REEL_FLAT_SHAPE };

void
reel_flat_ted_add_properties (ReelObjectClass *klass, gsize offset)
{
  reel_object_class_add_words (klass, "done-keys",
                               offset + G_STRUCT_OFFSET (ReelFlatTed, done_keys),
                               "flags that are taken from next; the root's are zero when they are "
                               "read. Default: done, truncated, terminated",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_words (
      klass, "reward-keys", offset + G_STRUCT_OFFSET (ReelFlatTed, reward_keys),
      "other keys that are taken from next. Default: reward", REEL_PROPERTY_CONSTRUCT_ONLY);
}

/* Whether a key is taken from `next` alone. `done` is what trajectories are told by. */
gboolean
reel_flat_ted_is_of_next (const ReelFlatTed *self, const char *key)
{
  const char *const *done = (const char *const *) self->done_keys;
  const char *const *reward = (const char *const *) self->reward_keys;

  return g_str_equal (key, REEL_FLAT_DONE) || g_strv_contains (done ? done : default_done_keys, key)
         || g_strv_contains (reward ? reward : default_reward_keys, key);
}

/* ---- which row lies where ---- */

static gint64
reel_flat_form_slot_of (const ReelFlatForm *form, gint64 place)
{
  return form->is_full ? (place + form->shift) % form->steps : place;
}

/* The row in an allocation. */
gint64
reel_flat_form_row_of (const ReelFlatForm *form, gint64 lane, gint64 place)
{
  return reel_flat_form_slot_of (form, place) * form->lanes + lane;
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
                       "\"" REEL_FLAT_SHAPE "\" is no shape of a storage");
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

/* Whether a trajectory ends at each place of each lane, also at the last one that is known. */
ReelTensor *
reel_flat_form_find_ends (const ReelFlatForm *form, const ReelTensor *done, GError **error)
{
  ReelTensor *ends = reel_tensor_new (REEL_DTYPE_BOOL, 1, &form->rows, error);

  for (gint64 i = 0; ends && i < form->rows; i++)
    ends->data[i] = done->data[i] != 0 || i % form->steps == reel_flat_form_count_places (form) - 1;
  return ends;
}

gint64
reel_flat_count_ends (const ReelTensor *ends, gint64 first, gint64 n)
{
  gint64 count = 0;

  for (gint64 i = first; i < first + n; i++)
    count += ends->data[i] != 0;
  return count;
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
  GVariant *value = reel_tensordict_get_value (flat, key, NULL);

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

const ReelTensor *
reel_flat_form_get_done (const ReelFlatForm *form, const ReelTensordict *flat, GError **error)
{
  const ReelTensor *done = reel_tensordict_contains (flat, REEL_FLAT_DONE)
                               ? reel_tensordict_get_tensor (flat, REEL_FLAT_DONE, error)
                               : NULL;

  if (done && done->dtype == REEL_DTYPE_BOOL && done->ndim > 0 && done->shape[0] == form->rows
      && reel_flat_row_bytes (done, 1) == 1 && reel_tensor_is_contiguous (done))
    return done;
  g_clear_error (error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "\"" REEL_FLAT_DONE "\" is not one bool for each of %" G_GINT64_FORMAT " rows",
               form->rows);
  return NULL;
}

/* ---- trajectories ---- */

void
reel_flat_cut_free (ReelFlatCut *self)
{
  if (!self)
    return;
  g_free (self->lengths);
  g_free (self->grown);
  g_free (self);
}

/* What follows the last step that is known is a part of its own, without a row more. */
ReelFlatCut *
reel_flat_cut_new (const ReelTensordict *flat, GError **error)
{
  g_autoptr (ReelFlatCut) self = g_new0 (ReelFlatCut, 1);
  g_autoptr (GArray) lengths = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) grown = g_array_new (FALSE, FALSE, sizeof (gint64));
  ReelFlatForm form = { 0 };
  const ReelTensor *done;
  g_autoptr (ReelTensor) ends = NULL;

  if (!reel_flat_form_read (&form, flat, error)
      || !(done = reel_flat_form_get_done (&form, flat, error))
      || !(ends = reel_flat_form_find_ends (&form, done, error)))
    return NULL;
  for (gint64 i = 0, first = 0; i < form.rows; i++)
    {
      gboolean last = (i + 1) % form.steps == 0;
      gint64 n = i + 1 - first, m = n + (ends->data[i] != 0);

      if (!last && !ends->data[i])
        continue;
      g_array_append_val (lengths, n);
      g_array_append_val (grown, m);
      first = i + 1;
    }
  self->n = lengths->len;
  self->lengths = (gint64 *) g_array_free (g_steal_pointer (&lengths), FALSE);
  self->grown = (gint64 *) g_array_free (g_steal_pointer (&grown), FALSE);
  return g_steal_pointer (&self);
}

const gint64 *
reel_flat_cut_choose (const ReelFlatCut *self, const ReelTensordict *flat, const ReelTensor *leaf)
{
  const ReelTensor *done = reel_tensordict_get_tensor (flat, REEL_FLAT_DONE, NULL);

  return leaf->shape[0] == done->shape[0] ? self->lengths : self->grown;
}

gboolean
reel_flat_ted_copy_values (const ReelTensordict *from, ReelTensordict *to, GError **error)
{
  for (gsize i = 0; i < REEL_FLAT_N_VALUES; i++)
    {
      g_autoptr (GVariant) value = get_value (from, reel_flat_values[i], error);

      if (!value || !reel_tensordict_set_value (to, reel_flat_values[i], value, error))
        return FALSE;
    }
  return TRUE;
}
