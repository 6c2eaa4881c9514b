/* Changes of shape, each written once for tensors, batches and whatever holds tensors. Private to
 * the library. */
#pragma once

#include "index-plan.h"
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
 * What operations are told; each looks at some of it.
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

extern const ReelShapeOperation reel_shape_select;
extern const ReelShapeOperation reel_shape_slice;
extern const ReelShapeOperation reel_shape_permute;
extern const ReelShapeOperation reel_shape_transpose;
extern const ReelShapeOperation reel_shape_unsqueeze;
extern const ReelShapeOperation reel_shape_squeeze;
extern const ReelShapeOperation reel_shape_squeeze_all;
extern const ReelShapeOperation reel_shape_expand;
extern const ReelShapeOperation reel_shape_view;
extern const ReelShapeOperation reel_shape_reshape;
extern const ReelShapeOperation reel_shape_flatten;
extern const ReelShapeOperation reel_shape_unflatten;
extern const ReelShapeOperation reel_shape_share;
extern const ReelShapeOperation reel_shape_clone;
extern const ReelShapeOperation reel_shape_index;
extern const ReelShapeOperation reel_shape_take;
extern const ReelShapeOperation reel_shape_pad;
extern const ReelShapeOperation reel_shape_masked_fill;
extern const ReelShapeOperation reel_shape_masked_fill_in_place;

/**
 * reel_lazy_stack_select:
 * reel_lazy_stack_slice:
 * reel_lazy_stack_permute:
 * reel_lazy_stack_transpose:
 * reel_lazy_stack_unsqueeze:
 * reel_lazy_stack_squeeze:
 * reel_lazy_stack_share:
 * reel_lazy_stack_clone:
 * reel_lazy_stack_fill:
 * reel_lazy_stack_fill_in_place:
 *
 * The `lazy` slots of the operations of these names: what they do to a lazy stack, whose dimension
 * moves along.
 */
ReelTensordict *reel_lazy_stack_select (const ReelTensordict *td, const ReelShapeArgs *args,
                                        GError **error);
ReelTensordict *reel_lazy_stack_slice (const ReelTensordict *td, const ReelShapeArgs *args,
                                       GError **error);
ReelTensordict *reel_lazy_stack_permute (const ReelTensordict *td, const ReelShapeArgs *args,
                                         GError **error);
ReelTensordict *reel_lazy_stack_transpose (const ReelTensordict *td, const ReelShapeArgs *args,
                                           GError **error);
ReelTensordict *reel_lazy_stack_unsqueeze (const ReelTensordict *td, const ReelShapeArgs *args,
                                           GError **error);
ReelTensordict *reel_lazy_stack_squeeze (const ReelTensordict *td, const ReelShapeArgs *args,
                                         GError **error);
ReelTensordict *reel_lazy_stack_share (const ReelTensordict *td, const ReelShapeArgs *args,
                                       GError **error);
ReelTensordict *reel_lazy_stack_clone (const ReelTensordict *td, const ReelShapeArgs *args,
                                       GError **error);
ReelTensordict *reel_lazy_stack_fill (const ReelTensordict *td, const ReelShapeArgs *args,
                                      GError **error);
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
