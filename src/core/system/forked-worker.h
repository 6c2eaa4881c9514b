/* A fork of this process that serves requests, one at a time. Private to the library. */
#pragma once

#include <glib.h>

#include "gate.h"

G_BEGIN_DECLS

/**
 * ReelForkedLine:
 * @asked: advanced by the parent, once a request
 * @answered: advanced by the child, once a request
 *
 * In memory that parent and child share, which has the requests and answers, too: who advances a
 * gate has written them before.
 */
typedef struct
{
  _Alignas(64) ReelGate asked;
  _Alignas(64) ReelGate answered;
} ReelForkedLine;

/**
 * ReelForkedWorker:
 *
 * A child. One thread at a time.
 */
typedef struct _ReelForkedWorker ReelForkedWorker;

/**
 * reel_forked_worker_new:
 * @line: in shared memory, where no other worker uses it
 * @serve: what the child does at each request; no lock may be needed for it that other threads of
 *   the program hold now and then
 * @data: argument of @serve
 * @spins: whether there is a CPU for it and for who waits: then both watch the line for a while
 *   before they sleep
 * @error: RUNTIME with the reason of the system
 *
 * Forks. The child has the memory of the program as it is now, in a process group of its own, and
 * none of its threads; the system kills it when the parent ends.
 *
 * Returns: (transfer full): the child
 */
ReelForkedWorker *reel_forked_worker_new (ReelForkedLine *line, void (*serve) (gpointer data),
                                          gpointer data, gboolean spins, GError **error);

/**
 * reel_forked_worker_ask:
 * @self: a worker that has answered all requests so far
 *
 * Has it serve a request.
 */
void reel_forked_worker_ask (ReelForkedWorker *self);

/**
 * reel_forked_worker_await:
 * @self: a worker that was asked
 * @seconds: how long to wait
 * @error: RUNTIME where it ended, with its signal or status; TIMEOUT
 *
 * Waits for the answer. After TIMEOUT it may be waited for again; after another failure nothing but
 * reel_forked_worker_free() is possible.
 *
 * Returns: whether it answered
 */
gboolean reel_forked_worker_await (ReelForkedWorker *self, gint64 seconds, GError **error);

/**
 * reel_forked_worker_has_answered:
 * @self: a worker that was asked
 *
 * Returns: whether reel_forked_worker_await() need not wait
 */
gboolean reel_forked_worker_has_answered (ReelForkedWorker *self);

/**
 * reel_forked_worker_kill:
 * @self: a worker
 *
 * Ends it: who waits for it hears that. Any thread.
 */
void reel_forked_worker_kill (ReelForkedWorker *self);

/**
 * reel_forked_worker_free:
 * @self: (transfer full): a worker
 *
 * Kills it, with what it started.
 */
void reel_forked_worker_free (ReelForkedWorker *self);

G_END_DECLS
