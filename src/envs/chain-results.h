/* Rewards and flags of an env behind a chain of transforms. Private. */
#pragma once

#include "../transforms/lane-plan.h"
#include "env-results.h"

G_BEGIN_DECLS

/**
 * ReelChainResults:
 * @base: the env before the chain
 * @plan: the chain
 * @shown: results of the env behind the chain
 * @n_rewards: rewards of the lane and of each group of agents
 * @base_rewards: (array length=n_rewards): leaves before the chain; the first one counts for the
 *   lane, whether it has a key or not
 * @rewards: (array length=n_rewards): likewise behind it
 * @base_flags: (array): likewise done, terminated and truncated of each
 * @flags: (array): likewise behind it
 * @n_base_results: rewards and flags of the base's own
 * @base_results: (array length=n_base_results): their leaves
 * @n_results: those of the env behind the chain
 * @results: (array length=n_results): their leaves
 */
typedef struct
{
  ReelEnv *base;
  ReelLanePlan *plan;
  const ReelEnvResults *shown;
  guint n_rewards;
  guint *base_rewards, *rewards;
  guint *base_flags, *flags;
  guint n_base_results, n_results;
  guint *base_results, *results;
} ReelChainResults;

/**
 * reel_chain_results_define:
 * @self: (out caller-allocates): zeros, for reel_chain_results_clear()
 * @base_env: the env before the chain
 * @plan: its plan, which gets the leaves
 */
void reel_chain_results_define (ReelChainResults *self, ReelEnv *base_env, ReelLanePlan *plan);

/**
 * reel_chain_results_settle_specs:
 * @self: results of a plan that is bound
 * @env: the env behind the chain, which takes the results
 * @specs: what the chain makes of the specs of the base
 * @error: as reel_env_take_results()
 *
 * Returns: (transfer full): the observations: those of @specs, and rewards that resets write, too
 */
ReelSpec *reel_chain_results_settle_specs (const ReelChainResults *self, ReelEnv *env,
                                           const ReelSpec *specs, GError **error);

/**
 * reel_chain_results_find:
 * @self: results of a plan that is bound
 * @shown: what the env behind the chain shows, which lives as long
 * @error: KEY; NOT_IMPLEMENTED for changed results of a group of agents
 *
 * Returns: whether each has its leaf
 */
gboolean reel_chain_results_find (ReelChainResults *self, const ReelEnvResults *shown,
                                  GError **error);

/**
 * reel_chain_results_mark:
 * @self: results
 * @shown: (array): by leaf: set to %TRUE for those that callers have columns of
 */
void reel_chain_results_mark (const ReelChainResults *self, gboolean *shown);

/**
 * reel_chain_results_list_unrepeated:
 * @self: results
 * @keys: gets the keys of those that depend on earlier episodes
 */
void reel_chain_results_list_unrepeated (const ReelChainResults *self, GStrvBuilder *keys);

/**
 * reel_chain_results_point_base:
 * @self: results
 * @columns: (array): by leaf
 * @steps: (array): room for the lane and each group
 * @results: (array): room for each of the base's own
 *
 * Returns: where a step of the base writes its results
 */
ReelEnvIO reel_chain_results_point_base (const ReelChainResults *self, guint8 *const *columns,
                                         ReelEnvGroupStep *steps, guint8 **results);

/**
 * reel_chain_results_point:
 * @self: results
 * @columns: (array): by leaf: set to those of @io
 * @io: a step of the env behind the chain
 */
void reel_chain_results_point (const ReelChainResults *self, guint8 **columns, const ReelEnvIO *io);

/**
 * reel_chain_results_give_counted:
 * @self: results
 * @columns: (array): by leaf
 * @begin: first lane
 * @end: one past the last
 * @io: gets the reward and the flags that count and are not shown
 */
void reel_chain_results_give_counted (const ReelChainResults *self, guint8 *const *columns,
                                      gint64 begin, gint64 end, const ReelEnvIO *io);

/**
 * reel_chain_results_clear:
 * @self: results, or zeros
 */
void reel_chain_results_clear (ReelChainResults *self);

G_END_DECLS
