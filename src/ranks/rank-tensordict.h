/* Tensordicts in messages: a description, and the leaves from where they are. Private. */
#pragma once

#include "../core/tensordict/tensordict.h"
#include "ranks-private.h"

G_BEGIN_DECLS

/**
 * reel_rank_send_tensordict:
 * @to: a rank
 * @message: the head
 * @td: (nullable): what follows; %NULL for nothing
 * @error: NOT_IMPLEMENTED naming a leaf without a tensor; RUNTIME naming the rank that ended;
 *   NO_SPACE
 *
 * Sends a message and a tensordict: keys, types, shapes, names of dimensions and values. Nothing is
 * sent where the tensordict cannot be.
 *
 * Returns: whether both were sent
 */
gboolean reel_rank_send_tensordict (gint to, ReelRankMessage *message, const ReelTensordict *td,
                                    GError **error);

/**
 * reel_rank_receive_tensordict:
 * @from: a rank
 * @message: (out caller-allocates): the head
 * @td: (out) (transfer full) (nullable): what followed
 * @error: as reel_rank_receive(); NO_SPACE
 *
 * Returns: whether a message was received, and no failure
 */
gboolean reel_rank_receive_tensordict (gint from, ReelRankMessage *message, ReelTensordict **td,
                                       GError **error);

G_END_DECLS
