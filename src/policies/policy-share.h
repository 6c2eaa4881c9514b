/* Policies of workers that have some of the lanes each. Private. */
#pragma once

#include "policy.h"

G_BEGIN_DECLS

/**
 * reel_policy_new_share:
 * @self: a policy that is bound to all lanes, and is not lanewise or has weights
 * @observation: as for reel_policy_bind()
 * @action: likewise
 * @first: first lane of the worker
 * @n_lanes: lanes of the worker
 * @error: VALUE for a policy that acts for all lanes or none; as reel_object_new_from_text()
 *
 * Returns: (transfer full): a policy that is bound to these lanes, and acts for [@first, @first +
 *   @n_lanes)
 */
ReelPolicy *reel_policy_new_share (ReelPolicy *self, const ReelSpec *observation,
                                   const ReelSpec *action, gint64 first, gint64 n_lanes,
                                   GError **error);

G_END_DECLS
