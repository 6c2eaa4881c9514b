/* Copies between tensors of any strides. */
#include "convert-kernel.h"
#include "tensor-private.h"

#include <string.h>

/* Two operands of one shape, walked together; the last dimension is a row. */
typedef struct
{
  gint ndim;
  gsize item_size;
  gint64 shape[REEL_MAX_NDIM];
  gint64 strides_a[REEL_MAX_NDIM];
  gint64 strides_b[REEL_MAX_NDIM];
} Walk;

typedef gboolean (*RowFunc) (const Walk *walk, guint8 *a, const guint8 *b);

static void
walk_insert (Walk *walk, gint64 extent, gint64 stride_a, gint64 stride_b)
{
  gint at = walk->ndim++;

  for (; at > 0 && ABS (walk->strides_a[at - 1]) < ABS (stride_a); at--)
    {
      walk->shape[at] = walk->shape[at - 1];
      walk->strides_a[at] = walk->strides_a[at - 1];
      walk->strides_b[at] = walk->strides_b[at - 1];
    }
  walk->shape[at] = extent;
  walk->strides_a[at] = stride_a;
  walk->strides_b[at] = stride_b;
}

static gboolean
lies_end_to_end (const Walk *walk, gint outer, gint inner)
{
  return walk->strides_a[outer] == walk->shape[inner] * walk->strides_a[inner]
         && walk->strides_b[outer] == walk->shape[inner] * walk->strides_b[inner];
}

static void
walk_merge (Walk *walk)
{
  gint last = 0;

  for (gint i = 1; i < walk->ndim; i++)
    {
      gint64 extent = walk->shape[i];
      if (lies_end_to_end (walk, last, i))
        extent *= walk->shape[last];
      else
        last++;
      walk->shape[last] = extent;
      walk->strides_a[last] = walk->strides_a[i];
      walk->strides_b[last] = walk->strides_b[i];
    }
  walk->ndim = last + 1;
}

/* In the order of @a's memory, with dimensions that lie end to end made one: the longest rows. */
static void
walk_init (Walk *walk, const ReelTensor *a, const ReelTensor *b)
{
  walk->ndim = 0;
  walk->item_size = reel_dtype_size (a->dtype);
  for (gint i = 0; i < a->ndim; i++)
    if (a->shape[i] != 1)
      walk_insert (walk, a->shape[i], a->strides[i], b->strides[i]);
  if (walk->ndim == 0)
    walk_insert (walk, 1, (gint64) walk->item_size, (gint64) walk->item_size);
  walk_merge (walk);
}

static gboolean
walk_rows (const Walk *walk, guint8 *a, const guint8 *b, RowFunc row)
{
  gint64 index[REEL_MAX_NDIM] = { 0 };
  gint dim;

  do
    {
      if (!row (walk, a, b))
        return FALSE;
      for (dim = walk->ndim - 2; dim >= 0; dim--)
        {
          a += walk->strides_a[dim];
          b += walk->strides_b[dim];
          if (++index[dim] < walk->shape[dim])
            break;
          index[dim] = 0;
          a -= walk->strides_a[dim] * walk->shape[dim];
          b -= walk->strides_b[dim] * walk->shape[dim];
        }
    }
  while (dim >= 0);
  return TRUE;
}

static gboolean
row_is_dense (const Walk *walk)
{
  gint64 size = (gint64) walk->item_size;

  return walk->strides_a[walk->ndim - 1] == size && walk->strides_b[walk->ndim - 1] == size;
}

#define COPY_ITEMS(size)                                                                           \
  for (gint64 i = 0; i < n; i++, a += stride_a, b += stride_b)                                     \
  memmove (a, b, size)

static gboolean
copy_row (const Walk *walk, guint8 *a, const guint8 *b)
{
  gint64 n = walk->shape[walk->ndim - 1];
  gint64 stride_a = walk->strides_a[walk->ndim - 1];
  gint64 stride_b = walk->strides_b[walk->ndim - 1];

  if (row_is_dense (walk))
    memmove (a, b, n * walk->item_size);
  else
    switch (walk->item_size)
      {
      case 1: COPY_ITEMS (1); break;
      case 2: COPY_ITEMS (2); break;
      case 4: COPY_ITEMS (4); break;
      case 8: COPY_ITEMS (8); break;
      default: COPY_ITEMS (16); break;
      }
  return TRUE;
}

static gboolean
row_is_equal (const Walk *walk, guint8 *a, const guint8 *b)
{
  gint64 n = walk->shape[walk->ndim - 1];

  if (row_is_dense (walk))
    return memcmp (a, b, n * walk->item_size) == 0;
  for (gint64 i = 0; i < n; i++)
    {
      if (memcmp (a, b, walk->item_size) != 0)
        return FALSE;
      a += walk->strides_a[walk->ndim - 1];
      b += walk->strides_b[walk->ndim - 1];
    }
  return TRUE;
}

