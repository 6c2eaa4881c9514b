/* The weights that a policy acts with as bytes, for a policy of the same text in another process.
 * Private. */
#pragma once

#include "policy.h"

G_BEGIN_DECLS

/**
 * ReelPolicyWeights:
 * @bytes: the weights, in an order of the class's own
 * @n_bytes: their bytes
 * @version: as reel_policy_get_version()
 *
 * Weights and their version.
 */
typedef struct
{
  gconstpointer bytes;
  gsize n_bytes;
  gint64 version;
} ReelPolicyWeights;

/**
 * reel_policy_see_weights:
 * @self: a policy
 * @weights: (out caller-allocates): those that it acts with, until it takes others
 *
 * The thread of the policy, as for reel_policy_take_weights().
 *
 * Returns: whether it has any
 */
gboolean reel_policy_see_weights (ReelPolicy *self, ReelPolicyWeights *weights);

/**
 * reel_policy_put_weights:
 * @self: a policy
 * @weights: those of a policy of the same text
 * @error: VALUE for another number of them
 *
 * Has the policy act with them from now on. The thread of the policy, while nobody calls
 * reel_policy_act().
 *
 * Returns: whether they fit; if not, nothing changes
 */
gboolean reel_policy_put_weights (ReelPolicy *self, const ReelPolicyWeights *weights,
                                  GError **error);

G_END_DECLS
