/* Refcounted bytes that tensors point into. */
#pragma once

#include "../object/error.h"

G_BEGIN_DECLS

/**
 * ReelMemory:
 *
 * A refcounted block of bytes that tensors point into: heap memory, a mapped file, or memory lent
 * by somebody else. Immutable but for the bytes. Any thread may take and drop references.
 */
typedef struct _ReelMemory ReelMemory;

/**
 * ReelMemoryKind:
 * @REEL_MEMORY_HEAP: memory of this process alone
 * @REEL_MEMORY_FILE: a mapped file; prints as `MemoryMappedTensor`
 * @REEL_MEMORY_SHARED: part of a mapped file, such as an archive; prints as a shared tensor
 *
 * Origin of the bytes of a memory.
 */
typedef enum
{
  REEL_MEMORY_HEAP,
  REEL_MEMORY_FILE,
  REEL_MEMORY_SHARED,
} ReelMemoryKind;

/**
 * reel_memory_new:
 * @size: bytes, 0 allowed
 * @error: NO_SPACE when the system has no such memory, with the size
 *
 * Zeroed memory, aligned to 64 bytes, to a page of 4096 where it fills one, on huge pages where it
 * is large.
 *
 * Returns: (transfer full): the memory
 */
REEL_API
ReelMemory *reel_memory_new (gsize size, GError **error);

/**
 * reel_memory_new_wrapped:
 * @kind: what @data is
 * @data: (nullable): the first byte; must stay valid until @destroy is called. %NULL for none; then
 *   reel_memory_get_data() points to none of the caller's
 * @size: bytes at @data
 * @destroy: (nullable): called with @user_data when the last reference is dropped
 * @user_data: for @destroy
 *
 * Returns: (transfer full): memory that lends @data
 */
REEL_API
ReelMemory *reel_memory_new_wrapped (ReelMemoryKind kind, gpointer data, gsize size,
                                     GDestroyNotify destroy, gpointer user_data);

/**
 * reel_memory_ref:
 * @memory: a memory
 *
 * Returns: (transfer full): @memory
 */
REEL_API
ReelMemory *reel_memory_ref (ReelMemory *memory);

/**
 * reel_memory_unref:
 * @memory: (transfer full): a memory
 *
 * Drops a reference. The last one frees or unmaps the bytes. Any thread.
 */
REEL_API
void reel_memory_unref (ReelMemory *memory);

/**
 * reel_memory_get_data:
 * @memory: a memory
 * @size: (out) (optional): its bytes
 *
 * Returns: (transfer none): the first byte, valid while a reference is held
 */
REEL_API
gpointer reel_memory_get_data (ReelMemory *memory, gsize *size);

/**
 * reel_memory_get_kind:
 * @memory: a memory
 *
 * Returns: what it is made of
 */
REEL_API
ReelMemoryKind reel_memory_get_kind (ReelMemory *memory);

/**
 * reel_memory_set_read_only:
 * @memory: a memory that nobody else has a reference to yet
 *
 * Says that its bytes may only be read, from now on: writing to them may crash.
 */
REEL_API
void reel_memory_set_read_only (ReelMemory *memory);

/**
 * reel_memory_is_read_only:
 * @memory: a memory
 *
 * Returns: whether its bytes may only be read, as those of a file mapped for reading
 */
REEL_API
gboolean reel_memory_is_read_only (ReelMemory *memory);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelMemory, reel_memory_unref)

G_END_DECLS
