#include "prefetch.h"

#include "../core/cpus.h"
#include "../core/gate.h"
#include "../core/thread.h"

#define PATIENCE (60 * G_USEC_PER_SEC) /* for the copy of one batch */

typedef struct
{
  ReelSampling sampling;
  ReelStorage *storage;
  ReelSampler *sampler;
  gboolean ended; /* the draw ended a pass */
  gboolean whole;
  GError *error;
  _Atomic gint64 n_copied; /* batches that this place has held and that were copied */
} Place;

/* Batches are numbered. Number k stands in place k modulo the number of places, of which there is
 * one more than batches: the one taken last is still its taker's. */
struct _ReelPrefetch
{
  gint64 depth;
  Place *places;
  gint64 n_taken;
  _Atomic gint64 n_drawn;   /* by the owner */
  _Atomic gint64 n_claimed; /* by whom will copy them */
  ReelGate drawn;
  ReelGate copied;
  atomic_bool stop;
  pthread_t *threads;
  gint n_threads;
};

static Place *
get_place (ReelPrefetch *self, gint64 number)
{
  return &self->places[number % (self->depth + 1)];
}

/* ---- copying ---- */

static void
copy_place (ReelPrefetch *self, gint64 number)
{
  Place *place = get_place (self, number);

  place->whole = FALSE;
  reel_sampling_copy (&place->sampling, place->storage, &place->sampling.raw, &place->whole,
                      &place->error);
  atomic_store_explicit (&place->n_copied, number + 1, memory_order_release);
  reel_gate_advance (&self->copied);
}

/* Claims are made in order, so that the oldest batch is never behind a younger one. */
static gboolean
claim (ReelPrefetch *self, gint64 *number)
{
  gint64 next = atomic_load_explicit (&self->n_claimed, memory_order_relaxed);

  while (next < atomic_load_explicit (&self->n_drawn, memory_order_acquire))
    if (atomic_compare_exchange_weak_explicit (&self->n_claimed, &next, next + 1,
                                               memory_order_acq_rel, memory_order_relaxed))
      {
        *number = next;
        return TRUE;
      }
  return FALSE;
}

static void *
run (void *data)
{
  ReelPrefetch *self = data;

  for (;;)
    {
      guint seen = reel_gate_value (&self->drawn);
      gint64 number;

      if (atomic_load (&self->stop))
        return NULL;
      if (claim (self, &number))
        copy_place (self, number);
      else
        reel_gate_wait (&self->drawn, seen, -1);
    }
}

/* ---- the queue ---- */

static gboolean
start_threads (ReelPrefetch *self, GError **error)
{
  gint wanted = (gint) MIN (self->depth, MAX (1, reel_cpu_count () - 1));

  self->threads = g_new (pthread_t, wanted);
  while (self->n_threads < wanted
         && reel_thread_start (&self->threads[self->n_threads], "reel-prefetch", run, self) == 0)
    self->n_threads++;
  if (self->n_threads > 0)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "the system refuses a thread for prefetching: use prefetch 0");
  return FALSE;
}

ReelPrefetch *
reel_prefetch_new (gint64 depth, GError **error)
{
  ReelPrefetch *self = g_new0 (ReelPrefetch, 1);

  self->depth = depth;
  self->places = g_new0 (Place, depth + 1);
  if (start_threads (self, error))
    return self;
  reel_prefetch_free (self);
  return NULL;
}

void
reel_prefetch_free (ReelPrefetch *self)
{
  if (!self)
    return;
  atomic_store (&self->stop, TRUE);
  reel_gate_advance (&self->drawn);
  for (gint i = 0; i < self->n_threads; i++)
    pthread_join (self->threads[i], NULL);
  for (gint64 i = 0; i <= self->depth; i++)
    {
      reel_sampling_clear (&self->places[i].sampling);
      g_clear_object (&self->places[i].storage);
      g_clear_object (&self->places[i].sampler);
      g_clear_error (&self->places[i].error);
    }
  g_free (self->places);
  g_free (self->threads);
  g_free (self);
}

gint64
reel_prefetch_get_depth (ReelPrefetch *self)
{
  return self->depth;
}

gint64
reel_prefetch_count (ReelPrefetch *self)
{
  return self->n_drawn - self->n_taken;
}

