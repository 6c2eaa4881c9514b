#include "xz.h"

#include "../object/error.h"

#include <lzma.h>

#define MOST_MEMORY ((guint64) 128 << 20) /* xz -9 takes 65 MB */

struct _ReelXz
{
  lzma_stream stream;
  lzma_ret begun;
};

ReelXz *
reel_xz_new (void)
{
  ReelXz *self = g_new0 (ReelXz, 1);

  self->stream = (lzma_stream) LZMA_STREAM_INIT;
  self->begun = lzma_stream_decoder (&self->stream, MOST_MEMORY, LZMA_CONCATENATED);
  return self;
}

void
reel_xz_free (ReelXz *self)
{
  if (self)
    lzma_end (&self->stream);
  g_free (self);
}

static gboolean
fail (lzma_ret result, GError **error)
{
  const char *what = "the packed bytes are damaged";

  if (result == LZMA_FORMAT_ERROR)
    what = "it is not packed by xz";
  else if (result == LZMA_BUF_ERROR)
    what = "the packed bytes are cut off";
  else if (result == LZMA_MEMLIMIT_ERROR)
    what = "it takes more than 128 MB of memory to be unpacked; pack it again by 'xz -6'";
  else if (result == LZMA_OPTIONS_ERROR)
    what = "it is packed by xz in a way that liblzma does not know";
  else if (result == LZMA_MEM_ERROR)
    what = "there is no memory to unpack it";
  g_set_error_literal (error, REEL_ERROR,
                       result == LZMA_MEMLIMIT_ERROR || result == LZMA_OPTIONS_ERROR
                           ? REEL_ERROR_NOT_IMPLEMENTED
                       : result == LZMA_MEM_ERROR ? REEL_ERROR_NO_SPACE
                                                  : REEL_ERROR_DAMAGED,
                       what);
  return FALSE;
}

gboolean
reel_xz_read (ReelXz *self, const guint8 **at, const guint8 *end, guint8 *to, gsize n,
              gsize *n_read, gboolean *is_over, GError **error)
{
  lzma_ret result = self->begun;

  self->stream.next_in = *at;
  self->stream.avail_in = (gsize) (end - *at);
  self->stream.next_out = to;
  self->stream.avail_out = n;
  /* No bytes follow those that are given. A call that neither takes nor gives any is a file that is
   * cut off. */
  if (result == LZMA_OK)
    result = lzma_code (&self->stream, LZMA_FINISH);
  *at = self->stream.next_in;
  *n_read = n - self->stream.avail_out;
  *is_over = result == LZMA_STREAM_END;
  if (result == LZMA_OK && *n_read == 0 && n > 0)
    result = LZMA_BUF_ERROR;
  return result == LZMA_OK || result == LZMA_STREAM_END || fail (result, error);
}
