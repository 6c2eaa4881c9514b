#include "weights-board.h"

#include <stdatomic.h>
#include <string.h>

#include "../core/object/error.h"
#include "../core/system/mapping.h"

typedef struct
{
  atomic_uint_fast64_t begun;    /* the version that is written, or was written last */
  atomic_uint_fast64_t finished; /* the newest that is whole */
} Counts;

struct _ReelWeightsBoard
{
  ReelMapping mapping;
  gsize n_floats;
  Counts *counts;
  _Atomic guint32 *slots[2]; /* bits of floats */
};

ReelWeightsBoard *
reel_weights_board_new (gsize n_floats, GError **error)
{
  g_autofree ReelWeightsBoard *self = g_new0 (ReelWeightsBoard, 1);
  gsize bytes = sizeof (Counts) + 2 * n_floats * sizeof (float);

  if (!reel_mapping_new_shared (bytes, &self->mapping))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                   "cannot share weights of %" G_GSIZE_FORMAT " bytes", bytes);
      return NULL;
    }
  self->n_floats = n_floats;
  self->counts = (Counts *) self->mapping.data;
  self->slots[0] = (_Atomic guint32 *) (self->counts + 1);
  self->slots[1] = self->slots[0] + n_floats;
  return g_steal_pointer (&self);
}

void
reel_weights_board_free (ReelWeightsBoard *self)
{
  if (self == NULL)
    return;
  reel_mapping_unmap (&self->mapping);
  g_free (self);
}

guint64
reel_weights_board_write (ReelWeightsBoard *self, const float *floats)
{
  guint64 version = atomic_load (&self->counts->finished) + 1;
  _Atomic guint32 *next = self->slots[version % 2];

  atomic_store_explicit (&self->counts->begun, version, memory_order_relaxed);
  atomic_thread_fence (memory_order_release);
  for (gsize i = 0; i < self->n_floats; i++)
    {
      guint32 bits;

      memcpy (&bits, &floats[i], sizeof bits);
      atomic_store_explicit (&next[i], bits, memory_order_relaxed);
    }
  atomic_store_explicit (&self->counts->finished, version, memory_order_release);
  return version;
}

guint64
reel_weights_board_get_version (const ReelWeightsBoard *self)
{
  return atomic_load_explicit (&self->counts->finished, memory_order_acquire);
}

static void
copy (const ReelWeightsBoard *self, guint64 version, float *floats)
{
  const _Atomic guint32 *slot = self->slots[version % 2];

  for (gsize i = 0; i < self->n_floats; i++)
    {
      guint32 bits = atomic_load_explicit (&slot[i], memory_order_relaxed);

      memcpy (&floats[i], &bits, sizeof bits);
    }
}

guint64
reel_weights_board_read (const ReelWeightsBoard *self, float *floats)
{
  guint64 version, begun;

  do
    {
      version = reel_weights_board_get_version (self);
      copy (self, version, floats);
      atomic_thread_fence (memory_order_acquire);
      begun = atomic_load_explicit (&self->counts->begun, memory_order_relaxed);
    }
  while (begun > version + 1);
  return version;
}
