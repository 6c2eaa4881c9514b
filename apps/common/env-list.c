#include "env-list.h"

#include "class-arguments.h"
#include "json-values.h"
#include "text-table.h"

#include <stdio.h>

/* ---- the list ---- */

/* "float32 [4]", or "2 discrete". */
static char *
summarise_leaf (const ReelSpec *leaf)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (leaf, &ndim);
  json_t *sizes = json_array ();

  for (gint i = 0; i < ndim; i++)
    json_array_append_new (sizes, json_integer (shape[i]));
  g_autofree char *text = json_take_text (sizes);
  gint64 n = reel_spec_get_n (leaf);

  return n > 0 ? g_strdup_printf ("%" G_GINT64_FORMAT " discrete", n)
               : g_strdup_printf ("%s %s", reel_dtype_name (reel_spec_get_dtype (leaf)), text);
}

/* Of each leaf, by name where there are several. */
static char *
summarise (const ReelSpec *spec)
{
  g_auto (GStrv) leaves = reel_spec_list_leaves (spec);
  gboolean several = g_strv_length (leaves) > 1;
  GString *text = g_string_new (NULL);

  for (char **leaf = leaves; *leaf; leaf++)
    {
      g_autofree char *one = summarise_leaf (reel_spec_get (spec, *leaf, NULL));

      g_string_append_printf (text, "%s%s%s%s", leaf > leaves ? ", " : "", several ? *leaf : "",
                              several ? " " : "", one);
    }
  return g_string_free (text, FALSE);
}

typedef struct
{
  char *observation;
  char *action;
  gint64 limit;         /* 0 for none, -1 where it is not known, as nothing else is then */
  gint64 width, height; /* of its pictures; 0 where it has none */
} Summary;

/* Of one that cannot be made without arguments, or here, nothing is known. */
static void
look_at (const char *id, Summary *summary)
{
  g_autoptr (ReelEnv) env = reel_object_new_from_text (REEL_TYPE_ENV, id, NULL, NULL);

  *summary = (Summary){ .observation = g_strdup ("-"), .action = g_strdup ("-"), .limit = -1 };
  if (!env)
    return;
  g_free (summary->observation);
  g_free (summary->action);
  g_object_get (env, "max-episode-steps", &summary->limit, NULL);
  summary->observation = summarise (reel_env_get_observation_spec (env));
  summary->action = summarise (reel_env_get_action_spec (env));
  reel_env_get_frame (env, &summary->width, &summary->height, NULL);
}

static char *
limit_text (gint64 limit)
{
  if (limit > 0)
    return g_strdup_printf ("%" G_GINT64_FORMAT, limit);
  return g_strdup (limit < 0 ? "-" : "none");
}

static char *
pixels_text (const Summary *summary)
{
  if (summary->width > 0)
    return g_strdup_printf ("yes, %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT, summary->width,
                            summary->height);
  return g_strdup (summary->limit < 0 ? "-" : "no");
}

static json_t *
json_summary (const ReelId *id, Summary *summary)
{
  json_t *limit = summary->limit < 0 ? json_null () : json_integer (summary->limit);
  json_t *pixels = summary->limit < 0 ? json_null () : json_boolean (summary->width > 0);
  json_t *object = json_pack ("{s:s, s:s, s:s, s:o, s:o, s:s}", "id", id->id, "observation",
                              summary->observation, "action", summary->action, "time_limit", limit,
                              "pixels", pixels, "about", id->blurb);

  if (summary->width > 0)
    {
      json_object_set_new (object, "pixels_width", json_integer (summary->width));
      json_object_set_new (object, "pixels_height", json_integer (summary->height));
    }

  g_free (summary->observation);
  g_free (summary->action);
  return object;
}

static void
add_summary (TextTable *table, const ReelId *id, Summary *summary)
{
  text_table_add (table, g_strdup (id->id), summary->observation, summary->action,
                  limit_text (summary->limit), pixels_text (summary), g_strdup (id->blurb));
}

/* Environments that other builds list, and the way to such a build. */
static void
print_left_out (void)
{
  g_autoptr (GTypeClass) klass = g_type_class_ref (REEL_TYPE_ENV);
  const ReelOptional *optional = REEL_OBJECT_CLASS (klass)->optional;
  g_autofree char *known = reel_object_describe (REEL_TYPE_ENV, *optional->names, NULL);
  g_autofree char *names = g_strjoinv (", ", (char **) optional->names);

  if (!known)
    printf ("\nThis build is without %s, and so without %s.\nTo have them, %s.\n",
            optional->library, names, optional->remedy);
}

void
env_list_print (gboolean json)
{
  gsize n;
  g_autofree const ReelId **ids = reel_object_list_ids (REEL_TYPE_ENV, &n);
  g_autoptr (TextTable) table = text_table_new ("lllrll");
  json_t *list = json_array ();
  Summary summary;

  text_table_add (table, g_strdup ("id"), g_strdup ("observation"), g_strdup ("action"),
                  g_strdup ("time limit"), g_strdup ("pixels"), g_strdup ("about"));
  for (gsize i = 0; i < n; i++)
    {
      look_at (ids[i]->id, &summary);
      if (json)
        json_array_append_new (list, json_summary (ids[i], &summary));
      else
        add_summary (table, ids[i], &summary);
    }
  if (json)
    {
      json_print (list);
      return;
    }
  json_decref (list);
  g_autofree char *text = text_table_render (table, 0);
  printf ("%s", text);
  print_left_out ();
}

/* ---- one of them ---- */

static const char *const parts[] = { "observation", "action", "reward", "done" };

static const ReelSpec *
get_part (ReelEnv *env, gsize part)
{
  const ReelSpec *const specs[] = { reel_env_get_observation_spec (env),
                                    reel_env_get_action_spec (env), reel_env_get_reward_spec (env),
                                    reel_env_get_done_spec (env) };

  return specs[part];
}

static void
print_description_json (ReelEnv *env, const GPtrArray *infos)
{
  json_t *specs = json_object ();

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *text = reel_spec_to_text (get_part (env, i));

      json_object_set_new (specs, parts[i], json_string (text));
    }
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (env));
  json_print (json_pack ("{s:s, s:s, s:s*, s:o, s:o}", "id", reel_object_get_id (REEL_OBJECT (env)),
                         "env", text, "source", reel_env_get_source (env), "specs", specs,
                         "arguments", class_arguments_to_json (infos)));
}

static void
print_description (ReelEnv *env, const GPtrArray *infos)
{
  const char *source = reel_env_get_source (env);
  g_autofree char *text = reel_object_to_text (REEL_OBJECT (env));

  printf ("%s\n%s\n\n", text, source ? source : "");
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *spec = reel_spec_to_text (get_part (env, i));

      printf ("%-11s  %s\n", parts[i], spec);
    }
  printf ("\n");
  class_arguments_print (infos);
}

gboolean
env_list_describe (const char *text, gboolean json, GError **error)
{
  g_autoptr (ReelEnv) env = reel_object_new_from_text (REEL_TYPE_ENV, text, error, NULL);

  if (!env)
    return FALSE;

  const char *id = reel_object_get_id (REEL_OBJECT (env));
  g_autoptr (GPtrArray) infos = reel_object_list_properties (REEL_TYPE_ENV, id, error);

  if (!infos)
    return FALSE;
  if (json)
    print_description_json (env, infos);
  else
    print_description (env, infos);
  return TRUE;
}
