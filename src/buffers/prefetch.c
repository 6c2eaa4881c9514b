#include "prefetch.h"

#include "../core/system/cpus.h"
#include "../core/system/gate.h"
#include "../core/system/thread.h"

#define PATIENCE (60 * G_USEC_PER_SEC) /* for the copy of one batch */

typedef struct
{
  ReelSampling sampling;
  ReelStorage *storage;
  ReelSampler *sampler;
  gboolean whole;
  GError *error;
} Drawn;

typedef struct
{
  GPtrArray *drawn; /* of the batch; behind them those of others, whose memory serves again */
  guint n_drawn;
  gboolean ended;          /* the draw ended a pass */
  _Atomic gint64 n_copied; /* batches that this place has held and that were copied */
} Place;

/* Batches are numbered. Number k stands in place k modulo the number of places, of which there is
 * one more than batches: the one taken last is still its taker's. */
struct _ReelPrefetch
{
  gint64 depth;
  guint n_kept;
  Place *places;
  gint64 n_taken;
  gint64 n_begun;           /* one more than are drawn while one is being drawn */
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

static Drawn *
get_drawn (const Place *place, guint i)
{
  return g_ptr_array_index (place->drawn, i);
}

static void
free_drawn (gpointer data)
{
  Drawn *drawn = data;

  reel_sampling_clear (&drawn->sampling);
  g_clear_object (&drawn->storage);
  g_clear_object (&drawn->sampler);
  g_clear_error (&drawn->error);
  g_free (drawn);
}

/* ---- copying ---- */

static void
copy_place (ReelPrefetch *self, gint64 number)
{
  Place *place = get_place (self, number);

  for (guint i = 0; i < place->n_drawn; i++)
    {
      Drawn *drawn = get_drawn (place, i);

      reel_sampling_copy (&drawn->sampling, drawn->storage, &drawn->sampling.raw, &drawn->whole,
                          &drawn->error);
    }
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
reel_prefetch_new (gint64 depth, gint64 batch_size, guint n_kept, GError **error)
{
  ReelPrefetch *self;

  if (batch_size == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "Dynamic batch-size specification is incompatible with multithreaded "
                           "sampling. When using prefetch, the batch-size must be specified in "
                           "advance. ");
      return NULL;
    }
  self = g_new0 (ReelPrefetch, 1);
  self->depth = depth;
  self->n_kept = n_kept;
  self->places = g_new0 (Place, depth + 1);
  for (gint64 i = 0; i <= depth; i++)
    self->places[i].drawn = g_ptr_array_new_with_free_func (free_drawn);
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
    g_ptr_array_unref (self->places[i].drawn);
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

/* ---- drawing ---- */

/* The next of the batch: one that served the same sampler if there is one, for it knows the rows;
 * else a new one, unless enough are kept. */
static Drawn *
choose_drawn (ReelPrefetch *self, Place *place, ReelStorage *storage, ReelSampler *sampler)
{
  gpointer *all = place->drawn->pdata;
  guint next = place->n_drawn, i = next;

  while (i < place->drawn->len
         && (get_drawn (place, i)->storage != storage || get_drawn (place, i)->sampler != sampler))
    i++;
  if (i == place->drawn->len && (i == next || i < self->n_kept))
    {
      g_ptr_array_add (place->drawn, g_new0 (Drawn, 1));
      all = place->drawn->pdata;
    }
  else if (i == place->drawn->len)
    i = next;
  if (i != next)
    {
      gpointer other = all[next];

      all[next] = all[i];
      all[i] = other;
    }
  return all[next];
}

static Drawn *
begin_draw (ReelPrefetch *self, ReelStorage *storage, ReelSampler *sampler)
{
  gint64 number = self->n_drawn;
  Place *place = get_place (self, number);
  Drawn *drawn;

  if (self->n_begun == number)
    {
      place->n_drawn = 0;
      self->n_begun++;
    }
  drawn = choose_drawn (self, place, storage, sampler);
  if (g_set_object (&drawn->sampler, sampler) | g_set_object (&drawn->storage, storage))
    reel_sampling_clear (&drawn->sampling);
  g_clear_error (&drawn->error);
  drawn->whole = FALSE;
  place->n_drawn++;
  return drawn;
}

gboolean
reel_prefetch_draw (ReelPrefetch *self, ReelStorage *storage, ReelSampler *sampler,
                    ReelTensordict *into, gint64 *n, GError **error)
{
  Drawn *drawn = begin_draw (self, storage, sampler);

  if (!reel_sampling_draw (&drawn->sampling, storage, sampler, *n, error))
    {
      get_place (self, self->n_drawn)->n_drawn = 0;
      return FALSE;
    }
  *n = drawn->sampling.draw.n;
  if (into && into != drawn->sampling.raw)
    {
      g_clear_pointer (&drawn->sampling.raw, reel_tensordict_unref);
      drawn->sampling.raw = reel_tensordict_ref (into);
    }
  return TRUE;
}

void
reel_prefetch_push (ReelPrefetch *self, gboolean ended)
{
  gint64 number = self->n_drawn;

  get_place (self, number)->ended = ended;
  atomic_store_explicit (&self->n_drawn, number + 1, memory_order_release);
  reel_gate_advance (&self->drawn);
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
make_whole (Drawn *drawn, GError **error)
{
  if (drawn->error)
    {
      g_propagate_error (error, g_steal_pointer (&drawn->error));
      return FALSE;
    }
  if (!drawn->whole)
    drawn->whole = reel_sampling_repair (&drawn->sampling, drawn->storage, drawn->sampler,
                                         &drawn->sampling.raw, error);
  return drawn->whole;
}

gboolean
reel_prefetch_take (ReelPrefetch *self, gboolean *ended, GError **error)
{
  gint64 number;

  /* An idle caller copies batches that no thread has begun. */
  while (atomic_load_explicit (&self->n_claimed, memory_order_relaxed) <= self->n_taken
         && claim (self, &number))
    copy_place (self, number);
  if (!wait_for (self, self->n_taken, error))
    return FALSE;
  *ended = get_place (self, self->n_taken++)->ended;
  return TRUE;
}

ReelSampling *
reel_prefetch_get (ReelPrefetch *self, guint i, GError **error)
{
  Drawn *drawn = get_drawn (get_place (self, self->n_taken - 1), i);

  return make_whole (drawn, error) ? &drawn->sampling : NULL;
}

void
reel_prefetch_flush (ReelPrefetch *self)
{
  for (gint64 number = self ? self->n_taken : 0; self && number < self->n_drawn; number++)
    {
      Place *place = get_place (self, number);
      g_autoptr (GError) late = NULL;
      gboolean there = wait_for (self, number, &late);

      for (guint i = 0; i < place->n_drawn; i++)
        {
          g_autoptr (GError) error = NULL;
          Drawn *drawn = get_drawn (place, i);

          if (!there)
            drawn->error = g_error_copy (late);
          else if (!make_whole (drawn, &error))
            drawn->error = g_steal_pointer (&error);
        }
    }
}

/* ---- in and out of memory ---- */

ReelTensordict *
reel_prefetch_peek (ReelPrefetch *self, gint64 i, gboolean *ended, GError **error)
{
  Place *place = get_place (self, self->n_taken + i);
  Drawn *drawn = get_drawn (place, 0);

  if (drawn->error)
    {
      g_propagate_error (error, g_error_copy (drawn->error));
      return NULL;
    }
  *ended = place->ended;
  return drawn->sampling.raw;
}

void
reel_prefetch_clear (ReelPrefetch *self)
{
  reel_prefetch_flush (self);
  self->n_taken = self->n_drawn;
}

/* No thread claims what is there already. */
void
reel_prefetch_put (ReelPrefetch *self, ReelStorage *storage, ReelSampler *sampler,
                   ReelSampling *sampling, gboolean ended)
{
  gint64 number = self->n_drawn;
  Place *place = get_place (self, number);
  Drawn *drawn = begin_draw (self, storage, sampler);

  reel_sampling_clear (&drawn->sampling);
  drawn->sampling = *sampling;
  *sampling = (ReelSampling){ 0 };
  place->ended = ended;
  drawn->whole = TRUE;
  atomic_store_explicit (&place->n_copied, number + 1, memory_order_release);
  atomic_store_explicit (&self->n_claimed, number + 1, memory_order_release);
  atomic_store_explicit (&self->n_drawn, number + 1, memory_order_release);
}
