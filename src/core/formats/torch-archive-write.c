/* Writes archives as torch.save does. Records are stored as they are, each content at a multiple of
 * 64 behind a padding of Z, as PyTorch's writer has it: caffe2/serialize/inline_container.cc and
 * third_party/miniz. Structs are little-endian, as the host is. */
#include "torch-archive.h"

#include "../object/error.h"
#include "../system/files.h"
#include "pickle.h"
#include "zip.h"

#include <string.h>
#include <zlib.h>

#define ALIGNMENT 64
#define UTF_8 0x0800
#define SIZES_FOLLOW 0x0008 /* of what is not empty, in a descriptor */
#define PADDING 0x4246
#define MAX_NAMED 13 /* records in one order, see order_names() */

typedef struct __attribute__ ((packed))
{
  guint32 signature;
  guint16 version, flags, method, time, date;
  guint32 crc, packed, size;
  guint16 name_length, extra_length;
} LocalHeader;

typedef struct __attribute__ ((packed))
{
  guint16 id, length;
} Extra;

typedef struct __attribute__ ((packed))
{
  guint32 signature, crc, packed, size;
} Descriptor;

typedef struct __attribute__ ((packed))
{
  guint32 signature;
  guint16 made_by, version, flags, method, time, date;
  guint32 crc, packed, size;
  guint16 name_length, extra_length, comment_length, disk, internal;
  guint32 external, offset;
} DirectoryRecord;

typedef struct __attribute__ ((packed))
{
  guint32 signature64;
  guint64 size64;
  guint16 made_by, version;
  guint32 disk64, directory_disk64;
  guint64 n_here64, n64, directory_size64, offset64;
  guint32 locator, end_disk;
  guint64 end_offset;
  guint32 n_disks, signature;
  guint16 disk, directory_disk, n_here, n;
  guint32 directory_size, offset;
  guint16 comment_length;
} End;

typedef struct
{
  const char *directory;
  GByteArray *bytes;
  GByteArray *index;
  GPtrArray *names; /* of records */
  guint64 checksum; /* of the contents of all */
} Archive;

static void
put (GByteArray *bytes, gconstpointer data, gsize n)
{
  g_byte_array_append (bytes, data, (guint) n);
}

/* boost's, as PyTorch has it. */
static guint64
combine (guint64 seed, guint64 value)
{
  return seed ^ (value + 0x9e3779b9 + (seed << 6) + (seed >> 2));
}

static void
put_padding (GByteArray *bytes)
{
  static const char padding[] = "ZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZ";
  gsize begin = bytes->len + sizeof (Extra);
  const Extra extra = { PADDING, (guint16) (-begin % ALIGNMENT) };

  put (bytes, &extra, sizeof extra);
  put (bytes, padding, extra.length);
}

static void
put_record (Archive *self, const char *name, gconstpointer data, gsize size)
{
  g_autofree char *full = g_strconcat (self->directory, "/", name, NULL);
  const guint16 name_length = (guint16) strlen (full);
  const guint32 crc = (guint32) crc32_z (0, data, size), length = (guint32) size;
  const guint16 flags = UTF_8 | (size > 0 ? SIZES_FOLLOW : 0);
  const gsize begin = self->bytes->len + sizeof (LocalHeader) + name_length + sizeof (Extra);
  const LocalHeader header = { .signature = 0x04034b50,
                               .flags = flags,
                               .name_length = name_length,
                               .extra_length = (guint16) (sizeof (Extra) + -begin % ALIGNMENT) };
  const DirectoryRecord record = { .signature = 0x02014b50,
                                   .flags = flags,
                                   .crc = crc,
                                   .packed = length,
                                   .size = length,
                                   .name_length = name_length,
                                   .offset = self->bytes->len };
  const Descriptor descriptor = { 0x08074b50, crc, length, length };

  put (self->bytes, &header, sizeof header);
  put (self->bytes, full, name_length);
  put_padding (self->bytes);
  put (self->bytes, data, size);
  if (size > 0)
    put (self->bytes, &descriptor, sizeof descriptor);
  put (self->index, &record, sizeof record);
  put (self->index, full, name_length);
  g_ptr_array_add (self->names, g_strdup (name));
  if (size > 0)
    self->checksum = combine (self->checksum, crc);
}

static void
put_text (Archive *self, const char *name, const char *text)
{
  put_record (self, name, text, strlen (text));
}

/* ---- what the archive is called by ---- */

