/* Declarations that the files of ReelTensordict share; not installed. */
#pragma once

#include "non-tensor-private.h"
#include "../tensor/tensor-private.h"
#include "tensordict.h"

#include <stdatomic.h>

G_BEGIN_DECLS

/* The value of a key: exactly one is set. */
typedef struct
{
  ReelTensor *tensor;
  ReelTensordict *child;
  ReelNonTensor *non_tensor;
} ReelTensordictValue;

/* One key of one level. Exactly one of tensor, child and non_tensor is set. */
typedef struct
{
  char *key;     /* plain */
  char *escaped; /* as a component of a path; the same pointer as key where nothing is escaped */
  gsize key_length;
  gsize length;       /* of escaped */
  guint hash;         /* of escaped */
  gboolean is_number; /* in a tree */
  gboolean in_block;  /* of the tensordict, not by itself */
  ReelTensor *tensor;
  ReelTensordict *child;
  ReelNonTensor *non_tensor;
  char text[]; /* what key and escaped point to */
} ReelTensordictEntry;

/* The class of a typed record; shared by its views. */
typedef struct _ReelTensordictClass ReelTensordictClass;

struct _ReelTensordict
{
  atomic_int ref_count;
  atomic_int lockers; /* entries of locked tensordicts that hold this one */
  gint ndim;
  gint64 batch_size[REEL_MAX_NDIM];
  char *names[REEL_MAX_NDIM];
  gboolean on_cpu;
  gboolean locked;
  ReelTensordictClass *record_class; /* %NULL for a plain one */
  ReelTensordictKind kind;
  GPtrArray *elements; /* of ReelTensordict, of a lazy stack; else %NULL */
  gint stack_dim;      /* of a lazy stack */
  GPtrArray *entries;  /* of ReelTensordictEntry, in insertion order */
  GHashTable *index;   /* the same by their escaped keys, when there are many */
  guint8 *block;       /* where entries may lie that are appended together; else %NULL */
  gsize block_left;    /* bytes at its end */
};

/**
 * reel_tensordict_new_like:
 * @td: a tensordict
 * @ndim: batch dimensions of the result
 * @batch_size: (array length=ndim): its batch size
 *
 * Returns: (transfer full): an empty, unlocked tensordict on @td's device and of its class, without
 *   names
 */
ReelTensordict *reel_tensordict_new_like (const ReelTensordict *td, gint ndim,
                                          const gint64 *batch_size);

/**
 * reel_tensordict_get_entry:
 * @td: a tensordict
 * @i: place in insertion order
 *
 * Returns: (transfer none) (nullable): the entry, or %NULL past the last
 */
const ReelTensordictEntry *reel_tensordict_get_entry (const ReelTensordict *td, guint i);

/**
 * reel_tensordict_find:
 * @td: a tensordict
 * @escaped: one component of a path
 * @length: its bytes
 *
 * Returns: (transfer none) (nullable): the entry of that key
 */
const ReelTensordictEntry *reel_tensordict_find (const ReelTensordict *td, const char *escaped,
                                                 gsize length);

/**
 * reel_tensordict_find_like:
 * @td: a tensordict
 * @like: an entry of another
 *
 * Returns: (transfer none) (nullable): the entry of the same key
 */
const ReelTensordictEntry *reel_tensordict_find_like (const ReelTensordict *td,
                                                      const ReelTensordictEntry *like);

/**
 * reel_tensordict_put:
 * @td: an unlocked tensordict
 * @key: a plain key
 * @value: (transfer full): what it shall stand for; fits the batch size
 *
 * Sets or replaces the entry of one level, unchecked.
 */
void reel_tensordict_put (ReelTensordict *td, const char *key, ReelTensordictValue value);

/**
 * reel_tensordict_append_like:
 * @td: an unlocked tensordict without the key of @like
 * @like: an entry of another tensordict
 * @value: (transfer full): what it shall stand for; fits the batch size
 *
 * reel_tensordict_put() for keys that are known to be new: neither escaped nor looked up again.
 */
