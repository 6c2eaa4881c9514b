#include "parameter.h"

#include <string.h>

gint
reel_parameter_n_repeated (const ReelTensor *parameter, gint n)
{
  gint i = 0;

  while (i < n && (parameter->strides[i] == 0 || parameter->shape[i] == 1))
    i++;
  return i;
}

ReelTensor *
reel_parameter_tail (const ReelTensor *parameter, gint skip, GError **error)
{
  ReelTensor tail = *parameter;

  tail.ndim -= skip;
  memmove (tail.shape, tail.shape + skip, (gsize) tail.ndim * sizeof *tail.shape);
  memmove (tail.strides, tail.strides + skip, (gsize) tail.ndim * sizeof *tail.strides);
  return reel_tensor_clone (&tail, error);
}
