#include "memory-limits.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define MAX_THREADS 64
#define SLICE (1 << 20)

struct LimitStreamingStores
{
  uint8_t *data;
  size_t size;
  int n_threads;
};

typedef struct
{
  LimitStreamingStores *self;
  int thread;
  size_t n_slices;
} Part;

LimitStreamingStores *
limit_streaming_stores_new (size_t size, int n_threads)
{
  LimitStreamingStores *self = malloc (sizeof *self);

  self->n_threads = n_threads < MAX_THREADS ? n_threads : MAX_THREADS;
  self->size = (size / SLICE + (size_t) self->n_threads) * SLICE;
  self->data = mmap (NULL, self->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (self->data == MAP_FAILED)
    abort ();
  madvise (self->data, self->size, MADV_HUGEPAGE);
  memset (self->data, 1, self->size);
  return self;
}

void
limit_streaming_stores_free (LimitStreamingStores *self)
{
  munmap (self->data, self->size);
  free (self);
}

#if defined(__x86_64__)

static __attribute__ ((target ("avx512f"), noinline)) void
fill_avx512 (uint8_t *data)
{
  __m512i value = _mm512_set1_epi8 (2);

  for (size_t i = 0; i < SLICE; i += 64)
    _mm512_stream_si512 ((__m512i *) (data + i), value);
}

static __attribute__ ((noinline)) void
fill_sse2 (uint8_t *data)
{
  __m128i value = _mm_set1_epi8 (2);

  for (size_t i = 0; i < SLICE; i += 16)
    _mm_stream_si128 ((__m128i *) (data + i), value);
}

static void
fill (uint8_t *data)
{
  if (__builtin_cpu_supports ("avx512f"))
    fill_avx512 (data);
  else
    fill_sse2 (data);
}

#else

static void
fill (uint8_t *data)
{
  memset (data, 2, SLICE);
}

#endif

/* Each thread goes round its own part of the memory. */
static void *
run_part (void *data)
{
  const Part *part = data;
  size_t n_own = part->self->size / SLICE / (size_t) part->self->n_threads;
  uint8_t *own = part->self->data + (size_t) part->thread * n_own * SLICE;

  for (size_t i = 0; i < part->n_slices; i++)
    fill (own + i % n_own * SLICE);
  return NULL;
}

size_t
limit_streaming_stores_run (LimitStreamingStores *self, size_t bytes)
{
  pthread_t threads[MAX_THREADS];
  Part parts[MAX_THREADS];
  size_t n_slices = bytes / SLICE / (size_t) self->n_threads + 1;

  for (int i = 0; i < self->n_threads; i++)
    {
      parts[i] = (Part){ self, i, n_slices };
      if (i > 0 && pthread_create (&threads[i], NULL, run_part, &parts[i]) != 0)
        abort ();
    }
  run_part (&parts[0]);
  for (int i = 1; i < self->n_threads; i++)
    pthread_join (threads[i], NULL);
  return n_slices * (size_t) self->n_threads * SLICE;
}
