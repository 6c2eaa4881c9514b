#include "text-table.h"

#include "terminal.h"

#include <string.h>

struct _TextTable
{
  char *alignment;
  guint n_columns;
  GPtrArray *cells;
};

TextTable *
text_table_new (const char *alignment)
{
  TextTable *table = g_new0 (TextTable, 1);
  table->alignment = g_strdup (alignment);
  table->n_columns = (guint) strlen (alignment);
  table->cells = g_ptr_array_new_with_free_func (g_free);
  return table;
}

void
text_table_free (TextTable *table)
{
  g_ptr_array_unref (table->cells);
  g_free (table->alignment);
  g_free (table);
}

/* A cell is on one line, in one column. */
static void
add_cell (TextTable *table, char *cell)
{
  if (strpbrk (cell, "\n\t"))
    {
      GString *text = g_string_new (cell);

      g_free (cell);
      g_string_replace (text, "\n", "\\x0a", 0);
      g_string_replace (text, "\t", "\\x09", 0);
      cell = g_string_free (text, FALSE);
    }
  g_ptr_array_add (table->cells, cell);
}

void
text_table_add (TextTable *table, char *first, ...)
{
  va_list args;
  va_start (args, first);
  add_cell (table, first);
  for (guint i = 1; i < table->n_columns; i++)
    add_cell (table, va_arg (args, char *));
  va_end (args);
}

void
text_table_add_row (TextTable *table, char **cells)
{
  for (guint i = 0; i < table->n_columns; i++)
    add_cell (table, cells[i]);
}

static glong
column_width (const TextTable *table, guint column)
{
  glong width = 0;
  for (guint i = column; i < table->cells->len; i += table->n_columns)
    width = MAX (width, g_utf8_strlen (g_ptr_array_index (table->cells, i), -1));
  return width;
}

static void
append_cell (GString *text, const char *cell, glong width, gboolean right, gboolean last)
{
  glong padding = width - g_utf8_strlen (cell, -1);

  if (right)
    g_string_append_printf (text, "%*s", (int) padding, "");
  g_string_append (text, cell);
  if (!right && !last)
    g_string_append_printf (text, "%*s", (int) padding, "");
}

char *
text_table_render (TextTable *table, guint indent)
{
  GString *text = g_string_new (NULL);
  g_autofree glong *widths = g_new (glong, table->n_columns);

  for (guint column = 0; column < table->n_columns; column++)
    widths[column] = column_width (table, column);
  for (guint i = 0; i < table->cells->len; i++)
    {
      guint column = i % table->n_columns;
      gboolean last = column == table->n_columns - 1;
      g_string_append_printf (text, "%*s", column == 0 ? (int) indent : 2, "");
      append_cell (text, g_ptr_array_index (table->cells, i), widths[column],
                   table->alignment[column] == 'r', last);
      if (last)
        g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

/* ---- lines of 80 columns ---- */

/* Starts a new line with the indent where the word does not fit. */
static void
append_word (GString *text, const char *word, glong *column, glong indent)
{
  glong length = g_utf8_strlen (word, -1);

  if (*column > indent && *column + 1 + length > terminal_get_text_width () - 1)
    {
      g_string_append_printf (text, "\n%*s", (int) indent, "");
      *column = indent;
    }
  else if (*column > indent)
    {
      g_string_append_c (text, ' ');
      (*column)++;
    }
  g_string_append (text, word);
  *column += length;
}

void
text_append_wrapped (GString *text, const char *line, guint indent)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  glong column = indent;

  if (*line == ' ')
    g_string_append (text, line);
  else
    for (char **word = words; *word; word++)
      append_word (text, *word, &column, indent);
  g_string_append_c (text, '\n');
}

void
text_append_item (GString *text, const char *name, const char *about)
{
  if (g_utf8_strlen (name, -1) > TEXT_ITEM_COLUMN - 2)
    g_string_append_printf (text, "%s\n%*s", name, TEXT_ITEM_COLUMN, "");
  else
    g_string_append_printf (text, "%-*s", TEXT_ITEM_COLUMN, name);
  text_append_wrapped (text, about, TEXT_ITEM_COLUMN);
}

/* ---- numbers ---- */

char *
format_bytes (gint64 n)
{
  static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
  double value = (double) n;
  guint unit = 0;

  for (; value >= 1024 && unit + 1 < G_N_ELEMENTS (units); unit++)
    value /= 1024;
  return g_strdup_printf (unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

char *
format_count (gint64 n)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GINT64_FORMAT, n);
  GString *text = g_string_new (NULL);
  gsize length = strlen (digits);

  for (gsize i = 0; i < length; i++)
    {
      if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-')
        g_string_append_c (text, ',');
      g_string_append_c (text, digits[i]);
    }
  return g_string_free (text, FALSE);
}

char *
format_rate (double rate)
{
  static const char *const units[] = { "", "k", "M", "G" };
  guint unit = 0;

  for (; rate >= 999.5 && unit + 1 < G_N_ELEMENTS (units); unit++)
    rate /= 1000;
  return g_strdup_printf ("%.3g%s", rate, units[unit]);
}

char *
format_duration (double seconds)
{
  gint64 whole = (gint64) (seconds + 0.5);

  if (seconds < 10)
    return g_strdup_printf ("%.2g s", seconds);
  if (whole < 60)
    return g_strdup_printf ("%d s", (int) whole);
  if (whole < 3600)
    return g_strdup_printf ("%d min %d s", (int) (whole / 60), (int) (whole % 60));
  return g_strdup_printf ("%" G_GINT64_FORMAT " h %d min", whole / 3600, (int) (whole % 3600 / 60));
}
