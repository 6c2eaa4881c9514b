/* Windows of images. Private. */
#pragma once

#include "transform-private.h"

G_BEGIN_DECLS

/**
 * reel_crop_window:
 * @value: images `[…, height, width]`
 * @top: first row of the window; may be outside
 * @left: first column, likewise
 * @rows: its rows
 * @columns: its columns
 * @error: INDEX where @value has less than two dimensions; NO_SPACE
 *
 * Returns: (transfer full): `[…, @rows, @columns]`, a view where the window is inside; else a copy
 *   with zeros outside of the images
 */
ReelTensor *reel_crop_window (ReelTensor *value, gint64 top, gint64 left, gint64 rows,
                              gint64 columns, GError **error);

G_END_DECLS
