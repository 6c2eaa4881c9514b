/* Declarations that tensors and tensordicts share; not installed. */
#pragma once

#include "tensor.h"

G_BEGIN_DECLS

/**
 * reel_memory_new_unfilled:
 * @size: bytes, 0 allowed
 * @error: NO_SPACE
 *
 * Returns: (transfer full): reel_memory_new() that holds whatever was there, for who writes it all
 */
ReelMemory *reel_memory_new_unfilled (gsize size, GError **error);

/**
 * reel_memory_find_owner:
 * @memory: a memory
 * @destroy: what ends memory of one kind
 *
 * Returns: (nullable): what reel_memory_new_wrapped() was given for @destroy, or NULL where it was
 *   given another function
 */
gpointer reel_memory_find_owner (ReelMemory *memory, GDestroyNotify destroy);

/**
 * reel_memory_is_shared:
 * @memory: a memory
 *
 * Any thread; others may drop their references meanwhile.
 *
 * Returns: whether there is more than one reference to it
 */
gboolean reel_memory_is_shared (ReelMemory *memory);

/**
 * reel_tensor_new_unfilled:
 * @dtype: type of the elements
 * @ndim: dimensions
 * @shape: (array length=ndim): extents
 * @error: as reel_tensor_new()
 *
 * Returns: (transfer full): reel_tensor_new() with any elements, for who writes them all
 */
ReelTensor *reel_tensor_new_unfilled (ReelDtype dtype, gint ndim, const gint64 *shape,
                                      GError **error);

/**
 * reel_tensor_new_like:
 * @tensor: a description, often on the stack; its memory must hold its elements
 *
 * Returns: (transfer full): a tensor with these fields and a reference of its own to the memory
 */
ReelTensor *reel_tensor_new_like (const ReelTensor *tensor);

/**
 * reel_tensor_copy_fields:
 * @to: (out caller-allocates): a description
 * @from: another
 *
 * Copies what @from has: nothing is written past its dimensions. For what is done leaf by leaf.
 */
static inline void
reel_tensor_copy_fields (ReelTensor *to, const ReelTensor *from)
{
  to->dtype = from->dtype;
  to->ndim = from->ndim;
  to->data = from->data;
  to->memory = from->memory;
  for (gint i = 0; i < from->ndim; i++)
    {
      to->shape[i] = from->shape[i];
      to->strides[i] = from->strides[i];
    }
}

/**
 * REEL_TENSOR_BLOCK:
 *
 * The most tensors that share one allocation, and so the most that one which is kept keeps.
 */
#define REEL_TENSOR_BLOCK 16

/**
 * ReelTensorMaker:
 * @block: where the next goes
 * @n_left: how many fit into it
 * @n_expected: how many more there may be after that
 *
 * Allocates tensors that are made together, as the leaves of a view are, by the block. Begins with
 * zeros but for @n_expected. Each tensor is referenced and lives by itself.
 */
typedef struct
{
  struct _ReelTensorBlock *block;
  gint n_left;
  gint n_expected;
} ReelTensorMaker;

/**
 * reel_tensor_maker_add:
 * @maker: a maker
 * @tensor: as for reel_tensor_new_like()
 *
 * Returns: (transfer full): as reel_tensor_new_like()
 */
ReelTensor *reel_tensor_maker_add (ReelTensorMaker *maker, const ReelTensor *tensor);

/**
 * reel_tensor_maker_end:
 * @maker: a maker, which makes no more
 */
void reel_tensor_maker_end (ReelTensorMaker *maker);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReelTensorMaker, reel_tensor_maker_end)

/**
 * reel_shape_to_string:
 * @ndim: dimensions
 * @shape: (array length=ndim): extents
 *
 * Returns: (transfer full): such as `[2, 3]`
 */
char *reel_shape_to_string (gint ndim, const gint64 *shape);

/**
 * reel_shape_check:
 * @ndim: dimensions
 * @shape: (array length=ndim): extents
 * @item_size: bytes of an element
 * @error: VALUE when no tensor can have this shape
 *
 * Returns: whether the extents are not negative and the bytes of them all can be counted; extents
 *   of 0 count as 1, because strides are made of them
 */
gboolean reel_shape_check (gint ndim, const gint64 *shape, gsize item_size, GError **error);

/**
 * reel_shape_strides:
 * @ndim: dimensions
 * @shape: (array length=ndim): extents that reel_shape_check() accepted
 * @item_size: bytes of an element
 * @strides: (array length=ndim) (out): row-major strides in bytes
 */
void reel_shape_strides (gint ndim, const gint64 *shape, gsize item_size, gint64 *strides);

