/* Ordered maps from keys to tensors and nested maps, which share their leading dimensions. */
#pragma once

#include "non-tensor.h"

G_BEGIN_DECLS

/**
 * ReelTensordict:
 *
 * An ordered map from keys to tensors, nested tensordicts and plain values (#GVariant), whose
 * entries share their leading dimensions, the batch size. Keys are strings; a nested key is a path,
 * `next/observation`, in which a `/` or `%` that belongs to a key is written `%2F`, `%25`, and the
 * empty key `%`. Refcounted. One thread at a time may change it; any may read it meanwhile no
 * one does.
 *
 * Behaviour follows tensordict 0.14, printed text to the byte.
 */
typedef struct _ReelTensordict ReelTensordict;

#define REEL_TYPE_TENSORDICT (reel_tensordict_get_type ())

/**
 * reel_tensordict_get_type:
 *
 * Returns: the boxed type, whose copies are references
 */
REEL_API
GType reel_tensordict_get_type (void);

/**
 * ReelTensordictKind:
 * @REEL_TENSORDICT_DICT: TensorDict, or a typed record
 * @REEL_TENSORDICT_LAZY_STACK: LazyStackedTensorDict: reel_lazy_stack_new()
 * @REEL_TENSORDICT_MAP: a plain dict of Python, whose keys may be numbers: reel_tree_new()
 * @REEL_TENSORDICT_LIST: a list: reel_tree_new()
 * @REEL_TENSORDICT_TUPLE: a tuple: reel_tree_new()
 * @REEL_TENSORDICT_SINGLE: one tensor: reel_tree_new_single()
 *
 * The kind of a tensordict.
 */
typedef enum
{
  REEL_TENSORDICT_DICT,
  REEL_TENSORDICT_LAZY_STACK,
  REEL_TENSORDICT_MAP,
  REEL_TENSORDICT_LIST,
  REEL_TENSORDICT_TUPLE,
  REEL_TENSORDICT_SINGLE,
} ReelTensordictKind;

/**
 * reel_tensordict_get_kind:
 * @td: a tensordict
 *
 * Returns: what it stands for
 */
REEL_API
ReelTensordictKind reel_tensordict_get_kind (const ReelTensordict *td);

/**
 * reel_tensordict_new:
 * @ndim: batch dimensions
 * @batch_size: (array length=ndim): their extents
 *
 * Returns: (transfer full): an empty tensordict without device or names
 */
REEL_API
ReelTensordict *reel_tensordict_new (gint ndim, const gint64 *batch_size);

/**
 * reel_tensordict_ref:
 * @td: a tensordict
 *
 * Returns: (transfer full): @td
 */
REEL_API
ReelTensordict *reel_tensordict_ref (ReelTensordict *td);

/**
 * reel_tensordict_unref:
 * @td: (transfer full): a tensordict
 *
 * Drops a reference. The last one frees the tensordict and drops its values. Any thread.
 */
REEL_API
void reel_tensordict_unref (ReelTensordict *td);

/**
 * reel_tensordict_get_batch_size:
 * @td: a tensordict
 * @ndim: (out): batch dimensions
 *
 * Returns: (transfer none) (array length=ndim): their extents, valid while @td lives unchanged
 */
REEL_API
const gint64 *reel_tensordict_get_batch_size (const ReelTensordict *td, gint *ndim);

/**
 * reel_tensordict_numel:
 * @td: a tensordict
 *
 * Returns: product of the batch size, 1 without batch dimensions
 */
REEL_API
gint64 reel_tensordict_numel (const ReelTensordict *td);

/**
 * reel_tensordict_set_device:
 * @td: a tensordict
 * @device: (nullable): `cpu`, or %NULL for none
 * @error: VALUE for any other device
 *
 * Says what `device=` prints, here and in every nested tensordict.
 *
 * Returns: whether it was set
 */
REEL_API
gboolean reel_tensordict_set_device (ReelTensordict *td, const char *device, GError **error);

/**
 * reel_tensordict_get_device:
 * @td: a tensordict
 *
 * Returns: (transfer none) (nullable): `cpu` or %NULL
 */
REEL_API
const char *reel_tensordict_get_device (const ReelTensordict *td);

