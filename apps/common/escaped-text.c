#include "escaped-text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static gboolean
is_plain (gunichar c)
{
  return c == '\n' || c == '\t' || !g_unichar_iscntrl (c);
}

char *
escaped_text (const char *text)
{
  GString *escaped = g_string_new (NULL);

  while (*text)
    {
      gunichar c = g_utf8_get_char_validated (text, -1);
      gboolean valid = c < (gunichar) -2;
      const char *next = valid ? g_utf8_next_char (text) : text + 1;

      if (valid && is_plain (c))
        g_string_append_len (escaped, text, next - text);
      else
        g_string_append_printf (escaped, "\\x%02x", valid ? c : (guchar) *text);
      text = next;
    }
  return g_string_free (escaped, FALSE);
}

static void
print_to (FILE *stream, const char *text)
{
  g_autofree char *escaped = escaped_text (text);

  fputs (escaped, stream);
}

static void
print (const char *text)
{
  print_to (stdout, text);
}

static void
print_error (const char *text)
{
  print_to (stderr, text);
}

void
escaped_text_begin (void)
{
  g_set_print_handler (print);
  g_set_printerr_handler (print_error);
}

void
escaped_text_print_path (const char *path)
{
  if (isatty (STDOUT_FILENO))
    g_print ("%s\n", path);
  else
    printf ("%s\n", path);
}
