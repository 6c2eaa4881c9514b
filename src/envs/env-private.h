/* The fields of an env, which the files of ReelEnv share. Private. */
#pragma once

#include "env-autoreset.h"
#include "env-groups.h"
#include "env-leaves.h"
#include "env-pixels.h"
#include "env-results.h"
#include "env-states.h"
#include "lane-clock.h"
#include "lane-kernel.h"
#include "mixed-env.h"

G_BEGIN_DECLS

/* A fault of a lane; threads add to the list, and a check takes it as a whole. */
typedef struct _ReelEnvFault ReelEnvFault;

typedef struct _ReelEnvPrivate ReelEnvPrivate;

/* An env that simulates the lanes [first, after) of another, which owns it. */
typedef struct
{
  ReelEnv *env;
  gint64 first, after;
} ReelEnvPart;

/* A reset of listed lanes, as its stages see it. A stage may shorten the list. */
typedef struct
{
  ReelEnv *env;
  ReelEnvPrivate *priv;
  gint64 *lanes;
  gsize n;
  guint8 *const *observation; /* of the env */
  guint8 *const *inner;       /* of the class */
} ReelEnvReset;

/* A step of a range of lanes, as its stages see it. */
typedef struct
{
  ReelEnv *env;
  ReelEnvPrivate *priv;
  gint64 begin, end;
  const ReelEnvIO *io; /* of the env */
  ReelEnvIO inner;     /* of the class */
  gint64 n_done;
} ReelEnvStep;

typedef void (*ReelEnvResetStage) (ReelEnvReset *reset);
typedef void (*ReelEnvStepStage) (ReelEnvStep *step);

/* Each feature adds at most one stage at each of its points, and NULL ends the list. */
#define REEL_ENV_MAX_STAGES 12

struct _ReelEnvPrivate
{
  ReelEnvPart *parts; /* of an env that shows others, in order; NULL for one that simulates */
  guint n_parts;
  ReelMixed *mixed; /* NULL unless the lanes of its parts have unlike specs */
  gint64 num_envs;
  gint64 seed;
  gint64 max_episode_steps;
  int action_encoding;
  gboolean from_pixels, pixels_only;
  gint64 width, height; /* 0 where the class decides */
  gint frame_rate;      /* likewise */
  gint64 lane_multiple; /* likewise */
  GStrv unrepeated;     /* keys that depend on earlier episodes; NULL where nothing does */

  ReelSpec *observation_spec;
  ReelSpec *action_spec;
  ReelSpec *reward_spec;
  ReelSpec *done_spec;
  ReelEnvResults results; /* those of the lane */
  ReelEnvStates states;
  GStrv carried;          /* observations that steps take over; NULL for those of the parts */
  gsize *observation_row; /* bytes of a row of each leaf that the class writes */
  gsize n_observations;
  ReelEnvPixels *pixels; /* NULL unless they are observed */
  ReelEnvGroups groups;
  ReelEnvAutoreset *autoreset; /* NULL unless the class resets itself */
  ReelEnvLeaves *leaves;       /* NULL until tensordicts are stepped */

  ReelMemory *lane_memory; /* NULL where the class keeps lanes elsewhere */
  guint8 *lanes;           /* there */
  gsize lane_bytes;
  ReelMemory *memory;
  ReelLaneClocks clocks;     /* steps of the episode; −1 before the first reset */
  const gint64 *elapsed;     /* likewise, by lane, where another process counts them; else NULL */
  _Atomic gint64 n_restarts; /* of worker processes that are its own */
  gint64 n_sent;             /* lanes that were sent to its workers, and not received */
  guint8 *faulty;            /* whether the lane is among the faults */
  ReelEnvFault *_Atomic faults;
  gint64 limit;
  const ReelLaneKernels *kernels;

  ReelEnvResetStage reset_stages[REEL_ENV_MAX_STAGES];
  ReelEnvStepStage step_stages[REEL_ENV_MAX_STAGES];
};

/**
 * reel_env_get_private:
 * @self: an env
 *
 * Returns: (transfer none): its fields
 */
ReelEnvPrivate *reel_env_get_private (ReelEnv *self);

/**
 * reel_env_take_parts:
 * @self: an env
 * @envs: (array length=n): (transfer none): envs whose lanes are those of @self, in order
 * @n: how many, at least 1
 *
 * For classes that show other envs, before their setup: lanes, and all that is asked of a lane,
 * are those of the parts.
 */
