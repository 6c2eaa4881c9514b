#include "terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* An option and some words beside it. */
#define NARROWEST 50

/* The value of COLUMNS, or 0. */
static gint64
get_wanted_width (void)
{
  const char *columns = g_getenv ("COLUMNS");

  return columns ? CLAMP (strtoll (columns, NULL, 10), 0, 10000) : 0;
}

gint64
terminal_get_width (int fd)
{
  struct winsize size;

  if (get_wanted_width () > 0)
    return get_wanted_width ();
  if (!isatty (fd))
    return 0;
  return ioctl (fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

glong
terminal_get_text_width (void)
{
  gint64 wanted = get_wanted_width ();

  return wanted > 0 ? (glong) MAX (wanted, NARROWEST) : 80;
}
