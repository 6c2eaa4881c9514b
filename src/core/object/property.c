#include "property.h"

static G_DEFINE_QUARK (property, property)

const ReelProperty *
reel_property_get (GParamSpec *pspec)
{
  return g_param_spec_get_qdata (pspec, property_quark ());
}

GParamSpec **
reel_property_list (ReelObjectClass *klass, guint *n)
{
  GParamSpec **pspecs = g_object_class_list_properties (G_OBJECT_CLASS (klass), n);
  guint kept = 0;

  for (guint i = 0; i < *n; i++)
    if (reel_property_get (pspecs[i]))
      pspecs[kept++] = pspecs[i];
  *n = kept;
  return pspecs;
}

static gpointer
field (GObject *object, GParamSpec *pspec)
{
  return G_STRUCT_MEMBER_P (object, reel_property_get (pspec)->offset);
}

static void
set_string (char **string, const char *value)
{
  g_free (*string);
  *string = value && *value ? g_strdup (value) : NULL;
}

static void
set_list (GArray **list, GArray *value)
{
  g_clear_pointer (list, g_array_unref);
  *list = value && value->len > 0 ? g_array_ref (value) : NULL;
}

static void
set_words (GStrv *words, GStrv value)
{
  g_strfreev (*words);
  *words = value && *value ? g_strdupv (value) : NULL;
}

static void
set_field (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  gpointer at = field (object, pspec);

  switch (reel_property_get (pspec)->kind)
    {
    case REEL_PROPERTY_BOOL: *(gboolean *) at = g_value_get_boolean (value); break;
    case REEL_PROPERTY_INT64: *(gint64 *) at = g_value_get_int64 (value); break;
    case REEL_PROPERTY_DOUBLE: *(double *) at = g_value_get_double (value); break;
    case REEL_PROPERTY_STRING:
    case REEL_PROPERTY_PATH:
    case REEL_PROPERTY_TEXT: set_string (at, g_value_get_string (value)); break;
    case REEL_PROPERTY_ENUM: *(int *) at = g_value_get_int (value); break;
    case REEL_PROPERTY_LIST: set_list (at, g_value_get_boxed (value)); break;
    case REEL_PROPERTY_WORDS: set_words (at, g_value_get_boxed (value)); break;
    case REEL_PROPERTY_OBJECT: g_set_object ((GObject **) at, g_value_get_object (value)); break;
    }
}

static void
get_field (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  gpointer at = field (object, pspec);

  switch (reel_property_get (pspec)->kind)
    {
    case REEL_PROPERTY_BOOL: g_value_set_boolean (value, *(gboolean *) at); break;
    case REEL_PROPERTY_INT64: g_value_set_int64 (value, *(gint64 *) at); break;
    case REEL_PROPERTY_DOUBLE: g_value_set_double (value, *(double *) at); break;
    case REEL_PROPERTY_STRING:
    case REEL_PROPERTY_PATH:
    case REEL_PROPERTY_TEXT: g_value_set_string (value, *(char **) at); break;
    case REEL_PROPERTY_ENUM: g_value_set_int (value, *(int *) at); break;
    case REEL_PROPERTY_LIST: g_value_set_boxed (value, *(GArray **) at); break;
    case REEL_PROPERTY_WORDS: g_value_set_boxed (value, *(GStrv *) at); break;
    case REEL_PROPERTY_OBJECT: g_value_set_object (value, *(GObject **) at); break;
    }
}

void
reel_property_clear_fields (GObject *object)
{
  guint n;
  g_autofree GParamSpec **pspecs = reel_property_list (REEL_OBJECT_GET_CLASS (object), &n);

  for (guint i = 0; i < n; i++)
    switch (reel_property_get (pspecs[i])->kind)
      {
      case REEL_PROPERTY_STRING:
      case REEL_PROPERTY_PATH:
      case REEL_PROPERTY_TEXT: set_string (field (object, pspecs[i]), NULL); break;
      case REEL_PROPERTY_LIST: set_list (field (object, pspecs[i]), NULL); break;
      case REEL_PROPERTY_WORDS: set_words (field (object, pspecs[i]), NULL); break;
      case REEL_PROPERTY_OBJECT: g_clear_object ((GObject **) field (object, pspecs[i])); break;
      default: break;
      }
}

static GParamFlags
gobject_flags (ReelPropertyFlags flags)
{
  GParamFlags writing = flags & REEL_PROPERTY_MUTABLE ? G_PARAM_CONSTRUCT : G_PARAM_CONSTRUCT_ONLY;

  return G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | writing;
}

static void
add (ReelObjectClass *klass, GParamSpec *pspec, ReelProperty property)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  guint n;

  /* GObject clears both in every subclass, so inheriting them is not enough. */
  object_class->set_property = set_field;
  object_class->get_property = get_field;

  /* GObject lists a class's properties by rising number, which keeps the order of adding. */
  g_free (g_object_class_list_properties (object_class, &n));
  g_param_spec_set_qdata_full (pspec, property_quark (), g_memdup2 (&property, sizeof property),
                               g_free);
  g_object_class_install_property (object_class, n + 1, pspec);
}

