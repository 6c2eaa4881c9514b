/* Choices among specs of tensors. */
#include "choice-private.h"

#include <string.h>

#include "../spec-classes.h"

static const ReelChoiceSpec *
choice (const ReelSpec *spec)
{
  return (const ReelChoiceSpec *) spec;
}

gboolean
reel_choice_spec_check_draw (const ReelSpec *spec, GError **error)
{
  const ReelChoiceSpec *self = choice (spec);

  for (gsize i = 0; self->specs && i < self->n; i++)
    if (self->specs[i]->kind->check_draw
        && !self->specs[i]->kind->check_draw (self->specs[i], error))
      return FALSE;
  return TRUE;
}

/* From a stream beside that of the values. */
gsize
reel_choice_spec_draw_member (const ReelChoiceSpec *self, ReelRandomKey key, gint64 row)
{
  return (gsize) reel_random_below (reel_random_key (key.start, 1), row, (gint64) self->n);
}

void
reel_choice_spec_draw (const ReelSpec *spec, ReelRandomKey key, gint64 first, gint64 n,
                       guint8 *values)
{
  const ReelChoiceSpec *self = choice (spec);
  gsize bytes = reel_spec_row_bytes (spec);

  for (gint64 at = first; at < first + n; at += spec->numel, values += bytes)
    {
      const ReelSpec *member =
          self->specs[reel_choice_spec_draw_member (self, key, at / spec->numel)];

      member->kind->draw (member, key, at, spec->numel, values);
    }
}

static gboolean
is_row_in (const ReelChoiceSpec *self, const guint8 *row)
{
  for (gsize i = 0; i < self->n; i++)
    {
      const ReelSpec *member = self->specs[i];
      g_autofree char *why = NULL;

      if (!member->kind->find_outside
          || member->kind->find_outside (member, row, member->numel, &why) < 0)
        return TRUE;
    }
  return FALSE;
}

gint64
reel_choice_spec_find_outside (const ReelSpec *spec, const guint8 *values, gint64 n_values,
                               char **why)
{
  gsize bytes = reel_spec_row_bytes (spec);

  for (gint64 at = 0; at < n_values; at += spec->numel, values += bytes)
    if (!is_row_in (choice (spec), values))
      {
        *why = g_strdup_printf ("begins a value that is in none of the %" G_GSIZE_FORMAT " choices",
                                choice (spec)->n);
        return at;
      }
  return -1;
}

gboolean
reel_choice_spec_cardinality (const ReelSpec *spec, gint64 *n, GError **error)
{
  const ReelChoiceSpec *self = choice (spec);

  *n = self->specs ? 0 : (gint64) self->n;
  for (gsize i = 0; self->specs && i < self->n; i++)
    {
      gint64 more;

      if (!reel_spec_cardinality (self->specs[i], &more, error))
        return FALSE;
      if (__builtin_add_overflow (*n, more, n))
        *n = G_MAXINT64;
    }
  return TRUE;
}

/* The values of one member after the other, at @at; %NULL only counts them. */
static gboolean
append_values (const ReelChoiceSpec *self, gboolean use_mask, gint64 *n, guint8 *at, GError **error)
{
  for (gsize i = 0; i < self->n; i++)
    {
      g_autoptr (ReelTensor) values = reel_spec_enumerate (self->specs[i], use_mask, error);
      g_autoptr (ReelTensor) rows = values ? reel_tensor_contiguous (values, error) : NULL;

      if (!rows)
        return FALSE;
      if (at && reel_tensor_nbytes (rows) > 0)
        memcpy (at, rows->data, reel_tensor_nbytes (rows));
      at = at ? at + reel_tensor_nbytes (rows) : NULL;
      *n += rows->shape[0];
    }
  return TRUE;
}

ReelTensor *
reel_choice_spec_enumerate (const ReelSpec *spec, gboolean use_mask, GError **error)
{
  const ReelChoiceSpec *self = choice (spec);
  gint64 shape[REEL_MAX_NDIM + 1] = { 0 };
  g_autoptr (ReelTensor) all = NULL;
  gint64 n = 0;

  if (!self->specs)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "Cannot enumerate a Choice of values that are not tensors");
      return NULL;
    }
  if (!append_values (self, use_mask, &shape[0], NULL, error))
    return NULL;
  reel_spec_safe_shape (spec, shape + 1);
  all = reel_tensor_new (spec->dtype, spec->ndim + 1, shape, error);
  if (!all || !append_values (self, use_mask, &n, all->data, error))
    return NULL;
  return g_steal_pointer (&all);
}
