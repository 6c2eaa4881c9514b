/* Threads that unpack the chunks of datasets, each a block of rows after the other. */
#include "hdf5-direct.h"

#include "../system/cpus.h"
#include "../system/parallel.h"
#include "../system/workers.h"
#include "../tensor/mapped-memory.h"
#include "hdf5-chunk.h"
#include "hdf5-layout.h"

#include <stdatomic.h>
#include <string.h>

#define MOST_BLOCK_BYTES                                                                           \
  ((gint64) 16 << 20)                         /* of a row of chunks; larger ones are left to HDF5  \
                                               */
#define MOST_THREAD_BYTES ((gint64) 96 << 20) /* of blocks, in all threads */
#define MOST_SETS 4096                        /* whose layouts are known at once */
#define HELD_BYTES ((gsize) 4 << 20) /* of the file, that a thread reads between two looks */

/* Rows that one thread reads at once. */
typedef struct
{
  guint set;
  gint64 first;
  gint64 n;
} Block;

typedef struct
{
  ReelMemory *memory;
  const guint8 *bytes; /* of it */
  const ReelArrayInfo *const *sets;
  guint number; /* that the caller gave the first */
  const ReelHdf5Layouts *layouts;
  ReelHdf5RowsFunc take;
  gpointer data;
  GArray *blocks;
  gint64 block_bytes; /* of the largest of them, or of their chunks */
  ReelWorkersClaim claim;
  atomic_bool *is_left; /* of each set */
} Reading;

/* The memory of a thread. */
typedef struct
{
  const Reading *reading;
  ReelHdf5Unpacker *unpacker;
  GByteArray *rows, *chunk;
  gsize n_looked;
} Reader;

/* ---- blocks ---- */

static gboolean
is_as_wide (const ReelArrayInfo *set, const ReelHdf5Layout *layout)
{
  for (gint d = 1; d < set->ndim; d++)
    if (layout->shape[d] != set->shape[d])
      return FALSE;
  return TRUE;
}

static gboolean
is_whole (const ReelArrayInfo *set, const ReelHdf5Layout *layout)
{
  return layout->n_filters == 0 && layout->shape[0] == set->shape[0] && is_as_wide (set, layout);
}

static gint64
choose_rows (const ReelArrayInfo *set, const ReelHdf5Layout *layout)
{
  const gint64 rows = MAX (1, REEL_HDF5_BLOCK / (gint64) reel_hdf5_count_row_bytes (set));

  if (is_whole (set, layout))
    return rows;
  return layout->shape[0] < rows ? rows - rows % layout->shape[0] : layout->shape[0];
}

static gboolean
is_empty (const ReelArrayInfo *set)
{
  return set->shape[0] == 0 || reel_hdf5_count_row_bytes (set) == 0;
}

/* Of a block or a chunk, which a thread has in memory. */
static gint64
count_block_bytes (const ReelArrayInfo *set, const ReelHdf5Layout *layout)
{
  gint64 bytes = (gint64) reel_hdf5_count_row_bytes (set);

  if (__builtin_mul_overflow (bytes, choose_rows (set, layout), &bytes))
    return G_MAXINT64;
  return is_whole (set, layout) ? bytes : MAX (bytes, reel_hdf5_layout_bytes (set, layout));
}

static void
add_blocks (Reading *reading, guint i)
{
  const ReelArrayInfo *set = reading->sets[i];
  const ReelHdf5Layout *layout = &reading->layouts->layouts[i];

  if (is_empty (set))
    return;
  atomic_init (&reading->is_left[i],
               layout->n_chunks == 0 || count_block_bytes (set, layout) > MOST_BLOCK_BYTES);
  if (atomic_load (&reading->is_left[i]))
    return;
  reading->block_bytes = MAX (reading->block_bytes, count_block_bytes (set, layout));
  for (gint64 first = 0, n = choose_rows (set, layout); first < set->shape[0]; first += n)
    {
      const Block block = { i, first, MIN (n, set->shape[0] - first) };

      g_array_append_val (reading->blocks, block);
    }
}

/* ---- rows of chunks ---- */

