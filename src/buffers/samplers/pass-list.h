/* Numbers left in a pass over the data: each once before any comes again. Private. */
#pragma once

#include "sampler.h"

G_BEGIN_DECLS

/**
 * ReelPassList:
 * @drop_last: property
 * @shuffle: property
 * @length: numbers of this pass, 0 before the first
 * @at: how many of them were taken
 * @n_passes: begun so far
 * @ran_out: whether the last batch ended a pass
 *
 * A part of a sampler; all zeros but for the properties before the first pass. The list is shuffled
 * as far as it is taken (Fisher and Yates), so that beginning anew costs what was taken and not
 * what there is.
 */
typedef struct
{
  gboolean drop_last;
  gboolean shuffle;
  gint64 length;
  gint64 at;
  gint64 n_passes;
  gboolean ran_out;

  gint64 *list;   /* a permutation of the numbers below room */
  gint64 room;    /* its entries */
  gint64 settled; /* entries of this pass that stay where a state has them */
} ReelPassList;

/**
 * reel_pass_list_add_properties:
 * @klass: a class of samplers, in its class_init
 * @offset: of a #ReelPassList in the instance
 * @in_order: (transfer none): what `shuffle` is, in words
 *
 * Adds `drop-last` and `shuffle`.
 */
void reel_pass_list_add_properties (ReelObjectClass *klass, gsize offset, const char *in_order);

/**
 * reel_pass_list_clear:
 * @self: a list that is needed no more
 */
void reel_pass_list_clear (ReelPassList *self);

/**
 * reel_pass_list_forget:
 * @self: a list
 *
 * As before the first pass.
 */
void reel_pass_list_forget (ReelPassList *self);

/**
 * reel_pass_list_begin:
 * @self: a list
 * @length: numbers of the pass
 * @error: NO_SPACE
 *
 * Returns: whether a pass over the numbers from 0 to @length was begun
 */
gboolean reel_pass_list_begin (ReelPassList *self, gint64 length, GError **error);

/**
 * reel_pass_list_begin_again:
 * @self: a list
 *
 * Begins a pass over as many.
 */
void reel_pass_list_begin_again (ReelPassList *self);

/**
 * reel_pass_list_check:
 * @self: a list
 * @n: numbers of a batch
 * @length: numbers that there are
 * @error: VALUE where `drop-last` drops every batch
 *
 * Returns: whether batches can be made
 */
gboolean reel_pass_list_check (const ReelPassList *self, gint64 n, gint64 length, GError **error);

/**
 * reel_pass_list_take:
 * @self: a list
 * @seed: what the order follows from
 * @n: (inout): numbers wanted; then taken, fewer at the end of the pass
 *
 * Returns: (transfer none) (array length=n): the next ones, until the pass ends
 */
const gint64 *reel_pass_list_take (ReelPassList *self, gint64 seed, gint64 *n);

/**
 * reel_pass_list_end_batch:
 * @self: a list
 * @n: numbers that were wanted
 *
 * Where there is no other such batch in this pass, the next one begins.
 */
void reel_pass_list_end_batch (ReelPassList *self, gint64 n);

/**
 * reel_pass_list_count_batches:
 * @self: a list
 * @n: numbers of a batch
 *
 * Returns: batches left of this pass; %G_MAXINT64 before the first
 */
gint64 reel_pass_list_count_batches (const ReelPassList *self, gint64 n);

/**
 * reel_pass_list_percent:
 * @self: a list
 *
 * Returns: what is left of this pass, which TorchRL prints as what is sampled
 */
double reel_pass_list_percent (const ReelPassList *self);

/* ---- state ---- */

/**
 * ReelPassState:
 * @length: numbers of the pass, 0 before the first
 * @left: (array length=n): those that are left, in their order
 * @n: how many
 * @list: (array length=length) (nullable): all of them, those that are left at the end
 * @drop_last: as of the list
 * @ran_out: as of the list
 *
 * The state that a list continues from.
 */
typedef struct
{
  gint64 length;
  gint64 *left;
  gint64 n;
  gint64 *list;
  gboolean drop_last;
  gboolean ran_out;
} ReelPassState;

/**
 * reel_pass_state_clear:
 * @self: a state, which is all zeros afterwards
 */
void reel_pass_state_clear (ReelPassState *self);

/**
 * reel_pass_list_get_state:
 * @self: a list
 * @seed: as for reel_pass_list_take()
 * @state: (out caller-allocates): what it must know
 * @error: NO_SPACE
 *
 * Returns: whether there was memory for it
 */
gboolean reel_pass_list_get_state (const ReelPassList *self, gint64 seed, ReelPassState *state,
                                   GError **error);

/**
 * reel_pass_state_arrange:
 * @self: a state
 * @error: NO_SPACE
 *
 * Makes its @list.
 *
 * Returns: whether reel_pass_list_take_state() may be called
 */
gboolean reel_pass_state_arrange (ReelPassState *self, GError **error);

/**
 * reel_pass_list_take_state:
 * @self: a list
 * @state: what it is to know, arranged; its @list is taken. With nothing left a pass begins anew
 */
void reel_pass_list_take_state (ReelPassList *self, ReelPassState *state);

/**
 * reel_pass_state_write:
 * @self: a state
 * @error: NO_SPACE
 *
 * Returns: (transfer full): the same as TorchRL's SamplerWithoutReplacement has it
 */
ReelTensordict *reel_pass_state_write (const ReelPassState *self, GError **error);

/**
 * reel_pass_state_free:
 * @self: (transfer full) (nullable): what reel_pass_state_read() gave
 */
void reel_pass_state_free (ReelPassState *self);

/**
 * reel_pass_state_read:
 * @from: what reel_pass_state_write() gives
 * @most: numbers that a pass can have
 * @error: KEY or TYPE for keys that are missing or of another kind; VALUE for numbers that cannot
 *   be; NO_SPACE
 *
 * Returns: (transfer full): what it says: left are numbers below the length, each once
 */
ReelPassState *reel_pass_state_read (const ReelTensordict *from, gint64 most, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReelPassState, reel_pass_state_clear)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelPassState, reel_pass_state_free)

G_END_DECLS
