#include "token-table.h"

static gboolean
prints (guint8 byte)
{
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
}

gunichar
reel_byte_char (guint8 byte)
{
  gunichar code = 0x100;

  if (prints (byte))
    return byte;
  for (guint i = 0; i < byte; i++)
    code += !prints ((guint8) i);
  return code;
}

/* The byte that a character stands for, −1 for none. */
static gint
char_byte (gunichar code)
{
  if (code < 0x100)
    return prints ((guint8) code) ? (gint) code : -1;
  for (guint byte = 0; byte < 256 && code < 0x100 + 68; byte++)
    if (!prints ((guint8) byte) && code-- == 0x100)
      return (gint) byte;
  return -1;
}

static void
unref_bytes (gpointer bytes)
{
  if (bytes)
    g_bytes_unref (bytes);
}

void
reel_token_table_init (ReelTokenTable *self)
{
  self->ids = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->bytes = g_ptr_array_new_with_free_func (unref_bytes);
}

void
reel_token_table_clear (ReelTokenTable *self)
{
  g_clear_pointer (&self->ids, g_hash_table_unref);
  g_clear_pointer (&self->bytes, g_ptr_array_unref);
}

/* A text with a character that is no byte's is its own UTF-8. */
static GBytes *
name_bytes (const char *name, gboolean is_text)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  for (const char *at = name; *at && !is_text; at = g_utf8_next_char (at))
    {
      gint byte = char_byte (g_utf8_get_char (at));
      if (byte < 0)
        is_text = TRUE;
      else
        g_byte_array_append (bytes, &(guint8){ (guint8) byte }, 1);
    }
  if (is_text)
    return g_bytes_new (name, strlen (name));
  return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

gboolean
reel_token_table_add (ReelTokenTable *self, const char *name, guint32 id, gboolean is_text)
{
  g_autoptr (GBytes) bytes = name_bytes (name, is_text);
  GBytes *before = reel_token_table_get (self, id);
  guint32 known;

  if (reel_token_table_find (self, name, &known) ? known != id : before != NULL)
    return FALSE;
  /* A name that stands for a byte and is a text, too, cannot be decoded. */
  if (before != NULL && !g_bytes_equal (before, bytes))
    return FALSE;
  if (id >= self->bytes->len)
    g_ptr_array_set_size (self->bytes, (gint) id + 1);
  unref_bytes (self->bytes->pdata[id]);
  self->bytes->pdata[id] = g_steal_pointer (&bytes);
  g_hash_table_insert (self->ids, g_strdup (name), GUINT_TO_POINTER (id));
  return TRUE;
}

gboolean
reel_token_table_find (const ReelTokenTable *self, const char *name, guint32 *id)
{
  gpointer value;
  gboolean found = g_hash_table_lookup_extended (self->ids, name, NULL, &value);

  *id = found ? GPOINTER_TO_UINT (value) : 0;
  return found;
}

GBytes *
reel_token_table_get (const ReelTokenTable *self, gint64 id)
{
  return id >= 0 && id < (gint64) self->bytes->len ? self->bytes->pdata[id] : NULL;
}
