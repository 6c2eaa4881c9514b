/* Loads what torch.save wrote, a zip archive with one directory: `data.pkl`, and each storage in
 * `data/`. Other records are not read, but for the order of bytes:
 * caffe2/serialize/inline_container.h. */
#include "torch-archive.h"

#include "../object/error.h"
#include "pickle.h"
#include "zip.h"

#include <string.h>

typedef struct
{
  const char *path;
  ReelZip *zip;
  char *directory;
  GHashTable *storages; /* of ReelMemory, by their names: tensors may share one */
} Archive;

static ReelMemory *
read_record (const Archive *self, const char *name, GError **error)
{
  g_autofree char *full = g_strconcat (self->directory, "/", name, NULL), *shown = NULL;
  const ReelZipEntry *entry = reel_zip_find (self->zip, full);

  if (entry)
    return reel_zip_extract (self->zip, entry, error);
  shown = g_utf8_make_valid (full, (gssize) MIN (strlen (full), 200));
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: there is no record \"%s\" in it",
               self->path, shown);
  return NULL;
}

static ReelMemory *
find_storage (gpointer source, const char *name, GError **error)
{
  const Archive *self = source;
  ReelMemory *memory = g_hash_table_lookup (self->storages, name);
  g_autofree char *record = g_strconcat ("data/", name, NULL);

  if (!memory)
    {
      memory = read_record (self, record, error);
      if (!memory)
        return NULL;
      g_hash_table_insert (self->storages, g_strdup (name), memory);
    }
  return reel_memory_ref (memory);
}

static gboolean
find_directory (Archive *self, GError **error)
{
  g_auto (GStrv) names = reel_zip_list (self->zip, "");

  if (g_strv_length (names) == 1)
    {
      self->directory = g_strdup (names[0]);
      return TRUE;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "%s: %u names in the archive, one directory expected, as torch.save makes it",
               self->path, g_strv_length (names));
  return FALSE;
}

/* Before it was told, it was that of the machine, little-endian as a rule. */
static gboolean
check_byte_order (const Archive *self, GError **error)
{
  g_autofree char *name = g_strconcat (self->directory, "/byteorder", NULL);
  const ReelZipEntry *entry = reel_zip_find (self->zip, name);
  g_autoptr (ReelMemory) memory = entry ? reel_zip_extract (self->zip, entry, error) : NULL;
  gsize size;
  const char *text = memory ? reel_memory_get_data (memory, &size) : NULL;
  g_autofree char *shown = NULL;

  if (!entry || (memory && size == 6 && memcmp (text, "little", 6) == 0))
    return TRUE;
  if (!memory)
    return FALSE;
  shown = g_utf8_make_valid (size > 0 ? text : "", (gssize) MIN (size, 20));
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "%s: the order of bytes is \"%s\", only \"little\" can be read", self->path, shown);
  return FALSE;
}

static ReelTensordict *
read_pickle (Archive *self, GError **error)
{
  g_autoptr (ReelMemory) pickle = read_record (self, "data.pkl", error);
  g_autoptr (GError) failure = NULL;
  ReelTensordict *dict;
  gsize length;
  const guint8 *data;

  if (!pickle)
    return NULL;
  data = reel_memory_get_data (pickle, &length);
  dict = reel_pickle_read (data, length, find_storage, self, &failure);
  if (dict)
    return dict;
  if (!g_str_has_prefix (failure->message, self->path))
    g_prefix_error (&failure, "%s: ", self->path);
  g_propagate_error (error, g_steal_pointer (&failure));
  return NULL;
}

ReelTensordict *
reel_torch_archive_load (const char *path, GError **error)
{
  g_autoptr (GHashTable) storages =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) reel_memory_unref);
  g_autoptr (ReelZip) zip = reel_zip_open (path, REEL_MAP_READ, error);
  Archive self = { path, zip, NULL, storages };
  g_autofree char *directory = NULL;

  if (!zip || !find_directory (&self, error))
    return NULL;
  directory = self.directory;
  return check_byte_order (&self, error) ? read_pickle (&self, error) : NULL;
}
