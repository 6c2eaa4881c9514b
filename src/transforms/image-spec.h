/* Specs of what changes images. Private. */
#pragma once

#include "transform.h"

G_BEGIN_DECLS

/**
 * reel_image_spec:
 * @self: a transform that works key by key
 * @spec: of what it is given
 * @error: what the transform says of such values
 *
 * The `apply_spec` of transforms whose values have the bounds that become of the bounds: a box
 * stays one, anything else has no bounds.
 *
 * Returns: (transfer full): the spec of what it gives
 */
ReelSpec *reel_image_spec (ReelTransform *self, const ReelSpec *spec, GError **error);

G_END_DECLS
