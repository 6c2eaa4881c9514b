/* A chain of transforms on the lanes of an env: leaves as columns, and works that follow one
 * another. Private. */
#pragma once

#include "../core/tensor/tensor.h"
#include "../specs/spec.h"
#include "transform.h"

G_BEGIN_DECLS

/**
 * ReelLaneRole:
 * @REEL_LANE_OBSERVATION: known before a step and after it; written by resets, too
 * @REEL_LANE_REWARD: of a step
 * @REEL_LANE_FLAG: done, terminated and truncated after a step; nothing at a reset
 * @REEL_LANE_ACTION: before a step; in a plan of steps, the action that the env does, without key
 *
 * Times at which a leaf has values.
 */
typedef enum
{
  REEL_LANE_OBSERVATION,
  REEL_LANE_REWARD,
  REEL_LANE_FLAG,
  REEL_LANE_ACTION,
} ReelLaneRole;

/**
 * ReelLaneLeaf:
 * @path: its key at this place of the chain; %NULL where a later leaf took its place
 * @role: the times at which it has values
 * @dtype: element type
 * @ndim: dimensions of one lane's value
 * @shape: (array length=ndim): their extents
 * @row_bytes: bytes of one lane's value
 * @spec: (nullable): spec of a lane's value, for actions that the env does
 * @successor: the leaf that took its key; −1 for none
 * @carried: whether a step takes over the value that is known before it, or the one that the policy
 *   gives it
 *
 * A leaf of all lanes. It is written by one work, or by the env.
 */
typedef struct
{
  char *path;
  ReelLaneRole role;
  ReelDtype dtype;
  gint ndim;
  gint64 shape[REEL_MAX_NDIM];
  gsize row_bytes;
  const ReelSpec *spec;
  gint successor;
  gboolean carried;
} ReelLaneLeaf;

/**
 * ReelLaneWork:
 * @step: does its part of a step of the lanes [@begin, @end): reads and writes @columns, by leaf,
 *   each at lane 0
 * @reset: (nullable): does its part of a reset of the @n lanes of @lanes, which ascend; leaves that
 *   are observations alone
 * @seed: (nullable): begins the random numbers of @lane anew
 * @free: frees what the class added
 * @plan: (not owned): the plan that it belongs to
 * @index: its place among the works of @plan
 * @state_bytes: of each lane
 * @state: (array): the state of each lane, of zeros at first; a class that keeps it elsewhere sets
 *   it before it adds the work, and frees it
 * @owns_state: whether the plan frees @state
 * @common_bytes: of the state that all lanes have in common; set before the work is added
 * @common: (nullable) (array) (not owned): that state, which belongs to the class
 *
 * One link of the chain at work. A class begins its own struct with it. Threads call @step and
 * @reset for different lanes at once, unless reel_lane_plan_join_lanes() was called.
 */
typedef struct _ReelLaneWork ReelLaneWork;
struct _ReelLaneWork
{
  void (*step) (ReelLaneWork *self, guint8 *const *columns, gint64 begin, gint64 end);
  void (*reset) (ReelLaneWork *self, guint8 *const *columns, const gint64 *lanes, gsize n);
  void (*seed) (ReelLaneWork *self, gint64 lane, guint64 seed);
  void (*free) (ReelLaneWork *self);
  ReelLanePlan *plan;
  guint index;
  gsize state_bytes;
  guint8 *state;
  gboolean owns_state;
  gsize common_bytes;
  guint8 *common;
};

/**
 * ReelLaneSource:
 * @step: steps the env on the lanes [@begin, @end): reads the actions and writes the other leaves
 *   of the env among @columns
 * @reset: resets the @n lanes of @lanes, which ascend
 *
 * The env behind a chain. Any thread, for different lanes.
 */
typedef struct
{
  void (*step) (gpointer data, guint8 *const *columns, gint64 begin, gint64 end);
  void (*reset) (gpointer data, guint8 *const *columns, const gint64 *lanes, gsize n);
} ReelLaneSource;

/**
 * ReelLaneFault:
 * @data: data of the plan's owner
 * @lane: a lane
 * @what: the reason, as the end of a sentence
 *
 * Reports a lane whose values could not be transformed. Any thread.
 */
typedef void (*ReelLaneFault) (gpointer data, gint64 lane, const char *what);

