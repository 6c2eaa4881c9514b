/* Values of several keys joined along a dimension. Private. */
#pragma once

#include "transform-private.h"

G_BEGIN_DECLS

/**
 * reel_join_values:
 * @values: (element-type ReelTensor): at least 1
 * @dim: an existing dimension of all
 * @error: RUNTIME where other extents differ; TYPE as reel_dtype_promote(); NO_SPACE
 *
 * Returns: (transfer full): a copy of all, one behind the other in @dim, of a type for all of them,
 *   as by torch.cat()
 */
ReelTensor *reel_join_values (const GPtrArray *values, gint dim, GError **error);

/**
 * reel_join_check_keys:
 * @td: a tensordict
 * @keys: (array zero-terminated=1): keys
 * @error: KEY naming the first that is missing, all of @keys and what there is
 *
 * Returns: whether @td has all
 */
gboolean reel_join_check_keys (const ReelTensordict *td, const char *const *keys, GError **error);

/**
 * reel_join_drop:
 * @td: a tensordict
 * @keys: (array zero-terminated=1): keys
 * @but: a key that stays
 * @error: RUNTIME where @td is locked
 *
 * Removes @keys.
 *
 * Returns: whether they are gone
 */
gboolean reel_join_drop (ReelTensordict *td, const char *const *keys, const char *but,
                         GError **error);

G_END_DECLS
