#include "background.h"
#include "../object/error.h"
#include "gate.h"
#include "thread.h"

#include <stdatomic.h>
#include <stdbool.h>

struct _ReelBackground
{
  char *name;
  gint64 chunk;
  ReelBackgroundFunc fn;
  gpointer data;
  pthread_t thread;
  _Atomic gint64 requested, done;
  atomic_bool stopping, failed, ended;
  atomic_int users;    /* the owner and the thread: the last one frees */
  GError *failure;     /* written before failed */
  ReelGate wanted;     /* advanced by who wants something of the thread */
  ReelGate progressed; /* by the thread, when done, failed or ended changed */
};

static void
leave (ReelBackground *background)
{
  if (atomic_fetch_sub_explicit (&background->users, 1, memory_order_acq_rel) > 1)
    return;
  g_clear_error (&background->failure);
  g_free (background->name);
  g_free (background);
}

/* Returns whether there was a chunk to do. */
static gboolean
do_chunk (ReelBackground *background)
{
  gint64 begin = atomic_load_explicit (&background->done, memory_order_relaxed);
  gint64 requested = atomic_load_explicit (&background->requested, memory_order_acquire);
  gint64 end = requested - begin > background->chunk ? begin + background->chunk : requested;

  if (atomic_load_explicit (&background->failed, memory_order_relaxed) || end <= begin)
    return FALSE;
  if (background->fn (background->data, begin, end, &background->failure))
    atomic_store_explicit (&background->done, end, memory_order_release);
  else
    atomic_store_explicit (&background->failed, true, memory_order_release);
  reel_gate_advance (&background->progressed);
  return TRUE;
}

static void *
run (void *data)
{
  ReelBackground *background = data;

  for (;;)
    {
      guint seen = reel_gate_value (&background->wanted);

      if (atomic_load_explicit (&background->stopping, memory_order_acquire))
        break;
      if (!do_chunk (background))
        reel_gate_wait (&background->wanted, seen, -1);
    }
  atomic_store_explicit (&background->ended, true, memory_order_release);
  reel_gate_advance (&background->progressed);
  leave (background);
  return NULL;
}

ReelBackground *
reel_background_new (const char *name, gint64 chunk, ReelBackgroundFunc fn, gpointer data,
                     GError **error)
{
  ReelBackground *background;
  int result;

  g_return_val_if_fail (chunk > 0 && fn != NULL, NULL);
  background = g_new0 (ReelBackground, 1);
  background->name = g_strdup (name);
  background->chunk = chunk;
  background->fn = fn;
  background->data = data;
  atomic_init (&background->users, 2);
  result = reel_thread_start (&background->thread, name, run, background);
  if (result == 0)
    return background;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "%s: the system refused a thread: %s", name,
               g_strerror (result));
  atomic_init (&background->users, 1);
  leave (background);
  return NULL;
}

void
reel_background_request (ReelBackground *background, gint64 end)
{
  gint64 requested = atomic_load_explicit (&background->requested, memory_order_relaxed);

  do
    if (end <= requested)
      return;
  while (!atomic_compare_exchange_weak_explicit (&background->requested, &requested, end,
                                                 memory_order_release, memory_order_relaxed));
  reel_gate_advance (&background->wanted);
}

gint64
reel_background_done (ReelBackground *background)
{
  return atomic_load_explicit (&background->done, memory_order_acquire);
}

static gboolean
is_done (ReelBackground *background, gint64 end)
{
  return reel_background_done (background) >= end;
}

static gboolean
has_ended (ReelBackground *background, gint64 end)
{
  return atomic_load_explicit (&background->ended, memory_order_acquire);
}

/* Waits until what is asked for holds, the work failed where that matters, or the time is over. */
static gboolean
wait_for (ReelBackground *background, gboolean (*holds) (ReelBackground *, gint64), gint64 end,
          gboolean until_failure, gint64 timeout)
{
  gint64 now = g_get_monotonic_time ();
  gint64 deadline = timeout > G_MAXINT64 - now ? G_MAXINT64 : now + timeout;

  for (;;)
    {
      guint seen = reel_gate_value (&background->progressed);

      if (holds (background, end))
        return TRUE;
      if (until_failure && atomic_load_explicit (&background->failed, memory_order_acquire))
        return FALSE;
      if (!reel_gate_wait (&background->progressed, seen, deadline))
        return holds (background, end);
    }
}

static void
set_timeout_error (GError **error, ReelBackground *background, const char *what, gint64 timeout)
{
  g_set_error (
      error, REEL_ERROR, REEL_ERROR_TIMEOUT,
      "%s: the thread did not %s within %.3f s; it is at %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT,
      background->name, what, (double) timeout / G_USEC_PER_SEC, reel_background_done (background),
      atomic_load_explicit (&background->requested, memory_order_relaxed));
}

gboolean
reel_background_wait (ReelBackground *background, gint64 end, gint64 timeout, GError **error)
{
  if (wait_for (background, is_done, end, TRUE, timeout))
    return TRUE;
  if (!atomic_load_explicit (&background->failed, memory_order_acquire))
    set_timeout_error (error, background, "get there", timeout);
  else if (error)
    *error = g_error_copy (background->failure);
  return FALSE;
}

gboolean
reel_background_free (ReelBackground *background, gint64 timeout, GError **error)
{
  gboolean ended;

  if (!background)
    return TRUE;
  atomic_store_explicit (&background->stopping, true, memory_order_release);
  reel_gate_advance (&background->wanted);
  ended = wait_for (background, has_ended, 0, FALSE, timeout);
  if (ended)
    pthread_join (background->thread, NULL);
  else
    {
      set_timeout_error (error, background, "stop", timeout);
      pthread_detach (background->thread);
    }
  leave (background);
  return ended;
}
