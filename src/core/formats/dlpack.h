/* Tensors handed to and taken from other libraries of the same process, without copies: NumPy,
 * PyTorch, JAX, CuPy. */
#pragma once

#include "../tensor/tensor.h"

/* The structs of `dlpack.h`, which is not needed here; include it to look inside. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

G_BEGIN_DECLS

/**
 * reel_tensor_to_dlpack:
 * @tensor: a tensor
 * @error: RUNTIME when its memory may only be read, which this struct cannot say; VALUE when its
 *   first element or its strides are no multiple of its elements' size, as in rows of records
 *
 * Lends the elements of @tensor to a consumer of DLPack, whatever the dtype: bool, bfloat16 and the
 * complex ones too. Both see what either writes. In Python the result goes into a `PyCapsule` named
 * `dltensor`.
 *
 * Source: dlpack.h before version 1.0.
 *
 * Returns: (transfer full): keeps the memory alive until its `deleter` is called, on any thread
 */
REEL_API
struct DLManagedTensor *reel_tensor_to_dlpack (ReelTensor *tensor, GError **error);

/**
 * reel_tensor_to_dlpack_versioned:
 * @tensor: a tensor
 * @error: VALUE as in reel_tensor_to_dlpack()
 *
 * As reel_tensor_to_dlpack(), for consumers of DLPack 1. Memory that may only be read is flagged
 * so. In Python the result goes into a `PyCapsule` named `dltensor_versioned`.
 *
 * Source: dlpack.h 1.2, whose strides are never `NULL`.
 *
 * Returns: (transfer full): keeps the memory alive until its `deleter` is called, on any thread
 */
REEL_API
struct DLManagedTensorVersioned *reel_tensor_to_dlpack_versioned (ReelTensor *tensor,
                                                                  GError **error);

/**
 * reel_tensor_from_dlpack:
 * @managed: (transfer full): what a producer of DLPack lends; on failure it stays the caller's
 * @error: VALUE when it is not in the CPU's memory, has a shape that no tensor can have or strides
 *   that reach further than 2^63 bytes; TYPE for an element type without counterpart
 *
 * Takes over tensors of other libraries. The elements are trusted to be where the producer says.
 *
 * Returns: (transfer full): a view of the producer's memory. `deleter` is called when the last view
 *   of it is gone, on the thread that drops it
 */
REEL_API
ReelTensor *reel_tensor_from_dlpack (struct DLManagedTensor *managed, GError **error);

/**
 * reel_tensor_from_dlpack_versioned:
 * @managed: (transfer full): what a producer of DLPack 1 lends; on failure it stays the caller's
 * @error: as reel_tensor_from_dlpack(); VALUE also for another major version, of which nothing but
 *   the `deleter` may be used
 *
 * As reel_tensor_from_dlpack(). A tensor flagged as read-only becomes memory that may only be read.
 *
 * Returns: (transfer full): a view of the producer's memory
 */
REEL_API
ReelTensor *reel_tensor_from_dlpack_versioned (struct DLManagedTensorVersioned *managed,
                                               GError **error);

G_END_DECLS
