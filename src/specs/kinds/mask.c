#include "mask.h"

#include <string.h>

#include "../parameter.h"

static gboolean
refuse (gint64 component, gint64 n_components, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the mask forbids every class of component %" G_GINT64_FORMAT
               " of row %" G_GINT64_FORMAT ": at least one must be allowed",
               component % n_components, component / n_components);
  return FALSE;
}

/* Lists the classes of the rows of bools at @row. */
static gboolean
list (ReelMask *mask, const guint8 *row, const gint64 *sizes, GError **error)
{
  gint64 end = mask->n_rows * mask->n_components;
  gint64 n = 0;

  for (gint64 i = 0; i < end; i++)
    {
      gint64 size = sizes[i % mask->n_components];

      mask->begins[i] = n;
      for (gint64 k = 0; k < size; k++)
        if (*row++)
          mask->allowed[n++] = k;
      if (n == mask->begins[i])
        return refuse (i, mask->n_components, error);
    }
  mask->begins[end] = n;
  return TRUE;
}

gboolean
reel_mask_init (ReelMask *mask, const ReelTensor *tensor, gint64 n_components, const gint64 *sizes,
                GError **error)
{
  gint n_batch = tensor->ndim - 1;
  g_autoptr (ReelTensor) rows =
      reel_parameter_tail (tensor, reel_parameter_n_repeated (tensor, n_batch), error);
  gint64 width = tensor->shape[n_batch];

  if (!rows)
    return FALSE;
  mask->n_components = n_components;
  mask->n_rows = width > 0 ? reel_tensor_numel (rows) / width : 0;
  mask->begins = g_try_new (gint64, mask->n_rows * n_components + 1);
  mask->allowed = g_try_new (gint64, MAX (reel_tensor_numel (rows), 1));
  if (mask->begins && mask->allowed)
    return list (mask, rows->data, sizes, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
               "no memory for a mask of %" G_GINT64_FORMAT " classes", reel_tensor_numel (rows));
  return FALSE;
}

void
reel_mask_clear (ReelMask *mask)
{
  g_free (mask->begins);
  g_free (mask->allowed);
}

const gint64 *
reel_mask_get (const ReelMask *mask, gint64 component, gint64 *n)
{
  gint64 row = component % (mask->n_rows * mask->n_components);

  *n = mask->begins[row + 1] - mask->begins[row];
  return mask->allowed + mask->begins[row];
}

gint64
reel_mask_nearest (const ReelMask *mask, gint64 component, gint64 value)
{
  gint64 n;
  const gint64 *allowed = reel_mask_get (mask, component, &n);
  gint64 above = 0;

  while (above < n && allowed[above] < value)
    above++;
  if (above == n)
    return allowed[n - 1];
  if (above == 0 || allowed[above] - value < value - allowed[above - 1])
    return allowed[above];
  return allowed[above - 1];
}

gboolean
reel_mask_is_uniform (const ReelMask *mask)
{
  for (gint64 i = mask->n_components; i < mask->n_rows * mask->n_components; i++)
    {
      gint64 n, n_first;
      const gint64 *allowed = reel_mask_get (mask, i, &n);
      const gint64 *first = reel_mask_get (mask, i % mask->n_components, &n_first);

      if (n != n_first || memcmp (allowed, first, (gsize) n * sizeof *first) != 0)
        return FALSE;
    }
  return TRUE;
}
