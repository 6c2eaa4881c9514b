#include "tensor.h"
#include "tensor-private.h"

#include <stdatomic.h>
#include <string.h>

typedef struct _ReelTensorBlock ReelTensorBlock;

typedef struct
{
  ReelTensor tensor;
  ReelTensorBlock *block; /* %NULL for one by itself */
  atomic_int ref_count;
} CountedTensor;

/* Lives as long as one of its tensors, or its maker. */
struct _ReelTensorBlock
{
  atomic_int n_users;
  CountedTensor tensors[];
};

G_DEFINE_BOXED_TYPE (ReelTensor, reel_tensor, reel_tensor_ref, reel_tensor_unref)

ReelTensor *
reel_tensor_ref (ReelTensor *tensor)
{
  CountedTensor *counted = (CountedTensor *) tensor;

  atomic_fetch_add_explicit (&counted->ref_count, 1, memory_order_relaxed);
  return tensor;
}

static void
block_unref (ReelTensorBlock *block, gint n)
{
  if (n > 0 && atomic_fetch_sub_explicit (&block->n_users, n, memory_order_acq_rel) == n)
    g_free (block);
}

void
reel_tensor_unref (ReelTensor *tensor)
{
  CountedTensor *counted = (CountedTensor *) tensor;

  if (atomic_fetch_sub_explicit (&counted->ref_count, 1, memory_order_acq_rel) > 1)
    return;
  reel_memory_unref (tensor->memory);
  if (counted->block)
    block_unref (counted->block, 1);
  else
    g_free (counted);
}

static ReelTensor *
begin (CountedTensor *counted, ReelTensorBlock *block, const ReelTensor *tensor)
{
  reel_tensor_copy_fields (&counted->tensor, tensor);
  counted->block = block;
  counted->ref_count = 1;
  reel_memory_ref (tensor->memory);
  return &counted->tensor;
}

ReelTensor *
reel_tensor_new_like (const ReelTensor *tensor)
{
  return begin (g_new (CountedTensor, 1), NULL, tensor);
}

/* ---- blocks ---- */

ReelTensor *
reel_tensor_maker_add (ReelTensorMaker *maker, const ReelTensor *tensor)
{
  if (maker->n_left == 0)
    {
      maker->n_left = CLAMP (maker->n_expected, 1, REEL_TENSOR_BLOCK);
      maker->block =
          g_malloc (sizeof *maker->block + (gsize) maker->n_left * sizeof maker->block->tensors[0]);
      maker->block->n_users = maker->n_left;
      maker->n_expected -= maker->n_left;
    }
  return begin (&maker->block->tensors[--maker->n_left], maker->block, tensor);
}

void
reel_tensor_maker_end (ReelTensorMaker *maker)
{
  block_unref (maker->block, maker->n_left);
}

char *
reel_shape_to_string (gint ndim, const gint64 *shape)
{
  GString *text = g_string_new ("[");

  for (gint i = 0; i < ndim; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i == 0 ? "" : ", ", shape[i]);
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

static gboolean
set_shape_error (const char *fault, gint ndim, const gint64 *shape, GError **error)
{
  g_autofree char *text = reel_shape_to_string (ndim, shape);

  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "a tensor of shape %s %s", text, fault);
  return FALSE;
}

gboolean
reel_shape_check (gint ndim, const gint64 *shape, gsize item_size, GError **error)
{
  gint64 nbytes = (gint64) item_size;

  if (ndim < 0 || ndim > REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a tensor may have 0 to %d dimensions, not %d", REEL_MAX_NDIM, ndim);
      return FALSE;
    }
  for (gint i = 0; i < ndim; i++)
    {
      if (shape[i] < 0)
        return set_shape_error ("has a negative extent", ndim, shape, error);
      /* An extent of 0 does not excuse the others: strides are made of them all. */
      if (__builtin_mul_overflow (nbytes, MAX (shape[i], 1), &nbytes))
        return set_shape_error ("is larger than 2^63 - 1 bytes", ndim, shape, error);
    }
  return TRUE;
}

void
reel_shape_strides (gint ndim, const gint64 *shape, gsize item_size, gint64 *strides)
{
  gint64 stride = (gint64) item_size;

  for (gint i = ndim - 1; i >= 0; i--)
    {
      strides[i] = stride;
      stride *= MAX (shape[i], 1);
    }
}

