/* Changes of shape. Those of a tensordict are about its batch dimensions: what follows them in a
 * leaf stays as it is, and nested tensordicts and non-tensors change alike. Functions without the
 * word "copy" return views. A dimension that is not there is an INDEX error. */
#pragma once

#include "tensordict.h"

G_BEGIN_DECLS

/**
 * reel_tensor_squeeze:
 * @tensor: a tensor
 * @dim: a dimension; negative counts from the end
 * @error: INDEX
 *
 * Returns: (transfer full): the view without @dim if its extent is 1, else with it
 */
REEL_API
ReelTensor *reel_tensor_squeeze (ReelTensor *tensor, gint dim, GError **error);

/**
 * reel_tensordict_squeeze:
 * @td: a tensordict
 * @dim: a batch dimension; negative counts from the end
 * @error: INDEX
 *
 * Returns: (transfer full): views without @dim if its extent is 1, else with it; other names stay
 */
REEL_API
ReelTensordict *reel_tensordict_squeeze (ReelTensordict *td, gint dim, GError **error);

/**
 * reel_tensor_squeeze_all:
 * @tensor: a tensor
 *
 * Returns: (transfer full): the view without any dimension of extent 1
 */
REEL_API
ReelTensor *reel_tensor_squeeze_all (ReelTensor *tensor);

/**
 * reel_tensordict_squeeze_all:
 * @td: a tensordict
 * @error: none but the system's
 *
 * Returns: (transfer full): views without any batch dimension of extent 1
 */
REEL_API
ReelTensordict *reel_tensordict_squeeze_all (ReelTensordict *td, GError **error);

/**
 * reel_tensordict_unsqueeze:
 * @td: a tensordict
 * @dim: where the new dimension goes, 0 to ndim; negative counts from the end of the result
 * @error: INDEX
 *
 * Returns: (transfer full): views with one more batch dimension, of extent 1 and without a name
 */
REEL_API
ReelTensordict *reel_tensordict_unsqueeze (ReelTensordict *td, gint dim, GError **error);

/**
 * reel_tensordict_permute:
 * @td: a tensordict
 * @dims: (array): for each batch dimension of the result, which of @td's it is; negative counts
 *   from the end
 * @error: VALUE when @dims is no permutation
 *
 * Returns: (transfer full): views with their dimensions and names reordered
 */
REEL_API
ReelTensordict *reel_tensordict_permute (ReelTensordict *td, const gint *dims, GError **error);

/**
 * reel_tensordict_expand:
 * @td: a tensordict
 * @ndim: batch dimensions of the result, at least @td's
 * @shape: (array length=ndim): extents; where @td's last differ they must be 1. −1 keeps one
 * @error: RUNTIME when the shapes do not fit
 *
 * Returns: (transfer full): views with stride 0 in expanded dimensions; new ones come first and
 *   have no name
 */
REEL_API
ReelTensordict *reel_tensordict_expand (ReelTensordict *td, gint ndim, const gint64 *shape,
                                        GError **error);

/**
 * reel_tensordict_view:
 * @td: a tensordict
 * @ndim: batch dimensions of the result
 * @shape: (array length=ndim): extents with the same product; one may be −1
 * @error: RUNTIME when the products differ, or the strides of a leaf allow no such view
 *
 * Returns: (transfer full): views of that batch size, without names; never copies. @td itself if it
 *   has the shape already
 */
REEL_API
ReelTensordict *reel_tensordict_view (ReelTensordict *td, gint ndim, const gint64 *shape,
                                      GError **error);

/**
 * reel_tensor_reshape:
 * @tensor: a tensor
 * @ndim: dimensions of the result
 * @shape: (array length=ndim): extents with the same product; one may be −1
 * @error: RUNTIME when the products differ; NO_SPACE
 *
 * Returns: (transfer full): a view, or a copy in the same order where the strides allow none
 */
REEL_API
ReelTensor *reel_tensor_reshape (ReelTensor *tensor, gint ndim, const gint64 *shape,
                                 GError **error);

