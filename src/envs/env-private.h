/* The fields of an env, which the files of ReelEnv share. Private. */
#pragma once

#include "env-autoreset.h"
#include "env-groups.h"
#include "env-leaves.h"
#include "env-pixels.h"
#include "lane-clock.h"
#include "lane-kernel.h"

G_BEGIN_DECLS

/* A fault of a lane; threads add to the list, and a check takes it as a whole. */
typedef struct _ReelEnvFault ReelEnvFault;

typedef struct
{
  gint64 num_envs;
  gint64 seed;
  gint64 max_episode_steps;
  int action_encoding;
  gboolean from_pixels, pixels_only;
  gint64 width, height; /* 0 where the class decides */
  gint frame_rate;      /* likewise */

  ReelSpec *observation_spec;
  ReelSpec *action_spec;
  ReelSpec *reward_spec;
  ReelSpec *done_spec;
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
  ReelLaneClocks clocks; /* steps of the episode; −1 before the first reset */
  guint8 *faulty;        /* whether the lane is among the faults */
  ReelEnvFault *_Atomic faults;
  gint64 limit;
  const ReelLaneKernels *kernels;
} ReelEnvPrivate;

/**
 * reel_env_get_private:
 * @self: an env
 *
 * Returns: (transfer none): its fields
 */
ReelEnvPrivate *reel_env_get_private (ReelEnv *self);

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
 * reel_env_forget_faults:
 * @self: an env
 *
 * Frees what reel_env_report_fault() kept.
 */
void reel_env_forget_faults (ReelEnv *self);

G_END_DECLS
