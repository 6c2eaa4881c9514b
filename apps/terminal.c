#include "terminal.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

gint64
terminal_get_width (int fd)
{
  struct winsize size;

  if (!isatty (fd))
    return 0;
  return ioctl (fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* https://no-color.org: any value that is not empty. */
gboolean
terminal_has_colour (int fd)
{
  const char *forbidden = g_getenv ("NO_COLOR"), *term = g_getenv ("TERM");

  return isatty (fd) && !(forbidden && *forbidden) && term && strcmp (term, "dumb") != 0;
}
