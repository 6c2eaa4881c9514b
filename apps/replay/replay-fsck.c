/* replay fsck: whether a directory holds what it says. */
#include "../common/json-values.h"
#include "replay.h"

#include <stdio.h>

static struct
{
  gboolean json;
} options;

static const GOptionEntry entries[] = {
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print one JSON object", NULL },
  { NULL },
};

static json_t *
json_faults (const ReelCheckpointReport *report)
{
  json_t *faults = json_array ();

  for (guint i = 0; i < report->faults->len; i++)
    {
      const ReelCheckpointFault *fault = report->faults->pdata[i];

      json_array_append_new (faults,
                             json_pack ("{s:s, s:o, s:o, s:I, s:o}", "where", fault->where, "step",
                                        json_count_or_null (fault->step), "lane",
                                        json_count_or_null (fault->lane), "count",
                                        (json_int_t) fault->n, "what", json_string (fault->what)));
    }
  return faults;
}

static void
print_json (const ReelCheckpointReport *report, const char *path)
{
  json_t *notes = json_array ();

  for (guint i = 0; i < report->notes->len; i++)
    json_array_append_new (notes, json_string (report->notes->pdata[i]));
  json_print (json_pack ("{s:b, s:I, s:b, s:o, s:o}", "sound", report->faults->len == 0, "rows",
                         (json_int_t) report->n_rows, "checksums", report->checksums, "faults",
                         json_faults (report), "notes", notes));
}

static void
print_fault (const ReelCheckpointFault *fault)
{
  if (*fault->where)
    g_print ("%s: ", fault->where);
  if (fault->step >= 0)
    g_print ("step %" G_GINT64_FORMAT ", lane %" G_GINT64_FORMAT ": ", fault->step, fault->lane);
  g_print ("%s", fault->what);
  if (fault->n > 1 && !fault->torn)
    g_print (" (the first of %" G_GINT64_FORMAT ")", fault->n);
  g_print ("\n");
}

/* Whether steps that were being written are all that is wrong. */
static gboolean
is_only_torn (const ReelCheckpointReport *report)
{
  for (guint i = 0; i < report->faults->len; i++)
    if (!((const ReelCheckpointFault *) report->faults->pdata[i])->torn)
      return FALSE;
  return report->faults->len > 0;
}

static void
print_sentences (const ReelCheckpointReport *report, const char *path)
{
  for (guint i = 0; i < report->faults->len; i++)
    print_fault (report->faults->pdata[i]);
  for (guint i = 0; i < report->notes->len; i++)
    g_print ("note: %s\n", (const char *) report->notes->pdata[i]);
  if (is_only_torn (report))
    g_print ("%s: the other %" G_GINT64_FORMAT " rows are intact; a run that collect --resume "
             "continues overwrites the lost ones\n",
             path, report->n_rows);
  if (report->faults->len == 0)
    g_print ("%s: %" G_GINT64_FORMAT " rows, %s\n", path, report->n_rows,
             report->checksums ? "nothing wrong; all checksums agree" : "nothing wrong");
}

int
replay_fsck (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("DIR - check that files are intact");

  g_option_context_set_summary (context,
                                "Checks files, checksums and every row, and changes nothing. "
                                "Prints each fault and its place, and exits with 3.");
  if (!options_parse (context, entries, argv, error) || !options_check_words (*argv + 1, 1, error))
    return EXIT_USAGE;
  const char *path = (*argv)[1];
  if (!path || !*path)
    {
      set_usage_error (error, "cannot check: the directory is missing");
      return EXIT_USAGE;
    }
  g_autoptr (ReelCheckpointReport) report = reel_checkpoint_verify (path, error);
  if (!report)
    return EXIT_FAILED;
  if (options.json)
    print_json (report, path);
  else
    print_sentences (report, path);
  return report->faults->len > 0 ? EXIT_DAMAGED : EXIT_OK;
}
