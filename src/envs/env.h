/* Batched environments. */
#pragma once

#include "../core/object/object.h"
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
 * limit; reaching it sets `truncated` and leaves `terminated` as the task gave it),
 * `action-encoding` (`one-hot`, the default, or `categorical`; of discrete actions).
 *
 * Those that can draw themselves have `from-pixels`: a leaf `pixels`, uint8 `[height, width, 3]`,
 * beside what they observe, or instead of it with `pixels-only`. `width` and `height` are those of
 * the env unless set; any others are drawn at that size, never scaled.
 */
#define REEL_TYPE_ENV (reel_env_get_type ())
REEL_API
G_DECLARE_DERIVABLE_TYPE (ReelEnv, reel_env, REEL, ENV, ReelObject)

/**
 * ReelEnvGroupStep:
 * @reward: float32, one an agent, those of a lane side by side
 * @terminated: bool, likewise
 * @truncated: bool, likewise
 * @done: bool, likewise: terminated or truncated
 *
 * The result of one step for the agents of a group, see reel_env_add_group().
 */
typedef struct
{
  float *reward;
  guint8 *terminated;
  guint8 *truncated;
  guint8 *done;
} ReelEnvGroupStep;

/**
 * ReelEnvIO:
 * @action: (array): one pointer per leaf of the action spec, in reel_spec_list_leaves() order
 * @observation: (array): likewise for the observation spec: what the step produced
 * @carry: (array) (nullable): a second place for the observation: the root of the step that follows
 * @reward: float32, 1 a lane
 * @terminated: bool, 1 a lane
 * @truncated: bool, 1 a lane
 * @done: bool, 1 a lane: terminated or truncated
 * @groups: (array) (nullable): one for each group of agents; %NULL where the env has none
 * @results: (array) (nullable): one pointer per reward, then per flag, that reel_env_take_results()
 *   gave beside the usual ones; %NULL where there is none
 * @state: (array) (nullable): one pointer for each key of reel_env_take_state(): its value before
 *   the step; %NULL where there is none
 *
 * Where one step of all lanes reads and writes. Every pointer is at lane 0; lane l of a leaf lies l
 * times the leaf's row bytes further. A leaf is aligned as its dtype asks; no two overlap.
 */
typedef struct
{
  const guint8 *const *action;
  guint8 *const *observation;
  guint8 *const *carry;
  float *reward;
  guint8 *terminated;
  guint8 *truncated;
  guint8 *done;
  const ReelEnvGroupStep *groups;
  guint8 *const *results;
  const guint8 *const *state;
} ReelEnvIO;

/**
 * ReelActionEncoding:
 * @REEL_ACTION_ONE_HOT: int64 `[…, n]` with a single 1, as TorchRL's GymEnv has it
 * @REEL_ACTION_CATEGORICAL: int64 `[…]`, the index itself
 *
 * How a discrete action stands in data.
 */
typedef enum
{
  REEL_ACTION_ONE_HOT,
  REEL_ACTION_CATEGORICAL,
} ReelActionEncoding;

/**
 * ReelAutoreset:
 * @REEL_AUTORESET_DISABLED: it does not: who steps it resets it
 * @REEL_AUTORESET_NEXT_STEP: the step after the last one ignores its action, begins the next
 *   episode and gives its first observation, reward 0
 * @REEL_AUTORESET_SAME_STEP: the last step of an episode begins the next one and gives its first
 *   observation in the place of the last
 *
 * How something goes on where an episode ended: Gymnasium's `AutoresetMode`.
 */
typedef enum
{
  REEL_AUTORESET_DISABLED,
  REEL_AUTORESET_NEXT_STEP,
  REEL_AUTORESET_SAME_STEP,
} ReelAutoreset;

