/* Rows as a table: a line for each row, a column for each element. */
#include "export-formats.h"
#include "table-names.h"

#include "../core/object/error.h"
#include "../core/object/number.h"
#include "../core/system/files.h"
#include "../core/tensor/convert-kernel.h"

#include <math.h>
#include <string.h>

#define BLOCK                                                                                      \
  ((gsize) 1 << 18) /* bytes of rows that are read, and of text that is written, at once */

/* ---- cells ---- */

/* The fewest digits that read back as the same number. */
static void
put_single (GString *line, float value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE], format[8];

  for (int digits = 6; digits <= 9; digits++)
    {
      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, (double) value);
      if ((float) g_ascii_strtod (text, NULL) == value)
        break;
    }
  g_string_append (line, text);
}

/* A whole number has a point, so that its column is read as reals. */
static void
put_point (GString *line, gsize begin)
{
  const char *text = line->str + begin;

  if (strspn (text, "-0123456789") == strlen (text))
    g_string_append (line, ".0");
}

static void
put_real (GString *line, double value, gboolean is_single)
{
  const gsize begin = line->len;

  if (isnan (value))
    g_string_append (line, "nan");
  else if (isinf (value))
    g_string_append (line, value < 0 ? "-inf" : "inf");
  else if (is_single)
    put_single (line, (float) value);
  else
    {
      g_autofree char *text = reel_format_double (value);

      g_string_append (line, text);
    }
  put_point (line, begin);
}

/* Half precision is written as the single that it is. */
static float
read_half (ReelDtype dtype, const guint8 *element)
{
  ReelIsa isa;
  float value;

  reel_isa_choose (&isa, NULL);
  REEL_KERNEL_PICK (reel_convert_kernels, isa)
      ->convert (dtype, element, REEL_DTYPE_FLOAT32, (guint8 *) &value, 1);
  return value;
}

#define PUT_INTEGER(type, format)                                                                  \
  {                                                                                                \
    type value;                                                                                    \
    memcpy (&value, element, sizeof value);                                                        \
    g_string_append_printf (line, "%" format, value);                                              \
  }                                                                                                \
  break

static void
put_cell (GString *line, ReelDtype dtype, const guint8 *element)
{
  float single;
  double real;

  switch (dtype)
    {
    case REEL_DTYPE_BOOL: g_string_append (line, *element ? "true" : "false"); break;
    case REEL_DTYPE_UINT8: PUT_INTEGER (guint8, "u");
    case REEL_DTYPE_INT8: PUT_INTEGER (gint8, "d");
    case REEL_DTYPE_INT16: PUT_INTEGER (gint16, "d");
    case REEL_DTYPE_INT32: PUT_INTEGER (gint32, "d");
    case REEL_DTYPE_INT64: PUT_INTEGER (gint64, G_GINT64_FORMAT);
    case REEL_DTYPE_UINT16: PUT_INTEGER (guint16, "u");
    case REEL_DTYPE_UINT32: PUT_INTEGER (guint32, "u");
    case REEL_DTYPE_UINT64: PUT_INTEGER (guint64, G_GUINT64_FORMAT);
    case REEL_DTYPE_FLOAT32:
      memcpy (&single, element, sizeof single);
      put_real (line, (double) single, TRUE);
      break;
    case REEL_DTYPE_FLOAT64:
      memcpy (&real, element, sizeof real);
      put_real (line, real, FALSE);
      break;
    default: put_real (line, (double) read_half (dtype, element), TRUE);
    }
}

/* ---- the table ---- */

/* A column of the buffer, and a block of its rows. */
typedef struct
{
  ReelExportColumn source;
  gsize n_elements;
  guint8 *block;
} Leaf;

typedef struct
{
  const ReelExportRows *rows;
  Leaf *leaves;
  int fd;
  const char *path;
  GString *text;
  gint64 written;
} Table;

