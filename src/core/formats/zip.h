/* Zip archives (PKWARE APPNOTE 6.3): read by mapping them whole, and the records that a writer
 * needs. Nothing of an archive is believed before it was compared with the rest. Private to the
 * library. */
#pragma once

#include "../system/mapping.h"
#include "../tensor/memory.h"

G_BEGIN_DECLS

/**
 * ReelZipMethod:
 * @REEL_ZIP_STORED: as it is
 * @REEL_ZIP_DEFLATED: compressed by zlib's method
 *
 * How the content of an entry is kept; any other number is one that cannot be read.
 */
typedef enum
{
  REEL_ZIP_STORED = 0,
  REEL_ZIP_DEFLATED = 8,
} ReelZipMethod;

/**
 * ReelZipEntry:
 * @name: its path in the archive, components joined by `/`
 * @header: where its local header begins
 * @payload: where its content begins
 * @packed: bytes in the archive
 * @size: bytes of the content
 * @crc: CRC-32 of the content
 * @method: a #ReelZipMethod
 *
 * One file in an archive.
 */
typedef struct
{
  char *name;
  guint64 header, payload, packed, size;
  guint32 crc;
  guint16 method;
} ReelZipEntry;

/* ---- reading: zip-read.c ---- */

/**
 * ReelZip:
 *
 * An archive that is mapped, and its entries. Used by one thread at a time.
 */
typedef struct _ReelZip ReelZip;

/**
 * reel_zip_open:
 * @path: a file
 * @mode: how to map it
 * @error: DAMAGED naming what is wrong with which entry: no archive, cut off, entries that overlap,
 *   stand twice, lead out of it (`..`, a leading `/`), or claim more than can be in them;
 *   NOT_IMPLEMENTED for encrypted entries and archives of several files; IO
 *
 * Maps an archive and reads its directory. Contents are looked at when they are asked for. Memory
 * and time are bounded by the size of the file.
 *
 * Returns: (transfer full): the archive
 */
ReelZip *reel_zip_open (const char *path, ReelMapMode mode, GError **error);

/**
 * reel_zip_close:
 * @zip: (nullable) (transfer full): an archive; memory got from it lives on
 */
void reel_zip_close (ReelZip *zip);

/**
 * reel_zip_find:
 * @zip: an archive
 * @name: a path in it
 *
 * Returns: (transfer none) (nullable): the file of that name
 */
const ReelZipEntry *reel_zip_find (const ReelZip *zip, const char *name);

/**
 * reel_zip_has_directory:
 * @zip: an archive
 * @name: a path in it, empty for the root
 *
 * Returns: whether there is a directory of that name, listed itself or by what is in it
 */
gboolean reel_zip_has_directory (const ReelZip *zip, const char *name);

/**
 * reel_zip_list:
 * @zip: an archive
 * @name: a directory in it, empty for the root
 *
 * Returns: (transfer full) (array zero-terminated=1): the names in that directory, each once
 */
char **reel_zip_list (const ReelZip *zip, const char *name);

/**
 * reel_zip_get_memory:
 * @zip: an archive
 *
 * Returns: (transfer none): the mapped archive
 */
ReelMemory *reel_zip_get_memory (const ReelZip *zip);

/**
 * reel_zip_check:
 * @zip: an archive
 * @entry: a stored entry of it
 * @error: DAMAGED when its checksum is another
 *
 * Reads the content once.
 *
 * Returns: whether the content is what was written
 */
gboolean reel_zip_check (const ReelZip *zip, const ReelZipEntry *entry, GError **error);

/**
 * reel_zip_extract:
 * @zip: an archive
 * @entry: an entry of it
 * @error: NOT_IMPLEMENTED naming a method of compression that is not known; DAMAGED when the
 *   content or its checksum is not what the entry says; NO_SPACE
 *
 * Returns: (transfer full): a copy of the content, checked
 */
ReelMemory *reel_zip_extract (const ReelZip *zip, const ReelZipEntry *entry, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelZip, reel_zip_close)

/* ---- writing: zip-write.c ---- */

/**
 * REEL_ZIP_ALIGNMENT:
 *
 * The alignment of the contents of leaves, as in tensordict's archives.
 */
#define REEL_ZIP_ALIGNMENT 64

/**
 * reel_zip_place:
 * @entry: an entry with a name; @header, @payload are set
 * @offset: where its local header is to begin
 * @align: whether its content is to begin at a multiple of #REEL_ZIP_ALIGNMENT
 *
 * Lays an entry out.
 */
void reel_zip_place (ReelZipEntry *entry, guint64 offset, gboolean align);

/**
 * reel_zip_local_header:
 * @entry: an entry that was placed, its sizes and checksum known
 *
 * Returns: (transfer full): what stands between its header's offset and its payload: a local
 *   header with its sizes in 64 bits, padded by an extra block 0x6474
 */
GByteArray *reel_zip_local_header (const ReelZipEntry *entry);

/**
 * reel_zip_directory:
 * @entries: (array length=n): all entries
 * @n: how many
 * @offset: where the directory is to begin, after the last content
 *
 * Returns: (transfer full): the end of the archive
 */
GByteArray *reel_zip_directory (const ReelZipEntry *entries, gsize n, guint64 offset);

G_END_DECLS
