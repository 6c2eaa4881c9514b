/* Frozen loops over memory, files and processes. As those of limits.h they share nothing with the
 * library. */
#pragma once

#include "level.h"

#include <stddef.h>
#include <stdint.h>

/* Stores past the cache, round and round a piece of memory in huge pages that was touched before:
 * what writing a ring that fits no cache can cost at best. */
typedef struct _LimitStreamingStores LimitStreamingStores;

typedef struct
{
  LimitStreamingStores *(*open) (size_t size, int n_threads);
  void (*close) (LimitStreamingStores *self);

  /* Writes at least so many bytes, the threads together. Returns how many they were. */
  size_t (*run) (LimitStreamingStores *self, size_t bytes);
} LimitStores;

LIMIT_DECLARE (LimitStores, limit_stores);
#define limit_stores() LIMIT_PICK (limit_stores)

/* Makes a file of so many reserved bytes, maps it and has the kernel make every page writable,
 * which the first pass of any writer has to wait for; removes it. Returns the seconds of that one
 * call, -1 where the system cannot. */
double limit_populate_file (const char *path, size_t size);

/* A column of a ring, and rows that are copied to it or from it. */
typedef struct
{
  uint8_t *data;
  uint8_t *block;
  size_t row_bytes;
} LimitColumn;

typedef struct
{
  /* Through the cache: a copy, and a value again and again. */
  void (*bytes) (uint8_t *restrict to, const uint8_t *restrict from, size_t n);
  void (*write) (uint8_t *to, uint8_t value, size_t n);

  /* Past the cache: what filling memory that fits no cache must cost. */
  void (*stream) (uint8_t *restrict to, const uint8_t *restrict from, size_t n);

  /* The blocks of n rows of columns to row first and on, more than one past the cache. */
  void (*rows) (const LimitColumn *columns, int n_columns, int64_t first, int64_t n);

  /* The same to records of at most 256 bytes, which are put together tile by tile. */
  void (*records) (uint8_t *records, int64_t stride, const LimitColumn *columns, int n_columns,
                   int64_t first, int64_t n);

  /* Random numbers of 24 bits between bounds, n of them from a line's begin on, a multiple of 64,
   * past the cache. The words that they are made of are SplitMix64's, from a counter that goes on.
   */
  void (*draw) (uint64_t *random, float low, float high, float *restrict to, size_t n);
} LimitCopies;

LIMIT_DECLARE (LimitCopies, limit_copies);
#define limit_copies() LIMIT_PICK (limit_copies)

typedef struct
{
  /* n row numbers below a bound, from a counter that goes on. */
  void (*draw) (uint64_t *random, int64_t below, int64_t *rows, int64_t n);

  /* Rows of columns to their blocks, by number; those that come next are fetched. */
  void (*columns) (const LimitColumn *columns, int n_columns, const int64_t *rows, int64_t n);

  /* Whole records likewise: the least that sampling rows of that size must do to memory. */
  void (*records) (uint8_t *restrict to, const uint8_t *restrict from, int64_t bytes,
                   const int64_t *rows, int64_t n);

  /* n runs of rows that lie in a piece, by the number of the first: what slices must cost. */
  void (*runs) (uint8_t *restrict to, const uint8_t *restrict from, size_t row_bytes,
                const int64_t *rows, int64_t n, int64_t length);
} LimitGathers;

LIMIT_DECLARE (LimitGathers, limit_gathers);
#define limit_gathers() LIMIT_PICK (limit_gathers)

typedef struct
{
  /* n words, vector by vector: what looking at them must cost. Returns all of them or-ed. */
  uint64_t (*bytes) (const uint64_t *words, size_t n);

  /* The places of flags that are 1 among n, whole words of 64 of them; writes up to four places too
   * many. Returns how many there are. */
  int64_t (*flags) (const uint8_t *flags, int64_t n, int64_t *places);

  /* Adds up the 16 values around each of n places and changes the one there: the least that drawing
   * by weight and changing what was drawn must do to memory. Returns the sum of all. */
  double (*change_groups) (double *values, const int64_t *at, int64_t n);
} LimitReads;

LIMIT_DECLARE (LimitReads, limit_reads);
#define limit_reads() LIMIT_PICK (limit_reads)

/* A map of strings to pointers; both are borrowed. */
typedef struct LimitHash LimitHash;

LimitHash *limit_hash_new (const char *const *keys, const void *const *values, size_t n);
void limit_hash_free (LimitHash *self);

/* The value of a key, or NULL. */
const void *limit_hash_get (const LimitHash *self, const char *key);

/* Writes n files of so many bytes each, whole pages from a page's begin on, into a folder, past the
 * cache and in space reserved before, and syncs all of them at the end. Returns the seconds, -1
 * where it failed. */
double limit_write_files (const char *folder, const uint8_t *data, size_t size, int n_files);

/* Writes a file of at most so many bytes, page-aligned, past the cache, in space reserved before,
 * and syncs it; removes it. Returns the seconds until it was synced, -1 where it failed. */
double limit_write_direct (const char *path, const uint8_t *data, size_t size);

/* Reads a file to its end, writes so many bytes to another, and syncs it; removes it. Returns the
 * seconds until it was synced, -1 where it failed. */
double limit_read_write (const char *from, const char *to, size_t size);

/* A stream of deflated bytes, in the form of zlib or of gzip. */
typedef struct
{
  uint8_t *data;
  size_t size;
} LimitDeflated;

/* Inflates n streams by zlib into a piece of memory, again and again. Returns the seconds, -1 where
 * one is damaged. */
double limit_inflate (const LimitDeflated *streams, size_t n);

/* Inflates n streams of zlib's form by libdeflate, each whole, of at most so many bytes, into a
 * piece of memory. Returns the seconds, -1 where one is damaged. Only where libdeflate is. */
double limit_inflate_whole (const LimitDeflated *streams, size_t n, size_t most);

/* The same by zlib, and writes each piece so many times to a file, which is filled up to so many
 * bytes, in space reserved before; the disk begins at once. Syncs it and removes it. Returns the
 * seconds until it was synced, -1 where one failed. */
double limit_inflate_write (const LimitDeflated *streams, size_t n, const char *to, size_t size,
                            int times);

/* Maps at most 64 files of so many rows each and copies the same n rows of each. Returns the
 * seconds of that, -1 where it failed. */
double limit_read_mapped (const char *const *paths, int n_files, int64_t rows, int64_t n);

/* open, fstat, mmap, close of each of at most 4096 files, which are unmapped at the end. Returns
 * the seconds without that, -1 where it failed. */
double limit_map_files (const char *const *paths, int n_files);

/* A line from one thread to another and back, n times: what a hand-over and its answer must cost.
 * Both are pinned, to the nearest of some pairs of processors; a line each way or one for both,
 * looks with or without a pause: the fastest of these counts, and of its runs of 1024 trips the
 * fastest. Returns the seconds, -1 where it failed, as on a single processor. */
double limit_round_trips (int64_t n);
