#include "rank-watch.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECT_MS 5000 /* for an address that does not answer */
#define ACCEPT_MS 30000 /* for connections that are known to be made */

/* A greeting: whether it is one of ours, and whose. */
typedef struct
{
  char mark[8];
  gint64 rank;
} Greeting;

static const char mark[8] = "reel-rnk";

struct _ReelRankWatch
{
  int listener;
  guint n;
  struct pollfd *ends; /* by rank; those that ended are -1 */
  gboolean *ended;
};

static ReelRankWatch *
make (guint n)
{
  ReelRankWatch *self = g_new0 (ReelRankWatch, 1);

  self->listener = -1;
  self->n = n;
  self->ends = g_new0 (struct pollfd, n);
  self->ended = g_new0 (gboolean, n);
  for (guint i = 0; i < n; i++)
    self->ends[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
  return self;
}

void
reel_rank_watch_free (ReelRankWatch *self)
{
  if (self == NULL)
    return;
  if (self->listener >= 0)
    close (self->listener);
  for (guint i = 0; i < self->n; i++)
    if (self->ends[i].fd >= 0)
      close (self->ends[i].fd);
  g_free (self->ends);
  g_free (self->ended);
  g_free (self);
}

/* ---- rank 0 ---- */

/* list_addresses: of this machine, those of others' networks last: `PORT ADDRESS ADDRESS…`. */
static char *
list_addresses (gint port)
{
  GString *text = g_string_new (NULL);
  struct ifaddrs *first = NULL;
  char host[NI_MAXHOST];

  g_string_printf (text, "%d", port);
  getifaddrs (&first);
  for (const struct ifaddrs *at = first; at != NULL; at = at->ifa_next)
    if (at->ifa_addr != NULL && at->ifa_addr->sa_family == AF_INET
        && getnameinfo (at->ifa_addr, sizeof (struct sockaddr_in), host, sizeof host, NULL, 0,
                        NI_NUMERICHOST)
               == 0)
      g_string_append_printf (text, " %s", host);
  freeifaddrs (first);
  return g_string_free (text, FALSE);
}

ReelRankWatch *
reel_rank_watch_new (gint n_ranks, char **address, GError **error)
{
  g_autoptr (ReelRankWatch) self = make (n_ranks);
  struct sockaddr_in any = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_ANY) };
  socklen_t length = sizeof any;

  self->listener = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (self->listener < 0 || bind (self->listener, (struct sockaddr *) &any, sizeof any) != 0
      || listen (self->listener, MAX (n_ranks, 16)) != 0
      || getsockname (self->listener, (struct sockaddr *) &any, &length) != 0)
    {
      reel_set_error_errno (error, errno, "cannot listen to the other ranks");
      return NULL;
    }
  *address = list_addresses (ntohs (any.sin_port));
  return g_steal_pointer (&self);
}

