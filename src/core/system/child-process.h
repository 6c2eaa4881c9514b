/* A child process that runs a command, with a socket and memory that both share. Private to the
 * library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * ReelChildProcess:
 *
 * A running command. One thread at a time.
 */
typedef struct _ReelChildProcess ReelChildProcess;

/**
 * REEL_CHILD_SOCKET:
 *
 * Descriptor of the socket in the child.
 */
#define REEL_CHILD_SOCKET 3

/**
 * REEL_CHILD_MEMORY:
 *
 * Descriptor of the shared memory in the child.
 */
#define REEL_CHILD_MEMORY 4

/**
 * REEL_CHILD_LINE_BYTES:
 *
 * The most bytes of a line that a child sends.
 */
#define REEL_CHILD_LINE_BYTES (1 << 20)

/**
 * reel_child_process_new:
 * @command: a program, found in PATH, and its arguments, quoted as for a shell; no shell runs
 * @seconds: how long reel_child_process_send() and the functions that read wait
 * @error: VALUE for quotes without their other half; RUNTIME with the reason of the system
 *
 * Starts @command in a process group of its own. It inherits the socket and the memory, which is
 * empty at first; it reads nothing on its standard input, and its standard output is that of
 * errors. The system kills it when the thread that called this function ends, in whichever way.
 *
 * Returns: (transfer full): the process
 */
ReelChildProcess *reel_child_process_new (const char *command, gint seconds, GError **error);

/**
 * reel_child_process_share:
 * @self: a process, once
 * @bytes: to share
 * @error: NO_SPACE
 *
 * Gives the shared memory its size, which neither side can change.
 *
 * Returns: the descriptor, of @self; -1 where there is no room
 */
int reel_child_process_share (ReelChildProcess *self, gsize bytes, GError **error);

/**
 * reel_child_process_send:
 * @self: a process
 * @data: bytes
 * @n: how many
 * @error: RUNTIME where the process ended, with its exit status or signal, or sent bytes that
 *   nothing asked for; TIMEOUT
 *
 * Returns: whether all were sent
 */
gboolean reel_child_process_send (ReelChildProcess *self, gconstpointer data, gsize n,
                                  GError **error);

/**
 * reel_child_process_read_byte:
 * @self: a process
 * @error: RUNTIME where the process ended; TIMEOUT
 *
 * Returns: the next byte, or -1
 */
int reel_child_process_read_byte (ReelChildProcess *self, GError **error);

/**
 * reel_child_process_read_line:
 * @self: a process
 * @error: RUNTIME where the process ended, or the line has more than REEL_CHILD_LINE_BYTES; TIMEOUT
 *
 * Returns: (transfer full): the next line without its newline; a NUL in it is U+FFFD, and so are
 *   bytes that are not UTF-8
 */
char *reel_child_process_read_line (ReelChildProcess *self, GError **error);

/**
 * reel_child_process_free:
 * @self: (transfer full): a process
 *
 * Closes the socket, waits a second for the end of the process, and kills its group.
 */
void reel_child_process_free (ReelChildProcess *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelChildProcess, reel_child_process_free)

G_END_DECLS
