/* Typed, strided views of memory. */
#pragma once

#include "dtype.h"
#include "memory.h"

G_BEGIN_DECLS

/**
 * REEL_MAX_NDIM:
 *
 * Dimensions that a tensor may have.
 */
#define REEL_MAX_NDIM 16

/**
 * ReelTensor:
 * @dtype: type of the elements
 * @ndim: dimensions, 0 for a scalar
 * @shape: extent of each dimension, not negative
 * @strides: bytes from one index to the next in each dimension; 0 where expanded, may be negative
 * @data: the element at index 0 of every dimension
 * @memory: what keeps @data alive
 *
 * A view of typed elements in memory. The fields are for reading; a tensor never changes shape.
 * Views share memory: a write through one is seen by all. The bytes may be written by one thread at
 * a time; references may be taken and dropped by any.
 */
typedef struct _ReelTensor
{
  ReelDtype dtype;
  gint ndim;
  gint64 shape[REEL_MAX_NDIM];
  gint64 strides[REEL_MAX_NDIM];
  guint8 *data;
  ReelMemory *memory;
} ReelTensor;

#define REEL_TYPE_TENSOR (reel_tensor_get_type ())

/**
 * reel_tensor_get_type:
 *
 * Returns: the boxed type, whose copies are references
 */
REEL_API
GType reel_tensor_get_type (void);

/**
 * reel_tensor_new:
 * @dtype: type of the elements
 * @ndim: dimensions
 * @shape: (array length=ndim): extents
 * @error: VALUE for a negative extent, too many dimensions or a size beyond 2^63 − 1; NO_SPACE
 *
 * Returns: (transfer full): a contiguous tensor of zeros in memory of its own
 */
REEL_API
ReelTensor *reel_tensor_new (ReelDtype dtype, gint ndim, const gint64 *shape, GError **error);

/**
 * reel_tensor_new_from_memory:
 * @memory: what holds the elements; a reference is taken
 * @offset: bytes from its start to the first element
 * @dtype: type of the elements
 * @ndim: dimensions
 * @shape: (array length=ndim): extents
 * @strides: (array length=ndim) (nullable): bytes, or %NULL for row-major contiguous
 * @error: VALUE when an element would lie outside @memory
 *
 * Returns: (transfer full): a view of @memory
 */
REEL_API
ReelTensor *reel_tensor_new_from_memory (ReelMemory *memory, gsize offset, ReelDtype dtype,
                                         gint ndim, const gint64 *shape, const gint64 *strides,
                                         GError **error);

/**
 * reel_tensor_ref:
 * @tensor: a tensor
 *
 * Returns: (transfer full): @tensor
 */
REEL_API
ReelTensor *reel_tensor_ref (ReelTensor *tensor);

/**
 * reel_tensor_unref:
 * @tensor: (transfer full): a tensor
 *
 * Drops a reference. The last one frees the tensor and drops its memory. Any thread.
 */
REEL_API
void reel_tensor_unref (ReelTensor *tensor);

/**
 * reel_tensor_numel:
 * @tensor: a tensor
 *
 * Returns: number of elements, 1 for a scalar
 */
REEL_API
gint64 reel_tensor_numel (const ReelTensor *tensor);

/**
 * reel_tensor_nbytes:
 * @tensor: a tensor
 *
 * Returns: elements times their size, whatever the strides
 */
REEL_API
gsize reel_tensor_nbytes (const ReelTensor *tensor);

/**
 * reel_tensor_is_contiguous:
 * @tensor: a tensor
 *
 * Returns: whether its elements follow one another in row-major order
 */
REEL_API
gboolean reel_tensor_is_contiguous (const ReelTensor *tensor);

/**
 * reel_tensor_select:
 * @tensor: a tensor
 * @dim: a dimension; negative counts from the end
 * @index: an index of it; negative counts from the end
 * @error: INDEX when out of range
 *
 * Returns: (transfer full): the view at @index, without dimension @dim
 */
REEL_API
ReelTensor *reel_tensor_select (ReelTensor *tensor, gint dim, gint64 index, GError **error);

/**
 * reel_tensor_slice:
 * @tensor: a tensor
 * @dim: a dimension; negative counts from the end
 * @begin: first index; negative counts from the end; clamped as Python does
 * @end: one past the last; negative counts from the end; %G_MAXINT64 for all; clamped
 * @step: at least 1
 * @error: INDEX for @dim, VALUE for @step
 *
 * Returns: (transfer full): the view `[begin:end:step]` of dimension @dim
 */
REEL_API
ReelTensor *reel_tensor_slice (ReelTensor *tensor, gint dim, gint64 begin, gint64 end, gint64 step,
                               GError **error);

