/* The configuration of a run: all of its options, with the values that they came to. */
#include "config.h"

#include "../common/option-file.h"
#include "plan.h"

#include <math.h>
#include <string.h>

/* Options of one call, and one that is of the name of the run. */
static const char *const of_a_call[] = { "config", "resume",       "out", "threads",
                                         "quiet",  "print-config", NULL };

static gboolean
has_option (const Plan *plan, const char *name)
{
  return options_find_entry (plan->options->entries, name) != NULL;
}

/* ---- samplers ---- */

gboolean
plan_has_priorities (const Plan *plan)
{
  const char *text = plan->options->sampler;

  return text
         && (g_str_has_prefix (text, "prioritized")
             || g_str_has_prefix (text, "PrioritizedSampler"));
}

char *
plan_dup_sampler (const Plan *plan)
{
  const char *text = plan->options->sampler;
  g_autofree char *alpha = NULL;

  if (!plan_has_priorities (plan))
    return g_strdup (text ? text : "random");
  alpha = reel_object_text_with_default (text, "alpha", "0.6");
  return reel_object_text_with_default (alpha, "beta", "0.4");
}

/* ---- values ---- */

static void
add (json_t *options, const char *name, const char *text)
{
  json_object_set_new (options, name, json_string (text));
}

static void
add_number (json_t *options, const char *name, gint64 value)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, value);

  add (options, name, text);
}

/* A short text of the number, which gives the same again. */
static void
add_real (json_t *options, const char *name, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  gint digits = 6;

  do
    g_snprintf (text, sizeof text, "%.*g", digits, value);
  while (digits++ < 17 && g_ascii_strtod (text, NULL) != value);
  add (options, name, text);
}

/* Options that were given, also those that are of one learner alone. */
static void
add_given (const Plan *plan, json_t *options)
{
  for (const GOptionEntry *entry = plan->options->entries; entry->long_name; entry++)
    if (g_strv_contains (of_a_call, entry->long_name))
      continue;
    else if (entry->arg == G_OPTION_ARG_STRING && *(char **) entry->arg_data)
      add (options, entry->long_name, *(char **) entry->arg_data);
    else if (entry->arg == G_OPTION_ARG_NONE && *(gboolean *) entry->arg_data)
      add (options, entry->long_name, "true");
}

static void
add_settings (const Plan *plan, json_t *options)
{
  const Setting *settings = plan->class->settings;

  for (guint i = 0; settings[i].name; i++)
    {
      double value = plan->learner->values[i];

      if (settings[i].kind == SETTING_SWITCH)
        add (options, settings[i].name, value != 0 ? "true" : "false");
      else if (settings[i].kind == SETTING_INTEGER)
        add_number (options, settings[i].name, (gint64) value);
      else
        add_real (options, settings[i].name, value);
    }
}

static void
add_network (const Plan *plan, json_t *options)
{
  const Learner *learner = plan->learner;
  g_autoptr (GString) widths = g_string_new (NULL);

  for (guint i = 0; i < learner->n_hidden; i++)
    g_string_append_printf (widths, "%s%d", i ? "," : "", learner->widths[i]);
  add (options, "hidden", widths->str);
  add (options, "activation", learner->activation == ACTIVATION_TANH ? "tanh" : "relu");
}

/* From wherever the options are used again. */
static void
add_data (const Plan *plan, json_t *options)
{
  json_t *list = json_array ();

  for (char **path = plan->options->data; *path; path++)
    {
      g_autofree char *whole = g_canonicalize_filename (*path, NULL);

      json_array_append_new (list, json_string (whole));
    }
  json_object_set_new (options, "data", list);
}

