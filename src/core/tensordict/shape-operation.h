/* Changes of shape, each written once for tensors, batches and whatever holds tensors. Private to
 * the library. */
#pragma once

#include "../tensor/index-plan.h"
#include "tensordict.h"

G_BEGIN_DECLS

/**
 * ReelShapeArgs:
 * @n_dims: leading dimensions that the change is about: all of a tensor's, or those of a batch
 * @dim: a dimension; negative counts from the end of these
 * @dim1: another
 * @begin: an index, the first of a slice, or a count
 * @end: one past the last
 * @step: of a slice
 * @n_shape: how many @shape or @order has
 * @shape: extents, repeats or paddings
 * @order: dimensions
 * @plan: an index, worked out for the leading dimensions
 * @mask: of filling, what @plan was made of, for lazy stacks
 * @value: what fills new elements
 * @is_which: whether the elements say which value a non-tensor has, so that new ones are −1
 *
 * The arguments of operations; each uses some of them.
 */
typedef struct
{
  gint n_dims;
  gint dim;
  gint dim1;
  gint64 begin;
  gint64 end;
  gint64 step;
  gint n_shape;
  const gint64 *shape;
  const gint *order;
  const ReelIndexPlan *plan;
  ReelTensor *mask;
  double value;
  gboolean is_which;
} ReelShapeArgs;

/**
 * ReelShapeOperation:
 * @form: checks the arguments against the leading dimensions and changes these, and their names;
 *   whatever follows them stays as it is. All that a view needs
 * @copy: (nullable): makes the new tensor, where that is no view; called once @form agreed
 * @lazy: (nullable): changes a lazy stack, whose dimension is one of the leading, by changing its
 *   elements; without it a lazy stack is made dense first
 *
 * One change of shape.
 */
typedef struct
{
  gboolean (*form) (ReelForm *form, const ReelShapeArgs *args, GError **error);
  ReelTensor *(*copy) (ReelTensor *tensor, const ReelForm *form, const ReelShapeArgs *args,
                       GError **error);
  ReelTensordict *(*lazy) (const ReelTensordict *td, const ReelShapeArgs *args, GError **error);
} ReelShapeOperation;

/** reel_shape_select: one index, @begin, of @dim */
extern const ReelShapeOperation reel_shape_select;
/** reel_shape_slice: @begin to @end of @dim, by @step */
extern const ReelShapeOperation reel_shape_slice;
/** reel_shape_permute: dimensions in the order @order */
extern const ReelShapeOperation reel_shape_permute;
/** reel_shape_transpose: @dim and @dim1 exchanged */
extern const ReelShapeOperation reel_shape_transpose;
/** reel_shape_unsqueeze: a dimension of 1 at @dim */
extern const ReelShapeOperation reel_shape_unsqueeze;
/** reel_shape_squeeze: without @dim where it is 1 */
extern const ReelShapeOperation reel_shape_squeeze;
/** reel_shape_squeeze_all: without dimensions of 1 */
extern const ReelShapeOperation reel_shape_squeeze_all;
/** reel_shape_expand: @shape, of which extents of 1 are repeated */
extern const ReelShapeOperation reel_shape_expand;
/** reel_shape_view: @shape, in the same memory, or not at all */
extern const ReelShapeOperation reel_shape_view;
/** reel_shape_reshape: @shape, in new memory where it must be */
extern const ReelShapeOperation reel_shape_reshape;
/** reel_shape_flatten: @dim to @dim1 as one */
extern const ReelShapeOperation reel_shape_flatten;
/** reel_shape_unflatten: @dim as those of @shape */
extern const ReelShapeOperation reel_shape_unflatten;
/** reel_shape_share: the same tensors */
extern const ReelShapeOperation reel_shape_share;
/** reel_shape_clone: copies of the tensors */
extern const ReelShapeOperation reel_shape_clone;
/** reel_shape_index: what @plan takes */
extern const ReelShapeOperation reel_shape_index;
/** reel_shape_take: what @plan takes, of as many dimensions as there were, which keep their names
 */
extern const ReelShapeOperation reel_shape_take;
/** reel_shape_pad: wider by @shape, before and behind each dimension; new elements are @value */
extern const ReelShapeOperation reel_shape_pad;
/** reel_shape_masked_fill: @value where @mask says so, in new memory */
extern const ReelShapeOperation reel_shape_masked_fill;
/** reel_shape_masked_fill_in_place: @value where @mask says so, in the same memory */
extern const ReelShapeOperation reel_shape_masked_fill_in_place;

/**
 * reel_lazy_stack_select:
 * @td: a lazy stack
 * @args: dimension and index, as @dim and @begin
 * @error: INDEX
 *
 * The `lazy` slot of #reel_shape_select.
 *
 * Returns: (transfer full): the element itself where @dim is the stack's; else a lazy stack of a
 *   part of each
 */
ReelTensordict *reel_lazy_stack_select (const ReelTensordict *td, const ReelShapeArgs *args,
                                        GError **error);

/**
 * reel_lazy_stack_slice:
 * @td: a lazy stack
 * @args: dimension, @begin, @end and @step
 * @error: INDEX; VALUE for a step below 1
 *
 * The `lazy` slot of #reel_shape_slice.
 *
 * Returns: (transfer full): a lazy stack; a tensordict without entries where no element is left
 */
