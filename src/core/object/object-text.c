/* Objects to text and back. */
#include "property.h"

#include <string.h>

#include "settings.h"
#include "text.h"

static gboolean
set_arguments (ReelSettings *settings, va_list arguments, GError **error)
{
  for (const char *name; (name = va_arg (arguments, const char *));)
    if (!reel_settings_set (settings, name, va_arg (arguments, const char *), TRUE, error))
      return FALSE;
  return TRUE;
}

/* The text of what a wrapper wraps: `GymEnv:CartPole-v1,seed=3` is `CartPole-v1:seed=3`. */
static char *
unwrap (GType base, const char *text)
{
  g_autoptr (GTypeClass) klass = g_type_class_ref (base);
  const char *wrapper = REEL_OBJECT_CLASS (klass)->wrapper;
  g_autofree char *arguments = NULL, *rest = NULL, *value = NULL;
  g_autofree char *name = reel_text_cut (text, ':', &arguments);

  if (!wrapper || !arguments || g_ascii_strcasecmp (name, wrapper) != 0)
    return g_strdup (text);

  g_autofree char *first = reel_text_cut (arguments, ',', &rest);
  g_autofree char *argument = reel_text_cut (first, '=', &value);
  const char *wrapped = first;

  if (value
      && g_str_equal (g_strdelimit (argument, "-", '_'),
                      REEL_OBJECT_CLASS (klass)->wrapper_argument))
    wrapped = value;
  return rest ? g_strconcat (wrapped, ":", rest, NULL) : g_strdup (wrapped);
}

static gboolean
read_text (ReelSettings *settings, GType base, const char *text, va_list arguments, GError **error)
{
  g_autofree char *unwrapped = unwrap (base, text);
  g_autofree char *properties = NULL;
  g_autofree char *name = reel_text_cut (unwrapped, ':', &properties);

  return reel_settings_init (settings, base, name, error)
         && reel_settings_set_all (settings, properties ? properties : "", error)
         && set_arguments (settings, arguments, error);
}

/* The pieces of @text where it is a chain of @base; %NULL, without an error too, otherwise. */
static char **
split_chain (GType base, const char *text, GError **error)
{
  g_autoptr (GTypeClass) klass = g_type_class_ref (base);
  g_autofree char *inside = reel_text_unwrap (text, '(', ')');
  g_auto (GStrv) pieces = NULL;

  if (!REEL_OBJECT_CLASS (klass)->chain && !REEL_OBJECT_CLASS (klass)->extend)
    return NULL;
  pieces = reel_text_split (text, '|', error);
  if (!pieces || g_strv_length (pieces) > 1)
    return g_steal_pointer (&pieces);
  return inside ? reel_text_split (inside, '|', error) : NULL;
}

static gboolean
is_chained (GType base)
{
  g_autoptr (GTypeClass) klass = g_type_class_ref (base);

  return REEL_OBJECT_CLASS (klass)->chain != NULL;
}

static gpointer
new_chain (GType base, char *const *pieces, GError **error)
{
  g_autoptr (GTypeClass) klass = g_type_class_ref (base);
  g_autoptr (GPtrArray) objects = g_ptr_array_new_with_free_func (g_object_unref);

  for (; *pieces; pieces++)
    {
      gpointer object = reel_object_new_from_text (base, *pieces, error, NULL);
      if (!object)
        return NULL;
      g_ptr_array_add (objects, object);
    }
  return REEL_OBJECT_CLASS (klass)->chain (objects, error);
}

/* extend: @first as the text behind the first `|` has it; %NULL for no such text. */
static gpointer
extend (GType base, gpointer first, char *const *rest, GError **error)
{
  g_autoptr (GTypeClass) klass = g_type_class_ref (base);
  g_autoptr (GObject) object = first;
  g_autofree char *text = g_strjoinv ("|", (char **) rest);

  if (object == NULL || *rest == NULL)
    return g_steal_pointer (&object);
  return REEL_OBJECT_CLASS (klass)->extend (object, text, error);
}

gpointer
reel_object_new_from_text (GType base, const char *text, GError **error, ...)
{
  static char *const none[] = { NULL };
  g_auto (GStrv) pieces = NULL;
  GError *reason = NULL;
  g_auto (ReelSettings) settings = { 0 };
  va_list arguments;
  gboolean set;

  g_return_val_if_fail (g_type_is_a (base, REEL_TYPE_OBJECT), NULL);
  g_return_val_if_fail (text, NULL);

  pieces = split_chain (base, text, &reason);
  if (reason)
    {
      g_propagate_error (error, reason);
      return NULL;
    }
  if (pieces && is_chained (base))
    return new_chain (base, pieces, error);
  va_start (arguments, error);
  set = read_text (&settings, base, pieces ? pieces[0] : text, arguments, error);
  va_end (arguments);
  if (!set)
    return NULL;
  return extend (base, reel_settings_construct (&settings, error), pieces ? pieces + 1 : none,
                 error);
}

