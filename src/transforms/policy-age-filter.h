/* A limit on the age of the policy that made a row. */
#pragma once

#include "transform.h"

G_BEGIN_DECLS

/**
 * ReelPolicyAgeFilter:
 *
 * Leaves out rows of old policies, in a buffer: on write and on read, as TorchRL's
 * `PolicyAgeFilter`. A row stays where the version of the current policy exceeds that of the row's
 * policy by at most the lag. A row of several steps, or a lane of a rollout `[B, T]`, has the age
 * of its oldest step. A batch may so have fewer rows than were drawn, or none, and nothing may be
 * written. A single row that is read by its place is given whatever its age.
 *
 * In an environment it does nothing.
 *
 * Id `policy-age-filter`. Properties: `current-version` (0), `max-policy-lag` (0),
 * `policy-version-key` (`policy_version`; real numbers, one a step) and `strict`: whether rows
 * without the key are refused (KEY), or all stay.
 */
#define REEL_TYPE_POLICY_AGE_FILTER (reel_policy_age_filter_get_type ())
REEL_API
G_DECLARE_FINAL_TYPE (ReelPolicyAgeFilter, reel_policy_age_filter, REEL, POLICY_AGE_FILTER,
                      ReelTransform)

/**
 * reel_policy_age_filter_set_current_version:
 * @self: a filter
 * @version: the version of the current policy, at least 0
 *
 * Any thread, also while others read and write through @self.
 */
REEL_API
void reel_policy_age_filter_set_current_version (ReelPolicyAgeFilter *self, gint64 version);

G_END_DECLS
