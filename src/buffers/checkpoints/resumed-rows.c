#include "resumed-rows.h"

#include "../../core/formats/crc32c.h"
#include "../../core/object/error.h"
#include "../../core/system/gate.h"
#include "../../core/system/thread.h"

#define AT_ONCE ((gsize) 16 << 20) /* bytes that are compared before anything is written */

/* A block of a leaf. It is compared before the steps from @due on, counted from where the writer
 * goes on, are written. */
typedef struct
{
  const guint8 *data;
  gsize length;
  guint32 crc;
  guint leaf;
  gsize number;
  gint64 due;
} Block;

struct _ReelResumedRows
{
  char *path;
  json_t *json;
  ReelKeptSums sums;
  GPtrArray *leaves; /* their paths */
  GArray *blocks;    /* in the order in which they are due */
  gint64 end;        /* the step at which the writer goes on */
  guint n_due;       /* blocks that are due before what was permitted */

  gboolean threaded;
  pthread_t thread;
  atomic_bool stops;
  ReelGate compared; /* how many blocks are */
  atomic_int bad;    /* the first that differs, −1 for none */
};

/* ---- comparing ---- */

static const Block *
get_block (const ReelResumedRows *self, guint i)
{
  return &g_array_index (self->blocks, Block, i);
}

static gboolean
is_damaged (ReelResumedRows *self)
{
  return atomic_load_explicit (&self->bad, memory_order_acquire) >= 0;
}

/* Allocates nothing: the process may fork meanwhile. */
static void
compare_next (ReelResumedRows *self)
{
  guint i = reel_gate_value (&self->compared);
  const Block *block = get_block (self, i);

  if (!is_damaged (self) && reel_crc32c (0, block->data, block->length) != block->crc)
    atomic_store_explicit (&self->bad, (int) i, memory_order_release);
  reel_gate_advance (&self->compared);
}

static void *
compare_rest (void *data)
{
  ReelResumedRows *self = data;

  while (reel_gate_value (&self->compared) < self->blocks->len
         && !atomic_load_explicit (&self->stops, memory_order_relaxed))
    compare_next (self);
  return NULL;
}

static void
set_damaged (ReelResumedRows *self, GError **error)
{
  const Block *block = get_block (self, (guint) atomic_load (&self->bad));
  gsize at = block->number * (gsize) self->sums.block;

  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "cannot resume %s, which is damaged: %s: has changed since it was written: the "
               "checksum of its bytes from %" G_GSIZE_FORMAT " to %" G_GSIZE_FORMAT
               " differs; replay fsck lists all faults",
               self->path, (const char *) self->leaves->pdata[block->leaf], at, at + block->length);
}

/* Waits for the first @n blocks. */
static gboolean
await_blocks (ReelResumedRows *self, guint n, GError **error)
{
  guint seen;

  while ((seen = reel_gate_value (&self->compared)) < n && !is_damaged (self))
    if (self->threaded)
      reel_gate_wait (&self->compared, seen, -1);
    else
      compare_next (self);
  if (!is_damaged (self))
    return TRUE;
  set_damaged (self, error);
  return FALSE;
}

/* ---- what is to be compared ---- */

/* After how many steps the writer comes to a block: at once where it goes on within. */
static gint64
find_due (const Block *block, gsize step_bytes, gsize at, gint64 slot, gint64 capacity)
{
  gint64 first = (gint64) (at / step_bytes);
  gint64 last = (gint64) ((at + block->length + step_bytes - 1) / step_bytes);

  return first <= slot && slot < last ? 0 : (first - slot + capacity) % capacity;
}

static void
add_leaf (ReelResumedRows *self, const ReelSumSpan *span)
{
  gsize size = (gsize) self->sums.block, step_bytes = span->column->step_bytes;
  gsize whole = step_bytes * (gsize) self->sums.steps;

  for (gsize i = 0; i * size < whole; i++)
    {
      Block block = { span->column->data + i * size, .number = i, .leaf = self->leaves->len };

      block.length = reel_sum_span_find (span, i, &block.crc);
      block.due =
          find_due (&block, step_bytes, i * size, self->end % span->capacity, span->capacity);
      if (block.length > 0)
        g_array_append_val (self->blocks, block);
    }
  g_ptr_array_add (self->leaves, g_strdup (span->column->path));
}

