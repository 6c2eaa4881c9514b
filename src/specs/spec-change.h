/* One change of shape, for specs of every kind. Private. */
#pragma once

#include "spec-kind.h"

G_BEGIN_DECLS

/**
 * ReelSpecOp:
 * @REEL_SPEC_OP_EXPAND: dimensions in front, and more of what was 1
 * @REEL_SPEC_OP_SQUEEZE: one dimension of extent 1 less
 * @REEL_SPEC_OP_UNSQUEEZE: one more
 * @REEL_SPEC_OP_RESHAPE: others, over the same places
 *
 * What changes of shape there are.
 */
typedef enum
{
  REEL_SPEC_OP_EXPAND,
  REEL_SPEC_OP_SQUEEZE,
  REEL_SPEC_OP_UNSQUEEZE,
  REEL_SPEC_OP_RESHAPE,
} ReelSpecOp;

/**
 * ReelSpecChange:
 * @op: what is done
 * @dim: the dimension that goes or comes, counted from the front
 * @n_from: how many leading dimensions it is about: those of a composite, whose entries all change
 *   likewise; of a leaf all but a fixed last one
 * @from: (array length=n_from): their extents
 * @n_to: how many they become
 * @to: (array length=n_to): their extents then
 * @origins: (array length=n_to): which of the old dimensions each is, or −1; for names
 *
 * A change that is checked already.
 */
struct _ReelSpecChange
{
  ReelSpecOp op;
  gint dim;
  gint n_from;
  gint64 from[REEL_MAX_NDIM];
  gint n_to;
  gint64 to[REEL_MAX_NDIM];
  gint origins[REEL_MAX_NDIM];
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
 * reel_spec_change:
 * @spec: a spec, whose leading extents are @from
 * @change: what to do
 * @error: VALUE
 *
 * Returns: (transfer full): the spec of values of the new shape
 */
ReelSpec *reel_spec_change (const ReelSpec *spec, ReelSpecChange *change, GError **error);

G_END_DECLS
