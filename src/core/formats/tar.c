#include "tar.h"

#include "../object/error.h"

#include <string.h>

#define BLOCK 512
#define MOST_EXTENSION ((guint64) 1 << 20) /* bytes of a long name, or of a pax header */
#define MOST_FILE ((guint64) 512 << 20)
#define PIECE ((gsize) 1 << 20)

/* Offsets and lengths of the fields of a header. */
#define NAME 0, 100
#define SIZE 124, 12
#define SUM 148, 8
#define TYPE 156
#define MAGIC 257, 6
#define PREFIX 345, 155

struct _ReelTar
{
  ReelByteStream *stream;
  guint64 left;     /* of the file in hand */
  gsize padding;    /* behind it */
  char *name;       /* of the file in hand */
  char *long_name;  /* of the next one, where its header has not room for it */
  gint64 long_size; /* the same of its size; −1 */
};

static gboolean
fail (const char *what, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s", what);
  return FALSE;
}

ReelTar *
reel_tar_new (ReelByteStream *stream)
{
  ReelTar *self = g_new0 (ReelTar, 1);

  self->stream = stream;
  self->long_size = -1;
  return self;
}

void
reel_tar_free (ReelTar *self)
{
  if (!self)
    return;
  g_free (self->name);
  g_free (self->long_name);
  g_free (self);
}

/* ---- fields ---- */

static char *
get_text (const guint8 *header, gsize at, gsize length)
{
  return g_strndup ((const char *) header + at, length);
}

/* Octal digits between blanks, or behind a first byte of 0x80 the number itself, highest byte
 * first. */
static gboolean
get_number (const guint8 *header, gsize at, gsize length, guint64 *number)
{
  const guint8 *field = header + at, *end = field + length;

  *number = 0;
  if (*field == 0x80)
    {
      while (++field < end)
        if (*number >> 55)
          return FALSE;
        else
          *number = *number << 8 | *field;
      return TRUE;
    }
  while (field < end && *field == ' ')
    field++;
  for (; field < end && *field >= '0' && *field <= '7'; field++)
    *number = *number << 3 | (guint64) (*field - '0');
  return field == end || *field == ' ' || *field == '\0';
}

/* The sum of all bytes, those of the sum itself taken as blanks. */
static gboolean
check_sum (const guint8 *header)
{
  const gsize at[] = { SUM };
  guint64 sum = 0, expected;

  for (gsize i = 0; i < BLOCK; i++)
    sum += i >= at[0] && i < at[0] + at[1] ? ' ' : header[i];
  return get_number (header, SUM, &expected) && sum == expected;
}

static char *
get_name (const guint8 *header)
{
  static const gsize magic[] = { MAGIC };
  g_autofree char *name = get_text (header, NAME), *prefix = get_text (header, PREFIX);
  gboolean is_posix = memcmp (header + magic[0], "ustar", magic[1]) == 0;

  return is_posix && *prefix ? g_strconcat (prefix, "/", name, NULL) : g_steal_pointer (&name);
}

/* ---- content ---- */

static void
begin_content (ReelTar *self, guint64 size)
{
  self->left = size;
  self->padding = (gsize) ((BLOCK - size % BLOCK) % BLOCK);
}

