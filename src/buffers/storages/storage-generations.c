/* How often each slot was written, for who wants to know whether it holds what it held. */
#include "storage-state.h"

/* ---- the writer's side ---- */

static _Atomic gint64 *
new_generations (gint64 n_slots)
{
  _Atomic gint64 *generations = g_new (_Atomic gint64, n_slots);

  for (gint64 i = 0; i < n_slots; i++)
    atomic_init (&generations[i], -1);
  return generations;
}

void
reel_storage_make_generations (ReelStorage *self)
{
  ReelStoragePrivate *state = reel_storage_state (self);

  if (state->tracks && !atomic_load (&state->generations))
    atomic_store_explicit (&state->generations, new_generations (state->n_slots),
                           memory_order_release);
}

void
reel_storage_track_generations (ReelStorage *self)
{
  ReelStoragePrivate *state = reel_storage_state (self);

  if (state->tracks)
    return;
  state->tracks = TRUE;
  if (!reel_storage_is_allocated (self))
    return;
  reel_storage_make_generations (self);
  reel_storage_renew_identity (self);
}

void
reel_storage_free_generations (ReelStorage *self)
{
  g_free ((gpointer) atomic_exchange (&reel_storage_state (self)->generations, NULL));
}

static void
add (_Atomic gint64 *generation, gint64 n)
{
  gint64 old = atomic_load_explicit (generation, memory_order_relaxed);

  atomic_store_explicit (generation, old + n, memory_order_relaxed);
}

void
reel_storage_count_writes (ReelStorage *self, gint64 slot, gint64 n)
{
  ReelStoragePrivate *state = reel_storage_state (self);
  _Atomic gint64 *generations = atomic_load_explicit (&state->generations, memory_order_relaxed);
  gint64 n_slots = state->n_slots;

  for (gint64 i = 0; generations && i < MIN (n, n_slots); i++)
    /* Of n slots around the ring, the i-th is met once and then every n_slots. */
    add (&generations[(slot + i) % n_slots], (n - i - 1) / n_slots + 1);
}

void
reel_storage_outdate_generations (ReelStorage *self)
{
  ReelStoragePrivate *state = reel_storage_state (self);
  _Atomic gint64 *generations = atomic_load_explicit (&state->generations, memory_order_relaxed);

  for (gint64 i = 0; generations && i < state->n_slots; i++)
    if (atomic_load_explicit (&generations[i], memory_order_relaxed) >= 0)
      add (&generations[i], 1);
}

ReelTensor *
reel_storage_copy_generations (ReelStorage *self, GError **error)
{
  ReelStoragePrivate *state = reel_storage_state (self);
  ReelTensor *copy;

  if (!reel_storage_has_generations (self))
    return NULL;
  copy = reel_tensor_new (REEL_DTYPE_INT64, 1, &state->n_slots, error);
  for (gint64 i = 0; copy && i < state->n_slots; i++)
    ((gint64 *) copy->data)[i] = reel_storage_get_generation (self, i);
  return copy;
}

gboolean
reel_storage_check_generations (const ReelTensor *values, gint64 n_slots, GError **error)
{
  if (values->dtype == REEL_DTYPE_INT64 && values->ndim == 1 && values->shape[0] <= n_slots
      && reel_tensor_is_contiguous (values))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "generations are int64, one a step, of at most %" G_GINT64_FORMAT " steps", n_slots);
  return FALSE;
}

void
reel_storage_set_generations (ReelStorage *self, const ReelTensor *values)
{
  ReelStoragePrivate *state = reel_storage_state (self);

  for (gint64 i = 0; i < state->n_slots; i++)
    atomic_store_explicit (&state->generations[i],
                           i < values->shape[0] ? ((const gint64 *) values->data)[i] : -1,
                           memory_order_relaxed);
}

/* ---- any thread ---- */

gboolean
reel_storage_has_generations (ReelStorage *self)
{
  return atomic_load_explicit (&reel_storage_state (self)->generations, memory_order_acquire)
         != NULL;
}

gint64
reel_storage_get_generation (ReelStorage *self, gint64 slot)
{
  ReelStoragePrivate *state = reel_storage_state (self);

  return atomic_load_explicit (&state->generations[slot], memory_order_relaxed);
}

/* The step of an index; −1 where it has none. */
static gint64
find_step (const ReelTensor *index, gint64 i, gint64 n_slots)
{
  /* The first number of a row of the index is the step; lanes share its generation. */
  gint64 slot = *(const gint64 *) (index->data + i * index->strides[0]);

  return slot >= 0 && slot < n_slots ? slot : -1;
}

ReelTensor *
reel_storage_get_generations (ReelStorage *self, const ReelTensor *index, GError **error)
{
  gint ndim = reel_storage_get_ndim (self);
  gboolean tracks = reel_storage_has_generations (self);
  ReelTensor *found;

  if (index->dtype != REEL_DTYPE_INT64)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "an index is int64, this one %s",
                   reel_dtype_name (index->dtype));
      return NULL;
    }
  if (index->ndim < 1 || index->ndim > 2 || (index->ndim == 2 && index->shape[1] != ndim))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "an index of a storage with ndim=%d is [n] or [n, ndim], this one has %d "
                   "dimensions",
                   ndim, index->ndim);
      return NULL;
    }
  found = reel_tensor_new (REEL_DTYPE_INT64, 1, index->shape, error);
  for (gint64 i = 0; found && i < index->shape[0]; i++)
    {
      gint64 step = tracks ? find_step (index, i, reel_storage_state (self)->n_slots) : -1;

      ((gint64 *) found->data)[i] = step < 0 ? -1 : reel_storage_get_generation (self, step);
    }
  return found;
}
