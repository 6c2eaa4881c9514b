/* A driver of HDF5: it writes by the table of file operations and reads from a mapped file, whose
 * pages it lets go. */
#include "hdf5-driver.h"

#include "../object/error.h"
#include "../system/file-ops.h"
#include "../system/files.h"
#include "../tensor/mapped-memory.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#define KEPT_METADATA                                                                              \
  ((gsize) 1 << 18) /* that HDF5 keeps in memory, several times as large there */
#define MOST_METADATA ((gsize) 1 << 26) /* with what is large in itself: the list of all groups */
#define MOST_LOOKS 128                  /* each brings some pages around it */
#define LOOK_BYTES ((gsize) 1 << 17)    /* that count as one more */
#define MOST_BYTES (((haddr_t) 1 << 62) - 1)

typedef struct
{
  H5FD_t head;
  const ReelHdf5File *file;
  haddr_t end;       /* of what HDF5 has given out */
  haddr_t n_written; /* of a file that is written: its size */
  guint n_looks;     /* at a file that is read, since its pages were let go */
} Driver;

static H5FD_t *
driver_open (const char *name, unsigned flags, hid_t access, haddr_t most)
{
  Driver *self = calloc (1, sizeof *self);

  if (self)
    self->file = *(const ReelHdf5File *const *) H5Pget_driver_info (access);
  return (H5FD_t *) self;
}

static herr_t
driver_close (H5FD_t *self)
{
  free (self);
  return 0;
}

/* As HDF5's own drivers: files are laid out alike. */
static herr_t
driver_query (const H5FD_t *self, unsigned long *flags)
{
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE
           | H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

static haddr_t
driver_get_eoa (const H5FD_t *self, H5FD_mem_t type)
{
  return ((const Driver *) self)->end;
}

static herr_t
driver_set_eoa (H5FD_t *self, H5FD_mem_t type, haddr_t end)
{
  ((Driver *) self)->end = end;
  return 0;
}

static haddr_t
driver_get_eof (const H5FD_t *base, H5FD_mem_t type)
{
  const Driver *self = (const Driver *) base;
  gsize length = 0;

  if (self->file->memory)
    reel_memory_get_data (self->file->memory, &length);
  return self->file->memory ? length : self->n_written;
}

static void
copy_mapped (Driver *self, haddr_t at, void *to, size_t n)
{
  gsize length;
  const guint8 *data = reel_memory_get_data (self->file->memory, &length);

  memcpy (to, data + at, n);
  /* Mapped pages count as memory of the process: after some looks all are dropped. */
  self->n_looks += 1 + (guint) (n / LOOK_BYTES);
  if (self->n_looks < MOST_LOOKS)
    return;
  reel_memory_forget (self->file->memory, data, length);
  self->n_looks = 0;
}

/* Bytes that were never written are zero. */
static herr_t
driver_read (H5FD_t *base, H5FD_mem_t type, hid_t how, haddr_t at, size_t n, void *to)
{
  Driver *self = (Driver *) base;
  const ReelHdf5File *file = self->file;
  haddr_t end = driver_get_eof (base, type);
  size_t there = at < end ? (size_t) MIN (n, end - at) : 0;

  if (file->place && type == H5FD_MEM_DRAW)
    {
      *file->place = (ReelHdf5Place){ (gint64) at, (gint64) n };
      return 0;
    }
  memset ((guint8 *) to + there, 0, n - there);
  if (file->memory && there > 0)
    copy_mapped (self, at, to, there);
  for (size_t done = 0; !file->memory && done < there;)
    {
      ssize_t got = TEMP_FAILURE_RETRY (reel_file_ops ()->pread (
          file->fd, (guint8 *) to + done, there - done, (off_t) (at + done)));

      if (got <= 0)
        {
          if (!*file->fault)
            reel_set_error_errno (file->fault, got < 0 ? errno : EIO, "%s: could not be read",
                                  file->path);
          return -1;
        }
      done += (size_t) got;
    }
  return 0;
}

static herr_t
driver_write (H5FD_t *base, H5FD_mem_t type, hid_t how, haddr_t at, size_t n, const void *from)
{
  Driver *self = (Driver *) base;
  const ReelHdf5File *file = self->file;

  if (file->fd < 0
      || !reel_file_write_at (file->fd, file->path, from, n, (gint64) at,
                              *file->fault ? NULL : file->fault))
    return -1;
  self->n_written = MAX (self->n_written, at + n);
  return 0;
}

/* Nothing, or zeros, may be the last that was given out. */
static herr_t
driver_truncate (H5FD_t *base, hid_t how, hbool_t closing)
{
  Driver *self = (Driver *) base;
  const ReelHdf5File *file = self->file;

  if (file->fd < 0 || self->n_written == self->end)
    return 0;
  if (TEMP_FAILURE_RETRY (reel_file_ops ()->ftruncate (file->fd, (off_t) self->end)) != 0)
    {
      if (!*file->fault)
        reel_set_error_errno (file->fault, errno, "%s: could not be written", file->path);
      return -1;
    }
  self->n_written = self->end;
  return 0;
}

static const H5FD_class_t driver_class = {
#if H5_VERSION_GE(1, 13, 0)
  .version = H5FD_CLASS_VERSION,
  .value = (H5FD_class_value_t) 511,
#endif
  .name = "reel",
  .maxaddr = MOST_BYTES,
  .fc_degree = H5F_CLOSE_WEAK,
  .fapl_size = sizeof (const ReelHdf5File *),
  .open = driver_open,
  .close = driver_close,
  .query = driver_query,
  .get_eoa = driver_get_eoa,
  .set_eoa = driver_set_eoa,
  .get_eof = driver_get_eof,
  .read = driver_read,
  .write = driver_write,
  .truncate = driver_truncate,
  .fl_map = H5FD_FLMAP_DICHOTOMY,
};

static gboolean
limit_metadata (hid_t access)
{
  H5AC_cache_config_t config = { .version = H5AC__CURR_CACHE_CONFIG_VERSION };

  if (H5Pget_mdc_config (access, &config) < 0)
    return FALSE;
  config.set_initial_size = TRUE;
  config.initial_size = config.min_size = KEPT_METADATA;
  config.max_size = MOST_METADATA;
  config.incr_mode = H5C_incr__off;
  config.decr_mode = H5C_decr__off;
  return H5Pset_mdc_config (access, &config) >= 0;
}

hid_t
reel_hdf5_driver_access (const ReelHdf5File *file)
{
  hid_t access = H5Pcreate (H5P_FILE_ACCESS), driver = H5FDregister (&driver_class);

  if (access >= 0 && driver >= 0 && H5Pset_driver (access, driver, &file) >= 0
      && limit_metadata (access))
    return access;
  if (access >= 0)
    H5Pclose (access);
  return -1;
}
