#include "csv.h"

#include <string.h>

static gboolean
at_line_end (const ReelCsv *self)
{
  return self->at == self->end || *self->at == '\n'
         || (*self->at == '\r' && (self->at + 1 == self->end || self->at[1] == '\n'));
}

static void
skip_line_end (ReelCsv *self)
{
  if (self->at < self->end && *self->at == '\r')
    self->at++;
  if (self->at < self->end && *self->at == '\n')
    self->at++;
  self->line++;
}

/* Behind the first quote. Two quotes are one. */
static gboolean
read_quoted (ReelCsv *self, GString *field, const char **problem)
{
  for (; self->at < self->end; self->at++)
    {
      gboolean quote = *self->at == '"';
      if (quote && !(self->at + 1 < self->end && self->at[1] == '"'))
        {
          self->at++;
          *problem = "a field has text behind its closing quote";
          return at_line_end (self) || *self->at == ',';
        }
      self->at += quote;
      self->line += *self->at == '\n';
      g_string_append_c (field, *self->at);
    }
  *problem = "a quoted field has no end";
  return FALSE;
}

static gboolean
read_field (ReelCsv *self, GString *field, const char **problem)
{
  const char *begin = self->at;

  g_string_truncate (field, 0);
  if (self->at < self->end && *self->at == '"')
    {
      self->at++;
      return read_quoted (self, field, problem);
    }
  while (!at_line_end (self) && *self->at != ',')
    self->at++;
  g_string_append_len (field, begin, self->at - begin);
  return TRUE;
}

static void
free_field (gpointer field)
{
  g_string_free (field, TRUE);
}

gboolean
reel_csv_next (ReelCsv *self, GPtrArray *fields, guint *n_fields, const char **problem)
{
  g_ptr_array_set_free_func (fields, free_field);
  *n_fields = 0;
  while (self->at < self->end && at_line_end (self))
    skip_line_end (self);
  for (gboolean more = self->at < self->end; more;)
    {
      if (*n_fields == fields->len)
        g_ptr_array_add (fields, g_string_new (NULL));
      if (!read_field (self, fields->pdata[(*n_fields)++], problem))
        return FALSE;
      more = self->at < self->end && *self->at == ',';
      self->at += more;
    }
  if (*n_fields > 0)
    skip_line_end (self);
  return TRUE;
}