/**
 * reel_tensordict_set_names:
 * @td: a tensordict
 * @names: (array) (nullable): one a batch dimension, each may be %NULL; %NULL for none at all
 * @error: VALUE when a name stands twice
 *
 * Names the batch dimensions, here and the leading ones of every nested tensordict. Collected data
 * name their last dimension `time`.
 *
 * Returns: whether they were set
 */
REEL_API
gboolean reel_tensordict_set_names (ReelTensordict *td, const char *const *names, GError **error);

/**
 * reel_tensordict_get_name:
 * @td: a tensordict
 * @dim: a batch dimension, 0 to ndim − 1
 *
 * Returns: (transfer none) (nullable): its name
 */
REEL_API
const char *reel_tensordict_get_name (const ReelTensordict *td, gint dim);

/**
 * reel_tensordict_refine_names:
 * @td: a tensordict
 * @n: entries of @names
 * @names: (array length=n): one a batch dimension, each may be %NULL; one entry may be `...`, which
 *   stands for any number of dimensions whose names stay
 * @error: RUNTIME when a dimension has another name already; VALUE when there are too few names or
 *   one stands twice
 *
 * Names the dimensions that have no name yet, here and in every nested tensordict.
 *
 * Returns: whether it was done; on failure nothing is changed
 */
REEL_API
gboolean reel_tensordict_refine_names (ReelTensordict *td, gint n, const char *const *names,
                                       GError **error);

/**
 * reel_tensordict_rename_dims:
 * @td: a tensordict
 * @n: how many names to change
 * @old_names: (array length=n): names of batch dimensions
 * @new_names: (array length=n): what each is to be, each may be %NULL
 * @error: VALUE when an old name is not there, or a name would stand twice
 *
 * Changes names, all at once, here and in every nested tensordict.
 *
 * Returns: whether it was done; on failure nothing is changed
 */
REEL_API
gboolean reel_tensordict_rename_dims (ReelTensordict *td, gint n, const char *const *old_names,
                                      const char *const *new_names, GError **error);

/**
 * reel_tensordict_set_batch_size:
 * @td: a tensordict, which may be locked
 * @ndim: batch dimensions
 * @batch_size: (array length=ndim): their extents
 * @error: RUNTIME naming the entry whose shape does not begin with them; VALUE when no shape can
 *
 * Changes which leading dimensions are the batch. Nested tensordicts with fewer are widened, empty
 * ones stand in nobody's way. Names of new dimensions are %NULL.
 *
 * Returns: whether it was done; on failure nothing is changed
 */
REEL_API
gboolean reel_tensordict_set_batch_size (ReelTensordict *td, gint ndim, const gint64 *batch_size,
                                         GError **error);

/**
 * reel_tensordict_set_tensor:
 * @td: a tensordict
 * @path: where; missing tensordicts on the way are made
 * @tensor: what; a reference is taken
 * @error: RUNTIME when its shape does not begin with the batch size, or @td is locked; KEY for an
 *   empty path
 *
 * Returns: whether it was set
 */
REEL_API
gboolean reel_tensordict_set_tensor (ReelTensordict *td, const char *path, ReelTensor *tensor,
                                     GError **error);

/**
 * reel_tensordict_set_tensordict:
 * @td: a tensordict
 * @path: where; missing tensordicts on the way are made
 * @value: what; a reference is taken
 * @error: RUNTIME when a leaf of @value does not begin with the batch size, names disagree, @value
 *   holds @td, or @td is locked; KEY
 *
 * The entry is @value itself where its batch size begins with @td's and names and device agree,
 * else a shallow copy with those of @td. Where @td has no names and @value has, @td takes over
 * those of its dimensions.
 *
 * Returns: whether it was set
 */
REEL_API
gboolean reel_tensordict_set_tensordict (ReelTensordict *td, const char *path,
                                         ReelTensordict *value, GError **error);

/**
 * reel_tensordict_get_tensor:
 * @td: a tensordict
 * @path: a key or path
 * @error: KEY when there is none, with the keys there are; TYPE when it is no tensor, or lies in a
 *   lazy stack, for which there is reel_tensordict_ref_tensor()
 *
 * Returns: (transfer none): the tensor, valid while @td holds it
 */
REEL_API
ReelTensor *reel_tensordict_get_tensor (const ReelTensordict *td, const char *path, GError **error);

