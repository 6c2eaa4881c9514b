#include "buffer-files.h"

#include "../../core/crc32c.h"
#include "../../core/workers.h"

#define LEAST_BLOCK ((gsize) 1 << 20) /* bytes */
#define MOST_BLOCKS 65536             /* of all leaves */

typedef struct
{
  const guint8 *data;
  gsize length;
  guint32 crc;
} Block;

typedef struct
{
  GArray *blocks;
  ReelWorkersClaim claim;
} Job;

static void
sum_blocks (gpointer data, gint worker, gint n_workers)
{
  Job *job = data;
  gint64 begin, end;

  while (reel_workers_claim (&job->claim, &begin, &end))
    for (gint64 i = begin; i < end; i++)
      {
        Block *block = &g_array_index (job->blocks, Block, i);

        block->crc = reel_crc32c (0, block->data, block->length);
      }
}

static void
run (GArray *blocks)
{
  Job job = { .blocks = blocks };
  g_autoptr (ReelWorkers) workers = blocks->len > 8 ? reel_workers_new (0, NULL) : NULL;

  reel_workers_claim_init (&job.claim, blocks->len, 1);
  if (workers)
    reel_workers_run (workers, sum_blocks, &job);
  else
    sum_blocks (&job, 0, 1);
}

static gsize
choose_block (const ReelColumn *columns, guint n, gint64 n_slots)
{
  gsize block = LEAST_BLOCK, total = 0;

  for (guint i = 0; i < n; i++)
    total += columns[i].step_bytes * (gsize) n_slots;
  while (total / block > MOST_BLOCKS)
    block *= 2;
  return block;
}

static void
add_blocks (GArray *blocks, const ReelColumn *column, gsize length, gsize size)
{
  for (gsize at = 0; at < length; at += size)
    {
      const Block block = { column->data + at, MIN (size, length - at), 0 };

      g_array_append_val (blocks, block);
    }
}

/* Whether bytes [@begin, @end) of a column have some of torn slots, which may go on at slot 0. */
static gboolean
is_torn (const ReelTornSlots *torn, gint64 n_slots, gsize step_bytes, gsize begin, gsize end)
{
  gsize first = (gsize) torn->first * step_bytes, last = first + (gsize) torn->n * step_bytes;
  gsize whole = (gsize) n_slots * step_bytes;

  return (begin < last && end > first) || (last > whole && begin < last - whole);
}

json_t *
reel_checksums_compute (ReelStorage *storage, gint64 n_slots, const ReelTornSlots *torn)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);
  gsize size = choose_block (columns, n, n_slots), next = 0;
  g_autoptr (GArray) blocks = g_array_new (FALSE, FALSE, sizeof (Block));
  json_t *leaves = json_object ();

  for (guint i = 0; i < n; i++)
    add_blocks (blocks, &columns[i], columns[i].step_bytes * (gsize) n_slots, size);
  run (blocks);
  for (guint i = 0; i < n; i++)
    {
      json_t *sums = json_array ();
      gsize step_bytes = columns[i].step_bytes, length = step_bytes * (gsize) n_slots;

      for (gsize at = 0; at < length; at += size, next++)
        json_array_append_new (sums, is_torn (torn, n_slots, step_bytes, at, at + size)
                                         ? json_null ()
                                         : json_integer (g_array_index (blocks, Block, next).crc));
      json_object_set_new (leaves, columns[i].path, sums);
    }
  return json_pack ("{s:s, s:I, s:I, s:o}", "algorithm", "crc32c", "block", (json_int_t) size,
                    "steps", (json_int_t) n_slots, "leaves", leaves);
}
