#include "empty-chain.h"

#include "../core/files.h"
#include "../core/zip.h"

#include <string.h>
#include <zlib.h>

/* Pickle, protocol 2: the global OrderedDict is called without arguments. */
static const char pickle[] = "\x80\x02"
                             "ccollections\nOrderedDict\n"
                             ")R.";

static const struct
{
  const char *name;
  const char *content;
  gsize length;
} files[] = {
  { "archive/data.pkl", pickle, sizeof pickle - 1 },
  { "archive/byteorder", "little", 6 },
  { "archive/version", "3\n", 2 },
};

gboolean
reel_empty_chain_write (const char *path, GError **error)
{
  g_autoptr (GByteArray) archive = g_byte_array_new (), directory = NULL;
  ReelZipEntry entries[G_N_ELEMENTS (files)] = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      ReelZipEntry *entry = &entries[i];
      g_autoptr (GByteArray) header = NULL;

      entry->name = (char *) files[i].name;
      entry->size = entry->packed = files[i].length;
      entry->crc = (guint32) crc32_z (0, (const Bytef *) files[i].content, files[i].length);
      reel_zip_place (entry, archive->len, FALSE);
      header = reel_zip_local_header (entry);
      g_byte_array_append (archive, header->data, header->len);
      g_byte_array_append (archive, (const guint8 *) files[i].content, (guint) files[i].length);
    }
  directory = reel_zip_directory (entries, G_N_ELEMENTS (files), archive->len);
  g_byte_array_append (archive, directory->data, directory->len);
  return reel_file_write_atomic (path, archive->data, archive->len, FALSE, error);
}
