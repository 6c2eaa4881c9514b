#pragma once

#include "../core/object.h"
#include "../specs/spec.h"

G_BEGIN_DECLS

/**
 * ReelEnv:
 *
 * A batch of environments, its *lanes*, simulated at once. Lanes are independent: the bytes of a
 * lane depend on its own seed and actions alone, so any partition of the lanes over calls and
 * threads gives the same result. Calls for disjoint lane ranges may run on several threads at once;
 * everything else belongs to one thread at a time.
 *
 * `terminated` and `truncated` are two flags; an env never resets itself, and what a step returns
 * is the true last observation.
 *
 * Properties of every env: `num-envs` (lanes, default 1), `seed` (default 0; lane l is seeded with
 * seed + l as `gymnasium.make (id).reset (seed=seed + l)` seeds), `max-episode-steps` (0 for no
 * limit; reaching it sets `truncated` and leaves `terminated` as the task gave it).
 */
#define REEL_TYPE_ENV (reel_env_get_type ())
REEL_API
G_DECLARE_DERIVABLE_TYPE (ReelEnv, reel_env, REEL, ENV, ReelObject)

/**
 * ReelEnvStep:
 * @action: (array): one pointer per leaf of the action spec, in reel_spec_list_leaves() order
 * @observation: (array): likewise for the observation spec: what the step produced
 * @reward: float32, 1 a lane
 * @terminated: bool, 1 a lane
 * @truncated: bool, 1 a lane
 * @done: bool, 1 a lane: terminated or truncated
 *
 * Where one step of all lanes reads and writes. Every pointer is at lane 0; lane l of a leaf lies l
 * times the leaf's row bytes further.
 */
typedef struct
{
  const guint8 *const *action;
  guint8 *const *observation;
  float *reward;
  guint8 *terminated;
  guint8 *truncated;
  guint8 *done;
} ReelEnvStep;

/**
 * ReelEnvClass:
 * @make_specs: required. Sets the specs of one lane by reel_env_take_specs(), after the properties
 *   are set
 * @reset: required. Begins new episodes in the lanes of [begin, end) whose byte in @mask (indexed
 * by lane; %NULL for all) is not 0 and writes their first observation; other lanes' are not touched
 * @step: required. Advances the lanes of [begin, end): reads the action, writes observation,
 * reward, and terminated; the base fills truncated and done
 * @seed: required. Seeds lane @lane with the words of a seed, base 2^32, least first
 * @state_size: required. Bytes of the state of one lane, its random stream included
 * @get_state: required. Copies the state of a lane out
 * @set_state: required. Copies it back in: steps that follow give the same bytes
 *
 * What an environment fills in; none of it can fail: what can be wrong is checked in build.
 */
typedef struct _ReelEnvClass
{
  ReelObjectClass parent_class;

  gboolean (*make_specs) (ReelEnv *self, GError **error);
  void (*reset) (ReelEnv *self, gint64 begin, gint64 end, const guint8 *mask,
                 guint8 *const *observation);
  void (*step) (ReelEnv *self, gint64 begin, gint64 end, const ReelEnvStep *io);
  void (*seed) (ReelEnv *self, gint64 lane, const guint32 *words, gsize n_words);
  gsize (*state_size) (ReelEnv *self);
  void (*get_state) (ReelEnv *self, gint64 lane, gpointer state);
  void (*set_state) (ReelEnv *self, gint64 lane, gconstpointer state);
} ReelEnvClass;

/**
 * reel_env_get_num_envs:
 * @self: an env
 *
 * Returns: its lanes, at least 1
 */
REEL_API
gint64 reel_env_get_num_envs (ReelEnv *self);

/**
 * reel_env_get_lane_multiple:
 * @self: an env
 *
 * Returns: the number of lanes that ranges given to different threads should be multiples of: 64
 *   for vector kernels, 1 where a lane is the unit of work
 */
REEL_API
gint64 reel_env_get_lane_multiple (ReelEnv *self);

/**
 * reel_env_get_observation_spec:
 * @self: an env
 *
 * Returns: (transfer none): composite of one lane's observation, as it stands in the root and below
 *   `next`
 */
REEL_API
const ReelSpec *reel_env_get_observation_spec (ReelEnv *self);

/**
 * reel_env_get_action_spec:
 * @self: an env
 *
 * Returns: (transfer none): composite of one lane's action, `action` in most envs
 */
REEL_API
const ReelSpec *reel_env_get_action_spec (ReelEnv *self);

/**
 * reel_env_get_reward_spec:
 * @self: an env
 *
 * Returns: (transfer none): composite with one lane's `reward`, float32 `[1]`
 */
REEL_API
const ReelSpec *reel_env_get_reward_spec (ReelEnv *self);

/**
 * reel_env_get_done_spec:
 * @self: an env
 *
 * Returns: (transfer none): composite with one lane's `done`, `terminated`, `truncated`, bool `[1]`
 */
REEL_API
const ReelSpec *reel_env_get_done_spec (ReelEnv *self);

/**
 * reel_env_seed:
 * @self: an env
 * @seed: (array length=n_words): a seed of any size in base 2^32, least significant word first
 * @n_words: how many, at least 1
 *
 * Gives lane l the fresh stream of seed + l. The env must be reset before the next step.
 */
REEL_API
void reel_env_seed (ReelEnv *self, const guint32 *seed, gsize n_words);

/**
 * reel_env_reset_lanes:
 * @self: an env
 * @begin: first lane
 * @end: one past the last
 * @mask: (nullable): a byte a lane, indexed by lane, not 0 where to reset; %NULL for all
 * @observation: (array): as in #ReelEnvStep; written for the lanes that are reset
 *
 * Begins new episodes. Any thread, for disjoint ranges.
 */
REEL_API
void reel_env_reset_lanes (ReelEnv *self, gint64 begin, gint64 end, const guint8 *mask,
                           guint8 *const *observation);

/**
 * reel_env_step_lanes:
 * @self: an env, reset before
 * @begin: first lane
 * @end: one past the last
 * @io: where to read and write
 *
 * Advances each lane of the range by one step. Any thread, for disjoint ranges.
 *
 * Returns: how many of these lanes are done
 */
REEL_API
gint64 reel_env_step_lanes (ReelEnv *self, gint64 begin, gint64 end, const ReelEnvStep *io);

/**
 * reel_env_get_state_size:
 * @self: an env
 *
 * Returns: bytes of one lane's state
 */
REEL_API
gsize reel_env_get_state_size (ReelEnv *self);

/**
 * reel_env_get_state:
 * @self: an env
 * @lane: a lane
 * @state: (not nullable): reel_env_get_state_size() bytes to fill: physics, steps of the episode,
 *   random stream
 */
REEL_API
void reel_env_get_state (ReelEnv *self, gint64 lane, gpointer state);

/**
 * reel_env_set_state:
 * @self: an env of the same id and properties
 * @lane: a lane
 * @state: (not nullable): what reel_env_get_state() gave
 *
 * Steps that follow give the same bytes as they did then.
 */
REEL_API
void reel_env_set_state (ReelEnv *self, gint64 lane, gconstpointer state);

G_END_DECLS
