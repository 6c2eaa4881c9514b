/* What the buffer needs of a sampler beyond what is public. Private. */
#pragma once

#include "sampler.h"
#include "../sampling.h"

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
 * reel_sampler_get_sampling:
 * @self: a sampler
 *
 * Returns: (transfer none): memory for one batch at a time, kept from call to call
 */
ReelSampling *reel_sampler_get_sampling (ReelSampler *self);

/**
 * reel_sampler_get_binding:
 * @self: a sampler
 *
 * Returns: how often it was bound: what was made of its info columns holds as long as this is the
 * same
 */
guint64 reel_sampler_get_binding (ReelSampler *self);

G_END_DECLS
