#include "event-file.h"

#include <string.h>
#include <unistd.h>

/* Wire types of protocol buffers. */
enum
{
  VARINT = 0,
  EIGHT_BYTES = 1,
  DELIMITED = 2,
  FOUR_BYTES = 5,
};

/* Castagnoli's CRC of 32 bits. */
static guint32
crc32c (const guint8 *bytes, gsize n)
{
  guint32 crc = 0xffffffff;

  for (gsize i = 0; i < n; i++)
    {
      crc ^= bytes[i];
      for (gint bit = 0; bit < 8; bit++)
        crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
    }
  return crc ^ 0xffffffff;
}

static guint32
mask (guint32 crc)
{
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8;
}

static void
append_number (GByteArray *bytes, guint64 number)
{
  guint8 part;

  for (; number > 127; number >>= 7)
    {
      part = (guint8) (number & 127) | 128;
      g_byte_array_append (bytes, &part, 1);
    }
  part = (guint8) number;
  g_byte_array_append (bytes, &part, 1);
}

static void
append_key (GByteArray *bytes, guint field, guint type)
{
  append_number (bytes, (guint64) field << 3 | type);
}

static void
append_part (GByteArray *bytes, guint field, gconstpointer part, gsize n)
{
  append_key (bytes, field, DELIMITED);
  append_number (bytes, n);
  g_byte_array_append (bytes, part, (guint) n);
}

/* Numbers are little-endian, as the processors are that the library runs on. */
static void
append_event_time (GByteArray *event, double wall_time)
{
  append_key (event, 1, EIGHT_BYTES);
  g_byte_array_append (event, (const guint8 *) &wall_time, sizeof wall_time);
}

/* Length and bytes, each with its checksum. */
static void
append_record (GByteArray *bytes, const GByteArray *event)
{
  guint64 length = event->len;
  guint32 of_length = mask (crc32c ((const guint8 *) &length, sizeof length));
  guint32 of_event = mask (crc32c (event->data, event->len));

  g_byte_array_append (bytes, (const guint8 *) &length, sizeof length);
  g_byte_array_append (bytes, (const guint8 *) &of_length, sizeof of_length);
  g_byte_array_append (bytes, event->data, event->len);
  g_byte_array_append (bytes, (const guint8 *) &of_event, sizeof of_event);
}

void
event_file_append_version (GByteArray *bytes, double wall_time)
{
  static const char version[] = "brain.Event:2";
  g_autoptr (GByteArray) event = g_byte_array_new ();

  append_event_time (event, wall_time);
  append_part (event, 3, version, strlen (version));
  append_record (bytes, event);
}

void
event_file_append_scalar (GByteArray *bytes, double wall_time, gint64 step, const char *tag,
                          float value)
{
  g_autoptr (GByteArray) event = g_byte_array_new (), summary = g_byte_array_new (),
                         scalar = g_byte_array_new ();

  append_part (scalar, 1, tag, strlen (tag));
  append_key (scalar, 2, FOUR_BYTES);
  g_byte_array_append (scalar, (const guint8 *) &value, sizeof value);
  append_part (summary, 1, scalar->data, scalar->len);
  append_event_time (event, wall_time);
  if (step != 0)
    {
      append_key (event, 2, VARINT);
      append_number (event, (guint64) step);
    }
  append_part (event, 5, summary->data, summary->len);
  append_record (bytes, event);
}

char *
event_file_dup_name (void)
{
  return g_strdup_printf ("events.out.tfevents.%" G_GINT64_FORMAT ".%s.%d.0",
                          g_get_real_time () / G_USEC_PER_SEC, g_get_host_name (), (int) getpid ());
}
