/* Stacks of specs that differ. Private. */
#pragma once

#include "composite-spec.h"
#include "../spec-change.h"
#include "../spec-stack.h"

G_BEGIN_DECLS

/**
 * ReelStackedSpec:
 * @head: what every spec has; −1 where the members' extents differ
 * @dim: the dimension that stands for the members
 * @members: of #ReelSpec, at least one, of as many dimensions and of one kind; composites have one
 *   shape too
 * @entries: (nullable): of composites: of #ReelSpecEntry, what all members have, stacked, in the
 *   order of bytes; without a spec where that does not stack or is left unspecified
 *
 * Both kinds of stacks, of leaves and of composites.
 */
typedef struct
{
  ReelSpec head;

  gint dim;
  GPtrArray *members;
  GArray *entries;
} ReelStackedSpec;

/**
 * reel_spec_check_stack:
 * @specs: (array length=n): specs
 * @n: how many
 * @error: as reel_spec_stack()
 *
 * Returns: whether they may be stacked
 */
gboolean reel_spec_check_stack (ReelSpec *const *specs, gsize n, GError **error);

/**
 * reel_stacked_spec_new:
 * @members: (array length=n): specs that may be stacked
 * @n: how many, at least 1
 * @dim: the dimension that stands for them
 * @error: VALUE for too many dimensions
 *
 * Returns: (transfer full): a stack, even if they are equal
 */
ReelSpec *reel_stacked_spec_new (ReelSpec *const *members, gsize n, gint dim, GError **error);

/**
 * reel_stacked_spec_fail_clash:
 * @spec: a stack of composites
 * @entry: one of its entries, without a spec
 * @error: RUNTIME where the members have specs there that do not stack
 *
 * Says why @entry has no spec, unless it is left unspecified in all members.
 */
void reel_stacked_spec_fail_clash (const ReelSpec *spec, const ReelSpecEntry *entry,
                                   GError **error);

/**
 * ReelSpecMemberFunc:
 * @member: a member of a stack
 * @i: its number
 * @data: what the caller gave
 * @error: what went wrong
 *
 * Returns: (transfer full): what takes its place
 */
typedef ReelSpec *(*ReelSpecMemberFunc) (const ReelSpec *member, guint i, gpointer data,
                                         GError **error);

/**
 * reel_stacked_spec_map:
 * @spec: a stack
 * @dim: the dimension that stands for the members then
 * @func: what becomes of each
 * @data: for @func
 * @error: what @func set, or as reel_spec_stack()
 *
 * Returns: (transfer full): the stack of what @func gives: one spec where it is equal
 */
ReelSpec *reel_stacked_spec_map (const ReelSpec *spec, gint dim, ReelSpecMemberFunc func,
                                 gpointer data, GError **error);

/**
 * reel_stacked_spec_map_in_place:
 *
 * As reel_stacked_spec_map() along the same dimension, but the result is a stack in any case, as in
 * TorchRL, where the members are written to.
 */
ReelSpec *reel_stacked_spec_map_in_place (const ReelSpec *spec, ReelSpecMemberFunc func,
                                          gpointer data, GError **error);

/**
 * reel_stacked_spec_check_index:
 * @spec: a stack
 * @index: what is asked for
 * @error: INDEX, as TorchRL says it
 *
 * Returns: whether @index is about the stack's dimension alone
 */
gboolean reel_stacked_spec_check_index (const ReelSpec *spec, const ReelIndex *index,
                                        GError **error);

/**
 * reel_stacked_spec_has_one_shape:
 * @spec: a stack of leaves
 *
 * Returns: whether a tensor can hold its values
 */
gboolean reel_stacked_spec_has_one_shape (const ReelSpec *spec);

/**
 * reel_spec_find_part_dim:
 * @spec: a spec whose values are tensordicts
 *
 * Returns: the dimension along which its values are stacks of tensordicts, those of what
 *   reel_spec_unbind() gives: that of a stack, or of a leaf that no tensor can hold; −1 where a
 *   value is a tensordict of tensors
 */
gint reel_spec_find_part_dim (const ReelSpec *spec);

/**
 * reel_spec_split:
 * @spec: a spec whose values are tensordicts
 * @dim: what reel_spec_find_part_dim() says
 * @value: a tensordict
 * @elements: where to add its elements along that dimension
 * @error: ASSERTION where they are not as many
 *
 * Returns: (transfer full) (element-type ReelSpec): the spec of each of these elements
 */
GPtrArray *reel_spec_split (const ReelSpec *spec, gint dim, ReelTensordict *value,
                            GPtrArray *elements, GError **error);

/**
 * reel_stacked_spec_make:
 * reel_stacked_spec_enumerate:
 * reel_stacked_spec_is_in:
 *
 * The slots `make`, `enumerate` and `is_in` of stacks of leaves. The first two are RUNTIME where
 * the members' shapes differ. Each member has a stream of its own, made of the seed and its number.
 */
ReelTensor *reel_stacked_spec_make (const ReelSpec *spec, ReelSpecContent content, guint64 seed,
                                    gint64 step, gint ndim, const gint64 *shape, GError **error);
ReelTensor *reel_stacked_spec_enumerate (const ReelSpec *spec, gboolean use_mask, GError **error);
gboolean reel_stacked_spec_is_in (const ReelSpec *spec, const ReelTensor *value, GError **error);

/**
 * reel_stacked_spec_change:
 *
 * The slot `change` of both kinds.
 */
ReelSpec *reel_stacked_spec_change (const ReelSpec *spec, ReelSpecChange *change, GError **error);

G_END_DECLS
