/* replay sample: draw batches, show them or keep them. */
#include "../common/free-memory.h"
#include "../common/escaped-text.h"
#include "../common/interrupt.h"
#include "../common/json-values.h"
#include "replay-directories.h"
#include "replay.h"
#include "source.h"

#include <stdio.h>

#define MOST_ROWS (G_MAXINT64 / 2)
#define MOST_AHEAD 1024

static struct
{
  char *sampler;
  char *transform;
  char *batch_size;
  char *batches;
  char *seed;
  char *prefetch;
  char *offline;
  char *offline_fraction;
  char *out;
  gboolean json;
  gboolean read_only;
} options;

static const GOptionEntry entries[] = {
  { "sampler", 0, 0, G_OPTION_ARG_STRING, &options.sampler,
    "sampler of rows, such as slice:num-slices=8 (that of DIR, else random)",
    "ID[:NAME=VALUE,...]" },
  { "transform", 0, 0, G_OPTION_ARG_STRING, &options.transform,
    "transforms of batches, such as exclude:keys=[collector]|cat-frames:n=4", "CHAIN" },
  { "batch-size", 0, 0, G_OPTION_ARG_STRING, &options.batch_size,
    "rows of a batch (that of DIR, else 256)", "N" },
  { "batches", 0, 0, G_OPTION_ARG_STRING, &options.batches, "how many batches (1)", "N" },
  { "seed", 0, 0, G_OPTION_ARG_STRING, &options.seed, "seed of the sampler (that of DIR)", "N" },
  { "prefetch", 0, 0, G_OPTION_ARG_STRING, &options.prefetch, "batches that threads draw ahead (0)",
    "N" },
  { "offline", 0, 0, G_OPTION_ARG_FILENAME, &options.offline,
    "mix rows of directory OLD into each batch", "OLD" },
  { "offline-fraction", 0, 0, G_OPTION_ARG_STRING, &options.offline_fraction,
    "fraction of a batch from OLD (0.5)", "F" },
  { "out", 0, 0, G_OPTION_ARG_FILENAME, &options.out,
    "directory to make, with each batch as a memory-mapped TensorDict", "OUT" },
  OPTIONS_PLUGIN,
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json,
    "print each batch, or a summary of OUT, as a JSON object on a line", NULL },
  { "read-only", 0, 0, G_OPTION_ARG_NONE, &options.read_only, "change nothing in DIR", NULL },
  { NULL },
};

/* The options. */
typedef struct
{
  Source source;
  gint64 batch_size; /* 0 where it does not say */
  gint64 n_batches;
  gint64 n_ahead;
  double offline_fraction;
} Request;

/* Memory is promised long before it is there: who takes more than there is gets killed. */
static gboolean
check_memory (const Request *request, GError **error)
{
  g_autofree char *what = g_strdup_printf ("--batch-size %" G_GINT64_FORMAT, request->batch_size);
  gint64 bytes;

  if (__builtin_mul_overflow (request->batch_size, request->source.row_bytes, &bytes)
      || __builtin_mul_overflow (bytes, MAX (request->source.demand, 1), &bytes)
      || __builtin_mul_overflow (bytes, request->n_ahead + 1, &bytes))
    bytes = G_MAXINT64;
  return free_memory_check (what, bytes, error);
}

static void
print_batch (const ReelTensordict *batch)
{
  if (options.json)
    json_print_tensordict (batch);
  else
    {
      g_autofree char *printed = reel_tensordict_to_string (batch);
      g_print ("%s\n", printed);
    }
}

static gboolean
print_batches (const Request *request, GError **error)
{
  g_autoptr (ReelTensordict) batch = NULL;

  for (gint64 i = 0; i < request->n_batches && !ferror (stdout); i++)
    {
      if (!request->source.draw (request->source.object, request->batch_size, &batch, error))
        return FALSE;
      print_batch (batch);
    }
  return TRUE;
}

/* No more batches after an interrupt. */
static gboolean
draw_until_interrupt (gpointer source, gint64 batch_size, ReelTensordict **batch, GError **error)
{
  const Source *from = source;

  if (!interrupt_came ())
    return from->draw (from->object, batch_size, batch, error);
  g_clear_pointer (batch, reel_tensordict_unref);
  return TRUE;
}

static void
print_saved (const Request *request, gint64 n_batches, gint64 n_rows)
{
  g_autofree char *name = g_filename_display_name (options.out); /* JSON is UTF-8 */

  if (options.json)
    json_print (json_pack ("{s:s, s:s, s:I, s:I}", "path", name, "sampler", request->source.sampler,
                           "batches", (json_int_t) n_batches, "rows", (json_int_t) n_rows));
  else
    escaped_text_print_path (options.out);
}

static gboolean
save_batches (const Request *request, GError **error)
{
  gint64 n_batches = request->n_batches, n_rows;

  interrupt_watch (NULL, NULL);
  if (!reel_batches_save (draw_until_interrupt, (gpointer) &request->source, request->batch_size,
                          &n_batches, options.out, &n_rows, error))
    return FALSE;
  if (interrupt_came ())
    g_printerr ("replay: interrupted after %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " batches\n",
                n_batches, request->n_batches);
  if (n_batches > 0)
    print_saved (request, n_batches, n_rows);
  return TRUE;
}

static gboolean
run (Request *request, char **words, GError **error)
{
  const SourceOptions how = { options.sampler,           options.transform, options.seed,
                              request->batch_size,       request->n_ahead,  options.offline,
                              request->offline_fraction, options.read_only };

  if (!source_open (&request->source, words[0], &how, error))
    return FALSE;
  request->batch_size = request->source.batch_size;
  return check_memory (request, error)
         && source_prefetch (&request->source, request->n_ahead, error)
         && (options.out ? save_batches : print_batches) (request, error);
}

int
replay_sample (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("DIR - draw batches");
  Request request = { 0 };

  if (!options_parse (context, entries, argv, error) || !options_check_words (*argv + 1, 1, error)
      || !options_parse_number ("batch-size", options.batch_size, 1, MOST_ROWS, 0,
                                &request.batch_size, error)
      || !options_parse_number ("batches", options.batches, 1, MOST_ROWS, 1, &request.n_batches,
                                error)
      || !options_parse_number ("prefetch", options.prefetch, 0, MOST_AHEAD, 0, &request.n_ahead,
                                error)
      || !options_parse_double ("offline-fraction", options.offline_fraction, 0.5,
                                &request.offline_fraction, error))
    return EXIT_USAGE;
  if (options.out && !replay_check_directory_name (options.out, error))
    return EXIT_USAGE;
  if (!options.offline && options.offline_fraction)
    {
      set_usage_error (
          error, "cannot use --offline-fraction without --offline: name the directory of old rows");
      return EXIT_USAGE;
    }
  gboolean done = run (&request, *argv + 1, error);
  source_clear (&request.source);
  if (!done)
    return EXIT_FAILED;
  return interrupt_status ();
}
