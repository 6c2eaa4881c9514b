/* One change of shape, for specs of every kind. Private. */
#pragma once

#include "../core/tensor/index-plan.h"
#include "spec-kind.h"

G_BEGIN_DECLS

/**
 * ReelSpecOp:
 * @REEL_SPEC_OP_EXPAND: dimensions in front, and more of what was 1
 * @REEL_SPEC_OP_SQUEEZE: one dimension of extent 1 less
 * @REEL_SPEC_OP_UNSQUEEZE: one more
 * @REEL_SPEC_OP_RESHAPE: others, over the same places
 * @REEL_SPEC_OP_SELECT: one dimension less, at an index of it
 * @REEL_SPEC_OP_INDEX: what stands between brackets
 *
 * The changes of shape.
 */
typedef enum
{
  REEL_SPEC_OP_EXPAND,
  REEL_SPEC_OP_SQUEEZE,
  REEL_SPEC_OP_UNSQUEEZE,
  REEL_SPEC_OP_RESHAPE,
  REEL_SPEC_OP_SELECT,
  REEL_SPEC_OP_INDEX,
} ReelSpecOp;

/**
 * ReelSpecChange:
 * @op: what is done
 * @dim: the dimension that goes or comes, counted from the front
 * @at: which index of it is selected
 * @n_from: how many leading dimensions it is about: those of a composite, whose entries all change
 *   likewise; of a leaf all but a fixed last one
 * @from: (array length=n_from): their extents
 * @n_to: how many they become
 * @to: (array length=n_to): their extents then
 * @origins: (array length=n_to): which of the old dimensions each is, or −1; for names
 * @keeps_last: whether the last of the old dimensions stays as it is, as the last of the new ones
 * @index: of an index, what was given, but for extents of −1 where any stands, which are indexed as
 *   1
 * @plan: of an index, what it does to the old dimensions
 *
 * A change that is checked already.
 */
struct _ReelSpecChange
{
  ReelSpecOp op;
  gint dim;
  gint64 at;
  gint n_from;
  gint64 from[REEL_MAX_NDIM];
  gint n_to;
  gint64 to[REEL_MAX_NDIM];
  gint origins[REEL_MAX_NDIM];
  gboolean keeps_last;
  const ReelIndex *index;
  const ReelIndexPlan *plan;
};

/**
 * reel_spec_change_init:
 * @change: (out caller-allocates): a change
 * @spec: what is to change
 * @op: what is done
 *
 * Fills in the dimensions that can change, @n_from and @from, and no others.
 */
void reel_spec_change_init (ReelSpecChange *change, const ReelSpec *spec, ReelSpecOp op);

/**
 * reel_spec_change_add:
 * @change: a change
 * @extent: the extent of the next of the new dimensions
 * @origin: which of the old ones it is, or −1
 */
void reel_spec_change_add (ReelSpecChange *change, gint64 extent, gint origin);

/**
 * reel_spec_change_init_select:
 * @change: (out caller-allocates): a change
 * @spec: what is to change
 * @dim: one of the dimensions that can change
 * @at: an index of it
 *
 * The change that leaves out @dim.
 */
void reel_spec_change_init_select (ReelSpecChange *change, const ReelSpec *spec, gint dim,
                                   gint64 at);

/**
 * reel_spec_index_by:
 * @spec: a spec
 * @n_from: how many of its leading dimensions can be indexed
 * @index: what of them
 * @error: as reel_spec_index()
 *
 * As reel_spec_index(), of any dimension of a stack.
 *
 * Returns: (transfer full): what is there
 */
ReelSpec *reel_spec_index_by (const ReelSpec *spec, gint n_from, const ReelIndex *index,
                              GError **error);

/**
 * reel_spec_index_walk:
 * @index: an index
 * @ndim: dimensions of what is indexed
 * @i: number of one of its items
 * @dim: the dimension that it begins with
 *
 * Returns: the dimension that the next item begins with
 */
gint reel_spec_index_walk (const ReelIndex *index, gint ndim, guint i, gint dim);

/**
 * reel_spec_fail_fixed:
 * @spec: a spec with a fixed last dimension
 * @error: VALUE that says so
 *
 * Returns: %NULL
 */
ReelSpec *reel_spec_fail_fixed (const ReelSpec *spec, GError **error);

/**
 * reel_spec_resolve_dim:
 * @spec: a spec
 * @dim: (inout): a dimension, negative counted from the end; made one counted from the front
 * @error: INDEX
 *
 * Returns: whether there is such a dimension
 */
gboolean reel_spec_resolve_dim (const ReelSpec *spec, gint *dim, GError **error);

/**
 * reel_spec_change_parameter:
 * @parameter: a tensor whose leading extents are @from
 * @change: what to do
 * @error: VALUE, NO_SPACE
 *
 * Returns: (transfer full): the parameter of the new shape, a view where that can be
 */
ReelTensor *reel_spec_change_parameter (ReelTensor *parameter, const ReelSpecChange *change,
                                        GError **error);

/**
 * reel_spec_change:
 * @spec: a spec, whose leading extents are @from
 * @change: what to do
 * @error: VALUE
 *
 * Returns: (transfer full): the spec of values of the new shape
 */
ReelSpec *reel_spec_change (const ReelSpec *spec, ReelSpecChange *change, GError **error);

G_END_DECLS
