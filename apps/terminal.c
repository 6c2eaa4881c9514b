#include "terminal.h"

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