/**
 * reel_tensordict_get_tensordict:
 * @td: a tensordict
 * @path: a key or path
 * @error: KEY when there is none; TYPE when it is no tensordict, or lies in a lazy stack
 *
 * Returns: (transfer none): the nested tensordict, valid while @td holds it
 */
REEL_API
ReelTensordict *reel_tensordict_get_tensordict (const ReelTensordict *td, const char *path,
                                                GError **error);

/**
 * reel_tensordict_set_non_tensor:
 * @td: a tensordict
 * @path: where; missing tensordicts on the way are made
 * @value: what; a reference is taken. Its batch size must begin with @td's
 * @error: as reel_tensordict_set_tensor()
 *
 * Returns: whether it was set
 */
REEL_API
gboolean reel_tensordict_set_non_tensor (ReelTensordict *td, const char *path, ReelNonTensor *value,
                                         GError **error);

/**
 * reel_tensordict_set_value:
 * @td: a tensordict
 * @path: where; missing tensordicts on the way are made
 * @value: (nullable): the value of every element of the batch; a floating reference is sunk; %NULL
 *   for None
 * @error: as reel_tensordict_set_tensor() and reel_non_tensor_new()
 *
 * reel_tensordict_set_non_tensor() of one value for all.
 *
 * Returns: whether it was set
 */
REEL_API
gboolean reel_tensordict_set_value (ReelTensordict *td, const char *path, GVariant *value,
                                    GError **error);

/**
 * reel_tensordict_get_non_tensor:
 * @td: a tensordict
 * @path: a key or path
 * @error: KEY when there is none, with the keys there are; TYPE when it is no non-tensor, or lies
 *   in a lazy stack
 *
 * Returns: (transfer none): the values, valid while @td holds them
 */
REEL_API
ReelNonTensor *reel_tensordict_get_non_tensor (const ReelTensordict *td, const char *path,
                                               GError **error);

/**
 * reel_tensordict_dup_value:
 * @td: a tensordict
 * @path: a key or path
 * @error: as reel_tensordict_ref_non_tensor()
 *
 * Returns: (transfer full): what `td["key"]` gives in Python: the value that all elements have, or
 *   the nested list of their values
 */
REEL_API
GVariant *reel_tensordict_dup_value (const ReelTensordict *td, const char *path, GError **error);

/**
 * reel_tensordict_ref_tensor:
 * @td: a tensordict
 * @path: a key or path
 * @error: as reel_tensordict_get_tensor(); RUNTIME naming the key when the tensors of a lazy stack
 *   differ in shape, NO_SPACE
 *
 * The getter for every kind of tensordict. A value of a lazy stack is stacked, a copy; any other
 * is the tensor itself.
 *
 * Returns: (transfer full): the tensor
 */
REEL_API
ReelTensor *reel_tensordict_ref_tensor (const ReelTensordict *td, const char *path, GError **error);

/**
 * reel_tensordict_ref_tensordict:
 * @td: a tensordict
 * @path: a key or path
 * @error: as reel_tensordict_get_tensordict(); RUNTIME when those of a lazy stack differ in their
 *   number of dimensions
 *
 * The getter for every kind of tensordict. Of a lazy stack it is the lazy stack of the nested ones,
 * what is written to which reaches them.
 *
 * Returns: (transfer full): the nested tensordict
 */
REEL_API
ReelTensordict *reel_tensordict_ref_tensordict (const ReelTensordict *td, const char *path,
                                                GError **error);

/**
 * reel_tensordict_ref_non_tensor:
 * @td: a tensordict
 * @path: a key or path
 * @error: as reel_tensordict_get_non_tensor(); RUNTIME when those of a lazy stack differ in shape
 *
 * The getter for every kind of tensordict.
 *
 * Returns: (transfer full): the values, stacked where they lie in a lazy stack
 */
REEL_API
ReelNonTensor *reel_tensordict_ref_non_tensor (const ReelTensordict *td, const char *path,
                                               GError **error);

/**
 * reel_tensordict_contains:
 * @td: a tensordict
 * @path: a key or path
 *
 * Returns: whether there is an entry
 */
REEL_API
gboolean reel_tensordict_contains (const ReelTensordict *td, const char *path);

