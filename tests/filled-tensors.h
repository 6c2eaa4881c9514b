/* Tensors that tell one element from another. */
#pragma once

#include "../src/reel.h"

/* int64 elements, in row-major order, that count up from @first. */
ReelTensor *new_filled (gint ndim, const gint64 *shape, gint64 first);
void set_filled (ReelTensordict *td, const char *path, gint ndim, const gint64 *shape,
                 gint64 first);
