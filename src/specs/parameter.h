/* Tensors of bounds, masks and numbers of classes, most of them expanded. Private. */
#pragma once

#include "../core/tensor/tensor.h"

G_BEGIN_DECLS

/**
 * reel_parameter_n_repeated:
 * @parameter: a tensor
 * @n: how many of its first dimensions may be looked at
 *
 * Returns: how many of the first @n dimensions only repeat the rest: expanded, or of extent 1
 */
gint reel_parameter_n_repeated (const ReelTensor *parameter, gint n);

/**
 * reel_parameter_tail:
 * @parameter: a tensor
 * @skip: how many of its first dimensions to leave out, each of which only repeats the rest
 * @error: NO_SPACE
 *
 * Returns: (transfer full): the rest, contiguous
 */
ReelTensor *reel_parameter_tail (const ReelTensor *parameter, gint skip, GError **error);

/**
 * reel_parameter_equal:
 * @a: a tensor
 * @b: another
 *
 * Returns: whether type, shape and elements are the same; what is expanded in both is compared once
 */
gboolean reel_parameter_equal (const ReelTensor *a, const ReelTensor *b);

G_END_DECLS