/**
 * ReelEnvClass:
 * @lane_multiple: what reel_env_get_lane_multiple() says where no pixels are observed; default 1
 * @writes_carry: whether @step fills `carry` itself; otherwise the base copies
 * @writes_flags: whether @step fills truncated and done, and those of groups, itself; otherwise the
 *   base does, by the length of the episode
 * @autoreset: how what the class steps goes on where it set terminated, or truncated, which it may
 *   set then too. Data never show it: the base takes the first observation of the next episode to
 *   the root of the next step, gives the action of a step that would be ignored, and where the last
 *   observation is lost writes NaN, −1 (whole numbers with a sign) or 0 in its place; ranges of
 *   such a class may begin and end anywhere. %REEL_AUTORESET_DISABLED for a class of one's own
 * @source: required. Where the physics and its numbers come from, in a line
 * @setup: required. Checks the properties together, makes room for the state of every lane, as
 *   with reel_env_make_lanes(), and gives the specs of one lane to reel_env_take_specs()
 * @reset: required. Begins new episodes in the @n lanes of @lanes, which ascend, and writes their
 *   first observation; nothing of other lanes is touched
 * @step: required. Advances the lanes of [begin, end): reads the action, writes observation,
 *   reward, and terminated; the base fills truncated and done
 * @seed: required. Gives @lane the stream of a seed: words base 2^32, least first, none of them a
 *   leading zero
 * @skip_resets: optional. Brings the random stream of @lane to its place after @n more resets, by
 *   reel_pcg64_skip() where each draws the same number of values: the next reset is then as the one
 *   that follows them. Returns %FALSE, with nothing changed, where properties leave no such number.
 *   Without it resets are done one by one
 * @state_size: bytes of the state of one lane, its random stream included; the default, as of the
 *   next two, is for what reel_env_make_lanes() made; %NULL where lanes have no state that can be
 *   copied
 * @get_state: copies the state of a lane out; every byte is set
 * @set_state: copies it back in: steps that follow give the same bytes
 * @frame_width: pixels that its picture is wide, as the peer draws it; 0 where it has none
 * @frame_height: pixels that it is high
 * @frame_rate: pictures a second that show the task at its own speed; see
 *   reel_env_take_frame_rate() for one that depends on properties
 * @prepare_frames: optional. Makes ready to draw pictures of a size: the one thing of @render that
 *   can fail
 * @render: required where there are pictures. Writes what @lane looks like to @pixels, uint8
 *   [@height, @width, 3], the topmost row first
 * @show: optional. Puts @lane into a state that has the observation whose leaves are given, each at
 *   that lane alone, as far as the picture tells; its random stream stays
 * @observation_names: optional. A name for each element of the leaf `observation`,
 *   NULL-terminated
 *
 * Virtual functions of an environment. Only @setup and @prepare_frames can fail; @reset, @step and
 * @render run on several threads at once, for disjoint lanes. Ranges begin at multiples of
 * @lane_multiple where threads are to be fast, and anywhere where pictures are drawn.
 */
struct _ReelEnvClass
{
  ReelObjectClass parent_class;

  gint64 lane_multiple;
  gboolean writes_carry;
  gboolean writes_flags;
  ReelAutoreset autoreset;
  const char *source;
  gboolean (*setup) (ReelEnv *self, GError **error);
  void (*reset) (ReelEnv *self, const gint64 *lanes, gsize n, guint8 *const *observation);
  void (*step) (ReelEnv *self, gint64 begin, gint64 end, const ReelEnvIO *io);
  void (*seed) (ReelEnv *self, gint64 lane, const guint32 *words, gsize n_words);
  gboolean (*skip_resets) (ReelEnv *self, gint64 lane, gint64 n);
  gsize (*state_size) (ReelEnv *self);
  void (*get_state) (ReelEnv *self, gint64 lane, gpointer state);
  void (*set_state) (ReelEnv *self, gint64 lane, gconstpointer state);

  gint64 frame_width, frame_height;
  gint frame_rate;
  gboolean (*prepare_frames) (ReelEnv *self, gint64 width, gint64 height, GError **error);
  void (*render) (ReelEnv *self, gint64 lane, gint64 width, gint64 height, guint8 *pixels);
  void (*show) (ReelEnv *self, gint64 lane, const guint8 *const *observation);
  const char *const *observation_names;
};

