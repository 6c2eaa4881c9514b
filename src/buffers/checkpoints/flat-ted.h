/* TED data without repetition, as TorchRL's TED2Flat, TED2Nested and H5Split lay them out: lane
 * after lane, each in order of time; of a key that stands at the root and in `next` the root's
 * rows, and behind the last of each trajectory the one in `next`. Private to the library; format
 * in docs/file-format.md. */
#pragma once

#include "checkpointer.h"

G_BEGIN_DECLS

/**
 * ReelFlatTed:
 * @done_keys: (nullable): flags of `next` that the root does not keep; %NULL for TorchRL's
 * @reward_keys: (nullable): others that are taken from `next`; %NULL for TorchRL's
 *
 * What is taken from `next` alone.
 */
typedef struct
{
  char **done_keys;
  char **reward_keys;
} ReelFlatTed;

/**
 * reel_flat_ted_add_properties:
 * @klass: the class of a checkpointer, in its class_init
 * @offset: of its field of that type
 *
 * Adds `done-keys` and `reward-keys`.
 */
void reel_flat_ted_add_properties (ReelObjectClass *klass, gsize offset);

/**
 * reel_flat_ted_pack:
 * @self: which keys
 * @data: `[steps, lanes…]`
 * @state: which steps are valid, and which is the oldest
 * @warnings: (element-type utf8): a sentence for each key of which something is lost is added
 * @error: KEY, TYPE or VALUE for what the format cannot hold; NO_SPACE
 *
 * What stands in slots that are not valid becomes zero.
 *
 * Returns: (transfer full): tensors of rows, and `is_full`, `shift` and `_storage_shape`
 */
ReelTensordict *reel_flat_ted_pack (const ReelFlatTed *self, const ReelTensordict *data,
                                    const ReelCheckpointState *state, GPtrArray *warnings,
                                    GError **error);

/**
 * reel_flat_ted_unpack:
 * @self: which keys
 * @flat: what reel_flat_ted_pack() gave
 * @error: DAMAGED naming the key, found and expected; NO_SPACE
 *
 * Returns: (transfer full): `[steps, lanes…]`; flags at the root are zero, and so is what stands in
 *   slots that are not valid
 */
ReelTensordict *reel_flat_ted_unpack (const ReelFlatTed *self, const ReelTensordict *flat,
                                      GError **error);

/**
 * ReelFlatCut:
 * @n: trajectories, and parts of slots that are not valid, at least 1
 * @lengths: (array length=n): rows of each of a key that has one a step
 * @grown: (array length=n): rows of each of a key that has one more a trajectory
 *
 * Where flat rows are cut.
 */
typedef struct
{
  gint64 n;
  gint64 *lengths;
  gint64 *grown;
} ReelFlatCut;

/**
 * reel_flat_cut_new:
 * @flat: what reel_flat_ted_pack() gave
 * @error: NO_SPACE
 *
 * Returns: (transfer full): its trajectories
 */
ReelFlatCut *reel_flat_cut_new (const ReelTensordict *flat, GError **error);

/**
 * reel_flat_cut_choose:
 * @self: where to cut
 * @flat: what is cut
 * @leaf: one of its tensors
 *
 * Returns: (transfer none) (array): the rows of each part of @leaf
 */
const gint64 *reel_flat_cut_choose (const ReelFlatCut *self, const ReelTensordict *flat,
                                    const ReelTensor *leaf);

/**
 * reel_flat_cut_free:
 * @self: (transfer full) (nullable): a cut
 */
void reel_flat_cut_free (ReelFlatCut *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelFlatCut, reel_flat_cut_free)

/**
 * reel_flat_ted_copy_values:
 * @from: a tensordict of any batch size
 * @to: where its entries that are no tensors are set, with no batch dimensions of their own
 * @error: what is wrong with one
 *
 * Takes over what is known of the form.
 *
 * Returns: whether they were set
 */
gboolean reel_flat_ted_copy_values (const ReelTensordict *from, ReelTensordict *to, GError **error);

G_END_DECLS
