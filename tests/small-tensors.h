/* Every small tensor, its strided views, and where their elements lie. */
#pragma once

#include "../src/reel.h"

#define SMALL_EXTENT 3
#define SMALL_DIMS 3

typedef void (*TensorFunc) (ReelTensor *tensor);

/* A tensor of its own memory whose elements count up from 1 in the order of the memory. */
ReelTensor *new_counting_tensor (ReelDtype dtype, gint ndim, const gint64 *shape);

/* Calls @func with a tensor of every shape of up to SMALL_DIMS dimensions, each 0 to SMALL_EXTENT.
 */
void for_each_tensor (TensorFunc func);

/* Calls @func with the tensor, its permutations, and of each every second index of one dimension.
 */
void for_each_strided (ReelTensor *tensor, TensorFunc func);

/* Where the elements lie, in row-major order: pointers. */
GArray *tensor_places (const ReelTensor *tensor);

void assert_same_places (const ReelTensor *tensor, GArray *expected);

/* There is no @tensor, and @error, which is cleared, says INDEX. */
void assert_index_error (ReelTensor *tensor, GError **error);
