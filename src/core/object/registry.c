#include "registry.h"

#include <string.h>

typedef struct
{
  const ReelId *id;
  GType type;
} Entry;

/* ---- classes that came later ---- */

static GPtrArray *plugins;

static GQuark
refused_quark (void)
{
  return g_quark_from_static_string ("reel-refused");
}

void
reel_registry_refuse (GType type)
{
  g_type_set_qdata (type, refused_quark (), GINT_TO_POINTER (TRUE));
}

void
reel_registry_add_plugin (const char *name)
{
  if (plugins == NULL)
    plugins = g_ptr_array_new ();
  if (!g_ptr_array_find_with_equal_func (plugins, name, g_str_equal, NULL))
    g_ptr_array_add (plugins, (gpointer) g_intern_string (name));
}

const char *const *
reel_registry_get_plugins (gsize *n)
{
  *n = plugins != NULL ? plugins->len : 0;
  return plugins != NULL ? (const char *const *) plugins->pdata : NULL;
}

/* ---- ids ---- */

/* Length of the name before a trailing `-vN`; N, or -1 without one. */
static gsize
split_version (const char *id, gint64 *version)
{
  gsize length = strlen (id);
  gsize digits = length;

  while (digits > 0 && g_ascii_isdigit (id[digits - 1]))
    digits--;
  *version = -1;
  if (digits == length || digits < 3 || id[digits - 1] != 'v' || id[digits - 2] != '-')
    return length;
  *version = g_ascii_strtoll (id + digits, NULL, 10);
  return digits - 2;
}

/* By name, then by version. */
static gint
compare (gconstpointer a, gconstpointer b)
{
  const char *left = ((const Entry *) a)->id->id;
  const char *right = ((const Entry *) b)->id->id;
  gint64 left_version, right_version;
  gsize left_length = split_version (left, &left_version);
  gsize right_length = split_version (right, &right_version);
  int order = strncmp (left, right, MIN (left_length, right_length));

  if (order != 0)
    return order;
  if (left_length != right_length)
    return left_length < right_length ? -1 : 1;
  return (left_version > right_version) - (left_version < right_version);
}

static void
collect (GType type, GArray *entries)
{
  guint n;
  g_autofree GType *children = g_type_children (type, &n);
  g_autoptr (GTypeClass) klass = g_type_class_ref (type);
  gboolean named = !G_TYPE_IS_ABSTRACT (type) && !g_type_get_qdata (type, refused_quark ());
  const ReelId *id = named ? REEL_OBJECT_CLASS (klass)->ids : NULL;

  for (; id && id->id; id++)
    {
      Entry entry = { id, type };
      g_array_append_val (entries, entry);
    }
  for (guint i = 0; i < n; i++)
    collect (children[i], entries);
}

static GArray *
list_entries (GType base)
{
  GArray *entries = g_array_new (FALSE, FALSE, sizeof (Entry));

  collect (base, entries);
  g_array_sort (entries, compare);
  return entries;
}

const ReelId **
reel_object_list_ids (GType base, gsize *n)
{
  g_autoptr (GArray) entries = list_entries (base);
  const ReelId **ids = g_new (const ReelId *, entries->len + 1);

  for (guint i = 0; i < entries->len; i++)
    ids[i] = g_array_index (entries, Entry, i).id;
  ids[entries->len] = NULL;
  *n = entries->len;
  return ids;
}

/* Names that may be typed, the likeliest first: the newest versions, then names without a version.
 */
static const char *
closest (GArray *entries, const char *name)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  const char *word;

  for (guint i = entries->len; i-- > 0;)
    g_ptr_array_add (words, g_strdup (g_array_index (entries, Entry, i).id->id));
  for (guint i = 0; i < entries->len; i++)
    {
      const char *id = g_array_index (entries, Entry, i).id->id;
      gint64 version;
      g_ptr_array_add (words, g_strndup (id, split_version (id, &version)));
    }
  g_ptr_array_add (words, NULL);
  word = reel_closest_word (name, (const char *const *) words->pdata);
  return g_intern_string (word);
}

/* Names of TorchRL's do as well where there is one of ours, and need no mention. */
static gboolean
is_second_name (const Entry *entry)
{
  const ReelObjectClass *klass = REEL_OBJECT_CLASS (g_type_class_peek (entry->type));

  return g_ascii_islower (*klass->ids->id) && g_ascii_isupper (*entry->id->id);
}

/* Whether the name, with a version or without, is there where the library is built with another. */
static gboolean
is_optional (const ReelOptional *optional, const char *name)
{
  gint64 version;
  gsize length = split_version (name, &version);

  for (gsize i = 0; optional && optional->names[i]; i++)
    if (strlen (optional->names[i]) == length && strncmp (name, optional->names[i], length) == 0)
      return TRUE;
  return FALSE;
}

/* Whether another version of the name is there. */
static gboolean
has_other_version (GArray *entries, const char *name)
{
  gint64 version;
  gsize length = split_version (name, &version);

  for (guint i = 0; i < entries->len; i++)
    {
      const char *id = g_array_index (entries, Entry, i).id->id;

      if (split_version (id, &version) == length && strncmp (name, id, length) == 0)
        return TRUE;
    }
  return FALSE;
}

static void
set_unknown (GType base, GArray *entries, const char *name, GError **error)
{
  g_autoptr (GTypeClass) klass = g_type_class_ref (base);
  const char *kind = REEL_OBJECT_CLASS (klass)->kind;
  const ReelOptional *optional = REEL_OBJECT_CLASS (klass)->optional;
  const char *meant = closest (entries, name);
  g_autoptr (GString) listed = g_string_new (NULL);

  if (is_optional (optional, name) && !has_other_version (entries, name))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "the %s \"%s\" needs %s, which this library was built without: %s", kind, name,
                   optional->library, optional->remedy);
      return;
    }
  if (!*name)
    {
      g_set_error (
          error, REEL_ERROR, REEL_ERROR_KEY,
          "the name of the %s is empty: a | needs one on both sides, and a : one before it", kind);
      return;
    }
  if (meant)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "there is no %s \"%s\"; did you mean \"%s\"?",
                   kind, name, meant);
      return;
    }
  for (guint i = 0; i < entries->len; i++)
    {
      const Entry *entry = &g_array_index (entries, Entry, i);
      if (!is_second_name (entry))
        g_string_append_printf (listed, "%s%s", listed->len > 0 ? ", " : "", entry->id->id);
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "there is no %s \"%s\"; there is %s", kind, name,
               listed->len > 0 ? listed->str : "none");
}

GType
reel_registry_find (GType base, const char *name, const ReelId **id, GError **error)
{
  g_autoptr (GArray) entries = list_entries (base);

  /* Sorted by version, so the newest comes first from behind. */
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = entries->len; i-- > 0;)
      {
        const Entry *entry = &g_array_index (entries, Entry, i);
        gint64 version;
        gsize length = strlen (entry->id->id);

        if (pass == 1)
          length = split_version (entry->id->id, &version);
        if (strlen (name) == length && strncmp (name, entry->id->id, length) == 0)
          {
            *id = entry->id;
            return entry->type;
          }
      }

  set_unknown (base, entries, name, error);
  return G_TYPE_INVALID;
}