static guint8 *
make_room (GByteArray *bytes, gsize size)
{
  if (bytes->len < size)
    g_byte_array_set_size (bytes, (guint) size);
  return bytes->data;
}

/* Copies what of a chunk is in the dataset; @from has the extents of the chunk, @to those of the
 * dataset. */
static void
spread (const ReelArrayInfo *set, const ReelHdf5Layout *layout, const gint64 *at, gint d,
        const guint8 *from, guint8 *to)
{
  gint64 from_step = (gint64) reel_dtype_size ((ReelDtype) set->dtype), to_step = from_step;
  const gint64 n = MIN (layout->shape[d], set->shape[d] - at[d]);

  for (gint e = d + 1; e < set->ndim; e++)
    {
      from_step *= layout->shape[e];
      to_step *= set->shape[e];
    }
  to += at[d] * to_step;
  if (d + 1 == set->ndim)
    memcpy (to, from, (gsize) (n * from_step));
  else
    for (gint64 i = 0; i < n; i++)
      spread (set, layout, at, d + 1, from + i * from_step, to + i * to_step);
}

/* The place of a chunk in a row of chunks. */
static void
find_place (const ReelArrayInfo *set, const ReelHdf5Layout *layout, gint64 across, gint64 *at)
{
  at[0] = 0;
  for (gint d = set->ndim; d-- > 1;)
    {
      const gint64 n = (set->shape[d] - 1) / layout->shape[d] + 1;

      at[d] = across % n * layout->shape[d];
      across /= n;
    }
}

/* A chunk that is as wide as the dataset is unpacked where it goes. */
static gboolean
read_chunks (Reader *self, guint i, gint64 row_of_chunks, gint64 n_rows, guint8 *to)
{
  ReelArrayInfo set = *self->reading->sets[i];
  const ReelHdf5Layout *layout = &self->reading->layouts->layouts[i];
  const gint64 n = reel_hdf5_count_chunks (&set, layout, 1);
  const ReelHdf5Chunk *chunks =
      &g_array_index (self->reading->layouts->chunks, ReelHdf5Chunk,
                      self->reading->layouts->first[i] + row_of_chunks * n);
  const gsize size = (gsize) reel_hdf5_layout_bytes (&set, layout);
  const gboolean as_wide = is_as_wide (&set, layout);
  gint64 at[REEL_MAX_NDIM];

  set.shape[0] = n_rows;
  for (gint64 k = 0; k < n; k++)
    {
      guint8 *room = as_wide ? to : make_room (self->chunk, size + REEL_HDF5_SLACK);

      if (!reel_hdf5_unpacker_run (self->unpacker, layout, &chunks[k], self->reading->bytes, room,
                                   size))
        return FALSE;
      self->n_looked += (gsize) chunks[k].size;
      find_place (&set, layout, k, at);
      if (!as_wide)
        spread (&set, layout, at, 0, room, to);
    }
  return TRUE;
}

/* ---- a block ---- */

/* Elements are read where they are, unless they begin at odd places. */
static const guint8 *
find_rows (Reader *self, const Block *block)
{
  const ReelArrayInfo *set = self->reading->sets[block->set];
  const gsize row_bytes = reel_hdf5_count_row_bytes (set), size = (gsize) block->n * row_bytes;
  const ReelHdf5Chunk *whole = &g_array_index (self->reading->layouts->chunks, ReelHdf5Chunk,
                                               self->reading->layouts->first[block->set]);
  const gsize offset = (gsize) whole->offset + (gsize) block->first * row_bytes;

  if (whole->size != (gint64) row_bytes * set->shape[0])
    return NULL;
  self->n_looked += size;
  if (offset % reel_dtype_size ((ReelDtype) set->dtype) == 0)
    return self->reading->bytes + offset;
  return memcpy (make_room (self->rows, size), self->reading->bytes + offset, size);
}