/**
 * reel_lane_plan_new:
 * @n_lanes: lanes of the env
 * @fault: reports lanes that failed
 * @data: for @fault
 *
 * Returns: (transfer full): a plan without leaves
 */
ReelLanePlan *reel_lane_plan_new (gint64 n_lanes, ReelLaneFault fault, gpointer data);

/**
 * reel_lane_plan_set_source:
 * @self: a plan
 * @source: (not owned): an env that steps and resets before all works
 * @data: for @source
 * @reward: the leaf of the reward that the env counts
 * @done: the leaf of the flag by which the env is reset
 */
void reel_lane_plan_set_source (ReelLanePlan *self, const ReelLaneSource *source, gpointer data,
                                guint reward, guint done);

/**
 * reel_lane_plan_get_reward:
 * @self: a plan with a source
 *
 * Returns: the leaf of the reward that counts at this place of the chain, whether it has a key or
 *   not
 */
guint reel_lane_plan_get_reward (const ReelLanePlan *self);

/**
 * reel_lane_plan_get_done:
 * @self: a plan with a source
 *
 * Returns: likewise the leaf of the flag by which a lane is reset
 */
guint reel_lane_plan_get_done (const ReelLanePlan *self);

/**
 * reel_lane_plan_free:
 * @self: (transfer full) (nullable): a plan
 */
void reel_lane_plan_free (ReelLanePlan *self);

/**
 * reel_lane_plan_get_n_lanes:
 * @self: a plan
 *
 * Returns: lanes of the env
 */
gint64 reel_lane_plan_get_n_lanes (const ReelLanePlan *self);

/**
 * reel_lane_plan_get_n_leaves:
 * @self: a plan
 *
 * Returns: all leaves that were defined
 */
guint reel_lane_plan_get_n_leaves (const ReelLanePlan *self);

/**
 * reel_lane_plan_get_leaf:
 * @self: a plan
 * @leaf: the number of a leaf
 *
 * Returns: (transfer none): that leaf, until the next one is defined
 */
const ReelLaneLeaf *reel_lane_plan_get_leaf (const ReelLanePlan *self, guint leaf);

/**
 * reel_lane_plan_find:
 * @self: a plan
 * @path: a key
 *
 * Returns: the leaf that has the key at this place of the chain; −1 where none has
 */
gint reel_lane_plan_find (const ReelLanePlan *self, const char *path);

/**
 * reel_lane_plan_require:
 * @self: a plan
 * @path: a key
 * @error: KEY naming it and the keys that there are
 *
 * Returns: as reel_lane_plan_find()
 */
gint reel_lane_plan_require (const ReelLanePlan *self, const char *path, GError **error);

/**
 * reel_lane_plan_define:
 * @self: a plan
 * @path: a key; the leaf that has it now is hidden from what follows
 * @role: the times at which it has values
 * @dtype: element type
 * @ndim: dimensions of one lane's value
 * @shape: (array length=ndim): their extents
 *
 * Returns: the number of a new leaf
 */
guint reel_lane_plan_define (ReelLanePlan *self, const char *path, ReelLaneRole role,
                             ReelDtype dtype, gint ndim, const gint64 *shape);

/**
 * reel_lane_plan_define_action:
 * @self: a plan with a source
 * @spec: (not owned): the spec of an action that the source does
 *
 * Returns: the number of a new leaf, which has no key
 */
guint reel_lane_plan_define_action (ReelLanePlan *self, const ReelSpec *spec);

/**
 * reel_lane_plan_replace:
 * @self: a plan
 * @leaf: the number of a leaf
 *
 * Returns: the number of a new leaf of the same form, with the key of @leaf from here on
 */
guint reel_lane_plan_replace (ReelLanePlan *self, guint leaf);

/**
 * reel_lane_plan_follow:
 * @self: a plan
 * @leaf: the number of a leaf
 *
 * Returns: the last leaf that took the key of the one before, from @leaf on: @leaf as the whole
 *   chain changes it
 */
guint reel_lane_plan_follow (const ReelLanePlan *self, guint leaf);

/**
 * reel_lane_plan_carry:
 * @self: a plan
 * @leaf: the number of an observation, which works write as the reset left it
 *
 * Declares that steps of tensordicts take over the value of the root, or that below `next` where
 * the policy wrote it.
 */