static void
set_mutable_like (ReelSettings *settings, ReelObject *like)
{
  guint n;
  g_autofree GParamSpec **pspecs = reel_property_list (settings->klass, &n);

  for (guint i = 0; i < n; i++)
    {
      GParamSpec *other = g_object_class_find_property (G_OBJECT_GET_CLASS (like), pspecs[i]->name);

      if (other && other->value_type == pspecs[i]->value_type
          && !(pspecs[i]->flags & G_PARAM_CONSTRUCT_ONLY)
          && !reel_settings_are_set (settings, pspecs[i]))
        {
          g_auto (GValue) value = G_VALUE_INIT;

          g_object_get_property (G_OBJECT (like), pspecs[i]->name, &value);
          reel_settings_set_value (settings, pspecs[i], &value);
        }
    }
}

gpointer
reel_object_new_like (ReelObject *like, GType base, const char *text, GError **error, ...)
{
  g_auto (ReelSettings) settings = { 0 };
  va_list arguments;
  gboolean set;

  g_return_val_if_fail (REEL_IS_OBJECT (like), NULL);
  g_return_val_if_fail (g_type_is_a (base, REEL_TYPE_OBJECT), NULL);
  g_return_val_if_fail (text, NULL);

  va_start (arguments, error);
  set = read_text (&settings, base, text, arguments, error);
  va_end (arguments);
  if (!set)
    return NULL;
  set_mutable_like (&settings, like);
  return reel_settings_construct (&settings, error);
}

char *
reel_object_to_text (ReelObject *self)
{
  g_return_val_if_fail (REEL_IS_OBJECT (self), NULL);

  return REEL_OBJECT_GET_CLASS (self)->to_text (self);
}

char *
reel_object_id_and_properties (ReelObject *self)
{
  g_auto (ReelSettings) settings = { 0 };
  g_autofree GParamSpec **pspecs = NULL;
  GString *text;
  guint n;

  text = g_string_new (reel_object_get_id (self));
  if (!reel_settings_init (&settings, G_OBJECT_TYPE (self), text->str, NULL))
    return g_string_free (text, FALSE);

  pspecs = reel_property_list (settings.klass, &n);
  for (guint i = 0; i < n; i++)
    {
      g_auto (GValue) value = G_VALUE_INIT;
      g_object_get_property (G_OBJECT (self), pspecs[i]->name, &value);
      g_autofree char *is = reel_property_format (pspecs[i], &value);
      g_autofree char *was =
          reel_property_format (pspecs[i], reel_settings_get (&settings, pspecs[i]));

      if (!g_str_equal (is, was))
        g_string_append_printf (text, "%c%s=%s", strchr (text->str, ':') ? ',' : ':',
                                pspecs[i]->name, is);
    }
  return g_string_free (text, FALSE);
}

enum
{
  NAME,
  KIND,
  RANGE,
  DEFAULT,
  BLURB,
  N_COLUMNS
};

static const char *const titles[] = { "property", "kind", "range", "default", "meaning", NULL };

static void
info_free (gpointer data)
{
  ReelPropertyInfo *info = data;

  g_free (info->name);
  g_free (info->kind);
  g_free (info->range);
  g_free (info->unit);
  g_free (info->initial);
  g_free (info->blurb);
  g_free (info);
}

/* The blurb, and by which names other libraries know the property. */
static char *
make_blurb (ReelObjectClass *klass, GParamSpec *pspec)
{
  g_autofree const char **aliases = reel_property_list_aliases (klass, pspec->name);
  g_autofree char *listed = g_strjoinv (", ", (char **) aliases);

  return *listed ? g_strdup_printf ("%s (also %s)", g_param_spec_get_blurb (pspec), listed)
                 : g_strdup (g_param_spec_get_blurb (pspec));
}

