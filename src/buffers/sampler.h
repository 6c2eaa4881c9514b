#pragma once

#include "storage.h"

G_BEGIN_DECLS

/**
 * ReelSampler:
 *
 * Which rows a batch is made of. A sampler belongs to one thread at a time; threads that sample one
 * buffer at once bring a sampler each.
 *
 * Properties of every sampler: `seed` (default 0). Samplers of one seed draw the same rows of the
 * same storage, call by call.
 *
 * Ids: `random` (`RandomSampler`): uniform, with replacement.
 */
#define REEL_TYPE_SAMPLER (reel_sampler_get_type ())
REEL_API
G_DECLARE_DERIVABLE_TYPE (ReelSampler, reel_sampler, REEL, SAMPLER, ReelObject)

/**
 * ReelSamplerClass:
 * @peer_name: TorchRL's name of the class, for printing
 * @sample: required. Writes @n row numbers of [view->first_row, view->end_row), which is not empty,
 *   to @rows. Allocates nothing
 * @empty: optional. The storage was emptied: forget what is known of its rows
 *
 * What a sampler fills in.
 */
struct _ReelSamplerClass
{
  ReelObjectClass parent_class;

  const char *peer_name;
  gboolean (*sample) (ReelSampler *self, const ReelStorageView *view, gint64 n, gint64 *rows,
                      GError **error);
  void (*empty) (ReelSampler *self);
};

/**
 * reel_sampler_get_seed:
 * @self: a sampler
 *
 * Returns: its property `seed`
 */
REEL_API
gint64 reel_sampler_get_seed (ReelSampler *self);

/**
 * reel_sampler_sample:
 * @self: a sampler
 * @view: what can be read
 * @n: how many rows, not negative
 * @rows: (out caller-allocates) (array length=n): their numbers, as #ReelStorageView has them
 * @error: RUNTIME "Cannot sample from an empty storage.", and what the class says
 *
 * Returns: whether they were drawn
 */
REEL_API
gboolean reel_sampler_sample (ReelSampler *self, const ReelStorageView *view, gint64 n,
                              gint64 *rows, GError **error);

/**
 * reel_sampler_empty:
 * @self: a sampler
 *
 * Tells it that the storage was emptied.
 */
REEL_API
void reel_sampler_empty (ReelSampler *self);

/**
 * reel_sampler_to_string:
 * @self: a sampler
 *
 * Returns: (transfer full): what TorchRL prints of the like sampler: `RandomSampler()`
 */
REEL_API
char *reel_sampler_to_string (ReelSampler *self);

G_END_DECLS