/* MurmurHash64A of a string, as std::hash of libstdc++ seeds it. */
static guint64
hash_name (const char *name)
{
  const guint64 factor = 0xc6a4a7935bd1e995;
  gsize length = strlen (name), i;
  guint64 hash = 0xc70f6907 ^ (length * factor), word;

  for (i = 0; i + sizeof word <= length; i += sizeof word)
    {
      memcpy (&word, name + i, sizeof word);
      word *= factor;
      hash = (hash ^ ((word ^ word >> 47) * factor)) * factor;
    }
  if (i < length)
    {
      word = 0;
      memcpy (&word, name + i, length - i);
      hash = (hash ^ word) * factor;
    }
  hash = (hash ^ hash >> 47) * factor;
  return hash ^ hash >> 47;
}

/* Names are combined in the order in which libstdc++'s unordered_set gives them: each before the
 * first of its bucket, or before all. It grows beyond 13, and orders them anew; of archives that
 * have more the name is another than PyTorch's, which compares none. */
static guint64
hash_names (const GPtrArray *names)
{
  g_autoptr (GArray) hashes = g_array_new (FALSE, FALSE, sizeof (guint64));
  guint64 combined = 0;

  for (guint i = 0; i < names->len; i++)
    {
      guint64 hash = hash_name (names->pdata[i]);
      guint at = 0;

      while (at < hashes->len
             && g_array_index (hashes, guint64, at) % MAX_NAMED != hash % MAX_NAMED)
        at++;
      g_array_insert_val (hashes, at < hashes->len ? at : 0, hash);
    }
  for (guint i = 0; i < hashes->len; i++)
    combined = combine (combined, g_array_index (hashes, guint64, i));
  return combined;
}

static void
put_identity (Archive *self)
{
  g_autofree char *text = g_strdup_printf ("%020" G_GUINT64_FORMAT "%020" G_GUINT64_FORMAT,
                                           hash_names (self->names), self->checksum);

  put_text (self, ".data/serialization_id", text);
}

/* ---- the file ---- */

static void
put_end (Archive *self)
{
  const guint offset = self->bytes->len, size = self->index->len;
  const guint16 n = (guint16) self->names->len;
  const End end = { .signature64 = 0x06064b50,
                    .size64 = 44,
                    .made_by = 0x031e,
                    .version = 0x2d,
                    .n_here64 = n,
                    .n64 = n,
                    .directory_size64 = size,
                    .offset64 = offset,
                    .locator = 0x07064b50,
                    .end_offset = (guint64) offset + size,
                    .n_disks = 1,
                    .signature = 0x06054b50,
                    .n_here = n,
                    .n = n,
                    .directory_size = size,
                    .offset = offset };

  put (self->bytes, self->index->data, size);
  put (self->bytes, &end, sizeof end);
}

static void
put_all (Archive *self, const GByteArray *pickle, const GPtrArray *storages)
{
  put_record (self, "data.pkl", pickle->data, pickle->len);
  put_text (self, ".format_version", "1");
  put_text (self, ".storage_alignment", G_STRINGIFY (ALIGNMENT));
  put_text (self, "byteorder", "little");
  for (guint i = 0; i < storages->len; i++)
    {
      const ReelTensor *storage = storages->pdata[i];
      g_autofree char *name = g_strdup_printf ("data/%u", i);

      put_record (self, name, storage->data, reel_tensor_nbytes (storage));
    }
  put_text (self, "version", "3\n");
  put_identity (self);
  put_end (self);
}

/* Larger ones have other headers, and more records another end. */
static gboolean
check_size (const char *path, const GByteArray *pickle, const GPtrArray *storages, GError **error)
{
  guint64 size = pickle->len;

  for (guint i = 0; i < storages->len; i++)
    size += reel_tensor_nbytes (storages->pdata[i]) + 1024;
  if (size < G_MAXUINT32 - (1 << 20) && storages->len < 0xff00)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "%s: would be %" G_GUINT64_FORMAT " bytes in %u tensors; such an archive is written "
               "up to 4 GiB",
               path, size, storages->len);
  return FALSE;
}

/* PyTorch's writer names the directory after the file, up to its last dot. */
static char *
directory_name (const char *path)
{
  char *name = g_path_get_basename (path), *dot = strrchr (name, '.');

  if (dot)
    *dot = '\0';
  return name;
}

gboolean
reel_torch_archive_save (const ReelTensordict *dict, const ReelTensordict *metadata,
                         const char *path, gboolean durable, GError **error)
{
  g_autoptr (GPtrArray) storages =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GByteArray) pickle = reel_pickle_write (dict, metadata, storages, error);
  g_autoptr (GByteArray) bytes = g_byte_array_new (), index = g_byte_array_new ();
  g_autofree char *directory = directory_name (path);
  Archive self = { directory, bytes, index, names, 0 };

  if (!pickle || !check_size (path, pickle, storages, error))
    return FALSE;
  put_all (&self, pickle, storages);
  return reel_file_write_atomic (path, bytes->data, bytes->len, durable, error);
}
