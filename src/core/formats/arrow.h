/* Batches handed to Arrow and taken from it, without copies: pyarrow, pandas, Polars, DuckDB. */
#pragma once

#include "../tensordict/tensordict.h"

#include <stdint.h>

G_BEGIN_DECLS

/* As the specification asks: the same text in every header that has them.
 * https://arrow.apache.org/docs/format/CDataInterface.html */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema
{
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release) (struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray
{
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release) (struct ArrowArray *);
  void *private_data;
};

#endif

/**
 * reel_tensordict_to_arrow:
 * @td: a batch `[N, …]`, whose tensors are contiguous
 * @schema: (out caller-allocates): what the columns are; its `release` frees it
 * @array: (out caller-allocates): the columns; its `release` frees it, on any thread
 * @error: VALUE naming the key and its shape when a tensor is not contiguous or, as in rows of
 *   records, not aligned; RUNTIME without batch dimensions or for a lazy stack; TYPE for values
 *   that are no tensors and not all strings, all integers, all reals or all booleans
 *
 * Lends a batch as a record batch, a struct array of N rows: dimension 0 is the rows, all others
 * are fixed-size lists. To hand over `[B, T]` step by step, view it as `[B × T]` first. The columns
 * are the memory of the tensors, which lives until the last array that was made of them is
 * released; they may not be written meanwhile, since Arrow's arrays never change.
 *
 * | here | in Arrow |
 * |---|---|
 * | bool | `arrow.bool8` over int8: one byte each, where its plain bool is bits, and no view |
 * | integers, float16, float32, float64 | the same |
 * | bfloat16 | uint16, with the metadata `reel:dtype` |
 * | complex | a list of real and imaginary part, with the metadata `reel:dtype` |
 * | nested tensordict | struct |
 * | values that are no tensors | a dictionary of the different ones; None is null |
 *
 * Only dictionaries, and the indices into them where they are not contiguous, are made anew.
 *
 * Source: the Arrow C data interface; Arrow's canonical extension types.
 *
 * Returns: whether both were set
 */
REEL_API
gboolean reel_tensordict_to_arrow (ReelTensordict *td, struct ArrowSchema *schema,
                                   struct ArrowArray *array, GError **error);

/**
 * reel_tensordict_from_arrow:
 * @schema: what a record batch's columns are; released on success, on failure it stays the caller's
 * @array: the columns; on success they are taken over, and its `release` is %NULL
 * @error: VALUE naming the column and its first element that is null where a tensor has none, or
 *   where schema and array do not belong together; TYPE naming a column of another type than those
 *   below, or text with NUL in it; KEY for two columns of one name; INDEX for an element that its
 *   dictionary has not; NO_SPACE
 *
 * Borrows a record batch of N rows as a batch `[N]`, the counterpart of reel_tensordict_to_arrow(),
 * whose bool, bfloat16 and complex columns become again what they were. Fixed-size lists are
 * further dimensions, structs nested tensordicts; strings and dictionaries become values that are
 * no tensors, and what is null among them None. Numbers are the memory of Arrow, which may only be
 * read, for Arrow's arrays never change: clone what is to be written. Copied are Arrow's own
 * booleans, which are bits, values that are no tensors, and columns that are not aligned. The rest
 * is trusted to be where the producer says.
 *
 * Source: the Arrow C data interface; Arrow's canonical extension types.
 *
 * Returns: (transfer full): an unlocked tensordict. The array is released when its last tensor is
 *   gone, on the thread that drops it
 */
REEL_API
ReelTensordict *reel_tensordict_from_arrow (struct ArrowSchema *schema, struct ArrowArray *array,
                                            GError **error);

G_END_DECLS
