/* Reads zip archives: PKWARE's APPNOTE, 4.3.7 (local headers), 4.3.12 (records), 4.3.14 to 4.3.16
 * (the ends) and 4.5.3 (sizes of 64 bits). Names, sizes and places are compared before the first
 * entry is used. */
#include "zip.h"

#include "../tensor/mapped-memory.h"

#include <string.h>
#include <zlib.h>

#define LOCAL_HEADER 0x04034b50u
#define LOCAL_SIZE 30
#define RECORD 0x02014b50u
#define RECORD_SIZE 46
#define END 0x06054b50u
#define END_SIZE 22
#define LOCATOR64 0x07064b50u
#define LOCATOR64_SIZE 20
#define END64 0x06064b50u
#define END64_SIZE 56
#define EXTRA64 0x0001
#define IN_EXTRA_32 G_MAXUINT32
#define ENCRYPTED (1 << 0 | 1 << 6 | 1 << 13)

/* Longer paths cannot be unpacked, and deeper ones are no tensordict's. */
#define MAX_NAME 4096

#define MAX_ENTRIES (1 << 24)

/* The most that a byte of deflated data can stand for, rounded up. */
#define MAX_EXPANSION 1040

#define PIECE ((gsize) 1 << 30) /* zlib counts in 32 bits */

struct _ReelZip
{
  char *path;
  ReelMemory *memory;
  const guint8 *data;
  gsize size;
  GArray *entries; /* of ReelZipEntry, by name; directories that are listed end in a slash */
};

/* Where the directory is, as the end of the archive says. */
typedef struct
{
  guint64 offset, size, n_entries, after;
} Directory;

static guint16
get_16 (const guint8 *at)
{
  guint16 value;

  memcpy (&value, at, sizeof value);
  return value;
}

static guint32
get_32 (const guint8 *at)
{
  guint32 value;

  memcpy (&value, at, sizeof value);
  return value;
}

static guint64
get_64 (const guint8 *at)
{
  guint64 value;

  memcpy (&value, at, sizeof value);
  return value;
}

static gboolean G_GNUC_PRINTF (3, 4)
    fail (const ReelZip *zip, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: %s", zip->path, what);
  return FALSE;
}

static gboolean
fail_entry (const ReelZip *zip, const ReelZipEntry *entry, const char *what, GError **error)
{
  g_autofree char *name = g_utf8_make_valid (entry->name, -1);

  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s::%.200s: %s", zip->path, name, what);
  return FALSE;
}

/* ---- the end of the archive ---- */

/* The record that a comment of any length may follow, but nothing else. */
static const guint8 *
find_end (const ReelZip *zip)
{
  for (gsize comment = 0; comment <= G_MAXUINT16 && comment + END_SIZE <= zip->size; comment++)
    {
      const guint8 *at = zip->data + zip->size - END_SIZE - comment;
      if (get_32 (at) == END && get_16 (at + 20) == comment)
        return at;
    }
  return NULL;
}

/* Counts beyond 32 bits stand in a record of their own. */
static gboolean
read_end_64 (const ReelZip *zip, const guint8 *end, Directory *directory, GError **error)
{
  const guint8 *locator = end - LOCATOR64_SIZE;
  guint64 offset = get_64 (locator + 8), limit = (guint64) (locator - zip->data);

  if (limit < END64_SIZE || offset > limit - END64_SIZE || get_32 (zip->data + offset) != END64)
    return fail (zip, error, "the end of the archive points nowhere");
  const guint8 *at = zip->data + offset;
  *directory = (Directory){ get_64 (at + 48), get_64 (at + 40), get_64 (at + 32), offset };
  if (get_32 (at + 16) == 0 && get_32 (at + 20) == 0 && get_64 (at + 24) == directory->n_entries)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "%s: is one of several files of an archive, which cannot be read", zip->path);
  return FALSE;
}

