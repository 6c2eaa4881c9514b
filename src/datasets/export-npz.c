/* Rows as an archive of NumPy: a stored member for each key, as numpy.savez() makes it. */
#include "export-formats.h"

#include "../core/formats/numpy-types.h"
#include "../core/formats/zip.h"
#include "../core/object/error.h"
#include "../core/system/files.h"

#include <string.h>
#include <zlib.h>

#define MAGIC "\x93NUMPY\x01\x00"
#define ALIGNMENT 64 /* of the elements, by the format */

/* ---- headers ---- */

/* NumPy's format.py, version 1: a literal of Python, padded with blanks. */
static GString *
describe_array (const ReelExportRows *rows, const ReelColumn *column)
{
  gint ndim;
  const gint64 *shape = reel_export_rows_get_shape (rows, column, &ndim);
  GString *text = g_string_new_len (MAGIC "  ", sizeof MAGIC - 1 + sizeof (guint16));

  g_string_append_printf (
      text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (%" G_GINT64_FORMAT ",",
      reel_dtype_size (column->dtype) == 1 ? '|' : '<', reel_numpy_get_code (column->dtype),
      rows->n_rows);
  for (gint d = 0; d < ndim; d++)
    g_string_append_printf (text, d + 1 < ndim ? " %" G_GINT64_FORMAT "," : " %" G_GINT64_FORMAT,
                            shape[d]);
  g_string_append (text, "), }");
  while ((text->len + 1) % ALIGNMENT != 0)
    g_string_append_c (text, ' ');
  g_string_append_c (text, '\n');
  const guint16 length = GUINT16_TO_LE ((guint16) (text->len - sizeof MAGIC + 1 - sizeof length));
  memcpy (text->str + sizeof MAGIC - 1, &length, sizeof length);
  return text;
}

/* ---- members ---- */

/* The archive on its way to a file. */
typedef struct
{
  int fd;
  const char *path;
  guint64 at;
} Archive;

static gboolean
put (Archive *self, ReelZipEntry *entry, gconstpointer data, gsize length, GError **error)
{
  if (!reel_file_write_at (self->fd, self->path, data, length, (gint64) self->at, error))
    return FALSE;
  entry->crc = (guint32) crc32_z (entry->crc, data, length);
  entry->size += length;
  self->at += length;
  return TRUE;
}

static gboolean
put_rows (Archive *self, ReelZipEntry *entry, const ReelExportRows *rows, const ReelColumn *column,
          GError **error)
{
  const gint64 part = MIN (reel_row_stream_part (column->row_bytes), rows->n_rows);
  g_autofree guint8 *block = g_malloc ((gsize) part * column->row_bytes + 1);
  ReelExportColumn source;

  reel_export_column_init (&source, rows, column);
  for (gint64 begin = 0, n; begin < rows->n_rows; begin += n)
    {
      n = MIN (part, rows->n_rows - begin);
      reel_export_column_read (&source, block, n);
      if (!put (self, entry, block, (gsize) n * column->row_bytes, error))
        return FALSE;
    }
  return TRUE;
}

/* The local header has the checksum, and is written last. */
static gboolean
put_member (Archive *self, ReelZipEntry *entry, const ReelExportRows *rows,
            const ReelColumn *column, GError **error)
{
  GString *header = describe_array (rows, column);
  gboolean written;

  entry->name = g_strconcat (column->path, ".npy", NULL);
  entry->method = REEL_ZIP_STORED;
  reel_zip_place (entry, self->at, FALSE);
  self->at = entry->payload;
  written = put (self, entry, header->str, header->len, error)
            && put_rows (self, entry, rows, column, error);
  g_string_free (header, TRUE);
  if (!written)
    return FALSE;
  entry->packed = entry->size;
  g_autoptr (GByteArray) local = reel_zip_local_header (entry);
  return reel_file_write_at (self->fd, self->path, local->data, local->len, (gint64) entry->header,
                             error);
}

static gboolean
check_types (const ReelExportRows *rows, GError **error)
{
  for (guint i = 0; i < rows->n_columns; i++)
    if (!reel_numpy_get_code (rows->columns[i].dtype))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "\"%s\" is %s, which NumPy does not have",
                     rows->columns[i].path, reel_dtype_name (rows->columns[i].dtype));
        return FALSE;
      }
  return TRUE;
}

static void
clear_entry (gpointer data)
{
  g_free (((ReelZipEntry *) data)->name);
}

gboolean
reel_export_npz (const ReelExportRows *rows, int fd, const char *path, GError **error)
{
  g_autoptr (GArray) entries = g_array_new (FALSE, TRUE, sizeof (ReelZipEntry));
  Archive archive = { fd, path, 0 };

  g_array_set_clear_func (entries, clear_entry);
  g_array_set_size (entries, rows->n_columns);
  if (!check_types (rows, error))
    return FALSE;
  for (guint i = 0; i < rows->n_columns; i++)
    if (!put_member (&archive, &g_array_index (entries, ReelZipEntry, i), rows, &rows->columns[i],
                     error))
      return FALSE;
  g_autoptr (GByteArray) end = reel_zip_directory ((const ReelZipEntry *) (gpointer) entries->data,
                                                   entries->len, archive.at);
  return reel_file_write_at (fd, path, end->data, end->len, (gint64) archive.at, error);
}