void reel_lane_plan_carry (ReelLanePlan *self, guint leaf);

/**
 * reel_lane_plan_rename:
 * @self: a plan
 * @leaf: the number of a leaf
 * @path: (nullable): its key from here on; %NULL hides it
 */
void reel_lane_plan_rename (ReelLanePlan *self, guint leaf, const char *path);

/**
 * reel_lane_plan_hide:
 * @self: a plan
 * @path: a key: of a leaf, or of all leaves below it
 *
 * Hides leaves from what follows.
 */
void reel_lane_plan_hide (ReelLanePlan *self, const char *path);

/**
 * reel_lane_plan_add:
 * @self: a plan
 * @work: (transfer full): the next work, with `step`, `reset` and `free` set, and `common` of a
 * plan with joined lanes
 * @state_bytes: bytes that it keeps of each lane
 * @error: NO_SPACE
 *
 * Returns: whether there is room; else @work is freed
 */
gboolean reel_lane_plan_add (ReelLanePlan *self, ReelLaneWork *work, gsize state_bytes,
                             GError **error);

/**
 * reel_lane_plan_add_copy:
 * @self: a plan
 * @from: a leaf
 * @to: another of the same row bytes
 * @error: NO_SPACE
 *
 * Adds a work that copies rows.
 *
 * Returns: whether there is room
 */
gboolean reel_lane_plan_add_copy (ReelLanePlan *self, guint from, guint to, GError **error);

/**
 * ReelLaneApply:
 * @transform: a transform
 * @value: rows of lanes `[n, …]`
 * @error: what the class says
 *
 * `apply` or `apply_inverse` of a class.
 *
 * Returns: (transfer full): as many rows
 */
typedef ReelTensor *(*ReelLaneApply) (ReelTransform *transform, ReelTensor *value, GError **error);

/**
 * reel_lane_plan_add_apply:
 * @self: a plan
 * @transform: a transform
 * @apply: makes rows of rows
 * @in: a key
 * @out: the key of the result
 * @error: KEY; what the class says of a value of this form
 *
 * Adds a work that has @apply make the rows of a new leaf.
 *
 * Returns: whether it could
 */
gboolean reel_lane_plan_add_apply (ReelLanePlan *self, ReelTransform *transform,
                                   ReelLaneApply apply, const char *in, const char *out,
                                   GError **error);

/**
 * ReelLaneApplyFrom:
 * @transform: a transform
 * @value: rows of lanes `[n, …]`
 * @lane: the first of them
 * @error: what the class says
 *
 * Makes rows of rows, each lane in its own way.
 *
 * Returns: (transfer full): as many rows
 */
typedef ReelTensor *(*ReelLaneApplyFrom) (ReelTransform *transform, ReelTensor *value, gint64 lane,
                                          GError **error);

/**
 * reel_lane_plan_add_apply_from:
 * @self: a plan
 * @transform: a transform
 * @apply: makes rows of rows
 * @in: a key
 * @out: the key of the result
 * @error: as reel_lane_plan_add_apply()
 *
 * As reel_lane_plan_add_apply(), for numbers of each lane.
 *
 * Returns: whether it could
 */
gboolean reel_lane_plan_add_apply_from (ReelLanePlan *self, ReelTransform *transform,
                                        ReelLaneApplyFrom apply, const char *in, const char *out,
                                        GError **error);

/**
 * reel_lane_plan_join_lanes:
 * @self: a plan
 *
 * For works whose lanes depend on one another: has the env step and reset all lanes together, on
 * one thread.
 */
void reel_lane_plan_join_lanes (ReelLanePlan *self);

/**
 * reel_lane_plan_has_joined_lanes:
 * @self: a plan
 *
 * Returns: whether reel_lane_plan_join_lanes() was called
 */
gboolean reel_lane_plan_has_joined_lanes (const ReelLanePlan *self);

/**
 * reel_lane_plan_outlast_episodes:
 * @self: a plan
 *
 * For works whose state outlasts the episodes of a lane: steps of the last episode, done again,
 * lead neither to this state nor to the values of leaves that are defined from here on.
 */
void reel_lane_plan_outlast_episodes (ReelLanePlan *self);

/**
 * reel_lane_plan_outlasts_episodes:
 * @self: a plan
 *
 * Returns: whether reel_lane_plan_outlast_episodes() was called
 */
