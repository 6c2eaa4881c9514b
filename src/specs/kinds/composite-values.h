/* Tensordicts as values of composite specs; what spec.h has not. */
#pragma once

#include "../spec.h"

G_BEGIN_DECLS

/**
 * reel_spec_one_tensordict:
 * @spec: a composite spec
 * @ndim: dimensions to put in front
 * @shape: (array length=ndim): their extents
 * @error: as reel_spec_zero_tensordict()
 *
 * Returns: (transfer full): ones of every leaf
 */
REEL_API
ReelTensordict *reel_spec_one_tensordict (const ReelSpec *spec, gint ndim, const gint64 *shape,
                                          GError **error);

/**
 * reel_spec_type_check_tensordict:
 * @spec: a composite spec
 * @value: a tensordict
 * @error: TYPE naming the key whose dtype is not that of its spec; KEY when one is missing
 *
 * Returns: whether every leaf that is specified has the dtype of its spec
 */
REEL_API
gboolean reel_spec_type_check_tensordict (const ReelSpec *spec, const ReelTensordict *value,
                                          GError **error);

/**
 * reel_spec_project_tensordict:
 * @spec: a composite spec
 * @value: a tensordict
 * @error: KEY when a leaf is missing, ASSERTION when a stack has not as many members, and as
 *   reel_spec_project(), with the key
 *
 * Returns: (transfer full): @value itself when all of it is inside, else a tensordict with the
 *   leaves that were outside moved inside, and the others themselves
 */
REEL_API
ReelTensordict *reel_spec_project_tensordict (const ReelSpec *spec, ReelTensordict *value,
                                              GError **error);

/**
 * reel_spec_encode_tensordict:
 * @spec: a composite spec, no stack of such
 * @raw: plain numbers by key, as tensors of any dtype or as values, in nested tensordicts for
 *   nested composites; it need not have all keys
 * @check: whether each value must be inside, TorchRL's CHECK_SPEC_ENCODE
 * @error: KEY for one that @spec has not, RUNTIME for one that it leaves unspecified or that does
 *   not fit, and as reel_spec_encode_array(), with the key; NOT_IMPLEMENTED for a stack
 *
 * Returns: (transfer full): the values that they stand for, with the batch size of @spec
 */
REEL_API
ReelTensordict *reel_spec_encode_tensordict (const ReelSpec *spec, const ReelTensordict *raw,
                                             gboolean check, GError **error);

/**
 * reel_spec_enumerate_tensordict:
 * @spec: a composite spec
 * @use_mask: whether to leave out what masks forbid
 * @error: NOT_IMPLEMENTED where a leaf cannot be enumerated; NO_SPACE
 *
 * All values, `[cardinality, *shape]`: every combination of those of the leaves, the last leaf's
 * changing fastest. Elements of the batch are the same, those of its first. Of a stack each member
 * has its own.
 *
 * Returns: (transfer full): the values
 */
REEL_API
ReelTensordict *reel_spec_enumerate_tensordict (const ReelSpec *spec, gboolean use_mask,
                                                GError **error);

G_END_DECLS
