/* The parts of priorities, for one another: weights, priorities in rows, following, updates.
 * Private. */
#pragma once

#include "priorities.h"

G_BEGIN_DECLS

#define REEL_PRIORITIES_CHUNK 256 /* rows on the stack */

/* ---- weights ---- */

/* A priority before it counts: rounded as the reference's tensors round it. */
double reel_priorities_round (const ReelPriorities *self, double priority);

/* The same in place. */
void reel_priorities_round_all (const ReelPriorities *self, double *values, gint64 n);

/* In place: @weights[i] ^ @exponent, in the precision that was chosen. */
void reel_priorities_raise (const ReelPriorities *self, double *weights, gint64 n, double exponent);

/* In place: rounded priorities become weights. */
void reel_priorities_weigh (const ReelPriorities *self, double *priorities, gint64 n);

/* The priority that a weight was made of, not below 0. */
double reel_priorities_weigh_back (const ReelPriorities *self, double weight);

/* Whether the weight of new rows is finite; VALUE where not. */
gboolean reel_priorities_check_default (const ReelPriorities *self, GError **error);

/* The greatest weight, and the first slot that has it. */
double reel_priorities_find_greatest_weight (const ReelPriorities *self, gint64 *slot);

/* Makes all weights anew for another alpha; VALUE, and nothing changed, where one were infinite. */
gboolean reel_priorities_apply_alpha (ReelPriorities *self, GError **error);

/* ---- the greatest priority ---- */

/* The first of the greatest weights tells it. With alpha 0 none does, and it stays as it is. */
void reel_priorities_find_greatest (ReelPriorities *self);

/* The greatest so far where it is greater than that. */
void reel_priorities_offer_greatest (ReelPriorities *self, double priority, gint64 slot);

/* ---- what rows tell ---- */

/* Finds the column that tells priorities, if there is one, and makes room for one row of it. Trees
 * tell none. TYPE for a key that holds no real numbers. */
gboolean reel_priorities_find_key (ReelPriorities *self, ReelStorage *storage, const char *key,
                                   GError **error);

/* Sets what is stored in some slots, at most a chunk of them; their order is lost. */
gboolean reel_priorities_add_told (ReelPriorities *self, ReelStorage *storage, gint64 *slots,
                                   gint64 n, GError **error);

/* ---- rows and slots ---- */

/* Where the oldest row of a view is. */
static inline gint64
reel_view_find_oldest_slot (const ReelStorageView *view)
{
  return view->capacity > 0 ? view->first_row % view->capacity : 0;
}

/* The row in a slot. Takes the slot of the oldest, for a division a row would cost as much as a
 * draw. */
static inline gint64
reel_view_row_of_slot (ReelStorageView view, gint64 oldest, gint64 slot)
{
  return view.first_row - oldest + slot + (slot < oldest ? view.capacity : 0);
}

G_END_DECLS
