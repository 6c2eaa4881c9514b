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

gboolean
reel_parameter_equal (const ReelTensor *a, const ReelTensor *b)
{
  ReelTensor once_a = *a, once_b = *b;

  if (a->ndim != b->ndim || memcmp (a->shape, b->shape, (gsize) a->ndim * sizeof *a->shape) != 0)
    return FALSE;
  for (gint i = 0; i < a->ndim; i++)
    if (a->strides[i] == 0 && b->strides[i] == 0)
      once_a.shape[i] = once_b.shape[i] = MIN (a->shape[i], 1);
  return reel_tensor_equal (&once_a, &once_b);
}
