#include "option-file.h"

#include "option-names.h"

#include <jansson.h>
#include <string.h>

const char *option_file_program = "collect";

/* Long names of the options that the file set. */
static GPtrArray *set_names;
static GPtrArray *set_values; /* of them, which live as long as the program */
static GPtrArray *set_places; /* of them, as errors begin */
static char *set_path;
static gboolean record;

/* Of the command line alone: they say where the options are, or ask for something else. */
static const char *const kept_out[] = { "config",    "print-config", "resume",  "dry-run",
                                        "check-env", "describe",     "version", NULL };

/* Also of the command line alone where the options are the record of a run, which may be another's:
   they load a program, or write to files elsewhere. */
static const char *const kept_out_of_records[] = { "plugin", "force", "out", "log", NULL };

gboolean
option_file_has (const char *name)
{
  for (guint i = 0; set_names && i < set_names->len; i++)
    if (strcmp (set_names->pdata[i], name) == 0)
      return TRUE;
  return FALSE;
}

gboolean
option_file_is_record (void)
{
  return record;
}

/* ---- one option ---- */

/* Where an option is: a line of a file, or the record of a run. */
typedef struct
{
  const char *path;
  guint line;
} Place;

static char *
place_prefix (const Place *place)
{
  return place->line > 0 ? g_strdup_printf ("%s, line %u: ", place->path, place->line)
                         : g_strdup_printf ("the options of the run %s: ", place->path);
}

static const GOptionEntry *
find_entry (const Place *place, const GOptionEntry *entries, const char *name, GError **error)
{
  const GOptionEntry *entry = *name ? options_find_entry (entries, name) : NULL;
  g_autofree char *prefix = place_prefix (place);

  gboolean is_refused = g_strv_contains (kept_out, name) || g_str_has_prefix (name, "list-")
                        || (place->line == 0 && g_strv_contains (kept_out_of_records, name));

  if (entry && !is_refused)
    return entry;
  if (entry)
    set_usage_error (error, "%s%s is for the command line alone", prefix, name);
  else
    {
      g_autofree char *unknown = g_strconcat (prefix, "there is no option ", NULL);
      option_names_refuse (entries, NULL, name, unknown, error);
    }
  return NULL;
}

/* A flag that is on. */
static gboolean
set_flag (const Place *place, const GOptionEntry *entry, const char *value, GError **error)
{
  g_autofree char *prefix = place_prefix (place);

  if (strcmp (value, "true") != 0 && strcmp (value, "false") != 0)
    {
      set_usage_error (error, "%s%s cannot be \"%s\": it must be true or false", prefix,
                       entry->long_name, value);
      return FALSE;
    }
  if (*value == 't')
    *(gboolean *) entry->arg_data = TRUE;
  return TRUE;
}

/* Files that are named one after the other, with ; between them. */
static void
set_files (const GOptionEntry *entry, const char *value)
{
  char ***files = entry->arg_data;

  if (!*files)
    *files = g_strsplit (value, ";", -1);
}

static gboolean
set_option (const Place *place, const GOptionEntry *entries, const char *name, const char *value,
            GError **error)
{
  const GOptionEntry *entry = find_entry (place, entries, name, error);

  if (!entry)
    return FALSE;
  if (entry->arg == G_OPTION_ARG_NONE)
    return set_flag (place, entry, value, error);
  if (entry->arg == G_OPTION_ARG_FILENAME_ARRAY)
    set_files (entry, value);
  else if (!*(char **) entry->arg_data)
    {
      *(char **) entry->arg_data = g_strdup (value);
      g_ptr_array_add (set_values, *(char **) entry->arg_data);
      g_ptr_array_add (set_names, (char *) entry->long_name);
      g_ptr_array_add (set_places, place_prefix (place));
    }
  return TRUE;
}

/* ---- errors of the use of an option ---- */

/* Whether it is what the message is about. */
static gboolean
begins_with_option (const char *message, const char *name)
{
  const char *rest = g_str_has_prefix (message, "--") ? message + 2 : message;
  gsize length = strlen (name);

  return strncmp (rest, name, length) == 0 && strchr (" :", rest[length]) != NULL;
}

static gboolean
quotes_value (const char *message, const char *value)
{
  g_autofree char *quoted = g_strdup_printf ("\"%s\"", value);

  return *value && strstr (message, quoted) != NULL;
}

/* Whether the message names a file that the value does. */
static gboolean
names_file (const char *message, const char *value)
{
  g_auto (GStrv) parts = g_strsplit_set (value, ":,=|()[]'\" ", -1);

  for (char **part = parts; *part; part++)
    if (strlen (*part) > 2 && strpbrk (*part, "./") && strstr (message, *part))
      return TRUE;
  return FALSE;
}

