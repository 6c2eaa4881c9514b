/* Behind a `j` a tokenizer.json from any bytes; else a text, whose first byte is the size of the
 * parts in which a stream gets it. Ids of a text decode to it, however it is cut. */
#include "../small-tokenizer.h"
#include "../scratch.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static char *path;

static void
make_path (void)
{
  scratch_directory = g_strdup (fuzz_make_directory ());
  path = g_build_filename (scratch_directory, "any.json", NULL);
}

/* GLib counts a NUL as no character. */
static gboolean
is_utf8 (const char *text, gsize length)
{
  const char *end = text + length;

  while (!g_utf8_validate_len (text, (gsize) (end - text), &text))
    if (*text++ != '\0')
      return FALSE;
  return TRUE;
}

static void
encode_and_decode (ReelTokenizer *tokenizer, const guint8 *data, gsize size, gsize step)
{
  g_autoptr (GArray) ids = encode_text (tokenizer, (const char *) data, (gssize) size);
  g_autoptr (GArray) streamed = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (ReelTokenStream) stream = reel_token_stream_new (tokenizer);
  gsize length;

  for (gsize at = 0; at < size; at += step)
    if (!reel_token_stream_feed (stream, (const char *) data + at, MIN (step, size - at), streamed,
                                 NULL))
      abort ();
  reel_token_stream_end (stream, streamed);
  assert_same_ids (streamed, ids);

  g_autofree char *text =
      reel_tokenizer_decode (tokenizer, (gint64 *) ids->data, ids->len, FALSE, &length, NULL);
  if (!text || !is_utf8 (text, length)
      || (is_utf8 ((const char *) data, size)
          && (length != size || memcmp (text, data, size) != 0)))
    abort ();
}

static void
read_file (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;

  fuzz_put (path, data, size);
  g_autoptr (ReelTokenizer) tokenizer = reel_tokenizer_load (path, &error);
  if (!tokenizer != !!error || (error && !g_utf8_validate (error->message, -1, NULL)))
    abort ();
  if (!tokenizer && reel_tokenizer_load (path, NULL))
    abort ();
  if (tokenizer)
    encode_and_decode (tokenizer, data, size, 7);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static ReelTokenizer *tokenizer;

  if (!path)
    {
      make_path ();
      tokenizer = small_tokenizer_new ("t h;th e;a a;aa aa;1 2;12 3", "|<end> <e");
    }
  if (size == 0)
    return 0;
  if (*data == 'j')
    read_file (data + 1, size - 1);
  else
    encode_and_decode (tokenizer, data + 1, size - 1, (gsize) *data % 32 + 1);
  return 0;
}
