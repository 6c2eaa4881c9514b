/* An index worked out for one shape, to be used on many tensors. Private to the library. */
#pragma once

#include "index.h"
#include "form.h"

G_BEGIN_DECLS

/**
 * ReelPlanDim:
 * @source: the dimension that it shows, or −1 for a new one
 * @step: of the slice
 * @extent: how many indices are kept; 1 for a new one
 *
 * A dimension that stays a dimension.
 */
typedef struct
{
  gint source;
  gint64 step;
  gint64 extent;
} ReelPlanDim;

/**
 * ReelIndexPlan:
 * @n_sources: dimensions of the shape that it was made for; tensors may have more behind
 * @first: for each the index where its view begins
 * @n_dims: dimensions that are kept
 * @dims: these, in order
 * @n_columns: tensors that indices are gathered by; 0 for a view
 * @columns: their elements, broadcast, contiguous int64, not negative
 * @column_sources: the dimension that each is of, or −1 for one of extent 1
 * @taken_ndim: dimensions that the columns have together
 * @taken_shape: their extents
 * @n_taken: their product
 * @taken_at: how many of @dims stand before them
 * @taken_name: the dimension whose name they take, or −1
 *
 * The effect of an index on a shape. On the stack.
 */
typedef struct
{
  gint n_sources;
  gint64 first[REEL_MAX_NDIM];
  gint n_dims;
  ReelPlanDim dims[REEL_MAX_NDIM];
  gint n_columns;
  ReelTensor *columns[REEL_MAX_INDEX_ITEMS + REEL_MAX_NDIM];
  gint column_sources[REEL_MAX_INDEX_ITEMS + REEL_MAX_NDIM];
  gint taken_ndim;
  gint64 taken_shape[REEL_MAX_NDIM];
  gint64 n_taken;
  gint taken_at;
  gint taken_name;
} ReelIndexPlan;

/**
 * reel_index_spell_out:
 * @index: an index that fits @ndim dimensions
 * @ndim: dimensions
 * @spelled: (out caller-allocates): the same without an ellipsis, so that it means the same of more
 *   dimensions; its tensors are lent by @index, and it is not to be cleared
 */
void reel_index_spell_out (const ReelIndex *index, gint ndim, ReelIndex *spelled);

/**
 * reel_index_plan_init:
 * @plan: (out caller-allocates): to be cleared by the caller, also after a failure
 * @index: an index
 * @ndim: dimensions of what it is to be used on
 * @shape: (array length=ndim): their extents
 * @error: as reel_tensor_index()
 *
 * Returns: whether @plan was set
 */
gboolean reel_index_plan_init (ReelIndexPlan *plan, const ReelIndex *index, gint ndim,
                               const gint64 *shape, GError **error);

/**
 * reel_index_plan_init_column:
 * @plan: (out caller-allocates): to be cleared by the caller, also after a failure
 * @dim: a dimension, 0 to @ndim − 1
 * @column: indices of it
 * @ndim: dimensions of what it is to be used on
 * @shape: (array length=ndim): their extents
 * @error: as reel_index_plan_init()
 *
 * As reel_index_plan_init() for one tensor of indices and whole dimensions.
 *
 * Returns: whether @plan was set
 */
gboolean reel_index_plan_init_column (ReelIndexPlan *plan, gint dim, ReelTensor *column, gint ndim,
                                      const gint64 *shape, GError **error);

/**
 * reel_index_plan_init_rows:
 * @plan: (out caller-allocates): to be cleared by the caller, also after a failure
 * @rows: (array length=n): indices of dimension 0, negative counts from the end; must outlive @plan
 * @n: how many
 * @ndim: dimensions of what it is to be used on
 * @shape: (array length=ndim): their extents
 * @error: INDEX, NO_SPACE
 *
 * As reel_index_plan_init_column() for dimension 0.
 *
 * Returns: whether @plan was set
 */
gboolean reel_index_plan_init_rows (ReelIndexPlan *plan, const gint64 *rows, gsize n, gint ndim,
                                    const gint64 *shape, GError **error);

/**
 * reel_index_plan_clear:
 * @plan: a plan
 */
void reel_index_plan_clear (ReelIndexPlan *plan);

/**
 * reel_index_plan_form:
 * @plan: a plan
 * @form: (inout): dimensions that begin with those of @plan; made those of the result. Strides of
 *   gathered dimensions are those of a new tensor
 * @error: INDEX when there were too many of them
 *
 * Returns: whether @form was changed
 */
gboolean reel_index_plan_form (const ReelIndexPlan *plan, ReelForm *form, GError **error);

/**
 * reel_index_plan_get:
 * @plan: a plan
 * @tensor: a tensor whose dimensions begin with those of @plan
 * @error: INDEX, NO_SPACE
 *
 * Returns: (transfer full): what reel_tensor_index() gives
 */
ReelTensor *reel_index_plan_get (const ReelIndexPlan *plan, ReelTensor *tensor, GError **error);

/**
 * reel_index_plan_broadcast:
 * @plan: a plan
 * @tensor: a tensor whose dimensions begin with those of @plan
 * @value: what is to be written there
 * @view: (out caller-allocates): @value with the shape that the plan gives; holds no reference
 * @error: TYPE when the dtypes differ, RUNTIME when the shapes do not fit, INDEX
 *
 * Returns: whether reel_index_plan_set() may be called with @view
 */
gboolean reel_index_plan_broadcast (const ReelIndexPlan *plan, const ReelTensor *tensor,
                                    const ReelTensor *value, ReelTensor *view, GError **error);

/**
 * reel_index_plan_set:
 * @plan: a plan
 * @tensor: where to write
 * @value: what reel_index_plan_broadcast() gave
 * @error: NO_SPACE, before anything is written
 *
 * Returns: whether it was written
 */
gboolean reel_index_plan_set (const ReelIndexPlan *plan, const ReelTensor *tensor,
                              const ReelTensor *value, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReelIndexPlan, reel_index_plan_clear)

G_END_DECLS