/**
 * reel_tensordict_reshape:
 * @td: a tensordict
 * @ndim: dimensions of the result
 * @shape: (array length=ndim): extents with the same product; one may be −1
 * @error: RUNTIME when the products differ; NO_SPACE
 *
 * Returns: (transfer full): as reel_tensordict_view(), but leaves whose strides allow no view are
 *   copied
 */
REEL_API
ReelTensordict *reel_tensordict_reshape (ReelTensordict *td, gint ndim, const gint64 *shape,
                                         GError **error);

/**
 * reel_tensor_flatten:
 * @tensor: a tensor
 * @first: a dimension; negative counts from the end
 * @last: another, not before @first
 * @error: INDEX; VALUE when @last comes before @first; NO_SPACE
 *
 * Returns: (transfer full): a view in which @first to @last are one dimension; a copy where the
 *   strides allow none
 */
REEL_API
ReelTensor *reel_tensor_flatten (ReelTensor *tensor, gint first, gint last, GError **error);

/**
 * reel_tensordict_flatten:
 * @td: a tensordict
 * @first: a batch dimension; negative counts from the end
 * @last: another, not before @first
 * @error: INDEX; VALUE when @last comes before @first; NO_SPACE
 *
 * Returns: (transfer full): views in which @first to @last are one dimension without a name; leaves
 *   whose strides allow no view are copied
 */
REEL_API
ReelTensordict *reel_tensordict_flatten (ReelTensordict *td, gint first, gint last, GError **error);

/**
 * reel_tensor_unflatten:
 * @tensor: a tensor
 * @dim: a dimension; negative counts from the end
 * @ndim: how many dimensions it becomes, at least 1
 * @shape: (array length=ndim): their extents; one may be −1
 * @error: INDEX; RUNTIME when they do not multiply up to the extent of @dim
 *
 * Returns: (transfer full): the view
 */
REEL_API
ReelTensor *reel_tensor_unflatten (ReelTensor *tensor, gint dim, gint ndim, const gint64 *shape,
                                   GError **error);

/**
 * reel_tensordict_unflatten:
 * @td: a tensordict
 * @dim: a batch dimension; negative counts from the end
 * @ndim: how many dimensions it becomes, at least 1
 * @shape: (array length=ndim): their extents; one may be −1
 * @error: INDEX; RUNTIME when they do not multiply up to the extent of @dim
 *
 * Returns: (transfer full): views; the last of the new dimensions takes the name of @dim
 */
REEL_API
ReelTensordict *reel_tensordict_unflatten (ReelTensordict *td, gint dim, gint ndim,
                                           const gint64 *shape, GError **error);

/**
 * reel_tensor_pad:
 * @tensor: a tensor
 * @n_pads: how many @pads, even
 * @pads: (array length=n_pads): before and after each dimension, the *first* dimension first,
 *   unlike torch.nn.functional.pad(); negative ones cut
 * @value: what fills them, as reel_dtype_store_double() takes it
 * @error: RUNTIME when a dimension or its elements are not there; NO_SPACE
 *
 * Returns: (transfer full): a copy
 */
REEL_API
ReelTensor *reel_tensor_pad (ReelTensor *tensor, gint n_pads, const gint64 *pads, double value,
                             GError **error);

/**
 * reel_tensordict_pad:
 * @td: a tensordict
 * @n_pads: how many @pads, even
 * @pads: (array length=n_pads): before and after each dimension, the *first* dimension first,
 *   unlike torch.nn.functional.pad(); negative ones cut
 * @value: what fills them, as reel_dtype_store_double() takes it; what is no tensor gets None
 * @error: RUNTIME when a dimension or its elements are not there; NO_SPACE
 *
 * Returns: (transfer full): a copy without names
 */
REEL_API
ReelTensordict *reel_tensordict_pad (ReelTensordict *td, gint n_pads, const gint64 *pads,
                                     double value, GError **error);

