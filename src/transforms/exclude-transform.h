/* Transforms that leave keys out of what is written. Private. */
#pragma once

#include "transform.h"

G_BEGIN_DECLS

/**
 * reel_exclude_transform_new_inverse:
 * @keys: (array zero-terminated=1): keys
 * @error: KEY for one that is no path
 *
 * Returns: (transfer full): an `exclude:inverse=true` of @keys
 */
ReelTransform *reel_exclude_transform_new_inverse (const char *const *keys, GError **error);

G_END_DECLS
