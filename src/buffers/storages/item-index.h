/* Rows of a storage of values by index. Private. */
#pragma once

#include "../../core/tensor/index.h"
#include "item-storage.h"

G_BEGIN_DECLS

/**
 * reel_item_storage_index:
 * @self: a storage
 * @index: what it chooses of the filled slots
 * @error: INDEX; as reel_item_storage_read()
 *
 * Returns: (transfer full): the row, or what the rows become
 */
ReelTensordict *reel_item_storage_index (ReelItemStorage *self, const ReelIndex *index,
                                         GError **error);

/**
 * reel_item_storage_assign:
 * @self: a storage
 * @index: which filled slots
 * @value: one row where @index chooses one; as many rows as it chooses, listed or with a batch
 *   dimension, otherwise
 * @error: RUNTIME where these are not as many; INDEX, TYPE
 *
 * Replaces rows. The writer's thread.
 *
 * Returns: whether it was done; nothing is changed on failure
 */
gboolean reel_item_storage_assign (ReelItemStorage *self, const ReelIndex *index,
                                   ReelTensordict *value, GError **error);

/**
 * reel_item_storage_set:
 * @self: a storage of tensordicts
 * @path: a leaf that the rows have
 * @index: (nullable): which filled slots; %NULL for all, in their order
 * @tensor: what the leaf becomes: `[n, …]`, a row of it for each; where there is an @index also
 *   what can be broadcast to a row
 * @error: RUNTIME for another number of rows; KEY, TYPE or RUNTIME where a row does not fit; TYPE
 *   for rows that are no tensordicts; INDEX
 *
 * The rows are replaced by copies that were changed, all at once for readers: their tensors are no
 * longer those of who gave them. The writer's thread.
 *
 * Returns: whether it was done; nothing is changed on failure
 */
gboolean reel_item_storage_set (ReelItemStorage *self, const char *path, const ReelIndex *index,
                                const ReelTensor *tensor, GError **error);

/**
 * reel_item_storage_update:
 * @self: a storage of tensordicts
 * @td: `[n]`, what all that is filled becomes; keys that it lacks stay
 * @keys_to_update: (array zero-terminated=1) (nullable): paths of @td to take; %NULL for all
 * @error: as reel_item_storage_set()
 *
 * Returns: whether it was done; nothing is changed on failure
 */
gboolean reel_item_storage_update (ReelItemStorage *self, const ReelTensordict *td,
                                   const char *const *keys_to_update, GError **error);

G_END_DECLS
