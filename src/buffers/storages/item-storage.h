/* Storages that hold values of any shape: tensordicts, trees, strings and numbers. Private. */
#pragma once

#include "storage.h"
#include "item-table.h"

G_BEGIN_DECLS

/**
 * ReelCollate:
 * @REEL_COLLATE_STACK: one tensordict where shapes agree, a lazy stack level by level where they
 *   differ; trees are stacked and must agree
 * @REEL_COLLATE_LAZY_STACK: a lazy stack of the rows; trees as above
 * @REEL_COLLATE_ROWS: a list of the rows as they are
 *
 * The form of several rows.
 */
typedef enum
{
  REEL_COLLATE_STACK,
  REEL_COLLATE_LAZY_STACK,
  REEL_COLLATE_ROWS,
} ReelCollate;

/**
 * ReelItemStorage:
 *
 * A ring of values, one a slot. Stores and reads make shallow copies: keys are the
 * holder's own, elements of tensors are shared with whoever gave them (T4.1-3). A row is replaced
 * as a whole, by another, so readers never see half of one; who writes to the elements of what he
 * stored answers for readers. There are no columns, and there is no common layout: memory is there
 * from the start, and grows with the rows.
 *
 * Properties: those of storages (`ndim` is 1) and `collate`.
 */
#define REEL_TYPE_ITEM_STORAGE (reel_item_storage_get_type ())
G_DECLARE_DERIVABLE_TYPE (ReelItemStorage, reel_item_storage, REEL, ITEM_STORAGE, ReelStorage)

/**
 * ReelItemStorageClass:
 * @stack_dim: optional. Where a stack of rows of @ndim dimensions has its new one; without it first
 * @pack: optional. The stored form of a row that nobody else has; without it the row itself
 * @unpack: optional. A row that nobody else has, of what is kept
 * @unpack_leaf: optional. One leaf of it, %NULL where it has none
 * @describe: optional. TorchRL's print of a stored row
 *
 * Virtual functions of a storage of items.
 */
struct _ReelItemStorageClass
{
  ReelStorageClass parent_class;

  gint (*stack_dim) (ReelItemStorage *self, gint ndim);
  ReelStoredValue *(*pack) (ReelItemStorage *self, ReelTensordict *row, GError **error);
  ReelTensordict *(*unpack) (ReelItemStorage *self, const ReelStoredValue *value, GError **error);
  ReelTensor *(*unpack_leaf) (ReelItemStorage *self, const ReelStoredValue *value,
                              const char *path);
  char *(*describe) (ReelItemStorage *self, const ReelStoredValue *value);
};

/**
 * reel_item_storage_class_set_up:
 * @klass: the class, in its class_init
 * @peer_name: TorchRL's name of it
 * @collate: what rows become unless the property says otherwise
 */
void reel_item_storage_class_set_up (ReelItemStorageClass *klass, const char *peer_name,
                                     ReelCollate collate);

/**
 * reel_item_storage_pack:
 * @self: a storage
 * @rows: listed rows, see reel_rows_list()
 * @error: NO_SPACE; what the class says
 *
 * Returns: (transfer full) (element-type ReelStoredValue): what is kept of each
 */
GPtrArray *reel_item_storage_pack (ReelItemStorage *self, const ReelTensordict *rows,
                                   GError **error);

/**
 * reel_item_storage_get_table:
 * @self: a storage
 *
 * Returns: (transfer none): its slots
 */
ReelItemTable *reel_item_storage_get_table (ReelItemStorage *self);

/**
 * reel_item_storage_get_row:
 * @self: a storage
 * @slot: a slot
 * @error: INDEX where nothing is there
 *
 * Any thread.
 *
 * Returns: (transfer full): the row, whose keys nobody else has
 */
ReelTensordict *reel_item_storage_get_row (ReelItemStorage *self, gint64 slot, GError **error);

/**
 * reel_item_storage_ref_leaf:
 * @self: a storage
 * @slot: a slot
 * @path: a leaf
 *
 * Any thread.
 *
 * Returns: (transfer full) (nullable): it, %NULL where the row is a tree, or has no such tensor
 */
ReelTensor *reel_item_storage_ref_leaf (ReelItemStorage *self, gint64 slot, const char *path);

/**
 * reel_item_storage_get_rows:
 * @self: a storage
 * @slots: (array length=n): slots
 * @n: how many
 * @error: as reel_item_storage_get_row()
 *
 * Any thread.
 *
 * Returns: (transfer full): the rows, listed
 */
ReelTensordict *reel_item_storage_get_rows (ReelItemStorage *self, const gint64 *slots, gint64 n,
                                            GError **error);

/**
 * reel_item_storage_collate:
 * @self: a storage
 * @rows: listed rows
 * @error: RUNTIME where there is none, or they cannot be stacked
 *
 * Returns: (transfer full): what they become
 */
ReelTensordict *reel_item_storage_collate (ReelItemStorage *self, ReelTensordict *rows,
                                           GError **error);

/**
 * reel_item_storage_list_slots:
 * @self: a storage
 * @error: NO_SPACE
 *
 * Returns: (transfer full): int64 `[n]`: all slots that are filled, in their order, which
 *   reel_tensor_index() and its like choose from
 */
ReelTensor *reel_item_storage_list_slots (ReelItemStorage *self, GError **error);

/**
 * reel_item_storage_read:
 * @self: a storage
 * @slots: int64 slots: `[]` for one row as it is, `[n]` for rows
 * @error: RUNTIME for more dimensions; as reel_item_storage_collate()
 *
 * Returns: (transfer full): the row, or what the rows become
 */
ReelTensordict *reel_item_storage_read (ReelItemStorage *self, const ReelTensor *slots,
                                        GError **error);

/**
 * reel_item_storage_check_columns:
 * @storage: any storage
 * @who: what wants columns, for the message: `a slice sampler`
 * @error: TYPE for a storage of values
 *
 * Returns: whether its rows lie in columns
 */
gboolean reel_item_storage_check_columns (ReelStorage *storage, const char *who, GError **error);

G_END_DECLS
