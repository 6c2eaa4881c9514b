/* The counters of a ring and their order in memory: a seqlock with one writer and readers that
 * never lock. The same 64 bytes serve threads, other processes and recovery. */
#include "ring.h"

#include "../../core/object/error.h"
#include "../../core/system/file-ops.h"
#include "../../core/system/files.h"
#include "../../core/system/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#define MAGIC "REELRING"
#define VERSION 1

#define RAISE_INTERVAL G_TIME_SPAN_SECOND /* between syncs of the horizon, at least */
#define SHARE 10                          /* a sync takes at most one part in this of a run */
#define LEAST_SHARE 64                    /* the horizon is raised by one part in this at least */

/* The file, byte for byte. */
typedef struct
{
  char magic[8];
  guint32 version;
  guint32 zero;
  _Atomic guint64 begin;
  _Atomic guint64 end;
  guint64 capacity;
  _Atomic guint64 revision;
  _Atomic guint64 horizon; /* steps from here on were never begun; durable before they are */
  _Atomic guint64 lost;    /* 1 + the first step that may be lost, 0 for none */
} Counters;

G_STATIC_ASSERT (sizeof (Counters) == 64);
G_STATIC_ASSERT (G_STRUCT_OFFSET (Counters, begin) == 16);
G_STATIC_ASSERT (G_STRUCT_OFFSET (Counters, end) == 24);
G_STATIC_ASSERT (G_STRUCT_OFFSET (Counters, capacity) == 32);
G_STATIC_ASSERT (G_STRUCT_OFFSET (Counters, revision) == 40);
G_STATIC_ASSERT (G_STRUCT_OFFSET (Counters, horizon) == 48);
G_STATIC_ASSERT (G_STRUCT_OFFSET (Counters, lost) == 56);

struct _ReelRing
{
  Counters *counters; /* read-only memory for those who follow */
  gint64 capacity;
  ReelMapping mapping; /* of nothing for a ring in memory */
  char *path;
  int fd;
  gint64 stride;     /* steps that the horizon is ahead when it is raised */
  gint64 next_raise; /* on the monotonic clock in µs: sooner than that it needs a longer stride */
  GError *failure;   /* of the sync that made it durable */
};

static void
init_counters (Counters *counters, gint64 capacity)
{
  memcpy (counters->magic, MAGIC, sizeof counters->magic);
  counters->version = VERSION;
  counters->capacity = (guint64) capacity;
  counters->horizon = (guint64) capacity; /* nothing is overwritten before */
}

/* The order of the readers' copies and the writer's stores. ThreadSanitizer does not know
 * fences; the copies between them are atomic word by word in its build, so that it needs none. */
/* A full fence between a copy of rows and the counters that say whether they were whole. */
static void
fence_all (void)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wtsan"
  atomic_thread_fence (memory_order_seq_cst);
#pragma GCC diagnostic pop
}

ReelRing *
reel_ring_new (gint64 capacity, gboolean shared)
{
  ReelRing *ring = g_new0 (ReelRing, 1);

  if (shared && reel_mapping_new_shared (sizeof (Counters), &ring->mapping))
    ring->counters = (Counters *) ring->mapping.data;
  else
    ring->counters = g_aligned_alloc0 (1, sizeof (Counters), 64);
  init_counters (ring->counters, capacity);
  ring->capacity = capacity;
  ring->fd = -1;
  return ring;
}

static gboolean
take_lock (int fd, const char *path, GError **error)
{
  gboolean taken;

  if (!reel_file_lock (fd, path, &taken, error))
    return FALSE;
  if (!taken)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "%s: another process is writing here; wait for its end or stop it", path);
  return taken;
}

static void
close_quietly (int fd, const char *path)
{
  reel_file_close (fd, path, NULL); /* nothing was written through it but by mapping */
}

static ReelRing *
map_ring (const char *path, int fd, ReelMapMode mode, GError **error)
{
  ReelMapping mapping;
  ReelRing *ring;

  if (!reel_file_map (path, fd, mode, sizeof (Counters), &mapping, error))
    return NULL;
  ring = g_new0 (ReelRing, 1);
  ring->counters = (Counters *) mapping.data;
  ring->mapping = mapping;
  ring->path = g_strdup (path);
  ring->fd = fd;
  return ring;
}

ReelRing *
reel_ring_create (const char *path, gint64 capacity, GError **error)
{
  int fd = reel_file_create (path, sizeof (Counters), error);
  ReelRing *ring = NULL;

  if (fd < 0)
    return NULL;
  if (take_lock (fd, path, error))
    ring = map_ring (path, fd, REEL_MAP_WRITE, error);
  if (!ring)
    {
      close_quietly (fd, path);
      return NULL;
    }
  init_counters (ring->counters, capacity);
  ring->capacity = capacity;
  return ring;
}

/* The word of a damaged ring, or NULL. A writer may go on meanwhile, so begin and end are not
 * compared: a kill between two stores can leave begin above end, which means that nothing is valid.
 */