/**
 * reel_tensor_permute:
 * @tensor: a tensor
 * @dims: (array): for each dimension of the result, which of @tensor's it is; `ndim` entries
 * @error: VALUE when @dims is no permutation
 *
 * Returns: (transfer full): the view with its dimensions reordered
 */
REEL_API
ReelTensor *reel_tensor_permute (ReelTensor *tensor, const gint *dims, GError **error);

/**
 * reel_tensor_transpose:
 * @tensor: a tensor
 * @dim0: a dimension; negative counts from the end
 * @dim1: a dimension; negative counts from the end
 * @error: INDEX when out of range
 *
 * Returns: (transfer full): the view with the two exchanged
 */
REEL_API
ReelTensor *reel_tensor_transpose (ReelTensor *tensor, gint dim0, gint dim1, GError **error);

/**
 * reel_tensor_unsqueeze:
 * @tensor: a tensor
 * @dim: where the new dimension goes, 0 to ndim; negative counts from the end of the result
 * @error: INDEX when out of range
 *
 * Returns: (transfer full): the view with one more dimension, of extent 1
 */
REEL_API
ReelTensor *reel_tensor_unsqueeze (ReelTensor *tensor, gint dim, GError **error);

/**
 * reel_tensor_expand:
 * @tensor: a tensor
 * @ndim: dimensions of the result, at least @tensor's
 * @shape: (array length=ndim): extents; where @tensor's last dimensions differ they must be 1
 * @error: RUNTIME when the shapes do not fit
 *
 * Returns: (transfer full): the view with stride 0 in the expanded dimensions
 */
REEL_API
ReelTensor *reel_tensor_expand (ReelTensor *tensor, gint ndim, const gint64 *shape, GError **error);

/**
 * reel_tensor_view:
 * @tensor: a tensor
 * @ndim: dimensions of the result
 * @shape: (array length=ndim): extents with the same number of elements; one may be −1
 * @error: RUNTIME when the counts differ or the strides allow no such view
 *
 * Returns: (transfer full): the view with that shape; never a copy
 */
REEL_API
ReelTensor *reel_tensor_view (ReelTensor *tensor, gint ndim, const gint64 *shape, GError **error);

/**
 * reel_tensor_clone:
 * @tensor: a tensor
 * @error: NO_SPACE
 *
 * Returns: (transfer full): a contiguous copy in memory of its own
 */
REEL_API
ReelTensor *reel_tensor_clone (const ReelTensor *tensor, GError **error);

/**
 * reel_tensor_contiguous:
 * @tensor: a tensor
 * @error: NO_SPACE
 *
 * Returns: (transfer full): @tensor itself if it is contiguous, else a copy that is
 */
REEL_API
ReelTensor *reel_tensor_contiguous (ReelTensor *tensor, GError **error);

/**
 * reel_tensor_copy:
 * @destination: where to write, of any strides
 * @source: what to write; broadcast to @destination's shape
 * @error: TYPE when the dtypes differ, RUNTIME when the shapes do not fit or @destination may only
 *   be read
 *
 * Copies elements. The two may not overlap unless they are the same view.
 *
 * Returns: whether it was done; on failure nothing was written
 */
REEL_API
gboolean reel_tensor_copy (ReelTensor *destination, const ReelTensor *source, GError **error);

/**
 * reel_tensor_gather_rows:
 * @tensor: a tensor with at least one dimension
 * @rows: (array length=n): indices of dimension 0, negative counts from the end
 * @n: how many
 * @error: INDEX naming the first that is out of range; NO_SPACE
 *
 * Returns: (transfer full): a contiguous copy `[n, …]` of these rows
 */
REEL_API
ReelTensor *reel_tensor_gather_rows (const ReelTensor *tensor, const gint64 *rows, gsize n,
                                     GError **error);

/**
 * reel_tensor_element:
 * @tensor: a tensor
 * @index: (array): one index a dimension, each in range
 *
 * Returns: (transfer none): where that element lies, for reel_dtype_load_double() and the like
 */
REEL_API
gpointer reel_tensor_element (const ReelTensor *tensor, const gint64 *index);

/**
 * reel_tensor_equal:
 * @a: a tensor
 * @b: a tensor
 *
 * Returns: whether dtype, shape and every element are equal; bit by bit, so NaN equals the same NaN
 *   and −0 differs from 0
 */
REEL_API
gboolean reel_tensor_equal (const ReelTensor *a, const ReelTensor *b);

/**
 * reel_tensor_to_string:
 * @tensor: a tensor
 *
 * Prints values as PyTorch's printer does (line width 80, 4 decimals, summarised beyond 1000
 * elements with 3 at each edge), byte for byte: `tensor([0, 1, 2])`.
 *
 * Returns: (transfer full): the text
 */
REEL_API
char *reel_tensor_to_string (const ReelTensor *tensor);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelTensor, reel_tensor_unref)

G_END_DECLS
