#include "errands.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "../object/error.h"
#include "cpus.h"
#include "gate.h"
#include "thread.h"

#define SPIN 50 /* µs, as of ReelWorkers */
#define NONE -1

struct _ReelErrands
{
  gint64 n;
  ReelErrandsFunc fn;
  gpointer data;
  gboolean spins;
  pthread_t *threads;
  gint n_threads;
  atomic_bool stops;
  /* Rings of n numbers, which no more than n errands under way fit. */
  _Atomic gint64 *sent, *ended; /* NONE where no errand has ended yet */
  _Atomic gint64 n_sent, n_begun, n_ended;
  gint64 n_taken;
  ReelGate sending, arriving;
};

/* ---- threads ---- */

/* begin: the number of an errand that is this thread's now, or NONE. The slot is read before the
 * errand is claimed: only then is it sure that no later errand is there. */
static gint64
begin (ReelErrands *self)
{
  gint64 at = atomic_load (&self->n_begun);

  while (at < atomic_load (&self->n_sent))
    {
      gint64 number = atomic_load (&self->sent[at % self->n]);

      if (atomic_compare_exchange_weak (&self->n_begun, &at, at + 1))
        return number;
    }
  return NONE;
}

static void
end (ReelErrands *self, gint64 number)
{
  gint64 at = atomic_fetch_add (&self->n_ended, 1);

  atomic_store (&self->ended[at % self->n], number);
  reel_gate_advance (&self->arriving);
}

static void *
work (void *data)
{
  ReelErrands *self = data;

  while (!atomic_load (&self->stops))
    {
      guint seen = reel_gate_value (&self->sending);
      gint64 number = begin (self);

      if (number != NONE)
        {
          self->fn (self->data, number);
          end (self, number);
        }
      else if (!atomic_load (&self->stops)
               && !(self->spins && reel_gate_spin (&self->sending, seen, SPIN)))
        reel_gate_wait (&self->sending, seen, -1);
    }
  return NULL;
}

/* ---- the owner ---- */

static gboolean
start (ReelErrands *self, gint n_threads, GError **error)
{
  while (self->n_threads < n_threads)
    {
      char name[16];
      int result;

      g_snprintf (name, sizeof name, "reel-errand-%d", self->n_threads);
      result = reel_thread_start (&self->threads[self->n_threads], name, work, self);
      if (result != 0)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "%d workers: the system refused thread %d: %s; ask for fewer", n_threads,
                       self->n_threads, g_strerror (result));
          return FALSE;
        }
      self->n_threads++;
    }
  return TRUE;
}

ReelErrands *
reel_errands_new (gint n_threads, gint64 n, ReelErrandsFunc fn, gpointer data, GError **error)
{
  ReelErrands *self;

  g_return_val_if_fail (1 <= n_threads && n_threads <= 1024, NULL);
  g_return_val_if_fail (n > 0 && fn != NULL, NULL);

  self = g_new0 (ReelErrands, 1);
  self->n = n;
  self->fn = fn;
  self->data = data;
  self->spins = n_threads < reel_cpu_count ();
  self->threads = g_new (pthread_t, n_threads);
  self->sent = g_new0 (_Atomic gint64, n);
  self->ended = g_new0 (_Atomic gint64, n);
  for (gint64 i = 0; i < n; i++)
    atomic_init (&self->ended[i], NONE);
  if (start (self, n_threads, error))
    return self;
  reel_errands_free (self);
  return NULL;
}

void
reel_errands_free (ReelErrands *self)
{
  if (self == NULL)
    return;
  atomic_store (&self->stops, true);
  reel_gate_advance (&self->sending);
  for (gint i = 0; i < self->n_threads; i++)
    pthread_join (self->threads[i], NULL);
  g_free (self->threads);
  g_free (self->sent);
  g_free (self->ended);
  g_free (self);
}

void
reel_errands_send (ReelErrands *self, gint64 number)
{
  gint64 at = atomic_load (&self->n_sent);

  g_return_if_fail (0 <= number && number < self->n);
  g_return_if_fail (at - self->n_taken < self->n);

  atomic_store (&self->sent[at % self->n], number);
  atomic_store (&self->n_sent, at + 1);
  reel_gate_advance (&self->sending);
}

gint64
reel_errands_take (ReelErrands *self, gint64 deadline)
{
  _Atomic gint64 *slot = &self->ended[self->n_taken % self->n];

  for (;;)
    {
      guint seen = reel_gate_value (&self->arriving);
      gint64 number = atomic_exchange (slot, NONE);

      if (number != NONE)
        {
          self->n_taken++;
          return number;
        }
      if (deadline == 0)
        return NONE;
      if (self->spins && reel_gate_spin (&self->arriving, seen, SPIN))
        continue;
      if (!reel_gate_wait (&self->arriving, seen, deadline))
        return NONE;
    }
}