/**
 * reel_env_make_lanes:
 * @self: an env
 * @bytes: of the state of one lane, a multiple of what its alignment is
 * @error: NO_SPACE
 *
 * For classes, in setup: room for the state of every lane, of zeros at first, that lives as long as
 * @self. A class that keeps its lanes nowhere else needs no functions of its own for their state.
 *
 * Returns: whether there is room
 */
REEL_API
gboolean reel_env_make_lanes (ReelEnv *self, gsize bytes, GError **error);

/**
 * reel_env_get_lane:
 * @self: an env
 * @lane: one of its lanes
 *
 * Any thread that may step the lane.
 *
 * Returns: (transfer none): the state of @lane, as of reel_env_make_lanes()
 */
REEL_API
gpointer reel_env_get_lane (ReelEnv *self, gint64 lane);

/**
 * reel_env_take_specs:
 * @self: an env
 * @observation: (transfer full): composite of one lane's observation
 * @action: (transfer full): composite of one lane's action
 *
 * For classes, in setup.
 */
REEL_API
void reel_env_take_specs (ReelEnv *self, ReelSpec *observation, ReelSpec *action);

/**
 * reel_env_take_results:
 * @self: an env
 * @reward: (transfer full) (nullable): composite of the rewards of one lane; %NULL for `reward`,
 *   float32 `[1]`
 * @done: (transfer full) (nullable): composite of its flags, bool; %NULL for `done`, `terminated`
 *   and `truncated`, `[1]`
 * @error: TYPE for a flag that is not bool; VALUE
 *
 * For classes, in setup: rewards and flags of other keys, types and shapes, or fewer of them, as
 * for an env without reward or one that is never truncated. The class writes all leaves but the
 * usual ones to `results` of #ReelEnvIO, those of @reward first, each in reel_spec_list_leaves()
 * order. It writes `reward`, which sums up to the return of an episode, and `terminated` as every
 * class does: they say when a lane is reset, whether data show them or not. Groups of agents are
 * apart, see reel_env_add_group().
 *
 * Returns: whether they can be shown
 */
REEL_API
gboolean reel_env_take_results (ReelEnv *self, ReelSpec *reward, ReelSpec *done, GError **error);

/**
 * reel_env_take_state:
 * @self: an env
 * @keys: (array zero-terminated=1): leaves of the observation
 *
 * For classes, in setup: observations that a step reads, TorchRL's state spec. The class finds them
 * in `state` of #ReelEnvIO, as they are at the root of the step, and need not keep them itself: a
 * step goes on from whatever a tensordict, a stored row or a planner says. A class that resets
 * itself (`autoreset`) cannot have any.
 */
REEL_API
void reel_env_take_state (ReelEnv *self, const char *const *keys);

/**
 * reel_env_get_state_spec:
 * @self: an env
 *
 * Returns: (transfer none): composite of the observations of one lane that a step reads, empty for
 *   most classes
 */
REEL_API
const ReelSpec *reel_env_get_state_spec (ReelEnv *self);

/**
 * reel_env_add_group:
 * @self: an env
 * @key: where its data are: a key or path, such as `agents`, that no other group has
 * @n_agents: how many, at least 1
 *
 * For classes, in setup: agents that are rewarded, and end, each for itself, beside the lane as a
 * whole. The specs get `KEY/reward`, float32 `[n_agents, 1]`, and `KEY/done`, `KEY/terminated`,
 * `KEY/truncated`, bool of that shape. The class writes reward and terminated of each agent, and
 * those of the lane; the base fills in truncated, which is the lane's, and done. A lane is reset as
 * a whole, when its own flag says so; until then an agent's flags are known at the root of the
 * next step. Observations and actions of agents are leaves like any.
 */
REEL_API
void reel_env_add_group (ReelEnv *self, const char *key, gint64 n_agents);