static gboolean
read_end_32 (const ReelZip *zip, const guint8 *end, Directory *directory, GError **error)
{
  *directory = (Directory){ get_32 (end + 16), get_32 (end + 12), get_16 (end + 10),
                            (guint64) (end - zip->data) };
  if (get_16 (end + 4) == 0 && get_16 (end + 6) == 0 && get_16 (end + 8) == directory->n_entries)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "%s: is one of several files of an archive, which cannot be read", zip->path);
  return FALSE;
}

static gboolean
read_end (const ReelZip *zip, Directory *directory, GError **error)
{
  const guint8 *end = find_end (zip);

  if (!end)
    return fail (zip, error,
                 "is not a zip archive, or cut off: %" G_GSIZE_FORMAT
                 " bytes without the end of one",
                 zip->size);
  gboolean wide = end - zip->data >= LOCATOR64_SIZE && get_32 (end - LOCATOR64_SIZE) == LOCATOR64;
  if (!(wide ? read_end_64 : read_end_32) (zip, end, directory, error))
    return FALSE;
  /* The directory ends where its end begins, so that no bytes between them can be another one. A
   * record takes RECORD_SIZE bytes, which bounds the memory. */
  if (directory->size > directory->after || directory->offset != directory->after - directory->size
      || directory->n_entries > MIN (directory->size / RECORD_SIZE, MAX_ENTRIES))
    return fail (zip, error,
                 "the directory of the archive, %" G_GUINT64_FORMAT " entries in %" G_GUINT64_FORMAT
                 " bytes at %" G_GUINT64_FORMAT
                 ", is not where it should end, at %" G_GUINT64_FORMAT,
                 directory->n_entries, directory->size, directory->offset, directory->after);
  return TRUE;
}

/* ---- entries ---- */

/* Names that stay below the archive, one way to write each. */
static gboolean
is_name (const char *name, gsize length)
{
  /* No empty part, no "." and no "..": the name cannot leave the place that it is unpacked to. */
  if (length == 0 || length > MAX_NAME || !g_utf8_validate (name, (gssize) length, NULL))
    return FALSE;
  for (const char *part = name, *end = name + length; part < end;)
    {
      const char *slash = memchr (part, '/', (gsize) (end - part));
      gsize part_length = (gsize) ((slash ? slash : end) - part);
      if (part_length == 0 || (part_length <= 2 && strncmp (part, "..", part_length) == 0))
        return FALSE;
      part += part_length + 1;
    }
  return TRUE;
}

/* Fields that did not fit into 32 bits follow one another in an extra block. */
static gboolean
read_extra_64 (const guint8 *extra, gsize length, guint64 *const *fields, gsize n_fields)
{
  while (length >= 4)
    {
      gsize id = get_16 (extra), block = get_16 (extra + 2);
      if (block > length - 4)
        return FALSE;
      const guint8 *at = extra + 4;
      if (id == EXTRA64)
        {
          for (gsize i = 0; i < n_fields; i++)
            if (*fields[i] == IN_EXTRA_32)
              {
                if ((gsize) (at - extra) + 8 > block + 4)
                  return FALSE;
                *fields[i] = get_64 (at);
                at += 8;
              }
          return TRUE;
        }
      extra += 4 + block;
      length -= 4 + block;
    }
  return TRUE;
}

static gboolean
check_sizes (const ReelZip *zip, const ReelZipEntry *entry, GError **error)
{
  if (entry->size > G_MAXINT64 || entry->packed > zip->size)
    return fail_entry (zip, entry, "claims more bytes than the archive has", error);
  if (entry->method == REEL_ZIP_STORED && entry->packed != entry->size)
    return fail_entry (zip, entry, "is stored as it is, but in another number of bytes", error);
  if (entry->method == REEL_ZIP_DEFLATED && entry->size / MAX_EXPANSION > entry->packed)
    return fail_entry (zip, entry, "claims more bytes than can be unpacked from it", error);
  return TRUE;
}

