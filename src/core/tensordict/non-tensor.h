/* Values of a tensordict besides tensors: strings, numbers and other values of JSON. */
#pragma once

#include "../tensor/tensor.h"

G_BEGIN_DECLS

/**
 * ReelNonTensor:
 *
 * A value for each element of a batch: a few #GVariant, and an int64 tensor of the batch size that
 * says which of them an element has. So it is viewed, indexed and stacked as a tensor is, and the
 * values are never copied. One value for all elements is TensorDict's NonTensorData, several its
 * NonTensorStack. Values are strings, 64-bit integers, doubles, booleans, none, and lists, tuples
 * and dicts of these; smaller integers and arrays are converted, and equal values kept once.
 *
 * Refcounted and immutable: any thread may read it.
 */
typedef struct _ReelNonTensor ReelNonTensor;

#define REEL_TYPE_NON_TENSOR (reel_non_tensor_get_type ())

/**
 * reel_non_tensor_get_type:
 *
 * Returns: the boxed type, whose copies are references
 */
REEL_API
GType reel_non_tensor_get_type (void);

/**
 * reel_non_tensor_new:
 * @value: (nullable): the value of every element; a floating reference is sunk; %NULL for None
 * @ndim: batch dimensions
 * @batch_size: (array length=ndim): their extents
 * @error: TYPE for a value without counterpart in JSON; VALUE for an integer beyond 64 bits, more
 *   than 32 levels of nesting, or a bad batch size
 *
 * Returns: (transfer full): one value for all, as NonTensorData
 */
REEL_API
ReelNonTensor *reel_non_tensor_new (GVariant *value, gint ndim, const gint64 *batch_size,
                                    GError **error);

/**
 * reel_non_tensor_new_meta:
 * @value: (nullable): the value of every element; a floating reference is sunk; %NULL for None
 * @ndim: batch dimensions
 * @batch_size: (array length=ndim): their extents
 * @error: as reel_non_tensor_new()
 *
 * As reel_non_tensor_new(), of TensorDict's class MetaData: what is said of the whole, so that
 * several of one value, stacked or put in a row, are one again, and no NonTensorStack. Where the
 * values differ they are a NonTensorStack.
 *
 * Returns: (transfer full): one value for all, as MetaData
 */
REEL_API
ReelNonTensor *reel_non_tensor_new_meta (GVariant *value, gint ndim, const gint64 *batch_size,
                                         GError **error);

/**
 * reel_non_tensor_new_from_list:
 * @list: a list of values, or of lists of them; a floating reference is sunk
 * @ndim: how many levels of lists are batch dimensions, at least 1; −1 for as many as have lists of
 *   equal length throughout, as TensorDict decides
 * @error: as reel_non_tensor_new(); RUNTIME when the lists of a level differ in length; TYPE where
 *   a list is missing
 *
 * Returns: (transfer full): each element's own value, as NonTensorStack
 */
REEL_API
ReelNonTensor *reel_non_tensor_new_from_list (GVariant *list, gint ndim, GError **error);

/**
 * reel_non_tensor_new_from_which:
 * @values: (array length=n): values; floating references are sunk
 * @n: how many
 * @which: int64, of the batch size: the place in @values of each element's value, −1 for None; a
 *   reference is taken, and it may not be written from now on
 * @error: as reel_non_tensor_new(); TYPE when @which is not int64; INDEX when it points outside
 *
 * Returns: (transfer full): one value for all where @which has stride 0 in all dimensions, else
 *   each element's own
 */
REEL_API
ReelNonTensor *reel_non_tensor_new_from_which (GVariant *const *values, gint64 n, ReelTensor *which,
                                               GError **error);

/**
 * reel_non_tensor_ref:
 * @non_tensor: values
 *
 * Returns: (transfer full): @non_tensor
 */
REEL_API
ReelNonTensor *reel_non_tensor_ref (ReelNonTensor *non_tensor);

/**
 * reel_non_tensor_unref:
 * @non_tensor: (transfer full): values
 *
 * Drops a reference. The last one frees the values. Any thread.
 */
REEL_API
void reel_non_tensor_unref (ReelNonTensor *non_tensor);

/**
 * reel_non_tensor_get_batch_size:
 * @non_tensor: values
 * @ndim: (out): batch dimensions
 *
 * Returns: (transfer none) (array length=ndim): their extents
 */
REEL_API
const gint64 *reel_non_tensor_get_batch_size (const ReelNonTensor *non_tensor, gint *ndim);

/**
 * reel_non_tensor_is_single:
 * @non_tensor: values
 *
 * Returns: whether it is one value for all elements, as NonTensorData; else it is a NonTensorStack,
 *   though all values be equal
 */
REEL_API
gboolean reel_non_tensor_is_single (const ReelNonTensor *non_tensor);

/**
 * reel_non_tensor_is_meta:
 * @non_tensor: values
 *
 * Returns: whether it is one value for all elements, as MetaData
 */
REEL_API
gboolean reel_non_tensor_is_meta (const ReelNonTensor *non_tensor);

/**
 * reel_non_tensor_get_which:
 * @non_tensor: values
 *
 * Returns: (transfer none): int64, of the batch size: which of reel_non_tensor_get_values() each
 *   element has, −1 for None; for reading
 */
REEL_API
ReelTensor *reel_non_tensor_get_which (const ReelNonTensor *non_tensor);

/**
 * reel_non_tensor_get_values:
 * @non_tensor: values
 * @n: (out): how many
 *
 * Returns: (transfer none) (array length=n): the different values; a view may not use all
 */
REEL_API
GVariant *const *reel_non_tensor_get_values (const ReelNonTensor *non_tensor, gint64 *n);

/**
 * reel_non_tensor_get_value:
 * @non_tensor: values
 * @index: (array): one index a batch dimension, each in range
 *
 * Returns: (transfer none): the value of that element: `s`, `x`, `d`, `b`, `av`, `a{sv}`, a tuple,
 *   or an empty `mv` for None
 */
REEL_API
GVariant *reel_non_tensor_get_value (const ReelNonTensor *non_tensor, const gint64 *index);

/**
 * reel_non_tensor_to_list:
 * @non_tensor: values
 *
 * Returns: (transfer full): what Python's `tolist ()` gives: lists nested as the batch dimensions,
 *   or the value itself without any
 */
REEL_API
GVariant *reel_non_tensor_to_list (const ReelNonTensor *non_tensor);

/**
 * reel_non_tensor_dup_data:
 * @non_tensor: values
 *
 * Returns: (transfer full): the one value, where reel_non_tensor_is_single(), else
 *   reel_non_tensor_to_list()
 */
REEL_API
GVariant *reel_non_tensor_dup_data (const ReelNonTensor *non_tensor);

/**
 * reel_non_tensor_equal:
 * @a: values
 * @b: values
 *
 * Returns: whether batch sizes are the same and each element's value is, type and bits; one value
 *   for all equals as many equal ones
 */
REEL_API
gboolean reel_non_tensor_equal (const ReelNonTensor *a, const ReelNonTensor *b);

/**
 * reel_non_tensor_to_string:
 * @non_tensor: values
 *
 * Returns: (transfer full): what Python prints of the same NonTensorData or NonTensorStack without
 *   device, byte for byte
 */
REEL_API
char *reel_non_tensor_to_string (const ReelNonTensor *non_tensor);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelNonTensor, reel_non_tensor_unref)

G_END_DECLS
