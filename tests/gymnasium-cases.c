#include "gymnasium-cases.h"

#include <stdio.h>
#include <string.h>

static char *
load (const char *folder, const char *file)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "gymnasium", folder, file, NULL);
  g_autoptr (GError) error = NULL;
  char *bytes;

  g_file_get_contents (path, &bytes, NULL, &error);
  g_assert_no_error (error);
  return bytes;
}

char **
gymnasium_cases_list (const char *folder)
{
  g_autofree char *table = load (folder, "arguments.tsv");

  return g_strsplit (g_strchomp (table), "\n", -1);
}

void
gymnasium_case_load (GymnasiumCase *self, const char *folder, const char *name)
{
  g_autofree char *file = g_strconcat (name, ".bin", NULL);

  self->name = g_strdup (name);
  self->table = load (folder, "cases.tsv");
  self->bytes = load (folder, file);
}

void
gymnasium_case_clear (GymnasiumCase *self)
{
  g_free (self->name);
  g_free (self->table);
  g_free (self->bytes);
}

gconstpointer
gymnasium_case_array (const GymnasiumCase *self, const char *array, gint64 *n_rows, gint64 *width)
{
  g_autofree char *start = g_strdup_printf ("\n%s\t%s\t", self->name, array);
  const char *line = strstr (self->table, start);
  gint64 offset;

  g_assert_nonnull (line);
  line += strlen (start); /* dtype, shape, offset, bytes */
  *width = 1;
  g_assert_cmpint (sscanf (line, "%*s %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT, n_rows, width), >=,
                   1);
  g_assert_cmpint (sscanf (line, "%*s %*s %" G_GINT64_FORMAT, &offset), ==, 1);
  return self->bytes + offset;
}