/* One record of the directory; returns its bytes, or 0. */
static gsize
read_record (ReelZip *zip, const guint8 *at, gsize left, GError **error)
{
  if (left < RECORD_SIZE || get_32 (at) != RECORD)
    return fail (zip, error, "the directory of the archive is cut off or overwritten");
  gsize name_length = get_16 (at + 28), extra_length = get_16 (at + 30);
  gsize length = RECORD_SIZE + name_length + extra_length + get_16 (at + 32);
  const char *name = (const char *) at + RECORD_SIZE;
  if (length > left)
    return fail (zip, error, "the directory of the archive is cut off");
  ReelZipEntry entry = {
    .name = g_strndup (name, name_length),
    .header = get_32 (at + 42),
    .packed = get_32 (at + 20),
    .size = get_32 (at + 24),
    .crc = get_32 (at + 16),
    .method = get_16 (at + 10),
  };
  guint64 *const wide[] = { &entry.size, &entry.packed, &entry.header };
  /* The array owns the name from here on, whichever check fails. */
  g_array_append_val (zip->entries, entry);
  if (!is_name (name, name_length))
    return fail_entry (zip, &entry, "is a name that leads out of the archive or is none", error);
  if (get_16 (at + 8) & ENCRYPTED)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "%s::%s: is encrypted, which cannot be read", zip->path, entry.name);
      return 0;
    }
  if (!read_extra_64 (at + RECORD_SIZE + name_length, extra_length, wide, G_N_ELEMENTS (wide)))
    return fail_entry (zip, &entry, "has an extra field that is cut off", error);
  g_array_index (zip->entries, ReelZipEntry, zip->entries->len - 1) = entry;
  return check_sizes (zip, &entry, error) ? length : 0;
}

/* The header before the content must say the same. */
static gboolean
read_local_header (const ReelZip *zip, guint64 limit, ReelZipEntry *entry, GError **error)
{
  gsize name_length = strlen (entry->name);

  if (limit < LOCAL_SIZE || entry->header > limit - LOCAL_SIZE)
    return fail_entry (zip, entry, "begins behind the contents of the archive", error);
  const guint8 *at = zip->data + entry->header;
  guint64 begin = entry->header + LOCAL_SIZE + get_16 (at + 26) + get_16 (at + 28);
  /* Some readers go by the local headers alone: an archive must not be two. */
  if (get_32 (at) != LOCAL_HEADER || get_16 (at + 26) != name_length || begin > limit
      || memcmp (at + LOCAL_SIZE, entry->name, name_length) != 0
      || get_16 (at + 8) != entry->method)
    return fail_entry (zip, entry, "its local header disagrees with the directory", error);
  if (entry->packed > limit - begin)
    return fail_entry (zip, entry, "is cut off", error);
  entry->payload = begin;
  return TRUE;
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const ReelZipEntry *first = *(const ReelZipEntry *const *) a,
                     *second = *(const ReelZipEntry *const *) b;

  return first->header < second->header ? -1 : first->header > second->header;
}

/* So that no byte of the archive stands for two files. */
static gboolean
check_overlaps (const ReelZip *zip, GError **error)
{
  g_autoptr (GPtrArray) places = g_ptr_array_sized_new (zip->entries->len);

  for (guint i = 0; i < zip->entries->len; i++)
    g_ptr_array_add (places, &g_array_index (zip->entries, ReelZipEntry, i));
  g_ptr_array_sort (places, compare_places);
  for (guint i = 1; i < places->len; i++)
    {
      const ReelZipEntry *before = places->pdata[i - 1];
      if (before->payload + before->packed > ((ReelZipEntry *) places->pdata[i])->header)
        return fail_entry (zip, places->pdata[i], "overlaps another entry", error);
    }
  return TRUE;
}

/* ---- names ---- */

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (((const ReelZipEntry *) a)->name, ((const ReelZipEntry *) b)->name);
}