static const char *
find_damage (const Counters *counters)
{
  if (memcmp (counters->magic, MAGIC, sizeof counters->magic) != 0)
    return "does not begin with \"" MAGIC "\"";
  if (counters->version != VERSION || counters->zero != 0)
    return "has an unsupported version, 1 expected";
  if (counters->capacity == 0 || counters->capacity > G_MAXINT64 / 2)
    return "has no possible capacity";
  if (atomic_load (&counters->begin) > G_MAXINT64 / 2
      || atomic_load (&counters->end) > G_MAXINT64 / 2
      || atomic_load (&counters->horizon) > G_MAXINT64 / 2
      || atomic_load (&counters->lost) > G_MAXINT64 / 2)
    return "has counters that no run can reach";
  return NULL;
}

/* A writer that was killed may have left a block or a change half done. */
static void
settle_counters (Counters *counters)
{
  if (atomic_load (&counters->begin) > atomic_load (&counters->end))
    atomic_store (&counters->end, atomic_load (&counters->begin));
  if (atomic_load (&counters->revision) % 2 == 1)
    atomic_fetch_add (&counters->revision, 1);
}

ReelRing *
reel_ring_open (const char *path, ReelRingAccess access, GError **error)
{
  gboolean write = access == REEL_RING_WRITE;
  int fd = reel_file_open (path, write, error);
  const char *damage;
  ReelRing *ring = NULL;

  if (fd < 0)
    return NULL;
  if (!write || take_lock (fd, path, error))
    ring = map_ring (path, fd, write ? REEL_MAP_WRITE : REEL_MAP_READ, error);
  if (!ring)
    {
      close_quietly (fd, path);
      return NULL;
    }
  damage = find_damage (ring->counters);
  if (damage)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: a ring file expected, this one %s",
                   path, damage);
      reel_ring_free (ring);
      return NULL;
    }
  ring->capacity = (gint64) ring->counters->capacity;
  if (write)
    settle_counters (ring->counters);
  return ring;
}

void
reel_ring_release (ReelRing *ring)
{
  if (ring->fd < 0)
    return;
  reel_file_unlock (ring->fd); /* the mapping would keep it */
  close_quietly (ring->fd, ring->path);
  ring->fd = -1;
}

void
reel_ring_free (ReelRing *ring)
{
  if (!ring)
    return;
  reel_ring_release (ring);
  if (ring->mapping.data)
    reel_mapping_unmap (&ring->mapping);
  else
    g_aligned_free (ring->counters);
  g_clear_error (&ring->failure);
  g_free (ring->path);
  g_free (ring);
}

void
reel_ring_set_path (ReelRing *ring, const char *path)
{
  g_free (ring->path);
  ring->path = g_strdup (path);
}

gint
reel_ring_is_written (ReelRing *ring, GError **error)
{
  gboolean locked;

  if (!reel_file_is_locked (ring->fd, ring->path, &locked, error))
    return -1;
  return locked;
}

gboolean
reel_ring_is_in (const ReelRing *ring, const ReelHeldDirectory *directory)
{
  return reel_held_directory_contains (directory, REEL_RING_FILE, ring->fd);
}

char *
reel_ring_dup_file (const ReelRing *ring)
{
  struct stat status;

  if (ring->fd < 0 || TEMP_FAILURE_RETRY (reel_file_ops ()->fstat (ring->fd, &status)) != 0)
    return NULL;
  return g_strdup_printf ("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT, (guint64) status.st_dev,
                          (guint64) status.st_ino);
}

gint64
reel_ring_get_capacity (const ReelRing *ring)
{
  return ring->capacity;
}

void
reel_ring_get_view (const ReelRing *ring, gint64 *first, gint64 *end)
{
  const Counters *counters = ring->counters;
  guint64 seen = atomic_load_explicit (&counters->end, memory_order_acquire);
  guint64 begin = atomic_load_explicit (&counters->begin, memory_order_acquire);

  /* A writer may have lapped us between the two. If it is gone, begin above end means: nothing. */
  while (begin > seen)
    {
      guint64 again = atomic_load_explicit (&counters->end, memory_order_acquire);

      if (again == seen)
        begin = seen;
      else
        {
          seen = again;
          begin = atomic_load_explicit (&counters->begin, memory_order_acquire);
        }
    }
  *end = (gint64) seen;
  *first = MAX ((gint64) begin, (gint64) seen - ring->capacity);
}

gint64
reel_ring_first_intact (const ReelRing *ring)
{
  fence_all ();
  /* Pairs with the fence of reel_ring_claim(): a copy that saw a store
   * made after a claim sees its begin here. */
  return (gint64) atomic_load_explicit (&ring->counters->begin, memory_order_relaxed);
}

gint64
reel_ring_get_end (const ReelRing *ring)
{
  return (gint64) atomic_load_explicit (&ring->counters->end, memory_order_acquire);
}

