/* Stacks of specs: one spec where they are equal, else one that knows its members. */
#pragma once

#include "spec.h"

G_BEGIN_DECLS

/**
 * reel_spec_stack:
 * @specs: (array length=n): specs of one kind, dtype and number of dimensions; composites of one
 *   shape, whatever their keys
 * @n: how many
 * @dim: where the new dimension goes; negative counts from the end of the result
 * @error: VALUE when there are none, RUNTIME when they do not fit, INDEX for @dim
 *
 * TorchRL's torch.stack(). Equal specs give one of them with one more dimension. Others give a
 * Stacked or, of composites, a StackedComposite. That has the extents of its members, −1 where they
 * differ; the keys of a stack of composites are those that all members have, in the order of bytes,
 * the others are reached through the members. Changes of shape change the members and move the
 * stack's dimension along; reshaping is not implemented.
 *
 * Returns: (transfer full): the stack
 */
REEL_API
ReelSpec *reel_spec_stack (ReelSpec *const *specs, gsize n, gint dim, GError **error);

/**
 * reel_spec_is_lazy:
 * @spec: a spec
 *
 * Returns: whether it is a stack of different specs
 */
REEL_API
gboolean reel_spec_is_lazy (const ReelSpec *spec);

/**
 * reel_spec_contains_lazy:
 * @spec: a spec
 *
 * Returns: whether it is a stack of different specs, or has one among its entries or theirs
 */
REEL_API
gboolean reel_spec_contains_lazy (const ReelSpec *spec);

/**
 * reel_spec_get_stack_dim:
 * @spec: a spec
 *
 * Returns: the dimension that stands for its members, −1 where it is no stack of different specs
 */
REEL_API
gint reel_spec_get_stack_dim (const ReelSpec *spec);

/**
 * reel_spec_get_members:
 * @spec: a spec
 * @n: (out): how many
 *
 * Returns: (transfer none) (array length=n) (nullable): what it stacks, valid while @spec lives;
 *   %NULL where it is no stack of different specs
 */
REEL_API
ReelSpec *const *reel_spec_get_members (const ReelSpec *spec, gsize *n);

/**
 * reel_spec_check_no_exclusive_keys:
 * @spec: a spec
 * @recurse: whether to look at entries, members and theirs
 *
 * Returns: whether in each stack of composites all members have the same keys
 */
REEL_API
gboolean reel_spec_check_no_exclusive_keys (const ReelSpec *spec, gboolean recurse);

/**
 * reel_spec_consolidate:
 * @spec: a spec
 * @through_entries: whether entries of composites are consolidated too
 * @through_stack: whether members of a stack are
 * @error: VALUE when a key that some members lack has different classes in the others
 *
 * Gives every member of a stack of composites the keys of the others. Added entries are empty: in
 * dimensions in which the others differ its extent is 0, and if there is none such, in all beyond
 * the batch; but a dimension along which a value lies (one-hot and its like) stays. A composite is
 * added without entries.
 *
 * Returns: (transfer full): @spec without exclusive keys
 */
REEL_API
ReelSpec *reel_spec_consolidate (const ReelSpec *spec, gboolean through_entries,
                                 gboolean through_stack, GError **error);

G_END_DECLS
