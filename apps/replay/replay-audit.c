/* replay audit: whether a sampler draws what its definition says. */
#include "audit.h"
#include "chi-square.h"
#include "../common/free-memory.h"
#include "../common/json-values.h"
#include "replay-directories.h"
#include "source-sampler.h"
#include "replay.h"
#include "../common/text-table.h"

#include <stdio.h>

#define MOST_ROWS (G_MAXINT64 / 64)
#define LEAST_P 1e-6
#define N_LINES 8 /* of a table */

static struct
{
  char *sampler;
  char *batch_size;
  char *batches;
  char *seed;
  gboolean json;
  gboolean read_only;
} options;

static const GOptionEntry entries[] = {
  { "sampler", 0, 0, G_OPTION_ARG_STRING, &options.sampler,
    "sampler to test, such as slice:num-slices=8 (random)", "ID[:NAME=VALUE,...]" },
  { "batch-size", 0, 0, G_OPTION_ARG_STRING, &options.batch_size, "rows of a batch (256)", "N" },
  { "batches", 0, 0, G_OPTION_ARG_STRING, &options.batches, "how many batches (1000)", "N" },
  { "seed", 0, 0, G_OPTION_ARG_STRING, &options.seed, "seed of the sampler (0)", "N" },
  OPTIONS_PLUGIN,
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print one JSON object", NULL },
  { "read-only", 0, 0, G_OPTION_ARG_NONE, &options.read_only, "change nothing in DIR", NULL },
  { NULL },
};

/* Some neighbours of a tally. */
typedef struct
{
  gint64 first;
  gint64 last;
  double expected;
  gint64 seen;
} Line;

static Line
tally_line (const Tally *tally, gint64 n_drawn, gint64 i)
{
  gint64 n_lines = MIN (N_LINES, tally->n);
  gint64 first = (gint64) ((double) tally->n * (double) i / (double) n_lines);
  gint64 end = (gint64) ((double) tally->n * (double) (i + 1) / (double) n_lines);
  Line line = { .first = first, .last = end - 1 };

  for (gint64 k = first; k < end; k++)
    {
      line.expected += tally->chances[k] * (double) n_drawn;
      line.seen += tally->seen[k];
    }
  return line;
}

static ChiSquare
test_tally (const Tally *tally)
{
  return chi_square_test (tally->chances, tally->seen, tally->n);
}

static gboolean
is_as_defined (const Audit *audit)
{
  for (guint i = 0; i < audit->n_tallies; i++)
    if (test_tally (&audit->tallies[i]).p < LEAST_P)
      return FALSE;
  return audit->n_twice == 0 && audit->n_missed == 0;
}

/* ---- showing ---- */

static json_t *
json_tally (const Tally *tally, gint64 n_drawn)
{
  ChiSquare test = test_tally (tally);
  json_t *lines = json_array ();

  for (gint64 i = 0; i < MIN (N_LINES, tally->n); i++)
    {
      Line line = tally_line (tally, n_drawn, i);
      json_array_append_new (lines,
                             json_pack ("{s:I, s:I, s:f, s:I}", "first", (json_int_t) line.first,
                                        "last", (json_int_t) line.last, "expected", line.expected,
                                        "seen", (json_int_t) line.seen));
    }
  return json_pack ("{s:s, s:I, s:I, s:o, s:I, s:f, s:o}", "of", tally->name, "categories",
                    (json_int_t) tally->n, "bins", (json_int_t) test.n_bins, "chi_square",
                    json_from_double (test.statistic), "degrees", (json_int_t) test.n_bins - 1, "p",
                    test.p, "table", lines);
}

static void
print_json (const Audit *audit, const char *sampler)
{
  json_t *tests = json_array ();

  for (guint i = 0; i < audit->n_tallies; i++)
    json_array_append_new (tests, json_tally (&audit->tallies[i], audit->n_drawn));
  json_print (
      json_pack ("{s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "sampler", sampler, "as_defined",
                 is_as_defined (audit), "batches", (json_int_t) audit->n_batches, "batch_size",
                 (json_int_t) audit->batch_size, "drawn", (json_int_t) audit->n_drawn, "passes",
                 (json_int_t) audit->n_passes, "twice", (json_int_t) audit->n_twice, "missed",
                 (json_int_t) audit->n_missed, "tests", tests));
}

