#include "mapping.h"
#include "../object/error.h"
#include "file-ops.h"
#include "files.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static gboolean
map_bytes (const char *path, int fd, ReelMapMode mode, gsize length, ReelMapping *mapping,
           GError **error)
{
  int protection = mode == REEL_MAP_READ ? PROT_READ : PROT_READ | PROT_WRITE;
  /* Of a copy that may be larger than memory only what is written takes any. */
  int flags = mode == REEL_MAP_COPY ? MAP_PRIVATE | MAP_NORESERVE : MAP_SHARED;
  void *data = NULL;

  if (length > 0)
    data = reel_file_ops ()->mmap (NULL, length, protection, flags, fd, 0);
  if (data == MAP_FAILED)
    {
      reel_set_error_errno (error, errno, "%s: could not map %" G_GSIZE_FORMAT " bytes", path,
                            length);
      return FALSE;
    }
  *mapping = (ReelMapping){ data, length };
  return TRUE;
}

gboolean
reel_mapping_new_shared (gsize length, ReelMapping *mapping)
{
  void *data = reel_file_ops ()->mmap (NULL, length, PROT_READ | PROT_WRITE,
                                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

  *mapping = (ReelMapping){ data == MAP_FAILED ? NULL : data, length };
  return data != MAP_FAILED;
}

static gboolean
map_sized (const char *path, int fd, gint64 size, ReelMapMode mode, gint64 needed,
           ReelMapping *mapping, GError **error)
{
  if (size < needed)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                   "%s: has %" G_GINT64_FORMAT " bytes, %" G_GINT64_FORMAT " expected", path, size,
                   needed);
      return FALSE;
    }
  return map_bytes (path, fd, mode, (gsize) (needed < 0 ? size : needed), mapping, error);
}

gboolean
reel_file_map (const char *path, int fd, ReelMapMode mode, gint64 needed, ReelMapping *mapping,
               GError **error)
{
  gboolean opens = fd < 0, mapped;
  gint64 size;

  *mapping = (ReelMapping){ NULL, 0 };
  if (opens)
    fd = reel_file_open_sized (path, mode == REEL_MAP_WRITE, &size, error);
  else
    size = reel_file_size (fd, path, error);
  if (fd < 0 || size < 0)
    return FALSE;
  mapped = map_sized (path, fd, size, mode, needed, mapping, error);
  if (opens)
    reel_file_ops ()->close (fd); /* nothing was written through it */
  return mapped;
}

void
reel_mapping_unmap (ReelMapping *mapping)
{
  if (mapping->data)
    reel_file_ops ()->munmap (mapping->data, mapping->length);
  *mapping = (ReelMapping){ NULL, 0 };
}

void
reel_mapping_want_huge_pages (const ReelMapping *mapping)
{
  if (mapping->data)
    reel_file_ops ()->madvise (mapping->data, mapping->length, MADV_HUGEPAGE);
}

gboolean
reel_mapping_populate (const ReelMapping *mapping, const char *path, gsize begin, gsize end,
                       GError **error)
{
  gsize page = (gsize) sysconf (_SC_PAGESIZE);
  int result;

  g_return_val_if_fail (begin <= end && end <= mapping->length, FALSE);
  if (begin == end)
    return TRUE;
  begin -= begin % page;
  do
    result = reel_file_ops ()->madvise (mapping->data + begin, end - begin, MADV_POPULATE_WRITE);
  while (result != 0 && (errno == EINTR || errno == EAGAIN));
  if (result == 0 || errno == EINVAL)
    return TRUE;
  /* The kernel says EFAULT where touching the page would have raised SIGBUS. */
  reel_set_error_errno (error, errno == EFAULT ? ENOSPC : errno,
                        "%s: bytes %" G_GSIZE_FORMAT " to %" G_GSIZE_FORMAT
                        " of the mapped file got no pages",
                        path, begin, end);
  return FALSE;
}