/* Whether the elements lie within [0, @size) bytes of the memory. */
static gboolean
elements_fit (const ReelTensor *tensor, gsize offset, gsize size)
{
  __int128 first = offset;
  __int128 end = (__int128) offset + (gint64) reel_dtype_size (tensor->dtype);

  if (offset > size)
    return FALSE;
  if (reel_tensor_numel (tensor) == 0)
    return TRUE;
  for (gint i = 0; i < tensor->ndim; i++)
    {
      __int128 reach = (__int128) tensor->strides[i] * (tensor->shape[i] - 1);
      if (reach < 0)
        first += reach;
      else
        end += reach;
    }
  return first >= 0 && end <= (__int128) size;
}

ReelTensor *
reel_tensor_new_from_memory (ReelMemory *memory, gsize offset, ReelDtype dtype, gint ndim,
                             const gint64 *shape, const gint64 *strides, GError **error)
{
  ReelTensor tensor = { .dtype = dtype, .ndim = ndim, .memory = memory };
  gsize size;

  if (!reel_shape_check (ndim, shape, reel_dtype_size (dtype), error))
    return NULL;
  for (gint i = 0; i < ndim; i++)
    tensor.shape[i] = shape[i];
  if (strides)
    for (gint i = 0; i < ndim; i++)
      tensor.strides[i] = strides[i];
  else
    reel_shape_strides (ndim, shape, reel_dtype_size (dtype), tensor.strides);

  guint8 *start = reel_memory_get_data (memory, &size);
  if (!elements_fit (&tensor, offset, size))
    {
      g_autofree char *text = reel_shape_to_string (ndim, shape);
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a %s tensor of shape %s at byte %" G_GSIZE_FORMAT
                   " is not within its memory of %" G_GSIZE_FORMAT " bytes",
                   reel_dtype_name (dtype), text, offset, size);
      return NULL;
    }
  tensor.data = start ? start + offset : NULL;
  return reel_tensor_new_like (&tensor);
}

static ReelTensor *
new_tensor (ReelDtype dtype, gint ndim, const gint64 *shape,
            ReelMemory *(*allocate) (gsize size, GError **error), GError **error)
{
  gsize size = reel_dtype_size (dtype);

  if (!reel_shape_check (ndim, shape, size, error))
    return NULL;
  for (gint i = 0; i < ndim; i++)
    size *= shape[i];

  g_autoptr (ReelMemory) memory = allocate (size, error);
  if (!memory)
    return NULL;
  return reel_tensor_new_from_memory (memory, 0, dtype, ndim, shape, NULL, error);
}

ReelTensor *
reel_tensor_new (ReelDtype dtype, gint ndim, const gint64 *shape, GError **error)
{
  return new_tensor (dtype, ndim, shape, reel_memory_new, error);
}

ReelTensor *
reel_tensor_new_unfilled (ReelDtype dtype, gint ndim, const gint64 *shape, GError **error)
{
  return new_tensor (dtype, ndim, shape, reel_memory_new_unfilled, error);
}

gint64
reel_tensor_numel (const ReelTensor *tensor)
{
  gint64 numel = 1;

  for (gint i = 0; i < tensor->ndim; i++)
    numel *= tensor->shape[i];
  return numel;
}

gsize
reel_tensor_nbytes (const ReelTensor *tensor)
{
  return reel_tensor_numel (tensor) * reel_dtype_size (tensor->dtype);
}

gboolean
reel_tensor_is_contiguous (const ReelTensor *tensor)
{
  gint64 expected = reel_dtype_size (tensor->dtype);
  gboolean contiguous = TRUE;

  for (gint i = tensor->ndim - 1; i >= 0; i--)
    {
      if (tensor->shape[i] == 0)
        return TRUE;
      contiguous = contiguous && (tensor->shape[i] == 1 || tensor->strides[i] == expected);
      expected *= tensor->shape[i];
    }
  return contiguous;
}

gpointer
reel_tensor_element (const ReelTensor *tensor, const gint64 *index)
{
  guint8 *element = tensor->data;

  for (gint i = 0; i < tensor->ndim; i++)
    element += index[i] * tensor->strides[i];
  return element;
}