ReelTensordict *reel_lazy_stack_slice (const ReelTensordict *td, const ReelShapeArgs *args,
                                       GError **error);

/**
 * reel_lazy_stack_permute:
 * @td: a lazy stack
 * @args: the @order of dimensions
 * @error: as reel_tensordict_permute()
 *
 * The `lazy` slot of #reel_shape_permute.
 *
 * Returns: (transfer full): a lazy stack along the dimension that its own became
 */
ReelTensordict *reel_lazy_stack_permute (const ReelTensordict *td, const ReelShapeArgs *args,
                                         GError **error);

/**
 * reel_lazy_stack_transpose:
 * @td: a lazy stack
 * @args: @dim and @dim1
 * @error: INDEX
 *
 * The `lazy` slot of #reel_shape_transpose.
 *
 * Returns: (transfer full): a lazy stack along the dimension that its own became
 */
ReelTensordict *reel_lazy_stack_transpose (const ReelTensordict *td, const ReelShapeArgs *args,
                                           GError **error);

/**
 * reel_lazy_stack_unsqueeze:
 * @td: a lazy stack
 * @args: @dim, where the new dimension will be
 * @error: INDEX
 *
 * The `lazy` slot of #reel_shape_unsqueeze.
 *
 * Returns: (transfer full): a lazy stack, along the next dimension where the new one is before its
 *   own
 */
ReelTensordict *reel_lazy_stack_unsqueeze (const ReelTensordict *td, const ReelShapeArgs *args,
                                           GError **error);

/**
 * reel_lazy_stack_squeeze:
 * @td: a lazy stack
 * @args: @dim
 * @error: INDEX
 *
 * The `lazy` slot of #reel_shape_squeeze.
 *
 * Returns: (transfer full): the only element where @dim is the stack's; a lazy stack along the
 *   dimension before where it lost one before its own
 */
ReelTensordict *reel_lazy_stack_squeeze (const ReelTensordict *td, const ReelShapeArgs *args,
                                         GError **error);

/**
 * reel_lazy_stack_share:
 * @td: a lazy stack
 * @args: the number of dimensions alone
 * @error: NO_SPACE
 *
 * The `lazy` slot of #reel_shape_share.
 *
 * Returns: (transfer full): a lazy stack of shallow copies of the elements
 */
ReelTensordict *reel_lazy_stack_share (const ReelTensordict *td, const ReelShapeArgs *args,
                                       GError **error);

/**
 * reel_lazy_stack_clone:
 * @td: a lazy stack
 * @args: the number of dimensions alone
 * @error: NO_SPACE
 *
 * The `lazy` slot of #reel_shape_clone.
 *
 * Returns: (transfer full): a lazy stack of copies of the elements, tensors too
 */
ReelTensordict *reel_lazy_stack_clone (const ReelTensordict *td, const ReelShapeArgs *args,
                                       GError **error);

/**
 * reel_lazy_stack_fill:
 * @td: a lazy stack
 * @args: @mask and @value
 * @error: as reel_tensordict_masked_fill()
 *
 * The `lazy` slot of #reel_shape_masked_fill.
 *
 * Returns: (transfer full): a lazy stack of elements whose tensors are new
 */
ReelTensordict *reel_lazy_stack_fill (const ReelTensordict *td, const ReelShapeArgs *args,
                                      GError **error);

/**
 * reel_lazy_stack_fill_in_place:
 * @td: a lazy stack
 * @args: @mask and @value
 * @error: as reel_tensordict_masked_fill_in_place()
 *
 * The `lazy` slot of #reel_shape_masked_fill_in_place.
 *
 * Returns: (transfer full): a lazy stack of elements with the tensors of @td, which were written
 */
ReelTensordict *reel_lazy_stack_fill_in_place (const ReelTensordict *td, const ReelShapeArgs *args,
                                               GError **error);

/**
 * reel_tensor_change:
 * @tensor: a tensor
 * @operation: what to do
 * @args: with what
 * @error: as @operation says; NO_SPACE
 *
 * Returns: (transfer full): the changed tensor
 */
ReelTensor *reel_tensor_change (ReelTensor *tensor, const ReelShapeOperation *operation,
                                const ReelShapeArgs *args, GError **error);

/**
 * reel_tensor_change_by:
 * @maker: (nullable): what allocates a view
 * @tensor: a tensor
 * @operation: what to do
 * @args: with what
 * @error: as @operation says; NO_SPACE
 *
 * Returns: (transfer full): as reel_tensor_change()
 */
ReelTensor *reel_tensor_change_by (ReelTensorMaker *maker, ReelTensor *tensor,
                                   const ReelShapeOperation *operation, const ReelShapeArgs *args,
                                   GError **error);

/**
 * reel_tensordict_change:
 * @td: a tensordict
 * @operation: what to do
 * @args: with what; n_dims are its batch dimensions
 * @error: as @operation says; NO_SPACE
 *
 * The one walk: changes batch size and names, every tensor, nested tensordict and non-tensor.
 *
 * Returns: (transfer full): the changed tensordict, unlocked
 */
ReelTensordict *reel_tensordict_change (const ReelTensordict *td,
                                        const ReelShapeOperation *operation,
                                        const ReelShapeArgs *args, GError **error);

G_END_DECLS
