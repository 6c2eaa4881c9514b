/* Values of the state of a sampler or writer, in a tensordict without batch dimensions. Private. */
#pragma once

#include "tensordict.h"

G_BEGIN_DECLS

/**
 * reel_state_set:
 * @state: a state
 * @key: a key
 * @dtype: of the tensor that it gets
 * @ndim: 0 or 1
 * @n: its elements, 1 for @ndim 0
 * @data: (array length=n): what they are
 * @error: NO_SPACE
 *
 * Returns: whether it was set
 */
gboolean reel_state_set (ReelTensordict *state, const char *key, ReelDtype dtype, gint ndim,
                         gint64 n, gconstpointer data, GError **error);

/**
 * reel_state_get:
 * @state: a state
 * @key: a key
 * @dtype: of the tensor that it must have
 * @ndim: of it, 0 or 1
 * @error: KEY, TYPE, VALUE with found and expected
 *
 * Returns: (transfer none): the tensor, contiguous
 */
const ReelTensor *reel_state_get (const ReelTensordict *state, const char *key, ReelDtype dtype,
                                  gint ndim, GError **error);

G_END_DECLS
