/* Values of any shape by slot, that one thread replaces while others take them. Private. */
#pragma once

#include "../../core/tensordict/tensordict.h"

#include <stdatomic.h>

G_BEGIN_DECLS

/**
 * ReelStoredValue:
 * @td: a tensordict or a tree whose keys nobody else changes; where @packed is set, tensors without
 *   memory say what each leaf was
 * @packed: (element-type ReelTensor) (nullable): the leaves in the order of
 *   reel_tensordict_list_leaves(), each compressed to uint8 `[bytes]`
 *
 * One value as a storage keeps it. Refcounted, and never changed.
 */
typedef struct
{
  atomic_int ref_count;
  ReelTensordict *td;
  GPtrArray *packed;
} ReelStoredValue;

/**
 * reel_stored_value_new:
 * @td: (transfer full): what it is
 * @packed: (transfer full) (nullable): its leaves
 *
 * Returns: (transfer full): the value
 */
ReelStoredValue *reel_stored_value_new (ReelTensordict *td, GPtrArray *packed);

/**
 * reel_stored_value_ref:
 * @value: a value
 *
 * Returns: (transfer full): @value
 */
ReelStoredValue *reel_stored_value_ref (ReelStoredValue *value);

/**
 * reel_stored_value_unref:
 * @value: (transfer full) (nullable): a value
 */
void reel_stored_value_unref (ReelStoredValue *value);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelStoredValue, reel_stored_value_unref)

#define REEL_VALUE_CHUNKS 58

/**
 * ReelItemTable:
 *
 * Slots from 0 on, in chunks that double and never move; all zeros at first. A slot is a pointer
 * whose lowest bit is set while a thread takes or replaces it: a few instructions, so that who
 * takes a value never sees it freed by who replaces it.
 */
typedef struct
{
  _Atomic (atomic_uintptr_t *) chunks[REEL_VALUE_CHUNKS];
} ReelItemTable;

/**
 * reel_item_table_reserve:
 * @self: a table
 * @first: a slot
 * @n: how many from there, at least 1
 * @error: NO_SPACE
 *
 * Makes room. The writer's thread.
 *
 * Returns: whether values may be put there
 */
gboolean reel_item_table_reserve (ReelItemTable *self, gint64 first, gint64 n, GError **error);

/**
 * reel_item_table_put:
 * @self: a table
 * @slot: a slot that was reserved
 * @value: (transfer full) (nullable): what it holds from now on
 *
 * The writer's thread.
 */
void reel_item_table_put (ReelItemTable *self, gint64 slot, ReelStoredValue *value);

/**
 * reel_item_table_get:
 * @self: a table
 * @slot: any slot
 *
 * Any thread.
 *
 * Returns: (transfer full) (nullable): what it holds
 */
ReelStoredValue *reel_item_table_get (ReelItemTable *self, gint64 slot);

/**
 * reel_item_table_clear:
 * @self: a table, which holds nothing afterwards
 *
 * Lets every value go, and keeps the room. The writer's thread.
 */
void reel_item_table_clear (ReelItemTable *self);

/**
 * reel_item_table_free:
 * @self: a table that nobody uses any more
 */
void reel_item_table_free (ReelItemTable *self);

G_END_DECLS
