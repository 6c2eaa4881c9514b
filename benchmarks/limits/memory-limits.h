/* Frozen loops over memory, files and processes. As those of limits.h they share nothing with the
 * library. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Stores past the cache, round and round a piece of memory in huge pages that was touched before:
 * what writing a ring that fits no cache can cost at best. */
typedef struct LimitStreamingStores LimitStreamingStores;

LimitStreamingStores *limit_streaming_stores_new (size_t size, int n_threads);
void limit_streaming_stores_free (LimitStreamingStores *self);

/* Writes at least so many bytes, the threads together. Returns how many they were. */
size_t limit_streaming_stores_run (LimitStreamingStores *self, size_t bytes);

/* Makes a file of so many reserved bytes, maps it and has the kernel make every page writable,
 * which the first pass of any writer has to wait for; removes it. Returns the seconds of that one
 * call, -1 where the system cannot. */
double limit_populate_file (const char *path, size_t size);

/* Copies n rows of a column, by number: what any sampler must do for each key. */
void limit_gather (uint8_t *to, const uint8_t *from, size_t row_bytes, const int64_t *rows,
                   int64_t n);

/* Copies n whole rows of 66 bytes, by number, those that come next fetched ahead: the least that
 * sampling rows of that size must do to memory. */
void limit_gather_66 (uint8_t *to, const uint8_t *from, const int64_t *rows, int64_t n);

/* Copies bytes past the cache: what filling memory that fits no cache must cost. */
void limit_stream_bytes (uint8_t *to, const uint8_t *from, size_t n);

/* Copies n runs of rows that lie in a piece, by the number of the first: what slices must cost. */
void limit_gather_runs (uint8_t *to, const uint8_t *from, size_t row_bytes, const int64_t *rows,
                        int64_t n, int64_t length);

/* Reads n words, vector by vector: what looking at them must cost. Returns all of them or-ed. */
uint64_t limit_read_bytes (const uint64_t *words, size_t n);

/* Copies, and writes, a column: what making one of another, or out of nothing, must cost. */
void limit_copy_bytes (uint8_t *to, const uint8_t *from, size_t n);
void limit_write_bytes (uint8_t *to, uint8_t value, size_t n);

/* A map of strings to pointers; both are borrowed. */
typedef struct LimitHash LimitHash;

LimitHash *limit_hash_new (const char *const *keys, const void *const *values, size_t n);
void limit_hash_free (LimitHash *self);

/* The value of a key, or NULL. */
const void *limit_hash_get (const LimitHash *self, const char *key);

/* Writes n files of so many bytes each into a folder by write() and fsync(), one after the other.
 * Returns the seconds, -1 where it failed. */
double limit_write_files (const char *folder, const uint8_t *data, size_t size, int n_files);

/* Writes a file of at most so many bytes, page-aligned, past the cache, in space reserved before,
 * and syncs it; removes it. Returns the seconds until it was synced, -1 where it failed. */
double limit_write_direct (const char *path, const uint8_t *data, size_t size);

/* Maps at most 64 files of so many rows each and copies the same n rows of each. Returns the
 * seconds of that, -1 where it failed. */
double limit_read_mapped (const char *const *paths, int n_files, int64_t rows, int64_t n);

/* open, fstat, mmap, close of each of at most 4096 files, which are unmapped at the end. Returns
 * the seconds without that, -1 where it failed. */
double limit_map_files (const char *const *paths, int n_files);

/* Adds up the 16 values around each of n places and changes the one there: the least that drawing
 * by weight and changing what was drawn must do to memory. Returns the sum of all. */
double limit_change_groups (double *values, const int64_t *at, int64_t n);

/* A line from one thread to another and back, n times: what a hand-over and its answer must cost.
 * Returns the seconds, -1 where it failed. */
double limit_round_trips (int64_t n);
