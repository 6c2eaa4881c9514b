/* Saves tensordicts into archives. Places of stored entries are known beforehand, so threads write
 * them in any order; compressed ones follow one another. */
#include "../system/directories.h"
#include "../object/error.h"
#include "../system/files.h"
#include "memmap-format.h"
#include "../system/parallel.h"
#include "save-plan.h"
#include "../formats/zip.h"

#include <string.h>
#include <zlib.h>

/* Bytes that one thread sums and writes at a time. */
#define CHUNK ((gsize) 8 << 20)

/* Part of a leaf, the whole of one that is not contiguous. */
typedef struct
{
  guint file;
  gsize begin, length;
  guint32 crc;
} Chunk;

typedef struct
{
  const ReelSavePlan *plan;
  GPtrArray *files;      /* of ReelPlannedFile, in the order of the archive */
  ReelZipEntry *entries; /* one a file */
  const char *path;      /* for messages */
  int fd;
  GArray *chunks; /* of Chunk */
} Archive;

/* ---- order ---- */

/* As tensordict's archives have it: a directory's metadata, its leaves, then what is below it. */
static int
compare_names (const char *a, const char *b)
{
  const char *a_slash = strchr (a, '/'), *b_slash = strchr (b, '/');
  gsize a_length = a_slash ? (gsize) (a_slash - a) : strlen (a);
  gsize b_length = b_slash ? (gsize) (b_slash - b) : strlen (b);
  int order = memcmp (a, b, MIN (a_length, b_length));

  if (!a_slash != !b_slash)
    return a_slash ? 1 : -1;
  if (order == 0 && a_length == b_length)
    return a_slash ? compare_names (a_slash + 1, b_slash + 1) : 0;
  if (!a_slash && strcmp (a, REEL_MEMMAP_METADATA) == 0)
    return -1;
  if (!b_slash && strcmp (b, REEL_MEMMAP_METADATA) == 0)
    return 1;
  return order != 0 ? order : a_length < b_length ? -1 : 1;
}

static int
compare_files (gconstpointer a, gconstpointer b)
{
  return compare_names ((*(const ReelPlannedFile *const *) a)->name,
                        (*(const ReelPlannedFile *const *) b)->name);
}

static const ReelPlannedFile *
file_at (const Archive *archive, guint i)
{
  return archive->files->pdata[i];
}

static gsize
size_of (const ReelPlannedFile *file)
{
  return file->tensor ? reel_tensor_nbytes (file->tensor) : strlen (file->text);
}

static void
list_files (Archive *archive)
{
  guint n = archive->plan->files->len;

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (archive->files, (gpointer) reel_save_plan_file (archive->plan, i));
  g_ptr_array_sort (archive->files, compare_files);
  archive->entries = g_new0 (ReelZipEntry, n);
  for (guint i = 0; i < n; i++)
    archive->entries[i].name = file_at (archive, i)->name;
}

/* ---- what both kinds share ---- */

static gboolean
write_bytes (const Archive *archive, gconstpointer data, gsize length, guint64 offset,
             GError **error)
{
  return reel_file_write_at (archive->fd, archive->path, data, length, (gint64) offset, error);
}

static gboolean
write_header (const Archive *archive, guint i, GError **error)
{
  g_autoptr (GByteArray) header = reel_zip_local_header (&archive->entries[i]);

  return write_bytes (archive, header->data, header->len, archive->entries[i].header, error);
}

static gboolean
write_text (Archive *archive, guint i, GError **error)
{
  const char *text = file_at (archive, i)->text;
  gsize length = strlen (text);

  archive->entries[i].crc = (guint32) crc32_z (0, (const Bytef *) text, length);
  return write_bytes (archive, text, length, archive->entries[i].payload, error);
}

static guint64
end_of (const Archive *archive, guint i)
{
  return archive->entries[i].payload + archive->entries[i].packed;
}

static gboolean
write_directory (const Archive *archive, GError **error)
{
  guint n = archive->files->len;
  guint64 end = end_of (archive, n - 1);
  g_autoptr (GByteArray) directory = reel_zip_directory (archive->entries, n, end);

  return write_bytes (archive, directory->data, directory->len, end, error);
}

/* ---- stored: everything has its place before the first byte is written ---- */

static void
place_stored (Archive *archive)
{
  for (guint i = 0; i < archive->files->len; i++)
    {
      const ReelPlannedFile *file = file_at (archive, i);
      ReelZipEntry *entry = &archive->entries[i];
      entry->size = entry->packed = size_of (file);
      reel_zip_place (entry, i > 0 ? end_of (archive, i - 1) : 0, file->tensor != NULL);
    }
}

static void
cut_into_chunks (Archive *archive)
{
  for (guint i = 0; i < archive->files->len; i++)
    {
      const ReelTensor *tensor = file_at (archive, i)->tensor;
      gsize size = archive->entries[i].size;
      gsize step = tensor && reel_tensor_is_contiguous (tensor) ? CHUNK : size;
      for (gsize begin = 0; tensor && begin < size; begin += step)
        {
          const Chunk chunk = { .file = i, .begin = begin, .length = MIN (size - begin, step) };
          g_array_append_val (archive->chunks, chunk);
        }
    }
}

static gboolean
write_chunk (gpointer data, gint64 item, GError **error)
{
  Archive *archive = data;
  Chunk *chunk = &g_array_index (archive->chunks, Chunk, item);
  g_autoptr (ReelTensor) dense =
      reel_tensor_contiguous (file_at (archive, chunk->file)->tensor, error);

  if (!dense)
    return FALSE;
  const guint8 *bytes = dense->data + chunk->begin;
  chunk->crc = (guint32) crc32_z (0, bytes, chunk->length);
  return write_bytes (archive, bytes, chunk->length,
                      archive->entries[chunk->file].payload + chunk->begin, error);
}

