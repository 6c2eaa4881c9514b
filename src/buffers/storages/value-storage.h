/* Storages that hold values of any shape: tensordicts, trees, strings and numbers. Private. */
#pragma once

#include "storage.h"
#include "value-table.h"

G_BEGIN_DECLS

/**
 * ReelCollate:
 * @REEL_COLLATE_STACK: one tensordict where shapes agree, a lazy stack level by level where they
 *   differ; trees are stacked and must agree
 * @REEL_COLLATE_LAZY_STACK: a lazy stack of the rows; trees as above
 * @REEL_COLLATE_ROWS: a list of the rows as they are
 *
 * What several rows become.
 */
typedef enum
{
  REEL_COLLATE_STACK,
  REEL_COLLATE_LAZY_STACK,
  REEL_COLLATE_ROWS,
} ReelCollate;

/**
 * ReelValueStorage:
 *
 * A ring of values, one a slot. What goes in and what comes out is a shallow copy: keys are the
 * holder's own, elements of tensors are shared with whoever gave them (T4.1-3). A row is replaced
 * as a whole, by another, so readers never see half of one; who writes to the elements of what he
 * stored answers for readers. There are no columns, and there is no common layout: memory is there
 * from the start, and grows with the rows.
 *
 * Properties: those of storages (`ndim` is 1) and `collate`.
 */
#define REEL_TYPE_VALUE_STORAGE (reel_value_storage_get_type ())
G_DECLARE_DERIVABLE_TYPE (ReelValueStorage, reel_value_storage, REEL, VALUE_STORAGE, ReelStorage)

/**
 * ReelValueStorageClass:
 * @stack_dim: optional. Where a stack of rows of @ndim dimensions has its new one; without it first
 * @pack: optional. What is kept of a row that nobody else has; without it the row itself
 * @unpack: optional. A row that nobody else has, of what is kept
 * @unpack_leaf: optional. One leaf of it, %NULL where it has none
 * @describe: optional. What TorchRL prints of what it keeps of a row
 *
 * What a storage of values fills in.
 */
struct _ReelValueStorageClass
{
  ReelStorageClass parent_class;

  gint (*stack_dim) (ReelValueStorage *self, gint ndim);
  ReelStoredValue *(*pack) (ReelValueStorage *self, ReelTensordict *row, GError **error);
  ReelTensordict *(*unpack) (ReelValueStorage *self, const ReelStoredValue *value, GError **error);
  ReelTensor *(*unpack_leaf) (ReelValueStorage *self, const ReelStoredValue *value,
                              const char *path);
  char *(*describe) (ReelValueStorage *self, const ReelStoredValue *value);
};

/**
 * reel_value_storage_class_set_up:
 * @klass: the class, in its class_init
 * @peer_name: TorchRL's name of it
 * @collate: what rows become unless the property says otherwise
 */
void reel_value_storage_class_set_up (ReelValueStorageClass *klass, const char *peer_name,
                                      ReelCollate collate);

/**
 * reel_value_storage_pack:
 * @self: a storage
 * @rows: listed rows, see reel_rows_list()
 * @error: NO_SPACE; what the class says
 *
 * Returns: (transfer full) (element-type ReelStoredValue): what is kept of each
 */
GPtrArray *reel_value_storage_pack (ReelValueStorage *self, const ReelTensordict *rows,
                                    GError **error);

/**
 * reel_value_storage_get_table:
 * @self: a storage
 *
 * Returns: (transfer none): its slots
 */
ReelValueTable *reel_value_storage_get_table (ReelValueStorage *self);

/**
 * reel_value_storage_get_row:
 * @self: a storage
 * @slot: a slot
 * @error: INDEX where nothing is there
 *
 * Any thread.
 *
 * Returns: (transfer full): the row, whose keys nobody else has
 */
ReelTensordict *reel_value_storage_get_row (ReelValueStorage *self, gint64 slot, GError **error);

/**
 * reel_value_storage_ref_leaf:
 * @self: a storage
 * @slot: a slot
 * @path: a leaf
 *
 * Any thread.
 *
 * Returns: (transfer full) (nullable): it, %NULL where the row is a tree, or has no such tensor
 */
ReelTensor *reel_value_storage_ref_leaf (ReelValueStorage *self, gint64 slot, const char *path);

/**
 * reel_value_storage_get_rows:
 * @self: a storage
 * @slots: (array length=n): slots
 * @n: how many
 * @error: as reel_value_storage_get_row()
 *
 * Any thread.
 *
 * Returns: (transfer full): the rows, listed
 */
ReelTensordict *reel_value_storage_get_rows (ReelValueStorage *self, const gint64 *slots, gint64 n,
                                             GError **error);

/**
 * reel_value_storage_collate:
 * @self: a storage
 * @rows: listed rows
 * @error: RUNTIME where there is none, or they cannot be stacked
 *
 * Returns: (transfer full): what they become
 */
ReelTensordict *reel_value_storage_collate (ReelValueStorage *self, ReelTensordict *rows,
                                            GError **error);

/**
 * reel_value_storage_list_slots:
 * @self: a storage
 * @error: NO_SPACE
 *
 * Returns: (transfer full): int64 `[n]`: all slots that are filled, in their order, which
 *   reel_tensor_index() and its like choose from
 */
ReelTensor *reel_value_storage_list_slots (ReelValueStorage *self, GError **error);

/**
 * reel_value_storage_read:
 * @self: a storage
 * @slots: int64 slots: `[]` for one row as it is, `[n]` for rows
 * @error: RUNTIME for more dimensions; as reel_value_storage_collate()
 *
 * Returns: (transfer full): the row, or what the rows become
 */
ReelTensordict *reel_value_storage_read (ReelValueStorage *self, const ReelTensor *slots,
                                         GError **error);

/**
 * reel_value_storage_check_columns:
 * @storage: any storage
 * @who: what wants columns, for the message: `a slice sampler`
 * @error: TYPE for a storage of values
 *
 * Returns: whether its rows lie in columns
 */
gboolean reel_value_storage_check_columns (ReelStorage *storage, const char *who, GError **error);

G_END_DECLS
