/* Weights of the slots of a ring, and drawing slots by them. Private to the library. */
#pragma once

#include "../../core/object/error.h"
#include "../storages/gather-kernel.h"

G_BEGIN_DECLS

/**
 * ReelPriorityTree:
 *
 * One weight a slot, float64, finite and not negative; 0 for slots that are never drawn. Above
 * them sums, each of eight of the level below, and the minima of blocks of 512. Sums are always
 * made anew of what is below them, so they do not drift: their bits depend on the weights alone,
 * not on how these came about, and are the same on every machine.
 *
 * 9.2 bytes a slot for many, nothing allocated after it was made. One thread at a time.
 */
typedef struct _ReelPriorityTree ReelPriorityTree;

/**
 * reel_priority_tree_new:
 * @n_slots: how many slots, at least 1
 * @error: NO_SPACE with the bytes there is no memory for; VALUE for a `REEL_ISA` that cannot be had
 *
 * Returns: (transfer full): a tree with all weights 0
 */
ReelPriorityTree *reel_priority_tree_new (gint64 n_slots, GError **error);

/**
 * reel_priority_tree_free:
 * @self: (transfer full) (nullable): a tree
 */
void reel_priority_tree_free (ReelPriorityTree *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelPriorityTree, reel_priority_tree_free)

/**
 * reel_priority_tree_size:
 * @self: a tree
 *
 * Returns: its slots
 */
gint64 reel_priority_tree_size (const ReelPriorityTree *self);

/**
 * reel_priority_tree_weights:
 * @self: a tree
 *
 * Returns: (transfer none) (array): the weight of each slot, to be read
 */
const double *reel_priority_tree_weights (const ReelPriorityTree *self);

/**
 * reel_priority_tree_fetch:
 * @self: a tree
 * @slots: (array length=n): which
 * @n: how many; some hundred at most
 *
 * Has what a change of these slots is about to touch brought into the cache, while something else
 * is done.
 */
void reel_priority_tree_fetch (const ReelPriorityTree *self, const gint64 *slots, gint64 n);

/**
 * reel_priority_tree_set:
 * @self: a tree
 * @slots: (array length=n): which, in any order; of equal ones the last counts
 * @weights: (array length=n): what they have from now on
 * @n: how many
 */
void reel_priority_tree_set (ReelPriorityTree *self, const gint64 *slots, const double *weights,
                             gint64 n);

/**
 * reel_priority_tree_fill:
 * @self: a tree
 * @begin: the first slot
 * @end: one past the last
 * @weight: what each of them has from now on
 */
void reel_priority_tree_fill (ReelPriorityTree *self, gint64 begin, gint64 end, double weight);

/**
 * reel_priority_tree_assign:
 * @self: a tree
 * @begin: the first slot
 * @end: one past the last
 * @weights: (array): what they have from now on, slot @begin first; may be those of
 *   reel_priority_tree_weights() + @begin
 */
void reel_priority_tree_assign (ReelPriorityTree *self, gint64 begin, gint64 end,
                                const double *weights);

/**
 * reel_priority_tree_total:
 * @self: a tree
 *
 * Returns: the sum of all weights; may be infinite
 */
double reel_priority_tree_total (const ReelPriorityTree *self);

/**
 * reel_priority_tree_least:
 * @self: a tree
 *
 * Returns: the least of the weights that are not 0, infinity where there are none
 */
double reel_priority_tree_least (const ReelPriorityTree *self);

/**
 * reel_priority_tree_find:
 * @self: a tree with a total above 0
 * @masses: (array length=n): each above 0 and at most the total; overwritten
 * @n: how many
 * @slots: (out caller-allocates) (array length=n): for each the first slot up to which weights add
 *   up to it or more. Slots of weight 0 are never among them, however sums round
 * @weights: (out caller-allocates) (array length=n): the weights of these
 * @lines: (nullable): what is brought into the cache of the row in each slot that is found
 *
 * All are searched for at once, level by level. Allocates nothing.
 */
void reel_priority_tree_find (const ReelPriorityTree *self, double *masses, gint64 n, gint64 *slots,
                              double *weights, const ReelRowLines *lines);

G_END_DECLS
