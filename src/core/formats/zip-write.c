/* Makes the headers and the directory of zip archives: PKWARE's APPNOTE, 4.3 and 4.5.3. Sizes in
 * local headers always take 64 bits, so that the length of a header follows from its name alone. */
#include "zip.h"

#include <string.h>

#define LOCAL_HEADER 0x04034b50u
#define LOCAL_SIZE 30
#define RECORD 0x02014b50u
#define END 0x06054b50u
#define LOCATOR64 0x07064b50u
#define END64 0x06064b50u
#define END64_SIZE 56
#define EXTRA64 0x0001
#define EXTRA64_SIZE (4 + 16)
#define EXTRA_PADDING 0x6474 /* "td": tensordict's */
#define EXTRA_HEAD 4
#define VERSION 45 /* which has sizes of 64 bits */
#define UNIX (3 << 8)
#define UTF_8 (1 << 11)
#define NO_DATE 0x21 /* the first day that there is, so that equal data are equal archives */
#define FILE_MODE (0644u << 16)

/* Little-endian, as the host is. */
static void
put_16 (GByteArray *bytes, gsize value)
{
  guint16 word = (guint16) value;

  g_byte_array_append (bytes, (const guint8 *) &word, sizeof word);
}

static void
put_32 (GByteArray *bytes, gsize value)
{
  guint32 word = (guint32) value;

  g_byte_array_append (bytes, (const guint8 *) &word, sizeof word);
}

static void
put_64 (GByteArray *bytes, guint64 value)
{
  g_byte_array_append (bytes, (const guint8 *) &value, sizeof value);
}

void
reel_zip_place (ReelZipEntry *entry, guint64 offset, gboolean align)
{
  entry->header = offset;
  entry->payload = offset + LOCAL_SIZE + strlen (entry->name) + EXTRA64_SIZE;
  if (align)
    {
      /* The padding is an extra block of its own, whose head must fit before the content. */
      guint64 least = entry->payload + EXTRA_HEAD;
      entry->payload = (least + REEL_ZIP_ALIGNMENT - 1) & ~(guint64) (REEL_ZIP_ALIGNMENT - 1);
    }
}

/* The common part of a local header and a record of the directory. */
static void
put_description (GByteArray *bytes, const ReelZipEntry *entry, guint64 packed, guint64 size,
                 gsize extra)
{
  gboolean ascii = g_str_is_ascii (entry->name);

  put_16 (bytes, VERSION);
  put_16 (bytes, ascii ? 0 : UTF_8);
  put_16 (bytes, entry->method);
  put_16 (bytes, 0);
  put_16 (bytes, NO_DATE);
  put_32 (bytes, entry->crc);
  put_32 (bytes, packed);
  put_32 (bytes, size);
  put_16 (bytes, strlen (entry->name));
  put_16 (bytes, extra);
}

static void
put_name (GByteArray *bytes, const ReelZipEntry *entry)
{
  g_byte_array_append (bytes, (const guint8 *) entry->name, (guint) strlen (entry->name));
}

GByteArray *
reel_zip_local_header (const ReelZipEntry *entry)
{
  static const guint8 zeros[REEL_ZIP_ALIGNMENT] = { 0 };
  GByteArray *bytes = g_byte_array_new ();
  gsize extra = entry->payload - entry->header - LOCAL_SIZE - strlen (entry->name);

  put_32 (bytes, LOCAL_HEADER);
  put_description (bytes, entry, G_MAXUINT32, G_MAXUINT32, extra);
  put_name (bytes, entry);
  if (extra > EXTRA64_SIZE)
    {
      gsize padding = extra - EXTRA64_SIZE - EXTRA_HEAD;
      put_16 (bytes, EXTRA_PADDING);
      put_16 (bytes, padding);
      g_byte_array_append (bytes, zeros, (guint) padding);
    }
  put_16 (bytes, EXTRA64);
  put_16 (bytes, 16);
  put_64 (bytes, entry->size);
  put_64 (bytes, entry->packed);
  return bytes;
}

static guint32
fit_32 (guint64 value)
{
  return (guint32) MIN (value, G_MAXUINT32);
}

static void
put_record (GByteArray *bytes, const ReelZipEntry *entry)
{
  const guint64 fields[] = { entry->size, entry->packed, entry->header };
  gsize n_wide = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    n_wide += fields[i] >= G_MAXUINT32;
  put_32 (bytes, RECORD);
  put_16 (bytes, VERSION | UNIX);
  put_description (bytes, entry, fit_32 (entry->packed), fit_32 (entry->size),
                   n_wide > 0 ? 4 + 8 * n_wide : 0);
  put_16 (bytes, 0);
  put_16 (bytes, 0);
  put_16 (bytes, 0);
  put_32 (bytes, FILE_MODE);
  put_32 (bytes, fit_32 (entry->header));
  put_name (bytes, entry);
  if (n_wide == 0)
    return;
  put_16 (bytes, EXTRA64);
  put_16 (bytes, 8 * n_wide);
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    if (fields[i] >= G_MAXUINT32)
      put_64 (bytes, fields[i]);
}

static void
put_end_64 (GByteArray *bytes, gsize n, guint64 size, guint64 offset)
{
  put_32 (bytes, END64);
  /* The size of the rest of this record, without signature and size. */
  put_64 (bytes, END64_SIZE - 12);
  put_16 (bytes, VERSION | UNIX);
  put_16 (bytes, VERSION);
  put_32 (bytes, 0);
  put_32 (bytes, 0);
  put_64 (bytes, n);
  put_64 (bytes, n);
  put_64 (bytes, size);
  put_64 (bytes, offset);
  put_32 (bytes, LOCATOR64);
  put_32 (bytes, 0);
  put_64 (bytes, offset + size);
  put_32 (bytes, 1);
}

GByteArray *
reel_zip_directory (const ReelZipEntry *entries, gsize n, guint64 offset)
{
  GByteArray *bytes = g_byte_array_new ();

  for (gsize i = 0; i < n; i++)
    put_record (bytes, &entries[i]);
  guint64 size = bytes->len;
  if (n >= G_MAXUINT16 || size >= G_MAXUINT32 || offset >= G_MAXUINT32)
    put_end_64 (bytes, n, size, offset);
  put_32 (bytes, END);
  put_16 (bytes, 0);
  put_16 (bytes, 0);
  put_16 (bytes, MIN (n, G_MAXUINT16));
  put_16 (bytes, MIN (n, G_MAXUINT16));
  put_32 (bytes, fit_32 (size));
  put_32 (bytes, fit_32 (offset));
  put_16 (bytes, 0);
  return bytes;
}