static ReelPropertyInfo *
info_new (ReelObjectClass *klass, GParamSpec *pspec, const GValue *value)
{
  static const char *const kinds[] = {
    [REEL_PROPERTY_BOOL] = "bool",     [REEL_PROPERTY_INT64] = "int64",
    [REEL_PROPERTY_DOUBLE] = "double", [REEL_PROPERTY_STRING] = "string",
    [REEL_PROPERTY_PATH] = "path",     [REEL_PROPERTY_ENUM] = "enum",
    [REEL_PROPERTY_LIST] = "list",     [REEL_PROPERTY_WORDS] = "words",
    [REEL_PROPERTY_OBJECT] = "object", [REEL_PROPERTY_TEXT] = "text",
  };
  const ReelProperty *property = reel_property_get (pspec);
  ReelPropertyInfo *info = g_new (ReelPropertyInfo, 1);

  *info = (ReelPropertyInfo){
    .name = g_strdup (pspec->name),
    .kind = g_strdup (kinds[property->kind]),
    .range = reel_property_range (pspec),
    .unit = g_strdup (property->unit),
    .initial = reel_property_format (pspec, value),
    .blurb = make_blurb (klass, pspec),
    .is_mutable = !(pspec->flags & G_PARAM_CONSTRUCT_ONLY),
  };
  return info;
}

GPtrArray *
reel_object_list_properties (GType base, const char *id, GError **error)
{
  g_auto (ReelSettings) settings = { 0 };
  g_autofree GParamSpec **pspecs = NULL;
  GPtrArray *infos;
  guint n;

  g_return_val_if_fail (g_type_is_a (base, REEL_TYPE_OBJECT), NULL);
  g_return_val_if_fail (id, NULL);

  if (!reel_settings_init (&settings, base, id, error))
    return NULL;
  infos = g_ptr_array_new_with_free_func (info_free);
  pspecs = reel_property_list (settings.klass, &n);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (
        infos, info_new (settings.klass, pspecs[i], reel_settings_get (&settings, pspecs[i])));
  return infos;
}

static char **
describe_property (const ReelPropertyInfo *info)
{
  char **cells = g_new0 (char *, N_COLUMNS + 1);

  cells[NAME] = g_strdup (info->name);
  cells[KIND] = g_strconcat (info->kind, info->is_mutable ? ", mutable" : "", NULL);
  cells[RANGE] = g_strdup (info->range);
  cells[DEFAULT] = g_strdup (info->initial);
  cells[BLURB] = g_strdup (info->blurb);
  return cells;
}

static char *
format_table (GPtrArray *lines)
{
  GString *text = g_string_new (NULL);
  glong widths[N_COLUMNS] = { 0 };

  for (guint line = 0; line < lines->len; line++)
    for (guint i = 0; i < N_COLUMNS; i++)
      widths[i] = MAX (widths[i], g_utf8_strlen (((char **) lines->pdata[line])[i], -1));

  for (guint line = 0; line < lines->len; line++)
    for (guint i = 0; i < N_COLUMNS; i++)
      {
        const char *cell = ((char **) lines->pdata[line])[i];
        glong gap = widths[i] - g_utf8_strlen (cell, -1) + 2;

        if (i < BLURB)
          g_string_append_printf (text, "%s%*s", cell, (int) gap, "");
        else
          g_string_append_printf (text, "%s\n", cell);
      }
  return g_string_free (text, FALSE);
}

char *
reel_object_describe (GType base, const char *id, GError **error)
{
  g_autoptr (GPtrArray) infos = reel_object_list_properties (base, id, error);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);

  if (!infos)
    return NULL;
  g_ptr_array_add (lines, g_strdupv ((char **) titles));
  for (guint i = 0; i < infos->len; i++)
    g_ptr_array_add (lines, describe_property (infos->pdata[i]));
  return format_table (lines);
}

/* ---- defaults ---- */

/* The first link of a chain, and what follows it; NULL for a text that does not parse. */
static char *
cut_first (const char *text, const char **rest)
{
  g_auto (GStrv) links = reel_text_split (text, '|', NULL);

  if (!links)
    return NULL;
  *rest = NULL;
  if (links[0] && links[1])
    *rest = strchr (strstr (text, links[0]) + strlen (links[0]), '|');
  return g_strdup (links[0] ? links[0] : "");
}

static gboolean
sets_property (const char *arguments, const char *name)
{
  g_auto (GStrv) items = reel_text_split (arguments, ',', NULL);

  for (guint i = 0; items && items[i]; i++)
    {
      g_autofree char *value = NULL;
      g_autofree char *key = reel_text_cut (items[i], '=', &value);

      if (value && g_str_equal (g_strdelimit (key, "_", '-'), name))
        return TRUE;
    }
  return FALSE;
}

char *
reel_object_text_with_default (const char *text, const char *name, const char *value)
{
  const char *chain;
  g_autofree char *first = cut_first (text, &chain);
  const char *colon = first ? strchr (first, ':') : NULL;

  /* The maker of the object names the fault of a text that does not parse. */
  if (!first || (colon && sets_property (colon + 1, name)))
    return g_strdup (text);
  return g_strdup_printf ("%s%c%s=%s%s", first, colon ? ',' : ':', name, value, chain ? chain : "");
}
