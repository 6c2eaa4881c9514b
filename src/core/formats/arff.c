#include "arff.h"

#include <string.h>

#define BLANKS " \t\r"
#define PIECE 65536
#define MOST_LINE (1 << 20)
#define MOST_COLUMNS 65536

struct _ReelArff
{
  ReelByteStream *stream;
  GArray *columns;
  guint8 *piece; /* bytes of the stream that follow the line */
  gsize at, n;
  GString *line;
  GPtrArray *cells;
  gint64 number; /* of the line */
};

gboolean
reel_arff_fail (const ReelArff *self, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "line %" G_GINT64_FORMAT ": %s", self->number,
               what);
  return FALSE;
}

static gboolean
fail_unknown (const ReelArff *self, const char *what, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "line %" G_GINT64_FORMAT ": %s cannot be read", self->number, what);
  return FALSE;
}

/* ---- lines ---- */

static gboolean
refill (ReelArff *self, GError **error)
{
  self->at = 0;
  return reel_byte_stream_read (self->stream, self->piece, PIECE, &self->n, error);
}

/* A line without its end; @is_end where none is left. */
static gboolean
read_line (ReelArff *self, gboolean *is_end, GError **error)
{
  const guint8 *end = NULL;

  g_string_truncate (self->line, 0);
  self->number++;
  *is_end = FALSE;
  while (!end)
    {
      if (self->at == self->n && !refill (self, error))
        return FALSE;
      if (self->n == 0)
        {
          *is_end = self->line->len == 0;
          break;
        }
      const guint8 *begin = self->piece + self->at;
      end = memchr (begin, '\n', self->n - self->at);
      gsize length = end ? (gsize) (end - begin) : self->n - self->at;
      g_string_append_len (self->line, (const char *) begin, (gssize) length);
      self->at += length + (end != NULL);
      if (self->line->len > MOST_LINE)
        return reel_arff_fail (self, error, "it is longer than %d bytes", MOST_LINE);
    }
  return (!memchr (self->line->str, '\0', self->line->len)
          && g_utf8_validate (self->line->str, -1, NULL))
         || reel_arff_fail (self, error, "it is not text in UTF-8");
}

/* The next line that says anything; NULL at the end. */
static gboolean
read_statement (ReelArff *self, char **statement, GError **error)
{
  gboolean is_end;

  do
    {
      if (!read_line (self, &is_end, error))
        return FALSE;
      *statement = is_end ? NULL : self->line->str + strspn (self->line->str, BLANKS);
    }
  while (*statement && strchr ("%", **statement));
  return TRUE;
}

/* ---- values ---- */

/* Takes a quoted text to where it is, without quotes and escapes. */
static char *
take_quoted (char **at)
{
  const char quote = **at;
  char *text = *at + 1, *to = text, *from = text;

  while (*from && *from != quote)
    {
      from += *from == '\\' && from[1];
      *to++ = *from++;
    }
  if (!*from)
    return NULL;
  *at = from + 1;
  *to = '\0';
  return text;
}

/* Takes a text up to one of @stops, without the blanks around it, and the stop, which is '\0' at
 * the end. NULL where quotes do not end, or something follows them. */
static char *
take_value (char **at, const char *stops, char *stop, gboolean *is_quoted)
{
  char *text, *end;

  *at += strspn (*at, BLANKS);
  *is_quoted = **at == '\'' || **at == '"';
  text = *is_quoted ? take_quoted (at) : *at;
  if (!text)
    return NULL;
  if (*is_quoted && !strchr (stops, *BLANKS))
    *at += strspn (*at, BLANKS);
  end = *is_quoted ? *at : *at + strcspn (*at, stops);
  *stop = *end;
  if (*stop && !strchr (stops, *stop))
    return NULL;
  *at = end + (*stop != '\0');
  while (!*is_quoted && end > text && strchr (BLANKS, end[-1]))
    end--;
  if (!*is_quoted)
    *end = '\0';
  return text;
}

/* ---- the header ---- */

static void
clear_column (gpointer data)
{
  ReelArffColumn *self = data;

  g_free (self->name);
  g_strfreev (self->values);
}

static gboolean
read_values (ReelArff *self, char *at, ReelArffColumn *column, GError **error)
{
  g_autoptr (GStrvBuilder) values = g_strv_builder_new ();
  char stop = '\0';
  gboolean is_quoted;

  while (stop != '}')
    {
      const char *value = take_value (&at, ",}", &stop, &is_quoted);

      if (!value || !stop)
        return reel_arff_fail (self, error, "the values of column \"%s\" do not end in }",
                               column->name);
      g_strv_builder_add (values, value);
    }
  column->values = g_strv_builder_end (values);
  return TRUE;
}

