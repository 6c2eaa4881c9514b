/* Specs that choose among others, or among values that are no tensors. */
#pragma once

#include "../../core/tensordict/non-tensor.h"
#include "../spec.h"

G_BEGIN_DECLS

/**
 * reel_choice_spec_new:
 * @choices: (array length=n): leaf specs whose values are tensors; referenced
 * @n: how many, at least 1
 * @error: VALUE when there are none, or shapes or dtypes differ; TYPE when kinds differ, or values
 *   are no tensors
 *
 * Each row of a value is of one of them: reel_spec_rand() chooses row by row, all as likely.
 *
 * Returns: (transfer full): the choice
 */
REEL_API
ReelSpec *reel_choice_spec_new (ReelSpec *const *choices, gsize n, GError **error);

/**
 * reel_choice_spec_new_from_non_tensors:
 * @choices: (array length=n): values; referenced
 * @n: how many, at least 1
 * @error: VALUE when there are none, or batch sizes differ
 *
 * Returns: (transfer full): the choice, for which reel_spec_is_non_tensor()
 */
REEL_API
ReelSpec *reel_choice_spec_new_from_non_tensors (ReelNonTensor *const *choices, gsize n,
                                                 GError **error);

/**
 * reel_choice_spec_get_n_choices:
 * @spec: a choice
 *
 * Returns: how many members it has
 */
REEL_API
gsize reel_choice_spec_get_n_choices (const ReelSpec *spec);

G_END_DECLS