/**
 * reel_tensordict_remove:
 * @td: a tensordict
 * @path: a key or path
 * @error: KEY when there is none; RUNTIME when locked
 *
 * Returns: whether it was removed
 */
REEL_API
gboolean reel_tensordict_remove (ReelTensordict *td, const char *path, GError **error);

/**
 * ReelTensordictIter:
 *
 * Walks one level in insertion order; a lazy stack in the order of its keys, of which it gives
 * nothing else. On the stack; the tensordict may not change meanwhile.
 */
typedef struct
{
  /*< private >*/
  const ReelTensordict *td;
  guint next;
  gconstpointer entry;
} ReelTensordictIter;

/**
 * reel_tensordict_iter_init:
 * @iter: (out caller-allocates): the walk
 * @td: a tensordict
 *
 * Begins a walk over the entries of a tensordict, in insertion order. reel_tensordict_iter_next()
 * continues it.
 */
REEL_API
void reel_tensordict_iter_init (ReelTensordictIter *iter, const ReelTensordict *td);

/**
 * reel_tensordict_iter_next:
 * @iter: a walk
 * @key: (out) (optional) (transfer none): the plain key, not escaped
 * @tensor: (out) (optional) (transfer none) (nullable): the tensor, if it is one
 * @child: (out) (optional) (transfer none) (nullable): the nested tensordict, if it is one
 *
 * Returns: whether there was an entry
 */
REEL_API
gboolean reel_tensordict_iter_next (ReelTensordictIter *iter, const char **key, ReelTensor **tensor,
                                    ReelTensordict **child);

/**
 * reel_tensordict_iter_get_non_tensor:
 * @iter: a walk that reel_tensordict_iter_next() went on with
 *
 * Returns: (transfer none) (nullable): the non-tensor at the key that it gave last, if it is one
 */
REEL_API
ReelNonTensor *reel_tensordict_iter_get_non_tensor (const ReelTensordictIter *iter);

/**
 * reel_tensordict_list_leaves:
 * @td: a tensordict
 *
 * Returns: (transfer full) (array zero-terminated=1): the path of every tensor, depth first in
 *   insertion order; free with g_strfreev()
 */
REEL_API
char **reel_tensordict_list_leaves (const ReelTensordict *td);

/**
 * reel_tensordict_list_non_tensors:
 * @td: a tensordict
 *
 * Returns: (transfer full) (array zero-terminated=1): the path of every non-tensor, as
 *   reel_tensordict_list_leaves() lists the tensors
 */
REEL_API
char **reel_tensordict_list_non_tensors (const ReelTensordict *td);

/**
 * reel_path_escape:
 * @key: a plain key
 *
 * Returns: (transfer full): @key as one component of a path
 */
REEL_API
char *reel_path_escape (const char *key);

/**
 * reel_tensordict_lock:
 * @td: a tensordict
 *
 * From now on no entry may be set, replaced or removed, here and below; their elements may be
 * written. Memory-mapped tensordicts are locked.
 */
REEL_API
void reel_tensordict_lock (ReelTensordict *td);

/**
 * reel_tensordict_unlock:
 * @td: a tensordict
 * @error: RUNTIME when another locked tensordict holds it, or one below it
 *
 * Takes reel_tensordict_lock() back, here and below. One that a locked tensordict holds is unlocked
 * through that one, or is free to be when that one is gone.
 *
 * Returns: whether it is unlocked; on failure nothing is changed
 */
REEL_API
gboolean reel_tensordict_unlock (ReelTensordict *td, GError **error);

/**
 * reel_tensordict_is_locked:
 * @td: a tensordict
 *
 * Returns: whether it is locked, by itself or through a tensordict that holds it
 */
REEL_API
gboolean reel_tensordict_is_locked (const ReelTensordict *td);

/**
 * reel_tensordict_set_class:
 * @td: a tensordict
 * @name: (nullable): the dotted name of a class, `torchrl.data.PromptData`; %NULL for none
 * @fields: (array zero-terminated=1) (nullable): plain keys of all its fields, as declared
 * @error: KEY when @td has a key that is no field; RUNTIME when @td is locked
 *
 * Makes @td a typed record, what TorchRL calls a tensorclass: it prints as one, and no
 * key but its fields may be set; those it does not have are None. Views and copies are of the same
 * class. See record.h for C structs.
 *
 * Returns: whether it was set
 */