static const guint8 *
unpack_rows (Reader *self, const Block *block)
{
  const ReelArrayInfo *set = self->reading->sets[block->set];
  const gint64 step = self->reading->layouts->layouts[block->set].shape[0];
  const gsize row_bytes = reel_hdf5_count_row_bytes (set);
  const gsize n_rows = (gsize) ((block->n + step - 1) / step * step);
  guint8 *rows = make_room (self->rows, n_rows * row_bytes + REEL_HDF5_SLACK);

  for (gint64 row = 0; row < block->n; row += step)
    if (!read_chunks (self, block->set, (block->first + row) / step, MIN (step, block->n - row),
                      rows + (gsize) row * row_bytes))
      return NULL;
  return rows;
}

static void
read_block (Reader *self, const Block *block)
{
  const Reading *reading = self->reading;
  const gboolean whole =
      is_whole (reading->sets[block->set], &reading->layouts->layouts[block->set]);
  const guint8 *rows = whole ? find_rows (self, block) : unpack_rows (self, block);

  if (rows)
    reading->take (reading->data, reading->number + block->set, block->first, block->n, rows);
  else
    atomic_store (&reading->is_left[block->set], TRUE);
}

/* Mapped pages count as memory of the process: after some all are dropped. */
static void
forget (Reader *self)
{
  gsize length;
  const guint8 *bytes = reel_memory_get_data (self->reading->memory, &length);

  if (self->n_looked < HELD_BYTES)
    return;
  reel_memory_forget (self->reading->memory, bytes, length);
  self->n_looked = 0;
}

/* The work of one thread: blocks as long as there are any. */
static gboolean
read_blocks (gpointer data, gint64 thread, GError **error)
{
  Reading *reading = data;
  g_autoptr (ReelHdf5Unpacker) unpacker = reel_hdf5_unpacker_new ();
  g_autoptr (GByteArray) rows = g_byte_array_new (), chunk = g_byte_array_new ();
  Reader self = { reading, unpacker, rows, chunk, 0 };
  gint64 begin, end;

  while (reel_workers_claim (&reading->claim, &begin, &end))
    for (gint64 i = begin; i < end; i++)
      {
        const Block *block = &g_array_index (reading->blocks, Block, i);

        if (!atomic_load (&reading->is_left[block->set]))
          read_block (&self, block);
        forget (&self);
      }
  return TRUE;
}

/* ---- all of them ---- */

/* Each may have rows, a chunk, and one between two filters. */
static gint64
choose_threads (const Reading *reading)
{
  gint64 most = MOST_THREAD_BYTES / 3 / MAX (reading->block_bytes, 1);

  return MAX (MIN (MIN (most, reading->blocks->len), reel_cpu_count ()), 1);
}

static void
read_sets (Reading *reading, guint n_sets, GArray *left)
{
  g_autoptr (ReelHdf5Layouts) layouts =
      reel_hdf5_find_layouts (reading->memory, reading->sets, n_sets);
  g_autoptr (GArray) blocks = g_array_new (FALSE, FALSE, sizeof (Block));
  g_autofree atomic_bool *is_left = g_new0 (atomic_bool, n_sets);

  reading->layouts = layouts;
  reading->blocks = blocks;
  reading->is_left = is_left;
  reading->block_bytes = 0;
  for (guint i = 0; i < n_sets; i++)
    add_blocks (reading, i);
  reel_workers_claim_init (&reading->claim, blocks->len, 1);
  reel_parallel_run (choose_threads (reading), choose_threads (reading), read_blocks, reading,
                     NULL);
  for (guint i = 0; i < n_sets; i++)
    if (atomic_load (&is_left[i]))
      g_array_append_vals (left, (guint[]){ reading->number + i }, 1);
}

GArray *
reel_hdf5_read_directly (ReelMemory *file, const ReelArrayInfo *const *sets, guint n_sets,
                         ReelHdf5RowsFunc take, gpointer data)
{
  GArray *left = g_array_new (FALSE, FALSE, sizeof (guint));
  Reading reading = { .memory = file, .take = take, .data = data };

  reading.bytes = reel_memory_get_data (file, NULL);
  for (guint first = 0, n; first < n_sets; first += n)
    {
      n = MIN (n_sets - first, MOST_SETS);
      reading.sets = sets + first;
      reading.number = first;
      read_sets (&reading, n, left);
    }
  return left;
}
