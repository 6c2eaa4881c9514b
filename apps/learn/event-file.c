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

#define DT_STRING 7 /* of TensorFlow's types */

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

/* An event of one value of a summary. */
static void
append_value (GByteArray *bytes, double wall_time, gint64 step, const GByteArray *value)
{
  g_autoptr (GByteArray) event = g_byte_array_new (), summary = g_byte_array_new ();

  append_part (summary, 1, value->data, value->len);
  append_event_time (event, wall_time);
  if (step != 0)
    {
      append_key (event, 2, VARINT);
      append_number (event, (guint64) step);
    }
  append_part (event, 5, summary->data, summary->len);
  append_record (bytes, event);
}

void
event_file_append_scalar (GByteArray *bytes, double wall_time, gint64 step, const char *tag,
                          float value)
{
  g_autoptr (GByteArray) scalar = g_byte_array_new ();

  append_part (scalar, 1, tag, strlen (tag));
  append_key (scalar, 2, FOUR_BYTES);
  g_byte_array_append (scalar, (const guint8 *) &value, sizeof value);
  append_value (bytes, wall_time, step, scalar);
}

/* ---- values that are shown by plugins ---- */

static void
append_text_part (GByteArray *bytes, guint field, const char *text)
{
  append_part (bytes, field, text, strlen (text));
}

/* The metadata that name a plugin, and what it is told. */
static void
append_plugin (GByteArray *value, const char *plugin, const GByteArray *content)
{
  g_autoptr (GByteArray) data = g_byte_array_new (), metadata = g_byte_array_new ();

  append_text_part (data, 1, plugin);
  append_part (data, 2, content->data, content->len);
  append_part (metadata, 1, data->data, data->len);
  append_part (value, 9, metadata->data, metadata->len);
}

/* A tensor of one string. */
void
event_file_append_text (GByteArray *bytes, double wall_time, const char *tag, const char *text)
{
  static const guint8 one[] = { 2 << 3 | DELIMITED, 2, 1 << 3 | VARINT, 1 };
  g_autoptr (GByteArray) value = g_byte_array_new (), tensor = g_byte_array_new (),
                         nothing = g_byte_array_new ();

  append_key (tensor, 1, VARINT);
  append_number (tensor, DT_STRING);
  append_part (tensor, 2, one, sizeof one);
  append_text_part (tensor, 8, text);
  append_text_part (value, 1, tag);
  append_part (value, 8, tensor->data, tensor->len);
  append_plugin (value, "text", nothing);
  append_value (bytes, wall_time, 0, value);
}

/* A google.protobuf.Value. */
static void
append_any (GByteArray *bytes, guint field, const json_t *any)
{
  g_autoptr (GByteArray) value = g_byte_array_new ();
  double number = json_number_value (any);

  if (json_is_string (any))
    append_text_part (value, 3, json_string_value (any));
  else if (json_is_boolean (any))
    {
      append_key (value, 4, VARINT);
      append_number (value, json_is_true (any));
    }
  else
    {
      append_key (value, 2, EIGHT_BYTES);
      g_byte_array_append (value, (const guint8 *) &number, sizeof number);
    }
  append_part (bytes, field, value->data, value->len);
}

void
event_file_append_parameters (GByteArray *bytes, double wall_time, const json_t *parameters)
{
  g_autoptr (GByteArray) session = g_byte_array_new (), content = g_byte_array_new (),
                         value = g_byte_array_new ();
  const char *name;
  json_t *any;

  json_object_foreach ((json_t *) parameters, name, any)
  {
    g_autoptr (GByteArray) entry = g_byte_array_new ();

    append_text_part (entry, 1, name);
    append_any (entry, 2, any);
    append_part (session, 1, entry->data, entry->len);
  }
  append_key (session, 5, EIGHT_BYTES);
  g_byte_array_append (session, (const guint8 *) &wall_time, sizeof wall_time);
  append_part (content, 3, session->data, session->len);
  append_text_part (value, 1, "_hparams_/session_start_info");
  append_plugin (value, "hparams", content);
  append_value (bytes, wall_time, 0, value);
}

char *
event_file_dup_name (void)
{
  return g_strdup_printf ("events.out.tfevents.%" G_GINT64_FORMAT ".%s.%d.0",
                          g_get_real_time () / G_USEC_PER_SEC, g_get_host_name (), (int) getpid ());
}