json_t *
plan_list_options (const Plan *plan)
{
  gboolean data = plan->class->source == LEARN_FROM_DATA;
  json_t *options = json_object ();

  add_given (plan, options);
  add (options, "env", plan->base_text);
  add_number (options, "seed", plan->seed);
  add_number (options, data ? "max-updates" : "frames", plan->total);
  if (data)
    add_data (plan, options);
  else
    add_number (options, "num-envs", reel_env_get_num_envs (plan->env));
  if (!data && has_option (plan, "sampler"))
    {
      g_autofree char *sampler = plan_dup_sampler (plan);
      add (options, "sampler", sampler);
    }
  add_network (plan, options);
  add_settings (plan, options);
  add_number (options, "eval-every", plan->eval_every);
  add_number (options, "eval-episodes", plan->n_eval_episodes);
  add_number (options, "log-every", plan->log_every);
  add_number (options, "checkpoint-every", plan->checkpoint_every);
  if (isfinite (plan->stop_at))
    add_real (options, "stop-at", plan->stop_at);
  return options;
}

/* Texts with ; between them. */
static char *
join (const json_t *value)
{
  GString *text = g_string_new (json_string_value (value));

  for (gsize i = 0; i < json_array_size (value); i++)
    g_string_append_printf (text, "%s%s", i ? ";" : "",
                            json_string_value (json_array_get (value, i)));
  return g_string_free (text, FALSE);
}

void
plan_print_config (const Plan *plan)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  json_t *options = plan_list_options (plan);

  for (void *at = json_object_iter (options); at; at = json_object_iter_next (options, at))
    {
      g_autofree char *text = join (json_object_iter_value (at));

      g_key_file_set_string (file, option_file_program, json_object_iter_key (at), text);
    }
  json_decref (options);
  g_autofree char *text = g_key_file_to_data (file, NULL, NULL);
  g_print ("%s", text);
}

/* ---- the run that is resumed ---- */

static void
refuse (const Plan *plan, const char *name, const json_t *ours, const json_t *theirs,
        GError **error)
{
  g_autofree char *now = join (ours), *before = join (theirs);

  if (!theirs)
    set_usage_error (error, "cannot resume %s with --%s %s: the run has none", plan->path, name,
                     now);
  else
    set_usage_error (error, "cannot resume %s with --%s %s: the run has %s", plan->path, name, now,
                     before);
}

/* Environments are compared by what their texts come to; checkpoints and films change no run. */
static gboolean
check_options (const Plan *plan, const json_t *recorded, json_t *options, GError **error)
{
  static const char *const others[] = { "env",    "transform",    "checkpoint-every",
                                        "videos", "video-format", NULL };
  const json_t *before = json_object_get (recorded, OPTION_FILE_RECORD);

  for (void *at = json_object_iter (options); at; at = json_object_iter_next (options, at))
    {
      const char *name = json_object_iter_key (at);
      const json_t *theirs = json_object_get (before, name);

      if (g_strv_contains (others, name) || json_equal (json_object_iter_value (at), theirs))
        continue;
      refuse (plan, name, json_object_iter_value (at), theirs, error);
      return FALSE;
    }
  return TRUE;
}

static gboolean
check_env (const Plan *plan, const json_t *recorded, GError **error)
{
  const char *before = json_string_value (json_object_get (recorded, "env"));
  g_autofree char *now = reel_object_to_text (REEL_OBJECT (plan->env));

  if (g_strcmp0 (before, now) == 0)
    return TRUE;
  set_usage_error (error, "cannot resume %s with the environment %s: the run has %s", plan->path,
                   now, before ? before : "none");
  return FALSE;
}

static gboolean
check_version (const Plan *plan, const json_t *recorded, GError **error)
{
  const json_t *versions = json_object_get (recorded, "versions");
  const char *before = json_string_value (json_object_get (versions, "reel"));

  if (g_strcmp0 (before, PACKAGE_VERSION) == 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "cannot resume %s: version %s began it, and this is " PACKAGE_VERSION
               ", which may learn otherwise; --config %s begins it again",
               plan->path, before ? before : "none", plan->path);
  return FALSE;
}

gboolean
plan_check_resumed (const Plan *plan, GError **error)
{
  g_autofree char *path = g_build_filename (plan->path, OPTION_FILE_CONFIG, NULL);
  json_t *recorded = json_load_file (path, 0, NULL), *options = plan_list_options (plan);
  gboolean same = check_version (plan, recorded, error)
                  && check_options (plan, recorded, options, error)
                  && check_env (plan, recorded, error);

  json_decref (recorded);
  json_decref (options);
  return same;
}
