#include "bus-error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"

/* Nothing here may allocate or lock: the signal comes in the middle of anything. */

static void (*volatile clean_up) (void);

static void
say (const char *text)
{
  if (write (STDERR_FILENO, text, strlen (text)) < 0)
    return;
}

/* The next line of @fd without its end; FALSE where there are no more. Of a longer one the end is
 * left out. */
static gboolean
read_line (int fd, char *line, gsize size)
{
  gsize n = 0;
  char c;
  ssize_t got;

  while ((got = TEMP_FAILURE_RETRY (read (fd, &c, 1))) == 1 && c != '\n')
    if (n + 1 < size)
      line[n++] = c;
  line[n] = '\0';
  return got == 1;
}

static uintptr_t
read_hex (const char **text)
{
  uintptr_t value = 0;

  for (gint digit; (digit = g_ascii_xdigit_value (**text)) >= 0; ++*text)
    value = value << 4 | (uintptr_t) digit;
  return value;
}

/* A line of /proc/self/maps: "begin-end rights offset device inode   path". */
static gboolean
holds (const char *line, uintptr_t address)
{
  uintptr_t begin = read_hex (&line), end;

  if (*line++ != '-')
    return FALSE;
  end = read_hex (&line);
  return begin <= address && address < end;
}

static void
say_file (uintptr_t address)
{
  int fd = open ("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  char line[4096 + 128];
  const char *path = NULL;

  while (fd >= 0 && !path && read_line (fd, line, sizeof line))
    if (holds (line, address))
      path = strchr (line, '/');
  say (path ? path : "a file that is mapped");
}

static void
on_signal (int number, siginfo_t *info, void *context)
{
  if (info->si_code != BUS_ADRERR)
    {
      signal (number, SIG_DFL);
      raise (number);
      return;
    }
  say (program_invocation_short_name);
  say (": ");
  say_file ((uintptr_t) info->si_addr);
  say (": a part is not there: the file was cut after it was opened, or its disk is full or "
       "failed\n");
  if (clean_up)
    clean_up ();
  _exit (EXIT_DAMAGED);
}

void
bus_error_watch (void)
{
  struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_NODEFER };

  sigaction (SIGBUS, &action, NULL);
}

void
bus_error_set_clean_up (void (*function) (void))
{
  clean_up = function;
}
