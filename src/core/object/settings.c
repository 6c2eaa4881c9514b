#include "settings.h"

#include <string.h>

#include "property.h"
#include "registry.h"
#include "text.h"

gboolean
reel_settings_init (ReelSettings *settings, GType base, const char *name, GError **error)
{
  GType type;

  *settings = (ReelSettings){ .names = g_ptr_array_new (),
                              .values = g_array_new (FALSE, TRUE, sizeof (GValue)) };
  g_array_set_clear_func (settings->values, (GDestroyNotify) g_value_unset);

  type = reel_registry_find (base, name, &settings->id, error);
  if (type == G_TYPE_INVALID)
    return FALSE;
  settings->klass = g_type_class_ref (type);
  return !settings->id->preset || reel_settings_set_all (settings, settings->id->preset, error);
}

void
reel_settings_clear (ReelSettings *settings)
{
  g_clear_pointer (&settings->names, g_ptr_array_unref);
  g_clear_pointer (&settings->values, g_array_unref);
  g_clear_pointer (&settings->klass, g_type_class_unref);
}

static void
set_unknown (const ReelSettings *settings, const char *name, GError **error)
{
  guint n;
  g_autofree GParamSpec **pspecs = reel_property_list (settings->klass, &n);
  g_autofree const char **words = g_new0 (const char *, n + 1);
  g_autofree char *listed = NULL;
  const char *meant;

  for (guint i = 0; i < n; i++)
    words[i] = pspecs[i]->name;
  meant = reel_closest_word (name, words);
  listed = n > 0 ? g_strjoinv (", ", (char **) words) : g_strdup ("none");
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "%s %s has no property \"%s\"; %s%s%sit has %s",
               settings->klass->kind, settings->id->id, name, meant ? "did you mean \"" : "",
               meant ? meant : "", meant ? "\"? " : "", listed);
}

static GParamSpec *
find_property (const ReelSettings *settings, const char *name, GError **error)
{
  g_autofree char *hyphenated = g_strdelimit (g_strdup (name), "_", '-');
  const char *own = reel_property_resolve_alias (settings->klass, hyphenated);
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_CLASS (settings->klass), own);

  if (pspec && reel_property_get (pspec))
    return pspec;
  set_unknown (settings, name, error);
  return NULL;
}

static GValue *
find_value (const ReelSettings *settings, GParamSpec *pspec)
{
  guint at;

  if (!g_ptr_array_find (settings->names, pspec->name, &at))
    return NULL;
  return &g_array_index (settings->values, GValue, at);
}

gboolean
reel_settings_are_set (const ReelSettings *settings, GParamSpec *pspec)
{
  return find_value (settings, pspec) != NULL;
}

void
reel_settings_set_value (ReelSettings *settings, GParamSpec *pspec, const GValue *value)
{
  GValue *slot = find_value (settings, pspec);

  if (slot)
    g_value_unset (slot);
  else
    {
      g_ptr_array_add (settings->names, (gpointer) pspec->name);
      g_array_set_size (settings->values, settings->values->len + 1);
      slot = find_value (settings, pspec);
    }
  g_value_init (slot, G_VALUE_TYPE (value));
  g_value_copy (value, slot);
}

gboolean
reel_settings_set (ReelSettings *settings, const char *name, const char *text, gboolean literal,
                   GError **error)
{
  GParamSpec *pspec = find_property (settings, name, error);
  g_auto (GValue) value = G_VALUE_INIT;

  if (!pspec || !reel_property_parse (pspec, text, literal, &value, error))
    return FALSE;
  reel_settings_set_value (settings, pspec, &value);
  return TRUE;
}

static gboolean
set_pair (ReelSettings *settings, GHashTable *given, const char *pair, GError **error)
{
  g_autofree char *value = NULL;
  g_autofree char *name = reel_text_cut (pair, '=', &value);
  GParamSpec *pspec;

  if (!value)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "\"%s\" sets no property: write name=value",
                   pair);
      return FALSE;
    }
  pspec = find_property (settings, name, error);
  if (!pspec)
    return FALSE;
  if (!g_hash_table_add (given, pspec))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s is given twice", name);
      return FALSE;
    }
  return reel_settings_set (settings, name, value, FALSE, error);
}

/* set_first: the first item may be the value of the positional property alone. */
static gboolean
set_first (ReelSettings *settings, GHashTable *given, const char *item, GError **error)
{
  const char *positional = settings->klass->positional;
  g_autofree char *pair = NULL;

  if (positional == NULL || (*item != '\'' && strchr (item, '=') != NULL))
    return set_pair (settings, given, item, error);
  pair = g_strconcat (positional, "=", item, NULL);
  return set_pair (settings, given, pair, error);
}

gboolean
reel_settings_set_all (ReelSettings *settings, const char *text, GError **error)
{
  g_auto (GStrv) pairs = reel_text_split (text, ',', error);
  g_autoptr (GHashTable) given = g_hash_table_new (NULL, NULL);

  if (!pairs)
    return FALSE;
  for (guint i = 0; pairs[i]; i++)
    if (!(i == 0 ? set_first : set_pair) (settings, given, pairs[i], error))
      return FALSE;
  return TRUE;
}

const GValue *
reel_settings_get (const ReelSettings *settings, GParamSpec *pspec)
{
  const GValue *value = find_value (settings, pspec);

  return value ? value : g_param_spec_get_default_value (pspec);
}

gpointer
reel_settings_construct (ReelSettings *settings, GError **error)
{
  GValue id = G_VALUE_INIT;
  GObject *object;

  g_value_init (&id, G_TYPE_STRING);
  g_value_set_static_string (&id, settings->id->id);
  g_ptr_array_add (settings->names, (gpointer) "id");
  g_array_append_val (settings->values, id);

  object = g_object_new_with_properties (
      G_OBJECT_CLASS_TYPE (settings->klass), settings->names->len,
      (const char **) settings->names->pdata, (const GValue *) (gpointer) settings->values->data);
  if (!g_initable_init (G_INITABLE (object), NULL, error))
    g_clear_object (&object);
  return object;
}
