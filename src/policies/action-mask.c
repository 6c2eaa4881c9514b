#include "action-mask.h"

#include <string.h>

#include "../core/math/random.h"
#include "../specs/spec-classes.h"
#include "../specs/spec-kind.h"

gint
reel_action_mask_find (const ReelSpec *observation, const char *action)
{
  g_auto (GStrv) leaves = reel_spec_list_leaves (observation);
  g_autofree char *path = g_strconcat (action, "_mask", NULL);

  for (gint i = 0; leaves[i] != NULL; i++)
    if (g_str_equal (leaves[i], path))
      return i;
  return -1;
}

static gboolean
is_one_hot (const ReelSpec *action)
{
  return action->kind == &reel_one_hot_spec_kind;
}

/* Whether values are numbers or vectors of one class each, all of which are allowed. */
static gboolean
can_be_masked (const ReelSpec *action)
{
  return (is_one_hot (action) || action->kind == &reel_categorical_spec_kind)
         && reel_spec_get_n (action) > 0 && reel_spec_get_mask (action) == NULL;
}

gboolean
reel_action_mask_check (const ReelSpec *action, const char *path, const ReelSpec *mask,
                        GError **error)
{
  if (!can_be_masked (action))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "\"%s\" cannot be masked by \"%s_mask\": it is a %s spec, and must be "
                   "Categorical or OneHot, without a mask of its own",
                   path, path, reel_spec_class_name (action));
      return FALSE;
    }

  gint64 classes[REEL_MAX_NDIM + 1];
  gint ndim = action->ndim;

  memcpy (classes, action->shape, (gsize) ndim * sizeof *classes);
  if (!is_one_hot (action))
    classes[ndim++] = reel_spec_get_n (action);
  if (mask->dtype == REEL_DTYPE_BOOL && mask->ndim == ndim
      && memcmp (mask->shape, classes, (gsize) ndim * sizeof *classes) == 0)
    return TRUE;

  g_autofree char *given = reel_spec_format_shape (mask->ndim, mask->shape, ", ");
  g_autofree char *expected = reel_spec_format_shape (ndim, classes, ", ");

  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"%s_mask\" is %s %s; the mask of \"%s\" must be bool %s", path,
               reel_dtype_name (mask->dtype), given, path, expected);
  return FALSE;
}

/* Which of the classes that are allowed comes as number @k. */
static gint64
nth_allowed (const guint8 *mask, gint64 k)
{
  gint64 class = 0;

  while (!mask[class] || k-- > 0)
    class ++;
  return class;
}

gboolean
reel_action_mask_draw (const ReelSpec *action, const char *path, guint64 seed, gint64 step,
                       gint64 first, gint64 n, const guint8 *mask, guint8 *rows, GError **error)
{
  ReelRandomKey key = reel_random_key (seed, step);
  gint64 n_classes = reel_spec_get_n (action);
  gsize size = reel_dtype_size (action->dtype), row_bytes = reel_spec_row_bytes (action);
  gsize value_bytes = is_one_hot (action) ? size * (gsize) n_classes : size;
  gint64 places = (gint64) (row_bytes / value_bytes);

  for (gint64 i = 0; i < n * places; i++, mask += n_classes, rows += value_bytes)
    {
      gint64 allowed = 0;

      for (gint64 class = 0; class < n_classes; class ++)
        allowed += mask[class] != 0;
      if (allowed == 0)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "lane %" G_GINT64_FORMAT " may do nothing: all of its \"%s_mask\" is false",
                       first + i / places, path);
          return FALSE;
        }

      gint64 which = nth_allowed (mask, reel_random_below (key, first * places + i, allowed));

      if (is_one_hot (action))
        {
          memset (rows, 0, value_bytes);
          reel_dtype_store_double (action->dtype, rows + (gsize) which * size, 1);
        }
      else
        reel_dtype_store_double (action->dtype, rows, (double) which);
    }
  return TRUE;
}
