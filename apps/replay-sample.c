/* replay sample: draw a batch. */
#include "free-memory.h"
#include "json-values.h"
#include "replay.h"

#include <stdio.h>

#define MOST_ROWS (G_MAXINT64 / 2)

static struct
{
  char *batch_size;
  char *seed;
  gboolean json;
  gboolean read_only;
} options;

static const GOptionEntry entries[] = {
  { "batch-size", 'b', 0, G_OPTION_ARG_STRING, &options.batch_size, "rows to draw (256)", "N" },
  { "seed", 's', 0, G_OPTION_ARG_STRING, &options.seed, "seed of the sampler (0)", "N" },
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print the values as one JSON object", NULL },
  { "read-only", 0, 0, G_OPTION_ARG_NONE, &options.read_only, "change nothing in the directory",
    NULL },
  { NULL },
};

/* Memory is promised long before it is there: who takes more than there is gets killed. */
static gboolean
check_memory (ReelReplayBuffer *buffer, gint64 batch_size, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  gsize row_bytes = (gsize) reel_storage_get_ndim (storage) * sizeof (gint64); /* its index */
  g_autofree char *what = g_strdup_printf ("--batch-size %" G_GINT64_FORMAT, batch_size);
  gint64 bytes;
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);

  for (guint i = 0; i < n; i++)
    row_bytes += columns[i].row_bytes;
  if (__builtin_mul_overflow (batch_size, row_bytes, &bytes))
    bytes = G_MAXINT64;
  return free_memory_check (what, bytes, error);
}

int
replay_sample (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("DIR - draw a uniform batch");
  gint64 batch_size, seed;

  if (!options_parse (context, entries, NULL, argv, error)
      || !options_check_words (*argv + 1, 1, error)
      || !options_parse_number ("batch-size", options.batch_size, 1, MOST_ROWS, 256, &batch_size,
                                error)
      || !options_parse_number ("seed", options.seed, 0, G_MAXINT64 / 2, 0, &seed, error))
    return EXIT_USAGE;
  g_autoptr (ReelReplayBuffer) buffer = replay_open (*argv + 1, options.read_only, error);
  if (!buffer)
    return EXIT_FAILED;

  g_autofree char *text = g_strdup_printf ("random:seed=%" G_GINT64_FORMAT, seed);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, text, error, NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  if (!sampler || !check_memory (buffer, batch_size, error)
      || !reel_replay_buffer_sample_with (buffer, sampler, batch_size, &batch, error))
    return EXIT_FAILED;
  if (options.json)
    json_print_tensordict (batch);
  else
    {
      g_autofree char *printed = reel_tensordict_to_string (batch);
      printf ("%s\n", printed);
    }
  return EXIT_OK;
}