static gboolean
read_type (ReelArff *self, char *at, ReelArffColumn *column, GError **error)
{
  static const char *const types[] = { "numeric", "real", "integer", "string", "date" };
  const gsize length = strcspn (at, BLANKS);

  if (*at == '{')
    return read_values (self, at + 1, column, error);
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (strlen (types[i]) == length && g_ascii_strncasecmp (at, types[i], length) == 0)
      return TRUE;
  return fail_unknown (self, "a column of another type than numbers, text and nominal values",
                       error);
}

static gboolean
add_column (ReelArff *self, char *at, GError **error)
{
  ReelArffColumn none = { NULL, NULL }, *column;
  char stop;
  gboolean is_quoted;
  const char *name = take_value (&at, BLANKS, &stop, &is_quoted);

  if (!name || (!*name && !is_quoted))
    return reel_arff_fail (self, error, "a column has no name");
  if (self->columns->len == MOST_COLUMNS)
    return reel_arff_fail (self, error, "there are more than %d columns", MOST_COLUMNS);
  g_array_append_val (self->columns, none);
  column = &g_array_index (self->columns, ReelArffColumn, self->columns->len - 1);
  column->name = g_strdup (name);
  return read_type (self, at + strspn (at, BLANKS), column, error);
}

static gboolean
skip_word (char **at, const char *word)
{
  const gsize length = strlen (word);

  if (g_ascii_strncasecmp (*at, word, length) != 0 || !strchr (BLANKS, (*at)[length]))
    return FALSE;
  *at += length;
  return TRUE;
}

static gboolean
read_header (ReelArff *self, GError **error)
{
  char *at;

  for (;;)
    {
      if (!read_statement (self, &at, error))
        return FALSE;
      if (!at)
        return reel_arff_fail (self, error, "it ends without @data");
      if (skip_word (&at, "@attribute"))
        {
          if (!add_column (self, at, error))
            return FALSE;
        }
      else if (skip_word (&at, "@data"))
        return self->columns->len > 0 || reel_arff_fail (self, error, "@data is without columns");
      else if (!skip_word (&at, "@relation"))
        return reel_arff_fail (self, error, "it is none of @relation, @attribute and @data");
    }
}

/* ---- the table ---- */

ReelArff *
reel_arff_new (ReelByteStream *stream, GError **error)
{
  g_autoptr (ReelArff) self = g_new0 (ReelArff, 1);

  self->stream = stream;
  self->columns = g_array_new (FALSE, FALSE, sizeof (ReelArffColumn));
  g_array_set_clear_func (self->columns, clear_column);
  self->piece = g_malloc (PIECE);
  self->line = g_string_new (NULL);
  self->cells = g_ptr_array_new ();
  return read_header (self, error) ? g_steal_pointer (&self) : NULL;
}

void
reel_arff_free (ReelArff *self)
{
  if (!self)
    return;
  g_array_unref (self->columns);
  g_free (self->piece);
  g_string_free (self->line, TRUE);
  g_ptr_array_unref (self->cells);
  g_free (self);
}

const GArray *
reel_arff_get_columns (const ReelArff *self)
{
  return self->columns;
}

static gboolean
read_cells (ReelArff *self, char *at, GError **error)
{
  char stop = ',';
  gboolean is_quoted;

  g_ptr_array_set_size (self->cells, 0);
  while (stop)
    {
      char *value = take_value (&at, ",", &stop, &is_quoted);

      if (!value)
        return reel_arff_fail (self, error, "quotes do not end, or text follows them");
      if (self->cells->len == self->columns->len)
        return reel_arff_fail (self, error, "it has more than %u values", self->columns->len);
      g_ptr_array_add (self->cells, !is_quoted && g_str_equal (value, "?") ? NULL : value);
    }
  return self->cells->len == self->columns->len
         || reel_arff_fail (self, error, "it has %u values; %u are expected", self->cells->len,
                            self->columns->len);
}

gboolean
reel_arff_next (ReelArff *self, const char *const **cells, GError **error)
{
  char *at;

  *cells = NULL;
  if (!read_statement (self, &at, error))
    return FALSE;
  if (!at)
    return TRUE;
  if (*at == '{')
    return fail_unknown (self, "a sparse row", error);
  if (!read_cells (self, at, error))
    return FALSE;
  *cells = (const char *const *) self->cells->pdata;
  return TRUE;
}
