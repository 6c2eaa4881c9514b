/* replay check: whether stored rows are inside their specs. */
#include "../common/env-specs.h"
#include "../common/json-values.h"
#include "replay-directories.h"
#include "replay.h"

#include <stdio.h>

static struct
{
  char *spec;
  char *env;
  gboolean json;
  gboolean read_only;
} options;

static const GOptionEntry entries[] = {
  { "spec", 0, 0, G_OPTION_ARG_STRING, &options.spec,
    "spec of a row, such as composite:action=(one-hot:n=2,dtype=int64)", "TEXT" },
  { "env", 0, 0, G_OPTION_ARG_STRING, &options.env,
    "environment with the specs, such as CartPole-v1", "ID[:NAME=VALUE,...]" },
  OPTIONS_PLUGIN,
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print one JSON object", NULL },
  { "read-only", 0, 0, G_OPTION_ARG_NONE, &options.read_only, "change nothing in DIR", NULL },
  { NULL },
};

/* The findings, for either output. */
typedef struct
{
  ReelReplayBuffer *buffer;
  const ReelSpec *spec;
  gint64 n_rows;
  const ReelRowFault *fault;
} Result;

/* ---- which spec ---- */

static ReelSpec *
spec_of_text (GError **error)
{
  g_autoptr (ReelSpec) spec = reel_spec_new_from_text (options.spec, error);

  if (!spec)
    g_prefix_error (error, "--spec: ");
  else if (!reel_spec_is_composite (spec))
    {
      set_usage_error (error, "--spec must be a composite of the stored keys, such as "
                              "composite:action=(one-hot:n=2,dtype=int64)");
      return NULL;
    }
  return g_steal_pointer (&spec);
}

static ReelSpec *
spec_of_env (GError **error)
{
  gint64 lanes;
  g_autoptr (ReelSpec) spec = env_specs_from_text (options.env, &lanes, error);

  if (spec && reel_spec_contains_lazy (spec))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "cannot check rows: the lanes of %s have unlike specs, and rows have one",
                   options.env);
      return NULL;
    }
  return spec ? reel_env_spec_to_rows (spec, error) : NULL;
}

static ReelSpec *
spec_of_buffer (ReelReplayBuffer *buffer, const char *path, GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autoptr (ReelSpec) spec = reel_replay_buffer_dup_specs (buffer, &reason);

  if (spec)
    return reel_env_spec_to_rows (spec, error);
  if (g_error_matches (reason, REEL_ERROR, REEL_ERROR_RUNTIME))
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "%s: %s: name them by --env ID or --spec TEXT", path, reason->message);
  else
    g_propagate_prefixed_error (error, g_steal_pointer (&reason), "%s: ", path);
  return NULL;
}

static ReelSpec *
choose_spec (ReelReplayBuffer *buffer, const char *path, GError **error)
{
  if (options.spec)
    return spec_of_text (error);
  return options.env ? spec_of_env (error) : spec_of_buffer (buffer, path, error);
}

/* ---- showing ---- */

/* Keys that are stored and not in the spec, or the reverse. */
static json_t *
list_keys (const Result *result, gboolean in_spec)
{
  json_t *keys = json_array ();
  guint n;
  const ReelColumn *columns =
      reel_storage_get_columns (reel_replay_buffer_get_storage (result->buffer), &n);

  for (guint i = 0; i < n; i++)
    if (in_spec == (reel_spec_get (result->spec, columns[i].path, NULL) != NULL))
      json_array_append_new (keys, json_string (columns[i].path));
  return keys;
}

static json_t *
json_fault (const ReelRowFault *fault)
{
  if (!fault)
    return json_null ();
  return json_pack ("{s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:s}", "row",
                    json_count_or_null (fault->row), "step", json_count_or_null (fault->step),
                    "lane", json_count_or_null (fault->lane), "key", fault->path, "element",
                    json_string_or_null (fault->element), "value",
                    json_string_or_null (fault->value), "bound", json_string_or_null (fault->bound),
                    "message", fault->message);
}

static void
print_json (const Result *result)
{
  json_print (json_pack ("{s:b, s:I, s:o, s:o, s:o}", "inside", result->fault == NULL, "rows",
                         (json_int_t) result->n_rows, "keys", list_keys (result, TRUE), "unchecked",
                         list_keys (result, FALSE), "first", json_fault (result->fault)));
}

static void
print_sentence (const Result *result)
{
  const ReelRowFault *fault = result->fault;
  json_t *keys = list_keys (result, TRUE), *unchecked = list_keys (result, FALSE);
  const json_t *key;
  gsize i;

  if (fault && fault->row >= 0)
    g_print ("row %" G_GINT64_FORMAT " (step %" G_GINT64_FORMAT ", lane %" G_GINT64_FORMAT
             "): %s element %s %s\n",
             fault->row, fault->step, fault->lane, fault->path, fault->element, fault->message);
  else if (fault)
    g_print ("%s: %s\n", fault->path, fault->message);
  else
    g_print ("%" G_GINT64_FORMAT " rows of %" G_GSIZE_FORMAT " keys are inside their specs\n",
             result->n_rows, json_array_size (keys));
  json_array_foreach (unchecked, i, key)
      g_print ("%s%s", i == 0 ? "not in the specs: " : ", ", json_string_value (key));
  if (json_array_size (unchecked) > 0)
    g_print ("\n");
  json_decref (keys);
  json_decref (unchecked);
}

static int
check (ReelReplayBuffer *buffer, const ReelSpec *spec, GError **error)
{
  Result result = { .buffer = buffer, .spec = spec };
  g_autoptr (ReelRowFault) fault = NULL;

  if (!reel_replay_buffer_check_rows (buffer, spec, &result.n_rows, &fault, error))
    return EXIT_FAILED;
  result.fault = fault;
  if (options.json)
    print_json (&result);
  else
    print_sentence (&result);
  return fault ? EXIT_DAMAGED : EXIT_OK;
}

int
replay_check (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("DIR - compare every row with its spec");

  g_option_context_set_summary (
      context, "Names the first row outside its spec, in order of time, and exits with 3.");
  if (!options_parse (context, entries, argv, error) || !options_check_words (*argv + 1, 1, error))
    return EXIT_USAGE;
  if (options.spec && options.env)
    {
      set_usage_error (error, "--spec and --env cannot be used together");
      return EXIT_USAGE;
    }
  g_autoptr (ReelReplayBuffer) buffer = replay_open (*argv + 1, options.read_only, error);
  if (!buffer)
    return EXIT_FAILED;
  g_autoptr (ReelSpec) spec = choose_spec (buffer, (*argv)[1], error);
  return spec ? check (buffer, spec, error) : EXIT_FAILED;
}