REEL_API
gboolean reel_tensordict_set_class (ReelTensordict *td, const char *name, const char *const *fields,
                                    GError **error);

/**
 * reel_tensordict_get_class_name:
 * @td: a tensordict
 *
 * Returns: (transfer none) (nullable): the dotted name of its class, %NULL for a plain tensordict
 */
REEL_API
const char *reel_tensordict_get_class_name (const ReelTensordict *td);

/**
 * reel_tensordict_get_class_fields:
 * @td: a tensordict
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1): all fields of its class
 */
REEL_API
const char *const *reel_tensordict_get_class_fields (const ReelTensordict *td);

/**
 * reel_tensordict_select_index:
 * @td: a tensordict
 * @dim: a batch dimension; negative counts from the end
 * @index: an index of it; negative counts from the end
 * @error: INDEX when out of range
 *
 * Returns: (transfer full): views of every leaf at @index, without dimension @dim
 */
REEL_API
ReelTensordict *reel_tensordict_select_index (ReelTensordict *td, gint dim, gint64 index,
                                              GError **error);

/**
 * reel_tensordict_slice:
 * @td: a tensordict
 * @dim: a batch dimension; negative counts from the end
 * @begin: first index, as in reel_tensor_slice()
 * @end: one past the last
 * @step: at least 1
 * @error: INDEX, VALUE
 *
 * Returns: (transfer full): views of every leaf; names and device kept
 */
REEL_API
ReelTensordict *reel_tensordict_slice (ReelTensordict *td, gint dim, gint64 begin, gint64 end,
                                       gint64 step, GError **error);

/**
 * reel_tensordict_gather_rows:
 * @td: a tensordict with at least one batch dimension
 * @rows: (array length=n): indices of dimension 0, negative counts from the end
 * @n: how many
 * @error: INDEX, NO_SPACE
 *
 * Returns: (transfer full): a contiguous copy `[n, …]`
 */
REEL_API
ReelTensordict *reel_tensordict_gather_rows (const ReelTensordict *td, const gint64 *rows, gsize n,
                                             GError **error);

/**
 * reel_tensordict_transpose:
 * @td: a tensordict
 * @dim0: a batch dimension; negative counts from the end
 * @dim1: a batch dimension; negative counts from the end
 * @error: INDEX
 *
 * Returns: (transfer full): views with the two exchanged, names too
 */
REEL_API
ReelTensordict *reel_tensordict_transpose (ReelTensordict *td, gint dim0, gint dim1,
                                           GError **error);

/**
 * reel_tensordict_stack:
 * @tds: (array length=n): tensordicts of one batch size and the same keys
 * @n: how many, at least 1
 * @dim: where the new dimension goes; negative counts from the end of the result
 * @error: RUNTIME with TensorDict's words when there is none or they do not fit; TYPE when tensors
 *   differ in type
 *
 * Lazy stacks of the same dimension and length are stacked element by element, and stay one.
 *
 * Returns: (transfer full): a copy with one more batch dimension of extent @n
 */
REEL_API
ReelTensordict *reel_tensordict_stack (ReelTensordict *const *tds, gsize n, gint dim,
                                       GError **error);

/**
 * reel_tensordict_clone:
 * @td: a tensordict
 * @recurse: whether to copy the tensors too (contiguous), else they are shared
 * @error: NO_SPACE
 *
 * Returns: (transfer full): an unlocked copy
 */
REEL_API
ReelTensordict *reel_tensordict_clone (const ReelTensordict *td, gboolean recurse, GError **error);

/**
 * reel_tensordict_equal:
 * @a: a tensordict
 * @b: a tensordict
 *
 * Returns: whether batch sizes, key sets (in any order) and all elements are equal, bit by bit
 */
REEL_API
gboolean reel_tensordict_equal (const ReelTensordict *a, const ReelTensordict *b);

/**
 * reel_tensordict_to_string:
 * @td: a tensordict
 *
 * Returns: (transfer full): what Python prints of the same TensorDict, byte for byte
 */
REEL_API
char *reel_tensordict_to_string (const ReelTensordict *td);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelTensordict, reel_tensordict_unref)

G_END_DECLS
