/* reel.json: what TorchRL's files cannot say. Private to the library; format in
 * docs/file-format.md. */
#pragma once

#include "../../core/tensor/tensor.h"
#include "../../core/formats/json.h"

G_BEGIN_DECLS

/**
 * REEL_SIDECAR_FILE:
 *
 * Its name, at the top of a checkpoint.
 */
#define REEL_SIDECAR_FILE "reel.json"

/**
 * REEL_SIDECAR_FORMAT:
 *
 * The version of its format, and of the sidecar of an ensemble.
 */
#define REEL_SIDECAR_FORMAT 1

/**
 * ReelSidecar:
 * @storage: (nullable): the storage's text, such as `memmap:capacity=1008,ndim=2`
 * @sampler: (nullable): the sampler's text
 * @writer: (nullable): the writer's text
 * @checkpointer: (nullable): the text of who wrote the rows, %NULL where they lie as in memory
 * @ndim: storage dimensions
 * @dim_extend: see reel_storage_get_dim_extend()
 * @shape: (array length=ndim): the allocation, steps first
 * @names: (array length=ndim): dimension names, each may be %NULL
 * @begin: number of the oldest step that can be read, counted from the first ever written
 * @end: one past the newest
 * @write_count: steps written
 * @clean: whether the directory was closed
 * @boot_id: (nullable): which start of which machine wrote it, of a live directory
 * @ring: (nullable): the file that its ring was then, see reel_ring_dup_file(); not kept of a clean
 *   directory
 * @stream: how far the sampler is with its random numbers, −1 where that is not told
 * @prefetch: batches that the buffer keeps ready, of which `prefetch` holds those there are; 0
 *   where there is no such directory
 * @checksums: (nullable): see reel_checksums_compute(); %NULL but in a clean directory
 * @checksums_before: (nullable): of a live directory that was closed before: see
 *   reel_kept_sums_to_json()
 * @info: (nullable): JSON object of what others keep
 *
 * The contents.
 */
typedef struct
{
  char *storage;
  char *sampler;
  char *writer;
  char *checkpointer;
  gint ndim;
  gint64 dim_extend;
  gint64 shape[REEL_MAX_NDIM];
  char *names[REEL_MAX_NDIM];
  gint64 begin;
  gint64 end;
  gint64 write_count;
  gboolean clean;
  char *boot_id;
  char *ring;
  gint64 stream;
  gint64 prefetch;
  json_t *checksums;
  json_t *checksums_before;
  json_t *info;
} ReelSidecar;

/**
 * reel_sidecar_new:
 *
 * Returns: (transfer full): an empty one
 */
ReelSidecar *reel_sidecar_new (void);

/**
 * reel_sidecar_free:
 * @self: (transfer full) (nullable): a sidecar
 */
void reel_sidecar_free (ReelSidecar *self);

/**
 * reel_sidecar_get_lanes:
 * @self: a sidecar
 *
 * Returns: rows a step
 */
gint64 reel_sidecar_get_lanes (const ReelSidecar *self);

/**
 * reel_sidecar_to_text:
 * @self: a sidecar
 *
 * Returns: (transfer full): the file's bytes, ended by a newline
 */
char *reel_sidecar_to_text (const ReelSidecar *self);

/**
 * reel_sidecar_read:
 * @path: the file
 * @error: DAMAGED with file, found and expected; NOT_IMPLEMENTED for a newer format; IO
 *
 * Returns: (transfer full): its contents
 */
ReelSidecar *reel_sidecar_read (const char *path, GError **error);

/**
 * reel_sidecar_list_missing:
 * @path: the file
 * @error: as reel_sidecar_read()
 *
 * Returns: (transfer full): the members that every sidecar has and this one lacks, although it can
 *   be read without them
 */
char **reel_sidecar_list_missing (const char *path, GError **error);

/**
 * reel_sidecar_check_format:
 * @root: the JSON object
 * @path: its file, for messages
 * @error: DAMAGED; NOT_IMPLEMENTED for a newer format
 *
 * Returns: whether it is of the format that this library reads
 */
gboolean reel_sidecar_check_format (const json_t *root, const char *path, GError **error);

/**
 * reel_boot_id:
 *
 * Returns: (transfer full) (nullable): what names this start of this machine (Linux: boot_id),
 *   %NULL where the system does not say
 */
char *reel_boot_id (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelSidecar, reel_sidecar_free)

G_END_DECLS
