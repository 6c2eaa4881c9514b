#include "spec-widen.h"

#include <string.h>

#include "../spec-keys.h"
#include "../spec-kind.h"

static gboolean
is_box (const ReelSpec *spec)
{
  return spec->kind == &reel_bounded_spec_kind || spec->kind == &reel_unbounded_spec_kind;
}

static gboolean
differ_in_bounds (const ReelSpec *a, const ReelSpec *b)
{
  return is_box (a) && is_box (b) && a->dtype == b->dtype && a->ndim == b->ndim
         && memcmp (a->shape, b->shape, (gsize) a->ndim * sizeof *a->shape) == 0;
}

/* @whole with its leaf at @path wide enough for @other. */
static ReelSpec *
widen_leaf (const ReelSpec *whole, const char *path, const ReelSpec *other)
{
  const ReelSpec *leaf = reel_spec_get (whole, path, NULL);
  g_autoptr (ReelSpec) wide = NULL;

  if (reel_spec_equal (leaf, other))
    return reel_spec_ref (whole);
  if (!differ_in_bounds (leaf, other))
    return NULL;
  wide = reel_unbounded_spec_new (leaf->dtype, leaf->ndim, leaf->shape, NULL);
  return wide != NULL ? reel_spec_set (whole, path, wide, NULL) : NULL;
}

ReelSpec *
reel_spec_widen (const ReelSpec *a, const ReelSpec *b)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (a), others = reel_spec_list_leaves (b);
  ReelSpec *whole = reel_spec_ref (a);

  if (!g_strv_equal ((const char *const *) paths, (const char *const *) others))
    g_clear_pointer (&whole, reel_spec_unref);
  for (char **path = paths; whole != NULL && *path != NULL; path++)
    {
      ReelSpec *more = widen_leaf (whole, *path, reel_spec_get (b, *path, NULL));

      reel_spec_unref (whole);
      whole = more;
    }
  return whole;
}
