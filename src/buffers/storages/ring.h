/* Which steps of a storage are valid: five counters in 64 bytes, in memory or in a mapped file
 * that any process can follow. Private to the library; format in docs/file-format.md. */
#pragma once

#include "../../core/system/held-directory.h"

G_BEGIN_DECLS

/**
 * REEL_RING_FILE:
 *
 * Name of the file in a live directory.
 */
#define REEL_RING_FILE "reel.ring"

/**
 * ReelRing:
 *
 * Steps are numbered from the first ever written; the step numbered s lies in slot s modulo the
 * capacity. Valid are the steps [max (begin, end − capacity), end). A writer raises begin past the
 * steps that it will overwrite, fences, writes, fences on every thread that wrote, and stores end
 * with release order. A reader takes a view, copies, and looks at begin again: what lies below it
 * may be torn. Counters only grow.
 */
typedef struct _ReelRing ReelRing;

/**
 * ReelRingAccess:
 * @REEL_RING_FOLLOW: read the counters of a ring that another may write
 * @REEL_RING_WRITE: be its writer: takes the write lock, which lasts as long as the ring
 */
typedef enum
{
  REEL_RING_FOLLOW,
  REEL_RING_WRITE,
} ReelRingAccess;

/**
 * reel_ring_new:
 * @capacity: steps, at least 1
 * @shared: whether a forked process shares the steps, and so must share the counters
 *
 * Returns: (transfer full): an empty ring in memory
 */
ReelRing *reel_ring_new (gint64 capacity, gboolean shared);

/**
 * reel_ring_create:
 * @path: a file that is not there yet
 * @capacity: steps, at least 1
 * @error: IO, NO_SPACE
 *
 * Returns: (transfer full): an empty ring in a new file, locked for writing
 */
ReelRing *reel_ring_create (const char *path, gint64 capacity, GError **error);

/**
 * reel_ring_open:
 * @path: a ring file
 * @access: what for
 * @error: DAMAGED with file, found and expected when it is no ring; RUNTIME when another process
 *   writes it and @access is to write; IO
 *
 * Returns: (transfer full): the ring
 */
ReelRing *reel_ring_open (const char *path, ReelRingAccess access, GError **error);

/**
 * reel_ring_free:
 * @ring: (transfer full) (nullable): a ring
 *
 * Unmaps it and lets its lock go. The file stays.
 */
void reel_ring_free (ReelRing *ring);

/**
 * reel_ring_release:
 * @ring: a ring that this process writes, and will write no more
 *
 * Lets the lock go; the counters can still be read. Nothing to do for a ring in memory.
 */
void reel_ring_release (ReelRing *ring);

/**
 * reel_ring_is_written:
 * @ring: a ring opened to follow
 * @error: IO
 *
 * Returns: 1 when another open file holds the write lock, 0 when the writer is gone, −1 on failure
 */
gint reel_ring_is_written (ReelRing *ring, GError **error);

/**
 * reel_ring_is_in:
 * @ring: a ring of a file
 * @directory: a directory
 *
 * Returns: whether it is the ring of @directory, by whatever path it was opened
 */
gboolean reel_ring_is_in (const ReelRing *ring, const ReelHeldDirectory *directory);

/**
 * reel_ring_dup_file:
 * @ring: a ring
 *
 * Returns: (transfer full) (nullable): the device and inode of its file, which a copy does not
 *   share; %NULL in memory, and where the system does not tell
 */
char *reel_ring_dup_file (const ReelRing *ring);

/**
 * reel_ring_get_capacity:
 * @ring: a ring
 *
 * Returns: its slots, steps
 */
gint64 reel_ring_get_capacity (const ReelRing *ring);

/**
 * reel_ring_get_view:
 * @ring: a ring
 * @first: (out): number of the oldest step that can be read
 * @end: (out): one past the newest
 *
 * The rows valid at one moment. Acquires: all earlier stores of the writer are visible. Any thread.
 */
void reel_ring_get_view (const ReelRing *ring, gint64 *first, gint64 *end);

/**
 * reel_ring_first_intact:
 * @ring: a ring
 *
 * After a copy: steps with a smaller number may be torn. Any thread.
 *
 * Returns: begin, after a fence that orders it behind the copy
 */
