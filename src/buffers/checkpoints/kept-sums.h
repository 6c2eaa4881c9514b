/* The checksums that rows had when their directory was closed, once it is written again. Private
 * to the library. */
#pragma once

#include "sidecar.h"
#include "../storages/storage-private.h"

G_BEGIN_DECLS

/**
 * REEL_LEAST_SUM_BLOCK:
 *
 * The bytes that have one checksum, at least.
 */
#define REEL_LEAST_SUM_BLOCK ((gsize) 1 << 20)

/**
 * reel_checksums_are_known:
 * @checksums: the member of the sidecar
 *
 * Returns: whether this library makes such checksums
 */
gboolean reel_checksums_are_known (const json_t *checksums);

/**
 * ReelKeptSums:
 * @leaves: (transfer none): JSON object: by the path of a leaf the sum of each block, null for one
 *   that nothing vouches for
 * @block: bytes that have one sum
 * @steps: the slots [0, @steps) have sums
 * @end: the number of the step after the last that they are of
 *
 * Bytes of slots that were written since then have other sums.
 */
typedef struct
{
  json_t *leaves;
  gint64 block;
  gint64 steps;
  gint64 end;
} ReelKeptSums;

/**
 * reel_kept_sums_find:
 * @self: (out caller-allocates): the sums of @sidecar, valid as long as that
 * @sidecar: (nullable): of a directory that is closed, or was closed before it was written again
 *
 * Returns: whether it has sums of rows of a kind that this library makes
 */
gboolean reel_kept_sums_find (ReelKeptSums *self, const ReelSidecar *sidecar);

/**
 * reel_kept_sums_to_json:
 * @self: sums
 *
 * Returns: (transfer full): the member `checksums_before` of a sidecar
 */
json_t *reel_kept_sums_to_json (const ReelKeptSums *self);

/**
 * ReelSumSpan:
 * @self: sums
 * @column: whose bytes
 * @capacity: slots of the ring, steps
 * @begin: the oldest step of the ring that can be read now, as reel_ring_get_view() returns it: a
 *   writer raises it before it overwrites a slot
 *
 * A column, and which of its slots were written since.
 */
typedef struct
{
  const ReelKeptSums *self;
  const ReelColumn *column;
  gint64 capacity;
  gint64 begin;
} ReelSumSpan;

/**
 * reel_sum_span_find:
 * @span: a column
 * @block: the number of a block in it
 * @crc: (out): the sum of its first bytes
 *
 * Returns: how many bytes of @block have the sum @crc: those that had one and were not written
 *   since; 0 for none
 */
gsize reel_sum_span_find (const ReelSumSpan *span, gsize block, guint32 *crc);

/**
 * reel_kept_sums_dup_untouched:
 * @self: sums
 * @storage: the storage of the rows
 * @begin: as @begin of #ReelSumSpan
 *
 * Returns: (transfer full): `leaves` with null for blocks that were written since
 */
json_t *reel_kept_sums_dup_untouched (const ReelKeptSums *self, ReelStorage *storage, gint64 begin);

G_END_DECLS
