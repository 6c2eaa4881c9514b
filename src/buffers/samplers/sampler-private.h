/* Functions of a sampler for its buffer. Private. */
#pragma once

#include "sampler.h"
#include "../storages/storage-look.h"

G_BEGIN_DECLS

/* Of a sampler's state: how far it is with its random numbers. TorchRL's files have no place for
 * it.
 */
#define REEL_STREAM_KEY "_stream"

/**
 * reel_sampler_get_stream:
 * @self: a sampler
 * @storage: what it draws from, if it can
 *
 * Returns: how far it is with its random numbers, −1 where it has none
 */
gint64 reel_sampler_get_stream (ReelSampler *self, ReelStorage *storage);

/**
 * ReelSamplerState:
 * @sampler: (transfer none): who is to go on from it
 * @said: (nullable): what its class read
 * @stream: how far it is with its random numbers, −1 where that is not said
 * @storage: (nullable): what the sampler gets to know for this state
 * @before: what it knew before: who draws, and who was asked to
 *
 * A state that was checked, on its way into a sampler.
 */
typedef struct
{
  ReelSampler *sampler;
  gpointer said;
  gint64 stream;
  ReelStorage *storage;
  struct
  {
    guint64 identity; /* of its storage */
    gint64 stream;
  } before[2];
} ReelSamplerState;

/**
 * reel_sampler_read_state:
 * @self: a sampler
 * @capacity: rows of the storage that it is going to draw from
 * @state: (nullable): as for reel_sampler_set_state(); %NULL for one that says nothing
 * @read: (out caller-allocates): what it says; to be given to reel_sampler_state_clear()
 * @error: as reel_sampler_set_state(); NO_SPACE
 *
 * Changes nothing, and needs @state no more afterwards.
 *
 * Returns: whether @self can go on from @state
 */
gboolean reel_sampler_read_state (ReelSampler *self, gint64 capacity, const ReelTensordict *state,
                                  ReelSamplerState *read, GError **error);

/**
 * reel_sampler_state_bind:
 * @self: what was read
 * @storage: what its sampler is going to draw from
 * @error: as reel_sampler_sample(); a key that is missing is no failure
 *
 * Makes what the sampler needs to go on from there. Undone by reel_sampler_state_clear() where the
 * state was not taken, once @storage is as it was.
 *
 * Returns: whether reel_sampler_state_take() may be called
 */
gboolean reel_sampler_state_bind (ReelSamplerState *self, ReelStorage *storage, GError **error);

/**
 * reel_sampler_state_take:
 * @self: what was read
 * @storage: what its sampler was bound to
 *
 * The sampler goes on from there.
 */
void reel_sampler_state_take (ReelSamplerState *self, ReelStorage *storage);

/**
 * reel_sampler_state_clear:
 * @self: what was read, taken or not; all zeros afterwards
 */
void reel_sampler_state_clear (ReelSamplerState *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReelSamplerState, reel_sampler_state_clear)

/**
 * reel_sampler_redraw:
 * @self: a sampler
 * @storage: what it drew from
 * @view: what can be read now
 * @n_wanted: rows wanted in the first place
 * @draw: (inout): what it drew, of which the writer reached rows before they were copied
 * @error: as reel_sampler_sample()
 *
 * Returns: whether @draw can be copied now
 */
gboolean reel_sampler_redraw (ReelSampler *self, ReelStorage *storage, const ReelStorageView *view,
                              gint64 n_wanted, ReelDraw *draw, GError **error);

/**
 * reel_sampler_delivered:
 * @self: a sampler
 * @draw: what it drew last, whose rows were copied
 */
void reel_sampler_delivered (ReelSampler *self, const ReelDraw *draw);

/**
 * ReelSamplerMemory:
 * @data: (nullable): memory that the reader of a sampler keeps from batch to batch
 * @free: frees @data with the sampler
 */
typedef struct
{
  gpointer data;
  GDestroyNotify free;
} ReelSamplerMemory;

/**
 * reel_sampler_get_memory:
 * @self: a sampler
 *
 * Returns: (transfer none): the memory of its reader, which sets both fields; all zeros before
 */
ReelSamplerMemory *reel_sampler_get_memory (ReelSampler *self);

/**
 * reel_sampler_get_binding:
 * @self: a sampler
 *
 * Returns: how often it was bound: what was made of its info columns holds as long as this is the
 *   same
 */
guint64 reel_sampler_get_binding (ReelSampler *self);

/**
 * reel_info_row_bytes:
 * @info: an info column
 *
 * Returns: bytes of one row
 */
gsize reel_info_row_bytes (const ReelInfoColumn *info);

G_END_DECLS
