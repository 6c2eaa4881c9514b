/* Texts in JSON Lines, or behind a `c` in CSV; the same rows come again after a rewind, all UTF-8,
 * and those of CSV are read back as they are written. */
#include "../../src/datasets/text/text-rows.h"
#include "../../src/core/formats/csv.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static const char *const columns[] = { "a", "b", NULL };

static char *json_path, *csv_path;

static void
make_paths (void)
{
  const char *directory = fuzz_make_directory ();

  json_path = g_build_filename (directory, "any.jsonl", NULL);
  csv_path = g_build_filename (directory, "any.csv", NULL);
}

static void
append_quoted (GString *to, const char *text, char behind)
{
  g_string_append_c (to, '"');
  for (; *text; text++)
    {
      if (*text == '"')
        g_string_append_c (to, '"');
      g_string_append_c (to, *text);
    }
  g_string_append_c (to, '"');
  g_string_append_c (to, behind);
}

/* All rows up to the end or a fault, written as CSV. */
static ReelTextRead
read_all (ReelTextRows *rows, GString *written)
{
  const char *texts[2];
  g_autoptr (GError) error = NULL;
  ReelTextRead read;

  while ((read = reel_text_rows_next (rows, texts, &error)) == REEL_TEXT_ROW)
    for (gsize i = 0; i < 2; i++)
      {
        if (!g_utf8_validate (texts[i], -1, NULL))
          abort ();
        append_quoted (written, texts[i], i == 0 ? ',' : '\n');
      }
  if ((read == REEL_TEXT_FAILED) != (error != NULL)
      || (error && !g_utf8_validate (error->message, -1, NULL)))
    abort ();
  return read;
}

/* The written rows are read as the same. */
static void
read_back (const GString *written)
{
  g_autoptr (GString) again = g_string_new (NULL);
  g_autoptr (GPtrArray) fields = g_ptr_array_new ();
  ReelCsv csv = { written->str, written->str + written->len, 1 };
  const char *problem;
  guint n;

  while (reel_csv_next (&csv, fields, &n, &problem) && n == 2)
    for (guint i = 0; i < 2; i++)
      append_quoted (again, ((GString *) fields->pdata[i])->str, i == 0 ? ',' : '\n');
  if (!g_string_equal (again, written))
    abort ();
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) first = g_string_new (NULL), second = g_string_new (NULL);

  if (!json_path)
    make_paths ();
  gboolean is_csv = size > 0 && *data == 'c';
  const char *path = is_csv ? csv_path : json_path;
  fuzz_put (path, size > 0 ? data + is_csv : data, size - is_csv);
  g_autoptr (ReelTextRows) rows = reel_text_rows_open (path, columns, &error);
  if (!rows != !!error || (error && !g_utf8_validate (error->message, -1, NULL)))
    abort ();
  if (!rows)
    return 0;
  ReelTextRead end = read_all (rows, first);
  reel_text_rows_rewind (rows);
  if (read_all (rows, second) != end || !g_string_equal (first, second))
    abort ();
  read_back (first);
  return 0;
}
