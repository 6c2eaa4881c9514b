/* replay ls: the runs and saved buffers below a directory. */
#include "found-buffers.h"
#include "../common/json-values.h"
#include "replay.h"
#include "../common/terminal.h"
#include "../common/text-table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct
{
  char *depth;
  gboolean json;
} options;

static const GOptionEntry entries[] = {
  { "depth", 0, 0, G_OPTION_ARG_STRING, &options.depth, "levels of directories to search (4)",
    "N" },
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print a JSON object on each line", NULL },
  { NULL },
};

static void
print_json (const FoundBuffer *found)
{
  g_autofree char *path = g_filename_display_name (found->path); /* JSON is UTF-8 */
  g_autoptr (GDateTime) modified = g_date_time_new_from_unix_utc (found->modified);
  g_autofree char *time = g_date_time_format_iso8601 (modified);

  json_print (json_pack (
      "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:s, s:s, s:o}", "path", path, "env",
      json_string_or_null (found->env), "policy", json_string_or_null (found->policy), "seed",
      json_count_or_null (found->seed), "rows", json_count_or_null (found->rows), "capacity",
      json_count_or_null (found->capacity), "episodes", json_count_or_null (found->episodes),
      "mean_return",
      isnan (found->mean_return) ? json_null () : json_from_double (found->mean_return), "bytes",
      (json_int_t) found->bytes, "modified", time, "state", *found->state ? found->state : "ended",
      "fault", json_string_or_null (found->fault)));
}

/* ---- the table ---- */

static char *
count_text (gint64 count)
{
  return count < 0 ? g_strdup ("-") : g_strdup_printf ("%" G_GINT64_FORMAT, count);
}

/* 3725 seconds become "1 h". */
static char *
age_text (gint64 seconds)
{
  if (seconds < 60)
    return g_strdup_printf ("%" G_GINT64_FORMAT " s", MAX (seconds, 0));
  if (seconds < 3600)
    return g_strdup_printf ("%" G_GINT64_FORMAT " min", seconds / 60);
  if (seconds < 48 * 3600)
    return g_strdup_printf ("%" G_GINT64_FORMAT " h", seconds / 3600);
  return g_strdup_printf ("%" G_GINT64_FORMAT " d", seconds / 86400);
}

static TextTable *
make_table (const GPtrArray *list, gint64 now)
{
  TextTable *table = text_table_new ("llrrrrrrl");

  text_table_add (table, g_strdup ("env"), g_strdup ("policy"), g_strdup ("seed"),
                  g_strdup ("rows"), g_strdup ("episodes"), g_strdup ("return"), g_strdup ("size"),
                  g_strdup ("age"), g_strdup ("state"));
  for (guint i = 0; i < list->len; i++)
    {
      const FoundBuffer *found = g_ptr_array_index (list, i);
      text_table_add (table, g_strdup (found->env ? found->env : "-"),
                      g_strdup (found->policy ? found->policy : "-"), count_text (found->seed),
                      found->rows < 0 ? g_strdup ("-") : format_count (found->rows),
                      count_text (found->episodes),
                      isnan (found->mean_return) ? g_strdup ("-")
                                                 : g_strdup_printf ("%.4g", found->mean_return),
                      format_bytes (found->bytes), age_text (now - found->modified),
                      g_strdup (found->state));
    }
  return table;
}

static glong
widest (char **lines)
{
  glong width = 0;

  for (char **line = lines; *line; line++)
    width = MAX (width, g_utf8_strlen (*line, -1));
  return width;
}

/* One line each: the path, then the columns. */
static char *
put_beside (const GPtrArray *list, char **lines)
{
  g_autoptr (TextTable) table = text_table_new ("ll");

  text_table_add (table, g_strdup ("path"), g_strdup (lines[0]));
  for (guint i = 0; i < list->len; i++)
    {
      const FoundBuffer *found = g_ptr_array_index (list, i);
      text_table_add (table, g_filename_display_name (found->path), g_strdup (lines[i + 1]));
    }
  return text_table_render (table, 0);
}

/* The path on a line of its own, above the columns. */
static char *
put_above (const GPtrArray *list, char **lines)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "  %s\n", lines[0]);
  for (guint i = 0; i < list->len; i++)
    {
      const FoundBuffer *found = g_ptr_array_index (list, i);
      g_autofree char *path = g_filename_display_name (found->path);
      g_string_append_printf (text, "%s\n  %s\n", path, lines[i + 1]);
    }
  return g_string_free (text, FALSE);
}

static void
print_table (const GPtrArray *list)
{
  g_autoptr (TextTable) table = make_table (list, g_get_real_time () / G_USEC_PER_SEC);
  g_autofree char *columns = text_table_render (table, 0);
  g_auto (GStrv) lines = g_strsplit (columns, "\n", -1);
  glong room = terminal_get_width (STDOUT_FILENO);
  for (char **line = lines; *line; line++)
    g_strchomp (*line);
  g_autofree char *beside = put_beside (list, lines);
  g_auto (GStrv) whole = g_strsplit (beside, "\n", -1);
  gboolean fits = room == 0 || widest (whole) <= room;
  g_autofree char *text = fits ? g_steal_pointer (&beside) : put_above (list, lines);

  g_print ("%s", text);
}

static void
say_faults (const GPtrArray *list)
{
  for (guint i = 0; i < list->len; i++)
    {
      const FoundBuffer *found = g_ptr_array_index (list, i);
      if (found->fault)
        g_printerr ("replay: %s\n", found->fault);
    }
}

int
replay_ls (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("[DIR] - list runs and saved buffers");
  gint64 depth;

  g_option_context_set_summary (
      context, "Searches DIR, or the current directory, and changes nothing in it. Returns are "
               "means over whole episodes.");
  if (!options_parse (context, entries, argv, error) || !options_check_words (*argv + 1, 1, error)
      || !options_parse_number ("depth", options.depth, 0, 64, 4, &depth, error))
    return EXIT_USAGE;
  const char *directory = (*argv)[1] ? (*argv)[1] : ".";
  g_autoptr (GPtrArray) list = found_buffers_list (directory, depth, error);
  if (!list)
    return EXIT_FAILED;
  if (list->len == 0)
    g_printerr ("replay: %s contains no runs and no saved buffers\n", directory);
  else if (options.json)
    for (guint i = 0; i < list->len; i++)
      print_json (g_ptr_array_index (list, i));
  else
    print_table (list);
  if (!options.json)
    say_faults (list);
  return EXIT_OK;
}
