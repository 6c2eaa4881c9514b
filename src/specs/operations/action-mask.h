/* Actions of which not all are allowed: an observation `action_mask` says which. Private. */
#pragma once

#include "../spec.h"

G_BEGIN_DECLS

/**
 * reel_action_mask_find:
 * @observation: composite of one lane's observation
 * @action: path of a leaf of the action
 *
 * Returns: the number, among reel_spec_list_leaves() of @observation, of the leaf beside it whose
 *   key ends in `_mask`: `agents/action_mask` for `agents/action`; −1 where there is none
 */
gint reel_action_mask_find (const ReelSpec *observation, const char *action);

/**
 * reel_action_mask_check_action:
 * @action: spec of an action
 * @path: where it is
 * @error: VALUE for an action that is no class
 *
 * Returns: whether a mask can say which are allowed
 */
gboolean reel_action_mask_check_action (const ReelSpec *action, const char *path, GError **error);

/**
 * reel_action_mask_check:
 * @action: spec of an action
 * @path: where it is
 * @mask: spec of its mask
 * @mask_path: where that is
 * @error: VALUE for a mask that is not bool, one for each class of each component, or an action
 *   that is no class
 *
 * Returns: whether @mask can say which are allowed
 */
gboolean reel_action_mask_check (const ReelSpec *action, const char *path, const ReelSpec *mask,
                                 const char *mask_path, GError **error);

/**
 * reel_action_mask_draw:
 * @action: spec of an action, checked
 * @path: where it is
 * @seed: as in reel_spec_rand_rows()
 * @step: likewise
 * @first: the first lane
 * @n: lanes
 * @mask: their masks, one behind the other
 * @rows: their actions to write, likewise
 * @error: RUNTIME naming a lane and the step in which all of its mask is false
 *
 * Draws of each lane one of the actions that it is allowed, all with the same chance. Any thread.
 *
 * Returns: whether all were drawn
 */
gboolean reel_action_mask_draw (const ReelSpec *action, const char *path, guint64 seed, gint64 step,
                                gint64 first, gint64 n, const guint8 *mask, guint8 *rows,
                                GError **error);

G_END_DECLS