/**
 * reel_dim_resolve:
 * @dim: (inout): a dimension, negative counts from the end; made not negative
 * @ndim: how many there are
 * @error: INDEX when out of range
 *
 * Returns: whether it is one of them
 */
gboolean reel_dim_resolve (gint *dim, gint ndim, GError **error);

/**
 * reel_index_resolve:
 * @index: (inout): an index, negative counts from the end; made not negative
 * @dim: the dimension, for the message
 * @extent: its extent
 * @error: INDEX when out of range
 *
 * Returns: whether it is in range
 */
gboolean reel_index_resolve (gint64 *index, gint dim, gint64 extent, GError **error);

/**
 * reel_slice_resolve:
 * @begin: (inout): as in reel_tensor_slice(); made the first index
 * @end: one past the last
 * @step: the step
 * @extent: extent of the dimension
 * @count: (out): how many indices there are
 * @error: VALUE when @step is less than 1
 *
 * Returns: whether it is a slice
 */
gboolean reel_slice_resolve (gint64 *begin, gint64 end, gint64 step, gint64 extent, gint64 *count,
                             GError **error);

/**
 * reel_tensor_broadcast:
 * @tensor: a tensor
 * @ndim: dimensions of the view
 * @shape: (array length=ndim): its extents
 * @view: (out caller-allocates): @tensor expanded to them; holds no reference
 * @error: RUNTIME when the shapes do not fit
 *
 * Returns: whether it was set
 */
gboolean reel_tensor_broadcast (const ReelTensor *tensor, gint ndim, const gint64 *shape,
                                ReelTensor *view, GError **error);

/**
 * reel_tensor_check_writable:
 * @tensor: a tensor
 * @error: RUNTIME when its memory may only be read
 *
 * Returns: whether its elements may be written
 */
gboolean reel_tensor_check_writable (const ReelTensor *tensor, GError **error);

/**
 * reel_tensor_is_aligned:
 * @tensor: a tensor
 *
 * Returns: whether its first element lies where the compiler expects one of that size: rows of
 *   records begin anywhere
 */
gboolean reel_tensor_is_aligned (const ReelTensor *tensor);

/**
 * reel_tensor_in_order:
 * @tensor: a tensor
 * @error: NO_SPACE
 *
 * Returns: (transfer full): @tensor itself if it is contiguous and aligned, else a copy that is:
 *   for loops over plain arrays
 */
ReelTensor *reel_tensor_in_order (ReelTensor *tensor, GError **error);

/**
 * reel_tensor_broadcast_right:
 * @tensor: a tensor
 * @ndim: dimensions of the view, at least @tensor's
 * @shape: (array length=ndim): its extents
 * @view: (out caller-allocates): @tensor expanded to them, its dimensions the first; holds no
 *   reference
 * @error: RUNTIME when the shapes do not fit
 *
 * Returns: whether it was set
 */
gboolean reel_tensor_broadcast_right (const ReelTensor *tensor, gint ndim, const gint64 *shape,
                                      ReelTensor *view, GError **error);

/**
 * reel_tensor_copy_unchecked:
 * @destination: where to write
 * @source: what to write, of the same dtype and shape
 */
void reel_tensor_copy_unchecked (const ReelTensor *destination, const ReelTensor *source);

/**
 * reel_tensor_convert:
 * @tensor: contiguous, aligned or not, of a dtype that is not complex
 * @dtype: another that is not
 * @error: NO_SPACE; VALUE for what `REEL_ISA` may not hold
 *
 * Each element becomes the value that is nearest to its own, which is rounded once: integers take
 * its truncation toward zero, saturated to their range (NaN gives 0), bool takes whether it differs
 * from 0, floats round to nearest even. Of 64-bit integers every bit counts.
 *
 * Returns: (transfer full): a contiguous copy
 */
ReelTensor *reel_tensor_convert (const ReelTensor *tensor, ReelDtype dtype, GError **error);

/**
 * REEL_MAX_ELEMENT_SIZE:
 *
 * Bytes of the widest element.
 */
#define REEL_MAX_ELEMENT_SIZE 16

/**
 * reel_element_from_double:
 * @dtype: an element type
 * @element: (array length=REEL_MAX_ELEMENT_SIZE) (out): one element, aligned or not
 * @value: its value, as reel_dtype_store_double() takes it; the real part of a complex one
 */
void reel_element_from_double (ReelDtype dtype, guint8 *element, double value);

/**
 * reel_tensor_fill_unchecked:
 * @tensor: where to write
 * @value: what every element is to be
 */
void reel_tensor_fill_unchecked (const ReelTensor *tensor, double value);

G_END_DECLS
