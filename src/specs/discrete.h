/* What kinds share whose elements are integers from 0 to n − 1, n what their get_n () says: slots
 * of their #ReelSpecKind, and what a constructor checks. Private. */
#pragma once

#include "spec-kind.h"

G_BEGIN_DECLS

/**
 * reel_discrete_check:
 * @word: what the kind is called
 * @n: number of values
 * @dtype: type of the elements
 * @highest: the greatest value that an element must hold
 * @error: VALUE
 *
 * Returns: whether @n is positive and @dtype bool or an integer type that holds @highest
 */
gboolean reel_discrete_check (const char *word, gint64 n, ReelDtype dtype, gint64 highest,
                              GError **error);

/**
 * reel_discrete_equal:
 * @spec: a categorical or binary spec
 * @other: a spec of any kind
 *
 * The slot `equal`: as in TorchRL a binary spec is a categorical one of 2 values.
 *
 * Returns: whether @other is of these two kinds and of as many values
 */
gboolean reel_discrete_equal (const ReelSpec *spec, const ReelSpec *other);

/**
 * reel_discrete_draw:
 * @spec: a spec
 * @key: key of the step
 * @first: number of the first element
 * @n: how many
 * @values: (out caller-allocates): room for @n elements
 *
 * The slot `draw`: each of the values is as likely.
 */
void reel_discrete_draw (const ReelSpec *spec, ReelRandomKey key, gint64 first, gint64 n,
                         guint8 *values);

/**
 * reel_discrete_find_outside:
 * @spec: a spec
 * @values: elements of its dtype
 * @n_values: how many
 * @why: (out): set where one is outside
 *
 * The slot `find_outside`.
 *
 * Returns: the number of the first that is below 0 or not below n, or −1
 */
gint64 reel_discrete_find_outside (const ReelSpec *spec, const guint8 *values, gint64 n_values,
                                   char **why);

/**
 * reel_discrete_project_dtype:
 * @spec: a spec
 * @dtype: type of what is projected
 *
 * The slot `project_dtype`: what can hold the result stays what it is, as PyTorch's clamp leaves
 * it.
 *
 * Returns: @dtype, but that of @spec for bool and complex numbers
 */
ReelDtype reel_discrete_project_dtype (const ReelSpec *spec, ReelDtype dtype);

/**
 * reel_discrete_project:
 * @spec: a spec
 * @dtype: type of @values
 * @values: elements
 * @n_values: how many
 * @projected: (out caller-allocates): room for as many elements of reel_discrete_project_dtype()
 *
 * The slot `project`: rounds half to even, then clamps; a NaN that is not cast to an integer stays.
 */
void reel_discrete_project (const ReelSpec *spec, ReelDtype dtype, const guint8 *values,
                            gint64 n_values, guint8 *projected);

/**
 * reel_discrete_parameter_names:
 *
 * The slot `parameter_names`: `n`.
 */
extern const char *const reel_discrete_parameter_names[];

/**
 * reel_discrete_describe:
 * @spec: a spec of any kind that has a get_n ()
 * @form: its form
 *
 * The slot `describe`: sets `n`, the number of values.
 */
void reel_discrete_describe (const ReelSpec *spec, json_t *form);

G_END_DECLS
