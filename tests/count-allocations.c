#include "count-allocations.h"

#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)

gboolean
allocations_are_counted (void)
{
  return FALSE;
}

gint64
allocations_get_count (void)
{
  return 0;
}

#else

#include <errno.h>

/* The program's own functions come before the C library's, in every library that it loads. */
extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *memory, size_t size);
extern void *__libc_memalign (size_t alignment, size_t size);

static _Thread_local gint64 count;

gboolean
allocations_are_counted (void)
{
  return TRUE;
}

gint64
allocations_get_count (void)
{
  return count;
}

void *
malloc (size_t size)
{
  count++;
  return __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  count++;
  return __libc_calloc (n, size);
}

void *
realloc (void *memory, size_t size)
{
  count++;
  return __libc_realloc (memory, size);
}

void *
aligned_alloc (size_t alignment, size_t size)
{
  count++;
  return __libc_memalign (alignment, size);
}

int
posix_memalign (void **memory, size_t alignment, size_t size)
{
  count++;
  *memory = __libc_memalign (alignment, size);
  return *memory ? 0 : ENOMEM;
}

#endif
