/* Changes of shape, made to every leaf of a tensordict. Private to the library. */
#pragma once

#include "tensordict-private.h"

G_BEGIN_DECLS

/**
 * ReelBatch:
 * @ndim: batch dimensions
 * @shape: their extents
 * @names: their names
 *
 * What a change makes of a batch size.
 */
typedef struct
{
  gint ndim;
  gint64 shape[REEL_MAX_NDIM];
  const char *names[REEL_MAX_NDIM];
} ReelBatch;

/**
 * ReelShapeChange:
 * @leaf: changes the leading dimensions of a tensor; returns a full reference
 * @batch: changes a batch size in the same way; cannot fail
 * @lazy: (nullable): changes a lazy stack by changing its elements; where it is %NULL a lazy stack
 *   is made dense first
 *
 * A change of the batch dimensions, the same for all leaves. Dimensions and indices are resolved
 * and checked against the batch size beforehand. A tensordict may be nested with more batch
 * dimensions, so that @batch and @lazy meet more of them than the root has.
 */
typedef struct
{
  ReelTensor *(*leaf) (ReelTensor *tensor, gconstpointer data, GError **error);
  void (*batch) (ReelBatch *batch, gconstpointer data);
  ReelTensordict *(*lazy) (const ReelTensordict *td, gconstpointer data, GError **error);
} ReelShapeChange;

/**
 * reel_tensordict_change:
 * @td: a tensordict of any kind
 * @change: what to do
 * @data: for the functions of @change
 * @error: as they say
 *
 * Applies a change to every tensor, to what says which value an element of a non-tensor has, and to
 * the batch sizes, here and below.
 *
 * Returns: (transfer full): the result, unlocked
 */
ReelTensordict *reel_tensordict_change (const ReelTensordict *td, const ReelShapeChange *change,
                                        gconstpointer data, GError **error);

G_END_DECLS
