/* Non-tensors, for the files of ReelTensordict; not installed. */
#pragma once

#include "non-tensor.h"

G_BEGIN_DECLS

/**
 * reel_non_tensor_new_view:
 * @non_tensor: values
 * @which: (transfer full): made of its `which` by indexing, reshaping, expanding or copying; may
 *   hold −1 besides
 *
 * The counterpart of a change of shape of a tensor: call the tensor's on `which`, then this.
 *
 * Returns: (transfer full): the same values for another batch; one value for all stays that, and
 *   several of MetaData, merged, become one where they are equal
 */
ReelNonTensor *reel_non_tensor_new_view (const ReelNonTensor *non_tensor, ReelTensor *which);

/**
 * reel_non_tensor_resize:
 * @non_tensor: one value for all
 * @ndim: batch dimensions of the result
 * @batch_size: (array length=ndim): its batch size
 * @error: VALUE for a bad batch size
 *
 * Returns: (transfer full): the same value for all of another batch
 */
ReelNonTensor *reel_non_tensor_resize (const ReelNonTensor *non_tensor, gint ndim,
                                       const gint64 *batch_size, GError **error);

/**
 * reel_non_tensor_merge:
 * @sources: (array length=n): values
 * @n: how many, at least 1
 * @whiches: (out) (array length=n): for each source, a new tensor like its `which` that counts in
 *   the values of the result; free each with reel_tensor_unref()
 * @error: NO_SPACE
 *
 * Makes one set of values of several, equal ones once, for what puts elements of many into one:
 * change the tensors as those of tensors would be, then call reel_non_tensor_new_view() with what
 * came of them.
 *
 * Returns: (transfer full): the merged values, of no use but for reel_non_tensor_new_view()
 */
ReelNonTensor *reel_non_tensor_merge (ReelNonTensor *const *sources, gsize n, ReelTensor **whiches,
                                      GError **error);

/**
 * reel_non_tensor_class_name:
 * @non_tensor: values
 *
 * Returns: (transfer none): TensorDict's class of it: `NonTensorData`, `MetaData` or
 *   `NonTensorStack`
 */
const char *reel_non_tensor_class_name (const ReelNonTensor *non_tensor);

/**
 * reel_non_tensor_append_text:
 * @text: where to
 * @non_tensor: values
 * @device: (nullable): what is printed as device
 * @level: indentation of the line that it begins in, in steps of 4
 */
void reel_non_tensor_append_text (GString *text, const ReelNonTensor *non_tensor,
                                  const char *device, gint level);

G_END_DECLS
