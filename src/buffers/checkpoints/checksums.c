/* Checksums of the files of a checkpoint, by blocks. */
#include "buffer-files.h"

#include "../../core/formats/crc32c.h"
#include "../../core/system/directories.h"
#include "../../core/system/files.h"
#include "../../core/tensor/mapped-memory.h"
#include "../../core/system/workers.h"

#include <string.h>

#define PIECE ((gsize) 1 << 17) /* bytes of a mapped file that are held at once */
#define MOST_BLOCKS 65536       /* of all leaves */

typedef struct
{
  const guint8 *data;
  gsize length;
  ReelMemory *memory; /* of a mapped file, whose pages are dropped once they are summed */
  guint32 crc;
} Block;

typedef struct
{
  GArray *blocks;
  ReelWorkersClaim claim;
} Job;

static void
sum_block (Block *block)
{
  for (gsize at = 0; at < block->length; at += PIECE)
    {
      gsize n = MIN (PIECE, block->length - at);

      block->crc = reel_crc32c (block->crc, block->data + at, n);
      if (block->memory)
        reel_memory_forget (block->memory, block->data + at, n);
    }
}

static void
sum_blocks (gpointer data, gint worker, gint n_workers)
{
  Job *job = data;
  gint64 begin, end;

  while (reel_workers_claim (&job->claim, &begin, &end))
    for (gint64 i = begin; i < end; i++)
      {
        Block *block = &g_array_index (job->blocks, Block, i);

        sum_block (block);
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
  gsize block = REEL_LEAST_SUM_BLOCK, total = 0;

  for (guint i = 0; i < n; i++)
    total += columns[i].step_bytes * (gsize) n_slots;
  /* The sidecar holds all sums, so their number is bounded and not the size of a block. */
  while (total / block > MOST_BLOCKS)
    block *= 2;
  return block;
}

static void
add_blocks (GArray *blocks, const guint8 *data, ReelMemory *memory, gsize length, gsize size)
{
  for (gsize at = 0; at < length; at += size)
    {
      const Block block = { data + at, MIN (size, length - at), memory, 0 };

      g_array_append_val (blocks, block);
    }
}

/* Blocks whose first bytes may have a sum already. */
static void
add_blocks_after (GArray *blocks, const ReelSumSpan *span, gsize length, gsize size)
{
  for (gsize i = 0; i * size < length; i++)
    {
      Block block = { span->column->data + i * size, MIN (size, length - i * size), NULL, 0 };
      guint32 crc;
      gsize summed = reel_sum_span_find (span, i, &crc);

      if (summed > 0 && summed <= block.length)
        block = (Block){ block.data + summed, block.length - summed, NULL, crc };
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
reel_checksums_compute (ReelStorage *storage, gint64 n_slots, const ReelTornSlots *torn,
                        const ReelKeptSums *kept)
{
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);
  gsize size = choose_block (columns, n, n_slots), next = 0;
  g_autoptr (GArray) blocks = g_array_new (FALSE, FALSE, sizeof (Block));
  json_t *leaves = json_object ();
  const ReelRing *ring = reel_storage_get_ring (storage);
  ReelSumSpan span = { kept, NULL, reel_ring_get_capacity (ring), 0 };
  gint64 end;

  reel_ring_get_view (ring, &span.begin, &end);
  for (guint i = 0; i < n; i++)
    {
      gsize length = columns[i].step_bytes * (gsize) n_slots;

      span.column = &columns[i];
      if (kept && (gsize) kept->block == size)
        add_blocks_after (blocks, &span, length, size);
      else
        add_blocks (blocks, columns[i].data, NULL, length, size);
    }
  run (blocks);
  for (guint i = 0; i < n; i++)
    {
      json_t *sums = json_array ();
      gsize step_bytes = columns[i].step_bytes, length = step_bytes * (gsize) n_slots;

      for (gsize at = 0; at < length; at += size, next++)
        /* Blocks are in the order in which they were listed: leaf after leaf. */
        json_array_append_new (sums, is_torn (torn, n_slots, step_bytes, at, at + size)
                                         ? json_null ()
                                         : json_integer (g_array_index (blocks, Block, next).crc));
      json_object_set_new (leaves, columns[i].path, sums);
    }
  return json_pack ("{s:s, s:I, s:I, s:o}", "algorithm", "crc32c", "block", (json_int_t) size,
                    "steps", (json_int_t) n_slots, "leaves", leaves);
}

/* ---- files ---- */

/* The files of a directory besides the leaves: a reader uses all of them. */
static const char *const parts[] = {
  "buffer_metadata.json", REEL_CHECKPOINT_QUEUE_FILE, "storage", "writer", "sampler", "prefetch"
};

/* A file, by its name in a checkpoint; @fresh is what it is about to contain. Of one with checksums
 * nothing is read. */
typedef struct
{
  char *name;
  const json_t *known;
  ReelMemory *memory;
  gconstpointer fresh;
  gsize length;
} File;

static void
clear_file (gpointer data)
{
  File *file = data;

  g_free (file->name);
  g_clear_pointer (&file->memory, reel_memory_unref);
}

static const ReelFileContent *
find_fresh (const ReelChecksumsScope *scope, const char *path)
{
  for (gsize i = 0; i < scope->n_fresh; i++)
    if (g_str_equal (scope->fresh[i].path, path))
      return &scope->fresh[i];
  return NULL;
}

static gboolean
map_whole (File *file, const char *path, GError **error)
{
  file->memory = reel_memory_new_mapped (REEL_MEMORY_FILE, path, -1, REEL_MAP_READ, -1, error);
  if (file->memory)
    reel_memory_get_data (file->memory, &file->length);
  return file->memory != NULL;
}

static const guint8 *
get_bytes (const File *file)
{
  return file->fresh ? file->fresh : reel_memory_get_data (file->memory, NULL);
}

/* The rows have checksums of their own, and the sidecar contains all of these. */
static gboolean
is_left_out (const ReelChecksumsScope *scope, const char *name)
{
  const char *last = strrchr (name, '/');

  last = last ? last + 1 : name;
  if (g_str_equal (last, REEL_SIDECAR_FILE) || (*last == '.' && g_str_has_suffix (last, ".tmp")))
    return TRUE;
  return !scope->leaves && g_str_has_prefix (name, "storage/")
         && g_str_has_suffix (name, ".memmap");
}

static gboolean
add_path (const ReelChecksumsScope *scope, const char *path, const char *name, GArray *files,
          GError **error)
{
  const ReelFileContent *fresh = find_fresh (scope, path);
  File file = { .known = fresh ? NULL : json_object_get (scope->known, name) };
  ReelPathKind kind;

  if (!fresh && !reel_path_query (path, &kind, NULL, error))
    return FALSE;
  if (!fresh && kind == REEL_PATH_DIRECTORY)
    {
      g_auto (GStrv) names = reel_directory_list (path, error);

      for (gsize i = 0; names && names[i]; i++)
        {
          g_autofree char *below = g_build_filename (path, names[i], NULL);
          g_autofree char *longer = g_strconcat (name, "/", names[i], NULL);

          if (!add_path (scope, below, longer, files, error))
            return FALSE;
        }
      return names != NULL;
    }
  if (is_left_out (scope, name) || (!fresh && kind != REEL_PATH_FILE))
    return TRUE;
  if (fresh)
    file.fresh = fresh->data, file.length = fresh->length;
  else if (!file.known && !map_whole (&file, path, error))
    return FALSE;
  file.name = g_strdup (name);
  g_array_append_val (files, file);
  return TRUE;
}

/* A file that is about to be made is in no directory yet. */
static gboolean
add_parts (const ReelChecksumsScope *scope, GArray *files, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *path = reel_checkpoint_part (scope->path, parts[i]);

      /* The two files of the root are those of the ensemble. */
      if (i < 2 && reel_checkpoint_is_member (scope->path))
        continue;
      if (!add_path (scope, path, parts[i], files, error))
        return FALSE;
      for (gsize k = 0; k < scope->n_fresh; k++)
        {
          const ReelFileContent *fresh = &scope->fresh[k];
          const char *below = fresh->path + strlen (path);
          g_autofree char *name = NULL;
          ReelPathKind kind;

          if (!g_str_has_prefix (fresh->path, path) || *below != '/')
            continue;
          if (!reel_path_query (fresh->path, &kind, NULL, error))
            return FALSE;
          name = g_strconcat (parts[i], below, NULL);
          if (kind == REEL_PATH_MISSING && !add_path (scope, fresh->path, name, files, error))
            return FALSE;
        }
    }
  return TRUE;
}

static json_t *
sum_files (GArray *files, gsize size)
{
  g_autoptr (GArray) blocks = g_array_new (FALSE, FALSE, sizeof (Block));
  json_t *sums = json_object ();
  gsize next = 0;

  for (guint i = 0; i < files->len; i++)
    {
      const File *file = &g_array_index (files, File, i);

      if (!file->known)
        add_blocks (blocks, get_bytes (file), file->memory, file->length, size);
    }
  run (blocks);
  for (guint i = 0; i < files->len; i++)
    {
      const File *file = &g_array_index (files, File, i);
      json_t *of_file = file->known ? json_copy ((json_t *) file->known) : json_array ();

      for (gsize at = 0; at < file->length; at += size, next++)
        json_array_append_new (of_file, json_integer (g_array_index (blocks, Block, next).crc));
      json_object_set_new (sums, file->name, of_file);
    }
  return sums;
}

/* The names in a checkpoint are those below the part that @path is of. */
static char *
name_file (const char *checkpoint, const char *path)
{
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *part = reel_checkpoint_part (checkpoint, parts[i]);

      if (g_str_has_prefix (path, part) && path[strlen (part)] == '/')
        return g_strconcat (parts[i], path + strlen (part), NULL);
    }
  return NULL;
}

