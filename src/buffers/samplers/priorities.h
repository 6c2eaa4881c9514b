/* The priorities of a storage's rows, as a sampler keeps them. Private. */
#pragma once

#include "../../core/math/power-kernel.h"
#include "../../core/math/random.h"
#include "priority-kernel.h"
#include "priority-tree.h"
#include "sampler.h"

G_BEGIN_DECLS

/**
 * ReelPriorityDtype:
 *
 * The precision in which weights are made of priorities, and in which they are told. They are kept
 * and summed as float64.
 */
typedef enum
{
  REEL_PRIORITY_FLOAT32,
  REEL_PRIORITY_FLOAT64,
} ReelPriorityDtype;

/**
 * ReelPriorities:
 * @max_capacity: property
 * @alpha: property, may change at any time
 * @beta: property, may change at any time
 * @eps: property
 * @dtype: property, a #ReelPriorityDtype
 * @reduction: property, see reel_priorities_reduction()
 * @within_buffer: property
 * @tree: (nullable): a weight (priority + @eps) ^ @alpha for each row slot whose row can be read,
 *   0 for the others
 * @has_greatest: whether any priority was told
 * @is_restored: whether @greatest was restored, and there is no memory for rows yet
 * @greatest: the greatest of them
 * @greatest_slot: whose it was
 *
 * Part of a sampler with priorities. TorchRL's PrioritizedSampler says what happens to the greatest
 * priority.
 */
typedef struct
{
  gint64 max_capacity;
  double alpha, beta, eps;
  int dtype;
  int reduction;
  gboolean within_buffer;

  ReelPriorityTree *tree;
  const ReelPowerKernels *kernels;
  const ReelPriorityKernels *loops;
  double applied_alpha; /* that the weights were made with */
  gboolean has_greatest;
  gboolean is_restored;
  double greatest;
  gint64 greatest_slot;

  gint key_column; /* −1 for none */
  char *key;       /* that rows of a storage of values may have, NULL for another storage or none */
  guint8 *stored;  /* room for one row of the column, and its elements */
  double *reals;
  ReelStorageView seen;
  gint64 n_replaced; /* rows that took the place of others and are known */
  gint64 *slots;     /* room for an update */
  double *weights;
  gint64 room;
} ReelPriorities;

/**
 * reel_priorities_add_properties:
 * @klass: a class of samplers, in its class_init
 * @offset: of a #ReelPriorities in the instance
 *
 * Adds `max-capacity`, `alpha`, `beta`, `eps`, `dtype`, `reduction`, `max-priority-within-buffer`.
 */
void reel_priorities_add_properties (ReelObjectClass *klass, gsize offset);

/**
 * reel_priorities_clear:
 * @self: priorities that are needed no more
 */
void reel_priorities_clear (ReelPriorities *self);

/**
 * reel_priorities_bind:
 * @self: priorities
 * @storage: whose rows they are of
 * @priority_key: (nullable): the stored key that tells those of new rows
 * @error: VALUE where `max-capacity` is less than what the storage holds; NO_SPACE; TYPE for a key
 *   that holds no real numbers
 *
 * Begins anew.
 *
 * Returns: whether there is room for all rows
 */
gboolean reel_priorities_bind (ReelPriorities *self, ReelStorage *storage, const char *priority_key,
                               GError **error);

/**
 * reel_priorities_skip_replaced:
 * @self: priorities
 * @storage: whose rows they are of
 *
 * Takes the rows that took the place of others until now as known.
 */
void reel_priorities_skip_replaced (ReelPriorities *self, ReelStorage *storage);

/**
 * reel_priorities_empty:
 * @self: priorities
 *
 * Forgets them all.
 */
void reel_priorities_empty (ReelPriorities *self);

/**
 * reel_priorities_follow:
 * @self: priorities
 * @storage: as they were bound
 * @view: what can be read of it
 * @error: VALUE naming a row whose stored priority cannot be; rows of this look have the default
 *   one then, and it is told once. VALUE where alpha and eps make a weight infinite; nothing
 *   changes then
 *
 * New rows get what their key tells, else the default priority as it is now; rows that can be read
 * no longer are never drawn. A change of `alpha` is brought to all weights.
 *
 * Returns: whether all priorities could be
 */