static gboolean
skip (ReelTar *self, guint64 n, GError **error)
{
  const gsize piece = (gsize) MIN (n, PIECE);
  g_autofree guint8 *bytes = g_malloc (MAX (piece, 1));

  for (gsize taken; n > 0; n -= taken)
    {
      taken = (gsize) MIN (n, piece);
      if (!reel_byte_stream_take (self->stream, bytes, taken, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
skip_content (ReelTar *self, GError **error)
{
  guint64 n = self->left + self->padding;

  self->left = self->padding = 0;
  return skip (self, n, error);
}

/* Memory grows with what was read, whatever the header says. */
static guint8 *
take_content (ReelTar *self, GError **error)
{
  const gsize length = (gsize) self->left;
  g_autofree guint8 *bytes = NULL;
  gsize room = 0;

  for (gsize at = 0, n; at < length || !bytes; at += n)
    {
      if (at == room)
        bytes = g_realloc (bytes, (room = MIN (MAX (2 * room, PIECE), length)) + 1);
      n = MIN (room - at, PIECE);
      if (!reel_byte_stream_take (self->stream, bytes + at, n, error))
        return NULL;
    }
  bytes[length] = '\0';
  self->left = 0;
  return skip_content (self, error) ? g_steal_pointer (&bytes) : NULL;
}

guint8 *
reel_tar_read (ReelTar *self, gsize *length, GError **error)
{
  *length = (gsize) self->left;
  if (self->left <= MOST_FILE)
    return take_content (self, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "a file of %" G_GUINT64_FORMAT " bytes is unsupported; the most is 512 MB",
               self->left);
  return NULL;
}

/* ---- headers of the next file ---- */

/* `LENGTH KEY=VALUE`, each on a line of LENGTH bytes. */
static gboolean
take_pax (ReelTar *self, const char *text, gsize length, GError **error)
{
  for (const char *at = text, *end = text + length; at < end;)
    {
      char *key;
      guint64 n = g_ascii_strtoull (at, &key, 10);
      const char *next = n <= (guint64) (end - at) ? at + n : NULL;
      const char *value = next ? memchr (key, '=', (gsize) MAX (next - key, 0)) : NULL;

      if (*key != ' ' || !next || next - key < 3 || next[-1] != '\n' || !value)
        return fail ("a header of the archive (pax) is damaged", error);
      key++;
      value++;
      if (g_str_has_prefix (key, "path="))
        {
          g_free (self->long_name);
          self->long_name = g_strndup (value, (gsize) (next - 1 - value));
        }
      else if (g_str_has_prefix (key, "size="))
        self->long_size = (gint64) MIN (g_ascii_strtoull (value, NULL, 10), G_MAXINT64);
      else if (g_str_has_prefix (key, "GNU.sparse."))
        return fail ("a file of the archive has holes, which is unsupported", error);
      at = next;
    }
  return TRUE;
}

static gboolean
take_extension (ReelTar *self, guint8 type, GError **error)
{
  const gsize length = (gsize) self->left;
  g_autofree guint8 *bytes = NULL;

  if (self->left > MOST_EXTENSION)
    return fail ("a header of the archive is unreasonably large", error);
  if (!(bytes = take_content (self, error)))
    return FALSE;
  if (type == 'x')
    return take_pax (self, (const char *) bytes, length, error);
  g_free (self->long_name);
  self->long_name = g_strndup ((const char *) bytes, length);
  return TRUE;
}

/* Zeros are the end, behind which programs pad with more of them. */
static gboolean
read_to_end (ReelTar *self, GError **error)
{
  g_autofree guint8 *bytes = g_malloc (PIECE);
  gsize n;

  do
    if (!reel_byte_stream_read (self->stream, bytes, PIECE, &n, error))
      return FALSE;
  while (n > 0);
  return TRUE;
}

static gboolean
take_header (ReelTar *self, guint8 *type, gboolean *is_over, GError **error)
{
  static const guint8 zeros[BLOCK];
  guint8 header[BLOCK];
  gsize n_read;
  guint64 size;

  if (!reel_byte_stream_read (self->stream, header, BLOCK, &n_read, error))
    return FALSE;
  *is_over = n_read == 0 || (n_read == BLOCK && memcmp (header, zeros, BLOCK) == 0);
  if (*is_over)
    return read_to_end (self, error);
  if (n_read < BLOCK)
    return fail ("the archive is cut off within a header", error);
  if (!check_sum (header) || !get_number (header, SIZE, &size))
    return fail ("a header is damaged, or the file is not a tar archive", error);
  *type = header[TYPE];
  g_free (self->name);
  self->name = get_name (header);
  begin_content (self, size);
  return TRUE;
}

/* The name and size that a header before may have said. */
static void
take_long_fields (ReelTar *self)
{
  if (self->long_name)
    {
      g_free (self->name);
      self->name = g_steal_pointer (&self->long_name);
    }
  if (self->long_size >= 0)
    begin_content (self, (guint64) self->long_size);
  self->long_size = -1;
}

gboolean
reel_tar_next (ReelTar *self, const char **name, GError **error)
{
  gboolean is_over;
  guint8 type = 0;

  for (*name = NULL;;)
    {
      if (!skip_content (self, error) || !take_header (self, &type, &is_over, error))
        return FALSE;
      if (is_over)
        return TRUE;
      if (type == 'x' || type == 'L')
        {
          if (!take_extension (self, type, error))
            return FALSE;
          continue;
        }
      if (type == 'g' || type == 'K')
        continue;
      take_long_fields (self);
      if (type == 'S')
        return fail ("a file of the archive has holes, which is unsupported", error);
      /* Links, devices and directories have no content, whatever their size says. */
      if (type >= '1' && type <= '6')
        begin_content (self, 0);
      if (type == '0' || type == '\0' || type == '7')
        {
          *name = self->name;
          return TRUE;
        }
    }
}
