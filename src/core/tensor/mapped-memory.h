/* Mapped files as memory that tensors point into. Private to the library. */
#pragma once

#include "../system/mapping.h"
#include "memory.h"

G_BEGIN_DECLS

/**
 * reel_memory_new_mapped:
 * @kind: what the tensors in it are to be taken for
 * @path: a regular file
 * @fd: its descriptor, or -1 to open it for this call
 * @mode: how to map it
 * @size: bytes from its beginning, or -1 for all that it has
 * @error: DAMAGED when it is shorter; IO
 *
 * Returns: (transfer full): memory that unmaps itself
 */
ReelMemory *reel_memory_new_mapped (ReelMemoryKind kind, const char *path, int fd, ReelMapMode mode,
                                    gint64 size, GError **error);

/**
 * reel_memory_forget:
 * @memory: any memory
 * @begin: within it
 * @n: bytes
 *
 * Lets whole pages go that were mapped to be read once, so that who reads a file does not come to
 * hold it. They are there again when they are looked at. Memory of another kind stays.
 */
void reel_memory_forget (ReelMemory *memory, const guint8 *begin, gsize n);

/**
 * reel_memory_let_go:
 * @memory: a file that is mapped to be written (%REEL_MAP_WRITE); memory of the heap stays
 * @begin: within it
 * @n: bytes
 *
 * Lets the pages go that were written, so that who writes a file does not come to hold it. The file
 * keeps what they hold; they are there again when they are looked at.
 */
void reel_memory_let_go (ReelMemory *memory, const guint8 *begin, gsize n);

/**
 * reel_memory_want_huge_pages:
 * @memory: any memory
 *
 * reel_mapping_want_huge_pages() of a mapped file.
 */
void reel_memory_want_huge_pages (ReelMemory *memory);

/**
 * reel_memory_take_huge_pages:
 * @memory: any memory
 *
 * reel_memory_want_huge_pages() of a mapped file, and reads it once, so that who maps the file next
 * finds such pages of all of it. A hint: nothing fails.
 */
void reel_memory_take_huge_pages (ReelMemory *memory);

/**
 * reel_memory_keep_file:
 * @memory: memory of reel_memory_new_mapped()
 * @path: its file
 *
 * Keeps a descriptor of the file for reel_memory_write_back(), until the memory ends. A hint:
 * nothing fails.
 */
void reel_memory_keep_file (ReelMemory *memory, const char *path);

/**
 * reel_memory_write_back:
 * @memory: any memory
 * @begin: within it
 * @n: bytes
 *
 * Has the system begin to write to the disk what was written to these bytes, so that a sync at the
 * end has less to wait for. Waits where the disk has too much to do. Nothing where no descriptor is
 * kept. Any thread.
 */
void reel_memory_write_back (ReelMemory *memory, const guint8 *begin, gsize n);

/**
 * reel_memory_read_at_random:
 * @memory: any memory
 * @at_random: whether the next reads of a mapped file are far from each other, so that nothing
 *   around them is read with them
 */
void reel_memory_read_at_random (ReelMemory *memory, gboolean at_random);

G_END_DECLS