/* In memory, neighbours are compared one after the other. */
static gint
compare_due (gconstpointer a, gconstpointer b)
{
  const Block *x = a, *y = b;

  if (x->due != y->due)
    return x->due < y->due ? -1 : 1;
  return (x->leaf > y->leaf) - (x->leaf < y->leaf);
}

static void
list_blocks (ReelResumedRows *self, ReelStorage *storage, gint64 capacity, gint64 begin)
{
  ReelSumSpan span = { &self->sums, NULL, capacity, begin };
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);

  for (guint i = 0; i < n; i++)
    {
      span.column = &columns[i];
      add_leaf (self, &span);
    }
  g_array_sort (self->blocks, compare_due);
}

/* Every leaf has as many sums as it has blocks, and nothing else has any. */
static gboolean
check_leaves (const ReelKeptSums *sums, const char *path, ReelStorage *storage, GError **error)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);

  if (json_object_size (sums->leaves) > n)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                   "cannot resume %s, which is damaged: " REEL_SIDECAR_FILE
                   " has checksums of a leaf that is missing; replay fsck lists all faults",
                   path);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      gsize whole = columns[i].step_bytes * (gsize) sums->steps, block = (gsize) sums->block;
      gsize expected = (whole + block - 1) / block;
      gsize found = json_array_size (json_object_get (sums->leaves, columns[i].path));

      if (found == expected)
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                   "cannot resume %s, which is damaged: %s: has %" G_GSIZE_FORMAT
                   " checksums in " REEL_SIDECAR_FILE ", %" G_GSIZE_FORMAT
                   " expected; replay fsck lists all faults",
                   path, columns[i].path, found, expected);
      return FALSE;
    }
  return TRUE;
}

static guint
count_first (const ReelResumedRows *self)
{
  gsize bytes = 0;
  guint n = 0;

  while (n < self->blocks->len && bytes < AT_ONCE)
    bytes += get_block (self, n++)->length;
  return n;
}

ReelResumedRows *
reel_resumed_rows_new (const char *path, const ReelSidecar *sidecar, ReelStorage *storage,
                       const ReelCheckpointPlace *place, GError **error)
{
  g_autoptr (ReelResumedRows) self = NULL;
  ReelKeptSums sums;

  if (!reel_kept_sums_find (&sums, sidecar) || !check_leaves (&sums, path, storage, error))
    return NULL;
  self = g_new0 (ReelResumedRows, 1);
  self->path = g_strdup (path);
  self->sums = sums;
  self->end = place->end;
  self->json = json_incref (sums.leaves);
  self->leaves = g_ptr_array_new_with_free_func (g_free);
  self->blocks = g_array_new (FALSE, FALSE, sizeof (Block));
  atomic_init (&self->bad, -1);
  list_blocks (self, storage, sidecar->shape[0], place->begin);
  return await_blocks (self, count_first (self), error) ? g_steal_pointer (&self) : NULL;
}

void
reel_resumed_rows_free (ReelResumedRows *self)
{
  if (!self)
    return;
  atomic_store_explicit (&self->stops, TRUE, memory_order_relaxed);
  if (self->threaded)
    pthread_join (self->thread, NULL);
  g_array_unref (self->blocks);
  g_ptr_array_unref (self->leaves);
  json_decref (self->json);
  g_free (self->path);
  g_free (self);
}

/* ---- while the writer goes on ---- */

void
reel_resumed_rows_begin (ReelResumedRows *self)
{
  if (reel_gate_value (&self->compared) < self->blocks->len)
    self->threaded = reel_thread_start (&self->thread, "reel-sums", compare_rest, self) == 0;
}

gboolean
reel_resumed_rows_permit (ReelResumedRows *self, gint64 end, GError **error)
{
  while (self->n_due < self->blocks->len && get_block (self, self->n_due)->due < end - self->end)
    self->n_due++;
  return await_blocks (self, self->n_due, error);
}

gboolean
reel_resumed_rows_finish (ReelResumedRows *self, GError **error)
{
  return await_blocks (self, self->blocks->len, error);
}

const ReelKeptSums *
reel_resumed_rows_get_sums (const ReelResumedRows *self)
{
  return &self->sums;
}