/**
 * reel_tensor_repeat_interleave:
 * @tensor: a tensor
 * @dim: a dimension; negative counts from the end
 * @n: 1, or the extent of @dim
 * @repeats: (array length=n): how often each index of @dim stands in the result; one for all
 * @error: INDEX; RUNTIME for a number below 0 or another @n; NO_SPACE
 *
 * Returns: (transfer full): a copy
 */
REEL_API
ReelTensor *reel_tensor_repeat_interleave (ReelTensor *tensor, gint dim, gsize n,
                                           const gint64 *repeats, GError **error);

/**
 * reel_tensordict_repeat_interleave:
 * @td: a tensordict
 * @dim: a batch dimension; negative counts from the end
 * @n: 1, or the extent of @dim
 * @repeats: (array length=n): how often each index of @dim stands in the result; one for all
 * @error: INDEX; RUNTIME for a number below 0 or another @n; NO_SPACE
 *
 * Returns: (transfer full): a copy with the same names
 */
REEL_API
ReelTensordict *reel_tensordict_repeat_interleave (ReelTensordict *td, gint dim, gsize n,
                                                   const gint64 *repeats, GError **error);

/**
 * reel_tensor_roll:
 * @tensor: a tensor
 * @dim: a dimension; negative counts from the end
 * @shift: how far each element moves on; what leaves at the end comes back at the begin
 * @error: INDEX, NO_SPACE
 *
 * Returns: (transfer full): a copy
 */
REEL_API
ReelTensor *reel_tensor_roll (ReelTensor *tensor, gint dim, gint64 shift, GError **error);

/**
 * reel_tensordict_roll:
 * @td: a tensordict
 * @dim: a batch dimension; negative counts from the end
 * @shift: how far each element moves on; what leaves at the end comes back at the begin
 * @error: INDEX, NO_SPACE
 *
 * Returns: (transfer full): a copy with the same names
 */
REEL_API
ReelTensordict *reel_tensordict_roll (ReelTensordict *td, gint dim, gint64 shift, GError **error);

/**
 * reel_tensor_gather:
 * @tensor: a tensor
 * @dim: a dimension; negative counts from the end
 * @index: int64 or int32, indices of @dim, negative count from the end; at most as many dimensions,
 *   each the extent of the same one of @tensor, or 1, but @dim, which may have any
 * @error: RUNTIME for a @dim that is not there, an empty @index, or one that does not fit; INDEX
 *   for what is out of range; TYPE, NO_SPACE
 *
 * `result[i, j] = tensor[index[i, j], j]` for @dim 0, as torch.gather(); all that follows the
 * dimensions of @index goes along.
 *
 * Returns: (transfer full): a copy
 */
REEL_API
ReelTensor *reel_tensor_gather (ReelTensor *tensor, gint dim, ReelTensor *index, GError **error);

/**
 * reel_tensordict_gather:
 * @td: a tensordict
 * @dim: a batch dimension; negative counts from the end
 * @index: int64 or int32, indices of @dim, negative count from the end; at most as many dimensions,
 *   each the extent of the same batch dimension, or 1, but @dim, which may have any
 * @error: RUNTIME for a @dim that is not there, an empty @index, or one that does not fit; INDEX
 *   for what is out of range; TYPE, NO_SPACE
 *
 * `result[i, j] = tensor[index[i, j], j]` for @dim 0, as torch.gather(); all that follows the
 * dimensions of @index goes along.
 *
 * Returns: (transfer full): a copy with the same names
 */
REEL_API
ReelTensordict *reel_tensordict_gather (ReelTensordict *td, gint dim, ReelTensor *index,
                                        GError **error);

/**
 * reel_tensor_expand_as_right:
 * @tensor: a tensor
 * @ndim: dimensions of the result, at least @tensor's
 * @shape: (array length=ndim): extents; @tensor's are the first of them, or 1
 * @error: RUNTIME when the shapes do not fit
 *
 * Returns: (transfer full): the view with further dimensions on the right, of stride 0
 */
REEL_API
ReelTensor *reel_tensor_expand_as_right (ReelTensor *tensor, gint ndim, const gint64 *shape,
                                         GError **error);

