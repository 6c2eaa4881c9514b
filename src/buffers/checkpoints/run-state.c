#include "run-state.h"

#include "../../core/formats/crc32c.h"
#include "../../core/object/error.h"
#include "../../core/system/files.h"
#include "../../core/system/mapping.h"

#include <stdatomic.h>
#include <string.h>

#define MAGIC "REELSTAT"
#define FORMAT_VERSION 1

#define N_TURNS 2             /* copies that commits write in turn */
#define N_SLOTS (2 * N_TURNS) /* and as many that the JSON files have */
#define ALIGNMENT 64

/* A copy: 1 + the step that follows it, 0 while it is written. */
typedef struct
{
  _Atomic guint64 step;
  guint32 checksum; /* CRC-32C */
  guint32 zero;
} Slot;

/* The file begins with it, byte for byte; the copies follow, each at a multiple of 64. */
typedef struct
{
  char magic[8];
  guint32 version;
  guint32 zero;
  guint64 bytes;
  guint64 reserved;
  Slot slots[N_SLOTS];
  guint8 rest[32];
} Header;

G_STATIC_ASSERT (sizeof (Header) == 128);
G_STATIC_ASSERT (G_STRUCT_OFFSET (Header, slots) == 32);

struct _ReelRunState
{
  Header *header;
  gsize bytes;
  ReelMapping mapping; /* of nothing where it is in memory */
  guint turn;          /* the copy that is being written */
};

/* ---- the copies ---- */

