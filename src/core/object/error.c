#include "error.h"

#include <errno.h>

G_DEFINE_QUARK (reel_error, reel_error)

void
reel_set_error_errno (GError **error, int saved_errno, const char *format, ...)
{
  int entry_errno = errno;
  gboolean full = saved_errno == ENOSPC || saved_errno == EDQUOT || saved_errno == EFBIG;
  va_list args;

  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);

  g_set_error (error, REEL_ERROR, full ? REEL_ERROR_NO_SPACE : REEL_ERROR_IO, "%s: %s", what,
               g_strerror (saved_errno));
  errno = entry_errno;
}