/**
 * reel_env_get_n_groups:
 * @self: an env
 *
 * Returns: how many groups of agents it has
 */
REEL_API
gsize reel_env_get_n_groups (ReelEnv *self);

/**
 * reel_env_get_group:
 * @self: an env
 * @i: which of its groups
 * @n_agents: (out): how many agents a lane has in it
 *
 * Returns: (transfer none): where its data are
 */
REEL_API
const char *reel_env_get_group (ReelEnv *self, gsize i, gint64 *n_agents);

/**
 * reel_env_take_frame_rate:
 * @self: an env
 * @rate: pictures a second that show the task at its own speed, at least 1
 *
 * For classes, in setup, in the place of `frame_rate`.
 */
REEL_API
void reel_env_take_frame_rate (ReelEnv *self, gint rate);

/**
 * reel_env_take_lane_multiple:
 * @self: an env
 * @n_lanes: a number of lanes, at least 1
 *
 * For classes, in setup, in the place of `lane_multiple`, where @n_lanes lanes depend on one
 * another: a collector steps such lanes together, on one thread, each step of all of them before
 * the next.
 */
REEL_API
void reel_env_take_lane_multiple (ReelEnv *self, gint64 n_lanes);

/**
 * reel_env_report_fault:
 * @self: an env
 * @lane: a lane that is being reset or stepped
 * @what: what happened, as the end of a sentence: `too many contacts`
 *
 * For classes: the lane could not be simulated, and what was written of it means nothing. The first
 * of each lane is kept for reel_env_check_faults(). Any thread that steps the lane.
 */
REEL_API
void reel_env_report_fault (ReelEnv *self, gint64 lane, const char *what);

/**
 * reel_env_get_action_encoding:
 * @self: an env
 *
 * Returns: how its discrete actions stand in data; for classes, in setup
 */
REEL_API
ReelActionEncoding reel_env_get_action_encoding (ReelEnv *self);

/**
 * reel_env_get_elapsed:
 * @self: an env
 * @lane: a lane
 *
 * Returns: steps of its episode so far; for classes, in step, without the one at work
 */
REEL_API
gint64 reel_env_get_elapsed (ReelEnv *self, gint64 lane);

/**
 * reel_env_get_source:
 * @self: an env
 *
 * Returns: (transfer none): where its physics and the numbers of it come from, in a line
 */
REEL_API
const char *reel_env_get_source (ReelEnv *self);

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
 *   for vector kernels, 1 where a lane is the unit of work, as where it is drawn
 */
REEL_API
gint64 reel_env_get_lane_multiple (ReelEnv *self);

/**
 * reel_env_is_mixed:
 * @self: an env
 *
 * Lanes of envs side by side may have unlike specs: observations of other shapes, keys that others
 * lack. No column has the values of all lanes then. Such an env is stepped by tensordicts
 * (reel_env_step(), reel_env_rollout()), which are lazy stacks of one element a lane; its specs are
 * stacks of those of all lanes; and functions that take columns, such as reel_env_step_lanes(), are
 * for its parts alone. Any thread.
 *
 * Returns: whether the specs of its lanes differ
 */
REEL_API
gboolean reel_env_is_mixed (ReelEnv *self);

/**
 * reel_env_check_alike:
 * @self: an env
 * @error: VALUE naming the specs that differ
 *
 * For whatever takes the values of all lanes as columns, such as collectors.
 *
 * Returns: whether all lanes have the same specs
 */
REEL_API
gboolean reel_env_check_alike (ReelEnv *self, GError **error);

/**
 * reel_env_get_observation_spec:
 * @self: an env
 *
 * Returns: (transfer none): composite of one lane's observation, as it stands in the root and below
 *   `next`; of a mixed env (reel_env_is_mixed()) the stack of those of all lanes, as all its specs
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
 * Returns: (transfer none): composite with one lane's rewards: `reward`, float32 `[1]`, unless the
 *   class has others, and those of groups
 */