void reel_env_take_parts (ReelEnv *self, ReelEnv *const *envs, guint n);

/**
 * reel_env_take_carried:
 * @self: an env, in setup
 * @paths: (transfer full): of observations that change at resets alone
 *
 * Declares that steps of tensordicts take over their values at the root, or below `next` where a
 * policy wrote them: the state of a recurrent policy.
 */
void reel_env_take_carried (ReelEnv *self, GStrv paths);

/**
 * reel_env_carries:
 * @self: an env
 * @path: of an observation
 *
 * Returns: whether steps take it over; without reel_env_take_carried(), whether those of a part do
 */
gboolean reel_env_carries (ReelEnv *self, const char *path);

/**
 * reel_env_share_properties:
 * @self: an env that shows others
 *
 * Takes properties off @self that are those of its parts instead.
 *
 * Returns: (transfer full): names and values in turn
 */
GPtrArray *reel_env_share_properties (ReelEnv *self);

/**
 * reel_env_new_part:
 * @text: of an env
 * @n_lanes: lanes of it, unless it says how many
 * @pairs: properties that it has unless it sets them, as of reel_env_share_properties()
 * @error: as reel_object_new_from_text()
 *
 * Returns: (transfer full): the env
 */
ReelEnv *reel_env_new_part (const char *text, gint64 n_lanes, const GPtrArray *pairs,
                            GError **error);

/**
 * reel_env_take_part_specs:
 * @self: an env that shows others, in setup
 * @part: one of them
 * @error: NO_SPACE
 *
 * Gives @self the groups of agents and the specs of @part.
 *
 * Returns: whether it has them
 */
gboolean reel_env_take_part_specs (ReelEnv *self, ReelEnv *part, GError **error);

/**
 * reel_env_seed_part_lane:
 * @self: an env that shows others
 * @lane: a lane
 * @words: (array length=n_words): as for reel_env_seed_lane()
 * @n_words: their number
 *
 * The slot `seed` of #ReelEnvClass, of the part that simulates @lane.
 */
void reel_env_seed_part_lane (ReelEnv *self, gint64 lane, const guint32 *words, gsize n_words);

/**
 * reel_env_skip_resets:
 * @self: an env
 * @lane: a lane whose last episode did no step
 * @n: a number of resets
 *
 * Brings the random streams of @lane to where @n resets of it would, in a moment: it must be reset
 * before its next step, and is then as after @n + 1 resets.
 *
 * Returns: whether the class can; else nothing is changed
 */
gboolean reel_env_skip_resets (ReelEnv *self, gint64 lane, gint64 n);

/**
 * reel_env_get_part_state_size:
 * @self: an env that shows others
 *
 * The slot `state_size` of #ReelEnvClass.
 *
 * Returns: bytes of the largest state of its parts
 */
gsize reel_env_get_part_state_size (ReelEnv *self);

/**
 * reel_env_get_part_state:
 * @self: an env that shows others
 * @lane: a lane
 * @state: room for reel_env_get_part_state_size() bytes
 *
 * The slot `get_state` of #ReelEnvClass: zeros are behind a state that is smaller than the largest.
 */
void reel_env_get_part_state (ReelEnv *self, gint64 lane, gpointer state);

/**
 * reel_env_set_part_state:
 * @self: an env that shows others
 * @lane: a lane
 * @state: the result of reel_env_get_part_state()
 *
 * The slot `set_state` of #ReelEnvClass.
 */
void reel_env_set_part_state (ReelEnv *self, gint64 lane, gconstpointer state);

/**
 * reel_env_act_in_lanes:
 * @self: an env
 * @policy: a policy that is bound to its specs, and to at least @first more lanes
 * @first: the lane of the policy that acts in lane 0 of @self
 * @step: as in reel_env_act()
 * @td: likewise
 * @error: as reel_env_act()
 *
 * Returns: whether the actions were set
 */
gboolean reel_env_act_in_lanes (ReelEnv *self, ReelPolicy *policy, gint64 first, gint64 step,
                                ReelTensordict *td, GError **error);

/**
 * reel_env_find_part:
 * @self: an env
 * @lane: a lane
 *
 * Returns: (transfer none) (nullable): the part that simulates @lane; %NULL where @self does
 */
const ReelEnvPart *reel_env_find_part (ReelEnv *self, gint64 lane);

