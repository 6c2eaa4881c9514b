#include "raw-file.h"

#include "config.h"

#include "../core/formats/npy.h"
#include "../core/object/error.h"
#include "../core/tensor/mapped-memory.h"
#include "source-files.h"

#ifdef REEL_WITH_HDF5
#include "../core/formats/hdf5-sets.h"
#endif

#include <string.h>

#define NPY ".npy"

/* ---- HDF5 ---- */

#ifdef REEL_WITH_HDF5

static GArray *
list_sets (ReelMemory *file, GError **error)
{
  return reel_hdf5_list_sets (file, error);
}

static void
take_set (gpointer data, guint array, gint64 first, gint64 n, const guint8 *rows)
{
  const ReelRowSource *sources = data;

  reel_row_source_take (&sources[array], first, n, rows);
}

static gboolean
read_sets (const ReelRawFile *self, const ReelArrayInfo *const *arrays,
           const ReelRowSource *sources, guint n, GError **error)
{
  return reel_hdf5_read_sets (self->memory, arrays, n, take_set, (gpointer) sources, error);
}

#else

static GArray *
list_sets (ReelMemory *file, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "it is not an archive of NumPy, and this build cannot read HDF5: install "
                       "libhdf5-dev and configure without --without-hdf5");
  return NULL;
}

static gboolean
read_sets (const ReelRawFile *self, const ReelArrayInfo *const *arrays,
           const ReelRowSource *sources, guint n, GError **error)
{
  g_assert_not_reached ();
}

#endif

/* ---- archives of NumPy ---- */

static gboolean
open_entry (const ReelZip *zip, const char *name, ReelByteStream **stream, ReelArrayInfo *array,
            GError **error)
{
  g_autofree char *file = g_strconcat (name, NPY, NULL);
  const ReelZipEntry *entry = reel_zip_find (zip, file);

  *stream = reel_byte_stream_new_entry (zip, entry, error);
  if (*stream && reel_npy_read_header (*stream, array, NULL, error))
    return TRUE;
  g_clear_pointer (stream, reel_byte_stream_free);
  g_prefix_error (error, "\"%s\": ", name);
  return FALSE;
}

static gboolean
add_entry (GArray *arrays, const ReelZip *zip, const char *path, GError **error)
{
  g_autofree char *name = g_strndup (path, strlen (path) - strlen (NPY));
  g_autoptr (ReelByteStream) stream = NULL;
  ReelArrayInfo array;

  if (!open_entry (zip, name, &stream, &array, error))
    return FALSE;
  array.name = g_steal_pointer (&name);
  g_array_append_val (arrays, array);
  return TRUE;
}

static gboolean
list_entries (GArray *arrays, const ReelZip *zip, const char *directory, GError **error)
{
  g_auto (GStrv) names = reel_zip_list (zip, directory);

  for (gsize i = 0; names[i]; i++)
    {
      g_autofree char *path =
          *directory ? g_strconcat (directory, "/", names[i], NULL) : g_strdup (names[i]);

      if (reel_zip_find (zip, path)
              ? g_str_has_suffix (path, NPY) && !add_entry (arrays, zip, path, error)
              : !list_entries (arrays, zip, path, error))
        return FALSE;
    }
  return TRUE;
}

static void
take_rows (gpointer data, gint64 first, gint64 n, const guint8 *rows)
{
  reel_row_source_take (data, first, n, rows);
}

static gboolean
read_entry (const ReelRawFile *self, const ReelArrayInfo *array, const ReelRowSource *source,
            GError **error)
{
  g_autoptr (ReelByteStream) stream = NULL;
  ReelArrayInfo again;

  if (!open_entry (self->zip, array->name, &stream, &again, error))
    return FALSE;
  if (reel_npy_read_rows (stream, array, take_rows, (gpointer) source, error))
    return TRUE;
  g_prefix_error (error, "\"%s\": ", array->name);
  return FALSE;
}

/* ---- either ---- */

static gboolean
is_zip (const char *path, ReelMemory *memory)
{
  gsize length;
  const guint8 *begin = reel_memory_get_data (memory, &length);

  return g_str_has_suffix (path, ".npz") || (length >= 2 && memcmp (begin, "PK", 2) == 0);
}

/* Of thousands of open archives few pages stay. */
static void
forget_pages (const ReelZip *zip)
{
  ReelMemory *memory = reel_zip_get_memory (zip);
  gsize length;
  const guint8 *begin = reel_memory_get_data (memory, &length);

  reel_memory_forget (memory, begin, length);
}

/* Errors of archives name the file themselves. */
static gboolean
open_archive (ReelRawFile *self, GError **error)
{
  g_clear_pointer (&self->memory, reel_memory_unref);
  self->zip = reel_zip_open (self->path, REEL_MAP_READ, error);
  self->arrays = reel_array_infos_new ();
  if (!self->zip)
    return FALSE;
  if (list_entries (self->arrays, self->zip, "", error))
    {
      forget_pages (self->zip);
      return TRUE;
    }
  g_prefix_error (error, "%s: ", self->path);
  return FALSE;
}

static gboolean
open_hdf5 (ReelRawFile *self, GError **error)
{
  self->arrays = list_sets (self->memory, error);
  if (self->arrays)
    return TRUE;
  g_prefix_error (error, "%s: ", self->path);
  return FALSE;
}

ReelRawFile *
reel_raw_file_open (char *path, GError **error)
{
  g_autoptr (ReelRawFile) self = g_new0 (ReelRawFile, 1);

  self->path = path;
  self->memory = reel_source_map (path, error);
  if (!self->memory || !(is_zip (path, self->memory) ? open_archive : open_hdf5) (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
reel_raw_file_free (ReelRawFile *self)
{
  if (!self)
    return;
  g_free (self->path);
  g_clear_pointer (&self->arrays, g_array_unref);
  g_clear_pointer (&self->memory, reel_memory_unref);
  reel_zip_close (self->zip);
  g_free (self);
}

gboolean
reel_raw_file_read (const ReelRawFile *self, const ReelArrayInfo *const *arrays,
                    const ReelRowSource *sources, guint n, GError **error)
{
  gboolean read = self->zip || read_sets (self, arrays, sources, n, error);

  for (guint i = 0; self->zip && read && i < n; i++)
    read = read_entry (self, arrays[i], &sources[i], error);
  if (self->zip)
    forget_pages (self->zip);
  if (!read)
    g_prefix_error (error, "%s: ", self->path);
  return read;
}

ReelRowSource
reel_raw_source (const ReelArrayInfo *array)
{
  ReelRowSource source = { .dtype = (ReelDtype) array->dtype, .n_elements = 1 };

  for (gint d = 1; d < array->ndim; d++)
    source.n_elements *= (gsize) array->shape[d];
  return source;
}