gboolean
reel_prefetch_draw (ReelPrefetch *self, ReelStorage *storage, ReelSampler *sampler, gint64 n,
                    GError **error)
{
  gint64 number = self->n_drawn;
  Place *place = get_place (self, number);

  if (g_set_object (&place->sampler, sampler) | g_set_object (&place->storage, storage))
    reel_sampling_clear (&place->sampling);
  if (!reel_sampling_draw (&place->sampling, storage, sampler, n, error))
    return FALSE;
  place->ended = reel_sampler_get_ran_out (sampler);
  atomic_store_explicit (&self->n_drawn, number + 1, memory_order_release);
  reel_gate_advance (&self->drawn);
  return TRUE;
}

/* ---- taking ---- */

static gboolean
wait_for (ReelPrefetch *self, gint64 number, GError **error)
{
  Place *place = get_place (self, number);
  gint64 deadline = g_get_monotonic_time () + PATIENCE;

  for (;;)
    {
      guint seen = reel_gate_value (&self->copied);

      if (atomic_load_explicit (&place->n_copied, memory_order_acquire) == number + 1)
        return TRUE;
      if (!reel_gate_wait (&self->copied, seen, deadline))
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_TIMEOUT,
                       "a prefetched batch is not copied after %d s: its thread got no CPU, or its "
                       "files do not answer",
                       (int) (PATIENCE / G_USEC_PER_SEC));
          return FALSE;
        }
    }
}

/* Rows that the writer reached are drawn again, here where the sampler may be used. */
static gboolean
make_whole (Place *place, GError **error)
{
  if (place->error)
    {
      g_propagate_error (error, g_steal_pointer (&place->error));
      return FALSE;
    }
  return place->whole
         || reel_sampling_repair (&place->sampling, place->storage, place->sampler,
                                  &place->sampling.raw, error);
}

ReelSampling *
reel_prefetch_take (ReelPrefetch *self, gboolean *ended, GError **error)
{
  Place *place = get_place (self, self->n_taken);
  gint64 number;

  /* Who has nothing else to do copies what no thread has begun. */
  while (atomic_load_explicit (&self->n_claimed, memory_order_relaxed) <= self->n_taken
         && claim (self, &number))
    copy_place (self, number);
  if (!wait_for (self, self->n_taken, error))
    return NULL;
  self->n_taken++;
  *ended = place->ended;
  return make_whole (place, error) ? &place->sampling : NULL;
}

void
reel_prefetch_settle (ReelPrefetch *self)
{
  for (gint64 number = self ? self->n_taken : 0; self && number < self->n_drawn; number++)
    {
      Place *place = get_place (self, number);
      g_autoptr (GError) error = NULL;

      if (wait_for (self, number, &error) && make_whole (place, &error))
        place->whole = TRUE;
      else
        place->error = g_steal_pointer (&error);
    }
}

/* ---- in and out of memory ---- */

ReelTensordict *
reel_prefetch_peek (ReelPrefetch *self, gint64 i, gboolean *ended, GError **error)
{
  Place *place = get_place (self, self->n_taken + i);

  if (place->error)
    {
      g_propagate_error (error, g_error_copy (place->error));
      return NULL;
    }
  *ended = place->ended;
  return place->sampling.raw;
}

void
reel_prefetch_clear (ReelPrefetch *self)
{
  reel_prefetch_settle (self);
  for (; self->n_taken < self->n_drawn; self->n_taken++)
    g_clear_error (&get_place (self, self->n_taken)->error);
}

/* No thread claims what is there already. */
gboolean
reel_prefetch_put (ReelPrefetch *self, ReelStorage *storage, ReelSampler *sampler,
                   const ReelTensordict *batch, gboolean ended, GError **error)
{
  gint64 number = self->n_drawn;
  Place *place = get_place (self, number);

  reel_prefetch_settle (self);
  if (g_set_object (&place->sampler, sampler) | g_set_object (&place->storage, storage))
    reel_sampling_clear (&place->sampling);
  if (!reel_sampling_put (&place->sampling, storage, sampler, batch, error))
    return FALSE;
  place->ended = ended;
  place->whole = TRUE;
  atomic_store_explicit (&place->n_copied, number + 1, memory_order_release);
  atomic_store_explicit (&self->n_claimed, number + 1, memory_order_release);
  atomic_store_explicit (&self->n_drawn, number + 1, memory_order_release);
  return TRUE;
}