static gboolean
has_shape_of (const ReelTensor *a, const ReelTensor *b)
{
  return a->ndim == b->ndim && memcmp (a->shape, b->shape, a->ndim * sizeof a->shape[0]) == 0;
}

void
reel_tensor_copy_unchecked (const ReelTensor *destination, const ReelTensor *source)
{
  Walk walk;

  if (reel_tensor_numel (destination) == 0)
    return;
  walk_init (&walk, destination, source);
  walk_rows (&walk, destination->data, source->data, copy_row);
}

gboolean
reel_tensor_equal (const ReelTensor *a, const ReelTensor *b)
{
  Walk walk;

  if (a->dtype != b->dtype || !has_shape_of (a, b))
    return FALSE;
  if (reel_tensor_numel (a) == 0)
    return TRUE;
  walk_init (&walk, a, b);
  return walk_rows (&walk, a->data, b->data, row_is_equal);
}

gboolean
reel_tensor_check_writable (const ReelTensor *tensor, GError **error)
{
  if (!reel_memory_is_read_only (tensor->memory))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "the tensor may only be read: its memory was mapped or lent for reading");
  return FALSE;
}

gboolean
reel_tensor_copy (ReelTensor *destination, const ReelTensor *source, GError **error)
{
  ReelTensor expanded;

  if (destination->dtype != source->dtype)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "cannot copy %s elements to a %s tensor",
                   reel_dtype_name (source->dtype), reel_dtype_name (destination->dtype));
      return FALSE;
    }
  if (!reel_tensor_broadcast (source, destination->ndim, destination->shape, &expanded, error)
      || !reel_tensor_check_writable (destination, error))
    return FALSE;
  reel_tensor_copy_unchecked (destination, &expanded);
  return TRUE;
}

ReelTensor *
reel_tensor_clone (const ReelTensor *tensor, GError **error)
{
  ReelTensor *copy = reel_tensor_new (tensor->dtype, tensor->ndim, tensor->shape, error);

  if (copy)
    reel_tensor_copy_unchecked (copy, tensor);
  return copy;
}

ReelTensor *
reel_tensor_contiguous (ReelTensor *tensor, GError **error)
{
  return reel_tensor_is_contiguous (tensor) ? reel_tensor_ref (tensor)
                                            : reel_tensor_clone (tensor, error);
}

/* A complex element is two of half the size. */
gboolean
reel_tensor_is_aligned (const ReelTensor *tensor)
{
  gsize size = reel_dtype_size (tensor->dtype);

  return (gsize) tensor->data % (reel_dtype_is_complex (tensor->dtype) ? size / 2 : size) == 0;
}

ReelTensor *
reel_tensor_in_order (ReelTensor *tensor, GError **error)
{
  return reel_tensor_is_aligned (tensor) ? reel_tensor_contiguous (tensor, error)
                                         : reel_tensor_clone (tensor, error);
}

void
reel_element_from_double (ReelDtype dtype, guint8 *element, double value)
{
  memset (element, 0, REEL_MAX_ELEMENT_SIZE);
  switch (dtype)
    {
    case REEL_DTYPE_COMPLEX32: dtype = REEL_DTYPE_FLOAT16; break;
    case REEL_DTYPE_COMPLEX64: dtype = REEL_DTYPE_FLOAT32; break;
    case REEL_DTYPE_COMPLEX128: dtype = REEL_DTYPE_FLOAT64; break;
    default: break;
    }
  reel_dtype_store_double (dtype, element, value);
}

void
reel_tensor_fill_unchecked (const ReelTensor *tensor, double value)
{
  guint8 element[REEL_MAX_ELEMENT_SIZE];
  ReelTensor scalar = *tensor;

  reel_element_from_double (tensor->dtype, element, value);
  scalar.data = element;
  memset (scalar.strides, 0, sizeof scalar.strides);
  reel_tensor_copy_unchecked (tensor, &scalar);
}

ReelTensor *
reel_tensor_convert (const ReelTensor *tensor, ReelDtype dtype, GError **error)
{
  ReelTensor *result;
  ReelIsa isa;

  g_return_val_if_fail (!reel_dtype_is_complex (tensor->dtype), NULL);
  g_return_val_if_fail (!reel_dtype_is_complex (dtype), NULL);

  if (!reel_isa_choose (&isa, error))
    return NULL;
  result = reel_tensor_new_unfilled (dtype, tensor->ndim, tensor->shape, error);
  if (result)
    REEL_KERNEL_PICK (reel_convert_kernels, isa)
        ->convert (tensor->dtype, tensor->data, dtype, result->data,
                   (gsize) reel_tensor_numel (result));
  return result;
}
