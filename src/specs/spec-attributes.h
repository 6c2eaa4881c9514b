/* Attributes of a composite spec's values as a whole: batch dimensions, their names, device,
 * class. Specs are values: each of these functions gives a new one, and what was given stays. A
 * stack of different composites has the shape of its members and neither names nor class: setting
 * them is NOT_IMPLEMENTED. */
#pragma once

#include "spec.h"

G_BEGIN_DECLS

/**
 * reel_spec_set_shape:
 * @spec: a composite spec
 * @ndim: batch dimensions
 * @shape: (array length=ndim): their extents
 * @error: VALUE when the shape of a leaf does not begin with these; composites below follow
 *
 * TorchRL's `spec.shape = shape`. Names of dimensions that stay do so.
 *
 * Returns: (transfer full): @spec with these batch dimensions
 */
REEL_API
ReelSpec *reel_spec_set_shape (const ReelSpec *spec, gint ndim, const gint64 *shape,
                               GError **error);

/**
 * reel_spec_set_device:
 * @spec: a composite spec
 * @device: (nullable): `cpu`, or %NULL for none, here and in all composites below
 * @error: VALUE for any other device
 *
 * TorchRL's to(device) and clear_device_(). An entry set into a composite with a device gets it
 * too; the device of a leaf is always `cpu`, but of one whose values are no tensors it is that of
 * the composite that it is in.
 *
 * Returns: (transfer full): @spec with this device
 */
REEL_API
ReelSpec *reel_spec_set_device (const ReelSpec *spec, const char *device, GError **error);

/**
 * reel_spec_get_device:
 * @spec: a spec
 *
 * Returns: (transfer none) (nullable): `cpu`, or %NULL for none, as of a spec by itself whose
 *   values are no tensors
 */
REEL_API
const char *reel_spec_get_device (const ReelSpec *spec);

/**
 * reel_spec_set_names:
 * @spec: a composite spec
 * @n: how many
 * @names: (array length=n) (nullable): one a batch dimension, each may be %NULL; %NULL for none at
 *   all
 * @error: VALUE when they are not as many as the dimensions
 *
 * Names the batch dimensions, here and the leading ones of all composites below. Names are no part
 * of what reel_spec_equal() compares. Changes of shape take them along.
 *
 * Returns: (transfer full): @spec with these names
 */
REEL_API
ReelSpec *reel_spec_set_names (const ReelSpec *spec, gint n, const char *const *names,
                               GError **error);

/**
 * reel_spec_refine_names:
 * @spec: a composite spec
 * @n: how many
 * @names: (array length=n): as in reel_spec_set_names(); one of them may be `...`, which stands for
 *   as many dimensions as are left, unnamed
 * @error: RUNTIME when a dimension has another name already, VALUE when they are not as many as the
 *   dimensions
 *
 * Returns: (transfer full): @spec with these names
 */
REEL_API
ReelSpec *reel_spec_refine_names (const ReelSpec *spec, gint n, const char *const *names,
                                  GError **error);

/**
 * reel_spec_get_name:
 * @spec: a composite spec
 * @dim: a batch dimension
 *
 * Returns: (transfer none) (nullable): its name
 */
REEL_API
const char *reel_spec_get_name (const ReelSpec *spec, gint dim);

/**
 * reel_spec_set_data_class:
 * @spec: a composite spec, no stack of such
 * @name: (nullable): the class of a typed record, as Python names it, or %NULL for a plain
 *   tensordict
 *
 * The value that Python prints as `data_cls`; reel_spec_equal() compares it.
 *
 * Returns: (transfer full): @spec for values of that class
 */
REEL_API
ReelSpec *reel_spec_set_data_class (const ReelSpec *spec, const char *name);

/**
 * reel_spec_get_data_class:
 * @spec: a composite spec
 *
 * Returns: (transfer none) (nullable): what reel_spec_set_data_class() was given
 */
REEL_API
const char *reel_spec_get_data_class (const ReelSpec *spec);

G_END_DECLS
