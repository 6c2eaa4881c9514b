/* Some lanes of a policy of more: it acts on them as they are numbered among all. Private. */
#pragma once

#include "../policies/policy.h"

G_BEGIN_DECLS

/**
 * reel_lane_range_policy_new:
 * @whole: a policy that acts lane by lane
 * @first: the lane of it that is lane 0 here
 * @n_all: its lanes
 *
 * Returns: (transfer full): a policy of id `lane-range`, which text cannot name. It binds @whole
 */
ReelPolicy *reel_lane_range_policy_new (ReelPolicy *whole, gint64 first, gint64 n_all);

G_END_DECLS
