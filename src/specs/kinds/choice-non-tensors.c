/* Choices among values that are no tensors. */
#include "choice-private.h"

#include <string.h>

static const ReelChoiceSpec *
choice (const ReelSpec *spec)
{
  return (const ReelChoiceSpec *) spec;
}

/* All values of all members, and where in them those of each member begin. */
static GPtrArray *
gather_values (const ReelChoiceSpec *self, gint64 *begins)
{
  GPtrArray *all = g_ptr_array_new ();

  for (gsize i = 0; i < self->n; i++)
    {
      gint64 n;
      GVariant *const *values = reel_non_tensor_get_values (self->values[i], &n);

      begins[i] = all->len;
      for (gint64 k = 0; k < n; k++)
        g_ptr_array_add (all, values[k]);
    }
  return all;
}

static void
write_row (const ReelNonTensor *member, gint64 begin, gint64 numel, gint64 *which)
{
  g_autoptr (ReelTensor) own = reel_tensor_contiguous (reel_non_tensor_get_which (member), NULL);
  const gint64 *from = (const gint64 *) (gpointer) own->data;

  for (gint64 i = 0; i < numel; i++)
    which[i] = from[i] < 0 ? from[i] : begin + from[i];
}

/* In each row the member that @choose says. */
static ReelNonTensor *
assemble (const ReelSpec *spec, gint ndim, const gint64 *shape,
          gsize (*choose) (const ReelChoiceSpec *self, ReelRandomKey key, gint64 row),
          ReelRandomKey key, GError **error)
{
  const ReelChoiceSpec *self = choice (spec);
  gint64 extents[2 * REEL_MAX_NDIM];
  gint n = reel_spec_batch_shape (spec, ndim, shape, extents);
  g_autofree gint64 *begins = g_new (gint64, self->n);
  g_autoptr (GPtrArray) values = NULL;
  g_autoptr (ReelTensor) which = NULL;

  if (ndim == 0)
    return reel_non_tensor_ref (self->values[choose (self, key, 0)]);
  which = reel_tensor_new (REEL_DTYPE_INT64, n, extents, error);
  if (!which)
    return NULL;
  values = gather_values (self, begins);
  for (gint64 at = 0; at < reel_tensor_numel (which); at += spec->numel)
    {
      gsize member = choose (self, key, at / spec->numel);

      write_row (self->values[member], begins[member], spec->numel,
                 (gint64 *) (gpointer) which->data + at);
    }
  return reel_non_tensor_new_from_which ((GVariant *const *) values->pdata, values->len, which,
                                         error);
}

static gsize
choose_first (const ReelChoiceSpec *self, ReelRandomKey key, gint64 row)
{
  return 0;
}

static gsize
choose_second (const ReelChoiceSpec *self, ReelRandomKey key, gint64 row)
{
  return MIN (1, self->n - 1);
}

ReelNonTensor *
reel_choice_spec_repeat (const ReelSpec *spec, gsize i, gint ndim, const gint64 *shape,
                         GError **error)
{
  return assemble (spec, ndim, shape, i == 0 ? choose_first : choose_second, (ReelRandomKey){ 0 },
                   error);
}

ReelNonTensor *
reel_choice_spec_draw_non_tensor (const ReelSpec *spec, ReelRandomKey key, gint ndim,
                                  const gint64 *shape, GError **error)
{
  return assemble (spec, ndim, shape, reel_choice_spec_draw_member, key, error);
}

static gboolean
is_same (GVariant *const *values, gint64 which, GVariant *const *others, gint64 other)
{
  if (which < 0 || other < 0)
    return which < 0 && other < 0;
  return g_variant_equal (values[which], others[other]);
}

static gboolean
is_member (const ReelNonTensor *member, GVariant *const *values, const gint64 *which, gint64 numel)
{
  gint64 n;
  GVariant *const *own_values = reel_non_tensor_get_values (member, &n);
  g_autoptr (ReelTensor) own = reel_tensor_contiguous (reel_non_tensor_get_which (member), NULL);
  const gint64 *own_which = (const gint64 *) (gpointer) own->data;

  for (gint64 i = 0; i < numel; i++)
    if (!is_same (values, which[i], own_values, own_which[i]))
      return FALSE;
  return TRUE;
}

gboolean
reel_choice_spec_is_in_non_tensor (const ReelSpec *spec, const ReelNonTensor *value, GError **error)
{
  const ReelChoiceSpec *self = choice (spec);
  gint64 n;
  GVariant *const *values = reel_non_tensor_get_values (value, &n);
  g_autoptr (ReelTensor) rows = reel_tensor_contiguous (reel_non_tensor_get_which (value), error);
  const gint64 *which = rows ? (const gint64 *) (gpointer) rows->data : NULL;

  if (!rows)
    return FALSE;
  for (gint64 at = 0; at < reel_tensor_numel (rows); at += spec->numel)
    {
      gboolean found = FALSE;

      for (gsize i = 0; i < self->n && !found; i++)
        found = is_member (self->values[i], values, which + at, spec->numel);
      if (!found)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION,
                       "row %" G_GINT64_FORMAT " is none of the %" G_GSIZE_FORMAT " choices",
                       at / spec->numel, self->n);
          return FALSE;
        }
    }
  return TRUE;
}