/**
 * reel_tensor_cat:
 * @tensors: (array length=n): tensors of one type, whose extents differ in @dim alone
 * @n: how many
 * @dim: a dimension; negative counts from the end
 * @error: VALUE for none; INDEX; RUNTIME when they differ; NO_SPACE
 *
 * Returns: (transfer full): a copy of all, one behind the other in @dim
 */
REEL_API
ReelTensor *reel_tensor_cat (ReelTensor *const *tensors, gsize n, gint dim, GError **error);

/**
 * reel_tensordict_cat:
 * @tds: (array length=n): tensordicts of the same keys, whose batch sizes differ in @dim alone
 * @n: how many
 * @dim: a batch dimension; negative counts from the end
 * @error: VALUE for none; RUNTIME for a @dim that is not there, or sizes that differ; KEY when the
 *   keys do; NO_SPACE
 *
 * Returns: (transfer full): a copy of all, one behind the other in @dim. Names are the first's, the
 *   device that of all, if it is one
 */
REEL_API
ReelTensordict *reel_tensordict_cat (ReelTensordict *const *tds, gsize n, gint dim, GError **error);

/**
 * reel_tensor_where:
 * @mask: bool; its dimensions are the first of @a's, or 1
 * @a: where @mask is true
 * @b: where it is not; of the type and shape of @a
 * @error: TYPE when @mask is none; RUNTIME when something does not fit; NO_SPACE
 *
 * Returns: (transfer full): a copy made of both
 */
REEL_API
ReelTensor *reel_tensor_where (ReelTensor *mask, ReelTensor *a, ReelTensor *b, GError **error);

/**
 * reel_tensordict_where:
 * @mask: bool; its dimensions are the first of the batch's, or 1
 * @a: where @mask is true
 * @b: where it is not; of the batch size and keys of @a
 * @error: TYPE when @mask is none; RUNTIME when something does not fit; KEY when the keys differ;
 *   NO_SPACE
 *
 * Returns: (transfer full): a copy made of both, with the names of @a
 */
REEL_API
ReelTensordict *reel_tensordict_where (ReelTensor *mask, ReelTensordict *a, ReelTensordict *b,
                                       GError **error);

/**
 * reel_tensordict_split:
 * @td: a tensordict
 * @size: extent of each piece, at least 1
 * @dim: a batch dimension; negative counts from the end
 * @error: INDEX, VALUE
 *
 * Returns: (transfer full) (element-type ReelTensordict): views, one behind the other; the last may
 *   be short
 */
REEL_API
GPtrArray *reel_tensordict_split (ReelTensordict *td, gint64 size, gint dim, GError **error);

/**
 * reel_tensordict_split_sizes:
 * @td: a tensordict
 * @n: how many pieces
 * @sizes: (array length=n): the extent of each, 0 or more
 * @dim: a batch dimension; negative counts from the end
 * @error: INDEX; RUNTIME when the sizes do not sum to the extent of @dim
 *
 * Returns: (transfer full) (element-type ReelTensordict): views, one behind the other
 */
REEL_API
GPtrArray *reel_tensordict_split_sizes (ReelTensordict *td, gsize n, const gint64 *sizes, gint dim,
                                        GError **error);

/**
 * reel_tensordict_chunk:
 * @td: a tensordict
 * @n: how many pieces, at least 1; there are fewer where they come out even so
 * @dim: a batch dimension; negative counts from the end
 * @error: INDEX, VALUE
 *
 * Returns: (transfer full) (element-type ReelTensordict): views, one behind the other; the last may
 *   be short
 */
REEL_API
GPtrArray *reel_tensordict_chunk (ReelTensordict *td, gint64 n, gint dim, GError **error);

/**
 * reel_tensordict_unbind:
 * @td: a tensordict
 * @dim: a batch dimension; negative counts from the end
 * @error: INDEX
 *
 * Returns: (transfer full) (element-type ReelTensordict): views at each index, without @dim
 */
REEL_API
GPtrArray *reel_tensordict_unbind (ReelTensordict *td, gint dim, GError **error);

G_END_DECLS