void reel_tensordict_append_like (ReelTensordict *td, const ReelTensordictEntry *like,
                                  ReelTensordictValue value);

/**
 * reel_tensordict_reserve:
 * @td: a new tensordict
 * @n: entries that reel_tensordict_append_like() will be called for
 *
 * Allocates these, with keys of usual lengths, in one block.
 */
void reel_tensordict_reserve (ReelTensordict *td, guint n);

/**
 * reel_tensordict_value_is_set:
 * @value: what came of a change to an entry
 *
 * Returns: whether it holds anything, so the change did not fail
 */
static inline gboolean
reel_tensordict_value_is_set (const ReelTensordictValue *value)
{
  return value->tensor || value->child || value->non_tensor;
}

/**
 * reel_tensordict_hold_value:
 * @entry: an entry
 *
 * Returns: (transfer full): a reference to what it stands for
 */
ReelTensordictValue reel_tensordict_hold_value (const ReelTensordictEntry *entry);

/**
 * reel_tensordict_share_value:
 * @entry: an entry
 *
 * Returns: (transfer full): the same leaf, or a shallow copy of the nested tensordict
 */
ReelTensordictValue reel_tensordict_share_value (const ReelTensordictEntry *entry);

/**
 * reel_tensordict_release_value:
 * @value: (transfer full): references, or none
 */
void reel_tensordict_release_value (ReelTensordictValue *value);

/**
 * reel_tensordict_fit_value:
 * @td: a tensordict
 * @path: what messages call @value
 * @value: what @td shall hold
 * @error: RUNTIME as reel_tensordict_set_tensordict() and the like
 *
 * Returns: (transfer full): @value itself, or a shallow copy that fits @td; not set on failure
 */
ReelTensordictValue reel_tensordict_fit_value (const ReelTensordict *td, const char *path,
                                               const ReelTensordictValue *value, GError **error);

/**
 * reel_tensordict_put_fitting:
 * @td: an unlocked tensordict
 * @key: a plain key
 * @value: (transfer full): what reel_tensordict_fit_value() gave for @td
 *
 * reel_tensordict_put(), and @td takes over names that it does not have.
 */
void reel_tensordict_put_fitting (ReelTensordict *td, const char *key, ReelTensordictValue value);

/**
 * reel_tensordict_set_entry:
 * @td: a tensordict
 * @path: where; missing tensordicts on the way are made
 * @value: what; references are taken
 * @error: as reel_tensordict_set_tensor() and the like
 *
 * Returns: whether it was set
 */
gboolean reel_tensordict_set_entry (ReelTensordict *td, const char *path,
                                    const ReelTensordictValue *value, GError **error);

/**
 * reel_tensors_stack:
 * @key: what they are, for messages
 * @tensors: (array length=n): tensors of one type and shape
 * @n: how many, at least 1
 * @dim: where the new dimension goes, 0 to their ndim
 * @error: RUNTIME when they differ, NO_SPACE
 *
 * Returns: (transfer full): a contiguous copy with one more dimension
 */
ReelTensor *reel_tensors_stack (const char *key, ReelTensor *const *tensors, gsize n, gint dim,
                                GError **error);

/**
 * reel_non_tensors_stack:
 * @key: what they are, for messages
 * @non_tensors: (array length=n): non-tensors of one batch size
 * @n: how many, at least 1
 * @dim: where the new dimension goes, 0 to their ndim
 * @error: RUNTIME when they differ, NO_SPACE
 *
 * Returns: (transfer full): each element's own value, equal ones kept once
 */
ReelNonTensor *reel_non_tensors_stack (const char *key, ReelNonTensor *const *non_tensors, gsize n,
                                       gint dim, GError **error);

/**
 * reel_tensordict_drop:
 * @td: an unlocked tensordict
 * @entry: one of its entries
 *
 * Removes it.
 */
void reel_tensordict_drop (ReelTensordict *td, const ReelTensordictEntry *entry);

/**
 * reel_tensordict_entry_kind:
 * @entry: an entry
 *
 * Returns: what messages call it: `tensor`, `tensordict`, `non-tensor`
 */