gint64 reel_ring_first_intact (const ReelRing *ring);

/**
 * reel_ring_get_end:
 * @ring: a ring
 *
 * Returns: the number of the step that is written next. Any thread; exact in the writer's
 */
gint64 reel_ring_get_end (const ReelRing *ring);

/**
 * reel_ring_set_path:
 * @ring: a ring of a file
 * @path: where the file is now, for messages
 */
void reel_ring_set_path (ReelRing *ring, const char *path);

/**
 * reel_ring_announce:
 * @ring: a ring
 * @end: the steps before this number are to be written next
 * @error: IO, NO_SPACE; every later call fails with the first failure
 *
 * Before rows are overwritten in a file, the file says durably that they may be. It says so far
 * ahead, so that a sync is due about once a second at any speed. The writer.
 *
 * Returns: whether the steps may be claimed
 */
gboolean reel_ring_announce (ReelRing *ring, gint64 end, GError **error);

/**
 * reel_ring_withdraw:
 * @ring: a ring of a file, all of whose steps are durable
 *
 * Announces no more steps than were begun: the file of a closed run depends on its rows alone,
 * and not on the time that they took. The writer.
 */
void reel_ring_withdraw (ReelRing *ring);

/**
 * reel_ring_first_kept:
 * @ring: a ring of a file
 *
 * Returns: the oldest step that no writer can have overwritten before the power failed
 */
gint64 reel_ring_first_kept (const ReelRing *ring);

/**
 * reel_ring_set_lost:
 * @ring: a ring of a file
 * @step: the first step that a failed sync may have dropped
 *
 * Tells whoever opens the file once its writer is gone. The writer.
 */
void reel_ring_set_lost (ReelRing *ring, gint64 step);

/**
 * reel_ring_get_lost:
 * @ring: a ring
 *
 * Returns: what reel_ring_set_lost() set, −1 where no sync failed
 */
gint64 reel_ring_get_lost (const ReelRing *ring);

/**
 * reel_ring_claim:
 * @ring: a ring
 * @end: the writer is about to write the steps before this number
 *
 * Raises begin past the steps that this overwrites, and fences. The writer.
 */
void reel_ring_claim (ReelRing *ring, gint64 end);

/**
 * reel_ring_publish:
 * @ring: a ring
 * @end: one past the newest step from now on, not below what it was
 *
 * The writer, once every thread that wrote has handed over; whoever streamed calls
 * reel_ring_fence_writes() before.
 */
void reel_ring_publish (ReelRing *ring, gint64 end);

/**
 * reel_ring_get_revision:
 * @ring: a ring
 *
 * Fences: before and after a copy it orders what was copied. Any thread.
 *
 * Returns: twice the number of times that steps were changed in their place, odd while they are
 */
guint64 reel_ring_get_revision (const ReelRing *ring);

/**
 * reel_ring_begin_change:
 * @ring: a ring
 *
 * Valid steps are changed from now on until reel_ring_end_change(). The writer.
 */
void reel_ring_begin_change (ReelRing *ring);

/**
 * reel_ring_end_change:
 * @ring: a ring whose steps are being changed
 *
 * The writer, once every thread that wrote has handed over.
 */
void reel_ring_end_change (ReelRing *ring);

/**
 * reel_ring_skip:
 * @ring: a ring
 * @end: the number of the step to go on with, at least a capacity beyond the oldest valid one
 *
 * Leaves step numbers out, which makes every step before @end invalid. The writer.
 */
void reel_ring_skip (ReelRing *ring, gint64 end);

/**
 * reel_ring_fence_writes:
 *
 * Orders the streaming stores of this thread before whatever it does next.
 */
void reel_ring_fence_writes (void);

/**
 * reel_ring_set:
 * @ring: a ring that nobody reads
 * @begin: the oldest step, not negative
 * @end: one past the newest, @begin to @begin + capacity
 *
 * Restores counters that were kept elsewhere; no step is lost then. The writer.
 */
void reel_ring_set (ReelRing *ring, gint64 begin, gint64 end);

/**
 * reel_ring_empty:
 * @ring: a ring
 *
 * Makes every step invalid and goes on at slot 0. The writer.
 */
void reel_ring_empty (ReelRing *ring);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelRing, reel_ring_free)

G_END_DECLS
