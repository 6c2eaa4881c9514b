/* Stacks of frames that are made where rows are read. Private. */
#pragma once

#include "transform.h"

G_BEGIN_DECLS

/**
 * reel_cat_frames_new_for_rows:
 * @self: a `cat-frames` as it serves an env
 * @n: (out): frames of a stack
 * @error: TYPE for another transform; VALUE for one that joins frames of the future, on write, or
 *   keeps the last row of a slice already
 *
 * Returns: (transfer full): a chain for slices of @n rows: the stacks of @self and those of `next`,
 *   of which the last row of a slice is kept; stacks are left out of what is written
 */
ReelTransform *reel_cat_frames_new_for_rows (ReelTransform *self, gint64 *n, GError **error);

G_END_DECLS