/* A failed sync may have dropped the page: a later one that succeeds proves nothing. */
static gboolean
raise_horizon (ReelRing *ring, gint64 end, GError **error)
{
  const ReelFileHandle file = { ring->path, ring->fd };
  /* A far horizon costs rows after a power failure, a near one costs syncs. The stride doubles
   * where the ring arrives before next_raise, and halves where it does not. */
  gint64 now = g_get_monotonic_time (), stride = ring->stride;

  if (!ring->failure)
    {
      stride = now < ring->next_raise ? MIN (stride * 2, G_MAXINT64 / 8) : stride / 2;
      stride = MAX (stride, MAX (ring->capacity / LEAST_SHARE, 1));
      /* Durable before the caller claims: no step beyond the old horizon begins earlier. */
      atomic_store (&ring->counters->horizon, (guint64) (end + stride));
      if (reel_files_sync (&file, 1, NULL, 0, &ring->failure))
        {
          ring->stride = stride;
          ring->next_raise = now + MAX (RAISE_INTERVAL, (g_get_monotonic_time () - now) * SHARE);
          return TRUE;
        }
    }
  g_propagate_error (error, g_error_copy (ring->failure));
  return FALSE;
}

gboolean
reel_ring_announce (ReelRing *ring, gint64 end, GError **error)
{
  return ring->fd < 0 || (!ring->failure && end <= (gint64) atomic_load (&ring->counters->horizon))
         || raise_horizon (ring, end, error);
}

void
reel_ring_withdraw (ReelRing *ring)
{
  Counters *counters = ring->counters;

  atomic_store (&counters->horizon, atomic_load (&counters->begin) + (guint64) ring->capacity);
}

gint64
reel_ring_first_kept (const ReelRing *ring)
{
  return MAX ((gint64) atomic_load (&ring->counters->horizon) - ring->capacity, 0);
}

void
reel_ring_set_lost (ReelRing *ring, gint64 step)
{
  atomic_store (&ring->counters->lost, (guint64) step + 1);
}

gint64
reel_ring_get_lost (const ReelRing *ring)
{
  return (gint64) atomic_load (&ring->counters->lost) - 1;
}

void
reel_ring_claim (ReelRing *ring, gint64 end)
{
  Counters *counters = ring->counters;
  guint64 begin = atomic_load_explicit (&counters->begin, memory_order_relaxed);

  /* A kill from here to the publish leaves the claimed slots torn. Their old steps are below begin,
   * their new ones not below end: neither count. */
  if (end - ring->capacity > (gint64) begin)
    atomic_store_explicit (&counters->begin, (guint64) (end - ring->capacity),
                           memory_order_relaxed);
  /* A full fence: streaming stores that follow may not pass the store above. */
  fence_all ();
}

void
reel_ring_publish (ReelRing *ring, gint64 end)
{
  /* A reader that acquires this end sees all rows before it. A kill
   * before this store loses the block alone. */
  atomic_store_explicit (&ring->counters->end, (guint64) end, memory_order_release);
}

guint64
reel_ring_get_revision (const ReelRing *ring)
{
  fence_all ();
  /* Before a copy the acquire keeps the copy behind this load; after it
   * the fence keeps the load behind the copy. */
  return atomic_load_explicit (&ring->counters->revision, memory_order_acquire);
}

void
reel_ring_begin_change (ReelRing *ring)
{
  g_return_if_fail (ring->counters->revision % 2 == 0);
  /* Odd from here on: readers wait. A kill leaves it odd until the next writer opens the ring. */
  atomic_fetch_add_explicit (&ring->counters->revision, 1, memory_order_relaxed);
  fence_all ();
}

void
reel_ring_end_change (ReelRing *ring)
{
  g_return_if_fail (ring->counters->revision % 2 == 1);
  reel_ring_fence_writes ();
  atomic_fetch_add_explicit (&ring->counters->revision, 1, memory_order_release);
}

void
reel_ring_skip (ReelRing *ring, gint64 end)
{
  /* Begin becomes @end before end does: in between the ring reads as empty. */
  reel_ring_claim (ring, end + ring->capacity);
  reel_ring_publish (ring, end);
}

void
reel_ring_fence_writes (void)
{
#ifdef __x86_64__
  _mm_sfence ();
#else
  fence_all ();
#endif
}

void
reel_ring_set (ReelRing *ring, gint64 begin, gint64 end)
{
  atomic_store (&ring->counters->begin, (guint64) begin);
  atomic_store (&ring->counters->end, (guint64) end);
  atomic_store (&ring->counters->lost, 0);
}

void
reel_ring_empty (ReelRing *ring)
{
  gint64 end = reel_ring_get_end (ring);
  gint64 laps = (end + ring->capacity - 1) / ring->capacity;

  /* Numbers go on at the next multiple of the capacity, which is slot 0:
   * TorchRL counts valid rows from there. */
  reel_ring_set (ring, laps * ring->capacity, laps * ring->capacity);
}
