/* Writes a file in order, past the page cache where it is large and the file system can, and sums
 * the bytes that the system gets. */
#include "file-stream.h"

#include "crc32c.h"
#include "../object/error.h"
#include "../system/file-ops.h"
#include "../system/files.h"

#include <errno.h>
#include <string.h>

#define PAGE ((gsize) 4096)           /* what direct writes are multiples of */
#define PIECE ((gsize) 1 << 17)       /* bytes that are in the cache from their copy to their sum */
#define DIRECT_PART ((gsize) 1 << 18) /* keeps the disk busy */
#define LEAST_DIRECT ((gint64) 16 << 20)

void
reel_file_stream_begin (ReelFileStream *self, int fd, const char *path, gint64 n_bytes, gsize block)
{
  *self = (ReelFileStream){ .fd = fd, .path = path, .direct = -1, .block = block };
  /* A file system without direct writes refuses here, or refuses the first of them. */
  if (n_bytes >= LEAST_DIRECT)
    self->direct = TEMP_FAILURE_RETRY (
        reel_file_ops ()->openat (AT_FDCWD, path, O_WRONLY | O_DIRECT | O_CLOEXEC, 0));
  if (block > 0)
    self->sums = g_array_new (FALSE, FALSE, sizeof (guint32));
  if (self->direct >= 0)
    self->part_size = DIRECT_PART;
  else if (block > 0)
    self->part_size = (gsize) CLAMP (n_bytes, 1, (gint64) PIECE);
  if (self->part_size > 0)
    self->part = g_aligned_alloc (self->part_size, 1, PAGE);
}

/* ---- to the system ---- */

static void
end_direct (ReelFileStream *self)
{
  if (self->direct >= 0)
    reel_file_ops ()->close (self->direct); /* what it wrote, the sync of the other one covers */
  self->direct = -1;
}

/* Gives how much of whole pages was written, −1 on failure. */
static gssize
write_pages (ReelFileStream *self, const guint8 *data, gsize length, GError **error)
{
  ssize_t put = TEMP_FAILURE_RETRY (
      reel_file_ops ()->pwrite (self->direct, data, length, (off_t) self->n_bytes));

  if (put < 0 && errno != EINVAL)
    {
      reel_set_error_errno (error, errno, "%s: could not be written", self->path);
      return -1;
    }
  /* Refused (EINVAL) or written in part: the rest takes the way through the cache. */
  if (put != (ssize_t) length)
    end_direct (self);
  return MAX (put, 0);
}

static gboolean
put (ReelFileStream *self, const guint8 *data, gsize length, GError **error)
{
  /* Direct writes are of whole pages at multiples of a page. Parts keep the offset there; only the
   * end of a file is ragged. */
  gsize pages = self->direct >= 0 ? length / PAGE * PAGE : 0;
  gssize done = pages > 0 ? write_pages (self, data, pages, error) : 0;

  if (done < 0
      || (length > (gsize) done
          && !reel_file_write_at (self->fd, self->path, data + done, length - (gsize) done,
                                  self->n_bytes + done, error)))
    return FALSE;
  self->n_bytes += (gint64) length;
  return TRUE;
}

static gboolean
flush (ReelFileStream *self, GError **error)
{
  gsize length = self->n_part;

  self->n_part = 0;
  return put (self, self->part, length, error);
}

/* ---- sums ---- */

static void
end_block (ReelFileStream *self)
{
  g_array_append_val (self->sums, self->sum);
  self->sum = 0;
  self->in_block = 0;
}

static void
add_to_sums (ReelFileStream *self, const guint8 *data, gsize length)
{
  for (gsize n; self->sums && length > 0; data += n, length -= n)
    {
      n = MIN (length, self->block - self->in_block);
      self->sum = reel_crc32c (self->sum, data, n);
      self->in_block += n;
      if (self->in_block == self->block)
        end_block (self);
    }
}

/* ---- all of it ---- */

gboolean
reel_file_stream_write (ReelFileStream *self, gconstpointer data, gsize length, GError **error)
{
  const guint8 *from = data;

  if (!self->part)
    return put (self, data, length, error);
  for (gsize n; length > 0; from += n, length -= n)
    {
      guint8 *to = self->part + self->n_part;

      n = MIN (MIN (length, PIECE), self->part_size - self->n_part);
      /* Sums are of the copy: a source that changes meanwhile cannot
       * make them disagree with the file. */
      memcpy (to, from, n);
      add_to_sums (self, to, n);
      self->n_part += n;
      if (self->n_part == self->part_size && !flush (self, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
reel_file_stream_end (ReelFileStream *self, gboolean written, GArray **sums, GError **error)
{
  written = written && (self->n_part == 0 || flush (self, error));
  if (written && self->in_block > 0)
    end_block (self);
  *sums = written ? g_steal_pointer (&self->sums) : NULL;
  g_clear_pointer (&self->sums, g_array_unref);
  g_clear_pointer (&self->part, g_aligned_free);
  end_direct (self);
  return written;
}
