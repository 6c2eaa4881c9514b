/* A worker's share of the lanes that a function acts for. Private. */
#pragma once

#include "../core/system/turns.h"
#include "policy.h"

G_BEGIN_DECLS

/**
 * ReelCallbackShareOptions:
 * @whole: the policy of all lanes; a reference is taken
 * @outputs: (nullable): what the function writes beside the actions
 * @state: (nullable): what it hands from step to step
 * @first: first lane of the share
 * @call: calls the function for so many lanes, at @io; any thread
 */
typedef struct
{
  ReelPolicy *whole;
  const ReelSpec *outputs, *state;
  gint64 first;
  gboolean (*call) (gpointer whole, gint64 step, gint64 n_lanes, const ReelPolicyIO *io,
                    GError **error);
} ReelCallbackShareOptions;

/**
 * reel_callback_share_new:
 * @options: a copy is made
 *
 * Returns: (transfer full): a policy that acts for the lanes that it is bound to
 */
ReelPolicy *reel_callback_share_new (const ReelCallbackShareOptions *options);

G_END_DECLS
