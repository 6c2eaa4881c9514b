#include "text-rows.h"

#include "../../core/formats/csv.h"
#include "../../core/formats/json.h"
#include "../../core/system/mapping.h"

#include <string.h>

struct _ReelTextRows
{
  char *path;
  GStrv columns;
  gboolean is_csv;
  ReelMapping file;
  ReelCsv place;
  json_t *object;    /* the row, of JSON Lines */
  GPtrArray *fields; /* of CSV, #GString */
  guint n_fields;    /* of the first line */
  guint which[REEL_MAX_TEXT_COLUMNS];
};

static gboolean
fail (const ReelTextRows *self, gint64 line, GError **error, const char *problem)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: line %" G_GINT64_FORMAT ": %s",
               self->path, line, problem);
  return FALSE;
}

/* ---- CSV ---- */

static gboolean
read_csv_row (ReelTextRows *self, guint *n, GError **error)
{
  gint64 line = self->place.line;
  const char *problem = NULL;

  if (!reel_csv_next (&self->place, self->fields, n, &problem))
    return fail (self, line, error, problem);
  return TRUE;
}

static gboolean
find_column (ReelTextRows *self, gsize column, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < self->n_fields; i++)
    {
      const GString *field = self->fields->pdata[i];
      if (strcmp (field->str, self->columns[column]) == 0)
        {
          self->which[column] = i;
          return TRUE;
        }
      g_autofree char *name = g_utf8_make_valid (field->str, -1);
      g_string_append_printf (names, "%s%s", i ? ", " : "", name);
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
               "%s: the first line has no column \"%s\"; its columns: %s", self->path,
               self->columns[column], names->str);
  return FALSE;
}

static gboolean
read_header (ReelTextRows *self, GError **error)
{
  if (!read_csv_row (self, &self->n_fields, error))
    return FALSE;
  for (gsize i = 0; self->columns[i]; i++)
    if (!find_column (self, i, error))
      return FALSE;
  return TRUE;
}

static ReelTextRead
next_csv (ReelTextRows *self, const char **texts, GError **error)
{
  gint64 line = self->place.line;
  guint n;

  if (!read_csv_row (self, &n, error))
    return REEL_TEXT_FAILED;
  if (n == 0)
    return REEL_TEXT_END;
  if (n != self->n_fields)
    {
      g_autofree char *problem =
          g_strdup_printf ("expected %u fields as in the first line, found %u", self->n_fields, n);
      fail (self, line, error, problem);
      return REEL_TEXT_FAILED;
    }
  for (gsize i = 0; self->columns[i]; i++)
    {
      const GString *field = self->fields->pdata[self->which[i]];
      if (!g_utf8_validate_len (field->str, field->len, NULL))
        {
          fail (self, line, error, "the text is not UTF-8");
          return REEL_TEXT_FAILED;
        }
      texts[i] = field->str;
    }
  return REEL_TEXT_ROW;
}

/* ---- JSON Lines ---- */

static gboolean
is_blank (const char *at, const char *end)
{
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
    at++;
  return at == end;
}

static ReelTextRead
next_json (ReelTextRows *self, const char **texts, GError **error)
{
  ReelCsv *place = &self->place;
  const char *at, *end;
  gint64 line;

  do
    {
      if (place->at == place->end)
        return REEL_TEXT_END;
      at = place->at;
      end = memchr (at, '\n', (gsize) (place->end - at));
      end = end ? end : place->end;
      place->at = end + (end < place->end);
      line = place->line++;
    }
  while (is_blank (at, end));

  g_autofree char *where = g_strdup_printf ("%s: line %" G_GINT64_FORMAT, self->path, line);
  g_clear_pointer (&self->object, json_decref);
  self->object = reel_json_parse (where, at, (gsize) (end - at), error);
  for (gsize i = 0; self->object && self->columns[i]; i++)
    {
      texts[i] = reel_json_get_string (self->object, where, self->columns[i], error);
      if (!texts[i])
        return REEL_TEXT_FAILED;
    }
  return self->object ? REEL_TEXT_ROW : REEL_TEXT_FAILED;
}

/* ---- both ---- */

static gboolean
find_kind (ReelTextRows *self, GError **error)
{
  self->is_csv = g_str_has_suffix (self->path, ".csv");
  if (self->is_csv || g_str_has_suffix (self->path, ".jsonl")
      || g_str_has_suffix (self->path, ".ndjson"))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "cannot read the texts of %s: the name of the file must end in .jsonl, .ndjson or "
               ".csv",
               self->path);
  return FALSE;
}

void
reel_text_rows_rewind (ReelTextRows *self)
{
  const char *data = self->file.length > 0 ? (const char *) self->file.data : "";
  gsize mark = self->file.length >= 3 && memcmp (data, "\357\273\277", 3) == 0 ? 3 : 0;
  guint n;

  self->place = (ReelCsv){ data + mark, data + self->file.length, 1 };
  if (self->is_csv && self->n_fields > 0)
    read_csv_row (self, &n, NULL); /* the header, which was read before */
}

ReelTextRows *
reel_text_rows_open (const char *path, const char *const *columns, GError **error)
{
  g_autoptr (ReelTextRows) self = g_new0 (ReelTextRows, 1);

  g_assert (g_strv_length ((GStrv) columns) <= REEL_MAX_TEXT_COLUMNS);
  self->path = g_strdup (path);
  self->columns = g_strdupv ((GStrv) columns);
  self->fields = g_ptr_array_new ();
  if (!find_kind (self, error) || !reel_file_map (path, -1, REEL_MAP_READ, -1, &self->file, error))
    return NULL;
  reel_text_rows_rewind (self);
  if (self->is_csv && !read_header (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

ReelTextRead
reel_text_rows_next (ReelTextRows *self, const char **texts, GError **error)
{
  return self->is_csv ? next_csv (self, texts, error) : next_json (self, texts, error);
}

void
reel_text_rows_close (ReelTextRows *self)
{
  reel_mapping_unmap (&self->file);
  g_clear_pointer (&self->object, json_decref);
  g_ptr_array_unref (self->fields);
  g_strfreev (self->columns);
  g_free (self->path);
  g_free (self);
}