REEL_API
const ReelSpec *reel_env_get_reward_spec (ReelEnv *self);

/**
 * reel_env_get_done_spec:
 * @self: an env
 *
 * Returns: (transfer none): composite with one lane's flags: `done`, `terminated`, `truncated`,
 * bool
 *   `[1]`, unless the class has others, and those of groups
 */
REEL_API
const ReelSpec *reel_env_get_done_spec (ReelEnv *self);

/**
 * reel_env_seed:
 * @self: an env
 * @seed: (array length=n_words): a seed of any size in base 2^32, least significant word first
 * @n_words: how many, at least 1
 *
 * Gives lane l the fresh stream of seed + l. The env must be reset before the next step. A new env
 * is seeded with its `seed` already.
 */
REEL_API
void reel_env_seed (ReelEnv *self, const guint32 *seed, gsize n_words);

/**
 * reel_env_seed_lane:
 * @self: an env
 * @lane: a lane
 * @seed: (array length=n_words): as for reel_env_seed()
 * @n_words: how many, at least 1
 *
 * Gives one lane the fresh stream of @seed. It must be reset before its next step.
 */
REEL_API
void reel_env_seed_lane (ReelEnv *self, gint64 lane, const guint32 *seed, gsize n_words);

/**
 * reel_env_reset_lanes:
 * @self: an env
 * @begin: first lane
 * @end: one past the last
 * @mask: (nullable): a byte a lane, indexed by lane, not 0 where to reset; %NULL for all
 * @observation: (array): as in #ReelEnvIO; written for the lanes that are reset
 *
 * Begins new episodes; random streams go on where they are. Any thread, for disjoint ranges.
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
gint64 reel_env_step_lanes (ReelEnv *self, gint64 begin, gint64 end, const ReelEnvIO *io);

/**
 * reel_env_check_faults:
 * @self: an env, of which no lane is being stepped
 * @error: RUNTIME, naming the lowest lane and what happened there
 *
 * Tells of lanes that could not be simulated since the last look, and forgets them. A program that
 * steps an env looks here before it trusts what was written: once for any number of steps is
 * enough.
 *
 * Returns: whether all lanes were simulated
 */
REEL_API
gboolean reel_env_check_faults (ReelEnv *self, GError **error);

/**
 * reel_env_get_n_restarts:
 * @self: an env
 *
 * Any thread.
 *
 * Returns: how many worker processes, of it and of the envs that it shows, took the place of one
 *   that had ended, see #ReelOnError
 */
REEL_API
gint64 reel_env_get_n_restarts (ReelEnv *self);

/**
 * reel_env_count_sent:
 * @self: an env
 *
 * The thread of the env.
 *
 * Returns: how many lanes, of it and of the envs that it shows, were sent by reel_env_send() and
 *   not received by reel_env_recv()
 */
REEL_API
gint64 reel_env_count_sent (ReelEnv *self);

/**
 * reel_env_forbid_programs:
 * @forbid: whether to
 *
 * Says whether this thread may make envs and policies that run a program, as `exec` does; at first
 * it may. A program that makes one from text in a file forbids it meanwhile: the file may be
 * anybody's.
 */
REEL_API
void reel_env_forbid_programs (gboolean forbid);

/**
 * reel_env_has_state:
 * @self: an env
 *
 * Returns: whether the state of its lanes can be copied: not where a process of another program
 *   simulates them
 */
REEL_API
gboolean reel_env_has_state (ReelEnv *self);

/**
 * reel_env_outlasts_episodes:
 * @self: an env
 *
 * An env behind `vec-norm` or `traj-counter` depends on all steps that it ever did. A collector
 * then keeps its state with the rows, for the last episodes of these do not lead to it.
 *
 * Returns: whether the state of a lane depends on more than its seed, the number of its episode and
 *   the actions of that
 */
REEL_API
gboolean reel_env_outlasts_episodes (ReelEnv *self);