char *
option_file_dup_place (const char *message)
{
  for (guint i = 0; set_names && i < set_names->len; i++)
    if (begins_with_option (message, set_names->pdata[i]))
      return g_strdup (set_places->pdata[i]);
  for (guint i = 0; set_names && i < set_names->len; i++)
    if (quotes_value (message, set_values->pdata[i]))
      return g_strdup (set_places->pdata[i]);
  for (guint i = 0; set_names && i < set_names->len; i++)
    if (names_file (message, set_values->pdata[i]))
      return g_strdup (set_places->pdata[i]);
  return g_strdup_printf ("with --config %s: ", set_path);
}

/* ---- a file ---- */

static gboolean
check_group (const Place *place, const char *line, GError **error)
{
  g_autofree char *prefix = place_prefix (place);

  g_autofree char *ours = g_strdup_printf ("[%s]", option_file_program);

  if (strcmp (line, ours) == 0)
    return TRUE;
  set_usage_error (error, "%sthere is no group %s; did you mean %s?", prefix, line, ours);
  return FALSE;
}

/* The value of a key as GKeyFile reads it: \s is a blank, \n a line. */
static char *
read_value (const Place *place, GKeyFile *file, const char *key, GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autofree char *prefix = place_prefix (place);
  char *value = g_key_file_get_string (file, option_file_program, key, &failure);

  if (!value)
    set_usage_error (error, "%s%s", prefix, failure->message);
  return value;
}

/* A line of the form key=value. */
static gboolean
read_line (const Place *place, const GOptionEntry *entries, const char *line, GHashTable *seen,
           GError **error)
{
  const char *equals = strchr (line, '=');
  g_autofree char *prefix = place_prefix (place);
  g_autofree char *key = equals ? g_strchomp (g_strndup (line, (gsize) (equals - line))) : NULL;
  g_autofree char *name = key ? option_names_ours (key) : NULL;
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *grouped = g_strdup_printf ("[%s]\n%s", option_file_program, line);
  g_autoptr (GError) failure = NULL;

  if (!key || !g_key_file_load_from_data (file, grouped, (gsize) -1, 0, &failure))
    {
      set_usage_error (error, "%s\"%s\" is not of the form OPTION=VALUE", prefix, line);
      return FALSE;
    }
  if (!g_hash_table_add (seen, g_strdup (name)))
    {
      set_usage_error (error, "%s%s is given a second time", prefix, name);
      return FALSE;
    }
  if (!find_entry (place, entries, name, error))
    return FALSE;

  g_autofree char *value = read_value (place, file, key, error);
  return value && set_option (place, entries, name, value, error);
}

