/* Specs of other shapes. Domains of any kind move with their elements: the bounds of a
 * box, the masks of classes. Arguments are never changed. */
#pragma once

#include "../core/tensor/index.h"
#include "spec.h"

G_BEGIN_DECLS

/* In a composite all of these are about its batch dimensions, which every entry begins with. Where
 * a value lies along the last dimension (one-hot and its like, the multi kinds), it is not touched:
 * VALUE "Final dimension of … must remain unchanged". */

/**
 * reel_spec_expand:
 * @spec: a spec
 * @ndim: dimensions of the result, at least @spec's
 * @shape: (array length=ndim): extents. The last ones must be those of @spec, but where that has 1
 * @error: VALUE
 *
 * Returns: (transfer full): the spec of a batch of such values
 */
REEL_API
ReelSpec *reel_spec_expand (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error);

/**
 * reel_spec_batch:
 * @spec: a spec
 * @ndim: how many dimensions to put in front
 * @shape: (array length=ndim): their extents
 * @error: VALUE
 *
 * As reel_spec_expand(), with what is to be put in front alone.
 *
 * Returns: (transfer full): the spec of a batch of such values
 */
REEL_API
ReelSpec *reel_spec_batch (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error);

/**
 * reel_spec_squeeze:
 * @spec: a spec
 * @dim: a dimension; negative counts from the end
 * @error: INDEX when out of range; VALUE
 *
 * Returns: (transfer full): without that dimension if its extent is 1, else @spec itself
 */
REEL_API
ReelSpec *reel_spec_squeeze (const ReelSpec *spec, gint dim, GError **error);

/**
 * reel_spec_squeeze_all:
 * @spec: a spec
 * @error: VALUE
 *
 * As TorchRL's squeeze() without arguments: a leaf of a single dimension stays as it is.
 *
 * Returns: (transfer full): without the dimensions whose extent is 1
 */
REEL_API
ReelSpec *reel_spec_squeeze_all (const ReelSpec *spec, GError **error);

/**
 * reel_spec_unsqueeze:
 * @spec: a spec
 * @dim: where the new dimension goes, 0 to ndim; negative counts from the end of the result
 * @error: VALUE
 *
 * Returns: (transfer full): with one more dimension, of extent 1
 */
REEL_API
ReelSpec *reel_spec_unsqueeze (const ReelSpec *spec, gint dim, GError **error);

/**
 * reel_spec_reshape:
 * @spec: a spec; not a stack of different ones
 * @ndim: dimensions of the result
 * @shape: (array length=ndim): extents. One −1 is worked out from the others; where @spec has
 *   dimensions of any extent, it stands for one of these
 * @error: RUNTIME when there are not as many elements; VALUE; NOT_IMPLEMENTED
 *
 * Returns: (transfer full): the spec of values of that shape, TorchRL's reshape and view
 */
REEL_API
ReelSpec *reel_spec_reshape (const ReelSpec *spec, gint ndim, const gint64 *shape, GError **error);

/**
 * reel_spec_flatten:
 * @spec: a spec; not a stack of different ones
 * @first: the first of the dimensions to merge; negative counts from the end
 * @last: the last of them
 * @error: INDEX when out of range; RUNTIME when @last comes before @first; VALUE; NOT_IMPLEMENTED
 *
 * As of a tensor, 0 to 0 of no dimensions at all gives one.
 *
 * Returns: (transfer full): with these dimensions as one
 */
REEL_API
ReelSpec *reel_spec_flatten (const ReelSpec *spec, gint first, gint last, GError **error);

/**
 * reel_spec_unflatten:
 * @spec: a spec; not a stack of different ones
 * @dim: a dimension; negative counts from the end
 * @n: how many to make of it
 * @sizes: (array length=n): their extents, one of them perhaps −1
 * @error: INDEX when out of range; RUNTIME when @sizes do not multiply to it; VALUE;
 *   NOT_IMPLEMENTED
 *
 * Returns: (transfer full): with that dimension as several
 */
REEL_API
ReelSpec *reel_spec_unflatten (const ReelSpec *spec, gint dim, gint n, const gint64 *sizes,
                               GError **error);

/**
 * reel_spec_index:
 * @spec: a spec. The last dimension of a one-hot or binary spec, and of the multi kinds, takes no
 *   part. Of a stack of different specs only the dimension that it is stacked along can be indexed
 * @index: what of it, with the meaning that it has for a tensor of such values; but a dimension of
 *   any extent can be indexed by integers, and sliced whole alone
 * @error: INDEX as reel_tensor_index(), VALUE for a step below 1
 *
 * TorchRL's `spec[index]`. Where a stack of different specs is indexed by an integer, the result is
 * the member itself.
 *
 * Returns: (transfer full): the spec of what @index picks from its values
 */
REEL_API
ReelSpec *reel_spec_index (const ReelSpec *spec, const ReelIndex *index, GError **error);

/**
 * reel_spec_index_select:
 * @spec: a spec; not a stack of different ones
 * @dim: a dimension; negative counts from the end
 * @index: a tensor of indices of it, of one dimension; negative ones are out of range
 * @error: INDEX when one of them or @dim is out of range; VALUE for the last dimension of a one-hot
 *   or binary spec or the multi kinds; NOT_IMPLEMENTED
 *
 * Returns: (transfer full): the spec of these indices of @dim
 */
REEL_API
ReelSpec *reel_spec_index_select (const ReelSpec *spec, gint dim, ReelTensor *index,
                                  GError **error);

/**
 * reel_spec_unbind:
 * @spec: a spec
 * @dim: a dimension whose extent is known; negative counts from the end
 * @error: INDEX when out of range; VALUE where its extent is not known or a value lies along it
 *
 * Returns: (transfer full) (element-type ReelSpec): the spec of each index of @dim; of a stack of
 *   different specs along its dimension, the members
 */
REEL_API
GPtrArray *reel_spec_unbind (const ReelSpec *spec, gint dim, GError **error);

G_END_DECLS
