/* The leaves that a policy writes: which keys may be its own, and the search for NaN. Private. */
#pragma once

#include "policy.h"

G_BEGIN_DECLS

/**
 * reel_policy_check_declared:
 * @declared: composite that a policy declares, its outputs or its state
 * @others: (array length=n_others): composites of which no key may be among its own
 * @n_others: how many
 * @error: VALUE naming a key that is somebody else's, that begins with `_`, or whose value is no
 *   tensor of a fixed shape
 *
 * Returns: whether a policy may write @declared
 */
gboolean reel_policy_check_declared (const ReelSpec *declared, const ReelSpec *const *others,
                                     gsize n_others, GError **error);

/**
 * ReelFloatLeaf:
 * @path: its path
 * @prefix: `next/` or nothing
 * @place: its number among the pointers that it is one of
 * @dtype: a float or complex type
 * @row_bytes: bytes of one lane
 *
 * A leaf that may contain NaN.
 */
typedef struct
{
  char *path;
  const char *prefix;
  guint place;
  ReelDtype dtype;
  gsize row_bytes;
} ReelFloatLeaf;

/**
 * reel_float_leaves_new:
 * @spec: a composite
 * @prefix: `next/` or nothing, for messages; static
 *
 * Returns: (transfer full): its leaves of float and complex types, an array of #ReelFloatLeaf
 */
GArray *reel_float_leaves_new (const ReelSpec *spec, const char *prefix);

/**
 * reel_float_leaves_check:
 * @leaves: leaves
 * @columns: (array): a pointer per leaf of their spec, to lane 0
 * @begin: first lane
 * @end: one past the last
 * @error: VALUE naming the first key and lane
 *
 * Looks for NaN. Any thread.
 *
 * Returns: whether there is none
 */
gboolean reel_float_leaves_check (const GArray *leaves, guint8 *const *columns, gint64 begin,
                                  gint64 end, GError **error);

G_END_DECLS
