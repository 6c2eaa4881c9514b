#include "class-list.h"

#include "class-arguments.h"

#include "env-list.h"
#include "json-values.h"
#include "text-table.h"

#include <stdio.h>
#include <string.h>

typedef struct
{
  const char *option;
  const char *list;
  const char *about;
  GType (*get_type) (void);
} ClassKind;

static const ClassKind kinds[] = {
  { "env", "list-envs", "list the environments", reel_env_get_type },
  { "collector", "list-collectors", "list the collectors", reel_collector_get_type },
  { "policy", "list-policies", "list the policies", reel_policy_get_type },
  { "sampler", "list-samplers", "list the samplers", reel_sampler_get_type },
  { "storage", "list-storages", "list the storages", reel_storage_get_type },
  { "transform", "list-transforms", "list the transforms", reel_transform_get_type },
  { "writer", "list-writers", "list the writers", reel_writer_get_type },
  { "checkpointer", "list-checkpointers", "list the checkpointers", reel_checkpointer_get_type },
};

G_STATIC_ASSERT (G_N_ELEMENTS (kinds) <= CLASS_LIST_MOST);

/* The limit of class_list_limit(). */
static struct
{
  const char *option;
  const char *const *ids;
} limit;

void
class_list_limit (const char *option, const char *const *ids)
{
  limit.option = option;
  limit.ids = ids;
}

static const ReelId **
list_ids (const ClassKind *kind, gsize *n)
{
  const ReelId **ids = reel_object_list_ids (kind->get_type (), n);
  gsize n_kept = 0;

  if (g_strcmp0 (limit.option, kind->option) != 0)
    return ids;
  for (gsize i = 0; i < *n; i++)
    if (g_strv_contains (limit.ids, ids[i]->id))
      ids[n_kept++] = ids[i];
  *n = n_kept;
  return ids;
}

/* ---- options ---- */

static void
add_flag (GArray *all, const char *name, const char *about, gboolean *flag)
{
  const GOptionEntry entry = { name, 0, 0, G_OPTION_ARG_NONE, flag, about, NULL };

  g_array_append_val (all, entry);
}

void
class_list_add_options (GArray *all, const GOptionEntry *entries, ClassListFlags *flags)
{
  gboolean any = FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (options_find_entry (entries, kinds[i].option))
      {
        add_flag (all, kinds[i].list, kinds[i].about, &flags->lists[i]);
        any = TRUE;
      }
  if (any)
    add_flag (all, "describe", "print the arguments of the named or listed classes",
              &flags->describe);
}

/* ---- lists ---- */

/* Names that TorchRL has are capitalised, ours are not; environments have those of Gymnasium. */
static gboolean
is_ours (const ReelId *id)
{
  return g_ascii_islower (*id->id);
}

static gboolean
print_arguments_of (GType type, const char *id, GError **error)
{
  g_autoptr (GPtrArray) infos = reel_object_list_properties (type, id, error);

  if (infos)
    class_arguments_print (infos);
  return infos != NULL;
}

static gboolean
print_list (const ClassKind *kind, gboolean describe, GError **error)
{
  gsize n;
  g_autofree const ReelId **ids = list_ids (kind, &n);
  g_autoptr (GString) theirs = g_string_new (NULL);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GString) line = g_string_new (NULL);

      if (!is_ours (ids[i]))
        {
          g_string_append_printf (theirs, " %s", ids[i]->id);
          continue;
        }
      text_append_item (line, ids[i]->id, ids[i]->blurb);
      printf ("%s", line->str);
      if (describe && !print_arguments_of (kind->get_type (), ids[i]->id, error))
        return FALSE;
    }
  if (theirs->len > 0)
    {
      g_autoptr (GString) line = g_string_new (NULL);
      text_append_item (line, "TorchRL's names", theirs->str + 1);
      printf ("\n%s", line->str);
    }
  return TRUE;
}