/* The checksum of @n zeros, put together from those of its halves. */
static guint32
crc_of_zeros (guint64 n)
{
  static const Bytef zero[1] = { 0 };

  if (n <= 1)
    return (guint32) crc32_z (0, zero, n);
  guint32 half = crc_of_zeros (n / 2);
  guint32 even = (guint32) crc32_combine (half, half, (z_off_t) (n / 2));
  return n % 2 == 0 ? even : (guint32) crc32_combine (even, crc_of_zeros (1), 1);
}

static void
put_checksums (Archive *archive, gboolean zeros)
{
  for (guint i = 0; zeros && i < archive->files->len; i++)
    if (file_at (archive, i)->tensor)
      archive->entries[i].crc = crc_of_zeros (archive->entries[i].size);
  for (guint i = 0; i < archive->chunks->len; i++)
    {
      const Chunk *chunk = &g_array_index (archive->chunks, Chunk, i);
      guint32 *crc = &archive->entries[chunk->file].crc;
      /* Chunks are listed file by file in order, and 0 is the checksum of no bytes. */
      *crc = (guint32) crc32_combine (*crc, chunk->crc, (z_off_t) chunk->length);
    }
}

static gboolean
write_stored (Archive *archive, gboolean zeros, GError **error)
{
  if (!zeros)
    cut_into_chunks (archive);
  if (!reel_parallel_run (reel_save_plan_threads (archive->plan), archive->chunks->len, write_chunk,
                          archive, error))
    return FALSE;
  put_checksums (archive, zeros);
  for (guint i = 0; i < archive->files->len; i++)
    if ((file_at (archive, i)->text && !write_text (archive, i, error))
        || !write_header (archive, i, error))
      return FALSE;
  return write_directory (archive, error);
}

/* ---- compressed: each begins where the one before turned out to end ---- */

static gboolean
write_deflated (Archive *archive, ReelZipEntry *entry, const ReelTensor *dense, GError **error)
{
  g_autofree guint8 *packed = g_malloc (CHUNK);
  z_stream stream = { .next_in = dense->data };
  gsize left = entry->size;
  gboolean written = TRUE;
  int result =
      deflateInit2 (&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);

  while (written && result == Z_OK)
    {
      if (stream.avail_in == 0)
        {
          stream.avail_in = (uInt) MIN (left, CHUNK);
          left -= stream.avail_in;
        }
      stream.next_out = packed;
      stream.avail_out = CHUNK;
      result = deflate (&stream, left > 0 ? Z_NO_FLUSH : Z_FINISH);
      gsize n = CHUNK - stream.avail_out;
      written = write_bytes (archive, packed, n, entry->payload + entry->packed, error);
      entry->packed += n;
    }
  deflateEnd (&stream);
  if (written && result != Z_STREAM_END)
    g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE, "%s: no memory to compress in",
                 archive->path);
  return written && result == Z_STREAM_END;
}

static gboolean
write_leaf (Archive *archive, guint i, GError **error)
{
  ReelZipEntry *entry = &archive->entries[i];
  g_autoptr (ReelTensor) dense = reel_tensor_contiguous (file_at (archive, i)->tensor, error);

  if (!dense)
    return FALSE;
  entry->packed = 0;
  entry->method = REEL_ZIP_DEFLATED;
  entry->crc = (guint32) crc32_z (0, dense->data, entry->size);
  return write_deflated (archive, entry, dense, error);
}

static gboolean
write_compressed (Archive *archive, GError **error)
{
  for (guint i = 0; i < archive->files->len; i++)
    {
      reel_zip_place (&archive->entries[i], i > 0 ? end_of (archive, i - 1) : 0, FALSE);
      /* The header holds size and checksum, so it is written after the content. */
      if (!(file_at (archive, i)->tensor ? write_leaf : write_text) (archive, i, error)
          || !write_header (archive, i, error))
        return FALSE;
    }
  return write_directory (archive, error);
}

/* ---- the file ---- */

static gboolean
write_archive (Archive *archive, gboolean compress, gboolean zeros, GError **error)
{
  gint64 reserved;

  place_stored (archive);
  reserved = compress ? 0 : (gint64) end_of (archive, archive->files->len - 1);
  archive->fd = reel_file_create (archive->path, reserved, error);
  if (archive->fd < 0)
    return FALSE;
  const ReelFileHandle handle = { archive->path, archive->fd };
  gboolean written =
      compress ? write_compressed (archive, error) : write_stored (archive, zeros, error);
  written = written && reel_files_sync (&handle, 1, NULL, 0, error);
  return reel_file_close (archive->fd, archive->path, written ? error : NULL) && written;
}

gboolean
reel_save_archive (const ReelSavePlan *plan, const char *path, gboolean compress, gboolean zeros,
                   GError **error)
{
  g_autofree char *parent = g_path_get_dirname (path), *temporary = NULL;
  g_autoptr (GPtrArray) files = g_ptr_array_new ();
  g_autoptr (GArray) chunks = g_array_new (FALSE, FALSE, sizeof (Chunk));

  if (!reel_directory_make_durable (parent, error)
      || !(temporary = reel_path_temporary (path, error)))
    return FALSE;
  Archive archive = { plan, files, NULL, temporary, -1, chunks };
  list_files (&archive);
  gboolean saved =
      /* Written and synced under another name: a kill leaves the old file or the new one, whole. */
      write_archive (&archive, compress, zeros, error) && reel_file_rename (temporary, path, error);
  if (!saved)
    reel_file_remove (temporary, NULL);
  g_free (archive.entries);
  return saved && reel_directory_sync (parent, error);
}
