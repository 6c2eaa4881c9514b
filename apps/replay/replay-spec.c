/* replay spec: the specs of an environment, or of what a directory was collected from. */
#include "../common/env-specs.h"
#include "../common/json-values.h"
#include "../common/saved-batches.h"
#include "replay.h"

#include <stdio.h>
#include <string.h>

static struct
{
  gboolean text;
  gboolean json;
  gboolean rows;
} options;

static const GOptionEntry entries[] = {
  { "text", 0, 0, G_OPTION_ARG_NONE, &options.text,
    "print each spec on one line, in the form that Reel reads", NULL },
  OPTIONS_PLUGIN,
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print one JSON object", NULL },
  { "rows", 0, 0, G_OPTION_ARG_NONE, &options.rows,
    "print the spec of a stored row, the form of replay check --spec", NULL },
  { NULL },
};

/* The last two are those of a policy that declares any. */
static const char *const parts[] = { "observation", "action",        "reward",
                                     "done",        "policy_output", "policy_state" };

static gboolean
print_rows (const ReelSpec *spec, GError **error)
{
  g_autofree char *text = NULL;

  if (options.json)
    text = reel_spec_to_json (spec, error);
  else
    text = options.text ? reel_spec_to_text (spec) : reel_spec_to_string (spec);
  if (text)
    g_print ("%s\n", text);
  return text != NULL;
}

static gboolean
print_json (const ReelSpec *spec, GError **error)
{
  json_t *object = json_object ();

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      const ReelSpec *part = reel_env_spec_get_part (spec, parts[i]);
      g_autofree char *json = part ? reel_spec_to_json (part, error) : NULL;

      if (!part)
        continue;
      if (!json)
        {
          json_decref (object);
          return FALSE;
        }
      json_object_set_new (object, parts[i], json_loads (json, 0, NULL));
    }
  json_print (object);
  return TRUE;
}

static void
print_texts (const ReelSpec *spec)
{
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      const ReelSpec *part = reel_env_spec_get_part (spec, parts[i]);
      g_autofree char *text = part ? reel_spec_to_text (part) : NULL;

      if (part)
        g_print ("%-11s  %s\n", parts[i], text);
    }
}

static void
print_whole (const ReelSpec *spec)
{
  g_autofree char *text = reel_spec_to_string (spec);
  g_print ("%s\n", text);
}

static gboolean
print_specs (const ReelSpec *spec, GError **error)
{
  if (options.rows)
    {
      g_autoptr (ReelSpec) rows = reel_env_spec_to_rows (spec, error);
      return rows && print_rows (rows, error);
    }
  if (options.json)
    return print_json (spec, error);
  if (options.text)
    print_texts (spec);
  else
    print_whole (spec);
  return TRUE;
}

static ReelSpec *
env_specs_named (const char *word, gint64 *lanes, GError **error)
{
  ReelSpec *spec = env_specs_from_text (word, lanes, error);

  /* A text with properties was not meant as a directory. */
  if (!spec && !strchr (word, ':'))
    g_prefix_error (error, "there is no directory \"%s\", and ", word);
  return spec;
}

/* A slash in the properties of a text is that of one of them. */
static gboolean
is_path (const char *word)
{
  return g_file_test (word, G_FILE_TEST_EXISTS) || word[strcspn (word, "/:")] == '/';
}

/* ---- rows that no environment is known of ---- */

static ReelSpec *
describe_leaf (const ReelTensor *leaf, gint n_dims, GError **error)
{
  return leaf->dtype == REEL_DTYPE_BOOL
             ? reel_binary_spec_new (leaf->dtype, leaf->ndim - n_dims, leaf->shape + n_dims, error)
             : reel_unbounded_spec_new (leaf->dtype, leaf->ndim - n_dims, leaf->shape + n_dims,
                                        error);
}

/* A spec of what a row contains: types and shapes, any values. */
static ReelSpec *
describe_level (const ReelTensordict *rows, gint n_dims, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  g_autoptr (GPtrArray) specs = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_spec_unref);
  ReelTensordictIter iter;
  const char *key;
  ReelTensor *leaf;
  ReelTensordict *below;

  reel_tensordict_iter_init (&iter, rows);
  while (reel_tensordict_iter_next (&iter, &key, &leaf, &below))
    {
      ReelSpec *spec = leaf    ? describe_leaf (leaf, n_dims, error)
                       : below ? describe_level (below, n_dims, error)
                               : NULL;

      if (!spec && (leaf || below))
        return NULL;
      if (!spec)
        continue;
      g_ptr_array_add (keys, (gpointer) key);
      g_ptr_array_add (specs, spec);
    }
  return reel_composite_spec_new (0, NULL, (const char *const *) keys->pdata,
                                  (ReelSpec *const *) specs->pdata, keys->len, error);
}

static int
print_dataset (const char *path, GError **error)
{
  g_autoptr (ReelReplayBuffer) buffer = saved_batches_open (path, error);
  g_autoptr (ReelSpec) spec = NULL;

  if (!buffer)
    return EXIT_FAILED;
  if (!options.rows)
    {
      set_usage_error (error,
                       "%s contains rows alone, and does not name their environment: --rows prints "
                       "the types and shapes of its keys",
                       path);
      return EXIT_USAGE;
    }
  spec = describe_level (reel_storage_get_data (reel_replay_buffer_get_storage (buffer)), 1, error);
  return spec && print_rows (spec, error) ? EXIT_OK : EXIT_FAILED;
}

/* Of all lanes, where there are several. */
static ReelSpec *
read_specs (const char *word, GError **error)
{
  g_autoptr (ReelSpec) spec = NULL;
  gint64 lanes = 1;

  if (is_path (word))
    {
      g_autoptr (GError) failure = NULL;

      spec = reel_checkpoint_read_specs (word, &lanes, &failure);
      if (g_error_matches (failure, REEL_ERROR, REEL_ERROR_RUNTIME))
        g_prefix_error (&failure, "%s: ", word);
      if (failure)
        g_propagate_error (error, g_steal_pointer (&failure));
    }
  else
    spec = env_specs_named (word, &lanes, error);
  if (!spec || lanes <= 1)
    return g_steal_pointer (&spec);
  return reel_spec_batch (spec, 1, &lanes, error);
}

int
replay_spec (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("ENV-OR-DIR - print the specs of values");

  g_option_context_set_summary (
      context, "ENV is an environment such as CartPole-v1:num-envs=4, DIR a directory that collect "
               "wrote.\nThe output is that of Python for TorchRL's env.specs.");
  if (!options_parse (context, entries, argv, error) || !options_check_words (*argv + 1, 1, error))
    return EXIT_USAGE;
  if (options.json && options.text)
    {
      set_usage_error (error, "--json and --text cannot be used together");
      return EXIT_USAGE;
    }
  if (!(*argv)[1])
    {
      set_usage_error (error, "cannot print specs: name an environment or a directory");
      return EXIT_USAGE;
    }
  if (saved_batches_are_at ((*argv)[1]))
    return print_dataset ((*argv)[1], error);
  g_autoptr (ReelSpec) spec = read_specs ((*argv)[1], error);
  return spec && print_specs (spec, error) ? EXIT_OK : EXIT_FAILED;
}
