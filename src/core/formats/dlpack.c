/* Lends tensors by DLPack and borrows them: strides count elements there and bytes here. */
#include "dlpack.h"
#include "dlpack-abi.h"
#include "../tensor/tensor-private.h"

/* By ReelDtype. */
static const DLDataType types[REEL_N_DTYPES] = {
  [REEL_DTYPE_BOOL] = { kDLBool, 8, 1 },          [REEL_DTYPE_UINT8] = { kDLUInt, 8, 1 },
  [REEL_DTYPE_INT8] = { kDLInt, 8, 1 },           [REEL_DTYPE_INT16] = { kDLInt, 16, 1 },
  [REEL_DTYPE_INT32] = { kDLInt, 32, 1 },         [REEL_DTYPE_INT64] = { kDLInt, 64, 1 },
  [REEL_DTYPE_UINT16] = { kDLUInt, 16, 1 },       [REEL_DTYPE_UINT32] = { kDLUInt, 32, 1 },
  [REEL_DTYPE_UINT64] = { kDLUInt, 64, 1 },       [REEL_DTYPE_FLOAT16] = { kDLFloat, 16, 1 },
  [REEL_DTYPE_BFLOAT16] = { kDLBfloat, 16, 1 },   [REEL_DTYPE_FLOAT32] = { kDLFloat, 32, 1 },
  [REEL_DTYPE_FLOAT64] = { kDLFloat, 64, 1 },     [REEL_DTYPE_COMPLEX32] = { kDLComplex, 32, 1 },
  [REEL_DTYPE_COMPLEX64] = { kDLComplex, 64, 1 }, [REEL_DTYPE_COMPLEX128] = { kDLComplex, 128, 1 },
};

/* ---- export ---- */

/* A consumer gets one of the two; the rest is attached to it. */
typedef struct
{
  union
  {
    struct DLManagedTensor plain;
    struct DLManagedTensorVersioned versioned;
  };
  gint64 shape[REEL_MAX_NDIM];
  gint64 strides[REEL_MAX_NDIM];
  ReelTensor *tensor;
} Loan;

static void
loan_end (gpointer context)
{
  Loan *loan = context;

  reel_tensor_unref (loan->tensor);
  g_free (loan);
}

static void
end_plain (struct DLManagedTensor *self)
{
  loan_end (self->manager_ctx);
}

static void
end_versioned (struct DLManagedTensorVersioned *self)
{
  loan_end (self->manager_ctx);
}

static gboolean
set_layout_error (const ReelTensor *tensor, const char *what, gint64 bytes, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%s %" G_GINT64_FORMAT " bytes, no multiple of the %" G_GSIZE_FORMAT
               " bytes of a %s: copy it first",
               what, bytes, reel_dtype_size (tensor->dtype), reel_dtype_name (tensor->dtype));
  return FALSE;
}

/* In elements. Of dimensions that are never stepped along any stride will do. */
static gboolean
count_strides (const ReelTensor *tensor, gint64 *strides, GError **error)
{
  gint64 size = reel_dtype_size (tensor->dtype);
  gboolean empty = reel_tensor_numel (tensor) == 0;

  reel_shape_strides (tensor->ndim, tensor->shape, 1, strides);
  for (gint i = 0; i < tensor->ndim && !empty; i++)
    {
      if (tensor->shape[i] == 1)
        continue;
      if (tensor->strides[i] % size != 0)
        return set_layout_error (tensor, "a stride is", tensor->strides[i], error);
      strides[i] = tensor->strides[i] / size;
    }
  return TRUE;
}

static Loan *
loan_new (ReelTensor *tensor, GError **error)
{
  gint64 strides[REEL_MAX_NDIM];

  if (!reel_tensor_is_aligned (tensor))
    {
      gint64 beyond = (gint64) ((gsize) tensor->data % reel_dtype_size (tensor->dtype));
      set_layout_error (tensor, "the first element is off by", beyond, error);
      return NULL;
    }
  if (!count_strides (tensor, strides, error))
    return NULL;

  Loan *loan = g_new0 (Loan, 1);
  loan->tensor = reel_tensor_ref (tensor);
  for (gint i = 0; i < tensor->ndim; i++)
    {
      loan->shape[i] = tensor->shape[i];
      loan->strides[i] = strides[i];
    }
  return loan;
}

static DLTensor
loan_describe (Loan *loan)
{
  ReelTensor *tensor = loan->tensor;

  return (DLTensor){
    /* The specification asks for NULL where there are no elements. */
    .data = reel_tensor_numel (tensor) > 0 ? tensor->data : NULL,
    .device = { kDLCPU, 0 },
    .ndim = tensor->ndim,
    .dtype = types[tensor->dtype],
    .shape = loan->shape,
    .strides = loan->strides,
  };
}

struct DLManagedTensor *
reel_tensor_to_dlpack (ReelTensor *tensor, GError **error)
{
  if (reel_memory_is_read_only (tensor->memory))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "the tensor may only be read, which DLPack can say since version 1 alone: use "
                   "the versioned struct");
      return NULL;
    }
  Loan *loan = loan_new (tensor, error);
  if (!loan)
    return NULL;
  loan->plain = (struct DLManagedTensor){ loan_describe (loan), loan, end_plain };
  return &loan->plain;
}

