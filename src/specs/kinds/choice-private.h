/* Functions of a choice for other kinds. Private. */
#pragma once

#include "choice-spec.h"
#include "../spec-kind.h"

G_BEGIN_DECLS

/**
 * ReelChoiceSpec:
 * @head: what every spec has
 * @n: how many members
 * @specs: (array length=n) (nullable): members that are specs
 * @values: (array length=n) (nullable): members that are values, where @specs is %NULL
 */
typedef struct
{
  ReelSpec head;

  gsize n;
  ReelSpec **specs;
  ReelNonTensor **values;
} ReelChoiceSpec;

/**
 * reel_choice_spec_check_draw:
 * reel_choice_spec_draw:
 * reel_choice_spec_find_outside:
 * reel_choice_spec_cardinality:
 * reel_choice_spec_enumerate:
 *
 * The slots of the same names.
 */
gboolean reel_choice_spec_check_draw (const ReelSpec *spec, GError **error);
void reel_choice_spec_draw (const ReelSpec *spec, ReelRandomKey key, gint64 first, gint64 n,
                            guint8 *values);
gint64 reel_choice_spec_find_outside (const ReelSpec *spec, const guint8 *values, gint64 n_values,
                                      char **why);
gboolean reel_choice_spec_cardinality (const ReelSpec *spec, gint64 *n, GError **error);
ReelTensor *reel_choice_spec_enumerate (const ReelSpec *spec, gboolean use_mask, GError **error);

/**
 * reel_choice_spec_draw_member:
 * @self: a choice
 * @key: key of the step
 * @row: number of a row
 *
 * Returns: which member that row is of
 */
gsize reel_choice_spec_draw_member (const ReelChoiceSpec *self, ReelRandomKey key, gint64 row);

/**
 * reel_choice_spec_is_of_non_tensors:
 * @spec: a spec
 *
 * Returns: whether it is a choice of values that are no tensors
 */
gboolean reel_choice_spec_is_of_non_tensors (const ReelSpec *spec);

/**
 * reel_choice_spec_repeat:
 * @spec: a choice of values that are no tensors
 * @i: which; the last where there are not as many
 * @ndim: dimensions to put in front
 * @shape: (array length=ndim): their extents
 * @error: VALUE, NO_SPACE
 *
 * Returns: (transfer full): that member in every row
 */
ReelNonTensor *reel_choice_spec_repeat (const ReelSpec *spec, gsize i, gint ndim,
                                        const gint64 *shape, GError **error);

/**
 * reel_choice_spec_draw_non_tensor:
 * @spec: a choice of values that are no tensors
 * @key: key of the step
 * @ndim: dimensions to put in front
 * @shape: (array length=ndim): their extents
 * @error: VALUE, NO_SPACE
 *
 * Returns: (transfer full): in every row a member
 */
ReelNonTensor *reel_choice_spec_draw_non_tensor (const ReelSpec *spec, ReelRandomKey key, gint ndim,
                                                 const gint64 *shape, GError **error);

/**
 * reel_choice_spec_is_in_non_tensor:
 * @spec: a choice of values that are no tensors
 * @value: values whose last dimensions are those of the spec
 * @error: (nullable): ASSERTION
 *
 * Returns: whether every row is a member
 */
gboolean reel_choice_spec_is_in_non_tensor (const ReelSpec *spec, const ReelNonTensor *value,
                                            GError **error);

G_END_DECLS