/**
 * REEL_ENV_RESET_CHUNK:
 *
 * Lanes that a reset lists at a time, on the stack, where they do not depend on one another.
 */
#define REEL_ENV_RESET_CHUNK 1024

/**
 * reel_env_get_reset_most:
 * @self: an env
 *
 * Returns: how many lanes a reset lists at a time: all where they depend on one another, for what
 *   they share then changes once
 */
gint64 reel_env_get_reset_most (ReelEnv *self);

/**
 * reel_env_repeats:
 * @self: an env
 * @path: a key of an observation, a reward or a flag
 *
 * Returns: whether an episode that is done again has the same values of it, which some have not
 *   where reel_env_outlasts_episodes()
 */
gboolean reel_env_repeats (ReelEnv *self, const char *path);

/**
 * reel_env_joins_lanes:
 * @self: an env
 *
 * Returns: whether lanes of it depend on one another, see reel_env_take_lane_multiple()
 */
gboolean reel_env_joins_lanes (ReelEnv *self);

/**
 * reel_env_find_fork_obstacle:
 * @self: an env
 * @tears: whether lanes that depend on one another may come to different forks
 *
 * Returns: (nullable): why its lanes cannot be simulated in a fork of the process and taken out of
 *   it, as a sentence without its full stop; %NULL where they can
 */
const char *reel_env_find_fork_obstacle (ReelEnv *self, gboolean tears);

/**
 * reel_env_complete_specs:
 * @self: an env, set up
 * @error: VALUE for a key that two groups of agents have, or the lane itself; KEY for an
 *   observation without shape
 *
 * Makes the specs of the reward and of the flags, and measures the observation.
 *
 * Returns: whether the class gave what it takes
 */
gboolean reel_env_complete_specs (ReelEnv *self, GError **error);

/**
 * reel_env_compose_stages:
 * @self: an env whose features are set up
 *
 * Lists what a reset and a step of it are made of.
 */
void reel_env_compose_stages (ReelEnv *self);

/**
 * reel_env_transform_text:
 * @env: an env
 * @chain: the text of transforms
 * @error: as reel_object_new_from_text() and reel_transformed_env_new()
 *
 * The slot `extend` of #ReelObjectClass.
 *
 * Returns: (transfer full): @env seen through them
 */
gpointer reel_env_transform_text (gpointer env, const char *chain, GError **error);

/**
 * reel_env_add_pixels:
 * @self: an env, set up
 * @error: VALUE for properties of pictures that are not asked for; NOT_IMPLEMENTED where there are
 *   none; as reel_env_prepare_frames()
 *
 * Puts pictures among the observations, or in their place, where they are asked for.
 *
 * Returns: whether it could
 */
gboolean reel_env_add_pixels (ReelEnv *self, GError **error);

/**
 * reel_env_use_own_lanes:
 * @klass: a class
 *
 * Has it keep the state of its lanes where reel_env_make_lanes() makes room.
 */
void reel_env_use_own_lanes (ReelEnvClass *klass);

/**
 * reel_env_repeat_fault:
 * @self: an env
 * @lane: a lane
 * @message: what reel_env_check_faults() said of it in another process
 *
 * Has reel_env_check_faults() say the same here.
 */
void reel_env_repeat_fault (ReelEnv *self, gint64 lane, const char *message);

/**
 * reel_env_merge_reset:
 * @td: what was known of some lanes
 * @mask: (nullable): bool, one a lane: those that began a new episode
 * @reset: observations and flags of all these lanes from now on
 * @error: RUNTIME for a locked tensordict; NO_SPACE
 *
 * Sets them in @td, and zeroes what else it has at the root of lanes under @mask: it belongs to an
 * episode that is over.
 *
 * Returns: whether it could
 */
gboolean reel_env_merge_reset (ReelTensordict *td, ReelTensor *mask, const ReelTensordict *reset,
                               GError **error);

/**
 * reel_env_truncate:
 * @self: an env
 * @last: the last step of a rollout
 * @error: RUNTIME where there is no flag `truncated`
 *
 * Sets the flags below `next` that mark @last as cut off, in all lanes.
 *
 * Returns: whether they were set
 */
gboolean reel_env_truncate (ReelEnv *self, ReelTensordict *last, GError **error);

/**
 * reel_env_forget_faults:
 * @self: an env
 *
 * Frees what reel_env_report_fault() kept.
 */
void reel_env_forget_faults (ReelEnv *self);

G_END_DECLS
