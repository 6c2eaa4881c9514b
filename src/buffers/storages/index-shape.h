/* Row slots of a storage, and the index that a batch has of them. Private. */
#pragma once

#include "storage-state.h"

G_BEGIN_DECLS

/**
 * ReelIndexShape:
 * @ndim: of a storage
 * @capacity: of it, in rows
 * @size: where @ndim is over 1: its steps, then its lanes
 *
 * The shape that numbers the rows.
 */
typedef struct
{
  gint ndim;
  gint64 capacity;
  gint64 size[REEL_STORAGE_MAX_NDIM];
} ReelIndexShape;

/**
 * reel_storage_get_index_shape:
 * @storage: a storage
 * @shape: (out caller-allocates): its shape; `size` only where it is allocated
 */
void reel_storage_get_index_shape (ReelStorage *storage, ReelIndexShape *shape);

/**
 * reel_index_shape_split:
 * @self: the shape of a storage, which may have gone
 * @index: (inout): as for reel_slots_to_index()
 * @n: how many
 */
void reel_index_shape_split (const ReelIndexShape *self, gint64 *index, gint64 n);

/**
 * reel_slots_to_index:
 * @storage: an allocated storage
 * @index: (inout): @n row slots; then @n × ndim: slot of the step and lanes of each row
 * @n: how many
 */
void reel_slots_to_index (ReelStorage *storage, gint64 *index, gint64 n);

G_END_DECLS