struct DLManagedTensorVersioned *
reel_tensor_to_dlpack_versioned (ReelTensor *tensor, GError **error)
{
  Loan *loan = loan_new (tensor, error);

  if (!loan)
    return NULL;
  loan->versioned = (struct DLManagedTensorVersioned){
    .version = { DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION },
    .manager_ctx = loan,
    .deleter = end_versioned,
    .flags = reel_memory_is_read_only (tensor->memory) ? DLPACK_FLAG_BITMASK_READ_ONLY : 0,
    .dl_tensor = loan_describe (loan),
  };
  return &loan->versioned;
}

/* ---- import ---- */

static gboolean
find_dtype (DLDataType type, ReelDtype *dtype, GError **error)
{
  for (*dtype = 0; *dtype < REEL_N_DTYPES; (*dtype)++)
    if (types[*dtype].code == type.code && types[*dtype].bits == type.bits
        && types[*dtype].lanes == type.lanes)
      return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
               "a DLPack type of code %d, %d bits and %d lanes has no counterpart", type.code,
               type.bits, type.lanes);
  return FALSE;
}

/* Strides in bytes, and the bytes that lie below and above the first element. */
static gboolean
measure (const DLTensor *from, ReelDtype dtype, gint64 *strides, gint64 *below, gint64 *above)
{
  gint64 size = reel_dtype_size (dtype), reach;
  gboolean empty = FALSE;

  reel_shape_strides (from->ndim, from->shape, size, strides);
  for (gint i = 0; i < from->ndim; i++)
    empty |= from->shape[i] == 0;
  *below = 0;
  *above = empty ? 0 : size;
  for (gint i = 0; i < from->ndim && !empty; i++)
    {
      if (from->shape[i] == 1)
        continue;
      if (from->strides && __builtin_mul_overflow (from->strides[i], size, &strides[i]))
        return FALSE;
      if (__builtin_mul_overflow (strides[i], from->shape[i] - 1, &reach)
          || (reach < 0 ? __builtin_sub_overflow (*below, reach, below)
                        : __builtin_add_overflow (*above, reach, above)))
        return FALSE;
    }
  return !__builtin_add_overflow (*below, *above, &reach);
}

static gboolean
check_place (const DLTensor *from, ReelDtype dtype, GError **error)
{
  if (from->device.device_type != kDLCPU)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a DLPack tensor on device %d:%d is not in the CPU's memory, device %d",
                   from->device.device_type, from->device.device_id, kDLCPU);
      return FALSE;
    }
  return reel_shape_check (from->ndim, from->shape, reel_dtype_size (dtype), error);
}

/* A view of the producer's memory, which ends with @end (@managed); not if this fails. */
static ReelTensor *
borrow (const DLTensor *from, gboolean read_only, GDestroyNotify end, gpointer managed,
        GError **error)
{
  gint64 strides[REEL_MAX_NDIM], below, above;
  ReelDtype dtype;

  if (!find_dtype (from->dtype, &dtype, error) || !check_place (from, dtype, error))
    return NULL;
  if (!measure (from, dtype, strides, &below, &above))
    {
      g_autofree char *shape = reel_shape_to_string (from->ndim, from->shape);
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "the strides of a DLPack tensor of shape %s reach further than 2^63 - 1 bytes",
                   shape);
      return NULL;
    }
  /* Negative strides reach below the first element: the memory begins there. */
  guint8 *first = above > 0 ? (guint8 *) from->data + from->byte_offset : NULL;
  g_autoptr (ReelMemory) memory = reel_memory_new_wrapped (
      REEL_MEMORY_HEAP, first ? first - below : NULL, below + above, end, managed);
  if (read_only)
    reel_memory_set_read_only (memory);
  return reel_tensor_new_from_memory (memory, below, dtype, from->ndim, from->shape, strides,
                                      error);
}

static void
release_plain (gpointer data)
{
  struct DLManagedTensor *managed = data;

  if (managed->deleter)
    managed->deleter (managed);
}

static void
release_versioned (gpointer data)
{
  struct DLManagedTensorVersioned *managed = data;

  if (managed->deleter)
    managed->deleter (managed);
}

ReelTensor *
reel_tensor_from_dlpack (struct DLManagedTensor *managed, GError **error)
{
  return borrow (&managed->dl_tensor, FALSE, release_plain, managed, error);
}

ReelTensor *
reel_tensor_from_dlpack_versioned (struct DLManagedTensorVersioned *managed, GError **error)
{
  if (managed->version.major != DLPACK_MAJOR_VERSION)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "a tensor of DLPack %u.%u, not %d",
                   managed->version.major, managed->version.minor, DLPACK_MAJOR_VERSION);
      return NULL;
    }
  return borrow (&managed->dl_tensor, managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY,
                 release_versioned, managed, error);
}