const char *reel_tensordict_entry_kind (const ReelTensordictEntry *entry);

/**
 * reel_tensordict_put_on_device:
 * @td: a tensordict
 * @on_cpu: whether on the CPU, or on no device in particular
 *
 * Sets the device, here and below.
 */
void reel_tensordict_put_on_device (ReelTensordict *td, gboolean on_cpu);

/**
 * reel_tensordict_get_nested:
 * @td: a tensordict of any kind
 * @at: (inout): 0 to begin with
 *
 * Returns: (transfer none) (nullable): the next tensordict that it holds, as an entry or as an
 *   element of a lazy stack, or %NULL past the last
 */
ReelTensordict *reel_tensordict_get_nested (const ReelTensordict *td, guint *at);

/**
 * reel_path_split:
 * @path: a path
 * @error: KEY when a component is empty or escapes what needs no escape
 *
 * Returns: (transfer full): the plain key of every component, %NULL-terminated
 */
char **reel_path_split (const char *path, GError **error);

/**
 * reel_tensordict_walk:
 * @td: a tensordict
 * @path: a key or path
 * @level: (out): the tensordict that should hold the last component, or the last on the way to it
 *
 * Returns: (transfer none) (nullable): the entry; allocates nothing
 */
const ReelTensordictEntry *reel_tensordict_walk (const ReelTensordict *td, const char *path,
                                                 const ReelTensordict **level);

/**
 * reel_tensordict_set_key_error:
 * @td: a tensordict
 * @path: what it does not have
 * @error: set to KEY with the keys that there are
 *
 * Returns: %FALSE
 */
gboolean reel_tensordict_set_key_error (const ReelTensordict *td, const char *path, GError **error);

/**
 * reel_tensordict_check_unlocked:
 * @td: a tensordict
 * @error: RUNTIME when it is locked
 *
 * Returns: whether its entries may be changed
 */
gboolean reel_tensordict_check_unlocked (const ReelTensordict *td, GError **error);

/**
 * reel_tensordict_drop_locks:
 * @td: a tensordict that is no longer locked, or goes away
 *
 * Its nested tensordicts no longer count it among those that hold them locked.
 */
void reel_tensordict_drop_locks (ReelTensordict *td);

/**
 * reel_tensordict_has_leaves:
 * @td: a tensordict
 *
 * Returns: whether there is anything but nested tensordicts in it, here or below
 */
gboolean reel_tensordict_has_leaves (const ReelTensordict *td);

/**
 * reel_tensordict_check_field:
 * @td: a tensordict
 * @key: a plain key
 * @error: KEY with the fields of its class
 *
 * Returns: whether @td may have an entry @key: always, unless it is a typed record
 */
gboolean reel_tensordict_check_field (const ReelTensordict *td, const char *key, GError **error);

/**
 * reel_tensordict_class_ref:
 * @record_class: (nullable): a class
 *
 * Returns: (transfer full) (nullable): @record_class
 */
ReelTensordictClass *reel_tensordict_class_ref (ReelTensordictClass *record_class);

/**
 * reel_tensordict_class_unref:
 * @record_class: (nullable) (transfer full): a class
 */
void reel_tensordict_class_unref (ReelTensordictClass *record_class);

/**
 * reel_tensordict_has_names:
 * @td: a tensordict
 *
 * Returns: whether a dimension has a name
 */
gboolean reel_tensordict_has_names (const ReelTensordict *td);

/**
 * reel_tensordict_copy_names:
 * @td: where to
 * @names: (array): one for each of its batch dimensions, each may be %NULL
 */
void reel_tensordict_copy_names (ReelTensordict *td, const char *const *names);

/**
 * reel_tensordict_append_size:
 * @text: where to
 * @ndim: dimensions
 * @shape: (array length=ndim): extents
 *
 * Appends what Python prints of a size: `torch.Size([2, 3])`.
 */
void reel_tensordict_append_size (GString *text, gint ndim, const gint64 *shape);

G_END_DECLS
