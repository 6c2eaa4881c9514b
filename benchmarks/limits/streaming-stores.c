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

struct _LimitStreamingStores
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

static LimitStreamingStores *
open_stores (size_t size, int n_threads)
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

static void
close_stores (LimitStreamingStores *self)
{
  munmap (self->data, self->size);
  free (self);
}

static void
fill (uint8_t *data)
{
#if defined(__AVX512F__)
  for (size_t i = 0; i < SLICE; i += 64)
    _mm512_stream_si512 ((__m512i *) (data + i), _mm512_set1_epi8 (2));
#elif defined(__AVX2__)
  for (size_t i = 0; i < SLICE; i += 32)
    _mm256_stream_si256 ((__m256i *) (data + i), _mm256_set1_epi8 (2));
#elif defined(__x86_64__)
  for (size_t i = 0; i < SLICE; i += 16)
    _mm_stream_si128 ((__m128i *) (data + i), _mm_set1_epi8 (2));
#else
  memset (data, 2, SLICE);
#endif
}

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

static size_t
run_stores (LimitStreamingStores *self, size_t bytes)
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

const LimitStores LIMIT_NAME (limit_stores) = { open_stores, close_stores, run_stores };