/**
 * reel_env_get_state_size:
 * @self: an env
 *
 * Returns: bytes of one lane's state, 0 where reel_env_has_state() is FALSE;
 *   reel_env_prepare_frames() may change them
 */
REEL_API
gsize reel_env_get_state_size (ReelEnv *self);

/**
 * reel_env_get_state:
 * @self: an env
 * @lane: a lane
 * @state: (not nullable): reel_env_get_state_size() bytes to fill: physics, steps of the episode,
 *   random stream
 *
 * Copies the whole state of a lane. reel_env_set_state() puts a lane into it.
 */
REEL_API
void reel_env_get_state (ReelEnv *self, gint64 lane, gpointer state);

/**
 * reel_env_set_state:
 * @self: an env of the same id and properties
 * @lane: a lane
 * @state: (not nullable): what reel_env_get_state() gave
 *
 * Steps that follow give the same bytes as they did then; a lane so restored needs no reset.
 */
REEL_API
void reel_env_set_state (ReelEnv *self, gint64 lane, gconstpointer state);

/**
 * REEL_ENV_FRAME_MOST:
 *
 * The most pixels of a side of a picture.
 */
#define REEL_ENV_FRAME_MOST 8192

/**
 * reel_env_get_observation_names:
 * @self: an env
 *
 * Any thread.
 *
 * Returns: (transfer none) (nullable): a name for each element of the leaf `observation`,
 *   NULL-terminated, where the class has names for them
 */
REEL_API
const char *const *reel_env_get_observation_names (ReelEnv *self);

/**
 * reel_env_get_frame:
 * @self: an env
 * @width: (out): pixels: what `width` says, else the env's own
 * @height: (out): likewise
 * @rate: (out) (optional): pictures a second that show the task at its own speed
 *
 * Returns: whether it can draw itself; if not, nothing is set
 */
REEL_API
gboolean reel_env_get_frame (ReelEnv *self, gint64 *width, gint64 *height, gint *rate);

/**
 * reel_env_prepare_frames:
 * @self: an env that can draw itself
 * @width: pixels, 1 to REEL_ENV_FRAME_MOST
 * @height: likewise
 * @error: RUNTIME where there is nothing to draw with; VALUE where a picture of this size cannot be
 *   drawn
 *
 * Makes ready to draw: who draws without `from-pixels` asks first, before lanes are reset, which
 * otherwise is done when the env is made. Pictures of MuJoCo's tasks need OpenGL, and something of
 * the step before, so that states of their lanes are larger from then on; those of the others need
 * nothing.
 *
 * Returns: whether it can be drawn
 */
REEL_API
gboolean reel_env_prepare_frames (ReelEnv *self, gint64 width, gint64 height, GError **error);

/**
 * reel_env_render_lane:
 * @self: an env that can draw itself, reset before
 * @lane: a lane
 * @width: pixels, 1 to REEL_ENV_FRAME_MOST
 * @height: likewise
 * @pixels: (array): @height × @width × 3 bytes to fill: red, green and blue, the topmost row first
 *
 * Draws what a lane looks like now. Where the system fails to, the picture is black and
 * reel_env_check_faults() says why. Any thread, for disjoint lanes that are not being stepped.
 */
REEL_API
void reel_env_render_lane (ReelEnv *self, gint64 lane, gint64 width, gint64 height, guint8 *pixels);

/**
 * reel_env_show_observation:
 * @self: an env
 * @lane: a lane
 * @observation: (array): a pointer to one value for each leaf of the observation spec but `pixels`,
 *   in reel_spec_list_leaves() order
 * @error: NOT_IMPLEMENTED where the env's observation does not tell what it looks like
 *
 * Puts a lane into the state that an observation shows, for reel_env_render_lane(): its picture
 * then is that of the observation, to what float32 keeps of it. Steps need a reset before.
 *
 * Returns: whether it could
 */
REEL_API
gboolean reel_env_show_observation (ReelEnv *self, gint64 lane, const guint8 *const *observation,
                                    GError **error);

G_END_DECLS
