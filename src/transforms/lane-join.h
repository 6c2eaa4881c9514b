/* Leaves of an env joined to one. Private. */
#pragma once

#include "lane-plan.h"

G_BEGIN_DECLS

/**
 * reel_lane_plan_add_join:
 * @self: a plan
 * @from: (array length=n): leaves with values at the same times
 * @n: how many, at least 1
 * @to: a leaf of as many elements as all of them; where its element type is another, values are
 *   converted
 * @n_pieces: pieces that a row of each leaf is cut into, all of one size
 * @error: NO_SPACE
 *
 * Adds a work that makes each row of @to of the first piece of all leaves, then of the second one,
 * and so on: for a dimension that is joined along, the product of those before it is @n_pieces.
 *
 * Returns: whether there is room
 */
gboolean reel_lane_plan_add_join (ReelLanePlan *self, const guint *from, guint n, guint to,
                                  gsize n_pieces, GError **error);

/**
 * reel_lane_plan_add_split:
 * @self: a plan
 * @from: a leaf
 * @to: (array length=n): leaves of its element type, which together have its elements
 * @n: how many, at least 1
 * @n_pieces: as in reel_lane_plan_add_join()
 * @error: NO_SPACE
 *
 * Adds a work that undoes a join: writes rows of @to.
 *
 * Returns: whether there is room
 */
gboolean reel_lane_plan_add_split (ReelLanePlan *self, guint from, const guint *to, guint n,
                                   gsize n_pieces, GError **error);

/**
 * reel_lane_plan_require_all:
 * @self: a plan
 * @keys: (array zero-terminated=1): keys
 * @error: as reel_lane_plan_require()
 *
 * Returns: (transfer full): the leaf of each
 */
guint *reel_lane_plan_require_all (const ReelLanePlan *self, const char *const *keys,
                                   GError **error);

G_END_DECLS
