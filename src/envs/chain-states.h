/* Observations that the steps of an env behind a chain of transforms read. Private. */
#pragma once

#include "../transforms/lane-plan.h"
#include "env-states.h"

G_BEGIN_DECLS

/**
 * ReelChainStates:
 * @base: those of the env before the chain
 * @leaves: (array): the leaf of each
 * @rows: (array): the rows of each that the next step reads: the last ones, or those that the
 * caller says where the chain shows them unchanged
 * @shown: (array): which of the states behind the chain it is; −1 for none
 */
typedef struct
{
  const ReelEnvStates *base;
  guint *leaves;
  guint8 **rows;
  gint *shown;
} ReelChainStates;

/**
 * reel_chain_states_init:
 * @self: (out caller-allocates): for reel_chain_states_clear()
 * @base: states of the env before the chain, which live as long
 * @observation: (array): the leaf of each of its observations
 * @plan: the chain, bound
 *
 * Returns: (transfer full): the keys of those that are states behind the chain, too
 */
GStrv reel_chain_states_init (ReelChainStates *self, const ReelEnvStates *base,
                              const guint *observation, const ReelLanePlan *plan);

/**
 * reel_chain_states_keep:
 * @self: states
 * @columns: (array): by leaf: what a step or reset wrote
 * @lane: a lane
 */
void reel_chain_states_keep (const ReelChainStates *self, guint8 *const *columns, gint64 lane);

/**
 * reel_chain_states_take:
 * @self: states
 * @begin: first lane
 * @end: one past the last
 * @io: a step of the env behind the chain, whose row says where it begins
 */
void reel_chain_states_take (const ReelChainStates *self, gint64 begin, gint64 end,
                             const ReelEnvIO *io);

/**
 * reel_chain_states_get_size:
 * @self: states
 *
 * Returns: bytes of one lane's
 */
gsize reel_chain_states_get_size (const ReelChainStates *self);

/**
 * reel_chain_states_save:
 * @self: states
 * @lane: a lane
 * @to: as many bytes
 */
void reel_chain_states_save (const ReelChainStates *self, gint64 lane, guint8 *to);

/**
 * reel_chain_states_restore:
 * @self: states
 * @lane: a lane
 * @from: the bytes of reel_chain_states_save()
 */
void reel_chain_states_restore (const ReelChainStates *self, gint64 lane, const guint8 *from);

/**
 * reel_chain_states_clear:
 * @self: states, or zeros
 */
void reel_chain_states_clear (ReelChainStates *self);

G_END_DECLS