static gboolean
check_leaf (const ReelColumn *column, gsize n_elements, gsize *n_cells, GError **error)
{
  *n_cells += n_elements;
  if (column->dtype >= REEL_DTYPE_COMPLEX32)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "\"%s\" is %s, which a table cannot contain; use another format", column->path,
                   reel_dtype_name (column->dtype));
      return FALSE;
    }
  if (*n_cells <= REEL_TABLE_MOST_COLUMNS)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "\"%s\" has %" G_GSIZE_FORMAT " elements a row, and a table has at most %d columns; "
               "use another format",
               column->path, n_elements, REEL_TABLE_MOST_COLUMNS);
  return FALSE;
}

static gboolean
begin (Table *self, gint64 part, GError **error)
{
  gsize n_cells = 0;

  for (guint i = 0; i < self->rows->n_columns; i++)
    {
      const ReelColumn *column = &self->rows->columns[i];
      Leaf *leaf = &self->leaves[i];

      leaf->n_elements = column->row_bytes / reel_dtype_size (column->dtype);
      if (!check_leaf (column, leaf->n_elements, &n_cells, error))
        return FALSE;
      reel_export_column_init (&leaf->source, self->rows, column);
      leaf->block = g_malloc ((gsize) part * column->row_bytes + 1);
    }
  return TRUE;
}

static void
put_names (Table *self)
{
  for (guint i = 0; i < self->rows->n_columns; i++)
    {
      const ReelColumn *column = &self->rows->columns[i];
      gint ndim;
      const gint64 *shape = reel_export_rows_get_shape (self->rows, column, &ndim);

      for (gsize k = 0; k < self->leaves[i].n_elements; k++)
        {
          if (self->text->len > 0)
            g_string_append_c (self->text, ',');
          reel_table_put_name (self->text, column->path, ndim, shape, (gint64) k);
        }
    }
  g_string_append_c (self->text, '\n');
}

static void
put_row (Table *self, gint64 row)
{
  gboolean first = TRUE;

  for (guint i = 0; i < self->rows->n_columns; i++)
    {
      const Leaf *leaf = &self->leaves[i];
      const ReelDtype dtype = self->rows->columns[i].dtype;
      const gsize size = reel_dtype_size (dtype);

      for (gsize k = 0; k < leaf->n_elements; k++, first = FALSE)
        {
          if (!first)
            g_string_append_c (self->text, ',');
          put_cell (self->text, dtype, leaf->block + ((gsize) row * leaf->n_elements + k) * size);
        }
    }
  g_string_append_c (self->text, '\n');
}

static gboolean
flush (Table *self, gsize least, GError **error)
{
  if (self->text->len < least)
    return TRUE;
  if (!reel_file_write_at (self->fd, self->path, self->text->str, self->text->len, self->written,
                           error))
    return FALSE;
  self->written += (gint64) self->text->len;
  g_string_truncate (self->text, 0);
  return TRUE;
}

static gboolean
put_rows (Table *self, gint64 part, GError **error)
{
  for (gint64 begin = 0, n; begin < self->rows->n_rows; begin += n)
    {
      n = MIN (part, self->rows->n_rows - begin);
      for (guint i = 0; i < self->rows->n_columns; i++)
        reel_export_column_read (&self->leaves[i].source, self->leaves[i].block, n);
      for (gint64 row = 0; row < n; row++)
        {
          put_row (self, row);
          if (!flush (self, BLOCK, error))
            return FALSE;
        }
    }
  return flush (self, 0, error);
}

gboolean
reel_export_csv (const ReelExportRows *rows, int fd, const char *path, GError **error)
{
  g_autofree Leaf *leaves = g_new0 (Leaf, rows->n_columns);
  g_autoptr (GString) text = g_string_new (NULL);
  Table self = { rows, leaves, fd, path, text, 0 };
  gsize row_bytes = 0;
  gint64 part;
  gboolean written;

  for (guint i = 0; i < rows->n_columns; i++)
    row_bytes += rows->columns[i].row_bytes;
  part = (gint64) MAX (BLOCK / MAX (row_bytes, 1), 1);
  written = begin (&self, part, error);
  if (written)
    {
      put_names (&self);
      written = put_rows (&self, part, error);
    }
  for (guint i = 0; i < rows->n_columns; i++)
    g_free (leaves[i].block);
  return written;
}
