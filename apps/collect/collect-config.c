/* The configuration of a run: all of its options, with the values that they came to. */
#include "collect.h"
#include "../common/json-values.h"
#include "../common/option-file.h"

#include <string.h>

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

/* The policy as it was given, with the checksum of its weights, which may change in their file. */
static char *
dup_policy (const Plan *plan)
{
  const char *text = plan->options->policy ? plan->options->policy : "random";
  g_autofree char *number = NULL;
  gint64 checksum = -1;

  if (plan->all_envs > 0)
    return reel_object_to_text (REEL_OBJECT (plan->policy)); /* some of its lanes */
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (plan->policy), "checksum"))
    g_object_get (plan->policy, "checksum", &checksum, NULL);
  number = g_strdup_printf ("%" G_GINT64_FORMAT, checksum);
  return checksum < 0 ? g_strdup (text) : reel_object_text_with_default (text, "checksum", number);
}

/* Options that say which rows a run has. The others are of one call. NULL where a text is no
   UTF-8. */
static json_t *
list_options (const Plan *plan)
{
  json_t *options = json_object ();
  g_autofree char *policy = dup_policy (plan);

  add (options, "env", plan->env_text);
  add_number (options, "num-envs", plan->n_envs);
  add_number (options, "seed", plan->seed);
  if (plan->actions)
    add (options, "actions", plan->actions);
  else
    add (options, "policy", policy);
  add (options, "collector", plan->collector);
  add_number (options, "frames-per-batch", plan->frames_per_batch);
  if (plan->frames >= 0)
    add_number (options, "frames", plan->frames);
  if (plan->episodes > 0)
    add_number (options, "episodes", plan->episodes);
  add (options, "storage", plan->storage);
  add_number (options, "ndim", plan->ndim);
  add_number (options, "capacity", plan->capacity);
  return options;
}

static gboolean
keep (ReelReplayBuffer *buffer, json_t *options, GError **error)
{
  g_autofree char *text = json_dumps (options, JSON_COMPACT | JSON_SORT_KEYS);

  json_decref (options);
  return reel_replay_buffer_set_info (buffer, OPTION_FILE_RECORD, text, error);
}

gboolean
plan_record (const Plan *plan, ReelReplayBuffer *buffer, GError **error)
{
  return reel_collector_record_run (buffer, plan->env, plan->policy, error)
         && keep (buffer, list_options (plan), error);
}

static json_t *
read_options (ReelReplayBuffer *buffer)
{
  g_autofree char *text = reel_replay_buffer_dup_info (buffer, OPTION_FILE_RECORD);
  json_t *options = text ? json_loads (text, 0, NULL) : NULL;

  if (json_is_object (options))
    return options;
  json_decref (options);
  return json_object ();
}

char *
config_dup_recorded (ReelReplayBuffer *buffer, const char *name)
{
  json_t *options = read_options (buffer);
  char *text = g_strdup (json_string_value (json_object_get (options, name)));

  json_decref (options);
  return text;
}

gboolean
plan_record_end (const Plan *plan, ReelReplayBuffer *buffer, GError **error)
{
  json_t *options = read_options (buffer);

  json_object_del (options, "frames");
  json_object_del (options, "episodes");
  if (plan->frames >= 0)
    add_number (options, "frames", plan->begun_at + plan->frames);
  if (plan->episodes > 0)
    add_number (options, "episodes", plan->episodes);
  return keep (buffer, options, error);
}

void
plan_print_config (const Plan *plan)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  json_t *options = list_options (plan), *value;
  const char *name;

  json_object_foreach (options, name, value)
      g_key_file_set_string (file, option_file_program, name, json_string_value (value));
  json_decref (options);
  g_autofree char *text = g_key_file_to_data (file, NULL, NULL);
  g_print ("%s", text);
}
