/* A block of steps of a collector's own, where no buffer lends memory, and views of it. Private. */
#pragma once

#include "ted-columns.h"

G_BEGIN_DECLS

/**
 * ReelStepBlock:
 *
 * Memory for a batch of steps, time first. Views of it are `[B, T]`, or `[T]` of one lane.
 */
typedef struct _ReelStepBlock ReelStepBlock;

/**
 * reel_step_block_new:
 * @layout: (transfer none): a step of its lanes, which must outlive the block
 * @columns: (transfer none): the columns, likewise
 * @n_steps: steps that it holds, 0 allowed
 * @is_forked: whether processes that are forked later fill it; then it keeps its memory
 * @error: NO_SPACE
 *
 * Returns: (transfer full): a block of zeros
 */
ReelStepBlock *reel_step_block_new (ReelTensordict *layout, const ReelTedColumns *columns,
                                    gint64 n_steps, gboolean is_forked, GError **error);

/**
 * reel_step_block_free:
 * @self: (transfer full) (nullable): a block; views of it stay
 */
void reel_step_block_free (ReelStepBlock *self);

/**
 * reel_step_block_renew:
 * @self: a block
 * @error: NO_SPACE
 *
 * Takes other memory where somebody else refers to what it has, so that views stay as they are: not
 * for processes.
 *
 * Returns: whether it may be written
 */
gboolean reel_step_block_renew (ReelStepBlock *self, GError **error);

/**
 * reel_step_block_point:
 * @self: a block
 * @step: a step of it
 * @columns: (array) (out): the address of each column at this step
 */
void reel_step_block_point (const ReelStepBlock *self, gint64 step, guint8 **columns);

/**
 * reel_step_block_see:
 * @self: a block
 * @n_steps: steps from its beginning
 * @same: whether all of them are always the same tensordict
 * @error: NO_SPACE
 *
 * Returns: (transfer none): a view of them, with names, until the next call
 */
ReelTensordict *reel_step_block_see (ReelStepBlock *self, gint64 n_steps, gboolean same,
                                     GError **error);

/**
 * reel_step_block_see_range:
 * @self: a block
 * @begin: first step
 * @end: one past the last
 * @error: NO_SPACE
 *
 * Returns: (transfer full): a view of these steps
 */
ReelTensordict *reel_step_block_see_range (ReelStepBlock *self, gint64 begin, gint64 end,
                                           GError **error);

G_END_DECLS