/* keep_alive: so that a machine that is gone is noticed too, within some 30 s. */
static void
keep_alive (int end)
{
  const int yes = 1, idle = 10, count = 4, interval = 5;

  setsockopt (end, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  setsockopt (end, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt (end, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt (end, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

/* A connection that has not said yet whose it is: one of a stranger, such as a port scanner, may
 * never do so. */
typedef struct
{
  int end;
  guint n_read;
  Greeting greeting;
} Caller;

/* hear: what there is of a greeting, without waiting. Returns whether the caller may say more. */
static gboolean
hear (Caller *caller)
{
  guint8 *greeting = (guint8 *) &caller->greeting;
  gssize n = recv (caller->end, greeting + caller->n_read, sizeof (Greeting) - caller->n_read,
                   MSG_DONTWAIT);

  if (n < 0)
    return errno == EAGAIN || errno == EINTR;
  caller->n_read += (guint) n;
  return n > 0 && caller->n_read < sizeof (Greeting);
}

/* take_in: the connection of a caller that has said all, or closes that of a stranger. Returns
 * whether it is of a rank. */
static gboolean
take_in (ReelRankWatch *self, const Caller *caller)
{
  const Greeting *greeting = &caller->greeting;

  if (caller->n_read == sizeof *greeting && memcmp (greeting->mark, mark, sizeof mark) == 0
      && greeting->rank > 0 && greeting->rank < self->n && self->ends[greeting->rank].fd < 0)
    {
      keep_alive (caller->end);
      self->ends[greeting->rank].fd = caller->end;
      return TRUE;
    }
  close (caller->end);
  return FALSE;
}

/* answer: all callers that have something to say. Returns how many of them are ranks. */
static guint
answer (ReelRankWatch *self, GArray *callers)
{
  guint n_ranks = 0;

  for (guint i = callers->len; i-- > 0;)
    if (!hear (&g_array_index (callers, Caller, i)))
      {
        n_ranks += take_in (self, &g_array_index (callers, Caller, i));
        g_array_remove_index_fast (callers, i);
      }
  return n_ranks;
}

/* accept_all: those that are waiting. */
static gboolean
accept_all (ReelRankWatch *self, GArray *callers, GError **error)
{
  for (;;)
    {
      Caller caller = { .end = accept4 (self->listener, NULL, NULL, SOCK_CLOEXEC) };

      if (caller.end >= 0)
        g_array_append_val (callers, caller);
      else if (errno == EAGAIN)
        return TRUE;
      else if (errno != EINTR && errno != ECONNABORTED)
        {
          reel_set_error_errno (error, errno, "cannot accept the connection of a rank");
          return FALSE;
        }
    }
}

/* wait_for_call: for a new caller or the words of one, until the deadline. */
static gboolean
wait_for_call (ReelRankWatch *self, const GArray *callers, gint64 deadline)
{
  g_autofree struct pollfd *ready = g_new0 (struct pollfd, callers->len + 1);
  gint64 left = (deadline - g_get_monotonic_time ()) / 1000;

  ready[callers->len] = (struct pollfd){ .fd = self->listener, .events = POLLIN };
  for (guint i = 0; i < callers->len; i++)
    ready[i] = (struct pollfd){ .fd = g_array_index (callers, Caller, i).end, .events = POLLIN };
  return left > 0 && poll (ready, callers->len + 1, (int) left) != 0;
}

static gboolean
accept_ranks (ReelRankWatch *self, GArray *callers, GError **error)
{
  gint64 deadline = g_get_monotonic_time () + ACCEPT_MS * G_TIME_SPAN_MILLISECOND;

  for (guint n = 1; accept_all (self, callers, error);)
    {
      n += answer (self, callers);
      if (n == self->n)
        return TRUE;
      if (wait_for_call (self, callers, deadline))
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_TIMEOUT,
                   "cannot watch the ranks: %u of %u connections came within %d s", n - 1,
                   self->n - 1, ACCEPT_MS / 1000);
      return FALSE;
    }
  return FALSE;
}

gboolean
reel_rank_watch_accept (ReelRankWatch *self, GError **error)
{
  g_autoptr (GArray) callers = g_array_new (FALSE, FALSE, sizeof (Caller));
  gboolean accepted = accept_ranks (self, callers, error);

  for (guint i = 0; i < callers->len; i++)
    close (g_array_index (callers, Caller, i).end);
  return accepted;
}

/* ---- the others ---- */

/* connect_to: -1 where nobody answers. */
static int
connect_to (const char *host, const char *port)
{
  const struct addrinfo hints = { .ai_family = AF_INET,
                                  .ai_socktype = SOCK_STREAM,
                                  .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
  struct addrinfo *found = NULL;
  struct pollfd ready = { .events = POLLOUT };
  int failure = 0;
  socklen_t length = sizeof failure;

  if (getaddrinfo (host, port, &hints, &found) != 0)
    return -1;
  ready.fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  gboolean there = ready.fd >= 0
                   && (connect (ready.fd, found->ai_addr, found->ai_addrlen) == 0
                       || (errno == EINPROGRESS && poll (&ready, 1, CONNECT_MS) == 1
                           && getsockopt (ready.fd, SOL_SOCKET, SO_ERROR, &failure, &length) == 0
                           && failure == 0));
  freeaddrinfo (found);
  if (there)
    return ready.fd;
  if (ready.fd >= 0)
    close (ready.fd);
  return -1;
}

ReelRankWatch *
reel_rank_watch_join (const char *address, gint rank, GError **error)
{
  g_autoptr (ReelRankWatch) self = make (1);
  g_auto (GStrv) words = g_strsplit (address, " ", -1);
  Greeting greeting = { .rank = rank };

  memcpy (greeting.mark, mark, sizeof mark);
  for (guint i = 1; words[i] != NULL && self->ends->fd < 0; i++)
    self->ends->fd = connect_to (words[i], words[0]);
  if (self->ends->fd >= 0
      && send (self->ends->fd, &greeting, sizeof greeting, MSG_NOSIGNAL) == sizeof greeting)
    {
      keep_alive (self->ends->fd);
      return g_steal_pointer (&self);
    }
  g_set_error (
      error, REEL_ERROR, REEL_ERROR_IO,
      "cannot connect to rank 0 by TCP, by which ranks notice an end: no answer at port %s",
      address);
  return NULL;
}

/* ---- both ---- */

void
reel_rank_watch_look (ReelRankWatch *self, gint wait_ms)
{
  char byte;

  if (poll (self->ends, self->n, wait_ms) <= 0)
    return;
  for (guint i = 0; i < self->n; i++)
    if (self->ends[i].fd >= 0 && self->ends[i].revents != 0
        && (recv (self->ends[i].fd, &byte, 1, MSG_DONTWAIT) >= 0
            || (errno != EAGAIN && errno != EINTR)))
      {
        close (self->ends[i].fd);
        self->ends[i].fd = -1;
        self->ended[i] = TRUE;
      }
}

gboolean
reel_rank_watch_has_ended (const ReelRankWatch *self, gint rank)
{
  return self->ended[self->n == 1 ? 0 : rank];
}