json_t *
reel_checksums_new (const char *path, const ReelFileSums *sums)
{
  json_t *files = json_object ();
  GHashTableIter iter;
  gpointer file, blocks;

  g_hash_table_iter_init (&iter, sums->files);
  while (g_hash_table_iter_next (&iter, &file, &blocks))
    {
      g_autofree char *name = name_file (path, file);
      json_t *of_file = json_array ();

      for (guint i = 0; i < ((GArray *) blocks)->len; i++)
        json_array_append_new (of_file,
                               json_integer (g_array_index ((GArray *) blocks, guint32, i)));
      json_object_set_new (files, name, of_file);
    }
  return json_pack ("{s:s, s:I, s:o}", "algorithm", "crc32c", "block", (json_int_t) sums->block,
                    "files", files);
}

json_t *
reel_checksums_of_files (const ReelChecksumsScope *scope, gint64 block, GError **error)
{
  g_autoptr (GArray) files = g_array_new (FALSE, FALSE, sizeof (File));

  g_array_set_clear_func (files, clear_file);
  return add_parts (scope, files, error) ? sum_files (files, (gsize) block) : NULL;
}

gint
reel_checksums_check_file (const char *path, const json_t *checksums, const json_t *sums,
                           GError **error)
{
  gint64 block = json_integer_value (json_object_get (checksums, "block"));
  File file = { NULL };
  gboolean same;

  if (!reel_checksums_are_known (checksums))
    return 1;
  if (!map_whole (&file, path, error))
    return -1;
  same = json_array_size (sums) == (file.length + (gsize) block - 1) / (gsize) block;
  for (gsize i = 0, at = 0; same && at < file.length; i++, at += (gsize) block)
    same = json_integer_value (json_array_get (sums, i))
           == reel_crc32c (0, get_bytes (&file) + at, MIN ((gsize) block, file.length - at));
  clear_file (&file);
  return same;
}

gint64
reel_checksums_choose_block (gint64 bytes)
{
  gint64 block = REEL_LEAST_SUM_BLOCK;

  while (bytes / block > MOST_BLOCKS)
    block *= 2;
  return block;
}
