#include "parameters.h"

#include "event-file.h"

static void
add_widths (json_t *to, const json_t *config)
{
  g_autofree char *list = json_dumps (json_object_get (config, "hidden"), JSON_COMPACT);

  json_object_set_new (to, "hidden", json_string (list));
}

/* The settings of the learner, and what else runs differ in. */
static json_t *
list_all (const json_t *config)
{
  static const char *const names[] = { "learner", "env", "seed", "total", "activation" };
  json_t *all = json_object ();

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    json_object_set (all, names[i], json_object_get (config, names[i]));
  add_widths (all, config);
  json_object_update (all, json_object_get (config, "settings"));
  return all;
}

/* A bar would end a cell. */
static void
append_cell (GString *table, const json_t *value)
{
  g_autofree char *number = json_dumps (value, JSON_ENCODE_ANY | JSON_REAL_PRECISION (6));
  const char *text = json_is_string (value) ? json_string_value (value) : number;

  for (; *text; text++)
    g_string_append_printf (table, *text == '|' ? "\\%c" : "%c", *text);
}

static char *
make_table (json_t *all)
{
  GString *table = g_string_new ("|param|value|\n|-|-|");
  const char *name;
  json_t *value;

  json_object_foreach (all, name, value)
  {
    g_string_append_printf (table, "\n|%s|", name);
    append_cell (table, value);
    g_string_append_c (table, '|');
  }
  return g_string_free (table, FALSE);
}

void
parameters_append (GByteArray *bytes, double wall_time, const json_t *config)
{
  json_t *all = list_all (config);
  g_autofree char *table = make_table (all);

  event_file_append_text (bytes, wall_time, "hyperparameters/text_summary", table);
  if (json_integer_value (json_object_get (config, "total")) <= G_MAXINT32)
    event_file_append_parameters (bytes, wall_time, all);
  json_decref (all);
}