static gsize
measure (gsize bytes)
{
  return sizeof (Header) + N_SLOTS * ((bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

static guint8 *
get_copy (const ReelRunState *self, guint slot)
{
  return (guint8 *) self->header + sizeof (Header)
         + slot * ((self->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

/* find_copy: the one of @n from @first that is of @step, −1 for none. */
static gint
find_copy (const ReelRunState *self, guint first, guint n, gint64 step)
{
  for (guint slot = first; slot < first + n; slot++)
    if (atomic_load (&self->header->slots[slot].step) == (guint64) step + 1
        && reel_crc32c (0, get_copy (self, slot), self->bytes)
               == self->header->slots[slot].checksum)
      return (gint) slot;
  return -1;
}

/* older: the copy of two that may be written over. */
static guint
older (const ReelRunState *self, guint first)
{
  const Slot *slots = self->header->slots + first;

  return first + (atomic_load (&slots[0].step) > atomic_load (&slots[1].step));
}

guint8 *
reel_run_state_begin (ReelRunState *self)
{
  self->turn = older (self, 0);
  atomic_store (&self->header->slots[self->turn].step, 0);
  return get_copy (self, self->turn);
}

void
reel_run_state_end (ReelRunState *self, gint64 step)
{
  Slot *slot = &self->header->slots[self->turn];

  slot->checksum = reel_crc32c (0, get_copy (self, self->turn), self->bytes);
  atomic_store (&slot->step, (guint64) step + 1);
}

void
reel_run_state_keep (ReelRunState *self, gint64 step)
{
  gint from = self ? find_copy (self, 0, N_TURNS, step) : -1;
  guint to;

  if (from < 0 || find_copy (self, N_TURNS, N_TURNS, step) >= 0)
    return;
  to = older (self, N_TURNS);
  atomic_store (&self->header->slots[to].step, 0);
  memcpy (get_copy (self, to), get_copy (self, (guint) from), self->bytes);
  self->header->slots[to].checksum = self->header->slots[from].checksum;
  atomic_store (&self->header->slots[to].step, (guint64) step + 1);
}

/* forget_after: copies of steps that a power loss took are of another future. */
static void
forget_after (ReelRunState *self, gint64 step)
{
  for (guint i = 0; i < N_SLOTS; i++)
    if (atomic_load (&self->header->slots[i].step) > (guint64) step + 1)
      atomic_store (&self->header->slots[i].step, 0);
}

const guint8 *
reel_run_state_find (ReelRunState *self, gint64 step, GError **error)
{
  gint slot = find_copy (self, 0, N_SLOTS, step);
  gint64 newest = 0;

  if (slot >= 0)
    {
      forget_after (self, step);
      return get_copy (self, (guint) slot);
    }
  for (guint i = 0; i < N_SLOTS; i++)
    newest = MAX (newest, (gint64) atomic_load (&self->header->slots[i].step));
  if (newest == step + 1)
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                 "the saved state of its lanes is damaged; start a new run");
  else if (newest == 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "the state of its lanes was not saved; start a new run");
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "its rows end with step %" G_GINT64_FORMAT
                 ", and the state of its lanes was saved after step %" G_GINT64_FORMAT
                 ": another writer added rows, or a power loss took some; start a new run",
                 step, newest - 1);
  return NULL;
}

/* ---- where they are ---- */

static void
init_header (Header *header, gsize bytes)
{
  memcpy (header->magic, MAGIC, sizeof header->magic);
  header->version = FORMAT_VERSION;
  header->bytes = bytes;
}

ReelRunState *
reel_run_state_new (gsize bytes, GError **error)
{
  g_autofree gpointer memory = g_try_malloc0 (measure (bytes));
  ReelRunState *self;

  if (!memory)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                           "there is no memory for copies of the state of all lanes");
      return NULL;
    }
  self = g_new0 (ReelRunState, 1);
  self->bytes = bytes;
  self->header = g_steal_pointer (&memory);
  init_header (self->header, bytes);
  return self;
}

static gboolean
check_file (const Header *header, const char *path, gsize bytes, GError **error)
{
  if (memcmp (header->magic, MAGIC, sizeof header->magic) != 0 || header->version != FORMAT_VERSION
      || header->zero != 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                 "%s: a state of lanes is expected, version 1; this is another file", path);
  else if (header->bytes != bytes)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "%s has a state of %" G_GUINT64_FORMAT
                 " bytes, and the lanes of this env have one of %" G_GSIZE_FORMAT
                 ": it is of another run",
                 path, header->bytes, bytes);
  else
    return TRUE;
  return FALSE;
}

ReelRunState *
reel_run_state_open (const char *path, gsize bytes, GError **error)
{
  int fd = reel_file_open (path, TRUE, error);
  ReelMapping mapping;
  ReelRunState *self;
  gboolean mapped;

  if (fd < 0)
    return NULL;
  mapped = reel_file_map (path, fd, REEL_MAP_WRITE, sizeof (Header), &mapping, error);
  if (mapped && check_file ((const Header *) mapping.data, path, bytes, error))
    {
      reel_mapping_unmap (&mapping);
      mapped = reel_file_map (path, fd, REEL_MAP_WRITE, (gint64) measure (bytes), &mapping, error);
    }
  else if (mapped)
    {
      reel_mapping_unmap (&mapping);
      mapped = FALSE;
    }
  reel_file_close (fd, path, NULL); /* nothing was written through it but by mapping */
  if (!mapped)
    return NULL;
  self = g_new0 (ReelRunState, 1);
  self->header = (Header *) (gpointer) mapping.data;
  self->bytes = bytes;
  self->mapping = mapping;
  return self;
}

/* The file is written whole, so that its blocks are taken. */
ReelRunState *
reel_run_state_create (const char *path, gsize bytes, GError **error)
{
  g_autofree gpointer content = g_try_malloc0 (measure (bytes));

  if (!content)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE, "there is no memory for %s", path);
      return NULL;
    }
  init_header (content, bytes);
  return reel_file_write_atomic (path, content, measure (bytes), TRUE, error)
             ? reel_run_state_open (path, bytes, error)
             : NULL;
}

void
reel_run_state_free (ReelRunState *self)
{
  if (!self)
    return;
  if (self->mapping.data)
    reel_mapping_unmap (&self->mapping);
  else
    g_free (self->header);
  g_free (self);
}

gsize
reel_run_state_get_size (const ReelRunState *self)
{
  return self->bytes;
}
