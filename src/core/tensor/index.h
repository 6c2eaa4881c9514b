/* The contents of the brackets of `x[2:8:2, ..., None]`. */
#pragma once

#include "tensor.h"

G_BEGIN_DECLS

/**
 * REEL_MAX_INDEX_ITEMS:
 *
 * Items that an index may have: as many as a result can have dimensions, and as many that take one
 * away.
 */
#define REEL_MAX_INDEX_ITEMS (2 * REEL_MAX_NDIM)

/**
 * ReelIndexKind:
 * @REEL_INDEX_INT: one index of a dimension, which goes
 * @REEL_INDEX_SLICE: `begin:end:step` of a dimension
 * @REEL_INDEX_TENSOR: int64 or int32 indices of a dimension; or a mask, bool or uint8, over as many
 *   dimensions as it has. A tensor of integers without dimensions is an int
 * @REEL_INDEX_NEW_DIM: Python's `None`: a new dimension of extent 1
 * @REEL_INDEX_ELLIPSIS: `...`: all dimensions that the others leave; at most once
 *
 * Kinds of items.
 */
typedef enum
{
  REEL_INDEX_INT,
  REEL_INDEX_SLICE,
  REEL_INDEX_TENSOR,
  REEL_INDEX_NEW_DIM,
  REEL_INDEX_ELLIPSIS,
} ReelIndexKind;

/**
 * ReelIndexItem:
 * @kind: which of the others count
 * @begin: the int, or the first of a slice; negative counts from the end
 * @end: one past the last of a slice; negative counts from the end; %G_MAXINT64 for all
 * @step: of a slice, at least 1
 * @tensor: indices or a mask; a reference is held
 *
 * One item of an index.
 */
typedef struct
{
  ReelIndexKind kind;
  gint64 begin;
  gint64 end;
  gint64 step;
  ReelTensor *tensor;
} ReelIndexItem;

/**
 * ReelIndex:
 * @n_items: how many items
 * @items: the items, for the first dimension first
 *
 * The contents of brackets in Python, with their meaning for PyTorch's tensors: ints,
 * slices, None and the ellipsis give views. Tensors of indices are broadcast together and gather:
 * where they stand side by side, once ints are gone, their dimensions take their place, otherwise
 * they come first. Dimensions without an item stay whole. On the stack: `g_auto (ReelIndex) index =
 * REEL_INDEX_INIT;`. Names of dimensions follow their dimensions; a new one has none; those of
 * gathered indices take the name of the first dimension that is gathered from, those of a mask over
 * several dimensions none.
 */
typedef struct
{
  guint n_items;
  ReelIndexItem items[REEL_MAX_INDEX_ITEMS];
} ReelIndex;

/**
 * REEL_INDEX_INIT:
 *
 * An index without items, which is all.
 */
#define REEL_INDEX_INIT                                                                            \
  {                                                                                                \
    0                                                                                              \
  }

/**
 * reel_index_add_int:
 * @index: an index with room for an item
 * @i: an index; negative counts from the end
 *
 * Appends an integer, which selects one place of a dimension and drops the dimension.
 */
REEL_API
void reel_index_add_int (ReelIndex *index, gint64 i);

/**
 * reel_index_add_slice:
 * @index: an index with room for an item
 * @begin: the first; negative counts from the end; clamped as Python does
 * @end: one past the last; negative counts from the end; %G_MAXINT64 for all; clamped
 * @step: at least 1, which is checked when the index is used
 *
 * Appends a slice, `begin:end:step`.
 */
REEL_API
void reel_index_add_slice (ReelIndex *index, gint64 begin, gint64 end, gint64 step);

/**
 * reel_index_add_tensor:
 * @index: an index with room for an item
 * @tensor: indices or a mask; a reference is taken. Its type is checked when the index is used
 *
 * Appends a tensor of indices, or a mask.
 */
REEL_API
void reel_index_add_tensor (ReelIndex *index, ReelTensor *tensor);

/**
 * reel_index_add_new_dim:
 * @index: an index with room for an item
 *
 * Appends a new dimension of extent 1, `None`.
 */
REEL_API
void reel_index_add_new_dim (ReelIndex *index);

/**
 * reel_index_add_ellipsis:
 * @index: an index with room for an item
 *
 * Appends an ellipsis, `...`: all dimensions that the other items leave.
 */
REEL_API
void reel_index_add_ellipsis (ReelIndex *index);

/**
 * reel_index_clear:
 * @index: an index
 *
 * Drops its items.
 */
REEL_API
void reel_index_clear (ReelIndex *index);

/**
 * reel_index_parse:
 * @index: (out caller-allocates): what @text says; to be cleared by the caller
 * @text: as in Python, with the brackets: `[2:8:2, ..., None]`, `[-1]`, `[[0, 2], :]`,
 *   `[[True, False]]`, `[range(0, 8, 2)]`, `[True]`; `[]` is all. Lists may be nested
 * @error: INDEX naming the piece that is none of these; VALUE for a bracket without its other half
 *
 * Returns: whether @index was set; else it is empty
 */
REEL_API
gboolean reel_index_parse (ReelIndex *index, const char *text, GError **error);

/**
 * reel_index_to_string:
 * @index: an index
 *
 * Returns: (transfer full): @index as Python writes it: `[2:8:2, ..., None, tensor([0, 2])]`
 */
REEL_API
char *reel_index_to_string (const ReelIndex *index);

/**
 * reel_tensor_index:
 * @tensor: a tensor
 * @index: what of it
 * @error: INDEX as PyTorch raises it: an index out of range, more items than dimensions, a mask of
 *   another shape, tensors that cannot be broadcast together or are no indices; VALUE for a step
 *   below 1; RUNTIME for a second ellipsis; NO_SPACE
 *
 * Returns: (transfer full): a view; where @index holds tensors, a contiguous copy
 */
REEL_API
ReelTensor *reel_tensor_index (ReelTensor *tensor, const ReelIndex *index, GError **error);

/**
 * reel_tensor_assign:
 * @tensor: where to write
 * @index: which of its elements
 * @value: what to write, broadcast to the shape that @index gives; it may not overlap @tensor
 * @error: as reel_tensor_index(); TYPE when the dtypes differ, RUNTIME when the shapes do not fit
 *   or the memory may only be read
 *
 * Python's `tensor[index] = value`. Of an index that stands twice the last value stays.
 *
 * Returns: whether it was done; on failure nothing was written
 */
REEL_API
gboolean reel_tensor_assign (ReelTensor *tensor, const ReelIndex *index, const ReelTensor *value,
                             GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReelIndex, reel_index_clear)

G_END_DECLS
