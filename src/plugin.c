#include "plugin.h"

#include "core/object/registry.h"

#include <dlfcn.h>
#include <string.h>

/* ---- the file ---- */

/* The words of the system without the path, and the way out where the file is of another kind. */
static void
set_unloadable (const char *file, const char *path, GError **error)
{
  const char *why = dlerror ();
  gsize length = strlen (path);
  gboolean foreign;

  if (strncmp (why, path, length) == 0 && strncmp (why + length, ": ", 2) == 0)
    why += length + 2;
  foreign = strstr (why, "ELF") != NULL || strstr (why, "file too short") != NULL;
  g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "cannot load the plugin %s: %s%s", file, why,
               foreign ? "; a plugin is a shared object, compiled with -shared -fPIC" : "");
}

/* A name without a slash is a file too, not one of the system's libraries. */
static gpointer
open_file (const char *file, GError **error)
{
  g_autofree char *path = g_canonicalize_filename (file, NULL);
  gpointer handle = *file != '\0' ? dlopen (path, RTLD_NOW | RTLD_LOCAL) : NULL;

  if (*file == '\0')
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                         "cannot load a plugin: the name of its file is empty");
  else if (handle == NULL)
    set_unloadable (file, path, error);
  return handle;
}

static gboolean
check_plugin (const ReelPlugin *plugin, const char *file, GError **error)
{
  if (plugin == NULL)
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                 "cannot load the plugin %s: it does not export reel_plugin; its source needs "
                 "REEL_PLUGIN (REEL_PLUGIN_CLASS (MyEnv, my_env));",
                 file);
  else if (plugin->abi != REEL_PLUGIN_ABI)
    g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                 "cannot load the plugin %s: it was compiled for ABI %#x, and this Reel has ABI "
                 "%#x; compile it with the headers of this Reel",
                 file, plugin->abi, REEL_PLUGIN_ABI);
  else if (plugin->library != reel_object_get_type)
    g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                 "cannot load the plugin %s: it uses another copy of the library than this "
                 "program; link it without -lreel",
                 file);
  else
    return TRUE;
  return FALSE;
}

/* ---- its classes ---- */

/* The kind of object that a class belongs to: the child of ReelObject. */
static GType
find_kind (GType type)
{
  while (g_type_parent (type) != REEL_TYPE_OBJECT)
    type = g_type_parent (type);
  return type;
}

/* Whether nothing of the text grammar is in an id. */
static gboolean
check_id (const ReelId *id, const char *class_name, GError **error)
{
  if (*id->id == '\0' || strpbrk (id->id, " \t\n:|,=()[]'") != NULL)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "the id \"%s\" of %s cannot be typed: it is empty or contains one of "
                 "\" :|,=()[]'\"",
                 id->id, class_name);
  else if (id->blurb == NULL)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "the id \"%s\" of %s has no blurb: lists print one line of it", id->id,
                 class_name);
  else
    return TRUE;
  return FALSE;
}

/* Whether no other class of the kind has the id. It is in the list once by this class itself. */
static gboolean
check_new (GType kind, const ReelId *id, const char *class_name, GError **error)
{
  gsize n, n_same = 0;
  g_autofree const ReelId **ids = reel_object_list_ids (kind, &n);

  for (gsize i = 0; i < n; i++)
    n_same += strcmp (ids[i]->id, id->id) == 0;
  if (n_same <= 1)
    return TRUE;

  g_autoptr (GTypeClass) klass = g_type_class_ref (kind);

  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "the id \"%s\" of %s exists already: another %s has it", id->id, class_name,
               REEL_OBJECT_CLASS (klass)->kind);
  return FALSE;
}

static gboolean
check_ids (GType type, const char *name, GError **error)
{
  g_autoptr (GTypeClass) klass = g_type_class_ref (type);
  const ReelId *id = REEL_OBJECT_CLASS (klass)->ids;

  if (G_TYPE_IS_ABSTRACT (type))
    return TRUE;
  if (id == NULL || id->id == NULL)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "%s has no ids: its class_init sets REEL_OBJECT_CLASS (klass)->ids", name);
      return FALSE;
    }
  for (; id->id != NULL; id++)
    if (!check_id (id, name, error) || !check_new (find_kind (type), id, name, error))
      return FALSE;
  return TRUE;
}

static gboolean
add_class (const ReelPluginClass *klass, GError **error)
{
  if (g_type_from_name (klass->name) != G_TYPE_INVALID)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "a type %s exists already; rename the class", klass->name);
      return FALSE;
    }

  GType type = klass->get_type ();

  if (!g_type_is_a (type, REEL_TYPE_OBJECT) || type == REEL_TYPE_OBJECT)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "%s is not below a class of Reel, such as REEL_TYPE_ENV", klass->name);
      return FALSE;
    }
  if (check_ids (type, klass->name, error))
    return TRUE;
  reel_registry_refuse (type);
  return FALSE;
}

/* ---- both ---- */

static gboolean
add_classes (const ReelPlugin *plugin, const char *file, GError **error)
{
  for (const ReelPluginClass *klass = plugin->classes; klass->name != NULL; klass++)
    if (!add_class (klass, error))
      {
        g_prefix_error (error, "cannot load the plugin %s: ", file);
        return FALSE;
      }
  return TRUE;
}

gboolean
reel_plugin_load (const char *file, GError **error)
{
  g_return_val_if_fail (file != NULL, FALSE);

  static GHashTable *loaded; /* a file that is loaded again has its symbol at the same place */
  gpointer handle = open_file (file, error);
  const ReelPlugin *plugin = handle != NULL ? dlsym (handle, "reel_plugin") : NULL;
  g_autofree char *name = g_path_get_basename (file);

  if (loaded == NULL)
    loaded = g_hash_table_new (NULL, NULL);
  if (handle == NULL)
    return FALSE;
  if (!check_plugin (plugin, file, error))
    {
      dlclose (handle);
      return FALSE;
    }
  if (g_hash_table_contains (loaded, plugin))
    return TRUE;
  if (!add_classes (plugin, file, error))
    return FALSE;
  g_hash_table_add (loaded, (gpointer) plugin);
  reel_registry_add_plugin (name);
  return TRUE;
}