gboolean reel_lane_plan_outlasts_episodes (const ReelLanePlan *self);

/**
 * reel_lane_plan_repeats:
 * @self: a plan
 * @leaf: the number of a leaf
 *
 * Returns: whether an episode that is done again has the same values of it
 */
gboolean reel_lane_plan_repeats (const ReelLanePlan *self, guint leaf);

/**
 * reel_lane_plan_step_at_resets:
 * @self: a plan with a source
 *
 * For works that step the env in their `reset`: has all leaves be there then.
 */
void reel_lane_plan_step_at_resets (ReelLanePlan *self);

/**
 * reel_lane_plan_steps_at_resets:
 * @self: a plan
 *
 * Returns: whether reel_lane_plan_step_at_resets() was called
 */
gboolean reel_lane_plan_steps_at_resets (const ReelLanePlan *self);

/**
 * reel_lane_plan_step_before:
 * @work: a work of a plan with a source
 * @columns: (array): by leaf, lane 0
 * @begin: first lane
 * @end: one past the last
 *
 * For works: steps the env, and does the works that come before @work.
 */
void reel_lane_plan_step_before (const ReelLaneWork *work, guint8 *const *columns, gint64 begin,
                                 gint64 end);

/**
 * reel_lane_plan_reset_before:
 * @work: a work of a plan with a source
 * @columns: (array): by leaf, lane 0
 * @lanes: (array length=n): which lanes; they ascend
 * @n: how many
 *
 * For works: resets lanes of the env, and does the works that come before @work.
 */
void reel_lane_plan_reset_before (const ReelLaneWork *work, guint8 *const *columns,
                                  const gint64 *lanes, gsize n);

/**
 * reel_lane_plan_seed:
 * @self: a plan
 * @lane: a lane
 * @words: (array length=n_words): its seed, in base 2^32, least first
 * @n_words: how many
 *
 * Begins the random numbers of all works anew.
 */
void reel_lane_plan_seed (const ReelLanePlan *self, gint64 lane, const guint32 *words,
                          gsize n_words);

/**
 * reel_lane_plan_draws:
 * @self: a plan
 *
 * Returns: whether a work has random numbers
 */
gboolean reel_lane_plan_draws (const ReelLanePlan *self);

/**
 * reel_lane_plan_step:
 * @self: a plan
 * @columns: (array): by leaf, lane 0
 * @begin: first lane
 * @end: one past the last
 *
 * Steps the env and does all works in order. Any thread, for disjoint lanes.
 */
void reel_lane_plan_step (const ReelLanePlan *self, guint8 *const *columns, gint64 begin,
                          gint64 end);

/**
 * reel_lane_plan_reset:
 * @self: a plan
 * @columns: (array): by leaf, lane 0
 * @lanes: (array length=n): which lanes; they ascend
 * @n: how many
 *
 * Resets lanes of the env and does all works in order. Any thread, for different lanes.
 */
void reel_lane_plan_reset (const ReelLanePlan *self, guint8 *const *columns, const gint64 *lanes,
                           gsize n);

/**
 * reel_lane_plan_report:
 * @self: a plan
 * @lane: a lane
 * @what: the reason
 *
 * For works: reports that a lane could not be transformed.
 */
void reel_lane_plan_report (const ReelLanePlan *self, gint64 lane, const char *what);

/**
 * reel_lane_plan_get_state_size:
 * @self: a plan
 *
 * Returns: bytes of one lane's state in all works, with room for what lanes have in common
 */
gsize reel_lane_plan_get_state_size (const ReelLanePlan *self);

/**
 * reel_lane_plan_get_state:
 * @self: a plan
 * @lane: a lane
 * @state: bytes to fill: what lanes have in common is in those of lane 0, and zeros in others
 */
void reel_lane_plan_get_state (const ReelLanePlan *self, gint64 lane, guint8 *state);

/**
 * reel_lane_plan_set_state:
 * @self: a plan
 * @lane: a lane
 * @state: the bytes of reel_lane_plan_get_state(); those of lane 0 include the common state of the
 *   lanes
 */
void reel_lane_plan_set_state (ReelLanePlan *self, gint64 lane, const guint8 *state);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelLanePlan, reel_lane_plan_free)

G_END_DECLS
