/* The end of a child process. Private to the library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelChildEnd:
 * @pid: of the child, which leads a process group
 * @fd: a pidfd of it: readable once it ended
 */
typedef struct
{
  GPid pid;
  int fd;
} ReelChildEnd;

/**
 * reel_child_end_open:
 * @self: (out caller-allocates): the end, for reel_child_end_close()
 * @pid: of a child, not waited for; killed where this fails
 * @error: RUNTIME with the reason of the system
 *
 * Returns: whether it can be watched
 */
gboolean reel_child_end_open (ReelChildEnd *self, GPid pid, GError **error);

/**
 * reel_child_end_has_come:
 * @self: an end
 * @milliseconds: how long to wait
 *
 * Returns: whether the child ended; it stays a zombie, so that its number is not used again
 */
gboolean reel_child_end_has_come (const ReelChildEnd *self, int milliseconds);

/**
 * reel_child_end_describe:
 * @self: an end
 * @name: of the child, as in `its process`
 *
 * Returns: (transfer full): how it ended; %NULL where it runs
 */
char *reel_child_end_describe (const ReelChildEnd *self, const char *name);

/**
 * reel_child_end_close:
 * @self: an end
 *
 * Kills the group of the child and waits for its end.
 */
void reel_child_end_close (ReelChildEnd *self);

G_END_DECLS