/* The first entry whose name is not less. */
static guint
lower_bound (const ReelZip *zip, const char *name)
{
  guint low = 0, high = zip->entries->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      if (strcmp (g_array_index (zip->entries, ReelZipEntry, middle).name, name) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static const ReelZipEntry *
entry_at (const ReelZip *zip, guint i)
{
  return i < zip->entries->len ? &g_array_index (zip->entries, ReelZipEntry, i) : NULL;
}

/* Where the names that begin with this begin; there may be none. */
static guint
find_below (const ReelZip *zip, const char *name, char **prefix)
{
  *prefix = *name ? g_strconcat (name, "/", NULL) : g_strdup ("");
  return lower_bound (zip, *prefix);
}

static gboolean
check_names (const ReelZip *zip, GError **error)
{
  g_array_sort (zip->entries, compare_names);
  for (guint i = 0; i < zip->entries->len; i++)
    {
      const ReelZipEntry *entry = entry_at (zip, i), *next = entry_at (zip, i + 1);
      g_autofree char *prefix = NULL;
      const ReelZipEntry *below = entry_at (zip, find_below (zip, entry->name, &prefix));

      if (next && strcmp (entry->name, next->name) == 0)
        return fail_entry (zip, entry, "is twice in the archive", error);
      if (below && g_str_has_prefix (below->name, prefix))
        return fail_entry (zip, entry, "is a file and a directory", error);
    }
  return TRUE;
}

const ReelZipEntry *
reel_zip_find (const ReelZip *zip, const char *name)
{
  const ReelZipEntry *entry = entry_at (zip, lower_bound (zip, name));
  gboolean found = entry && strcmp (entry->name, name) == 0 && !g_str_has_suffix (name, "/");

  return found ? entry : NULL;
}

gboolean
reel_zip_has_directory (const ReelZip *zip, const char *name)
{
  g_autofree char *prefix = NULL;
  const ReelZipEntry *first = entry_at (zip, find_below (zip, name, &prefix));

  return !*name || (first && g_str_has_prefix (first->name, prefix));
}

/* In the order of their paths one directory's entries follow one another. */
char **
reel_zip_list (const ReelZip *zip, const char *name)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *prefix = NULL, *last = g_strdup ("");
  const ReelZipEntry *entry;

  for (guint i = find_below (zip, name, &prefix);
       (entry = entry_at (zip, i)) && g_str_has_prefix (entry->name, prefix); i++)
    {
      const char *rest = entry->name + strlen (prefix);
      g_autofree char *part = g_strndup (rest, strcspn (rest, "/"));
      if (!*part || strcmp (part, last) == 0)
        continue;
      g_ptr_array_add (names, g_strdup (part));
      g_free (last);
      last = g_steal_pointer (&part);
    }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

/* ---- the archive ---- */

static gboolean
read_directory (ReelZip *zip, GError **error)
{
  Directory directory;

  if (!read_end (zip, &directory, error))
    return FALSE;
  const guint8 *at = zip->data + directory.offset;
  gsize left = directory.size, n_bytes;
  for (guint64 i = 0; i < directory.n_entries; i++, at += n_bytes, left -= n_bytes)
    if ((n_bytes = read_record (zip, at, left, error)) == 0)
      return FALSE;
  if (left > 0)
    return fail (zip, error,
                 "the directory of the archive has more than its %" G_GUINT64_FORMAT " entries",
                 directory.n_entries);
  for (guint i = 0; i < zip->entries->len; i++)
    if (!read_local_header (zip, directory.offset, &g_array_index (zip->entries, ReelZipEntry, i),
                            error))
      return FALSE;
  return check_overlaps (zip, error) && check_names (zip, error);
}

static void
clear_entry (gpointer entry)
{
  g_free (((ReelZipEntry *) entry)->name);
}

ReelZip *
reel_zip_open (const char *path, ReelMapMode mode, GError **error)
{
  ReelMemory *memory = reel_memory_new_mapped (REEL_MEMORY_SHARED, path, -1, mode, -1, error);

  if (!memory)
    return NULL;
  g_autoptr (ReelZip) zip = g_new0 (ReelZip, 1);
  zip->path = g_strdup (path);
  zip->memory = memory;
  zip->data = reel_memory_get_data (memory, &zip->size);
  zip->entries = g_array_new (FALSE, FALSE, sizeof (ReelZipEntry));
  g_array_set_clear_func (zip->entries, clear_entry);
  return read_directory (zip, error) ? g_steal_pointer (&zip) : NULL;
}

void
reel_zip_close (ReelZip *zip)
{
  if (!zip)
    return;
  g_free (zip->path);
  reel_memory_unref (zip->memory);
  g_array_unref (zip->entries);
  g_free (zip);
}

ReelMemory *
reel_zip_get_memory (const ReelZip *zip)
{
  return zip->memory;
}

/* ---- contents ---- */

static gboolean
check_crc (const ReelZip *zip, const ReelZipEntry *entry, const guint8 *data, GError **error)
{
  guint32 crc = (guint32) crc32_z (0, data, entry->size);

  if (crc == entry->crc)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s::%s: its checksum is %08x, %08x expected",
               zip->path, entry->name, crc, entry->crc);
  return FALSE;
}

gboolean
reel_zip_check (const ReelZip *zip, const ReelZipEntry *entry, GError **error)
{
  return check_crc (zip, entry, zip->data + entry->payload, error);
}

/* Whether the packed bytes unpack into exactly as many as there is room for. */
static gboolean
inflate_whole (const guint8 *packed, gsize n_packed, guint8 *data, gsize size)
{
  z_stream stream = { .next_in = (Bytef *) packed };
  guint8 none;
  /* Negative: entries have neither zlib's header nor its checksum. */
  int result = inflateInit2 (&stream, -MAX_WBITS);

  stream.next_out = data ? data : &none;
  while (result == Z_OK)
    {
      if (stream.avail_in == 0)
        {
          stream.avail_in = (uInt) MIN (n_packed, PIECE);
          n_packed -= stream.avail_in;
        }
      if (stream.avail_out == 0)
        {
          stream.avail_out = (uInt) MIN (size, PIECE);
          size -= stream.avail_out;
        }
      /* Without input or room left this is Z_BUF_ERROR, which ends the loop. */
      result = inflate (&stream, Z_NO_FLUSH);
    }
  inflateEnd (&stream);
  return result == Z_STREAM_END && stream.avail_in == 0 && n_packed == 0 && stream.avail_out == 0
         && size == 0;
}

static gboolean
unpack (const ReelZip *zip, const ReelZipEntry *entry, guint8 *data, GError **error)
{
  const guint8 *packed = zip->data + entry->payload;

  if (entry->method == REEL_ZIP_STORED && entry->size > 0)
    memcpy (data, packed, entry->size);
  else if (entry->method == REEL_ZIP_DEFLATED
           && !inflate_whole (packed, entry->packed, data, entry->size))
    return fail_entry (zip, entry, "does not unpack into as many bytes as it claims", error);
  return check_crc (zip, entry, data, error);
}

ReelMemory *
reel_zip_extract (const ReelZip *zip, const ReelZipEntry *entry, GError **error)
{
  if (entry->method != REEL_ZIP_STORED && entry->method != REEL_ZIP_DEFLATED)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "%s::%s: is compressed by method %d, which cannot be read; only stored and "
                   "deflated entries can",
                   zip->path, entry->name, entry->method);
      return NULL;
    }
  g_autoptr (ReelMemory) memory = reel_memory_new (entry->size, error);
  if (!memory || !unpack (zip, entry, reel_memory_get_data (memory, NULL), error))
    return NULL;
  return g_steal_pointer (&memory);
}