void
reel_object_class_add_bool (ReelObjectClass *klass, const char *name, gsize offset,
                            gboolean initial, const char *blurb, ReelPropertyFlags flags)
{
  add (klass, g_param_spec_boolean (name, NULL, blurb, initial, gobject_flags (flags)),
       (ReelProperty){ .kind = REEL_PROPERTY_BOOL, .offset = offset });
}

void
reel_object_class_add_int64 (ReelObjectClass *klass, const char *name, gsize offset, gint64 low,
                             gint64 high, gint64 initial, const char *unit, const char *blurb,
                             ReelPropertyFlags flags)
{
  add (klass, g_param_spec_int64 (name, NULL, blurb, low, high, initial, gobject_flags (flags)),
       (ReelProperty){ .kind = REEL_PROPERTY_INT64, .offset = offset, .unit = unit });
}

void
reel_object_class_add_double (ReelObjectClass *klass, const char *name, gsize offset, double low,
                              double high, double initial, const char *unit, const char *blurb,
                              ReelPropertyFlags flags)
{
  add (klass, g_param_spec_double (name, NULL, blurb, low, high, initial, gobject_flags (flags)),
       (ReelProperty){ .kind = REEL_PROPERTY_DOUBLE, .offset = offset, .unit = unit });
}

void
reel_object_class_add_string (ReelObjectClass *klass, const char *name, gsize offset,
                              const char *initial, const char *blurb, ReelPropertyFlags flags)
{
  add (klass, g_param_spec_string (name, NULL, blurb, initial, gobject_flags (flags)),
       (ReelProperty){ .kind = REEL_PROPERTY_STRING, .offset = offset });
}

void
reel_object_class_add_path (ReelObjectClass *klass, const char *name, gsize offset,
                            const char *initial, const char *blurb, ReelPropertyFlags flags)
{
  add (klass, g_param_spec_string (name, NULL, blurb, initial, gobject_flags (flags)),
       (ReelProperty){ .kind = REEL_PROPERTY_PATH, .offset = offset });
}

void
reel_object_class_add_text (ReelObjectClass *klass, const char *name, gsize offset,
                            const char *blurb, ReelPropertyFlags flags)
{
  add (klass, g_param_spec_string (name, NULL, blurb, NULL, gobject_flags (flags)),
       (ReelProperty){ .kind = REEL_PROPERTY_TEXT, .offset = offset });
}

void
reel_object_class_add_enum (ReelObjectClass *klass, const char *name, gsize offset,
                            const char *const *words, int initial, const char *blurb,
                            ReelPropertyFlags flags)
{
  int last = (int) g_strv_length ((char **) words) - 1;

  add (klass, g_param_spec_int (name, NULL, blurb, 0, last, initial, gobject_flags (flags)),
       (ReelProperty){ .kind = REEL_PROPERTY_ENUM, .offset = offset, .words = words });
}

void
reel_object_class_add_list (ReelObjectClass *klass, const char *name, gsize offset,
                            const char *blurb, ReelPropertyFlags flags)
{
  add (klass, g_param_spec_boxed (name, NULL, blurb, G_TYPE_ARRAY, gobject_flags (flags)),
       (ReelProperty){ .kind = REEL_PROPERTY_LIST, .offset = offset });
}

void
reel_object_class_add_words (ReelObjectClass *klass, const char *name, gsize offset,
                             const char *blurb, ReelPropertyFlags flags)
{
  add (klass, g_param_spec_boxed (name, NULL, blurb, G_TYPE_STRV, gobject_flags (flags)),
       (ReelProperty){ .kind = REEL_PROPERTY_WORDS, .offset = offset });
}

void
reel_object_class_add_object (ReelObjectClass *klass, const char *name, gsize offset, GType base,
                              const char *blurb, ReelPropertyFlags flags)
{
  add (klass, g_param_spec_object (name, NULL, blurb, base, gobject_flags (flags)),
       (ReelProperty){ .kind = REEL_PROPERTY_OBJECT, .offset = offset });
}

/* ---- second names ---- */

/* Of a class and its ancestors; a class that has none sees those of the nearest ancestor. */
static const ReelAlias *
get_aliases (ReelObjectClass *klass, ReelObjectClass **parent)
{
  *parent =
      G_OBJECT_CLASS_TYPE (klass) == REEL_TYPE_OBJECT ? NULL : g_type_class_peek_parent (klass);
  if (*parent && (*parent)->aliases == klass->aliases)
    return NULL;
  return klass->aliases;
}

const char *
reel_property_resolve_alias (ReelObjectClass *klass, const char *name)
{
  for (ReelObjectClass *parent; klass; klass = parent)
    for (const ReelAlias *alias = get_aliases (klass, &parent); alias && alias->name; alias++)
      if (g_str_equal (alias->name, name))
        return alias->property;
  return name;
}

const char **
reel_property_list_aliases (ReelObjectClass *klass, const char *name)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (ReelObjectClass *parent; klass; klass = parent)
    for (const ReelAlias *alias = get_aliases (klass, &parent); alias && alias->name; alias++)
      if (g_str_equal (alias->property, name))
        g_ptr_array_add (names, (gpointer) alias->name);
  g_ptr_array_add (names, NULL);
  return (const char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}
