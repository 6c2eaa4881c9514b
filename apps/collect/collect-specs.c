/* Whether the environment of a run still is what it was: by the specs that the run keeps. */
#include "collect.h"

#include <jansson.h>
#include <string.h>

/* The first difference of two JSON values: its path, where it is no empty string, and both. */
typedef struct
{
  GString *path;
  const json_t *recorded;
  const json_t *present;
} Difference;

static gboolean find_difference (Difference *self, const json_t *recorded, const json_t *present);

static gboolean
find_in (Difference *self, const char *key, const json_t *recorded, const json_t *present)
{
  gsize length = self->path->len;

  g_string_append_printf (self->path, "%s%s", length > 0 ? "/" : "", key);
  if (find_difference (self, recorded, present))
    return TRUE;
  g_string_truncate (self->path, length);
  return FALSE;
}

/* The members of both, those of the recorded one first. */
static gboolean
find_in_objects (Difference *self, const json_t *recorded, const json_t *present)
{
  const char *key;
  json_t *value;

  json_object_foreach (
      (json_t *) recorded, key,
      value) if (find_in (self, key, value, json_object_get (present, key))) return TRUE;
  json_object_foreach ((json_t *) present, key,
                       value) if (!json_object_get (recorded, key)
                                  && find_in (self, key, NULL, value)) return TRUE;
  return FALSE;
}

static gboolean
find_difference (Difference *self, const json_t *recorded, const json_t *present)
{
  if (json_is_object (recorded) && json_is_object (present))
    return find_in_objects (self, recorded, present);
  self->recorded = recorded;
  self->present = present;
  return !json_equal (recorded, present);
}

/* The value as a text, in some words. */
static char *
describe (const json_t *value)
{
  char *text = value ? json_dumps (value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
  char *words = g_strdup (text ? text : "nothing");

  if (strlen (words) > 60)
    memcpy (words + 57, "...", 4);
  free (text);
  return words;
}

/* The specs that a run of the plan would keep. */
static json_t *
list_present (const Plan *plan, GError **error)
{
  g_autoptr (ReelReplayBuffer) buffer =
      reel_replay_buffer_new_from_text ("tensor:capacity=1", NULL, 0, error);

  if (!buffer || !reel_collector_record_run (buffer, plan->env, plan->policy, error))
    return NULL;
  g_autofree char *text = reel_replay_buffer_dup_info (buffer, "specs");
  return json_loads (text, 0, NULL);
}

gboolean
plan_check_specs (const Plan *plan, ReelReplayBuffer *run, GError **error)
{
  g_autofree char *text = reel_replay_buffer_dup_info (run, "specs");
  json_t *recorded = text ? json_loads (text, 0, NULL) : NULL;
  json_t *present = recorded ? list_present (plan, error) : NULL;
  g_autoptr (GString) path = g_string_new (NULL);
  Difference difference = { .path = path };
  gboolean same = !recorded || (present && !find_difference (&difference, recorded, present));

  if (recorded && present && !same)
    {
      g_autofree char *before = describe (difference.recorded);
      g_autofree char *now = describe (difference.present);

      g_string_replace (path, "specs/", "", 0);
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "its environment has changed: %s was %s, and is %s now", path->str, before, now);
    }
  json_decref (recorded);
  json_decref (present);
  return same;
}
