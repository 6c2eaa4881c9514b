/* Which geoms of the library's models can touch. Private to the MuJoCo family. */
#pragma once

#include <glib.h>
#include <mujoco/mujoco.h>

G_BEGIN_DECLS

/**
 * reel_mujoco_contacts_list:
 * @model: one of the library's, whose geoms have no priorities, mix alike, and are none of its own
 *   pairs
 *
 * Has MuJoCo look at the pairs of geoms that can touch, and at none where none can. Else it looks
 * for them each time anew: along the main axis of all geoms, whose places it sorts, which takes a
 * fifth to two fifths of a step. Contacts are the same, in the same order, to the bit. The pairs
 * can be told to MuJoCo before 2.3.3 alone; that there are none, to any.
 *
 * Returns: (transfer full) (nullable): what @model refers to from then on, for g_free() behind it
 */
gpointer reel_mujoco_contacts_list (mjModel *model);

G_END_DECLS