static json_t *
json_class (GType type, const ReelId *id, gboolean describe)
{
  json_t *object = json_pack ("{s:s, s:s}", "id", id->id, "about", id->blurb);
  g_autoptr (GPtrArray) infos = describe ? reel_object_list_properties (type, id->id, NULL) : NULL;

  if (infos)
    json_object_set_new (object, "arguments", class_arguments_to_json (infos));
  return object;
}

static void
print_list_json (const ClassKind *kind, gboolean describe)
{
  gsize n;
  g_autofree const ReelId **ids = list_ids (kind, &n);
  json_t *list = json_array ();

  for (gsize i = 0; i < n; i++)
    json_array_append_new (list, json_class (kind->get_type (), ids[i], describe));
  json_print (list);
}

/* ---- one class ---- */

static const ReelId *
find_id (GType type, const char *name)
{
  gsize n;
  g_autofree const ReelId **ids = reel_object_list_ids (type, &n);

  for (gsize i = 0; i < n; i++)
    if (strcmp (ids[i]->id, name) == 0)
      return ids[i];
  return NULL;
}

/* The properties of the text are not looked at: it may lack what is asked for. */
static gboolean
describe_one (const ClassKind *kind, const char *text, gboolean json, GError **error)
{
  GType type = kind->get_type ();
  g_autofree char *name = g_strndup (text, strcspn (text, ":|"));
  g_autoptr (GPtrArray) infos = reel_object_list_properties (type, name, error);

  if (!infos)
    {
      g_prefix_error (error, "--%s: ", kind->option);
      return FALSE;
    }
  const ReelId *id = find_id (type, name);
  if (json && id)
    json_print (json_class (type, id, TRUE));
  else
    {
      printf ("%s: %s\n", name, id ? id->blurb : "");
      class_arguments_print (infos);
    }
  return TRUE;
}

static gboolean
describe_named (const GOptionEntry *entries, gboolean json, gboolean *any, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      const GOptionEntry *entry = options_find_entry (entries, kinds[i].option);
      const char *text = entry ? *(char **) entry->arg_data : NULL;

      if (!text)
        continue;
      if (*any && !json)
        printf ("\n");
      *any = TRUE;
      if (!(kinds[i].get_type == reel_env_get_type ? env_list_describe (text, json, error)
                                                   : describe_one (&kinds[i], text, json, error)))
        return FALSE;
    }
  return TRUE;
}

/* ---- both ---- */

static gboolean
print_kind (const ClassKind *kind, gboolean describe, gboolean json, GError **error)
{
  if (kind->get_type == reel_env_get_type && !describe)
    env_list_print (json);
  else if (json)
    print_list_json (kind, describe);
  else
    return print_list (kind, describe, error);
  return TRUE;
}

static void
refuse_describe (const GOptionEntry *entries, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (options_find_entry (entries, kinds[i].option))
      g_string_append_printf (names, "%s--%s or --%s", names->len ? ", " : "", kinds[i].option,
                              kinds[i].list);
  set_usage_error (error, "--describe needs %s", names->str);
}

gboolean
class_list_run (const ClassListFlags *flags, const GOptionEntry *entries, const char *word,
                gboolean *done, GError **error)
{
  const GOptionEntry *entry = options_find_entry (entries, "json");
  gboolean json = entry && *(gboolean *) entry->arg_data, any = FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (flags->lists[i])
      {
        if (any && !json)
          printf ("\n");
        any = TRUE;
        if (!print_kind (&kinds[i], flags->describe, json, error))
          return FALSE;
      }
  *done = any || flags->describe;
  if (any || !flags->describe)
    return TRUE;
  if (!describe_named (entries, json, &any, error))
    return FALSE;
  if (any)
    return TRUE;
  if (word && options_find_entry (entries, "env"))
    return env_list_describe (word, json, error);
  refuse_describe (entries, error);
  return FALSE;
}
