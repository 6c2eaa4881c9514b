#include "action-mask.h"

#include <string.h>

#include "../../core/math/random.h"
#include "../kinds/class-spec.h"
#include "../spec-classes.h"
#include "../spec-kind.h"

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

/* Whether values are classes, all of which are allowed, and as many in every place. */
static gboolean
can_be_masked (const ReelSpec *action)
{
  return action->kind->classes != REEL_SPEC_CLASSES_NONE && reel_spec_get_mask (action) == NULL
         && (reel_class_spec_is_multi (action) ? reel_class_spec (action)->alike
                                               : reel_spec_get_n (action) > 0);
}

gboolean
reel_action_mask_check_action (const ReelSpec *action, const char *path, GError **error)
{
  if (can_be_masked (action))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"%s\" cannot be masked: it is a %s spec, and must be Categorical, OneHot, "
               "MultiCategorical or MultiOneHot, without a mask of its own",
               path, reel_spec_class_name (action));
  return FALSE;
}

/* The shape of a mask: all classes in the place of an action's last dimension, or behind it. */
static gint
get_shape (const ReelSpec *action, gint64 *shape)
{
  const ReelClassSpec *classes = reel_class_spec (action);
  gint ndim = action->ndim;

  memcpy (shape, action->shape, (gsize) ndim * sizeof *shape);
  if (action->kind->classes == REEL_SPEC_CLASSES_VECTORS)
    return ndim;
  ndim += reel_class_spec_is_multi (action) ? 0 : 1;
  shape[ndim - 1] = classes->offsets[classes->n_components];
  return ndim;
}

gboolean
reel_action_mask_check (const ReelSpec *action, const char *path, const ReelSpec *mask,
                        const char *mask_path, GError **error)
{
  gint64 shape[REEL_MAX_NDIM + 1];
  gint ndim;

  if (!reel_action_mask_check_action (action, path, error))
    return FALSE;
  ndim = get_shape (action, shape);
  if (mask->dtype == REEL_DTYPE_BOOL && mask->ndim == ndim
      && memcmp (mask->shape, shape, (gsize) ndim * sizeof *shape) == 0)
    return TRUE;

  g_autofree char *given = reel_spec_format_shape (mask->ndim, mask->shape, ", ");
  g_autofree char *expected = reel_spec_format_shape (ndim, shape, ", ");

  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"%s\" is %s %s; the mask of \"%s\" must be bool %s", mask_path,
               reel_dtype_name (mask->dtype), given, path, expected);
  return FALSE;
}

/* ---- draws ---- */

/* Which of the classes that are allowed comes as number @k. */
static gint64
nth_allowed (const guint8 *mask, gint64 k)
{
  gint64 class = 0;

  while (!mask[class] || k-- > 0)
    class ++;
  return class;
}

static gint64
count_allowed (const guint8 *mask, gint64 n_classes)
{
  gint64 allowed = 0;

  for (gint64 class = 0; class < n_classes; class ++)
    allowed += mask[class] != 0;
  return allowed;
}

static void
report (const char *path, gint64 step, gint64 lane, const ReelClassSpec *classes, gint64 component,
        GError **error)
{
  g_autofree char *which = classes->n_components > 1
                               ? g_strdup_printf (" for component %" G_GINT64_FORMAT, component)
                               : g_strdup ("");

  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "lane %" G_GINT64_FORMAT " cannot act at step %" G_GINT64_FORMAT
               ": all of its \"%s_mask\" is false%s",
               lane, step, path, which);
}

gboolean
reel_action_mask_draw (const ReelSpec *action, const char *path, guint64 seed, gint64 step,
                       gint64 first, gint64 n, const guint8 *mask, guint8 *rows, GError **error)
{
  const ReelClassSpec *classes = reel_class_spec (action);
  gboolean vectors = action->kind->classes == REEL_SPEC_CLASSES_VECTORS;
  ReelRandomKey key = reel_random_key (seed, step);
  gsize size = reel_dtype_size (action->dtype);
  gint64 n_components = classes->n_components;
  gint64 width = vectors ? classes->offsets[n_components] : n_components;
  gint64 places = (gint64) (reel_spec_row_bytes (action) / (size * (gsize) width)) * n_components;

  for (gint64 i = 0; i < n * places; i++)
    {
      gint64 component = i % n_components, n_classes = classes->sizes[component];
      gint64 allowed = count_allowed (mask, n_classes), which;

      if (allowed == 0)
        {
          report (path, step, first + i / places, classes, component, error);
          return FALSE;
        }
      which = nth_allowed (mask, reel_random_below (key, first * places + i, allowed));
      if (vectors)
        memset (rows, 0, size * (gsize) n_classes);
      reel_dtype_store_double (action->dtype, rows + (vectors ? (gsize) which * size : 0),
                               vectors ? 1 : (double) which);
      rows += vectors ? size * (gsize) n_classes : size;
      mask += n_classes;
    }
  return TRUE;
}
