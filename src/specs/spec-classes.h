/* Operations on specs whose values can be counted: masks, all values, one-hot and categorical
 * form. */
#pragma once

#include "spec.h"

G_BEGIN_DECLS

/**
 * reel_spec_with_mask:
 * @spec: a categorical, binary, one-hot, multi-categorical or multi-one-hot spec
 * @mask: (nullable): bool, which classes are allowed; one row of all classes (of all components,
 *   one behind the other), or what can be broadcast to a row for each place of the spec; %NULL for
 *   all
 * @error: RUNTIME when it cannot be broadcast; VALUE when it is not bool, allows no class
 *   somewhere, or rows have different numbers of classes; TYPE for other specs
 *
 * TorchRL's update_mask(), as a new spec. @mask is shared: leave its elements as they are.
 *
 * Returns: (transfer full): @spec with this mask in place of its own
 */
REEL_API
ReelSpec *reel_spec_with_mask (const ReelSpec *spec, ReelTensor *mask, GError **error);

/**
 * reel_spec_get_mask:
 * @spec: a spec
 *
 * Returns: (transfer none) (nullable): its mask, `[*places, classes]`; valid while @spec lives
 */
REEL_API
ReelTensor *reel_spec_get_mask (const ReelSpec *spec);

/**
 * reel_spec_get_nvec:
 * @spec: a spec
 *
 * Returns: (transfer none) (nullable): of a multi-categorical or multi-one-hot spec the number of
 *   classes of each component, int64 `[*places, components]`; valid while @spec lives
 */
REEL_API
ReelTensor *reel_spec_get_nvec (const ReelSpec *spec);

/**
 * reel_spec_with_provisional_n:
 * @spec: a categorical spec
 * @n: number of values, at least 1
 * @error: VALUE; TYPE for other specs
 *
 * TorchRL's set_provisional_n(), as a new spec: where the number of values is not known (−1) this
 * one is drawn from and counted. Membership, equality and printing do not change.
 *
 * Returns: (transfer full): @spec with that number
 */
REEL_API
ReelSpec *reel_spec_with_provisional_n (const ReelSpec *spec, gint64 n, GError **error);

/**
 * reel_spec_cardinality:
 * @spec: a leaf spec
 * @n: (out): how many values reel_spec_enumerate() gives; %G_MAXINT64 for infinitely many, or too
 *   many to count. All places of a batch have the same, so it does not multiply with them
 * @error: RUNTIME where it is not known; VALUE where rows differ; NOT_IMPLEMENTED
 *
 * Returns: whether @n is set
 */
REEL_API
gboolean reel_spec_cardinality (const ReelSpec *spec, gint64 *n, GError **error);

/**
 * reel_spec_enumerate:
 * @spec: a leaf spec
 * @use_mask: whether to leave out what its mask forbids
 * @error: RUNTIME where the number is not known; VALUE where rows differ; NO_SPACE;
 *   NOT_IMPLEMENTED for specs that cannot be counted
 *
 * Returns: (transfer full): all values, `[n, *shape]`, a view that repeats them over the places
 */
REEL_API
ReelTensor *reel_spec_enumerate (const ReelSpec *spec, gboolean use_mask, GError **error);

/**
 * reel_spec_to_one_hot:
 * @spec: a spec of classes
 * @value: values of it, of any batch
 * @check: whether they must be inside
 * @error: ASSERTION, of @check; RUNTIME for what is no class, and where rows have vectors of
 *   unlike length, which no tensor holds; TYPE for what is no integer; NOT_IMPLEMENTED for other
 *   specs
 *
 * Where rows have classes of their own, as in a stack of specs or by the rows of `nvec`, each is
 * converted by itself.
 *
 * Returns: (transfer full): the one-hot vectors, bool; @value itself if it is made of them
 */
REEL_API
ReelTensor *reel_spec_to_one_hot (const ReelSpec *spec, ReelTensor *value, gboolean check,
                                  GError **error);

/**
 * reel_spec_to_categorical:
 * @spec: a spec of classes
 * @value: values of it, of any batch
 * @check: whether they must be inside
 * @error: ASSERTION, of @check; RUNTIME when vectors have not the length that they must;
 *   NOT_IMPLEMENTED for other specs
 *
 * Returns: (transfer full): the classes, int64: of each vector the first greatest element; @value
 *   itself if it is made of them
 */
REEL_API
ReelTensor *reel_spec_to_categorical (const ReelSpec *spec, ReelTensor *value, gboolean check,
                                      GError **error);

/**
 * reel_spec_to_one_hot_spec:
 * @spec: a spec of classes
 * @error: RUNTIME where their number is not known; NOT_IMPLEMENTED for other specs
 *
 * Returns: (transfer full): the spec of what reel_spec_to_one_hot() gives, with the same mask; a
 *   stack of the rows' specs where these have classes of their own
 */
REEL_API
ReelSpec *reel_spec_to_one_hot_spec (const ReelSpec *spec, GError **error);

/**
 * reel_spec_to_categorical_spec:
 * @spec: a spec of classes
 * @error: NOT_IMPLEMENTED for other specs
 *
 * Returns: (transfer full): the spec of what reel_spec_to_categorical() gives, with the same mask
 */
REEL_API
ReelSpec *reel_spec_to_categorical_spec (const ReelSpec *spec, GError **error);

/**
 * reel_spec_pick:
 * @spec: a spec of classes
 * @index: values of it
 * @tensor: `[…, classes]`, of all components one behind the other
 * @error: RUNTIME for what is no class; INDEX when @tensor does not end in the number of classes;
 *   NOT_IMPLEMENTED for other specs
 *
 * TorchRL's index(): picks from the last dimension by class, whichever form classes have.
 *
 * Returns: (transfer full): a copy `[…, *places of index]`, of the multi kinds with a dimension of
 *   the components behind
 */
REEL_API
ReelTensor *reel_spec_pick (const ReelSpec *spec, ReelTensor *index, ReelTensor *tensor,
                            GError **error);

G_END_DECLS