static gboolean
read_lines (const char *path, const char *text, const GOptionEntry *entries, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gboolean grouped = FALSE;

  for (guint i = 0; lines[i]; i++)
    {
      const Place place = { path, i + 1 };
      const char *line = g_strstrip (lines[i]);

      if (*line == '\0' || *line == '#')
        continue;
      if (*line == '[')
        grouped = TRUE;
      if (!grouped)
        {
          set_usage_error (error, "%s, line %u: [%s] must come first", path, i + 1,
                           option_file_program);
          return FALSE;
        }
      if (!(*line == '[' ? check_group (&place, line, error)
                         : read_line (&place, entries, line, seen, error)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_file (const char *path, const GOptionEntry *entries, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) failure = NULL;
  gsize length;

  if (!g_file_get_contents (path, &text, &length, &failure))
    g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "cannot read --config %s: %s", path,
                 failure->message);
  else if (strlen (text) != length || !g_utf8_validate (text, -1, NULL))
    set_usage_error (error, "cannot read --config %s: it is not a text in UTF-8", path);
  else
    return read_lines (path, text, entries, error);
  return FALSE;
}

/* ---- the record of a run ---- */

static gboolean
set_list (const Place *place, const GOptionEntry *entries, const char *name, json_t *list,
          GError **error)
{
  const GOptionEntry *entry = find_entry (place, entries, name, error);
  gsize n = json_array_size (list);

  if (!entry || entry->arg != G_OPTION_ARG_FILENAME_ARRAY || *(char ***) entry->arg_data)
    return entry != NULL;
  char **texts = g_new0 (char *, n + 1);
  for (gsize i = 0; i < n; i++)
    texts[i] = g_strdup (json_string_value (json_array_get (list, i)));
  *(char ***) entry->arg_data = texts;
  return TRUE;
}

static gboolean
is_list_of_texts (json_t *value)
{
  for (gsize i = 0; i < json_array_size (value); i++)
    if (!json_is_string (json_array_get (value, i)))
      return FALSE;
  return json_array_size (value) > 0;
}

static gboolean
set_value (const Place *place, const GOptionEntry *entries, const char *name, json_t *value,
           GError **error)
{
  if (is_list_of_texts (value))
    return set_list (place, entries, name, value, error);
  if (json_is_string (value))
    return set_option (place, entries, name, json_string_value (value), error);
  set_usage_error (error, "the options of the run %s: %s is not a text", place->path, name);
  return FALSE;
}

static gboolean
set_options (const char *path, json_t *options, const GOptionEntry *entries, GError **error)
{
  const Place place = { path, 0 };
  gboolean set = TRUE;

  for (void *at = json_object_iter (options); at && set; at = json_object_iter_next (options, at))
    set =
        set_value (&place, entries, json_object_iter_key (at), json_object_iter_value (at), error);
  return set;
}

/* Those of collect are in the sidecar of its rows. */
static json_t *
load_sidecar (const char *path, GError **error)
{
  gboolean is_collect = strcmp (option_file_program, "collect") == 0;
  g_autoptr (ReelReplayBuffer) run =
      is_collect ? reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, error) : NULL;
  g_autofree char *text = run ? reel_replay_buffer_dup_info (run, OPTION_FILE_RECORD) : NULL;
  json_t *options = text ? json_loads (text, 0, NULL) : NULL;

  if (is_collect && (!run || json_is_object (options)))
    return options;
  json_decref (options);
  set_usage_error (error, "cannot take the options of %s: it contains none; %s", path,
                   is_collect ? "collect keeps them" : "a run of learn has a " OPTION_FILE_CONFIG);
  return NULL;
}

/* The configuration of another program is refused by name. */
static gboolean
check_config (const char *path, const json_t *config, GError **error)
{
  const char *program = json_string_value (json_object_get (config, "program"));

  if (!program || !json_is_object (json_object_get (config, OPTION_FILE_RECORD)))
    set_usage_error (error, "cannot take the options of %s: it contains none; learn keeps them",
                     path);
  else if (strcmp (program, option_file_program) != 0)
    set_usage_error (error, "the options of %s are those of %s, not of %s", path, program,
                     option_file_program);
  else
    return TRUE;
  return FALSE;
}

static json_t *
load_config (const char *path, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) failure = NULL;
  json_error_t fault;
  json_t *config = NULL, *options = NULL;
  gsize length;

  if (!g_file_get_contents (path, &text, &length, &failure))
    g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "cannot read %s: %s", path, failure->message);
  else if (!(config = json_loadb (text, length, JSON_REJECT_DUPLICATES, &fault)))
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "cannot read %s: line %d: %s", path,
                 fault.line, fault.text);
  else if (check_config (path, config, error))
    options = json_incref (json_object_get (config, OPTION_FILE_RECORD));
  json_decref (config);
  return options;
}

static gboolean
read_record (const char *path, const char *config, const GOptionEntry *entries, GError **error)
{
  json_t *options = config ? load_config (config, error) : load_sidecar (path, error);
  gboolean read = options && set_options (path, options, entries, error);

  record = TRUE;
  json_decref (options);
  return read;
}

/* The configuration at a path, or in the directory there, or NULL. Runs of collect have none. */
static char *
find_config (const char *path)
{
  gboolean is_directory = g_file_test (path, G_FILE_TEST_IS_DIR);
  g_autofree char *inside = g_build_filename (path, OPTION_FILE_CONFIG, NULL);

  if (is_directory)
    return g_file_test (inside, G_FILE_TEST_EXISTS) ? g_steal_pointer (&inside) : NULL;
  return g_str_has_suffix (path, ".json") ? g_strdup (path) : NULL;
}

gboolean
option_file_read (const char *path, const GOptionEntry *entries, GError **error)
{
  g_autofree char *config = find_config (path);

  if (set_names == NULL)
    {
      set_names = g_ptr_array_new ();
      set_values = g_ptr_array_new ();
      set_places = g_ptr_array_new_with_free_func (g_free);
    }
  g_ptr_array_set_size (set_names, 0);
  g_ptr_array_set_size (set_values, 0);
  g_ptr_array_set_size (set_places, 0);
  g_free (set_path);
  set_path = g_strdup (path);
  return config || g_file_test (path, G_FILE_TEST_IS_DIR)
             ? read_record (path, config, entries, error)
             : read_file (path, entries, error);
}

/* ---- the program ---- */

/* The group that comes first. */
static char *
dup_group (const char *text)
{
  g_autoptr (GRegex) form = g_regex_new ("^(?:\\s*(?:#.*)?\\n)*\\s*\\[([^]\\n]*)\\]", 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  return g_regex_match (form, text, 0, &match) ? g_match_info_fetch (match, 1) : NULL;
}

char *
option_file_dup_program (const char *path)
{
  g_autofree char *config = find_config (path), *text = NULL;
  json_t *object = config ? json_load_file (config, 0, NULL) : NULL;
  char *program = g_strdup (json_string_value (json_object_get (object, "program")));

  json_decref (object);
  if (config || !g_file_get_contents (path, &text, NULL, NULL) || !g_utf8_validate (text, -1, NULL))
    return program;
  return dup_group (text);
}