static void
print_tally (const Tally *tally, gint64 n_drawn)
{
  ChiSquare test = test_tally (tally);
  g_autoptr (TextTable) table = text_table_new ("rrr");
  g_autofree char *count = format_count (tally->n), *bins = format_count (test.n_bins);

  text_table_add (table, g_strdup (tally->name), g_strdup ("expected"), g_strdup ("seen"));
  for (gint64 i = 0; i < MIN (N_LINES, tally->n); i++)
    {
      Line line = tally_line (tally, n_drawn, i);
      text_table_add (
          table,
          g_strdup_printf ("%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, line.first, line.last + 1),
          g_strdup_printf ("%.1f", line.expected), format_count (line.seen));
    }
  g_autofree char *text = text_table_render (table, 2);
  g_print ("\n%s %s in %s bins: chi-square %.1f, p %.3g\n%s", count, tally->name, bins,
           test.statistic, test.p, text);
}

static void
print_text (const Audit *audit, const char *sampler)
{
  g_autofree char *drawn = format_count (audit->n_drawn);

  g_print ("sampler  %s\ndrawn    %s %s in %" G_GINT64_FORMAT " batches of %" G_GINT64_FORMAT "\n",
           sampler, drawn, audit->tallies[0].name, audit->n_batches, audit->batch_size);
  if (audit->n_passes > 0 || audit->n_twice > 0)
    g_print ("passes   %" G_GINT64_FORMAT ", in which %" G_GINT64_FORMAT
             " came too often and %" G_GINT64_FORMAT " too seldom\n",
             audit->n_passes, audit->n_twice, audit->n_missed);
  for (guint i = 0; i < audit->n_tallies; i++)
    print_tally (&audit->tallies[i], audit->n_drawn);
  g_print ("\n%s\n", is_as_defined (audit)
                         ? "as defined"
                         : "not as defined: a p below 1e-6, or drawn too often or too seldom");
}

/* ---- running ---- */

static int
run (ReelReplayBuffer *buffer, gint64 batch_size, gint64 n_batches, GError **error)
{
  g_auto (Audit) audit = { .storage = reel_replay_buffer_get_storage (buffer),
                           .sampler = sampler_from_text (options.sampler, options.seed, error),
                           .batch_size = batch_size,
                           .n_batches = n_batches };

  if (!audit.sampler)
    return EXIT_FAILED;
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (audit.sampler));
  if (!free_memory_check ("--batch-size", batch_size * 64, error) || !audit_prepare (&audit, error)
      || !audit_draw (&audit, error))
    return EXIT_FAILED;
  (options.json ? print_json : print_text) (&audit, text);
  return is_as_defined (&audit) ? EXIT_OK : EXIT_FAILED;
}

int
replay_audit (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("DIR - test a sampler against its definition");
  gint64 batch_size, n_batches;

  g_option_context_set_summary (
      context, "Draws batches and counts each row, or each trajectory and each start of a slice in "
               "it.\nThe p of a test is the chance of counts at least as far from the expected "
               "ones. Below 1e-6 the exit status is 1.");
  if (!options_parse (context, entries, argv, error) || !options_check_words (*argv + 1, 1, error)
      || !options_parse_number ("batch-size", options.batch_size, 1, MOST_ROWS, 256, &batch_size,
                                error)
      || !options_parse_number ("batches", options.batches, 1, MOST_ROWS, 1000, &n_batches, error))
    return EXIT_USAGE;
  g_autoptr (ReelReplayBuffer) buffer = replay_open (*argv + 1, options.read_only, error);
  if (!buffer || !replay_check_ended (buffer, (*argv)[1], error))
    return EXIT_FAILED;
  return run (buffer, batch_size, n_batches, error);
}