gboolean reel_priorities_follow (ReelPriorities *self, ReelStorage *storage,
                                 const ReelStorageView *view, GError **error);

/**
 * reel_priorities_restore:
 * @self: priorities that are bound to a storage with memory
 * @view: what can be read of it
 * @weights: (array length=n): the weight of each row slot
 * @n: how many are known
 *
 * Begins anew with these; rows in slots beyond them get that of the default priority.
 */
void reel_priorities_restore (ReelPriorities *self, const ReelStorageView *view,
                              const double *weights, gint64 n);

/**
 * reel_priorities_update:
 * @self: priorities that have followed
 * @slots: (array length=n): row slots; those whose row can be read no longer are left out
 * @n: how many
 * @priorities: (array length=n) (nullable): theirs; %NULL for the default
 * @error: INDEX naming a slot that never held a row, VALUE naming one whose priority is not finite,
 *   negative, or too large for its power
 *
 * Returns: whether all were set; none are on failure
 */
gboolean reel_priorities_update (ReelPriorities *self, const gint64 *slots, gint64 n,
                                 const double *priorities, GError **error);

/**
 * reel_priorities_default:
 * @self: priorities
 *
 * Returns: what new rows get: the greatest priority, 1 where none was told
 */
static inline double
reel_priorities_default (const ReelPriorities *self)
{
  return self->has_greatest ? self->greatest : 1;
}

/**
 * reel_priorities_reduction:
 * @self: priorities
 *
 * Returns: (transfer none): its word
 */
const char *reel_priorities_reduction (const ReelPriorities *self);

/**
 * reel_priorities_draw:
 * @self: priorities that have followed
 * @key: of the random numbers
 * @n: rows wanted
 * @rows: (out caller-allocates) (array length=n): row numbers, each drawn on its own with a chance
 *   that is its weight's share of the total
 * @weights: (out caller-allocates) (array length=n): the weights of these
 * @lines: (nullable): what is brought into the cache of each row that is drawn
 * @error: RUNTIME "non-positive p_sum" where every weight is 0, or where the total is infinite
 *
 * Returns: whether they were drawn
 */
gboolean reel_priorities_draw (const ReelPriorities *self, ReelRandomKey key, gint64 n,
                               gint64 *rows, double *weights, const ReelRowLines *lines,
                               GError **error);

/**
 * reel_priorities_correct:
 * @self: priorities
 * @weights: (array length=n): weights of rows that were drawn; overwritten
 * @n: how many
 * @corrections: (out caller-allocates): float32 or float64, as `dtype` says: for each (weight / the
 *   least weight) ^ −`beta`, which is 1 for rows that are drawn least and less for the others
 */
void reel_priorities_correct (const ReelPriorities *self, double *weights, gint64 n,
                              guint8 *corrections);

/**
 * reel_priorities_dup_state:
 * @self: priorities that have followed
 * @error: NO_SPACE
 *
 * Returns: (transfer full): what reel_sampler_dup_state() of a sampler with them says
 */
ReelTensordict *reel_priorities_dup_state (const ReelPriorities *self, GError **error);

/**
 * reel_priorities_read_state:
 * @self: priorities
 * @state: what reel_priorities_dup_state() said
 * @error: as reel_sampler_set_state(); NO_SPACE
 *
 * Returns: (transfer full): what @state says, for reel_priorities_take_state(); free with g_free()
 */
gpointer reel_priorities_read_state (const ReelPriorities *self, const ReelTensordict *state,
                                     GError **error);

/**
 * reel_priorities_take_state:
 * @self: priorities that are bound to @storage
 * @storage: whose rows they are of
 * @said: what was read
 *
 * Goes on from there, its `alpha`, `beta` and `eps` included. The leaves need not be as many as
 * there are rows.
 */
void reel_priorities_take_state (ReelPriorities *self, ReelStorage *storage, gconstpointer said);

G_END_DECLS
